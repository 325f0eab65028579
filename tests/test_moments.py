"""Days and seconds."""

from __future__ import annotations

from searchlog.search.answers.moments import first_second, last_second, moment, unsaid_freshness
from searchlog.search.query import Query


def test_days_and_seconds_are_in_utc() -> None:
    assert (first_second("1970-01-02"), last_second("1970-01-01")) == (86_400, 86_399)
    assert moment(1_700_000_000) == "2023-11-14T22:13:20Z"
    assert [moment(value) for value in (-1, True, "1", 1.5, 10**30, 253_402_300_800, None)] == [""] * 7
    assert moment(253_402_300_799) == "9999-12-31T23:59:59Z"


def test_a_freshness_needs_a_day_to_count_from() -> None:
    assert unsaid_freshness(Query("x", freshness="day")) == ["freshness"]
    assert unsaid_freshness(Query("x", freshness="day", asked_on="2024-01-01")) == []
    assert unsaid_freshness(Query("x", after="2024-01-01")) == []
