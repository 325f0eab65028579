"""The front door: open an archive, get its sessions.

with searchlog.open() as archive:
    session = archive.session()
    search = session.search("how do tide mills work", providers=["wikipedia"])
    print(search.rendering)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from searchlog.checks import expect, expect_list
from searchlog.clock import Clock, Ids, SystemClock, SystemIds
from searchlog.desk import Listener
from searchlog.errors import IntegrityError, MissingError, UsageError
from searchlog.flow.resources import Resources
from searchlog.ledger import Gap, Ledger, Record
from searchlog.recheck.keep import is_checks
from searchlog.records import Session as SessionBody
from searchlog.session import Session
from searchlog.sharing import SESSION as SHARING
from searchlog.sharing import Sharing
from searchlog.storage import open_storage
from searchlog.verify.absence import Absence
from searchlog.view import turn_views

if TYPE_CHECKING:
    from searchlog.exporting import Exported, Signing
    from searchlog.importing import TakenIn
    from searchlog.recheck.keep import Checks
    from searchlog.recheck.result import Verification
    from searchlog.recheck.wanted import Wanted
    from searchlog.snapshot.layout import Profile
    from searchlog.snapshot.opened import Opened
    from searchlog.snapshot.plan import Plan
    from searchlog.verify.finding import Report

__all__ = ["Archive", "SessionInfo", "open_archive"]

Counting = Callable[[int, int], None]
"""Called with how many are done, and of how many."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session in a list."""

    id: str
    record_count: int
    title: str | None
    began_at: str
    turns: int
    queries: tuple[str, ...]
    """What was searched for, in order."""
    evidence_count: int
    erased_count: int = 0
    damaged: tuple[str, ...] = ()
    """What of it cannot be read, a sentence each; the rest is told all the same."""
    imported: bool = False
    """Whether it is somebody else's, and came in a snapshot."""


class Archive:
    """An open archive. Close it, or use it in a `with` block, so that workers end."""

    def __init__(self, resources: Resources, snapshot: Opened | None = None) -> None:
        """snapshot: the file that it is, when it is one; then it can only be read."""
        self.resources = resources
        self.snapshot = snapshot

    @property
    def described(self) -> str:
        """Where it is."""
        return self.resources.storage.described

    def session(self, session_id: str | None = None, *, title: str | None = None) -> Session:
        """Return a session to work in: a new one, or the one of this id (or `latest`).

        Raises MissingError when there is none of that id. A turn that a crash cut off is closed as discarded here.
        """
        expect("session_id", session_id, str | None)
        expect("title", title, str | None)
        resources = self.resources
        if session_id is None:
            session_id = resources.ids.session(resources.clock.now())
        else:
            session_id = self._writable(session_id)
        return Session(session_id, resources, title=title)

    def _writable(self, session_id: str) -> str:
        """Return the full id of a session of this archive's own. Raises UsageError for one of somebody else."""
        others = self.sharing.imported()
        if session_id == "latest":
            sessions = self.resources.storage.log.sessions()
            own = [name for name in sessions if name not in (SHARING, *others) and not is_checks(name)]
            session_id = own[-1] if own else session_id
        session_id = self.find(session_id)
        if session_id == SHARING or is_checks(session_id) or session_id in others:
            whose = "keeps exports and imports" if session_id == SHARING else "was imported, and is its sender's"
            whose = "keeps checks" if is_checks(session_id) else whose
            raise UsageError(
                f"session {session_id} {whose}: it can be read, and nothing is added to it; begin a new session",
                session=session_id,
            )
        return session_id

    def absence(self, session_id: str) -> Absence:
        """Return what of a session need not be here, since whoever sent it left it out."""
        if self.snapshot is not None:
            from searchlog.snapshot.check import absence_of

            return absence_of(self.snapshot.description)
        return self.sharing.absence(session_id)

    @property
    def sharing(self) -> Sharing:
        """What left this archive as snapshots, and what came in."""
        return Sharing(self.resources.storage, self.resources.clock, self.resources.ids)

    def plan_export(
        self,
        session_id: str,
        *,
        turns: Sequence[int] = (),
        evidence: Sequence[str] = (),
        profile: Profile = "full",
        redact: Sequence[str] = (),
        progress: Counting = lambda done, total: None,
    ) -> Plan:
        """Return what a snapshot of a session, of some of its turns, or of chosen evidence will hold.

        profile: `full`; `evidence` (passages, decisions and renderings, without pages and answers of providers);
        `hashes` (the head, and the leaf hash of each record). redact: rules such as `email` or `pattern:REGEX`; what
        they meet is left out, and stays provable. Secrets of this machine never leave.

        Raises MissingError for what the session does not have, IntegrityError for a damaged record, UsageError.
        """
        from searchlog.keyring import known
        from searchlog.redaction.rules import parse_rule
        from searchlog.snapshot.layout import PROFILES, RULES_MAX, Scope
        from searchlog.snapshot.plan import Choice, plan

        for name, value in (("turns", turns), ("evidence", evidence), ("redact", redact)):
            expect_list(name, value)
        if profile not in PROFILES:
            raise UsageError(f"a profile is one of {', '.join(PROFILES)}, not {profile!r:.40}")
        rules = tuple(map(parse_rule, sorted(set(redact))))
        if len(rules) > RULES_MAX:
            raise UsageError(f"{len(rules)} rules of redaction; at most {RULES_MAX}")
        choice = Choice(Scope.of(turns, evidence), profile, rules)
        ledger = self.ledger(session_id)
        if ledger.session == SHARING:
            raise UsageError(f"session {SHARING} keeps this archive's exports and imports, and stays here")
        return plan(ledger, choice, known(), absent=self.absence(ledger.session), progress=progress)

    def write_export(
        self,
        plan: Plan,
        file: str | os.PathLike[str],
        *,
        signer: Signing | None = None,
        tokens: Sequence[bytes] = (),
        overwrite: bool = False,
        progress: Counting = lambda done, total: None,
    ) -> Exported:
        """Write what was planned as a snapshot: one file that proves itself and that web archive tools open.

        signer: signs the head. tokens: RFC 3161 tokens over the head's text, to go with it. Raises UsageError for a
        file that is there already, StoreError.
        """
        from searchlog.exporting import export

        expect_list("tokens", tokens)
        ledger = self.ledger(plan.description.session)
        return export(
            ledger,
            plan,
            Path(file),
            self.sharing,
            signer=signer,
            tokens=tokens,
            overwrite=overwrite,
            progress=progress,
        )

    def take_in(self, file: str | os.PathLike[str], *, progress: Counting = lambda done, total: None) -> TakenIn:
        """Check a snapshot of somebody else whole, and store it when nothing is found.

        Raises IntegrityError with the findings among its fields, FormatError, UsageError for a session that this
        archive writes itself, StoreError; then nothing is stored.
        """
        from searchlog.importing import take_in

        done = take_in(self.sharing, Path(file), progress)
        if done.records or done.blobs:  # what the index saw of the session may have been less
            self.resources.index.remove(session=done.session)
        return done

    def verify(
        self,
        sessions: Sequence[str] = (),
        *,
        wanted: Wanted | None = None,
        keep_in: Archive | None = None,
        reports: Sequence[Report] = (),
        progress: Listener = lambda _: None,
    ) -> Verification:
        """Verify sessions of this archive, or the one of this snapshot: see `Session.verify`.

        sessions: ids, beginnings of them, or `latest`; all where none is named. keep_in: the archive that keeps the
        checks, for a snapshot, which can only be read. reports: what was found of the store already.
        Raises MissingError, UsageError; StoreError when live checks cannot be kept.
        """
        from searchlog.recheck.campaign import verify
        from searchlog.recheck.subjects import Subject
        from searchlog.recheck.wanted import Wanted

        expect_list("sessions", sessions)
        keeper = keep_in or self
        wanted = wanted or Wanted()
        if self.snapshot is not None and keep_in is None:
            wanted = replace(wanted, keep=False)
        # a session that a head names and that is gone is a finding
        headed = {head.session for head in wanted.heads}
        names = [name if name in headed else self.find(name) for name in sessions]
        names = names or list(self.resources.storage.log.sessions())
        subjects = [Subject(self._ledger(name), self.absence(name)) for name in names]
        said = f"session {names[0]}" if len(names) == 1 else f"{len(names)} sessions of {self.described}"
        if self.snapshot is not None:
            said = f"snapshot {self.described}"
        return verify(subjects, keeper.resources, wanted, said, reports=reports, progress=progress)

    @property
    def checks(self) -> Checks:
        """The checks that are kept here."""
        from searchlog.recheck.keep import Checks

        return Checks(self.resources.storage, self.resources.clock, self.resources.ids)

    def find(self, session_id: str) -> str:
        """Return the full id for `latest` or an unambiguous beginning of one. Raises MissingError."""
        expect("session_id", session_id, str)
        log = self.resources.storage.log
        if session_id != "latest" and log.has(session_id):
            return session_id  # told without reading the list: whoever goes through it asks for each of its names
        known = log.sessions()
        if session_id == "latest" and (sessions := _with_work(known)):
            others = self.sharing.imported()
            # what came from elsewhere does not take the place of one's own work
            return next((name for name in reversed(sessions) if name not in others), sessions[-1])
        found = [name for name in known if name.startswith(session_id)]
        if len(found) == 1:
            return found[0]
        if found:
            raise MissingError(f"{session_id} is the beginning of {len(found)} sessions: give more of it")
        hint = "`searchlog sessions` lists them" if known else "it holds none yet"
        if session_id.lower().endswith(".wacz"):
            hint = f"to read a snapshot, give it as the archive: --archive {session_id}"
        raise MissingError(f"no session {session_id} in {self.described}; {hint}", session=session_id)

    def ledger(self, session_id: str) -> Ledger:
        """Return a session's log for reading, without touching it. Raises MissingError."""
        return self._ledger(self.find(session_id))

    def _ledger(self, session_id: str) -> Ledger:
        resources, storage = self.resources, self.resources.storage
        return Ledger(
            session_id,
            storage.log,
            storage.blobs,
            clock=resources.clock,
            ids=resources.ids,
            leases=storage.leases,
        )

    def sessions(self) -> list[SessionInfo]:
        """Return all sessions, oldest first; one of which something cannot be read says so."""
        others = self.sharing.imported()
        return [replace(self._info(n), imported=n in others) for n in self.resources.storage.log.sessions()]

    def _info(self, name: str) -> SessionInfo:
        entries = list(self.ledger(name).entries())
        items = [entry for entry in entries if isinstance(entry, Record)]
        gaps = [entry for entry in entries if isinstance(entry, Gap)]
        damaged = [str(gap.error) for gap in gaps if gap.error is not None]
        try:
            count = self.resources.storage.log.head(name).size
        except IntegrityError as error:
            count = len(entries)
            damaged.append(f"the head of session {name} cannot be read: {error}")
        views = turn_views(items)
        first = items[0] if items else None
        return SessionInfo(
            id=name,
            record_count=count,
            title=first.body.title if first and isinstance(first.body, SessionBody) else None,
            began_at=first.envelope.at if first else "",
            turns=len(views),
            queries=tuple(view.query.text for view in views if view.query is not None),
            evidence_count=sum(len(view.evidence) for view in views),
            erased_count=sum(gap.error is None for gap in gaps),
            damaged=tuple(damaged),
        )

    def close(self) -> None:
        """End the workers and close the files."""
        self.resources.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _with_work(sessions: Sequence[str]) -> list[str]:
    """Return the sessions in which somebody searched or fetched: not those that the archive keeps of itself."""
    return [name for name in sessions if name != SHARING and not is_checks(name)] or list(sessions)


def open_archive(
    location: str | os.PathLike[str] | None = None,
    *,
    create: bool = True,
    write: bool = True,
    clock: Clock | None = None,
    ids: Ids | None = None,
    env: Mapping[str, str] | None = None,
) -> Archive:
    """Return the archive at a path, made when absent (`memory:` keeps all in memory), or the session in a snapshot.

    A snapshot can only be read, and opening it does not verify it: `searchlog.verify_snapshot` does.

    location: None means SEARCHLOG_ARCHIVE, else the nearest `.searchlog/` upward, else the platform's data folder.
    write: False for a caller who only reads, and for whom no file is to be made. An archive that this user may not
    write to can be read either way; writing to it raises StoreError.
    env: where providers' keys come from; the process's environment when not given.
    Raises UsageError, StoreError, FormatError, IntegrityError when the log of an archive is gone.
    """
    snapshot = _snapshot(location)
    resources = Resources(
        snapshot.storage if snapshot else open_storage(location, create=create, write=write),
        clock or SystemClock(),
        ids or SystemIds(),
        os.environ if env is None else env,
    )
    return Archive(resources, snapshot)


def _snapshot(location: str | os.PathLike[str] | None) -> Opened | None:
    """Return the snapshot in a file when one is named; None for any other place."""
    named = os.environ.get("SEARCHLOG_ARCHIVE") if location is None else location
    if not isinstance(named, str | os.PathLike) or not isinstance(place := os.fspath(named), str) or "\0" in place:
        return None  # whoever opens a folder says what is wrong with it
    if not place or not Path(place).is_file():
        return None
    from searchlog.snapshot.opened import open_snapshot

    return open_snapshot(Path(place))
