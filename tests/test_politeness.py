"""How often and how many at once."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.capture.deadline import Deadline
from searchlog.capture.guard import Refusal
from searchlog.capture.politeness import Gate, retry_after
from searchlog.clock import FixedClock, SystemClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CLOCK = SystemClock()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0),
        ("5", 5),
        (" 7 ", 7),
        ("007", 7),
        ("1.5", 1.5),
        ("60", 60),
        ("61", 60),
        ("1000000000", 60),
        ("9" * 5000, 60),
        ("-5", 0),
        ("-0.1", 0),
        ("NaN", None),
        ("inf", None),
        ("1e9", None),
        ("soon", None),
        ("٣", None),
        ("Fri, 02 Jan 2026 03:04:35 GMT", 30),
        ("Fri, 02 Jan 2026 03:04:35", 30),
        ("Friday, 02-Jan-26 03:04:35 GMT", 30),
        ("Fri Jan  2 03:04:35 2026", 30),
        ("Fri, 02 Jan 2026 04:04:15 +0100", 10),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60),
        ("Fri, 99 Jan 2026 03:04:35 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_never_more_than_a_minute(
    value: str | None, seconds: float | None
) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=30))
def test_any_retry_after_is_nothing_or_between_none_and_a_minute(value: str) -> None:
    found = retry_after(value, NOW)
    assert found is None or 0 <= found <= 60


def test_places_are_counted_for_each_host_alone() -> None:
    gate = Gate(FixedClock())
    soon = Deadline(5, FixedClock())
    assert gate.enter("a", soon, 1) is None
    assert gate.enter("b", soon, 1) is None
    late = Deadline(0, FixedClock())
    assert gate.enter("a", late, 1) == Refusal("rate-limited", "no place at a came free in time: 1 at once are asked")
    gate.leave("a")
    assert gate.enter("a", soon, 1) is None


def test_place_that_comes_free_is_taken_at_once() -> None:
    gate = Gate(CLOCK)
    assert gate.enter("a", Deadline(5, CLOCK), 1) is None
    threading.Timer(0.1, gate.leave, ["a"]).start()
    start = time.monotonic()
    assert gate.enter("a", Deadline(5, CLOCK), 1) is None
    assert 0.08 < time.monotonic() - start < 0.3


def test_waiting_ends_at_the_deadline_and_when_it_is_cut() -> None:
    gate = Gate(CLOCK)
    gate.enter("a", Deadline(5, CLOCK), 1)
    start = time.monotonic()
    assert gate.enter("a", Deadline(0.1, CLOCK), 1) is not None
    deadline = Deadline(5, CLOCK)
    threading.Timer(0.1, deadline.cut).start()
    assert gate.enter("a", deadline, 1) is not None
    assert time.monotonic() - start < 0.5


def test_requests_to_a_host_start_the_spacing_apart() -> None:
    gate = Gate(CLOCK)
    starts = []
    for _ in range(3):
        assert gate.enter("a", Deadline(5, CLOCK), 2, spacing_s=0.1) is None
        starts.append(time.monotonic())
        gate.leave("a")
    assert starts[1] - starts[0] >= 0.099
    assert starts[2] - starts[1] >= 0.099


def test_time_the_server_named_is_waited_for_if_it_fits() -> None:
    gate = Gate(CLOCK)
    gate.hold_off("a", 0.15)
    start = time.monotonic()
    assert gate.enter("a", Deadline(5, CLOCK), 2) is None
    assert time.monotonic() - start >= 0.149


def test_wait_that_cannot_fit_is_refused_at_once() -> None:
    gate = Gate(CLOCK)
    gate.hold_off("a", 30)
    start = time.monotonic()
    assert gate.enter("a", Deadline(5, CLOCK), 2) == Refusal(
        "rate-limited", "a is to be asked again in 30 s, not before"
    )
    assert gate.enter("a", Deadline(500, CLOCK), 2, patient=False) is not None
    assert time.monotonic() - start < 0.1


def test_host_that_nothing_depends_on_is_forgotten() -> None:
    gate = Gate(FixedClock())
    for number in range(100):
        gate.enter(f"h{number}", Deadline(5, FixedClock()), 2)
        gate.leave(f"h{number}")
    assert gate._hosts == {}
