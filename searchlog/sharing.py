"""Sharing: what left this archive as snapshots and what came in, kept in a session of its own.

The session `sharing` is this archive's own log of it. A session that was imported is somebody else's: it can be read
and verified here, and nothing is appended to it, for a second writer would be a fork.
"""

from __future__ import annotations

from dataclasses import dataclass

from searchlog.clock import Clock, Ids
from searchlog.ledger import Draft, Ledger
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

    session: str
    size: int
    root: str
    """The head of the snapshot that came last, base64."""
    left_out: LeftOut
    """Of all its snapshots together."""
    snapshots: tuple[str, ...]
    """Names of the snapshots that it came in."""
    signed_by: tuple[str, ...] = ()
    """Verifier keys of all signatures that held."""

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
        """Return the sessions of others that are here, by id. Raises FormatError for a record that cannot be read."""
        found: dict[str, Imported] = {}
        if not self.storage.log.has(SESSION):
            return found
        for record in self._ledger.records():
            if isinstance(body := record.body, Import):
                earlier = found.get(body.session)
                names = (*(earlier.snapshots if earlier else ()), body.snapshot)
                signers = (*(earlier.signed_by if earlier else ()), *body.signed_by)
                left_out = LeftOut.from_json(self._ledger.load(body.left_out), 2**53)
                found[body.session] = Imported(
                    body.session,
                    body.size,
                    body.root,
                    left_out,
                    tuple(dict.fromkeys(names)),
                    tuple(dict.fromkeys(signers)),
                )
        return found

    def absence(self, session: str) -> Absence:
        """Return what of a session need not be here: nothing of one's own."""
        found = self.imported().get(session)
        return found.absence if found else NOTHING_ABSENT

    def note(self, body: Export | Import) -> None:
        """Keep that a snapshot left, or came in. Raises StoreError when this archive cannot be written to."""
        from searchlog import __version__

        self._ledger.begin_session(f"searchlog/{__version__}", "exports and imports")
        self._ledger.add([Draft(body)])
