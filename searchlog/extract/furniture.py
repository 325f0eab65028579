"""Which parts of a page are furniture: navigation, headers, footers, asides, forms, banners. Pure.

Labels come from the page's structure (element names, roles) and from whole words of `class` and `id`. They are a mild
weight for ranking and never remove text. A region that holds more than half of the visible text is the page itself,
whatever its class is called, and gets no label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["LABELLED", "Region", "furniture_of", "region_label"]

_TAGS = {
    "nav": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "form": "form",
    "search": "form",
    "dialog": "boilerplate",
    "article": "main",
    "main": "main",
}
LABELLED = frozenset(_TAGS)
"""Elements that say by their name what they are."""
_ROLES = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "search": "form",
    "form": "form",
    "dialog": "boilerplate",
    "alertdialog": "boilerplate",
    "main": "main",
    "article": "main",
}
_WORDS = {
    word: label
    for label, words in {
        "nav": "nav navbar navigation menu submenu breadcrumb breadcrumbs pagination pager topnav toolbar sitemap",
        "header": "masthead topbar siteheader",
        "footer": "footer colophon copyright bottombar",
        "aside": "sidebar aside related recommended recommendations trending mostread",
        "form": "searchform searchbox login signup",
        "boilerplate": "cookie cookies consent gdpr newsletter subscribe share sharing social ad ads advert adverts "
        "advertisement sponsored promo promotion popup modal paywall backtotop",
    }.items()
    for word in words.split()
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PARTED = bytes(code if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
"""Bytes to letters and spaces."""
_PLAIN_TAGS = frozenset(("html", "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))


@dataclass(slots=True)
class Region:
    """The pieces `[start, end)` that one labelled element holds."""

    label: str
    """A furniture label, or `main` for an article, whose own header is no furniture."""
    start: int
    end: int = -1


def region_label(tag: str, attributes: Mapping[str, str | None]) -> str | None:
    """Return the label that an element gives what is inside it, or None."""
    if tag in _TAGS:
        return _TAGS[tag]
    if not attributes or tag in _PLAIN_TAGS:
        return None
    role = attributes.get("role")
    if role in _ROLES:
        return _ROLES[role]
    names, ident = attributes.get("class"), attributes.get("id")
    return _words_label(names or "", ident or "") if names or ident else None


@lru_cache(8192)
def _words_label(names: str, ident: str) -> str | None:
    text = f"{names} {ident}"[:400]
    if text.islower():
        # nearly always; the words that `_WORD` finds, in half the time
        words = text.encode("utf-8", "surrogatepass").translate(_PARTED).decode("ascii").split()
    else:
        words = [word.lower() for word in _WORD.findall(text)]
    if _WORDS.keys().isdisjoint(words):
        return None
    return next(_WORDS[word] for word in words if word in _WORDS)


def furniture_of(sizes: Sequence[int], regions: Sequence[Region]) -> list[str | None]:
    """Return the label of each piece; `sizes` holds the characters of visible text in each."""
    out: list[str | None] = [None] * len(sizes)
    before = [0]
    for size in sizes:
        before.append(before[-1] + size)
    half = before[-1] / 2
    done = main_until = 0
    for region in regions:
        end = len(sizes) if region.end < 0 else region.end
        if region.start < done or end <= region.start:
            continue
        if region.label == "main":
            main_until = max(main_until, end)
            continue
        own_header = region.label == "header" and end <= main_until
        if own_header or before[end] - before[region.start] > half:
            continue
        out[region.start : end] = [region.label] * (end - region.start)
        done = end
    return out
