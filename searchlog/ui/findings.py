"""What the offline reports found, session by session, and how much each verdict proves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from searchlog.ui.chips import chip
from searchlog.ui.given import count_in, mapping_in, mappings_in
from searchlog.ui.meanings import LEVELS, axis_of, outcome_in
from searchlog.ui.page import Piece, element, foreign, joined, moment, more_of, number, pieces, several, words
from searchlog.verify.finding import FINDINGS

__all__ = ["findings_section"]

_REPORTS_MAX = 1_000
"""Of those with findings, and again of the others."""
_FINDINGS_MAX = 1_000
"""Of one report; no report has more."""
_COUNTS_MAX = 20
_SUPPORT_MAX = 50


def findings_section(reports: Sequence[Mapping[str, Any]]) -> Piece:
    """Return the section of all reports, those that failed first; nothing when there are none."""
    if not reports:
        return Piece()
    failed = [report for report in reports if _fails(report)]
    others = [report for report in reports if not _fails(report)]
    return element(
        "section",
        element("h2", "Records and files"),
        element("p", "What is kept, held against itself: session by session, axis by axis.", class_="quiet"),
        *(_report(report) for report in failed[:_REPORTS_MAX]),
        more_of(len(failed) - _REPORTS_MAX, "report"),
        _table(others),
        more_of(len(others) - _REPORTS_MAX, "report"),
        id="records",
    )


def _fails(report: Mapping[str, Any]) -> bool:
    return bool(mappings_in(report, "findings")) or outcome_in(report.get("outcome")) == "failed"


def _axis_name(report: Mapping[str, Any]) -> Piece:
    axis = words(report.get("axis"))
    return foreign(axis_of(axis).name, 40)


def _level(report: Mapping[str, Any]) -> Piece | None:
    """Return what the level of a store axis proves; a failed one proves nothing."""
    level = words(report.get("level"))
    if not level or _fails(report) or words(report.get("axis")) == "derivation":
        return None
    return element("span", foreign(level, 8, class_="level"), f" {LEVELS[level]}" if level in LEVELS else None)


def _support(report: Mapping[str, Any]) -> Piece | None:
    """Return what others say of heads that the session extends, each for itself."""
    rows = []
    for one in mappings_in(report, "support")[:_SUPPORT_MAX]:
        level, who, at = words(one.get("level")), one.get("who"), one.get("at")
        rows.append(
            element(
                "li",
                foreign(level, 8, class_="level"),
                f" {LEVELS[level]}" if level in LEVELS else None,
                pieces(": ", foreign(who, 120)) if words(who) else None,
                pieces(", ", moment(at)) if words(at) else None,
                f", of the first {several(count_in(one, 'size'), 'record')}" if count_in(one, "size") else None,
            )
        )
    return element("ul", *rows, class_="support") if rows else None


def _counts(counts: Mapping[str, Any]) -> Piece:
    """Return `3 pages, 12 records`."""
    names = [name for name in counts if count_in(counts, name)]
    said = [pieces(f"{number(count_in(counts, name))} ", foreign(name, 80)) for name in names[:_COUNTS_MAX]]
    if len(names) > _COUNTS_MAX:
        said.append(pieces(f"{number(len(names) - _COUNTS_MAX)} more sorts"))
    return joined(said, ", ")


def _report(report: Mapping[str, Any]) -> Piece:
    findings = mappings_in(report, "findings")[:_FINDINGS_MAX]
    untold = count_in(report, "untold") + max(0, len(mappings_in(report, "findings")) - _FINDINGS_MAX)
    facts = [
        pieces(f"{several(count_in(report, 'size'), 'record')}") if count_in(report, "size") else None,
        pieces("state ", foreign(report.get("state"), 40, class_="state")) if words(report.get("state")) else None,
        pieces("looked at: ", said) if (said := _counts(mapping_in(report, "checked"))) else None,
        pieces("not checked: ", left) if (left := _counts(mapping_in(report, "not_checked"))) else None,
    ]
    return element(
        "article",
        element("h3", _axis_name(report), " of session ", foreign(report.get("session"), 80)),
        element(
            "p", chip(outcome_in(report.get("outcome"))), " ", joined([f for f in facts if f], " · "), class_="facts"
        ),
        element("ol", *(_finding(finding) for finding in findings), class_="findings"),
        more_of(untold, "finding"),
        _support(report),
        class_="report",
    )


def _finding(finding: Mapping[str, Any]) -> Piece:
    code, message = words(finding.get("code")), words(finding.get("message"))
    meaning = FINDINGS.get(code, "")
    return element(
        "li",
        element("p", element("b", foreign(code, 60)), " · ", foreign(finding.get("where"), 200)),
        element("p", meaning) if meaning and meaning != message else None,
        element("p", foreign(message, 1_000)) if message else None,
        expected_and_found(finding),
    )


def expected_and_found(finding: Mapping[str, Any]) -> Piece | None:
    """Return what a finding says was expected and what was found; None when it says neither."""
    rows = [
        pieces(element("dt", name), element("dd", foreign(finding.get(name), 1_000)))
        for name in ("expected", "found")
        if words(finding.get(name))
    ]
    return element("dl", *rows, class_="pair") if rows else None


def _table(reports: Sequence[Mapping[str, Any]]) -> Piece:
    if not reports:
        return Piece()
    names = ("session", "axis", "outcome", "level", "looked at", "not checked")
    rows = [
        element(
            "tr",
            *(
                element("td", cell, data_label=name)
                for name, cell in zip(
                    names,
                    (
                        foreign(report.get("session"), 80),
                        _axis_name(report),
                        chip(outcome_in(report.get("outcome"))),
                        pieces(_level(report), _support(report)),
                        _counts(mapping_in(report, "checked")),
                        _counts(mapping_in(report, "not_checked")),
                    ),
                    strict=True,
                )
            ),
        )
        for report in reports[:_REPORTS_MAX]
    ]
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in names)))
    return element("table", head, element("tbody", *rows), class_="stacking")
