"""A verification as one self-contained HTML page. Pure: equal input gives equal bytes.

The page runs no script and asks for nothing: its policy forbids both. It opens from disk, prints, and reads on a
phone. What a page of the web says is shown as text, never as markup (`page`, `seen`).

    Path("report.html").write_text(report_page(json.loads(output)), "utf-8")

The axes are told one beside the other and never merged: there is no verdict over all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from searchlog.ui.answers import answers_section, unchecked_in
from searchlog.ui.bars import bar, told
from searchlog.ui.chips import chip
from searchlog.ui.findings import findings_section
from searchlog.ui.given import count_in, mapping_in, mappings_in
from searchlog.ui.meanings import AXES, LEVELS, OUTCOMES, axis_of, meaning_of, outcome_in
from searchlog.ui.page import Piece, document, element, foreign, joined, moment, more_of, number, pieces, several, words
from searchlog.ui.passages import Passage, anchor_of, passages_of, passages_section
from searchlog.ui.style import STYLE
from searchlog.verify.verdict import STATES, outcome_of

__all__ = ["report_page"]

_ROWS_MAX = 200
_ALWAYS = ("store", "derivation", "live", "web-archive", "answer")


def report_page(verification: Mapping[str, Any]) -> str:
    """Return the page of a verification, as `verify --json` gives it; write it as UTF-8.

    verification: `subject`, `archive`, `began_at`, `ended_at`, `outcomes` and `counts` by axis, `reports`, `passages`,
    `answers`. What is missing is left out, and what is not known is shown by its code.
    """
    passages = passages_of(verification)
    subject = words(verification.get("subject")) or "an archive"
    answers = mappings_in(verification, "answers")
    main = element(
        "main",
        _axes(verification),
        _counts(mapping_in(verification, "counts"), passages),
        passages_section(passages),
        findings_section(mappings_in(verification, "reports")),
        answers_section(answers, _links(passages)),
        _not_checked(verification),
    )
    header = _header(verification, subject, passages, len(answers))
    footer = element(
        "footer",
        element(
            "p",
            "Made by searchlog. This page runs no script and fetches nothing. Links lead to pages as they are now; "
            "hidden characters in quoted text are named, such as ",
            element("span", "U+202E", class_="unseen"),
            ".",
        ),
    )
    return document(f"Verification of {subject}", STYLE, [header, main, footer])


def _header(verification: Mapping[str, Any], subject: str, passages: Sequence[Passage], answer_count: int) -> Piece:
    began, ended = verification.get("began_at"), verification.get("ended_at")
    facts = [
        pieces("archive ", foreign(verification.get("archive"))) if words(verification.get("archive")) else None,
        pieces("checked from ", moment(began), *((" to ", moment(ended)) if words(ended) else ()))
        if words(began)
        else None,
        pieces(several(len(passages), "passage")),
        pieces(several(answer_count, "answer")) if answer_count else None,
        pieces("kept in ", foreign(kept, 120)) if (kept := verification.get("kept_in")) and words(kept) else None,
        pieces("not kept: ", foreign(why)) if (why := verification.get("not_kept")) and words(why) else None,
    ]
    places = [
        *((f"passages-{one.replace(' ', '-')}", one, sum(p.group == one for p in passages)) for one in OUTCOMES),
        ("records", "records and files", len(mappings_in(verification, "reports"))),
        ("answers", "answers", answer_count),
    ]
    links = [
        element("li", element("a", name, href=f"#{anchor}"), " ", element("span", number(count), class_="count"))
        for anchor, name, count in places
        if count
    ]
    return element(
        "header",
        element("p", "searchlog · verification", class_="brand"),
        element("h1", foreign(subject)),
        element("p", joined([fact for fact in facts if fact], " · "), class_="facts"),
        element("nav", element("ul", *links), aria_label="Parts of this page") if links else None,
    )


def _links(passages: Sequence[Passage]) -> Mapping[tuple[str, str], str]:
    """Return where each piece of evidence is on the page, by session and id; without a session if only one has it."""
    links: dict[tuple[str, str], str] = {}
    sessions: dict[str, set[str]] = {}
    for passage in passages:
        session, id_ = words(passage.given.get("session")), words(passage.given.get("evidence"))
        links.setdefault((session, id_), passage.anchor)
        sessions.setdefault(id_, set()).add(session)
    alone = {("", id_): links[next(iter(names)), id_] for id_, names in sessions.items() if len(names) == 1}
    return alone | links


# --- the axes


def _axes(verification: Mapping[str, Any]) -> Piece:
    """Return a row for each axis, also for those that nobody asked for."""
    outcomes = mapping_in(verification, "outcomes")
    names = [*_ALWAYS, *(name for name in outcomes if name not in _ALWAYS)][:_ROWS_MAX]
    levels = {
        words(report.get("level"))
        for report in mappings_in(verification, "reports")
        if words(report.get("axis")) == "store" and words(report.get("outcome")) == "verified"
    }
    level = min(levels - {""}, default="")  # the least of all sessions
    return element(
        "section",
        element("h2", "What was asked, and what came of it"),
        element(
            "p",
            "Each question stands for itself. None of the answers is the answer to another, and there is no verdict "
            "over all of them.",
            class_="quiet",
        ),
        element("ul", *(_axis(name, verification, level) for name in names), class_="axes"),
        id="axes",
    )


def _axis(name: str, verification: Mapping[str, Any], level: str) -> Piece:
    axis, outcomes = axis_of(name), mapping_in(verification, "outcomes")
    outcome = outcome_in(outcomes.get(name))
    basis = list(_basis(name, verification))
    asked = name in outcomes
    return element(
        "li",
        element("h3", axis.question, " ", element("span", foreign(axis.name, 40), class_="axis")),
        element(
            "p",
            chip(outcome),
            None if asked else element("span", " nobody asked this time", class_="quiet"),
            pieces(" at level ", foreign(level, 8, class_="level"), f": {LEVELS[level]}" if level in LEVELS else None)
            if level and name == "store" and outcome == "verified"
            else None,
            element("span", f" {'; '.join(basis)}", class_="quiet") if basis else None,
        ),
        element("p", axis.shows) if axis.shows else None,
        element("p", axis.shows_not, class_="quiet") if axis.shows_not else None,
        class_=None if asked else "unasked",
    )


def _basis(name: str, verification: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the outcome of an axis rests on, in numbers."""
    sums = _sums(name, mapping_in(mapping_in(verification, "counts"), name)) if name in STATES else {}
    if any(sums.values()):
        yield f"passages: {told(sums)}"
    reports = [report for report in mappings_in(verification, "reports") if words(report.get("axis")) == name]
    findings = sum(count_in(report, "findings") + count_in(report, "untold") for report in reports)
    if reports:
        yield f"{several(len(reports), 'session')}: {several(findings, 'finding') if findings else 'no finding'}"
    if name == "answer":
        answers = Counter(outcome_in(answer.get("outcome")) for answer in mappings_in(verification, "answers"))
        if answers:
            yield f"answers: {told(answers)}"


# --- counts


def _counts(counts: Mapping[str, Any], passages: Sequence[Passage]) -> Piece:
    """Return a table of states for each axis that was counted."""
    present = {(axis, words(verdict.get("state"))) for passage in passages for axis, verdict in passage.verdicts}
    tables = [
        _table(axis, mapping_in(counts, axis), present)
        for axis in [*(a for a in AXES if a in counts), *(a for a in counts if a not in AXES)][:_ROWS_MAX]
        if mapping_in(counts, axis)
    ]
    if not tables:
        return Piece()
    return element("section", element("h2", "Passages by state"), *tables, id="states")


def _table(axis: str, counts: Mapping[str, Any], present: set[tuple[str, str]]) -> Piece:
    states = sorted((state for state in counts if count_in(counts, state)), key=lambda state: _place(axis, state))
    rows = []
    for state in states[:_ROWS_MAX]:
        shown = foreign(state, 60, class_="state")
        if (axis, state) in present and axis in STATES:
            shown = element("a", shown, href=f"#{anchor_of(axis, state)}")
        rows.append(
            element(
                "tr",
                element("th", shown, scope="row"),
                element("td", number(count_in(counts, state)), class_="number"),
                element("td", chip(outcome_of(axis, state)) if axis in STATES else None),
                element("td", meaning_of(axis, state)),
            )
        )
    names = ("state", "passages", "outcome", "meaning")
    heads = element("thead", element("tr", *(element("th", name, scope="col") for name in names)))
    caption = element("caption", foreign(axis_of(axis).name, 40), bar(_sums(axis, counts)) if axis in STATES else None)
    return element("table", caption, heads, element("tbody", *rows), class_="states")


def _sums(axis: str, counts: Mapping[str, Any]) -> Mapping[str, int]:
    """Return how many passages have each outcome."""
    return {one: sum(count_in(counts, s) for s in counts if outcome_of(axis, s) == one) for one in OUTCOMES}


def _place(axis: str, state: str) -> tuple[int, int, str]:
    """Return where a state stands in its table: by outcome, then as the axis lists them."""
    known = list(STATES.get(axis, {}))
    return OUTCOMES.index(outcome_of(axis, state)), known.index(state) if state in known else len(known), state


# --- what was not checked


def _not_checked(verification: Mapping[str, Any]) -> Piece:
    """Return what could not be looked at, from every part; absence is never success."""
    gaps: dict[str, list[Piece]] = {}
    for axis, gap in islice(_gaps(verification), _ROWS_MAX):
        gaps.setdefault(axis, []).append(gap)
    if not gaps:
        return Piece()
    rows = [
        pieces(element("dt", foreign(axis_of(axis).name, 40)), *(element("dd", gap) for gap in of_axis))
        for axis, of_axis in gaps.items()
    ]
    return element(
        "section",
        element("h2", "What was not checked"),
        element("p", "Of these nothing is said, neither that they hold nor that they fail.", class_="quiet"),
        element("dl", *rows, class_="gaps"),
        more_of(sum(1 for _ in _gaps(verification)) - _ROWS_MAX, "line"),
        id="not-checked",
    )


def _gaps(verification: Mapping[str, Any]) -> Iterator[tuple[str, Piece]]:
    """Yield axis by axis, as far as they have an order, what was not looked at and why."""
    outcomes, counts = mapping_in(verification, "outcomes"), mapping_in(verification, "counts")
    for axis in _ALWAYS:
        if axis not in outcomes:
            yield axis, pieces("nobody asked")
        for state in STATES.get(axis, {}):
            count = count_in(mapping_in(counts, axis), state)
            if count and outcome_of(axis, state) == "not checked":
                yield axis, pieces(f"{several(count, 'passage')}: {meaning_of(axis, state)}")
    sums: Counter[tuple[str, str]] = Counter()
    for report in mappings_in(verification, "reports"):
        left = mapping_in(report, "not_checked")
        sums.update({(words(report.get("axis")), why): count_in(left, why) for why in left})
    for answer in mappings_in(verification, "answers"):
        sums.update({("answer", why): count for why, count in unchecked_in(answer).items()})
    for (axis, why), count in sums.items():
        if count:
            yield axis, pieces(f"{number(count)} ", foreign(why, 160))
