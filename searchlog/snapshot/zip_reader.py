"""A ZIP file from a stranger, read strictly: what two readers could see differently is refused.

Opening checks everything but the data: the end of the directory is the end of the file, members fill the file from
its first byte to the directory without gap or overlap, each header before data says what the directory says, and
names are paths of plain files under one folder, no two of them alike. Data is checked as it is read. Nothing is
written, and work is bounded by ZipLimits and by the size of the file.

Sound files of other programs open: deflated members, data descriptors, ZIP64, extra fields such as finer times,
entries for folders. `canonical` tells whether a file is byte for byte what `zip_writer` writes.

Errors are FormatError, and IntegrityError for data that is not what its header says; field `code` is one of

    not-a-zip           no end of a directory is in the last bytes
    cut                 starts like a ZIP file, and its end is not there; or the directory ends early
    comment             a comment follows the end, or belongs to a member
    bytes-outside       bytes before, between or after the members that belong to none
    directory           the directory or its end contradicts itself
    too-many-members    more than ZipLimits.members_max
    too-large           a directory, a member, or all together larger than allowed; or more data than is declared
    name-unsafe         a name that is no path under one folder
    name-twice          two members of one name
    names-collide       two names that some systems take for one, or a file where others need a folder
    not-a-file          a link, device, pipe or socket
    encrypted           data or directory
    method              neither stored nor deflated; or not stored where it must be
    flags               a flag that this reader does not know
    version             a later version is needed than this reader knows
    extra               extra fields that do not add up, or that give the member another name
    overlap             members that share bytes, or lie in the directory
    headers-differ      the header before the data, or its descriptor, contradicts the directory
    missing             no such member
    size, crc, damaged  (IntegrityError) data that ends early, has another checksum, cannot be inflated

Spec: APPNOTE.TXT 6.3.10 (PKWARE). Python's own reader is not used: it takes the last of two members of one name,
skips bytes before the first, and reads data whose header names another file.
"""

from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import BinaryIO, cast

from searchlog.errors import FormatError, IntegrityError
from searchlog.snapshot.zip_form import (
    ALL16,
    ALL32,
    DIRECTORY,
    END,
    END64,
    LOCAL,
    LOCATOR64,
    Entry,
    directory_header,
    end_records,
    folded,
    local_header,
    name_fault,
)

__all__ = ["DEFLATED", "STORED", "Member", "ZipLimits", "ZipReader"]

STORED, DEFLATED = 0, 8
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_DESCRIBED = 0x0008
_KNOWN = 0x0002 | 0x0004 | _DESCRIBED | 0x0800
_VERSION_MAX = 45
_STEP = 1 << 16
_COMMENT_MAX = 0xFFFF


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


@dataclass(slots=True)
class _Found:
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
        return _shown(self.raw)

    @property
    def entry(self) -> Entry:
        return Entry(self.name, self.size, self.crc, self.start)


class ZipReader:
    """A sound ZIP file and its members.

    file: seekable, open for reading; stays open. Its position is moved by every read, so streams of one reader can
    be read in turn, but not by two threads.
    Raises FormatError when the file is not sound; see the module.
    """

    def __init__(self, file: BinaryIO, limits: ZipLimits = ZipLimits()) -> None:
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        count, start, size, end = self._read_end(limits)
        directory = self._bytes(start, size)
        found = _parse_directory(directory, count)
        _check_names(found)
        _check_sizes(found, limits)
        data = self._locate(found, start)
        self._members = {
            item.name: Member(item.name, item.method, item.size, item.stored_size, item.crc, at)
            for item, at in zip(found, data, strict=True)
            if not item.folder
        }
        self.canonical: str | None = _departure(found, start, size, end)
        """None when the file is byte for byte what ZipWriter writes for these members, else how it is not."""

    @property
    def members(self) -> Mapping[str, Member]:
        """Return the files by name, in the order of the directory. Folders are not among them."""
        return MappingProxyType(self._members)

    def member(self, name: str) -> Member:
        """Return one member, or raise FormatError (`missing`)."""
        found = self._members.get(name)
        if found is None:
            raise _bad("missing", f"there is no {_shown(name.encode('utf-8', 'replace'))}")
        return found

    def open(self, name: str) -> BinaryIO:
        """Return a stream of the member's data, which inflates no more than is asked for.

        The read that reaches the end raises IntegrityError when size or checksum are not those declared, and
        FormatError (`too-large`) when there is more than declared. Nothing is known of data before its end is reached.
        """
        return cast(BinaryIO, io.BufferedReader(_Data(self._file, self.member(name)), _STEP))

    def read(self, name: str, most: int) -> bytes:
        """Return the member's data; more than `most` bytes are refused unread (`too-large`)."""
        member = self.member(name)
        if member.size > most:
            raise _bad("too-large", f"{_shown_name(name)} has {member.size} bytes, and may have {most}")
        with self.open(name) as stream:
            return stream.read()

    def extent(self, name: str) -> tuple[int, int]:
        """Return offset and size in the file of a STOREd member, to seek into it; its checksum is not looked at."""
        member = self.member(name)
        if member.method != STORED:
            raise _bad("method", f"{_shown_name(name)} is compressed, and must be stored to be read in place")
        return member.offset, member.size

    def _bytes(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(size)
        if len(data) != size:
            raise _bad("cut", f"{size} bytes should stand at byte {at}, and {len(data)} do")
        return data

    # --- the end

    def _read_end(self, limits: ZipLimits) -> tuple[int, int, int, bytes]:
        """Return how many members there are, offset and size of the directory, and the bytes after it."""
        at = self._size - END.size
        last = self._bytes(at, END.size) if at >= 0 else b""
        if not last.startswith(b"PK\5\6") or not last.endswith(b"\0\0"):
            raise self._without_end()
        _, disk, first_disk, here, count, size, start, _ = END.unpack(last)
        stated = (count, size, start)
        directory_end = at
        locator_at = at - LOCATOR64.size
        locator = self._bytes(locator_at, LOCATOR64.size) if locator_at >= 0 else b""
        if locator.startswith(b"PK\6\7"):
            directory_end = locator_at - END64.size
            _, locator_disk, end64_at, disks = LOCATOR64.unpack(locator)
            end64 = self._bytes(directory_end, END64.size) if directory_end >= 0 else bytes(END64.size)
            mark, rest, _, needed, disk64, first64, here64, count, size, start = END64.unpack(end64)
            if mark != b"PK\6\6" or rest != END64.size - 12 or end64_at != directory_end:
                raise _bad("directory", "the ZIP64 end of the directory is not where it should be")
            if needed > _VERSION_MAX:
                raise _bad("version", f"version {needed} of the format is needed")
            for small, large, full in zip((here, *stated), (here64, count, size, start), _FULL, strict=True):
                if small not in (large, full):
                    raise _bad("directory", "the two ends of the directory contradict each other")
            disk, first_disk, here = disk | disk64 | locator_disk, first_disk | first64, here64
            if disks != 1:
                raise _bad("directory", "the file is one of several")
        if disk or first_disk or here != count:
            raise _bad("directory", "the file is one of several")
        if count > limits.members_max:
            raise _bad("too-many-members", f"{count} members, and {limits.members_max} at most are read")
        if start + size > directory_end:
            raise _bad("cut", f"the directory should end at byte {start + size}, and the file has {self._size}")
        if start + size < directory_end:
            raise _bad("bytes-outside", f"{directory_end - start - size} bytes stand between the directory and its end")
        if size > limits.directory_bytes_max:
            raise _bad("too-large", f"the directory has {size} bytes; {limits.directory_bytes_max} at most are read")
        return count, start, size, self._bytes(directory_end, self._size - directory_end)

    def _without_end(self) -> FormatError:
        """Return why the last bytes are not the end of a directory."""
        start = max(0, self._size - END.size - _COMMENT_MAX)
        tail = self._bytes(start, self._size - start)
        at = tail.rfind(b"PK\5\6")
        while at >= 0 and at + END.size <= len(tail):
            (comment,) = struct.unpack_from("<H", tail, at + END.size - 2)
            if comment and at + END.size + comment == len(tail):
                return _bad("comment", f"a comment of {comment} bytes follows the end of the directory")
            if at + END.size < len(tail) and not comment:
                return _bad("bytes-outside", f"{len(tail) - at - END.size} bytes follow the end of the directory")
            at = tail.rfind(b"PK\5\6", 0, at)
        if self._size >= 4 and self._bytes(0, 4) in (b"PK\3\4", b"PK\5\6"):
            return _bad("cut", "starts like a ZIP file, and its last bytes are not the end of one: was it cut?")
        return _bad("not-a-zip", "not a ZIP file")

    # --- the headers before the data

    def _locate(self, found: Sequence[_Found], directory: int) -> list[int]:
        """Return the offset of each one's data, after checking what stands between the first byte and the directory."""
        offsets = [0] * len(found)
        order = sorted(range(len(found)), key=lambda index: found[index].start)
        if (order and found[order[0]].start) or (not order and directory):
            raise _bad("bytes-outside", "bytes stand before the first member")
        if order and found[order[-1]].start > directory:
            raise _bad("overlap", f"{found[order[-1]].shown} begins after the directory")
        limits = [*(found[index].start for index in order[1:]), directory]
        for index, limit in zip(order, limits, strict=False):
            item = found[index]
            at = self._check_local(item, limit)
            rest = limit - at - item.stored_size
            if rest < 0:
                raise _bad("overlap", f"{item.shown} reaches {-rest} bytes into what follows it")
            if item.flags & _DESCRIBED:
                self._check_descriptor(item, at + item.stored_size, rest)
            elif rest:
                raise _bad("bytes-outside", f"{rest} bytes after {item.shown} belong to no member")
            offsets[index] = at
        return offsets

    def _check_local(self, item: _Found, limit: int) -> int:
        """Return where the data starts; the header says what the directory says."""
        if item.start + LOCAL.size + len(item.raw) > limit:
            raise _bad("overlap", f"{item.shown} begins within {limit - item.start} bytes of what follows it")
        head = self._bytes(item.start, LOCAL.size)
        mark, needed, flags, method, _, _, crc, stored_size, size, *lengths = LOCAL.unpack(head)
        if mark != b"PK\3\4":
            raise _bad("headers-differ", f"no header stands before the data of {item.shown}")
        _check_version(item.shown, needed)
        name_size, extra_size = map(int, lengths)
        if name_size != len(item.raw) or (flags, method) != (item.flags, item.method):
            raise _bad("headers-differ", f"the header before the data of {item.shown} contradicts the directory")
        at = item.start + len(head) + name_size + extra_size
        if at > limit:
            raise _bad("overlap", f"the header of {item.shown} reaches into what follows it")
        tail = self._bytes(item.start + len(head), name_size + extra_size)
        size, stored_size = _widened(item.raw, tail[name_size:], [size, stored_size])
        # a writer that does not know them yet leaves them for the descriptor after the data
        early = bool(flags & _DESCRIBED)
        agree = all(
            told == known or (early and told == 0)
            for told, known in ((crc, item.crc), (size, item.size), (stored_size, item.stored_size))
        )
        if tail[:name_size] != item.raw or not agree:
            raise _bad("headers-differ", f"the header before the data of {item.shown} contradicts the directory")
        item.local_size = at - item.start
        item.local_plain = head + tail == local_header(item.entry)
        return at

    def _check_descriptor(self, item: _Found, at: int, size: int) -> None:
        """Check what follows data whose size was not known before it: checksum and sizes, in one of four forms."""
        numbers = (item.crc, item.stored_size, item.size)
        forms = [struct.pack("<IQQ", *numbers)]
        if max(numbers) <= ALL32:
            forms.append(struct.pack("<III", *numbers))
        forms += [b"PK\7\x08" + form for form in forms]
        if size > 24 or self._bytes(at, size) not in forms:
            raise _bad("headers-differ", f"what follows the data of {item.shown} does not describe it")


_FULL = (ALL16, ALL16, ALL32, ALL32)


# --- the directory


def _parse_directory(data: bytes, count: int) -> list[_Found]:
    """Return its entries, each sound by itself; they fill the directory."""
    found: list[_Found] = []
    at = 0
    for _ in range(count):
        if at + DIRECTORY.size > len(data):
            raise _bad("directory", f"the directory has {len(found)} members, and {count} are stated")
        head = DIRECTORY.unpack_from(data, at)
        mark, _, needed, flags, method, _, _, crc, stored_size, size, *lengths, disk, _, outer, start = head
        name_size, extra_size, comment_size = lengths
        end = at + DIRECTORY.size + name_size + extra_size + comment_size
        if mark != b"PK\1\2" or end > len(data):
            raise _bad("directory", f"entry {len(found) + 1} of the directory is not one")
        raw = data[at + DIRECTORY.size : at + DIRECTORY.size + name_size]
        extra = data[at + DIRECTORY.size + name_size : end - comment_size]
        if comment_size:
            raise _bad("comment", f"{_shown(raw)} has a comment of {comment_size} bytes")
        if disk:
            raise _bad("directory", f"{_shown(raw)} is said to be in another file")
        name, folder = _name(raw)
        _check_kind(raw, folder, outer)
        _check_reading(raw, flags, method, needed)
        size, stored_size, start = _widened(raw, extra, [size, stored_size, start])
        if method == STORED and size != stored_size:
            raise _bad("directory", f"{_shown(raw)} is stored, and has two sizes: {size} and {stored_size}")
        if folder and (size or crc or stored_size > 2):
            raise _bad("not-a-file", f"{_shown(raw)} is a folder with data")
        found.append(_Found(raw, name, folder, flags, method, crc, stored_size, size, start, data[at:end]))
        at = end
    if at != len(data):
        raise _bad("directory", f"{len(data) - at} bytes of the directory are none of its {count} members")
    return found


def _name(raw: bytes) -> tuple[str, bool]:
    """Return the name, and whether it is a folder's (which ends with a slash, taken away here)."""
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad("name-unsafe", f"the name {_shown(raw)} is not UTF-8") from None
    folder = len(name) > 1 and name.endswith("/")
    if folder:
        name = name[:-1]
    if fault := name_fault(name):
        raise _bad("name-unsafe", f"the name {_shown(raw)} {fault}")
    return name, folder


def _check_kind(raw: bytes, folder: bool, outer: int) -> None:
    """Refuse all but plain files and folders, whatever system the entry says it was made on."""
    kind = stat.S_IFMT(outer >> 16)
    if kind not in ((0, stat.S_IFDIR) if folder else (0, stat.S_IFREG)) or (not folder and outer & 0x10):
        raise _bad("not-a-file", f"{_shown(raw)} is marked as something else than a plain file")


def _check_reading(raw: bytes, flags: int, method: int, needed: int) -> None:
    if flags & _ENCRYPTED:
        raise _bad("encrypted", f"{_shown(raw)} is encrypted")
    if flags & ~_KNOWN:
        raise _bad("flags", f"{_shown(raw)} has flags {flags:#06x}, which this reader does not know")
    if method not in (STORED, DEFLATED):
        raise _bad("method", f"{_shown(raw)} is compressed by method {method}; stored and deflated are read")
    _check_version(_shown(raw), needed)


def _check_version(shown: str, needed: int) -> None:
    # the upper byte names a system, and some writers fill it in
    if needed & 0xFF > _VERSION_MAX:
        raise _bad("version", f"{shown} needs version {needed} of the format; {_VERSION_MAX} is read")


def _widened(raw: bytes, extra: bytes, numbers: list[int]) -> list[int]:
    """Return size, stored size and offset, each from the ZIP64 field where its own field is all ones."""
    fields: dict[int, bytes] = {}
    at = 0
    while at < len(extra):
        kind, size = struct.unpack_from("<HH", extra, at) if at + 4 <= len(extra) else (0, len(extra))
        if at + 4 + size > len(extra) or kind in fields:
            raise _bad("extra", f"the extra fields of {_shown(raw)} do not add up")
        fields[kind] = extra[at + 4 : at + 4 + size]
        at += 4 + size
    if 0x7075 in fields and fields[0x7075][5:] != raw:
        raise _bad("extra", f"{_shown(raw)} has another name in an extra field")
    wide = [index for index, number in enumerate(numbers) if number == ALL32]
    large = fields.get(1)
    if large is None:
        return numbers  # a number that is all ones by itself
    if len(large) != 8 * len(wide):
        raise _bad("extra", f"the ZIP64 field of {_shown(raw)} has {len(large)} bytes, not {8 * len(wide)}")
    numbers = list(numbers)
    for index, (number,) in zip(wide, struct.iter_unpack("<Q", large), strict=True):
        numbers[index] = number
    return numbers


def _check_names(found: Sequence[_Found]) -> None:
    """Refuse names that two systems, or two readers, take differently."""
    seen: dict[str, _Found] = {}
    for item in found:
        key = folded(item.name)
        before = seen.setdefault(key, item)
        if before is not item:
            same = before.raw == item.raw
            raise _bad("name-twice" if same else "names-collide", f"{before.shown} and {item.shown} are two members")
    for item in found:
        parts = folded(item.name).split("/")
        for depth in range(1, len(parts)):
            above = seen.get("/".join(parts[:depth]))
            if above is not None and not above.folder:
                raise _bad("names-collide", f"{above.shown} is a file, and {item.shown} is said to be in it")


def _check_sizes(found: Sequence[_Found], limits: ZipLimits) -> None:
    """Refuse what would become too large when inflated, by what it says itself."""
    total = 0
    for item in found:
        if item.method == STORED:
            continue
        total += item.size
        if item.size > limits.ratio_free_bytes and item.size > limits.ratio_max * item.stored_size:
            raise _bad("too-large", f"{item.shown} has {item.stored_size} bytes and would become {item.size}")
        if total > limits.inflated_bytes_max:
            raise _bad("too-large", f"inflated members have more than {limits.inflated_bytes_max} bytes together")


def _departure(found: Sequence[_Found], start: int, size: int, end: bytes) -> str | None:
    """Return how the bytes around the data are not those that the writer gives these members; None if they are."""
    for item, following in zip(found, [*(item.start for item in found[1:]), start], strict=False):
        if item.folder:
            return f"{item.shown} is a folder"
        if item.method != STORED:
            return f"{item.shown} is compressed"
        if not item.local_plain:
            return f"the header before the data of {item.shown} has other flags, times or fields"
        if item.header != directory_header(item.entry):
            return f"the directory's entry of {item.shown} has other flags, times, attributes or fields"
        if item.start + item.local_size + item.size != following:
            return f"{item.shown} does not stand where the directory's order puts it"
    if end != end_records(len(found), start, size):
        return "the end of the directory has other fields"
    return None


# --- data


class _Data(io.RawIOBase):
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
            data = self._file.read(min(room, self._left, _STEP))
            self._at += len(data)
            self._left -= len(data)
            if not data:
                raise self._wrong("size", "ends before its end")
        return data

    def _inflated(self, room: int) -> bytes:
        """Return some of the next bytes, at most one more than are declared."""
        assert self._inflate is not None
        most = min(room, _STEP, self._member.size - self._given + 1)
        data = b""
        while not data and not self._inflate.eof:
            held = self._held or self._stored(_STEP)
            try:
                data = self._inflate.decompress(held, most)
            except zlib.error:
                raise self._wrong("damaged", "cannot be inflated") from None
            self._held = self._inflate.unconsumed_tail
            if not held and not data:
                raise self._wrong("damaged", "ends in the middle of compressed data")
        if self._given + len(data) > self._member.size:
            raise _bad("too-large", f"{_shown_name(self._member.name)} is larger than the {self._member.size} it says")
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
        return IntegrityError(f"{_shown_name(name)} {what}", code=code, member=name)


# --- errors


def _bad(code: str, what: str) -> FormatError:
    return FormatError(f"{what} ({code})", code=code)


def _shown(raw: bytes) -> str:
    """Return a name from a stranger as plain letters in quotes, no longer than a line."""
    text = ascii(raw.decode("utf-8", "backslashreplace"))
    return text if len(text) <= 80 else f"{text[:60]}...{text[-1]}"


def _shown_name(name: str) -> str:
    return _shown(name.encode("utf-8", "surrogatepass"))
