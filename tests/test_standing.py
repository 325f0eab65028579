"""Cool-downs and budgets: kept across runs and processes, obeyed by searches, and forgotten with their file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from searchlog.clock import FixedClock
from searchlog.errors import ProviderError, StoreError, UsageError
from searchlog.flow.standing import Standings
from searchlog.records import ProviderExchange
from searchlog.records import Run as RunRecord
from searchlog.search import registry
from searchlog.search.provider import Facts
from searchlog.search.providers.arxiv import Arxiv
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.brave_context import BraveContext
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.session import Search
from tests.searches import JSON, bodies, check_clean, html, opened
from tests.sites import Site, serve

QUERY = Query("tide mill")
TAVILY, BRAVE, ARXIV = Tavily().facts, Brave("k").facts, Arxiv().facts


class Moving(FixedClock):
    """A clock that the test moves."""

    def move(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Moving:
    return Moving()


@pytest.fixture(params=["file", "memory"])
def standings(request: pytest.FixtureRequest, tmp_path: Path, clock: Moving) -> Iterator[Standings]:
    path = tmp_path / "providers.db" if request.param == "file" else None
    made = Standings(path, clock, {"SEARCHLOG_DAY_MAX": "brave=2"})
    yield made
    made.close()


def skipped(standings: Standings, *wanted: Facts, named: bool = False) -> list[str]:
    return sorted(standings.skips(wanted, QUERY, named=named))


def test_a_told_time_is_obeyed_whoever_asks_and_ends(standings: Standings, clock: Moving) -> None:
    standings.note(TAVILY, Run("tavily", RunOutcome.RATE_LIMITED, retry_after_s=60))
    assert skipped(standings, TAVILY, named=True) == ["tavily"]
    clock.move(61)
    assert skipped(standings, TAVILY, named=True) == []


def test_a_guess_gives_way_when_named_or_when_nobody_else_is_left(standings: Standings) -> None:
    standings.note(TAVILY, Run("tavily", RunOutcome.BLOCKED))
    assert skipped(standings, TAVILY, BRAVE) == ["tavily"]
    assert skipped(standings, TAVILY, BRAVE, named=True) == []
    assert skipped(standings, TAVILY) == []
    standings.note(BRAVE, Run("brave", RunOutcome.RATE_LIMITED, retry_after_s=9))
    assert skipped(standings, TAVILY, BRAVE) == ["brave"]


def test_an_answer_ends_it_and_so_does_forgetting(standings: Standings) -> None:
    standings.note(TAVILY, Run("tavily", RunOutcome.RATE_LIMITED, retry_after_s=60))
    standings.note(BRAVE, Run("brave", RunOutcome.BLOCKED))
    standings.note(TAVILY, Run("tavily", RunOutcome.OK))
    assert [item.provider for item in standings.cooldowns()] == ["brave"]
    assert standings.forget(["brave", "tavily"]) == ["brave"]
    assert standings.cooldowns() == []


def test_a_budget_is_counted_and_begins_anew_with_the_day(standings: Standings, clock: Moving) -> None:
    assert [standings.reserve(BRAVE, QUERY, 60.0) for _ in range(2)] == [0.0, 0.0]
    over = standings.reserve(BRAVE, QUERY, 60.0)
    assert isinstance(over, Run)
    assert over.outcome is RunOutcome.QUOTA
    assert standings.asked_today() == {"brave": 2}
    clock.move(86_400)
    assert standings.asked_today() == {}
    assert standings.reserve(BRAVE, QUERY, 60.0) == 0.0


def test_services_of_one_key_share_its_budget(standings: Standings) -> None:
    context = BraveContext("k").facts
    assert [standings.reserve(context, QUERY, 60.0), standings.reserve(BRAVE, QUERY, 60.0)] == [0.0, 0.0]
    assert isinstance(standings.reserve(context, QUERY, 60.0), Run)
    assert standings.asked_today() == {"brave": 2}
    over = standings.reserve(context, QUERY, 9.0)
    assert isinstance(over, Run)
    assert "SEARCHLOG_DAY_MAX=brave=N" in over.detail
    with pytest.raises(UsageError, match="shares the budget of brave"):
        Standings(None, FixedClock(), {"SEARCHLOG_DAY_MAX": "brave-context=3"}).limits()


@pytest.mark.parametrize(("outcome", "left"), [("offline", 0), ("refused", 0), ("timeout", 1), ("auth", 1), ("ok", 1)])
def test_what_never_left_this_machine_is_given_back(standings: Standings, outcome: str, left: int) -> None:
    """Three searches without a network spent the day's budget, although nothing had been sent."""
    standings.reserve(BRAVE, QUERY, 60.0)
    standings.note(BRAVE, Run("brave", RunOutcome(outcome)))
    assert standings.asked_today().get("brave", 0) == left


def test_what_costs_nothing_is_not_counted(standings: Standings) -> None:
    assert standings.reserve(TAVILY, QUERY, 60.0) == 0.0
    assert standings.asked_today() == {}


def test_pauses_are_kept_between_requests(standings: Standings, clock: Moving) -> None:
    assert [standings.reserve(ARXIV, QUERY, 60.0) for _ in range(3)] == [0.0, 3.0, 6.0]
    clock.move(7)
    assert standings.reserve(ARXIV, QUERY, 60.0) == pytest.approx(2.0)


def test_a_clock_that_was_set_back_makes_nobody_wait_for_ever(standings: Standings, clock: Moving) -> None:
    standings.reserve(ARXIV, QUERY, 60.0)
    clock.move(-86_400)
    assert standings.reserve(ARXIV, QUERY, 60.0) == 0.0


def test_threads_and_processes_share_one_budget(tmp_path: Path) -> None:
    path = tmp_path / "providers.db"
    env = {"SEARCHLOG_DAY_MAX": "brave=10"}
    code = (
        "import sys, pathlib\n"
        "from searchlog.clock import FixedClock\n"
        "from searchlog.flow.standing import Standings\n"
        "from searchlog.search.providers.brave import Brave\n"
        "from searchlog.search.query import Query\n"
        "made = Standings(pathlib.Path(sys.argv[1]), FixedClock(), {'SEARCHLOG_DAY_MAX': 'brave=10'})\n"
        "print(sum(made.reserve(Brave('k').facts, Query('x'), 60.0) == 0.0 for _ in range(6)))\n"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) for _ in range(2)]
    mine = Standings(path, FixedClock(), env)
    with ThreadPoolExecutor(4) as threads:
        given = sum(made == 0.0 for made in threads.map(lambda _: mine.reserve(BRAVE, QUERY, 60.0), range(6)))
    assert given + sum(int(other.communicate()[0]) for other in others) == 10


def test_looking_makes_no_file_and_a_broken_one_is_named(tmp_path: Path, clock: Moving) -> None:
    path = tmp_path / "providers.db"
    made = Standings(path, clock, {})
    assert (made.cooldowns(), made.asked_today(), made.forget(["tavily"])) == ([], {}, [])
    assert not path.exists()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"providers\.db.*may be deleted"):
        made.cooldowns()


def test_rows_of_a_later_version_are_passed_over(tmp_path: Path, clock: Moving) -> None:
    made = Standings(tmp_path / "providers.db", clock, {})
    made.note(TAVILY, Run("tavily", RunOutcome.BLOCKED))
    import sqlite3

    database = sqlite3.connect(tmp_path / "providers.db")
    with database:
        database.execute("INSERT INTO cooldown VALUES ('brave', 'soon', 'blocked', '', 0, 1)")
        database.execute("INSERT INTO cooldown VALUES ('exa', '2099-01-01T00:00:00Z', 'bored', '', 0, 1)")
    database.close()
    assert [item.provider for item in made.cooldowns()] == ["tavily"]


# --- searches


def busy(status: int = 429, wait: int | None = 300) -> tuple[int, dict[str, str], str]:
    return status, JSON | ({"Retry-After": str(wait)} if wait else {}), '{"error": "slow down"}'


def tavily(site: Site) -> tuple[int, dict[str, str], str]:
    return 200, JSON, json.dumps({"results": [{"url": f"{site.url}/mill", "title": "Mill", "content": "tide mill"}]})


def search(place: Path | str, site: Site, env: dict[str, str] | None = None, **options: Any) -> Search:
    endpoints = registry.Options(endpoints={"tavily": f"{site.url}/t", "brave": f"{site.url}/b"})
    options = {"registry_options": endpoints, "allow_private": ("127.0.0.1",), **options}
    with opened(place) as archive:
        archive.resources.env = env or {}  # type: ignore[misc]
        session = archive.session()
        try:
            return session.search("tide mill", **options)
        finally:
            check_clean(session)


@pytest.fixture
def site() -> Iterator[Site]:
    page = (200, {"Content-Type": "text/html"}, html("The tide mill stores the flood in a pond.", "Mill"))
    with serve({"/mill": page, "/robots.txt": (404, {}, "")}) as made:
        made.pages["/t/search"] = tavily(made)
        yield made


def asked(site: Site) -> list[str]:
    return [target.partition("?")[0] for target in site.paths if target[1] in "tb"]


def test_retry_after_is_obeyed_in_the_next_run_though_the_provider_is_named(tmp_path: Path, site: Site) -> None:
    site.pages["/t/search"] = busy()
    for _ in range(2):
        with pytest.raises(ProviderError) as caught:
            search(tmp_path, site, providers=["tavily"])
        assert caught.value.attempts[0]["outcome"] == "rate_limited"
    assert "not asked until" in caught.value.attempts[0]["detail"]
    assert asked(site) == ["/t/search"]


def test_the_next_one_is_asked_at_once_while_another_rests(tmp_path: Path, site: Site) -> None:
    """In turn: brave was blocked a run ago, so it is not even tried now, and the log says why."""
    site.pages["/b/res/v1/web/search"] = busy(wait=None)
    env = {"BRAVE_API_KEY": "key-of-brave", "TAVILY_API_KEY": "key-of-tavily"}
    first = search(tmp_path, site, env, in_turn=True)
    # tavily stands first and answers, so brave is not needed
    assert [run.provider for run in first.runs] == ["tavily"]
    site.pages["/t/search"] = busy(500, None)
    with pytest.raises(ProviderError):
        search(tmp_path, site, env, in_turn=True)
    site.pages["/b/res/v1/web/search"] = (200, JSON, json.dumps({"query": {}, "web": {"results": []}}))
    site.hits.clear()
    made = search(tmp_path, site, env, providers=["tavily", "brave"], in_turn=True)
    assert [(run.provider, run.outcome) for run in made.runs] == [("tavily", "unavailable"), ("brave", "empty")]
    assert asked(site) == ["/t/search", "/b/res/v1/web/search"]  # a guess gives way to a name


def test_a_run_that_was_not_asked_is_recorded_without_an_exchange(tmp_path: Path, site: Site) -> None:
    site.pages["/t/search"] = busy()
    with pytest.raises(ProviderError):
        search(tmp_path, site, providers=["tavily"])
    with opened(tmp_path) as archive:
        session = archive.session()
        with pytest.raises(ProviderError):
            session.search("tide mill", providers=["tavily"])
        (run,) = bodies(session, RunRecord)
        assert (run.outcome, run.answered_at, bodies(session, ProviderExchange)) == ("rate_limited", None, [])
        assert 0 < run.retry_after_s <= 300


def test_a_budget_ends_the_asking_and_says_what_to_set(tmp_path: Path, site: Site) -> None:
    env = {"TAVILY_API_KEY": "key-of-tavily", "SEARCHLOG_DAY_MAX": "tavily=1"}
    assert search(tmp_path, site, env).evidence
    with pytest.raises(ProviderError, match="SEARCHLOG_DAY_MAX"):
        search(tmp_path, site, env)
    assert asked(site) == ["/t/search"]


def test_a_wrong_limit_is_told_before_anybody_is_asked(tmp_path: Path, site: Site) -> None:
    with pytest.raises(UsageError, match="SEARCHLOG_DAY_MAX"):
        search(tmp_path, site, {"SEARCHLOG_DAY_MAX": "tavily=lots"}, providers=["tavily"])
    assert asked(site) == []


def test_without_the_file_everybody_is_asked_again(tmp_path: Path, site: Site) -> None:
    site.pages["/t/search"] = busy()
    with pytest.raises(ProviderError):
        search(tmp_path, site, providers=["tavily"])
    (tmp_path / "providers.db").unlink()
    site.pages["/t/search"] = tavily(site)
    assert search(tmp_path, site, providers=["tavily"]).evidence
