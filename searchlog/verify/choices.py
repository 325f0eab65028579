"""What was chosen, held against what was handed over: a turn's evidence is its selection. Store axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from searchlog.records import BlobRef, Evidence, Selection
from searchlog.verify.finding import Report

__all__ = ["Choices"]


@dataclass
class Choices:
    """The selections and the evidence of each turn, as far as they were read."""

    report: Report
    chosen: dict[int, list[Mapping[str, Any]]] = field(default_factory=dict)
    """What the selections of a turn name, by turn."""
    evidence: dict[int, list[Evidence]] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    """Turns with a selection whose list is missing or damaged."""

    def add_selection(self, turn: int, body: Selection) -> None:
        """Take in a selection."""
        if isinstance(body.chosen, BlobRef):
            self.unknown.add(turn)
        else:
            self.chosen.setdefault(turn, []).extend(body.chosen)

    def add_evidence(self, turn: int, body: Evidence) -> None:
        """Take in a piece of evidence."""
        self.evidence.setdefault(turn, []).append(body)

    def finish(self, whole: bool) -> None:
        """Report each turn whose evidence is not what it chose. whole: every record of the session could be read."""
        for turn, chosen in self.chosen.items():
            if turn in self.unknown:
                continue
            evidence = self.evidence.get(turn, [])
            what = _differs(chosen, evidence)
            if what is None:
                continue
            if whole:
                message, expected, found = what
                self.report.add("selection-differs", f"turn {turn}", message, expected=expected, found=found)
            else:
                self.report.skip("selection whose evidence is not all there")


def _differs(chosen: list[Mapping[str, Any]], evidence: list[Evidence]) -> tuple[str, object, object] | None:
    """Return how evidence differs from what was chosen, in words, and what was expected and found."""
    if len(chosen) != len(evidence):
        return "pieces of evidence", len(chosen), len(evidence)
    pages: dict[int, tuple[str, str]] = {}
    for item, body in zip(chosen, evidence, strict=True):
        source, slice_ = item.get("source"), (item.get("start"), item.get("end"))
        if slice_ != (body.start, body.end):
            return f"slice of {body.id}", f"{slice_[0]} to {slice_[1]}", f"{body.start} to {body.end}"
        # sources are numbers within their turn, so all that can be said is that one number is one page
        page = (body.text, body.payload)
        if type(source) is int and pages.setdefault(source, page) != page:
            return f"page of {body.id}", " ".join(pages[source]), " ".join(page)
    return None
