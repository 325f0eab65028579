"""A SearXNG server on loopback for tests: its answers byte for byte in form, its failures, and those of what stands
before it.

    with SearxngServer() as server:
        ... server.instance("tides") ...   # an instance: give it to the provider as its address

Each instance is a path with a `/search` below it. Those of `INSTANCES` follow SearXNG's own rules: which engines are
asked, what a bad parameter is, what is named as unresponsive. Those of `STRANGERS` send fixed bytes. The forms were
compared with SearXNG 9fea4120 under Werkzeug and granian; `tests/data/providers/searxng` holds what it sent.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.wire_server import HANG, RESET, Script, Step, WireServer

__all__ = ["INSTANCES", "PAGES", "STRANGERS", "Engine", "Instance", "SearxngServer"]

_TYPES = {"json": "application/json", "html": "text/html; charset=utf-8"}
_PHRASES = {200: "OK", 302: "FOUND", 400: "BAD REQUEST", 403: "FORBIDDEN", 429: "TOO MANY REQUESTS"}
_FORBIDDEN = (
    "<!doctype html>\n<html lang=en>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>\n<p>You don&#39;t have the "
    "permission to access the requested resource. It is either read-protected or not readable by the server.</p>\n"
)
PAGES = {
    "/mill": "The tide mill stores the flood in a pond. Its gate shuts at high water by itself.",
    "/gate": "A sluice gate of the tide mill is hung so that the ebb closes it. No keeper is needed.",
    "/pond": "The pond of a tide mill silts up. Every spring the mud is flushed out at low water.",
}
"""Pages that the engines find when a word of the query stands in them."""


@dataclass(frozen=True)
class Engine:
    """One engine behind the server, as its settings describe it."""

    name: str
    pages: bool = True
    """Whether it can give a second page."""
    times: bool = True
    """Whether it can limit by time."""
    fails: str = ""
    """What the server says of it, when it never answers."""


@dataclass(frozen=True)
class Instance:
    """One SearXNG, as set up."""

    engines: tuple[Engine, ...] = (Engine("tides"),)
    formats: tuple[str, ...] = ("html", "json")
    limiter: bool = False


_BUSY, _SLOW = Engine("busy", fails="too many requests"), Engine("slow", fails="timeout")
INSTANCES = {
    "tides": Instance(),
    "simple": Instance((Engine("simple", pages=False, times=False),)),
    "part": Instance((Engine("tides"), _BUSY, _SLOW)),
    "failing": Instance((_BUSY, _SLOW)),
    "closed": Instance(formats=("html",)),
    "limited": Instance(limiter=True),
    "bare": Instance(()),
}


class SearxngServer(WireServer):
    """Serves every instance, every stranger and the pages at once."""

    def __init__(self) -> None:
        script: dict[str, Script] = {f"/{name}/search": script for name, script in STRANGERS.items()}
        for name, instance in INSTANCES.items():
            script[f"/{name}/search"] = lambda request, instance=instance: [self._searched(instance, request)]  # type: ignore[misc]
        for path, text in PAGES.items():
            script[path] = [_http(200, f"<!doctype html><title>{path[1:]}</title><p>{text}</p>", "html", ours=False)]
        super().__init__(_ByPath(script))

    def instance(self, name: str) -> str:
        """Return the address of an instance or a stranger."""
        return self.url(f"/{name}")

    @property
    def asked(self) -> list[dict[str, str]]:
        """The parameters of each search, in order."""
        return [_fields(request) for request in self.requests if b"/search?" in request.partition(b"\r\n")[0]]

    def _searched(self, instance: Instance, request: bytes) -> bytes:
        asked = _fields(request)
        if instance.limiter and "text/html" not in _header(request, "accept"):
            return _http(429, "Too Many Requests", "html")
        if asked.get("format", "html") not in instance.formats:
            return _http(403, _FORBIDDEN, "html")
        wrong = _wrong(asked)
        if wrong:
            return _http(400, json.dumps({"error": wrong}))
        words = asked["q"].split()
        if any(re.fullmatch("!![a-z]+", word) for word in words):
            place = "https://elsewhere.example/search?q=tide"
            return _http(302, f'<!doctype html>\n<a href="{place}">{place}</a>\n', "html", f"Location: {place}\r\n")
        return self._answered(instance, asked, " ".join(word for word in words if not re.fullmatch("<[0-9]+", word)))

    def _answered(self, instance: Instance, asked: dict[str, str], query: str) -> bytes:
        page = int(asked["pageno"])
        skipped = {e for e in instance.engines if (page > 1 and not e.pages) or ("time_range" in asked and not e.times)}
        engines = [engine for engine in instance.engines if engine not in skipped]
        by_itself = query.startswith("avg ")
        answering = [] if by_itself else [engine for engine in engines if not engine.fails]
        failed = [] if by_itself else [[engine.name, engine.fails] for engine in engines if engine.fails]
        rows = [row for engine in answering for row in self._rows(engine, query)] if page == 1 else []
        answer = {"url": None, "engine": "answerer: avg", "parsed_url": None, "template": "answer/legacy.html"}
        body = {
            "query": query,
            "results": rows,
            "answers": [answer | {"answer": "[en] avg(1, 2, 3) = 2 "}] if by_itself else [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": sorted(failed),
        }
        times = "".join(f", total_{n}_{e.name};dur=4.75, load_{n}_{e.name};dur=3.68" for n, e in enumerate(answering))
        return _http(200, json.dumps(body), times=times)

    def _rows(self, engine: Engine, query: str) -> list[dict[str, Any]]:
        found = [path for path, text in PAGES.items() if any(word in text.lower() for word in query.lower().split())]
        return [
            {
                "url": self.url(path),
                "title": f"The {path[1:]}",
                "content": PAGES[path][:60],
                "engine": engine.name,
                "template": "default.html",
                "parsed_url": ["http", f"127.0.0.1:{self.port}", path, "", "", ""],
                "img_src": "",
                "thumbnail": "",
                "priority": "",
                "engines": [engine.name],
                "positions": [place],
                "score": 1 / place,
                "category": "general",
                "publishedDate": None,
            }
            for place, path in enumerate(found, 1)
        ]


class _ByPath(dict[str, Script]):
    """Scripts that are found by the path of a target, whatever its query."""

    def get(self, target: str, default: Any = None) -> Any:
        return super().get(target.partition("?")[0], default)


def _http(status: int, body: str, kind: str = "json", more: str = "", times: str = "", *, ours: bool = True) -> bytes:
    """Return an answer as Werkzeug writes it: HTTP/1.0 and a closed connection. ours: with what SearXNG adds."""
    data = body.encode()
    own = (
        f"Server-Timing: total;dur=7.52, render;dur=0{times}\r\nX-Content-Type-Options: nosniff\r\n"
        "X-Download-Options: noopen\r\nX-Robots-Tag: noindex, nofollow\r\nReferrer-Policy: no-referrer\r\n"
    )
    return (
        f"HTTP/1.0 {status} {_PHRASES[status]}\r\nServer: Werkzeug/3.1.9 Python/3.11.7\r\n"
        f"Date: Mon, 30 Nov 2026 13:00:35 GMT\r\nContent-Type: {_TYPES[kind]}\r\nContent-Length: {len(data)}\r\n"
        f"{more}{own if ours else ''}Connection: close\r\n\r\n"
    ).encode("ascii") + data


def _fields(request: bytes) -> dict[str, str]:
    target = request.split(b" ", 2)[1].decode("ascii")
    return {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}


def _header(request: bytes, name: str) -> str:
    lines = request.decode("latin-1").split("\r\n")
    return next((value for line in lines if (value := line.partition(": ")[2]) and line.lower().startswith(name)), "")


def _wrong(asked: dict[str, str]) -> str:
    """Return what SearXNG says of parameters that it refuses; empty when it takes them."""
    if not asked.get("q"):
        return "No query"
    forms = {
        "pageno": "[1-9][0-9]*",
        "language": "[a-z]{2,3}(-[a-zA-Z]{2})?|auto",
        "time_range": "day|week|month|year",
        "safesearch": "[012]",
    }
    for name, form in forms.items():
        if name in asked and not re.fullmatch(form, asked[name]):
            return f"Invalid value {asked[name]} for parameter {name}"
    return ""


def _proxy(status: str, body: str, *fields: str) -> Script:
    """Return an answer that SearXNG never made, as a server in front of it sends it."""
    head = "".join(f"{field}\r\n" for field in ("Content-Type: text/html", f"Content-Length: {len(body)}", *fields))
    return [f"HTTP/1.1 {status}\r\nServer: nginx\r\n{head}Connection: close\r\n\r\n{body}".encode("ascii")]


def _nginx(title: str) -> str:
    return (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n</html>\r\n"
    )


_WHOLE = _http(200, json.dumps({"query": "tide", "results": [{"url": "https://a.example/", "title": "A"}] * 20}))
_LOGIN: tuple[Step, ...] = tuple(_proxy("401 Unauthorized", _nginx("401"), 'WWW-Authenticate: Basic realm="x"'))  # type: ignore[arg-type]
STRANGERS: dict[str, Script] = {
    "busy": _proxy("429 Too Many Requests", _nginx("429 Too Many Requests"), "Retry-After: 17"),
    "down": _proxy("502 Bad Gateway", _nginx("502 Bad Gateway"), "Retry-After: 30"),
    "denied": _proxy("403 Forbidden", _nginx("403 Forbidden")),
    "login": _LOGIN,
    "challenge": _proxy("403 Forbidden", "<title>Just a moment...</title>", "cf-mitigated: challenge"),
    "moved": _proxy("301 Moved Permanently", _nginx("301"), "Location: https://searx.example/search?q=tide"),
    "page": [_http(200, "<!DOCTYPE html>\n<html><title>SearXNG</title><form></form></html>", "html")],
    "garbled": [_http(200, '{"query": "tide", "results": [{"url": "https://a.exa')],
    "other": [_http(200, '{"status": "ok"}')],
    "cut": [_WHOLE[:-300]],
    "reset": [_WHOLE[:300], 0.05, RESET],
    "slow": [HANG],
    "dripping": [_WHOLE[:-300], HANG],
}
