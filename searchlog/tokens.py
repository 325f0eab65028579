"""Words of a text for lexical matching, in any script, the same for the index and the query.

The text is brought to one form first (NFKC, lower case, no soft hyphens): a composed and a decomposed letter, a
ligature of a PDF and its letters are the same word. A run is then split at script boundaries. Han, Kana, Hangul, Thai,
Lao, Khmer and Myanmar runs become character bigrams (a run of one stays as it is); other runs are words. No dictionary:
an upgrade can never change a ranking.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

__all__ = ["TOKENIZER", "fitting", "token_count", "words"]

TOKENIZER = "words/2"

# scripts written without spaces, and Hangul, whose particles cling to words
_NOSPACE = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003134f"
)
# combining signs that \w leaves out but that belong to their word; the gaps are punctuation, such as the danda U+0964
_MARKS = (
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # any script
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # Arabic
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3"  # Syriac, Thaana, N'Ko
    "\u0900-\u0963\u0971-\u0df3"  # the scripts of India and Sri Lanka
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u135d-\u135f"  # Tibetan, Ethiopic
    "\u180b-\u180d\u180f\u1b00-\u1b44\u1b80-\u1bf3\u1c24-\u1c37\ua980-\ua9c0\uabe3-\uabed"  # Mongolian, Balinese, ...
    "\U0001e944-\U0001e94a"  # Adlam
)
# a soft hyphen, a joiner and a byte order mark stand inside a word and are not part of it
_LONGEST, _LONGEST_MIN = "\ufdfa", 400
_UNSEEN = re.compile("[\u00ad\u200d\u2060\ufeff]")
_RUN = re.compile(rf"[{_NOSPACE}]+|(?:[^\W_{_NOSPACE}]|[{_MARKS}])+")
_ASCII_WORDS = bytes(ord(chr(i).lower()) if i < 128 and chr(i).isalnum() else 0x20 for i in range(256))
"""ASCII byte to its small letter or digit, or to a space."""
_IS_NOSPACE = re.compile(rf"[{_NOSPACE}]")


def words(text: str) -> list[str]:
    """Return the tokens of a text in order."""
    if text.isascii():
        # the same runs, in a quarter of the time that a regular expression takes
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    text = _UNSEEN.sub("", text)
    # one letter becomes eighteen under NFKC: a text of little else would be read as one many times as long
    many = text.count(_LONGEST) * 8 > len(text) + _LONGEST_MIN
    text = unicodedata.normalize("NFC" if many else "NFKC", text)
    out: list[str] = []
    for run in _RUN.findall(text.lower()):
        if run.isascii() or len(run) == 1 or not _IS_NOSPACE.match(run):
            out.append(run)
        else:
            out += [run[i : i + 2] for i in range(len(run) - 1)]
    return out


def token_count(text: str) -> int:
    """Return about how many model tokens a text costs: script-aware weights, rounded up.

    ASCII 4 characters a token, other alphabets 2.5, scripts without spaces 1.
    """
    if text.isascii():
        return -(-len(text) // 4)
    ascii_count = len(text.encode("ascii", "ignore"))
    dense = sum(map(len, _DENSE.findall(text)))
    other = len(text) - ascii_count - dense
    return -(-(ascii_count * 10 + other * 16 + dense * 40) // 40)


_DENSE = re.compile(rf"[{_NOSPACE}]+")


def fitting(text: str, tokens_max: int) -> int:
    """Return the length of the longest beginning of a text that costs at most so many tokens."""
    part = text[: tokens_max * _PART // _CHEAPEST + 1]
    return bisect_right(list(accumulate(map(_COSTS.__getitem__, part))), tokens_max * _PART)


_PART, _CHEAPEST = 40, 10
"""A token, and an ASCII character, in the unit of `_Costs`."""


class _Costs(dict[str, int]):
    """Character to its cost. Bounded: a text can hold a million different ones."""

    def __missing__(self, char: str) -> int:
        if len(self) > 20_000:
            self.clear()
        cost = self[char] = _CHEAPEST if char.isascii() else _PART if _IS_NOSPACE.match(char) else 16
        return cost


_COSTS = _Costs()
