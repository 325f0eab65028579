"""Letters and brackets that pass for others: what a hurried eye, or a model, reads in a text. Pure.

Deliberately a small table, of letters that stand in for Latin ones and of brackets; Unicode Technical Standard 39 has
the large one. A skeleton is for comparing with known words only: nobody is shown it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

__all__ = ["ANGLES", "BRACKETS", "LOOKS", "PLAIN", "folded", "skeleton"]

_SPECIAL = {
    "a": "аαᴀɑАΑ", "b": "вβʙВΒ", "c": "сϲᴄСϹ", "d": "ԁᴅժꓓ", "e": "еεɛᴇєҽЕΕЄ℮", "f": "ꜰϝ", "g": "ɡɢց", "h": "нһʜհНΗΗ",
    "i": "іιıɩɪɨІΙⅼ", "j": "јᴊЈ", "k": "кκᴋКΚ", "l": "ӏʟⅼ", "m": "мᴍМΜ", "n": "пηɴոΝ", "o": "оοᴏօОΟσ", "p": "рρᴘРΡ",
    "q": "ԛզ", "r": "ʀгꭇ", "s": "ѕꜱЅ", "t": "тτᴛТΤ", "u": "υᴜսʋ", "v": "ѵνᴠѴ", "w": "ԝᴡѡω", "x": "хχХΧ", "y": "уγʏУΥү",
    "z": "ᴢΖʐ",
}  # fmt: skip
_STYLES = (
    *(0xFF21, 0xFF41, 0x24B6, 0x24D0, 0x249C, 0x1F130, 0x1F150, 0x1F170, 0x1F1E6),
    *range(0x1D400, 0x1D400 + 26 * 26, 26),
)
"""Where Unicode has the alphabet again: full-width, circled, in brackets, squared, regional, mathematical."""
LOOKS = {
    letter: letter + letter.upper() + special + "".join(chr(start + number) for start in _STYLES)
    for number, (letter, special) in enumerate(_SPECIAL.items())
}
"""By Latin letter, all that passes for it."""
ANGLES = "<\u2039\u3008\ufe64\uff1c\u27e8\u276c\u276e\u02c2\u1438\u29fc\u227a"
"""What passes for `<`."""
BRACKETS = "[\uff3b\u3010\u3014\u3016\u3018\u301a\u27e6\u2772\u2045\ufe5d\ufe47"
"""What passes for `[`."""
_CLOSING = "]\uff3d\u3011\u3015\u3017\u3019\u301b\u27e7\u2773\u2046\ufe5e\ufe48"
_CLOSING_ANGLES = ">\u203a\u3009\ufe65\uff1e\u27e9\u276d\u276f\u02c3\u1433\u29fd\u227b"

PLAIN = {
    char: plain
    for plain, chars in [("<", ANGLES), ("[", BRACKETS), ("]", _CLOSING), (">", _CLOSING_ANGLES)]
    for char in chars
    if char != plain
}
"""By look-alike bracket, the plain one."""
_TABLE = {
    **{ord(char): plain for char, plain in PLAIN.items()},
    **{ord(char): plain for plain, chars in LOOKS.items() for char in chars if char != plain},
}
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+")
_PIECE = 256
"""Characters normalised at a time: a long run of accents is put in order in quadratic time."""


def folded(text: str, form: Literal["NFKC", "NFKD"] = "NFKC") -> str:
    """Return the text in a Unicode normalisation form, in time that grows with its length alone."""
    if text.isascii():
        return text
    text = text.replace("\ufdfa", " ").replace("\ufdfb", " ")  # one character that becomes eighteen, and one eight
    return "".join(unicodedata.normalize(form, text[at : at + _PIECE]) for at in range(0, len(text), _PIECE))


def skeleton(text: str) -> str:
    """Return the text in lower case with look-alikes replaced by Latin letters and plain brackets, without accents."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", folded(text.translate(_TABLE), "NFKD")).lower()
