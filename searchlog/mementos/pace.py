"""How often an archive is asked: so many seconds between the starts of two requests to a host, for all threads.

The gate of the client knows how many requests may be under way to a host, and what `Retry-After` asks for; archives ask
for this besides. Effects: sleeps. Shown by test_mementos_pace.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from searchlog.capture.deadline import Deadline
from searchlog.clock import Clock

__all__ = ["Pace"]

Sleep = Callable[[float, Deadline], None]
"""Sleeps for so many seconds, or until the deadline is cut."""


class Pace:
    """Turns at hosts. One for a whole campaign, shared by its threads."""

    def __init__(self, clock: Clock, sleep: Sleep | None = None) -> None:
        """sleep: instead of waiting on this machine's clock, for tests."""
        self._clock = clock
        self._sleep = sleep or _sleep
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str, pause_s: float, deadline: Deadline) -> str | None:
        """Wait for the next turn at this host; return None once it has come, else at once why it cannot come in time.

        pause_s: seconds until the next turn after this one.
        """
        with self._lock:
            now = self._clock.monotonic()
            start = max(now, self._next.get(host, now))
            if start - now >= deadline.remaining():
                return f"no turn at {host} in time: it is asked every {pause_s:g} s at most, and others wait"
            self._next[host] = start + pause_s
        if start > now:
            self._sleep(start - now, deadline)
        return "cut short while waiting for a turn" if deadline.expired else None

    def sleep(self, seconds: float, deadline: Deadline) -> bool:
        """Sleep, and return whether there is time left after it; not at all when there would be none."""
        if seconds >= deadline.remaining():
            return False
        self._sleep(seconds, deadline)
        return not deadline.expired


def _sleep(seconds: float, deadline: Deadline) -> None:
    cut = threading.Event()
    undo = deadline.on_cut(cut.set)
    try:
        cut.wait(seconds)
    finally:
        undo()
