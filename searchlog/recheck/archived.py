"""What web archives have of pages that are gone or changed: asked in threads beside the live checks, one page a thread.

Each archive is asked in turn until one gives a copy with text. All that was asked and answered is handed back, to be
recorded by whoever writes the log. Effects: the network, through the capture client.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, header
from searchlog.clock import Clock
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.converter import Converter
from searchlog.mementos.ask import Asked, ask, fetch_memento
from searchlog.mementos.memento import Memento
from searchlog.mementos.served import Answer, judge
from searchlog.mementos.source import WebArchive

if TYPE_CHECKING:
    from searchlog.capture.client import Client

__all__ = ["Archives", "Copy", "Looked"]

_THREADS = 4
_COPIES_MAX = 3
"""Copies of one page that are fetched of one archive until one has text."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Copy:
    """One memento as it was fetched."""

    memento: Memento
    """As it was served: its moment may be another one than was promised."""
    fetch: Fetch
    conversion: Conversion | ConversionFailure | None
    """None of what is no memento of the page."""
    detail: str = ""
    """What there is to know of how it was served."""


@dataclass(slots=True)
class Looked:
    """What one archive had of one page."""

    archive: WebArchive
    asked: Asked
    copies: list[Copy] = field(default_factory=list)
    """In the order in which they were fetched; the last one may have text."""

    @property
    def found(self) -> Copy | None:
        """The copy that has text."""
        return next((copy for copy in self.copies if isinstance(copy.conversion, Conversion)), None)


class Archives(Generic[_T]):
    """Web archives to be asked, and what was asked of them so far. Close it, or use it in a `with` block."""

    def __init__(
        self,
        archives: Sequence[WebArchive],
        *,
        client: Client,
        converter: Converter,
        options: ConvertOptions,
        clock: Clock,
        total_s: float,
    ) -> None:
        """total_s: seconds that one archive has for one page."""
        self._archives, self._client, self._converter, self._options = tuple(archives), client, converter, options
        self._clock, self._total_s = clock, total_s
        self._threads = ThreadPoolExecutor(_THREADS, "memento")
        self._under_way: dict[Future[list[Looked]], _T] = {}

    def __enter__(self) -> Archives[_T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def ask(self, key: _T, url: str, near: datetime) -> None:
        """Begin to ask for a page as it was near a moment."""
        self._under_way[self._threads.submit(self._look, url, near)] = key

    def ready(self) -> Iterator[tuple[_T, list[Looked]]]:
        """Yield what has come in, without waiting."""
        for future in [future for future in self._under_way if future.done()]:
            yield self._under_way.pop(future), future.result()

    def rest(self) -> Iterator[tuple[_T, list[Looked]]]:
        """Yield all that was asked for, in the order it was asked, waiting for each."""
        while self._under_way:
            future = next(iter(self._under_way))
            looked = future.result()
            yield self._under_way.pop(future), looked

    def _look(self, url: str, near: datetime) -> list[Looked]:
        found: list[Looked] = []
        for archive in self._archives:
            deadline = Deadline(self._total_s, self._clock)
            looked = Looked(archive, ask(archive, url, near, self._client, deadline))
            found.append(looked)
            for memento in looked.asked.mementos[:_COPIES_MAX]:
                fetch = fetch_memento(memento, self._client, deadline)
                served = judge(memento, fetch)
                good = served.outcome is Answer.FOUND and (served.status is None or served.status < 300)
                made = self._converted(fetch, deadline) if good else None
                looked.copies.append(Copy(served.memento or memento, fetch, made, served.detail))
                if looked.found is not None:
                    return found
        return found

    def _converted(self, fetch: Fetch, deadline: Deadline) -> Conversion | ConversionFailure | None:
        final = fetch.final
        if final is None:
            return None
        content_type = header(final.headers, "content-type")
        return self._converter.convert(
            final.decoded.data, content_type, final.url, self._options, max(deadline.remaining(), 1.0)
        )
