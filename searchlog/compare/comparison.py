"""The whole comparison of two turns, and its JSON. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from searchlog.compare.asked import asked_of, begin_here, end_here, query_here
from searchlog.compare.evidence import evidence_here, evidence_section
from searchlog.compare.pages import pages_here, pages_section
from searchlog.compare.results import fused, results_here, results_section
from searchlog.compare.runs import results_of_runs, runs_here, runs_section
from searchlog.compare.section import Section, Side
from searchlog.compare.steps import steps_here, steps_section

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
    """What is not here, or could not be read, on one side at least: `asked`, `runs`, `results`."""

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
        ended = any(
            None not in (self.a[name], self.b[name]) and self.a[name] != self.b[name] for name in ("outcome", "state")
        )
        return ended or bool(self.asked) or any(section.differs for section in self.sections.values())

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
    not_compared = [] if query_here(a) and query_here(b) else ["asked"]
    if results_a is None or results_b is None:
        not_compared.append("runs")
    if fused_a is None or fused_b is None:
        not_compared.append("results")
    return Comparison(
        a=_about(a, results_a is not None, fused_a is not None),
        b=_about(b, results_b is not None, fused_b is not None),
        asked=asked_of(a, b),
        runs=runs_section(a, b),
        steps=steps_section(a, b),
        results=Section()
        if fused_a is None or fused_b is None
        else results_section(fused_a, fused_b, results_a, results_b),
        pages=pages_section(a, b),
        evidence=evidence_section(a, b),
        not_compared=not_compared,
    )


def _about(side: Side, runs_read: bool, results_read: bool) -> dict[str, Any]:
    view = side.view
    begun, ended = begin_here(side), end_here(side)
    here = {
        "asked": query_here(side) and begun,
        "outcome": ended,
        "runs": runs_here(side) and runs_read,
        "steps": steps_here(side),
        "results": results_here(side) and results_read,
        "pages": pages_here(side),
        "evidence": evidence_here(side),
    }
    return {
        "session": view.session,
        "turn": view.number or None,
        "purpose": view.purpose if begun else None,
        "state": view.state if ended else None,
        "outcome": view.outcome if ended else None,
        "began_at": view.began_at if begun else None,
        "query": view.query.text if view.query else None,
        "providers": view.query.providers if view.query else [],
        "incomplete": side.incomplete,
        "not_here": [name for name, all_here in here.items() if not all_here],
    }
