"""Printing what an answer says that its evidence does not, and what nobody could check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlog.cli import out

if TYPE_CHECKING:
    from searchlog.recheck.result import AnswerReport

__all__ = ["print_answer"]


def print_answer(report: AnswerReport) -> None:
    """Print one answer's report for people."""
    shape = report.to_json()
    out.line(f"axis answer: {report.outcome}")
    out.line("  checked  " + (", ".join(f"{n} {what}" for what, n in shape.get("checked", {}).items()) or "nothing"))
    for what, count in shape.get("not_checked", {}).items():
        out.line(f"  not checked: {count} {what}")
    for finding in shape.get("findings", []):
        cited = f" ({', '.join(finding['evidence'])})" if finding.get("evidence") else ""
        out.line(f"  finding {finding['code']}{cited}: {finding.get('message', '')}")
        out.line(f"    in the answer, character {finding.get('start')}: {finding.get('text', '')}")
        if finding.get("expected") is not None or finding.get("found") is not None:
            out.line(f"    expected {finding.get('expected')}, found {finding.get('found')}")
        for step in finding.get("changes", []):
            marks = f"  [{', '.join(step[2:])}]" if step[2:] else ""
            out.line(f"    {step[0]} {step[1].strip()}{marks}")
