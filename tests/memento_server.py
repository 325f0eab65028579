"""A web archive on loopback that speaks Memento, CDX and Save Page Now, in the ways archives do, and in bad ones.

    with MementoServer(CAPTURES, timegate="redirect") as archive:
        ask(archive.source(), PAGE, near, client, deadline)

Each service has a way to answer, by name; a fault is a function from the request to the bytes to send instead.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from searchlog.capture.client import Client
from searchlog.capture.guard import Allow
from searchlog.clock import SystemClock
from searchlog.mementos.memento import format_http_date, format_timestamp
from searchlog.mementos.source import WebArchive, parse_source
from tests.wire_server import Script, WireServer

CLOCK = SystemClock()
Fault = Callable[[bytes], Sequence[bytes | float | str]]

TIMEGATES = ("redirect", "redirect-link", "relative", "content", "content-location", "chain")
TIMEMAPS = ("link", "json", "table", "cdxj", "index-lines", "paged", "index")
INDEXES = ("table", "lines", "columns", "cdxj", "unsorted")


@dataclass(frozen=True)
class Captured:
    """One capture of an archive."""

    page: str
    at: datetime
    body: bytes = b"<p>As it was.</p>"
    status: int = 200
    headers: tuple[str, ...] = ("Content-Type: text/html",)

    @property
    def stamp(self) -> str:
        return format_timestamp(self.at)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def reply(status: int = 200, *headers: str, body: bytes = b"", head: bool = False) -> list[bytes]:
    """Return a response; the reason phrase says nothing."""
    lines = [f"HTTP/1.1 {status} X", *headers, f"Content-Length: {len(body)}"]
    return ["\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (b"" if head else body)]  # type: ignore[list-item]


def refusing(status: int, *headers: str, body: bytes = b"no") -> Fault:
    """Return the fault of always giving this status."""
    return lambda request: reply(status, *headers, body=body, head=request.startswith(b"HEAD"))


def saying(body: bytes, *headers: str) -> Fault:
    """Return the fault of always giving this body."""
    return lambda request: reply(200, *headers, body=body, head=request.startswith(b"HEAD"))


class _Scripts(dict[str, Script]):
    """Every path is answered by the archive."""

    def __init__(self, answer: Callable[[bytes], Sequence[bytes | float | str]]) -> None:
        self._answer = answer

    def get(self, key: str, default: Script | None = None) -> Script:  # type: ignore[override]
        return self._answer


class MementoServer(WireServer):
    """A web archive that has these captures."""

    def __init__(
        self,
        captures: Sequence[Captured] = (),
        *,
        timegate: str | None = "redirect",
        timemap: str | None = "link",
        cdx: str | None = "table",
        raw: bool = True,
        faults: Mapping[str, Fault] | None = None,
    ) -> None:
        """faults: by service: `timegate`, `timemap`, `cdx`, `web`, `save`, `status`."""
        super().__init__(_Scripts(self.answer))
        self.captures = sorted(captures, key=lambda item: item.at)
        self.ways = {"timegate": timegate, "timemap": timemap, "cdx": cdx}
        self.raw = raw
        self.faults = dict(faults or {})
        self.bodies: list[bytes] = []

    def source(self) -> WebArchive:
        """Return how it is asked."""
        words = [
            f"{name}={self.url(f'/{name}')}" + ("" if name == "cdx" else "/") for name, way in self.ways.items() if way
        ]
        if self.raw:
            words.append(f"raw={self.url('/web/{timestamp}id_/{url}')}")
        return parse_source(" ".join([*words, f"save={self.url('/save')}"]))

    def client(self, *others: WireServer) -> Client:
        allow = Allow.parse([f"{server.address}:{server.port}" for server in (self, *others)])
        return Client(clock=CLOCK, allow=allow)

    @property
    def services(self) -> list[str]:
        """The services that were asked, in order, with the method."""
        return [
            f"{request.split(b' ', 1)[0].decode()} {re.split('[/?]', path)[1]}"
            for request, path in zip(self.requests, self.paths, strict=True)
        ]

    def _answer(self, sock: socket.socket) -> None:
        sock = _Whole(sock, self.bodies)  # type: ignore[assignment]
        super()._answer(sock)

    def answer(self, request: bytes) -> Sequence[bytes | float | str]:
        path = request.split(b" ", 2)[1].decode("latin-1")
        service = re.split("[/?]", path)[1]
        if service == "save" and path.startswith("/save/status/"):
            service = "status"
        if service in self.faults:
            return self.faults[service](request)
        return self.answer_as(request, path)

    def answer_as(self, request: bytes, path: str) -> Sequence[bytes | float | str]:
        """Return the answer to a request as if it had asked for another path."""
        service = re.split("[/?]", path)[1]
        head = request.startswith(b"HEAD")
        if service == "timegate":
            return self._timegate(path.removeprefix("/timegate/"), request, head)
        if service == "timemap":
            return self._timemap(path.removeprefix("/timemap/"))
        if service == "cdx":
            return self._cdx(parse_qs(urlsplit(path).query))
        if service == "web":
            return self._web(path, head)
        return reply(404, body=b"no such service", head=head)

    # -- what there is

    def _of(self, page: str) -> list[Captured]:
        return [item for item in self.captures if item.page == page]

    def _view(self, item: Captured, view: str = "") -> str:
        return self.url(f"/web/{item.stamp}{view}/{item.page}")

    def _links(self, item: Captured) -> str:
        of_page = self._of(item.page)
        told = [
            f'<{item.page}>; rel="original"',
            f'<{self.url("/timemap/" + item.page)}>; rel="timemap"; type="application/link-format"',
            f'<{self._view(of_page[0])}>; rel="first memento"; datetime="{format_http_date(of_page[0].at)}"',
            f'<{self._view(item)}>; rel="memento"; datetime="{format_http_date(item.at)}"',
        ]
        return ", ".join(told)

    def _timegate(self, page: str, request: bytes, head: bool) -> list[bytes]:
        way = self.ways["timegate"]
        if way == "chain" and not page.startswith("2/"):
            return reply(302, f"Location: {self.url('/timegate/2/' + page)}", head=head)
        page = page.removeprefix("2/")
        asked = re.search(rb"\r\nAccept-Datetime: ([^\r]+)", request)
        assert asked is not None, "a TimeGate is asked with Accept-Datetime"
        near = datetime.strptime(asked[1].decode(), "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
        if not self._of(page):
            return reply(404, body=b"no memento", head=head)
        best = min(self._of(page), key=lambda item: abs(item.at - near))
        original = f'Link: <{page}>; rel="original", <{self.url("/timemap/" + page)}>; rel="timemap"'
        if way in ("redirect", "chain"):
            return reply(302, "Vary: accept-datetime", f"Location: {self._view(best)}", original, head=head)
        if way == "relative":
            return reply(302, "Vary: accept-datetime", f"Location: /web/{best.stamp}/{page}", original, head=head)
        if way == "redirect-link":
            return reply(302, f"Location: {self._view(best)}", f"Link: {self._links(best)}", head=head)
        fields = [f"Memento-Datetime: {format_http_date(best.at)}", "Vary: accept-datetime"]
        if way == "content-location":
            fields += [original, f"Content-Location: /web/{best.stamp}/{page}"]
        else:
            fields.append(f"Link: {self._links(best)}")
        return reply(200, *fields, body=best.body, head=head)

    def _web(self, path: str, head: bool) -> list[bytes]:
        found = re.fullmatch(r"/web/(\d+)(id_)?/(.+)", path)
        of_page = self._of(found[3]) if found else []
        if found is None or not of_page:
            return reply(404, body=b"<h1>This archive has no such page</h1>", head=head)
        exact = [item for item in of_page if item.stamp == found[1]]
        if not exact:
            return reply(302, f"Location: {self._view(of_page[-1], found[2] or '')}", head=head)
        item = exact[0]
        told = (f"Memento-Datetime: {format_http_date(item.at)}", f"Link: {self._links(item)}")
        added = b"" if found[2] else b"<!-- added by the archive -->"
        return reply(item.status, *item.headers, *told, body=item.body + added, head=head)

    # -- lists

    def _timemap(self, page: str) -> list[bytes]:
        way, part = self.ways["timemap"], re.match(r"part/(\d+)/", page)
        page = page[part.end() :] if part else page
        of_page = self._of(page)
        if not of_page:
            return reply(404, body=b"no timemap")
        if way == "json":
            listed = [{"datetime": f"{item.at:%Y-%m-%dT%H:%M:%SZ}", "uri": self._view(item)} for item in of_page]
            return reply(body=json.dumps({"original_uri": page, "mementos": {"list": listed}}).encode())
        if way == "cdxj":
            lines = [f'!id {{"uri": "{page}"}}', '!keys ["memento_datetime_YYYYMMDDhhmmss"]']
            lines += [
                f'{item.stamp} {{"uri": "{self._view(item)}", "datetime": "{format_http_date(item.at)}"}}'
                for item in of_page
            ]
            return reply(body="\n".join(lines).encode() + b"\n")
        if way in ("table", "index-lines"):
            return reply(body=_index("table" if way == "table" else "lines", of_page))
        if way in ("paged", "index") and (part or way == "paged"):
            number = int(part[1]) if part else 0
            rest = [
                f'<{self.url(f"/timemap/part/{other}/{page}")}>; rel="timemap"; from="{format_http_date(item.at)}"; '
                f'until="{format_http_date(item.at)}"'
                for other, item in enumerate(of_page)
                if other != number
            ]
            return reply(body=self._list(page, [of_page[number]], rest))
        if way == "index":
            parts = [
                f'<{self.url(f"/timemap/part/{number}/{page}")}>; rel="timemap"; from="{format_http_date(item.at)}"; '
                f'until="{format_http_date(item.at)}"'
                for number, item in enumerate(of_page)
            ]
            return reply(body=self._list(page, [], parts))
        return reply(body=self._list(page, of_page, []))

    def _list(self, page: str, items: Sequence[Captured], more: Sequence[str]) -> bytes:
        told = [
            f'<{page}>; rel="original"',
            f'<{self.url("/timemap/" + page)}>; rel="self"; type="application/link-format"',
        ]
        told += [f'<{self._view(item)}>; rel="memento"; datetime="{format_http_date(item.at)}"' for item in items]
        return ",\n ".join([*told, *more]).encode()

    def _cdx(self, fields: Mapping[str, list[str]]) -> list[bytes]:
        items, way = self._of(fields["url"][0]), self.ways["cdx"]
        assert fields["output"] == ["json"]
        for name, keep in (("from", lambda a, b: a >= b), ("to", lambda a, b: a <= b)):
            if name in fields:
                items = [item for item in items if keep(item.stamp, fields[name][0])]
        if "closest" in fields and way != "unsorted":
            near = datetime.strptime(fields["closest"][0], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            items = sorted(items, key=lambda item: abs(item.at - near))
        return reply(body=_index("table" if way == "unsorted" else str(way), items[: int(fields["limit"][0])]))


def _index(way: str, items: Sequence[Captured]) -> bytes:
    names = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
    rows = [("x)/", item.stamp, item.page, "text/html", str(item.status), "SHA1X", "100") for item in items]
    if way == "table":
        return json.dumps([names, *rows] if rows else []).encode()
    if way == "columns":
        return "".join(" ".join(row) + "\n" for row in rows).encode()
    objects = [{"url": row[2], "status": row[4], "digest": row[5], "mime": row[3]} for row in rows]
    if way == "cdxj":
        return "".join(f"x)/ {row[1]} {json.dumps(item)}\n" for row, item in zip(rows, objects, strict=True)).encode()
    return "".join(
        json.dumps({"urlkey": "x)/", "timestamp": row[1], **item}) + "\n"
        for row, item in zip(rows, objects, strict=True)
    ).encode()


class _Whole:
    """A socket whose first reading also takes the body, so that no connection ends with bytes unread."""

    def __init__(self, sock: socket.socket, bodies: list[bytes]) -> None:
        self._sock, self._bodies = sock, bodies

    def recv(self, size: int) -> bytes:
        data = self._sock.recv(size)
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"\r\nContent-Length: (\d+)", head)
        if end and length is not None:
            while len(body) < int(length[1]):
                more = self._sock.recv(size)
                if not more:
                    break
                body += more
            self._bodies.append(body)
        return head + end

    def sendall(self, data: bytes) -> None:
        self._sock.sendall(data)

    def shutdown(self, how: int) -> None:
        self._sock.shutdown(how)

    def setsockopt(self, *arguments: object) -> None:
        self._sock.setsockopt(*arguments)  # type: ignore[arg-type]
