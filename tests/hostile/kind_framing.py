"""Messages whose framing is wrong, contradictory, or no HTTP at all."""

from __future__ import annotations

from functools import partial

from tests.hostile.case import CAPTURED, FAILED, HTML, WARNED, answer, case, chunk, head, page
from tests.hostile.server import Asked, Connection

framing = partial(case, kind="framing")
_CUT = (WARNED, FAILED)
_ANY = (CAPTURED, WARNED, FAILED)


def _sends(id: str, expect: str | tuple[str, ...], what: str, data: bytes, *, then: str = "", **facts: object) -> None:
    @framing(id, expect, what, **facts)
    def _(c: Connection, asked: Asked) -> None:
        c.send(data)
        if then == "reset":
            c.wait(0.1)
            c.reset()


_chunks = head("Transfer-Encoding: chunked")

_sends(
    "length-too-big",
    _CUT,
    "ends long before its length",
    answer(page("length-too-big"), ("Content-Length", "90000"), length=False),
    warns=("truncated-disconnect",),
    text_has=("SEEN-length-too-big",),
)
_sends(
    "length-too-small",
    _ANY,
    "more bytes than it says, and a forged answer after them",
    answer(page("length-too-small"), ("Content-Length", "200"), length=False) + answer(page("FORGED")),
    text_lacks=("SEEN-FORGED",),
)
for _name, _value in (
    ("negative", "-1"),
    ("plus", "+50"),
    ("hex", "0x50"),
    ("words", "many"),
    ("huge", "9" * 60),
    ("list-apart", "50, 60"),
    ("dots", "50.0"),
    ("digits-wide", "５０"),
):
    _sends(
        f"length-{_name}",
        _CUT,
        f"a length of {_value[:12]}",
        answer(page("length"), ("Content-Length", _value), length=False),
    )
_sends(
    "length-list-same",
    _ANY,
    "the same length twice in one field",
    answer(b"<p>SEEN-twice</p>", ("Content-Length", "17, 17"), length=False),
)
_sends("two-lengths", _CUT, "two lengths that disagree", answer(page("two-lengths"), ("Content-Length", "50")))
_sends("two-lengths-same", _ANY, "two lengths that agree", answer(b"<p>SEEN-same</p>", ("Content-Length", "16")))
_sends(
    "length-and-chunks",
    _ANY,
    "a length and chunks",
    head("Content-Length: 5", "Transfer-Encoding: chunked") + chunk(page("length-and-chunks")) + b"0\r\n\r\n",
    warns=("length-and-transfer-coding",),
)
_sends(
    "chunks-cut",
    _CUT,
    "chunks without a last one",
    _chunks + chunk(page("chunks-cut")),
    warns=("truncated-disconnect",),
    text_has=("SEEN-chunks-cut",),
)
_sends("chunk-cut-inside", _CUT, "ends inside a chunk", _chunks + chunk(page("chunk-cut-inside"))[:-300])
for _name, _size in (
    ("junk", b"ZZ!"),
    ("huge", b"FFFFFFFFFFFFFFFF"),
    ("huger", b"F" * 300),
    ("negative", b"-5"),
    ("plus", b"+5"),
    ("prefix", b"0x5"),
    ("blank", b""),
    ("underscore", b"1_0"),
):
    _sends(
        f"chunk-size-{_name}",
        _CUT,
        f"a chunk size of {_size[:8]!r}",
        _chunks + chunk(page("chunk-size")) + _size + b"\r\nmore\r\n0\r\n\r\n",
    )
_sends("chunk-no-break", _CUT, "no line end after a chunk", _chunks + b"5\r\nhello5\r\nworld\r\n0\r\n\r\n")
_sends("chunk-line-feeds", _ANY, "chunks that end in line feeds alone", _chunks + b"5\nhello\n0\n\n")
_sends(
    "chunk-extension-long",
    _CUT,
    "a chunk extension of 1 MB",
    _chunks + b"5;" + b"x" * 1_000_000 + b"\r\nhello\r\n0\r\n\r\n",
)
_sends("not-http", FAILED, "bytes that are no HTTP", bytes(range(256)) * 40)
_sends("html-at-once", FAILED, "HTTP/0.9: a page without a head", page("html-at-once"))
_sends("http2-settings", FAILED, "an HTTP/2 frame", b"\0\0\x12\x04\0\0\0\0\0" + b"\0" * 18)
_sends("tls-alert", FAILED, "a TLS alert in the clear", b"\x15\x03\x01\x00\x02\x02\x46")
_sends(
    "http-10",
    _ANY,
    "HTTP/1.0 that ends with the connection",
    b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("http-10"),
    text_has=("SEEN-http-10",),
)
_sends(
    "http-2-status",
    _ANY,
    "claims HTTP/2.0 in a text head",
    b"HTTP/2.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("x"),
)
for _status in ("999 Odd", "000 Zero", "20 Short", "2000 Long", "OK 200", "-20 Minus", "200"):
    _sends(
        f"status-{_status.replace(' ', '-').lower()}",
        _ANY,
        f"a status of {_status!r}",
        b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n" % _status.encode(),
    )
_sends(
    "line-feeds", _ANY, "a head whose lines end in line feeds alone", answer(page("line-feeds")).replace(b"\r\n", b"\n")
)
_sends(
    "no-colon",
    _ANY,
    "a header line without a colon",
    head("Content-Type: text/html", "no colon here", "Content-Length: 3") + b"<p>",
)
_sends("blank-before-colon", _ANY, "a blank before the colon", head("Content-Length : 3") + b"<p>")
_sends(
    "folded",
    _ANY,
    "a folded header",
    head("X-Fold: one\r\n two\r\n\tthree", "Content-Length: 16") + b"<p>SEEN-fold</p>",
)
_sends("nul-in-head", _ANY, "NUL in a header value", head("X-N: a\0b", "Content-Length: 3") + b"<p>")
_sends(
    "bytes-in-head",
    _ANY,
    "bytes above 127 in a header value",
    head("Content-Length: 3").replace(b"Content-L", b"X-Odd: \xff\xfe\x80\r\nContent-L") + b"<p>",
)
_sends(
    "unknown-coding", _ANY, "a transfer coding nobody knows", head("Transfer-Encoding: rot13") + page("unknown-coding")
)
_sends(
    "gzip-then-chunks",
    _CUT,
    "gzip as a transfer coding",
    head("Transfer-Encoding: gzip, chunked") + chunk(b"\x1f\x8b") + b"0\r\n\r\n",
)
_sends(
    "chunked-twice",
    _ANY,
    "chunked named twice",
    head("Transfer-Encoding: chunked, chunked") + chunk(page("x")) + b"0\r\n\r\n",
)
_sends(
    "no-body-204",
    _ANY,
    "204 with a body",
    answer(page("no-body-204"), status="204 No Content"),
    text_lacks=("SEEN-no-body-204",),
)
_sends("unasked-304", FAILED, "304 that nobody asked for", answer(b"", status="304 Not Modified"))
_sends(
    "unasked-101",
    _CUT,
    "101 that nobody asked for",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello",
)
_sends(
    "unasked-206",
    _ANY,
    "a part that nobody asked for",
    answer(page("unasked-206"), ("Content-Range", "bytes 0-10/9999"), status="206 Partial Content"),
)
_sends(
    "reset-inside",
    _CUT,
    "a reset in the middle of the body",
    answer(page("reset-inside"), ("Content-Length", "90000"), length=False),
    then="reset",
)
_sends("reset-in-head", FAILED, "a reset in the middle of the head", b"HTTP/1.1 200 OK\r\nContent-", then="reset")
_sends("reset-at-once", FAILED, "a reset instead of an answer", b"", then="reset")
_sends("end-at-once", FAILED, "the connection ends without an answer", b"")
_sends("end-in-head", FAILED, "the connection ends within the head", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
_sends(
    "answer-twice",
    _ANY,
    "a second answer behind a whole first one",
    answer(page("answer-twice")) + answer(page("FORGED")),
    text_has=("SEEN-answer-twice",),
    text_lacks=("SEEN-FORGED",),
)
_sends(
    "type-twice",
    _ANY,
    "two types that disagree",
    answer(page("type-twice"), ("Content-Type", "application/pdf")),
    raw_has=("SEEN-type-twice",),
)
_sends("no-type", _ANY, "no type at all", answer(page("no-type"), type=None), text_has=("SEEN-no-type",))
_sends(
    "only-lf-body",
    _ANY,
    "a head that is followed by line feeds",
    answer(b"\n" * 5_000 + page("only-lf-body")),
    text_has=("SEEN-only-lf-body",),
)
_sends(
    "eternal-type",
    _ANY,
    "a type of 30,000 characters",
    answer(page("eternal-type"), type=HTML + ";x=" + "y" * 30_000),
    text_has=("SEEN-eternal-type",),
)
