"""Where time and chance come from: passed in as arguments, never made inside a value.

A clock gives wall time (UTC, for records) and monotonic time (for durations). Ids give session names and salts.
`FixedClock` and `FixedIds` are the two seams of the golden tests and of replay.
"""

from __future__ import annotations

import re
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from searchlog.errors import FormatError

__all__ = ["Clock", "FixedClock", "FixedIds", "Ids", "SystemClock", "SystemIds", "format_time", "parse_time"]

_RFC3339 = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z")


class Clock(Protocol):
    """Wall time and monotonic time."""

    def now(self) -> datetime:
        """Return the time now, in UTC."""

    def monotonic(self) -> float:
        """Return seconds on a clock that never steps back."""


class Ids(Protocol):
    """New names and salts."""

    def session(self, now: datetime) -> str:
        """Return a new session id."""

    def salt(self) -> str:
        """Return 128 random bits as 32 hex digits."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class FixedClock:
    """A clock that starts at one time and moves by `step` at each look: for tests and replay."""

    def __init__(self, start: datetime | None = None, step: float = 0.0) -> None:
        self._now = start or datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self._step = timedelta(seconds=step)
        self._monotonic = 0.0

    def now(self) -> datetime:
        now = self._now
        self._now += self._step
        return now

    def monotonic(self) -> float:
        self._monotonic += self._step.total_seconds()
        return self._monotonic

    def set(self, now: datetime) -> None:
        """Move to this time."""
        self._now = now


class SystemIds:
    """Names from the clock and the system's random source."""

    def session(self, now: datetime) -> str:
        return f"s{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"

    def salt(self) -> str:
        return secrets.token_hex(16)


class FixedIds:
    """Counted names: for tests."""

    def __init__(self) -> None:
        self._sessions = 0
        self._salts = 0

    def session(self, now: datetime) -> str:
        self._sessions += 1
        return f"s{now:%Y%m%d-%H%M%S}-{self._sessions:08x}"

    def salt(self) -> str:
        self._salts += 1
        return f"{self._salts:032x}"


def format_time(moment: datetime) -> str:
    """Return a time as RFC 3339 in UTC with microseconds and `Z`, the form every record uses."""
    if moment.tzinfo is None:
        raise AssertionError("a time without a zone: it would be read as the zone of this machine")
    # not strftime, whose %Y drops the zeros of early years on some systems
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def parse_time(text: str) -> datetime:
    """Return the time that an RFC 3339 text with `Z` names; raise FormatError otherwise.

    Digits of a second after the sixth are dropped. A leap second cannot be told and is refused.
    """
    try:
        if not _RFC3339.fullmatch(text):  # fromisoformat alone takes week dates, and offsets before the Z
            raise ValueError
        return datetime.fromisoformat(text[:-1]).replace(tzinfo=UTC)
    except (ValueError, TypeError):
        raise FormatError(f"not an RFC 3339 time in UTC: {text!r:.60}", found=text) from None
