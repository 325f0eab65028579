"""Asking a service for the texts of pages, instead of fetching them: one request for as many pages as it takes.

Knows the web, not the log. What comes back is the provider's rendering of a page; see `given`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange
from searchlog.errors import UsageError
from searchlog.flow.gather import Asker, Door, wait_for_turn
from searchlog.search.extractor import Extractor, run_of_texts
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome, json_bytes

__all__ = ["Asked", "ask_for_texts"]

_NO_QUERY = Query("")
"""A request for texts has no options that could be ignored."""
_URLS_BYTES_MAX = 30_000
"""Addresses of one request, as JSON: they stand in one line of the log."""
_OF_ALL = frozenset({RunOutcome.AUTH, RunOutcome.QUOTA, RunOutcome.RATE_LIMITED, RunOutcome.BLOCKED})
"""How a request ends that the next one would end like, asked right away."""
_NOT_ASKED = "not asked, as the request before was refused: "


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

    deadline: makes the one of each request. After a request that says the service is to be left alone, or that the key
    or the plan is at fault, the rest is not asked for, and said so.
    """
    out: list[Asked] = []
    for batch in _batches(urls, max(1, extractor.facts.count_max)):
        if out and out[-1].run.outcome in _OF_ALL:
            out.append(Asked(batch, _not_asked(out[-1].run), None))
        else:
            out.append(_ask(extractor, batch, asker, deadline(), door))
        on_asked(out[-1])
    return out


def _batches(urls: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    """Yield the addresses of each request: as many as the service takes, and as a record can hold."""
    batch: list[str] = []
    for url in urls:
        if batch and (len(batch) >= most or json_bytes([*batch, url]) > _URLS_BYTES_MAX):
            yield tuple(batch)
            batch = []
        batch.append(url)
    if batch:
        yield tuple(batch)


def _not_asked(before: Run) -> Run:
    """Return the run of a request that is not made, since the one before it was refused."""
    said = before.detail.removeprefix(f"{before.provider}: ").removeprefix(_NOT_ASKED)
    return replace(before, results=(), dropped=(), notes=(), parser="", detail=f"{before.provider}: {_NOT_ASKED}{said}")


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
