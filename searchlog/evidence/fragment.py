"""Where a passage stands, as a link for people: the page's URL with a text fragment that highlights it. Pure.

Links are URL text fragments (WICG, "URL Fragment Text Directives"). Selectors, for programs, are in `selector.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from searchlog.evidence.passage import Selectors

__all__ = ["fragment_link"]

_WHOLE_MAX = 80
"""Characters of a piece that a link carries whole; of longer ones it carries the ends."""
_UNCUT_MAX = 300
"""Characters of a piece that is carried whole because no place to cut it is known to be between words."""
_TERM_WORDS = 4
_TERM_CHARS = 12
_TERM_CHARS_MAX = 120
_TRIES_MAX = 200
"""Places of a term that are looked at; what stands more often is told apart by nothing."""
_LATER_MAX = 20
"""Lines of a passage that are tried as the first of its highlight, where those ahead cannot be told apart."""
_NEAR = 1000
"""Characters around a term in which its context is looked for."""
_PIECE = re.compile(r"[^\n\t]+")
_LETTERS = re.compile(r"[^\W_]")
# scripts whose words only a dictionary tells apart: there a cut is sure at their punctuation, at white space, and
# where they meet digits or letters of other scripts
_DENSE = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNIT = re.compile(rf"[{_DENSE}]+[^\w\s]*|(?:[^\s{_DENSE}]|[^\s\w])+")

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    """A term and what must stand next to it: spans of one text."""

    term: _Span
    context: _Span | None = None
    """Ahead of a term that begins a highlight, behind one that ends it."""


def fragment_link(url: str, selectors: Selectors, text: str = "") -> str:
    """Return the URL with a text directive that highlights the quote in a browser.

    text: the whole text that the selectors are of; without it, only the quote and its surroundings are known, and
    the same words further up on the page may be highlighted instead.
    An existing fragment stays; another text directive in it is replaced. URLs that are not http or https come back as
    they are. A browser looks for each term within one box of the page and takes the first place where it stands, case
    and accents aside, so terms never cross a line or a table cell, and grow, or take what stands next to them as
    context, until they stand nowhere earlier. They stay short all the same: what a style sheet puts into a box of its
    own is not known here.
    Spec: WICG scroll-to-text-fragment, sections 3.3 (syntax), 3.6 (finding ranges) and 3.6.1 (word boundaries).
    """
    if not url.lower().startswith(("http://", "https://")):
        return url
    start, end = selectors.start, selectors.end
    if text[start:end] != selectors.exact or start < 0:
        text = selectors.prefix + selectors.exact + selectors.suffix
        start, end = len(selectors.prefix), len(selectors.prefix) + len(selectors.exact)
    pieces = _pieces(text, start, end)
    if not pieces:
        return url
    base, _, fragment = url.partition("#")
    kept = fragment.split(":~:", 1)[0]
    return f"{base}#{kept}:~:text={_directive(text, pieces)}"


def _pieces(text: str, start: int, end: int) -> list[_Span]:
    """Return the lines and table cells of a span, without white space at their ends.

    Those at its ends that have neither letter nor digit are left out, unless there are no others.
    """
    out = []
    for match in _PIECE.finditer(text, start, end):
        part = match.group()
        bare = part.strip()
        if bare:
            begin = match.start() + len(part) - len(part.lstrip())
            out.append((begin, begin + len(bare)))
    worded = [i for i, span in enumerate(out) if _LETTERS.search(text, *span)]
    return out[worded[0] : worded[-1] + 1] if worded else out


def _directive(text: str, pieces: Sequence[_Span]) -> str:
    """Return the terms of a highlight that begins with the first piece that can be told from what stands earlier."""
    folded = _folded(text)
    found = None
    for piece in pieces[:_LATER_MAX]:
        openings, closings = _ends(text, piece, pieces[-1])
        begin, sure = _opening(folded, text, openings)
        if found is None or sure:
            found = begin, closings
        if sure:
            break
    assert found is not None
    begin, closings = found
    after = begin.term[1]
    end = _closing(folded, text, [span for span in closings if span[0] >= after], after) if closings else None
    return _written(text, begin, end)


def _ends(text: str, first: _Span, last: _Span) -> tuple[list[_Span], list[_Span]]:
    """Return the terms that a highlight may begin and end with, shortest first; none to end with if one is the whole.

    The two never overlap in their shortest forms.
    """
    if first == last and first[1] - first[0] <= _WHOLE_MAX:
        return [first], []
    ahead, behind = _beginnings(text, first), _endings(text, last)
    if first != last:
        return ahead, behind
    ahead = [span for span in ahead if span[1] <= behind[0][0]]
    return (ahead, behind) if ahead else ([first], [])


def _beginnings(text: str, piece: _Span) -> list[_Span]:
    """Return spans from the start of a piece to a word's end, from a few words up to the whole; never none."""
    stops = [match.end() for match in _UNIT.finditer(text, *piece)]
    return _grown([(piece[0], stop) for stop in stops], piece)


def _endings(text: str, piece: _Span) -> list[_Span]:
    starts = [match.start() for match in _UNIT.finditer(text, *piece)]
    return _grown([(start, piece[1]) for start in reversed(starts)], piece, from_end=True)


def _grown(spans: Sequence[_Span], piece: _Span, *, from_end: bool = False) -> list[_Span]:
    """Return those of growing spans that are long enough to say something and no longer than a term may be."""
    long = [
        (start, end)
        for i, (start, end) in enumerate(spans, 1)
        if (i >= _TERM_WORDS or end - start >= 2 * _TERM_CHARS) and end - start >= _TERM_CHARS
    ]
    fit = [span for span in long if span[1] - span[0] <= _TERM_CHARS_MAX]
    if fit:
        return fit
    if piece[1] - piece[0] <= _UNCUT_MAX:
        return [piece]
    # one long word: no cut is known to be good
    shortest = spans[0]
    if shortest[1] - shortest[0] <= _UNCUT_MAX:
        return [shortest]
    return [(piece[1] - _TERM_CHARS_MAX, piece[1]) if from_end else (piece[0], piece[0] + _TERM_CHARS_MAX)]


def _opening(folded: str, text: str, terms: Sequence[_Span]) -> tuple[_Place, bool]:
    """Return the shortest term that stands nowhere earlier, else the longest with what stands ahead of it.

    And whether a browser is sure to find it there first.
    """
    for term in terms:
        if _first(folded, _Place(term), 0) == term[0]:
            return _Place(term), True
    term = terms[-1]
    place = _Place(term)
    for piece in _pieces(text, max(0, term[0] - _NEAR), term[0])[-1:]:
        for context in _endings(text, piece):
            place = _Place(term, context)
            if _first(folded, place, 0) == term[0]:
                return place, True
    return place, False


def _closing(folded: str, text: str, terms: Sequence[_Span], after: int) -> _Place | None:
    """Return the shortest term whose first place from `after` on is its own, else the longest with what follows."""
    for term in terms:
        if _first(folded, _Place(term), after) == term[0]:
            return _Place(term)
    if not terms:
        return None
    place = _Place(terms[-1])
    for piece in _pieces(text, place.term[1], min(len(text), place.term[1] + _NEAR))[:1]:
        for context in _beginnings(text, piece):
            place = _Place(place.term, context)
            if _first(folded, place, after) == place.term[0]:
                break
    return place


def _first(folded: str, place: _Place, at: int) -> int:
    """Return where a browser would find the term first, from `at` on; -1 if it stands too often to say."""
    term = folded[slice(*place.term)]
    context = folded[slice(*place.context)] if place.context else ""
    ahead = place.context is not None and place.context[0] < place.term[0]
    for _ in range(_TRIES_MAX):
        at = folded.find(context if ahead else term, at)
        if at < 0:
            return -1
        start = _past_space(folded, at + len(context)) if ahead else at
        if ahead:
            fits = _at_word(folded, at) and folded.startswith(term, start)
        elif context:
            fits = _at_word(folded, at) and folded.startswith(context, _past_space(folded, at + len(term)))
        else:
            fits = _at_word(folded, at) and _at_word(folded, at + len(term))
        if fits:
            return start
        at += 1
    return -1


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _at_word(text: str, at: int) -> bool:
    """Return whether a word may begin or end here. Between letters of scripts without spaces one may."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or bool(_DENSE_LETTER.match(before) or _DENSE_LETTER.match(after))


_DENSE_LETTER = re.compile(f"[{_DENSE}]")


@lru_cache(maxsize=4)
def _folded(text: str) -> str:
    """Return the text of the same length without case, and without accents where one character carries them."""
    if text.isascii():
        return text.lower()
    table = {ord(c): base for c in set(text) if not c.isascii() and (base := _base(c)) != c}
    plain = text.translate(table)
    lower = plain.lower()
    return lower if len(lower) == len(plain) else "".join([c if len(c.lower()) > 1 else c.lower() for c in plain])


def _base(char: str) -> str:
    if char.isspace():
        return " "
    return unicodedata.normalize("NFD", char)[0]


def _written(text: str, begin: _Place, end: _Place | None) -> str:
    parts = []
    if begin.context:
        parts.append(_encoded(text[slice(*begin.context)]) + "-")
    parts.append(_encoded(text[slice(*begin.term)]))
    if end:
        parts.append(_encoded(text[slice(*end.term)]))
        if end.context:
            parts.append("-" + _encoded(text[slice(*end.context)]))
    return ",".join(parts)


def _encoded(term: str) -> str:
    """Percent-encode a term: `-`, `,` and `&` have a meaning in the directive."""
    return quote(term, safe="", errors="replace").replace("-", "%2D")
