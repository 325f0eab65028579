"""A scripted server on loopback that sends exact bytes, plain or over TLS.

Each path has a script: bytes to send, seconds to wait, or one of the endings. It notes every request as bytes.

    with WireServer({"/a": [b"HTTP/1.1 200 OK\\r\\n\\r\\n", 0.1, b"body"]}) as server:
        client.fetch(server.url("/a"), deadline)
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Sequence
from functools import cache
from types import TracebackType
from typing import Final

import trustme

RESET: Final = "reset"
"""End with a TCP reset."""
HANG: Final = "hang"
"""Send nothing more and keep the connection open until the server ends."""
ABRUPT: Final = "abrupt"
"""End TCP without TLS close_notify."""

Step = bytes | float | str
Script = Sequence[Step] | Callable[[bytes], Sequence[Step]]

NOT_FOUND = [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]


@cache
def authority() -> trustme.CA:
    """Return a certificate authority, the same for the whole run."""
    return trustme.CA()


@cache
def client_context() -> ssl.SSLContext:
    """Return a TLS context that trusts it."""
    context = ssl.create_default_context()
    authority().configure_trust(context)
    return context


@cache
def server_context(*names: str) -> ssl.SSLContext:
    """Return a TLS context for a server with these names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(*names).configure_cert(context)
    return context


class WireServer:
    """Listens on 127.0.0.1 (or another loopback address) while in use."""

    def __init__(
        self,
        script: dict[str, Script],
        *,
        tls: bool = False,
        stall_tls: bool = False,
        names: tuple[str, ...] = ("127.0.0.1", "localhost", "site.example"),
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.script = script
        self.requests: list[bytes] = []
        self._tls = server_context(*names) if tls else None
        self._stall = stall_tls
        self._scheme = "https" if tls or stall_tls else "http"
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server((address, port), backlog=128)
        self._listener.settimeout(0.2)
        self.address, self.port = self._listener.getsockname()[:2]

    def url(self, path: str, host: str | None = None) -> str:
        return f"{self._scheme}://{host or self.address}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [request.split(b" ", 2)[1].decode("latin-1") for request in self.requests]

    def __enter__(self) -> WireServer:
        thread = threading.Thread(target=self._accept, daemon=True)
        self._threads.append(thread)
        thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept
        for thread in self._threads:
            thread.join(5)
        self._listener.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                sock, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(5)
        try:
            if self._stall:
                self._closing.wait(10)
                return
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
            self._answer(sock)
        except (OSError, ssl.SSLError):
            pass  # the client went away, which many scripts are about
        finally:
            sock.close()

    def _answer(self, sock: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            data = sock.recv(65_536)
            if not data:
                return
            request += data
        with self._lock:
            self.requests.append(request)
        script = self.script.get(request.split(b" ", 2)[1].decode("latin-1"), NOT_FOUND)
        for step in script(request) if callable(script) else script:
            if isinstance(step, bytes):
                sock.sendall(step)
            elif isinstance(step, str):
                self._end(sock, step)
                return
            elif self._closing.wait(step):
                return
        if isinstance(sock, ssl.SSLSocket):
            with contextlib.suppress(OSError):
                sock.unwrap()

    def _end(self, sock: socket.socket, how: str) -> None:
        if how == HANG:
            self._closing.wait(30)
        elif how == RESET:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            assert how == ABRUPT
            sock.shutdown(socket.SHUT_RDWR)
