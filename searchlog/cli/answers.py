"""Printing what an answer says that its evidence does not, and what nobody could check."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from searchlog.cli import out

if TYPE_CHECKING:
    from searchlog.answer.report import AnswerFinding, Unchecked
    from searchlog.recheck.answers import CheckedAnswer

__all__ = ["print_answer"]

_SHOWN_MAX = 5
"""Sentences of each sort that nobody checked and that are shown; `--json` has all."""


def print_answer(checked: CheckedAnswer) -> None:
    """Print one answer's report for people."""
    report = checked.report
    kept = f", kept as record {checked.seq}" if checked.seq is not None else ""
    out.line(f"answer to session {checked.session}{kept}, axis answer: {report.outcome}")
    counted = [f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items()]
    out.line("  checked  " + (", ".join(counted) or "nothing"))
    for finding in report.findings:
        _finding(finding)
    for reason, count in Counter(item.reason for item in report.unchecked).items():
        _unchecked(reason, count, [item for item in report.unchecked if item.reason == reason])


def _finding(finding: AnswerFinding) -> None:
    cited = f", cited {', '.join(finding.cited)}" if finding.cited else ""
    out.line(f"  finding {finding.code}: {finding.message}")
    out.line(f"    character {finding.start}{cited}: {finding.text}")
    if finding.found:
        where = f"{', '.join(finding.evidence)} says: " if finding.evidence else "the evidence says: "
        out.line(f"    {where}{finding.found}")
    elif finding.evidence:
        out.line(f"    stands in {', '.join(finding.evidence)}")
    for sign, words in finding.changes:
        if sign != "=":
            out.line(f"    {sign} {words.strip()}")


def _unchecked(reason: str, count: int, items: list[Unchecked]) -> None:
    from searchlog.answer.report import UNCHECKED

    out.line(f"  not checked: {count} {reason}: {UNCHECKED[reason]}")
    for item in items[:_SHOWN_MAX]:
        out.line(f"    {item.text}")
    if count > _SHOWN_MAX:
        out.line(f"    … and {count - _SHOWN_MAX} more")
