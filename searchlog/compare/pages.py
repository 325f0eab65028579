"""The pages that were fetched. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from searchlog.compare.section import Section, Side, differing, section_of
from searchlog.records import Capture
from searchlog.search.fuse import comparison_key
from searchlog.view import TurnView, page_json

__all__ = ["pages_section"]


def pages_section(a: Side, b: Side) -> Section:
    """Return the pages of both sides."""

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = differing(mine, other, ("url", "outcome", "reason", "status", "suspected", "no_text"))
        came = bool(names)
        names += differing(mine, other, ("payload", "text", "title", "published"))
        if not names:
            return "same", []
        same_text = not came and mine["text"] is not None and mine["text"] == other["text"]
        return ("same-text" if same_text and "payload" in names else "changed"), names

    return section_of(_pages_of(a.view), _pages_of(b.view), judge, _asked_key, ("same", "same-text", "changed"))


def _pages_of(view: TurnView) -> dict[str, dict[str, Any]]:
    """Return the pages that were fetched, by the key of what was asked for; of two fetches the later one."""
    finals: dict[str, Capture] = {
        comparison_key(item.asked): item for item in view.captures if item.final and item.purpose == "page"
    }
    wanted = (
        *("asked", "url", "outcome", "reason", "status", "suspected", "no_text", "captured_at"),
        *("payload", "text", "char_count", "title", "published"),
    )
    out = {}
    for key, item in finals.items():
        page = page_json(item, view.conversions)
        out[key] = {name: page[name] for name in wanted}
    return out


def _asked_key(page: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": comparison_key(page["asked"])}
