"""What changed between two texts, word by word, with what of weight is in it. Pure."""

from __future__ import annotations

from searchlog.drift.drift import Change
from searchlog.wording.alignment import Token, aligned, tokens_of
from searchlog.wording.marks import marks_between

__all__ = ["changes_between"]

_KEPT_TOKENS = 14
"""Tokens kept at each end of what did not change."""
_CHARS_MAX = 4_000
"""Characters of one step: a page may write a word of a megabyte, and every record and report would have it."""


def changes_between(then: str, now: str) -> tuple[Change, ...]:
    """Return the steps from one folded text to another; empty when they are equal.

    What did not change is shortened to a few words beside each change, with `…` between; so is a step that is longer
    than any sentence.
    """
    return tuple([step._replace(words=_shortened(step.words)) for step in _changes(then, now)])


def _shortened(words: str) -> str:
    half = _CHARS_MAX // 2
    return words if len(words) <= _CHARS_MAX else f"{words[:half]} … {words[-half:]}"


def _changes(then: str, now: str) -> tuple[Change, ...]:
    if then == now:
        return ()
    a, b = tokens_of(then), tokens_of(now)
    pairs = [*aligned([token.text for token in a], [token.text for token in b]), (len(a), len(b))]
    out: list[Change] = []
    at_a = at_b = 0
    same: list[Token] = []
    for one, two in pairs:
        if one > at_a or two > at_b:
            out += _same(same, then, first=not out, last=False)
            same = []
            removed, added = _span(a[at_a:one], then), _span(b[at_b:two], now)
            opens = at_a == 0 or a[at_a - 1].text in ".!?。"
            marks = marks_between(removed, added, opens=opens)
            out += [Change("-", removed, marks)] if removed else []
            out += [Change("+", added, marks)] if added else []
        if one < len(a):
            same.append(a[one])
        at_a, at_b = one + 1, two + 1
    out += _same(same, then, first=not out, last=True)
    if all(step.sign == "=" for step in out):  # only blanks differ: "1 000" and "1000" have other tokens, so not those
        return (Change("-", then, ()), Change("+", now, ()))
    return tuple(out)


def _span(tokens: list[Token], text: str) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _same(tokens: list[Token], text: str, *, first: bool, last: bool) -> list[Change]:
    if not tokens:
        return []
    head = [] if first else tokens[:_KEPT_TOKENS]
    tail = [] if last else tokens[-_KEPT_TOKENS:]
    if len(head) + len(tail) >= len(tokens):
        return [Change("=", _span(tokens, text))]
    return [Change("=", " … ".join([_span(head, text), _span(tail, text)]).strip())]
