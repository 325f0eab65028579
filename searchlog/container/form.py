"""The bytes of a ZIP file around its data, as snapshots have them: headers, directory, end.

One form only, so that the same members in the same order give the same bytes: STOREd, dated 1980-01-01, made by
unix as plain files of mode 644, without comments or extra fields. Where a number does not fit into 32 bits its field
holds all ones and a ZIP64 field holds it; nowhere else. The writer writes these bytes, and the reader compares with
them. Also what both hold names to: they are paths under one folder, on every system.

Spec: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.4 and 4.5.3.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from dataclasses import dataclass

__all__ = [
    "DIRECTORY",
    "END",
    "END64",
    "LOCAL",
    "LOCATOR64",
    "NAME_BYTES_MAX",
    "Entry",
    "directory_header",
    "end_records",
    "folded",
    "local_header",
    "name_fault",
]

LOCAL = struct.Struct("<4sHHHHHIIIHH")
"""PK34, version needed, flags, method, time, date, crc, stored size, size, bytes of the name, bytes of extra fields."""
DIRECTORY = struct.Struct("<4sHHHHHHIIIHHHHHII")
"""PK12, made by, then as LOCAL, then bytes of the comment, disk, inner attributes, outer attributes, offset."""
END = struct.Struct("<4sHHHHIIH")
"""PK56, disk, disk of the directory, members on the disk, members, bytes and offset of it, bytes of the comment."""
END64 = struct.Struct("<4sQHHIIQQQQ")
"""PK66, bytes that follow, made by, version needed, then as END without the comment."""
LOCATOR64 = struct.Struct("<4sIQI")
"""PK67, disk, offset of END64, number of disks."""

ALL16, ALL32 = 0xFFFF, 0xFFFFFFFF
"""A field of all ones says that a ZIP64 field holds the number."""
FITS32 = ALL32
"""Numbers below this one fit into a field of 32 bits. Tests lower it."""

NAME_BYTES_MAX = 255

_DATE = 0x0021
_PLAIN, _LARGE = 20, 45
_UNIX = 3 << 8
_MODE = 0o100644 << 16
_UTF8 = 0x0800


@dataclass(frozen=True, slots=True)
class Entry:
    """What the bytes of one member are made of."""

    name: str
    size: int
    crc: int
    offset: int
    """Of the local header."""


def local_header(entry: Entry) -> bytes:
    """Return the header that stands before the data."""
    raw = entry.name.encode("utf-8")
    large = entry.size >= FITS32
    extra = struct.pack("<HHQQ", 1, 16, entry.size, entry.size) if large else b""
    size = ALL32 if large else entry.size
    version = _LARGE if large else _PLAIN
    return (
        LOCAL.pack(b"PK\3\4", version, _flags(raw), 0, 0, _DATE, entry.crc, size, size, len(raw), len(extra))
        + raw
        + extra
    )


def directory_header(entry: Entry) -> bytes:
    """Return the member's entry in the directory."""
    raw = entry.name.encode("utf-8")
    numbers = [entry.size, entry.size] if entry.size >= FITS32 else []
    numbers += [entry.offset] if entry.offset >= FITS32 else []
    extra = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
    size = ALL32 if entry.size >= FITS32 else entry.size
    offset = ALL32 if entry.offset >= FITS32 else entry.offset
    version = _LARGE if numbers else _PLAIN
    head = (b"PK\1\2", _UNIX | version, version, _flags(raw), 0, 0, _DATE, entry.crc, size, size)
    return DIRECTORY.pack(*head, len(raw), len(extra), 0, 0, 0, _MODE, offset) + raw + extra


def end_records(count: int, offset: int, size: int) -> bytes:
    """Return what follows the directory of so many members, which starts at `offset` and has `size` bytes."""
    small = (min(count, ALL16), min(count, ALL16), min(size, ALL32), min(offset, ALL32))
    large = b""
    if count >= ALL16 or size >= FITS32 or offset >= FITS32:
        large = END64.pack(b"PK\6\6", 44, _UNIX | _LARGE, _LARGE, 0, 0, count, count, size, offset)
        large += LOCATOR64.pack(b"PK\6\7", 0, offset + size, 1)
        small = (*small[:2], ALL32 if size >= FITS32 else size, ALL32 if offset >= FITS32 else offset)
    return large + END.pack(b"PK\5\6", 0, 0, *small, 0)


def _flags(raw: bytes) -> int:
    return 0 if raw.isascii() else _UTF8


# --- names


_DRIVE = re.compile(r"[A-Za-z]:")


def name_fault(name: str) -> str | None:
    """Return why a name is no path of a file under one folder on every system; None when it is one."""
    if not name:
        return "is empty"
    if len(name.encode("utf-8", "surrogatepass")) > NAME_BYTES_MAX:
        return f"is longer than {NAME_BYTES_MAX} bytes"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in name):
        return "holds a character that is not shown"
    if "\\" in name:
        return "holds a backslash"
    if name.startswith("/"):
        return "starts at the root"
    if _DRIVE.match(name):
        return "starts with a drive"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "has an empty part or one of dots"
    return None


def folded(name: str) -> str:
    """Return what two names share that some file systems take for one: letter case and Unicode form aside."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
