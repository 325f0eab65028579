"""Exa: a search by meaning over an index of its own, with a key.

Traps: without `contents` there is nothing but titles and addresses, so highlights are asked for, which cost nothing
more; the score is null for most kinds of search; dates are estimates, and a date filter takes pages after a moment,
so the one sent is the last of the day before. Categories are not used: those for people and companies refuse filters.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.reading import Reader, check_key, error_text, is_challenge, rows, wanted
from searchlog.search.answers.values import crawled, items, json_object, number, page_text, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Exa", "refused_run"]

PARSER = "exa/2"

_MONEY_TAGS = ("NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED")
_POLICY_TAG = "PROHIBITED_CONTENT"
"""The query is refused, not the key: its documentation says not to ask again."""


class Exa(Service):
    """Exa search with this key."""

    FACTS = Facts(
        name="exa",
        title="Exa",
        endpoint="https://api.exa.ai/search",
        third_party="Exa Labs (exa.ai)",
        terms=Terms(
            "https://exa.ai/assets/Exa_Labs_Terms_of_Service.pdf",
            "2026-11-30",
            "as quoted by others, 4.2(a) forbids copying and publishing beyond a browser's cache: "
            "keep answers to yourself",
        ),
        applies=("count", "country", "freshness", "after", "before", "safe", "include_domains", "exclude_domains"),
        returns=("snippet", "published", "crawled", "score", "text"),
        key="required",
        key_env=("EXA_API_KEY",),
        count_max=100,
        limits="10 requests a second; more than 10 results a request cost more",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {"query": query.text, "type": "auto", "numResults": wanted(query, self.facts)}
        first, last = query.span()
        if first:
            body["startPublishedDate"] = _end_of(date.fromisoformat(first) - timedelta(days=1))
        if last:
            body["endPublishedDate"] = _end_of(date.fromisoformat(last))
        if query.country:
            body["userLocation"] = query.country
        if query.safe:
            body["moderation"] = query.safe != "off"
        if query.include_domains:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains:
            body["excludeDomains"] = list(query.exclude_domains)
        body["contents"] = {"highlights": True} | ({"text": True} if query.texts else {})
        return self._post(body, ("x-api-key", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        answer, results = found
        if query.span() != (None, None):
            reader.note("the time filter leaves out pages whose date Exa does not know")
        for part in ("context", "output"):
            if answer.get(part):
                reader.drop(part, "not-a-result")
        reader.walk(results, _result)
        return reader.run()


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer of any of Exa's services, or None."""
    status, said = response.status, error_text(response.body)
    tag = _tag(response.body) if status >= 400 else ""
    why = (f" ({said})" if said else "") + (f" [{tag}]" if tag else "")
    if tag in _MONEY_TAGS:
        return reader.run(RunOutcome.QUOTA, f"status {status}, the credit or the key's budget is used up{why}")
    if tag == _POLICY_TAG:
        return reader.run(RunOutcome.BAD_REQUEST, f"status {status}, its content policy refuses this query{why}")
    if tag == "INVALID_API_KEY" or (status in (401, 403) and not is_challenge(response)):
        meaning = "not allowed with this key" if status == 403 else "the key is missing or wrong"
        return reader.run(RunOutcome.AUTH, f"status {status}, {meaning}{why}; {check_key(reader.facts)}")
    return reader.refused(response)


def _tag(body: bytes) -> str:
    try:
        return text(json_object(body[:100_000]).get("tag"))[:60]
    except FormatError:
        return ""


def _end_of(day: date) -> str:
    return f"{day.isoformat()}T23:59:59.999Z"


def _result(row: dict[str, Any]) -> dict[str, Any]:
    highlights = " … ".join(filter(None, map(text, items(row.get("highlights")))))
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": highlights or text(row.get("summary")),
        "score": number(row.get("score")),
        "text": page_text(row.get("text")),
        **published(row, "publishedDate"),
        **crawled(row, "crawlDate"),
        "extra": {"author": text(row.get("author"))[:200]},
    }
