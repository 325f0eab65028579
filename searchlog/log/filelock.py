"""A lock between processes: one file, held for the length of one write. Released by the system when a process dies."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from searchlog.errors import StoreError

__all__ = ["FileLock"]

if sys.platform == "win32":
    import msvcrt

    def _try(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def _release(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


class FileLock:
    """An exclusive lock on a file that stays on disk. Re-entrant within a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._fd: int | None = None

    @contextlib.contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """Hold the lock; raises StoreError when it is not free within the time."""
        with self._lock:
            if self._depth == 0:
                self._acquire(timeout_s)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._fd is not None:
                    _release(self._fd)

    def _acquire(self, timeout_s: float) -> None:
        try:
            if self._fd is None:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise StoreError(
                f"cannot open the lock file {self._path}: {error.strerror}", path=str(self._path)
            ) from None
        until = time.monotonic() + timeout_s
        wait = 0.001
        while True:
            try:
                _try(self._fd)
                return
            except OSError:
                if time.monotonic() >= until:
                    raise StoreError(
                        f"another process has held {self._path} for {timeout_s:g} s: wait for it to end and try again",
                        path=str(self._path),
                    ) from None
            time.sleep(wait)
            wait = min(wait * 2, 0.05)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None
