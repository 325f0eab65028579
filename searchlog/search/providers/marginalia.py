"""Marginalia: an index of the small web, of pages of text that are not there to sell, with a key or the shared one.

Traps: the shared key `public` is often over its limit, which is 503 as well as 429; a lower `quality` is better; the
answer names its own licence; it keeps to two results a domain.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.reading import Reader, is_challenge, retry_after, rows
from searchlog.search.answers.values import number, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Marginalia"]

PARSER = "marginalia/1"

_SAFE = {"off": "0", "moderate": "1"}


class Marginalia(Service):
    """Marginalia with this key, or with the shared one."""

    FACTS = Facts(
        name="marginalia",
        title="Marginalia",
        endpoint="https://api2.marginalia-search.com/search",
        third_party="Marginalia Search (marginalia-search.com)",
        terms=Terms(
            "https://about.marginalia-search.com/article/api/",
            "2026-11-30",
            "CC BY-NC-SA 4.0, as each answer says itself: they may be kept and shared, with attribution, on the same "
            "terms, not to earn money; commercial keys have other terms",
        ),
        applies=("count", "page", "safe"),
        returns=("snippet",),
        key="optional",
        key_env=("MARGINALIA_API_KEY",),
        count_max=100,
        limits="a limit a minute and a day; without a key one that is shared with everybody, and often reached",
        scope="small-web",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {"query": query.text, "count": str(min(query.count, self.facts.count_max)), "page": str(query.page)}
        if query.safe in _SAFE:
            fields["nsfw"] = _SAFE[query.safe]
        return self._get(fields, ("API-Key", self._key or "public"))

    def parse(self, response: Response, query: Query) -> Run:
        unsaid = ("safe",) if query.safe and query.safe not in _SAFE else ()
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + unsaid)
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        answer, items = found
        licence = text(answer.get("license"))[:100]
        if licence:
            reader.note(f"licence of this answer: {licence}")
        reader.walk(items, _result)
        return reader.run()


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None. The reasons of limits are bare text."""
    if response.status not in (429, 503) or is_challenge(response):
        return reader.refused(response)
    said = text(response.body[:100].decode("ascii", "replace"))
    if said == "Daily Limit Exceeded":
        return reader.run(RunOutcome.QUOTA, f"status {response.status}, the searches of this day are used up")
    more = "; set MARGINALIA_API_KEY to have a limit of your own" if reader.facts.keyless else ""
    detail = f"status {response.status}, too many requests{more}"
    return reader.run(RunOutcome.RATE_LIMITED, detail, retry_after(response.headers))


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("description")),
        # lower is better: no score in our sense, and turned round it would be a number that nobody gave
        "extra": {"quality": number(row.get("quality")) or "", "format": text(row.get("format"))[:20]},
    }
