"""The default blob store: a folder in which a file's name is its digest, so `sha256sum` alone can check it.

    blobs/sha256/ab/ab31c0…      identity bytes, never written again

Write order: temporary file in the same folder, write, fsync, rename, fsync of the folder. A crash leaves at most
temporary files, which nothing refers to. Only the size of a file that is there already is looked at, so that storing
a page again costs no reading; `get` and `verify` look at every byte.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from searchlog.digest import Digest, digest, hex_of, parse
from searchlog.errors import IntegrityError, MissingError, StoreError
from searchlog.log.durable import sync_folder, write_durably

__all__ = ["BLOB_BYTES_MAX", "FolderBlobStore"]

_NAME = re.compile(r"[0-9a-f]{64}")
BLOB_BYTES_MAX = 2**31
"""The size above which no file is taken for a blob: the most that a limit on what is fetched can be set to."""
_PIECE_BYTES = 8 * 2**20
TEMP_PREFIX = ".tmp-"
_READ_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FILE = {errno.ELOOP, errno.ENXIO, errno.EISDIR}
"""What a system says of links that lead in a circle, of a socket, and of a folder: none of them is a file."""


class FolderBlobStore:
    """Bytes in files. See BlobStore for what each method promises."""

    def __init__(self, root: Path) -> None:
        self._root = root / "sha256"
        self._synced: set[Path] = set()
        """Folders whose own names this process has made durable."""

    def _path(self, name: Digest) -> Path:
        text = hex_of(parse(name))  # it may come from somebody else's log, and must not lead out of the folder
        return self._root / text[:2] / text

    def put(self, blobs: Sequence[bytes]) -> list[Digest]:
        names = [digest(blob) for blob in blobs]
        fresh: dict[Path, tuple[Path, bytes]] = {}
        folders: set[Path] = set()
        try:
            for name, blob in zip(names, blobs, strict=True):
                path = self._path(name)
                if path in fresh:
                    continue
                if _has_size(path, len(blob)):
                    folders.add(path.parent)  # whoever put it there may not have come to the fsync yet
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                temp = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}"
                fresh[path] = (temp, blob)
                write_durably(temp, blob)
            for path, (temp, _) in fresh.items():
                os.replace(temp, path)
                folders.add(path.parent)
            self._sync(folders)
        except OSError as error:
            for temp, _ in fresh.values():
                with contextlib.suppress(OSError):
                    temp.unlink(missing_ok=True)
            raise StoreError(
                f"cannot store a blob under {self._root}: {error.strerror or error}", path=str(self._root)
            ) from None
        return names

    def _sync(self, folders: set[Path]) -> None:
        """Make the names in these folders durable, and the folders' own names up to the archive.

        A folder that is there already may have been made a moment ago by a process that has not come to its fsync.
        """
        fresh = folders - self._synced
        above = {self._root} if fresh else set()
        if fresh and self._root not in self._synced:
            above |= {self._root.parent, self._root.parent.parent}
        for folder in folders | above:
            sync_folder(folder)
        self._synced |= fresh | above

    def get(self, digest: Digest) -> bytes:
        path = self._path(digest)
        try:
            data, found = _read_file(path, hex_of(digest))
        except (FileNotFoundError, NotADirectoryError):
            raise MissingError(f"no blob {digest}: expected the file {path}", digest=digest, path=str(path)) from None
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise StoreError(f"cannot read {path}: {error.strerror}", path=str(path), digest=digest) from None
            data, found = None, "no file"
        if data is not None:
            return data
        how = f"is no file: {path} is something else" if found == "no file" else "has other bytes than its name says"
        if found.endswith(" bytes"):
            how = f"is larger than any blob: {path} has {found}"
        raise IntegrityError(f"blob {digest} {how}", digest=digest, expected=digest, found=found)

    def has(self, digest: Digest) -> bool:
        path = self._path(digest)
        try:
            return stat.S_ISREG(path.stat().st_mode)  # is_file differs in what it lets out from Python to Python
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            if error.errno in _NO_FILE:
                return False
            raise StoreError(f"cannot look for {path}: {error.strerror}", path=str(path)) from None

    def digests(self) -> Iterator[Digest]:
        for path in sorted(self._root.glob("??/*")):
            if _NAME.fullmatch(path.name):
                yield Digest("sha256:" + path.name)

    def where(self, digest: Digest) -> str:
        return str(self._path(digest))


def _has_size(path: Path, size: int) -> bool:
    """Whether the file is there in full; one of another size (a damaged disk) is written anew."""
    try:
        found = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == size


def _read_file(path: Path, expected: str) -> tuple[bytes | None, str]:
    """Return the bytes of a file that has this digest in hexadecimal; else None, and what was found there instead.

    What is no file is not opened for long: a pipe would be waited for. A file that is larger than a blob can be is not
    read, and a large one is hashed in pieces before it is held in memory: a disk can hold a file of holes of any size.
    A symbolic link to a file is a file: some people keep blobs on another disk.
    """
    fd = os.open(path, os.O_RDONLY | _READ_FLAGS)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None, "no file"
        if status.st_size > BLOB_BYTES_MAX:
            return None, f"{status.st_size} bytes"
        with open(fd, "rb", closefd=False) as file:
            if status.st_size > _PIECE_BYTES:
                found = hashlib.file_digest(file, "sha256").hexdigest()
                if found != expected:
                    return None, f"sha256:{found}"
                file.seek(0)
            data = file.read(status.st_size + 1)  # never more: somebody may write to it meanwhile
    finally:
        os.close(fd)
    found = hashlib.sha256(data).hexdigest()
    return (data if found == expected else None), f"sha256:{found}"
