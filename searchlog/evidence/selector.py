"""How a passage is found again: describe a span, anchor it in a text. Pure string functions.

Selectors are those of the W3C Web Annotation Data Model, section 4.2: TextQuoteSelector (exact, prefix, suffix) and
TextPositionSelector (start, end), counted in code points. Anchoring never guesses in silence: it says exact, moved,
ambiguous or absent. Links for people are in `fragment.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from searchlog.errors import FormatError, UsageError
from searchlog.evidence.passage import Selectors

__all__ = ["Anchoring", "Match", "anchor", "describe", "from_json", "to_json"]

_CONTEXT = 64
"""Code points of prefix and suffix."""
_PLACES_MAX = 1000
"""Places of one quote that are compared; a quote that stands more often is ambiguous anyway."""


class Match(StrEnum):
    """What became of a quote in a text."""

    EXACT = "exact"
    """Where it was, unchanged."""
    MOVED = "moved"
    """Elsewhere, unchanged; `context_percent` says how much of its surroundings moved with it."""
    AMBIGUOUS = "ambiguous"
    """In several other places that fit equally well; `start` is the first of them."""
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Where a quote is now."""

    match: Match
    start: int | None = None
    end: int | None = None
    context_percent: int = 0
    """Share of prefix and suffix, in characters next to the quote, found again; 100 where there was none to find."""
    place_count: int = 0
    """In how many places the quote stands (at most 1,000 are looked at)."""


def describe(text: str, start: int, end: int) -> Selectors:
    """Return the selectors of `text[start:end]`. Raises UsageError if that is no span of the text."""
    if not 0 <= start < end <= len(text):
        raise UsageError(
            f"no span {start}-{end} in a text of {len(text)} characters; expected 0 <= start < end <= length",
            start=start,
            end=end,
            length=len(text),
        )
    return Selectors(
        exact=text[start:end],
        prefix=text[max(0, start - _CONTEXT) : start],
        suffix=text[end : end + _CONTEXT],
        start=start,
        end=end,
    )


def anchor(text: str, selectors: Selectors) -> Anchoring:
    """Return where the quote stands in a text: at its position, or where its surroundings fit best."""
    exact = selectors.exact
    places = _places(text, exact) if exact else []
    here = selectors.start >= 0 and bool(exact) and text.startswith(exact, selectors.start)
    if here:
        fit = _context_percent(text, selectors, selectors.start)
        return Anchoring(Match.EXACT, selectors.start, selectors.start + len(exact), fit, max(1, len(places)))
    if not places:
        return Anchoring(Match.ABSENT)
    fits = [_context_percent(text, selectors, place) for place in places]
    best = max(fits)
    start = places[fits.index(best)]
    match = Match.MOVED if fits.count(best) == 1 else Match.AMBIGUOUS
    return Anchoring(match, start, start + len(exact), best, len(places))


def _places(text: str, exact: str) -> list[int]:
    out: list[int] = []
    at = text.find(exact)
    while at >= 0 and len(out) < _PLACES_MAX:
        out.append(at)
        at = text.find(exact, at + 1)
    return out


def _context_percent(text: str, selectors: Selectors, start: int) -> int:
    """Return how much of prefix and suffix stands around a place, counted outwards from the quote."""
    prefix, suffix = selectors.prefix, selectors.suffix
    if not prefix and not suffix:
        return 100
    before = text[max(0, start - len(prefix)) : start]
    end = start + len(selectors.exact)
    after = text[end : end + len(suffix)]
    same = _common(prefix[::-1], before[::-1]) + _common(suffix, after)
    return 100 * same // (len(prefix) + len(suffix))


def _common(one: str, other: str) -> int:
    """Return the length of the common beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


# --- the W3C form ----------------------------------------------------------------------------------------------


def to_json(selectors: Selectors, source: str = "") -> dict[str, Any]:
    """Return the selectors as a Web Annotation SpecificResource; `source` is the URL.

    Spec: W3C Web Annotation Data Model, sections 4.2.4 and 4.2.5.
    """
    out: dict[str, Any] = {
        "type": "SpecificResource",
        "selector": [
            {
                "type": "TextQuoteSelector",
                "exact": selectors.exact,
                "prefix": selectors.prefix,
                "suffix": selectors.suffix,
            },
            {"type": "TextPositionSelector", "start": selectors.start, "end": selectors.end},
        ],
    }
    return {**out, "source": source} if source else out


def from_json(value: dict[str, Any]) -> Selectors:
    """Return the selectors that `to_json` wrote. Raises FormatError if one of the two is missing or of another form."""
    try:
        by_type = {part["type"]: part for part in value["selector"]}
        words, place = by_type["TextQuoteSelector"], by_type["TextPositionSelector"]
        strings = [words["exact"], words.get("prefix", ""), words.get("suffix", "")]
        numbers = [place["start"], place["end"]]
    except (KeyError, TypeError, AttributeError):
        raise FormatError("not a resource with TextQuoteSelector and TextPositionSelector") from None
    if not all(isinstance(s, str) for s in strings) or not all(type(n) is int for n in numbers):
        raise FormatError("selector values of the wrong type; expected strings and whole numbers")
    return Selectors(strings[0], strings[1], strings[2], numbers[0], numbers[1])
