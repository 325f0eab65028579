"""What an archive served where it promised a memento: the page as captured, or something else. Pure.

A memento says so itself: it has a `Memento-Datetime`. What comes without one is the archive's own page, or the live
page, whatever its status. So this can be judged again from the recorded exchange.
Spec: RFC 7089 sections 2.1.1 and 4.5.  Shown by test_mementos_served.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urljoin

from searchlog.capture.exchange import Exchange, Fetch, Outcome, header
from searchlog.capture.guard import safe_url
from searchlog.mementos.links import header_links
from searchlog.mementos.memento import Memento, is_same_page, parse_http_date
from searchlog.mementos.source import WebArchive

__all__ = ["Answer", "Served", "judge", "moment_of", "original_of", "trouble_of"]

_FUTURE = timedelta(days=1)
"""Clocks differ; a capture from later than this has not been made."""
_SAME = timedelta(seconds=1)
_LEFT_OUT = ("AdministrativeAccessControlException", "RobotAccessControlException")
_SAID_BYTES = 2_000


class Answer(StrEnum):
    """How asking an archive ended."""

    FOUND = "found"
    """It has what was asked for."""
    NONE = "none"
    """It answered, and has nothing that shows the page."""
    UNAVAILABLE = "unavailable"
    """It did not answer so that one could tell: an error is never taken for `none`."""
    REFUSED = "refused"
    """Nobody was asked: the address is not told to others."""


@dataclass(frozen=True, slots=True)
class Served:
    """What was served where a memento was promised.

    reason, besides those of a fetch: `not-served` (listed, yet 404), `captured-error` (the page answered with an error
    when it was captured), `captured-redirect` (it sent elsewhere, and the archive does not show where to),
    `no-memento-datetime`, `bad-memento-datetime`, `future-memento`, `other-page`, `left-out` (withheld by the archive),
    `rate-limited`, `http-<status>`; with `found` it is None, or `other-moment`.
    """

    outcome: Answer
    reason: str | None
    detail: str
    memento: Memento
    """With the moment and the original that were served, where they were told; else as promised."""
    status: int | None = None
    """The HTTP status that was captured."""
    is_raw: bool = False
    """Whether the archive shows it as it was received, or may have added to it and rewritten its links."""


def judge(memento: Memento, fetch: Fetch) -> Served:
    """Return what a fetch of a memento served."""
    final = fetch.final
    if final is None or final.outcome is Outcome.FAILED or fetch.outcome is Outcome.REFUSED:
        return Served(Answer.UNAVAILABLE, fetch.reason, fetch.detail, memento)
    if fetch.reason == "redirect-limit":
        return Served(Answer.UNAVAILABLE, fetch.reason, fetch.detail, memento)
    at = moment_of(final)
    if not isinstance(at, datetime):
        outcome, reason, detail = _no_memento(final, at)
        return Served(outcome, reason, detail, memento)
    home = memento.source.home_of(final.url)
    original = original_of(final, home) or memento.original
    told = replace(memento, at=at, original=original)
    served = Served(Answer.FOUND, None, "", told, final.status, home.is_raw(final.url))
    if not (is_same_page(original, memento.original) or _was_led_to(fetch, home)):
        return replace(
            served,
            outcome=Answer.NONE,
            reason="other-page",
            detail=f"it is a memento of another page: {safe_url(original, 300)}",
        )
    status = final.status or 0
    if status >= 400:
        return replace(
            served, outcome=Answer.NONE, reason="captured-error", detail=f"the page answered {status} when captured"
        )
    if 300 <= status < 400:
        detail = "the page sent elsewhere when it was captured, and the archive does not show where to"
        return replace(served, outcome=Answer.NONE, reason="captured-redirect", detail=detail)
    if abs(at - memento.at) > _SAME:
        detail = f"promised from {memento.at:%Y-%m-%d %H:%M:%S} UTC, served from {at:%Y-%m-%d %H:%M:%S} UTC"
        return replace(served, reason="other-moment", detail=detail)
    return served


def moment_of(exchange: Exchange) -> datetime | str:
    """Return when a memento was captured; or the reason why the answer is none.

    Reasons: `no-memento-datetime`, `bad-memento-datetime`, `future-memento` (later than the answer itself).
    """
    value = header(exchange.headers, "memento-datetime")
    if value is None:
        return "no-memento-datetime"
    at = parse_http_date(value)
    if at is None:
        return "bad-memento-datetime"
    return "future-memento" if at > exchange.started_at + _FUTURE else at


def original_of(exchange: Exchange, source: WebArchive) -> str | None:
    """Return the page that an answer says it is about: by its links, else by its own address; None when neither
    tells."""
    for link in header_links(exchange.headers):
        if "original" in link.relations and link.uri:
            return link.uri
    place = source.split_memento(exchange.url)
    return None if place is None else place[1]


def trouble_of(exchange: Exchange) -> tuple[str, str] | None:
    """Return why an answer cannot be read as yes or no, as a reason and a sentence; None when it can.

    404 and 410 are a no; whatever is below 400 is read by who asked.
    """
    status = exchange.status or 0
    if exchange.outcome is Outcome.FAILED or exchange.status is None:
        return exchange.reason or "failed", exchange.detail
    if status < 400 or status in (404, 410):
        return None
    if status in (429, 503):
        wait = header(exchange.headers, "retry-after")
        asks = f", and asks to wait: Retry-After {wait[:40]}" if wait else ""
        return "rate-limited", f"the archive answered {status}{asks}"
    if status in (403, 451) and _is_left_out(exchange):
        return "left-out", f"the archive answered {status}: it keeps this page from everybody"
    return f"http-{status}", f"the archive answered {status} {exchange.reason_phrase}".rstrip()


def _no_memento(final: Exchange, reason: str) -> tuple[Answer, str, str]:
    if reason != "no-memento-datetime":
        said = header(final.headers, "memento-datetime") or ""
        return Answer.UNAVAILABLE, reason, f"the archive names no moment that can be: {said[:60]!r}"
    trouble = trouble_of(final)
    if trouble is not None:
        return Answer.UNAVAILABLE, *trouble
    if final.status in (404, 410):
        return Answer.NONE, "not-served", f"the archive listed it, and answered {final.status}"
    detail = f"status {final.status} without Memento-Datetime: a page of the archive's own, or the live page"
    return Answer.UNAVAILABLE, reason, detail


def _was_led_to(fetch: Fetch, source: WebArchive) -> bool:
    """Whether the page itself, as captured, sent to what came last: each redirect of a memento is a memento too."""
    return all(isinstance(moment_of(hop), datetime) or _stays(hop, source) for hop in fetch.hops[:-1]) and any(
        isinstance(moment_of(hop), datetime) for hop in fetch.hops[:-1]
    )


def _stays(hop: Exchange, source: WebArchive) -> bool:
    """Whether a redirect that is no memento leads from one capture of a page to another one of it."""
    here = source.split_memento(hop.url)
    there = source.split_memento(_joined(hop.url, hop.location or header(hop.headers, "location") or ""))
    return here is not None and there is not None and is_same_page(here[1], there[1])


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _is_left_out(exchange: Exchange) -> bool:
    said = header(exchange.headers, "x-archive-wayback-runtime-error") or ""
    said += exchange.decoded.data[:_SAID_BYTES].decode("utf-8", "replace")
    return any(name in said for name in _LEFT_OUT)
