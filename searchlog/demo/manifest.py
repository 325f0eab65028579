"""What the demo site holds: the pages of `site/` as listed by `site/site.json`, and their text for its search.

The listing also names things that are no page: a redirect, a link that leads nowhere, a result with a script for an
address. They are there so that each filter of a search has something to do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

__all__ = ["DemoQuery", "Entry", "entries", "queries", "read", "text_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the manifest."""

    path: str
    """URL path, perhaps with a query; or a whole URL of a scheme that must not be fetched."""
    title: str
    language: str
    behaviour: str
    """`plain`, `slow`, `gzip`, `chunked`, `changes`, `redirect`, `missing`, `blocked`, `hidden`, …: see `note`."""
    snippet: str
    """What the demo's search shows of it."""
    file: str | None = None
    """Name under `site/`; None when nothing is served."""
    type: str = "text/html"
    charset: str | None = None
    """Put into Content-Type; None leaves it to the page."""
    encoding: str = "utf-8"
    """Of the file."""
    to: str | None = None
    """Target of a redirect."""
    status: int = 200
    like: str | None = None
    """Found by the same words as the page at this path."""
    published: str | None = None
    note: str | None = None
    listed: bool = True
    """Whether the demo's search knows it."""
    providers: tuple[str, ...] = ("demo titles", "demo text")
    """Which of the two searches behind the endpoint return it."""
    changes: tuple[str, ...] = ()
    """HTML pieces that a page shows in turn, one a visit."""


@dataclass(frozen=True, slots=True)
class DemoQuery:
    """A question the site answers, and where."""

    query: str
    answer: str
    """Stands word for word on the page."""
    path: str


def read(name: str) -> bytes:
    """Return the bytes of one file under `site/`."""
    return files(__package__).joinpath("site", *name.split("/")).read_bytes()


@lru_cache(1)
def _manifest() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(read("site.json"))
    return value


@lru_cache(1)
def entries() -> tuple[Entry, ...]:
    """Return the manifest's entries in order."""
    rows: list[dict[str, Any]] = _manifest()["entries"]
    lists = ("providers", "changes")
    return tuple(Entry(**row | {name: tuple(row[name]) for name in lists if name in row}) for row in rows)


@lru_cache(1)
def queries() -> tuple[DemoQuery, ...]:
    """Return the questions the site answers; the first is the one the demo asks."""
    return tuple(DemoQuery(**row) for row in _manifest()["queries"])


class _Visible(HTMLParser):
    """Gathers text outside head, script and style: enough to rank by, no more."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._skip = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skip += tag in ("head", "script", "style", "nav", "footer")

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in ("head", "script", "style", "nav", "footer")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.parts.append(data)


def text_of(entry: Entry) -> str:
    """Return the words the demo's search knows an entry by: its title, snippet and, where there is one, text."""
    known = f"{entry.title}\n{entry.snippet}\n"
    file = entry.file
    if entry.like is not None:
        file = next(other.file for other in entries() if other.path == entry.like)
    if file is None or entry.type == "application/pdf":
        return known
    text = read(file).decode(_encoding(file))
    if not file.endswith(".html"):
        return known + text
    parser = _Visible()
    parser.feed(text)
    parser.close()
    return known + " ".join(parser.parts)


def _encoding(file: str) -> str:
    return next((entry.encoding for entry in entries() if entry.file == file), "utf-8")
