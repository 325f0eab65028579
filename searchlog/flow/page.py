"""One page as its caller sees it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from searchlog.clock import format_time
from searchlog.digest import Digest, digest
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.flow.read import PageRead, unread_reason

__all__ = ["Page", "page_of"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page as fetched; `conversion` holds its text."""

    asked: str
    url: str
    """The final URL."""
    outcome: str
    reason: str | None
    """Why there is no text, as a code; None when there is."""
    detail: str
    status: int | None
    captured_at: str | None
    title: str | None = None
    payload: Digest | None = None
    text_digest: Digest | None = None
    conversion: Conversion | None = field(default=None, repr=False)

    @property
    def said(self) -> str:
        """How it ended, in a few words."""
        if self.reason is None and self.conversion is not None:
            return f"{len(self.conversion.text)} characters"
        return self.reason or self.outcome


def page_of(read: PageRead) -> Page:
    """Return a page as read, for the caller."""
    final, made, fetch = read.exchange, read.conversion, read.fetch
    text = made if isinstance(made, Conversion) else None
    detail = made.detail if isinstance(made, ConversionFailure) else fetch.detail if fetch else ""
    return Page(
        asked=read.task.url,
        url=final.url if final else read.task.url,
        outcome=fetch.outcome.value if fetch else "failed",
        reason=unread_reason(read),
        detail=detail,
        status=final.status if final else None,
        captured_at=format_time(final.started_at) if final else None,
        title=text.metadata.title if text else None,
        payload=digest(final.payload) if final else None,
        text_digest=digest(text.text.encode("utf-8")) if text else None,
        conversion=text,
    )
