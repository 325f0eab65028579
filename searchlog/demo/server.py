"""The demo site on loopback: pages that behave like the real web, and a search endpoint shaped like SearXNG's."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import threading
from collections import Counter
from functools import cached_property
from urllib.parse import parse_qs, unquote

from searchlog.demo import manifest, ranking
from searchlog.demo.manifest import DemoQuery, Entry
from searchlog.site_server import Ask, LoopbackSite, Reply, plain

__all__ = ["DemoSite"]

SLOW_S = 0.4
"""How long the slow page waits."""
ROBOTS = "User-agent: *\nDisallow: /private/\n"
_CHUNK_BYTES = 1_500
_CACHED = "max-age=600"


class DemoSite(LoopbackSite):
    """A small site about lighthouses, for the time of a `with` block.

    >>> with DemoSite() as site:
    ...     site.search_url  # give this to the SearXNG provider
    """

    methods = ("GET", "HEAD", "POST")

    def __init__(self, port: int = 0) -> None:
        super().__init__(port)
        self._entries = {entry.path: entry for entry in manifest.entries() if entry.path.startswith("/")}
        self._visits: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def search_url(self) -> str:
        """The base URL of the search service, as a SearXNG client wants it."""
        return self.url

    @property
    def queries(self) -> tuple[DemoQuery, ...]:
        """Questions the site answers; the first is the one the demo asks."""
        return manifest.queries()

    @cached_property
    def _index(self) -> ranking.Index:
        return ranking.Index(manifest.entries(), manifest.text_of)

    def respond(self, ask: Ask) -> Reply:
        path = unquote(ask.path)
        if path == "/search":
            return self._search(ask)
        if ask.method == "POST":
            return plain(405, "method not allowed", ("Allow", "GET, HEAD"))
        if path == "/robots.txt":
            return _whole(ask, "text/plain; charset=utf-8", ROBOTS.encode())
        if path == "/style.css":
            return _whole(ask, "text/css; charset=utf-8", manifest.read("style.css"))
        entry = self._entries.get(path)
        if entry is None or (entry.file is None and entry.to is None):
            return Reply(404, (("Content-Type", "text/html; charset=utf-8"),), manifest.read("404.html"))
        return self._page(ask, entry)

    def _page(self, ask: Ask, entry: Entry) -> Reply:
        if entry.to is not None:
            note = (
                f'<!DOCTYPE html>\n<title>Moved</title>\n<p>This page is now at <a href="{entry.to}">{entry.to}</a>.\n'
            )
            headers = (("Location", entry.to), ("Content-Type", "text/html; charset=utf-8"))
            return Reply(entry.status, headers, note.encode())
        assert entry.file is not None
        body = manifest.read(entry.file)
        kind = f"{entry.type}; charset={entry.charset}" if entry.charset else entry.type
        if entry.behaviour == "changes":
            return self._changed(ask, entry, kind, body.decode())
        if entry.behaviour == "chunked":
            chunks = tuple(body[at : at + _CHUNK_BYTES] for at in range(0, len(body), _CHUNK_BYTES))
            head = (("Content-Type", kind), ("Trailer", "Repr-Digest"), ("Cache-Control", _CACHED))
            return Reply(200, head, chunks=chunks, trailers=(("Repr-Digest", _repr_digest(body)),))
        if entry.behaviour == "gzip":
            return _gzipped(ask, kind, body)
        return _whole(ask, kind, body, SLOW_S if entry.behaviour == "slow" else 0.0)

    def _changed(self, ask: Ask, entry: Entry, kind: str, text: str) -> Reply:
        """A page that counts its visits and shows another piece each time. HEAD is no visit."""
        with self._lock:
            visit = self._visits[entry.path] + 1
            if ask.method == "GET":
                self._visits[entry.path] = visit
        piece = entry.changes[(visit - 1) % len(entry.changes)]
        body = text.replace("{{visit}}", str(visit)).replace("{{piece}}", piece)
        return Reply(200, (("Content-Type", kind), ("Cache-Control", "no-store")), body.encode())

    def _search(self, ask: Ask) -> Reply:
        fields = parse_qs(ask.query, keep_blank_values=True)
        if ask.method == "POST":
            fields.update(parse_qs(ask.body.decode("utf-8", "replace"), keep_blank_values=True))
        asked = {key: values[-1] for key, values in fields.items()}
        if asked.get("format") != "json":
            return plain(403, "only format=json is answered here")
        query, page = asked.get("q", "").strip(), asked.get("pageno", "1")
        language = asked.get("language", "all").lower().split("-")[0]
        if not query:
            return _json(400, {"error": "No query"})
        if not (page.isascii() and page.isdecimal() and 1 <= int(page) <= 100):
            return _json(400, {"error": "Invalid value for parameter pageno"})
        wanted = None if language in ("all", "auto", "") else language
        return _json(200, ranking.answer(self._index, self.url, query, int(page), wanted))


def _json(status: int, value: object) -> Reply:
    headers = (("Content-Type", "application/json"), ("Cache-Control", "no-store"))
    return Reply(status, headers, json.dumps(value, ensure_ascii=False).encode())


def _whole(ask: Ask, kind: str, body: bytes, delay_s: float = 0.0) -> Reply:
    tag = _tag(body)
    headers = (("Content-Type", kind), ("ETag", tag), ("Cache-Control", _CACHED))
    if ask.header("If-None-Match") == tag:
        return Reply(304, headers[1:], delay_s=delay_s)
    return Reply(200, headers, body, delay_s=delay_s)


def _gzipped(ask: Ask, kind: str, body: bytes) -> Reply:
    """With gzip for those who accept it; equal bytes on every machine and each time."""
    headers = [("Content-Type", kind), ("Cache-Control", _CACHED), ("Vary", "Accept-Encoding")]
    if "gzip" in (ask.header("Accept-Encoding") or "").lower():
        body = gzip.compress(body, mtime=0)
        headers.append(("Content-Encoding", "gzip"))
    headers.append(("ETag", _tag(body)))
    return Reply(200, tuple(headers), body)


def _tag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:24]}"'


def _repr_digest(body: bytes) -> str:
    """Return the field value of RFC 9530 section 3."""
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
