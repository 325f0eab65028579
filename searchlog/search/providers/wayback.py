"""The Wayback Machine: captures of the one address that a query names, newest last. No key.

The query's text is a URL or a domain, or one with `*` at an end for the pages below it; with any other text nothing is
asked. The index answers from the oldest on; the end of it is asked for, so a page of results is a window counted from
the end. Dates of a query bound when the page was captured; that says little of when it was published, so they count as
ignored. Traps: nothing found is `[]`; behind the rows there may be an empty one and a key to go on; addresses left out
by the archive are 403; the page may have been captured as a redirect or an error: its status is in `extra`.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request, header
from searchlog.errors import FormatError
from searchlog.search.answers.cdx import DATES_NOTE, between, captured_at, named_row, row_of_line, target
from searchlog.search.answers.reading import ITEMS_MAX, Reader, rows
from searchlog.search.answers.values import json_object, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import ITEMS_HARD_MAX, Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Wayback"]

PARSER = "wayback/2"

_REPLAY = "https://web.archive.org/web/"
_LEFT_OUT = ("AdministrativeAccessControlException", "RobotAccessControlException")


class Wayback(Service):
    """The index of the Internet Archive's Wayback Machine."""

    FACTS = Facts(
        name="wayback",
        title="Wayback Machine (captures of one address)",
        endpoint="https://web.archive.org/cdx/search/cdx",
        third_party="the Internet Archive (archive.org)",
        terms=Terms(
            "https://archive.org/about/terms.php",
            "2026-11-30",
            "for scholarship and research; captured pages stay their owners': keep copies to yourself",
        ),
        applies=("count", "page"),
        returns=("crawled",),
        count_max=ITEMS_MAX,
        limits="30 requests a minute and address, of which the archive asks programs to use 24",
        pause_s=2.5,
        scope="captures",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {"url": target(query, self.facts.name), "output": "json", "limit": str(-_window(query))} | between(
            query
        )
        return self._get(fields)

    def parse(self, response: Response, query: Query) -> Run:
        unsaid = ("page",) if query.count * query.page > ITEMS_MAX else ()
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + unsaid)
        if _is_left_out(response):
            return reader.run(RunOutcome.BLOCKED, f"status {response.status}, the archive leaves this address out")
        refused = reader.refused(response)
        if refused is not None:
            return refused
        if between(query):
            reader.note(DATES_NOTE)
        start = response.body.lstrip()[:1]
        if start == b"{":
            return _available_run(response, reader)
        captures = _of_json(response, reader) if start == b"[" else _of_text(response, reader)
        if isinstance(captures, Run):
            return captures
        _walk(captures, reader, query)
        return reader.run()


def _window(query: Query) -> int:
    """Return how many of the newest captures are asked for: those of all pages up to the wanted one."""
    reached = query.count * query.page
    return reached if reached <= ITEMS_MAX else min(query.count, ITEMS_MAX)


def _is_left_out(response: Response) -> bool:
    told = header(response.headers, "x-archive-wayback-runtime-error") or ""
    told += response.body[:2_000].decode("utf-8", "replace") if response.status >= 400 else ""
    return response.status >= 400 and any(name in told for name in _LEFT_OUT)


def _of_json(response: Response, reader: Reader) -> list[Any] | Run:
    """Return the captures of an array of arrays, whose first one names the columns."""
    wrapped = Response(response.status, (), b'{"rows":' + response.body.strip() + b"}")
    found = rows(wrapped, reader, "rows")
    if isinstance(found, Run):
        return found
    table = found[1]
    if not table:
        return []
    if len(table) > ITEMS_HARD_MAX + 1:
        return _too_many(len(table) - 1, reader)
    names = table[0] if isinstance(table[0], list) else []
    if "timestamp" not in names or "original" not in names:
        return reader.run(RunOutcome.PARSE_ERROR, "the first row does not name the columns `timestamp` and `original`")
    return [row if (named := named_row(names, row)) is None else named for row in table[1:]]


def _of_text(response: Response, reader: Reader) -> list[Any] | Run:
    """Return the captures of lines with columns in the usual order."""
    lines = response.body.decode("utf-8", "replace").strip().splitlines()
    if not lines or row_of_line(lines[0]) is None:
        return reader.run(RunOutcome.PARSE_ERROR, f"{len(response.body)} bytes that are no index of captures")
    if len(lines) > ITEMS_HARD_MAX:
        return _too_many(len(lines), reader)
    return [row_of_line(line) or line.split() for line in lines]


def _too_many(count: int, reader: Reader) -> Run:
    reader.is_over(count)
    return reader.run()


def _walk(captures: list[Any], reader: Reader, query: Query) -> None:
    """Add the captures of the wanted page: the newest page is the end of the list."""
    rest: list[Any] = []
    if [] in captures:  # behind an empty row stands the key to go on with
        end = captures.index([])
        captures, rest = captures[:end], captures[end + 1 :]
    earlier = (query.page - 1) * query.count if query.count * query.page <= ITEMS_MAX else 0
    kept = max(0, len(captures) - earlier)
    if reader.is_over(len(captures) + len(rest)):
        return
    for place, row in enumerate(captures, 1):
        if place > kept:
            reader.drop(f"item {place}", "before-page")
        elif place > ITEMS_MAX:
            reader.drop(f"item {place}", "over-items-limit")
        elif isinstance(row, dict):
            _add(reader, place, row)
        else:
            reader.drop(f"item {place}", "not-an-object")
    for _ in rest:
        reader.drop("the key to go on with", "not-a-result")
    if rest:
        reader.note("the index has more captures")


def _add(reader: Reader, place: int, row: dict[str, Any]) -> None:
    stamp, original = text(row.get("timestamp")), row.get("original")
    time = captured_at(stamp)
    url = f"{_REPLAY}{stamp}/{original}" if time and isinstance(original, str) and original.strip() else None
    reader.add(
        place,
        url,
        crawled=time,
        crawled_source="timestamp" if time else None,
        extra={
            "original": text(original)[:2_000],
            "status": text(row.get("statuscode"))[:10],
            "type": text(row.get("mimetype"))[:100],
            "digest": text(row.get("digest"))[:64],
            "length": text(row.get("length"))[:20],
        },
    )


def _available_run(response: Response, reader: Reader) -> Run:
    """Return the run of an answer of the availability service: the closest capture, or none."""
    try:
        found = json_object(response.body).get("archived_snapshots")
    except FormatError as error:
        return reader.run(RunOutcome.PARSE_ERROR, str(error))
    if not isinstance(found, dict):
        return reader.run(RunOutcome.PARSE_ERROR, "the answer has no object `archived_snapshots`")
    closest = found.get("closest")
    if closest is None:
        return reader.run()
    if not isinstance(closest, dict):
        return reader.run(RunOutcome.PARSE_ERROR, "the answer's `closest` is no object")
    if closest.get("available") is False:
        reader.drop("the closest capture", "not-available")
        return reader.run()
    time = captured_at(text(closest.get("timestamp")))
    reader.add(
        1,
        closest.get("url"),
        crawled=time,
        crawled_source="timestamp" if time else None,
        extra={"status": text(closest.get("status"))[:10]},
    )
    return reader.run()
