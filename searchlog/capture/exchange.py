"""What crosses the wire, as values: requests, exchanges, and the fetch of one URL.

An exchange keeps the response head, the payload and the transfer framing apart, so that equal payloads are stored
once and `wire_response` still rebuilds the exact bytes. Pure: no clock, disk or network. Secrets are taken out
before an `Exchange` is made; what was taken out is named in `departures`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

__all__ = [
    "Decoded",
    "Exchange",
    "Fetch",
    "Framing",
    "Header",
    "Limits",
    "Outcome",
    "Peer",
    "Request",
    "RobotsDecision",
    "header",
    "wire_response",
]

Header = tuple[str, str]
"""One field as it stood on the wire: name in its own case, value without surrounding blanks, both Latin-1 text."""


class Outcome(StrEnum):
    """How an exchange or a fetch ended."""

    COMPLETE = "complete"
    """The whole message arrived and was decoded to its end."""
    TRUNCATED = "truncated"
    """A response began and its bytes are kept, but it is not whole; `reason` says why."""
    FAILED = "failed"
    """No usable response; `reason` says why. Bytes that did arrive are kept."""
    REFUSED = "refused"
    """We did not ask: the address guard, robots.txt or a limit forbade it."""


# Reason codes, stable. Truncated (WARC-Truncated, plus two): length, time, disconnect, unspecified, coding, protocol.
# Failed: dns, connect, tls, timeout, disconnect, protocol, header-too-large, redirect-limit.
# Refused: url, scheme, credentials, address, robots, robots-unreachable, rate-limited.


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch; logged with every search."""

    total_s: float = 20.0
    """One deadline over name look-up, connect, TLS, interim answers, headers, body, decoding and all redirects; waiting
    one's turn at a host is not counted."""
    connect_s: float = 5.0
    idle_s: float = 8.0
    """Longest silence between two reads."""
    coded_bytes_max: int = 10_000_000
    decoded_bytes_max: int = 20_000_000
    header_bytes_max: int = 65_536
    """All heads of one exchange, interim replies included."""
    redirects_max: int = 10
    url_bytes_max: int = 8_192
    codings_max: int = 3


@dataclass(frozen=True, slots=True)
class Request:
    """One request to make. Header order and case are kept on the wire."""

    method: str
    url: str
    headers: tuple[Header, ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values (API keys) that must never reach the disk, wherever they stand: URL, head, body or an echo in the
    answer."""
    public: str = field(default="", repr=False)
    """A URL that a provider's answer published, and that led to this request: its parameters are no secret."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Facts of the very connection that carried the exchange."""

    address: str
    port: int
    tls_version: str | None = None
    cipher: str | None = None
    certificate: bytes | None = None
    """The peer's leaf certificate, DER."""


@dataclass(frozen=True, slots=True)
class Framing:
    """How the payload sat on the wire: `raw` bytes, then `n` payload bytes, repeated; then `tail`.

    kind: "none" (no body), "length", "close" or "chunked". Only "chunked" has raw bytes; its tail holds the last chunk
    and the trailers. A message cut short ends where it was cut. Bytes that came after the end of any message are kept
    at the end of the tail, with the warning `bytes-after-body`: they are the wire's, and no part of the payload.
    """

    kind: str
    segments: tuple[tuple[bytes, int], ...] = ()
    tail: bytes = b""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The decoded payload: content codings removed by us, in bounded steps."""

    data: bytes
    codings: tuple[str, ...] = ()
    """As named by Content-Encoding, in the order they were applied."""
    reason: str | None = None
    """None when every decoder reached its end; else `coding` (cut or corrupt), `length` (cap), `time` (the deadline)
    or `unknown-coding`."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request and its response, as bytes. Holds no secret."""

    method: str
    url: str
    """The target URI asked for, secrets replaced."""
    request_head: bytes
    request_body: bytes
    response_head: bytes
    """Every byte before the body: interim (1xx) replies and the final head, blank line included."""
    status: int | None
    reason_phrase: str
    headers: tuple[Header, ...]
    """Of the final response; folded values unfolded for reading only, the bytes are in `response_head`."""
    payload: bytes
    """The entity body: transfer coding removed, content coding kept (WARC)."""
    framing: Framing
    started_at: datetime
    duration_ms: int
    peer: Peer | None
    outcome: Outcome
    reason: str | None = None
    detail: str = ""
    """For people: what went wrong and what to try."""
    http_version: str = "HTTP/1.1"
    departures: tuple[str, ...] = ()
    """Each way in which the stored bytes are not the wire's: `redacted:request:authorization`, `redacted:payload`,
    `decoded:payload` (stored without its content coding), `rebuilt` (the transport did not show the wire)."""
    warnings: tuple[str, ...] = ()
    """Odd, yet with one meaning: `two-content-lengths`, `bytes-after-body`, `length-and-transfer-coding`,
    `transfer-coding`, `partial-content` (status 206, although we never ask for a part), `bad-header-line`,
    `lone-line-feed`, `no-close-notify` (TLS ended without saying so),
    `after-<reason>` (whole, and then something went wrong: `after-protocol` when h11 refused it)."""
    decoded: Decoded = field(default_factory=lambda: Decoded(b""))
    location: str | None = field(default=None, repr=False, compare=False)
    """The Location as it crossed the wire, to be followed: it may hold a credential, so it is neither stored nor shown.
    None in an exchange that was read back."""


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """What robots.txt said about one URL, and from which bytes."""

    allowed: bool
    rule: str
    """`allowed`, `disallowed`, `no-robots` (4xx), `unreachable` (5xx or no answer), `ignored` (by the caller's
    choice)."""
    robots_url: str
    payload_digest: str | None = None
    crawl_delay_s: float | None = None


@dataclass(frozen=True, slots=True)
class Fetch:
    """The fetch of one URL: every hop in order, and how it ended."""

    url: str
    """As asked for."""
    hops: tuple[Exchange, ...]
    """Redirects first, the answer last; empty when refused before any request."""
    outcome: Outcome
    reason: str | None = None
    detail: str = ""
    robots: RobotsDecision | None = None
    cache_hit: dict[str, str] | None = None
    """When the answer came from the HTTP cache: `session`, `seq`, `captured_at` of the capture it points to."""
    robots_exchanges: tuple[Exchange, ...] = ()
    """Every exchange about robots.txt that this fetch made, in order: redirects and other origins included."""

    @property
    def final(self) -> Exchange | None:
        """The last hop, or None."""
        return self.hops[-1] if self.hops else None

    @property
    def robots_exchange(self) -> Exchange | None:
        """The exchange that brought robots.txt, when this fetch made it."""
        return self.robots_exchanges[-1] if self.robots_exchanges else None


def header(headers: tuple[Header, ...], name: str) -> str | None:
    """Return the value of the first field of this name (any case), or None."""
    name = name.lower()
    for key, value in headers:
        if key.lower() == name:
            return value
    return None


def wire_response(response_head: bytes, payload: bytes, framing: Framing) -> bytes:
    """Return the response bytes as they crossed the TLS layer.

    Shown by test_wire.py on a scripted server: odd case, folds, chunk extensions, trailers, 103 before 200.
    """
    if not framing.segments:
        return response_head + payload + framing.tail
    out, at = [response_head], 0
    for raw, count in framing.segments:
        out.append(raw)
        out.append(payload[at : at + count])
        at += count
    out.append(framing.tail)
    return b"".join(out)
