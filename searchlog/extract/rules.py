"""A style sheet's text to its rules: nesting undone, at-rules read as far as they hold on screens. Pure and linear.

A rule is asked about on two screens, a phone's and a desk's: what hides text on one of them only, or on paper, hides it
from nobody who looks elsewhere. Read: `@media` with types and widths, `@supports`, `@layer`; all else is passed over.
Spec: CSS Syntax 3, CSS Nesting 1, Media Queries 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["BOTH", "Rule", "rules"]

PHONE, DESK = 1, 2
BOTH = PHONE | DESK
_WIDTHS = {PHONE: 390, DESK: 1280}
_HEIGHTS = {PHONE: 700, DESK: 800}

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
_BRACED = ('"{', '"}', "'{", "'}", '{"', '}"', "{'", "}'")
_PIECE = re.compile(r"([^{}]*+)(?:(\{)(?:([^{}]*+)\})?|\})")
"""What ends in a brace; where another that closes follows, all up to that."""
_DEPTH_MAX = 32
_SELECTORS_CHARS_MAX = 4_000


class Rule(NamedTuple):
    """One rule with declarations."""

    selectors: str
    """With their commas; nested ones have those around them in `:is()`."""
    body: str
    screens: int
    """On which screens it holds."""


class _Open(NamedTuple):
    """An open brace."""

    selectors: str
    """Those of the rule it belongs to, empty outside of any."""
    screens: int
    """On which screens what stands inside holds."""


def rules(text: str) -> Iterator[Rule]:
    """Yield the rules of a sheet that hold on some screen, in order."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    if any(mark in text for mark in _BRACED):
        text = _STRING.sub('""', text)
    outer: list[_Open] = []
    now = _Open("", BOTH)
    lost = 0
    """Braces open inside something that is passed over."""
    at = 0
    for piece in _PIECE.finditer(text, 0, max(text.rfind("{"), text.rfind("}")) + 1):
        inner, opens, body = piece.groups()
        at = piece.end()
        if lost:
            if body is None:
                lost += 1 if opens else -1
            continue
        if body is not None and not now.selectors and "@" not in inner and ";" not in inner:
            prelude = inner.strip()  # nearly always: a rule with nothing inside, inside none
            if prelude and body and len(prelude) <= _SELECTORS_CHARS_MAX:
                yield Rule(prelude, body, now.screens)
            continue
        if not opens:
            if now.selectors and inner:
                yield Rule(now.selectors, inner, now.screens)
            if outer:
                now = outer.pop()
            continue
        # declarations, or statements such as `@import x;`, end before what begins here
        before, _, prelude = inner.rpartition(";")
        if before and now.selectors:
            yield Rule(now.selectors, before, now.screens)
        following = _following(now, prelude.strip())
        if following is None or len(outer) >= _DEPTH_MAX:
            lost = 1 if body is None else 0
        elif body is not None:
            if body and following.selectors:
                yield Rule(following.selectors, body, following.screens)
        else:
            outer.append(now)
            now = following
    if now.selectors and not lost:
        yield Rule(now.selectors, text[at:], now.screens)  # the end of the sheet closes all


def _following(now: _Open, prelude: str) -> _Open | None:
    """Return what a brace after this prelude opens, None for what is passed over."""
    if prelude.startswith("@"):
        screens = now.screens & _screens(prelude.lower())
        return _Open(now.selectors, screens) if screens else None
    if not prelude:
        return None
    if now.selectors:
        prelude = _nested(now.selectors, prelude)
    return _Open(prelude, now.screens) if len(prelude) <= _SELECTORS_CHARS_MAX else None


def _nested(outer: str, inner: str) -> str:
    """Return nested selectors as they would be written outside."""
    around = f":is({outer})" if "," in outer else outer
    parts = [part.strip() for part in inner.split(",")]
    if sum(len(around) * max(1, part.count("&")) + len(part) for part in parts) > _SELECTORS_CHARS_MAX:
        return " " * (_SELECTORS_CHARS_MAX + 1)
    return ",".join(part.replace("&", around) if "&" in part else f"{around} {part}" for part in parts)


@lru_cache(1024)
def _screens(prelude: str) -> int:
    """Return on which screens what stands inside an at-rule holds."""
    name, _, condition = prelude.partition(" ") if " " in prelude else (prelude, "", "")
    if name.startswith("@media"):
        queries = prelude.removeprefix("@media").split(",")
        return sum(screen for screen in _WIDTHS if any(_holds(query.strip(), screen) for query in queries))
    if name == "@layer":
        return BOTH
    if name.startswith("@supports"):
        return 0 if condition.strip().startswith("not") or prelude.startswith("@supports not") else BOTH
    return 0


_FEATURE = re.compile(r"\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*([\d.]{1,9})(px|r?em)?\s*\)")
_RANGE = re.compile(r"\(\s*(width|height)\s*(<=?|>=?)\s*([\d.]{1,9})(px|r?em)?\s*\)")


def _holds(query: str, screen: int) -> bool:
    """Return whether a media query surely holds on a screen."""
    if query.startswith("not "):
        return query in ("not print", "not all and (monochrome)", "not speech")
    for part in map(str.strip, query.removeprefix("only ").split(" and ")):
        if part in ("", "all", "screen"):
            continue
        match = _FEATURE.fullmatch(part) or _RANGE.fullmatch(part)
        if match is None or match[3].count(".") > 1 or match[3] == ".":
            return False
        least = match[1] == "min" or match[2].startswith(">")
        which = match[2] if match[1] in ("min", "max") else match[1]
        has = (_WIDTHS if which == "width" else _HEIGHTS)[screen]
        asked = float(match[3]) * (16 if (match[4] or "px") != "px" else 1)
        if (has < asked) if least else (has > asked):
            return False
    return True
