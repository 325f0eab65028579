"""Hacker News, through the search that Algolia runs for it: stories and comments. No key.

Traps: a comment has neither address nor title, so it is linked by its item and named by its story; only the first 1,000
hits of a query can be reached, and the answer behind them is a message with status 200; dates are seconds since 1970;
the text of comments is HTML, titles are not.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import first_second, last_second, unsaid_freshness
from searchlog.search.answers.prose import prose, whole
from searchlog.search.answers.reading import Reader, fit, rows
from searchlog.search.answers.values import items, json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["HackerNews"]

PARSER = "hackernews/1"

_QUERY_MAX = 512
_ITEM = "https://news.ycombinator.com/item?id="
_KINDS = ("story", "comment", "poll", "job")


class HackerNews(Service):
    """All of Hacker News."""

    FACTS = Facts(
        name="hackernews",
        title="Hacker News",
        endpoint="https://hn.algolia.com/api/v1/search",
        third_party="Algolia (hn.algolia.com), which runs the search of Hacker News",
        terms=Terms(
            "https://hn.algolia.com/api",
            "2026-11-30",
            "no terms of its own were found; what people wrote stays theirs: keep answers to yourself",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("snippet", "published"),
        count_max=1_000,
        limits="10,000 requests an hour and address; the first 1,000 hits of a query; 512 characters",
        scope="discussions",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "query": fit(query.text, _QUERY_MAX)[0],
            "tags": "(story,comment,poll)",
            "hitsPerPage": str(min(query.count, self.facts.count_max)),
            "page": str(query.page - 1),
        }
        first, last = query.span()
        bounds = [f"created_at_i>={first_second(first)}"] if first else []
        bounds += [f"created_at_i<={last_second(last)}"] if last else []
        if bounds:
            fields["numericFilters"] = ",".join(bounds)
        return self._get(fields)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        refused = reader.refused(response) or _past_the_end(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "hits")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        reader.walk(found[1], _result)
        return reader.run()


def _past_the_end(response: Response, reader: Reader) -> Run | None:
    """Return the run of an answer that has no hits and says why in a message, or None."""
    try:
        answer = json_object(response.body)
    except FormatError:
        return None
    said = text(answer.get("message"))
    if not said or items(answer.get("hits")):
        return None
    return reader.run(RunOutcome.BAD_REQUEST, f"status {response.status} with a message instead of hits ({said[:300]})")


def _result(row: dict[str, Any]) -> dict[str, Any]:
    number = text(row.get("objectID")) or whole(row.get("objectID"))
    item = _ITEM + number if number.isascii() and number.isdecimal() else None
    url = row.get("url")
    own = isinstance(url, str) and bool(url.strip())
    tags = items(row.get("_tags"))
    return {
        "url": url if own else item,
        "title": text(row.get("title")) or text(row.get("story_title")),
        "snippet": prose(row.get("comment_text")) or prose(row.get("story_text")),
        **published(row, "created_at"),
        "extra": {
            "kind": next((kind for kind in _KINDS if kind in tags), ""),
            "discussion": item if own and item else "",
            "points": whole(row.get("points")),
            "comments": whole(row.get("num_comments")),
        },
    }
