"""Importing a snapshot: checked whole, and then stored, or refused with nothing stored.

Write order: blobs, the record of the import, the session's lines. A crash in between leaves blobs that nobody names, or
an import that the next try completes; never a session of somebody else that passes for one's own.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from searchlog import digest
from searchlog.errors import IntegrityError, UsageError
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.records import Import
from searchlog.sharing import SESSION, Imported, Sharing
from searchlog.snapshot.check import Verdict, open_sound
from searchlog.snapshot.layout import LeftOut, Why
from searchlog.snapshot.opened import Opened
from searchlog.verify.store import erased_seqs

__all__ = ["TakenIn", "take_in"]

_WORDS = frozenset((SESSION, "latest", "new"))
_SUFFIXES = (".wacz", ".zip")
"""How a name ends that commands take for a file's."""
_BATCH_BYTES = 8 * 2**20
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What an import did."""

    session: str
    snapshot: str
    records: int
    """Records that were not here before, or only as their leaf hash."""
    blobs: int
    """Blobs that were not here before."""
    verdict: Verdict
    known: bool = False
    """Whether nothing of it was new."""
    left_out: dict[str, int] = field(default_factory=dict)
    """What of the session is not here now, by reason."""
    warnings: tuple[str, ...] = ()


def take_in(sharing: Sharing, path: Path, progress: Progress = lambda done, total: None) -> TakenIn:
    """Check a snapshot whole, and store what of it is not here yet.

    Nothing is stored when anything is found, or when its session parts from the one that is here. Raises
    IntegrityError with the findings among its fields, FormatError, UsageError for a session that this archive writes
    itself, StoreError.
    """
    with open_sound(path, progress) as (opened, verdict):
        return _Import(sharing, opened, verdict).run()


class _Import:
    """One sound snapshot, on its way into an archive."""

    def __init__(self, sharing: Sharing, opened: Opened, verdict: Verdict) -> None:
        self._sharing = sharing
        self._opened = opened
        self._verdict = verdict
        self._log, self._store = sharing.storage.log, sharing.storage.blobs
        self._session = opened.description.session
        self._here: Sequence[StoredLine] = self._log.get(self._session)
        self._earlier = sharing.imported().get(self._session)
        self._signed_by = tuple(verdict.seals.holding) if verdict.seals else ()
        self._lines = _without_erased(opened.lines, self._here)

    def run(self) -> TakenIn:
        """Store what is new, unless it may not be."""
        self._refuse_name()
        self._refuse_fork()
        self._refuse_continuation()
        if self._here and self._earlier is None:
            return self._own()
        fresh = [seq for seq, item in enumerate(self._lines) if item.line is not None and self._lacks(seq)]
        blobs = self._put_blobs()
        left_out = self._left_out()
        signed_by = self._signed_by
        earlier = self._earlier
        known = earlier is not None and not fresh and not blobs and len(self._opened.lines) <= len(self._here)
        if not known or earlier is None or earlier.signers_after(signed_by) != earlier.signed_by:
            self._sharing.note(self._record(left_out, signed_by))
            self._log.merge(SessionSnapshot(self._session, self._lines, self._opened.frontier))
        return TakenIn(
            self._session,
            self._opened.name,
            len(fresh),
            blobs,
            self._verdict,
            known,
            left_out.counts(),
            _of_signers(earlier, signed_by),
        )

    def _refuse_name(self) -> None:
        """Refuse a session whose id has a meaning here: a word of ours, or the beginning of another's id."""
        if self._session in _WORDS or self._session.lower().endswith(_SUFFIXES):
            raise UsageError(
                f"{self._opened.path.name} holds a session called {self._session}: that has a meaning here"
            )
        shadowed = [name for name in self._log.sessions() if name.startswith(self._session) and name != self._session]
        if shadowed:
            raise UsageError(
                f"{self._opened.path.name} holds session {self._session}, and that is the beginning of {shadowed[0]}, "
                "which is here: one could not be told from the other"
            )

    def _own(self) -> TakenIn:
        more = len(self._opened.lines) - len(self._here)
        if more > 0:
            raise UsageError(
                f"session {self._session} is this archive's own, and the snapshot has {more} records more: two copies "
                "of an archive were written to; import it into another archive"
            )
        return TakenIn(self._session, self._opened.name, 0, 0, self._verdict, known=True)

    def _lacks(self, seq: int) -> bool:
        return seq >= len(self._here) or self._here[seq].line is None

    def _refuse_fork(self) -> None:
        for seq, (theirs, ours) in enumerate(zip(self._opened.lines, self._here, strict=False)):
            if theirs.leaf != ours.leaf:
                raise IntegrityError(
                    f"{self._opened.path.name} is refused: record {seq} of session "
                    f"{self._session} is another one than the one here: a fork",
                    session=self._session,
                    fork=seq,
                    expected=ours.leaf.hex(),
                    found=theirs.leaf.hex(),
                )

    def _refuse_continuation(self) -> None:
        """Refuse records that go on from a signed head and that none of its signers signed: anybody can write some."""
        signers = set(self._earlier.signed_by) if self._earlier else set()
        more = len(self._opened.lines) - len(self._here)
        if more > 0 and signers and signers.isdisjoint(self._signed_by):
            raise IntegrityError(
                f"{self._opened.path.name} is refused: it has {more} records more than session "
                f"{self._session} has here; that session is signed by {', '.join(sorted(signers))}, and this is not",
                session=self._session,
                signed_by=sorted(signers),
            )

    def _put_blobs(self) -> int:
        """Store the blobs that are not here yet, a few at a time; return how many they were."""
        count, batch, size = 0, [], 0
        for name in self._opened.storage.blobs.digests():
            if self._store.has(name):
                continue
            data = self._opened.storage.blobs.get(name)
            batch.append(data)
            size += len(data)
            count += 1
            if size >= _BATCH_BYTES:
                self._store.put(batch)
                batch, size = [], 0
        if batch:
            self._store.put(batch)
        return count

    def _left_out(self) -> LeftOut:
        """Return what of the session is not here once the snapshot is taken in."""
        parts = [*([self._earlier.left_out] if self._earlier else []), self._opened.description.left_out]
        records: dict[int, Why] = {}
        blobs: dict[str, Why] = {}
        for part in parts:
            records |= {seq: why for first, last, why in part.records for seq in range(first, last + 1)}
            blobs |= part.blobs
        lines = (self._here, self._lines)
        there = {seq for part in lines for seq, item in enumerate(part) if item.line is not None}
        absent = {name: why for name, why in blobs.items() if not self._store.has(digest.parse(name))}
        return LeftOut.of({seq: why for seq, why in records.items() if seq not in there}, absent)

    def _record(self, left_out: LeftOut, signed_by: Sequence[str]) -> Import:
        about, head = self._opened.description, self._opened.checkpoint
        return Import(
            session=self._session,
            snapshot=self._opened.name,
            size=head.size,
            root=base64.b64encode(head.root).decode("ascii"),
            scope=about.scope.to_json(),
            profile=about.profile,
            left_out=left_out.to_json(),
            signed_by=list(signed_by),
            file=self._opened.path.name,
        )


def _without_erased(lines: Sequence[StoredLine], here: Sequence[StoredLine]) -> tuple[StoredLine, ...]:
    """Return the lines of a snapshot without those that its sender erased, as a record in it or here says."""
    erased = erased_seqs([*lines, *here[len(lines) :]]) | erased_seqs(here)
    return tuple(StoredLine(item.leaf, None) if seq in erased else item for seq, item in enumerate(lines))


def _of_signers(earlier: Imported | None, signed_by: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be said when a session is not signed by who signed it before."""
    lost = [key for key in (earlier.signed_by if earlier else ()) if key not in signed_by]
    by = f"is signed by {', '.join(signed_by)}" if signed_by else "is not signed"
    return tuple(f"an earlier snapshot of this session was signed by {key}, and this one {by}" for key in lost)
