"""What is asked: one question, in one phrasing or several, with options that mean the same for every provider. Pure.

text, also   what providers are asked, each phrasing by itself     alone()
focus        what the passages are chosen by; no provider sees it  sought
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
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
    also: tuple[str, ...] = ()
    """The same in other words: each is asked beside `text`, and all their results are fused."""
    focus: str | None = None
    """What the passages are chosen by, in place of the texts: a whole question. No provider is sent it."""

    @property
    def phrasings(self) -> tuple[str, ...]:
        """Return the texts to ask, the first one first."""
        return (self.text, *self.also)

    @property
    def sought(self) -> tuple[str, ...]:
        """Return the texts that passages are chosen by."""
        return self.phrasings if self.focus is None else (self.focus,)

    def alone(self) -> tuple[Query, ...]:
        """Return what providers get to see: a query for each text, with that text alone."""
        return tuple(replace(self, text=text, also=(), focus=None) for text in self.phrasings)

    def reworded(self, change: Callable[[str], str]) -> Query:
        """Return the query with each of its texts changed by this; of texts that are then equal the first stays."""
        first, *also = _distinct(map(change, self.phrasings))
        return replace(self, text=first, also=tuple(also), focus=None if self.focus is None else change(self.focus))

    def span(self) -> tuple[str | None, str | None]:
        """Return the first and the last day of publication that are wanted, from `freshness` or the dates given.

        A freshness without `asked_on` has no days.
        """
        if self.freshness in FRESHNESS_DAYS and self.asked_on:
            first = date.fromisoformat(self.asked_on) - timedelta(days=FRESHNESS_DAYS[self.freshness])
            return first.isoformat(), None
        return self.after, self.before


def _distinct(texts: Iterable[str]) -> list[str]:
    """Return the texts that differ in more than their white space, each as it is written first."""
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(" ".join(text.split()), text)
    return list(first.values())
