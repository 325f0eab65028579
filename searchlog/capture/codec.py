"""Exchanges as JSON values and back: the one form for the log record and for the HTTP cache.

Byte strings become Latin-1 text, one character a byte: lossless, and readable. Payload and decoded payload are left
out; they live in blobs and are given back by the caller. No floats. Pure.  Shown by test_codec.py.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from searchlog import canon
from searchlog.capture import coding
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Framing, Limits, Outcome, Peer, RobotsDecision
from searchlog.capture.message import parse
from searchlog.clock import format_time, parse_time
from searchlog.errors import FormatError

__all__ = ["exchange_from_json", "exchange_to_json", "robots_from_json", "robots_to_json"]


def exchange_to_json(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange without payload and decoded payload as a JSON value.

    Header fields are left out too: they are read from `response_head`. The value may be larger than a record may be
    (heads up to 64 KiB, framing of many chunks).
    """
    peer = exchange.peer
    return {
        "method": exchange.method,
        "url": exchange.url,
        "http_version": exchange.http_version,
        "request_head": _text(exchange.request_head),
        "request_body": _text(exchange.request_body),
        "response_head": _text(exchange.response_head),
        "status": exchange.status,
        "reason_phrase": exchange.reason_phrase,
        "framing": {
            "kind": exchange.framing.kind,
            "segments": [[_text(raw), size] for raw, size in exchange.framing.segments],
            "tail": _text(exchange.framing.tail),
        },
        "started_at": format_time(exchange.started_at),
        "duration_ms": exchange.duration_ms,
        "peer": None
        if peer is None
        else {
            "address": peer.address,
            "port": peer.port,
            "tls_version": peer.tls_version,
            "cipher": peer.cipher,
            "certificate": None if peer.certificate is None else base64.b64encode(peer.certificate).decode("ascii"),
        },
        "outcome": str(exchange.outcome),
        "reason": exchange.reason,
        "detail": exchange.detail,
        "departures": list(exchange.departures),
        "warnings": list(exchange.warnings),
        "decoded": {"codings": list(exchange.decoded.codings), "reason": exchange.decoded.reason},
    }


def exchange_from_json(
    data: Mapping[str, Any], payload: bytes, limits: Limits | None = None, deadline: Deadline | None = None
) -> Exchange:
    """Return the exchange that the JSON value and the payload are.

    With limits, the payload is decoded again; without, `decoded.data` is empty. Raises FormatError when a field is
    missing or not what it should be, or when framing and payload do not add up.
    """
    try:
        return _exchange(data, payload, limits, deadline)
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise FormatError(f"not an exchange: {type(error).__name__} {error}") from None


def _exchange(data: Mapping[str, Any], payload: bytes, limits: Limits | None, deadline: Deadline | None) -> Exchange:
    departures = _texts(data["departures"])
    codings, reason = _texts(data["decoded"]["codings"]), _of(str, data["decoded"]["reason"], optional=True)
    decoded = Decoded(b"", codings, reason)
    if limits is not None and "decoded:payload" in departures:
        decoded = Decoded(payload, codings, reason)
    elif limits is not None:
        decoded = coding.decode(payload, codings, limits, deadline)
    head, method = _bytes(data["response_head"]), _of(str, data["method"])
    return Exchange(
        method=method,
        url=_of(str, data["url"]),
        request_head=_bytes(data["request_head"]),
        request_body=_bytes(data["request_body"]),
        response_head=head,
        status=_of(int, data["status"], optional=True),
        reason_phrase=_of(str, data["reason_phrase"]),
        headers=parse(head, method).headers,
        payload=payload,
        framing=_framing(data["framing"], len(payload)),
        started_at=parse_time(data["started_at"]),
        duration_ms=_of(int, data["duration_ms"]),
        peer=None if data["peer"] is None else _peer(data["peer"]),
        outcome=Outcome(data["outcome"]),
        reason=_of(str, data["reason"], optional=True),
        detail=_of(str, data["detail"]),
        http_version=_of(str, data["http_version"]),
        departures=departures,
        warnings=_texts(data["warnings"]),
        decoded=decoded,
    )


def _framing(data: Mapping[str, Any], payload_bytes: int) -> Framing:
    segments = tuple((_bytes(raw), _of(int, size)) for raw, size in data["segments"])
    if any(size < 0 for _, size in segments) or (segments and sum(size for _, size in segments) != payload_bytes):
        raise ValueError("chunk sizes and payload do not add up")
    if data["kind"] not in ("none", "length", "close", "chunked"):
        raise ValueError(f"no framing is called {data['kind']!r:.40}")
    return Framing(data["kind"], segments, _bytes(data["tail"]))


def _peer(data: Mapping[str, Any]) -> Peer:
    certificate = _of(str, data["certificate"], optional=True)
    return Peer(
        _of(str, data["address"]),
        _of(int, data["port"]),
        _of(str, data["tls_version"], optional=True),
        _of(str, data["cipher"], optional=True),
        None if certificate is None else base64.b64decode(certificate, validate=True),
    )


def _of(kind: type, value: Any, *, optional: bool = False) -> Any:
    """Return a value of just this type; a number that stands for a truth value is none."""
    if type(value) is kind or (value is None and optional):
        return value
    raise TypeError(f"{value!r:.40} where {kind.__name__} was expected")


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_of(str, item) for item in _of(list, value))


def robots_to_json(decision: RobotsDecision) -> dict[str, Any]:
    """Return a decision as a JSON value; the delay is a decimal string."""
    delay = decision.crawl_delay_s
    return {
        "allowed": decision.allowed,
        "rule": decision.rule,
        "robots_url": decision.robots_url,
        "payload_digest": decision.payload_digest,
        "crawl_delay_s": None if delay is None else canon.decimal_string(delay),
    }


def robots_from_json(data: Mapping[str, Any]) -> RobotsDecision:
    """Return the decision that a JSON value is; raise FormatError otherwise."""
    try:
        delay = _of(str, data["crawl_delay_s"], optional=True)
        return RobotsDecision(
            _of(bool, data["allowed"]),
            _of(str, data["rule"]),
            _of(str, data["robots_url"]),
            _of(str, data["payload_digest"], optional=True),
            None if delay is None else float(delay),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"not a robots decision: {type(error).__name__} {error}") from None


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: Any) -> bytes:
    data: bytes = _of(str, text).encode("latin-1")
    return data
