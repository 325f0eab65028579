"""Searches run again on what is stored, as a report: was the rendering made again byte for byte? Pure values.

Whoever runs them (`replay`) stands above this room, so what it hands in is told by its members alone. Derivation axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from searchlog.verify.finding import Report

__all__ = ["Rerun", "add_rerun", "rerun_failed"]

_WHAT = "searches run again"


class Rerun(Protocol):
    """What a search gave when it was run again."""

    @property
    def turn(self) -> int: ...
    @property
    def expected(self) -> str:
        """Digest of the recorded rendering."""

    @property
    def found(self) -> str | None:
        """Digest of the rendering now; None when it could not be made."""

    @property
    def same_evidence(self) -> bool: ...
    @property
    def differences(self) -> Sequence[str]:
        """Where it differs from what is recorded, in the order of the work."""

    @property
    def not_checked(self) -> str | None:
        """Why nothing is said of selection and rendering."""


def add_rerun(report: Report, made: Rerun) -> None:
    """Take in one search: equal, not checked, or a finding that names the first step that differs.

    Steps that differ though the same rendering of the same evidence came out are counted, and are no finding: what the
    model was given has been made again.
    """
    if made.not_checked is not None:
        report.skip(f"search not run again: {made.not_checked}")
        return
    report.count(_WHAT)
    where = f"turn {made.turn}"
    first = made.differences[0] if made.differences else "no step before it differs"
    told = f"first difference: {first}" + (f", and {len(made.differences) - 1} more" if made.differences[1:] else "")
    if made.expected != made.found:
        report.add("rendering-not-equal", where, told, expected=made.expected, found=made.found or "none")
    elif not made.same_evidence:
        report.add("evidence-not-equal", where, told)
    elif made.differences:
        report.count("searches run again with other steps, to the same rendering")


def rerun_failed(report: Report, turn: int, why: str) -> None:
    """Take in that a search could not be run again: it was never finished, or what it rests on is not here."""
    report.skip(f"search not run again: turn {turn}: {why}")
