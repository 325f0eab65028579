"""The members of a snapshot, read where they stand in the file.

Past their checksums: those tell that something changed, and not what. Whoever checks a file holds them against the
manifest as well.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import BinaryIO, cast

from searchlog.container.reader import ZipReader
from searchlog.errors import FormatError
from searchlog.snapshot import layout

__all__ = ["Members"]


class _Part(io.RawIOBase):
    """One member, where it stands in the file."""

    def __init__(self, file: BinaryIO, offset: int, size: int) -> None:
        self._file = file
        self._at = offset
        self._end = offset + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._at)
        data = self._file.read(min(len(buffer), self._end - self._at))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a snapshot, each of which is stored as it is."""

    file: BinaryIO
    zip: ZipReader

    def open(self, name: str) -> BinaryIO:
        """Return a member as a stream."""
        return cast(BinaryIO, io.BufferedReader(_Part(self.file, *self.extent(name)), 1 << 16))

    def read(self, name: str) -> bytes:
        """Return a member's bytes. Raises FormatError for one that is larger than it can be."""
        size, most = self.extent(name)[1], layout.size_max(name)
        if size > most:
            raise FormatError(f"{name} has {size} bytes; at most {most}", member=name)
        with self.open(name) as stream:
            return stream.read()

    def extent(self, name: str) -> tuple[int, int]:
        """Return offset and size of a member in the file."""
        return self.zip.extent(name)
