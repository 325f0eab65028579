"""SerpApi: Google's results through serpapi.com, with a key.

Traps: the key stands in the query string, and so in every address of the request; an empty search is status 200 with an
`error` text, as a failed one may be, told apart by `organic_results_state` or the words; 429 means "wait" or "the
searches are used up", by its words; advertisements, places and answers stand beside `organic_results`.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.google import (
    PAGE,
    asked,
    drop_parts,
    first_page,
    language_code,
    results_of_page,
    time_filter,
)
from searchlog.search.answers.reading import Reader, check_key, error_text, site_operators
from searchlog.search.answers.values import items, json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["SerpApi"]

PARSER = "serpapi/2"

_SAFE = {"off": "off", "strict": "active"}
_COUNTRY = {"GB": "uk"}
_NOTHING = "hasn't returned any results"
_MONEY = ("run out of searches", "searches for the month have run out", "credit is too low")
_PARTS = (
    "ads",
    "ai_overview",
    "answer_box",
    "knowledge_graph",
    "local_results",
    "related_questions",
    "top_stories",
    "inline_images",
    "inline_videos",
    "shopping_results",
    "discussions_and_forums",
)


class SerpApi(Service):
    """SerpApi's Google search with this key."""

    FACTS = Facts(
        name="serpapi",
        title="SerpApi (Google)",
        endpoint="https://serpapi.com/search.json",
        third_party="SerpApi (serpapi.com), which asks Google and keeps the search in its archive",
        terms=Terms(
            "https://serpapi.com/legal",
            "2026-11-30",
            "what they say of storing answers was not verified; the results are Google's: keep answers to yourself",
        ),
        applies=(
            "page",
            "language",
            "country",
            "freshness",
            "after",
            "before",
            "safe",
            "include_domains",
            "exclude_domains",
        ),
        returns=("snippet", "published"),
        key="required",
        key_env=("SERPAPI_API_KEY", "SERPAPI_KEY"),
        count_max=PAGE,
        limits="the plan's searches a month, and a limit an hour; ten results a page",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        fields = {"engine": "google", "q": asked(query)[0], "start": str((first_page(query) - 1) * PAGE)}
        if query.country:
            fields["gl"] = _COUNTRY.get(query.country, query.country.lower())
        language = language_code(query.language)
        if language:
            fields["hl"] = language
        tbs = time_filter(query)
        if tbs:
            fields["tbs"] = tbs
        if query.safe in _SAFE:
            fields["safe"] = _SAFE[query.safe]
        return self._get(fields | {"api_key": self._key or ""})

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        for note in asked(query)[1]:
            reader.note(note)
        organic = items(answer.get("organic_results"))
        reader.walk(results_of_page(organic, query, reader), _result)
        drop_parts(answer, _PARTS, reader)
        return reader.run(*_ending(answer, reader))

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = list(site_operators(query)[1])
        unsaid += ["language"] if query.language and not language_code(query.language) else []
        unsaid += ["safe"] if query.safe and query.safe not in _SAFE else []
        return self.facts.ignored(query) + tuple(unsaid)


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None; whether the money is used up only its words tell."""
    said = error_text(response.body)
    if any(words in said.lower() for words in _MONEY):
        return reader.run(RunOutcome.QUOTA, f"status {response.status}, the plan's searches are used up ({said})")
    if response.status == 200 and "invalid api key" in said.lower():
        detail = f"status 200, the key is missing or wrong ({said}); {check_key(reader.facts)}"
        return reader.run(RunOutcome.AUTH, detail)
    return reader.refused(response)


def _ending(answer: dict[str, Any], reader: Reader) -> tuple[RunOutcome | None, str]:
    """Return the outcome of an answer of status 200 and why; None leaves it to the rows that were read."""
    said = text(answer.get("error"))[:300]
    information, metadata = answer.get("search_information"), answer.get("search_metadata")
    state = text(information.get("organic_results_state")) if isinstance(information, dict) else ""
    status = text(metadata.get("status")) if isinstance(metadata, dict) else ""
    is_nothing = _NOTHING in said or state.lower() == "fully empty"
    if reader.results:
        failed = bool(said) and not is_nothing
        return (RunOutcome.DEGRADED, f"it gave results and an error ({said})") if failed else (None, "")
    if is_nothing:
        return (None, "") if items(answer.get("organic_results")) else (RunOutcome.EMPTY, "")
    if said or status not in ("", "Success"):
        return RunOutcome.UNAVAILABLE, f"the search did not succeed: {said or status}"
    if not isinstance(answer.get("organic_results"), list):
        return RunOutcome.PARSE_ERROR, "the answer has no list `organic_results` and no sign that nothing was found"
    return None, ""


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("link"),
        "title": text(row.get("title")),
        "snippet": text(row.get("snippet")),
        **published(row, "date"),
        "extra": {"source": text(row.get("source"))[:60]},
    }
