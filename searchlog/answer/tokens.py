"""A text as words, numbers and signs, for finding near-copies of a quotation. Pure.

A number is one token with its signs (`3.5`, `31%`, `-5`), so that no digit, percent sign or minus is lost.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from searchlog.wording.numerals import plain_digits

__all__ = ["MARKS", "Token", "tokens_of"]

_SCRIPTS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u08d3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
    "\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d82\u0d83\u0dca-\u0ddf"
    "\u0f18-\u0f84\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
"""Marks that are part of the letter before them: vowel signs of Indic scripts, points of Hebrew and Arabic, accents."""
_LETTER = rf"[^\W\d_{_SCRIPTS}]"
_TOKEN = re.compile(
    r"[$€£¥₹]?(?:(?<=\s)[-+±])?\d+(?:[.,:/]\d+)*+\s?[%‰°]?|"
    rf"[{_SCRIPTS}]|{_LETTER}(?:{_LETTER}|[{MARKS}])*+(?:['’](?=[^\W\d_])(?:{_LETTER}|[{MARKS}])+)*+|[%‰°<>=≤≥±×$€£¥+]"
)


class Token(NamedTuple):
    """One token: its normal form and where it stands."""

    word: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text in order."""
    plain = plain_digits(text)
    if not plain.isascii():
        plain = plain.replace("−", "-")
    out = []
    for m in _TOKEN.finditer(plain):
        word = m[0].casefold()
        if not word.isascii():
            word = unicodedata.normalize("NFC", word.replace("’", "'"))
        out.append(Token(word.replace(" ", ""), m.start(), m.end()))
    return out
