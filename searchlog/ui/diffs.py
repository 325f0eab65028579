"""A word diff as people read it: what it said, struck and with a minus; what it says, underlined and with a plus. Pure.

Colour is never the only sign. What changed words carry of weight (a number, a negation, …) stands behind them as a
small label. Long stretches that did not change are cut in their middle, and their length is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from searchlog.ui.page import Piece, element, number, pieces, words
from searchlog.ui.seen import Seen, direction, language

__all__ = ["diff", "steps_of"]

_STEPS_MAX = 400
_SAME_MAX = 600
"""Characters of an unchanged stretch that are shown whole; of a longer one, its ends."""
_ENDS = 200
_CHANGED_MAX = 2_000
"""Characters of one changed stretch."""
_MARKS_MAX = 8
_MARK_MAX = 30

Step = tuple[str, str, tuple[str, ...]]


def steps_of(changes: Sequence[Any]) -> Sequence[Step]:
    """Return the steps of a diff in JSON, `[sign, words, mark…]` each, the marks in a list of their own or not."""
    return list(_steps(changes))


def _steps(changes: Sequence[Any]) -> Iterator[Step]:
    for change in changes:
        if not isinstance(change, list | tuple) or len(change) < 2 or change[0] not in ("=", "-", "+"):
            continue
        marks = [
            mark for given in change[2:] for mark in (given if isinstance(given, list | tuple) else (given,)) if mark
        ]
        yield change[0], words(change[1]), tuple(mark for mark in marks if isinstance(mark, str))


def diff(changes: Sequence[Any]) -> Piece:
    """Return a word diff as a paragraph; nothing when there is none."""
    steps = steps_of(changes)
    if not steps:
        return Piece()
    shown = [_step(*step) for step in islice(steps, _STEPS_MAX)]
    if len(steps) > _STEPS_MAX:
        shown.append(_aside(f" … {number(len(steps) - _STEPS_MAX)} more steps are not shown"))
    text = "".join(said[:_ENDS] for _, said, _ in steps[:_STEPS_MAX])
    return element("p", *shown, class_="diff", lang=language(text), dir=direction(text))


def _step(sign: str, said: str, marks: Sequence[str]) -> Piece:
    if sign == "=":
        return _same(said)
    body = said.strip()
    start = said[: len(said) - len(said.lstrip())]
    labels = [
        element("small", mark[:_MARK_MAX], class_="mark", dir="ltr", lang="en")
        for mark in dict.fromkeys(marks[:_MARKS_MAX])
    ]
    cut = _aside(f" … of {number(len(body))} characters") if len(body) > _CHANGED_MAX else None
    inside = pieces(
        element("span", "−" if sign == "-" else "+", class_="sign"),
        Piece(Seen(body[:_CHANGED_MAX]).html()) if body else element("span", "white space", class_="cut", lang="en"),
        cut,
        *labels,
    )
    return pieces(start, element("del" if sign == "-" else "ins", inside), said[len(start) + len(body) :])


def _same(said: str) -> Piece:
    if len(said) <= _SAME_MAX:
        return pieces(said)
    left_out = _aside(f" … {number(len(said) - 2 * _ENDS)} characters unchanged … ")
    return pieces(said[:_ENDS], left_out, said[-_ENDS:])


def _aside(text: str) -> Piece:
    return element("span", text, class_="cut", dir="ltr", lang="en")
