"""Remove content codings from a stored payload, in bounded steps, and check that each decoder reached its end.

httpx takes a gzip body cut in half for a whole one and drops all gzip members after the first; so we decode ourselves.
Steps are small enough that a bomb is stopped within a few megabytes of the limit. Pure but for the deadline it is
given. Spec: RFC 9110 section 8.4, RFC 1952, RFC 1950, RFC 1951, RFC 7932, RFC 8878.  Shown by test_coding.py.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Header, Limits

__all__ = ["ACCEPT_ENCODING", "content_codings", "decode"]

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_STEP = 65_536
_BROTLI_STEP = 4_096
_FIRST_STEP = 1_024
# a zstd block may be 4 bytes that stand for 128 KiB: so many bytes in, at most 4 MiB out
_ZSTD_STEP = 128
_MEMBERS_MAX = 10_000
"""More gzip members, or zstd frames, than any honest body has: each costs time, and may hold nothing."""
_ZSTD_WINDOW_MAX = 8 * 1024 * 1024
"""What RFC 9659 section 3 asks decoders on the web to support, and no more."""


class _Stopped(Exception):
    """Decoding went no further; the reason is one of `Decoded.reason`."""


def content_codings(headers: tuple[Header, ...]) -> tuple[str, ...]:
    """Return the content codings of a message in the order they were applied, lower case, without `identity`."""
    named = [
        part.strip().lower() for key, value in headers if key.lower() == "content-encoding" for part in value.split(",")
    ]
    return tuple(name for name in named if name not in ("", "identity"))


def decode(payload: bytes, codings: tuple[str, ...], limits: Limits, deadline: Deadline | None = None) -> Decoded:
    """Return the decoded payload as far as it goes, and why it is not whole if it is not.

    A coding we do not know stops the work: `data` is then what that coding was applied to give. An empty payload
    decodes to nothing whatever its codings (answers to HEAD, 304, empty pages).
    """
    data = payload
    reason: str | None = None
    if not payload or not codings:
        reason = "length" if len(payload) > limits.decoded_bytes_max else None
        return Decoded(payload[: limits.decoded_bytes_max], codings, reason)
    if len(codings) > limits.codings_max:
        return Decoded(b"", codings, "coding")
    for name in reversed(codings):
        decoder = _DECODERS.get(name)
        if decoder is None:
            return Decoded(data[: limits.decoded_bytes_max], codings, reason or "unknown-coding")
        data, stopped = _collect(decoder(data), limits.decoded_bytes_max, deadline)
        reason = reason or stopped
    return Decoded(data, codings, reason)


def _collect(steps: Iterator[bytes], bytes_max: int, deadline: Deadline | None) -> tuple[bytes, str | None]:
    """Join the steps of a decoder up to the limit; return the bytes and why they end early."""
    out = bytearray()
    try:
        for step in steps:
            out += step
            if len(out) > bytes_max:
                return bytes(out[:bytes_max]), "length"
            if deadline is not None and deadline.expired:
                return bytes(out), "time"
    except _Stopped as stopped:
        return bytes(out), str(stopped)
    return bytes(out), None


def _inflate(data: bytes, wbits: int) -> Iterator[bytes]:
    """Yield the bytes of one zlib or raw stream, or of one gzip member after another.

    The decoder keeps the output of a step to itself when it fails in that step, as where the checksum at the end is
    wrong. It is given all the same: whoever unpacks the payload by other means sees it, so secrets must be looked for.
    """
    at = 0
    for _ in range(_MEMBERS_MAX):
        decoder, size = zlib.decompressobj(wbits), _FIRST_STEP  # what follows a short member is not copied again
        rest, start, fed, done = b"", at, at, 0
        while not decoder.eof:
            if not rest:
                fed, rest, at = at, data[at : at + size], at + size
                size = min(size * 2, _STEP)
                if not rest:
                    raise _Stopped("coding")  # the input ended first
            try:
                step = decoder.decompress(rest, _STEP)
            except zlib.error:
                yield from _before_failure(data[start:], wbits, fed - start, done)
                raise _Stopped("coding") from None
            done += len(step)
            yield step
            rest = decoder.unconsumed_tail
        at = min(at, len(data)) - len(decoder.unused_data)
        # gzip members follow one another; padding and other bytes after the last are left alone, as gunzip does
        if wbits != 31 or data[at : at + 1] != b"\x1f":
            return
    raise _Stopped("coding")


def _before_failure(data: bytes, wbits: int, careful_from: int, done: int) -> Iterator[bytes]:
    """Yield what a stream gives up to the byte at which it fails, but for the first `done` bytes.

    careful_from: the offset up to which it does not fail; from there on it is fed byte by byte.
    """
    decoder, at = zlib.decompressobj(wbits), 0
    while at < len(data) and not decoder.eof:
        end = min(at + _STEP, careful_from) if at < careful_from else at + 1
        rest, at = data[at:end], end
        while rest:
            try:
                step = decoder.decompress(rest, _STEP)
            except zlib.error:
                return
            rest = decoder.unconsumed_tail
            if len(step) > done:
                yield step[done:]
            done = max(0, done - len(step))


def _gzip(data: bytes) -> Iterator[bytes]:
    return _inflate(data, 31)


def _deflate(data: bytes) -> Iterator[bytes]:
    """Yield the bytes of `deflate`: zlib as the RFC says, raw as some servers send it."""
    zlib_header = len(data) >= 2 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
    return _inflate(data, 15 if zlib_header else -15)


def _brotli(data: bytes) -> Iterator[bytes]:
    """Yield the bytes of one brotli stream; what stands after its end is left alone, as for gzip.

    The decoder fails, and keeps its last output to itself, when the end of the stream and other bytes reach it
    together. So where it fails, the work is done once more, byte by byte at that place.
    """
    import brotli

    done = fed = 0
    try:
        for step, at in _brotli_steps(data, len(data)):
            done, fed = done + len(step), at
            yield step
    except brotli.error:
        try:
            for step, _ in _brotli_steps(data, fed):
                if len(step) > done:
                    yield step[done:]
                done = max(0, done - len(step))
        except brotli.error:
            raise _Stopped("coding") from None


def _brotli_steps(data: bytes, careful_from: int) -> Iterator[tuple[bytes, int]]:
    """Yield pieces of output, each with the offset up to which all went well; byte by byte from an offset on."""
    import brotli

    decoder, at, end, step = brotli.Decompressor(), 0, 0, b""
    while True:
        # a full step means that there may be more output of the input so far
        rest, wanted = b"", len(step) < _STEP and decoder.can_accept_more_data()
        if wanted:
            at, end = end, min(end + (_BROTLI_STEP if end < careful_from else 1), len(data))
            rest = data[at:end]
        step = decoder.process(rest, output_buffer_limit=_STEP)
        yield step, at
        if decoder.is_finished():
            return
        if wanted and not rest and not step:
            raise _Stopped("coding")  # it waits for input, and there is no more


def _zstd(data: bytes) -> Iterator[bytes]:
    import zstandard

    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_MAX)
    decoder = context.decompressobj()
    at = frames = 0
    try:
        while True:
            if decoder.eof:
                at -= len(decoder.unused_data)
                frames += 1
                if at >= len(data):
                    return
                if frames >= _MEMBERS_MAX:
                    raise _Stopped("coding")
                decoder = context.decompressobj()
            if at >= len(data):
                raise _Stopped("coding")
            step = decoder.decompress(data[at : at + _ZSTD_STEP])
            at = min(at + _ZSTD_STEP, len(data))
            yield step
    except zstandard.ZstdError:
        raise _Stopped("coding") from None


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
