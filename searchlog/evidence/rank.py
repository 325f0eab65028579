"""A lexical score for every passage of every source. Pure; needs no model, no dictionary and no earlier search.

BM25 over word beginnings: words are cut to five letters, a stemmer for every language that has endings; scripts without
spaces give character bigrams. A passage borrows a share of its better neighbour's score (an answer follows the line
that names it) and a share of its page's own score. Scores are rounded to six decimals, and equal ones are ordered by
source and position, so the order is the same on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from searchlog import tokens
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.policy import is_furniture
from searchlog.evidence.stopwords import STOPWORDS

__all__ = ["RULE", "Weights", "order", "query_terms", "score"]

RULE = f"lexical/1 {tokens.TOKENIZER}"
_PREFIX = 5


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts of a score count. Measured with tests/bench/evidence.py."""

    k1: float = 1.2
    """How soon a repeated word stops counting."""
    b: float = 0.75
    """How much its length is held against a passage, 0 to 1."""
    near: float = 0.35
    """Share of the better neighbour's score."""
    page: float = 0.35
    """What the best page's own score counts where the best passage's counts 1."""
    heading: float = 0.0
    """What a word in the headings above a passage counts where a word in it counts 1. Above 0 it cost documentation 5
    points: every passage of a section then looks alike."""
    furniture: float = 0.7
    """Factor for furniture: a mild weight, never a filter. 0.7 gained 1 to 3 points on web pages and documentation."""


DEFAULT = Weights()


@dataclass(slots=True)
class _Doc:
    """A text as counts of the query's terms (by their number) and how many words it has."""

    length: float
    counts: dict[int, float]


def query_terms(query_text: str) -> tuple[str, ...]:
    """Return the word beginnings a query is matched by, in order; stop words only where there is nothing else."""
    words = tokens.words(query_text)
    telling = [word for word in words if word not in STOPWORDS] or words
    return tuple(dict.fromkeys(word[:_PREFIX] for word in telling))


def order(scores: Sequence[float], passages: Sequence[Passage]) -> list[int]:
    """Return the indices of the passages, best first; equal scores by source, then position."""
    return sorted(range(len(passages)), key=lambda i: (-scores[i], passages[i].source, passages[i].start))


def score(
    query: str | Sequence[str],
    sources: Sequence[Source],
    passages: Sequence[Passage],
    weights: Weights = DEFAULT,
    lexicon: Lexicon | None = None,
) -> list[float]:
    """Return one score a passage: 0.0 where no word of the query is in it, beside it, or on its page.

    query: one text or several; of several, each passage has the score of the one that it fits best.
    passages: in order of source and position. Scores are comparable only within one call.
    """
    lexicon = lexicon or Lexicon(sources)
    query_texts = (query,) if isinstance(query, str) else query
    of_each = [_score_one(text, sources, passages, weights, lexicon) for text in query_texts]
    return list(map(max, *of_each)) if len(of_each) > 1 else of_each[0] if of_each else [0.0] * len(passages)


def _score_one(
    query_text: str, sources: Sequence[Source], passages: Sequence[Passage], weights: Weights, lexicon: Lexicon
) -> list[float]:
    terms = _Terms(query_terms(query_text))
    if not terms or not passages:
        return [0.0] * len(passages)
    docs = [_doc(lexicon.words(p), terms) for p in passages]
    pages = _page_scores(sources, passages, docs, terms, weights)
    if weights.heading:
        docs = _with_headings(sources, passages, docs, terms, weights.heading)
    own = _bm25(docs, weights)
    if weights.furniture != 1.0:
        own = [s * weights.furniture if s and is_furniture(p) else s for s, p in zip(own, passages, strict=True)]
    whole = [s + weights.near * _better_neighbour(own, passages, i) for i, s in enumerate(own)]
    best = max(whole) or 1.0
    return [round(s / best + weights.page * pages[p.source], 6) for s, p in zip(whole, passages, strict=True)]


class _Terms(dict[str, int]):
    """Word to the number of its term, from 1; 0 for words that match none. A word that comes again is not cut again."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._numbers = {term: number for number, term in enumerate(terms, 1)}

    def __missing__(self, word: str) -> int:
        number = self[word] = self._numbers.get(word[:_PREFIX], 0)
        return number

    def __bool__(self) -> bool:
        return bool(self._numbers)


def _doc(words: Sequence[str], terms: _Terms) -> _Doc:
    counts: dict[int, float] = {}
    for number in filter(None, map(terms.__getitem__, words)):
        counts[number] = counts.get(number, 0.0) + 1.0
    return _Doc(len(words), counts)


def _bm25(docs: Sequence[_Doc], weights: Weights) -> list[float]:
    """Return the BM25 score of each text for all terms at once."""
    holding: dict[int, int] = {}
    for doc in docs:
        for number in doc.counts:
            holding[number] = holding.get(number, 0) + 1
    idf = {number: math.log(1 + (len(docs) - n + 0.5) / (n + 0.5)) for number, n in sorted(holding.items())}
    average = sum(doc.length for doc in docs) / len(docs) or 1.0
    k1, b = weights.k1, weights.b
    out: list[float] = []
    for doc in docs:
        norm = k1 * (1 - b + b * doc.length / average)
        # summed in the order of the terms: floating-point sums depend on their order
        out.append(sum(idf[t] * f * (k1 + 1) / (f + norm) for t, f in sorted(doc.counts.items())))
    return out


def _better_neighbour(own: Sequence[float], passages: Sequence[Passage], i: int) -> float:
    """Return the score of the better of the passages before and after on the same page."""
    source = passages[i].source
    best = own[i - 1] if i > 0 and passages[i - 1].source == source else 0.0
    if i + 1 < len(own) and passages[i + 1].source == source:
        best = max(best, own[i + 1])
    return best


def _page_scores(
    sources: Sequence[Source],
    passages: Sequence[Passage],
    docs: Sequence[_Doc],
    terms: _Terms,
    weights: Weights,
) -> dict[int, float]:
    """Return the score of each page with passages, 1.0 for the best; its title counts twice."""
    pages: dict[int, _Doc] = {}
    for passage, doc in zip(passages, docs, strict=True):
        page = pages.get(passage.source)
        if page is None:
            title = _doc(tokens.words(sources[passage.source].title), terms)
            page = _Doc(2 * title.length, {t: 2 * f for t, f in title.counts.items()})
            pages[passage.source] = page
        _add(page, doc, 1.0)
    scores = _bm25(list(pages.values()), weights)
    best = max(scores) or 1.0
    return {source: s / best for source, s in zip(pages, scores, strict=True)}


def _with_headings(
    sources: Sequence[Source],
    passages: Sequence[Passage],
    docs: Sequence[_Doc],
    terms: _Terms,
    weight: float,
) -> list[_Doc]:
    """Return the texts with the words of the headings above them added, at a weight."""
    known: dict[tuple[int, int], _Doc] = {}
    out: list[_Doc] = []
    for passage, doc in zip(passages, docs, strict=True):
        joined = _Doc(doc.length, dict(doc.counts))
        for start, end in passage.headings:
            heading = known.get((passage.source, start))
            if heading is None:
                heading = known[passage.source, start] = _doc(
                    tokens.words(sources[passage.source].text[start:end]), terms
                )
            _add(joined, heading, weight)
        out.append(joined)
    return out


def _add(into: _Doc, doc: _Doc, weight: float) -> None:
    into.length += weight * doc.length
    for term, f in doc.counts.items():
        into.counts[term] = into.counts.get(term, 0.0) + weight * f
