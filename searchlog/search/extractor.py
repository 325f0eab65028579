"""What a service is that gives the texts of pages one names, such as Tavily's extract; and how an answer is read. Pure.

Its text is the provider's own rendering of a page, made on its machine from bytes that we never see: it is labelled
`provider-text` wherever it goes, and never passes for a capture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from searchlog.capture.exchange import Exchange, Request
from searchlog.search.answers.reading import TITLE_MAX, Reader
from searchlog.search.provider import Facts, Response, response_of, transport_run
from searchlog.search.run import Run, RunOutcome

__all__ = ["Extractor", "ended", "run_of_texts"]


@runtime_checkable
class Extractor(Protocol):
    """A service asked over HTTP for the texts of some pages, by one request."""

    @property
    def facts(self) -> Facts:
        """`count_max` is how many pages one request may name."""

    def request(self, urls: Sequence[str]) -> Request:
        """Return the request for the texts of these pages."""

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        """Return a run with a result for each page that there is a text of, and a drop for each other one.

        A result's `text` is never empty, its `url` the one asked for where the answer lets that be told. Never raises.
        """


def run_of_texts(extractor: Extractor, urls: Sequence[str], exchange: Exchange) -> Run:
    """Return the run of one exchange with a service for texts: a typed outcome whatever happened."""
    failed = transport_run(extractor.facts, exchange)
    return extractor.parse(response_of(exchange), urls) if failed is None else failed


def ended(reader: Reader, urls: Sequence[str]) -> Run:
    """Return the run of an answer that was read: `ok` with a text of every page, `degraded` when some have none.

    An address that the answer says nothing of is dropped as `not-in-answer`.
    """
    told = {result.url for result in reader.results} | {what for what, _ in reader.dropped}
    for url in urls:
        if url not in told and url[:TITLE_MAX] not in told:  # what is dropped is cut to that
            reader.drop(url, "not-in-answer")
    if not reader.dropped:
        return reader.run()
    failed = "; ".join(f"{what}: {reason}" for what, reason in reader.dropped)[:300]
    return reader.run(RunOutcome.DEGRADED, f"no text of {len(reader.dropped)} of {len(urls)} pages ({failed})")
