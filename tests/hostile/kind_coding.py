"""Content codings: bombs, cuts, lies, layers."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable
from functools import cache, partial

import brotli
import zstandard

from tests.hostile.case import CAPTURED, FAILED, LEAD, WARNED, answer, case, page
from tests.hostile.server import Asked, Connection

coding = partial(case, kind="coding")
_CUT = (WARNED, FAILED)
_START = f"<html><body><p>SEEN-bomb {LEAD}".encode()
_MB = 2**20


@cache
def gzip_bomb(megabytes: int = 512) -> bytes:
    """Return one gzip member of a short beginning and so many megabytes of blanks, made without holding them."""
    first = zlib.compressobj(9, zlib.DEFLATED, -15)
    unit = b" " * (8 * _MB)
    again = zlib.compressobj(9, zlib.DEFLATED, -15)
    again.flush(zlib.Z_FULL_FLUSH)
    block, crc = again.compress(unit) + again.flush(zlib.Z_FULL_FLUSH), zlib.crc32(_START)
    for _ in range(megabytes // 8):
        crc = zlib.crc32(unit, crc)
    total = len(_START) + megabytes // 8 * len(unit)
    body = first.compress(_START) + first.flush(zlib.Z_FULL_FLUSH) + block * (megabytes // 8)
    end = zlib.compressobj(9, zlib.DEFLATED, -15).flush() + struct.pack("<II", crc, total & 0xFFFFFFFF)
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\x03" + body + end


@cache
def brotli_bomb(megabytes: int = 256) -> bytes:
    squeeze = brotli.Compressor(quality=5, lgwin=24)
    parts = [squeeze.process(_START)]
    parts += [squeeze.process(b" " * (4 * _MB)) for _ in range(megabytes // 4)]
    return b"".join([*parts, squeeze.finish()])


@cache
def zstd_bomb(megabytes: int = 512) -> bytes:
    """Return a zstd frame (RFC 8878) of run-length blocks: 4 bytes for each 128 KiB."""
    out = bytearray(b"\x28\xb5\x2f\xfd\x00\x50" + struct.pack("<I", len(_START) << 3)[:3] + _START)
    for number in range(megabytes * 8):
        last = number == megabytes * 8 - 1
        out += struct.pack("<I", (131_072 << 3) | (1 << 1) | last)[:3] + b" "
    return bytes(out)


@cache
def zlib_bomb(megabytes: int = 256) -> bytes:
    squeeze = zlib.compressobj(9)
    return squeeze.compress(_START) + b"".join(squeeze.compress(b" " * _MB) for _ in range(megabytes)) + squeeze.flush()


def _body(
    id: str, expect: str | tuple[str, ...], what: str, codings: str, make: Callable[[], bytes], **facts: object
) -> None:
    @coding(id, expect, what, **{"total_s": 6.0, "seconds_max": 8.0, **facts})
    def _(c: Connection, asked: Asked) -> None:
        c.send(answer(make(), ("Content-Encoding", codings)))


_TOO_LONG: dict[str, object] = {"warns": ("truncated-length",), "text_has": ("SEEN-bomb",)}
_body("gzip-bomb", _CUT, "0.5 MB of gzip for 512 MB", "gzip", gzip_bomb, **_TOO_LONG)
_body("brotli-bomb", _CUT, "some bytes of brotli for 256 MB", "br", brotli_bomb, **_TOO_LONG)
_body("zstd-bomb", _CUT, "16 KB of zstd for 512 MB", "zstd", zstd_bomb, **_TOO_LONG)
_body("deflate-bomb", _CUT, "0.25 MB of deflate for 256 MB", "deflate", zlib_bomb, **_TOO_LONG)
_body(
    "gzip-in-gzip",
    _CUT,
    "gzip three deep for 512 MB",
    "gzip, gzip, gzip",
    lambda: gzip.compress(gzip.compress(gzip_bomb())),
)
_body("br-in-gzip", _CUT, "brotli within gzip for 256 MB", "br, gzip", lambda: gzip.compress(brotli_bomb()))
_body("zstd-in-br", _CUT, "zstd within brotli for 512 MB", "zstd, br", lambda: brotli.compress(zstd_bomb(), quality=5))
_body("ten-layers", _CUT, "gzip ten deep, of nothing much", ", ".join(["gzip"] * 10), lambda: _deep(10))
_body("many-members", _CUT, "40,000 gzip members of 4 KB", "gzip", lambda: gzip.compress(b" " * 4_096) * 40_000)
_body("many-frames", _CUT, "80,000 zstd frames of 4 KB", "zstd", lambda: zstandard.compress(b" " * 4_096) * 80_000)
_body(
    "empty-members",
    (CAPTURED, WARNED, FAILED),
    "100,000 gzip members of nothing",
    "gzip",
    lambda: gzip.compress(page("empty-members")) + gzip.compress(b"") * 100_000,
)
_body(
    "wide-window",
    _CUT,
    "a zstd window of 2 GB",
    "zstd",
    lambda: b"\x28\xb5\x2f\xfd\x00\xa8" + struct.pack("<I", 8 << 3 | 1)[:3] + b"<p>hello",
)
_body("unknown", _CUT, "a coding nobody knows", "snappy", lambda: page("unknown"))
_body(
    "identity",
    (CAPTURED, WARNED),
    "says that there is no coding",
    "identity",
    lambda: page("identity"),
    text_has=("SEEN-identity",),
)
_body(
    "shouted", CAPTURED, "GZIP in capitals", "GZIP", lambda: gzip.compress(page("shouted")), text_has=("SEEN-shouted",)
)
_body(
    "two-members",
    (CAPTURED, WARNED),
    "two gzip members of half a page each",
    "gzip",
    lambda: gzip.compress(page("two")[:400]) + gzip.compress(page("two")[400:]),
    text_has=("SEEN-two", "LAST-two"),
)
_body("bad-crc", _CUT, "gzip whose check sum is wrong", "gzip", lambda: gzip.compress(page("bad-crc"))[:-8] + b"\0" * 8)
_body(
    "no-zlib-head",
    (CAPTURED, WARNED),
    "deflate without its zlib head",
    "deflate",
    lambda: zlib.compress(page("raw"))[2:-4],
    text_has=("SEEN-raw",),
)


def _deep(times: int) -> bytes:
    data = page("deep")
    for _ in range(times):
        data = gzip.compress(data)
    return data


_SQUEEZE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
_NOISE = b"".join(b"<p>%d</p>" % (n * 7_919 % 100_003) for n in range(5_000))
for _name, _squeeze in _SQUEEZE.items():
    _body(
        f"{_name}-lie",
        _CUT,
        f"says {_name}, sends plain HTML",
        _name,
        lambda: page("lie"),
        warns=("truncated-coding",),
        raw_has=(),
    )
    _body(
        f"{_name}-cut",
        _CUT,
        f"{_name} whose second half is missing",
        _name,
        lambda squeeze=_squeeze: squeeze(page("cut") + _NOISE)[: len(squeeze(page("cut") + _NOISE)) // 2],
        warns=("truncated-coding",),
    )
    _body(
        f"{_name}-junk-after",
        (CAPTURED, WARNED, FAILED),
        f"junk behind the end of {_name}",
        _name,
        lambda squeeze=_squeeze: squeeze(page("junk")) + b"\xde\xad\xbe\xef" * 50,
        text_has=("SEEN-junk",),
    )
    _body(f"{_name}-nothing", _CUT, f"says {_name}, sends nothing", _name, lambda: b"")
