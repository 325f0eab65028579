"""What was asked: each part of query and policy, by its dotted name. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from searchlog.view import TurnView

__all__ = ["asked_of"]


def asked_of(a: TurnView, b: TurnView) -> list[dict[str, Any]]:
    """Return `what`, `a`, `b` of each part that differs."""
    mine, other = _told(a), _told(b)
    return [
        {"what": name, "a": mine.get(name), "b": other.get(name)}
        for name in sorted({*mine, *other}, key=lambda name: ("." in name, name))
        if mine.get(name) != other.get(name)
    ]


def _told(view: TurnView) -> dict[str, Any]:
    """Return each part of what was asked, by its dotted name."""
    query = view.query
    out: dict[str, Any] = {"purpose": view.purpose}
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
