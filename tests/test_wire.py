"""The stored exchange equals the wire, over plain and TLS; and our reading of bytes accounts for every one of them."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Limits, Outcome, Request, wire_response
from searchlog.capture.guard import Allow
from searchlog.capture.message import Scanner, parse, parse_fields, split_request
from searchlog.capture.redact import Draft, clean
from searchlog.clock import SystemClock
from tests.wire_server import ABRUPT, RESET, WireServer, client_context

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

WHOLE = {
    "odd-header-case": OK + b"cOnTeNt-TyPe: text/html\r\nX-ODD:v\r\nCONTENT-length: 2\r\n\r\nhi",
    "blanks-round-values": OK + b"A:   one  \r\nB:\ttwo\t\r\nC:\r\nContent-Length: 2\r\n\r\nhi",
    "repeated-headers": OK + b"Link: <a>\r\nX: 1\r\nLink: <b>\r\nlink: <c>\r\nContent-Length: 2\r\n\r\nhi",
    "folded-headers": OK + b"X-Fold: one\r\n  two\r\n\tthree\r\nContent-Length: 2\r\n\r\nhi",
    "latin-1-bytes": OK + b"X-Name: caf\xe9 \xff\r\nContent-Length: 2\r\n\r\nhi",
    "no-reason-phrase": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi",
    "empty-reason-phrase": b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi",
    "long-reason-phrase": b"HTTP/1.1 200 All is   well \xe9\r\nContent-Length: 2\r\n\r\nhi",
    "chunk-extensions": CHUNKED + b'5;a=b;c="d"\r\nhello\r\n6 ; x\r\n world\r\n0;last\r\n\r\n',
    "chunk-size-digits": CHUNKED + b"00000a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\n",
    "trailers": CHUNKED + b"2\r\nhi\r\n0\r\nX-Check: 1\r\nx-more:  2\r\n\r\n",
    "one-byte-chunks": CHUNKED + b"".join(b"1\r\n%c\r\n" % c for c in b"hello there") + b"0\r\n\r\n",
    "empty-chunked": CHUNKED + b"0\r\n\r\n",
    "early-hints": b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nhi",
    "three-interims": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103\r\nA: b\r\n\r\n"
    + OK
    + b"Content-Length: 2\r\n\r\nhi",
    "close-delimited": OK + b"Content-Type: text/plain\r\n\r\nuntil the end",
    "http-1.0": b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nold body",
    "no-headers": OK + b"\r\nbody",
    "no-content": b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
    "not-modified": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\nETag: x\r\n\r\n",
    "same-length-twice": OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    "length-and-chunked": OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "lone-line-feeds": b"HTTP/1.1 200 OK\nContent-Length: 2\nX: y\n\nhi",
    "lone-line-feeds-chunked": b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n",
    "line-that-is-no-field": OK + b"this line has no colon\r\nContent-Length: 2\r\n\r\nhi",
    "blank-in-field-name": OK + b"Bad Name: x\r\nContent-Length: 2\r\n\r\nhi",
    "nul-in-field": OK + b"X-Nul: a\x00b\r\nContent-Length: 2\r\n\r\nhi",
    "gzip-transfer-coding": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "large-body": OK + b"Content-Length: 300000\r\n\r\n" + b"0123456789" * 30_000,
    "empty-body": OK + b"Content-Length: 0\r\n\r\n",
    "binary-body": OK + b"Content-Length: 256\r\n\r\n" + bytes(range(256)),
    "bytes-after-body": OK + b"Content-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\nFORGED",
}

CUT = {
    "length-too-large": (OK + b"Content-Length: 100\r\n\r\nonly this", "disconnect"),
    "chunks-without-end": (CHUNKED + b"5\r\nhello\r\n", "disconnect"),
    "cut-inside-chunk": (CHUNKED + b"20\r\nhello", "disconnect"),
    "cut-inside-chunk-size": (CHUNKED + b"5\r\nhello\r\n1", "disconnect"),
    "cut-before-trailer-end": (CHUNKED + b"2\r\nhi\r\n0\r\nX-T: 1\r\n", "disconnect"),
    "chunk-size-junk": (CHUNKED + b"5\r\nhello\r\nzz\r\nmore\r\n", "protocol"),
    "chunk-too-long": (CHUNKED + b"2\r\nhi there\r\n0\r\n\r\n", "protocol"),
    "chunk-size-2-to-64": (CHUNKED + b"FFFFFFFFFFFFFFFF\r\nhello", "disconnect"),
}

FAILED = {
    "two-lengths": (OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", "protocol"),
    "length-no-number": (OK + b"Content-Length: two\r\n\r\nhi", "protocol"),
    "length-negative": (OK + b"Content-Length: -2\r\n\r\nhi", "protocol"),
    "not-http": (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "protocol"),
    "cut-in-head": (b"HTTP/1.1 200 OK\r\nContent-Le", "disconnect"),
    "nothing": (b"", "disconnect"),
}

schemes = pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])


def ask(server: WireServer, path: str = "/", limits: Limits = Limits(), method: str = "GET") -> Exchange:
    clock = SystemClock()
    allow = Allow.parse([f"127.0.0.1:{server.port}"])
    with Client(clock=clock, limits=limits, allow=allow, ssl_context=client_context()) as client:
        return client.exchange(Request(method, server.url(path)), Deadline(20, clock))


def stored(exchange: Exchange) -> bytes:
    return wire_response(exchange.response_head, exchange.payload, exchange.framing)


@schemes
@pytest.mark.parametrize("name", WHOLE)
def test_stored_exchange_equals_the_wire(name: str, tls: bool) -> None:
    with WireServer({"/": [WHOLE[name]]}, tls=tls) as server:
        exchange = ask(server)
    assert stored(exchange) == WHOLE[name]
    assert exchange.request_head + exchange.request_body == server.requests[0]
    assert (exchange.outcome, exchange.reason) == (Outcome.COMPLETE, None)
    assert exchange.departures == ()


@schemes
@pytest.mark.parametrize("name", CUT)
def test_message_cut_short_is_kept_to_the_byte_and_called_truncated(name: str, tls: bool) -> None:
    data, reason = CUT[name]
    with WireServer({"/": [data]}, tls=tls) as server:
        exchange = ask(server)
    assert stored(exchange) == data
    assert (exchange.outcome, exchange.reason) == (Outcome.TRUNCATED, reason)
    assert exchange.detail


@schemes
@pytest.mark.parametrize("name", FAILED)
def test_answer_without_one_meaning_fails_and_keeps_its_bytes(name: str, tls: bool) -> None:
    data, reason = FAILED[name]
    with WireServer({"/": [data]}, tls=tls) as server:
        exchange = ask(server)
    assert stored(exchange) == data
    assert (exchange.outcome, exchange.reason) == (Outcome.FAILED, reason)
    assert exchange.detail


@schemes
def test_bytes_sent_in_pieces_are_joined_as_sent(tls: bool) -> None:
    data = WHOLE["chunk-extensions"]
    with WireServer({"/": [data[i : i + 7] for i in range(0, len(data), 7)]}, tls=tls) as server:
        exchange = ask(server)
    assert stored(exchange) == data
    assert exchange.payload == b"hello world"


def test_parts_of_a_message_are_kept_apart() -> None:
    data = WHOLE["early-hints"] + b"EXTRA"
    with WireServer({"/": [data]}) as server:
        exchange = ask(server)
    assert exchange.response_head.startswith(b"HTTP/1.1 103 Early Hints\r\n")
    assert exchange.headers == (("Content-Length", "2"),)
    assert exchange.payload == exchange.decoded.data == b"hi"
    assert exchange.framing.tail == b"EXTRA"
    assert exchange.warnings == ("bytes-after-body",)


def test_oddities_with_one_meaning_are_warnings() -> None:
    expected = {
        "length-and-chunked": "length-and-transfer-coding",
        "same-length-twice": "two-content-lengths",
        "lone-line-feeds": "lone-line-feed",
        "line-that-is-no-field": "bad-header-line",
        "gzip-transfer-coding": "transfer-coding",
        "bytes-after-body": "bytes-after-body",
    }
    with WireServer({f"/{name}": [WHOLE[name]] for name in expected}) as server:
        for name, warning in expected.items():
            assert warning in ask(server, f"/{name}").warnings


def test_answer_that_h11_refuses_is_read_to_its_end_by_us() -> None:
    """h11 refuses a header line without a colon before the body has arrived."""
    data = OK + b"no colon here\r\nContent-Length: 10\r\n\r\n"
    with WireServer({"/": [data, 0.1, b"01234", 0.05, b"56789", "hang"]}) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.payload) == (Outcome.COMPLETE, b"0123456789")
    assert "after-protocol" in exchange.warnings


def test_answer_to_head_has_no_body() -> None:
    data = OK + b"Content-Length: 500\r\n\r\n"
    with WireServer({"/": [data]}) as server:
        exchange = ask(server, method="HEAD")
    assert (exchange.outcome, exchange.payload, exchange.framing.kind) == (Outcome.COMPLETE, b"", "none")
    assert stored(exchange) == data


def test_peer_facts_come_from_the_same_connection() -> None:
    with WireServer({"/": [WHOLE["empty-body"]]}, tls=True) as server:
        peer = ask(server).peer
    assert peer is not None
    assert (peer.address, peer.port) == ("127.0.0.1", server.port)
    assert peer.tls_version == "TLSv1.3"
    assert peer.cipher is not None
    assert peer.cipher.startswith("TLS_")
    assert peer.certificate is not None
    assert peer.certificate[:1] == b"\x30"


def test_plain_connection_has_an_address_and_no_tls_facts() -> None:
    with WireServer({"/": [WHOLE["empty-body"]]}) as server:
        peer = ask(server).peer
    assert peer is not None
    assert (peer.address, peer.tls_version, peer.cipher, peer.certificate) == ("127.0.0.1", None, None, None)


@schemes
def test_reset_in_the_body_keeps_what_arrived(tls: bool) -> None:
    with WireServer({"/": [OK + b"Content-Length: 10\r\n\r\nhalf", 0.1, RESET]}, tls=tls) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.reason, exchange.payload) == (Outcome.TRUNCATED, "disconnect", b"half")


def test_reset_of_a_body_without_length_is_not_its_end() -> None:
    with WireServer({"/": [OK + b"\r\nhalf", 0.1, RESET]}) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.reason) == (Outcome.TRUNCATED, "disconnect")


def test_tls_that_ends_without_saying_so_is_a_warning() -> None:
    with WireServer({"/": [OK + b"\r\nall or not", ABRUPT]}, tls=True) as server:
        exchange = ask(server)
    assert exchange.payload == b"all or not"
    assert exchange.warnings == ("no-close-notify",)


def test_untrusted_certificate_is_a_tls_failure() -> None:
    with WireServer({}, tls=True, names=("other.example",)) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.reason) == (Outcome.FAILED, "tls")
    assert "certificate" in exchange.detail


# -- caps ----------------------------------------------------------------------------------------------------------


@schemes
def test_body_over_the_cap_is_cut_at_exactly_the_cap(tls: bool) -> None:
    body = b"x" * 200_000
    with WireServer({"/": [OK + b"Content-Length: 200000\r\n\r\n" + body]}, tls=tls) as server:
        for cap in (1, 100, 150_000):
            exchange = ask(server, limits=Limits(coded_bytes_max=cap))
            assert (exchange.outcome, exchange.reason) == (Outcome.TRUNCATED, "length")
            assert exchange.payload == body[:cap]


def test_body_of_exactly_the_cap_is_whole() -> None:
    with WireServer({"/": [OK + b"Content-Length: 1000\r\n\r\n" + b"x" * 1000]}) as server:
        exchange = ask(server, limits=Limits(coded_bytes_max=1000))
    assert exchange.outcome is Outcome.COMPLETE


def test_heads_over_the_cap_fail_and_are_kept() -> None:
    flood = b"HTTP/1.1 100 Continue\r\n\r\n" * 4000
    long = OK + b"X: " + b"y" * 200_000 + b"\r\n\r\n"
    with WireServer({"/flood": [flood, "hang"], "/long": [long, "hang"]}) as server:
        for path in ("/flood", "/long"):
            exchange = ask(server, path)
            assert (exchange.outcome, exchange.reason) == (Outcome.FAILED, "header-too-large")
            assert 65_536 < len(exchange.response_head) <= 65_536 * 2


def test_endless_chunks_are_cut_by_count() -> None:
    data = CHUNKED + b"1\r\nx\r\n" * 100_002
    with WireServer({"/": [data]}) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.reason) == (Outcome.TRUNCATED, "length")
    assert len(exchange.framing.segments) == 100_000


@pytest.mark.parametrize(
    "data",
    [
        CHUNKED + b"5\r\nhello\r\n0\r\n" + b"X-Trailer: value\r\n" * 100_000,
        CHUNKED + (b"1;" + b"x" * 8_000 + b"\r\nh\r\n") * 200,
    ],
    ids=["trailers", "extensions"],
)
def test_framing_without_end_is_cut_as_by_a_size_cap(data: bytes) -> None:
    """Five megabytes of trailers were kept as a field list of the record, which took 150 MB of memory."""
    with WireServer({"/": [data, "hang"]}) as server:
        exchange = ask(server)
    assert (exchange.outcome, exchange.reason) == (Outcome.TRUNCATED, "length")
    assert data.startswith(wire_response(exchange.response_head, exchange.payload, exchange.framing))
    assert len(exchange.framing.tail) + sum(len(raw) for raw, _ in exchange.framing.segments) < 1_300_000


# -- reading bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLE)
def test_message_cut_anywhere_gives_its_bytes_back(name: str) -> None:
    data = WHOLE[name][:2_000]
    for cut in range(len(data)):
        message = parse(data[:cut])
        assert wire_response(message.head, message.payload, message.framing) == data[:cut]


pieces = st.lists(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 404\n", b"HTTP/1.1 103 x\r\n", b"Transfer-Encoding: chunked\r\n",
            b"Content-Length: 5\r\n", b"content-length: 7\r\n", b"A: b\r\n", b" fold\r\n", b"\r\n", b"\n", b"5\r\n",
            b"hello", b"0\r\n", b"5;x\n", b"FF\r\n", b":", b"\xff\x00",
        ]
    )
    | st.binary(max_size=8),
    max_size=14,
).map(b"".join)  # fmt: skip


@settings(max_examples=400)
@given(st.binary(max_size=300) | pieces, st.sampled_from(["GET", "HEAD"]), st.booleans())
def test_any_bytes_are_read_without_error_and_given_back(data: bytes, method: str, eof: bool) -> None:
    message = parse(data, method, eof)
    assert wire_response(message.head, message.payload, message.framing) == data
    assert sum(size for _, size in message.framing.segments) in (0, len(message.payload))


@settings(max_examples=300)
@given(pieces, st.lists(st.integers(0, 200), max_size=6))
def test_how_bytes_are_split_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    scanner = Scanner()
    points = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, end in pairwise(points):
        scanner.feed(data[start:end])
    assert scanner.finish() == parse(data)


@settings(max_examples=200)
@given(st.lists(st.binary(min_size=1, max_size=20), max_size=8), st.sampled_from(["%x", "%X", "00%x", "%x ; a=b"]))
def test_chunked_payload_is_what_was_chunked(chunks: list[bytes], size: str) -> None:
    body = b"".join((size % len(c)).encode() + b"\r\n" + c + b"\r\n" for c in chunks) + b"0\r\n\r\n"
    message = parse(CHUNKED + body)
    assert message.complete
    assert message.payload == b"".join(chunks)
    assert message.warnings == ()


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 " + b" " * 60_000 + b"x\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A" * 60_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n" + b" \t" * 30_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b" x\r\n" * 15_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n" + b" x\r\n" * 15_000 + b"\r\n\r\n",
        CHUNKED + b"5" + b" " * 8_000 + b"x\r\nhello",
    ],
    ids=["blanks-in-status", "long-line", "long-fold", "folds-of-nothing", "many-folds", "blanks-in-size"],
)
def test_hostile_heads_take_no_time(data: bytes) -> None:
    start = time.process_time()
    draft = Draft("", b"", b"", parse(data), Decoded(b""))
    clean(draft, ["secret"])
    assert time.process_time() - start < 0.5


def test_fields_are_read_in_order_with_case_folds_and_repeats() -> None:
    fields, bad = parse_fields(b"B: 1\r\nb:2\r\nA : x\r\n  y\r\n\r\n")
    assert fields == (("B", "1"), ("b", "2"), ("A", "x y"))
    assert not bad


def test_request_is_split_at_its_blank_line() -> None:
    assert split_request(b"POST / HTTP/1.1\r\nA: b\r\n\r\nbody\r\n\r\n") == (
        b"POST / HTTP/1.1\r\nA: b\r\n\r\n",
        b"body\r\n\r\n",
    )
    assert split_request(b"GET") == (b"GET", b"")


@pytest.mark.parametrize(
    "body", [["hang"], [b"x" * 200_000, "hang"], [piece for _ in range(60) for piece in (b"x", 0.1)]]
)
def test_body_of_a_redirect_is_not_waited_for(body: list[object]) -> None:
    """A redirect whose body never came used up the time of the page behind it."""
    head = b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 1000000\r\n\r\n"
    with WireServer({"/": [head, *body]}) as server:  # type: ignore[list-item]
        exchange = ask(server, limits=Limits(total_s=20))
    assert exchange.status == 302
    assert exchange.outcome is Outcome.TRUNCATED
    assert exchange.reason in ("time", "length")
    assert exchange.duration_ms < 5_000
    assert len(exchange.payload) <= 65_536


def test_part_that_nobody_asked_for_is_not_called_whole() -> None:
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9999\r\nContent-Length: 4\r\n\r\n"
    with WireServer({"/": [head + b"<p>x"]}) as server:
        assert "partial-content" in ask(server).warnings
