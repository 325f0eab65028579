"""arXiv: preprints, by the Atom feed of its API. No key; one request in three seconds, and one at a time.

Traps: an error is an entry whose id lies under `/api/errors`, with status 400 and in the past 200; a feed may come back
without entries although it counts some, which is no empty answer; words without a field are joined in ways that the
manual does not say, so each is given its field; addresses of clouds share a limit, whose 429 has no Retry-After.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.atom import Entry, Feed, read_feed
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined
from searchlog.search.answers.reading import ITEMS_MAX, Reader, fit
from searchlog.search.answers.values import published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Arxiv"]

PARSER = "arxiv/1"

_QUERY_MAX, _WORDS_MAX = 1_000, 30
_PART = re.compile(r'"([^"]*)"|([^\s"]+)')
_NO_WORD = re.compile(r"[^\w.+#'-]+")
_OPERATORS = frozenset({"AND", "OR", "ANDNOT", "NOT", "TO"})
_FIRST_DAY, _LAST_DAY = "1991-01-01", "2099-12-31"


class Arxiv(Service):
    """The preprints of arXiv."""

    FACTS = Facts(
        name="arxiv",
        title="arXiv",
        endpoint="https://export.arxiv.org/api/query",
        third_party="arXiv, Cornell University (arxiv.org)",
        terms=Terms(
            "https://info.arxiv.org/help/api/tou.html",
            "2026-11-30",
            "descriptions of papers are CC0: they may be kept and shared; the papers have licences of their own",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("snippet", "published"),
        count_max=2_000,
        limits="one request in three seconds, one connection",
        pause_s=3.0,
        scope="papers",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        asked = _asked(query)[0]
        first, last = query.span()
        if first or last:
            days = [(first or _FIRST_DAY) + "0000", (last or _LAST_DAY) + "2359"]
            asked += " AND submittedDate:[" + " TO ".join(day.replace("-", "") for day in days) + "]"
        fields = {
            "search_query": asked,
            "start": str((query.page - 1) * count),
            "max_results": str(count),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        made = self._get(fields)
        return Request("GET", made.url, (("Accept", "application/atom+xml"),))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        try:
            feed = read_feed(response.body)
        except FormatError as error:
            refused = reader.refused(response)
            return refused or reader.run(RunOutcome.PARSE_ERROR, str(error))
        said = next((entry.first("summary") for entry in feed.entries if _is_error(entry)), None)
        if said is not None and (response.status == 400 or 200 <= response.status < 300):
            return reader.run(
                RunOutcome.BAD_REQUEST, f"status {response.status} ({text(said)[:300] or 'an error entry'})"
            )
        refused = reader.refused(response)
        if refused is not None:
            return refused
        unsent = 0 if feed.entries else _unsent(feed)
        if unsent is None:
            return reader.run(RunOutcome.PARSE_ERROR, "a feed that neither has entries nor counts them")
        if unsent > 0:
            return reader.run(RunOutcome.DEGRADED, f"it counts {unsent} papers and sends none; ask again in a while")
        for note in _asked(query)[1]:
            reader.note(note)
        _walk(feed, reader)
        return reader.run()


def _asked(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the query in arXiv's language: every word and quoted phrase must be there; and what to say of it."""
    cut, notes = fit(query.text, _QUERY_MAX, _WORDS_MAX)
    words = []
    for phrase, word in _PART.findall(cut):
        clean = " ".join(_NO_WORD.sub(" ", phrase or word).split())
        if any(map(str.isalnum, clean)) and clean not in _OPERATORS:
            words.append(f'all:"{clean}"' if " " in clean else f"all:{clean}")
    if len(words) > 1:
        notes += ("each word of the query must be there",)
    return " AND ".join(words) or 'all:""', notes


def _is_error(entry: Entry) -> bool:
    try:
        return urlsplit(entry.first("id").strip()).path.startswith("/api/errors")
    except ValueError:
        return False


def _unsent(feed: Feed) -> int | None:
    """Return how many papers a feed without entries counts from its start on; None when it counts none at all."""
    total, start = (feed.first(f"opensearch:{name}").strip() for name in ("totalResults", "startIndex"))
    if not re.fullmatch("[0-9]{1,12}", total):
        return None
    return int(total) - (int(start) if re.fullmatch("[0-9]{1,12}", start) else 0)


def _walk(feed: Feed, reader: Reader) -> None:
    if reader.is_over(len(feed.entries)):
        return
    for place, entry in enumerate(feed.entries, 1):
        if place > ITEMS_MAX:
            reader.drop(f"item {place}", "over-items-limit")
            continue
        pdf = next((text(link.get("href")) for link in entry.links if link.get("title") == "pdf"), "")
        reader.add(
            place,
            text(entry.first("id")),
            text(entry.first("title")),
            text(entry.first("summary")),
            **published({"published": entry.first("published")}, "published"),
            extra={
                "modified": text(entry.first("updated"))[:40],
                "authors": joined(entry.values.get("author/name", ())),
                "categories": joined(entry.terms),
                "doi": text(entry.first("arxiv:doi"))[:200],
                "journal": text(entry.first("arxiv:journal_ref"))[:200],
                "pdf": pdf[:500],
            },
        )
