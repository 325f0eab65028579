"""What a check says of one passage, on one axis: a state, told as verified, failed or not checked. Pure values.

The axes are never merged: *store* (what is kept is intact), *derivation* (the stored page holds the passage), *live*
(the page says it now), *web-archive* (an archive's copy from about then says it). A state is a code of the tables
below; how alike two texts are is never one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from searchlog.drift.drift import Change

__all__ = ["AXES", "DERIVATION", "LIVE", "STATES", "STORE", "WEB_ARCHIVE", "Outcome", "PassageVerdict", "outcome_of"]

Outcome = Literal["verified", "failed", "not checked"]
AXES = ("store", "derivation", "live", "web-archive")

_V: Outcome = "verified"
_F: Outcome = "failed"
_N: Outcome = "not checked"

STORE: Mapping[str, tuple[Outcome, str]] = {
    "intact": (_V, "every byte it rests on matches its digest"),
    "altered": (_F, "bytes do not match the digest or hash that stands for them"),
    "missing": (_F, "bytes that a record names are not there"),
    "erased": (_N, "the record was erased, and a later record says so"),
    "left-out": (_N, "whoever sent the session left it out, and said so"),
    "truncated": (_F, "the session has fewer records than a head that somebody else has seen"),
    "fork": (_F, "the session's records do not extend a head that somebody else has seen"),
}

DERIVATION: Mapping[str, tuple[Outcome, str]] = {
    "at-offsets": (_V, "the page's stored bytes give the stored text again, and the passage stands at its offsets"),
    "extractor-changed": (_V, "today's converter makes another text of the same bytes, and the passage stands in it"),
    "elsewhere": (_F, "the passage stands in the stored text at other offsets than its record says"),
    "not-in-page": (_F, "the passage is not in the visible text of the stored page"),
    "not-in-new-text": (_F, "today's converter makes another text of the same bytes, without the passage as it was"),
    "text-differs": (_F, "the same converter makes another text of the same bytes"),
    "not-checked": (
        _N,
        "the page's bytes or text are not here, could not be converted again, or could not be held "
        "against a second reading of the page",
    ),
}

_TEXT: Mapping[str, tuple[Outcome, str]] = {
    "same-bytes": (_V, "byte for byte the page that was captured then"),
    "intact": (_V, "the page is another one now, and the passage stands in it as it did"),
    "moved": (_V, "the passage stands unchanged elsewhere on the page"),
    "ambiguous": (_N, "the passage stands in several places, and none of them is clearly the old one"),
    "context-changed": (_F, "the same words, and what stands around them says something else"),
    "changed": (_F, "other words stand in its place"),
    "partial": (_F, "some of its sentences are gone"),
    "absent": (_F, "the page is there, and the passage is not in it"),
}

LIVE: Mapping[str, tuple[Outcome, str]] = {
    **_TEXT,
    "personalised": (_N, "two fetches in a row gave different pages, so one of them says little"),
    "redirected-same-site": (_F, "another page of the same site answers, without the passage"),
    "redirected-elsewhere": (_F, "a page of another site answers, without the passage"),
    "redirected-home": (_F, "the home page of a site answers, without the passage"),
    "http-404": (_F, "the server says that there is no such page"),
    "http-410": (_F, "the server says that the page was taken away"),
    "http-451": (_F, "the server says that the page is held back for legal reasons"),
    "http-403": (_N, "the server refuses to show the page"),
    "http-401": (_N, "the server asks for a login"),
    "http-429": (_N, "the server says that it was asked too often"),
    "http-5xx": (_N, "the server fails"),
    "http-other": (_N, "the server answers with a status that is neither the page nor an error of those above"),
    "soft-404": (_F, "suspected: an error page under a status that says success"),
    "paywall": (_N, "suspected: most of the page is held back from those who do not pay"),
    "login-wall": (_N, "suspected: a login form instead of the page"),
    "robots": (_N, "robots.txt asks not to fetch the page"),
    "bot-challenge": (_N, "suspected: a challenge for robots instead of the page"),
    "needs-javascript": (_N, "suspected: the page has no text before its scripts run"),
    "type-changed": (_F, "the address gives something else than a page with text"),
    "truncated": (_N, "the page came in part, and the passage is not in that part"),
    "tls": (_N, "no secure connection could be made"),
    "dns": (_N, "the host's name is not known"),
    "timeout": (_N, "no answer in time"),
    "connect": (_N, "no connection, or one that broke"),
    "refused": (_N, "the address is one that is not fetched"),
    "not-checked": (_N, "nobody asked"),
}

WEB_ARCHIVE: Mapping[str, tuple[Outcome, str]] = {
    **_TEXT,
    "intact": (_V, "the copy is not the same bytes, and the passage stands in it as it did"),
    "none-near": (_N, "the archive has no copy from near that time"),
    "no-text": (_N, "the archive's copy has no text that could be read"),
    "unavailable": (_N, "the archive did not answer"),
}

STATES: Mapping[str, Mapping[str, tuple[Outcome, str]]] = {
    "store": STORE,
    "derivation": DERIVATION,
    "live": LIVE,
    "web-archive": WEB_ARCHIVE,
}
"""By axis: every state, how it is told, and what it means."""


def outcome_of(axis: str, state: str) -> Outcome:
    """Return how a state of an axis is told; a state of a later version is not checked."""
    return STATES.get(axis, {}).get(state, (_N, ""))[0]


@dataclass(frozen=True, slots=True)
class PassageVerdict:
    """What one check found of one passage on one axis."""

    session: str
    evidence: str
    """`e7`."""
    digest: str
    """Of the passage's UTF-8 bytes: two sessions may have an `e7` each."""
    axis: str
    state: str
    url: str
    """Of the page: as the evidence names it."""
    checked_at: str = ""
    """When the page was looked at, RFC 3339 UTC."""
    detail: str = ""
    """In a few words what there is to know of it: a final address, the tests of a suspicion, an archive's address."""
    start: int | None = None
    """Where in the text that was looked at, in code points."""
    end: int | None = None
    changes: tuple[Change, ...] = ()
    similarity: str | None = None
    notes: tuple[str, ...] = ()
    capture: int | None = None
    """Seq of the capture that was looked at, in the session that keeps the check."""

    @property
    def outcome(self) -> Outcome:
        """`verified`, `failed` or `not checked`."""
        return outcome_of(self.axis, self.state)

    def to_json(self) -> dict[str, Any]:
        """Return it as stored and as shown; what is empty is left out."""
        value: dict[str, Any] = {
            "session": self.session,
            "evidence": self.evidence,
            "digest": self.digest,
            "axis": self.axis,
            "state": self.state,
            "outcome": self.outcome,
            "url": self.url,
            "checked_at": self.checked_at,
            "detail": self.detail,
            "start": self.start,
            "end": self.end,
            "changes": [[step.sign, step.words, *step.marks] for step in self.changes],
            "similarity": self.similarity,
            "notes": list(self.notes),
            "capture": self.capture,
        }
        return {name: item for name, item in value.items() if item not in (None, "", [])}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PassageVerdict:
        """Return the verdict that `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        found = cls(
            session=value["session"],
            evidence=value["evidence"],
            digest=value["digest"],
            axis=value["axis"],
            state=value["state"],
            url=value["url"],
            checked_at=value.get("checked_at", ""),
            detail=value.get("detail", ""),
            start=value.get("start"),
            end=value.get("end"),
            changes=tuple(map(_step, _listed(value, "changes"))),
            similarity=value.get("similarity"),
            notes=tuple(_listed(value, "notes")),
            capture=value.get("capture"),
        )
        words = (found.session, found.evidence, found.digest, found.axis, found.state, found.url)
        if not _are(str, *words, found.checked_at, found.detail, found.similarity or "", *found.notes):
            raise TypeError("a member of a verdict that must be a string is none")
        if not _are(int, *(place for place in (found.start, found.end, found.capture) if place is not None)):
            raise TypeError("a place in a verdict is no whole number")
        return found


def _listed(value: Mapping[str, Any], name: str) -> list[Any]:
    found = value.get(name, [])
    if not isinstance(found, list):
        raise TypeError(f"{name} of a verdict is no list")
    return found


def _step(value: Any) -> Change:
    match value:
        case [str(sign), str(words), *marks] if sign in ("=", "-", "+") and _are(str, *marks):
            return Change(sign, words, tuple(marks))
        case _:
            raise TypeError("a step of a difference is none of a sign, words and marks")


def _are(kind: type, *values: object) -> bool:
    """Whether all of these are of a type; True is no whole number."""
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
