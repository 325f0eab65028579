"""Semantic Scholar: papers by relevance, through the Academic Graph API. A key is optional.

Traps: an answer without matches has no `data` at all, only `total` 0; the call for the best match says 404 instead; a
word with a hyphen matches nothing, so hyphens are asked as blanks; all who ask without a key share one limit, so 429 is
usual.
"""

from __future__ import annotations

import re
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined, prose, whole
from searchlog.search.answers.reading import Reader, error_text, fit, retry_after, rows
from searchlog.search.answers.values import items, json_object, number, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["SemanticScholar"]

PARSER = "semanticscholar/1"

_QUERY_MAX = 1_000
_FIELDS = "title,url,abstract,venue,year,publicationDate,authors,externalIds,citationCount,openAccessPdf"
_PAPER = "https://www.semanticscholar.org/paper/"


class SemanticScholar(Service):
    """The papers of Semantic Scholar."""

    FACTS = Facts(
        name="semanticscholar",
        title="Semantic Scholar",
        endpoint="https://api.semanticscholar.org/graph/v1/paper/search",
        third_party="the Allen Institute for AI (semanticscholar.org)",
        terms=Terms(
            "https://www.semanticscholar.org/product/api/license",
            "2026-11-30",
            "a licence agreement with attribution; abstracts may be the publishers' own: keep answers to yourself",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("snippet", "published"),
        key="optional",
        key_env=("SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY"),
        count_max=100,
        limits="one request a second with a key, else a limit shared with everybody; the first 1,000 papers",
        pause_s=1.0,
        scope="papers",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        fields = {
            "query": _asked(query)[0],
            "offset": str((query.page - 1) * count),
            "limit": str(count),
            "fields": _FIELDS,
        }
        first, last = query.span()
        if first or last:
            fields["publicationDateOrYear"] = f"{first or ''}:{last or ''}"
        return self._get(fields, *((("x-api-key", self._key),) if self._key else ()))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        ended = _without_data(response, reader) or reader.refused(response)
        if ended is not None:
            return ended
        found = rows(response, reader, "data")
        if isinstance(found, Run):
            return found
        for note in _asked(query)[1]:
            reader.note(note)
        reader.walk(found[1], _result)
        return reader.run()


def _asked(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the query as sent, and what to say of it."""
    cut, notes = fit(query.text, _QUERY_MAX)
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", cut)
    return plain, notes + (
        ("hyphens were asked as blanks, since words with one match nothing",) if plain != cut else ()
    )


def _without_data(response: Response, reader: Reader) -> Run | None:
    """Return the run of an answer that says in its own way that nothing was found, or to wait; None for others."""
    said = error_text(response.body)
    if response.status == 404 and "match not found" in said.lower():
        return reader.run(RunOutcome.EMPTY)
    if response.status == 429:
        hint = "; set SEMANTIC_SCHOLAR_API_KEY for a limit of your own" if reader.facts.keyless else ""
        why = f" ({said})" if said else ""
        wait = retry_after(response.headers)
        return reader.run(RunOutcome.RATE_LIMITED, f"status 429, too many requests{why}{hint}", wait)
    if not 200 <= response.status < 300:
        return None
    try:
        answer = json_object(response.body)
    except FormatError:
        return None
    nothing = "data" not in answer and number(answer.get("total")) == "0"
    return reader.run(RunOutcome.EMPTY) if nothing else None


def _result(row: dict[str, Any]) -> dict[str, Any]:
    paper, year = text(row.get("paperId")), whole(row.get("year"))
    ids, pdf = row.get("externalIds"), row.get("openAccessPdf")
    known = ids if isinstance(ids, dict) else {}
    return {
        "url": row.get("url") or (_PAPER + paper if re.fullmatch("[0-9a-f]{40}", paper) else None),
        "title": prose(row.get("title")),
        "snippet": prose(row.get("abstract")),
        **published({"publicationDate": row.get("publicationDate"), "year": year}, "publicationDate", "year"),
        "extra": {
            "doi": text(known.get("DOI"))[:200],
            "arxiv": text(known.get("ArXiv"))[:60],
            "journal": text(row.get("venue"))[:200],
            "authors": joined(item.get("name") for item in items(row.get("authors")) if isinstance(item, dict)),
            "cited_by": whole(row.get("citationCount")),
            "open_access": text(pdf.get("url"))[:500] if isinstance(pdf, dict) else "",
        },
    }
