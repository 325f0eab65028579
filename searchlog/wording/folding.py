"""A text as it reads, whatever its spaces, quote marks and dashes, with the way back to the text itself. Pure.

This is the one declared normalisation: what is equal when folded is the same to a reader. It is kept narrow on
purpose: letters, digits, signs and their case stay as they are. NFKC is not used, since it makes `10²` and `102` one;
and blanks are not thrown away, since that makes `not able` and `notable` one.

1. Canonical composition (NFC).
2. Full-width forms of ASCII become ASCII, presentation ligatures of Latin letters become letters.
3. Quote marks become `"` and `'`, hyphens, dashes and the minus sign `-`, the ellipsis three dots.
4. Soft hyphens, zero-width spaces, word joiners, byte order marks and marks of direction are left out.
5. Each run of white space becomes one blank; none stays at the ends, nor beside a character of a script that puts no
   blanks between words.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Folded", "fold", "folded"]

_GONE = frozenset("\u00ad\u200b\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PLAIN = {
    **{chr(0xFF01 + n): chr(0x21 + n) for n in range(94)},
    **dict.fromkeys("‘’‚‛′‵ʼ`´", "'"),
    **dict.fromkeys("“”„‟«»″‶〝〞〟「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    "…": "...",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
}
_UNSPACED = re.compile("[\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u0e00-\u0eff\u1780-\u17ff]")
"""A character of a script that puts no blanks between words, or its punctuation."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where each of its characters stands in the text that it was made of."""

    text: str
    starts: Sequence[int]
    """By place in `text`: where the character, or the run it stands for, begins in the original."""
    ends: Sequence[int]
    """By place in `text`: where it ends."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original that the folded range `[start, end)` stands for; it must not be empty."""
        return self.starts[start], self.ends[end - 1]


def folded(text: str) -> str:
    """Return the folded text alone."""
    return fold(text).text


def fold(text: str) -> Folded:
    """Return a text folded, with the way back. Linear in the text."""
    out: list[str] = []
    starts, ends = array("q"), array("q")
    blank: tuple[int, int] | None = None
    for start, end in _clusters(text):
        cluster = text[start:end]
        if cluster in _GONE:
            continue
        if cluster.isspace():
            blank = (blank[0] if blank else start, end)
            continue
        plain = _PLAIN.get(cluster) or unicodedata.normalize("NFC", cluster)
        if blank and out and not (_UNSPACED.match(cluster) or _UNSPACED.match(text[ends[-1] - 1])):
            out.append(" ")
            starts.append(blank[0])
            ends.append(blank[1])
        blank = None
        for character in plain:
            out.append(character)
            starts.append(start)
            ends.append(end)
    return Folded("".join(out), starts, ends)


def _clusters(text: str) -> list[tuple[int, int]]:
    """Return the ranges of characters, each with the marks that combine with it."""
    if text.isascii():
        return [(n, n + 1) for n in range(len(text))]
    found: list[tuple[int, int]] = []
    for n, character in enumerate(text):
        # a Hangul vowel or final composes with what stands before it though it is no combining mark
        joins = unicodedata.combining(character) or "\u1160" <= character <= "\u11ff"
        if joins and found and found[-1][1] == n and not text[found[-1][0]].isspace():
            found[-1] = (found[-1][0], n + 1)
        else:
            found.append((n, n + 1))
    return found
