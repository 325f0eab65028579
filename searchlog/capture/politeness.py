"""How often and how many at once: a gate a host, and what `Retry-After` asks for.

Waits count against the deadline and end when it is cut; a wait that cannot fit is refused at once instead of slept.
No threads of its own. Spec: RFC 9110 section 10.2.3.  Shown by test_politeness.py.
"""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from searchlog.capture.deadline import Deadline
from searchlog.capture.guard import Refusal
from searchlog.clock import Clock

__all__ = ["STALLED_S", "WAIT_MAX_S", "Gate", "Place", "retry_after"]

WAIT_MAX_S = 60.0
"""The longest wait that a server may ask for; it may name years."""

STALLED_S = 2.0
"""A request that is under way for longer no longer keeps others from its host: one page that hangs, or drips, would
else cost all pages of its host. As many again as are asked at once are let in for this reason, and no more."""


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds to wait that a Retry-After value asks for, from 0 to 60; None when it asks for nothing.

    A date in the past and a negative number are no wait; what is neither number nor date (NaN) asks for nothing.
    """
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"-[0-9]+(\.[0-9]*)?", value):
        return 0.0
    if found := re.fullmatch(r"([0-9]+)(?:\.[0-9]*)?|\.[0-9]+", value):
        return WAIT_MAX_S if len((found[1] or "").lstrip("0")) > 6 else min(float(value), WAIT_MAX_S)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return min(max(0.0, (moment - now).total_seconds()), WAIT_MAX_S)
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Leave to make one request; give it back with `Gate.leave`."""

    host: str
    since: float
    """Monotonic time at which it was given."""


@dataclass(slots=True)
class _Host:
    places: list[Place] = field(default_factory=list)
    """Those that are taken, the oldest first."""
    waiting: int = 0
    next_start: float = 0.0
    """Monotonic time before which crawl-delay lets no request begin."""
    not_before: float = 0.0
    """Monotonic time before which the server asked not to be asked."""


class Gate:
    """Lets so many requests a host through at once. Safe to use from many threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._hosts: dict[str, _Host] = {}

    def enter(
        self, host: str, deadline: Deadline, at_once: int, *, spacing_s: float = 0.0, patience_s: float = math.inf
    ) -> Place | Refusal:
        """Wait for a place at this host; return it once inside (then call `leave`), or why not.

        spacing_s: seconds between the starts of two requests. patience_s: the longest wait for a time that the
        server named; a place that is taken, and one's turn, are waited for in any case.
        """
        undo = deadline.on_cut(self._wake)
        try:
            with self._changed:
                state = self._hosts.setdefault(host, _Host())
                state.waiting += 1
                try:
                    return self._wait(state, host, deadline, at_once, spacing_s=spacing_s, patience_s=patience_s)
                finally:
                    state.waiting -= 1
                    self._forget(host, state)
        finally:
            undo()

    def leave(self, place: Place) -> None:
        """Give the place back."""
        with self._changed:
            state = self._hosts[place.host]
            state.places.remove(place)
            self._forget(place.host, state)
            self._changed.notify_all()

    def hold_off(self, host: str, seconds: float) -> None:
        """Let no request to this host begin for so long."""
        with self._changed:
            state = self._hosts.setdefault(host, _Host())
            state.not_before = max(state.not_before, self._clock.monotonic() + seconds)

    def _wait(
        self, state: _Host, host: str, deadline: Deadline, at_once: int, *, spacing_s: float, patience_s: float
    ) -> Place | Refusal:
        while True:
            now, left = self._clock.monotonic(), deadline.remaining()
            wait = max(state.next_start, state.not_before) - now
            if wait > left or state.not_before - now > patience_s:
                return Refusal("rate-limited", f"{host} is to be asked again in {wait:.0f} s, not before")
            if left <= 0:
                return Refusal("rate-limited", f"no place at {host} came free in time: {at_once} at once are asked")
            if wait <= 0 and (wait := _until_free(state.places, now, at_once)) <= 0:
                place = Place(host, now)
                state.places.append(place)
                state.next_start = now + spacing_s
                return place
            self._changed.wait(min(wait, left))

    def _forget(self, host: str, state: _Host) -> None:
        """Drop the state of a host that nothing depends on, so that a long crawl does not grow."""
        if (
            not state.places
            and not state.waiting
            and max(state.next_start, state.not_before) <= self._clock.monotonic()
        ):
            self._hosts.pop(host, None)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _until_free(places: list[Place], now: float, at_once: int) -> float:
    """Return the seconds until another request may begin if none of those under way ends; 0 for now."""
    if len(places) >= 2 * at_once:
        return math.inf
    newest = places[-at_once:]
    return 0.0 if len(newest) < at_once else max(0.0, newest[0].since + STALLED_S - now)
