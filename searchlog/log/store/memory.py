"""A session-log store in memory: tests, replay and throw-away runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence

from searchlog.errors import ConflictError, MissingError, StoreError
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.log.store.check import checked_frontier, filled
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["MemoryLogStore"]


class MemoryLogStore:
    """Lines in a dict. See LogStore for what each method promises; nothing here is durable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._lines: dict[str, list[StoredLine]] = {}
        self._heads: dict[str, Frontier] = {}

    @contextlib.contextmanager
    def _doing(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise StoreError("the session log in memory is closed")
            yield

    def sessions(self) -> list[str]:
        with self._doing():
            return list(self._lines)

    def has(self, session: str) -> bool:
        with self._doing():
            return session in self._lines

    def get(self, session: str, start: int = 0, end: int | None = None) -> list[StoredLine]:
        with self._doing():
            return self._lines.get(session, [])[max(start, 0) : None if end is None else max(end, 0)]

    def head(self, session: str) -> Frontier:
        with self._doing():
            return self._heads.get(session, Frontier())

    def append(self, session: str, lines: Sequence[bytes], expected_version: int) -> Frontier:
        with self._doing():
            head = self._heads.get(session, Frontier())
            if head.size != expected_version:
                raise ConflictError(session, expected_version, head.size)
            if not lines:
                return head
            batch = [StoredLine(leaf_hash(line), bytes(line)) for line in lines]
            head = head.extend(item.leaf for item in batch)
            self._lines.setdefault(session, []).extend(batch)
            self._heads[session] = head
            return head

    def snapshot(self, session: str) -> SessionSnapshot:
        with self._doing():
            if session not in self._lines:
                raise MissingError(f"no session {session} in this archive", session=session)
            return SessionSnapshot(session, tuple(self._lines[session]), self._heads[session])

    def restore(self, snapshot: SessionSnapshot) -> None:
        frontier = checked_frontier(snapshot)
        with self._doing():
            if snapshot.session in self._lines:
                raise ConflictError(snapshot.session, 0, self._heads[snapshot.session].size)
            if not snapshot.lines:
                return
            self._lines[snapshot.session] = list(snapshot.lines)
            self._heads[snapshot.session] = frontier

    def merge(self, snapshot: SessionSnapshot) -> None:
        frontier = checked_frontier(snapshot)
        with self._doing():
            stored = list(self._lines.get(snapshot.session, []))
            for seq, item in filled(snapshot, stored):
                stored[seq] = item
            stored += snapshot.lines[len(stored) :]
            if stored:
                self._lines[snapshot.session] = stored
                if frontier.size == len(stored):
                    self._heads[snapshot.session] = frontier

    def close(self) -> None:
        with self._lock:
            self._closed = True
