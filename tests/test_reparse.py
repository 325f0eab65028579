"""Stored answers parsed again: equal by the same parsers, told where they are not, and kept on request only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog.errors import ProviderError
from searchlog.records import ProviderExchange, Run, Turn
from searchlog.reparse import reparse
from searchlog.search import registry
from searchlog.search.provider import Response
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import Run as RunValue
from searchlog.search.run import RunOutcome
from tests.cli.conftest import call
from tests.searches import JSON, bodies, check_clean, html, opened
from tests.sites import Site, serve


@pytest.fixture
def site() -> Iterator[Site]:
    page = (200, {"Content-Type": "text/html"}, html("The tide mill stores the flood in a pond.", "Mill"))
    with serve({"/mill": page, "/robots.txt": (404, {}, "")}) as made:
        rows = [{"url": made.url + "/mill", "title": "Mill", "content": "tide", "raw_content": "The tide mill."}]
        made.pages["/t/search"] = made.pages["/t/extract"] = (200, JSON, json.dumps({"results": rows}))
        made.pages["/b/res/v1/web/search"] = (429, JSON | {"Retry-After": "1"}, "{}")
        yield made


ENV = {"TAVILY_API_KEY": "key-of-tavily-123", "BRAVE_API_KEY": "key-of-brave-123"}


def options(site: Site) -> dict[str, Any]:
    endpoints = registry.Options(endpoints={"tavily": f"{site.url}/t", "brave": f"{site.url}/b"})
    return {"registry_options": endpoints, "allow_private": ("127.0.0.1",)}


def test_the_same_parsers_give_the_same_runs_whatever_the_outcome(site: Site) -> None:
    """Keyed and keyless answers of one status differ in meaning: the provider is built as it was then."""
    with opened() as archive:
        for env in (ENV, {}):
            archive.resources.env = env  # type: ignore[misc]
            session = archive.session()
            names = ["tavily", "brave"] if env else ["tavily"]
            session.search("tide mill", providers=names, provider_text="fallback", **options(site))
            site.pages["/t/search"], good = (403, JSON, "{}"), site.pages["/t/search"]
            with pytest.raises(ProviderError):
                session.search("tide mill", providers=["tavily"], **options(site))
            site.pages["/t/search"] = good
            session.provider_texts([site.url + "/mill"], "tavily", **options(site))
            again = reparse(session.ledger)
            assert sorted(item.recorded.provider for item in again) == sorted([*names, "tavily", "tavily"])
            assert all(item.equal and item.run is not None for item in again), again
            archive.resources.standings.forget(["tavily", "brave"])


def test_a_later_parser_reads_what_an_earlier_one_could_not(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Tavily.parse

    def blind(self: Tavily, response: Response, query: Query) -> RunValue:
        run = good(self, response, query)
        return replace(run, outcome=RunOutcome.PARSE_ERROR, results=(), detail="tavily: no rows", parser="tavily/0")

    with opened() as archive:
        session = archive.session()
        monkeypatch.setattr(Tavily, "parse", blind)
        with pytest.raises(ProviderError):
            session.search("tide mill", providers=["tavily"], **options(site))
        monkeypatch.setattr(Tavily, "parse", good)
        (item,) = reparse(session.ledger)
        assert (item.equal, item.gained, item.lost) == (False, (site.url + "/mill",), ())
        assert (item.recorded.parser, item.run.parser if item.run else None) == ("tavily/0", "tavily/3")
        before = len(session.records())
        turn = session.keep_runs([item])
        kept = [record for record in session.records() if record.envelope.turn == turn]
        (run,) = [record for record in kept if isinstance(record.body, Run)]
        (exchange,) = [record for record in session.records() if isinstance(record.body, ProviderExchange)]
        assert exchange.seq in run.envelope.causes
        assert item.seq in run.envelope.causes
        assert run.body.outcome == "ok"
        assert [body.purpose for body in bodies(session, Turn, turn)] == ["reparse", None]
        assert len(session.records()) == before + 3
        check_clean(session)
        assert [one.equal for one in reparse(session.ledger, 1)] == [False]


def test_runs_without_an_answer_and_of_unknown_providers_say_so(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        session.search("tide mill", providers=["archive", "tavily"], **options(site))
        # by name: runs are kept in the order in which they end
        found = {item.recorded.provider: item for item in reparse(session.ledger)}
        local = found["archive"]
        assert (local.run, local.why) == (None, "no answer is stored: it was not asked over the network")


def test_a_run_of_a_provider_that_is_not_here_is_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened() as archive:
        session = archive.session()
        session.search("tide mill", providers=["tavily"], **options(site))
        monkeypatch.setattr(registry, "facts_of", lambda name: None)
        (item,) = reparse(session.ledger)
        assert (item.run, item.why, item.equal) == (None, "there is no provider tavily here", True)


def test_an_answer_whose_bytes_are_gone_is_told_and_the_others_are_parsed(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        session = archive.session()
        session.search("tide mill", providers=["tavily"], **options(site))
        session.search("tide mill again", providers=["tavily"], **options(site))
        site.pages["/t/search"] = (200, JSON, json.dumps({"results": []}))
        session.search("tide mill", providers=["tavily"], **options(site))
        blob = bodies(session, ProviderExchange)[-1].payload.blob.removeprefix("sha256:")
        (tmp_path / "blobs" / "sha256" / blob[:2] / blob).unlink()
        again = reparse(session.ledger)
        assert [item.run is not None for item in again] == [True, True, False]
        assert blob[:12] in again[2].why
        assert [item.damaged for item in again] == [False, False, True]
    result = call("reparse", session.id, env={"SEARCHLOG_ARCHIVE": str(tmp_path)})
    assert result.exit_code == 7
    assert blob[:12] in result.stderr


def test_the_command_prints_then_and_now_and_keeps_on_request(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.session().search("tide mill", providers=["tavily"], **options(site))
    place = {"SEARCHLOG_ARCHIVE": str(tmp_path)}
    result = call("reparse", env=place)
    assert (result.exit_code, result.stdout.splitlines()[-1][:22]) == (0, "1 answers parsed again")
    told = json.loads(call("reparse", "all", "--json", "--keep", env=place).stdout)
    (run,) = told["runs"]
    assert (run["equal"], run["gained"], run["now"]["parser"]) == (True, [], "tavily/3")
    assert call("reparse", "nosuch", env=place).exit_code == 3
