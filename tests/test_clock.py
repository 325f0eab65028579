"""Times are RFC 3339 in UTC; clocks and ids are seams."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import clock
from searchlog.errors import FormatError


def test_times_are_written_in_utc_with_microseconds() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    assert clock.format_time(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05.000000Z"
    assert clock.format_time(datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=east)) == "2026-01-01T21:34:05.000060Z"


def test_early_years_keep_their_zeros() -> None:
    """`strftime` wrote year 999 with three digits on Linux, which no reader takes."""
    assert clock.format_time(datetime(999, 1, 1, tzinfo=UTC)) == "0999-01-01T00:00:00.000000Z"


def test_a_time_without_a_zone_is_our_own_bug() -> None:
    """It was read in the zone of the machine, so that the same record differed from place to place."""
    with pytest.raises(AssertionError):
        clock.format_time(datetime(2026, 1, 2))


zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=zones))
@settings(deadline=None)
def test_times_round_trip(moment: datetime) -> None:
    written = clock.format_time(moment)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", written)
    assert clock.parse_time(written) == moment
    assert clock.format_time(clock.parse_time(written)) == written


@pytest.mark.parametrize(
    ("text", "microsecond"),
    [
        ("2026-01-02T03:04:05Z", 0),
        ("2026-01-02T03:04:05.5Z", 500_000),
        ("2026-01-02T03:04:05.000001Z", 1),
        ("2026-01-02T03:04:05.123456789Z", 123_456),
    ],
)
def test_any_fraction_of_a_second_is_read(text: str, microsecond: int) -> None:
    assert clock.parse_time(text) == datetime(2026, 1, 2, 3, 4, 5, microsecond, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Z",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04:05+00:00",
        "2026-01-02T03:04:05z",
        "2026-01-02t03:04:05Z",
        "2026-01-02 03:04:05Z",
        "2026-13-02T03:04:05Z",
        "2026-02-30T03:04:05Z",
        "2026-01-02T24:04:05Z",
        "2026-01-02T03:04:60Z",
        "2026-01-02T03:04:05,5Z",
        "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05Z\n",
        "٢٠٢٦-01-02T03:04:05Z",
        None,
        5,
        b"2026-01-02T03:04:05Z",
    ],
)
def test_what_is_no_time_is_refused(text: Any) -> None:
    with pytest.raises(FormatError):
        clock.parse_time(text)


@pytest.mark.parametrize(
    "text", ["2026-01-02T03:04:05+05:00Z", "2026-01-02Z", "20260102T030405Z", "2026-W01-1Z", "2026-01-02T03Z"]
)
def test_other_iso_8601_forms_are_refused(text: str) -> None:
    """`datetime.fromisoformat` takes them all; of the first it dropped the offset, five hours off."""
    with pytest.raises(FormatError):
        clock.parse_time(text)


def test_the_fixed_clock_steps_at_each_look() -> None:
    still, moving = clock.FixedClock(), clock.FixedClock(datetime(2026, 1, 2, tzinfo=UTC), step=1.5)
    assert still.now() == still.now()
    assert still.monotonic() == still.monotonic() == 0
    assert moving.now() == datetime(2026, 1, 2, tzinfo=UTC)
    assert moving.now() == datetime(2026, 1, 2, 0, 0, 1, 500_000, tzinfo=UTC)
    assert moving.monotonic() < moving.monotonic()
    moving.set(datetime(2027, 1, 1, tzinfo=UTC))
    assert moving.now() == datetime(2027, 1, 1, tzinfo=UTC)


def test_the_fixed_ids_count() -> None:
    ids, now = clock.FixedIds(), datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert [ids.session(now), ids.session(now)] == ["s20260102-030405-00000001", "s20260102-030405-00000002"]
    assert [ids.salt(), ids.salt()] == ["0" * 31 + "1", "0" * 31 + "2"]


def test_the_system_clock_and_ids_have_the_same_forms() -> None:
    now, ids = clock.SystemClock().now(), clock.SystemIds()
    assert now.utcoffset() == timedelta(0)
    assert clock.SystemClock().monotonic() <= clock.SystemClock().monotonic()
    assert re.fullmatch(r"s\d{8}-\d{6}-[0-9a-f]{8}", ids.session(now))
    assert re.fullmatch(r"[0-9a-f]{32}", ids.salt())
    assert len({ids.salt() for _ in range(100)}) == 100
    assert len({ids.session(now) for _ in range(100)}) == 100
