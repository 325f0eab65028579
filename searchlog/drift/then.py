"""A passage as it was recorded, with the page that it was taken from where that is here. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from searchlog.drift.page import Page
from searchlog.evidence.passage import Selectors

__all__ = ["Then"]


@dataclass(frozen=True, slots=True)
class Then:
    """A passage as recorded."""

    selectors: Selectors
    """Exact text, prefix and suffix (64 code points each), and where it stood."""
    heading_path: tuple[str, ...] = ()
    """The headings over it, outermost first."""
    table_head: tuple[int, int] | None = None
    """Range of the head of its table in the text of then."""
    lead_in: tuple[int, int] | None = None
    """Range of the line that leads in to its list in the text of then."""
    page: Page | None = None
    """The page as stored then; None when its text is not here."""
