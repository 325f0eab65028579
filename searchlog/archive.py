"""The front door: open an archive, get its sessions.

with searchlog.open() as archive:
    session = archive.session()
    search = session.search("how do tide mills work", providers=["wikipedia"])
    print(search.rendering)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

from searchlog.checks import expect
from searchlog.clock import Clock, Ids, SystemClock, SystemIds
from searchlog.errors import IntegrityError, MissingError
from searchlog.flow.resources import Resources
from searchlog.ledger import Gap, Ledger, Record
from searchlog.records import Session as SessionBody
from searchlog.session import Session
from searchlog.storage import open_storage
from searchlog.view import turn_views

__all__ = ["Archive", "SessionInfo", "open_archive"]


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


class Archive:
    """An open archive. Close it, or use it in a `with` block, so that workers end."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources

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
            session_id = self.find(session_id)
        return Session(session_id, resources, title=title)

    def find(self, session_id: str) -> str:
        """Return the full id for `latest` or an unambiguous beginning of one. Raises MissingError."""
        expect("session_id", session_id, str)
        log = self.resources.storage.log
        if session_id != "latest" and log.has(session_id):
            return session_id  # told without reading the list: whoever goes through it asks for each of its names
        known = log.sessions()
        if session_id == "latest" and known:
            return known[-1]
        found = [name for name in known if name.startswith(session_id)]
        if len(found) == 1:
            return found[0]
        if found:
            raise MissingError(f"{session_id} is the beginning of {len(found)} sessions: give more of it")
        hint = "`searchlog sessions` lists them" if known else "it holds none yet"
        raise MissingError(f"no session {session_id} in {self.described}; {hint}", session=session_id)

    def ledger(self, session_id: str) -> Ledger:
        """Return a session's log for reading, without touching it. Raises MissingError."""
        resources, storage = self.resources, self.resources.storage
        return Ledger(
            self.find(session_id),
            storage.log,
            storage.blobs,
            clock=resources.clock,
            ids=resources.ids,
            leases=storage.leases,
        )

    def sessions(self) -> list[SessionInfo]:
        """Return all sessions, oldest first; one of which something cannot be read says so."""
        return [self._info(name) for name in self.resources.storage.log.sessions()]

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


def open_archive(
    location: str | os.PathLike[str] | None = None,
    *,
    create: bool = True,
    write: bool = True,
    clock: Clock | None = None,
    ids: Ids | None = None,
    env: Mapping[str, str] | None = None,
) -> Archive:
    """Return the archive at a path (`memory:` keeps all in memory), made when absent.

    location: None means SEARCHLOG_ARCHIVE, else the nearest `.searchlog/` upward, else the platform's data folder.
    write: False for a caller who only reads, and for whom no file is to be made. An archive that this user may not
    write to can be read either way; writing to it raises StoreError.
    env: where providers' keys come from; the process's environment when not given.
    Raises UsageError, StoreError, FormatError, IntegrityError when the log of an archive is gone.
    """
    resources = Resources(
        open_storage(location, create=create, write=write),
        clock or SystemClock(),
        ids or SystemIds(),
        os.environ if env is None else env,
    )
    return Archive(resources)
