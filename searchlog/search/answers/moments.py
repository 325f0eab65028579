"""Days and seconds, for providers that know dates only, or count seconds since 1970. Pure; all in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from searchlog.search.query import Query

__all__ = ["first_second", "last_second", "moment", "unsaid_freshness"]

_LAST = 253_402_300_799
"""The last second of the year 9999."""


def unsaid_freshness(query: Query) -> list[str]:
    """Return `freshness` when it cannot be said in days, since nobody said on which day it is asked."""
    return ["freshness"] if query.freshness and query.span() == (None, None) else []


def first_second(day: str) -> int:
    """Return the first second of a day, `YYYY-MM-DD`."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def last_second(day: str) -> int:
    """Return the last second of a day, `YYYY-MM-DD`."""
    return first_second(day) + 86_399


def moment(value: object) -> str:
    """Return seconds since 1970 as ISO 8601; empty for what is no such number, or before 1970 or after 9999."""
    if type(value) is not int or not 0 <= value <= _LAST:
        return ""
    return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
