"""How long a provider is left alone: told times are obeyed, guesses double, answers end it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.errors import UsageError
from searchlog.search.catalogue import FACTS
from searchlog.search.cooldown import (
    DAY_MAX,
    GUESSES_S,
    Cooldown,
    after_run,
    day_max,
    left_alone,
    over_budget,
    parse_day_max,
)
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

NOW = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
KEYED, KEYLESS = Tavily("k").facts, Tavily().facts


def failed(outcome: RunOutcome, wait: int | None = None) -> Run:
    return Run("tavily", outcome, detail="tavily: so it said", retry_after_s=wait)


@pytest.mark.parametrize("outcome", list(RunOutcome))
def test_what_a_provider_asks_for_is_obeyed_whatever_the_outcome(outcome: RunOutcome) -> None:
    made = after_run(None, KEYED, failed(outcome, 90), NOW)
    assert made is not None
    assert (made.until - NOW, made.told) == (timedelta(seconds=90), True)


@pytest.mark.parametrize("outcome", list(GUESSES_S))
def test_a_guess_doubles_up_to_its_bound(outcome: RunOutcome) -> None:
    first, most = GUESSES_S[outcome]
    now, before, waits = NOW, None, []
    for _ in range(12):
        before = after_run(before, KEYED, failed(outcome), now)
        assert before is not None
        waits.append((before.until - now).total_seconds())
        now = before.until
    assert waits[:2] == [first, first * 2]
    assert waits == sorted(waits)
    assert waits[-1] == most


def test_after_a_day_of_peace_it_begins_anew() -> None:
    before = Cooldown("tavily", NOW - timedelta(days=2), RunOutcome.BLOCKED, "", False, 5)
    made = after_run(before, KEYED, failed(RunOutcome.BLOCKED), NOW)
    assert made is not None
    assert made.strikes == 1


@pytest.mark.parametrize("outcome", ["ok", "empty", "degraded", "filtered_to_empty"])
def test_an_answer_ends_it(outcome: str) -> None:
    before = Cooldown("tavily", NOW, RunOutcome.BLOCKED, "", False)
    assert after_run(before, KEYED, failed(RunOutcome(outcome)), NOW) is None


@pytest.mark.parametrize("outcome", ["auth", "bad_request", "offline", "refused", "parse_error", "not_enabled"])
def test_what_says_nothing_of_the_provider_changes_nothing(outcome: str) -> None:
    before = Cooldown("tavily", NOW, RunOutcome.BLOCKED, "", False)
    assert after_run(before, KEYED, failed(RunOutcome(outcome)), NOW) is before
    assert after_run(None, KEYED, failed(RunOutcome(outcome)), NOW) is None


def test_nothing_is_guessed_of_ones_own_server() -> None:
    """A server that had just been mended was not asked for a quarter of an hour, since it had been `blocked` before."""
    own = FACTS["searxng"]
    assert after_run(None, own, Run("searxng", RunOutcome.BLOCKED), NOW) is None
    assert after_run(None, own, Run("searxng", RunOutcome.RATE_LIMITED, retry_after_s=5), NOW) is not None


def test_one_left_alone_keeps_its_outcome_and_says_until_when() -> None:
    resting = Cooldown("tavily", NOW + timedelta(minutes=5), RunOutcome.QUOTA, "tavily: plan used up", True)
    run = left_alone(resting, KEYED, Query("x", language="en"), NOW)
    assert (run.outcome, run.retry_after_s, run.ignored) == (RunOutcome.QUOTA, 300, ("language",))
    assert "2026-11-30 23:05:00Z" in run.detail
    assert "plan used up" in run.detail
    assert "--forget tavily" in run.detail
    pause = Cooldown("tavily", NOW + timedelta(seconds=5), RunOutcome.OK, "", True)
    assert left_alone(pause, KEYED, Query("x"), NOW).outcome is RunOutcome.RATE_LIMITED


def test_a_budget_that_is_spent_says_when_it_begins_again_and_what_to_set() -> None:
    run = over_budget(KEYED, Query("x"), 7, NOW)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.QUOTA, 3601)
    assert "SEARCHLOG_DAY_MAX=tavily=N" in run.detail


def test_only_what_costs_has_a_budget_unless_one_is_set() -> None:
    assert day_max(KEYED, {}) == DAY_MAX
    assert day_max(KEYLESS, {}) is None
    assert day_max(KEYLESS, {"tavily": 5}) == 5
    assert day_max(KEYED, {"*": 9}) == 9
    assert day_max(KEYED, {"*": 9, "tavily": 0}) == 0
    assert day_max(FACTS["wikipedia"], {"*": 9}) is None


@pytest.mark.parametrize("setting", ["brave", "brave=", "=3", "brave=-1", "brave=x", "brave=1e3", "brave=99999999999"])
def test_a_limit_that_cannot_be_read_is_no_limit_passed_over(setting: str) -> None:
    with pytest.raises(UsageError, match="SEARCHLOG_DAY_MAX"):
        parse_day_max(setting)


@given(st.dictionaries(st.sampled_from(["brave", "exa", "*"]), st.integers(0, 10**8)))
def test_limits_are_read_as_they_are_written(limits: dict[str, int]) -> None:
    assert parse_day_max(", ".join(f"{name}={number}" for name, number in limits.items())) == limits
