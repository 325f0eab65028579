"""A text as it reads, whatever its spaces, quote marks and dashes, with the way back to the text itself. Pure.

This is the one declared normalisation: what is equal when folded is the same to a reader. It is kept narrow on
purpose: letters, digits, signs and their case stay as they are. NFKC is not used, since it makes `10²` and `102` one;
and blanks are not thrown away, since that makes `not able` and `notable` one.

1. Canonical composition (NFC); the micro sign is the Greek letter that it looks like.
2. Full-width forms of ASCII become ASCII, presentation ligatures of Latin letters become letters.
3. Quote marks become `"` and `'`, hyphens, dashes and the minus sign `-`, the ellipsis three dots, the wave dash `~`.
4. Soft hyphens, zero-width spaces, word joiners, byte order marks, marks of direction and selectors of a variant of a
   sign are left out; not the two that override a direction, under which `123` reads `321`.
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

_GONE = frozenset(
    "\u00ad\u200b\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
)
_PLAIN = {
    **{chr(0xFF01 + n): chr(0x21 + n) for n in range(94)},
    **dict.fromkeys("‘’‚‛′ʼ`´＇｀", "'"),
    **dict.fromkeys("“”„‟«»″〝〞〟「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    **dict.fromkeys("\u301c\uff5e", "~"),
    "\u00b5": "\u03bc",
    "…": "...",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
}
_UNSPACED_CLASS = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u0e00-\u0eff\u1780-\u17ff"
_UNSPACED = re.compile(f"[{_UNSPACED_CLASS}]")
"""A character of a script that puts no blanks between words, or its punctuation."""

# Letters and signs that stay as they are and compose with nothing but what is looked for behind each run: ASCII
# without the backquote, Latin, Greek, Cyrillic, Arabic and Devanagari letters, Hangul syllables.
_SAME = (
    "!-_a-~\u00a1-\u00aa\u00ac\u00ae-\u00b3\u00b6-\u00ba\u00bc-\u024f\u0391-\u03a1\u03a3-\u03ce\u0400-\u0481"
    "\u048a-\u04ff\u0621-\u064a\u066e-\u06d3\uac00-\ud7a3"
    "\u0904-\u0928\u092a-\u0930\u0932\u0933\u0935-\u0939\u093d-\u094d\u0950\u0964-\u096f"
)
_JOINING = (
    "\u0300-\u036f\u093c\u0483-\u0489\u064b-\u065f\u0670\u06d6-\u06ed\u1160-\u11ff"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
)
# runs that need no look at their characters, the last of which nothing joins
_RUN = re.compile(rf"[{_SAME}]++(?: [{_SAME}]++)*+")
_CJK_RUN = re.compile("[\u3041-\u3096\u30a1-\u30fa\u3001\u3002\u3400-\u4dbf\u4e00-\u9fff]++")
_CLUSTER_MAX = 64
"""Characters of one cluster: putting marks in their canonical order takes the square of their number."""
_JOINS_AFTER = re.compile(rf"[{_JOINING}\u3099\u309a\ufe20-\ufe2f]")


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
    unspaced = True  # whether no blank may stand after what is there so far; so at the start
    at, size = 0, len(text)
    while at < size:
        run = _RUN.match(text, at) or _CJK_RUN.match(text, at)
        end = run.end() if run else at
        if end > at and end < size and (_joins(text[end]) or text[end] in _GONE):
            end -= 1  # the last character may be of a cluster
            if end > at and text[end - 1] == " ":
                end -= 1
        if end > at:
            first_unspaced = _is_unspaced(text[at])
            if blank and not (unspaced or first_unspaced):
                out.append(" ")
                starts.append(blank[0])
                ends.append(blank[1])
            out.append(text[at:end])
            starts.extend(range(at, end))
            ends.extend(range(at + 1, end + 1))
            blank, unspaced, at = None, _is_unspaced(text[end - 1]), end
            continue
        if text[at] in _GONE:
            at += 1
            continue
        end = _cluster_end(text, at)
        cluster = text[at:end]
        if cluster.isspace():
            blank = (blank[0] if blank else at, end)
        else:
            if not _GONE.isdisjoint(cluster):
                cluster = "".join([character for character in cluster if character not in _GONE])
            plain = _PLAIN.get(cluster) or unicodedata.normalize("NFC", cluster)
            # a mark behind a blank keeps it: without it, it would compose with what stands before
            if blank and out and (_joins(plain[0]) or not (unspaced or _is_unspaced(plain[0]))):
                out.append(" ")
                starts.append(blank[0])
                ends.append(blank[1])
            out.append(plain)
            starts.extend([at] * len(plain))
            ends.extend([end] * len(plain))
            blank, unspaced = None, _is_unspaced(plain[0])
        at = end
    return Folded("".join(out), starts, ends)


def _is_unspaced(character: str) -> bool:
    return character >= "\u0e00" and _UNSPACED.match(character) is not None


def _joins(character: str) -> bool:
    """Whether a character composes with what stands before it; a Hangul vowel or final is no combining mark."""
    return character >= "\u0300" and (
        unicodedata.combining(character) != 0
        or "\u1160" <= character <= "\u11ff"
        or bool(_JOINS_AFTER.match(character))
    )


def _cluster_end(text: str, at: int) -> int:
    """Return where the character at a place ends, with the marks that combine with it.

    What is left out of a folded text may stand between them.
    """
    end = ahead = at + 1
    if not text[at].isspace():
        most = min(len(text), at + _CLUSTER_MAX)
        while ahead < most and ((joins := _joins(text[ahead])) or text[ahead] in _GONE):
            ahead += 1
            end = ahead if joins else end
    return end
