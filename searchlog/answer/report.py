"""What a check of an answer says: findings, what stands, what was not checked. Pure values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["FINDINGS", "UNCHECKED", "AnswerFinding", "AnswerReport", "Unchecked"]

FINDINGS: Mapping[str, str] = {
    "unknown-evidence": "it cites an evidence id that was never given",
    "page-not-opened": "it cites a page that results named and nobody opened",
    "unknown-page": "it cites a page that was neither opened nor found",
    "citation-malformed": "a citation that names nothing",
    "quote-altered": "a quotation whose words differ from those of the evidence",
    "quote-elsewhere": "a quotation that stands in other evidence than it is cited for",
    "quote-absent": "a quotation that stands nowhere in the evidence",
    "native-quote-differs": "a citation beside the text quotes what the evidence does not say",
    "number-unsupported": "a number that does not stand in the cited evidence",
    "date-unsupported": "a date or time that does not stand in the cited evidence",
    "unit-differs": "the number stands in the cited evidence with another unit",
}
"""Every finding code, and what it means."""

UNCHECKED: Mapping[str, str] = {
    "uncited": "a sentence without a citation",
    "judgement": "cited, and nothing in it that could be looked up: whether the evidence bears it out takes judgement",
    "text-not-here": "it cites an opened page whose text is not here",
    "citation-unresolved": "all that it cites is unknown",
    "short-quote": "a quotation too short to mean one place",
    "title": "words in quotation marks that are a title or a name",
    "other-language": "a quotation in another script than the evidence",
    "quote-uncited": "a quotation without a citation that stands in no evidence",
    "small-number": "a small count in words, which may be the answer's own",
    "number-uncited": "a number without a citation of its own that the citations near it do not have",
    "name": "a name with digits that the evidence does not have",
    "converted": "a quantity in another unit than the evidence has, and about the same",
    "reckoned": "a number that may be a sum or a difference of those in the evidence",
    "code": "code, which holds no citations",
    "image": "an image",
}
"""Every reason for which something was not checked."""


@dataclass(frozen=True, slots=True)
class AnswerFinding:
    """One thing in the answer that the evidence does not bear out."""

    code: str
    """One of `FINDINGS`."""
    start: int
    """Range in the answer's text, in code points."""
    end: int
    text: str
    """What stands there."""
    message: str
    cited: tuple[str, ...] = ()
    """What is cited there: ids and addresses, as resolved."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence in which the right words, or the nearest, stand."""
    found: str = ""
    """What that evidence says instead."""
    changes: tuple[tuple[str, str], ...] = ()
    """Word by word: `=`, `-` (the evidence has it), `+` (the answer has it)."""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object; what is empty is left out."""
        value: dict[str, Any] = {
            "code": self.code,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "message": self.message,
            "cited": list(self.cited),
            "evidence": list(self.evidence),
            "found": self.found,
            "changes": [list(step) for step in self.changes],
        }
        return {name: item for name, item in value.items() if item not in ("", [])}


@dataclass(frozen=True, slots=True)
class Unchecked:
    """One thing in the answer that was not checked."""

    reason: str
    """One of `UNCHECKED`."""
    start: int
    end: int
    text: str
    evidence: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        value = {"reason": self.reason, "start": self.start, "end": self.end, "text": self.text}
        return {**value, **({"evidence": list(self.evidence)} if self.evidence else {})}


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """An answer held against its evidence.

    `verified` never means that the answer is right. It means that every citation leads to evidence that the model was
    given, and that every quotation and quantity that has a citation stands in what is cited. Whether sentences say
    what the evidence says is for a reader to judge; `unchecked` lists them.
    """

    findings: tuple[AnswerFinding, ...]
    unchecked: tuple[Unchecked, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """`citations`, `citations_resolved`, `quotations`, `quotations_exact`, `quotations_normalised`,
    `quotations_beyond`, `quantities`, `quantities_supported`, `sentences`, and how many are supported by which note."""

    @property
    def outcome(self) -> Literal["verified", "failed", "not checked"]:
        """`failed` with any finding; `not checked` when nothing could be looked up."""
        if self.findings:
            return "failed"
        looked = ("citations_resolved", "quotations_exact", "quotations_normalised", "quantities_supported")
        return "verified" if any(self.counts.get(name) for name in looked) else "not checked"

    def to_json(self) -> dict[str, Any]:
        """Return it as stored and as shown."""
        return {
            "outcome": self.outcome,
            "counts": dict(self.counts),
            "findings": [finding.to_json() for finding in self.findings],
            "codes": dict(sorted(Counter(f.code for f in self.findings).items())),
            "not_checked": [item.to_json() for item in self.unchecked],
        }
