"""Days in the words of providers, and results held to those that were asked for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.search.dates import days_of, hold_to_dates, outside
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome

TODAY = "2026-11-30"
RANGE = Query("x", after="2026-01-10", before="2026-01-20", asked_on=TODAY)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("2026-01-15", "2026-01-15", "2026-01-15"),
        ("2026-01", "2026-01-01", "2026-01-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026/1/5", "2026-01-05", "2026-01-05"),
        ("2026-01-15T23:30:00-05:00", "2026-01-16", "2026-01-16"),
        ("2026-01-15T23:30:00", "2026-01-15", "2026-01-15"),
        ("2026-01-15T23:30:00.123Z", "2026-01-15", "2026-01-15"),
        ("2026-01-15 23:30:00 UTC", "2026-01-15", "2026-01-15"),
        ("Mar 4, 2024", "2024-03-04", "2024-03-04"),
        ("4 March 2024", "2024-03-04", "2024-03-04"),
        ("Mon, 04 Mar 2024 10:00:00 GMT", "2024-03-04", "2024-03-04"),
        ("Sept 2024", "2024-09-01", "2024-09-30"),
        ("3 days ago", "2026-11-26", "2026-11-28"),
        ("an hour ago", "2026-11-29", "2026-11-30"),
        ("yesterday", "2026-11-29", "2026-11-30"),
        ("2 years ago", "2023-11-30", "2025-12-01"),
    ],
)
def test_what_a_date_may_mean(said: str, first: str, last: str) -> None:
    assert days_of(said, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "said",
    ["", None, "soon", "2026-13", "2026-02-30", "31 Foo 2026", "99999 days ago", "0000", "12/31/2026", "２０２６"],
)
def test_what_is_no_date_that_we_can_read(said: str | None) -> None:
    assert days_of(said, TODAY) is None


def test_time_that_counts_from_today_needs_a_today() -> None:
    assert days_of("3 days ago") is None


@given(st.text(max_size=40))
def test_no_words_make_it_raise(said: str) -> None:
    found = days_of(said, TODAY)
    assert found is None or found[0] <= found[1]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("2026-01-10", None),
        ("2026-01-20", None),
        ("2026-01-09", "too-old"),
        ("2026-01-21", "too-new"),
        ("2026-01", None),
        ("2025", "too-old"),
        ("2027", "too-new"),
        ("soon", None),
        (None, None),
    ],
)
def test_only_what_cannot_be_within_is_outside(said: str | None, reason: str | None) -> None:
    assert outside(said, RANGE) == reason


def run(name: str, *dates: str | None, ignored: tuple[str, ...] = ("after", "before")) -> Run:
    results = tuple(Result(n, f"https://{name}.example/{n}", published=d) for n, d in enumerate(dates, 1))
    return Run(name, RunOutcome.OK, results, ignored=ignored)


def test_results_of_a_provider_without_dates_are_held_to_them_and_undated_ones_stay() -> None:
    runs, step = hold_to_dates([run("a", "2025-05-05", "2026-01-15", None, "2026-05-05")], RANGE)
    assert [result.rank for result in runs[0].results] == [2, 3]
    assert step is not None
    assert (step.in_count, step.kept_count, step.dropped_count) == (4, 2, 2)
    assert [(d.reason, d.kept, d.numbers["published"]) for d in step.decisions] == [
        ("too-old", False, "2025-05-05"),
        ("undated", True, "unknown"),
        ("too-new", False, "2026-05-05"),
    ]


def test_a_provider_that_applied_the_dates_is_believed() -> None:
    runs, step = hold_to_dates([run("a", "2025-05-05", ignored=()), run("b", "2025-05-05")], RANGE)
    assert [len(one.results) for one in runs] == [1, 0]
    assert step is not None
    assert step.dropped_count == 1


def test_without_dates_there_is_no_step() -> None:
    runs, step = hold_to_dates([run("a", "1999")], Query("x", asked_on=TODAY))
    assert (len(runs[0].results), step) == (1, None)


def test_freshness_counts_from_the_day_of_asking() -> None:
    fresh = Query("x", freshness="week", asked_on=TODAY)
    assert outside("2026-11-23", fresh) is None
    assert outside("2026-11-22", fresh) == "too-old"
