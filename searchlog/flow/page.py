"""One page as its caller sees it: what its records say. Its text and bytes stay in the store until asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from searchlog import records
from searchlog.flow.read import PageRead, unread_reason

__all__ = ["Page", "page_of"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page as fetched. `Session.text`, `Session.conversion` and `Session.body` load what it holds."""

    asked: str
    url: str
    """The final URL."""
    outcome: str
    """`complete`, `truncated`, `failed` or `refused`."""
    reason: str | None
    """Why there is no text, as a code; None when there is."""
    detail: str = ""
    status: int | None = None
    captured_at: str | None = None
    title: str | None = None
    char_count: int = 0
    capture: records.Capture | None = field(default=None, repr=False)
    """The record of its last hop."""
    converted: records.Conversion | None = field(default=None, repr=False)
    """The record of its conversion."""

    @property
    def said(self) -> str:
        """How it ended, in a few words."""
        return self.reason or f"{self.char_count} characters"


def page_of(read: PageRead) -> Page:
    """Return a page as read."""
    capture = read.captures[-1].body if read.captures else None
    made = read.converted.body if read.converted is not None else None
    capture = capture if isinstance(capture, records.Capture) else None
    made = made if isinstance(made, records.Conversion) else None
    return Page(
        asked=read.task.url,
        url=capture.url if capture else read.task.url,
        outcome=capture.outcome if capture else "failed",
        reason=unread_reason(read),
        detail=(made.detail if made and made.failure else capture.detail if capture else None) or "",
        status=capture.status if capture else None,
        captured_at=capture.captured_at if capture else None,
        title=made.title if made else None,
        char_count=(made.char_count if made else None) or 0,
        capture=capture,
        converted=made,
    )
