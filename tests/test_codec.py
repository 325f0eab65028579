"""Exchanges as JSON and back, without loss."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog import canon
from searchlog.capture.codec import exchange_from_json, exchange_to_json, robots_from_json, robots_to_json
from searchlog.capture.coding import content_codings, decode
from searchlog.capture.exchange import Exchange, Framing, Limits, Outcome, Peer, RobotsDecision
from searchlog.capture.message import parse
from searchlog.errors import FormatError

words = st.text(st.characters(codec="utf-8"), max_size=12)
bodies = st.sampled_from([b"", b"hi", b"\x00\xff", b"5\r\nhello\r\n0\r\n\r\n", b"5;x\r\nhel"]) | st.binary(max_size=40)
heads = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\nA: caf\xe9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"junk",
    ]
)
peers = st.none() | st.builds(
    Peer, words, st.integers(1, 65535), st.none() | words, st.none() | words, st.none() | st.binary(max_size=20)
)


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    message = parse(draw(heads) + draw(bodies))
    return Exchange(
        method="GET",
        url=draw(words),
        request_head=draw(st.binary(max_size=20)),
        request_body=draw(st.binary(max_size=20)),
        response_head=message.head,
        status=message.status,
        reason_phrase=message.reason_phrase,
        headers=message.headers,
        payload=message.payload,
        framing=message.framing,
        started_at=datetime(2026, 1, 2, tzinfo=UTC) + timedelta(microseconds=draw(st.integers(0, 10**12))),
        duration_ms=draw(st.integers(0, 10**6)),
        peer=draw(peers),
        outcome=draw(st.sampled_from(Outcome)),
        reason=draw(st.none() | words),
        detail=draw(words),
        http_version=message.http_version,
        departures=draw(st.lists(words, max_size=3).map(tuple)),
        warnings=message.warnings,
        decoded=decode(message.payload, content_codings(message.headers), Limits()),
    )


@given(exchanges())
def test_exchange_comes_back_from_canonical_json_as_it_was(exchange: Exchange) -> None:
    data = canon.loads(canon.dumps(exchange_to_json(exchange)))
    assert exchange_from_json(data, exchange.payload, Limits()) == exchange
    assert exchange_from_json(data, exchange.payload).decoded.data == b""


EXAMPLE = exchange_to_json(
    Exchange(
        method="GET",
        url="http://a.example/",
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        request_body=b"",
        response_head=b"HTTP/1.1 200 OK\r\n\r\n",
        status=200,
        reason_phrase="OK",
        headers=(),
        payload=b"hello",
        framing=Framing("chunked", ((b"5\r\n", 5),), b"\r\n0\r\n\r\n"),
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
        duration_ms=5,
        peer=Peer("1.1.1.1", 80, certificate=b"\x30\x00"),
        outcome=Outcome.COMPLETE,
    )
)


@pytest.mark.parametrize("key", EXAMPLE)
def test_missing_field_is_a_format_error(key: str) -> None:
    with pytest.raises(FormatError, match="not an exchange"):
        exchange_from_json({name: value for name, value in EXAMPLE.items() if name != key}, b"hello")


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "fine"},
        {"started_at": "yesterday"},
        {"response_head": "日本"},
        {"response_head": None},
        {"framing": []},
        {"framing": {"kind": "chunked", "segments": [["5", 4]], "tail": ""}},
        {"peer": {}},
        {"peer": {**EXAMPLE["peer"], "certificate": "!!"}},
        {"duration_ms": "x"},
        {"departures": None},
        {"departures": "decoded:payload"},
        {"decoded": {"codings": "gzip", "reason": None}},
        {"framing": {"kind": "chunked", "segments": [["9", 9], ["", -4]], "tail": ""}},
        {"framing": {"kind": "pipe", "segments": [], "tail": ""}},
        {"duration_ms": float("inf")},
        {"duration_ms": True},
        {"status": "200"},
        {"method": ["GET"]},
        {"peer": {**EXAMPLE["peer"], "port": "80"}},
    ],
    ids=str,
)
def test_field_of_another_kind_is_a_format_error(change: dict[str, object]) -> None:
    """An infinite duration raised OverflowError, which nobody expects; a list of codings written as one word was read
    as its letters, sizes below zero passed where their sum was right, and a status or port could be a text."""
    with pytest.raises(FormatError):
        exchange_from_json({**EXAMPLE, **change}, b"hello")


@pytest.mark.parametrize("delay", [None, 0.0, 0.5, 10.0])
def test_robots_decision_comes_back_as_it_was(delay: float | None) -> None:
    decision = RobotsDecision(True, "allowed", "http://a.example/robots.txt", "sha256:" + "0" * 64, delay)
    assert robots_from_json(canon.loads(canon.dumps(robots_to_json(decision)))) == decision


def test_what_is_no_robots_decision_is_a_format_error() -> None:
    with pytest.raises(FormatError, match="not a robots decision"):
        robots_from_json({"allowed": True})
    value = {"allowed": True, "rule": "allowed", "robots_url": "u", "payload_digest": None, "crawl_delay_s": "2"}
    assert robots_from_json(value).crawl_delay_s == 2
    for change in ({"allowed": "no"}, {"rule": None}, {"crawl_delay_s": [2]}, {"robots_url": 7}):
        with pytest.raises(FormatError, match="not a robots decision"):
            robots_from_json({**value, **change})
