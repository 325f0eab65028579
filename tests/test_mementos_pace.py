"""Turns at an archive's host."""

from __future__ import annotations

import threading
import time

from searchlog.capture.deadline import Deadline
from searchlog.clock import SystemClock
from searchlog.mementos.pace import Pace

REAL = SystemClock()


class Still(SystemClock):
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.at = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.at

    def sleep(self, seconds: float, deadline: Deadline) -> None:
        self.slept.append(seconds)
        self.at += seconds


def test_second_turn_waits_for_the_pause_and_another_host_does_not() -> None:
    clock = Still()
    pace, deadline = Pace(clock, clock.sleep), Deadline(60, clock)
    for host in ("a", "a", "b", "a"):
        assert pace.wait(host, 2.5, deadline) is None
    assert clock.slept == [2.5, 2.5]


def test_wayback_is_asked_at_most_24_times_a_minute() -> None:
    clock = Still()
    pace, deadline, starts = Pace(clock, clock.sleep), Deadline(1_000, clock), []
    for _ in range(100):
        assert pace.wait("web.archive.org", 2.5, deadline) is None
        starts.append(clock.at)
    assert max(sum(start <= other < start + 60 for other in starts) for start in starts) <= 24


def test_turn_that_cannot_come_in_time_is_refused_at_once_and_taken_from_nobody() -> None:
    clock = Still()
    pace = Pace(clock, clock.sleep)
    assert pace.wait("a", 5, Deadline(60, clock)) is None
    assert "no turn at a" in (pace.wait("a", 5, Deadline(3, clock)) or "")
    assert clock.slept == []
    assert pace.wait("a", 5, Deadline(60, clock)) is None
    assert clock.slept == [5]


def test_threads_share_the_turns() -> None:
    pace, deadline, starts = Pace(REAL), Deadline(30, REAL), []

    def ask() -> None:
        assert pace.wait("a", 0.05, deadline) is None
        starts.append(time.monotonic())

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(starts) - min(starts) >= 0.24


def test_cut_deadline_ends_a_wait() -> None:
    pace, deadline = Pace(REAL), Deadline(60, REAL)
    assert pace.wait("a", 30, deadline) is None
    threading.Timer(0.1, deadline.cut).start()
    start = time.monotonic()
    assert pace.wait("a", 30, deadline) == "cut short while waiting for a turn"
    assert time.monotonic() - start < 5
