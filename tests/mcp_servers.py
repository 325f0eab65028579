"""MCP servers for tests: the program as a process of its own, by stdin or by HTTP, with a search of ours behind it.

with web() as site, http_server(tmp_path, site) as server:
    run(server.client("legacy"), use)
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from searchlog import records
from searchlog.archive import open_archive
from searchlog.digest import Digest
from tests.searches import TEXTS, check_clean, found, pages
from tests.sites import Site, serve

GENERATIONS = ("legacy", "auto")
"""How the official client connects: by the handshake, or by the newest protocol that the server says it has."""
PROTOCOLS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
TOKEN = "a-token-for-tests-0123456789"
_T = TypeVar("_T")
_CLEARED = ("SEARCHLOG_ARCHIVE", "SEARCHLOG_PROVIDERS", "SEARCHLOG_MCP_TOKEN", "SEARCHLOG_DEBUG")


@contextmanager
def web(**options: Any) -> Iterator[Site]:
    """Serve the pages of `searches.TEXTS`, all of them found by every search."""
    with serve(pages(), **options) as site:
        found(site, list(TEXTS))
        yield site


def environment(site: Site | None = None, **more: str) -> dict[str, str]:
    """Return the environment of a server that searches this site."""
    kept = {name: value for name, value in os.environ.items() if name not in _CLEARED and not name.endswith("_API_KEY")}
    return kept | ({"SEARCHLOG_SEARXNG_URL": site.url} if site is not None else {}) | more


def command(archive: Path, site: Site | None, *args: str) -> list[str]:
    """Return the command line of a server."""
    private = ["-p", "searxng", "--allow-private", "127.0.0.1"] if site is not None else []
    return ["-m", "searchlog", "mcp", "--archive", str(archive), *private, *args]


def stdio(archive: Path, site: Site, mode: str, *args: str, **more: Any) -> Client:
    """Return the official client with a server of its own behind stdin and stdout."""
    started = StdioServerParameters(command=sys.executable, args=command(archive, site, *args), env=environment(site))
    return Client(started, mode=mode, **more)


def run(connected: AbstractAsyncContextManager[Client], use: Callable[[Client], Awaitable[_T]]) -> _T:
    """Return what an async function makes of a connected client; a minute is enough for all of them."""

    async def entered() -> _T:
        with anyio.fail_after(60):
            async with connected as client:
                return await use(client)

    return anyio.run(entered)


HELLO = [
    {
        "jsonrpc": "2.0",
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


class RawStdio:
    """A server by stdin and stdout, spoken to in lines."""

    def __init__(self, archive: Path, site: Site | None, *args: str, program: Sequence[str] = ()) -> None:
        """program: what stands in for `-m searchlog`."""
        line = command(archive, site, *args)
        self.process = subprocess.Popen(
            [sys.executable, *(program or line[:2]), *line[2:]],
            env=environment(site),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.said = b""
        self._readers = [threading.Thread(target=self._read), threading.Thread(target=self._hear)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.put(line)

    def _hear(self) -> None:
        assert self.process.stderr is not None
        self.said = self.process.stderr.read()

    def greet(self) -> dict[str, Any]:
        """Shake hands; return what the server says of itself."""
        for message in HELLO:
            self.send(message)
        return self.answer()

    def send(self, message: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((json.dumps(message).encode() if isinstance(message, dict) else message) + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Return the next line as JSON."""
        value: dict[str, Any] = json.loads(self.lines.get(timeout=30))
        return value

    def end(self, how: int | None = None) -> tuple[int, list[bytes], str]:
        """Close stdin, or send a signal; return exit code, the lines not yet read, and stderr."""
        assert self.process.stdin is not None
        if how is not None:
            self.process.send_signal(how)
        else:
            self.process.stdin.close()
        code = self.process.wait(30)
        for reader in self._readers:
            reader.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        rest = []
        while not self.lines.empty():
            rest.append(self.lines.get())
        return code, rest, self.said.decode()


def call(name: str, arguments: Any, number: int | str = 1, **params: Any) -> dict[str, Any]:
    """Return a call as a message."""
    params = {"name": name, "arguments": arguments, **params}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@dataclass
class HttpServer:
    """A running server."""

    url: str
    token: str
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)
    """Lines of its stderr so far."""

    @asynccontextmanager
    async def client(self, mode: str, *, token: str | None = None, **more: Any) -> AsyncIterator[Client]:
        """Connect the official client, which sends the token."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            async with Client(streamable_http_client(self.url, http_client=http), mode=mode, **more) as client:
                yield client

    def raw(
        self,
        body: bytes | dict[str, Any] | None = None,
        *,
        method: str = "POST",
        path: str | None = None,
        drop: tuple[str, ...] = (),
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of one plain request. headers: with `_` for `-`; they replace the usual."""
        parts = urlsplit(self.url)
        sent = {
            "host": parts.netloc,
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        try:
            connection.putrequest(method, path or parts.path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if name not in drop:
                    connection.putheader(name, value)
            if data is not None and "transfer-encoding" not in sent:
                connection.putheader("content-length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()


@contextmanager
def http_server(archive: Path, site: Site | None, *args: str, **more: str) -> Iterator[HttpServer]:
    """Start a server on a free port; end it as a person would, and hold it to a clean end."""
    given = {"SEARCHLOG_MCP_TOKEN": TOKEN} | more
    process = subprocess.Popen(
        [sys.executable, *command(archive, site, "--http", "--port", "0", *args)],
        env=environment(site, **given),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stdout is not None
    said: list[str] = []
    url = ""
    for line in process.stderr:
        said.append(line)
        if " at http" in line:
            url = line.split(" at ")[1].split(",")[0]
            break
    if not url:
        process.wait(30)
        process.stdout.close()
        process.stderr.close()
        raise AssertionError(said)
    rest = threading.Thread(target=lambda: said.extend(process.stderr or ()))
    rest.start()
    try:
        yield HttpServer(url, given["SEARCHLOG_MCP_TOKEN"], process, said)
    finally:
        process.send_signal(signal.SIGTERM)
        printed = process.stdout.read()
        code = process.wait(30)
        rest.join(10)
        process.stdout.close()
        process.stderr.close()
    assert (code, printed) == (0, ""), said


Kept = list[tuple[records.ToolCall, records.ToolResult, Any]]


def calls_of(archive: Path) -> Kept:
    """Return the calls of an archive's only MCP session with their results and what was handed back."""
    with open_archive(archive, create=False, write=False) as opened:
        (info,) = (info for info in opened.sessions() if info.title == "mcp")
        ledger = opened.ledger(info.id)
        bodies = {record.seq: record.body for record in ledger.records()}
        out: Kept = []
        for record in ledger.records():
            if isinstance(record.body, records.ToolResult):
                causes = [bodies[seq] for seq in record.envelope.causes]
                (call,) = [body for body in causes if isinstance(body, records.ToolCall)]
                content = record.body.content
                value = None if content is None else json.loads(ledger.blobs.get(Digest(content.blob)))
                out.append((call, record.body, value))
    return out


def kept(archive: Path) -> Kept:
    """Return the same of a session that verifies."""
    with open_archive(archive, create=False) as opened:
        (info,) = (info for info in opened.sessions() if info.title == "mcp")
        check_clean(opened.session(info.id))
    return calls_of(archive)
