"""What a verification found: by axis, by passage, typed; and the JSON of `verify --json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from searchlog.answer.report import AnswerFinding
from searchlog.recheck.answers import CheckedAnswer
from searchlog.verify.finding import Finding, Report
from searchlog.verify.verdict import AXES, Outcome, PassageVerdict

__all__ = ["CheckedPassage", "Verification", "outcome_of_all"]


@dataclass(slots=True)
class CheckedPassage:
    """One piece of evidence, and what each axis says of it."""

    session: str
    evidence: str
    digest: str
    url: str
    captured_at: str
    title: str = ""
    exact: str = ""
    prefix: str = ""
    suffix: str = ""
    heading_path: tuple[str, ...] = ()
    link: str = ""
    verdicts: dict[str, PassageVerdict] = field(default_factory=dict)
    """By axis; only those that were checked."""
    earlier: frozenset[str] = frozenset()
    """Axes whose verdict is one that was kept earlier, and still counts."""

    def to_json(self) -> dict[str, Any]:
        """Return it as shown."""
        return {
            "session": self.session,
            "evidence": self.evidence,
            "digest": self.digest,
            "url": self.url,
            "title": self.title,
            "captured_at": self.captured_at,
            "exact": self.exact,
            "prefix": self.prefix,
            "suffix": self.suffix,
            "heading_path": list(self.heading_path),
            "link": self.link,
            "verdicts": {axis: self.verdicts[axis].to_json() for axis in AXES if axis in self.verdicts},
            "earlier": sorted(self.earlier),
        }


@dataclass(slots=True)
class Verification:
    """What was found of one or more sessions. The axes stand side by side; there is no verdict over all of them."""

    subject: str
    """What was verified, in words."""
    archive: str
    began_at: str = ""
    ended_at: str = ""
    reports: list[Report] = field(default_factory=list)
    """Of whole sessions: axes `store`, `derivation`, and `snapshot` of a file."""
    passages: list[CheckedPassage] = field(default_factory=list)
    answers: list[CheckedAnswer] = field(default_factory=list)
    kept_in: str | None = None
    """The session that keeps the checks, and the turn: `checks-… turn 3`; None when they were not kept."""
    not_kept: str | None = None
    """Why they were not kept."""

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """By axis that was checked: `failed` with a finding, `not checked` where something could not be looked at."""
        found: dict[str, list[Outcome]] = {}
        for report in self.reports:
            found.setdefault(report.axis, []).append(report.outcome)
        for passage in self.passages:
            for axis, verdict in passage.verdicts.items():
                found.setdefault(axis, []).append(verdict.outcome)
        for answer in self.answers:
            found.setdefault("answer", []).append(answer.report.outcome)
        return {axis: outcome_of_all(told) for axis, told in found.items()}

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """By axis, how many passages are in which state."""
        counts: dict[str, dict[str, int]] = {}
        for passage in self.passages:
            for axis, verdict in passage.verdicts.items():
                states = counts.setdefault(axis, {})
                states[verdict.state] = states.get(verdict.state, 0) + 1
        return counts

    @property
    def findings(self) -> tuple[Finding | PassageVerdict | AnswerFinding, ...]:
        """Return all that was found wrong on any axis, each in its own type; web archives only tell."""
        found: list[Finding | PassageVerdict | AnswerFinding] = []
        for report in self.reports:
            found += report.findings
        for passage in self.passages:
            found += [v for axis, v in passage.verdicts.items() if v.outcome == "failed" and axis != "web-archive"]
        for answer in self.answers:
            found += answer.report.findings
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `verify --json`."""
        return {
            "subject": self.subject,
            "archive": self.archive,
            "began_at": self.began_at,
            "ended_at": self.ended_at,
            "outcomes": self.outcomes,
            "counts": self.counts,
            "reports": [report.to_json() for report in self.reports],
            "passages": [passage.to_json() for passage in self.passages],
            "answers": [answer.to_json() for answer in self.answers],
            "kept_in": self.kept_in,
            "not_kept": self.not_kept,
        }


def outcome_of_all(told: Iterable[Outcome]) -> Outcome:
    """Return how several are told together: absence is never success, and one failure is one."""
    outcomes = set(told)
    if "failed" in outcomes:
        return "failed"
    return "verified" if outcomes == {"verified"} else "not checked"
