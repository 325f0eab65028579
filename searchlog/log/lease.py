"""Leases: how the next process knows that the writer of an open turn is gone.

A turn's writer holds a lock on a file named by the turn's lease for as long as the turn is open. The system releases
it when the process dies, however it dies. A lease that can be locked is free: its turn was cut off.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from searchlog.errors import StoreError
from searchlog.log.filelock import FileLock

__all__ = ["FolderLeases", "Leases", "MemoryLeases"]

_NAME = re.compile(r"[0-9a-f]{16}")


class Leases(Protocol):
    """Names that are held while a turn is open."""

    def held(self) -> contextlib.AbstractContextManager[str]:
        """Hold a new lease for the length of the block; gives its name."""

    def is_free(self, name: str | None) -> bool:
        """Return whether nobody holds it any more."""


class MemoryLeases:
    """Leases within one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[str] = set()

    @contextlib.contextmanager
    def held(self) -> Iterator[str]:
        name = secrets.token_hex(8)
        with self._lock:
            self._held.add(name)
        try:
            yield name
        finally:
            with self._lock:
                self._held.discard(name)

    def is_free(self, name: str | None) -> bool:
        with self._lock:
            return name not in self._held


class FolderLeases:
    """Leases between processes: one lock file each, removed when let go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lease"

    @contextlib.contextmanager
    def held(self) -> Iterator[str]:
        name = secrets.token_hex(8)
        path = self._path(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make {self._folder}: {error.strerror}", path=str(self._folder)) from None
        lock = FileLock(path)
        try:
            with lock.held(1.0):
                try:
                    yield name
                finally:
                    with contextlib.suppress(OSError):
                        path.unlink()
        finally:
            lock.close()

    def is_free(self, name: str | None) -> bool:
        if name is None or not _NAME.fullmatch(name):
            return True
        path = self._path(name)
        if not path.exists():
            return True
        lock = FileLock(path)
        try:
            with lock.held(0.0):
                with contextlib.suppress(OSError):
                    path.unlink()
                return True
        except StoreError:
            return False
        finally:
            lock.close()
