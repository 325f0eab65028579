"""The results after fusion: each candidate with its ranks. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from searchlog.compare.section import Section, Side, Things, section_of
from searchlog.search.fuse import comparison_key

__all__ = ["fused", "results_here", "results_section"]

_TOLD = ("title", "snippet", "published", "crawled")


def fused(side: Side) -> Things | None:
    """Return the candidates by key, best first: URL, fused rank and rank in each run; None when they cannot be read."""
    out = Things(results_here(side))
    for step in side.view.steps:
        if step.step != "fuse":
            continue
        items = side.load(step.items)
        if not isinstance(items, list):
            return None
        for item in items:
            if isinstance(item, dict) and item.get("kept") and isinstance(url := item.get("subject"), str):
                ranks = _ranks(item.get("ranks"))
                out.add(comparison_key(url), {"url": url, "rank": item.get("fused_rank"), "ranks": ranks})
    return out


def _ranks(text: Any) -> dict[str, int]:
    """Return `brave:3 brave#2:1` as ranks by run, the best of each."""
    out: dict[str, int] = {}
    for place in text.split() if isinstance(text, str) else ():
        label, _, rank = place.rpartition(":")
        if label and rank.isdecimal():
            out[label] = min(int(rank), out.get(label, int(rank)))
    return out


def results_here(side: Side) -> bool:
    """Whether the candidates are here: one step has all of them; or it is known that there are none."""
    return not side.incomplete or any(step.step == "fuse" for step in side.view.steps)


_Runs = Mapping[str, Mapping[str, Mapping[str, Any]]]


def results_section(a: Things, b: Things, runs_a: _Runs | None, runs_b: _Runs | None) -> Section:
    """Return the results of both sides. runs_a, runs_b: what each run told of them."""
    runs_a, runs_b = runs_a or {}, runs_b or {}
    asked_both = [label for label in runs_a if label in runs_b]

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        key = comparison_key(mine["url"])
        moved = ["rank"] if mine["rank"] != other["rank"] else []
        moved += [f"rank:{label}" for label in asked_both if mine["ranks"].get(label) != other["ranks"].get(label)]
        pairs = [(runs_a[label].get(key, {}), runs_b[label].get(key, {})) for label in asked_both]
        told = [name for name in _TOLD if any(one and two and one.get(name) != two.get(name) for one, two in pairs)]
        state = "moved" if moved else "changed" if told else "same"
        return state, [*sorted(moved), *told]

    return section_of(a, b, judge, _url, ("same", "moved", "changed"))


def _url(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": comparison_key(item["url"])}
