"""A ZIP file written so that the same members give the same bytes on every machine.

Members are STOREd one after the other, so that a reader can seek into them and no compressor's version shows. What
is written around the data is in `form`. Nothing is held but the list of members.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from searchlog.container.form import Entry, directory_header, end_records, folded, local_header, name_fault
from searchlog.digest import Digest
from searchlog.errors import UsageError

__all__ = ["Written", "ZipWriter"]

_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Written:
    """One member that stands in the file."""

    name: str
    size: int
    sha256: Digest
    """Of its bytes."""
    offset: int
    """Of its first byte in the file."""


class ZipWriter:
    """Members are added one by one; `close` writes the directory and leaves the file open.

    file: empty, seekable, open for writing and reading (a member of 4 GiB or more is moved to make room for its
    size, which is not known when its header is written).
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._entries: list[Entry] = []
        self._names: set[str] = set()

    def add(self, name: str, chunks: Iterable[bytes]) -> Written:
        """Write one member and return where it stands. Raises UsageError for a name that is unsafe or taken."""
        if fault := name_fault(name):
            raise UsageError(f"member {name!a:.80} {fault}")
        if folded(name) in self._names:
            raise UsageError(f"member {name!a:.80} is there already")
        self._names.add(folded(name))
        start, size, crc, sha = self._at, 0, 0, hashlib.sha256()
        head = local_header(Entry(name, 0, 0, start))
        self._file.write(head)
        for chunk in chunks:
            self._file.write(chunk)
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
            sha.update(chunk)
        entry = Entry(name, size, crc, start)
        final = local_header(entry)
        if len(final) > len(head):
            self._move(start + len(head), size, len(final) - len(head))
        self._file.seek(start)
        self._file.write(final)
        self._at = start + len(final) + size
        self._file.seek(self._at)
        self._entries.append(entry)
        return Written(name, size, Digest("sha256:" + sha.hexdigest()), start + len(final))

    def close(self) -> None:
        """Write the directory and the end of the file."""
        start = self._at
        for entry in self._entries:
            self._at += self._file.write(directory_header(entry))
        self._file.write(end_records(len(self._entries), start, self._at - start))
        self._file.flush()

    def _move(self, start: int, size: int, by: int) -> None:
        """Move bytes of the file up, the last ones first."""
        while size:
            step = min(_STEP, size)
            size -= step
            self._file.seek(start + size)
            data = self._file.read(step)
            self._file.seek(start + size + by)
            self._file.write(data)
