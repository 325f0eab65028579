"""The steps of the funnel. Pure."""

from __future__ import annotations

from typing import Any

from searchlog.compare.section import Section, Side, differing, section_of
from searchlog.view import step_json

__all__ = ["steps_section"]


def steps_section(a: Side, b: Side) -> Section:
    """Return the steps of both sides."""

    def of(side: Side) -> dict[str, dict[str, Any]]:
        out: dict[str, dict[str, Any]] = {}
        for step in map(step_json, side.view.steps):
            number = sum(item["step"] == step["step"] for item in out.values())
            out[f"{step['step']}#{number}"] = step
        return out

    def judge(mine: dict[str, Any], other: dict[str, Any]) -> tuple[str, list[str]]:
        names = differing(mine, other, ("rule", "in", "kept", "dropped", "reasons"))
        return ("changed" if names else "same"), names

    return section_of(of(a), of(b), judge, lambda step: {"step": step["step"]})
