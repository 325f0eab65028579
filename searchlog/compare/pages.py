"""The pages that were fetched. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from searchlog.compare.section import Section, Side, Things, differing, section_of
from searchlog.records import Capture, Conversion
from searchlog.search.fuse import comparison_key
from searchlog.view import page_json

__all__ = ["pages_here", "pages_section"]

_TOLD = (
    *("asked", "url", "outcome", "reason", "status", "suspected", "no_text", "captured_at"),
    *("payload", "text", "char_count", "title", "published"),
)
_OF_CONVERSION = ("suspected", "no_text", "text", "title", "published")
"""What a page has from what was made of it, if not from its capture."""


def pages_here(side: Side) -> bool:
    """Whether all pages are here, and what was made of them: no record says how many there are."""
    return not side.incomplete


def pages_section(a: Side, b: Side) -> Section:
    """Return the pages of both sides. Where no conversion of a page is here, what was made of it is not compared."""
    whole = pages_here(a), pages_here(b)

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = differing(mine, other, ("url", "outcome", "reason", "status", "suspected", "no_text"))
        came = bool(names)
        names += differing(mine, other, ("payload", "text", "title", "published"))
        if not all(here or _made(page) for here, page in zip(whole, (mine, other), strict=True)):
            names = [name for name in names if name not in _OF_CONVERSION]
        if not names:
            return "same", []
        same_text = not came and mine["text"] is not None and mine["text"] == other["text"]
        return ("same-text" if same_text and "payload" in names else "changed"), names

    return section_of(_pages_of(a), _pages_of(b), judge, _asked_key, ("same", "same-text", "changed"))


def _made(page: Mapping[str, Any]) -> bool:
    """Whether the conversion of a page is here: it has a text, or says why not."""
    return page["text"] is not None or page["no_text"] is not None


def _pages_of(side: Side) -> Things:
    """Return the pages that were fetched, by the key of what was asked for; of two fetches the later one."""
    out = Things(pages_here(side))
    made: dict[tuple[str, str | None], list[Conversion]] = {}
    for conversion in side.view.conversions:
        made.setdefault((conversion.url, conversion.payload), []).append(conversion)
    for item in side.view.captures:
        if item.final and item.purpose == "page":
            key, mine = (
                comparison_key(item.asked),
                made.get((item.url, item.payload.blob if item.payload else None), []),
            )
            for conversion in reversed(mine):  # the first one counts
                out.add(key, _page(item, [conversion]))
            if not mine:
                out.add(key, _page(item, []))
    return out


def _page(item: Capture, conversions: Sequence[Conversion]) -> dict[str, Any]:
    page = page_json(item, conversions)
    return {name: page[name] for name in _TOLD}


def _asked_key(page: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": comparison_key(page["asked"])}
