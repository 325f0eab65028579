"""Answers of providers, stored as a search stores them, are parsed today as they were, and renew to equal bytes."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from searchlog.records import ProviderExchange, Query, Run, Turn
from searchlog.reparse import reparse
from searchlog.stored import stored_exchange
from tests.cassette import CASSETTES, load, path_of
from tests.provider_cassettes import record, recorded_names
from tests.provider_samples import CASES, entries_of, samples_of
from tests.providers.conftest import KEY

NAMES = recorded_names()
EVERY = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("what is stored is read without the network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }


def test_every_provider_and_service_for_texts_has_one() -> None:
    assert [name for name in CASES if not path_of(name).exists()] == []


@EVERY
@pytest.mark.usefixtures("no_network")
def test_each_stored_answer_is_parsed_to_the_recorded_run(name: str) -> None:
    ledger, _ = load(name)
    again = reparse(ledger)
    assert len(again) == len(entries_of(name))
    for item in again:
        assert item.run is not None, item.why
        assert item.equal, (item.turn, item.gained, item.lost, item.run.outcome, item.recorded.outcome)
        assert item.run.parser == item.recorded.parser


@EVERY
@pytest.mark.usefixtures("no_network")
def test_each_sample_has_its_turn_with_its_bytes_and_its_outcome(name: str) -> None:
    ledger, _ = load(name)
    turns: dict[int, list[object]] = {}
    for item in ledger.records():
        turns.setdefault(item.envelope.turn or 0, []).append(item.body)
    for number, (entry, sample) in enumerate(zip(entries_of(name), samples_of(name), strict=True), 1):
        kinds = {type(body): body for body in reversed(turns[number])}
        exchange, run, end = kinds[ProviderExchange], kinds[Run], turns[number][-1]
        assert isinstance(exchange, ProviderExchange)
        assert isinstance(run, Run)
        assert isinstance(end, Turn)
        assert end.detail == f"sample {entry['id']}"
        assert run.outcome == entry["outcome"]
        stored = stored_exchange(exchange, ledger.blobs, ledger.load)
        assert (stored.status, stored.decoded.data) == (sample.response.status, sample.response.body)
        assert stored.url.startswith(("https://", "http://"))
        if CASES[name].is_extractor:
            assert tuple(exchange.urls or ()) == sample.urls
        else:
            query = kinds[Query]
            assert isinstance(query, Query)
            assert query.text == sample.query.text


@EVERY
def test_it_says_of_each_answer_where_it_is_from_and_under_which_licence(name: str) -> None:
    text = (CASSETTES / name / "README.md").read_text(encoding="utf-8")
    for number, entry in enumerate(entries_of(name), 1):
        row = next(line for line in text.splitlines() if line.startswith(f"| {number} | {entry['id']} |"))
        assert entry["kind"] in row
        assert entry["licence"] in row
        assert entry["origin"].replace("|", "\\|") in row
        assert entry["origin"].strip()


@EVERY
def test_it_holds_no_key(name: str) -> None:
    for path, data in files_of(CASSETTES / name).items():
        assert KEY.encode() not in data, path


@EVERY
def test_it_renews_to_equal_bytes(name: str, tmp_path: Path) -> None:
    """When this fails, samples, a request or a parser have changed: record anew and look at what became different."""
    record(name, tmp_path / name)
    assert files_of(tmp_path / name) == files_of(CASSETTES / name)
