"""Loopback web servers for tests: answers from a dict, a log of hits, and the usual ways in which servers fail.

    with serve({"/": (200, {"Content-Type": "text/html"}, "<p>Hello")}, hang={"/slow"}) as site:
        ... site.url + "/" ...
        assert site.paths == ["/"]

Heads are written as given, with nothing added but Content-Length where no framing is named.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

Headers = Mapping[str, str] | list[tuple[str, str]]
Answer = tuple[int, Headers, bytes | str]


@dataclass(frozen=True)
class Hit:
    """One request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass
class Site:
    """A running server. `pages` may be changed while it runs."""

    pages: dict[str, Answer]
    delay: Mapping[str, float]
    hang: Collection[str]
    drip: Mapping[str, float]
    reset: Collection[str]
    hits: list[Hit] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    connections: set[socket.socket] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """Targets asked for, in order of arrival."""
        return [hit.target for hit in self.hits]


@contextmanager
def serve(
    pages: Mapping[str, Answer],
    *,
    delay: Mapping[str, float] | None = None,
    hang: Collection[str] = (),
    drip: Mapping[str, float] | None = None,
    reset: Collection[str] = (),
) -> Iterator[Site]:
    """Serve answers by target (with query) or path; others are 404.

    delay: seconds before the head.  hang: never an answer.  drip: seconds between single bytes of the body.
    reset: the connection is reset after the request (with `pages`, half way through the body).
    """
    site = Site(dict(pages), delay or {}, hang, drip or {}, reset)
    server = _Server(site)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.closing.set()
        server.shutdown()
        server.server_close()
        with site.lock:
            for connection in site.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
        thread.join()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, site: Site) -> None:
        self.site = site
        super().__init__(("127.0.0.1", 0), _Handler)
        site.port = self.server_address[1]

    def process_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        with self.site.lock:
            self.site.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request) -> None:  # type: ignore[no-untyped-def]
        with self.site.lock:
            self.site.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        """Clients come and go; an error of ours shows as a missing answer in the test."""


class _Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    server: _Server

    def handle(self) -> None:
        while not self.server.site.closing.is_set() and (hit := self._read()) is not None:
            self.server.site.hits.append(hit)
            if not self._answer(hit):
                return

    def _read(self) -> Hit | None:
        line = self.rfile.readline(65_536).decode("latin-1").rstrip("\r\n")
        if not line:
            return None
        method, target, _ = line.split(" ", 2)
        headers = []
        while text := self.rfile.readline(65_536).decode("latin-1").rstrip("\r\n"):
            name, _, value = text.partition(":")
            headers.append((name, value.strip()))
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        return Hit(method, target, tuple(headers), self.rfile.read(length))

    def _answer(self, hit: Hit) -> bool:
        """Send the answer; False when the connection is at its end."""
        site, path = self.server.site, hit.target.partition("?")[0]
        key = hit.target if hit.target in site.pages else path
        if path in site.hang:
            site.closing.wait()
            return False
        site.closing.wait(site.delay.get(path, 0.0))
        status, given, body = site.pages.get(key, (404, {"Content-Type": "text/plain"}, "not found\n"))
        data = body.encode() if isinstance(body, str) else body
        headers = list(given.items()) if isinstance(given, Mapping) else list(given)
        names = {name.lower() for name, _ in headers}
        framed = names & {"content-length", "transfer-encoding"}
        if not framed and status not in (204, 304):
            headers.append(("Content-Length", str(len(data))))
        head = f"HTTP/1.1 {status} Status\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        if path in site.reset:
            if key in site.pages:
                self.wfile.write(head.encode("latin-1") + data[: len(data) // 2])
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return False
        if hit.method == "HEAD" or status in (204, 304):
            data = b""
        if path in site.drip:
            self.wfile.write(head.encode("latin-1"))
            for at in range(len(data)):
                if site.closing.wait(site.drip[path]):
                    return False
                self.wfile.write(data[at : at + 1])
            return True
        self.wfile.write(head.encode("latin-1") + data)
        return all(name.lower() != "connection" or value.lower() != "close" for name, value in headers)
