"""What a provider answered: an ordered run of results, or a typed outcome; never an empty list by accident. Pure.

And what a run may hold, whoever made it: the steps after it and the lines of the log lean on these limits. A parser
that reads with `answers.reading` stays below them; a run of somebody else's parser is held against `run_fault`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from searchlog.checks import Fault

__all__ = [
    "ANSWERS",
    "ITEMS_HARD_MAX",
    "NOTES_BYTES_MAX",
    "RETRY_MAX_S",
    "Result",
    "Run",
    "RunOutcome",
    "count_fault",
    "json_bytes",
    "run_fault",
]

RETRY_MAX_S = 31 * 86_400
"""Longest time that a provider may ask us to wait."""
ITEMS_HARD_MAX = 20_000
"""Items of one answer above which it is `too_large`: nobody sends as many, and each one dropped is told by itself."""
NOTES_BYTES_MAX = 30_000
"""Bytes of all notes of one answer as JSON: they stand in one line of the log."""
_DETAIL_MAX = 4_000
_TEXTS_MAX = 200
_LENGTHS: Mapping[str, int] = {
    "title": 4_000,
    "snippet": 40_000,
    "score": 60,
    "published": 200,
    "published_source": 200,
    "crawled": 200,
    "crawled_source": 200,
    "text_type": 100,
}
"""Characters of a result's fields: some stand in one line of the log with the evidence of it."""


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


ANSWERS = frozenset({RunOutcome.OK, RunOutcome.EMPTY, RunOutcome.FILTERED_TO_EMPTY})
"""The outcomes of a provider that answered, if only that there is nothing; a degraded run answers as far as it goes."""


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
    """One provider's ordered answer to one text of a query, or why there is none."""

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
    query_number: int = 1
    """Which text of the query it answers, the first is 1; set by whoever asked."""


def count_fault(run: Run) -> Fault | None:
    """Return which of a run's lists is too long to be looked at one by one. Its types may be wrong yet."""
    for name in ("results", "dropped"):
        items = getattr(run, name, None)
        if isinstance(items, tuple) and len(items) > ITEMS_HARD_MAX:
            return Fault(f"the number of {name}", f"at most {ITEMS_HARD_MAX}", len(items))
    return None


def run_fault(run: Run, name: str) -> Fault | None:
    """Return what the types of a run do not say and the steps after it lean on. name: of the provider that gave it."""
    if run.provider != name:
        return Fault("provider", f"its own name {name!r}", run.provider)
    if run.retry_after_s is not None and not 0 <= run.retry_after_s <= RETRY_MAX_S:
        return Fault("retry_after_s", f"0 to {RETRY_MAX_S} seconds", run.retry_after_s)
    if len(run.detail) > _DETAIL_MAX:
        return Fault("detail", f"at most {_DETAIL_MAX} characters", run.detail)
    if json_bytes((*run.notes, *run.ignored, run.parser)) > NOTES_BYTES_MAX + _DETAIL_MAX:
        return Fault("notes", f"at most {NOTES_BYTES_MAX} bytes", run.notes)
    return count_fault(run) or _results_fault(run.results)


def _results_fault(results: Sequence[Result]) -> Fault | None:
    if sum(bool(result.text) for result in results) > _TEXTS_MAX:
        return Fault("results", f"at most {_TEXTS_MAX} with a text", results)
    for place, result in enumerate(results):
        for name, most in _LENGTHS.items():
            if len(getattr(result, name) or "") > most:
                return Fault(f"results[{place}].{name}", f"at most {most} characters", getattr(result, name))
        if result.rank != place + 1:
            return Fault(f"results[{place}].rank", str(place + 1), result.rank)
        seq = result.extra.get("capture_seq", "0")
        if not (seq.isascii() and seq.isdecimal() and len(seq) < 16):
            return Fault(f"results[{place}].extra['capture_seq']", "a record's number", seq)
    return None


def json_bytes(words: Sequence[str]) -> int:
    """Return how many bytes these strings take in a record."""
    return sum(len(json.dumps(word, ensure_ascii=False).encode("utf-8", "surrogatepass")) + 1 for word in words)
