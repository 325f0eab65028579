"""The directory of a ZIP file: its entries, each checked by itself, and their names and sizes together. Pure.

What the entries say of the rest of the file is `reader`'s to check, which also lists the codes of errors.
Spec: APPNOTE.TXT 6.3.10 (PKWARE), sections 4.3.12, 4.4 and 4.5.
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.container.form import ALL32, DIRECTORY, Entry, folded, name_fault
from searchlog.errors import FormatError

__all__ = [
    "DEFLATED",
    "DESCRIBED",
    "STORED",
    "VERSION_MAX",
    "Found",
    "ZipLimits",
    "bad",
    "check_names",
    "check_sizes",
    "check_version",
    "parse_directory",
    "shown",
    "shown_name",
    "widened",
]

STORED, DEFLATED = 0, 8
DESCRIBED = 0x0008
"""Flag: sizes and checksum stand after the data."""
VERSION_MAX = 45

_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_KNOWN = 0x0002 | 0x0004 | DESCRIBED | 0x0800


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """What a file may ask of its reader."""

    members_max: int = 10_000
    directory_bytes_max: int = 8 << 20
    inflated_bytes_max: int = 4 << 30
    """Of all deflated members together; stored ones are bounded by the file."""
    ratio_max: int = 200
    """How many times its stored bytes a deflated member of more than `ratio_free_bytes` may have."""
    ratio_free_bytes: int = 16 << 20


@dataclass(slots=True)
class Found:
    """One entry of the directory, before the rest of the file was looked at."""

    raw: bytes
    name: str
    folder: bool
    flags: int
    method: int
    crc: int
    stored_size: int
    size: int
    start: int
    """Of its local header."""
    header: bytes
    """As it stands in the directory."""
    local_size: int = 0
    """Bytes of its local header."""
    local_plain: bool = False
    """Whether these are the ones that the writer would write."""

    @property
    def shown(self) -> str:
        return shown(self.raw)

    @property
    def entry(self) -> Entry:
        return Entry(self.name, self.size, self.crc, self.start)


def parse_directory(data: bytes, count: int) -> list[Found]:
    """Return its entries, each sound by itself; they fill the directory."""
    found: list[Found] = []
    at = 0
    for _ in range(count):
        if at + DIRECTORY.size > len(data):
            raise bad("directory", f"the directory has {len(found)} members, and {count} are stated")
        head = DIRECTORY.unpack_from(data, at)
        mark, _, needed, flags, method, _, _, crc, stored_size, size, *lengths, disk, _, outer, start = head
        name_size, extra_size, comment_size = lengths
        end = at + DIRECTORY.size + name_size + extra_size + comment_size
        if mark != b"PK\1\2" or end > len(data):
            raise bad("directory", f"entry {len(found) + 1} of the directory is not one")
        raw = data[at + DIRECTORY.size : at + DIRECTORY.size + name_size]
        extra = data[at + DIRECTORY.size + name_size : end - comment_size]
        if comment_size:
            raise bad("comment", f"{shown(raw)} has a comment of {comment_size} bytes")
        if disk:
            raise bad("directory", f"{shown(raw)} is said to be in another file")
        name, folder = _name(raw)
        _check_kind(raw, folder, outer)
        _check_reading(raw, flags, method, needed)
        size, stored_size, start = widened(raw, extra, [size, stored_size, start])
        if method == STORED and size != stored_size:
            raise bad("directory", f"{shown(raw)} is stored, and has two sizes: {size} and {stored_size}")
        if folder and (size or crc or stored_size > 2):
            raise bad("not-a-file", f"{shown(raw)} is a folder with data")
        found.append(Found(raw, name, folder, flags, method, crc, stored_size, size, start, data[at:end]))
        at = end
    if at != len(data):
        raise bad("directory", f"{len(data) - at} bytes of the directory are none of its {count} members")
    return found


def _name(raw: bytes) -> tuple[str, bool]:
    """Return the name, and whether it is a folder's (which ends with a slash, taken away here)."""
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise bad("name-unsafe", f"the name {shown(raw)} is not UTF-8") from None
    folder = len(name) > 1 and name.endswith("/")
    if folder:
        name = name[:-1]
    if fault := name_fault(name):
        raise bad("name-unsafe", f"the name {shown(raw)} {fault}")
    return name, folder


def _check_kind(raw: bytes, folder: bool, outer: int) -> None:
    """Refuse all but plain files and folders, whatever system the entry says it was made on."""
    kind = stat.S_IFMT(outer >> 16)
    if kind not in ((0, stat.S_IFDIR) if folder else (0, stat.S_IFREG)) or (not folder and outer & 0x10):
        raise bad("not-a-file", f"{shown(raw)} is marked as something else than a plain file")


def _check_reading(raw: bytes, flags: int, method: int, needed: int) -> None:
    if flags & _ENCRYPTED:
        raise bad("encrypted", f"{shown(raw)} is encrypted")
    if flags & ~_KNOWN:
        raise bad("flags", f"{shown(raw)} has flags {flags:#06x}, which this reader does not know")
    if method not in (STORED, DEFLATED):
        raise bad("method", f"{shown(raw)} is compressed by method {method}; stored and deflated are read")
    check_version(shown(raw), needed)


def check_version(name: str, needed: int) -> None:
    """Refuse a member that needs a later version. The upper byte names a system, and some writers fill it in."""
    if needed & 0xFF > VERSION_MAX:
        raise bad("version", f"{name} needs version {needed} of the format; {VERSION_MAX} is read")


def widened(raw: bytes, extra: bytes, numbers: list[int]) -> list[int]:
    """Return size, stored size and offset, each from the ZIP64 field where its own field is all ones."""
    fields: dict[int, bytes] = {}
    at = 0
    while at < len(extra):
        kind, size = struct.unpack_from("<HH", extra, at) if at + 4 <= len(extra) else (0, len(extra))
        if at + 4 + size > len(extra) or kind in fields:
            raise bad("extra", f"the extra fields of {shown(raw)} do not add up")
        fields[kind] = extra[at + 4 : at + 4 + size]
        at += 4 + size
    if 0x7075 in fields and fields[0x7075][5:] != raw:
        raise bad("extra", f"{shown(raw)} has another name in an extra field")
    wide = [index for index, number in enumerate(numbers) if number == ALL32]
    large = fields.get(1)
    if large is None:
        return numbers  # a number that is all ones by itself
    if len(large) != 8 * len(wide):
        raise bad("extra", f"the ZIP64 field of {shown(raw)} has {len(large)} bytes, not {8 * len(wide)}")
    numbers = list(numbers)
    for index, (number,) in zip(wide, struct.iter_unpack("<Q", large), strict=True):
        numbers[index] = number
    return numbers


def check_names(found: Sequence[Found]) -> None:
    """Refuse names that two systems, or two readers, take differently."""
    seen: dict[str, Found] = {}
    for item in found:
        key = folded(item.name)
        before = seen.setdefault(key, item)
        if before is not item:
            same = before.raw == item.raw
            raise bad("name-twice" if same else "names-collide", f"{before.shown} and {item.shown} are two members")
    for item in found:
        parts = folded(item.name).split("/")
        for depth in range(1, len(parts)):
            above = seen.get("/".join(parts[:depth]))
            if above is not None and not above.folder:
                raise bad("names-collide", f"{above.shown} is a file, and {item.shown} is said to be in it")


def check_sizes(found: Sequence[Found], limits: ZipLimits) -> None:
    """Refuse what would become too large when inflated, by what it says itself."""
    total = 0
    for item in found:
        if item.method == STORED:
            continue
        total += item.size
        if item.size > limits.ratio_free_bytes and item.size > limits.ratio_max * item.stored_size:
            raise bad("too-large", f"{item.shown} has {item.stored_size} bytes and would become {item.size}")
        if total > limits.inflated_bytes_max:
            raise bad("too-large", f"inflated members have more than {limits.inflated_bytes_max} bytes together")


def bad(code: str, what: str) -> FormatError:
    """Return the error of a file that is not sound."""
    return FormatError(f"{what} ({code})", code=code)


def shown(raw: bytes) -> str:
    """Return a name from a stranger as plain letters in quotes, no longer than a line."""
    text = ascii(raw.decode("utf-8", "backslashreplace"))
    return text if len(text) <= 80 else f"{text[:60]}...{text[-1]}"


def shown_name(name: str) -> str:
    """Return a decoded name likewise."""
    return shown(name.encode("utf-8", "surrogatepass"))
