"""Other people's text, made fit to be looked at: nothing hidden in it, its direction and its script known. Pure.

Of a text, characters that `spoofing.invisible` would leave out of a rendering are not left out here but named in their
place (`U+202E`): who reads a report looks for what is wrong. Joiners and marks that a script needs stay.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections import Counter

from searchlog.spoofing.invisible import sanitise

__all__ = ["Seen", "clean", "direction", "language"]

_NAMED_MAX = 3
"""Different characters of one hidden run that are named; the others are counted."""
_LOOKED_AT = 2_000
"""Characters from which the direction and the script of a text are told."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_KANA = re.compile("[\u3040-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile("[\u1100-\u11ff\uac00-\ud7af]")
_BREAK = re.compile("\r\n|[\r\x85\u2028\u2029]")
_BREAKS = "\r\x85\u2028\u2029"


class Seen:
    """A text of which any part can be written as HTML, with what is hidden in it named."""

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str):
        self.text = text
        runs = _hidden(text)
        self._starts = [start for start, _ in runs]
        self._ends = [end for _, end in runs]

    def html(self, start: int = 0, end: int | None = None) -> str:
        """Return the range `[start, end)`, in code points, escaped; a hidden run within is a `span` that names it."""
        end = len(self.text) if end is None else end
        out: list[str] = []
        for n in range(bisect_left(self._ends, start + 1), len(self._starts)):
            first, last = max(start, self._starts[n]), min(end, self._ends[n])
            if first >= last:
                break
            out += (_escape(self.text[start:first]), _label(self.text[first:last]))
            start = last
        out.append(_escape(self.text[start:end]))
        return "".join(out)


def clean(text: str) -> str:
    """Return the text without hidden characters and control characters, for where no markup can stand."""
    return " ".join(sanitise(text)[0].split())


def _escape(text: str) -> str:
    return html.escape(_BREAK.sub("\n", text), quote=True)


def _hidden(text: str) -> list[tuple[int, int]]:
    """Return the ranges that hold nothing but characters a rendering leaves out or replaces, in order.

    A rendering is the text less these, so walking both finds them; a line break of another kind is none of them.
    """
    shown, removals = sanitise(text)
    if removals.keys() <= {"line-break"}:
        return []
    fewer = Counter(text) - Counter(shown)
    suspects = re.compile("[" + re.escape("".join(sorted({*fewer, *_BREAKS} - {"\n"}))) + "]")
    runs: list[tuple[int, int]] = []
    at, ahead = 0, 0  # in the text; in what is shown of it
    for match in suspects.finditer(text):
        start, found = match.start(), match.group()
        if start < at:  # the second half of a CR LF
            continue
        ahead += start - at
        at = start + 1
        if shown.startswith(found, ahead):
            ahead += 1
        elif found in _BREAKS:
            ahead += 1
            at += text.startswith("\r\n", start)
        else:
            ahead += "\ud800" <= found <= "\udfff"
            if runs and runs[-1][1] == start:
                runs[-1] = (runs[-1][0], at)
            else:
                runs.append((start, at))
    return runs


def _label(run: str) -> str:
    """Return the name of a hidden run: `U+202E`, or `9 × U+200B`, or a few names and how many they are."""
    names = list(dict.fromkeys(f"U+{ord(character):04X}" for character in run))
    said = " ".join(names[:_NAMED_MAX]) + (" …" if len(names) > _NAMED_MAX else "")
    count = f"{len(run)} × " if len(run) > len(names) or len(names) > _NAMED_MAX else ""
    return f'<span class="unseen">{count}{said}</span>'


def direction(text: str) -> str:
    """Return `rtl` or `ltr` by the first letter that has a direction."""
    for character in text[:_LOOKED_AT]:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


def language(text: str) -> str:
    """Return `zh`, `ja` or `ko` for a text in those scripts, so that its letters get their shapes; else nothing."""
    part = text[:_LOOKED_AT]
    han, kana, hangul = (len(script.findall(part)) for script in (_HAN, _KANA, _HANGUL))
    if 10 * (han + kana + hangul) <= len(part):
        return ""
    if hangul > han + kana:
        return "ko"
    return "ja" if 20 * kana > han else "zh"
