"""The server the measurements run against: a process of its own, on loopback, that answers from memory.

Pages stand at /p/<n>, each plan's search at /plan/<name>/search in the shape of SearXNG. Pages are spread over the
addresses 127.0.0.2 and up, as pages of a real search are over hosts, where the system has those addresses.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from tests.bench import pages as page_source

HOSTS = 16
REALISTIC_S = (0.08, 0.11, 0.15, 0.19, 0.24, 0.28, 0.33, 0.39, 0.46, 0.62)
"""Time to the first byte of ten pages; robots.txt of the same hosts then takes ROBOTS_S."""
ROBOTS_S = 0.03
SEARCH_S = 0.25
"""Time the provider takes in the realistic plans."""
PLANS: dict[str, list[str]] = {
    "zero": [""] * 10,
    "realistic": [f"delay={seconds}" for seconds in REALISTIC_S],
    "faulty": [*(f"delay={seconds}" for seconds in REALISTIC_S[:7]), "hang=1", "drip=1", "fail=1"],
}


@dataclass(frozen=True)
class Served:
    """Where the server listens."""

    port: int
    hosts: tuple[str, ...]

    def urls(self, count: int) -> list[str]:
        """Return the addresses of the first pages."""
        return [f"http://{self.hosts[n % len(self.hosts)]}:{self.port}/p/{n}" for n in range(count)]

    def search_base(self, plan: str) -> str:
        """Return the base address of a plan's search, as a SearXNG client wants it."""
        return f"http://127.0.0.1:{self.port}/plan/{plan}"

    @property
    def allowed(self) -> tuple[str, ...]:
        return tuple(f"{host}:{self.port}" for host in ("127.0.0.1", *self.hosts))


@contextmanager
def serving(folder: str | None, count: int, robots_s: float = 0.0) -> Iterator[Served]:
    """Run the server in a process of its own; robots.txt answers after `robots_s` (it is always a 404)."""
    command = [sys.executable, "-m", "tests.bench.server", "--count", str(count), "--robots", str(robots_s)]
    command += ["--pages", folder] if folder else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise SystemExit("the page server did not start")
        told = json.loads(line)
        yield Served(told["port"], tuple(told["hosts"]))
    finally:
        process.terminate()
        process.communicate()


def _head(kind: str, length: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


class _Handler(asyncio.Protocol):
    """One connection: keep-alive, requests without bodies."""

    def __init__(self, answers: list[bytes], hosts: list[str], robots_s: float) -> None:
        self._answers, self._hosts, self._robots_s = answers, hosts, robots_s
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._wire = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            self._answer(urlsplit(head.split(b" ", 2)[1].decode("latin-1")), b"close" in head.lower())

    def _answer(self, target: object, close: bool) -> None:
        path, fields = target.path, parse_qs(target.query)  # type: ignore[attr-defined]
        delay = float(fields.get("delay", ["0"])[0])
        if path.startswith("/plan/"):
            self._later(SEARCH_S if "/zero/" not in path else 0.0, self._found(path.split("/")[2]), close)
        elif not path.startswith("/p/"):
            self._later(self._robots_s, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", close)
        elif "hang" in fields:
            return
        elif "fail" in fields:
            raw = self._wire.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._wire.abort()
        else:
            answer = self._answers[int(path[3:]) % len(self._answers)]
            if "drip" in fields:
                asyncio.get_running_loop().call_soon(self._drip, answer, 0)
            else:
                self._later(delay, answer, close)

    def _later(self, seconds: float, data: bytes, close: bool) -> None:
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self._write, data, close)
        else:
            self._write(data, close)

    def _write(self, data: bytes, close: bool) -> None:
        self._wire.write(data)
        if close:
            self._wire.close()

    def _drip(self, data: bytes, at: int) -> None:
        if at < len(data) and not self._wire.is_closing():
            self._wire.write(data[at : at + 40])
            asyncio.get_running_loop().call_later(0.25, self._drip, data, at + 40)

    def _found(self, plan: str) -> bytes:
        port = self._wire.get_extra_info("sockname")[1]
        rows = [
            {
                "url": f"http://{self._hosts[n % len(self._hosts)]}:{port}/p/{n}?{query}",
                "title": f"Page {n}",
                "content": "A page to measure with.",
                "engine": "bench",
                "engines": ["bench"],
                "positions": [n + 1],
                "score": 1 / (n + 1),
                "category": "general",
            }
            for n, query in enumerate(PLANS[plan])
        ]
        empty: dict[str, list[str]] = {
            key: [] for key in ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
        }
        body = json.dumps({"query": "", "number_of_results": 0, "results": rows} | empty).encode()
        return _head("application/json", len(body)) + body


async def _run(count: int, folder: str | None, robots_s: float) -> None:
    answers = [_head("text/html; charset=utf-8", len(page)) + page for page in page_source.load(folder, count)]
    hosts = [f"127.0.0.{n}" for n in range(2, 2 + HOSTS)] if sys.platform == "linux" else ["127.0.0.1"]
    loop = asyncio.get_running_loop()
    first = await loop.create_server(lambda: _Handler(answers, hosts, robots_s), "127.0.0.1", 0)
    port = first.sockets[0].getsockname()[1]
    servers = [first]
    for host in hosts:
        if host != "127.0.0.1":
            servers.append(await loop.create_server(lambda: _Handler(answers, hosts, robots_s), host, port))
    print(json.dumps({"port": port, "hosts": hosts}), flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", help="folder of .html or .html.gz files")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--robots", type=float, default=0.0, help="seconds until robots.txt answers")
    given = parser.parse_args()
    asyncio.run(_run(given.count, given.pages, given.robots))


if __name__ == "__main__":
    main()
