"""Characters that a reader cannot see and an attacker can write with: which they are, and the text without them. Pure.

`sanitise` is for renderings only: the stored text keeps every character. It leaves out tag, zero-width, bidirectional
control, filler and control characters, and variation selectors without a base. What a script needs stays: joiners in
Persian, Hindi and others, direction marks beside Hebrew and Arabic, word breaks between Thai, Lao, Khmer and Burmese
letters, emoji sequences whole. It is part of the renderer: what it gives changes only with a new form of rendering.
`unusual` is the cheap first look for whoever has a whole page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

__all__ = ["CONTROLS", "SUSPICIOUS", "bare", "has_invisible", "sanitise", "unusual", "utf_8", "without_invisible"]

_KINDS: dict[str, str] = {
    "tag": "\U000e0000-\U000e007f",
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "zero-width": "\u180e\u200b-\u200d\u2060\ufeff",
    "variation-selector": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "soft-hyphen": "\u00ad",
    # letters, marks and operators that are drawn as nothing
    "filler": "\u034f\u115f\u1160\u17b4\u17b5\u2061-\u2065\u206a-\u206f\u2800\u3164\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff",
    "control": "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f",
    "noncharacter": "\ufdd0-\ufdef"
    + "".join(f"{chr(p + 0xFFFE)}-{chr(p + 0xFFFF)}" for p in range(0, 0x110000, 0x10000)),
}
# made visible rather than left out
_SURROGATE = "\ud800-\udfff"
_LINE_BREAK = "\r\x85\u2028\u2029"
_ANY = re.compile("\r\n|[" + "".join(_KINDS.values()) + _SURROGATE + _LINE_BREAK + "]")

# scripts that join letters or break the joining with U+200C and U+200D: Arabic, Syriac, N'Ko, Mandaic, the scripts of
# India, Sinhala, Tibetan, Burmese, Khmer, Mongolian
_JOINING = re.compile(
    "[\u0600-\u086f\u08a0-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9ff"
    "\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00010a5f\U00011000-\U000117ff]"
)
# scripts written from right to left, in which U+200E, U+200F and U+061C put a bracket or a number where it belongs
_LEFTWARD = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
_MARKS = "\u061c\u200e\u200f"
_MARK_REACH = 24
"""How many characters before a direction mark may part it from the letters it serves; looking ahead is for one only,
so that the beginning of a text is sanitised as the whole of it."""
# scripts that write no spaces between words and mark them with U+200B
_UNSPACED = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]"
)
_PICTURE = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_BRAILLE = re.compile("[\u2801-\u28ff]")
_HEBREW_POINT = re.compile("[\u0591-\u05c7]")
# the three flags of subdivisions that vendors draw: England, Scotland, Wales
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in code) + "\U000e007f" for code in ("gbeng", "gbsct", "gbwls")
)
_SEQUENCES = re.compile("|".join([*_FLAGS, _ANY.pattern]))

SUSPICIOUS = frozenset({"tag", "bidi", "zero-width", "variation-selector", "filler"})
"""Kinds that honest text seldom holds where `sanitise` leaves them out."""


def _members(ranges: str) -> Iterator[str]:
    """Yield the characters of a class such as `a-cx`."""
    at = 0
    while at < len(ranges):
        last = ranges[at + 2] if ranges[at + 1 : at + 2] == "-" else ranges[at]
        yield from map(chr, range(ord(ranges[at]), ord(last) + 1))
        at += 3 if ranges[at + 1 : at + 2] == "-" else 1


_KIND_OF = {char: kind for kind, chars in _KINDS.items() for char in _members(chars)}
_UNSEEN = frozenset(char for char, kind in _KIND_OF.items() if kind in SUSPICIOUS)
CONTROLS = frozenset(_members(_KINDS["control"])) - {"\x0c"}
"""Control characters that no honest page holds. The form feed ends the pages of plain text, and is not among them."""
_USUAL = b"\t\n" + bytes(range(0x20, 0x7F))


def unusual(raw: bytes) -> frozenset[str]:
    """Return the characters of a text other than tab, line feed and printable ASCII. raw: its UTF-8."""
    # bytes lose the usual ones ten times as fast as a set is made of all characters
    return frozenset(raw.translate(None, _USUAL).decode("utf-8", "surrogatepass"))


def utf_8(text: str) -> bytes:
    """Return the UTF-8 of any text, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def has_invisible(text: str, present: Collection[str]) -> bool:
    """Whether `sanitise` leaves out anything suspicious. present: what `unusual` gave for the text."""
    found = _UNSEEN.intersection(present)
    if any(_KIND_OF[char] == "tag" for char in found):
        return not SUSPICIOUS.isdisjoint(sanitise(text)[1])  # or these belong to the flags of three countries
    return any(_verdict(text, at, char)[0] for char in found for at in _places(text, char))


def without_invisible(text: str, present: Collection[str]) -> str:
    """Return the text without anything that could be suspicious: for looking at, not for showing."""
    for char in _UNSEEN.intersection(present):
        text = text.replace(char, "")
    return text


def bare(text: str) -> str:
    """Return what all versions of `sanitise` show alike: the text without any character that one of them leaves out."""
    return _KINDLESS.sub("", re.sub(f"[{_SURROGATE}]", "\ufffd", _BREAK.sub("\n", text)))


_KINDLESS = re.compile("[" + "".join(_KINDS.values()) + "]")
_BREAK = re.compile(f"\r\n|[{_LINE_BREAK}]")


def _places(text: str, char: str) -> Iterator[int]:
    at = text.find(char)
    while at >= 0:
        yield at
        at = text.find(char, at + 1)


def sanitise(text: str) -> tuple[str, dict[str, int]]:
    """Return the text as a model is given it, and how many characters of each kind were left out or replaced.

    Kinds: `tag`, `bidi`, `zero-width`, `variation-selector`, `soft-hyphen`, `filler`, `control`, `noncharacter` are
    left out; `surrogate` becomes U+FFFD and `line-break` (CR, NEL, LS, PS) a line feed. Doing it twice changes nothing,
    and of the beginning of a text it gives the beginning of what it gives of the whole.
    """
    if _ANY.search(text) is None:
        return text, {}
    out: list[str] = []
    removals: dict[str, int] = {}
    at = 0
    for match in _SEQUENCES.finditer(text):
        kind, instead = _verdict(text, match.start(), match.group())
        out += (text[at : match.start()], instead)
        at = match.end()
        if kind:
            removals[kind] = removals.get(kind, 0) + 1
    out.append(text[at:])
    return "".join(out), dict(sorted(removals.items()))


def _verdict(text: str, at: int, found: str) -> tuple[str, str]:
    """Return the kind of a removal, or an empty one, and what stands there instead."""
    kind = _KIND_OF.get(found)
    if kind is None:
        if found in _FLAGS:
            return "", found
        return ("surrogate", "\ufffd") if "\ud800" <= found <= "\udfff" else ("line-break", "\n")
    keeps = _KEEPING.get(kind)
    if keeps is not None and keeps(text, at, found):
        return "", found
    return kind, ""


def _joins(text: str, at: int, found: str) -> bool:
    """Whether a zero-width character does something here: in a script that needs it, or within an emoji sequence."""
    last, after = text[at - 1 : at], text[at + 1 : at + 2]
    if found == "\u200b":
        return bool(_UNSPACED.match(last)) and bool(_UNSPACED.match(after))
    if found not in "\u200c\u200d":
        return False
    if _JOINING.match(last) and last not in _KIND_OF:
        return True  # the first of a run: the next one has a joiner before it
    picture = text[at - 2 : at - 1] if last == "\ufe0f" and at >= 2 else last
    return found == "\u200d" and bool(_PICTURE.match(picture)) and bool(_PICTURE.match(after))


def _directs(text: str, at: int, found: str) -> bool:
    """Whether a direction mark stands beside a script that it serves, alone."""
    if found not in _MARKS or text[at - 1 : at] in _KIND_OF:
        return False
    return bool(_LEFTWARD.search(text, max(0, at - _MARK_REACH), at)) or bool(_LEFTWARD.match(text, at + 1))


def _varies(text: str, at: int, found: str) -> bool:
    """Whether a variation selector has a base whose look it may change."""
    base, after = text[at - 1 : at], text[at + 1 : at + 2]
    if found in "\ufe0e\ufe0f":
        return bool(_PICTURE.match(base)) or (base != "" and base in "0123456789#*" and after == "\u20e3")
    if "\u180b" <= found <= "\u180f":
        return bool(_MONGOLIAN.match(base))
    return bool(_IDEOGRAPH.match(base)) and (found <= "\ufe02" or found >= "\U000e0100")


def _fills(text: str, at: int, found: str) -> bool:
    """Whether a filler is a blank among Braille cells, or keeps apart the points of a Hebrew letter."""
    last = text[at - 1 : at]
    if found == "\u2800":
        return bool(_BRAILLE.match(last)) or (last not in _KIND_OF and bool(_BRAILLE.match(text, at + 1)))
    return found == "\u034f" and bool(_HEBREW_POINT.match(last))


_KEEPING = {"zero-width": _joins, "bidi": _directs, "variation-selector": _varies, "filler": _fills}
"""By kind, whether a character has work to do where it stands."""
