"""How many of each outcome, as one thin bar. The table beside it has the numbers; the bar repeats them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from searchlog.ui.meanings import OUTCOMES
from searchlog.ui.page import Piece, element, number, pieces

__all__ = ["bar", "told"]

_WIDTH = 1_000
_LEAST = 8
"""Units of the width that the smallest part has, so that one of thousands is seen."""


def told(counts: Mapping[str, int]) -> str:
    """Return `1 failed, 2,000 verified`."""
    return ", ".join(f"{number(counts[outcome])} {outcome}" for outcome in OUTCOMES if counts.get(outcome))


def bar(counts: Mapping[str, int]) -> Piece:
    """Return a bar whose parts are as long as the counts of the outcomes; what they are is said beside it."""
    present = [(outcome, counts[outcome]) for outcome in OUTCOMES if counts.get(outcome)]
    total = sum(count for _, count in present)
    if not total:
        return Piece()
    room = _WIDTH - _LEAST * len(present)
    parts = []
    at = 0
    for outcome, count in present:
        width = _LEAST + room * count // total
        parts.append(element("rect", x=str(at), y="0", width=str(width), height="10", class_=outcome.replace(" ", "-")))
        at += width
    picture = element(
        "svg", *parts, viewBox=f"0 0 {_WIDTH} 10", preserveAspectRatio="none", aria_hidden="true", focusable="false"
    )
    return pieces(picture, element("span", told(counts), class_="sums"))
