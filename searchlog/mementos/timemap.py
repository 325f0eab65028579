"""TimeMaps: the list of an archive's captures of a page, in each form that archives write. Pure.

    application/link-format    RFC 7089 section 5; may be paged
    JSON                       an object with `mementos.list`, as aggregators give it
    JSON                       an array of rows under the names of their columns, as the Wayback Machine gives it
    CDXJ                       a line a capture: 14 digits and JSON; lines with `!` before them tell of the list

The form is seen from the first characters: content types are often wrong. What has no readable time is counted, and
left out. Everything else in the list is the archive's word. Shown by test_mementos_timemap.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

from searchlog.errors import FormatError
from searchlog.mementos.links import LINKS_MAX, links
from searchlog.mementos.memento import parse_moment
from searchlog.search.answers.cdx import named_row, row_of_line

__all__ = ["Entry", "Page", "TimeMap", "parse_timemap"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One capture of a list."""

    at: datetime
    uri: str | None
    """URI-M; None where the list has no addresses of captures, only their timestamps."""
    original: str | None = None
    status: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Another part of a paged list."""

    uri: str
    first: datetime | None
    last: datetime | None

    def gap(self, near: datetime) -> float:
        """Return how many seconds lie between a moment and what this part tells of; 0 inside, and where it is not
        said."""
        before = (self.first - near).total_seconds() if self.first is not None else 0.0
        after = (near - self.last).total_seconds() if self.last is not None else 0.0
        return max(before, after, 0.0)


@dataclass(slots=True)
class TimeMap:
    """What a list tells besides its captures; complete when they have all been walked over."""

    original: str | None = None
    timegate: str | None = None
    pages: list[Page] = field(default_factory=list)
    unread_count: int = 0
    """Captures without a readable time or address."""


def parse_timemap(data: bytes, base: str, *, cut: bool = False) -> tuple[TimeMap, Iterator[Entry]]:
    """Return a list and its captures, in its own order; the first fills as the second is walked over.

    base: the list's address, for relative ones in it. cut: the data ends somewhere. Walking raises FormatError where
    the data is no list of captures.
    """
    told = TimeMap()
    text = data.decode("utf-8-sig", "replace").lstrip()
    start = text[:1]
    if start in ("{", "["):
        return told, _of_json(text, base, told, cut)
    if start == "<" or not text:
        return told, _of_links(text, base, told, cut)
    return told, _of_lines(text, base, told, cut)


def _of_links(text: str, base: str, told: TimeMap, cut: bool) -> Iterator[Entry]:
    if text[1:2] in ("!", "h", "H", "?") and "<html" in text[:2_000].lower():
        raise FormatError("the answer is an HTML page, where a list of captures was asked for")
    for link in links(text, cut=cut):
        if "memento" in link.relations:
            at = parse_moment(link.fields.get("datetime", ""))
            if at is None or not link.uri:
                told.unread_count += 1
            else:
                yield Entry(at, _joined(base, link.uri), told.original)
        elif "original" in link.relations:
            told.original = told.original or link.uri
        elif "timegate" in link.relations:
            told.timegate = told.timegate or _joined(base, link.uri)
        elif "timemap" in link.relations and "self" not in link.relations:
            _add_page(told, base, link.uri, link.fields.get("from", ""), link.fields.get("until", ""))


def _add_page(told: TimeMap, base: str, uri: str, first: str, last: str) -> None:
    page = Page(_joined(base, uri), parse_moment(first), parse_moment(last))
    if page.uri != base and len(told.pages) < 1_000:
        told.pages.append(page)


def _of_json(text: str, base: str, told: TimeMap, cut: bool) -> Iterator[Entry]:
    first_line = text.partition("\n")[0]
    if text.startswith("{") and '"timestamp"' in first_line and '"mementos"' not in first_line:
        yield from _of_lines(text, base, told, cut)  # an object a line, as the index of pywb gives it
        return
    value = _json(text)
    if isinstance(value, list):
        yield from _of_table(value, told)
        return
    mementos = value.get("mementos")
    listed = mementos.get("list") if isinstance(mementos, dict) else mementos
    if not isinstance(listed, list):
        pages = value.get("timemap_index")
        if not isinstance(pages, list):
            raise FormatError("the JSON has neither `mementos` nor `timemap_index`")
        listed = []
        for item in pages:
            if isinstance(item, dict) and _text(item.get("uri")):
                _add_page(told, base, _text(item["uri"]), _text(item.get("from")), _text(item.get("until")))
    told.original = _text(value.get("original_uri")) or None
    told.timegate = _text(value.get("timegate_uri")) or None
    for item in listed[:LINKS_MAX]:
        at = parse_moment(_text(item.get("datetime"))) if isinstance(item, dict) else None
        if at is None or not _text(item.get("uri")):
            told.unread_count += 1
        else:
            yield Entry(at, _joined(base, _text(item["uri"])), told.original)
    following = value.get("pages")
    for name in ("next", "prev") if isinstance(following, dict) else ():
        part = following.get(name)
        uri = part.get("uri") if isinstance(part, dict) else part
        if _text(uri):
            _add_page(told, base, _text(uri), "", "")


def _of_table(rows: Sequence[Any], told: TimeMap) -> Iterator[Entry]:
    """Yield the captures of rows, the first of which names the columns. Nothing found is no row at all."""
    if not rows:
        return
    names = rows[0] if isinstance(rows[0], list) else []
    if "timestamp" not in names:
        raise FormatError("the first row of the JSON does not name a column `timestamp`")
    for row in rows[1 : LINKS_MAX + 1]:
        if row != []:
            yield from _entry_of(named_row(names, row), told)


def _of_lines(text: str, base: str, told: TimeMap, cut: bool) -> Iterator[Entry]:
    """Yield the captures of lines: CDXJ with or without a key before the timestamp, JSON, or columns."""
    count, lines = 0, text.split("\n", LINKS_MAX)
    if cut or len(lines) > LINKS_MAX:
        lines.pop()  # the last one is not whole
    for line in map(str.strip, lines):
        if not line or line[0] in "!@":
            _tell_of_list(line, told)
            continue
        row = _line(line)
        if row is None:
            if count == 0:
                raise FormatError(f"no list of captures: its first line is {line[:60]!r}")
            told.unread_count += 1
            continue
        count += 1
        for entry in _entry_of(row, told):
            joined = None if entry.uri is None else _joined(base, entry.uri)
            yield Entry(entry.at, joined, entry.original, entry.status, entry.digest)


def _line(line: str) -> dict[str, Any] | None:
    head, brace, rest = line.partition("{")
    if not brace:
        return row_of_line(line)
    try:
        value = _json(brace + rest)
    except FormatError:
        return None
    if not isinstance(value, dict):
        return None
    key = head.split()
    return value | ({"timestamp": key[-1]} if key and "timestamp" not in value else {})


def _tell_of_list(line: str, told: TimeMap) -> None:
    name, _, rest = line.partition(" ")
    if name.lstrip("!@") in ("id", "original_uri") and told.original is None:
        try:
            value = _json(rest)
        except FormatError:
            return
        told.original = _text(value.get("uri") if isinstance(value, dict) else value) or None


def _entry_of(row: dict[str, Any] | None, told: TimeMap) -> Iterator[Entry]:
    """Yield the capture of one row, or count it."""
    row = row or {}
    at = parse_moment(_text(row.get("datetime"))) or parse_moment(_text(row.get("timestamp")))
    # `uri` is the capture's address in CDXJ of aggregators; in an index `url` and `original` are the page's
    original = _text(row.get("original")) or _text(row.get("url")) or told.original
    if at is None or not (original or _text(row.get("uri"))):
        told.unread_count += 1
        return
    status = _text(row.get("statuscode")) or _text(row.get("status"))
    yield Entry(
        at,
        _text(row.get("uri")) or None,
        original,
        int(status) if status.isascii() and status.isdigit() and len(status) == 3 else None,
        _text(row.get("digest"))[:200] or None,
    )


def _json(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise FormatError("the answer begins as JSON and is none") from None
    if not isinstance(value, dict | list | str):
        raise FormatError(f"the answer is a JSON {type(value).__name__}, where a list of captures was expected")
    return value


def _joined(base: str, uri: str) -> str:
    if uri.startswith(("http://", "https://")):
        return uri
    try:
        return urljoin(base, uri)
    except ValueError:  # no address at all; whoever asks for it is told so
        return uri


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) <= 8_192 else ""
