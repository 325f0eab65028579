"""What was chosen, held against what was handed over: a turn's evidence is its selection. Store axis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from searchlog.records import BlobRef, Evidence, Selection
from searchlog.verify.finding import Report

__all__ = ["Choices"]


_Chosen = tuple[object, object, object]
"""Source, start and end of a chosen passage, as its record says."""


class _Piece(NamedTuple):
    """What of a piece of evidence has to be what was chosen."""

    id: str
    start: int
    end: int
    page: tuple[str, str]


@dataclass
class Choices:
    """The selections and the evidence of each turn, as far as they were read."""

    report: Report
    chosen: dict[int, list[_Chosen]] = field(default_factory=dict)
    """What the selections of a turn name, by turn."""
    evidence: dict[int, list[_Piece]] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)
    """Turns with a selection whose list is missing or damaged."""
    pages: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Text and payload of each page, held once for all its passages."""

    def add_selection(self, turn: int, body: Selection) -> None:
        """Take in a selection."""
        if isinstance(body.chosen, BlobRef):
            self.unknown.add(turn)
        else:
            named = self.chosen.setdefault(turn, [])
            named += [(item.get("source"), item.get("start"), item.get("end")) for item in body.chosen]

    def add_evidence(self, turn: int, body: Evidence) -> None:
        """Take in a piece of evidence."""
        page = self.pages.setdefault((body.text, body.payload), (body.text, body.payload))
        self.evidence.setdefault(turn, []).append(_Piece(body.id, body.start, body.end, page))

    def finish(self, whole: bool) -> None:
        """Report each turn whose evidence is not what it chose. whole: every record of the session could be read."""
        for turn, chosen in self.chosen.items():
            if turn in self.unknown:
                continue
            what = _differs(chosen, self.evidence.get(turn, []))
            if what is None:
                continue
            if whole:
                message, expected, found = what
                self.report.add("selection-differs", f"turn {turn}", message, expected=expected, found=found, turn=turn)
            else:
                self.report.skip("selection whose evidence is not all there")


def _differs(chosen: list[_Chosen], evidence: list[_Piece]) -> tuple[str, object, object] | None:
    """Return how evidence differs from what was chosen, in words, and what was expected and found."""
    if len(chosen) != len(evidence):
        return "pieces of evidence", len(chosen), len(evidence)
    pages: dict[int, tuple[str, str]] = {}
    for (source, start, end), piece in zip(chosen, evidence, strict=True):
        if (start, end) != (piece.start, piece.end):
            return f"slice of {piece.id}", f"{start} to {end}", f"{piece.start} to {piece.end}"
        # sources are numbers within their turn, so all that can be said is that one number is one page
        if type(source) is int and pages.setdefault(source, piece.page) != piece.page:
            return f"page of {piece.id}", " ".join(pages[source]), " ".join(piece.page)
    return None
