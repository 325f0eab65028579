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
    framing = Framing(
        data["framing"]["kind"],
        tuple((_bytes(raw), int(size)) for raw, size in data["framing"]["segments"]),
        _bytes(data["framing"]["tail"]),
    )
    if framing.segments and sum(size for _, size in framing.segments) != len(payload):
        raise ValueError("chunk sizes and payload do not add up")
    departures = tuple(data["departures"])
    codings, reason = tuple(data["decoded"]["codings"]), data["decoded"]["reason"]
    decoded = Decoded(b"", codings, reason)
    if limits is not None and "decoded:payload" in departures:
        decoded = Decoded(payload, codings, reason)
    elif limits is not None:
        decoded = coding.decode(payload, codings, limits, deadline)
    head = _bytes(data["response_head"])
    peer = data["peer"]
    certificate = peer and peer["certificate"]
    return Exchange(
        method=data["method"],
        url=data["url"],
        request_head=_bytes(data["request_head"]),
        request_body=_bytes(data["request_body"]),
        response_head=head,
        status=data["status"],
        reason_phrase=data["reason_phrase"],
        headers=parse(head, data["method"]).headers,
        payload=payload,
        framing=framing,
        started_at=parse_time(data["started_at"]),
        duration_ms=int(data["duration_ms"]),
        peer=None
        if peer is None
        else Peer(
            peer["address"],
            peer["port"],
            peer["tls_version"],
            peer["cipher"],
            None if certificate is None else base64.b64decode(certificate, validate=True),
        ),
        outcome=Outcome(data["outcome"]),
        reason=data["reason"],
        detail=data["detail"],
        http_version=data["http_version"],
        departures=departures,
        warnings=tuple(data["warnings"]),
        decoded=decoded,
    )


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
        delay = data["crawl_delay_s"]
        return RobotsDecision(
            bool(data["allowed"]),
            data["rule"],
            data["robots_url"],
            data["payload_digest"],
            None if delay is None else float(delay),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"not a robots decision: {type(error).__name__} {error}") from None


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
