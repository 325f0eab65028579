"""Perplexity Search: ranked results of Perplexity's index, without an answer written from them, with a key.

Traps: dates are MM/DD/YYYY in the request and ISO in the answer; whether the days asked for are inside is nowhere said;
`last_updated` is the date of the last change, not of publication; one list of at most 20 domains either allows or
denies; a language is two letters; a used-up plan can come as 401; no pages and no score.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import Reader, error_text, rows, wanted
from searchlog.search.answers.values import json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Perplexity"]

PARSER = "perplexity/2"

_DOMAINS_MAX = 20
_TOKENS_A_PAGE = 1_024
"""About as much as is kept of a snippet."""


class Perplexity(Service):
    """Perplexity Search with this key."""

    FACTS = Facts(
        name="perplexity",
        title="Perplexity Search",
        endpoint="https://api.perplexity.ai/search",
        third_party="Perplexity AI (perplexity.ai), whose addendum for this service lets it keep and use queries",
        terms=Terms(
            "https://www.perplexity.ai/hub/legal/perplexity-api-terms-of-service-search",
            "2026-11-30",
            "addendum for this service of 2025-09-22 to API terms of 2026-01-23; what they say of storing answers was "
            "not verified: keep answers to yourself",
        ),
        applies=(
            "count",
            "language",
            "country",
            "freshness",
            "after",
            "before",
            "include_domains",
            "exclude_domains",
        ),
        returns=("snippet", "published"),
        key="required",
        key_env=("PERPLEXITY_API_KEY", "PPLX_API_KEY"),
        count_max=20,
        limits="a price a request; 20 results, 20 domains",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {
            "query": query.text,
            "max_results": wanted(query, self.facts),
            "max_tokens_per_page": _TOKENS_A_PAGE,
        }
        if query.country:
            body["country"] = query.country
        language = _language(query.language)
        if language:
            body["search_language_filter"] = [language]
        if query.freshness:
            body["search_recency_filter"] = query.freshness
        if query.after:
            body["search_after_date_filter"] = _day(query.after)
        if query.before:
            body["search_before_date_filter"] = _day(query.before)
        unsaid = _unsaid_domains(query)
        if query.include_domains and "include_domains" not in unsaid:
            body["search_domain_filter"] = list(query.include_domains)
        elif query.exclude_domains and "exclude_domains" not in unsaid:
            body["search_domain_filter"] = [f"-{domain}" for domain in query.exclude_domains]
        return self._post(body, ("Authorization", f"Bearer {self._key}"))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        if query.after or query.before:
            reader.note("Perplexity does not say whether the days of its time filter are inside")
        reader.walk(found[1], _result)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = ["language"] if query.language and not _language(query.language) else []
        return (*self.facts.ignored(query), *unsaid, *_unsaid_domains(query))


def _language(tag: str | None) -> str | None:
    """Return the two letters (ISO 639-1) that a language tag begins with; None for a tag that does not."""
    first = re.split("[-_]", (tag or "").lower())[0]
    return first if re.fullmatch("[a-z]{2}", first) else None


def _unsaid_domains(query: Query) -> list[str]:
    """Return the domain rules that are not sent: too many, or excluded beside wanted ones: one list says either."""
    out = ["include_domains"] if len(query.include_domains) > _DOMAINS_MAX else []
    beside = bool(query.include_domains) and not out and bool(query.exclude_domains)
    return out + (["exclude_domains"] if beside or len(query.exclude_domains) > _DOMAINS_MAX else [])


def _day(iso: str) -> str:
    return date.fromisoformat(iso).strftime("%m/%d/%Y")


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    try:
        error = json_object(response.body).get("error") if response.status >= 400 else None
    except FormatError:
        error = None
    if isinstance(error, dict) and text(error.get("type")) == "insufficient_quota":
        said = error_text(response.body)
        return reader.run(RunOutcome.QUOTA, f"status {response.status}, the plan or the credit is used up ({said})")
    return reader.refused(response)


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("snippet")),
        **published(row, "date"),
        "extra": {"modified": text(row.get("last_updated"))[:40]},
    }
