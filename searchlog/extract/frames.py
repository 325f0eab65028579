"""The messages between the pool and a worker: a JSON head and raw bytes, both with their lengths before them.

    4 bytes  length of the head      big-endian
    8 bytes  length of the payload   big-endian
    head     UTF-8 JSON
    payload  bytes

No pickles: what a hostile page makes a worker say is read as data only. The reader bounds both lengths.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from searchlog.errors import FormatError
from searchlog.extract.conversion import ConversionFailure, conversion_from_json, structure_of
from searchlog.extract.convert import ConvertOptions, Result

__all__ = ["HEAD_BYTES", "body", "lengths", "read", "request", "request_of", "response", "result_of"]

HEAD_BYTES = 12
_HEAD_MAX = 256_000_000
_PAYLOAD_MAX = 512_000_000


def body(head: dict[str, Any], payload: bytes) -> bytes:
    """Return one message."""
    coded = json.dumps(head, separators=(",", ":")).encode("ascii")
    return len(coded).to_bytes(4, "big") + len(payload).to_bytes(8, "big") + coded + payload


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return the lengths of head and payload. Raises FormatError when they are beyond any bound."""
    head, payload = int.from_bytes(prefix[:4], "big"), int.from_bytes(prefix[4:12], "big")
    if head > _HEAD_MAX or payload > _PAYLOAD_MAX:
        raise FormatError(f"message of {head} + {payload} bytes from an extraction worker: beyond any bound")
    return head, payload


def read(take: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, or None at the end of the stream. `take(n)` returns n bytes, fewer at the end."""
    prefix = take(HEAD_BYTES)
    if len(prefix) < HEAD_BYTES:
        return None
    head_length, payload_length = lengths(prefix)
    coded = take(head_length)
    payload = take(payload_length)
    if len(coded) < head_length or len(payload) < payload_length:
        return None
    try:
        head = json.loads(coded.decode("utf-8"))
    except ValueError:
        raise FormatError("a message head from an extraction worker is not JSON") from None
    return head, payload


def request(data: bytes, content_type: str | None, url: str, options: ConvertOptions, alarm_s: float = 60.0) -> bytes:
    """Return the message that asks for a conversion; after `alarm_s` a worker without a parent ends by itself."""
    head = {"content_type": content_type, "url": url, "options": asdict(options), "alarm_s": alarm_s}
    return body(head, data)


def request_of(head: dict[str, Any]) -> tuple[str | None, str, ConvertOptions]:
    """Return Content-Type, address and options of a request's head."""
    return head["content_type"], head["url"], ConvertOptions(**head["options"])


def response(result: Result) -> bytes:
    """Return the message that carries a result."""
    if isinstance(result, ConversionFailure):
        return body({"failure": asdict(result)}, b"")
    structure = structure_of(result)
    return body({"structure_bytes": len(structure)}, structure + result.text.encode("utf-8"))


def result_of(head: dict[str, Any], payload: bytes) -> Result:
    """Return the result that a message carries. Raises FormatError when it carries none."""
    try:
        if "failure" in head:
            return ConversionFailure(**head["failure"])
        size = head["structure_bytes"]
        structure = payload[:size]
        return conversion_from_json(payload[size:].decode("utf-8"), json.loads(structure), structure)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FormatError("a message from an extraction worker carries no result") from None
