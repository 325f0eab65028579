"""What is asked: one query with options that mean the same for every provider. Pure."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Query"]


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
    """`day`, `week`, `month`, `year`, or None."""
    safe: str | None = None
    """`off`, `moderate`, `strict`, or None for the provider's default."""
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
