"""A side, and a section of what was found: things of one kind, matched by key. Pure.

Of a side records may not be here: left out by whoever sent it, or erased. Then what only the other side has is no
difference, since it may be among them: its state is `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog.view import Load, TurnView

__all__ = ["Section", "Side", "Things", "differing", "new_counts", "one_sided", "section_of"]

_Thing = dict[str, Any]
_Judge = Callable[[_Thing, _Thing], tuple[str, list[str]]]


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
    """`a`, `b`, `both`, `only_a`, `only_b`, `unknown_a`, `unknown_b`, then how many of both are in each state."""
    items: list[dict[str, Any]] = field(default_factory=list)
    """Those that differ or may: `state`, what they are, and `a` and `b`, None on the side where none is here."""

    @property
    def differs(self) -> bool:
        """Whether any of it is known to differ."""
        return any(item["state"] != "unknown" for item in self.items)


@dataclass(slots=True)
class Things:
    """The things of one kind that are here of one side."""

    whole: bool
    """Whether all of them are here."""
    chosen: dict[str, _Thing] = field(default_factory=dict)
    """The one that stands for each key."""
    alike: dict[str, list[_Thing]] = field(default_factory=dict)
    """All that have each key."""

    def add(self, key: str, thing: _Thing, *, stands: bool = True) -> None:
        """Take in one more. stands: it stands for its key from now on, and not the one before."""
        self.alike.setdefault(key, []).append(thing)
        if stands or key not in self.chosen:
            self.chosen[key] = thing


def new_counts(states: Sequence[str]) -> dict[str, int]:
    """Return the counts of a section, all zero."""
    return dict.fromkeys(("a", "b", "both", "only_a", "only_b", "unknown_a", "unknown_b", *states), 0)


def section_of(
    a: Things,
    b: Things,
    judge: _Judge,
    name: Callable[[_Thing], dict[str, Any]],
    states: Sequence[str] = ("same", "changed"),
) -> Section:
    """Return a section of things matched by key. judge: the state of two that match, and the names of what differs."""
    section = Section(new_counts(states))
    counts = section.counts
    counts["a"], counts["b"] = len(a.chosen), len(b.chosen)
    for key in [*a.chosen, *(key for key in b.chosen if key not in a.chosen)]:
        mine, other = a.chosen.get(key), b.chosen.get(key)
        changed: list[str] = []
        if mine is not None and other is not None:
            counts["both"] += 1
            state, changed = _judged(a, b, key, judge)
            counts[state] += 1
            if state == "same":
                continue
        else:
            state, count = one_sided("a" if mine is not None else "b", (b if mine is not None else a).whole)
            counts[count] += 1
        about = name(mine if mine is not None else b.chosen[key])  # the same for both, or it would depend on the order
        section.items.append({"state": state, **about, "a": mine, "b": other, "changed": changed})
    return section


def _judged(a: Things, b: Things, key: str, judge: _Judge) -> tuple[str, list[str]]:
    if not (a.whole and b.whole):  # the one that stands for this key elsewhere may be one that is not here
        for mine in a.alike[key]:
            if any(judge(mine, other)[0] == "same" for other in b.alike[key]):
                return "same", []
    return judge(a.chosen[key], b.chosen[key])


def one_sided(side: str, other_whole: bool) -> tuple[str, str]:
    """Return the state of what only this side has, and the name of its count. other_whole: all of the other is here."""
    return (f"only-{side}", f"only_{side}") if other_whole else ("unknown", f"unknown_{side}")


def differing(a: Mapping[str, Any], b: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return those of the names under which the two have not the same."""
    return [name for name in names if a.get(name) != b.get(name)]
