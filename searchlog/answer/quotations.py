"""Where a quotation stands in a text: word for word, but for its dress, nearly, or not at all. Pure.

1. exact: character by character.
2. normalised: when both are folded (`wording.folding`); or with its first letter in the other case; or by pieces, in
   order, where it leaves out (`…`) or puts in (`[the mill]`); or with the same words, numbers and signs and other
   punctuation. Note what it took.
3. near: most of its words stand together, and some differ. Never told as the quotation; the difference is shown.
4. absent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from searchlog.answer.held import Held
from searchlog.answer.layout import quoted_in
from searchlog.answer.tokens import MARKS, Token, tokens_of
from searchlog.wording.folding import folded
from searchlog.wording.words import word_diff

__all__ = ["Match", "Wanted", "find_quotation", "is_within", "term_altered", "wanted"]

_MARK = re.compile(f"[{MARKS}]")
_NEAR = 0.6
"""Share of the quotation's words that must stand together, in order, for it to be a near-copy."""
_NEAR_WORDS_MAX = 400
"""Of a quotation that near-copies are looked for of; the beginning of a longer one is."""
_GAP = re.compile(r"\s*(?:[\[(（【]\s*(?:…+|\.{3,}|\. \. \.|⋯+)\s*[\])）】]|…+|\.{3,}|\. \. \.|⋯+)\s*")
_PUT_IN = re.compile(r"\[([^\[\]]{0,80})\]")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)|(?<=\S)(\*{1,3}|_{1,3})(?![\w*])")
_ENDS = re.compile(r"^[\s,;:，；：、。]+|[\s.,;:!?。，；：！？、…—–-]+$")
_NOTE_MARK = re.compile(r"\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed|来源请求|注 ?\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Match:
    """How a quotation stands in one piece of evidence."""

    state: str
    """`exact`, `normalised`, `near`, `absent`."""
    evidence: str = ""
    start: int | None = None
    end: int | None = None
    found: str = ""
    """What stands there."""
    notes: tuple[str, ...] = ()
    """What it took: `folded`, `case`, `gap`, `insertion`, `punctuation`, `note-marks`."""
    similarity: float = 0.0
    changes: tuple[tuple[str, str], ...] = ()
    """For a near-copy: `=`, `-` (the evidence has it) or `+` (the answer has it), and the words."""

    @property
    def stands(self) -> bool:
        """Whether the quotation is there."""
        return self.state in ("exact", "normalised")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A quotation made ready to be looked for."""

    text: str
    """As it is to be found: without emphasis and without the punctuation around it."""
    folded: str
    pieces: tuple[str, ...]
    """Folded pieces around what it leaves out or puts in; one when it does neither."""
    tokens: tuple[Token, ...]
    notes: tuple[str, ...] = ()


def wanted(quotation: str) -> Wanted:
    """Return what to look for, for the words between two quotation marks."""
    text = _ENDS.sub("", _EMPHASIS.sub("", quotation))
    notes: list[str] = []
    opened = re.sub(r"\[([^\W\d_])\](?=[^\W\d_])", r"\1", text)
    if opened != text:
        notes.append("case")
    opened = opened.replace("[sic]", "").replace("(sic)", "")
    pieces = [piece for piece in _GAP.split(opened) if _weight(piece) > 1]
    if len(pieces) > 1 or _GAP.search(opened):
        notes.append("gap")
    smaller = [part for piece in pieces for part in re.split(r"\[[^\[\]]{0,80}\]", piece)]
    if len(smaller) > len(pieces):
        notes.append("insertion")
    ready = tuple(filter(None, (folded(_ENDS.sub("", part)) for part in smaller)))
    words = tuple(tokens_of(_PUT_IN.sub(" ", _GAP.sub(" ", opened))))
    return Wanted(text, folded(text), ready, words, tuple(notes))


def _weight(text: str) -> int:
    return sum(1 for char in text if char.isalnum())


def find_quotation(quote: Wanted, held: Held, *, near: bool = True) -> Match:
    """Return how a quotation stands in a piece of evidence."""
    text, name = held.text, held.given.id
    if not quote.folded or not quote.tokens:
        return Match("absent")
    at = _bounded(text, quote.text)
    if at is not None:
        return Match("exact", name, at, at + len(quote.text), quote.text, (), 1.0)
    flat = held.folded
    for words, notes in ((quote.folded, ("folded",)), (_other_case(quote.folded), ("case",))):
        at = _bounded(flat.text, words)
        if at is not None:
            start, end = flat.span(at, at + len(words))
            return Match("normalised", name, start, end, text[start:end], notes, 1.0)
    place = _in_pieces(quote, flat.text)
    if place is not None:
        start, end = flat.span(*place)
        return Match("normalised", name, start, end, text[start:end], quote.notes or ("case",), 1.0)
    return _by_words(quote, held, near=near)


def is_within(quote: Wanted, text: str) -> bool:
    """Return whether a quotation stands in a text that is no piece of evidence: a page, a question, a title."""
    if quote.text and _bounded(text, quote.text) is not None:
        return True
    if not quote.folded:
        return False
    flat = folded(text)
    return any(_bounded(flat, w) is not None for w in (quote.folded, _other_case(quote.folded))) or (
        _in_pieces(quote, flat) is not None
    )


def term_altered(quote: Wanted, held: Held) -> Match | None:
    """Return the term that the evidence itself has in quotation marks and that a short quotation is, but for one word
    (two characters of a script without blanks): `mad scientist` for `sad scientist`."""
    words = [token.word for token in quote.tokens]
    for one in quoted_in(held.text, 0, len(held.text)):
        theirs = [token.word for token in tokens_of(held.text[one.inner_start : one.inner_end])]
        apart = sum(a != b for a, b in zip(words, theirs, strict=False))
        most = 2 if all(_unspaced(word[0]) for word in words) else 1
        if len(words) == len(theirs) and len(words) > most + (most > 1) and 0 < apart <= most:
            return Match("near", held.given.id, one.start, one.end, held.text[one.inner_start : one.inner_end])
    return None


def _other_case(words: str) -> str:
    return (words[:1].lower() if words[:1].isupper() else words[:1].upper()) + words[1:]


def _joins(a: str, b: str) -> bool:
    """Return whether a word goes on from one character to the next, so that none ends between them."""
    if not a or not b:
        return False
    if (a.isdigit() and b.isdigit()) or _MARK.match(b):
        return True
    return a.isalnum() and b.isalnum() and not _unspaced(a) and not _unspaced(b) and a.isdigit() == b.isdigit()


def _unspaced(char: str) -> bool:
    return (
        "\u0e00" <= char <= "\u0eff"
        or "\u2e80" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7af"
        or "\uf900" <= char <= "\uffef"
    )


def _bounded(text: str, words: str, at: int = 0) -> int | None:
    """Return where words stand in a text that are no part of longer words, from a place on."""
    for _ in range(100):
        at = text.find(words, at)
        if at < 0:
            return None
        end = at + len(words)
        if not _joins(text[at - 1 : at], words[:1]) and not _joins(words[-1:], text[end : end + 1]):
            number = words[-1:].isdigit() and text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()
            if not number:
                return at
        at += 1
    return None


def _in_pieces(quote: Wanted, text: str) -> tuple[int, int] | None:
    if not quote.notes or not quote.pieces:
        return None
    first, at = None, 0
    for n, piece in enumerate(quote.pieces):
        place = _bounded(text, piece, at)
        if place is None and n == 0:  # as long, with its first letter in the other case
            place = _bounded(text, _other_case(piece), at)
        if place is None:
            return None
        first = place if first is None else first
        at = place + len(piece)
    return (first, at) if first is not None else None


def _by_words(quote: Wanted, held: Held, *, near: bool) -> Match:
    words = [token.word for token in quote.tokens]
    theirs: Sequence[Token] = held.tokens
    for notes, tokens in ((("punctuation",), theirs), (("note-marks",), _without_marks(held))):
        place = _run_of(words, tokens) if tokens and (len(words) > 2 or notes[0] == "punctuation") else None
        if place is not None and len(words) > 1:
            start, end = tokens[place].start, tokens[place + len(words) - 1].end
            return Match("normalised", held.given.id, start, end, held.text[start:end], notes, 1.0)
    if not near:
        return Match("absent")
    return _near(quote, words[:_NEAR_WORDS_MAX], held)


def _without_marks(held: Held) -> list[Token]:
    if not _NOTE_MARK.search(held.text):
        return []
    return tokens_of(_NOTE_MARK.sub(lambda m: " " * len(m[0]), held.text))


def _run_of(words: Sequence[str], tokens: Sequence[Token]) -> int | None:
    """Return at which token these words stand one after the other."""
    first, count = words[0], len(words)
    for n in range(len(tokens) - count + 1):
        if tokens[n].word == first and all(tokens[n + k].word == words[k] for k in range(count)):
            return n
    return None


def _near(quote: Wanted, words: list[str], held: Held) -> Match:
    if len(words) < 3 or sum(word in held.vocabulary for word in words) < _NEAR * len(words):
        return Match("absent")
    theirs = [token.word for token in held.tokens]
    matcher = SequenceMatcher(None, words, theirs, autojunk=False)
    block = matcher.find_longest_match()
    slack = max(3, len(words) // 3)
    low = max(0, block.b - block.a - slack)
    high = min(len(theirs), block.b - block.a + len(words) + slack)
    window = theirs[low:high]
    blocks = [b for b in SequenceMatcher(None, words, window, autojunk=False).get_matching_blocks() if b.size]
    same = sum(b.size for b in blocks)
    if not blocks or same < _NEAR * len(words) or block.size < 2:
        return Match("absent")
    # what stands opposite the quotation's ends, though other words stand there
    first = max(0, blocks[0].b - blocks[0].a)
    last = min(len(window), blocks[-1].b + blocks[-1].size + len(words) - blocks[-1].a - blocks[-1].size)
    start, end = held.tokens[low + first].start, held.tokens[low + last - 1].end
    found = held.text[start:end]
    share = 2 * same / (len(words) + last - first)
    changes = tuple((sign, text) for sign, text in word_diff(found, quote.text) or ())
    return Match("near", held.given.id, start, end, found, (), round(share, 4), changes)
