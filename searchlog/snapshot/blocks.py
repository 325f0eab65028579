"""What the block of a WARC record holds of a stored exchange, and where in it the payload lies. Pure.

The block is the final message as it crossed the wire. Where it cannot be, a label says so:

    interim            interim (1xx) heads came before it: readers would take the first for the answer; the log has them
    renamed:FIELD      the payload is stored decoded, so the field that named its coding stands as `X-Orig-FIELD`
    redacted:… and the other departures of the log (FORMAT.md section 6)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from searchlog.capture.exchange import Exchange, wire_response
from searchlog.errors import FormatError

__all__ = ["Block", "block_head", "payload_spans", "response_block"]

_HEADS = re.compile(rb"\n\r?\n")
_CODING = re.compile(rb"(?im)^(content-encoding[ \t]*:)")


@dataclass(frozen=True, slots=True)
class Block:
    """The HTTP part of a response record."""

    head: bytes
    """The final head as the block has it."""
    data: bytes
    labels: tuple[str, ...]
    plain: bool
    """Whether the block is head and payload and nothing else, so that a digest of its payload means one thing."""


def block_head(head: bytes, departures: Collection[str]) -> tuple[bytes, tuple[str, ...]]:
    """Return the final head as a record has it, and the labels of what is not the wire's.

    head: as stored, interim heads before it. departures: those of the exchange.
    """
    labels = list(departures)
    start = _final_start(head)
    if start:
        labels.append("interim")
    head = head[start:]
    if "decoded:payload" in departures:
        renamed = _CODING.sub(rb"X-Orig-\1", head)
        if renamed != head:
            head = renamed
            labels.append("renamed:content-encoding")
    return head, tuple(labels)


def _final_start(head: bytes) -> int:
    """Return where the last head begins."""
    ends = [found.end() for found in _HEADS.finditer(head)]
    return ends[-2] if len(ends) > 1 else 0


def response_block(exchange: Exchange) -> Block:
    """Return the block of an exchange that has a final status."""
    head, labels = block_head(exchange.response_head, exchange.departures)
    framing = exchange.framing
    data = wire_response(head, exchange.payload, framing)
    return Block(head, data, labels, not framing.segments and not framing.tail)


def payload_spans(exchange: Mapping[str, Any], block_size: int) -> list[tuple[int, int]]:
    """Return where the payload lies in a response block, as pairs of offset and size.

    exchange: as the log has it (FORMAT.md section 6). Raises FormatError when framing and block do not add up.
    """
    try:
        head, departures = exchange["response_head"].encode("latin-1"), exchange["departures"]
        segments, tail = exchange["framing"]["segments"], exchange["framing"]["tail"].encode("latin-1")
        at = len(block_head(head, departures)[0])
        spans = []
        for raw, size in segments:
            if type(size) is not int or size < 0:
                raise ValueError("a size that is none")
            if size:
                spans.append((at + len(raw), size))
            at += len(raw) + size
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"not an exchange: {type(error).__name__} {error}") from None
    if not segments:
        spans, at = [(at, block_size - len(tail) - at)], block_size - len(tail)
    if at + len(tail) != block_size or any(size < 0 for _, size in spans):
        raise FormatError("the parts of a response do not add up to its block")
    return spans
