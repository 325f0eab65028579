"""Messages by HTTP on this machine: the SDK's Streamable HTTP behind our own gate.

socket ─► uvicorn ─► gate (Host, Origin, token, method, type, size) ─► body, mended ─► SDK ─► wire (JSON, or a stream)

No CORS: a page in a browser has no business here. No access log, and nothing that is printed names the token but the
one line that tells a token made here.
"""

from __future__ import annotations

import errno
import json
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from searchlog.errors import StoreError
from searchlog.mcp.gate import Gate, Refusal
from searchlog.mcp.mending import mended
from searchlog.mcp.wire import Message, Send, Wire, put_wire

__all__ = ["listen", "serve_http"]

STREAM_TOKENS_MAX = 40_000
"""Budget up to which a reply is sure to fit into an event, so that notifications may go before it."""
_BODY_S = 30.0
_DRAINED_BYTES, _DRAINED_S = 8 << 20, 5.0
_OPEN_MAX = 64
_SESSIONS_MAX = 256
_GRACE_S = 3

Receive = Callable[[], Any]


def listen(address: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 takes a free one. Raises StoreError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(128)
    except OSError as error:
        made.close()
        why = "it is taken" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise StoreError(f"cannot listen on {address} port {port}: {why}; --port names another", port=port) from None
    return made


def serve_http(
    server: Server[Any], at: socket.socket, gate: Gate, *, budget_tokens: int, ready: Callable[[], None]
) -> None:
    """Serve clients on a socket until the process is told to end.

    ready: called when it can be told to end, and before the first client is served.
    """
    anyio.run(_serve, server, at, gate, budget_tokens <= STREAM_TOKENS_MAX, ready)


async def _serve(
    server: Server[Any], at: socket.socket, gate: Gate, may_stream: bool, ready: Callable[[], None]
) -> None:
    manager = StreamableHTTPSessionManager(
        app=server,
        # the gate is stricter, and stands before everything
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=gate.body_bytes_max,
        max_sessions=_SESSIONS_MAX,
    )
    config = uvicorn.Config(
        _Door(gate, manager, may_stream),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_OPEN_MAX,
        timeout_graceful_shutdown=_GRACE_S,
    )
    serving = uvicorn.Server(config)

    def end(*_: object) -> None:
        # uvicorn has its own handlers while it serves, and raises the signal again afterwards: it ends here too
        serving.should_exit = True

    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):  # not in the main thread
            signal.signal(name, end)
    ready()
    async with manager.run():
        await serving.serve(sockets=[at])


@dataclass(frozen=True, slots=True)
class _Door:
    """The ASGI application."""

    gate: Gate
    manager: StreamableHTTPSessionManager
    may_stream: bool

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refused = self.gate.refusal(scope["method"], scope["raw_path"].split(b"?")[0], scope["headers"])
        body = _Body(receive)
        if refused is None:
            with anyio.move_on_after(_BODY_S) as waiting:
                await body.read(self.gate.body_bytes_max)
            if waiting.cancelled_caught:
                refused = Refusal(408, f"the body did not arrive within {_BODY_S:.0f} seconds")
            elif len(body.data) > self.gate.body_bytes_max:
                refused = self.gate.too_large()
        if refused is not None:
            with anyio.move_on_after(_DRAINED_S):
                # whoever is cut off while sending never reads the answer
                await body.read(_DRAINED_BYTES)
            await _refuse(refused, send)
            return
        if body.left:
            return
        wire = Wire(send, may_stream=self.may_stream)
        inner = {**scope, "path": "/mcp", "raw_path": b"/mcp", "query_string": b""}
        put_wire(inner, wire)
        posted = scope["method"] == "POST"
        data = mended(bytes(body.data))
        if posted:
            inner["headers"] = [
                (name, str(len(data)).encode("ascii") if name == b"content-length" else value)
                for name, value in scope["headers"]
            ]
        # a GET has no reply that could be waited for: its stream begins at once
        await self.manager.handle_request(inner, _replayed(data, receive), wire.send if posted else send)


class _Body:
    """The body of a request, as far as it was read."""

    def __init__(self, receive: Receive) -> None:
        self.data = bytearray()
        self.left = False
        """Whether the client went away."""
        self._receive = receive
        self._whole = False

    async def read(self, most: int) -> None:
        """Read to its end, or until it is longer than this."""
        while not self._whole and len(self.data) <= most:
            message = await self._receive()
            self.left = message["type"] == "http.disconnect"
            self.data += message.get("body", b"")
            self._whole = self.left or not message.get("more_body", False)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives this body, and then what else comes: that the client went away."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def channel() -> Message:
        if first:
            return first.pop()
        message: Message = await receive()
        return message

    return channel


async def _refuse(refused: Refusal, send: Send) -> None:
    error = {"code": -32600, "message": refused.message}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode("ascii")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode("ascii")),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        # more than that of a body is not read
        (b"connection", b"close"),
        *((name.lower().encode("ascii"), value.encode("ascii")) for name, value in refused.headers),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
