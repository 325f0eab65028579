"""Read WARC files of strangers: record after record, each one checked, or what is wrong with it.

Plain files, and files with a gzip member for each record. What can be checked is checked before a record is given:
form, mandatory fields, closing bytes, digests, and of a gzip member its checksum. Reading goes on after an unsound
record where the next one is found with certainty, and says where it stopped otherwise. One record is held at a time.
Does not read zstd, join segments, or judge URIs. Pure but for the file it is given.
Spec: WARC/1.1 (ISO 28500:2017) sections 4 to 6 and annex D; RFC 1952.  Shown by test_warc_reader.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from searchlog.capture.message import parse

__all__ = ["WarcFault", "WarcLimits", "WarcRecord", "digest_fits", "read_warc"]


@dataclass(frozen=True, slots=True)
class WarcLimits:
    """Bounds of reading one file."""

    header_bytes_max: int = 65_536
    header_lines_max: int = 512
    block_bytes_max: int = 64_000_000
    """A longer block is passed over without being held."""
    total_bytes_max: int = 64_000_000_000
    """Of the whole file; of a gzip file, inflated."""
    inflated_ratio_max: int = 200
    """A gzip file may inflate to so many times what was read of it, once it has given `inflated_free`."""
    inflated_free: int = 256_000_000
    items_max: int = 1_000_000
    """Records and faults together."""


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One sound WARC record."""

    version: str
    """`1.0` or `1.1`."""
    type: str
    id: str
    """The URI, without its angle brackets."""
    date: str
    uri: str | None
    """The target URI, without the angle brackets that version 1.0 had."""
    fields: tuple[tuple[str, str], ...]
    """All of the header in order, repeats kept."""
    block: bytes
    offset: int
    """Where the stored record begins in the file; in a gzip file its member."""
    length: int
    """Of the stored record with its closing bytes; in a gzip file of its member, and 0 where records share one."""
    head_length: int
    """Of the header, blank line included: in a plain file the block begins at `offset + head_length`."""
    digests_checked: tuple[str, ...] = ()
    """Names of the fields whose digests were compared, and fit."""

    def field(self, name: str) -> str | None:
        """Return the value of the first field of this name, any case."""
        name = name.lower()
        return next((value for key, value in self.fields if key.lower() == name), None)

    def all(self, name: str) -> list[str]:
        """Return the values of all fields of this name, any case."""
        name = name.lower()
        return [value for key, value in self.fields if key.lower() == name]


@dataclass(frozen=True, slots=True)
class WarcFault:
    """An unsound record, or a part of the file that is none."""

    offset: int
    """Where it begins in the file; in a gzip file its member."""
    code: str
    """`junk`, `cut`, `header`, `version`, `field`, `length`, `too-long`, `closing`, `digest`, `gzip`, `shared-member`,
    `empty`, `limit`; `rest-not-read`: reading ended here."""
    message: str


_STEP = 262_144
_FIRST_INPUT, _INPUT = 4_096, 65_536
_BLANK = b"\r\n\r\n"
_URI_NEEDED = ("response", "resource", "request", "revisit", "conversion", "continuation")
_REPEATABLE = ("warc-concurrent-to", "warc-protocol", "warc-cipher-suite")
"""The last two are proposals that other tools follow already: a field for each protocol."""
_MANDATORY = ("WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length")
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LENGTH = re.compile(r"[0-9]{1,18}")
_ID = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+>")
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,9})?Z")
_ALGORITHMS = {"md5": 16, "sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}


def read_warc(file: BinaryIO, limits: WarcLimits = WarcLimits()) -> Iterator[WarcRecord | WarcFault]:
    """Yield the records of a WARC file in order, and in their place what is wrong where something is.

    The file is read from where it stands, once, front to back. Offsets count from there.
    """
    source = _Source(file, limits.total_bytes_max)
    try:
        for count, item in enumerate(_items(source, limits)):
            if count >= limits.items_max:
                raise _Broken("limit", f"the file has more than {limits.items_max} records")
            yield item
    except _Broken as broken:
        yield WarcFault(source.taken, broken.code, str(broken))
        yield _rest(source.taken)


def _items(source: _Source, limits: WarcLimits) -> Iterator[WarcRecord | WarcFault]:
    start = source.peek(4)
    if not start:
        yield WarcFault(0, "empty", "the file is empty")
    elif start[:2] == b"\x1f\x8b":
        yield from _packed(source, limits)
    elif start == b"\x28\xb5\x2f\xfd":
        yield WarcFault(0, "junk", "the file is packed with zstd, which is not read here; unpack it first")
        yield _rest(0)
    else:
        yield from _plain(source, limits)


def _rest(offset: int) -> WarcFault:
    return WarcFault(offset, "rest-not-read", f"what follows byte {offset} was not read")


class _Broken(Exception):
    """The bytes end here, whatever is behind them."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


# --- where bytes come from


class _Buffer:
    """Bytes that are pulled piece by piece; an empty piece is the end."""

    def __init__(self, more: Callable[[], bytes]) -> None:
        self._more = more
        self._data = b""
        self._pos = 0
        self.taken = 0
        """How many bytes were taken or passed over."""

    def _fill(self, size: int) -> bool:
        """Have this many bytes at hand; say whether there are."""
        if len(self._data) - self._pos >= size:
            return True
        pieces = [self._data[self._pos :]]
        have = len(pieces[0])
        while have < size and (piece := self._more()):
            pieces.append(piece)
            have += len(piece)
        self._data, self._pos = b"".join(pieces), 0
        return have >= size

    def peek(self, size: int) -> bytes:
        """Return up to this many bytes, and leave them."""
        self._fill(size)
        return self._data[self._pos : self._pos + size]

    def take(self, size: int) -> bytes:
        """Return this many bytes, fewer at the end. Holds no more than are there, whatever size says."""
        pieces = [self._data[self._pos : self._pos + size]]
        have = len(pieces[0])
        self._pos += have
        if have < size:
            self._data, self._pos = b"", 0
        while have < size and (piece := self._more()):
            if have + len(piece) > size:
                self._data, piece = piece[size - have :], piece[: size - have]
            pieces.append(piece)
            have += len(piece)
        self.taken += have
        return b"".join(pieces)

    def skip(self, size: int) -> int:
        """Pass over this many bytes; return how many there were."""
        left = size
        while left and self._fill(1):
            step = min(left, len(self._data) - self._pos)
            self._pos += step
            left -= step
        self.taken += size - left
        return size - left

    def until(self, mark: bytes, size_max: int) -> bytes | None:
        """Return the bytes up to and with the mark; None where it does not come within this many bytes."""
        size = min(4_096, size_max)
        while True:
            whole = self._fill(size)
            end = self._data.find(mark, self._pos, self._pos + size_max)
            if end >= 0:
                return self.take(end + len(mark) - self._pos)
            if not whole or size >= size_max:
                return None
            size = min(size * 4, size_max)


class _Source(_Buffer):
    """The file itself."""

    def __init__(self, file: BinaryIO, bytes_max: int) -> None:
        super().__init__(self._read)
        self._file = file
        self._left = bytes_max

    def _read(self) -> bytes:
        piece = self._file.read(_STEP)
        self._left -= len(piece)
        if self._left < 0:
            raise _Broken("limit", "the file is longer than may be read")
        return piece


class _Member:
    """One gzip member of the file, inflated step by step; its checksum holds once `inflate` has given the end."""

    def __init__(self, source: _Source, budget: _Budget) -> None:
        self._source = source
        self._budget = budget
        self._decoder = zlib.decompressobj(31)
        self._rest = b""
        self._size = _FIRST_INPUT

    def inflate(self) -> bytes:
        """Return the next bytes, none at the member's end. Raises _Broken."""
        out: list[bytes] = []
        have = 0
        while have < _STEP and not self._decoder.eof:
            fed = self._rest or self._source.peek(self._size)
            if not fed:
                raise _Broken("cut", "the file ends inside a gzip member")
            try:
                piece = self._decoder.decompress(fed, _STEP)
            except zlib.error as error:
                raise _Broken("gzip", f"the gzip member is damaged ({error})") from None
            self._rest = self._decoder.unconsumed_tail
            left = len(self._decoder.unused_data) if self._decoder.eof else len(self._rest)
            self._source.take(len(fed) - left)
            # what was not consumed stays in the source, so that nothing is counted twice
            self._rest = b""
            self._size = min(self._size * 2, _INPUT)
            self._budget.count(len(piece), self._source.taken)
            if piece:
                out.append(piece)
                have += len(piece)
        return b"".join(out)


class _Budget:
    """How much a gzip file may inflate to."""

    def __init__(self, limits: WarcLimits) -> None:
        self._limits = limits
        self._inflated = 0

    def count(self, size: int, read: int) -> None:
        limits = self._limits
        self._inflated += size
        most = max(limits.inflated_free, read * limits.inflated_ratio_max)
        if self._inflated > min(most, limits.total_bytes_max):
            raise _Broken("limit", f"the file inflates to more than {min(most, limits.total_bytes_max)} bytes")


# --- records in a row


def _plain(source: _Source, limits: WarcLimits) -> Iterator[WarcRecord | WarcFault]:
    while True:
        start = source.taken
        try:
            if not source.peek(1):
                return
            blanks = _line_ends(source)
            if blanks:
                yield WarcFault(start, "junk", f"{blanks} bytes of empty lines stand outside of the records")
                continue
            item, certain = _one(source, start, limits)
            length = source.taken - start
        except _Broken as broken:
            yield WarcFault(start, broken.code, str(broken))
            yield _rest(source.taken)
            return
        yield _placed(item, length)
        if not certain:
            if source.peek(1):
                yield _rest(source.taken)
            return


def _line_ends(stream: _Buffer) -> int:
    """Pass over empty lines before a record or the end, where a record should begin; return how many bytes."""
    data = stream.peek(64)
    blanks = len(data) - len(data.lstrip(b"\r\n"))
    follows = data[blanks : blanks + 5]
    return stream.skip(blanks) if blanks and (follows in (b"WARC/", b"") or b"WARC/".startswith(follows)) else 0


def _packed(source: _Source, limits: WarcLimits) -> Iterator[WarcRecord | WarcFault]:
    """Yield what gzip members hold. A record is given when the checksum, or its own digest, vouches for it."""
    budget = _Budget(limits)
    while True:
        start = source.taken
        try:
            magic = source.peek(2)
            if not magic:
                return
            if magic != b"\x1f\x8b":
                kind = "cut" if b"\x1f\x8b".startswith(magic) else "junk"
                raise _Broken(kind, f"no gzip member begins here, but {magic!r}")
            stream = _Buffer(_Member(source, budget).inflate)
            if not stream.peek(1):
                yield WarcFault(start, "empty", "a gzip member holds nothing")
                continue
            item, certain = _one(stream, start, limits)
            if not certain or not stream.peek(1):
                stream.skip(limits.total_bytes_max)
                yield _placed(item, source.taken - start)
                continue
            yield from _shared(stream, start, item, limits)
        except _Broken as broken:
            yield WarcFault(start, broken.code, str(broken))
            if source.peek(1):
                yield _rest(source.taken)
            return


def _shared(
    stream: _Buffer, start: int, first: WarcRecord | WarcFault, limits: WarcLimits
) -> Iterator[WarcRecord | WarcFault]:
    """Yield the records that share a gzip member: only those whose own digests vouch for them.

    The checksum comes after all of them, and they cannot be held until then.
    """
    item, certain = first, True
    while True:
        if isinstance(item, WarcRecord) and "WARC-Block-Digest" not in item.digests_checked:
            why = f"WARC record {item.id} shares a gzip member with others and has no block digest of its own"
            item = WarcFault(start, "shared-member", f"{why}; unpack the file and read that")
        yield _placed(item, 0)
        if not certain or not stream.peek(1):
            break
        item, certain = _one(stream, start, limits)
    stream.skip(limits.total_bytes_max)
    yield WarcFault(start, "shared-member", "several records share one gzip member; each should have its own")


def _placed(item: WarcRecord | WarcFault, length: int) -> WarcRecord | WarcFault:
    """Return the item; a record with the length of what is stored."""
    if isinstance(item, WarcFault):
        return item
    return WarcRecord(
        item.version, item.type, item.id, item.date, item.uri, item.fields, item.block, item.offset, length,
        item.head_length, item.digests_checked,
    )  # fmt: skip


# --- one record


@dataclass(frozen=True, slots=True)
class _Head:
    """A header as far as it could be read."""

    fields: tuple[tuple[str, str], ...]
    length: int | None
    problem: tuple[str, str] | None
    version: str = ""
    names: dict[str, str] | None = None


def _one(stream: _Buffer, start: int, limits: WarcLimits) -> tuple[WarcRecord | WarcFault, bool]:
    """Read one record. Return it, or what is wrong with it, and whether it is certain where it ends."""
    begin = stream.peek(5)
    if begin != b"WARC/":
        code = "cut" if b"WARC/".startswith(begin) else "junk"
        return WarcFault(start, code, f"no WARC record begins here, but {begin!r}"), False
    data = stream.until(_BLANK, limits.header_bytes_max)
    if data is None:
        there = stream.peek(limits.header_bytes_max)
        if b"\n\n" in there:
            return WarcFault(start, "header", "the lines of the header do not end in CR LF"), False
        if len(there) < limits.header_bytes_max:
            return WarcFault(start, "cut", "the file ends inside the header of a WARC record"), False
        return WarcFault(start, "header", f"the header is longer than {limits.header_bytes_max} bytes"), False
    head = _header(data, limits)
    if head.length is None:
        return WarcFault(start, *(head.problem or ("length", "no length"))), False
    if head.length > limits.block_bytes_max:
        return _passed_over(stream, start, head, limits)
    block = stream.take(head.length)
    if len(block) < head.length:
        says = f"the block should have {head.length} bytes, and {len(block)} are left in the file"
        return WarcFault(start, "cut", f"{_named(head)}{says}"), False
    closing = stream.take(4)
    if closing != _BLANK:
        return _unclosed(start, head, closing), False
    if head.problem is not None:
        return WarcFault(start, head.problem[0], f"{_named(head)}{head.problem[1]}"), True
    assert head.names is not None
    checked = _check_digests(head.names, block)
    if isinstance(checked, str):
        return WarcFault(start, "digest", f"{_named(head)}{checked}"), True
    uri = head.names.get("warc-target-uri")
    record = WarcRecord(
        head.version,
        head.names["warc-type"],
        head.names["warc-record-id"][1:-1],
        head.names["warc-date"],
        _unbracketed(uri) if uri is not None else None,
        head.fields,
        block,
        start,
        0,
        len(data),
        checked,
    )
    return record, True


def _passed_over(stream: _Buffer, start: int, head: _Head, limits: WarcLimits) -> tuple[WarcFault, bool]:
    assert head.length is not None
    there = stream.skip(head.length)
    if there < head.length:
        says = f"the block should have {head.length} bytes, and {there} are left in the file"
        return WarcFault(start, "cut", f"{_named(head)}{says}"), False
    closing = stream.take(4)
    if closing != _BLANK:
        return _unclosed(start, head, closing), False
    says = f"the block has {head.length} bytes, and no more than {limits.block_bytes_max} are read"
    return WarcFault(start, "too-long", f"{_named(head)}{says}"), True


def _unclosed(start: int, head: _Head, closing: bytes) -> WarcFault:
    if _BLANK.startswith(closing):
        return WarcFault(start, "cut", f"{_named(head)}the file ends before the record is closed")
    says = f"after {head.length} bytes the block is followed by {closing!r} and not by two line ends"
    return WarcFault(start, "closing", f"{_named(head)}{says}")


def _named(head: _Head) -> str:
    """Return which record it is about, where that is known."""
    name = (head.names or {}).get("warc-record-id", "")
    return f"WARC record {name!r:.100}: " if name else ""


def _header(data: bytes, limits: WarcLimits) -> _Head:
    """Return the header of one record. data: with the blank line. Spec: WARC/1.1 section 4."""
    lines = data[: -len(_BLANK)].split(b"\r\n")
    if len(lines) > limits.header_lines_max:
        return _Head((), None, ("header", f"the header has more than {limits.header_lines_max} lines"))
    problem: tuple[str, str] | None = None
    version = lines[0][5:].decode("latin-1")
    if version not in ("1.0", "1.1"):
        problem = ("version", f"the version is {version!r:.40}; 1.0 and 1.1 are read")
    fields: list[tuple[str, str]] = []
    for line in lines[1:]:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("latin-1")
            problem = problem or ("header", f"the line {line!r:.60} is no UTF-8")
        if _CONTROL.search(text):
            problem = problem or ("header", f"the line {line!r:.60} holds a control character")
        if text[:1] in (" ", "\t") and fields:
            folded = text.strip(" \t")
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {folded}".strip(" "))
            continue
        name, colon, value = text.partition(":")
        if not colon or not _NAME.fullmatch(name):
            problem = problem or ("header", f"the line {line!r:.60} is no field")
            continue
        fields.append((name, value.strip(" \t")))
    names: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        if key in names and key not in _REPEATABLE:
            problem = problem or ("field", f"{name} stands there twice")
        names.setdefault(key, value)
    length, wrong = _length(fields)
    if length is None:
        return _Head(tuple(fields), None, ("length", wrong), version, names)
    return _Head(tuple(fields), length, problem or _check_fields(names, version), version, names)


def _length(fields: list[tuple[str, str]]) -> tuple[int | None, str]:
    """Return the length of the block, or what is wrong with it: without it nobody knows where the record ends."""
    values = [value for name, value in fields if name.lower() == "content-length"]
    if len(values) != 1:
        return None, "Content-Length is not there" if not values else "Content-Length stands there twice"
    if not _LENGTH.fullmatch(values[0]):
        return None, f"Content-Length is {values[0]!r:.40}"
    return int(values[0]), ""


def _check_fields(names: dict[str, str], version: str) -> tuple[str, str] | None:
    """Return what is wrong with the fields that the standard defines, or None. Spec: WARC/1.1 section 5."""
    for name in _MANDATORY:
        if not names.get(name.lower()):
            return "field", f"{name} is not there"
    kind, uri = names["warc-type"], names.get("warc-target-uri")
    if not _NAME.fullmatch(kind):
        return "field", f"WARC-Type is {kind!r:.40}"
    if not _ID.fullmatch(names["warc-record-id"]):
        return "field", f"WARC-Record-ID is {names['warc-record-id']!r:.100} and not a URI in angle brackets"
    if not _is_date(names["warc-date"]):
        return "field", f"WARC-Date is {names['warc-date']!r:.40} and not a time in UTC"
    if kind in _URI_NEEDED and not uri:
        return "field", f"WARC-Target-URI is not there, which a record of type {kind} must have"
    if kind == "warcinfo" and uri is not None:
        return "field", "WARC-Target-URI is there, which a record of type warcinfo must not have"
    if uri is not None and version == "1.1" and uri.startswith("<"):
        return "field", "WARC-Target-URI is in angle brackets"
    if kind == "revisit" and not names.get("warc-profile"):
        return "field", "WARC-Profile is not there, which a record of type revisit must have"
    return None


def _is_date(value: str) -> bool:
    found = _DATE.fullmatch(value)
    if found is None:
        return False
    try:
        datetime.fromisoformat(found[1])
    except ValueError:
        return False
    return True


def _unbracketed(uri: str) -> str:
    return uri[1:-1] if uri.startswith("<") and uri.endswith(">") else uri


# --- digests


def _check_digests(names: dict[str, str], block: bytes) -> tuple[str, ...] | str:
    """Return the names of the digests that fit, or what is wrong with one. Unknown algorithms are left aside."""
    checked: list[str] = []
    if (value := names.get("warc-block-digest")) is not None:
        said = _digest(value)
        if isinstance(said, str):
            return f"WARC-Block-Digest is {said}"
        if said is not None:
            if hashlib.new(said[0], block, usedforsecurity=False).digest() != said[1]:
                return f"the block does not have the digest {value!r:.160}"
            checked.append("WARC-Block-Digest")
    if (value := names.get("warc-payload-digest")) is not None:
        said = _digest(value)
        if isinstance(said, str):
            return f"WARC-Payload-Digest is {said}"
        if said is not None and _has_payload(names):
            if not any(
                hashlib.new(said[0], part, usedforsecurity=False).digest() == said[1]
                for part in _payloads(names, block)
            ):
                return f"the payload does not have the digest {value!r:.160}"
            checked.append("WARC-Payload-Digest")
    return tuple(checked)


def digest_fits(value: str, data: bytes | memoryview) -> bool:
    """Return whether a digest as WARC writes it is that of these bytes; one that cannot be compared does not fit."""
    said = _digest(value)
    return isinstance(said, tuple) and hashlib.new(said[0], data, usedforsecurity=False).digest() == said[1]


def _digest(value: str) -> tuple[str, bytes] | str | None:
    """Return algorithm and bytes of a digest, or what it is instead; None for an unknown algorithm.

    The standard leaves the encoding free: hex, base32 and base64 are met, and tell themselves apart by their length.
    """
    algorithm, colon, text = value.partition(":")
    name = algorithm.strip().lower().replace("-", "")
    size = _ALGORITHMS.get(name)
    if not colon or not text:
        return f"{value!r:.80} and no digest"
    if size is None:
        return None
    bare = text.strip().rstrip("=")
    try:
        if len(bare) == 2 * size:
            return name, bytes.fromhex(bare)
        if len(bare) == -(-size * 8 // 5):
            return name, base64.b32decode(bare.upper() + "=" * (-len(bare) % 8))
        if len(bare) == -(-size * 8 // 6):
            return name, base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (ValueError, binascii.Error):
        pass
    return f"{value!r:.160}, which is neither hex nor base32 nor base64 of {size} bytes"


def _has_payload(names: dict[str, str]) -> bool:
    """Whether the payload that the digest is of stands in this very record, whole."""
    segmented = "warc-segment-number" in names
    return not segmented and names["warc-type"] in ("response", "request", "resource", "conversion")


def _payloads(names: dict[str, str], block: bytes) -> Iterator[bytes | memoryview]:
    """Yield what tools take for the payload: by the standard without transfer coding, by custom often with it."""
    if not names.get("content-type", "").lower().startswith("application/http"):
        yield block
        return
    end = block.find(_BLANK)
    with memoryview(block) as view:
        yield view[end + len(_BLANK) if end >= 0 else len(block) :]
    if names["warc-type"] == "response":
        message = parse(block)
        yield message.payload
        yield block[len(message.head) :]
