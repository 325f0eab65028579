"""Recorded sessions verify and replay byte for byte, on every machine and Python that runs the tests."""

from __future__ import annotations

import socket

import pytest

from searchlog.extract.pool import InProcess
from searchlog.records import Rendering
from searchlog.replay import replay
from searchlog.snapshot.check import check_snapshot
from searchlog.verify.derivation import verify_passages
from searchlog.verify.store import verify_session
from tests.cassette import CASSETTES, load, path_of, told_name
from tests.provider_cassettes import BYTES_MAX
from tests.provider_samples import CASES

NAMES = sorted(path.parent.name for path in CASSETTES.glob("*/*.wacz"))
SEARCHES = [name for name in NAMES if name not in CASES]
"""Those of whole searches; the others hold answers of one provider, see test_provider_cassettes."""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a replay asks nobody")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_there_is_a_cassette() -> None:
    assert SEARCHES
    assert set(CASES) & set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_cassette_is_a_sound_snapshot(name: str) -> None:
    verdict = check_snapshot(path_of(name), name=told_name(name))
    assert [report.findings for report in verdict.reports] == [[], []]
    assert verdict.outcome == "verified"


def test_cassettes_stay_small_together() -> None:
    assert sum(path.stat().st_size for path in CASSETTES.rglob("*") if path.is_file()) < BYTES_MAX


@pytest.mark.parametrize("name", NAMES)
def test_cassette_says_when_why_and_how_to_renew(name: str) -> None:
    text = (CASSETTES / name / "README.md").read_text(encoding="utf-8")
    module = "provider_cassettes" if name in CASES else "cassette"
    assert f"python -m tests.{module} {name}" in text
    assert "ecorded" in text
    assert "Why: " in text


@pytest.mark.parametrize("name", NAMES)
def test_cassette_is_intact_and_extends_its_own_head(name: str) -> None:
    ledger, head = load(name)
    report = verify_session(ledger.log, ledger.blobs, ledger.session, heads=[head])
    assert report.findings == []
    assert report.level == "L2"


@pytest.mark.parametrize("name", SEARCHES)
def test_cassette_replays_to_equal_bytes(name: str) -> None:
    ledger, _ = load(name)
    turns = [record.envelope.turn for record in ledger.records() if isinstance(record.body, Rendering)]
    assert turns
    for turn in turns:
        again = replay(ledger, turn or 0, InProcess())
        assert again.differences == []
        assert again.equal


@pytest.mark.parametrize("name", SEARCHES)
def test_passages_of_cassette_stand_in_its_pages(name: str) -> None:
    ledger, _ = load(name)
    report = verify_passages(ledger, InProcess())
    assert report.findings == []
    assert report.checked["passages"] > 0
