"""Files that survive a power cut: the two steps around a rename."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["sync_folder", "write_durably"]


def write_durably(path: Path, data: bytes) -> None:
    """Write a new file; on return its bytes are on the disk. Raises OSError; its name is durable with its folder."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    if os.name == "nt":
        return  # folders cannot be opened there; the rename itself is journalled
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(fd)
