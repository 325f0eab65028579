"""Brave Search API: web results of an index of its own, with a key.

Traps: `offset` counts pages, not results; text comes with HTML unless `text_decorations` is off (references remain);
there is no score. What it shares with Brave's other services is told in `answers/brave`.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.brave import KEY_ENV, TERMS, THIRD_PARTY, asked_fields, refused_run, unsaid
from searchlog.search.answers.reading import Reader, fit, site_operators
from searchlog.search.answers.values import crawled, html_text, items, json_object, published, text
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Brave"]

PARSER = "brave/3"

_OTHER_PARTS = ("videos", "news", "discussions", "faq", "locations")


class Brave(Service):
    """Brave web search with this key."""

    FACTS = Facts(
        name="brave",
        title="Brave Search API",
        endpoint="https://api.search.brave.com/res/v1/web/search",
        third_party=THIRD_PARTY,
        terms=TERMS,
        applies=(
            "count",
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
        returns=("snippet", "published", "crawled"),
        key="required",
        key_env=KEY_ENV,
        count_max=20,
        limits="50 requests a second, one on the former free plan; 400 characters, 50 words, 10 pages",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "q": _asked(query)[0],
            "count": str(min(query.count, self.facts.count_max)),
            "offset": str(query.page - 1),
            "result_filter": "web",
            "text_decorations": "false",
            "include_fetch_metadata": "true",
            **asked_fields(query),
        }
        if query.safe:
            fields["safesearch"] = query.safe
        return self._get(fields, ("X-Subscription-Token", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        asked, web = answer.get("query"), answer.get("web")
        if not isinstance(asked, dict) and web is None:
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has neither `query` nor `web`")
        if web is not None and not (isinstance(web, dict) and isinstance(web.get("results"), list)):
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `web.results`")
        for note in _asked(query)[1]:
            reader.note(note)
        if isinstance(asked, dict) and text(asked.get("altered")):
            reader.note(f"Brave searched for: {text(asked['altered'])}")
        # an answer without any web result has no `web` at all
        reader.walk(web["results"] if web else [], _result)
        for part in _OTHER_PARTS:
            block = answer.get(part)
            found = items(block.get("results")) if isinstance(block, dict) else []
            for row in found if not reader.is_over(len(found)) else []:
                reader.drop(text(row.get("url")) if isinstance(row, dict) else part, f"not-web:{part}")
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        return (*self.facts.ignored(query), *site_operators(query)[1], *unsaid(query))


def _asked(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the query as sent, domain operators included, with a note when its text was cut to make room."""
    operators = site_operators(query)[0]
    cut, notes = fit(query.text, max(50, 400 - len(operators)), max(10, 50 - operators.count(" ")))
    return cut + operators, notes


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": html_text(row.get("title")),
        "snippet": html_text(row.get("description")),
        **published(row, "page_age"),
        **crawled(row, "fetched_content_timestamp"),
        "extra": {"age": text(row.get("age"))[:60], "language": text(row.get("language"))[:20]},
    }
