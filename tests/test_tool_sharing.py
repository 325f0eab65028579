"""A session of tool calls leaves and comes back like any other, and what is hidden stays hidden in what was told."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import searchlog
from searchlog import records
from searchlog.archive import Archive
from searchlog.session import Session
from tests.searches import HTML, TEXTS, bodies, findings, html, opened
from tests.test_tool_handle import SEARCH, calling, saying
from tests.test_tool_search import at_work

NAME = 'Zebulon "Zeb" Quxworth'


def worked(session: Session, tool: searchlog.Tool) -> None:
    """Let one model search and answer, and another one go on."""
    tool.handle("anthropic", calling("anthropic", SEARCH))
    tool.handle("openai-responses", calling("openai-responses", SEARCH, ("open_page", {"page": "e2"})))
    tool.handle("openai-responses", saying("openai-responses", "The pond stores the flood [e1]."))
    assert findings(session) == []


def export(archive: Archive, session: Session, file: Path, **options: object) -> str:
    plan = archive.plan_export(session.id, **options)  # type: ignore[arg-type]
    return archive.write_export(plan, file).snapshot.name


@pytest.mark.parametrize("profile", ["full", "evidence"])
def test_calls_and_results_go_with_a_snapshot(tmp_path: Path, profile: str) -> None:
    with at_work(tmp_path / "a") as (_, archive, session, tool):
        worked(session, tool)
        name = export(archive, session, tmp_path / "s.wacz", profile=profile)
        told = [(body.name, body.content) for body in bodies(session, records.ToolResult)]
        handed = [session.ledger.blobs.get(content.blob) for _, content in told]
    assert searchlog.verify_snapshot(tmp_path / "s.wacz", name=name).outcome == "verified"
    with opened(tmp_path / "b") as other:
        taken = other.take_in(tmp_path / "s.wacz")
        ledger = other.ledger(taken.session)
        again = [record.body for record in ledger.records() if isinstance(record.body, records.ToolResult)]
        assert [(body.name, body.content) for body in again] == told
        assert [ledger.blobs.get(body.content.blob) for body in again] == handed


def test_what_is_redacted_does_not_leave_in_what_a_model_was_told(tmp_path: Path) -> None:
    with at_work(tmp_path / "a") as (site, archive, session, tool):
        site.pages["/mill"] = (200, HTML, html(f"{TEXTS['/mill']} It was built by {NAME}.", "mill"))
        worked(session, tool)
        export(archive, session, tmp_path / "whole.wacz")
        export(archive, session, tmp_path / "s.wacz", redact=[f"text:{NAME}"])
    assert telling(tmp_path / "whole.wacz")
    assert telling(tmp_path / "s.wacz") == []
    assert searchlog.verify_snapshot(tmp_path / "s.wacz").outcome == "verified"


def telling(path: Path) -> list[str]:
    """Return the members of a file in which the name stands."""
    with zipfile.ZipFile(path) as file:
        return [name for name in file.namelist() if b"Quxworth" in file.read(name)]


def test_one_call_leaves_as_a_part(tmp_path: Path) -> None:
    with at_work(tmp_path / "a") as (_, archive, session, tool):
        worked(session, tool)
        turn = next(r.envelope.turn for r in session.records() if isinstance(r.body, records.ToolResult))
        name = export(archive, session, tmp_path / "s.wacz", turns=[turn])
    assert searchlog.verify_snapshot(tmp_path / "s.wacz", name=name).outcome == "verified"
