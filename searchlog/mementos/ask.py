"""Asking a web archive for a page as it was near a moment, and fetching what it has.

    TimeGate     one request when it answers: the capture nearest to the moment
    CDX          when the TimeGate does not answer, has nothing, or something far from the moment
    TimeMap      the same, of archives without an index that answers

Archives are known to say "nothing" of pages that they have, so one service's no is held against another's. An error is
never taken for a no. All that was exchanged is handed back in order, whatever came of it: an archive's word is a third
party's word, and is kept as such. Effects: the network, through the client.
Spec: RFC 7089; CDX server API.  Shown by test_mementos_ask.py and, with pywb, e2e/test_mementos_pywb.py.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Outcome
from searchlog.capture.guard import Refusal, check_url
from searchlog.clock import SystemClock
from searchlog.mementos.hops import Asking, Question
from searchlog.mementos.inquiry import Asked, Inquiry, is_live, joined
from searchlog.mementos.lists import ask_cdx, ask_timemap
from searchlog.mementos.memento import Memento, format_http_date, format_timestamp
from searchlog.mementos.pace import Pace
from searchlog.mementos.served import Answer, judge, moment_of
from searchlog.mementos.source import WebArchive
from searchlog.mementos.telling import kept_back
from searchlog.mementos.timegate import ask_timegate

__all__ = ["SHARED_PACE", "Asked", "ask", "ask_index", "fetch_memento"]

SHARED_PACE = Pace(SystemClock())
"""The turns of all threads of this process, unless the caller has its own."""


def ask(
    archive: WebArchive, url: str, near: datetime, client: Client, deadline: Deadline, *, pace: Pace | None = None
) -> Asked:
    """Return the captures of a page nearest to a moment that an archive tells of.

    near: with a time zone. pace: the turns at the archive's host; without it those that this process shares.
    Never raises for what the far end does. A page whose address is not to be told to others is not asked for.
    """
    kept = kept_back(url, archive)
    if kept is not None:
        return Asked(Answer.REFUSED, kept.detail, reason=kept.reason)
    target = check_url(url)
    assert not isinstance(target, Refusal)  # it would have been kept back
    inquiry = Inquiry(archive, target.url, near, Asking(client, pace or SHARED_PACE, archive.pause_s, deadline))
    for step in (ask_timegate, ask_cdx, ask_timemap):
        if not inquiry.is_settled:
            step(inquiry)
    return inquiry.ended()


def ask_index(
    archive: WebArchive, url: str, near: datetime, client: Client, deadline: Deadline, *, pace: Pace | None = None
) -> Asked:
    """Return what the archive's index alone tells, or its other services where it has none: see `ask`."""
    return ask(replace(archive, timegate=None) if archive.cdx else archive, url, near, client, deadline, pace=pace)


def fetch_memento(memento: Memento, client: Client, deadline: Deadline, *, pace: Pace | None = None) -> Fetch:
    """Return the fetch of a memento: the page as it was received, where the archive has that view.

    Redirects are followed inside the archive, those that the page itself made when it was captured too, and never to
    the live page. A fetch of something that is no memento of the page is `failed` with the reason that `served.judge`
    gives, its exchanges kept. `judge(memento, fetch)` also tells the moment and status that were served.
    """
    source = memento.source.home_of(memento.uri)
    asking = Asking(client, pace or SHARED_PACE, source.pause_s, deadline)

    def follow(hop: Exchange, location: str) -> str | None:
        place = source.split_memento(location)
        if place is not None:
            return source.raw_of(*place)
        at = moment_of(hop)
        if isinstance(at, datetime):
            here = source.split_memento(hop.url)
            original = here[1] if here else memento.original
            # the page's own redirect, as it was received
            return source.raw_of(format_timestamp(at), joined(original, hop.location or location))
        return None if is_live(location, memento.original, hop) else location

    # a capture without an address of its own is only served to who asks for its moment
    moment = () if memento.raw_uri else (("Accept-Datetime", format_http_date(memento.at)),)
    fetch = asking.ask(Question(memento.raw_uri or memento.uri, headers=moment), follow)
    served = judge(memento, fetch)
    is_fault = served.outcome is Answer.UNAVAILABLE or served.reason in ("other-page", "not-served")
    if is_fault and fetch.outcome in (Outcome.COMPLETE, Outcome.TRUNCATED):
        return replace(fetch, outcome=Outcome.FAILED, reason=served.reason, detail=served.detail)
    return fetch
