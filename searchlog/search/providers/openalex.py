"""OpenAlex: an open catalogue of papers. Metered since 2026-02-13: each search has a price, and a day has an allowance.

Traps: the abstract comes as an index from words to places, which may be huge or wrong; 403 means too fast and 429 that
the day's allowance is used up, and both pass; the key stands in the query string.
"""

from __future__ import annotations

import re
from typing import Any

from searchlog.capture.exchange import Request, header
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined, prose, whole
from searchlog.search.answers.reading import Reader, error_text, fit, is_challenge, retry_after, rows
from searchlog.search.answers.values import items, number, published, seconds, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["OpenAlex"]

PARSER = "openalex/1"

_QUERY_MAX = 1_000
_PLACES_MAX = 3_000
"""Words of one abstract that are put back in order."""


class OpenAlex(Service):
    """The works of OpenAlex. contact: sent as `mailto`."""

    FACTS = Facts(
        name="openalex",
        title="OpenAlex",
        endpoint="https://api.openalex.org/works",
        third_party="OurResearch (openalex.org)",
        terms=Terms(
            "https://developers.openalex.org/api-reference/authentication",
            "2026-11-30",
            "its data are CC0: they may be kept and shared",
        ),
        applies=("count", "page", "language", "freshness", "after", "before"),
        returns=("snippet", "published", "score"),
        key="optional",
        key_env=("OPENALEX_API_KEY",),
        count_max=100,
        limits="about 100 searches a day without a key, 1,000 with a free one, then paid; the first 10,000 works",
        paid=True,
        scope="papers",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "search": fit(query.text, _QUERY_MAX)[0],
            "per_page": str(min(query.count, self.facts.count_max)),
            "page": str(query.page),
        }
        first, last = query.span()
        bounds = [f"from_publication_date:{first}"] if first else []
        bounds += [f"to_publication_date:{last}"] if last else []
        language = _language(query)
        bounds += [f"language:{language}"] if language else []
        if bounds:
            fields["filter"] = ",".join(bounds)
        if self._contact:
            fields["mailto"] = self._contact
        if self._key:
            fields["api_key"] = self._key
        return self._get(fields)

    def parse(self, response: Response, query: Query) -> Run:
        unsaid = unsaid_freshness(query) + (["language"] if query.language and not _language(query) else [])
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid))
        refused = _refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        reader.walk(found[1], _result)
        return reader.run()


def _language(query: Query) -> str | None:
    """Return OpenAlex's code of a query's language: ISO 639-1; for Chinese it has others."""
    code = (query.language or "").lower().replace("_", "-").split("-")[0]
    return code if re.fullmatch("[a-z]{2}", code) and code != "zh" else None


def _refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    status, said = response.status, error_text(response.body)
    why = f" ({said})" if said else ""
    hint = "; set OPENALEX_API_KEY, which is free, for an allowance of your own" if reader.facts.keyless else ""
    if status == 429:
        reset = seconds(header(response.headers, "x-ratelimit-reset"))
        wait = retry_after(response.headers)
        if wait is None and reset is not None and reset <= 86_400:
            wait = reset
        return reader.run(RunOutcome.RATE_LIMITED, f"status 429, the day's allowance is used up{why}{hint}", wait)
    if status == 403 and not is_challenge(response) and "key" not in said.lower():
        wait = retry_after(response.headers)
        return reader.run(RunOutcome.RATE_LIMITED, f"status 403, too many requests at once{why}{hint}", wait)
    if status in (401, 403) and not is_challenge(response):
        return reader.run(RunOutcome.AUTH, f"status {status}, the key is missing or wrong{why}; check OPENALEX_API_KEY")
    return reader.refused(response)


def _result(row: dict[str, Any]) -> dict[str, Any]:
    doi = text(row.get("doi"))
    place = _object(row, "primary_location")
    names = (
        _object(item, "author").get("display_name") for item in items(row.get("authorships")) if isinstance(item, dict)
    )
    return {
        "url": doi or place.get("landing_page_url") or row.get("id"),
        "title": prose(row.get("display_name")) or prose(row.get("title")),
        "snippet": _abstract(row.get("abstract_inverted_index")),
        "score": number(row.get("relevance_score")),
        **published(row, "publication_date", "publication_year"),
        "extra": {
            "openalex": text(row.get("id"))[:100],
            "doi": doi[:200],
            "type": text(row.get("type"))[:60],
            "journal": text(_object(place, "source").get("display_name"))[:200],
            "authors": joined(names),
            "cited_by": whole(row.get("cited_by_count")),
            "language": text(row.get("language"))[:20],
            "open_access": text(_object(row, "open_access").get("oa_url"))[:500],
            "retracted": "yes" if row.get("is_retracted") is True else "",
        },
    }


def _object(row: dict[str, Any], name: str) -> dict[str, Any]:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _abstract(index: object) -> str:
    """Return the text whose words an inverted index places, as far as its first places go."""
    words: dict[int, str] = {}
    for word, places in index.items() if isinstance(index, dict) else ():
        for place in items(places)[:_PLACES_MAX]:
            if type(place) is int and 0 <= place < _PLACES_MAX:
                words[place] = word[:100]
    return text(" ".join(words[place] for place in sorted(words)))
