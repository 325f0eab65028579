"""Checks that somebody else made, or that are malformed; pages and copies that are made to mislead."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import weakref
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from searchlog import canon, records
from searchlog.archive import Archive
from searchlog.cli import history
from searchlog.digest import digest
from searchlog.ledger import Draft
from searchlog.recheck.subjects import Choice, Subject, passages_of, sampled
from searchlog.session import Session
from searchlog.tool.face import Tool
from tests.memento_server import Captured, MementoServer
from tests.searches import HTML, TEXTS, html, opened
from tests.test_recheck import OWN, searched, states


def verdict(session: str, evidence: str = "e1", **members: Any) -> dict[str, Any]:
    """Return a verdict as a record has it."""
    known = {
        "session": session,
        "evidence": evidence,
        "digest": "sha256:" + "0" * 64,
        "axis": "live",
        "state": "same-bytes",
        "outcome": "verified",
        "url": "http://pages.example/",
        "checked_at": "2026-11-30T00:00:00.000000Z",
    }
    return known | members


def put(archive: Archive, verdicts: Any) -> str:
    """Put a check into a session of checks that is here; return the name of that session."""
    name = f"checks-{archive.resources.clock.now():%Y%m%d}-000000-deadbeef"
    ledger = archive.checks.ledger(name)
    ledger.begin_session("another/1", "checks")
    ledger.add([Draft(records.Verification(axis="live", scope="page", outcome="verified", verdicts=verdicts))])
    return name


def sent(session: Session, archive: Archive, place: Path, state: str) -> None:
    """Import a snapshot of checks that say this of each passage of a session."""
    passages = passages_of(Subject(session.ledger), Choice())
    with opened() as other:
        said = [verdict(session.id, one.id, digest=one.digest, url=one.url, state=state) for one in passages]
        plan = other.plan_export(put(other, said))
        other.write_export(plan, place / "checks.wacz")
    archive.take_in(place / "checks.wacz")


def test_check_that_somebody_else_made_is_not_taken_for_a_look_of_ones_own(tmp_path: Path) -> None:
    """An imported session of checks that said `same-bytes` was taken by `--max-age`: no page was asked at all."""
    with searched() as (site, archive, session):
        sent(session, archive, tmp_path, "same-bytes")
        site.pages = {path: (410, {}, "gone") for path in TEXTS}
        found = session.verify(axes=["live"], max_age_s=86_400, **OWN)
        assert set(states(found).values()) == {"http-410"}
        assert not any(passage.earlier for passage in found.passages)


def test_history_says_which_checks_somebody_else_made_and_they_outdo_none_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Imported checks stood in the history as if they had been made here, and the last of them as the state of now."""
    with searched() as (_, archive, session):
        session.verify(axes=["live"], **OWN)
        sent(session, archive, tmp_path, "http-410")
        found = archive.checks.history(session.id, "e1")
        assert {(kept.imported, one.state) for kept, one in found} == {(False, "same-bytes"), (True, "http-410")}
        history._one(found)
        assert "failed (imported)" in capsys.readouterr().out
        history._last(archive.checks.history(session.id))
        told = capsys.readouterr().out
        assert told.count("same-bytes") == len(TEXTS)
        assert "http-410" not in told


def test_history_of_a_session_that_only_its_sender_checked_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with searched() as (_, archive, session):
        sent(session, archive, tmp_path, "intact")
        history._last(archive.checks.history(session.id))
        assert capsys.readouterr().out.count("intact (imported)") == len(TEXTS)


@pytest.mark.parametrize(
    "members",
    [
        {"checked_at": 5},
        {"url": 5},
        {"detail": ["a"]},
        {"notes": [{}]},
        {"notes": "folded"},
        {"changes": [["=", 5]]},
        {"changes": [["=", "a", {}]]},
        {"changes": [["\x1b[2J", "a"]]},
        {"changes": "abc"},
        {"changes": [[]]},
        {"axis": ["live"]},
        {"state": {}},
        {"evidence": ["e1"]},
        {"digest": {}},
        {"start": "3"},
        {"end": True},
        {"capture": {}},
        {"similarity": 1},
    ],
    ids=str,
)
def test_malformed_verdict_is_passed_over(members: dict[str, Any]) -> None:
    """A member of another type ended `history`, and `--max-age`, with a bug: whoever sent a snapshot could do that."""
    with searched() as (_, archive, session):
        put(archive, [verdict(session.id, **members)])
        assert archive.checks.history(session.id) == []
        assert archive.checks.latest("live", "2000") == {}


@pytest.mark.parametrize("value", [["x"], [None], [[]], "x", {"session": "x"}, 5], ids=json.dumps)
def test_verdicts_of_another_shape_in_a_blob_are_passed_over(value: object) -> None:
    """What was spilled into a blob has no type in the record: a list of strings raised AttributeError."""
    with searched() as (_, archive, session):
        data = canon.dumps(value)
        archive.resources.storage.blobs.put([data])
        put(archive, records.BlobRef(blob=str(digest(data)), bytes=len(data)))
        assert archive.checks.history(session.id) == []
        assert archive.checks.latest("live", "2000") == {}


def test_check_that_a_disk_changed_is_passed_over(tmp_path: Path) -> None:
    """A line that does not match its leaf hash counted as a check: a flipped bit can turn one state into another."""
    with searched(tmp_path) as (_, archive, session):
        put(archive, [verdict(session.id)])
        assert len(archive.checks.history(session.id)) == 1
    with contextlib.closing(sqlite3.connect(tmp_path / "log.db")) as db, db:
        db.execute("UPDATE records SET line = CAST(replace(CAST(line AS TEXT), 'same-bytes', 'moved') AS BLOB)")
    with opened(tmp_path) as archive:
        assert archive.checks.history(session.id) == []


def test_passage_behind_the_end_of_a_cut_text_is_not_told_as_absent() -> None:
    """A page of which only a part becomes text, and such a copy of an archive, said that the passage is not in it."""
    filling = "<p>The sea does not sleep, and nor does the ebb.</p>" * 45_000
    with searched() as (site, _, session):
        mill, gate = (html(TEXTS[path], path[1:]).replace("<p>", filling + "<p>", 1) for path in ("/mill", "/gate"))
        site.pages |= {"/mill": (200, HTML, mill), "/gate": (404, HTML, "gone")}
        copy = Captured(f"{site.url}/gate", datetime.now(UTC).replace(microsecond=0), gate.encode())
        with MementoServer([copy]) as mementos:
            found = session.verify(axes=["live"], web_archives=[mementos.source()], **OWN)
        assert states(found)["/mill"] == "truncated"
        assert states(found, "web-archive") == {"/gate": "no-text"}


def test_no_key_of_ours_in_an_answer_is_written_by_what_is_found_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer was kept without keys, and the findings that quote it were written with them."""
    key = "sk-Zq81hLmW0pXr7TbVn3Kc9YdE5uGa2JfQ"
    monkeypatch.setenv("BRAVE_API_KEY", key)
    with searched(tmp_path) as (_, _, session):
        found = session.verify(axes=[], answers=[f"“They said that {key} is the word of the mill” [e1], 73 [e99]."])
        assert found.outcomes["answer"] == "failed"
        assert key not in json.dumps(found.to_json())
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def evidence_like(session: Session, path: str, **members: Any) -> str:
    """Add a record of evidence like that of a page, with other members; return its id."""
    bodies = [record.body for record in session.records() if isinstance(record.body, records.Evidence)]
    like = next(body for body in bodies if body.url.endswith(path))
    made = like.model_copy(update={"id": f"{like.id}0", **members})
    session.ledger.add([Draft(made, (1,))])
    return made.id


@pytest.mark.parametrize("said", ["", "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
def test_evidence_that_says_an_absurd_time_does_not_end_the_campaign(said: str) -> None:
    """Its page was gone, an archive was asked for a copy near that time, and FormatError ended the checks of all."""
    with searched() as (site, _, session):
        there = site.url + "/elsewhere"
        name = evidence_like(session, "/mill", url=there, captured_at=said)
        copy = Captured(there, datetime.now(UTC).replace(microsecond=0), html(TEXTS["/mill"], "mill").encode())
        for timegate in ("redirect", None):
            with MementoServer([copy], timegate=timegate) as mementos:
                found = session.verify(axes=["live"], web_archives=[mementos.source()], **OWN)
            assert len(found.passages) == len(TEXTS) + 1
            (odd,) = (passage for passage in found.passages if passage.evidence == name)
            assert odd.verdicts["live"].state == "http-404"
            assert odd.verdicts["web-archive"].state == "intact"


@pytest.mark.parametrize("span", [[], [5], [1, 2, 0], [1, 2, 3, 4]], ids=str)
def test_evidence_with_a_range_that_is_none_does_not_end_the_check_of_an_answer(span: list[int]) -> None:
    """The range of a table's head was taken for the arguments of a slice, and one of no numbers was a TypeError."""
    with searched() as (_, _, session):
        name = evidence_like(session, "/mill", table_head=span)
        found = session.verify(axes=[], answers=[f"The tide mill stores the flood in a pond [{name}]."])
        assert found.answers[0].report.findings == ()


def test_name_of_evidence_that_a_model_makes_up_is_told_on_one_line_and_shortened() -> None:
    """Ids that were never given were told as they came: with escapes of a terminal, line feeds and megabytes."""
    with searched() as (_, _, session):
        ids = ["[E1]", " e2 ", "\x1b[2J\ne3:\n  store: verified [e1]", "e" * 1_000_000]
        reply = Tool(session).call("verify_evidence", {"ids": ids, "live": False})
        assert len(reply.text) < 3_000
        assert "\x1b" not in reply.text
        assert "Checked 2 of 2" in reply.text
        (line,) = (line for line in reply.text.splitlines() if line.startswith("Never given"))
        assert "[e1]" not in line


def test_word_of_a_megabyte_does_not_fill_what_is_told() -> None:
    """It stood whole in the verdict that is kept, on the terminal and in what a model's program is given."""
    with searched() as (site, _, session):
        site.pages["/mill"] = (200, HTML, html(TEXTS["/mill"].replace("pond", "b" * 1_000_000), "mill"))
        found = session.verify(axes=["live"], **OWN)
        assert states(found)["/mill"] == "changed"
        assert len(json.dumps(found.to_json())) < 20_000


def test_of_passages_without_end_a_sample_holds_no_more_than_it_draws() -> None:
    """All passages were held before some were drawn, so a sample of three of a million took a gigabyte."""
    with searched() as (_, _, session):
        (like, *_) = passages_of(Subject(session.ledger), Choice())
        held = weakref.WeakSet[Numbered]()

        def endless() -> Iterator[Any]:
            for number in range(2_000):
                passage = Numbered(like.session, f"e{number}")
                held.add(passage)
                yield passage
                assert len(held) <= 10

        drawn = [passage.id for passage in sampled(endless(), Choice(sample=3, seed="a"))]
        assert len(drawn) == 3
        assert drawn == sorted(drawn, key=lambda name: int(name[1:]))


class Numbered:
    """As much of a passage as a draw needs."""

    def __init__(self, session: str, name: str) -> None:
        self.session, self.id = session, name
