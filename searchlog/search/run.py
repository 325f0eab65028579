"""What a provider answered: an ordered run of results, or a typed outcome; never an empty list by accident. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Result", "Run", "RunOutcome"]


class RunOutcome(StrEnum):
    """How one attempt at one provider ended."""

    OK = "ok"
    EMPTY = "empty"
    """Asked and answered: nothing found."""
    FILTERED_TO_EMPTY = "filtered_to_empty"
    """The provider answered, and our own filters dropped every result."""
    DEGRADED = "degraded"
    """Part of the provider failed; results, if any, are partial. Never read as `empty`."""
    BLOCKED = "blocked"
    """A bot challenge or a ban."""
    RATE_LIMITED = "rate_limited"
    """Waiting helps; `retry_after_s` says how long where it is known."""
    AUTH = "auth"
    QUOTA = "quota"
    """Waiting does not help: the plan or the credit is used up."""
    BAD_REQUEST = "bad_request"
    NOT_ENABLED = "not_enabled"
    """The server has the JSON answer switched off."""
    UNAVAILABLE = "unavailable"
    """The provider answered with a server error."""
    TIMEOUT = "timeout"
    PARSE_ERROR = "parse_error"
    """Bytes came, but no parser of ours can read them; they are kept."""
    TOO_LARGE = "too_large"
    OFFLINE = "offline"
    """No answer at all: name look-up, connect or TLS failed."""
    REFUSED = "refused"
    """We did not ask: the address guard forbade it."""


@dataclass(frozen=True, slots=True)
class Result:
    """One item of a run. A snippet is the provider's own text and never evidence."""

    rank: int
    """1-based position in the run."""
    url: str
    """As the provider gave it."""
    title: str = ""
    snippet: str = ""
    score: str | None = None
    """Decimal string, comparable only within this run."""
    published: str | None = None
    """When the page was published, as the provider gave it; not checked."""
    published_source: str | None = None
    """The field of the answer that says so, such as `page_age`."""
    crawled: str | None = None
    """When the provider itself read the page, as it gave it; not checked."""
    crawled_source: str | None = None
    """The field of the answer that says so."""
    text: str = ""
    """Text of the page as the provider gives it, when `Query.texts` asked for it: never a capture of the page."""
    text_type: str = "text/plain"
    """What the text is: `text/plain` or `text/markdown`."""
    extra: dict[str, str] = field(default_factory=dict)
    """Small facts of this provider worth keeping: engines, age, language. For a local provider, where the page is
    stored: `capture_session`, `capture_seq`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One provider's ordered answer to one query, or why there is none."""

    provider: str
    outcome: RunOutcome
    results: tuple[Result, ...] = ()
    detail: str = ""
    """For people: what went wrong and the one thing to change."""
    retry_after_s: int | None = None
    ignored: tuple[str, ...] = ()
    """Query options this provider cannot apply, such as `freshness`."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Items of the answer that are no results (advertisements, rows without a link): (what, reason code)."""
    notes: tuple[str, ...] = ()
    """Such as SearXNG's unresponsive engines or Brave's altered query."""
    parser: str = ""
    """Name and version of the parser, such as `brave/1`."""
