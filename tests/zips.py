"""ZIP files built field by field, so that each can lie; and one defect of each kind that a stranger's file may have.

A defect takes the members of a sound file (name and data) and returns the bytes of one that must be refused, or that
must not be taken for one of ours.
"""

from __future__ import annotations

import io
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

MB = 1 << 20
PLAIN = 0o100644
FOLDER, LINK, DEVICE, PIPE = 0o040755, 0o120777, 0o020666, 0o010666


@dataclass(frozen=True)
class Part:
    """One member. What is None is worked out; everything else is written as it stands."""

    name: bytes
    data: bytes = b""
    method: int = 0
    raw: bytes | None = None
    """Bytes that stand in the file, already compressed."""
    flags: int = 0
    mode: int = PLAIN
    made_by: int = 0x0314
    extra: bytes = b""
    local_extra: bytes = b""
    comment: bytes = b""
    crc: int | None = None
    size: int | None = None
    stored_size: int | None = None
    local_name: bytes | None = None
    local_size: int | None = None
    local_crc: int | None = None
    local_method: int | None = None
    descriptor: bytes = b""
    after: bytes = b""
    """Bytes after the data that belong to nobody."""
    at: int | None = None
    """Offset of a local header that is there already; none is written."""
    outer: int | None = None


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def build(
    parts: Iterable[Part],
    *,
    before: bytes = b"",
    between: bytes = b"",
    comment: bytes = b"",
    after: bytes = b"",
    count: int | None = None,
    shift: int = 0,
) -> bytes:
    """Return a file of these parts. shift: added to the offset of the directory."""
    out, directory, number = bytearray(before), bytearray(), 0
    for part in parts:
        raw = part.raw if part.raw is not None else deflated(part.data) if part.method == 8 else part.data
        crc = zlib.crc32(part.data) if part.crc is None else part.crc
        size = len(part.data) if part.size is None else part.size
        stored = len(raw) if part.stored_size is None else part.stored_size
        at = part.at
        if at is None:
            at = len(out)
            name = part.name if part.local_name is None else part.local_name
            out += struct.pack(
                "<4sHHHHHIIIHH",
                b"PK\3\4",
                20,
                part.flags,
                part.method if part.local_method is None else part.local_method,
                0,
                0x21,
                crc if part.local_crc is None else part.local_crc,
                stored if part.local_size is None else part.local_size,
                size if part.local_size is None else part.local_size,
                len(name),
                len(part.local_extra),
            )
            out += name + part.local_extra + raw + part.descriptor + part.after
        outer = part.mode << 16 if part.outer is None else part.outer
        directory += struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            b"PK\1\2",
            part.made_by,
            20,
            part.flags,
            part.method,
            0,
            0x21,
            crc,
            stored,
            size,
            len(part.name),
            len(part.extra),
            len(part.comment),
            0,
            0,
            outer,
            at,
        )
        directory += part.name + part.extra + part.comment
        number += 1
    start = len(out)
    out += directory + between
    number = number if count is None else count
    if number > 0xFFFF:
        end = len(out)
        out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, number, number, len(directory), start)
        out += struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
        number = 0xFFFF
    out += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, number, number, len(directory), start + shift, len(comment))
    return bytes(out + comment + after)


def bomb(megabytes: int) -> tuple[bytes, int, int]:
    """Return deflated zeros, their checksum and their size. Made of one block, repeated."""
    unit = bytes(8 * MB)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(unit) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(megabytes // 8):
        crc = zlib.crc32(unit, crc)
    last = zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    return block * (megabytes // 8) + last, crc, megabytes * MB


# --- defects


@dataclass(frozen=True)
class Defect:
    """One file that must not open, and the code of the error."""

    code: str
    make: Callable[[Sequence[Part]], bytes]


def _plus(*parts: Part) -> Callable[[Sequence[Part]], bytes]:
    return lambda good: build([*good, *parts])


def _first(**changes: object) -> Callable[[Sequence[Part]], bytes]:
    return lambda good: build([replace(good[0], **changes), *good[1:]])  # type: ignore[arg-type]


def _named(name: str | bytes) -> Callable[[Sequence[Part]], bytes]:
    return _plus(Part(name if isinstance(name, bytes) else name.encode(), b"x"))


def _overlap(good: Sequence[Part]) -> bytes:
    """Many members that share one body."""
    raw, crc, size = bomb(8)
    start = len(build(good)) - _tail(good)
    body = Part(b"archive/0", method=8, raw=raw, crc=crc, size=size)
    return build([*good, body, *(replace(body, name=b"archive/%d" % i, at=start) for i in range(1, 500))])


def _tail(parts: Sequence[Part]) -> int:
    return 22 + sum(46 + len(part.name) for part in parts)


def _inside(good: Sequence[Part]) -> bytes:
    """A member whose header stands in the data of another."""
    inner = build([Part(b"inner", b"hidden")])[: 30 + 5 + 6]
    outer = Part(b"outer", b"12345" + inner + b"rest")
    start = len(build(good)) - _tail(good) + 30 + 5 + 5
    return build([*good, outer, Part(b"inner", b"hidden", at=start)])


def _zip64(*, end: int = 0, extra: int = 0) -> Callable[[Sequence[Part]], bytes]:
    """A ZIP64 end that says something else than the other one, or is longer."""

    def make(good: Sequence[Part]) -> bytes:
        data = build(good)
        body, last = data[:-22], data[-22:]
        count, size, start = struct.unpack_from("<HII", last, 10)
        more = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44 + extra, 45, 45, 0, 0, count, count, size, start + end)
        return body + more + bytes(extra) + struct.pack("<4sIQI", b"PK\6\7", 0, len(body), 1) + last

    return make


_ALL_ONES = {"size": 0xFFFFFFFF, "stored_size": 0xFFFFFFFF}

DEFECTS: dict[str, Defect] = {
    "empty": Defect("not-a-zip", lambda good: b""),
    "other-format": Defect("not-a-zip", lambda good: b"<!DOCTYPE html><title>404</title><p>Not found"),
    "cut-half": Defect("cut", lambda good: build(good)[: len(build(good)) // 2]),
    "cut-tail": Defect("cut", lambda good: build(good)[:-30]),
    "cut-head": Defect("cut", lambda good: build(good)[40:]),
    "comment": Defect("comment", lambda good: build(good, comment=b"hello")),
    "second-directory": Defect("bytes-outside", lambda good: build(good, comment=build([Part(b"other", b"x")]))),
    "member-comment": Defect("comment", _first(comment=b"hello")),
    "junk-before": Defect("bytes-outside", lambda good: build(good, before=b"#!/bin/sh\nexit 0\n" + b"J" * 8192)),
    "junk-before-unshifted": Defect("bytes-outside", lambda good: b"JUNK" + build(good)),
    "junk-after": Defect("bytes-outside", lambda good: build(good, after=b"JUNK")),
    "junk-between": Defect("bytes-outside", _first(after=b"JUNK")),
    "junk-before-end": Defect("bytes-outside", lambda good: build(good, between=b"JUNK")),
    "directory-elsewhere": Defect("cut", lambda good: build(good, shift=7)),
    "count-low": Defect("directory", lambda good: build(good, count=len(good) - 1)),
    "count-high": Defect("directory", lambda good: build(good, count=len(good) + 1)),
    "zip64-other-place": Defect("directory", _zip64(end=9)),
    "zip64-longer": Defect("directory", _zip64(extra=8)),
    "name-up": Defect("name-unsafe", _named("../../../../outside")),
    "name-down-and-up": Defect("name-unsafe", _named("archive/../../outside")),
    "name-root": Defect("name-unsafe", _named("/tmp/outside")),
    "name-backslash": Defect("name-unsafe", _named("..\\..\\outside")),
    "name-drive": Defect("name-unsafe", _named("C:/outside")),
    "name-dot": Defect("name-unsafe", _named("archive/./x")),
    "name-empty": Defect("name-unsafe", _named("")),
    "name-empty-part": Defect("name-unsafe", _named("archive//x")),
    "name-slash": Defect("name-unsafe", _plus(Part(b"/", mode=FOLDER))),
    "name-long": Defect("name-unsafe", _named("a" * 60_000)),
    "name-deep": Defect("name-unsafe", _named("d/" * 5_000 + "f")),
    "name-escape-codes": Defect("name-unsafe", _named("archive/\x1b[2J\x1b]0;t\x07")),
    "name-line-break": Defect("name-unsafe", _named("archive/a\nINFO import ok")),
    "name-direction": Defect("name-unsafe", _named("archive/\u202egnp.exe")),
    "name-not-utf8": Defect("name-unsafe", _named(b"archive/\xff\xfe")),
    "name-nul": Defect("name-unsafe", _named("archive/a\0b")),
    "name-twice": Defect("name-twice", lambda good: build([*good, replace(good[0], data=good[0].data[::-1])])),
    "name-twice-first": Defect("name-twice", lambda good: build([replace(good[0], data=b"other"), *good])),
    "case-twins": Defect("names-collide", lambda good: build([*good, Part(good[0].name.upper(), b"twin")])),
    "form-twins": Defect(
        "names-collide",
        _plus(*(Part(unicodedata.normalize(form, "archive/café").encode(), b"x") for form in ("NFC", "NFD"))),
    ),
    "sharp-s-twins": Defect("names-collide", _plus(Part("stra\u00dfe".encode()), Part(b"STRASSE"))),
    "file-as-folder": Defect("names-collide", lambda good: build([*good, Part(good[0].name + b"/x", b"x")])),
    "file-and-folder": Defect("names-collide", _plus(Part(b"x", b"x"), Part(b"x/", mode=FOLDER))),
    "name-elsewhere": Defect("extra", _first(extra=struct.pack("<HHBI", 0x7075, 10, 1, 0) + b"other")),
    "link": Defect("not-a-file", _plus(Part(b"archive/link", b"/etc/hostname", mode=LINK))),
    "link-made-by-dos": Defect("not-a-file", _plus(Part(b"archive/link", b"/etc/hostname", mode=LINK, made_by=20))),
    "device": Defect("not-a-file", _plus(Part(b"archive/device", mode=DEVICE))),
    "pipe": Defect("not-a-file", _plus(Part(b"archive/pipe", mode=PIPE))),
    "folder-with-data": Defect("not-a-file", _plus(Part(b"archive/", b"x", mode=FOLDER))),
    "folder-as-plain-file": Defect("not-a-file", _plus(Part(b"archive/"))),
    "folder-without-slash": Defect("not-a-file", _plus(Part(b"folder", mode=FOLDER))),
    "folder-by-dos": Defect("not-a-file", _plus(Part(b"folder", made_by=20, outer=0x10))),
    "encrypted": Defect("encrypted", _first(flags=1)),
    "encrypted-directory": Defect("encrypted", _first(flags=0x2000)),
    "patched": Defect("flags", _first(flags=0x20)),
    "method": Defect("method", _first(method=97)),
    "local-method": Defect("headers-differ", _first(local_method=8)),
    "local-name": Defect("headers-differ", _first(local_name=b"archive/data.txt!!")),
    "local-name-shorter": Defect("headers-differ", _first(local_name=b"x")),
    "local-crc": Defect("headers-differ", _first(local_crc=7)),
    "local-size": Defect("headers-differ", _first(local_size=1)),
    "descriptor-lies": Defect("headers-differ", _first(flags=8, local_size=0, descriptor=struct.pack("<III", 1, 2, 3))),
    "descriptor-missing": Defect("headers-differ", _first(flags=8, local_size=0)),
    "two-sizes": Defect("directory", _first(size=3)),
    "extra-cut": Defect("extra", _first(extra=b"\x01\x00\x09\x00abc")),
    "extra-twice": Defect("extra", _first(extra=b"\x99\x99\0\0" * 2)),
    "local-extra-cut": Defect("extra", _first(local_extra=b"abc")),
    "zip64-field-unasked": Defect("extra", _first(extra=struct.pack("<HHQ", 1, 8, 5))),
    "overlap": Defect("overlap", _overlap),
    "far-away": Defect("overlap", _plus(Part(b"far", at=0xFFFFFFFF, extra=struct.pack("<HHQ", 1, 8, (1 << 64) - 1)))),
    "wide-and-far": Defect(
        "overlap",
        _plus(
            Part(
                b"wide", flags=8, local_size=0, **_ALL_ONES, extra=struct.pack("<HHQQ", 1, 16, *[(1 << 64) - 500] * 2)
            ),
            Part(b"far", at=0xFFFFFFFF, extra=struct.pack("<HHQ", 1, 8, (1 << 64) - 1)),
        ),
    ),
    "inside-another": Defect("overlap", _inside),
    "many": Defect("too-many-members", lambda good: build(Part(b"x/%d" % i) for i in range(150_000))),
    "bomb": Defect("too-large", lambda good: build([*good, _bomb_part(1024)])),
}
"""By name: what opening refuses."""


def _bomb_part(megabytes: int, **changes: int) -> Part:
    raw, crc, size = bomb(megabytes)
    return replace(Part(b"archive/big.warc", method=8, raw=raw, crc=crc, size=size), **changes)  # type: ignore[arg-type]


BAD_DATA: dict[str, tuple[str, Part]] = {
    "bomb-that-lies": ("too-large", _bomb_part(64, size=100)),
    "stored-flip": ("crc", Part(b"x", raw=b"abcdefgi", data=b"abcdefgh")),
    "crc-wrong": ("crc", Part(b"x", b"abc", crc=0x12345678)),
    "empty-with-crc": ("crc", Part(b"x", b"", crc=5)),
    "deflated-cut": ("damaged", Part(b"x", b"abc" * 999, method=8, raw=deflated(b"abc" * 999)[:-3])),
    "deflated-less": ("size", Part(b"x", b"abc" * 999, method=8, size=3000)),
    "deflated-more": ("too-large", Part(b"x", b"abc" * 999, method=8, size=2996)),
    "deflated-junk": ("damaged", Part(b"x", method=8, raw=b"\xff" * 20, size=20)),
    "deflated-trailing": ("damaged", Part(b"x", b"abc" * 999, method=8, raw=deflated(b"abc" * 999) + b"JUNK")),
    "deflated-nothing": ("damaged", Part(b"x", b"", method=8, raw=b"", size=0, crc=0)),
    "deflated-crc": ("crc", Part(b"x", b"abc" * 999, method=8, crc=5)),
}
"""By name: the code of the error when the member's data is read, and the member."""


# --- sound files of other programs


def by_stdlib(good: Sequence[Part], *, streamed: bool = False, large: bool = False) -> bytes:
    """Return a file as Python's own writer makes it: times of today, deflated; `streamed` with data descriptors."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.data += bytes(data)  # type: ignore[call-overload]
            return len(bytes(data))  # type: ignore[call-overload]

    out: io.BytesIO | Pipe = Pipe() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:  # type: ignore[call-overload]
        file.mkdir("archive")
        for part in good:
            info = zipfile.ZipInfo(part.name.decode(), (2024, 2, 29, 12, 30, 58))
            info.compress_type = zipfile.ZIP_STORED if part.name.endswith(b".warc") else zipfile.ZIP_DEFLATED
            with file.open(info, "w", force_zip64=large) as member:
                member.write(part.data)
    return bytes(out.data) if isinstance(out, Pipe) else out.getvalue()
