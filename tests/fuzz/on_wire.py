"""Targets of `capture/`: what crosses the wire, and what is told of it."""

from __future__ import annotations

import gzip
import ipaddress
import json
import socket
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import brotli
import httpx
import zstandard

from searchlog import canon
from searchlog.capture import codec, coding, freshness, robots
from searchlog.capture.exchange import Exchange, Fetch, Limits, Outcome, Peer, wire_response
from searchlog.capture.guard import Allow, Refusal, Target, check_url, join_url, refusal, safe_url
from searchlog.capture.message import Message, Scanner, parse
from searchlog.capture.politeness import WAIT_MAX_S, retry_after
from searchlog.capture.redact import Draft, clean
from searchlog.capture.shown import shown_url
from searchlog.errors import FormatError, UsageError
from tests.fuzz import target as fuzz

__all__ = ["TARGETS"]

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LIMITS = Limits(decoded_bytes_max=300_000)
PAGE = b"<title>Tide mills</title><p>The pond fills with the tide.</p>" * 8

# -- messages ------------------------------------------------------------------------------------------------------


def messages() -> list[bytes]:
    """Return responses of every framing."""
    packed = gzip.compress(PAGE, mtime=0)
    chunks = b"5;a=b\r\nhello\r\n" + b"%x\r\n%s\r\n" % (len(PAGE), PAGE) + b"0\r\nX-Sum: 1\r\nSet-Cookie: t=1\r\n\r\n"
    return [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE),
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
        b"HTTP/1.0 200 OK\nServer: x\n folded\nContent-Encoding: gzip\n\n" + packed,
        b"HTTP/1.1 304 Not Modified\r\nETag: x\r\nCache-Control: max-age=60, private\r\nAge: 5\r\n\r\nGET",
        b"HTTP/1.1 301 Moved\r\nLocation: //u:p@h/x\r\nExpires: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        b"Date: Wed, 31 Dec 2025 00:00:00 GMT\r\nVary: Accept\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 429 Slow\r\nRetry-After: Fri, 02 Jan 2026 03:04:35 GMT\r\nContent-Length: 2\r\n\r\nno",
        b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=abcdefgh12345678; Path=/\r\nX-Api-Key: hunter2hunter2\r\n"
        b"Content-Length: 20\r\n\r\nhunter2hunter2 is it",
    ]


def check_message(data: bytes) -> None:
    """However the bytes arrive they are read the same, and head, payload and framing give them back."""
    rng = fuzz.choices(data)
    method, eof = rng.choice(["GET", "GET", "HEAD", "POST"]), rng.random() < 0.7
    whole = parse(data, method, eof)
    scanner, at = Scanner(method), 0
    while at < len(data):
        size = rng.choice([1, 2, 3, 17, 400, 5_000])
        scanner.feed(data[at : at + size])
        at += size
    assert scanner.finish(eof) == whole
    assert wire_response(whole.head, whole.payload, whole.framing) == data
    if whole.framing.segments:
        assert sum(size for _, size in whole.framing.segments) == len(whole.payload)
    assert all(size >= 0 for _, size in whole.framing.segments)
    assert not (whole.complete and whole.problem)
    assert all("\n" not in name + value for name, value in whole.headers)


# -- codings -------------------------------------------------------------------------------------------------------

_CODINGS = ("gzip", "deflate", "br", "zstd", "x-gzip", "raw")
_NAMES = [*_CODINGS[:5], "deflate", "compress", "identity", ""]


def encode(data: bytes, name: str) -> bytes:
    """Return data in a coding."""
    if name in ("gzip", "x-gzip"):
        return gzip.compress(data, mtime=0)
    if name == "deflate":
        return zlib.compress(data)
    if name == "raw":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(data) + packer.flush()
    return brotli.compress(data) if name == "br" else zstandard.compress(data)


def coded() -> list[bytes]:
    """Return payloads: three bytes that choose the codings, then the coded data."""
    seeds = []
    for number, name in enumerate(_CODINGS):
        names = bytes([number, 255, 255])
        body = encode(PAGE, name)
        seeds += [names + body, names + body + body, names + encode(b"\0" * 1_000_000, name), names]
        seeds += [bytes([number, other, 255]) + encode(encode(PAGE, name), _CODINGS[other]) for other in range(4)]
    return seeds


def check_coding(data: bytes) -> None:
    """Nothing is larger than the limit, and what is called whole is what another decoder gives."""
    codings = tuple(_NAMES[byte % len(_NAMES)] for byte in data[:3] if byte < 128)
    body = data[3:]
    found = coding.decode(body, codings, LIMITS)
    assert len(found.data) <= LIMITS.decoded_bytes_max
    assert found.reason in (None, "coding", "length", "unknown-coding")
    assert found == coding.decode(body, codings, LIMITS)
    if len(codings) == 1 and body:
        expected = _oracle(body, codings[0])
        if expected is not None and len(expected) <= LIMITS.decoded_bytes_max:
            assert (found.data, found.reason) == (expected, None)
        elif expected is not None:
            assert (found.data, found.reason) == (expected[: LIMITS.decoded_bytes_max], "length")


def _oracle(body: bytes, name: str) -> bytes | None:
    """Return what the library makes of the whole in one go; None when it takes it for no whole."""
    try:
        if name in ("gzip", "x-gzip"):
            return _members(body)
        if name == "deflate":
            return zlib.decompress(body)
        return brotli.decompress(body) if name == "br" else None
    except (OSError, EOFError, zlib.error, brotli.error):
        return None


def _members(body: bytes) -> bytes | None:
    """Return what gzip members that follow one another hold; what is no member ends them, as for gunzip."""
    out = []
    while body[:1] == b"\x1f" or not out:
        member = zlib.decompressobj(31)
        out.append(member.decompress(body))
        if not member.eof:
            return None
        body = member.unused_data
    return b"".join(out)


def check_coding_cut(data: bytes) -> None:
    """A coded page without its end is never called whole, and gives nothing but a beginning."""
    text, rng = data[:20_000], fuzz.choices(data)
    name = rng.choice(_CODINGS)
    body = encode(text, name)
    said = "deflate" if name == "raw" else name
    whole = coding.decode(body, (said,), LIMITS)
    assert (whole.data, whole.reason) == (text, None)
    cut = coding.decode(body[: rng.randrange(1, len(body))], (said,), LIMITS)
    assert cut.reason == "coding"
    if name != "raw":
        assert text.startswith(cut.data)


# -- exchanges -----------------------------------------------------------------------------------------------------


def exchange_of(data: bytes, method: str = "GET") -> Exchange:
    """Return the exchange that these response bytes would become."""
    message = parse(data, method)
    codings = coding.content_codings(message.headers)
    return Exchange(
        method=method,
        url="http://a.example/x",
        request_head=b"GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n",
        request_body=b"",
        response_head=message.head,
        status=message.status,
        reason_phrase=message.reason_phrase,
        headers=message.headers,
        payload=message.payload,
        framing=message.framing,
        started_at=NOW,
        duration_ms=12,
        peer=Peer("192.0.2.1", 80, "TLSv1.3", "X", b"\x30\x00"),
        outcome=Outcome.COMPLETE if message.complete else Outcome.TRUNCATED,
        http_version=message.http_version,
        warnings=message.warnings,
        decoded=coding.decode(message.payload, codings, LIMITS),
    )


def check_exchange(data: bytes) -> None:
    """An exchange survives being written as JSON, and its freshness can be told."""
    exchange = exchange_of(data, fuzz.choices(data).choice(["GET", "HEAD"]))
    value = canon.loads(canon.dumps(codec.exchange_to_json(exchange)))
    assert codec.exchange_from_json(value, exchange.payload, LIMITS) == exchange
    fetch = Fetch(exchange.url, (exchange,), exchange.outcome)
    assert freshness.storable(fetch) in (True, False)
    assert freshness.fetch_lifetime_s(fetch) >= 0
    assert freshness.fetch_age_s(fetch, NOW) >= 0
    assert all(name == name.lower() for name in freshness.vary(exchange))


def exchanges_as_json() -> list[bytes]:
    return [json.dumps(codec.exchange_to_json(exchange_of(data))).encode() for data in messages()]


def check_exchange_json(data: bytes) -> None:
    """Any JSON is an exchange or a FormatError; what can stand in a record is written again as it was."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    payload = PAGE if fuzz.choices(data).random() < 0.7 else b""
    try:
        exchange = codec.exchange_from_json(value, payload, LIMITS)
    except FormatError:
        return
    wire = wire_response(exchange.response_head, exchange.payload, exchange.framing)
    assert len(wire) >= len(payload)
    try:
        canon.loads(data)
    except FormatError:
        return
    again = canon.loads(canon.dumps(codec.exchange_to_json(exchange)))
    assert codec.exchange_from_json(again, payload, LIMITS) == exchange


def check_header_times(data: bytes) -> None:
    """Any value of Retry-After asks for a wait within bounds, or for none."""
    for value in (data.decode("latin-1"), data.decode("utf-8", "replace")):
        wait = retry_after(value, NOW)
        assert wait is None or 0 <= wait <= WAIT_MAX_S
        headers = (("Retry-After", value), ("Date", value), ("Expires", value), ("Age", value))
        exchange = replace(exchange_of(messages()[0]), headers=(*headers, ("Cache-Control", value)))
        assert freshness.lifetime_s(exchange) >= 0
        assert freshness.age_s(exchange, NOW) >= 0


def times() -> list[bytes]:
    values = ["120", "-1", "1.5", "Fri, 02 Jan 2026 03:04:35 GMT", "Friday, 02-Jan-26 03:04:35 GMT", "max-age=60"]
    return [value.encode() for value in [*values, "Fri Jan  2 03:04:35 2026", "Mon, 01 Jan 0001 00:00:00 +2359"]]


def robots_files() -> list[bytes]:
    return [
        b"/a/b?c=d\nUser-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\nSitemap: http://a.example/s\n",
        b"/x\n\xef\xbb\xbfUser-agent: a\nUser-agent: searchlog\nDisallow: /*.php$\nDisallow: /a*b*c\n\nUser-agent: b\n",
    ]


def check_robots(data: bytes) -> None:
    """Any robots.txt gives a decision, with a delay within bounds."""
    path, body = fuzz.split_line(data)
    target = check_url("http://a.example/" + path.replace(" ", "%20"))
    if isinstance(target, Refusal):
        target = check_url("http://a.example/a/b?c=d")
        assert isinstance(target, Target)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    decision = robots.read("http://a.example/robots.txt", exchange_of(answer)).decide(target, "searchlog/0.1.0")
    assert decision.rule == ("allowed" if decision.allowed else "disallowed")
    assert decision.crawl_delay_s is None or 0 <= decision.crawl_delay_s < 1e6
    assert codec.robots_from_json(canon.loads(canon.dumps(codec.robots_to_json(decision)))) == decision


# -- addresses -----------------------------------------------------------------------------------------------------


def urls() -> list[bytes]:
    texts = [
        "http://example.com/a?b#c", "https://EXAMPLE.com:443/../x", "http://[2606:4700::1]:8080/", "http://8.8.8.8/%7e",
        "http://bücher.example/é", "http://user:hunter2@h/x", "//b.example/x y", "../z?q=1", "http://127.0.0.1:80/",
        "http://0x7f.1/", "http://２.example/", "http://a.b.localhost./", "http://xn--bcher-kva.example/", "[::1]:80",
        "http://a/?next=http://u:p@h/", "http:\\\\h\\x", "http://h/[redacted]@x", "javascript:alert(1)",
    ]  # fmt: skip
    return [text.encode() for text in texts]


def check_urls(data: bytes) -> None:
    """What is accepted has one reading, which is that of the libraries that connect; what is shown holds no user."""
    for text in dict.fromkeys((data.decode("utf-8", "surrogateescape"), data.decode("latin-1"))):
        base = check_url("http://a.example/d/p")
        assert isinstance(base, Target)
        for url in (text, join_url(base, text)):
            found = check_url(url)
            if isinstance(found, Target):
                _check_accepted(found)
            else:
                assert found.reason in ("url", "scheme", "credentials")
            assert refusal(url) in (None, "url", "scheme", "credentials", "address")
            for show in (safe_url, shown_url):
                shown = show(url)
                shown.encode("utf-8")
                assert show(shown) == shown or "\\" in shown or len(url) > 2_000
        try:
            Allow.parse([text])
        except UsageError:
            pass


def _check_accepted(found: Target) -> None:
    again = check_url(found.url)
    if len(found.url) <= 8_192:  # escaping makes it longer
        assert again == found
    parts, dialled = urlsplit(found.url), httpx.URL(found.url)
    assert parts.hostname == found.host
    assert dialled.raw_host.decode("ascii").strip("[]") == found.host
    assert (dialled.port or {"http": 80, "https": 443}[found.scheme]) == found.port
    assert dialled.raw_path.decode("ascii") == found.path
    assert "@" not in parts.netloc
    assert not parts.fragment
    if found.literal:
        assert ipaddress.ip_address(found.host)
        return
    try:
        socket.inet_aton(found.host)
    except OSError:
        return
    raise AssertionError(f"{found.host} is an address for the system's resolver")


# -- secrets -------------------------------------------------------------------------------------------------------

SECRET = "hunter2hunter2"


def check_redact(data: bytes) -> None:
    """A secret is in nothing that is kept, whatever is around it, and the parts still make one message."""
    message = parse(data)
    decoded = coding.decode(message.payload, coding.content_codings(message.headers), LIMITS)
    request = b"GET /?k=%s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\n\r\n" % (SECRET.encode(), data[:200])
    url = "http://a.example/?k=" + SECRET
    found, labels = clean(Draft(url, request, data[:500], message, decoded, data[:300].decode("latin-1")), (SECRET,))
    kept = found.message
    wire = wire_response(kept.head, kept.payload, kept.framing)
    texts = (found.url, found.detail, repr(kept.headers), kept.reason_phrase)
    parts = (kept.head, kept.payload, kept.framing.tail, found.decoded.data, found.request_head, found.request_body)
    assert all(SECRET not in text.lower() for text in texts)
    assert all(SECRET.encode() not in part.lower() for part in parts)
    if kept.framing.segments:
        assert sum(size for _, size in kept.framing.segments) == len(kept.payload)
    assert bool(labels)
    if message == kept:
        assert wire == data
    elif message.complete:
        _check_reads_the_same(kept, wire)


def _check_reads_the_same(kept: Message, wire: bytes) -> None:
    again = parse(wire)
    assert again.payload == kept.payload
    assert again.complete


def secret_messages() -> list[bytes]:
    page = b"<p>hunter2hunter2 %68unter2hunter2 &#104;unter2hunter2</p>"
    more = [
        b"HTTP/1.1 200 OK\r\nX-Echo: hunter2hunter2\r\nContent-Length: %d\r\n\r\n%s" % (len(page), page),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nhunter2\r\n7\r\nhunter2\r\n"
        b"0\r\nT: hunter2hunter2\r\n\r\n",
        b"HTTP/1.1 200 hunter2hunter2\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(page, mtime=0),
        b"HTTP/1.1 200 OK\r\n\r\n"
        + SECRET.encode("utf-16-le")
        + b"aHVudGVyMmh1bnRlcjI="
        + SECRET.encode().hex().encode(),
    ]
    return [*messages(), *more]


TARGETS = [
    fuzz.Target("message", "http", check_message, messages),
    fuzz.Target("coding", "bytes", check_coding, coded),
    fuzz.Target("coding-cut", "html", check_coding_cut, lambda: [PAGE, b"x", b"\0" * 20_000, bytes(range(256)) * 40]),
    fuzz.Target("exchange", "http", check_exchange, messages),
    fuzz.Target("exchange-json", "json", check_exchange_json, exchanges_as_json),
    fuzz.Target("header-times", "http", check_header_times, times),
    fuzz.Target("robots", "text", check_robots, robots_files),
    fuzz.Target("urls", "url", check_urls, urls),
    fuzz.Target("redact", "http", check_redact, secret_messages),
]
