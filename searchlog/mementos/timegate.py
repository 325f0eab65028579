"""Asking a TimeGate for the capture of a page nearest to a moment.

    302, and the capture's address says its moment, or a link does      known: the capture itself is not asked for
    302 to anywhere else                                                followed: TimeGates send to one another
    200 with Memento-Datetime                                           the capture, at Content-Location, or right there
    404                                                                 no capture

RFC 7089 shows HEAD; a GET is asked, since some servers answer a HEAD with errors that a GET does not meet, and what
comes back is kept as evidence, which is then whole. Spec: RFC 7089 sections 4.1 to 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from searchlog.capture.exchange import Exchange, Fetch, Outcome, header
from searchlog.capture.guard import safe_url
from searchlog.mementos.hops import Question, is_redirect
from searchlog.mementos.inquiry import Inquiry, is_future, joined
from searchlog.mementos.links import Link, header_links
from searchlog.mementos.memento import Memento, format_http_date, is_same_page, parse_http_date, parse_timestamp
from searchlog.mementos.served import Answer, moment_of, original_of

__all__ = ["ask_timegate"]


def ask_timegate(inquiry: Inquiry) -> None:
    """Ask the archive's TimeGate, if it has one, and note what it told."""
    url = inquiry.archive.timegate_of(inquiry.page)
    if url is None:
        return
    headers = (("Accept-Datetime", format_http_date(inquiry.near)),)
    fetch = _through_timegate(inquiry, Question(url, headers=headers))
    found = [item for hop in fetch.hops for item in _told_by(inquiry, hop)]
    of_page = [item for item in found if is_same_page(item.original, inquiry.page)]
    inquiry.add(of_page)
    if of_page:
        inquiry.say("timegate", Answer.FOUND)
    elif found:
        detail = f"it answered with another page: {safe_url(found[0].original, 300)}"
        inquiry.say("timegate", Answer.NONE, "other-page", detail)
    elif not inquiry.trouble("timegate", fetch):
        assert fetch.final is not None
        if fetch.final.status in (404, 410):
            inquiry.say("timegate", Answer.NONE)
        else:
            reason = moment_of(fetch.final)
            detail = f"status {fetch.final.status}, which names no capture"
            inquiry.say("timegate", Answer.UNAVAILABLE, reason if isinstance(reason, str) else "future-memento", detail)


def _through_timegate(inquiry: Inquiry, question: Question) -> Fetch:
    """Return the fetch of a TimeGate: it ends where the capture and its moment are known, before the capture itself."""

    def follow(hop: Exchange, location: str) -> str | None:
        known = any(item.uri == location for item in _told_by(inquiry, hop))
        return None if known else inquiry.stay(hop, location)

    return inquiry.ask(question, follow)


def _told_by(inquiry: Inquiry, hop: Exchange) -> Iterator[Memento]:
    """Yield the captures that one answer of a TimeGate tells of, and note the TimeMap that it names."""
    archive, links = inquiry.archive, header_links(hop.headers)
    if hop.outcome is Outcome.FAILED:
        return
    for link in links:
        if "timemap" in link.relations and link.uri and inquiry.timemap is None:
            inquiry.timemap = joined(hop.url, link.uri)
    original = original_of(hop, archive) or inquiry.page
    at = moment_of(hop)
    if isinstance(at, datetime):
        uri = _uri_of(hop, links, at)
        # below 400 it may be the status of a frame that the archive puts round the page
        status = hop.status if (hop.status or 0) >= 400 else None
        yield Memento(uri, original, at, archive, "timegate", status)
    elif is_redirect(hop):
        assert hop.location is not None
        uri = joined(hop.url, hop.location)
        place = archive.split_memento(uri)
        moment = parse_timestamp(place[0]) if place is not None and len(place[0]) == 14 else None
        if place is not None and moment is not None and not is_future(moment, hop):
            yield Memento(uri, place[1], moment, archive, "timegate")
    for link in links:
        moment = parse_http_date(link.fields.get("datetime", "")) if "memento" in link.relations else None
        if moment is not None and link.uri and not is_future(moment, hop):
            yield Memento(joined(hop.url, link.uri), original, moment, archive, "timegate")


def _uri_of(hop: Exchange, links: tuple[Link, ...], at: datetime) -> str:
    """Return the address of the capture that an answer carries: it may stand at the TimeGate's own."""
    place = header(hop.headers, "content-location")
    if place:
        return joined(hop.url, place)
    for link in links:
        if "memento" in link.relations and parse_http_date(link.fields.get("datetime", "")) == at and link.uri:
            return joined(hop.url, link.uri)
    return hop.url
