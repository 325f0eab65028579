"""The passages of a verification, each with what every axis says of it: those that failed first. Pure.

Grouping is for reading only: a passage stands with the failed ones when any axis failed, and each axis keeps its own
verdict. Those on which every check held are folded away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from searchlog.ui.chips import chip
from searchlog.ui.diffs import diff
from searchlog.ui.given import list_in, mapping_in, mappings_in, offset_in, texts_in
from searchlog.ui.meanings import NOTES, OUTCOMES, axis_of, meaning_of, outcome_in
from searchlog.ui.page import (
    Piece,
    cut_at,
    element,
    foreign,
    joined,
    link,
    moment,
    more_of,
    number,
    pieces,
    words,
)
from searchlog.ui.seen import Seen, direction, language
from searchlog.verify.verdict import AXES, STATES

__all__ = ["Passage", "anchor_of", "passages_of", "passages_section"]

_PASSAGES_MAX = 2_000
"""Of one group; the others are in the JSON."""
_TEXT_MAX = 1_500
"""Characters of a passage."""
_AROUND_MAX = 120
"""Characters of what stands around it."""
_HEADINGS_MAX = 8
_NOTES_MAX = 20

_GROUPS: Mapping[str, tuple[str, str]] = {
    "failed": ("At least one check failed", "Of each of these passages, one axis or more says that something differs."),
    "not checked": (
        "Nothing failed, and something was not checked",
        "Of each of these passages, one axis or more could not be looked at, or nobody asked.",
    ),
    "verified": ("Every check that was made held", "Folded, so that the others are seen; each opens."),
}


@dataclass(frozen=True)
class Passage:
    """One passage and its verdicts by axis."""

    place: int
    """Among all passages, from 0."""
    given: Mapping[str, Any]

    @property
    def anchor(self) -> str:
        """The name by which links of the page reach it."""
        return f"passage-{self.place + 1}"

    @cached_property
    def verdicts(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Axis and verdict, the known axes first and in their order."""
        verdicts = mapping_in(self.given, "verdicts")
        names = [*(axis for axis in AXES if axis in verdicts), *(axis for axis in verdicts if axis not in AXES)]
        return [(axis, mapping_in(verdicts, axis)) for axis in names]

    @cached_property
    def group(self) -> str:
        """`failed` when any axis failed, `verified` when all held, else `not checked`."""
        outcomes = {outcome_in(verdict.get("outcome")) for _, verdict in self.verdicts}
        return next((outcome for outcome in OUTCOMES if outcome in outcomes), "not checked")


def passages_of(verification: Mapping[str, Any]) -> Sequence[Passage]:
    """Return the passages of a verification, in their order."""
    return [Passage(place, given) for place, given in enumerate(mappings_in(verification, "passages"))]


def anchor_of(axis: str, state: str) -> str:
    """Return the name of the first place of the page where a passage is in this state."""
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in state)
    return f"state-{axis}-{plain}"


def passages_section(passages: Sequence[Passage]) -> Piece:
    """Return the section of all passages; nothing when there are none."""
    if not passages:
        return Piece()
    many_sessions = len({words(passage.given.get("session")) for passage in passages}) > 1
    seen: set[str] = set()
    groups = []
    for outcome in OUTCOMES:
        members = [passage for passage in passages if passage.group == outcome]
        if members:
            groups.append(_group(outcome, members, many_sessions, seen))
    legend = element(
        "p",
        "In a comparison ",
        element("del", element("span", "−", class_="sign"), "words"),
        " stood there when the page was captured and ",
        element("ins", element("span", "+", class_="sign"), "words"),
        " stand there in what was looked at now. What changed of weight is labelled: ",
        element("small", "number", class_="mark"),
        " ",
        element("small", "negation", class_="mark"),
        " and so on. How alike two texts are decides nothing.",
        class_="legend",
    )
    return element("section", element("h2", "Passages"), legend, *groups, id="passages")


def _group(outcome: str, members: Sequence[Passage], many_sessions: bool, seen: set[str]) -> Piece:
    title, said = _GROUPS[outcome]
    cards = [_card(passage, many_sessions, seen) for passage in members[:_PASSAGES_MAX]]
    left = len(members) - len(cards)
    return element(
        "section",
        element("h3", title, " ", element("span", number(len(members)), class_="count")),
        element("p", said, class_="quiet"),
        *cards,
        more_of(left, "passage"),
        class_=f"group {outcome.replace(' ', '-')}",
        id="passages-" + outcome.replace(" ", "-"),
    )


def _card(passage: Passage, many_sessions: bool, seen: set[str]) -> Piece:
    given = passage.given
    name = foreign(given.get("evidence"), 40, class_="id") or element("span", "no id", class_="id")
    title = foreign(given.get("title"), 200) or element("span", "without a title", class_="quiet")
    earlier = texts_in(given, "earlier")
    heading = element("h4", name, " ", title)
    # written before the body, so that a state's first place is where a reader sees it first
    body = [
        _source(given, many_sessions),
        _quote(given),
        element(
            "ul",
            *(_axis(axis, verdict, seen, axis in earlier) for axis, verdict in passage.verdicts),
            class_="verdicts",
        ),
        *(_comparison(axis, verdict) for axis, verdict in passage.verdicts),
    ]
    if passage.group != "verified":
        return element("article", heading, *body, class_="passage", id=passage.anchor)
    states = [
        element("span", axis_of(axis).name, " ", foreign(verdict.get("state"), 60))
        for axis, verdict in passage.verdicts
    ]
    summary = element("summary", heading, element("span", joined(states, " · "), class_="quiet"))
    return element("article", element("details", summary, *body), class_="passage", id=passage.anchor)


def _source(given: Mapping[str, Any], many_sessions: bool) -> Piece:
    facts = [
        link(given.get("url")) if words(given.get("url")) else None,
        pieces("captured ", moment(given.get("captured_at"))) if words(given.get("captured_at")) else None,
        link(given.get("link"), "the passage on the page, in a browser"),
        pieces("session ", foreign(given.get("session"), 80)) if many_sessions else None,
        foreign(_shortened(words(given.get("digest"))), 80, class_="digest"),
    ]
    return element("p", joined([fact for fact in facts if fact], " · "), class_="source")


def _shortened(digest: str) -> str:
    """Return a digest with its first twelve digits; the JSON has all."""
    name, _, digits = digest.partition(":")
    return f"{name}:{digits[:12]}…" if len(digits) > 12 else digest


def _quote(given: Mapping[str, Any]) -> Piece:
    text = words(given.get("exact"))
    headings = [foreign(heading, 160) for heading in texts_in(given, "heading_path")[:_HEADINGS_MAX]]
    path = element("p", "under ", joined(headings, " › "), class_="path") if headings else None
    if not text:
        return pieces(path, element("p", "The passage’s own words are not here.", class_="quiet"))
    before, after = words(given.get("prefix")), words(given.get("suffix"))
    quote = element(
        "blockquote",
        _around(before[-_AROUND_MAX:]),
        element("span", Piece(Seen(text[:_TEXT_MAX]).html()), class_="exact"),
        cut_at(_TEXT_MAX, len(text)),
        _around(after[:_AROUND_MAX]),
        lang=language(text),
        dir=direction(text),
    )
    return pieces(path, quote)


def _around(text: str) -> Piece:
    return element("span", Piece(Seen(text).html()), class_="around") if text else Piece()


def _axis(axis: str, verdict: Mapping[str, Any], seen: set[str], earlier: bool) -> Piece:
    state = words(verdict.get("state"))
    anchor = anchor_of(axis, state)
    meaning = meaning_of(axis, state)
    known = axis_of(axis).name if axis in AXES else None
    first = element("span", class_="anchor", id=anchor) if axis in STATES and anchor not in seen else None
    seen.add(anchor)
    facts = [fact for fact in _facts(verdict) if fact]
    facts += [pieces("kept from an earlier check")] if earlier else []
    return element(
        "li",
        element("span", known or foreign(axis, 40), class_="axis"),
        chip(outcome_in(verdict.get("outcome"))),
        element(
            "div",
            first,
            element("span", foreign(state, 60), class_="state") if state else None,
            f" {meaning}" if meaning else None,
            element("p", joined(facts, " · "), class_="facts") if facts else None,
            class_="said",
        ),
    )


def _facts(verdict: Mapping[str, Any]) -> Iterator[Piece | None]:
    """Yield what else a verdict says, a few words each."""
    yield foreign(verdict.get("detail"), 600)
    notes = texts_in(verdict, "notes")
    for note in notes[:_NOTES_MAX]:
        yield pieces(NOTES[note]) if note in NOTES else foreign(note, 80)
    if len(notes) > _NOTES_MAX:
        yield pieces(f"{number(len(notes) - _NOTES_MAX)} more notes")
    start, end = offset_in(verdict, "start"), offset_in(verdict, "end")
    if start is not None and end is not None:
        yield pieces(f"at characters {number(start)} to {number(end)}")
    capture = offset_in(verdict, "capture")
    if capture is not None:
        yield pieces(f"capture {number(capture)} of the check’s session")
    similarity = words(verdict.get("similarity"))
    if similarity:
        yield pieces("likeness ", foreign(similarity, 12))
    if words(verdict.get("checked_at")):
        yield pieces("checked ", moment(verdict.get("checked_at")))


def _comparison(axis: str, verdict: Mapping[str, Any]) -> Piece | None:
    shown = diff(list_in(verdict, "changes"))
    if not shown:
        return None
    name = axis_of(axis).name if axis in AXES else foreign(axis, 40)
    return element("figure", element("figcaption", "What differs · ", name), shown)
