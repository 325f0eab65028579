"""One page as its caller sees it: what its records say. Its text and bytes stay in the store until asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from searchlog import records
from searchlog.capture.exchange import Outcome
from searchlog.capture.shown import shown_url
from searchlog.extract.conversion import Conversion
from searchlog.flow.given import KIND
from searchlog.flow.read import PageRead, unread_reason
from searchlog.search.run import Run
from searchlog.suspect.judge import Suspicion

__all__ = ["Page", "page_of", "refused_page", "text_page"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page as fetched. `Session.text`, `Session.conversion` and `Session.body` load what it holds."""

    asked: str
    url: str
    """The final URL."""
    outcome: str
    """`complete`, `truncated`, `failed` or `refused`."""
    reason: str | None
    """Why it is not the page asked for with its text, as a code; None when it is."""
    detail: str = ""
    status: int | None = None
    captured_at: str | None = None
    title: str | None = None
    char_count: int = 0
    warnings: tuple[str, ...] = ()
    """What is odd about it, as codes: `truncated-REASON`, those of the exchange, those of the conversion."""
    kind: str = "page"
    """`page`, or `provider-text`: the text is a provider's, and nothing was fetched."""
    suspected: Suspicion | None = None
    """What the page is suspected to be instead of the page asked for; there may be text all the same."""
    capture: records.Capture | None = field(default=None, repr=False)
    """The record of its last hop."""
    converted: records.Conversion | None = field(default=None, repr=False)
    """The record of its conversion."""

    @property
    def payload(self) -> str | None:
        """Digest of what arrived of the page, or of the text that a provider gave; None when nothing is stored."""
        if self.capture is not None:
            return self.capture.payload.blob if self.capture.payload is not None else None
        return self.converted.payload if self.converted is not None else None

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
        asked=capture.asked if capture else shown_url(read.task.url),
        url=capture.url if capture else shown_url(read.task.url),
        outcome=capture.outcome if capture else "failed",
        reason=unread_reason(read),
        detail=_detail(read, capture, made),
        status=capture.status if capture else None,
        captured_at=capture.captured_at if capture else None,
        title=made.title if made else None,
        char_count=(made.char_count if made else None) or 0,
        warnings=_warnings(read),
        suspected=read.suspicion,
        capture=capture,
        converted=made,
    )


def text_page(url: str, run: Run, made: records.Conversion | None, answered_at: str) -> Page:
    """Return a page as a provider gave its text, or why it did not. made: the record of the conversion."""
    reason = f"no-text-{made.failure}" if made is not None and made.failure else None
    detail = (made.detail or "") if made is not None and made.failure else ""
    if made is None:
        reason = next((why for what, why in run.dropped if what == url), str(run.outcome))
        detail = run.detail
    shown = shown_url(url)
    return Page(
        asked=url,
        url=shown,
        outcome="complete" if reason is None else "failed",
        reason=reason,
        detail=detail,
        captured_at=answered_at or None,
        title=next((result.title for result in run.results if result.url == url), "") or (made.title if made else None),
        char_count=(made.char_count if made else None) or 0,
        warnings=tuple(made.warnings) if made else (),
        kind=KIND,
        converted=made if reason is None else None,
    )


def refused_page(url: str, why: str) -> Page:
    """Return a page whose text was not asked for. why: a reason code."""
    detail = "no provider is told of this address: it is private, holds a credential, or is none of the web"
    return Page(shown_url(url), shown_url(url), "refused", why, detail, kind=KIND)


def _warnings(read: PageRead) -> tuple[str, ...]:
    if read.fetch is None or read.exchange is None:
        return ()
    cut = (f"truncated-{read.fetch.reason}",) if read.fetch.outcome is Outcome.TRUNCATED else ()
    made = read.conversion
    return (*cut, *read.exchange.warnings, *(made.warnings if isinstance(made, Conversion) else ()))


def _detail(read: PageRead, capture: records.Capture | None, made: records.Conversion | None) -> str:
    """Return what there is to say of a page beyond its reason, for people."""
    if read.suspicion is not None and not read.cut:
        status = f"status {capture.status}, " if capture and capture.status != 200 else ""
        looks = _LOOKS.get(read.suspicion.kind, read.suspicion.kind)
        return f"{status}looks like {looks}, not like the page asked for: {', '.join(read.suspicion.tests)}"
    return (made.detail if made and made.failure else capture.detail if capture else None) or ""


_LOOKS = {"bot-challenge": "a bot challenge", "login-wall": "a login wall", "soft-404": "an error page (soft 404)"}
