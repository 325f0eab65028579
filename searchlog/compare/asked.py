"""What was asked and how it ended: each part of query and policy, by its dotted name. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from searchlog.compare.section import Side
from searchlog.view import TurnView

__all__ = ["asked_of", "begin_here", "end_here", "query_here"]


def query_here(side: Side) -> bool:
    """Whether what a side asked is here, or it is known that it asked nothing."""
    return side.view.query is not None or not side.incomplete


def begin_here(side: Side) -> bool:
    """Whether the record that began the turn is here, or it is known that there is none."""
    return bool(side.view.began_at) or not side.incomplete


def end_here(side: Side) -> bool:
    """Whether the record that ended the turn is here, or it is known that there is none."""
    return bool(side.view.ended_at) or not side.incomplete


def asked_of(a: Side, b: Side) -> list[dict[str, Any]]:
    """Return `what`, `a`, `b` of each part that differs; of records that are not here nothing is known to differ."""
    mine: dict[str, Any] = {}
    other: dict[str, Any] = {}
    if begin_here(a) and begin_here(b):
        mine, other = {"purpose": a.view.purpose}, {"purpose": b.view.purpose}
    if query_here(a) and query_here(b):
        mine |= _told(a.view)
        other |= _told(b.view)
    return [
        {"what": name, "a": mine.get(name), "b": other.get(name)}
        for name in sorted({*mine, *other}, key=lambda name: ("." in name, name))
        if mine.get(name) != other.get(name)
    ]


def _told(view: TurnView) -> dict[str, Any]:
    """Return each part of the query, by its dotted name."""
    query = view.query
    out: dict[str, Any] = {}
    if query is not None:
        out |= {"query": query.text, "also": query.also or [], "focus": query.focus}
        out |= {"providers": query.providers, "mode": query.mode}
        out |= dict(_flat("options", query.options)) | dict(_flat("policy", query.policy))
    return out


def _flat(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item)
    else:
        yield name, value
