"""Whether a page holds its text back from those who do not pay or register. Pure.

For pages on which something was looked for in vain, so it need not be sure that the text is short; but a page with a
box for a newsletter, a link to subscribe or a vendor's script is no wall, and neither is one that declares itself not
free and gives all its text. What the page says to machines, and a line that asks to subscribe to read on, weigh most;
how little text there is, and that it breaks off, decides with them. Names of classes and vendors' scripts stand on the
free pages of the same site as well, so they only add.
Spec: schema.org `isAccessibleForFree`, `hasPart`; Open Graph `article:content_tier`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from searchlog.extract.conversion import Conversion
from searchlog.suspect.outline import Outline, weight
from searchlog.suspect.phrases import asks_to_pay, names

__all__ = ["paywall_tests"]

_LITTLE = 2_500
"""The longest of teasers: five paragraphs or so."""
_ENOUGH = 3
_LINES_MAX = 4_000
_LABELS_MAX = 3
"""The same line more often than this marks the teasers of a list, and says nothing of the page."""
_CUT_MIN = 40
_CUT = re.compile(
    r"(?:\u2026|\.\.\.|\u3002\u3002\u3002|\[\s?(?:\u2026|\.\.\.)\s?\]|\(\s?(?:\u2026|\.\.\.)\s?\))[\"'\u201d\u00bb\u300d]?$"
)
_LINK_PERCENT_MAX = 50
_SCRIPTS_MAX = 40
_SCRIPT_CHARS_MAX = 300_000
_OBJECTS_MAX = 400
_WORDS_MIN = 200

_CREATIONS = ("article", "posting", "page", "report", "review", "creativework", "chapter", "recipe", "episode", "story")
"""Ends of the names of types that are texts: a museum that is not free takes money at its door."""
_NO = frozenset(("false", "no", "0", "http://schema.org/false", "https://schema.org/false"))
_MICRODATA = re.compile(
    r"itemprop\s{0,3}=\s{0,3}[\"']?isAccessibleForFree[\"']?[^<>]{0,200}?content\s{0,3}=\s{0,3}[\"']?"
    r"(?:https?://schema\.org/)?(?:false|no)\b",
    re.IGNORECASE,
)
_TIER = re.compile(
    r"pay_?wall|premium|content[_-]?tier|content[_-]?access|access[_-]?level|access$|subscriber|is[_-]?free$"
)
_LOCKED = names(
    """
    locked paid premium paywall paywalled subscriber subscribers subscriber-only subscribers-only members hard
    """
)
_METERED = names("metered registration registered soft dynamic freemium")
_YES = frozenset(("true", "yes", "1"))
_STATE = re.compile(
    r"[\"'](?:is_?)?(?:pay_?wall(?:ed)?|premium|locked|subscriber_?only|members_?only)(?:_?(?:article|content))?[\"']"
    r"\s{0,3}:\s{0,3}[\"']?(?:true|yes|1)\b"
    r"|[\"'](?:content_?tier|access_?(?:level|type)|(?:content|article)_?access|paywall_?(?:status|type)|visibility)[\"']"
    r"\s{0,3}:\s{0,3}[\"'](?:locked|metered|paid|premium|subscribers?|members|closed|paywall)[\"']",
    re.IGNORECASE,
)
_WALL = re.compile(
    r"pay-?_?wall|reg-?_?wall|registration-?_?wall|meter-?_?wall|(?:subscribers?|members?|premium|plus)-?_?only"
    r"|premium-?_?(?:content|article)|locked-?_?(?:content|article|post)|(?:content|article|post)-?_?locked"
    r"|content-?_?gate|gated-?_?content|subscri(?:be|ption)-?_?(?:wall|required|barrier|offer-?_?wall)"
    r"|post-?_?upgrade-?_?cta|poool-?_?widget|pelcro|zephr|leaky|tp-?_?(?:modal|container|backdrop)|piano-?_?(?:offer|wall)"
    r"|steady-?_?paywall|memberful|laterpay|offer-?_?wall|truncated-?_?content|article-?_?(?:fade|truncated)"
)
_NO_WALL = re.compile(
    r"(?:^|[-_])(?:no|not|non|without|free|disabled?|hide|off|skip|bypass)(?:[-_]|$)|nopaywall|notpaywalled"
)
_VENDORS = {
    "tinypass.com": "vendor:piano",
    "piano.io": "vendor:piano",
    "poool.": "vendor:poool",
    "pelcro.com": "vendor:pelcro",
    "zephr": "vendor:zephr",
    "memberful.com": "vendor:memberful",
    "leaky-paywall": "vendor:leaky-paywall",
    "steadyhq.com": "vendor:steady",
    "laterpay": "vendor:laterpay",
    "evolok": "vendor:evolok",
    "wallkit": "vendor:wallkit",
    "sophi.io": "vendor:sophi",
    "/swg/js/": "vendor:subscribe-with-google",
    "swg-basic.js": "vendor:subscribe-with-google",
    "swg.js": "vendor:subscribe-with-google",
    "mppglobal.com": "vendor:mpp",
    "plenigo.com": "vendor:plenigo",
    "paywall": "vendor:other",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a visitor is given to read."""

    prose: int
    """Weight of the main text without headings, lists of links and the lines of a wall."""
    words: int
    wall: bool
    """Whether a line asks to subscribe to read on."""
    cut: bool
    """Whether the text before it, or at the end, breaks off."""


def paywall_tests(outline: Outline, markup: str, conversion: Conversion | None) -> list[str]:
    """Return the tests by which a page is held back from those who do not pay; none: it is not suspected to be.

    markup: of the whole page, or as much of it as may be looked at; the time grows with its length only.
    """
    shown = _of_text(outline) if conversion is None else _of_conversion(conversion)
    declared, words = _declared(markup)
    short = words >= _WORDS_MIN and 2 * shown.words < words
    little = shown.prose <= _LITTLE
    says = dict.fromkeys(declared[:1], 2)
    says.update(_metas(outline))
    adds: dict[str, int] = {}
    if any(_STATE.search(script) for script in outline.scripts):
        adds["script:access"] = 1
    if any(_WALL.search(mark) and not _NO_WALL.search(mark) for mark in outline.marks):
        adds["class:paywall"] = 1
    adds.update(dict.fromkeys(list(_vendors(outline))[:1], 1))
    if shown.wall:
        says["text:subscribe-to-read-on"] = 2
    size = {"cut-text": 1} if shown.cut else {}
    if short:
        size["fewer-words-than-declared"] = 1
    if little:
        size["little-text"] = 1
    if not _held(says, adds, size):
        return []
    return [*says, *adds, *size]


def _held(says: dict[str, int], adds: dict[str, int], size: dict[str, int]) -> bool:
    """Return whether these signs are enough.

    Where there is much text, it must break off, or the page must say twice that there is more: many a page carries
    the marks of a wall that its scripts put up later, or for some.
    """
    broken = "cut-text" in size or "fewer-words-than-declared" in size
    if "little-text" not in size:
        strong = [worth for worth in says.values() if worth > 1]
        return bool(strong) and (broken or len(strong) > 1)
    if not says and not ("class:paywall" in adds and broken):
        return False
    return sum(says.values()) + min(2, sum(adds.values())) + sum(size.values()) >= _ENOUGH


def _of_conversion(conversion: Conversion) -> _Shown:
    lines: list[tuple[str, bool]] = []
    seen: dict[str, int] = {}
    for at, block in enumerate(conversion.blocks[:_LINES_MAX]):
        if block.hidden is not None or block.furniture in ("nav", "header", "footer"):
            continue
        # what is long is text, whatever its end says
        line = conversion.text[block.start : block.end]
        place = conversion.places[at] if at < len(conversion.places) else None
        prose = block.furniture is None and block.kind != "heading"
        prose = prose and (place is None or place.link <= _LINK_PERCENT_MAX)
        lines.append((line, prose))
        seen[line[:300]] = seen.get(line[:300], 0) + 1
    return _read([(line, prose) for line, prose in lines if seen[line[:300]] <= _LABELS_MAX])


def _of_text(outline: Outline) -> _Shown:
    lines = outline.said.split("\n")
    shown = _read([(line, weight(line) >= _CUT_MIN) for line in lines if lines.count(line) <= _LABELS_MAX])
    return _Shown(outline.prose, shown.words, shown.wall, shown.cut)


def _read(lines: list[tuple[str, bool]]) -> _Shown:
    """Return what lines show. Each comes with whether it is prose."""
    size, words, wall, cut, last = 0, 0, False, False, ""
    for line, prose in lines:
        if asks_to_pay(line):
            cut = cut or (not wall and _breaks_off(last))
            wall = True
        elif prose:
            size += weight(line)
            # a script without blanks between words counts its signs
            words += max(len(line.split()), weight(line) // 2 - len(line) // 2)
            if len(line) >= _CUT_MIN:
                last = line
    return _Shown(size, words, wall, cut or _breaks_off(last))


def _breaks_off(line: str) -> bool:
    return _CUT.search(line[-12:].rstrip()) is not None


def _metas(outline: Outline) -> Iterator[tuple[str, int]]:
    """Yield what the page says of its access in its head, with what it is worth."""
    for name, said in outline.metas.items():
        value = said.strip().lower()
        if not value or len(value) > _CUT_MIN or not _TIER.search(name):
            continue
        free = "free" in name
        if value in _LOCKED or (value in _YES and not free and "access" not in name) or (value in _NO and free):
            yield "meta:content-tier", 2
            return
        if value in _METERED:
            yield "meta:content-tier-metered", 1
            return


def _vendors(outline: Outline) -> Iterator[str]:
    for source in outline.sources:
        low = source.lower()[:2_000]
        yield from (test for needle, test in _VENDORS.items() if needle in low)


def _declared(markup: str) -> tuple[list[str], int]:
    """Return what the page's data for machines says of its access, and how many words it says that it has, or 0."""
    found: list[str] = []
    words = 0
    for item in _texts(markup):
        words = max(words, _number(item.get("wordCount")))
        if _denied(item.get("isAccessibleForFree")):
            found.append("json-ld:not-free")
        parts = item.get("hasPart")
        if any(
            isinstance(part, dict) and part.get("cssSelector") and _denied(part.get("isAccessibleForFree"))
            for part in (parts if isinstance(parts, list) else [parts])
        ):
            found.append("json-ld:part-not-free")
    if _MICRODATA.search(markup):
        found.append("microdata:not-free")
    return list(dict.fromkeys(found)), words


def _denied(value: Any) -> bool:
    if isinstance(value, list) and value:
        value = value[0]
    return value is False or (isinstance(value, str | int) and str(value).strip().lower() in _NO)


def _number(value: Any) -> int:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 0


def _texts(markup: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the page's JSON-LD that are the page or its main text: not those that it lists."""
    for source in _linked(markup):
        try:
            waiting: list[Any] = [json.loads(source.strip().rstrip(";"), strict=False)]
        except (ValueError, RecursionError):
            continue
        for _ in range(_OBJECTS_MAX):
            if not waiting:
                break
            value = waiting.pop()
            if isinstance(value, list):
                waiting += value[:_OBJECTS_MAX]
            elif isinstance(value, dict):
                waiting += [value[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in value]
                if _is_text(value):
                    yield value


def _is_text(item: dict[str, Any]) -> bool:
    kinds = item.get("@type")
    named = [kind.lower() for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]
    return any(kind.endswith(_CREATIONS) for kind in named[:20]) or (not named and "hasPart" in item)


_OPEN = re.compile(r"<script\b[^<>]{0,400}?application/ld\+json[^<>]{0,400}>", re.IGNORECASE)


def _linked(markup: str) -> Iterator[str]:
    """Yield the contents of scripts that hold JSON-LD."""
    at = 0
    for _ in range(_SCRIPTS_MAX):
        opened = _OPEN.search(markup, at)
        if opened is None:
            return
        at = markup.find("</", opened.end())
        while at >= 0 and markup[at + 2 : at + 8].lower() != "script":
            at = markup.find("</", at + 2)
        if at < 0:
            return
        if at - opened.end() <= _SCRIPT_CHARS_MAX:
            yield markup[opened.end() : at]
