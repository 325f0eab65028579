"""Where the words of a query stand: counts of each term a text, and what BM25 makes of them. Pure.

A term is the beginning of a word of the query, five letters at most: a stemmer for every language that has endings.
Arabic words lose what is written to their front first, and are cut to four letters.

Terms go by their number, from 1, and sums run in the order of the terms: floating-point sums depend on their order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise, repeat

from searchlog import tokens
from searchlog.evidence.stopwords import STOPWORDS

__all__ = ["Postings", "Terms", "bm25", "idf", "query_terms", "windows"]

Postings = dict[int, list[tuple[int, float]]]
"""Number of a term to the texts that hold it, in order, and how often."""

_PREFIX = 5
_TERMS_MAX = 64
"""Terms of a query that are looked for: a whole page given as a query costs no more than a long question."""


def query_terms(query_text: str) -> tuple[str, ...]:
    """Return the word beginnings a query is matched by, in order; stop words only where there is nothing else."""
    return tuple(dict.fromkeys(_beginnings(query_text)))[:_TERMS_MAX]


def _beginnings(query_text: str) -> list[str]:
    words = tokens.words(query_text)
    return list(map(_beginning, _telling(words)))


def _beginning(word: str) -> str:
    """Return what a word is matched by.

    In Arabic the article and the words for and, by, like, for are written to the front of a word, vowel signs may stand
    or not, and an alef has four forms. On 42 questions at 250 tokens: 0.86 with five letters as they stand, 0.91 so.
    """
    if not "\u0600" <= word < "\u0700":
        return word[:_PREFIX]
    bare = _ARABIC_SIGNS.sub("", word)
    return _ARABIC_FRONT.sub("", bare, count=1).translate(_ARABIC_LETTERS)[:_ARABIC_PREFIX]


_ARABIC_PREFIX = 4
_ARABIC_SIGNS = re.compile("[\u0640\u064b-\u065f\u0670]")
"""Vowel signs, and the stroke that only lengthens a line."""
_ARABIC_FRONT = re.compile("(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0648?\u0644\u0644)(?=.{3})|\u0648(?=.{4})")
"""The article, with one of wa, fa, bi, ka before it or joined to li; or wa alone. At least three letters stay."""
_ARABIC_LETTERS = str.maketrans("\u0622\u0623\u0625\u0649\u0629", "\u0627\u0627\u0627\u064a\u0647")
"""Forms of alef, ya and ta that are written for each other."""


def _telling(words: Sequence[str]) -> Sequence[str]:
    return [word for word in words if word not in STOPWORDS] or words


class Terms:
    """The terms of a query, and which words of some texts are theirs."""

    def __init__(self, query_text: str, vocabulary: Iterable[str]) -> None:
        """vocabulary: all words that will be asked about; others match no term."""
        numbers = {term: number for number, term in enumerate(query_terms(query_text), 1)}
        self._matched = {word: number for word in vocabulary if (number := numbers.get(_beginning(word)))}
        asked = [numbers[term] for term in _beginnings(query_text) if term in numbers]
        self.pairs = frozenset(pairwise(asked))
        """Terms that follow each other in the query, stop words aside."""
        self._telling: dict[str, int | None] = {**self._matched, **dict.fromkeys(STOPWORDS)}

    def __bool__(self) -> bool:
        return bool(self._matched)

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of the terms that stand in these words, in order, repeats kept."""
        return list(filter(None, map(self._matched.get, words)))

    def pairs_in(self, words: Sequence[str]) -> int:
        """Return how many pairs of the query stand together in these words too, stop words aside."""
        numbers = [number for number in map(self._telling.get, words, repeat(0)) if number is not None]
        return len(self.pairs.intersection(pairwise(numbers)))

    def likeness(self, words: Sequence[str], weights: Mapping[int, float]) -> tuple[float, float]:
        """Return the shares, 0 to 1, of the query (by weight of its terms) and of these words that are in the other."""
        if not self.numbers(words):
            return 0.0, 0.0
        telling = _telling(words)
        found = self.numbers(telling)
        whole = math.fsum(weights.values())  # exact; `sum` adds floats in another way since Python 3.12
        if not found or not whole:
            return 0.0, 0.0
        return math.fsum(weights.get(number, 0.0) for number in set(found)) / whole, len(found) / len(telling)


def idf(postings: Postings, count: int) -> dict[int, float]:
    """Return what each term is worth among so many texts: the fewer hold it, the more."""
    return {
        number: math.log(1 + (count - len(postings[number]) + 0.5) / (len(postings[number]) + 0.5))
        for number in sorted(postings)
    }


def bm25(lengths: Sequence[float], postings: Postings, k1: float, b: float) -> list[float]:
    """Return the BM25 score of each text for all terms at once. lengths: in words."""
    average = sum(lengths) / len(lengths) if lengths else 0.0
    norms = [k1 * (1 - b + b * length / (average or 1.0)) for length in lengths]
    out = [0.0] * len(lengths)
    for number, weight in idf(postings, len(lengths)).items():
        for i, f in postings[number]:
            out[i] += weight * (k1 + 1) * f / (f + norms[i])
    return out


def windows(
    lengths: Sequence[float], postings: Postings, spans: Sequence[tuple[int, int]]
) -> tuple[list[float], Postings]:
    """Return lengths and postings of joined texts: the n-th holds the texts `[start, end)` of the n-th span."""

    def sums(values: Sequence[float]) -> list[float]:
        until = [0.0, *accumulate(values)]  # whole numbers, so exact in any order
        return [until[end] - until[start] for start, end in spans]

    joined: Postings = {}
    for number, held in postings.items():
        dense = [0.0] * len(lengths)
        for i, f in held:
            dense[i] = f
        joined[number] = [(i, f) for i, f in enumerate(sums(dense)) if f]
    return sums(lengths), joined
