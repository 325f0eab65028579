"""Crossref: what publishers register of papers, books and data sets. No key; a contact address gets the better pool.

Traps: a title is a list; the abstract is JATS, an XML; a date of publication is a list of numbers that may end with the
year; a wrong address is 404 and plain text; an error's `message` is a list.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined, prose, whole
from searchlog.search.answers.reading import Reader, fit, rows
from searchlog.search.answers.values import items, json_object, number, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Crossref"]

PARSER = "crossref/1"

_QUERY_MAX = 1_000


class Crossref(Service):
    """The works that Crossref knows. contact: sent as `mailto`, which it asks for."""

    FACTS = Facts(
        name="crossref",
        title="Crossref",
        endpoint="https://api.crossref.org/works",
        third_party="Crossref (crossref.org)",
        terms=Terms(
            "https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
            "2026-11-30",
            "facts about works may be kept and shared; abstracts may be the publishers' or authors' own",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("snippet", "published", "score"),
        count_max=1_000,
        limits="told in each answer (x-rate-limit-limit, x-rate-limit-interval); the first 10,000 works of a query",
        scope="papers",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        fields = {
            "query": fit(query.text, _QUERY_MAX)[0],
            "rows": str(count),
            "offset": str((query.page - 1) * count),
        }
        first, last = query.span()
        bounds = [f"from-pub-date:{first}"] if first else []
        bounds += [f"until-pub-date:{last}"] if last else []
        if bounds:
            fields["filter"] = ",".join(bounds)
        if self._contact:
            fields["mailto"] = self._contact
        return self._get(fields)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        said = _said(response)
        if said and 400 <= response.status < 500 and response.status not in (401, 402, 403, 429):
            return reader.run(
                RunOutcome.BAD_REQUEST, f"status {response.status}, it does not accept the request ({said})"
            )
        refused = reader.refused(response)
        if refused is not None:
            return refused
        found = rows(response, reader, "message", "items")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        reader.walk(found[1], _result)
        return reader.run()


def _said(response: Response) -> str:
    """Return what an error answer says: the messages of its list, or its plain text."""
    try:
        answer = json_object(response.body)
    except FormatError:
        plain = text(response.body[:1_000].decode("utf-8", "replace"))
        return "" if "<" in plain or "{" in plain else plain[:300]
    told = [text(row.get("message")) for row in items(answer.get("message")) if isinstance(row, dict)]
    return "; ".join(filter(None, told))[:300]


def _result(row: dict[str, Any]) -> dict[str, Any]:
    doi = text(row.get("DOI"))
    authors = (
        text(author.get("name")) or f"{text(author.get('given'))} {text(author.get('family'))}"
        for author in items(row.get("author"))
        if isinstance(author, dict)
    )
    return {
        "url": row.get("URL") or (f"https://doi.org/{doi}" if doi else None),
        "title": _first(row.get("title")),
        "snippet": prose(row.get("abstract")),
        "score": number(row.get("score")),
        **_published(row),
        "extra": {
            "doi": doi[:200],
            "type": text(row.get("type"))[:60],
            "journal": _first(row.get("container-title"))[:200],
            "authors": joined(authors),
            "cited_by": whole(row.get("is-referenced-by-count")),
        },
    }


def _first(value: object) -> str:
    """Return the first text of a list such as the titles of a work."""
    return next(filter(None, map(prose, items(value))), "")


def _published(row: dict[str, Any]) -> dict[str, str]:
    """Return the date of publication, as precise as it is given: `2021`, `2021-03` or `2021-03-04`."""
    for name in ("published", "issued"):
        parts = row.get(name)
        days = items(parts.get("date-parts")) if isinstance(parts, dict) else []
        numbers = items(days[0]) if days else []
        told = []
        for value, last in zip(numbers, (9_999, 12, 31), strict=False):
            if type(value) is not int or not 1 <= value <= last:
                break
            told.append(f"{value:04}" if last == 9_999 else f"{value:02}")
        if told:
            return {"published": "-".join(told), "published_source": f"{name}.date-parts"}
    return {}
