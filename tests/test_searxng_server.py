"""Whole searches against a SearXNG server on loopback: one outcome a test, in the session and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from searchlog.errors import ProviderError
from searchlog.records import ProviderExchange, Run
from searchlog.search import registry
from searchlog.search.query import Query
from searchlog.session import Search, Session
from tests.cli.conftest import call
from tests.searches import bodies, check_clean, opened
from tests.searxng_server import PAGES, SearxngServer


@pytest.fixture(scope="module")
def server() -> Iterator[SearxngServer]:
    with SearxngServer() as running:
        yield running


@pytest.fixture
def session() -> Iterator[Session]:
    with opened() as archive:
        yield archive.session()


def search(session: Session, server: SearxngServer, name: str, query: str | Query = "tide mill", **more: Any) -> Search:
    """Search through one instance of the server; its pages may be read."""
    endpoints = registry.Options(endpoints={"searxng": server.instance(name)})
    return session.search(
        query, providers=["searxng"], registry_options=endpoints, allow_private=("127.0.0.1",), **more
    )


def run_without_answer(
    session: Session, server: SearxngServer, name: str, query: str | Query = "tide mill", **more: Any
) -> Run:
    """Search where nobody answers; return the run that is kept, after a look at what is told and stored of it."""
    with pytest.raises(ProviderError) as caught:
        search(session, server, name, query, **more)
    (attempt,) = caught.value.attempts
    (run,) = bodies(session, Run)
    assert (attempt["outcome"], attempt["detail"]) == (run.outcome, run.detail)
    assert run.results == []
    check_clean(session)
    return run


def command(tmp_path: Path, server: SearxngServer, name: str, *args: str) -> Result:
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "archive"), "SEARCHLOG_SEARXNG_URL": server.instance(name)}
    return call("search", *(args or ("tide mill",)), "--allow-private", "127.0.0.1", env=env)


# --- an answer


def test_an_answer_is_read_and_kept_byte_for_byte(session: Session, server: SearxngServer) -> None:
    found = search(session, server, "tides")
    assert found.outcome == "ok"
    assert {item.source.url for item in found.evidence} == {server.url(path) for path in PAGES}
    (kept,) = bodies(session, ProviderExchange)
    body = json.loads(session.ledger.blobs.get(kept.payload.blob))
    assert list(body)[:2] == ["query", "results"]
    assert kept.exchange["http_version"] == "HTTP/1.0"
    assert [run.outcome for run in bodies(session, Run)] == ["ok"]
    check_clean(session)


def test_nothing_found_by_an_engine_that_answered_is_empty(session: Session, server: SearxngServer) -> None:
    found = search(session, server, "tides", "zxqvkj")
    assert (found.outcome, found.evidence) == ("empty", ())


def test_options_arrive_in_the_words_of_the_server(session: Session, server: SearxngServer) -> None:
    query = Query("tide mill", language="zh-Hant", country="HK", freshness="week", safe="strict", page=1)
    search(session, server, "tides", query)
    assert server.asked[-1] == {
        "q": "tide mill",
        "format": "json",
        "pageno": "1",
        "language": "zh-HK",
        "time_range": "week",
        "safesearch": "2",
    }
    assert bodies(session, Run)[-1].ignored == []


def test_without_a_language_none_is_named_to_the_server(session: Session, server: SearxngServer) -> None:
    """Our usual Accept-Language made the server search in English whenever nobody had asked for a language."""
    search(session, server, "tides")
    assert b"\r\nAccept-Language: *\r\n" in next(r for r in reversed(server.requests) if b"/tides/search" in r)


def test_a_word_that_the_server_takes_for_a_command_is_told(session: Session, server: SearxngServer) -> None:
    search(session, server, "tides", "<3 tide mill")
    assert bodies(session, Run)[-1].notes == ["searched for without what the server takes for commands: <3"]


# --- part of an answer


def test_failed_engines_beside_rows_are_degraded_and_the_rows_are_read(session: Session, server: SearxngServer) -> None:
    found = search(session, server, "part")
    (run,) = bodies(session, Run)
    assert (run.outcome, len(run.results)) == ("degraded", 3)
    assert "2 engines failed (busy: too many requests; slow: timeout); results are partial" in run.detail
    assert len(found.evidence) >= 3


@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("failing", Query("tide mill"), "2 engines failed"),
        ("part", Query("zxqvkj"), "2 engines failed"),
        (
            "simple",
            Query("tide mill", page=2),
            "no engine was asked: none of those switched on at this server can give",
        ),
        ("simple", Query("tide mill", freshness="week"), "look for what is of the last week"),
        ("tides", Query("avg 1 2 3"), "no engine was asked: the server answered by itself"),
        ("bare", Query("tide mill"), "is any switched on at this server"),
    ],
    ids=["all-failed", "others-found-nothing", "no-pages", "no-times", "answered-by-itself", "no-engines"],
)
def test_nothing_found_where_not_all_were_asked_is_never_empty(
    session: Session, server: SearxngServer, name: str, query: Query, said: str
) -> None:
    """Engines that cannot page or limit by time were left out by the server, and that passed for `empty`."""
    run = run_without_answer(session, server, name, query)
    assert run.outcome == "degraded"
    assert said in run.detail
    assert "not an empty answer" in run.detail


# --- no answer


@pytest.mark.parametrize(
    ("name", "outcome", "said"),
    [
        ("closed", "not_enabled", "search: formats: [html, json]"),
        ("limited", "blocked", "`pass_ip`"),
        ("busy", "rate_limited", "status 429"),
        ("denied", "blocked", "not allowed by what stands before the server"),
        ("login", "auth", "put user name and password into its address"),
        ("down", "unavailable", "status 502"),
        ("challenge", "blocked", "a bot challenge"),
        ("moved", "unavailable", "it sends to https://searx.example/search)"),
        ("nowhere", "bad_request", "there is no search at this address"),
        ("page", "parse_error", "an HTML page, where JSON was asked for; is there a SearXNG server at"),
        ("garbled", "parse_error", "not JSON"),
        ("other", "parse_error", "no list `results`"),
        ("cut", "unavailable", "closed before the answer was whole"),
        ("reset", "unavailable", "closed before the answer was whole"),
    ],
)
def test_an_answer_that_is_none_has_its_outcome_and_the_thing_to_change(
    session: Session, server: SearxngServer, name: str, outcome: str, said: str
) -> None:
    run = run_without_answer(session, server, name)
    assert run.outcome == outcome
    assert said in run.detail


def test_the_wait_that_a_server_asks_for_is_kept(session: Session, server: SearxngServer) -> None:
    assert run_without_answer(session, server, "busy").retry_after_s == 17


def test_a_command_that_leads_elsewhere_is_a_bad_request(session: Session, server: SearxngServer) -> None:
    """The redirect to another site passed for one of the server itself, and its address for the thing to change."""
    run = run_without_answer(session, server, "tides", "!!g tide mill")
    assert run.outcome == "bad_request"
    assert "'!!g' sends the reader to another site" in run.detail
    assert all(b"elsewhere.example" not in request for request in server.requests)


@pytest.mark.parametrize("name", ["slow", "dripping"])
def test_a_server_that_does_not_end_is_a_timeout(session: Session, server: SearxngServer, name: str) -> None:
    assert run_without_answer(session, server, name, deadline_s=0.4).outcome == "timeout"


def test_a_port_without_a_server_is_offline(session: Session, server: SearxngServer) -> None:
    with SearxngServer() as gone:
        pass
    assert run_without_answer(session, gone, "tides").outcome == "offline"


# --- the command line


def test_command_prints_the_evidence(tmp_path: Path, server: SearxngServer) -> None:
    result = command(tmp_path, server, "tides")
    assert result.exit_code == 0, result.output
    assert "silts up" in result.stdout


def test_command_tells_which_engines_failed_beside_the_evidence(tmp_path: Path, server: SearxngServer) -> None:
    result = command(tmp_path, server, "part")
    assert result.exit_code == 0
    assert "silts up" in result.stdout
    assert "busy: too many requests" in result.stderr


@pytest.mark.parametrize(
    ("name", "args", "code", "said"),
    [
        ("tides", ["zxqvkj"], 3, "empty"),
        ("simple", ["tide", "--page", "2"], 4, "can give page 2"),
        ("failing", ["tide"], 4, "2 engines failed (busy: too many requests; slow: timeout)"),
        ("closed", ["tide"], 4, "add `json` to the list `formats`"),
        ("limited", ["tide"], 4, "`pass_ip`"),
        ("busy", ["tide"], 4, "status 429"),
        ("slow", ["tide", "--deadline", "0.4"], 4, "no answer in time"),
        ("page", ["tide"], 4, "is there a SearXNG server at"),
    ],
    ids=["empty", "no-pages", "all-failed", "not-enabled", "limiter", "rate-limited", "slow", "html"],
)
def test_command_ends_with_the_code_of_the_outcome_and_says_why(
    tmp_path: Path, server: SearxngServer, name: str, args: list[str], code: int, said: str
) -> None:
    result = command(tmp_path, server, name, *args)
    assert result.exit_code == code, result.output
    assert said in result.stderr
