"""Secrets are in none of the stored bytes, and what was taken out is named and still adds up."""

from __future__ import annotations

import base64
import gzip
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog import canon
from searchlog.capture.client import Client
from searchlog.capture.codec import exchange_from_json, exchange_to_json
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Limits, Outcome, Request, header, wire_response
from searchlog.capture.guard import Allow
from searchlog.capture.message import parse
from searchlog.capture.redact import Draft, clean
from searchlog.capture.shown import shown_url
from searchlog.clock import SystemClock
from searchlog.secrecy import Secrets
from searchlog.shape import without_passwords
from tests.wire_server import Script, WireServer

CLOCK = SystemClock()
KEY = "sk-Canary/+99 é&\"key'"
PLAIN = KEY.encode()

ECHOES = {
    "plain": PLAIN,
    "percent": quote(KEY, safe="").encode(),
    "percent-lower": quote(KEY, safe="").replace("%2F", "%2f").replace("%C3%A9", "%c3%a9").encode(),
    "percent-slash": quote(KEY).encode(),
    "plus": quote(KEY, safe="").replace("%20", "+").encode(),
    "base64": base64.b64encode(PLAIN),
    "base64-in-basic": base64.b64encode(b"user:" + PLAIN + b":x"),
    "base64-shifted": base64.b64encode(b"ab" + PLAIN + b"tail"),
    "base64-url": base64.urlsafe_b64encode(b"a" + PLAIN),
    "json": json.dumps({"k": KEY}).encode(),
    "json-utf-8": json.dumps({"k": KEY}, ensure_ascii=False).encode(),
    "json-slash": json.dumps(KEY).replace("/", "\\/").encode(),
    "html": b'<a title="sk-Canary/+99 \xc3\xa9&amp;&quot;key&#x27;">',
    "lower": KEY.lower().encode(),
    "upper": KEY.upper().encode(),
    "mixed-case": KEY.swapcase().encode(),
    "percent-upper": quote(KEY.upper(), safe="").encode(),
    "json-upper": json.dumps(KEY.upper()).encode(),
    "html-lower": "".join(f"&#{ord(char)};" for char in KEY.lower()).encode(),
    "html-hex-upper": "".join(f"&#X{ord(char):X};" for char in KEY.upper()).encode(),
    "string-escapes": "".join(f"\\x{byte:02X}" for byte in PLAIN).encode(),
    "hex": PLAIN.hex().encode(),
    "hex-upper": PLAIN.hex().upper().encode(),
    "hex-of-lower": KEY.lower().encode().hex().encode(),
    "hex-of-upper": b"0x00" + KEY.upper().encode().hex().upper().encode() + b"ff",
}


def ask(script: Script, request: Request | None = None, path: str = "/") -> Exchange:
    with WireServer({path: script}) as server:
        allow = Allow.parse([f"127.0.0.1:{server.port}"])
        asked = request or Request("GET", "/", secrets=(KEY,))
        asked = Request(asked.method, server.url(path), asked.headers, asked.body, asked.secrets)
        with Client(clock=CLOCK, allow=allow) as client:
            return client.exchange(asked, Deadline(5, CLOCK))


def everything(exchange: Exchange) -> bytes:
    """Return all that would be stored of an exchange."""
    whole = wire_response(exchange.response_head, exchange.payload, exchange.framing)
    return (
        whole
        + exchange.request_head
        + exchange.request_body
        + exchange.decoded.data
        + repr(exchange).encode()
        + canon.dumps(exchange_to_json(exchange))
    )


def assert_clean(exchange: Exchange) -> None:
    stored = everything(exchange)
    for form in (
        PLAIN,
        quote(KEY, safe="").encode(),
        base64.b64encode(PLAIN)[:-4],
        json.dumps(KEY)[1:-1].encode(),
        PLAIN.hex().encode(),
    ):
        assert form not in stored
        assert form.lower() not in stored.lower()
    assert b"canary" not in stored.lower()


@pytest.mark.parametrize("name", ECHOES)
def test_secret_is_found_in_each_form_a_server_echoes(name: str) -> None:
    """Hexadecimal, and a key in small or capital letters, were missed."""
    secrets = Secrets([KEY])
    assert secrets.found_in(ECHOES[name])
    assert b"canary" not in secrets.replace(ECHOES[name]).lower()
    assert not secrets.found_in(secrets.replace(ECHOES[name]))


@given(st.binary(max_size=12), st.binary(max_size=12), st.text(st.characters(codec="utf-8"), min_size=10, max_size=40))
def test_secret_is_found_in_base64_at_any_alignment(before: bytes, after: bytes, key: str) -> None:
    assert Secrets([key]).found_in(base64.b64encode(before + key.encode() + after))


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs"]), min_size=4, max_size=40),
    st.sampled_from(["lower", "upper", "swapcase"]),
)
def test_secret_is_found_in_any_case_and_in_hexadecimal(key: str, case: str) -> None:
    # what becomes two letters, such as the capital of ß, is no other case of the same key
    other = "".join(char if len(getattr(char, case)()) != 1 else getattr(char, case)() for char in key)
    found = Secrets([key])
    for form in (other, other.encode().hex(), other.encode().hex().upper(), quote(other, safe="")):
        assert found.found_in(form.encode())


def test_short_secret_is_not_searched_for_in_hexadecimal() -> None:
    assert not Secrets(["abc"]).found_in(b"616263")
    assert Secrets(["abcd"]).found_in(b"61626364")


@pytest.mark.parametrize("piece", [b"aA", b"%61", b"&#97;", b"6141", b"\\u0061", b"\\x41"], ids=repr)
def test_near_misses_cost_time_in_their_length_only(piece: bytes) -> None:
    """Two branches of the pattern matched the same letter, and the time doubled with each one of them."""
    assert not Secrets(["a" * 60 + "!"]).found_in(piece * 10_000)


def test_honest_text_is_left_alone() -> None:
    secrets = Secrets([KEY, ""])
    text = b"The harbour keeps a book of tides: sk-, 99, key, Canary."
    assert secrets.replace(text) == text
    assert not Secrets([""])


def test_secret_in_url_head_and_body_of_the_request_is_replaced() -> None:
    request = Request(
        "POST",
        "",
        (("X-Custom", KEY.replace("é", "e")), ("Authorization", "Bearer other"), ("X-Subscription-Token", "t")),
        json.dumps({"api_key": KEY}).encode(),
        (KEY, KEY.replace("é", "e")),
    )
    exchange = ask([b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], request, "/?api_key=" + quote(KEY, safe=""))
    assert_clean(exchange)
    assert exchange.url.endswith("/?api_key=[redacted]")
    assert b"/?api_key=[redacted] HTTP/1.1" in exchange.request_head
    assert b"\r\nX-Custom: [redacted]\r\n" in exchange.request_head
    assert b"\r\nAuthorization: [redacted]\r\n" in exchange.request_head
    assert exchange.request_body == b'{"api_key": "[redacted]"}'
    assert set(exchange.departures) == {
        "redacted:request:url",
        "redacted:request:head",
        "redacted:request:authorization",
        "redacted:request:x-subscription-token",
        "redacted:request:body",
    }


@pytest.mark.parametrize("name", ECHOES)
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_echo_in_the_payload_is_replaced_and_the_framing_adds_up(framing: str, name: str) -> None:
    body = b"<p>bad key: " + ECHOES[name] + b"</p> end"
    head = b"HTTP/1.1 401 No\r\nX-A: b\r\n"
    if framing == "length":
        data = head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    elif framing == "close":
        data = head + b"\r\n" + body
    else:  # the secret lies across chunks
        half = len(body) // 2
        data = head + b"Transfer-Encoding: chunked\r\n\r\n%x;x\r\n%s\r\n%x\r\n%s\r\n0\r\nX-T: 1\r\n\r\n" % (
            half, body[:half], len(body) - half, body[half:],
        )  # fmt: skip
    exchange = ask([data])
    assert_clean(exchange)
    assert exchange.outcome is Outcome.COMPLETE
    assert b"[redacted]" in exchange.payload
    assert exchange.payload.endswith(b"</p> end")
    assert exchange.decoded.data == exchange.payload
    assert "redacted:payload" in exchange.departures
    again = parse(wire_response(exchange.response_head, exchange.payload, exchange.framing))
    assert again.complete
    assert (again.payload, again.headers) == (exchange.payload, exchange.headers)
    assert exchange.framing.kind == framing
    if framing == "chunked":
        assert exchange.framing.tail == b"\r\n0\r\nX-T: 1\r\n\r\n"


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_echo_in_a_coded_payload_is_stored_decoded_and_says_so(coding: str) -> None:
    import brotli

    body = b"<p>" + PLAIN + b"</p>" * 50
    payload = gzip.compress(body) if coding == "gzip" else brotli.compress(body)
    exchange = ask(
        [
            b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding.encode(), len(payload)),
            payload,
        ]
    )
    assert_clean(exchange)
    assert exchange.payload == exchange.decoded.data == b"<p>[redacted]</p>" + b"</p>" * 49
    assert {"redacted:payload", "decoded:payload", "redacted:response:content-length"} <= set(exchange.departures)
    assert header(exchange.headers, "content-length") == str(len(exchange.payload))
    back = exchange_from_json(exchange_to_json(exchange), exchange.payload, Limits())
    assert back == exchange


def test_coded_payload_that_was_not_seen_to_its_end_is_not_kept_beside_a_secret() -> None:
    payload = gzip.compress(b"a" * 30_000 + PLAIN)
    message = parse(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(payload), payload)
    )
    draft, labels = clean(Draft("u", b"", b"", message, Decoded(b"a" * 10_000, ("gzip",), "length")), [KEY])
    assert draft.message.payload == b"a" * 10_000
    assert "decoded:payload" in labels


def test_echo_in_head_phrase_trailer_and_chunk_extension_is_replaced() -> None:
    key = b"sk-Canary-0123456789"
    data = (
        b"HTTP/1.1 103 Hint\r\nLink: <%s>\r\n\r\nHTTP/1.1 403 bad %s\r\nX-Echo: %s\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n2;%s\r\nhi\r\n0;%s\r\nX-Key: %s\r\nSet-Cookie: sid=77c00\r\n\r\n"
        % ((key,) * 6)
    )
    exchange = ask([data], Request("GET", "", secrets=(key.decode(),)))
    stored = everything(exchange)
    assert b"Canary" not in stored
    assert b"77c00" not in stored
    assert exchange.reason_phrase == "bad [redacted]"
    assert (exchange.payload, exchange.outcome) == (b"hi", Outcome.COMPLETE)
    assert parse(wire_response(exchange.response_head, exchange.payload, exchange.framing)).complete
    assert "redacted:framing" in exchange.departures
    assert "redacted:response:head" in exchange.departures


def test_credentials_are_replaced_by_field_name_with_folds_and_any_case() -> None:
    data = (
        b"HTTP/1.1 200 OK\r\nSET-cookie: one=1;\r\n  Path=/\r\nX-A: kept\r\nset-cookie: two=2\r\n"
        b"X-Api-Key: three\nContent-Length: 2\r\n\r\nhi"
    )
    exchange = ask([data], Request("GET", ""))
    assert exchange.response_head == (
        b"HTTP/1.1 200 OK\r\nSET-cookie: [redacted]\r\nX-A: kept\r\nset-cookie: [redacted]\r\n"
        b"X-Api-Key: [redacted]\nContent-Length: 2\r\n\r\n"
    )
    assert exchange.departures == ("redacted:response:set-cookie", "redacted:response:x-api-key")
    assert exchange.headers[0] == ("SET-cookie", "[redacted]")


def test_password_in_a_location_is_replaced_wherever_it_is_repeated() -> None:
    body = b'<a href="http://user:hunter2-in-url@h/">moved</a>'
    data = b"HTTP/1.1 302 Go\r\nLocation: http://user:hunter2-in-url@h/x\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
    exchange = ask([data], Request("GET", ""))
    assert b"hunter2" not in everything(exchange)
    assert header(exchange.headers, "location") == "http://[redacted]@h/x"
    assert "redacted:response:location" in exchange.departures


def test_location_without_a_user_name_is_left_as_it_is() -> None:
    data = b"HTTP/1.1 302 Go\r\nLocation: https://h.example/@user//x@y\r\nContent-Length: 0\r\n\r\n"
    assert ask([data], Request("GET", "")).departures == ()


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<p>" + PLAIN,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" + PLAIN,
        b"HTTP/1.1 200 OK\r\nX: " + PLAIN,
        b"junk " + PLAIN + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n" + PLAIN,
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx" + PLAIN,
    ],
    ids=["cut-length", "cut-chunk", "cut-head", "junk", "two-lengths", "after-body"],
)
def test_secret_in_a_broken_answer_is_replaced_too(data: bytes) -> None:
    exchange = ask([data])
    assert_clean(exchange)
    sizes = sum(size for _, size in exchange.framing.segments)
    assert sizes in (0, len(exchange.payload))


def test_secret_in_a_refused_url_is_replaced() -> None:
    with Client(clock=CLOCK) as client:
        exchange = client.exchange(
            Request("GET", "ftp://h/?k=sk-Canary-1", secrets=("sk-Canary-1",)), Deadline(5, CLOCK)
        )
    assert exchange.url == "ftp://h/?k=[redacted]"
    assert b"Canary" not in everything(exchange)


def test_heads_and_addresses_of_nothing_but_marks_are_read_in_one_pass() -> None:
    """`//` and 30,000 colons held the process for twelve seconds in one call, past every deadline; blanks likewise."""
    head = b"HTTP/1.1 200 OK\r\nX: //" + b":" * 500_000 + b"\r\n\r\n"
    draft = Draft("http://h/", b"GET / HTTP/1.1\r\n\r\n", b"", parse(head), Decoded(b""), "//" + ":" * 500_000)
    assert clean(draft, ())[0].message.head == head
    assert shown_url("\t" * 500_000 + "x")
    assert without_passwords("//" + ":" * 500_000)
