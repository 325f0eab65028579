"""The words of a text, and what differs between two texts, word by word. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

__all__ = ["word_diff", "words_of"]

_WORDS_MAX = 600
"""Of a text; beyond them no difference is shown word by word, for that takes the square of it and more."""
_AROUND = 4
"""Words kept at each end of what did not change."""
_SCRIPTS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Scripts that put no blanks between words: each character is one."""
_WORD = re.compile(rf"[{_SCRIPTS}]|[^\W{_SCRIPTS}]+")
_PIECE = re.compile(rf"[{_SCRIPTS}]\s*|[^\s{_SCRIPTS}]+\s*|\s+")


def words_of(text: str | None) -> list[str]:
    """Return the words of a text, in one case; a character of a script without blanks is a word."""
    return _WORD.findall((text or "").casefold())


def word_diff(a: str | None, b: str | None) -> list[list[str]] | None:
    """Return what was taken out and put in between two texts: pairs of `=`, `-` or `+` and the words.

    Of what did not change a few words around are kept, with `…` between. None when a text is not there, or too long.
    """
    if a is None or b is None:
        return None
    if b < a:  # always the same way round, so that swapping the texts swaps the answer and nothing else
        swapped = word_diff(b, a)
        signs = {"=": "=", "-": "+", "+": "-"}
        return swapped and _ordered([[signs[sign], words] for sign, words in swapped])
    mine, other = _PIECE.findall(a), _PIECE.findall(b)
    if max(len(mine), len(other)) > _WORDS_MAX:
        return None
    out: list[list[str]] = []
    steps = SequenceMatcher(None, mine, other, autojunk=False).get_opcodes()
    for n, (_, start, end, begin, finish) in enumerate(steps):
        if mine[start:end] == other[begin:finish]:
            out.append(["=", _around(mine[start:end], first=n == 0, last=n == len(steps) - 1)])
            continue
        out += [["-", "".join(mine[start:end])]] if end > start else []
        out += [["+", "".join(other[begin:finish])]] if finish > begin else []
    return out


def _around(pieces: Sequence[str], *, first: bool, last: bool) -> str:
    head = pieces[:_AROUND] if last or not first else []
    tail = [] if last else pieces[-_AROUND:]
    if len(head) + len(tail) >= len(pieces):
        return "".join(pieces)
    return "".join([*head, "… ", *tail])


def _ordered(steps: list[list[str]]) -> list[list[str]]:
    """Return the steps with what was taken out before what was put in at the same place."""
    out: list[list[str]] = []
    for step in steps:
        if step[0] == "-" and out and out[-1][0] == "+":
            out.insert(len(out) - 1, step)
        else:
            out.append(step)
    return out
