"""A lock between processes: one file, held for the length of one write. Released by the system when a process dies.

A child made by fork gets a copy of the open file, and the system would keep the lock for as long as the child lives.
So the child closes its copies at once; it holds nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
import weakref
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


# what a system says of a lock that somebody else holds; anything else is a fault, and waiting does not help
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK)}
_OPEN: weakref.WeakSet[FileLock] = weakref.WeakSet()


class FileLock:
    """An exclusive lock on a file that stays on disk. Re-entrant within a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._fd: int | None = None

    def exists(self) -> bool:
        """Return whether the file is there already: whether anybody ever took the lock."""
        return os.path.lexists(self._path)

    @contextlib.contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """Hold the lock; raises StoreError when it is not free within the time."""
        until = time.monotonic() + timeout_s
        lock = self._lock
        if not lock.acquire(timeout=timeout_s):
            raise self._busy("another thread", timeout_s)
        try:
            if self._depth == 0:
                self._acquire(until, timeout_s)
            self._depth += 1
            try:
                yield
            finally:
                if lock is self._lock:  # else this is a child that was forked inside the block
                    self._depth -= 1
                    if self._depth == 0 and self._fd is not None:
                        _release(self._fd)
        finally:
            lock.release()

    def _acquire(self, until: float, timeout_s: float) -> None:
        try:
            if self._fd is None:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
                _OPEN.add(self)
        except OSError as error:
            raise StoreError(
                f"cannot open the lock file {self._path}: {error.strerror}", path=str(self._path), errno=error.errno
            ) from None
        wait = 0.001
        while True:
            try:
                _try(self._fd)
                return
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise StoreError(f"cannot lock {self._path}: {error.strerror}", path=str(self._path)) from None
                if time.monotonic() >= until:
                    raise self._busy("another process", timeout_s) from None
            time.sleep(wait)
            wait = min(wait * 2, 0.05)

    def _busy(self, who: str, timeout_s: float) -> StoreError:
        return StoreError(
            f"{who} has held {self._path} for {timeout_s:g} s: wait for it to end and try again", path=str(self._path)
        )

    def _forget(self) -> None:
        """In a child made by fork: close the copy of the file and start anew; the parent's lock stays the parent's."""
        self._lock = threading.RLock()
        self._depth = 0
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None


def _after_fork() -> None:
    for lock in list(_OPEN):
        lock._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
