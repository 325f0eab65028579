"""A session-log store in memory: tests, replay and throw-away runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from searchlog.errors import ConflictError, MissingError
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.log.store.check import checked_frontier
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["MemoryLogStore"]


class MemoryLogStore:
    """Lines in a dict. See LogStore for what each method promises; nothing here is durable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str, list[StoredLine]] = {}
        self._heads: dict[str, Frontier] = {}

    def sessions(self) -> list[str]:
        with self._lock:
            return list(self._lines)

    def get(self, session: str, start: int = 0, end: int | None = None) -> list[StoredLine]:
        with self._lock:
            return self._lines.get(session, [])[start:end]

    def head(self, session: str) -> Frontier:
        with self._lock:
            return self._heads.get(session, Frontier())

    def append(self, session: str, lines: Sequence[bytes], expected_version: int) -> Frontier:
        with self._lock:
            head = self._heads.get(session, Frontier())
            if head.size != expected_version:
                raise ConflictError(session, expected_version, head.size)
            batch = [StoredLine(leaf_hash(line), bytes(line)) for line in lines]
            head = head.extend(item.leaf for item in batch)
            self._lines.setdefault(session, []).extend(batch)
            self._heads[session] = head
            return head

    def snapshot(self, session: str) -> SessionSnapshot:
        with self._lock:
            if session not in self._lines:
                raise MissingError(f"no session {session} in this archive", session=session)
            return SessionSnapshot(session, tuple(self._lines[session]), self._heads[session])

    def restore(self, snapshot: SessionSnapshot) -> None:
        frontier = checked_frontier(snapshot)
        with self._lock:
            if snapshot.session in self._lines:
                raise ConflictError(snapshot.session, 0, self._heads[snapshot.session].size)
            self._lines[snapshot.session] = list(snapshot.lines)
            self._heads[snapshot.session] = frontier

    def close(self) -> None:
        return None
