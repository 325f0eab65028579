"""What stands in a passage's place when its own words do not: the likest stretch of a page, and what differs. Pure.

Likeness finds the stretch and orders stretches. Whether a stretch is the passage with other words, or something else,
is a matter of how many of its telling words are there in their order; that it is not the passage is settled before.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.drift.page import Page
from searchlog.wording.alignment import Token, aligned, tokens_of

__all__ = ["Near", "likeness", "nearest"]

_HITS_MAX = 400
"""Places of one word that count; a word that stands more often tells nothing of where."""
_SLACK_TOKENS = 12
_WINDOWS_MAX = 3
_LONE_TOKENS = 8
"""A word that is this far from the next one in common is not the edge of a stretch."""


@dataclass(frozen=True, slots=True)
class Near:
    """A stretch of a page's stream that is like a passage."""

    start: int
    end: int
    share: float
    """Of the passage's words by weight, that stand in it in their order; 0 to 1."""
    likeness: float
    """Twice the words in common by those of both."""


def likeness(a: Sequence[str], b: Sequence[str]) -> float:
    """Return twice the words in common, in order, by the words of both; 0 to 1."""
    return 2 * len(aligned(a, b)) / (len(a) + len(b)) if a or b else 1.0


def nearest(text: str, page: Page, around: tuple[int, int] | None = None) -> list[Near]:
    """Return the stretches of a page that are likest to a folded text, the likest first; a few at most.

    around: a range of the stream where it should be; looked at besides.
    """
    wanted = [token.text for token in tokens_of(text)]
    if not wanted or not page.tokens:
        return []
    weights = _weights(wanted, page)
    size = len(wanted) + len(wanted) // 3 + _SLACK_TOKENS
    windows = _windows(wanted, page, weights, size)
    if around is not None:
        low, high = _token_range(page, *around)
        if high > low:
            windows.insert(0, (low, min(high, low + 3 * size)))
    found = [near for window in windows if (near := _stretch(wanted, page, weights, window)) is not None]
    return sorted(found, key=lambda near: (-near.share, -near.likeness, near.start))


def _weights(wanted: Sequence[str], page: Page) -> dict[str, float]:
    """Return how much each word tells: a sign next to nothing, a word that is rare on the page much."""
    total = len(page.tokens)
    weights: dict[str, float] = {}
    for word in set(wanted):
        count = len(page.places_of_word.get(word, ()))
        weight = math.log(1 + total / (1 + count))
        weights[word] = weight if word[0].isalnum() else 0.05
    return weights


def _token_range(page: Page, start: int, end: int) -> tuple[int, int]:
    return bisect_left(page.token_starts, start), bisect_left(page.token_starts, end)


def _windows(wanted: Sequence[str], page: Page, weights: dict[str, float], size: int) -> list[tuple[int, int]]:
    """Return the windows of tokens with most of the wanted words by weight, apart from one another."""
    limits = Counter(wanted)
    hits: list[tuple[int, str]] = []
    for word in limits:
        places = page.places_of_word.get(word, ())
        if len(places) <= _HITS_MAX and weights[word] > 0.1:
            hits += [(place, word) for place in places]
    if not hits:
        for word in limits:
            hits += [(place, word) for place in page.places_of_word.get(word, ())[:_HITS_MAX]]
    hits.sort()
    scored: list[tuple[float, int]] = []
    inside: Counter[str] = Counter()
    score, tail = 0.0, 0
    for place, word in hits:
        inside[word] += 1
        if inside[word] <= limits[word]:
            score += weights[word]
        while hits[tail][0] <= place - size:
            gone = hits[tail][1]
            if inside[gone] <= limits[gone]:
                score -= weights[gone]
            inside[gone] -= 1
            tail += 1
        scored.append((score, hits[tail][0]))
    out: list[tuple[int, int]] = []
    for _, start in sorted(scored, key=lambda entry: (-entry[0], entry[1]))[:2_000]:
        if all(abs(start - other) >= size // 2 for other, _ in out):
            out.append((start, start + size))
        if len(out) >= _WINDOWS_MAX:
            break
    return out


def _stretch(wanted: Sequence[str], page: Page, weights: dict[str, float], window: tuple[int, int]) -> Near | None:
    """Return the stretch of a window that answers to the wanted words, out to the edges of what stands in for them."""
    slack = len(wanted) // 2 + _SLACK_TOKENS
    low, high = max(0, window[0] - slack), min(len(page.tokens), window[1] + slack)
    tokens = page.tokens[low:high]
    pairs = aligned(wanted, [token.text for token in tokens])
    pairs = _without_strays(pairs, wanted, weights)
    if not pairs:
        return None
    start, end = _edges(pairs, wanted, tokens, page)
    share = sum(weights[wanted[one]] for one, _ in pairs) / sum(weights[word] for word in wanted)
    inside = [token for token in tokens if start <= token.start < end]
    return Near(start, end, share, 2 * len(pairs) / (len(wanted) + max(1, len(inside))))


def _without_strays(
    pairs: list[tuple[int, int]], wanted: Sequence[str], weights: dict[str, float]
) -> list[tuple[int, int]]:
    """Return the pairs without those at the ends that are far from the others: words that stand anywhere."""
    groups: list[list[tuple[int, int]]] = []
    for pair in pairs:
        if groups:
            last = groups[-1][-1]
            if pair[1] - last[1] <= pair[0] - last[0] + _LONE_TOKENS:
                groups[-1].append(pair)
                continue
        groups.append([pair])
    if not groups:
        return []
    heavy = [sum(weights[wanted[one]] for one, _ in group) for group in groups]
    best = max(range(len(groups)), key=lambda n: heavy[n])
    kept = [group for n, group in enumerate(groups) if heavy[n] * 5 >= heavy[best] or n == best]
    return [pair for group in kept for pair in group]


def _edges(pairs: list[tuple[int, int]], wanted: Sequence[str], tokens: Sequence[Token], page: Page) -> tuple[int, int]:
    """Return the range of the stream, with as much at each end as may stand in for wanted words not found there."""
    first, last = pairs[0], pairs[-1]
    start, end = tokens[first[1]].start, tokens[last[1]].end
    begin = first[1]
    if first[0]:
        floor = page.part_at(start).start
        while begin > 0 and first[1] - begin < 2 * first[0] + 2 and tokens[begin - 1].start >= floor:
            begin -= 1
    finish = last[1]
    missing = len(wanted) - 1 - last[0]
    if missing:
        ceiling = page.part_at(end - 1).end
        while finish < len(tokens) - 1 and finish - last[1] < 2 * missing + 2 and tokens[finish + 1].end <= ceiling:
            finish += 1
    return min(start, tokens[begin].start), max(end, tokens[finish].end)
