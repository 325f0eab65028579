"""Dates as pages write them, to ISO 8601 as precise as they state it. Pure; knows no clock.

Read: ISO 8601 with `-` or `/`, compact digits, RFC 9110 dates, English month names, `2024年5月6日`. Refused: days
that do not exist, years outside 1900 to 2100, the zero of computers' clocks, and everything that could be read in
two ways (`03/04/2024`).
"""

from __future__ import annotations

import re
from datetime import date, time

__all__ = ["iso_date"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ),
        1,
    )
    for name in names.split()
}
_ISO = re.compile(
    r"(\d{4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2}))?)?"
    r"(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?",
    re.I,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{4})?)?")
_DAY_MONTH = re.compile(
    r"(?:[a-z]+,?\s+)?(\d{1,2})(?:st|nd|rd|th)?[\s-]+([a-z]+)\.?,?[\s-]+(\d{4})"
    r"(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(GMT|UTC|UT|Z|[ECMP][SD]T|[+-]\d{2}:?\d{2})?)?",
    re.I,
)
_ZONES = {"EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00"} | {
    **{"PST": "-08:00", "PDT": "-07:00"},
    **dict.fromkeys(("Z", "UT", "UTC", "GMT"), "Z"),
}
"""RFC 5322 section 4.3; feeds write them."""
_MONTH_DAY = re.compile(r"(?:[a-z]+,\s+)?([a-z]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:\b.{0,40})?", re.I)
_CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(?:(\d{1,2})\s*[日일])?.{0,20}")


def iso_date(value: str) -> str | None:
    """Return the date in ISO 8601 (`2024`, `2024-05`, `2024-05-06`, `2024-05-06T07:08:09+02:00`), or None."""
    value = value.strip()
    if not 4 <= len(value) <= 60:
        return None
    if match := _ISO.fullmatch(value):
        year, _, month, day, *clock = match.groups()
        return _join(year, month, day, clock)
    if match := _COMPACT.fullmatch(value):
        year, month, day, *clock = match.groups()
        return _join(year, month, day, clock)
    if match := _DAY_MONTH.fullmatch(value):
        day, name, year, *clock = match.groups()
        return _join(year, _month(name), day, clock)
    if match := _MONTH_DAY.fullmatch(value):
        name, day, year = match.groups()
        return _join(year, _month(name), day, [])
    if match := _CJK.fullmatch(value):
        year, month, day = match.groups()
        return _join(year, month, day, [])
    return None


def _month(name: str) -> str:
    return str(_MONTHS.get(name.lower(), 0))


def _join(year: str, month: str | None, day: str | None, clock: list[str | None]) -> str | None:
    if not 1900 <= int(year) <= 2100:
        return None
    if month is None:
        return None if any(clock) else str(int(year))  # in ASCII, whatever digits it is written with
    try:
        whole = date(int(year), int(month), int(day or 1))
        if day is None:
            return None if any(clock) else f"{whole.year}-{whole.month:02d}"
        if not clock or clock[0] is None or clock[1] is None:
            out = whole.isoformat()
        else:
            seconds = clock[2]
            moment = time(int(clock[0]), int(clock[1]), int(seconds or 0))
            out = f"{whole.isoformat()}T{moment.isoformat('seconds' if seconds else 'minutes')}{_zone(clock[3])}"
    except ValueError:
        return None
    return None if out.startswith("1970-01-01") else out


def _zone(zone: str | None) -> str:
    if zone is None:
        return ""
    if named := _ZONES.get(zone.upper()):
        return named
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = time(int(digits[:2]), int(digits[2:]))  # an offset of 99:99 is no offset: ValueError
    return f"{zone[0]}{offset.isoformat('minutes')}"
