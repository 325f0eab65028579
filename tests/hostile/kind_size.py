"""More than anybody wants."""

from __future__ import annotations

from functools import partial

from tests.hostile.case import FAILED, WARNED, answer, case, chunk, head, page
from tests.hostile.server import Asked, Connection

size = partial(case, kind="size")
_CUT = (WARNED, FAILED)
_LINES = b"<p>more and more and more</p>\n" * 2_000


@size("endless-chunks", _CUT, "chunks at full speed, for ever", warns=("truncated-length", "truncated-time"), total_s=4)
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked"))
    while True:
        c.send(chunk(_LINES))


@size("endless-close", _CUT, "a body without length at full speed, for ever", warns=("truncated-length",), total_s=4)
def _(c: Connection, asked: Asked) -> None:
    c.send(head())
    while True:
        c.send(_LINES)


@size("endless-length", _CUT, "a length of a terabyte", warns=("truncated-length",), total_s=4)
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Content-Length: 1000000000000"))
    while True:
        c.send(_LINES)


@size("endless-words", _CUT, "plain text for ever", warns=("truncated-length",), total_s=4)
def _(c: Connection, asked: Asked) -> None:
    c.send(head(type="text/plain"))
    while True:
        c.send(b"word " * 10_000)


@size("tiny-chunks", _CUT, "chunks of one byte at full speed, for ever", total_s=4)
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked"))
    while True:
        c.send(b"1\r\nx\r\n" * 10_000)


@size("endless-trailers", _CUT, "trailers at full speed, for ever", total_s=4, text_has=("SEEN-endless-trailers",))
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked") + chunk(page("endless-trailers")) + b"0\r\n")
    while True:
        c.send(b"X-T: v\r\n" * 10_000)


def _long(id: str, what: str, start: bytes) -> None:
    @size(id, FAILED, what, reason=("failed-header-too-large",))
    def _(c: Connection, asked: Asked) -> None:
        c.send(start)
        for _ in range(256):
            c.send(b"a" * 65_536)
        c.send(b"\r\nContent-Length: 2\r\n\r\nok")


_long("huge-header", "one header line of 16 MB", b"HTTP/1.1 200 OK\r\nX-Big: ")
_long("huge-status", "a status line of 16 MB", b"HTTP/1.1 200 ")
_long("huge-interim", "an interim answer of 16 MB", b"HTTP/1.1 103 Early Hints\r\nLink: ")


@size("many-headers", FAILED, "100,000 header lines", reason=("failed-header-too-large",))
def _(c: Connection, asked: Asked) -> None:
    c.send(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: v\r\n" % n for n in range(100_000)) + b"\r\n")


@size("big-binary", WARNED, "4 MB of noise that is called a page", reason=("no-text-unsupported-type",))
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(bytes(range(256)) * 16_384))
