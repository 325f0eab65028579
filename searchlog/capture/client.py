"""The client: one request as an exchange, or the fetch of one URL with robots.txt, redirects and politeness.

The world going wrong is data here: both verbs return what happened, with every byte that did arrive. Nothing is asked
that the address guard has not passed, on any hop, robots.txt included. There is no cookie jar, no proxy variable and
no kept connection. httpx and httpcore are imported at the first request. Effects: the network, through `transport`.
Shown by test_client.py.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING

import searchlog
from searchlog.capture import coding, guard
from searchlog.capture.assemble import Timing, assemble, refused
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Header, Limits, Outcome, Request, header
from searchlog.capture.guard import Allow, Refusal, Target
from searchlog.capture.message import split_request
from searchlog.capture.politeness import Gate, retry_after
from searchlog.capture.redact import Draft
from searchlog.capture.resolve import Resolver, system_resolver
from searchlog.capture.robots import Book
from searchlog.capture.shown import public_url, shown_url
from searchlog.capture.trip import Pins, Policy, travel
from searchlog.clock import Clock
from searchlog.errors import UsageError

if TYPE_CHECKING:
    import httpx

    from searchlog.capture.cache import HttpCache

__all__ = ["Client"]

_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.8"
_DECODE_GRACE_S = 0.05
"""What arrived before the deadline is decoded for so long after it."""


class Client:
    """Fetches; safe to use from many threads at once. Close it, or use it as a context manager."""

    def __init__(
        self,
        *,
        clock: Clock,
        limits: Limits = Limits(),  # noqa: B008
        allow: Allow = Allow(),  # noqa: B008
        user_agent: str | None = None,
        robots: str = "obey",
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
        cache: HttpCache | None = None,
        per_host: int = 2,
        per_own_host: int = 16,
        gate: Gate | None = None,
        book: Book | None = None,
    ) -> None:
        """Make a client; nothing is loaded or opened before the first request.

        robots: `obey` or `ignore`. per_host: requests under way to one host; per_own_host: the same for hosts that
        `allow` names. gate, book: shared with other clients, so that requests to a host are counted, and robots.txt is
        known, together. ssl_context: instead of the shared one, for private certificate authorities.
        """
        if robots not in ("obey", "ignore"):
            raise UsageError(f"robots must be 'obey' or 'ignore', not {robots!r}", value=robots)
        self.limits = limits
        self.cache = cache
        self._clock = clock
        self._allow = allow
        self._agent = user_agent or f"searchlog/{searchlog.__version__}"
        self._resolver = resolver or system_resolver
        self._ssl_context = ssl_context
        self._per_host = per_host
        self._per_own_host = per_own_host
        self._policy = Policy(
            limits,
            self._agent,
            robots == "obey",
            self._at_once,
            clock,
            gate or Gate(clock),
            book or Book(clock),
            self._exchange,
        )
        self._lock = threading.Lock()
        self._transport: httpx.BaseTransport | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what is held: the cache's database. Connections are never kept."""
        if self.cache is not None:
            self.cache.close()

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        """Return the exchange of exactly this request: no redirect followed, nothing tried twice, robots not asked.

        Raises UsageError when the request cannot be written as HTTP/1.1; never for what the far end does.
        """
        target = guard.check_url(request.url, self.limits.url_bytes_max)
        if isinstance(target, Refusal):
            return refused(request, target.reason, target.detail, Timing(self._clock.now(), 0))
        host, start = target.host, self._clock.now()
        place = self._policy.gate.enter(host, deadline, self._at_once(target), patience_s=0.0)
        if isinstance(place, Refusal):
            return refused(request, place.reason, place.detail, Timing(start, 0))
        try:
            exchange = self._exchange(request, target, self.limits, deadline, {})
        finally:
            self._policy.gate.leave(place)
        if exchange.status in (429, 503):
            seconds = retry_after(header(exchange.headers, "retry-after"), self._clock.now())
            if seconds is not None:
                self._policy.gate.hold_off(host, seconds)
        return exchange

    def fetch(self, url: str, deadline: Deadline, *, max_age_s: int | None = None, published: bool = False) -> Fetch:
        """Return the fetch of one URL, every hop in order. Never raises for the world going wrong.

        With a cache, a stored fetch that is still fresh is given back, with `cache_hit` set; max_age_s: any stored
        fetch that is younger, 0 for none. What is fetched is not put into the cache here, since the cache points to
        the logged capture: the caller logs it, then calls `remember`.
        published: a provider's answer holds this URL, so what stands in its parameters is kept as it is.
        """
        shown = public_url(url) if published else shown_url(url)
        target = guard.check_url(url, self.limits.url_bytes_max)
        if isinstance(target, Refusal):
            return Fetch(shown, (), Outcome.REFUSED, target.reason, target.detail)
        if self.cache is not None and max_age_s != 0:
            headers = self._headers(Request("GET", target.url), target)
            hit = self.cache.lookup(target.url, headers, limits=self.limits, max_age_s=max_age_s, deadline=deadline)
            if hit is not None:
                return replace(hit.fetch, url=shown)
        return travel(self._policy, shown, target, deadline, url if published else "")

    def remember(self, fetch: Fetch, pointer: Mapping[str, str]) -> bool:
        """Put a fetch into the cache, if there is one and the answer permits; return whether that was done.

        pointer: `session`, `seq` and `captured_at` of the capture that the log now holds.
        """
        target = guard.check_url(fetch.url, self.limits.url_bytes_max)
        if self.cache is None or isinstance(target, Refusal):
            return False
        return self.cache.store(fetch, target.url, pointer)

    def _at_once(self, target: Target) -> int:
        return max(self._per_host, self._per_own_host) if self._allow.permits(target) else self._per_host

    def _exchange(self, request: Request, target: Target, limits: Limits, deadline: Deadline, pins: Pins) -> Exchange:
        from searchlog.capture import transport
        from searchlog.capture.wire import Wire

        started_at, start = self._clock.now(), self._clock.monotonic()
        wire = Wire(
            target,
            request.method,
            limits=limits,
            deadline=deadline,
            allow=self._allow,
            resolver=self._resolver,
            pins=pins,
        )
        headers = self._headers(request, target)
        failure = transport.send(self._shared_transport(), wire, request.method, headers, request.body)
        message = wire.scanner.finish(wire.eof)
        rebuilt = message.status is not None and not wire.connected
        sent = bytes(wire.written) if not rebuilt else _written(request, target, headers)
        grace = Deadline(max(deadline.remaining(), _DECODE_GRACE_S), self._clock)
        decoded = coding.decode(message.payload, coding.content_codings(message.headers), limits, grace)
        return assemble(
            request,
            Draft(target.url, *split_request(sent), message, decoded, failure.detail if failure else ""),
            wire.peer,
            Timing(started_at, round((self._clock.monotonic() - start) * 1000)),
            reason=failure.reason if failure else None,
            departures=("rebuilt",) if rebuilt else (),
            warnings=tuple(wire.warnings),
        )

    def _shared_transport(self) -> httpx.BaseTransport:
        from searchlog.capture.transport import Transport

        with self._lock:
            if self._transport is None:
                self._transport = Transport(self._ssl_context)
            return self._transport

    def _headers(self, request: Request, target: Target) -> tuple[Header, ...]:
        """Return the fields to send: Host, the request's own, then what it left out."""
        own = {name.lower() for name, _ in request.headers}
        rest = [
            ("User-Agent", self._agent),
            ("Accept", _ACCEPT),
            ("Accept-Language", "en;q=0.9, *;q=0.8"),
            ("Accept-Encoding", coding.ACCEPT_ENCODING),
            ("Connection", "close"),
        ]
        if request.body or request.method in ("POST", "PUT", "PATCH"):
            rest.append(("Content-Length", str(len(request.body))))
        host = () if "host" in own else (("Host", target.host_header),)
        return (*host, *request.headers, *(item for item in rest if item[0].lower() not in own))


@dataclass(frozen=True, slots=True)
class Published:
    """A client for URLs that a provider's answer holds: see `Client.fetch`."""

    client: Client

    def fetch(self, url: str, deadline: Deadline, *, max_age_s: int | None = None) -> Fetch:
        """Return the fetch of one such URL."""
        return self.client.fetch(url, deadline, max_age_s=max_age_s, published=True)


def _written(request: Request, target: Target, headers: tuple[Header, ...]) -> bytes:
    """Return the request as it would have been written, where the transport did not show the wire."""
    lines = [f"{request.method} {target.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + request.body
