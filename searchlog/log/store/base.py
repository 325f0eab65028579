"""The narrow interface of every session-log store, and the value it hands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from searchlog.log.tree import Frontier

__all__ = ["LogStore", "SessionSnapshot", "StoredLine"]


@dataclass(frozen=True, slots=True)
class StoredLine:
    """One record as stored: its leaf hash, and its line unless that was erased."""

    leaf: bytes
    line: bytes | None


@dataclass(frozen=True, slots=True)
class SessionSnapshot:
    """A session at one version: everything that `restore` needs, read in one transaction."""

    session: str
    lines: tuple[StoredLine, ...]
    frontier: Frontier


class LogStore(Protocol):
    """Append-only sequences of lines, one a session. Safe to use from several threads and processes.

    Every store passes tests/conformance/test_log_store.py.
    """

    def sessions(self) -> list[str]:
        """Return the ids of the sessions that have records, oldest first."""

    def has(self, session: str) -> bool:
        """Return whether there is a session of exactly this id, without reading the others."""

    def get(self, session: str, start: int = 0, end: int | None = None) -> list[StoredLine]:
        """Return the records `[start, end)`; an unknown session has none. Numbers below 0 count as 0."""

    def head(self, session: str) -> Frontier:
        """Return the frontier as recorded with the last append; size 0 for an unknown session."""

    def append(self, session: str, lines: Sequence[bytes], expected_version: int) -> Frontier:
        """Append these lines as one atomic, durable batch; return the new frontier. No lines change nothing.

        Raises ConflictError(current) when the session does not have `expected_version` records, StoreError when the
        machine fails; then nothing of the batch is stored.
        """

    def snapshot(self, session: str) -> SessionSnapshot:
        """Return the whole session at one version. Raises MissingError."""

    def restore(self, snapshot: SessionSnapshot) -> None:
        """Store a session that this store does not have.

        Raises ConflictError if it has records of it, IntegrityError if the snapshot does not add up.
        """

    def merge(self, snapshot: SessionSnapshot) -> None:
        """Take in a session from elsewhere, as one atomic, durable batch: all of it, or what it has beyond this store.

        Lines that are missing here are filled in, records after the last one are added; nothing is taken away. Raises
        IntegrityError if the snapshot does not add up, or if one of the two sessions does not extend the other (`fork`
        among its fields names the first record that differs).
        """

    def close(self) -> None:
        """Let go of files and locks. After it every call raises StoreError; closing again is no error."""
