"""The steps of the funnel. Pure."""

from __future__ import annotations

from typing import Any

from searchlog.compare.section import Section, Side, Things, differing, section_of
from searchlog.view import step_json

__all__ = ["steps_here", "steps_section"]


def steps_here(side: Side) -> bool:
    """Whether all steps are here: no record says how many there are."""
    return not side.incomplete


def steps_section(a: Side, b: Side) -> Section:
    """Return the steps of both sides."""

    def of(side: Side) -> Things:
        named: dict[str, list[dict[str, Any]]] = {}
        for step in map(step_json, side.view.steps):
            named.setdefault(step["step"], []).append(step)
        numbered = {f"{name}#{n}": step for name, steps in named.items() for n, step in enumerate(steps)}
        alike = {key: named[step["step"]] for key, step in numbered.items()}
        return Things(steps_here(side), numbered, alike)

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = differing(mine, other, ("rule", "in", "kept", "dropped", "reasons"))
        return ("changed" if names else "same"), names

    return section_of(of(a), of(b), judge, lambda step: {"step": step["step"]})
