"""The client: one request as an exchange, or the fetch of one URL with robots.txt, redirects and politeness.

The world going wrong is data here: both verbs return what happened, with every byte that did arrive. Nothing is asked
that the address guard has not passed, on any hop, robots.txt included. There is no cookie jar, no proxy variable and
no kept connection. httpx and httpcore are imported at the first request. Effects: the network, through `transport`.
Shown by test_client.py.
"""

from __future__ import annotations

import ssl
import threading
from types import TracebackType
from typing import TYPE_CHECKING

import searchlog
from searchlog.capture import coding, guard
from searchlog.capture.assemble import Timing, assemble, refused
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Header, Limits, Outcome, Request, header
from searchlog.capture.guard import Allow, Refusal, Target
from searchlog.capture.message import split_request
from searchlog.capture.redact import Draft
from searchlog.capture.resolve import Resolver, system_resolver
from searchlog.clock import Clock

if TYPE_CHECKING:
    import httpx

__all__ = ["Client"]

Pins = dict[str, tuple[str, ...]]
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.8"
_DECODE_GRACE_S = 0.1
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
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._allow = allow
        self._agent = user_agent or f"searchlog/{searchlog.__version__}"
        self._resolver = resolver or system_resolver
        self._ssl_context = ssl_context
        self._lock = threading.Lock()
        self._transport: httpx.BaseTransport | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what is held; a closed client may not be used again."""

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        """Return the exchange of exactly this request: no redirect followed, nothing tried twice, robots not asked.

        Raises UsageError when the request cannot be written as HTTP/1.1; never for what the far end does.
        """
        target = guard.check_url(request.url, self.limits.url_bytes_max)
        if isinstance(target, Refusal):
            return refused(request, target.reason, target.detail, Timing(self._clock.now(), 0))
        return self._exchange(request, target, deadline, {})

    def fetch(self, url: str, deadline: Deadline) -> Fetch:
        """Return the fetch of one URL, every hop in order. Never raises for the world going wrong."""
        deadline = deadline.child(self.limits.total_s)
        pins: Pins = {}
        hops: list[Exchange] = []
        shown = guard.safe_url(url)
        target = guard.check_url(url, self.limits.url_bytes_max)
        for _ in range(self.limits.redirects_max + 1):
            if isinstance(target, Refusal):
                return Fetch(shown, tuple(hops), Outcome.REFUSED, target.reason, target.detail)
            exchange = self._exchange(Request("GET", target.url), target, deadline, pins)
            hops.append(exchange)
            location = header(exchange.headers, "location") if exchange.status in _REDIRECTS else None
            if location is None or exchange.outcome is Outcome.FAILED:
                return Fetch(shown, tuple(hops), exchange.outcome, exchange.reason, exchange.detail)
            target = guard.check_url(guard.join_url(target, location), self.limits.url_bytes_max)
        return Fetch(
            shown,
            tuple(hops),
            Outcome.REFUSED,
            "redirect-limit",
            f"more than {self.limits.redirects_max} redirects; the last led to {exchange.url}",
        )

    def _exchange(self, request: Request, target: Target, deadline: Deadline, pins: Pins) -> Exchange:
        from searchlog.capture import transport
        from searchlog.capture.wire import Wire

        started_at, start = self._clock.now(), self._clock.monotonic()
        wire = Wire(
            target,
            request.method,
            limits=self.limits,
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
        decoded = coding.decode(message.payload, coding.content_codings(message.headers), self.limits, grace)
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


def _written(request: Request, target: Target, headers: tuple[Header, ...]) -> bytes:
    """Return the request as it would have been written, where the transport did not show the wire."""
    lines = [f"{request.method} {target.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + request.body
