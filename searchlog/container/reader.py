"""A ZIP file from a stranger, read strictly: what two readers could see differently is refused.

Opening checks everything but the data: the end of the directory is the end of the file, members fill the file from
its first byte to the directory without gap or overlap, each header before data says what the directory says, and
names are paths of plain files under one folder, no two of them alike. Data is checked as it is read. Nothing is
written, and work is bounded by ZipLimits and by the size of the file.

Sound files of other programs open: deflated members, data descriptors, ZIP64, extra fields such as finer times,
entries for folders. `canonical` tells whether a file is byte for byte what `writer` writes.

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

Spec: APPNOTE.TXT 6.3.10 (PKWARE). Python's own reader is not used: it takes the last of two members of one name, and
passes over bytes before the first member, comments, and sizes before the data that contradict the directory.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import BinaryIO, cast

from searchlog.container.data import STEP, Data, Member
from searchlog.container.directory import (
    DEFLATED,
    DESCRIBED,
    STORED,
    VERSION_MAX,
    Found,
    ZipLimits,
    bad,
    check_names,
    check_sizes,
    check_version,
    parse_directory,
    shown,
    shown_name,
    widened,
)
from searchlog.container.form import (
    ALL16,
    ALL32,
    END,
    END64,
    LOCAL,
    LOCATOR64,
    directory_header,
    end_records,
    local_header,
)
from searchlog.errors import FormatError

__all__ = ["DEFLATED", "STORED", "Member", "ZipLimits", "ZipReader"]

_COMMENT_MAX = 0xFFFF
_USUAL = ZipLimits()


class ZipReader:
    """A sound ZIP file and its members.

    file: seekable, open for reading; stays open. Its position is moved by every read, so streams of one reader can
    be read in turn, but not by two threads.
    Raises FormatError when the file is not sound; see the module.
    """

    def __init__(self, file: BinaryIO, limits: ZipLimits = _USUAL) -> None:
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        count, start, size, end = self._read_end(limits)
        directory = self._bytes(start, size)
        found = parse_directory(directory, count)
        check_names(found)
        check_sizes(found, limits)
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
            raise bad("missing", f"there is no {shown(name.encode('utf-8', 'replace'))}")
        return found

    def open(self, name: str) -> BinaryIO:
        """Return a stream of the member's data, which inflates no more than is asked for.

        The read that reaches the end raises IntegrityError when size or checksum are not those declared, and
        FormatError (`too-large`) when there is more than declared. Nothing is known of data before its end is reached.
        """
        return cast(BinaryIO, io.BufferedReader(Data(self._file, self.member(name)), STEP))

    def read(self, name: str, most: int) -> bytes:
        """Return the member's data; more than `most` bytes are refused unread (`too-large`)."""
        member = self.member(name)
        if member.size > most:
            raise bad("too-large", f"{shown_name(name)} has {member.size} bytes, and may have {most}")
        with self.open(name) as stream:
            return stream.read()

    def extent(self, name: str) -> tuple[int, int]:
        """Return offset and size in the file of a STOREd member, to seek into it; its checksum is not looked at."""
        member = self.member(name)
        if member.method != STORED:
            raise bad("method", f"{shown_name(name)} is compressed, and must be stored to be read in place")
        return member.offset, member.size

    def _bytes(self, at: int, size: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(size)
        if len(data) != size:
            raise bad("cut", f"{size} bytes should stand at byte {at}, and {len(data)} do")
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
                raise bad("directory", "the ZIP64 end of the directory is not where it should be")
            if needed > VERSION_MAX:
                raise bad("version", f"version {needed} of the format is needed")
            for small, large, full in zip((here, *stated), (here64, count, size, start), _FULL, strict=True):
                if small not in (large, full):
                    raise bad("directory", "the two ends of the directory contradict each other")
            disk, first_disk, here = disk | disk64 | locator_disk, first_disk | first64, here64
            if disks != 1:
                raise bad("directory", "the file is one of several")
        if disk or first_disk or here != count:
            raise bad("directory", "the file is one of several")
        if count > limits.members_max:
            raise bad("too-many-members", f"{count} members, and {limits.members_max} at most are read")
        if start + size > directory_end:
            raise bad("cut", f"the directory should end at byte {start + size}, and the file has {self._size}")
        if start + size < directory_end:
            raise bad("bytes-outside", f"{directory_end - start - size} bytes stand between the directory and its end")
        if size > limits.directory_bytes_max:
            raise bad("too-large", f"the directory has {size} bytes; {limits.directory_bytes_max} at most are read")
        return count, start, size, self._bytes(directory_end, self._size - directory_end)

    def _without_end(self) -> FormatError:
        """Return why the last bytes are not the end of a directory."""
        start = max(0, self._size - END.size - _COMMENT_MAX)
        tail = self._bytes(start, self._size - start)
        at = tail.rfind(b"PK\5\6")
        while at >= 0 and at + END.size <= len(tail):
            (comment,) = struct.unpack_from("<H", tail, at + END.size - 2)
            if comment and at + END.size + comment == len(tail):
                return bad("comment", f"a comment of {comment} bytes follows the end of the directory")
            if at + END.size < len(tail) and not comment:
                return bad("bytes-outside", f"{len(tail) - at - END.size} bytes follow the end of the directory")
            at = tail.rfind(b"PK\5\6", 0, at)
        if self._size >= 4 and self._bytes(0, 4) in (b"PK\3\4", b"PK\5\6"):
            return bad("cut", "starts like a ZIP file, and its last bytes are not the end of one: was it cut?")
        return bad("not-a-zip", "not a ZIP file")

    # --- the headers before the data

    def _locate(self, found: Sequence[Found], directory: int) -> list[int]:
        """Return the offset of each one's data, after checking what stands between the first byte and the directory."""
        offsets = [0] * len(found)
        order = sorted(range(len(found)), key=lambda index: found[index].start)
        if (order and found[order[0]].start) or (not order and directory):
            raise bad("bytes-outside", "bytes stand before the first member")
        if order and found[order[-1]].start > directory:
            raise bad("overlap", f"{found[order[-1]].shown} begins after the directory")
        limits = [*(found[index].start for index in order[1:]), directory]
        for index, limit in zip(order, limits, strict=False):
            item = found[index]
            at = self._check_local(item, limit)
            rest = limit - at - item.stored_size
            if rest < 0:
                raise bad("overlap", f"{item.shown} reaches {-rest} bytes into what follows it")
            if item.flags & DESCRIBED:
                self._check_descriptor(item, at + item.stored_size, rest)
            elif rest:
                raise bad("bytes-outside", f"{rest} bytes after {item.shown} belong to no member")
            offsets[index] = at
        return offsets

    def _check_local(self, item: Found, limit: int) -> int:
        """Return where the data starts; the header says what the directory says."""
        if item.start + LOCAL.size + len(item.raw) > limit:
            raise bad("overlap", f"{item.shown} begins within {limit - item.start} bytes of what follows it")
        head = self._bytes(item.start, LOCAL.size)
        mark, needed, flags, method, _, _, crc, stored_size, size, *lengths = LOCAL.unpack(head)
        if mark != b"PK\3\4":
            raise bad("headers-differ", f"no header stands before the data of {item.shown}")
        check_version(item.shown, needed)
        name_size, extra_size = map(int, lengths)
        if name_size != len(item.raw) or (flags, method) != (item.flags, item.method):
            raise bad("headers-differ", f"the header before the data of {item.shown} contradicts the directory")
        at = item.start + len(head) + name_size + extra_size
        if at > limit:
            raise bad("overlap", f"the header of {item.shown} reaches into what follows it")
        tail = self._bytes(item.start + len(head), name_size + extra_size)
        size, stored_size = widened(item.raw, tail[name_size:], [size, stored_size])
        # a writer that does not know them yet leaves them for the descriptor after the data
        early = bool(flags & DESCRIBED)
        agree = all(
            told == known or (early and told == 0)
            for told, known in ((crc, item.crc), (size, item.size), (stored_size, item.stored_size))
        )
        if tail[:name_size] != item.raw or not agree:
            raise bad("headers-differ", f"the header before the data of {item.shown} contradicts the directory")
        item.local_size = at - item.start
        item.local_plain = head + tail == local_header(item.entry)
        return at

    def _check_descriptor(self, item: Found, at: int, size: int) -> None:
        """Check what follows data whose size was not known before it: checksum and sizes, in one of four forms."""
        numbers = (item.crc, item.stored_size, item.size)
        forms = [struct.pack("<IQQ", *numbers)]
        if max(numbers) <= ALL32:
            forms.append(struct.pack("<III", *numbers))
        forms += [b"PK\7\x08" + form for form in forms]
        if size > 24 or self._bytes(at, size) not in forms:
            raise bad("headers-differ", f"what follows the data of {item.shown} does not describe it")


_FULL = (ALL16, ALL16, ALL32, ALL32)


def _departure(found: Sequence[Found], start: int, size: int, end: bytes) -> str | None:
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
