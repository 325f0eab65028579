"""A lexical score for every passage of every source. Pure; needs no model, no dictionary and no earlier search.

    own      BM25 of the passage itself, over word beginnings
    near     a share of the better neighbour's (an answer follows the line that names it), and of what follows it
    around   BM25 of the stretch of its page that it stands in, where there is more than a screen of text to choose from
    page     BM25 of its page with the title
    pairs    words that follow each other in the query and here
    headings how much of the query is in the headings it stands under, and whether one of its own headings or terms is
             nearly the query itself

All are added up, and furniture counts less. Scores are rounded to six decimals, and equal ones are ordered by source
and position, so the order is the same on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from searchlog import tokens
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.matches import Postings, Terms, bm25, idf, query_terms, windows
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.policy import is_furniture

__all__ = ["RULE", "Weights", "order", "query_terms", "score"]

RULE = f"lexical/2 {tokens.TOKENIZER}"


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts of a score count where the best passage with its neighbour counts 1.

    Measured with tests/bench/evidence.py on five sets at once: a weight stays where one set gains and none loses.
    """

    k1: float = 1.2
    """How soon a repeated word stops counting."""
    b: float = 0.75
    """How much its length is held against a passage, 0 to 1."""
    near: float = 0.35
    """Share of the better neighbour's score."""
    second: float = 0.2
    """Share of the score of the second passage after it: a section often names its subject further down."""
    third: float = 0.15
    """Share of the score of the third."""
    around: float = 0.3
    """What the best stretch of nine passages counts. With the three above, 6 points on masked headings, and nothing
    elsewhere as long as `scarce` keeps it from pages of a few lines."""
    scarce: int = 40
    """With so many passages or fewer in all, only the direct neighbours count; of more, all but this many in full."""
    page: float = 0.35
    """What the best page's own score counts."""
    pairs: float = 0.4
    """What all pairs of the query together count: 7 points on documentation, none lost."""
    heading: float = 0.3
    """What a heading above, or at the beginning, counts that holds the whole query: 6 points on documentation. As words
    of the passage they cost it 5: every passage of a section then looks alike."""
    named: float = 1.2
    """What a heading or term in the passage counts that is the query and no more. It falls with the sixth power of the
    likeness: 6 points on documentation, where headings of half the query cost masked headings 9."""
    furniture: float = 0.7
    """Factor for furniture's own score: a mild weight, never a filter. 1 to 3 points on web pages and documentation."""
    furniture_whole: float = 0.8
    """Factor for furniture's whole score: half a point on web pages, nothing elsewhere."""


DEFAULT = Weights()
_REACH = 4
"""Passages before and after that belong to a stretch."""


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
    texts = [query] if isinstance(query, str) else list(dict.fromkeys(query))
    if not texts or not passages:
        return [0.0] * len(passages)
    corpus = _Corpus(sources, passages, lexicon or Lexicon(sources))
    of_each = [_scores(text, corpus, weights) for text in texts]
    if len(of_each) == 1:
        return of_each[0]
    # each text's best counts 1, so that none goes short because another is found in a heading: of two questions in one
    # call, scores as they are lost 4 points, sums of scores 3 to 4, and both questions as one text 13 to 22
    shares = [[round(s / best, 6) for s in scores] for scores in of_each if (best := max(scores))]
    return list(map(max, zip(*shares, strict=True))) if shares else of_each[0]


class _Corpus:
    """The words of all passages, titles and headings, and which passages follow each other on one page."""

    def __init__(self, sources: Sequence[Source], passages: Sequence[Passage], lexicon: Lexicon) -> None:
        self.passages = passages
        self.words = list(map(lexicon.words, passages))
        self.lengths = [float(len(words)) for words in self.words]
        self.pages: dict[int, tuple[int, int]] = {}
        """Source to the range of its passages."""
        for i, passage in enumerate(passages):
            start, _ = self.pages.get(passage.source, (i, i))
            self.pages[passage.source] = (start, i + 1)
        self.titles = {source: tokens.words(sources[source].title) for source in self.pages}
        self.vocabulary: set[str] = set().union(*self.words, *self.titles.values())
        self._lexicon = lexicon
        self._lines: dict[tuple[int, int], list[str]] = {}

    def line(self, source: int, start: int, end: int) -> list[str]:
        """Return the words of a heading or term."""
        words = self._lines.get((source, start))
        if words is None:
            words = self._lexicon.words_at(source, start, min(end, start + _LINE_CHARS_MAX))
            self._lines[source, start] = words
        return words


_LINE_CHARS_MAX = 1_000
"""Of a heading or term that are compared with the query."""


def _scores(query_text: str, corpus: _Corpus, weights: Weights) -> list[float]:
    terms = Terms(query_text, corpus.vocabulary)
    if not terms:
        return [0.0] * len(corpus.passages)
    postings, pairs = _counted(terms, corpus)
    own = bm25(corpus.lengths, postings, weights.k1, weights.b)
    furniture = list(map(is_furniture, corpus.passages))
    own = [s * weights.furniture if f else s for s, f in zip(own, furniture, strict=True)]
    whole = [s + weights.near * n for s, n in zip(own, _better_neighbours(own, corpus), strict=True)]
    best = max(whole) or 1.0
    context = _context(own, best, postings, corpus, weights)
    pages = _page_scores(terms, postings, corpus, weights)
    named, above = _heading_scores(terms, postings, corpus)
    out: list[float] = []
    for i, passage in enumerate(corpus.passages):
        total = whole[i] / best + context[i] + weights.page * pages[passage.source]
        total += weights.pairs * pairs.get(i, 0.0) + weights.heading * above[i] + weights.named * named[i]
        out.append(round(total * weights.furniture_whole if furniture[i] else total, 6))
    return out


def _counted(terms: Terms, corpus: _Corpus) -> tuple[Postings, dict[int, float]]:
    """Return where the terms stand, and by passage the share of the query's pairs that it holds."""
    postings: Postings = {}
    pairs: dict[int, float] = {}
    for i, words in enumerate(corpus.words):
        numbers = terms.numbers(words)
        if not numbers:
            continue
        distinct = set(numbers)
        for number in distinct:
            postings.setdefault(number, []).append((i, float(numbers.count(number))))
        if len(numbers) > 1 and any(one in distinct and other in distinct for one, other in terms.pairs):
            pairs[i] = terms.pairs_in(words) / len(terms.pairs)
    return postings, pairs


def _better_neighbours(own: Sequence[float], corpus: _Corpus) -> list[float]:
    """Return the score of the better of the passages before and after on the same page."""
    out: list[float] = []
    for start, end in corpus.pages.values():
        page = [0.0, *own[start:end], 0.0]
        out += map(max, page[:-2], page[2:])
    return out


def _context(own: Sequence[float], best: float, postings: Postings, corpus: _Corpus, weights: Weights) -> list[float]:
    """Return what a passage has from the text further around it."""
    share = 1 - weights.scarce / max(weights.scarce, len(own), 1)
    if share <= 0:
        return [0.0] * len(own)
    spans = [
        (max(start, i - _REACH), min(end, i + _REACH + 1))
        for start, end in corpus.pages.values()
        for i in range(start, end)
    ]
    around = bm25(*windows(corpus.lengths, postings, spans), weights.k1, weights.b)
    top = max(around) or 1.0
    out: list[float] = []
    for start, end in corpus.pages.values():
        after = [*own[start:end], 0.0, 0.0, 0.0]
        for i in range(start, end):
            follows = weights.second * after[i - start + 2] + weights.third * after[i - start + 3]
            out.append(share * (follows / best + weights.around * around[i] / top))
    return out


def _page_scores(terms: Terms, postings: Postings, corpus: _Corpus, weights: Weights) -> dict[int, float]:
    """Return the score of each page with passages, 1.0 for the best; its title counts twice."""
    place = {source: n for n, source in enumerate(corpus.pages)}
    lengths = [
        sum(corpus.lengths[start:end]) + 2.0 * len(corpus.titles[source])
        for source, (start, end) in corpus.pages.items()
    ]
    counts: dict[int, dict[int, float]] = {}
    for number, held in postings.items():
        by_page = counts.setdefault(number, {})
        for i, f in held:
            page = place[corpus.passages[i].source]
            by_page[page] = by_page.get(page, 0.0) + f
    for source, title in corpus.titles.items():
        for number in terms.numbers(title):
            by_page = counts.setdefault(number, {})
            by_page[place[source]] = by_page.get(place[source], 0.0) + 2.0
    scores = bm25(
        lengths, {number: sorted(by_page.items()) for number, by_page in counts.items()}, weights.k1, weights.b
    )
    best = max(scores) or 1.0
    return {source: scores[n] / best for source, n in place.items()}


def _heading_scores(terms: Terms, postings: Postings, corpus: _Corpus) -> tuple[list[float], list[float]]:
    """Return by passage how nearly a line of its own is the query, and how much of the query stands above it."""
    worth = idf(postings, len(corpus.passages))
    held: dict[tuple[int, int], float] = {}
    named = [0.0] * len(corpus.passages)
    # a heading that holds a word of the query stands in a passage that holds it
    for i in sorted({i for places in postings.values() for i, _ in places}):
        source = corpus.passages[i].source
        for start, end in corpus.passages[i].own_headings:
            query_share, line_share = terms.likeness(corpus.line(source, start, end), worth)
            if query_share:
                held[source, start] = query_share
                named[i] = max(named[i], _sixth(2 * query_share * line_share / (query_share + line_share)))
    if not held:
        return named, named
    above = [
        max([held.get((p.source, start), 0.0) for start, _ in (*p.headings, *p.own_headings[:1])], default=0.0)
        for p in corpus.passages
    ]
    return named, above


def _sixth(x: float) -> float:
    square = x * x
    return square * square * square
