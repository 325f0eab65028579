"""Sharing: what left this archive as snapshots and what came in, kept in a session of its own.

The session `sharing` is this archive's own log of it. A session that was imported is somebody else's: it can be read
and verified here, and nothing is appended to it, for a second writer would be a fork.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.clock import Clock, Ids
from searchlog.errors import FormatError, IntegrityError, MissingError
from searchlog.ledger import Draft, Ledger, Record
from searchlog.records import Export, Import
from searchlog.snapshot.layout import LeftOut
from searchlog.storage import Storage
from searchlog.verify.absence import NOTHING_ABSENT, Absence

__all__ = ["SESSION", "Imported", "Sharing"]

SESSION = "sharing"
"""Id of the session that holds an archive's exports and imports."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A session of somebody else, as the last import of it left it here."""

    left_out: LeftOut
    """Of all its snapshots together."""
    signed_by: tuple[str, ...] = ()
    """Verifier keys of those who may sign what goes on from here: `signers_after`."""

    def signers_after(self, signed_by: Sequence[str]) -> tuple[str, ...]:
        """Return `signed_by` once a snapshot that these keys signed came in.

        Those who signed first, and who signed together with one of them: anybody can sign the head of somebody else.
        """
        if self.signed_by and set(self.signed_by).isdisjoint(signed_by):
            return self.signed_by
        return tuple(dict.fromkeys((*self.signed_by, *signed_by)))

    @property
    def absence(self) -> Absence:
        """What of it need not be here."""
        return Absence(self.left_out.seqs(), frozenset(self.left_out.blobs))


class Sharing:
    """The exports and imports of one archive."""

    def __init__(self, storage: Storage, clock: Clock, ids: Ids) -> None:
        self.storage = storage
        self._ledger = Ledger(SESSION, storage.log, storage.blobs, clock=clock, ids=ids, leases=storage.leases)

    def imported(self) -> dict[str, Imported]:
        """Return the sessions of others that are here, by id.

        An import whose record cannot be read costs what it says was left out: `verify` then finds that missing.
        """
        found: dict[str, Imported] = {}
        if not self.storage.log.has(SESSION):
            return found
        for entry in self._ledger.entries():
            if isinstance(entry, Record) and isinstance(body := entry.body, Import):
                earlier = found.get(body.session)
                signers = earlier.signers_after(body.signed_by) if earlier else tuple(body.signed_by)
                found[body.session] = Imported(self._left_out(body), signers)
        return found

    def _left_out(self, body: Import) -> LeftOut:
        try:
            return LeftOut.from_json(self._ledger.load(body.left_out), 2**53)
        except (FormatError, IntegrityError, MissingError):
            return LeftOut()

    def absence(self, session: str) -> Absence:
        """Return what of a session need not be here: nothing of one's own."""
        found = self.imported().get(session)
        return found.absence if found else NOTHING_ABSENT

    def note(self, body: Export | Import) -> None:
        """Keep that a snapshot left, or came in. Raises StoreError when this archive cannot be written to."""
        from searchlog import __version__

        self._ledger.begin_session(f"searchlog/{__version__}", "exports and imports")
        self._ledger.add([Draft(body)])
