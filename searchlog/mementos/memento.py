"""A memento: what an archive holds of one page from one moment; and which of several is nearest. Pure.

Whether an address names the asked page is judged here: archives answer for what they take to be the same page, and some
answer for another one. Spec: RFC 7089 sections 2 and 4.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from searchlog.capture.guard import Refusal, check_url
from searchlog.mementos.source import WebArchive

__all__ = [
    "MEMENTOS_MAX",
    "Memento",
    "format_http_date",
    "format_timestamp",
    "is_same_page",
    "nearest",
    "parse_http_date",
    "parse_moment",
    "parse_timestamp",
]

MEMENTOS_MAX = 5
"""Mementos that are given back: if the nearest cannot be read, the next may."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HTTP_DATE = re.compile(
    r"(?:[A-Za-z]{3,9},\s*)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC|Z|[+-]0000)", re.ASCII
)
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-]00:?00)?", re.ASCII)
_STAMP = re.compile(r"(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)?)?)?)?)?", re.ASCII)
_ESCAPES = re.compile(r"%([0-9A-Fa-f]{2})")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Memento:
    """One capture that an archive says it has."""

    uri: str
    """URI-M: where the archive shows it."""
    original: str
    """URI-R: of which page, as the archive writes it; the asked address where the archive does not say."""
    at: datetime
    """When it was captured, by the archive's word; UTC, to the second."""
    source: WebArchive
    """The archive that was asked."""
    via: str
    """Which service told of it: `timegate`, `timemap`, `cdx` or `save`."""
    status: int | None = None
    """The HTTP status that was captured, where the archive tells it."""
    digest: str | None = None
    """The archive's own digest of the payload, where it tells it; as it is written there."""

    def distance(self, near: datetime) -> timedelta:
        """Return how far from a moment it was captured; never negative."""
        return abs(self.at - near)

    @property
    def raw_uri(self) -> str | None:
        """Where the page stands as it was received; None when the archive has no such view that we know of."""
        home = self.source.home_of(self.uri)
        found = home.split_memento(self.uri)
        return None if found is None else home.raw_of(*found)

    @property
    def is_error(self) -> bool:
        """Whether the archive says that what it captured is an error page."""
        return self.status is not None and self.status >= 400


def nearest(mementos: Iterable[Memento], near: datetime, most: int = MEMENTOS_MAX) -> tuple[Memento, ...]:
    """Return the mementos nearest to a moment, the nearest first: before or after it alike; of equals the earlier.

    Captured error pages come after all others, however near they are: they do not show the page. Each capture counts
    once, though several services tell of it. The cost is linear, and what is held is what is given back.
    """
    chosen: dict[tuple[datetime, object], Memento] = {}

    def rank(item: Memento) -> tuple[bool, timedelta, datetime]:
        return item.is_error, item.distance(near), item.at

    # what is told twice is told by different services: no more than three of them
    for item in heapq.nsmallest(3 * most, mementos, key=rank):
        key = (item.at, _page_key(item.original) or item.uri)
        known = chosen.get(key)
        if known is None or (known.raw_uri is None and item.raw_uri is not None):
            chosen[key] = item
    return tuple(sorted(chosen.values(), key=rank)[:most])


def is_same_page(one: str, other: str) -> bool:
    """Whether two addresses name one page for an archive: the scheme, a `www.` and a slash at the end do not matter.

    Stricter than the keys of most archives, which also take letters of any case, and sessions, for the same.
    """
    key = _page_key(one)
    return key is not None and key == _page_key(other)


@lru_cache(maxsize=256)
def _page_key(url: str) -> tuple[str, int | None, str, str] | None:
    target = check_url(url if "://" in url else f"http://{url}", 65_536)
    if isinstance(target, Refusal):
        return None
    path, _, query = target.path.partition("?")
    port = None if target.port == _PORTS[target.scheme] else target.port
    return target.host.removeprefix("www."), port, _plain(path).rstrip("/"), _plain(query)


def _plain(part: str) -> str:
    """Return a part of an address with its escapes written in one way; a mark that parts it stays escaped."""
    return _ESCAPES.sub(_written, part)


def _written(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char.isascii() and (char.isalnum() or char in "-._~") else found[0].upper()


def parse_http_date(text: str) -> datetime | None:
    """Return the moment of Memento-Datetime and of `datetime` in links; None for what is none.

    The day of the week is not held against the date. Spec: RFC 7089 section 2.1.1, RFC 9110 section 5.6.7.
    """
    found = _HTTP_DATE.fullmatch(text.strip())
    month = found[2].title() if found else ""
    if found is None or month not in _MONTHS:
        return None
    return _moment(int(found[3]), _MONTHS.index(month) + 1, int(found[1]), *map(int, found.groups()[3:]))


def format_http_date(moment: datetime) -> str:
    """Return a moment as Accept-Datetime writes it, in English whatever the language of this machine."""
    utc = moment.astimezone(UTC)
    return f"{_DAYS[utc.weekday()]}, {utc.day:02} {_MONTHS[utc.month - 1]} {utc.year:04} {utc:%H:%M:%S} GMT"


def parse_timestamp(text: str) -> datetime | None:
    """Return the first moment that the digits of a timestamp name, from 4 of them to 14; None for what is none."""
    found = _STAMP.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (None if part is None else int(part) for part in found.groups())
    return _moment(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0)


def format_timestamp(moment: datetime) -> str:
    """Return a moment as 14 digits, the fraction of a second cut."""
    utc = moment.astimezone(UTC)
    return f"{utc.year:04}{utc:%m%d%H%M%S}"


def parse_moment(text: str) -> datetime | None:
    """Return the moment of a time in any of the three forms that archives write; None for what is none."""
    found = _ISO.fullmatch(text.strip())
    if found is not None:
        return _moment(*(int(part) for part in found.groups()))
    return parse_http_date(text) or parse_timestamp(text.strip())


def _moment(*parts: int) -> datetime | None:
    """Return the moment of year, month, day, hour, minute and second."""
    year, month, day, hour, minute, second = parts
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
