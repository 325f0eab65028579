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

__all__ = [
    "HEAD_BYTES",
    "Message",
    "answer_bytes_max",
    "body",
    "lengths",
    "parts",
    "read",
    "request",
    "request_of",
    "response",
    "result_of",
]

HEAD_BYTES = 12
_HEAD_MAX = 1_000_000
_PAYLOAD_MAX = 2**32
_STRUCTURE_BYTES_MAX = 64_000_000
"""More than the blocks, links and claims of any page take: `builder.PIECES_MAX` bounds the blocks."""

Message = tuple[bytes, ...]
"""One message in pieces, to be written one after the other: a page of 10 MB is not copied to be joined to its head."""


def parts(head: dict[str, Any], *payload: bytes) -> Message:
    """Return one message in pieces."""
    coded = json.dumps(head, separators=(",", ":")).encode("ascii")
    size = sum(map(len, payload))
    return (len(coded).to_bytes(4, "big") + size.to_bytes(8, "big") + coded, *payload)


def body(head: dict[str, Any], payload: bytes) -> bytes:
    """Return one message."""
    return b"".join(parts(head, payload))


def answer_bytes_max(text_chars_max: int) -> int:
    """Return how large the answer of a worker can be that was told to give so many characters of text."""
    return _STRUCTURE_BYTES_MAX + 4 * text_chars_max


def lengths(prefix: bytes, payload_max: int = _PAYLOAD_MAX) -> tuple[int, int]:
    """Return the lengths of head and payload. Raises FormatError when they are beyond any bound."""
    head, payload = int.from_bytes(prefix[:4], "big"), int.from_bytes(prefix[4:12], "big")
    if head > _HEAD_MAX or payload > payload_max:
        raise FormatError(f"message of {head} + {payload} bytes from an extraction worker: beyond any bound")
    return head, payload


def read(take: Callable[[int], bytes], payload_max: int = _PAYLOAD_MAX) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, or None at the end of the stream. `take(n)` returns n bytes, fewer at the end.

    Raises FormatError on a message that is larger than it can be, before any of it is read, and on one without a head.
    """
    prefix = take(HEAD_BYTES)
    if len(prefix) < HEAD_BYTES:
        return None
    head_length, payload_length = lengths(prefix, payload_max)
    coded = take(head_length)
    payload = take(payload_length)
    if len(coded) < head_length or len(payload) < payload_length:
        return None
    try:
        head = json.loads(coded.decode("utf-8"))
    except (ValueError, RecursionError):
        raise FormatError("a message head from an extraction worker is not JSON") from None
    return head, payload


def request(
    data: bytes,
    content_type: str | None,
    url: str,
    options: ConvertOptions,
    *,
    alarm_s: float = 60.0,
    soft_s: float | None = None,
    memory_bytes: int | None = None,
) -> Message:
    """Return the message that asks for a conversion.

    alarm_s: after this a worker without a parent ends by itself. soft_s: what can be read in parts is cut after this.
    memory_bytes: by how much the page may make the worker grow.
    """
    head = {"content_type": content_type, "url": url, "options": asdict(options), "alarm_s": alarm_s}
    return parts({**head, "soft_s": soft_s, "memory_bytes": memory_bytes}, data)


def request_of(head: dict[str, Any]) -> tuple[str | None, str, ConvertOptions]:
    """Return Content-Type, address and options of a request's head."""
    return head["content_type"], head["url"], ConvertOptions(**head["options"])


def response(result: Result, *, last: bool = False) -> Message:
    """Return the message that carries a result. last: the worker ends after it."""
    if isinstance(result, ConversionFailure):
        return parts({"failure": asdict(result), "last": last})
    structure = structure_of(result)
    return parts({"structure_bytes": len(structure), "last": last}, structure, result.text.encode("utf-8"))


def result_of(head: dict[str, Any], payload: bytes) -> Result:
    """Return the result that a message carries. Raises FormatError when it carries none."""
    try:
        if "failure" in head:
            return ConversionFailure(**head["failure"])
        size = head["structure_bytes"]
        structure = payload[:size]
        text = str(memoryview(payload)[size:], "utf-8")
        return conversion_from_json(text, json.loads(structure), structure)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise FormatError("a message from an extraction worker carries no result") from None
