"""Addresses as the tests read them. Pure."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

__all__ = ["split"]


def split(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None for one that cannot be read."""
    try:
        parts = urlsplit(url)
        parts.hostname  # noqa: B018  raises for brackets that hold no address
    except ValueError:
        return None
    return parts
