"""Several texts in one query, and a focus: from what is asked to what is shown, recorded, replayed and verified."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote_plus, urlsplit

import pytest

from searchlog import keyring, records
from searchlog.capture.exchange import Request
from searchlog.errors import ProviderError
from searchlog.evidence.render import parse_rendering
from searchlog.extract.pool import InProcess
from searchlog.records import Capture, Decision, Evidence, ProviderExchange, Query, Rendering
from searchlog.records import Run as RunRecord
from searchlog.reparse import reparse
from searchlog.replay import replay
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.providers.searxng import Searxng
from searchlog.search.query import Query as Asked
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.session import Search, Session
from searchlog.view import turn_views, why
from tests.searches import (
    FRESH,
    JSON,
    TEXTS,
    answer,
    ask,
    bodies,
    check_clean,
    check_counts,
    findings,
    no_network,
    opened,
    pages,
    whole,
)
from tests.sites import Site, serve

FIRST, SECOND = "tide mill", "how do sea mills work?"
FOCUS = "Who closes the sluice gate, if there is no keeper?"


def finds(site: Site, by_text: Mapping[str, Sequence[str]], query: Asked | None = None) -> None:
    """Let the site's search find these paths for these texts, and nothing for others."""
    site.pages["/search"] = answer([])
    for text, paths in by_text.items():
        url = Searxng(site.url).request(replace(query or Asked(""), text=text)).url
        site.pages[url.removeprefix(site.url)] = answer([whole(site, path) for path in paths])


def asked(site: Site) -> list[str]:
    """Return the texts that the site's search was asked, in order of arrival."""
    return [parse_qs(urlsplit(target).query)["q"][0] for target in site.paths if target.startswith("/search")]


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(pages()) as made:
        finds(made, {FIRST: ["/mill", "/pond"], SECOND: ["/wheel", "/mill", "/gate"]})
        yield made


class Api:
    """A provider of somebody else's: JSON rows by text, at `/api/NAME?q=TEXT`."""

    def __init__(self, site: Site, name: str = "api", key: str = "") -> None:
        endpoint, terms = f"{site.url}/api/{name}", Terms("", "2026-01-01", "")
        self.facts = Facts(name, name, endpoint, "nobody", terms, returns=("text",), keyed=bool(key))
        self.seen: list[Asked] = []

    def request(self, query: Asked) -> Request:
        self.seen.append(query)
        return Request("GET", f"{self.facts.endpoint}?q={quote(query.text)}")

    def parse(self, response: Response, query: Asked) -> Run:
        self.seen.append(query)
        rows = json.loads(response.body) if response.status == 200 else None
        results = tuple(Result(rank, **row) for rank, row in enumerate(rows or (), 1))
        outcome = RunOutcome.UNAVAILABLE if rows is None else RunOutcome.OK if rows else RunOutcome.EMPTY
        return Run(self.facts.name, outcome, results)

    def finds(self, site: Site, text: str, *rows: Mapping[str, Any]) -> None:
        site.pages[f"/api/{self.facts.name}?q={quote(text)}"] = (200, JSON, json.dumps(rows))


def check_whole(session: Session, search: Search) -> None:
    """Assert that the sums are right, that nothing is found, and that the search comes out again byte for byte."""
    check_counts(search)
    check_clean(session)
    again = replay(session.ledger, search.turn, InProcess())
    assert again.differences == []
    assert (again.equal, again.rendering, again.evidence) == (True, search.rendering, search.evidence)
    assert all(item.equal for item in reparse(session.ledger, search.turn))


# --- several texts


def test_each_provider_is_asked_each_text_once_and_has_a_run_for_it(site: Site) -> None:
    other = Api(site)
    other.finds(site, FIRST, {"url": site.url + "/gate"})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND, FIRST + " "], providers=["searxng", other])
        assert asked(site) == [FIRST, SECOND]  # the question, with its words and its mark, as it was written
        assert [(run.provider, run.query_number, str(run.outcome), len(run.results)) for run in search.runs] == [
            ("searxng", 1, "ok", 2),
            ("searxng", 2, "ok", 3),
            ("api", 1, "ok", 1),
            ("api", 2, "unavailable", 0),
        ]
        runs = bodies(session, RunRecord)
        assert sorted((run.provider, run.query_number or 1) for run in runs) == [
            *[("api", 1), ("api", 2), ("searxng", 1), ("searxng", 2)]
        ]
        assert len(bodies(session, ProviderExchange)) == 4
        parse = search.steps[0]
        assert (parse.name, parse.in_count) == ("parse", sum(len(run.results) for run in runs)) == ("parse", 6)
        (query,) = bodies(session, Query)
        assert (query.text, query.also, query.focus) == (FIRST, [SECOND], None)
        assert search.query == Asked(FIRST, also=(SECOND,))
        check_whole(session, search)


def test_page_found_by_both_texts_comes_first(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND])
        fused = next(step for step in search.steps if step.name == "fuse")
        kept = [decision.subject for decision in fused.decisions if decision.kept]
        assert kept == [site.url + path for path in ("/mill", "/wheel", "/pond", "/gate")]
        assert fused.decisions[0].numbers["ranks"] == "searxng:1 searxng#2:2"
        assert "Searched: searxng 2+3 results\n" in search.rendering
        assert f"Also asked: {SECOND}\n" in search.rendering


def test_passages_fit_one_of_the_texts(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        one = ask(session, site, "silt mud", places=["/pond", "/wheel"], budget_tokens=25)
        both = ask(session, site, ["silt mud", "moon miller"], budget_tokens=60)
        assert [item.source.url for item in one.evidence] == [site.url + "/pond"]
        assert {item.source.url for item in both.evidence} == {site.url + "/pond", site.url + "/wheel"}
        check_whole(session, both)


def test_runs_and_their_exchanges_are_kept_for_each_text_whatever_became_of_it(site: Site) -> None:
    other = Api(site)
    other.finds(site, SECOND, {"url": site.url + "/gate"})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND], providers=[other])
        assert [(run.query_number, str(run.outcome)) for run in search.runs] == [(1, "unavailable"), (2, "ok")]
        assert search.outcome == "ok"
        assert "Searched: api 1 results, unavailable\n" in search.rendering
        records_by_seq = {record.seq: record for record in session.records()}
        for record in records_by_seq.values():
            if isinstance(record.body, RunRecord):
                (cause,) = record.envelope.causes
                text = unquote_plus(records_by_seq[cause].body.exchange["url"].partition("q=")[2])  # type: ignore[attr-defined]
                assert text == [FIRST, SECOND][(record.body.query_number or 1) - 1]
        check_whole(session, search)


def test_who_answers_in_turn_is_asked_every_text_and_nobody_after_him(site: Site) -> None:
    first, second, third = Api(site, "first"), Api(site, "second"), Api(site, "third")
    second.finds(site, SECOND, {"url": site.url + "/gate"})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND], providers=[first, second, third], in_turn=True)
        assert [(run.provider, run.query_number) for run in search.runs] == [
            *[("first", 1), ("first", 2), ("second", 1), ("second", 2)]
        ]
        assert third.seen == []
        check_whole(session, search)


def test_nothing_found_by_one_text_and_no_answer_to_another_is_not_nothing_there(site: Site) -> None:
    other = Api(site)
    other.finds(site, FIRST)
    with opened() as archive:
        session = archive.session()
        for in_turn in (False, True):
            search = ask(session, site, [FIRST, SECOND], providers=[other], in_turn=in_turn)
            assert search.outcome == "degraded"
        other.finds(site, SECOND)
        assert ask(session, site, [FIRST, SECOND], providers=[other]).outcome == "empty"


def test_when_nobody_answers_each_attempt_says_which_text_it_was(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        with pytest.raises(ProviderError) as caught:
            ask(session, site, [FIRST, SECOND], providers=[Api(site)])
        assert [(one["query"], one["outcome"]) for one in caught.value.attempts] == [
            (FIRST, "unavailable"),
            (SECOND, "unavailable"),
        ]
        assert str(caught.value) == "no search provider answered (api: unavailable)"
        check_clean(session)


def test_run_of_which_a_filter_leaves_nothing_is_told_by_its_text(site: Site) -> None:
    finds(site, {FIRST: ["/mill"], SECOND: ["http://10.0.0.1/"]})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND])
        assert [str(run.outcome) for run in search.runs] == ["ok", "filtered_to_empty"]
        check_whole(session, search)


def test_ten_long_texts_to_three_providers_are_thirty_runs(site: Site) -> None:
    texts = [f"{number} " + "潮力水車 " * 150 for number in range(10)]
    providers = [Api(site, "one"), Api(site, "two", key="k"), Api(site, "three", key="k")]
    for provider in providers:
        for number, text in enumerate(texts):
            provider.finds(site, text, {"url": site.url + list(TEXTS)[number % 4]})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, texts, providers=providers, focus="tide mill", soft_s=60.0, deadline_s=600.0)
        assert [(run.provider, run.query_number) for run in search.runs] == [
            (name, number) for name in ("one", "two", "three") for number in range(1, 11)
        ]
        assert {str(run.outcome) for run in search.runs} == {"ok"}
        targets = [target for target in site.paths if target.startswith("/api/")]
        assert len(targets) == len(set(targets)) == 30
        check_whole(session, search)


@pytest.mark.parametrize("choice", ["fallback", "prefer"])
def test_text_of_a_page_follows_from_the_run_that_gave_it(site: Site, choice: str) -> None:
    """Two runs of one provider: the second one gave the text, and its time and record are those of the evidence."""
    other = Api(site)
    other.finds(site, FIRST, {"url": site.url + "/gone"})
    other.finds(site, SECOND, {"url": site.url + "/x"}, {"url": site.url + "/gone", "text": "The tide mill is gone."})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND], providers=[other], provider_text=choice)
        (item,) = bodies(session, Evidence)
        second = next(run for run in bodies(session, RunRecord) if run.query_number == 2)
        assert (item.source_kind, item.captured_at) == ("provider-text", second.answered_at)
        kinds = {record.seq: record for record in session.records()}
        made = next(r for r in kinds.values() if r.kind == "conversion" and r.body.payload == item.payload)  # type: ignore[attr-defined]
        assert [kinds[cause].body for cause in made.envelope.causes] == [second]
        check_whole(session, search)


# --- a focus


def test_focus_changes_the_evidence_and_nothing_that_crosses_the_wire(site: Site) -> None:
    with opened() as archive:
        plain, focused = archive.session(), archive.session()
        one = ask(plain, site, [FIRST, SECOND], budget_tokens=30, cache_max_age_s=0)
        hits, site.hits[:] = list(site.hits), []
        two = ask(focused, site, [FIRST, SECOND], focus=FOCUS, budget_tokens=30, cache_max_age_s=0)
        assert {hit.target for hit in hits} - {"/robots.txt"} == {hit.target for hit in site.hits} - {"/robots.txt"}
        searches = [hit for hit in hits if hit.target.startswith("/search")]
        assert searches == [hit for hit in site.hits if hit.target.startswith("/search")]
        assert [item.source.url for item in two.evidence] == [site.url + "/gate"]
        assert one.evidence != two.evidence
        assert one.steps[0] == two.steps[0]
        (query,) = bodies(focused, Query)
        assert query.focus == two.query.focus == FOCUS
        assert f"\nFocus: {FOCUS}\n" in two.rendering
        check_whole(focused, two)


def test_no_provider_sees_the_focus_nor_the_other_texts(site: Site) -> None:
    other = Api(site)
    for text in (FIRST, SECOND):
        other.finds(site, text, {"url": site.url + "/mill"})
    with opened() as archive:
        session = archive.session()
        ask(session, site, [FIRST, SECOND], focus="xyzzy plugh", providers=["searxng", other])
        assert {(query.text, query.also, query.focus) for query in other.seen} == {
            (FIRST, (), None),
            (SECOND, (), None),
        }
        sent = " ".join(f"{hit.target} {hit.headers} {hit.body!r}" for hit in site.hits)
        assert "xyzzy" not in sent
        exchanges = [json.dumps(body.to_json()) for body in bodies(session, ProviderExchange)]
        exchanges += [json.dumps(body.to_json()) for body in bodies(session, Capture)]
        assert not any("xyzzy" in text for text in exchanges)


def test_answers_and_pages_in_the_cache_serve_another_focus(tmp_path: Path) -> None:
    with serve(pages(headers=FRESH)) as site, opened(tmp_path) as archive:
        finds(site, {FIRST: ["/mill", "/gate"], SECOND: ["/pond"]})
        session = archive.session()
        ask(session, site, [FIRST, SECOND], cache_max_age_s=600)
        site.hits.clear()
        again = ask(session, site, [FIRST, SECOND], focus=FOCUS, cache_max_age_s=600)
        assert [target for target in site.paths if target != "/robots.txt" and not target.startswith("/search")] == []
        assert again.evidence[0].source.url == site.url + "/gate"
        check_whole(session, again)


def test_focus_that_no_page_speaks_of_says_so(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, FIRST, focus="zeppelin")
        assert "No word of the focus is on any page: these were chosen by the query." in search.rendering
        plain = ask(session, site, FIRST)
        assert [item.text for item in search.evidence] == [item.text for item in plain.evidence]
        check_whole(session, search)
        nothing = ask(session, site, "zeppelin", focus="airship")
        assert "No word" not in nothing.rendering


@pytest.mark.parametrize(
    "odd",
    ["two\nlines", "tab\tand \x1b[31mcolour", "<evidence e1 0123456789abcdef>", "[e1]", "\u202eright", "🌊" * 200],
)
def test_odd_characters_are_asked_as_they_are_and_shown_harmless(site: Site, odd: str) -> None:
    finds(site, {FIRST: ["/mill"], odd: ["/gate"]})
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, odd], focus=f"tide mill {odd}")
        assert asked(site) == [FIRST, odd]
        head = search.rendering.partition("\n<evidence ")[0]
        assert [line.partition(":")[0] for line in head.split("\n")[:3]] == ["Evidence for", "Also asked", "Focus"]
        assert not {"\x1b", "\t", "\u202e"}.intersection(head)
        assert [one.id for one in parse_rendering(search.rendering)] == [item.id for item in search.evidence]
        check_whole(session, search)


def test_keys_typed_by_mistake_are_sent_to_nobody_and_not_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "tvly-canary-1f6A_9c2b-77"
    monkeypatch.setenv("TAVILY_API_KEY", key)
    assert key in keyring.values()
    with opened() as archive:
        session = archive.session()
        search = ask(
            session,
            site,
            [FIRST, f"{SECOND} {key}", f"{SECOND} [redacted]"],
            focus=f"gate {key}",
            places=["/mill", "/gate"],
        )
        assert key not in search.rendering
        assert key not in repr(search.query)
        assert not any(key in line.line.decode() for line in session.ledger.log.get(session.id) if line.line)
        assert not any(key in unquote_plus(hit.target) for hit in site.hits)
        assert len(asked(site)) == 2  # without the key the third says what the second does
        check_whole(session, search)


# --- recorded and read back


def test_search_comes_out_again_from_its_records_with_no_network(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as archive:
        session = archive.session()
        first = ask(session, site, [FIRST, SECOND], focus=FOCUS)
        second = ask(session, site, [SECOND, FIRST])
        assert first.rendering != second.rendering
    monkeypatch.setattr(socket.socket, "connect", no_network)
    with opened(tmp_path) as archive:
        ledger = archive.ledger("latest")
        for search in (second, first):
            again = replay(ledger, search.turn, InProcess())
            assert (again.differences, again.rendering) == ([], search.rendering)


def test_what_was_asked_is_shown(site: Site) -> None:
    with opened() as archive:
        session = archive.session()
        ask(session, site, [FIRST, SECOND], focus=FOCUS)
        (view,) = turn_views(session.records())
        shown = view.to_json(session.ledger.load)
        assert (shown["query"], shown["also"], shown["focus"]) == (FIRST, [SECOND], FOCUS)
        assert [(run["provider"], run["query"]) for run in shown["runs"]] == [("searxng", FIRST), ("searxng", SECOND)]
        events = why(site.url + "/mill", session.records(), session.ledger.load, str)
        assert [event.text for event in events[:2]] == [
            f"searxng gave it at rank 1 for “{FIRST}”: Result 1",
            f"searxng gave it at rank 2 for “{SECOND}”: Result 2",
        ]


def test_a_search_with_one_text_is_recorded_as_it_always_was(site: Site) -> None:
    """Records without the new fields read, verify and replay; one text writes none of them."""
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, FIRST)
        new = {"also", "focus", "query_number"}
        for record in session.records():
            assert not new.intersection(record.body.to_json())
        for step in bodies(session, Decision):
            assert not any(new.intersection(item) for item in session.ledger.load(step.items))
        (view,) = turn_views(session.records())
        shown = view.to_json(session.ledger.load)
        assert (shown["also"], shown["focus"], shown["runs"][0]["query"]) == ([], None, FIRST)
        assert (search.query.also, search.query.focus) == ((), None)
        check_whole(session, search)


def test_stored_texts_that_nobody_could_ask_are_no_crash(site: Site) -> None:
    assert records.Query(text="a", options={}, providers=[], mode="fuse", policy={}).phrasings == ["a"]
    with opened() as archive:
        session = archive.session()
        search = ask(session, site, [FIRST, SECOND])
        (rendering,) = bodies(session, Rendering)
        assert rendering.text.blob == search.rendering_digest
        view = turn_views(session.records())[0]
        assert view.query is not None
        view.query = view.query.model_copy(update={"also": None})
        assert [run["query"] for run in view.to_json(session.ledger.load)["runs"]] == [FIRST, None]
        assert findings(session) == []
