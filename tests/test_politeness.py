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
from searchlog.capture.politeness import STALLED_S, Gate, Place, retry_after
from searchlog.clock import FixedClock, SystemClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CLOCK = SystemClock()


def inside(entered: Place | Refusal) -> Place:
    assert isinstance(entered, Place)
    return entered


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
        ("1.", 1),
        (".5", 0.5),
        (".", None),
        ("-", None),
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
    """A point alone raised ValueError, and the fetch was lost with it."""
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value", ["0" * 60_000 + "x", "0" * 60_000, "1." + "0" * 60_000 + "x", "-" + "0" * 60_000 + "x"]
)
def test_long_retry_after_takes_no_time(value: str) -> None:
    """Zeros and digits were two parts of one pattern: 20 kB of zeros before another character took 7 seconds, in
    which no other fetch went on."""
    start = time.process_time()
    retry_after(value, NOW)
    assert time.process_time() - start < 0.5


@given(st.text(max_size=30) | st.text("0123.-+e, :GMTJan", max_size=12))
def test_any_retry_after_is_nothing_or_between_none_and_a_minute(value: str) -> None:
    found = retry_after(value, NOW)
    assert found is None or 0 <= found <= 60


def test_places_are_counted_for_each_host_alone() -> None:
    gate = Gate(FixedClock())
    soon = Deadline(5, FixedClock())
    first = inside(gate.enter("a", soon, 1))
    inside(gate.enter("b", soon, 1))
    late = Deadline(0, FixedClock())
    assert gate.enter("a", late, 1) == Refusal("rate-limited", "no place at a came free in time: 1 at once are asked")
    gate.leave(first)
    inside(gate.enter("a", soon, 1))


def test_place_that_comes_free_is_taken_at_once() -> None:
    gate = Gate(CLOCK)
    first = inside(gate.enter("a", Deadline(5, CLOCK), 1))
    threading.Timer(0.1, gate.leave, [first]).start()
    start = time.monotonic()
    inside(gate.enter("a", Deadline(5, CLOCK), 1))
    assert 0.08 < time.monotonic() - start < 0.3


def test_waiting_ends_at_the_deadline_and_when_it_is_cut() -> None:
    gate = Gate(CLOCK)
    gate.enter("a", Deadline(5, CLOCK), 1)
    start = time.monotonic()
    assert isinstance(gate.enter("a", Deadline(0.1, CLOCK), 1), Refusal)
    deadline = Deadline(5, CLOCK)
    threading.Timer(0.1, deadline.cut).start()
    assert isinstance(gate.enter("a", deadline, 1), Refusal)
    assert time.monotonic() - start < 0.5


def test_requests_to_a_host_start_the_spacing_apart() -> None:
    gate = Gate(CLOCK)
    starts = []
    for _ in range(3):
        place = inside(gate.enter("a", Deadline(5, CLOCK), 2, spacing_s=0.1))
        starts.append(time.monotonic())
        gate.leave(place)
    assert starts[1] - starts[0] >= 0.099
    assert starts[2] - starts[1] >= 0.099


def test_time_the_server_named_is_waited_for_if_it_fits() -> None:
    gate = Gate(CLOCK)
    gate.hold_off("a", 0.15)
    start = time.monotonic()
    inside(gate.enter("a", Deadline(5, CLOCK), 2))
    assert time.monotonic() - start >= 0.149


def test_wait_that_cannot_fit_is_refused_at_once() -> None:
    gate = Gate(CLOCK)
    gate.hold_off("a", 30)
    start = time.monotonic()
    assert gate.enter("a", Deadline(5, CLOCK), 2) == Refusal(
        "rate-limited", "a is to be asked again in 30 s, not before"
    )
    assert isinstance(gate.enter("a", Deadline(500, CLOCK), 2, patience_s=0.0), Refusal)
    assert time.monotonic() - start < 0.1


def test_host_that_nothing_depends_on_is_forgotten() -> None:
    gate = Gate(FixedClock())
    for number in range(100):
        gate.leave(inside(gate.enter(f"h{number}", Deadline(5, FixedClock()), 2)))
    assert gate._hosts == {}


def test_requests_that_hang_let_as_many_others_in_and_no_more() -> None:
    """Two pages that never ended cost all other pages of their host, for as long as the search went on."""
    clock = Moving()
    gate, soon, now = Gate(clock), Deadline(60, clock), Deadline(0, clock)
    for _ in range(2):
        inside(gate.enter("a", soon, 2))
    assert isinstance(gate.enter("a", now, 2), Refusal)
    clock.at += STALLED_S
    others = [inside(gate.enter("a", soon, 2)) for _ in range(2)]
    clock.at += STALLED_S
    assert isinstance(gate.enter("a", Deadline(0, clock), 2), Refusal)
    gate.leave(others[0])
    inside(gate.enter("a", soon, 2))


def test_waiting_behind_one_that_hangs_ends_without_anybody_leaving() -> None:
    gate = Gate(CLOCK)
    inside(gate.enter("a", Deadline(9, CLOCK), 1))
    start = time.monotonic()
    inside(gate.enter("a", Deadline(9, CLOCK), 1))
    assert STALLED_S - 0.01 <= time.monotonic() - start < STALLED_S + 2


class Moving(FixedClock):
    """A clock whose monotonic time is set by hand."""

    at = 0.0

    def monotonic(self) -> float:
        return self.at
