"""Firecrawl: search results of others, with the pages read on request; with a key or, within limits a day, without.

Traps: wanted and unwanted domains exclude each other, so with both the unwanted are left to the filters; its country
is the United States unless one is named; snippets are Markdown; of a page that it read, an error page is a text too,
told by `metadata.statusCode`; only an empty list says that nothing was found: `data` without one is also what it gives
when the search that it asked failed.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Header, Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import Reader, check_key, error_text, fit, is_challenge, retry_after, wanted
from searchlog.search.answers.values import items, json_object, page_text, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Firecrawl", "access", "page_failure", "refused_run"]

PARSER = "firecrawl/2"

_QUERY_MAX = 500
_FRESHNESS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
_OTHER_PARTS = ("news", "images")


class Firecrawl(Service):
    """Firecrawl search with this key, or keyless without one."""

    FACTS = Facts(
        name="firecrawl",
        title="Firecrawl",
        endpoint="https://api.firecrawl.dev/v2/search",
        third_party="Firecrawl (firecrawl.dev), and the search services that it asks",
        terms=Terms(
            "https://www.firecrawl.dev/terms-of-service",
            "2026-11-30",
            "what they say of storing answers was not verified: keep answers to yourself",
        ),
        applies=("count", "country", "freshness", "after", "before", "safe", "include_domains", "exclude_domains"),
        returns=("snippet", "text"),
        key="optional",
        key_env=("FIRECRAWL_API_KEY",),
        count_max=100,
        limits="500 characters; free: 1,000 credits a month, 10 searches a minute; no key: a limit a day an address",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {
            "query": fit(query.text, _QUERY_MAX)[0],
            "limit": wanted(query, self.facts),
            "sources": [{"type": "web"}],
        }
        if query.freshness in _FRESHNESS:
            body["tbs"] = _FRESHNESS[query.freshness]
        elif query.after or query.before:
            ends = (("cd_min", query.after), ("cd_max", query.before))
            body["tbs"] = ",".join(["cdr:1", *(f"{name}:{_american(day)}" for name, day in ends if day)])
        if query.country:
            body["country"] = query.country
        if query.safe:
            body["safe"] = query.safe != "off"
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        elif query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        if query.texts:
            body["scrapeOptions"] = {"formats": ["markdown"]}
        return self._post(body, *access(self._key))

    def parse(self, response: Response, query: Query) -> Run:
        unsaid = ("exclude_domains",) if query.include_domains and query.exclude_domains else ()
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + unsaid)
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        data = answer.get("data")
        web = data.get("web", []) if isinstance(data, dict) else None
        if answer.get("success") is not True or not isinstance(web, list):
            said = error_text(response.body)
            return reader.run(
                RunOutcome.PARSE_ERROR, "the answer has no list `data.web`" + (f" ({said})" if said else "")
            )
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        reader.note(text(answer.get("warning")))
        reader.walk(web, _result)
        for part in _OTHER_PARTS:
            found = items(data.get(part)) if isinstance(data, dict) else []
            for row in found if not reader.is_over(len(found)) else []:
                reader.drop(text(row.get("url")) if isinstance(row, dict) else part, f"not-web:{part}")
        if isinstance(data, dict) and "web" not in data:
            return reader.run(RunOutcome.DEGRADED, "no list `data.web`: nothing was found, or its own search failed")
        return reader.run()


def access(key: str | None) -> tuple[Header, ...]:
    """Return the header that says who asks; none without a key."""
    return (("Authorization", f"Bearer {key}"),) if key else ()


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer of any of Firecrawl's services, or None."""
    status, said = response.status, error_text(response.body)
    why, keyless = f" ({said})" if said else "", reader.facts.keyless
    if status in (401, 403) and not is_challenge(response):
        meaning = "not allowed" if status == 403 else "the key is missing or wrong"
        return reader.run(RunOutcome.AUTH, f"status {status}, {meaning}{why}; {check_key(reader.facts)}")
    if status == 408:
        return reader.run(RunOutcome.TIMEOUT, f"status 408, it did not end in its own time{why}")
    more = "; set FIRECRAWL_API_KEY to have your own limit" if keyless else ""
    if status == 402:
        return reader.run(RunOutcome.QUOTA, f"status 402, the credit is used up{why}{more}")
    if status == 429:
        wait = retry_after(response.headers)
        return reader.run(RunOutcome.RATE_LIMITED, f"status 429, too many requests{why}{more}", wait)
    return reader.refused(response)


def page_failure(page: dict[str, Any]) -> str | None:
    """Return the code of why what was read of a page is no text of it, or None when it is."""
    metadata = page.get("metadata")
    status = metadata.get("statusCode") if isinstance(metadata, dict) else None
    if type(status) is int and 400 <= status < 1_000:
        return f"http-{status}"
    return None if page_text(page.get("markdown")).strip() else "no-text"


def _american(day: str) -> str:
    year, month, of_month = day.split("-")
    return f"{month}/{of_month}/{year}"


def _result(row: dict[str, Any]) -> dict[str, Any]:
    failure = page_failure(row)
    unread = failure if failure is not None and row.get("metadata") else ""
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("description")),
        "text": page_text(row.get("markdown")) if failure is None else "",
        "text_type": "text/markdown",
        "extra": {"category": text(row.get("category"))[:40], "page": unread},
    }
