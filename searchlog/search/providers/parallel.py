"""Parallel Search: results with excerpts chosen for the query, with a key.

Traps: a query is at most 200 characters, longer questions go into `objective`; there is a first day but no last one;
of wanted and unwanted domains it applies the wanted only, so with both the unwanted are left to the filters; a country
that it does not serve is answered with a warning and left out; no score, dates for few results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.reading import Reader, check_key, error_text, fit, is_challenge, rows, wanted
from searchlog.search.answers.values import items, json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Parallel", "refused_run", "warnings_of"]

PARSER = "parallel/2"

_QUERY_MAX, _OBJECTIVE_MAX = 200, 5_000
_DOMAINS_MAX = 200
_EXCERPT_CHARS = 3_000
"""Of one result: what a snippet can hold."""


class Parallel(Service):
    """Parallel Search with this key."""

    FACTS = Facts(
        name="parallel",
        title="Parallel Search",
        endpoint="https://api.parallel.ai/v1/search",
        third_party="Parallel Web Systems (parallel.ai)",
        terms=Terms(
            "https://parallel.ai/customer-terms",
            "2026-11-30",
            "of 2025-08-16: output is mainly for who asked, "
            "and not to be stored or passed on for AI or data that is sold",
        ),
        applies=("count", "country", "freshness", "after", "include_domains", "exclude_domains"),
        returns=("snippet", "published"),
        key="required",
        key_env=("PARALLEL_API_KEY",),
        count_max=40,
        limits="600 requests a minute; a query of 200 characters",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        settings: dict[str, Any] = {
            "max_results": wanted(query, self.facts),
            "excerpt_settings": {"max_chars_per_result": _EXCERPT_CHARS},
        }
        policy: dict[str, Any] = {}
        first, _ = query.span()
        if first:
            policy["after_date"] = first
        include, exclude = _domains(query)
        if include:
            policy["include_domains"] = list(include)
        if exclude:
            policy["exclude_domains"] = list(exclude)
        if policy:
            settings["source_policy"] = policy
        if query.country:
            settings["location"] = query.country.lower()
        body: dict[str, Any] = {"search_queries": [fit(query.text, _QUERY_MAX)[0]]}
        if len(query.text) > _QUERY_MAX:
            body["objective"] = fit(query.text, _OBJECTIVE_MAX)[0]
        return self._post(body | {"mode": "advanced", "advanced_settings": settings}, ("x-api-key", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        answer, results = found
        for note in fit(query.text, _OBJECTIVE_MAX)[1]:
            reader.note(note)
        for warning in warnings_of(answer):
            reader.note(warning)
            if query.country and "location" in warning.lower() and "country" not in reader.ignored:
                reader.ignored = (*reader.ignored, "country")
        reader.walk(results, _result)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        include, exclude = _domains(query)
        unsaid = unsaid_freshness(query)
        unsaid += ["include_domains"] if len(include) < len(query.include_domains) else []
        unsaid += ["exclude_domains"] if len(exclude) < len(query.exclude_domains) else []
        return self.facts.ignored(query) + tuple(unsaid)


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer of any of Parallel's services, or None."""
    status, said = response.status, _said(response.body)
    why = f" ({said})" if said else ""
    if status in (401, 403) and not is_challenge(response):
        meaning = "not allowed with this key" if status == 403 else "the key is missing or wrong"
        return reader.run(RunOutcome.AUTH, f"status {status}, {meaning}{why}; {check_key(reader.facts)}")
    if status == 408:
        return reader.run(RunOutcome.TIMEOUT, f"status 408, it did not end in its own time{why}")
    run = reader.refused(response)
    if run is None or said in run.detail:
        return run
    return replace(run, detail=run.detail + why)


def _said(body: bytes) -> str:
    """Return the message of an error answer: beside it may stand a `detail` for programs."""
    try:
        error = json_object(body[:100_000]).get("error")
    except FormatError:
        return ""
    said = text(error.get("message"))[:300] if isinstance(error, dict) else ""
    return said or error_text(body)


def warnings_of(answer: dict[str, Any]) -> list[str]:
    """Return what an answer warns of, in its own words."""
    found = [text(row.get("message"))[:300] for row in items(answer.get("warnings"))[:20] if isinstance(row, dict)]
    return [f"Parallel warns: {message}" for message in found if message]


def _domains(query: Query) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the wanted domains that fit; the unwanted ones, where none are wanted: it would not apply them."""
    include = query.include_domains[:_DOMAINS_MAX]
    return include, () if include else query.exclude_domains[:_DOMAINS_MAX]


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": " … ".join(filter(None, map(text, items(row.get("excerpts"))))),
        **published(row, "publish_date"),
    }
