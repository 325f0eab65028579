"""Where checks are kept: sessions of an archive's own, so that verifying changes nothing of what is verified.

One session a month, `checks-…`, a turn for each run of checks. A record stands as soon as a page was looked at, so a
run that is cut off loses none of what it found; what others sent stays as they sent it. Checks that came in a snapshot
are what its sender says: they are told as such, and never stand for a look of one's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from searchlog import records
from searchlog.canon import loads
from searchlog.clock import Clock, Ids
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.ledger import Ledger, TurnWriter
from searchlog.log.envelope import decode
from searchlog.log.tree import leaf_hash
from searchlog.records import BlobRef, Verification, parse_body
from searchlog.sharing import Sharing
from searchlog.storage import Storage
from searchlog.verify.verdict import PassageVerdict

__all__ = ["Checks", "Kept", "is_checks"]

_NAME = re.compile(r"checks-\d{8}-\d{6}-[0-9a-f]{8}")
_MARK = b'"kind":"verification"'


def is_checks(session: str) -> bool:
    """Return whether a session of this name holds checks."""
    return _NAME.fullmatch(session) is not None


@dataclass(frozen=True, slots=True)
class Kept:
    """One check as it was kept."""

    session: str
    """Of the session that keeps it."""
    seq: int
    at: str
    """When it was written, RFC 3339 UTC."""
    body: Verification
    verdicts: tuple[PassageVerdict, ...]
    imported: bool = False
    """Whether somebody else made it, and it came in a snapshot: then it is that one's word."""


class Checks:
    """The checks of one archive."""

    def __init__(self, storage: Storage, clock: Clock, ids: Ids) -> None:
        self.storage, self._clock, self._ids = storage, clock, ids

    def sessions(self) -> list[str]:
        """Return the sessions that hold checks, oldest first, those of others too."""
        return [name for name in self.storage.log.sessions() if is_checks(name)]

    def _others(self) -> Collection[str]:
        """Return the sessions of somebody else."""
        return Sharing(self.storage, self._clock, self._ids).imported().keys()

    def ledger(self, session: str) -> Ledger:
        """Return the log of one of them."""
        storage = self.storage
        return Ledger(session, storage.log, storage.blobs, clock=self._clock, ids=self._ids, leases=storage.leases)

    def open(self) -> Ledger:
        """Return the log of this month, begun when there is none. Raises StoreError when it cannot be written."""
        from searchlog import __version__

        now = self._clock.now()
        others = self._others()
        mine = [name for name in self.sessions() if name not in others and name.startswith(f"checks-{now:%Y%m}")]
        name = mine[-1] if mine else "checks-" + self._ids.session(now).removeprefix("s")
        ledger = self.ledger(name)
        ledger.begin_session(f"searchlog/{__version__}", "checks of past evidence")
        ledger.discard_cut_turns()
        return ledger

    @contextmanager
    def turn(self) -> Iterator[TurnWriter]:
        """Begin a run of checks."""
        with self.open().turn("verify") as turn:
            yield turn

    def kept(self, *, since: str | None = None, sessions: Sequence[str] | None = None) -> Iterator[Kept]:
        """Yield the checks that are kept, oldest first; what cannot be read is passed over: `verify` tells of it.

        since: only those written at this time or later. sessions: only those that are about one of these sessions.
        """
        others = self._others()
        for name in self.sessions():
            if since is not None and name[7:13] < since[:4] + since[5:7]:
                continue
            for seq, item in enumerate(self.storage.log.get(name)):
                if item.line is None or _MARK not in item.line or leaf_hash(item.line) != item.leaf:
                    continue
                found = self._read(name, seq, item.line, imported=name in others)
                if found is None or (since is not None and found.at < since):
                    continue
                if (
                    sessions is None
                    or found.body.session in sessions
                    or any(verdict.session in sessions for verdict in found.verdicts)
                ):
                    yield found

    def _read(self, session: str, seq: int, line: bytes, *, imported: bool) -> Kept | None:
        try:
            envelope = decode(line)
            if (envelope.session, envelope.seq) != (session, seq):
                return None
            body = parse_body(envelope.kind, envelope.body)
            if not isinstance(body, Verification):
                return None
            verdicts = tuple(map(PassageVerdict.from_json, self._load(body.verdicts) or ()))
        except (FormatError, IntegrityError, StoreError, KeyError, TypeError, ValueError, IndexError):
            return None
        return Kept(session, seq, envelope.at, body, verdicts, imported)

    def _load(self, value: object) -> list[dict[str, object]] | None:
        from searchlog.digest import Digest

        if isinstance(value, BlobRef):
            value = loads(self.storage.blobs.get(Digest(value.blob)))
        if value is not None and not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
            raise FormatError("the verdicts of a check are no list of objects")
        return value

    def latest(self, axis: str, since: str) -> dict[tuple[str, str, str], PassageVerdict]:
        """Return the last verdict of an axis on each passage since a time, by session, evidence id and digest.

        One that says that nobody could look (`not checked`) counts as none, and so does one that somebody else made.
        """
        found: dict[tuple[str, str, str], PassageVerdict] = {}
        for kept in self.kept(since=since):
            for verdict in () if kept.imported else kept.verdicts:
                if verdict.axis == axis and verdict.outcome != "not checked":
                    found[verdict.session, verdict.evidence, verdict.digest] = verdict
        return found

    def history(self, session: str, evidence: str | None = None) -> list[tuple[Kept, PassageVerdict]]:
        """Return every verdict on the passages of a session, or on one, oldest first; those of others too."""
        return [
            (kept, verdict)
            for kept in self.kept(sessions=[session])
            for verdict in kept.verdicts
            if verdict.session == session and evidence in (None, verdict.evidence)
        ]


def page_check(url: str, axis: str, verdicts: Sequence[PassageVerdict]) -> records.Verification:
    """Return the record of one page that was looked at."""
    outcomes = [verdict.outcome for verdict in verdicts]
    worst = next((told for told in ("failed", "not checked", "verified") if told in outcomes), "not checked")
    return records.Verification(
        axis=axis,
        scope="page",
        url=url,
        outcome=worst,
        checked={"passages": len(verdicts)},
        verdicts=[verdict.to_json() for verdict in verdicts],
    )
