"""Markup as a tree that edits are made in, and the passages of a page with the piece of markup they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from lxml import html as lxml_html

from searchlog.drift.page import Page
from searchlog.drift.then import Then
from searchlog.evidence.passages import passages
from searchlog.evidence.selector import describe
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert

__all__ = ["Spot", "Taken", "converted", "spots_in", "taken", "tree_of", "written"]

_SKIPPED = frozenset(
    ("script", "style", "noscript", "template", "pre", "code", "textarea", "title", "svg", "head", "select")
)
_PARSER = lxml_html.HTMLParser(encoding="utf-8")


class Taken(NamedTuple):
    """One passage of a page, as recorded then."""

    then: Then
    start: int
    end: int
    text: str


class Spot(NamedTuple):
    """A text node: an element with the text at its beginning, or the text behind it."""

    element: Any
    tail: bool

    @property
    def text(self) -> str:
        return str((self.element.tail if self.tail else self.element.text) or "")

    def put(self, text: str) -> None:
        if self.tail:
            self.element.tail = text
        else:
            self.element.text = text

    @property
    def holder(self) -> Any:
        return self.element.getparent() if self.tail else self.element


def tree_of(markup: str) -> Any:
    """Return the tree of some markup."""
    return lxml_html.document_fromstring(markup.encode(), parser=_PARSER)


def written(tree: Any) -> str:
    """Return the markup of a tree."""
    return "<!doctype html>\n" + str(lxml_html.tostring(tree, encoding="unicode"))


def converted(markup: str) -> Conversion | None:
    """Return the conversion of some markup by the real converter; None when it has no text."""
    result = convert(markup.encode(), content_type="text/html; charset=utf-8", url="https://pages.example/a/page")
    return result if isinstance(result, Conversion) else None


def taken(conversion: Conversion, page: Page | None, *, main_only: bool = True, chars_min: int = 40) -> list[Taken]:
    """Return the passages of a page as they are recorded, by the real cutter."""
    text = conversion.text
    out = []
    for passage in passages(0, conversion):
        odd = any(label.startswith(("furniture:", "hidden:")) for label in passage.labels)
        if (odd and main_only) or passage.end - passage.start < chars_min:
            continue
        then = Then(
            describe(text, passage.start, passage.end),
            tuple(text[start:end] for start, end in passage.headings),
            passage.table_head,
            passage.lead_in,
            page,
        )
        out.append(Taken(then, passage.start, passage.end, text[passage.start : passage.end]))
    return out


def squeezed(text: str) -> str:
    return re.sub(r"[\s\u00ad\u200b]+", " ", text).strip()


def spots_in(tree: Any, text: str, inside: str, rng: Random, *, chars_min: int = 12) -> Iterator[Spot]:
    """Yield text nodes that are in a passage, and nowhere else on the page, in a random order.

    text: that of the whole page. inside: that of the passage.
    """
    whole, part = squeezed(text), squeezed(inside)
    found = []
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        for tail in (False, True):
            spot = Spot(element, tail)
            words = squeezed(spot.text)
            if len(words) < chars_min or words not in part or whole.count(words) != 1:
                continue
            if any(above.tag in _SKIPPED for above in (spot.holder, *spot.holder.iterancestors())):
                continue
            found.append(spot)
    rng.shuffle(found)
    yield from found
