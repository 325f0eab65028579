"""Asking an archive for its list of a page's captures: its index (CDX), or its TimeMap, part by part.

Of a list, however long, only the captures nearest to the moment are held. Spec: CDX server API; RFC 7089 section 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from searchlog.capture.exchange import Exchange, Outcome
from searchlog.capture.guard import safe_url
from searchlog.errors import FormatError
from searchlog.mementos.hops import Question
from searchlog.mementos.inquiry import FAR, Inquiry, is_future
from searchlog.mementos.memento import Memento, format_timestamp, is_same_page, nearest
from searchlog.mementos.served import Answer
from searchlog.mementos.timemap import Entry, TimeMap, parse_timemap

__all__ = ["ask_cdx", "ask_timemap"]

_ROWS_MAX = 50
_TIMEMAPS_MAX = 4
"""Parts of a paged TimeMap that are asked for."""
_LIST_TYPES = "application/link-format, application/json;q=0.8, application/cdxj+ors;q=0.7, */*;q=0.1"


def ask_cdx(inquiry: Inquiry) -> None:
    """Ask the archive's index, if it has one, and note what it told."""
    if inquiry.archive.cdx is None:
        return
    closest = {"closest": format_timestamp(inquiry.near), "sort": "closest", "limit": str(_ROWS_MAX)}
    count = _ask_rows(inquiry, closest)
    if count is not None and count >= _ROWS_MAX and not inquiry.is_settled:
        # this index does not sort by distance; a window does without
        first, last = (format_timestamp(inquiry.near + way * FAR) for way in (-1, 1))
        count = _ask_rows(inquiry, {"from": first, "to": last, "limit": str(_ROWS_MAX)})
    if count is not None:
        inquiry.say("cdx", Answer.FOUND if inquiry.found else Answer.NONE)


def _ask_rows(inquiry: Inquiry, fields: dict[str, str]) -> int | None:
    """Ask the index; return how many rows it gave, or None, noted, when it did not answer."""
    assert inquiry.archive.cdx is not None
    sign = "&" if "?" in inquiry.archive.cdx else "?"
    url = inquiry.archive.cdx + sign + urlencode({"url": inquiry.page, "output": "json"} | fields)
    fetch = inquiry.ask(Question(url))
    if inquiry.trouble("cdx", fetch):
        return None
    assert fetch.final is not None
    if fetch.final.status in (404, 410):
        return 0
    read = _read_list(inquiry, "cdx", fetch.final)
    return None if read is None else read[1]


def ask_timemap(inquiry: Inquiry) -> None:
    """Ask for the parts of the TimeMap that may hold the nearest capture, where the index did not answer."""
    if any(service == "cdx" and answer is not Answer.UNAVAILABLE for service, answer, _, _ in inquiry.said):
        return
    url = inquiry.archive.timemap_of(inquiry.page) or inquiry.timemap
    asked: set[str] = set()
    waiting: dict[str, float] = {}
    while url is not None and len(asked) < _TIMEMAPS_MAX:
        asked.add(url)
        fetch = inquiry.ask(Question(url, headers=(("Accept", _LIST_TYPES),)))
        if inquiry.trouble("timemap", fetch):
            return
        assert fetch.final is not None
        if fetch.final.status in (404, 410):
            inquiry.say("timemap", Answer.NONE)
            return
        read = _read_list(inquiry, "timemap", fetch.final)
        if read is None:
            return
        waiting |= {part.uri: part.gap(inquiry.near) for part in read[0].pages}
        best = min((item.distance(inquiry.near).total_seconds() for item in inquiry.found), default=None)
        nearer = [uri for uri, gap in waiting.items() if uri not in asked and (best is None or gap < best)]
        url = min(nearer, key=lambda uri: waiting[uri], default=None)
    inquiry.say("timemap", Answer.FOUND if inquiry.found else Answer.NONE)


def _read_list(inquiry: Inquiry, service: str, final: Exchange) -> tuple[TimeMap, int] | None:
    """Keep the nearest captures of a list; return what else it tells and how many it has, or None, noted, for no
    list."""
    if not 200 <= (final.status or 0) < 300:
        detail = f"status {final.status}, where a list of captures was asked for"
        inquiry.say(service, Answer.UNAVAILABLE, f"http-{final.status}", detail)
        return None
    cut = final.outcome is Outcome.TRUNCATED or final.decoded.reason is not None
    told, entries = parse_timemap(final.decoded.data, final.url, cut=cut)
    count = 0

    def mementos() -> Iterator[Memento]:
        nonlocal count
        for entry in entries:
            count += 1
            memento = _memento_of(inquiry, entry, service)
            if memento is not None and not is_future(memento.at, final):
                yield memento

    try:
        chosen = nearest(mementos(), inquiry.near)
    except FormatError as error:
        inquiry.say(service, Answer.UNAVAILABLE, "format", str(error))
        return None
    if told.original is not None and not is_same_page(told.original, inquiry.page):
        inquiry.say(
            service, Answer.NONE, "other-page", f"it lists captures of another page: {safe_url(told.original, 300)}"
        )
        return told, count
    if cut and not chosen:
        inquiry.say(service, Answer.UNAVAILABLE, final.reason or final.decoded.reason, "the list was cut short")
        return None
    inquiry.add(chosen)
    return told, count


def _memento_of(inquiry: Inquiry, entry: Entry, service: str) -> Memento | None:
    """Return the capture of one entry; None where it is of another page, or has no address."""
    original = entry.original or inquiry.page
    uri = entry.uri or inquiry.archive.view_of(format_timestamp(entry.at), original)
    if uri is None or not is_same_page(original, inquiry.page):
        return None
    return Memento(uri, original, entry.at, inquiry.archive, service, entry.status, entry.digest)
