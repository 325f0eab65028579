"""What a verification says: findings, counts, and how much the verdict proves. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from searchlog.verify.damage import WORST, Damage, worse

__all__ = ["FINDINGS", "STATE_OF", "Finding", "Report", "Support"]

FINDINGS = {
    "line-altered": "a line does not match the leaf hash stored with it",
    "head-mismatch": "the lines do not give the head that was stored with the last append",
    "truncated": "the session has fewer records than a head that somebody else has seen",
    "fork": "the session's records do not extend a head that somebody else has seen",
    "erased-unexplained": "a line is erased, and no record of the session says so",
    "record-unreadable": "a line is not a record in the form its kind has",
    "record-misplaced": "a record names another session or another place than where it stands",
    "turn-broken": "a turn ends that was not begun, or ends twice",
    "blob-missing": "a record names a blob that is not there",
    "blob-altered": "a blob's bytes do not match its digest or its size",
    "blob-unreadable": "a blob is there and this machine cannot read it, so nothing can be said of its bytes",
    "run-differs": "a run names another provider, time or texts than its exchanges and its results have",
    "counts-differ": "a step's numbers do not add up, or do not fit the step before it",
    "selection-differs": "the evidence of a turn is not what its selection chose, slice by slice and in order",
    "passage-differs": "a passage is not the slice of the stored text that its record names",
    "evidence-unrooted": "evidence names a text or payload that no record of this session holds",
    "evidence-differs": "evidence says something of its page that the records of that page do not bear out",
    "evidence-id-repeated": "one evidence id names two passages",
    "rendering-unrooted": "a rendering names evidence that no record of this session holds",
    "rendering-differs": "a rendering shows other evidence than its records say",
    "passage-not-visible": "a passage is not found in the visible text of the stored page",
    "snapshot-unreadable": "the file is no sound snapshot, and the rest of it was not looked at",
    "name-differs": "the snapshot is another one than was asked for",
    "layout-differs": "the file is not laid out as a snapshot is",
    "member-differs": "a member is missing, unlisted, or not what the manifest says",
    "document-differs": "a document repeats something else than what the log and the archive hold",
    "archive-differs": "a record of the archive is not what the log gives",
    "signature-invalid": "a signature of the head does not hold, or is of another head",
    "token-invalid": "a time-stamp token is of another head, or in no form of its standard",
    "cosignature-invalid": "a witness's cosignature of the head does not hold, or is of another head",
    "text-differs": "converting the stored payload again with the same converter gives another text",
    "rendering-not-equal": "a search run again on what is stored gives another rendering than the model was given",
    "evidence-not-equal": "a search run again on what is stored gives the same rendering of other evidence",
}
"""Every finding code, and what it means. Each has a test that causes exactly it."""

STATE_OF: Mapping[str, str] = {
    "truncated": "truncated",
    "fork": "fork",
    "erased-unexplained": "missing",
    "blob-missing": "missing",
    "blob-unreadable": "missing",
}
"""The state of a store, by finding; any other finding of the store or of a snapshot file means that it is altered."""
_SEALS = frozenset({"signature-invalid", "token-invalid", "cosignature-invalid"})
_ABSENT = {"erased": "erased", "records left out": "left-out", "blobs left out": "left-out"}
"""The state of a store, by what was not checked."""

_FINDINGS_MAX = 1_000
"""What is told; a file made to have millions of them would else fill the memory."""
_SUBSTANCE = ("records", "pages", "members", "searches run again")
"""What a verdict rests on: hashes of lines that are all erased say nothing of what was done."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One discrepancy."""

    code: str
    where: str
    """What it is about: `record 17`, a digest, an evidence id."""
    message: str
    expected: str | None = None
    found: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as stored."""
        value = {"code": self.code, "where": self.where, "message": self.message}
        more = {"expected": self.expected, "found": self.found}
        return value | {name: item for name, item in more.items() if item is not None}


@dataclass(frozen=True, slots=True)
class Support:
    """One thing that others say of a head which the session extends: each is listed, none stands for another."""

    level: str
    """L1: a key that was named signed it. L2: it was kept outside the archive. L3: an authority time-stamped it. L4: a
    witness that was named cosigned it."""
    size: int
    """How many records the head covers: nothing is said of those after them."""
    who: str = ""
    """The name of the key, of the authority, or of the witness."""
    at: str = ""
    """When, as the authority or the witness says, RFC 3339 UTC; empty for L1 and L2."""

    def to_json(self) -> dict[str, Any]:
        """Return it as shown; what is empty is left out."""
        return {name: value for name in ("level", "size", "who", "at") if (value := getattr(self, name)) != ""}


@dataclass(slots=True)
class Report:
    """One axis checked over one session."""

    session: str
    axis: str
    """`store`, `derivation`, or `snapshot`: the file that a session came in."""
    size: int = 0
    root: str = ""
    """The head that was checked, base64."""
    level: str = "L0"
    """L0 self-consistent; when nothing was found, the highest level of `support`."""
    seen_size: int = 0
    """How many records the largest head covers that somebody else has seen and that the session extends; L2 is said
    of these, and not of those after them."""
    support: list[Support] = field(default_factory=list)
    """What others say of heads that the session extends, whether or not anything was found."""
    states: dict[str, int] = field(default_factory=dict)
    """How many passages are in which state of the axis, where each was looked at for itself."""
    checked: dict[str, int] = field(default_factory=dict)
    """How many things of each sort were looked at."""
    not_checked: dict[str, int] = field(default_factory=dict)
    """How many could not be looked at, and why: absence is never success."""
    findings: list[Finding] = field(default_factory=list)
    """The first 1,000."""
    untold: int = 0
    """How many more there were."""
    damage: Damage = field(default_factory=Damage)
    """Which records and blobs the findings are about; for `passages`, and not shown."""
    reading: int | None = None
    """The seq of the record that is being read; not shown."""

    @property
    def outcome(self) -> Literal["verified", "failed", "not checked"]:
        """`failed` with findings, `not checked` when no record or page could be looked at, else `verified`."""
        if self.findings:
            return "failed"
        return "verified" if any(self.checked.get(name) for name in _SUBSTANCE) else "not checked"

    @property
    def state(self) -> str:
        """Of a store: the worst of intact, left-out, erased, missing, truncated, altered and fork; else empty.

        `not-checked` where nothing was looked at.
        """
        if self.axis not in ("store", "snapshot"):
            return ""
        found = self.damage.worst
        for why, state in _ABSENT.items():
            if self.not_checked.get(why):
                found = worse(found, state)
        return "not-checked" if found == WORST[0] and self.outcome == "not checked" else found

    def count(self, what: str, number: int = 1) -> None:
        """Note that this many more were looked at."""
        self.checked[what] = self.checked.get(what, 0) + number

    def skip(self, why: str) -> None:
        """Note that one could not be looked at."""
        self.not_checked[why] = self.not_checked.get(why, 0) + 1

    def add(
        self,
        code: str,
        where: str,
        message: str = "",
        *,
        expected: object = None,
        found: object = None,
        about: int | str | None = None,
        turn: int | None = None,
    ) -> None:
        """Add a finding.

        about: the seq of the record or the digest of the blob that it is about, in place of the record that is being
        read (`reading`); turn: it is about this turn as a whole. Where there is none of these, it is about the session.
        """
        if code not in FINDINGS:
            raise AssertionError(f"no finding is called {code}")
        self._note(code, where, self.reading if about is None else about, turn)
        if len(self.findings) >= _FINDINGS_MAX:
            self.untold += 1
            return
        shown = [None if value is None else str(value) for value in (expected, found)]
        self.findings.append(Finding(code, where, message or FINDINGS[code], *shown))

    def _note(self, code: str, where: str, about: int | str | None, turn: int | None) -> None:
        state, why = STATE_OF.get(code, "altered"), f"{code}: {where}"
        if code in _SEALS:
            self.damage.worst = worse(self.damage.worst, state)  # what others say of a head changes no record
        elif turn is not None:
            self.damage.note_turn(state, why, turn)
        else:
            self.damage.note(state, why, about)

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `verify --json`."""
        return {
            "session": self.session,
            "axis": self.axis,
            "outcome": self.outcome,
            **({"state": self.state} if self.state else {}),
            "level": self.level,
            "seen_size": self.seen_size,
            **({"support": [item.to_json() for item in self.support]} if self.support else {}),
            **({"states": self.states} if self.states else {}),
            "size": self.size,
            "root": self.root,
            "checked": self.checked,
            "not_checked": self.not_checked,
            "untold": self.untold,
            "findings": [finding.to_json() for finding in self.findings],
        }
