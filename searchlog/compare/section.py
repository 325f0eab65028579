"""A side, and a section of what was found: things of one kind, matched by key. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog.view import Load, TurnView

__all__ = ["Section", "Side", "differing", "section_of"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two turns."""

    view: TurnView
    load: Load
    incomplete: bool = False
    """Whether records are not there that may belong to it."""


@dataclass(slots=True)
class Section:
    """One kind of thing, on both sides."""

    counts: dict[str, int] = field(default_factory=dict)
    """`a`, `b`, `both`, `only_a`, `only_b`, then how many of both are in each state."""
    items: list[dict[str, Any]] = field(default_factory=list)
    """Those that differ: `state`, what they are, and `a` and `b`, None on the side that has none."""


def section_of(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    judge: Callable[[Any, Any], tuple[str, list[str]]],
    name: Callable[[Any], dict[str, Any]],
    states: Sequence[str] = ("same", "changed"),
) -> Section:
    """Return a section of things matched by key. judge: the state of two that match, and the names of what differs."""
    section = Section(dict.fromkeys(("a", "b", "both", "only_a", "only_b", *states), 0))
    counts = section.counts
    counts["a"], counts["b"] = len(a), len(b)
    for key in [*a, *(key for key in b if key not in a)]:
        mine, other = a.get(key), b.get(key)
        changed: list[str] = []
        if mine is not None and other is not None:
            counts["both"] += 1
            state, changed = judge(mine, other)
            counts[state] += 1
            if state == "same":
                continue
        else:
            state = "only-a" if other is None else "only-b"
            counts[state.replace("-", "_")] += 1
        about = name(mine if mine is not None else other)  # the same for both, or it would depend on which is first
        section.items.append({"state": state, **about, "a": mine, "b": other, "changed": changed})
    return section


def differing(a: Mapping[str, Any], b: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [name for name in names if a.get(name) != b.get(name)]
