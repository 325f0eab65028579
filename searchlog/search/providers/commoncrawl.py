"""Common Crawl: captures of the one address that a query names, in the index of one crawl. No key.

The query's text is a URL or a domain, or one with `*` at an end; with any other text nothing is asked. Each crawl, of a
few weeks, has an index of its own: an address that is not in one may be in many others, and every run says which was
searched. The default is the newest that was seen in use when this was written (September 2026): an index stays when
newer ones come, so it goes on answering, and a fixed one makes the same question the same request. Dates of a query
bound when the page was captured, so they count as ignored.
Traps: the answer is a JSON object a line, and may be cut between two; nothing found is 404, 400 is a page of the index
that does not exist, 503 means to slow down, and 403 that one did not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.cdx import DATES_NOTE, between, captured_at, target
from searchlog.search.answers.reading import (
    ITEMS_MAX,
    Reader,
    error_text,
    is_challenge,
    retry_after,
    wanted,
)
from searchlog.search.answers.values import json_object, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import ITEMS_HARD_MAX, Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["CommonCrawl"]

PARSER = "commoncrawl/1"

INDEX = "CC-MAIN-2026-39"
_PATH = re.compile(r"/(CC-MAIN-[0-9]{4}-[0-9]{2})(?:-index)?/?$")


class CommonCrawl(Service):
    """The index of one crawl. base_url: another server, or with `/CC-MAIN-2025-33` at its end another crawl."""

    FACTS = Facts(
        name="commoncrawl",
        title="Common Crawl (captures of one address in one crawl)",
        endpoint=f"https://index.commoncrawl.org/{INDEX}-index",
        third_party="the Common Crawl Foundation (commoncrawl.org)",
        terms=Terms(
            "https://commoncrawl.org/terms-of-use",
            "2026-11-30",
            "the index may be kept and shared under its terms of use; captured pages stay their owners'",
        ),
        applies=("count",),
        returns=("crawled",),
        count_max=ITEMS_MAX,
        limits="one request at a time, slowly: who asks faster is shut out for a while",
        pause_s=1.0,
        scope="captures",
        by_name=True,
    )

    def __init__(self, key: str | None = None, base_url: str | None = None, contact: str | None = None) -> None:
        found = _PATH.search(base_url or "")
        super().__init__(key, base_url[: found.start()] if base_url and found else base_url, contact)
        self._index = found[1] if found else INDEX
        self.facts = replace(self.facts, endpoint=self.facts.endpoint.replace(f"{INDEX}-index", f"{self._index}-index"))

    def request(self, query: Query) -> Request:
        fields = {
            "url": target(query, self.facts.name),
            "output": "json",
            "limit": str(wanted(query, self.facts)),
        }
        return self._get(fields | between(query))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query))
        reader.note(f"searched {self._index}, one crawl of many: what is not in it may be in another")
        if between(query):
            reader.note(DATES_NOTE)
        refused = _refused_run(response, reader)
        if refused is not None:
            return refused
        return _captures_run(response, reader)


def _refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an answer without captures, or None."""
    status, said = response.status, error_text(response.body)
    why = f" ({said})" if said else ""
    if status == 404 and "no captures" in said.lower():
        return reader.run(RunOutcome.EMPTY)
    if status == 503 and not is_challenge(response):
        wait = retry_after(response.headers)
        return reader.run(RunOutcome.RATE_LIMITED, f"status 503, it asks to slow down{why}", wait)
    if status == 400:
        return reader.run(RunOutcome.BAD_REQUEST, f"status 400, there is no such page of the index{why}")
    return reader.refused(response)


def _captures_run(response: Response, reader: Reader) -> Run:
    count = response.body.count(b"\n")
    if count > ITEMS_HARD_MAX:
        reader.is_over(count)
        return reader.run()
    lines = [line for line in response.body.split(b"\n") if line.strip()]
    if not lines:
        return reader.run(RunOutcome.PARSE_ERROR, "an answer without a line; nothing found is status 404")
    read = [_line(line) for line in lines[:ITEMS_MAX]]
    reader.walk(read + [None] * (len(lines) - len(read)), _result)
    return reader.run()


def _line(line: bytes) -> dict[str, Any] | None:
    try:
        return json_object(line)
    except FormatError:
        return None


def _result(row: dict[str, Any]) -> dict[str, Any]:
    time = captured_at(text(row.get("timestamp")))
    return {
        "url": row.get("url"),
        "crawled": time,
        "crawled_source": "timestamp" if time else None,
        "extra": {
            "status": text(row.get("status"))[:10],
            "type": (text(row.get("mime-detected")) or text(row.get("mime")))[:100],
            "digest": text(row.get("digest"))[:64],
            "length": text(row.get("length"))[:20],
            "offset": text(row.get("offset"))[:20],
            "filename": text(row.get("filename"))[:500],
            "languages": text(row.get("languages"))[:60],
            "redirect": text(row.get("redirect"))[:500],
            "truncated": text(row.get("truncated"))[:20],
        },
    }
