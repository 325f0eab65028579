"""Serper: Google's results through serper.dev, with a key.

Traps: a wrong key is 403 and used-up credit 400, told by its message only; ten results a page; answers, questions and
the knowledge panel stand beside `organic`; dates are in words (`Mar 4, 2024`, `3 days ago`); there is no score.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.google import (
    PAGE,
    asked,
    drop_parts,
    first_page,
    language_code,
    results_of_page,
    time_filter,
)
from searchlog.search.answers.reading import Reader, error_text, rows, site_operators
from searchlog.search.answers.values import published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Serper"]

PARSER = "serper/2"

_PARTS = ("answerBox", "knowledgeGraph", "peopleAlsoAsk", "topStories", "places", "images", "videos", "ads", "shopping")


class Serper(Service):
    """Serper with this key."""

    FACTS = Facts(
        name="serper",
        title="Serper (Google)",
        endpoint="https://google.serper.dev/search",
        third_party="Serper (serper.dev), which asks Google",
        terms=Terms(
            "https://serper.dev/terms",
            "2026-11-30",
            "dated 2024-05-29; they leave the rights of others apart, and results are Google's: keep them to yourself",
        ),
        applies=(
            "page",
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
        key_env=("SERPER_API_KEY",),
        count_max=PAGE,
        limits="one credit a request; ten results a page",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {"q": asked(query)[0], "page": first_page(query), "autocorrect": False}
        if query.country:
            body["gl"] = query.country.lower()
        language = language_code(query.language)
        if language:
            body["hl"] = language
        tbs = time_filter(query)
        if tbs:
            body["tbs"] = tbs
        return self._post(body, ("X-API-KEY", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "organic")
        if isinstance(found, Run):
            return found
        for note in asked(query)[1]:
            reader.note(note)
        answer, organic = found
        reader.walk(results_of_page(organic, query, reader), _result)
        drop_parts(answer, _PARTS, reader)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = ["language"] if query.language and not language_code(query.language) else []
        return (*self.facts.ignored(query), *site_operators(query)[1], *unsaid)


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    said = error_text(response.body)
    if response.status >= 400 and "credits" in said.lower():
        return reader.run(RunOutcome.QUOTA, f"status {response.status}, the credit is used up ({said})")
    return reader.refused(response)


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("link"),
        "title": text(row.get("title")),
        "snippet": text(row.get("snippet")),
        **published(row, "date"),
    }
