"""The stretch of a text that holds most of some words: the snippet of a local hit. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["best_window"]

_WINDOW = 260
_LEAD = 40
_SCANNED_MAX = 200_000
_PLACES_MAX = 200
_SPACE = re.compile(r"\s+")


def best_window(text: str, weights: Mapping[str, float], width: int = _WINDOW) -> str:
    """Return about `width` characters of the text with the greatest sum of weights of distinct words, earliest first.

    weights: tokens as `searchlog.tokens.words` makes them. Blanks are folded; cuts at either end are shown by `…`.
    Only the first 200,000 characters are looked at. Without any of the words: the beginning of the text.
    """
    text = text[:_SCANNED_MAX]
    places = _places(text, weights)
    start = 0
    best = 0.0
    first, held = 0, dict.fromkeys(weights, 0)
    sum_now = 0.0
    # two ends over the sorted places; each enters and leaves once
    for place, term in places:
        held[term] += 1
        sum_now += weights[term] if held[term] == 1 else 0.0
        while place - places[first][0] > width - _LEAD:
            gone = places[first][1]
            held[gone] -= 1
            sum_now -= weights[gone] if held[gone] == 0 else 0.0
            first += 1
        if sum_now > best + 1e-12:
            best, start = sum_now, places[first][0]
    return _cut(text, max(0, start - _LEAD), width)


def _places(text: str, weights: Mapping[str, float]) -> list[tuple[int, str]]:
    """Return where the words stand, in order; each word at most 200 times."""
    low = text.lower()
    if len(low) != len(text):  # one character may become two, and places would shift
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    out: list[tuple[int, str]] = []
    for term in weights:
        # a bigram stands anywhere; a word must not be part of a longer one
        whole = rf"(?<![a-z0-9]){re.escape(term)}(?![a-z0-9])" if term.isascii() else re.escape(term)
        for count, match in enumerate(re.finditer(whole, low), 1):
            out.append((match.start(), term))
            if count == _PLACES_MAX:
                break
    return sorted(out)


def _cut(text: str, start: int, width: int) -> str:
    """Return the text from about `start`, ends moved to blanks where there are any nearby."""
    end = min(len(text), start + width)
    if start > 0:
        blank = re.compile(r"\s").search(text, start, start + _LEAD)
        start = blank.end() if blank else start
    if end < len(text):
        blanks = [match.start() for match in re.finditer(r"\s", text[max(start, end - _LEAD) : end])]
        end = max(start, end - _LEAD) + blanks[-1] if blanks else end
    body = _SPACE.sub(" ", text[start:end]).strip()
    return ("…" if start > 0 else "") + body + ("…" if end < len(text) else "")
