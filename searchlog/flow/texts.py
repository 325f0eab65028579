"""Asking a service for the texts of pages, instead of fetching them: one request for as many pages as it takes.

Knows the web, not the log. What comes back is the provider's rendering of a page; see `given`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange
from searchlog.errors import UsageError
from searchlog.flow.gather import Asker, Door, wait_for_turn
from searchlog.search.extractor import Extractor, run_of_texts
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = ["Asked", "ask_for_texts"]

_NO_QUERY = Query("")
"""A request for texts has no options that could be ignored."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for the texts of some pages."""

    urls: tuple[str, ...]
    run: Run
    exchange: Exchange | None
    """None when it was not made."""


def ask_for_texts(
    extractor: Extractor,
    urls: Sequence[str],
    asker: Asker,
    *,
    deadline: Callable[[], Deadline],
    door: Door,
    on_asked: Callable[[Asked], None],
) -> list[Asked]:
    """Return what came of these pages, one request after another; `on_asked` is called as each ends.

    deadline: makes the one of each request. After a request that says the service is to be left alone, the rest is
    not asked for, and said so.
    """
    out: list[Asked] = []
    most = max(1, extractor.facts.count_max)
    for start in range(0, len(urls), most):
        batch = tuple(urls[start : start + most])
        out.append(_ask(extractor, batch, asker, deadline(), door))
        on_asked(out[-1])
    return out


def _ask(extractor: Extractor, urls: tuple[str, ...], asker: Asker, deadline: Deadline, door: Door) -> Asked:
    facts = extractor.facts
    skipped = door.skips([facts], _NO_QUERY, named=True).get(facts.name)
    refused = skipped or wait_for_turn(facts, _NO_QUERY, deadline, door)
    if refused is not None:
        return Asked(urls, refused, None)
    try:
        exchange = asker.exchange(extractor.request(urls), deadline)
    except UsageError as error:
        return Asked(urls, Run(facts.name, RunOutcome.BAD_REQUEST, detail=f"{facts.name}: {error}"), None)
    run = run_of_texts(extractor, urls, exchange)
    door.note(facts, run)
    return Asked(urls, run, exchange)
