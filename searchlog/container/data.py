"""The data of one member of a ZIP file, as a stream that is checked when its end is reached."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from searchlog.container.directory import DEFLATED, bad, shown_name
from searchlog.errors import IntegrityError

__all__ = ["STEP", "Data", "Member"]

STEP = 1 << 16
"""Bytes that are read or inflated at once."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file in the file."""

    name: str
    method: int
    """STORED or DEFLATED."""
    size: int
    stored_size: int
    """Bytes that it takes in the file."""
    crc: int
    offset: int
    """Of the first of these bytes."""


class Data(io.RawIOBase):
    """The bytes of one member, inflated as they are asked for and checked when the last of them is given."""

    def __init__(self, file: BinaryIO, member: Member) -> None:
        self._file = file
        self._member = member
        self._at = member.offset
        self._left = member.stored_size
        self._given = 0
        self._crc = 0
        self._inflate = zlib.decompressobj(-15) if member.method == DEFLATED else None
        self._held = b""
        """Stored bytes that were read and not inflated yet."""
        self._checked = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._checked:
            return 0
        room = len(buffer)
        data = self._stored(room) if self._inflate is None else self._inflated(room)
        self._given += len(data)
        self._crc = zlib.crc32(data, self._crc)
        buffer[: len(data)] = data
        if self._given == self._member.size or not data:
            self._check_end()
        return len(data)

    def _stored(self, room: int) -> bytes:
        data = b""
        if self._left:
            self._file.seek(self._at)
            data = self._file.read(min(room, self._left, STEP))
            self._at += len(data)
            self._left -= len(data)
            if not data:
                raise self._wrong("size", "ends before its end")
        return data

    def _inflated(self, room: int) -> bytes:
        """Return some of the next bytes, at most one more than are declared."""
        assert self._inflate is not None
        most = min(room, STEP, self._member.size - self._given + 1)
        data = b""
        while not data and not self._inflate.eof:
            held = self._held or self._stored(STEP)
            try:
                data = self._inflate.decompress(held, most)
            except zlib.error:
                raise self._wrong("damaged", "cannot be inflated") from None
            self._held = self._inflate.unconsumed_tail
            if not held and not data:
                raise self._wrong("damaged", "ends in the middle of compressed data")
        if self._given + len(data) > self._member.size:
            raise bad("too-large", f"{shown_name(self._member.name)} is larger than the {self._member.size} it says")
        return data

    def _check_end(self) -> None:
        member = self._member
        if self._given != member.size:
            raise self._wrong("size", f"has {self._given} bytes, and {member.size} are stated")
        if self._inflate is not None:
            self._inflated(1)
            if self._left or self._held or self._inflate.unused_data:
                raise self._wrong("damaged", "has bytes after the end of its compressed data")
        if self._crc != member.crc:
            raise self._wrong("crc", f"has checksum {self._crc:08x}, and {member.crc:08x} is stated")
        self._checked = True

    def _wrong(self, code: str, what: str) -> IntegrityError:
        name = self._member.name
        return IntegrityError(f"{shown_name(name)} {what}", code=code, member=name)
