"""Attacks that once got through, in their smallest form: on standings, strangers' providers, replay, the doctor."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from searchlog.clock import FixedClock
from searchlog.flow.standing import Standings
from searchlog.search.cooldown import after_run
from searchlog.search.providers.arxiv import Arxiv
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

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
    for number in range(20):
        made = Standings(tmp_path / f"{number}.db", FixedClock(), {})

        def use(_: int, made: Standings = made) -> None:
            made.skips([BRAVE], QUERY, named=False)
            made.reserve(BRAVE, QUERY)
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
    assert made.reserve(ARXIV, QUERY) == 0.0
