"""Reading pages: fetched side by side, converted in worker processes, each one alone in its failure.

Knows threads and deadlines, not the log: what a page gave is put into the blob store by the thread that fetched it
(so that fsyncs run side by side) and handed back as record bodies, in the order in which pages come in.

The soft deadline: once it has passed and enough pages are in, the pages still under way are cut. A cut page is
handed back all the same, with the bytes that had arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Outcome, header
from searchlog.clock import Clock
from searchlog.digest import digest
from searchlog.errors import StoreError
from searchlog.evidence.passage import Passage
from searchlog.evidence.passages import passages
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.converter import Converter
from searchlog.flow.given import Given
from searchlog.keyring import hide, known
from searchlog.log.blobs.base import BlobStore
from searchlog.recording import Stored, capture_bodies, conversion_body, suspicion_body
from searchlog.suspect.judge import Arrived, Suspicion, suspect

__all__ = ["CUT", "FAULT", "Fetcher", "PageRead", "Reader", "Task", "suspicion_of", "unread_reason"]

CUT = "cut-deadline"
"""Reason code of a page that was given up before it was done."""

FAULT = "internal-error"
"""Reason code of a page that met a bug of ours."""

_LOOK_S = 60.0
_SLOW_S = 0.5
"""A fetch that takes longer no longer counts among the `threads`: pages that hang would else keep others waiting."""
_SLOW_FACTOR, _THREADS_MAX = 8, 128
"""So many times the `threads`, and so many in all, may be under way for this reason."""
_GRACE_S = 0.25
"""How long a cut page has to hand back what it has."""


class Fetcher(Protocol):
    """Whatever fetches one URL: the capture client, or a recording of one."""

    def fetch(self, url: str, deadline: Deadline, *, max_age_s: int | None = None) -> Fetch:
        """Return the fetch; never raises for the world going wrong. max_age_s: see `Settings.cache_max_age_s`."""


@dataclass(frozen=True, slots=True)
class Task:
    """One page to read."""

    url: str
    stored: Fetch | None = None
    """The page as captured earlier, when it is not to be fetched again."""
    reused: dict[str, Any] | None = None
    """Where `stored` comes from, for the record."""
    purpose: str = "page"


@dataclass(slots=True)
class PageRead:
    """What became of one task. Filled by one thread, read by another after `cut` or completion."""

    task: Task
    fetch: Fetch | None = None
    captures: list[Stored] = field(default_factory=list)
    conversion: Conversion | ConversionFailure | None = None
    converted: Stored | None = None
    fault: str | None = None
    """The page met a bug of ours before anything of it was stored; what the bug said."""
    passages: tuple[Passage, ...] | None = None
    """Cut while other pages are waited for, where the reader was told to."""
    cut: bool = False
    """Given up at the soft or hard deadline before it was done."""
    suspicion: Suspicion | None = None
    """What the page is suspected to be instead of the page asked for."""
    given: Given | None = None
    """The provider's text that stands in for the page; the conversion is then of that."""
    instead_of: str | None = None
    """Why the page itself gave no text, when it was tried first."""
    begun: float = 0.0
    """Monotonic time at which its thread was asked for."""

    @property
    def exchange(self) -> Exchange | None:
        return self.fetch.final if self.fetch else None


def unread_reason(page: PageRead) -> str | None:
    """Return why a page gave no text to choose from, as a reason code; None when it did."""
    if page.fault is not None:
        return FAULT
    if page.given is not None:
        made = page.conversion
        return f"no-text-{made.reason}" if isinstance(made, ConversionFailure) else None if made else CUT
    fetch = page.fetch
    if fetch is None or page.cut:
        return CUT
    if fetch.outcome is Outcome.FAILED:
        return f"failed-{fetch.reason}"
    if fetch.outcome is Outcome.REFUSED or fetch.final is None:
        return f"refused-{fetch.reason}"
    if page.suspicion is not None:
        return f"suspected-{page.suspicion.kind}"
    if not _is_good(fetch.final):
        return f"http-{fetch.final.status or 0}"
    if page.conversion is None:
        return CUT
    if isinstance(page.conversion, ConversionFailure):
        return _no_text(fetch, page.conversion.reason)
    return None


def _no_text(fetch: Fetch, why: str) -> str:
    """Return the reason of a page without text; one that came in part is never called empty."""
    if why != "no-text":
        return f"no-text-{why}"
    return f"truncated-{fetch.reason}" if fetch.outcome is _PART else why


def suspicion_of(fetch: Fetch, conversion: Conversion | ConversionFailure | None) -> Suspicion | None:
    """Return what a page as fetched is suspected to be instead of the page asked for.

    conversion: that of its payload; None where there is none since the status is that of an error.
    """
    final = fetch.final
    if final is None or fetch.outcome not in (_WHOLE, _PART):
        return None
    urls = (fetch.url, *(hop.url for hop in fetch.hops))
    return suspect(Arrived(urls, final.status or 0, final.headers, final.decoded.data), conversion)


def _is_good(final: Exchange) -> bool:
    return 200 <= (final.status or 0) < 300


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads pages with a fetcher and a converter."""

    fetcher: Fetcher
    converter: Converter
    blobs: BlobStore
    clock: Clock
    options: ConvertOptions
    threads: int = 16
    max_age_s: int | None = None
    cut_passages: bool = False

    def read(
        self, tasks: Iterable[Task], deadline: Deadline, *, soft_s: float | None = None, enough: int = 1
    ) -> Iterator[list[PageRead]]:
        """Yield pages as they come in, those that are done at the same moment together; each task exactly once.

        soft_s: seconds after which the rest is cut, once `enough` pages gave text. Tasks are taken from the iterable
        only as threads come free, so it may be long. A page whose bytes are long in coming frees its place for another.
        """
        soft = self.clock.monotonic() + soft_s if soft_s is not None else None
        mine = deadline.child(deadline.remaining())
        queue, under_way, good = iter(tasks), dict[Future[None], PageRead](), 0
        threads = ThreadPoolExecutor(self._threads_max, "page")
        try:
            while True:
                for task in islice(queue, self._room(under_way.values())):
                    page = PageRead(task, begun=self.clock.monotonic())
                    under_way[threads.submit(self._one, page, mine)] = page
                if not under_way:
                    return
                cut_at = soft if good >= enough else None
                look_s = _SLOW_S if len(under_way) >= self.threads else _LOOK_S
                done = wait(under_way, min(look_s, self._wait_s(mine, cut_at)), FIRST_COMPLETED).done
                pages = [self._finished(future, under_way.pop(future), mine) for future in done]
                good += sum(unread_reason(page) is None for page in pages)
                if pages:
                    yield pages
                if under_way and self._wait_s(mine, soft if good >= enough else None) <= 0:
                    mine.cut()
                    yield self._give_up(under_way)
                    under_way.clear()
        finally:
            mine.cut()
            threads.shutdown(wait=False, cancel_futures=True)

    @property
    def _threads_max(self) -> int:
        return max(self.threads, min(self.threads * _SLOW_FACTOR, _THREADS_MAX))

    def _room(self, under_way: Collection[PageRead]) -> int:
        """Return how many more pages may begin now."""
        late = self.clock.monotonic() - _SLOW_S
        hanging = sum(page.fetch is None and page.begun < late for page in under_way)
        return max(0, min(self.threads + hanging, self._threads_max) - len(under_way))

    def _wait_s(self, deadline: Deadline, soft: float | None) -> float:
        left = min(deadline.remaining(), _LOOK_S)  # an endless wait is more than the system's timers can hold
        return left if soft is None else min(left, max(0.0, soft - self.clock.monotonic()))

    @staticmethod
    def _finished(future: Future[None], page: PageRead, deadline: Deadline) -> PageRead:
        future.result()  # raises what must not be lost: a full disk
        page.cut = deadline.expired and _was_stopped(page)
        return page

    def _give_up(self, under_way: dict[Future[None], PageRead]) -> list[PageRead]:
        """Wait a moment for what was cut to come back, then take each page as far as it got."""
        wait(under_way, _GRACE_S)
        out = []
        for future, page in under_way.items():
            if not future.cancel() and future.done():
                future.result()
            out.append(_as_far_as_it_got(page))
        return out

    def _one(self, page: PageRead, deadline: Deadline) -> None:
        """Read one page. What is wrong with this machine ends the search; whatever else goes wrong costs this page."""
        try:
            self._work(page, deadline)
        except StoreError:
            raise
        except Exception as error:  # a page that finds a bug of ours must not take the others along: its reason tells
            said = hide(f"{type(error).__name__}: {error}")
            final = page.fetch.final if page.fetch else None
            if final is None:
                page.fault, page.captures = said, []
            else:
                failure = ConversionFailure(FAULT, said)
                page.converted = self._kept(conversion_body(final.url, digest(final.payload), failure))
                page.conversion = failure

    def _work(self, page: PageRead, deadline: Deadline) -> None:
        task = page.task
        fetch = task.stored or self.fetcher.fetch(task.url, deadline, max_age_s=self.max_age_s)
        captures = capture_bodies(fetch, task.purpose, task.reused)
        kept = [self._kept(stored) for stored in captures]
        final = fetch.final
        read = final is not None and _is_good(final) and fetch.outcome in (_WHOLE, _PART)
        if not read and (suspicion := suspicion_of(fetch, None)) is not None:
            kept[-1] = Stored(kept[-1].body.model_copy(update={"suspected": suspicion_body(suspicion)}))
            page.suspicion = suspicion
        page.captures = kept
        page.fetch = fetch
        if final is None or not read:
            return
        conversion = self.converter.convert(
            final.decoded.data, header(final.headers, "content-type"), final.url, self.options, deadline.remaining()
        )
        suspicion = suspicion_of(fetch, conversion)
        if isinstance(conversion, Conversion) and known().found_in(conversion.text.encode("utf-8", "surrogatepass")):
            # in a form that was not found in the bytes, such as the streams of a PDF
            conversion = ConversionFailure("secret", "the text holds a key of this machine, so it is not kept")
        if self.cut_passages and isinstance(conversion, Conversion) and suspicion is None:
            page.passages = tuple(passages(0, conversion))
        page.converted = self._kept(conversion_body(final.url, digest(final.payload), conversion, suspicion))
        page.suspicion = suspicion
        page.conversion = conversion

    def _kept(self, stored: Stored) -> Stored:
        """Make the blobs durable; say of a capture whether its payload was there before."""
        if not stored.blobs:
            return stored
        body = stored.body
        if stored.blobs and getattr(body, "payload", None) is not None and hasattr(body, "revisit"):
            known = self.blobs.has(digest(stored.blobs[0]))
            body = body.model_copy(update={"revisit": known})
        self.blobs.put(stored.blobs)
        return Stored(body)


def _as_far_as_it_got(page: PageRead) -> PageRead:
    """Return what is there at this moment: a thread that is still at work may go on filling the page.

    Each value is set after its records, so records without their value are not looked at: a page is told as cut in
    all its records, or in none.
    """
    conversion = page.conversion
    converted = page.converted if conversion is not None else None
    fetch = page.fetch
    out = PageRead(page.task, fetch, list(page.captures) if fetch is not None else [], conversion, converted)
    out.fault = page.fault
    out.passages = page.passages if conversion is not None else None
    if fetch is not None and (conversion is not None or (fetch.final is not None and not _is_good(fetch.final))):
        out.suspicion = page.suspicion
    out.cut = _was_stopped(out)
    return out


def _was_stopped(page: PageRead) -> bool:
    """Return whether a page has no text for want of time, given that its deadline has passed."""
    if page.fetch is None or isinstance(page.conversion, Conversion):
        return page.fetch is None
    if page.fetch.reason in _WANT_OF_TIME:
        return True
    if isinstance(page.conversion, ConversionFailure):
        return page.conversion.reason == "timeout"
    final = page.exchange
    return final is not None and 200 <= (final.status or 0) < 300 and page.fetch.outcome in (_WHOLE, _PART)


_WHOLE, _PART = Outcome.COMPLETE, Outcome.TRUNCATED
_WANT_OF_TIME = ("timeout", "time", "rate-limited", "robots-unreachable")
