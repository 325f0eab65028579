"""A loopback web server: `LoopbackSite` for programs, `FolderSite` for any local folder.

A folder is searched through HTTP like any other site, so one path through the code serves both. What it does not do:
listen anywhere but 127.0.0.1, list directories, run anything, or leave its folder. A request whose Host names another
site is answered 421, so that a page elsewhere cannot read the folder through a rebound name; one that a browser sends
on behalf of another site (Origin, Sec-Fetch-Site) is answered 403.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, SO_REUSEADDR, SOL_SOCKET, socket
from types import TracebackType
from typing import Any, BinaryIO, Self
from urllib.parse import quote, unquote_to_bytes

from searchlog.errors import StoreError, UsageError

__all__ = ["PAGE_SUFFIXES", "Ask", "FolderSite", "LoopbackSite", "Reply", "Survey"]

PAGE_SUFFIXES = (".htm", ".html", ".md", ".pdf", ".txt", ".xhtml")
"""Files that `FolderSite.pages` lists."""

_TYPES = {
    # no charset: the folder does not know it, and a wrong one would overrule the page's own declaration
    ".css": "text/css",
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webp": "image/webp",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
}
_BODY_BYTES_MAX = 65_536
_IDLE_S = 30.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One request as a site sees it; Host and form are already checked."""

    method: str
    """`GET`, `HEAD` or `POST`."""
    path: str
    """As on the wire, percent-encoded, without the query."""
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return the value of the first field of this name (any case), or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. Content-Length or chunk framing, Date and Connection are added when it is sent."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    file: tuple[BinaryIO, int] | None = None
    """An open file and its length, sent in place of `body` and then closed."""
    chunks: tuple[bytes, ...] | None = None
    """Sent in place of `body` with chunked transfer coding, one chunk each."""
    trailers: tuple[tuple[str, str], ...] = ()
    """After the last chunk."""
    delay_s: float = 0.0
    """Wait before the head is sent; ends early when the site closes."""


def plain(status: int, text: str, *headers: tuple[str, str]) -> Reply:
    """Return a short text answer."""
    return Reply(status, (("Content-Type", "text/plain; charset=utf-8"), *headers), f"{text}\n".encode())


class LoopbackSite(ABC):
    """A web server on 127.0.0.1 for the time of a `with` block; subclasses give `respond`.

    Requests run in daemon threads, so `respond` must be safe for several at once.
    """

    methods: tuple[str, ...] = ("GET", "HEAD")

    def __init__(self, port: int = 0) -> None:
        self._wanted_port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.closing = threading.Event()

    @abstractmethod
    def respond(self, ask: Ask) -> Reply:
        """Return the answer to one request."""

    @property
    def port(self) -> int:
        """The port while the site is open; UsageError otherwise."""
        if self._server is None:
            raise UsageError(f"{type(self).__name__} is not open: use it in a with block")
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The root without a final slash, such as `http://127.0.0.1:40123`."""
        return f"http://127.0.0.1:{self.port}"

    def open(self) -> Self:
        """Start to listen. StoreError when the port cannot be had."""
        try:
            self._server = _Server(self, self._wanted_port)
        except OSError as error:
            raise StoreError(f"cannot listen on 127.0.0.1 port {self._wanted_port}: {error.strerror}") from None
        self.closing.clear()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="site", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop listening and end open connections. Safe to call twice."""
        server, self._server = self._server, None
        if server is None or self._thread is None:
            return
        self.closing.set()
        server.shutdown()
        server.server_close()
        server.end_connections()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    """Threads that do not outlive the program, and connections that can all be ended."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, site: LoopbackSite, port: int) -> None:
        self.site = site
        self._connections: set[socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        # the parent looks its own name up, which can leave the machine and take seconds
        if os.name != "nt":  # there it would take the port of somebody who listens; here only one of ended connections
            self.socket.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """Wake every handler that waits on its socket; each then closes its own."""
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(SHUT_RDWR)
                except OSError:  # the far end was faster
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no news; anything else is our bug and shall be seen."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Checks form and Host, asks the site, writes head and body in one piece."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: stderr belongs to the command that runs."""

    def do_GET(self) -> None:
        self._send(self._answer())

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET

    def _answer(self) -> Reply:
        site = self.server.site
        hosts = self.headers.get_all("Host", [])
        length = self.headers.get("Content-Length", "0")
        if len(hosts) != 1 or not self.path.startswith("/") or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return plain(400, "bad request")
        names = (f"127.0.0.1:{self.server.server_port}", f"localhost:{self.server.server_port}")
        if hosts[0].lower() not in names:
            self.close_connection = True
            return plain(421, "this server does not answer for that host")
        if self._is_foreign(names):
            self.close_connection = True
            return plain(403, "this server does not answer pages of other sites")
        if not length.isdecimal() or int(length) > _BODY_BYTES_MAX:
            self.close_connection = True
            return plain(413, "request body too large")
        body = self.rfile.read(int(length))
        if self.command not in site.methods:
            return plain(405, "method not allowed", ("Allow", ", ".join(site.methods)))
        path, _, query = self.path.partition("?")
        return site.respond(Ask(self.command, path, query, tuple(self.headers.items()), body))

    def _is_foreign(self, names: tuple[str, ...]) -> bool:
        """Return whether a browser says that the page of another site is behind this request."""
        own = {f"http://{name}" for name in names}
        if any(origin.strip().lower() not in own for origin in self.headers.get_all("Origin", [])):
            return True
        # `none`: typed by a person; `same-site` is another port of this machine
        sites = self.headers.get_all("Sec-Fetch-Site", [])
        return any(site.strip().lower() not in ("same-origin", "none") for site in sites)

    def _send(self, reply: Reply) -> None:
        if reply.delay_s:
            self.server.site.closing.wait(reply.delay_s)
        bodiless = self.command == "HEAD" or reply.status in (204, 304)
        self.send_response_only(reply.status, _phrase(reply.status))
        self.send_header("Date", formatdate(time.time(), usegmt=True))
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.chunks is not None:
            self.send_header("Transfer-Encoding", "chunked")
        elif reply.status not in (204, 304):
            self.send_header("Content-Length", str(reply.file[1] if reply.file else len(reply.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        with _closing(reply.file):
            if not bodiless:
                self._send_body(reply)
        self.wfile.flush()

    def _send_body(self, reply: Reply) -> None:
        if reply.chunks is not None:
            for chunk in reply.chunks:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            lines = "".join(f"{name}: {value}\r\n" for name, value in reply.trailers)
            self.wfile.write(f"0\r\n{lines}\r\n".encode("latin-1"))
        elif reply.file is not None:
            stream, left = reply.file
            while left and (piece := stream.read(min(left, 1 << 16))):
                self.wfile.write(piece)
                left -= len(piece)
            self.close_connection = self.close_connection or left > 0  # the file shrank while we sent it
        else:
            self.wfile.write(reply.body)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase


@contextmanager
def _closing(file: tuple[BinaryIO, int] | None) -> Iterator[None]:
    try:
        yield
    finally:
        if file is not None:
            file[0].close()


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies in a folder."""

    pages: tuple[str, ...]
    """URLs in a stable order."""
    left_aside: dict[str, int]
    """How many others there are, by suffix (`.png`) or by why they are not served: `hidden`, `no suffix`, `no file of
    this folder` (a link that leads out or nowhere, a pipe)."""


class FolderSite(LoopbackSite):
    """Serves the files of one folder: no climbing out, no links that lead out, no dotfiles, no listings."""

    def __init__(self, folder: str | os.PathLike[str], port: int = 0) -> None:
        super().__init__(port)
        try:
            self.folder = Path(folder).resolve(strict=True)
        except OSError:
            raise UsageError(f"no such folder: {os.fspath(folder)}", folder=os.fspath(folder)) from None
        if not self.folder.is_dir():
            raise UsageError(f"not a folder: {os.fspath(folder)}", folder=os.fspath(folder))

    def survey(self) -> Survey:
        """Return the URLs of all files that hold text (`PAGE_SUFFIXES`), and what else lies in the folder."""
        names, left_aside = [], Counter[str]()
        for path, reason in self._walk():
            if reason is None:
                names.append(os.fsencode(path.relative_to(self.folder).as_posix()))
            else:
                left_aside[reason] += 1
        return Survey(tuple(f"{self.url}/{quote(name)}" for name in sorted(names)), dict(sorted(left_aside.items())))

    def pages(self) -> tuple[str, ...]:
        """Return the URLs of all files that hold text, in a stable order."""
        return self.survey().pages

    def _walk(self) -> Iterator[tuple[Path, str | None]]:
        """Yield everything below the folder, with the reason why it is no page. A hidden folder is not looked into."""
        for top, folders, files in os.walk(self.folder):
            yield from ((Path(top, name), "hidden") for name in folders if not _servable(name))
            folders[:] = filter(_servable, folders)
            for name in files:
                path = Path(top, name)
                if not _servable(name):
                    yield path, "hidden"
                elif self._inside(path) is None:
                    yield path, "no file of this folder"
                else:
                    yield path, None if path.suffix.lower() in PAGE_SUFFIXES else path.suffix.lower() or "no suffix"

    def _inside(self, path: Path) -> Path | None:
        """Return where a path really lies if that is a file in the folder and no part of it is a dotfile."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):  # not there, or links in a circle
            return None
        if not real.is_relative_to(self.folder) or not real.is_file():
            return None
        return None if any(part.startswith(".") for part in real.relative_to(self.folder).parts) else real

    def locate(self, path: str) -> Path | None:
        """Return the file that a URL path names, or None. A final slash means `index.html`."""
        name = os.fsdecode(unquote_to_bytes(path))
        parts = name.removeprefix("/").split("/")
        if parts[-1] == "":
            parts[-1] = "index.html"
        return self._inside(self.folder.joinpath(*parts)) if all(map(_servable, parts)) else None

    def respond(self, ask: Ask) -> Reply:
        path = self.locate(ask.path)
        opened = _open_regular(path) if path is not None else None
        if path is None or opened is None:
            return plain(404, "not found")
        stream, facts = opened
        tag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
        headers = (
            ("Content-Type", _TYPES.get(path.suffix.lower(), "application/octet-stream")),
            ("Last-Modified", formatdate(facts.st_mtime, usegmt=True)),
            ("ETag", tag),
            ("Cache-Control", "no-cache"),
            ("X-Content-Type-Options", "nosniff"),
        )
        if tag in (ask.header("If-None-Match") or "").replace(" ", "").split(","):
            stream.close()
            return Reply(304, headers)
        return Reply(200, headers, file=(stream, facts.st_size))


def _servable(name: str) -> bool:
    """Whether one part of a path may name a file here: no dotfile, no control character, no drive or stream."""
    forbidden = "\\:" if os.name == "nt" else ""
    return bool(name) and not name.startswith(".") and not any(c < " " or c in forbidden for c in name)


def _open_regular(path: Path) -> tuple[BinaryIO, os.stat_result] | None:
    """Open a file that is still a plain file; a link or pipe put in its place meanwhile is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError:
        return None
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb"), facts
