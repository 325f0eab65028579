"""The desk at which turns are written: a session's log, and what is shared to fetch, convert and keep.

Puts what a stage handed back into the log, blobs first. What is done in which order, `searching` and `session` say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from searchlog import recording, records
from searchlog.capture.client import Published
from searchlog.capture.exchange import Fetch
from searchlog.capture.freshness import fetch_lifetime_s
from searchlog.capture.shown import shown_url
from searchlog.clock import format_time
from searchlog.flow.drafts import page_drafts
from searchlog.flow.given import convert_given, given_of
from searchlog.flow.page import Page, text_page
from searchlog.flow.read import PageRead, Reader
from searchlog.flow.resources import Resources
from searchlog.flow.settings import Settings
from searchlog.flow.texts import Asked
from searchlog.ledger import Draft, Ledger, TurnWriter

__all__ = ["Desk", "Listener", "Progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that has just happened, for a person who waits."""

    stage: str
    """`notice` (who will see the query, before anybody is asked), `ask`, `read`, `choose`, `index`; of a verification
    `store`, `derivation`, `check` (a live page), `archive` (what web archives say)."""
    text: str
    """Which provider or page, and how it ended."""
    done: int = 0
    total: int = 0


Listener = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Desk:
    """One session's log with the resources of its archive."""

    ledger: Ledger
    resources: Resources

    def draft(self, stored: recording.Stored, *causes: Draft | int) -> Draft:
        """Return a draft of a record whose blobs are durable."""
        if stored.blobs:
            self.ledger.blobs.put(stored.blobs)
        return Draft(stored.body, causes)

    def log_pages(
        self,
        turn: TurnWriter,
        batch: Sequence[PageRead],
        cause: Draft,
        settings: Settings,
        *,
        published: bool = False,
    ) -> list[list[Draft]]:
        """Append what pages gave, then let the HTTP cache point to it; return the drafts of each page."""
        made = [page_drafts(read, cause, published=published) for read in batch]
        turn.add([draft for drafts in made for draft in drafts])
        for read, drafts in zip(batch, made, strict=True):
            if read.task.stored is None and read.fetch is not None:
                self._remember(read.fetch, drafts[len(read.captures) - 1], settings)
        return made

    def _remember(self, fetch: Fetch, capture: Draft, settings: Settings) -> None:
        """Put a page into the HTTP cache, when its headers or the caller would have it taken from there again."""
        final, wanted = fetch.final, settings.cache_max_age_s
        if final is None or wanted == 0 or (wanted is None and fetch_lifetime_s(fetch) <= 0):
            return
        pointer = {
            "session": self.ledger.session,
            "seq": str(capture.seq),
            "captured_at": format_time(final.started_at),
        }
        self.resources.later(partial(self.resources.client(settings).remember, fetch, pointer))

    def reader(self, settings: Settings, *, for_search: bool = False) -> Reader:
        resources = self.resources
        client = resources.client(settings)
        return Reader(
            Published(client) if for_search else client,
            resources.pool,
            resources.storage.blobs,
            resources.clock,
            settings.convert,
            settings.threads,
            settings.cache_max_age_s,
            cut_passages=for_search,
        )

    def log_texts(self, turn: TurnWriter, asked: Asked, settings: Settings) -> list[Page]:
        """Append one request for texts, its run, and the conversion of each text; return the pages."""
        drafts: list[Draft] = []
        at = None
        if asked.exchange is not None:
            at = asked.exchange.started_at
            urls = [shown_url(url) for url in asked.urls]
            exchange = recording.provider_exchange_body(asked.run.provider, asked.exchange, urls)
            drafts.append(self.draft(exchange, turn.begin))
        drafts.append(self.draft(recording.run_body(asked.run, at), *(drafts or [turn.begin])))
        answered = drafts[-1]
        pool, when = self.resources.pool, format_time(at) if at is not None else ""
        made: dict[str, records.Conversion] = {}
        for result in asked.run.results:
            given = given_of(asked.run.provider, when, result)
            if given is not None and result.url not in made:
                _, stored = convert_given(given, pool, settings.convert, settings.deadline_s)
                drafts.append(self.draft(stored, answered))
                assert isinstance(stored.body, records.Conversion)
                made[result.url] = stored.body
        turn.add(drafts)
        return [text_page(url, asked.run, made.get(url), when) for url in asked.urls]
