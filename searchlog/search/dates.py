"""Days in the words of providers: which ones a date may mean; and the step that holds results to those wanted. Pure.

A provider that cannot look for dates gives results of any date. Those whose date is known and outside of what was asked
for leave here, with a decision; those without a date, or with one that cannot be read, stay and are marked unknown, for
the page itself may say. Reads ISO 8601 with any precision, `Mar 4, 2024`, `4 March 2024`, RFC 5322 dates, and
`3 days ago`; no other language than English, for no provider that we ask writes one unasked.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from searchlog.search.decision import Decision, Step
from searchlog.search.query import Query
from searchlog.search.run import Run

__all__ = ["DATE_OPTIONS", "days_of", "hold_to_dates", "outside"]

RULE = "dates/1"
DATE_OPTIONS = frozenset({"freshness", "after", "before"})

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:?\d{2}.*", re.ASCII)
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?: .*)?", re.DOTALL | re.ASCII)
_WORDS = re.compile(
    r"(?:[a-z]{3,9},? )?(?:(?P<day1>\d{1,2}) (?P<month1>[a-z]{3,9})|(?P<month2>[a-z]{3,9})\.? (?P<day2>\d{1,2})),? "
    r"(?P<year>\d{4})(?: .*)?",
    re.DOTALL | re.ASCII,
)
_MONTH_YEAR = re.compile(r"([a-z]{3,9})\.? (\d{4})", re.ASCII)
_AGO = re.compile(r"(\d{1,4}|an?) (second|minute|hour|day|week|month|year)s? ago", re.ASCII)
_BACK = {"second": 0, "minute": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}
_SLACK = {"second": 1, "minute": 1, "hour": 1, "day": 1, "week": 7, "month": 31, "year": 366}


def days_of(said: str | None, asked_on: str | None = None) -> tuple[date, date] | None:
    """Return the first and the last day that a date may mean, or None for what is no date that we can read.

    asked_on: the day from which `3 days ago` counts, ISO; without it that is no date. A moment with a time zone counts
    in UTC.
    """
    low = " ".join((said or "").lower().split())
    try:
        return _iso(low) or _moment(low) or _in_words(low) or _ago(low, asked_on)
    except (ValueError, OverflowError):
        return None


def _iso(low: str) -> tuple[date, date] | None:
    found = _ISO.fullmatch(low) or _SLASHES.fullmatch(low)
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if not month:
        return date(year, 1, 1), date(year, 12, 31)
    if not day:
        return _month(year, month)
    return date(year, month, day), date(year, month, day)


def _moment(low: str) -> tuple[date, date] | None:
    if _MOMENT.fullmatch(low) is None:
        return None
    try:
        moment = datetime.fromisoformat(low.upper().replace(" UTC", "Z"))
    except ValueError:  # a day with something else after it
        day = date.fromisoformat(low[:10])
    else:
        day = (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    return day, day


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _in_words(low: str) -> tuple[date, date] | None:
    found = _WORDS.fullmatch(low)
    if found is not None:
        month = _MONTHS.get((found["month1"] or found["month2"])[:3])
        day = int(found["day1"] or found["day2"])
        return None if month is None else (date(int(found["year"]), month, day),) * 2
    found = _MONTH_YEAR.fullmatch(low)
    month = _MONTHS.get(found[1][:3]) if found is not None else None
    return None if found is None or month is None else _month(int(found[2]), month)


def _ago(low: str, asked_on: str | None) -> tuple[date, date] | None:
    if not asked_on:
        return None
    today = date.fromisoformat(asked_on)
    if low in ("today", "just now", "yesterday"):
        return (today - timedelta(days=1), today)
    found = _AGO.fullmatch(low)
    if found is None:
        return None
    count = 1 if found[1].startswith("a") else int(found[1])
    middle = today - timedelta(days=count * _BACK[found[2]])
    return middle - timedelta(days=_SLACK[found[2]]), min(today, middle + timedelta(days=_SLACK[found[2]]))


def outside(said: str | None, query: Query) -> str | None:
    """Return `too-old` or `too-new` for a date that is outside of what a query asks for.

    None for one that may be within, and for what is no date.
    """
    days = days_of(said, query.asked_on)
    after, before = query.span()
    if days is None:
        return None
    first, last = days
    if after is not None and last < date.fromisoformat(after):
        return "too-old"
    if before is not None and first > date.fromisoformat(before):
        return "too-new"
    return None


def hold_to_dates(runs: Sequence[Run], query: Query) -> tuple[list[Run], Step | None]:
    """Return the runs without the results whose date is known and outside of what was asked for, and the step.

    Only results of runs that ignored the dates are looked at. No step when no dates were asked for. Ranks stay.
    """
    after, before = query.span()
    if after is None and before is None:
        return list(runs), None
    decisions: list[Decision] = []
    out: list[Run] = []
    for run in runs:
        if not DATE_OPTIONS.intersection(run.ignored):
            out.append(run)
            continue
        kept = []
        for result in run.results:
            reason = outside(result.published, query)
            said = result.published if days_of(result.published, query.asked_on) is not None else None
            numbers: dict[str, str | int] = {"provider": run.provider, "rank": result.rank}
            numbers |= {"query_number": run.query_number} if run.query_number > 1 else {}
            numbers["published"] = said or "unknown"
            if reason is None:
                kept.append(result)
            if reason is not None or said is None:
                decisions.append(Decision("dates", result.url, reason is None, reason or "undated", numbers))
        out.append(replace(run, results=tuple(kept)))
    in_count, kept_count = sum(len(run.results) for run in runs), sum(len(run.results) for run in out)
    rule = f"{RULE} after={after} before={before}"
    return out, Step("dates", rule, in_count, kept_count, in_count - kept_count, tuple(decisions))
