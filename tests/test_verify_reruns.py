"""Searches run again, as findings: a rendering or evidence that differs names the first step that does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from searchlog.extract.pool import InProcess
from searchlog.log.envelope import decode, encode
from searchlog.log.store.base import StoredLine
from searchlog.log.tree import leaf_hash
from searchlog.replay import Replay, replay
from searchlog.session import Session
from searchlog.verify.finding import Report
from searchlog.verify.reruns import add_rerun, rerun_failed
from tests.searches import ask, opened, pages
from tests.sites import serve


def told(made: Replay) -> Report:
    report = Report(made.session, "derivation")
    add_rerun(report, made)
    return report


def searched(archive: Any, site: Any) -> Session:
    session: Session = archive.session()
    ask(session, site, places=["/mill", "/gate"])
    return session


def test_search_that_comes_out_again_is_counted():
    with serve(pages()) as site, opened() as archive:
        report = told(replay(searched(archive, site).ledger, 1, InProcess()))
    assert (report.findings, report.checked, report.outcome) == ([], {"searches run again": 1}, "verified")


def test_other_rendering_names_the_first_step_that_differs(monkeypatch: pytest.MonkeyPatch):
    from searchlog.flow import choose as module

    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        honest = module.render
        monkeypatch.setattr(module, "render", lambda *args: replace(honest(*args), text=honest(*args).text + "\nmore"))
        made = replay(session.ledger, 1, InProcess())
    report = told(made)
    assert [(finding.code, finding.where) for finding in report.findings] == [("rendering-not-equal", "turn 1")]
    (finding,) = report.findings
    assert finding.message == "first difference: the rendering differs although every step is equal"
    assert (finding.expected, finding.found) == (made.expected, made.found)
    assert report.outcome == "failed"


def test_other_evidence_of_the_same_rendering_is_a_finding_of_its_own():
    with serve(pages()) as site, opened() as archive:
        session = searched(archive, site)
        lines = session.ledger.log._lines[session.id]  # type: ignore[attr-defined]
        for seq, item in enumerate(lines):
            envelope = decode(item.line)
            if envelope.kind == "evidence":
                line = encode(replace(envelope, body={**envelope.body, "start": 1}))
                lines[seq] = StoredLine(leaf_hash(line), line)
                break
        report = told(replay(archive.ledger(session.id), 1, InProcess()))
    assert [finding.code for finding in report.findings] == ["evidence-not-equal"]
    assert report.findings[0].message.startswith("first difference: evidence e1: start 1 then")


def test_further_differences_are_counted():
    made = Replay("s1", 3, "sha256:a", "sha256:b", "", (), differences=["step read: one", "step fuse: two", "three"])
    assert told(made).findings[0].message == "first difference: step read: one, and 2 more"
    assert told(replace(made, found=None)).findings[0].found == "none"


def test_other_steps_to_the_same_rendering_are_no_finding():
    made = Replay("s1", 3, "sha256:a", "sha256:a", "", (), differences=["step filter: the rule was filter/0"])
    report = told(made)
    assert (report.findings, report.outcome) == ([], "verified")
    assert report.checked["searches run again with other steps, to the same rendering"] == 1


def test_what_cannot_be_run_again_is_not_checked():
    report = told(Replay("s1", 3, "", None, "", (), not_checked="the model is not here"))
    rerun_failed(report, 4, "no finished search")
    assert (report.findings, report.outcome) == ([], "not checked")
    assert report.not_checked == {
        "search not run again: the model is not here": 1,
        "search not run again: turn 4: no finished search": 1,
    }
