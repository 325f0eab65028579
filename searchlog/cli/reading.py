"""A session as it can be read: its records, and what of it is erased, damaged or gone. Says so once, on stderr.

One bad record costs itself: commands show the rest, name what they could not read, and end with the code for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlog.cli import out
from searchlog.cli.exits import Exit
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.ledger import Gap, Record, number_runs
from searchlog.records import BlobRef
from searchlog.verify.absence import NOTHING_ABSENT, Absence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlog.ledger import Ledger
    from searchlog.log.checkpoint import Checkpoint

__all__ = ["Reading", "say_damaged"]

_SAID_MAX = 5


class Reading:
    """The records of one session that can be read."""

    def __init__(self, ledger: Ledger, absent: Absence = NOTHING_ABSENT) -> None:
        """absent: what whoever sent the session left out."""
        self.ledger = ledger
        self._absent = absent
        self.records: list[Record] = []
        self.gaps: list[Gap] = []
        self._gone: dict[str, str] = {}
        for entry in ledger.entries():
            if isinstance(entry, Gap):
                self.gaps.append(entry)
            else:
                self.records.append(entry)

    def load(self, value: Any) -> Any:
        """Return a field that may have been spilled; None, and a note of it, when its blob cannot be read."""
        if isinstance(value, BlobRef) and value.blob in self._absent.blobs:
            return None
        try:
            return self.ledger.load(value)
        except (StoreError, IntegrityError, FormatError) as error:
            self._gone[value.blob] = f"blob {value.blob} cannot be read: {error}"
            return None

    def content(self, ref: BlobRef) -> bytes | None:
        """Return the bytes of a blob; None, and a note of it, when it cannot be read."""
        if ref.blob in self._absent.blobs:
            return None
        try:
            return self.ledger.blobs.get(Digest(ref.blob))
        except (StoreError, IntegrityError) as error:
            self._gone[ref.blob] = f"blob {ref.blob} cannot be read: {error}"
            return None

    @property
    def head(self) -> Checkpoint | None:
        """The session's head as it is stored; None, and a note of it, when that is damaged."""
        try:
            return self.ledger.checkpoint()
        except IntegrityError as error:
            self._gone["head"] = f"the head of session {self.ledger.session} cannot be read: {error}"
            return None

    @property
    def size(self) -> int:
        """How many records the session has, read or not."""
        return len(self.records) + len(self.gaps)

    @property
    def erased(self) -> list[int]:
        """The seqs of erased lines. None says of which turn it was, so each may be of any."""
        return [gap.seq for gap in self.gaps if gap.error is None and gap.seq not in self._absent.lines]

    @property
    def left_out(self) -> list[int]:
        """The seqs of lines that whoever sent the session left out; each may be of any turn."""
        return [gap.seq for gap in self.gaps if gap.error is None and gap.seq in self._absent.lines]

    def is_left_out(self, blob: str) -> bool:
        """Whether a blob need not be here."""
        return blob in self._absent.blobs

    def damaged(self, turn: int | None = None) -> list[str]:
        """Return what cannot be read, of one turn when that is given, a sentence each."""
        lines = [str(gap.error) for gap in self.gaps if gap.error and (turn is None or gap.turn in (None, turn))]
        return [*lines, *self._gone.values()]

    def mark(self, turn: int | None = None) -> str:
        """Return what stands beside a heading: how much of it is not shown."""
        sorts = ((self.left_out, "left out"), (self.erased, "erased"), (self.damaged(turn), "damaged"))
        counts = [(len(items), what) for items, what in sorts]
        said = ", ".join(f"{count} {what}" for count, what in counts if count)
        return f" ({said}: not shown)" if said else ""

    def tell(self, turn: int | None = None) -> Exit:
        """Say on stderr what is not shown; return the exit code that it asks for."""
        for seqs, what in ((self.left_out, "left out by the sender"), (self.erased, "erased")):
            if seqs:
                out.say(f"{what}, so not shown: record {_ranges(seqs)} of session {self.ledger.session}")
        damaged = self.damaged(turn)
        say_damaged(damaged)
        return Exit.BYTES if damaged else Exit.OK


def say_damaged(damaged: Sequence[str]) -> None:
    """Say on stderr what cannot be read; of much only the beginning."""
    for text in damaged[:_SAID_MAX]:
        out.error(text)
    if len(damaged) > _SAID_MAX:
        out.error(f"{len(damaged) - _SAID_MAX} more cannot be read: `searchlog verify` names all of them")


def _ranges(seqs: list[int]) -> str:
    """Return numbers as `3, 5-9`."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in number_runs(seqs))
