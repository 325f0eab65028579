"""A web server that misbehaves on purpose: raw sockets on loopback, a behaviour a path.

    with HostileWeb(CASES) as web:
        web.url("gzip-bomb")

Listeners: `a` (127.0.0.1) and `b` (127.0.0.2) share a port and may be reached; the canaries (127.0.0.1, 127.0.0.3 and
::1 on another port) must never be. Every behaviour ends with its connection, and all of them when the server ends.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from tests.hostile.case import Case

_LIFE_S = 60.0
_SENT_MAX = 2 << 30


class Gone(Exception):
    """The client left, or the server ends."""


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    listener: str
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    web: HostileWeb

    @property
    def rest(self) -> str:
        """What follows the case's own path."""
        return urlsplit(self.target).path.removeprefix("/").partition("/")[2]

    def query(self, name: str) -> str:
        return parse_qs(urlsplit(self.target).query).get(name, [""])[0]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


class Connection:
    """One accepted connection, as a behaviour uses it."""

    def __init__(self, sock: socket.socket, closing: threading.Event) -> None:
        self._sock = sock
        self._closing = closing
        self._until = time.monotonic() + _LIFE_S
        self._sent = 0

    def send(self, data: bytes) -> None:
        """Send all of it; raise Gone when nobody takes it."""
        view = memoryview(data)
        while view:
            self._check()
            try:
                count = self._sock.send(view[:65_536])
            except TimeoutError:
                continue
            except OSError:
                raise Gone from None
            self._sent += count
            view = view[count:]

    def drip(self, data: bytes, seconds: float = 0.1) -> None:
        """Send byte after byte."""
        for at in range(len(data)):
            self.send(data[at : at + 1])
            self.wait(seconds)

    def wait(self, seconds: float) -> None:
        """Do nothing for a while; raise Gone when the client leaves meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            self._sock.settimeout(min(left, 0.2))
            with contextlib.suppress(TimeoutError):
                try:
                    if not self._sock.recv(65_536):
                        raise Gone
                except TimeoutError:
                    raise
                except OSError:
                    raise Gone from None
        self._sock.settimeout(0.5)

    def hold(self) -> None:
        """Keep the connection and say nothing."""
        self.wait(_LIFE_S)

    def reset(self) -> None:
        """End with RST."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()
        raise Gone

    def read_head(self) -> bytes:
        """Return the request's head; b"" for a TLS hello."""
        data = b""
        while b"\r\n\r\n" not in data:
            self._check()
            try:
                part = self._sock.recv(65_536)
            except TimeoutError:
                continue
            except OSError:
                raise Gone from None
            if not part or len(data) > 262_144:
                raise Gone
            data += part
            if data[0] == 0x16:
                return b""
        return data

    def _check(self) -> None:
        if self._closing.is_set() or time.monotonic() > self._until or self._sent > _SENT_MAX:
            raise Gone


class HostileWeb:
    """The server, for the time of a `with` block."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = {case.id: case for case in cases}
        self.hits: list[Asked] = []
        self.canary_hits: list[str] = []
        self.lock = threading.Lock()
        self._closing = threading.Event()
        self._listeners: list[socket.socket] = []
        self.port = self.canary_port = 0

    def __enter__(self) -> HostileWeb:
        named = _named()
        self.port, self.canary_port = (named[number][0].getsockname()[1] for number in (0, 1))
        for listener, name in named:
            self._listeners.append(listener)
            threading.Thread(target=self._accept, args=(listener, name), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    @property
    def a(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def b(self) -> str:
        return f"http://127.0.0.2:{self.port}"

    @property
    def canary(self) -> str:
        return f"http://127.0.0.3:{self.canary_port}"

    @property
    def allow(self) -> tuple[str, ...]:
        """What a fetcher is permitted to reach here."""
        return f"127.0.0.1:{self.port}", f"127.0.0.2:{self.port}"

    def fill(self, text: str) -> str:
        """Put real addresses in for `{a}`, `{b}`, `{canary}`, `{port}`, `{canary_port}`."""
        for name in ("a", "b", "canary", "port", "canary_port"):
            text = text.replace("{" + name + "}", str(getattr(self, name)))
        return text

    def url(self, case: Case) -> str:
        return self.fill(case.url.replace("{id}", case.id))

    def forget(self) -> None:
        with self.lock:
            self.hits.clear()
            self.canary_hits.clear()

    def _accept(self, listener: socket.socket, name: str) -> None:
        while not self._closing.is_set():
            try:
                sock, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock, name), daemon=True).start()

    def _serve(self, sock: socket.socket, name: str) -> None:
        sock.settimeout(0.5)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(sock, self._closing)
        try:
            if name == "canary":
                with self.lock:
                    self.canary_hits.append("connected")
            self._answer(connection, name)
        except Gone:
            pass
        finally:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_WR)
                sock.settimeout(0.2)
                while sock.recv(65_536):
                    pass
            sock.close()

    def _answer(self, connection: Connection, name: str) -> None:
        head = connection.read_head()
        if not head:
            connection.hold()
        lines = head.decode("latin-1").split("\r\n")
        method, target = [*lines[0].split(" "), "", ""][:2]
        fields = tuple((key, value.strip()) for key, _, value in (line.partition(":") for line in lines[1:]) if value)
        asked = Asked(name, method, target, fields, self)
        if name == "canary":
            with self.lock:
                self.canary_hits.append(target)
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nCANARY-REACHED")
            return
        with self.lock:
            self.hits.append(asked)
        case = self.cases.get(urlsplit(target).path.removeprefix("/").partition("/")[0])
        if case is None or case.serve is None:
            connection.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        case.serve(connection, asked)


def _named() -> list[tuple[socket.socket, str]]:
    """Return listeners with the names of their servers; two share a port on two addresses, and so do two canaries."""
    while True:
        named = [(_listen("127.0.0.1", 0), "a"), (_listen("127.0.0.3", 0), "canary")]
        port, canary_port = (listener.getsockname()[1] for listener, _ in named)
        try:
            named.append((_listen("127.0.0.2", port), "b"))
            named.append((_listen("127.0.0.1", canary_port), "canary"))
        except OSError as error:
            for listener, _ in named:
                listener.close()
            if error.errno == errno.EADDRINUSE:  # by somebody else, at the other address
                continue
            raise
        with contextlib.suppress(OSError):
            named.append((_listen("::1", canary_port), "canary"))
        return named


def _listen(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
    except OSError:
        listener.close()
        raise
    listener.listen(256)
    listener.settimeout(0.5)
    return listener
