"""Attacks that once got through, in their smallest form: on standings, strangers' providers, replay, the doctor."""

from __future__ import annotations

import gzip
import json
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from searchlog import keyring
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Request
from searchlog.clock import FixedClock, SystemClock
from searchlog.errors import ProviderError, UsageError
from searchlog.flow.gather import Patience, gather
from searchlog.flow.settings import Settings
from searchlog.flow.standing import Standings
from searchlog.reparse import reparse
from searchlog.replay import replay
from searchlog.search import plugins, registry, whom
from searchlog.search.answers.values import seconds
from searchlog.search.catalogue import EXTRACTORS, FACTS, SERVICES
from searchlog.search.cooldown import after_run
from searchlog.search.provider import Facts, Response
from searchlog.search.providers.arxiv import Arxiv
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import RETRY_MAX_S, Result, Run, RunOutcome
from searchlog.session import Search, Session
from tests.cli.conftest import call
from tests.example_package import SOURCE, install
from tests.searches import JSON, answer, check_clean, html, opened
from tests.sites import Site, serve
from tests.test_secrets import spellings
from tests.wire_server import WireServer

QUERY = Query("tide mill")
TAVILY, BRAVE, ARXIV = Tavily().facts, Brave("k").facts, Arxiv().facts


class Moving(FixedClock):
    """A clock that the test moves."""

    def move(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


# --- how providers stand


def test_a_file_whose_making_was_cut_short_says_nothing_yet(tmp_path: Path) -> None:
    """A process killed between two statements left a file without tables, and every later search failed on it."""
    path = tmp_path / "providers.db"
    path.write_bytes(b"")
    made = Standings(path, FixedClock(), {})
    assert (made.cooldowns(), made.asked_today(), made.forget(["tavily"])) == ([], {}, [])
    made.note(TAVILY, Run("tavily", RunOutcome.BLOCKED))
    assert [item.provider for item in made.cooldowns()] == ["tavily"]


def test_whoever_looks_while_another_makes_the_file_is_not_failed(tmp_path: Path) -> None:
    """Of many searches begun at once on a new archive some ended in `no such table`."""
    for number in range(6):
        made = Standings(tmp_path / f"{number}.db", FixedClock(), {})

        def use(_: int, made: Standings = made) -> None:
            made.skips([BRAVE], QUERY, named=False)
            made.reserve(BRAVE, QUERY, 60.0)
            made.note(BRAVE, Run("brave", RunOutcome.BLOCKED))

        with ThreadPoolExecutor(16) as threads:
            list(threads.map(use, range(16)))
        assert made.asked_today() == {"brave": 16}


def test_a_request_that_would_come_too_late_takes_no_turn_and_no_budget(tmp_path: Path) -> None:
    """Each late one put the next turn off, until after a minute of them the pause was not kept at all."""
    made = Standings(tmp_path / "providers.db", FixedClock(), {"SEARCHLOG_DAY_MAX": "arxiv=4"})
    assert [made.reserve(ARXIV, QUERY, 8.0) for _ in range(30)] == [0.0, 3.0, 6.0, *[9.0] * 27]
    assert made.asked_today() == {"arxiv": 3}
    assert [made.reserve(ARXIV, QUERY, 3_600.0) for _ in range(1)] == [9.0]
    patient = Standings(None, FixedClock(), {})
    assert [patient.reserve(ARXIV, QUERY, 3_600.0) for _ in range(64)] == [3.0 * n for n in range(64)]


def test_a_clock_that_ran_ahead_leaves_nobody_alone_for_years(tmp_path: Path) -> None:
    clock = Moving()
    made = Standings(tmp_path / "providers.db", clock, {})
    clock.move(10 * 365 * 86_400)
    made.note(TAVILY, Run("tavily", RunOutcome.RATE_LIMITED, retry_after_s=60))
    made.note(BRAVE, Run("brave", RunOutcome.BLOCKED))
    assert len(made.cooldowns()) == 2
    clock.move(-10 * 365 * 86_400)
    assert made.skips([TAVILY, BRAVE], QUERY, named=True) == {}
    made.note(TAVILY, Run("tavily", RunOutcome.RATE_LIMITED, retry_after_s=31 * 86_400))
    assert list(made.skips([TAVILY], QUERY, named=True)) == ["tavily"]


def test_a_time_that_was_named_outlasts_the_failures_of_those_under_way() -> None:
    """A second answer of 429, without a time, put a guess of a minute in the place of the hour that was asked for."""
    now = FixedClock().now()
    told = after_run(None, TAVILY, Run("tavily", RunOutcome.RATE_LIMITED, retry_after_s=3_600), now)
    for outcome in (RunOutcome.RATE_LIMITED, RunOutcome.TIMEOUT, RunOutcome.OFFLINE):
        assert after_run(told, TAVILY, Run("tavily", outcome), now + timedelta(seconds=1)) == told
    longer = after_run(told, TAVILY, Run("tavily", RunOutcome.BLOCKED), now + timedelta(seconds=3_000))
    assert longer is not None
    assert not longer.told


@pytest.mark.parametrize(
    "row",
    [
        (b"tavily", "2099-01-01T00:00:00.000000Z", "blocked", "", 1, 1),
        ("tavily", b"2099", "blocked", "", 1, 1),
        ("tavily", "2026-01-02T03:04:35.000000Z", "blocked", b"", 0, 1),
        ("tavily", "2026-01-02T03:04:35.000000Z", "blocked", "", 0, "many"),
        ("tavily", "2026-01-02T03:04:35.000000Z", "blocked", "", "yes", 1),
    ],
)
def test_rows_of_other_types_are_passed_over(tmp_path: Path, row: tuple[object, ...]) -> None:
    """A number written as a word raised a TypeError out of the search."""
    path = tmp_path / "providers.db"
    made = Standings(path, FixedClock(), {"SEARCHLOG_DAY_MAX": "arxiv=2"})
    made.note(BRAVE, Run("brave", RunOutcome.BLOCKED))
    database = sqlite3.connect(path)
    with database:
        database.execute("INSERT INTO cooldown VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute("INSERT INTO asked VALUES ('arxiv', '2026-01-02', 'many', 'late')")
    database.close()
    assert [item.provider for item in made.cooldowns()] == ["brave"]
    assert made.asked_today() == {}
    made.note(TAVILY, Run("tavily", RunOutcome.BLOCKED))
    assert made.reserve(ARXIV, QUERY, 60.0) == 0.0


# --- providers that somebody else wrote


class Mine(Tavily):
    """A provider whose parse and follow are given: a value, or an exception to raise."""

    def __init__(self, site: Site, read: Any = None, name: str = "mine") -> None:
        super().__init__(None, site.url + "/m")
        self.facts = replace(self.facts, name=name)
        self.read = Run(name, RunOutcome.OK, (Result(1, site.url + "/mill", "Mill"),)) if read is None else read

    def parse(self, response: Response, query: Query) -> Any:
        if isinstance(self.read, BaseException):
            raise self.read
        return self.read


class Follows(Mine):
    """The same with a second request, which is given too."""

    second: Any = None

    def follow(self, query: Query, response: Response) -> Any:
        if isinstance(self.second, BaseException):
            raise self.second
        return self.second


@pytest.fixture
def site() -> Iterator[Site]:
    page = (200, {"Content-Type": "text/html"}, html("The tide mill stores the flood in a pond.", "Mill"))
    with serve({"/mill": page, "/gate": page, "/robots.txt": (404, {}, "")}) as made:
        made.pages["/m/search"] = (200, JSON, '{"results": []}')
        made.pages["/search"] = answer([made.url + "/gate"])
        yield made


def search(session: Session, site: Site, *providers: Any, **options: Any) -> Search:
    endpoints = registry.Options(endpoints={"searxng": site.url})
    return session.search(
        "tide mill", providers=providers, registry_options=endpoints, allow_private=("127.0.0.1",), **options
    )


def test_a_provider_that_ends_the_program_costs_its_own_run(site: Site) -> None:
    """`sys.exit(0)` in a provider of another package ended the search with success and no output."""
    with opened() as archive:
        made = search(archive.session(), site, "searxng", Mine(site, SystemExit(0)))
        assert [run.outcome for run in made.runs] == ["ok", "parse_error"]
        assert made.outcome == "ok"


LONG = 70_000
TOO_MUCH: list[tuple[str, dict[str, Any]]] = [
    ("detail", {"detail": "d" * LONG}),
    ("notes", {"notes": ("n" * LONG,)}),
    ("notes", {"ignored": ("o" * LONG,)}),
    ("notes", {"parser": "p" * LONG}),
    ("dropped", {"dropped": (("x", "y"),) * 20_001}),
    ("results", {"results": tuple(Result(n, f"http://a.example/{n}", text="t") for n in range(1, 600))}),
    *[("results[0]", {"results": (Result(1, "http://a.example/", **{name: "x" * LONG}),)}) for name in (
        "title", "snippet", "score", "published", "published_source", "crawled", "crawled_source", "text_type"
    )],
]  # fmt: skip


@pytest.mark.parametrize(("said", "fields"), TOO_MUCH, ids=lambda value: value if isinstance(value, str) else "")
def test_a_run_that_no_record_can_hold_costs_itself(site: Site, said: str, fields: dict[str, Any]) -> None:
    """A long note or title ended the whole search with `a run record of 70000 bytes`, and all answers were lost."""
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "searxng", Mine(site, Run("mine", RunOutcome.OK, **fields)))
        assert [run.outcome for run in made.runs] in (["ok", "parse_error"], ["ok", "too_large"])
        assert said in made.runs[1].detail
        check_clean(session)


def test_notes_of_an_answer_fit_into_its_record(site: Site) -> None:
    """Sixty long suggestions of a SearXNG server made a record over the limit, and the search failed."""
    rows = json.loads(str(site.pages["/search"][2]))
    site.pages["/search"] = (200, JSON, json.dumps(rows | {"suggestions": [f"🌊{n}" + "🌊" * 600 for n in range(60)]}))
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "searxng")
        assert (made.outcome, len(made.runs[0].notes)) == ("ok", 15)
        check_clean(session)


def test_two_providers_of_one_name_are_refused_before_anybody_is_asked(site: Site) -> None:
    """Two servers under one name were told apart by nothing: evidence got the other's time, and replay their order."""
    with opened() as archive:
        session = archive.session()
        for pair in ((Mine(site), Mine(site)), ("tavily", Tavily(None, site.url))):
            with pytest.raises(UsageError, match="a name of its own"):
                search(session, site, *pair)
        assert search(session, site, Mine(site, name="one"), Mine(site, name="two")).outcome == "ok"
        check_clean(session)


SECOND = [ValueError("x"), 5, Request("GET", "http://127.0.0.1:9/", (("X\n", "y"),)), None]


@pytest.mark.parametrize("second", SECOND, ids=["raises", "number", "no-http", "none"])
@pytest.mark.parametrize("read", [None, ValueError("x"), 5], ids=["good", "raises", "number"])
def test_what_a_stranger_got_wrong_is_replayed_as_it_was(
    site: Site, read: Any, second: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parser that raised did so in `replay` and `reparse` too; a `follow` that failed was replayed as a success."""
    mine = Follows(site, read)
    mine.second = second
    facts_of, build = registry.facts_of, registry.build
    for module in (registry, whom):
        monkeypatch.setattr(module, "facts_of", lambda name: mine.facts if name == "mine" else facts_of(name))
    monkeypatch.setattr(registry, "build", lambda name, *rest: mine if name == "mine" else build(name, *rest))
    with opened() as archive:
        session = archive.session()
        made = search(session, site, "searxng", "mine")
        assert made.runs[0].outcome == "ok"
        again = replay(session.ledger, made.turn, archive.resources.pool)
        assert (again.equal, again.differences) == (True, [])
        assert [item.equal for item in reparse(session.ledger)] == [True, True]
        check_clean(session)


# --- failures that looked like something else


def failing(site: Site) -> registry.Options:
    site.pages["/t/search"] = (401, JSON, '{"detail": {"error": "wrong key"}}')
    site.pages["/search"] = answer([])
    site.pages["/w/w/api.php"] = (
        200,
        JSON,
        '{"batchcomplete": true, "query": {"searchinfo": {"totalhits": 0}, "search": []}}',
    )
    return registry.Options(endpoints={"searxng": site.url, "tavily": site.url + "/t", "wikipedia": site.url + "/w"})


@pytest.mark.parametrize(
    ("names", "in_turn", "outcome"),
    [
        (["searxng"], False, "empty"),
        (["searxng", "tavily"], False, "degraded"),  # asked together: who failed may have had it
        (["tavily", "searxng"], True, "empty"),  # the next one in turn answered for the web
        (["wikipedia", "tavily"], True, "degraded"),
        (["tavily", "wikipedia"], True, "degraded"),  # an encyclopedia has no word on the web
        (["archive", "tavily"], True, "degraded"),
    ],
)
def test_nothing_found_beside_a_failure_is_not_nothing_there(
    site: Site, names: list[str], in_turn: bool, outcome: str
) -> None:
    """With every search service failing and an empty encyclopedia, a search was `empty`, with the exit code of that."""
    endpoints = failing(site)
    with opened() as archive:
        session = archive.session()
        made = session.search(
            "tide", providers=names, in_turn=in_turn, registry_options=endpoints, allow_private=("127.0.0.1",)
        )
        assert (made.outcome, made.evidence) == (outcome, ())
        check_clean(session)
        assert replay(session.ledger, made.turn, archive.resources.pool).equal


def test_the_command_says_that_not_all_answered(tmp_path: Path) -> None:
    with serve({"/search": answer([])}) as site:
        env = {"SEARCHLOG_ARCHIVE": str(tmp_path / "a"), "SEARXNG_URL": site.url, "SEARCHLOG_DAY_MAX": "brave=0"}
        env["BRAVE_API_KEY"] = "key-of-brave-123"
        made = call("search", "tide", "-q", env=env)
        assert (made.exit_code, "searxng: empty, brave: quota" in made.stderr) == (4, True)
        assert call("search", "tide", "-q", "-p", "searxng", env=env).exit_code == 3
        assert json.loads(call("search", "tide", "--json", env=env).stdout)["outcome"] == "degraded"


def test_a_host_that_is_to_be_left_alone_is_no_matter_of_the_guard(site: Site) -> None:
    """A second request within Retry-After was `refused`, and the doctor told people to use --allow-private."""
    site.pages["/t/search"] = (429, JSON | {"Retry-After": "300"}, "{}")
    endpoints = registry.Options(endpoints={"tavily": site.url + "/t"})
    with opened() as archive:
        session = archive.session()
        for said in ("status 429", "is to be asked again in"):
            with pytest.raises(ProviderError) as caught:
                session.search("tide", providers="tavily", registry_options=endpoints, allow_private=("127.0.0.1",))
            assert caught.value.attempts[0]["outcome"] == "rate_limited"
            assert said in caught.value.attempts[0]["detail"]
            archive.resources.standings.forget(["tavily"])
        assert len(site.hits) == 1
        assert [item.equal for item in reparse(session.ledger)] == [True, True]


@pytest.mark.parametrize(
    ("said", "expected"),
    [("0", 0), ("9999999999", RETRY_MAX_S), ("9" * 9_000, RETRY_MAX_S), ("-5", None), ("1e9", None), ("٣", None)],
)
def test_a_retry_after_without_end_is_the_longest_there_is(said: str, expected: int | None) -> None:
    """A wait of more than nine digits counted as none."""
    assert seconds(said) == expected


def test_arguments_are_looked_at_before_anybody_is_told_of_an_address() -> None:
    with opened() as archive:
        session = archive.session()
        before = len(session.records())
        for change in ({"provider": ["tavily"]}, {"progress": None}, {"registry_options": {}}, {"urls": 5}):
            given: dict[str, Any] = {"urls": ["https://example.org/"], "provider": "tavily"} | change
            with pytest.raises(UsageError, match=next(iter(change))):
                session.provider_texts(**given)
        with pytest.raises(UsageError, match="in_turn must be True or False"):
            session.search("tide", providers="archive", in_turn="no")  # type: ignore[arg-type]
        assert len(session.records()) == before


# --- the doctor


def checks(env: dict[str, str]) -> dict[str, dict[str, str]]:
    made = call("doctor", "--offline", "--json", env=env)
    assert "Traceback" not in made.stderr
    return {check["name"]: check for check in json.loads(made.stdout)["checks"]} | {"exit": {"code": made.exit_code}}


@pytest.mark.parametrize(
    ("named", "change"),
    [("brave", "BRAVE_API_KEY"), ("searxng", "SEARCHLOG_SEARXNG_URL"), ("site", "SEARCHLOG_PROVIDERS")],
)
def test_the_doctor_names_what_a_named_provider_lacks(tmp_path: Path, named: str, change: str) -> None:
    """Every search failed for want of a key, and the doctor found all well: it looked at what had a key only."""
    found = checks({"SEARCHLOG_ARCHIVE": str(tmp_path), "SEARCHLOG_PROVIDERS": f"wikipedia {named}"})
    assert (found[f"provider {named}"]["state"], found[f"provider {named}"]["change"]) == ("failed", change)
    assert found["provider wikipedia"]["state"] == "ok"
    assert found["exit"]["code"] == 8


def test_the_doctor_names_a_file_of_cool_downs_that_is_broken(tmp_path: Path) -> None:
    """Every search ended with it, while the doctor said that all is well, or ended itself without a table."""
    with opened(tmp_path):
        (tmp_path / "providers.db").write_bytes(b"no database" * 99)
    found = checks({"SEARCHLOG_ARCHIVE": str(tmp_path)})
    assert found["cool-downs"]["state"] == "failed"
    assert "providers.db" in found["cool-downs"]["change"]
    assert call("doctor", env={"SEARCHLOG_ARCHIVE": str(tmp_path)}).exit_code == 8


# --- texts of pages


def test_after_a_wrong_key_no_further_request_is_made(site: Site) -> None:
    """Firecrawl takes one address a request: a list of a thousand was a thousand requests with the same wrong key."""
    for status, outcome in ((401, "auth"), (402, "quota"), (429, "rate_limited")):
        site.hits.clear()
        site.pages["/f/v2/scrape"] = (status, JSON, '{"error": "no"}')
        with opened() as archive:
            archive.resources.env = {"FIRECRAWL_API_KEY": "fc-0123456789"}  # type: ignore[misc]
            session = archive.session()
            endpoints = registry.Options(endpoints={"firecrawl": site.url + "/f"})
            urls = [f"https://example.org/{n}" for n in range(5)]
            pages = session.provider_texts(urls, "firecrawl", registry_options=endpoints, allow_private=("127.0.0.1",))
            assert [page.reason for page in pages] == [outcome] * 5
            assert len(site.hits) == 1
            assert pages[4].detail.count("not asked, as the request before was refused") == 1
            check_clean(session)


def test_long_addresses_go_in_more_requests(site: Site) -> None:
    """Twenty addresses of 8,000 characters made a record over the limit, after the service had been asked."""
    urls = [f"https://example.org/{n}/" + "a" * 7_900 for n in range(20)]
    rows = [{"url": url, "raw_content": "The tide mill stores the flood."} for url in urls]
    site.pages["/t/extract"] = (200, JSON, json.dumps({"results": rows, "failed_results": []}))
    with opened() as archive:
        archive.resources.env = {"TAVILY_API_KEY": "tvly-0123456789"}  # type: ignore[misc]
        session = archive.session()
        endpoints = registry.Options(endpoints={"tavily": site.url + "/t"})
        pages = session.provider_texts(urls, "tavily", registry_options=endpoints, allow_private=("127.0.0.1",))
        assert {page.reason for page in pages} == {None}
        assert len(site.hits) == 7
        check_clean(session)


# --- keys


def test_a_key_that_a_package_does_not_declare_is_taken_out_all_the_same(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package may forget `secrets`: its key, from a variable of any name, then stood in the log and the message."""
    key = "login77aa"
    asked = (
        'from searchlog.capture.exchange import Request\n        return Request("GET", self.facts.endpoint + self._key)'
    )
    text = SOURCE.replace("EXAMPLE_PACKAGE_KEY", "EXAMPLE_LOGIN")
    text = text.replace('return self._get(fields, *((("X-Key", self._key),) if self._key else ()))', asked)
    (tmp_path / "packages").mkdir()
    install(tmp_path / "packages", text, module="forgetful_package")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    plugins.found.cache_clear()
    site.pages[f"/find{key}"] = (401, JSON, json.dumps({"error": f"{key} is no login"}))
    try:
        with opened(tmp_path / "a") as archive:
            archive.resources.env = {"EXAMPLE_LOGIN": key}  # type: ignore[misc]
            endpoints = registry.Options(endpoints={"example": site.url})
            session = archive.session()
            with pytest.raises(ProviderError) as caught:
                session.search("tide", providers="example", registry_options=endpoints, allow_private=("127.0.0.1",))
            assert caught.value.attempts[0]["detail"].endswith("([redacted] is no login); check EXAMPLE_LOGIN")
            assert [hit.target for hit in site.hits] == [f"/find{key}"]
            assert key not in repr(registry.build("example", archive.resources.env))
    finally:
        plugins.found.cache_clear()
    kept = [path for path in (tmp_path / "a").rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert kept == []


# --- asked twice, asked again


class _Counting:
    """A door that lets so many requests through."""

    def __init__(self, most: int) -> None:
        self.left = most

    def skips(self, wanted: object, query: Query, *, named: bool) -> dict[str, Run]:
        return {}

    def reserve(self, facts: Facts, query: Query, within_s: float) -> Run | float:
        self.left -= 1
        return 0.0 if self.left >= 0 else Run(facts.name, RunOutcome.QUOTA, detail="its budget is used up")

    def note(self, facts: Facts, run: Run) -> None:
        pass


@pytest.mark.parametrize(("most", "outcome", "asked"), [(0, "quota", 0), (1, "degraded", 1), (2, "ok", 2)])
def test_a_second_request_waits_for_its_turn_and_counts_too(site: Site, most: int, outcome: str, asked: int) -> None:
    """PubMed was asked twice within the pause that it asks for, and a second request was on no budget."""
    mine = Follows(site)
    mine.second = Request("GET", site.url + "/mill")
    with opened() as archive:
        client = archive.resources.client(Settings(allow_private=("127.0.0.1",)))
        deadline = Deadline(5.0, SystemClock())
        (made,) = gather([mine], QUERY, client, deadline, fuse=True, patience=Patience(8.0, 2.0), door=_Counting(most))
        assert (made.run.outcome, len(made.exchanges), len(site.hits)) == (outcome, asked, asked)
        assert len(made.run.results) == min(most, 1)


def test_a_turn_without_a_run_is_told_by_reparse(site: Site, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        search(archive.session(), site, "searxng")
    env = {"SEARCHLOG_ARCHIVE": str(tmp_path)}
    assert (call("reparse", "latest", "1", env=env).exit_code, call("reparse", "latest", "7", env=env).exit_code) == (
        0,
        3,
    )


def test_the_doctor_names_the_variable_that_is_set(tmp_path: Path) -> None:
    """With SEARXNG_URL set it named SEARCHLOG_SEARXNG_URL; of a server that sends elsewhere it named nothing."""
    with serve({"/search": (302, {"Location": "https://elsewhere.example/"}, "")}) as site:
        env = {"SEARCHLOG_ARCHIVE": str(tmp_path), "SEARXNG_URL": site.url}
        found = {check["name"]: check for check in json.loads(call("doctor", "--json", env=env).stdout)["checks"]}
        assert found["online searxng"]["change"] == "SEARXNG_URL"


# --- a kill while an archive is made


def test_an_archive_whose_making_was_cut_short_is_made_again(tmp_path: Path) -> None:
    """Killed while its tables were written, a new archive was refused for good: it `would leave no tables of ours`."""
    with opened(tmp_path):
        pass
    for name in ("log.db", "log.db-wal", "log.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    database = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    empty = (tmp_path / "log.db").read_bytes()
    database.executescript("PRAGMA wal_autocheckpoint=0; BEGIN; CREATE TABLE a (b); CREATE TABLE c (d); COMMIT;")
    begun = (tmp_path / "log.db-wal").read_bytes()[: 32 + 24 + 4096]
    database.close()
    assert begun[32 + 4 : 32 + 8] == bytes(4), "the first frame ends no transaction"
    for wal in (begun, begun[:40], begun[:32]):
        (tmp_path / "log.db").write_bytes(empty)
        (tmp_path / "log.db-wal").write_bytes(wal)
        (tmp_path / "log.db-shm").unlink(missing_ok=True)
        with opened(tmp_path) as archive:
            session = archive.session()
            check_clean(session)
        for path in tmp_path.glob("log.db*"):
            path.unlink()


class _All(dict[str, Any]):
    """A script that is the same for every path."""

    def get(self, key: str, default: Any = None) -> Any:
        return self["*"]


def _canaries() -> dict[str, str]:
    names = dict.fromkeys(name for facts in FACTS.values() if facts.key != "none" for name in facts.key_env)
    return {name: f"Canary-{number:02}+a9/{number}=Q7x" for number, name in enumerate(names)}


def _answers(keys: Mapping[str, str]) -> dict[str, Callable[[bytes], list[bytes]]]:
    """Return servers that repeat the request and every key, in every spelling."""
    said = " ".join(keys.values())
    forms = b"\n".join(form for key in keys.values() for form in spellings(key).values())

    def rows(request: bytes) -> list[bytes]:
        row = [
            {"url": f"http://a.example/{key}", "link": f"http://a.example/{key}", "title": key} for key in keys.values()
        ]
        lists = {"results": row, "web": {"results": row}, "organic": row, "data": row, "items": row}
        body = json.dumps({**lists, "error": {"message": said}, "detail": request.decode("latin-1") + said}).encode()
        return [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body), body]

    def refused(request: bytes) -> list[bytes]:
        body = gzip.compress(b'{"error": "%b"}' % said.encode() if b"GET" in request else request + forms)
        head = b"HTTP/1.1 401 %b\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
        return [head % (said.encode(), len(body)), body]

    def elsewhere(request: bytes) -> list[bytes]:
        place = request.split(b" ")[1] + b"&k=" + said.replace(" ", "&k=").encode()
        return [b"HTTP/1.1 302 Go\r\nLocation: http://other.example%b\r\nContent-Length: 0\r\n\r\n" % place]

    return {"rows": rows, "refused": refused, "elsewhere": elsewhere}


@pytest.mark.parametrize("kind", ["rows", "refused", "elsewhere"])
def test_no_key_of_any_provider_is_written_or_told(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every service and every service for texts, with a key each, asked at a server that repeats all keys."""
    monkeypatch.setattr(keyring, "_learned", {})  # what this test makes known is forgotten after it
    keys = _canaries()
    told: list[str] = []
    with WireServer(_All({"*": _answers(keys)[kind]})) as server, opened(tmp_path) as archive:
        archive.resources.env = keys  # type: ignore[misc]
        keyring.learn(keys)
        session = archive.session()
        for name in SERVICES:
            given: dict[str, Any] = {"registry_options": registry.Options(endpoints={name: server.url("")})}
            given |= {"allow_private": ("127.0.0.1",), "pages": 1, "provider_text": "prefer"}
            query = "example.com" if FACTS[name].scope == "captures" else "tide mill"
            try:
                told.append(repr(session.search(query, providers=name, **given)))
            except ProviderError as error:
                told += [*traceback.format_exception(error), repr(error.fields)]
            if name in EXTRACTORS:
                given = {name: given[name] for name in ("registry_options", "allow_private")}
                told.append(repr(session.provider_texts(["https://example.org/a"], name, **given)))
        told += [repr(reparse(session.ledger)), repr(archive.resources.standings.cooldowns())]
    assert len(told) > len(SERVICES)
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for where, data in {**written, "told": "\n".join(told).encode()}.items():
        low = data.lower()
        for key in keys.values():
            for name, form in spellings(key).items():
                found = form in data if name.startswith("base64") else form.lower() in low
                assert not found, (where, key, name)
