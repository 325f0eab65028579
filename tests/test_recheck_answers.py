"""Answers held against the evidence of their session: handed in or kept, and each check a record."""

from __future__ import annotations

import json

import pytest

from searchlog import records
from searchlog.errors import FormatError, UsageError
from searchlog.recheck.answers import known_of
from searchlog.recheck.subjects import Subject
from searchlog.recheck.wanted import Wanted
from tests.searches import TEXTS, ask
from tests.test_recheck import searched


def ids_of(session) -> dict[str, str]:
    return {known.url.rsplit("/", 1)[1]: id for id, known in known_of(Subject(session.ledger)).evidence.items()}


def test_clean_answer_is_verified_and_a_wrong_one_is_not() -> None:
    with searched() as (_, _, session):
        wheel = ids_of(session)["wheel"]
        good = f"An undershot wheel turns for six hours a tide [{wheel}]. “so the miller works by the moon” [{wheel}]"
        bad = f"It turns for sixteen hours a tide [{wheel}]. “so the miller works by the sun” [{wheel}] [e99]"
        clean = session.verify(axes=[], answers=[good])
        assert clean.outcomes == {"answer": "verified"}
        wrong = session.verify(axes=[], answers=[bad])
        assert wrong.outcomes == {"answer": "failed"}
        codes = {finding.code for finding in wrong.findings}
        assert {"number-unsupported", "quote-altered", "unknown-evidence"} <= codes


def test_page_that_was_only_found_and_one_that_nobody_found_are_told_apart() -> None:
    with searched() as (site, _, session):
        ask(session, site, "tide mill", ["/mill", "/missing"])
        answer = f"It is [known]({site.url}/missing). It is [made up](https://nowhere.example/x). See {site.url}/mill ."
        codes = [finding.code for finding in session.verify(axes=[], answers=[answer]).findings]
        assert sorted(codes) == ["page-not-opened", "unknown-page"]


def test_kept_answers_are_checked_and_the_bytes_stay_as_they_came() -> None:
    with searched() as (_, archive, session):
        wheel = ids_of(session)["wheel"]
        message = json.dumps(
            {"role": "assistant", "content": [{"type": "text", "text": f"Six hours a tide [{wheel}]."}]}
        )
        seq = session.keep_answer(message)
        session.keep_answer("It turns by itself [e99].")
        found = session.verify(axes=[], kept_answers=True)
        assert found.answers[0].seq == seq
        assert [one.report.outcome for one in found.answers] == ["verified", "failed"]
        (record,) = session.ledger.records(seq, seq + 1)
        assert isinstance(record.body, records.Message)
        assert record.body.form == "anthropic"
        kept = [k.body for k in archive.checks.kept() if k.body.axis == "answer"]
        assert [body.outcome for body in kept] == ["verified", "failed"]
        assert kept[1].findings[0]["code"] == "unknown-evidence"


def test_what_is_no_answer_is_a_clear_error_and_nothing_is_kept() -> None:
    with searched() as (_, _, session):
        size = session.head.size
        with pytest.raises(FormatError):
            session.keep_answer(b"\xff\xfe\x00broken")
        assert session.head.size == size


def test_answer_needs_one_session() -> None:
    with searched() as (_, archive, _):
        archive.session()
        with pytest.raises(UsageError, match="one session"):
            archive.verify(wanted=Wanted(axes=(), answers=(b"x",)))


def test_texts_of_opened_pages_are_known() -> None:
    with searched() as (site, _, session):
        known = known_of(Subject(session.ledger))
        assert {url.rsplit("/", 1)[1] for url in known.opened} >= {path[1:] for path in TEXTS}
        assert all(any(TEXTS[path] in text for text in known.pages.values()) for path in TEXTS)
        assert known.asked == "tide mill pond gate"
        assert f"{site.url}/mill" in known.found
