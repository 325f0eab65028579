"""A model's answer with what was found wrong in it: marked in place, and listed. Pure.

Ranges of findings may overlap. Of a long answer, what stands around the findings is shown, and how much is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from searchlog.ui.chips import chip
from searchlog.ui.diffs import diff
from searchlog.ui.findings import expected_and_found
from searchlog.ui.given import count_in, list_in, mapping_in, mappings_in, offset_in, texts_in
from searchlog.ui.meanings import NOTES, outcome_in
from searchlog.ui.page import Piece, element, foreign, joined, more_of, number, pieces, several, words
from searchlog.ui.seen import Seen, direction, language

__all__ = ["answers_section", "unchecked_in"]

_ANSWERS_MAX = 100
_FINDINGS_MAX = 500
"""Of one answer."""
_WHOLE_MAX = 20_000
"""Characters of an answer that is shown whole; of a longer one so many are shown in all, and more for findings."""
_AROUND = 400
"""Characters around a finding in a longer one."""
_RANGE_MAX = 2_000
"""Characters of one finding's place in a longer one."""
_SHOWN_MAX = 80_000
_EVIDENCE_MAX = 12
_COUNTS_MAX = 30
_UNCHECKED_MAX = 200

Links = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Range:
    """Where a finding stands in the answer, and its number in the list, from 1."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the list of an answer's findings needs to know of the page."""

    place: int
    """Of the answer among all, from 1."""
    session: str
    links: Links
    placed: Collection[int]
    """The numbers of findings that are marked in the text."""


def answers_section(answers: Sequence[Mapping[str, Any]], links: Links) -> Piece:
    """Return the section of all answers; nothing when there are none.

    links: by session and evidence id, where on the page that passage is; under an empty session those ids that only
    one session has.
    """
    if not answers:
        return Piece()
    shown = [_answer(place, answer, links) for place, answer in enumerate(answers[:_ANSWERS_MAX], 1)]
    left = len(answers) - len(shown)
    return element(
        "section",
        element("h2", "Answers"),
        element(
            "p",
            "Marked places are numbered, and the list beneath says what was found there. Of a place without a mark "
            "nothing is claimed. In a comparison − is what the evidence says, and + what the answer says.",
            class_="quiet",
        ),
        *shown,
        more_of(left, "answer"),
        id="answers",
    )


def _answer(place: int, answer: Mapping[str, Any], links: Links) -> Piece:
    text = words(answer.get("text"))
    findings = mappings_in(answer, "findings")[:_FINDINGS_MAX]
    untold = len(mappings_in(answer, "findings")) - len(findings) + count_in(answer, "untold")
    session = words(answer.get("session"))
    facts = [
        pieces("from ", foreign(answer.get("source"), 200)) if words(answer.get("source")) else None,
        pieces("session ", foreign(session, 80)) if session else None,
        pieces("form ", foreign(answer.get("form"), 40)) if words(answer.get("form")) else None,
        pieces(several(len(text), "character")),
        pieces("looked at: ", said) if (said := _counts(mapping_in(answer, "counts"))) else None,
    ]
    ranges = list(_ranges(findings, len(text)))
    windows = _windows(len(text), ranges)
    placed = {one.number for one in ranges if any(start <= one.start <= end for start, end in windows)}
    frame = _Frame(place, session, links, placed)
    items = [_finding(frame, n, finding) for n, finding in enumerate(findings, 1)]
    return element(
        "article",
        element("h3", f"Answer {place}"),
        element(
            "p", chip(outcome_in(answer.get("outcome"))), " ", joined([f for f in facts if f], " · "), class_="facts"
        ),
        _marked(place, text, windows, ranges),
        element("ol", *items, class_="findings") if items else None,
        more_of(untold, "finding"),
        _unchecked(answer),
        class_="answer",
        id=f"answer-{place}",
    )


def _counts(counts: Mapping[str, Any]) -> Piece:
    names = [name for name in counts if count_in(counts, name)][:_COUNTS_MAX]
    said = [pieces(f"{number(count_in(counts, name))} ", foreign(name.replace("_", " "), 80)) for name in names]
    return joined(said, ", ")


def unchecked_in(answer: Mapping[str, Any]) -> Mapping[str, int]:
    """Return how many things in an answer were not checked, by reason; it has them counted, or one by one."""
    counted = mapping_in(answer, "not_checked")
    if counted:
        return {why: count_in(counted, why) for why in counted}
    return Counter(words(item.get("reason")) for item in mappings_in(answer, "not_checked"))


def _unchecked(answer: Mapping[str, Any]) -> Piece | None:
    """Return what was not checked: how many for which reason, and behind it the places themselves."""
    counts = unchecked_in(answer)
    if not any(counts.values()):
        return None
    said = pieces("Not checked: ", _counts(counts), ".")
    items = mappings_in(answer, "not_checked")
    if not items:
        return element("p", said, class_="quiet")
    rows = [
        element("li", element("b", foreign(item.get("reason"), 60)), " · ", foreign(item.get("text"), 300))
        for item in items[:_UNCHECKED_MAX]
    ]
    listed = element("ul", *rows, class_="findings")
    return element(
        "details", element("summary", said, class_="quiet"), listed, more_of(len(items) - len(rows), "place")
    )


# --- the text with its marks


def _ranges(findings: Sequence[Mapping[str, Any]], length: int) -> Iterator[_Range]:
    """Yield where findings stand; one whose range does not fit the text is in the list alone."""
    for n, finding in enumerate(findings, 1):
        start, end = offset_in(finding, "start"), offset_in(finding, "end")
        if start is not None and end is not None and start <= end <= length:
            yield _Range(start, end, n)


def _marked(place: int, text: str, windows: Sequence[tuple[int, int]], ranges: Sequence[_Range]) -> Piece:
    if not text:
        return element("p", "The answer’s own words are not here.", class_="quiet")
    shown: list[Piece] = []
    at = 0
    for start, end in windows:
        inside = [_Range(one.start, min(end, one.end), one.number) for one in ranges if start <= one.start <= end]
        shown += (_left_out(start - at), *_window(place, text, start, end, inside))
        ranges = [one for one in ranges if one.start > end]
        at = end
    shown.append(_left_out(len(text) - at))
    return element("blockquote", *shown, class_="text", lang=language(text), dir=direction(text))


def _left_out(count: int) -> Piece:
    if not count:
        return Piece()
    return element("span", f" … {several(count, 'character')} not shown … ", class_="cut", dir="ltr", lang="en")


def _windows(length: int, ranges: Sequence[_Range]) -> Sequence[tuple[int, int]]:
    """Return the parts of the text that are shown, in order and apart.

    All of a short one; of a longer one its beginning and what stands around each finding, as far as they fit.
    """
    if length <= _WHOLE_MAX:
        return [(0, length)]
    wanted = [(max(0, one.start - _AROUND), min(length, one.end + _AROUND, one.start + _RANGE_MAX)) for one in ranges]
    apart: list[tuple[int, int]] = []
    for start, end in sorted([(0, _WHOLE_MAX // 2), *wanted]):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    shown: list[tuple[int, int]] = []
    room = _SHOWN_MAX
    for start, end in apart:
        if room > 0:
            shown.append((start, min(end, start + room)))
            room -= end - start
    return shown


def _window(place: int, text: str, start: int, end: int, ranges: Sequence[_Range]) -> Iterator[Piece]:
    """Yield one part of the text, cut where ranges begin and end; behind each range stands its number."""
    seen = Seen(text[start:end])  # of a part alone: a megabyte of hidden characters takes seconds to look through
    cuts = sorted({start, end, *(at for one in ranges for at in (one.start, one.end))})
    yield from (_reference(place, one.number) for one in ranges if one.end == start)
    for first, last in pairwise(cuts):
        part = Piece(seen.html(first - start, last - start))
        depth = sum(one.start <= first and last <= one.end for one in ranges)
        yield element("mark", part, class_="twice" if depth > 1 else None) if depth else part
        yield from (_reference(place, one.number) for one in ranges if one.end == last)


def _reference(place: int, finding: int) -> Piece:
    there = element("a", str(finding), href=f"#answer-{place}-{finding}", aria_label=f"finding {finding}")
    return element("sup", there, id=f"answer-{place}-at-{finding}", dir="ltr", lang="en")


# --- the list


def _finding(frame: _Frame, n: int, finding: Mapping[str, Any]) -> Piece:
    said = foreign(finding.get("text"), 300)
    there = element("a", said, href=f"#answer-{frame.place}-at-{n}") if said and n in frame.placed else said
    cited = [_evidence(frame, id_) for id_ in texts_in(finding, "cited")[:_EVIDENCE_MAX]]
    evidence = [_evidence(frame, id_) for id_ in texts_in(finding, "evidence")[:_EVIDENCE_MAX]]
    notes = [pieces(NOTES[note]) if note in NOTES else foreign(note, 80) for note in texts_in(finding, "notes")[:8]]
    return element(
        "li",
        element("p", joined([part for part in (element("b", foreign(finding.get("code"), 60)), there) if part], " · ")),
        element("p", foreign(finding.get("message"), 1_000)) if words(finding.get("message")) else None,
        expected_and_found(finding),
        element("p", "cited ", joined(cited, ", "), class_="facts") if cited else None,
        element("p", "evidence ", joined(evidence, ", "), class_="facts") if evidence else None,
        element("p", joined(notes, " · "), class_="facts") if notes else None,
        diff(list_in(finding, "changes")),
        id=f"answer-{frame.place}-{n}",
    )


def _evidence(frame: _Frame, id_: str) -> Piece:
    there = frame.links.get((frame.session, id_)) or frame.links.get(("", id_))
    shown = foreign(id_, 200, class_="id")
    return element("a", shown, href=f"#{there}") if there else shown
