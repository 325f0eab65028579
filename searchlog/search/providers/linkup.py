"""Linkup: a hosted search made for language models, with a key.

Traps: an empty search is status 400 with a code of its own; 429 has three meanings, two of them about money; images
stand among the results; `content` is the piece of the page that Linkup found relevant; no pages and no score.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.reading import Reader, error_text, rows, wanted
from searchlog.search.answers.values import json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Linkup"]

PARSER = "linkup/2"

_INCLUDE_MAX, _EXCLUDE_MAX = 100, 50
_MONEY = {
    "INSUFFICIENT_FUNDS_CREDITS": "the credit is used up",
    "EXCEED_BUDGET_LIMIT": "the budget that is set for the key is used up",
}


class Linkup(Service):
    """Linkup with this key."""

    FACTS = Facts(
        name="linkup",
        title="Linkup",
        endpoint="https://api.linkup.so/v1/search",
        third_party="Linkup (linkup.so)",
        terms=Terms(
            "https://www.linkup.so/terms-of-use",
            "2026-11-30",
            "updated in August 2025: web content is for text and data mining only, kept as long as that needs it, not "
            "distributed",
        ),
        applies=("count", "freshness", "after", "before", "include_domains", "exclude_domains"),
        returns=("snippet", "published"),
        key="required",
        key_env=("LINKUP_API_KEY",),
        count_max=50,
        limits="credits a request, by depth; 100 wanted domains, 50 unwanted",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {
            "q": query.text,
            "depth": "standard",
            "outputType": "searchResults",
            "includeImages": False,
            "maxResults": wanted(query, self.facts),
        }
        after, before = query.span()
        if after:
            body["fromDate"] = after
        if before:
            body["toDate"] = before
        unsaid = _unsaid(query)
        if query.include_domains and "include_domains" not in unsaid:
            body["includeDomains"] = list(query.include_domains)
        if query.exclude_domains and "exclude_domains" not in unsaid:
            body["excludeDomains"] = list(query.exclude_domains)
        return self._post(body, ("Authorization", f"Bearer {self._key}"))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(_unsaid(query)))
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        images = [row for row in found[1] if _is_image(row)]
        reader.walk([row for row in found[1] if not _is_image(row)], _result)
        for row in images if not reader.is_over(len(images)) else []:
            reader.drop(text(row.get("name")) or text(row.get("url")) or "image", "image")
        return reader.run()


def _unsaid(query: Query) -> list[str]:
    """Return the options of this query that cannot be said: too many domains, a freshness that counts from no day."""
    out = unsaid_freshness(query)
    out += ["include_domains"] if len(query.include_domains) > _INCLUDE_MAX else []
    return out + (["exclude_domains"] if len(query.exclude_domains) > _EXCLUDE_MAX else [])


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an answer that is an error, or of one that says so of an empty search; or None."""
    try:
        error = json_object(response.body).get("error")
    except FormatError:
        error = None
    code = text(error.get("code")) if isinstance(error, dict) else ""
    if response.status == 400 and code == "SEARCH_QUERY_NO_RESULT":
        return reader.run(RunOutcome.EMPTY)
    if response.status >= 400 and code in _MONEY:
        said = error_text(response.body)
        return reader.run(
            RunOutcome.QUOTA, f"status {response.status}, {_MONEY[code]}" + (f" ({said})" if said else "")
        )
    return reader.refused(response)


def _is_image(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") == "image"


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": text(row.get("name")),
        "snippet": text(row.get("content")),
        **published(row, "date"),
    }
