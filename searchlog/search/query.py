"""What is asked: one query with options that mean the same for every provider. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["FRESHNESS_DAYS", "Query"]

FRESHNESS_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
"""How many days back each word of `freshness` reaches."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question to search providers. What a provider cannot apply it lists in `Run.ignored`."""

    text: str
    count: int = 10
    """Results wanted from each provider, 1 to 50."""
    page: int = 1
    """1-based page of `count` results."""
    language: str | None = None
    """BCP 47 tag such as `en` or `zh-Hans`; None leaves it to the provider."""
    country: str | None = None
    """ISO 3166-1 alpha-2, upper case."""
    freshness: str | None = None
    """Published within the last `day`, `week`, `month` or `year`; None for any time. Not together with the next two."""
    after: str | None = None
    """Published on this day or later, `YYYY-MM-DD`."""
    before: str | None = None
    """Published on this day or earlier, `YYYY-MM-DD`."""
    safe: str | None = None
    """`off`, `moderate`, `strict`, or None for the provider's default."""
    include_domains: tuple[str, ...] = ()
    """Only these domains and those below them."""
    exclude_domains: tuple[str, ...] = ()
    texts: bool = False
    """Whether the texts of pages are wanted from providers that have them, besides their results."""
    asked_on: str | None = None
    """The day in UTC on which it is asked, from which `freshness` counts; set by whoever asks."""

    def span(self) -> tuple[str | None, str | None]:
        """Return the first and the last day of publication that are wanted, from `freshness` or the dates given.

        A freshness without `asked_on` has no days.
        """
        if self.freshness in FRESHNESS_DAYS and self.asked_on:
            first = date.fromisoformat(self.asked_on) - timedelta(days=FRESHNESS_DAYS[self.freshness])
            return first.isoformat(), None
        return self.after, self.before
