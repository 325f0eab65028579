"""What a model should be told of a text, and what it should not be given of it. Pure.

`sanitise` is for renderings only: the stored text keeps every character. It leaves out what a reader cannot see and
an attacker can write with: tag, zero-width, bidirectional control, filler and control characters, variation selectors
without a base. Joiners stay where Persian, Hindi and other scripts need them, and emoji sequences stay whole.
`flags` names what is suspicious; a flag drops nothing.
"""

from __future__ import annotations

import re
import unicodedata

from searchlog.evidence.instructions import instruction_like

__all__ = ["FENCE_LIKE", "flags", "sanitise"]

_KINDS: dict[str, str] = {
    "tag": "\U000e0000-\U000e007f",
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "zero-width": "\u180e\u200b-\u200d\u2060\ufeff",
    "variation-selector": "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    "soft-hyphen": "\u00ad",
    # letters, marks and operators that are drawn as nothing
    "filler": "\u034f\u115f\u1160\u17b4\u17b5\u2061-\u2065\u206a-\u206f\u2800\u3164\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff",
    "control": "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f",
    "noncharacter": "\ufdd0-\ufdef"
    + "".join(f"{chr(p + 0xFFFE)}-{chr(p + 0xFFFF)}" for p in range(0, 0x110000, 0x10000)),
}
# made visible rather than left out
_SURROGATE = "\ud800-\udfff"
_LINE_BREAK = "\r\x85\u2028\u2029"
_ANY = re.compile("\r\n|[" + "".join(_KINDS.values()) + _SURROGATE + _LINE_BREAK + "]")
_BY_KIND = [(kind, re.compile(f"[{chars}]")) for kind, chars in _KINDS.items()]

# scripts that join letters or break the joining with U+200C and U+200D: Arabic, Syriac, N'Ko, Mandaic, the scripts of
# India, Sinhala, Tibetan, Burmese, Khmer, Mongolian
_JOINING = re.compile(
    "[\u0600-\u086f\u08a0-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9ff"
    "\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00010a5f\U00011000-\U000117ff]"
)
_PICTURE = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
# the three flags of subdivisions that vendors draw: England, Scotland, Wales
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in code) + "\U000e007f" for code in ("gbeng", "gbsct", "gbwls")
)
_SEQUENCES = re.compile("|".join([*_FLAGS, _ANY.pattern]))

_SUSPICIOUS = frozenset({"tag", "bidi", "zero-width", "variation-selector", "filler"})

FENCE_LIKE = re.compile(
    r"([<\u2039\u3008\ufe64\uff1c])(\\*)(?=\s*(?:[/\u2044\u2215\uff0f]\s*)?evidence)", re.IGNORECASE
)
"""What could be taken for a fence of `render`: group 1 is the bracket, group 2 the escapes already there."""


def sanitise(text: str) -> tuple[str, dict[str, int]]:
    """Return the text as a model is given it, and how many characters of each kind were left out or replaced.

    Kinds: `tag`, `bidi`, `zero-width`, `variation-selector`, `soft-hyphen`, `filler`, `control`, `noncharacter` are
    left out; `surrogate` becomes U+FFFD and `line-break` (CR, NEL, LS, PS) a line feed. Doing it twice changes nothing.
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
    if found in _FLAGS:
        return "", found
    if found in ("\r\n", *_LINE_BREAK):
        return "line-break", "\n"
    if "\ud800" <= found <= "\udfff":
        return "surrogate", "\ufffd"
    kind = next(kind for kind, pattern in _BY_KIND if pattern.match(found))
    before, after = text[max(0, at - 2) : at], text[at + 1 : at + 2]
    if found in "\u200c\u200d" and _joins(before, found, after):
        return "", found
    if kind == "variation-selector" and _varies(before[-1:], found, after):
        return "", found
    return kind, ""


def _joins(before: str, joiner: str, after: str) -> bool:
    """Whether a joiner does something here: in a script that needs it, or within an emoji sequence."""
    last = before[-1:]
    if _JOINING.match(last) and not _ANY.match(last):
        return True  # the first of a run: the next one has a joiner before it
    picture = before[:1] if last == "\ufe0f" and len(before) == 2 else last
    return joiner == "\u200d" and bool(_PICTURE.match(picture)) and bool(_PICTURE.match(after))


def _varies(base: str, selector: str, after: str) -> bool:
    """Whether a variation selector has a base whose look it may change."""
    if selector in "\ufe0e\ufe0f":
        return bool(_PICTURE.match(base)) or (base != "" and base in "0123456789#*" and after == "\u20e3")
    if "\u180b" <= selector <= "\u180f":
        return bool(_MONGOLIAN.match(base))
    return bool(_IDEOGRAPH.match(base)) and (selector <= "\ufe02" or selector >= "\U000e0100")


def flags(text: str) -> tuple[str, ...]:
    """Return what is suspicious about a text: `instruction-like`, `invisible-characters`, `looks-like-our-fence`."""
    clean, removals = sanitise(text)
    plain = unicodedata.normalize("NFKC", clean)
    found = {
        "instruction-like": instruction_like(plain),
        "invisible-characters": not _SUSPICIOUS.isdisjoint(removals),
        "looks-like-our-fence": FENCE_LIKE.search(plain) is not None,
    }
    return tuple(name for name, here in found.items() if here)
