"""How the reply to one HTTP request is sent: as one JSON body, or after notifications as a stream of events.

The official client refuses an event above 1 MiB, and takes a JSON body of any size. So the reply to a POST is sent as
JSON, as long as nothing was sent before it; the SDK begins a stream at once, so its beginning is held back here until
it is known what comes first. Of clients by stdin nothing is asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

__all__ = ["EVENT_BYTES_MAX", "Message", "Send", "Wire", "put_wire", "wire_of"]

EVENT_BYTES_MAX = 1_000_000
"""Of an event's data, with room for what is put around it below 1 MiB."""
_KEY = "searchlog.wire"

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Wire:
    """The way back of one request."""

    def __init__(self, send: Send | None = None, *, may_stream: bool = True) -> None:
        """send: the ASGI channel; None for a way back that has none of these limits."""
        self.may_stream = may_stream
        """Whether notifications may go before the reply."""
        self._send = send
        self._held: Message | None = None
        self._streams = False
        self._replying = False
        self._done = False
        self._lock = threading.Lock()

    def fits(self, reply: Any) -> bool:
        """Return whether a reply can still be sent; from now on no stream begins before it."""
        with self._lock:
            self._replying = True
            # an event is written in ASCII by one of the SDK's two ways
            return not self._streams or len(json.dumps(reply)) <= EVENT_BYTES_MAX

    async def send(self, message: Message) -> None:
        """Send a message of the SDK's, or the JSON body in its place."""
        assert self._send is not None
        if self._done:
            return
        if message["type"] == "http.response.start" and _is_stream(message):
            self._held = message
            return
        if self._held is None:
            await self._send(message)
            return
        body = message.get("body", b"")
        data = _data(body)
        if data is not None and _is_reply(data):
            await self._reply(self._held, data)
            return
        if not message.get("more_body", False) or (body and self._may_begin()):
            await self._begin(self._held)
            await self._send(message)

    def _may_begin(self) -> bool:
        with self._lock:
            self._streams = self.may_stream and not self._replying
            return self._streams

    async def _begin(self, start: Message) -> None:
        assert self._send is not None
        self._held = None
        await self._send(start)

    async def _reply(self, start: Message, data: bytes) -> None:
        assert self._send is not None
        self._held, self._done = None, True
        dropped = (b"content-type", b"content-length", b"connection", b"x-accel-buffering", b"transfer-encoding")
        kept = [(name, value) for name, value in start["headers"] if name.lower() not in dropped]
        kept += [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode("ascii"))]
        await self._send({**start, "headers": kept})
        await self._send({"type": "http.response.body", "body": data, "more_body": False})


def wire_of(request: Any) -> Wire:
    """Return the way back of an HTTP request, or one without limits for a request that came another way."""
    scope = getattr(request, "scope", None)
    found = scope.get(_KEY) if isinstance(scope, MutableMapping) else None
    return found if isinstance(found, Wire) else Wire()


def put_wire(scope: MutableMapping[str, Any], wire: Wire) -> None:
    """Let `wire_of` find it."""
    scope[_KEY] = wire


def _is_stream(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream") for name, value in start["headers"]
    )


def _data(body: bytes) -> bytes | None:
    """Return the data of an event that is there whole; None of a comment or nothing."""
    lines = [line for line in body.splitlines() if line.startswith(b"data:")]
    return lines[0][5:].strip() if len(lines) == 1 and len(lines[0]) > 6 else None


def _is_reply(data: bytes) -> bool:
    """Return whether a message answers a request: only those that ask or tell something have a method."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "method" not in value
