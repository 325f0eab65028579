"""Servers that take their time."""

from __future__ import annotations

import zlib
from functools import partial

from tests.hostile.case import FAILED, WARNED, answer, case, chunk, head, page, redirect
from tests.hostile.server import Asked, Connection

slow = partial(case, kind="time")


@slow("drip-body", (WARNED, FAILED), "a byte of body now and then", warns=("truncated-time",), raw_has=("<!DOCTYPE",))
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Content-Length: 1000000"))
    c.drip(page("drip-body") * 100, 0.08)


@slow("drip-chunks", (WARNED, FAILED), "chunks of one byte", warns=("truncated-time",))
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked"))
    for byte in page("drip-chunks"):
        c.send(chunk(bytes([byte])))
        c.wait(0.05)


@slow("drip-chunk-size", (WARNED, FAILED), "a chunk size whose extension never ends")
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked") + chunk(page("drip-chunk-size")))
    c.drip(b"5;" + b"x" * 10_000, 0.05)


@slow("drip-trailers", (WARNED, FAILED), "trailers that never end", text_has=("SEEN-drip-trailers",))
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked") + chunk(page("drip-trailers")) + b"0\r\n")
    c.drip(b"X-T: v\r\n" * 1_000, 0.05)


@slow("drip-head", FAILED, "a byte of a header now and then", reason=("failed-timeout",))
def _(c: Connection, asked: Asked) -> None:
    c.send(b"HTTP/1.1 200 OK\r\n")
    c.drip(b"X-Slow: yes\r\n" * 1_000, 0.05)


@slow("drip-status", FAILED, "a byte of the status line now and then", reason=("failed-timeout", "failed-protocol"))
def _(c: Connection, asked: Asked) -> None:
    c.drip(b"HTTP/1.1 200 " + b"O" * 10_000, 0.05)


@slow("silent", FAILED, "reads the request and says nothing", reason=("failed-timeout",))
def _(c: Connection, asked: Asked) -> None:
    c.hold()


@slow("silent-after-head", (WARNED, FAILED), "a head, and then nothing")
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Content-Length: 5000"))
    c.hold()


@slow("tls-stall", FAILED, "never answers a TLS hello", url="https://127.0.0.1:{port}/tls-stall")
def _(c: Connection, asked: Asked) -> None:
    c.hold()


@slow("interim-flood", FAILED, "100 Continue for ever, at speed")
def _(c: Connection, asked: Asked) -> None:
    while True:
        c.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 200)


@slow("interim-drip", FAILED, "103 Early Hints now and then, for ever", reason=("failed-timeout",))
def _(c: Connection, asked: Asked) -> None:
    while True:
        c.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
        c.wait(0.1)


@slow("slow-hops", FAILED, "redirects that each take most of a second", requests_max=8)
def _(c: Connection, asked: Asked) -> None:
    c.wait(0.7)
    c.send(redirect(f"/slow-hops/{int(asked.rest or 0) + 1}"))


@slow("empty-blocks", (WARNED, FAILED), "deflate blocks that hold nothing, for ever")
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Content-Encoding: deflate"))
    squeeze = zlib.compressobj()
    c.send(squeeze.compress(page("empty-blocks")) + squeeze.flush(zlib.Z_SYNC_FLUSH))
    while True:
        c.send(squeeze.flush(zlib.Z_FULL_FLUSH) or b"\0\0\0\xff\xff")
        c.wait(0.05)


def _busy(name: str, value: str) -> None:
    @slow(
        f"later-{name}",
        FAILED,
        f"429 that asks for a wait of {value}",
        requests_max=3,
        reason=("http-429",),
        alone=True,
    )
    def _(c: Connection, asked: Asked) -> None:
        c.send(answer(b"later", ("Retry-After", value), status="429 Too Many Requests", type="text/plain"))


for _name, _value in (
    ("years", "999999999"),
    ("huge", "9" * 400),
    ("nan", "NaN"),
    ("negative", "-5"),
    ("date", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ("bad-date", "Fri, 99 Foo 99999 99:99:99 GMT"),
    ("blank", " "),
):
    _busy(_name, _value)
