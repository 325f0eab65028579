"""The whole comparison of two turns, and its JSON. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from searchlog.compare.asked import asked_of
from searchlog.compare.evidence import evidence_section
from searchlog.compare.pages import pages_section
from searchlog.compare.results import fused, results_section
from searchlog.compare.runs import results_of_runs, runs_section
from searchlog.compare.section import Section, Side
from searchlog.compare.steps import steps_section

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two turns."""

    a: dict[str, Any]
    b: dict[str, Any]
    asked: list[dict[str, Any]]
    """`what`, `a`, `b` of each part of query and policy that differs."""
    runs: Section
    steps: Section
    results: Section
    pages: Section
    evidence: Section
    not_compared: list[str]
    """What could not be read on one side at least: `runs`, `results`."""

    @property
    def sections(self) -> dict[str, Section]:
        return {
            "runs": self.runs,
            "steps": self.steps,
            "results": self.results,
            "pages": self.pages,
            "evidence": self.evidence,
        }

    @property
    def differs(self) -> bool:
        """Whether any difference was found."""
        ended = self.a["outcome"] != self.b["outcome"] or self.a["state"] != self.b["state"]
        return ended or bool(self.asked) or any(section.items for section in self.sections.values())

    @property
    def complete(self) -> bool:
        """Whether all of both sides could be looked at."""
        return not (self.not_compared or self.a["incomplete"] or self.b["incomplete"])

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `diff --json`."""
        return {
            "equal": self.complete and not self.differs,
            "a": self.a,
            "b": self.b,
            "asked": self.asked,
            **{name: {"counts": part.counts, "items": part.items} for name, part in self.sections.items()},
            "not_compared": self.not_compared,
        }


def compare(a: Side, b: Side) -> Comparison:
    """Return what differs between two turns."""
    results_a, results_b = results_of_runs(a), results_of_runs(b)
    fused_a, fused_b = fused(a), fused(b)
    not_compared = [] if results_a is not None and results_b is not None else ["runs"]
    if fused_a is None or fused_b is None:
        not_compared.append("results")
    return Comparison(
        a=_about(a),
        b=_about(b),
        asked=asked_of(a.view, b.view),
        runs=runs_section(a, b),
        steps=steps_section(a, b),
        results=Section()
        if fused_a is None or fused_b is None
        else results_section(fused_a, fused_b, results_a, results_b),
        pages=pages_section(a, b),
        evidence=evidence_section(a, b),
        not_compared=not_compared,
    )


def _about(side: Side) -> dict[str, Any]:
    view = side.view
    return {
        "session": view.session,
        "turn": view.number,
        "purpose": view.purpose,
        "state": view.state,
        "outcome": view.outcome,
        "began_at": view.began_at,
        "query": view.query.text if view.query else None,
        "providers": view.query.providers if view.query else [],
        "incomplete": side.incomplete,
    }
