"""The demo's own search: two small rankings of the same pages, merged the way SearXNG merges its engines. Pure.

"demo titles" knows titles and snippets; "demo text" knows whole texts (Okapi BM25).
They agree in part, as real ones do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from searchlog.demo.manifest import Entry
from searchlog.tokens import words

__all__ = ["Index", "answer"]

PAGE_RESULTS = 12
"""Results that each of the two rankings gives a page."""
_K1, _B = 1.2, 0.4
_ENOUGH = 0.4
"""Share of the query, by weight of its words, that an entry must hold: "how is the" finds nothing by itself."""


@dataclass(frozen=True, slots=True)
class _Document:
    entry: Entry
    titles: Counter[str]
    text: Counter[str]
    length: int


class Index:
    """Word counts of every listed entry."""

    def __init__(self, entries: Sequence[Entry], text_of: Callable[[Entry], str]) -> None:
        self._documents = []
        for entry in entries:
            if entry.listed:
                text = words(text_of(entry))
                titles = Counter(words(entry.title) * 2 + words(entry.snippet))
                self._documents.append(_Document(entry, titles, Counter(text), len(text)))
        self._found_in = Counter(word for document in self._documents for word in document.text)
        self._mean = sum(document.length for document in self._documents) / max(1, len(self._documents))

    def rank(self, provider: str, query: str, language: str | None = None) -> list[Entry]:
        """Return the entries one ranking finds for a query, best first; ties in manifest order."""
        wanted = list(dict.fromkeys(words(query)))
        total = sum(map(self._weight, wanted))
        score = self._title_score if provider == "demo titles" else self._text_score
        found = []
        for place, document in enumerate(self._documents):
            entry = document.entry
            if provider not in entry.providers or (language and entry.language.split("-")[0] != language):
                continue
            counts = document.titles if provider == "demo titles" else document.text
            met = sum(self._weight(word) for word in wanted if word in counts)
            if met and met >= _ENOUGH * total:
                found.append((-met * score(document, wanted), place, entry))
        return [entry for _, _, entry in sorted(found, key=lambda row: row[:2])]

    def _weight(self, word: str) -> float:
        count = self._found_in[word]
        return math.log(1 + (len(self._documents) - count + 0.5) / (count + 0.5))

    def _title_score(self, document: _Document, wanted: list[str]) -> float:
        return sum(self._weight(word) * min(3, document.titles[word]) for word in wanted)

    def _text_score(self, document: _Document, wanted: list[str]) -> float:
        norm = _K1 * (1 - _B + _B * document.length / self._mean)
        return sum(
            self._weight(word) * document.text[word] * (_K1 + 1) / (document.text[word] + norm) for word in wanted
        )


def answer(index: Index, base: str, query: str, page: int = 1, language: str | None = None) -> dict[str, Any]:
    """Return one page of results in the shape of SearXNG's JSON answer.

    A result found by both rankings stands once, with both positions; score = sum of (number of positions / position).
    """
    rows: dict[str, dict[str, Any]] = {}
    first = (page - 1) * PAGE_RESULTS
    for provider in ("demo titles", "demo text"):
        found = index.rank(provider, query, language)[first : first + PAGE_RESULTS]
        for position, entry in enumerate(found, start=1):
            row = rows.setdefault(entry.path, _row(entry, base, provider))
            row["engines"].append(provider)
            row["positions"].append(position)
    for row in rows.values():
        row["score"] = sum(len(row["positions"]) / position for position in row["positions"])
    return {
        "query": query,
        "number_of_results": 0,  # SearXNG says 0 when its engines do not tell
        "results": sorted(rows.values(), key=lambda row: -row["score"]),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _row(entry: Entry, base: str, provider: str) -> dict[str, Any]:
    url = urljoin(base, entry.path) if entry.path.startswith("/") else entry.path
    parts = urlsplit(url)
    return {
        "url": url,
        "title": entry.title,
        "content": entry.snippet,
        "engine": provider,
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
        "engines": [],
        "positions": [],
        "score": 0.0,
        "category": "general",
        "publishedDate": f"{entry.published}T00:00:00" if entry.published else None,
    }
