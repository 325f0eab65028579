"""Small judgements about the words of an answer: what is a title, a term, a count of its own parts. Pure.

They keep what is no claim from being told as a false one; each errs towards not checked, never towards verified.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from searchlog.answer.held import Held
from searchlog.answer.quotations import Wanted
from searchlog.answer.tokens import MARKS
from searchlog.wording.quantities import Quantity

__all__ = [
    "block_quotation",
    "is_address",
    "is_counting",
    "is_scare",
    "is_title",
    "same_script",
    "shortened",
    "uncut",
    "weight_of",
]

_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "but",
        "by",
        "for",
        "from",
        "in",
        "into",
        "nor",
        "of",
        "on",
        "or",
        "over",
        "per",
        "the",
        "to",
        "up",
        "via",
        "with",
        "de",
        "la",
        "le",
        "les",
        "der",
        "die",
        "das",
        "el",
    ]
)
_MARK = re.compile(f"[{MARKS}]")
_EAST = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def is_address(target: str) -> bool:
    """Return whether a citation's target is an address."""
    return target.startswith(("http://", "https://", "www."))


def uncut(words: str) -> str:
    """Return the words of a citation beside the text without the dots of its cut."""
    return re.sub(r"\s*(?:\.{3}|…)\s*$", "", words.strip())


def shortened(text: str) -> str:
    """Return a text for a message."""
    return text if len(text) <= 120 else text[:119] + "…"


def weight_of(text: str) -> int:
    """Return how much a text says: its letters and digits, one of a script without blanks twice."""
    return sum(2 if _EAST.match(char) else 1 for char in text if char.isalnum() or _MARK.match(char))


def is_scare(want: Wanted) -> bool:
    """Return whether words in quotation marks are a term: one to three words of a script with blanks."""
    return len(want.tokens) <= 3 and not _EAST.search(want.text)


def is_title(text: str) -> bool:
    """Return whether words are written as a title: all but the small ones with a capital."""
    words = re.findall(r"[^\W\d_][\w'’-]*", text)
    if _EAST.search(text) or not 2 <= len(words) <= 14 or re.search(r"[.!?]\s", text):
        return False
    telling = [w for w in words if w.lower() not in _SMALL_WORDS]
    return len(telling) > 1 and all(w[0].isupper() for w in telling) and not all(w.isupper() for w in words)


def same_script(text: str, held: Sequence[Held]) -> bool:
    """Return whether a text is in a script that some of the evidence is in."""
    mine = _scripts(text)
    return not mine or any(mine & _scripts(h.text[:4000]) for h in held)


_BANDS = (
    *(
        (0x41, "latin"),
        (0x370, "greek"),
        (0x400, "cyrillic"),
        (0x530, "armenian"),
        (0x590, "hebrew"),
        (0x600, "arabic"),
    ),
    *((0x900, "indic"), (0xE00, "thai"), (0x10A0, "georgian"), (0x1100, "hangul"), (0x1E00, "latin"), (0x3040, "kana")),
    *((0x3400, "han"), (0xAC00, "hangul"), (0xF900, "han")),
)
"""Where the letters of a script begin."""


def _scripts(text: str) -> set[str]:
    """Return the scripts that at least a fifth of a text's letters are of."""
    counts: Counter[str] = Counter()
    for char in text:
        if char.isalpha():
            counts[next(name for first, name in reversed(_BANDS) if ord(char) >= first)] += 1
    whole = sum(counts.values())
    return {name for name, count in counts.items() if count * 5 >= whole}


_COUNTING = re.compile(
    r"(?:step|option|part|point|reason|tip|example|item|question|answer|方法|步骤|选项|原因|例|问题)\s?[#:：]?\s?$",
    re.IGNORECASE,
)
_COUNTING_AFTER = re.compile(r"\s?(?:[.)、．:：]\s|步|点[：:])")


def is_counting(text: str, quantity: Quantity) -> bool:
    """Return whether a number only counts the answer's own parts: `Step 2`, `(1)`, `1. ` at a line's beginning."""
    head = text[max(0, quantity.start - 16) : quantity.start]
    if quantity.is_spelled and not quantity.unit and max(quantity.values) == 1:
        return True  # "this one", "one of them"
    if quantity.kind == "number" and not quantity.unit and quantity.values and quantity.values[0] <= 20:
        if _COUNTING.search(head):
            return True
        if re.search(r"(?:^|\n)[\s*_(（#]*$", head) and _COUNTING_AFTER.match(text, quantity.end):
            return True
        if (
            re.search(r"[(（]$", head)
            and re.match(r"[)）]\s", text[quantity.end : quantity.end + 2])
            and quantity.values[0] <= 10
        ):
            return True
        if re.search(r"第$", head) and quantity.is_spelled:
            return True
    return False


def block_quotation(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of a block quotation's words: without the line that says whose they are."""
    body = text[start:end]
    if m := re.search(r"\n[ \t>]*(?:[—–-]{1,2}|―)[^\n]{0,160}\Z", body):
        end = start + m.start()
    return start, end
