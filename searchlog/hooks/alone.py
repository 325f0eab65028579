"""What only one process at a time does in an archive: a lock file among its leases. Effects: makes and locks it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from searchlog.errors import StoreError
from searchlog.log.filelock import FileLock
from searchlog.storage import Storage

__all__ = ["alone"]


@contextmanager
def alone(storage: Storage, what: str, wait_s: float) -> Iterator[None]:
    """Hold what no other process holds meanwhile. Raises StoreError when it is not free within the time."""
    if storage.folder is None:
        yield
        return
    folder = storage.folder / "leases"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {folder}: {error.strerror}", path=str(folder)) from None
    lock = FileLock(folder / f"{what}.lock")
    try:
        with lock.held(wait_s):
            yield
    finally:
        lock.close()
