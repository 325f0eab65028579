"""What searches share and is made on first use: the client, the worker pool, the HTTP cache, the text index.

Effects only; nothing here decides anything. One object an archive.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from searchlog import keyring
from searchlog.clock import Clock, Ids, SystemClock, SystemIds
from searchlog.errors import UsageError
from searchlog.storage import Storage

if TYPE_CHECKING:
    from searchlog.capture.cache import HttpCache
    from searchlog.capture.client import Client
    from searchlog.capture.politeness import Gate
    from searchlog.capture.robots import Book
    from searchlog.extract.pool import ExtractPool
    from searchlog.flow.settings import Settings
    from searchlog.flow.standing import Standings
    from searchlog.search.textindex import TextIndex

__all__ = ["Resources"]


@dataclass
class Resources:
    """Shared by all sessions of one open archive. Thread-safe."""

    storage: Storage
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """Where keys and addresses of providers come from."""

    def __post_init__(self) -> None:
        keyring.learn(self.env)
        self._lock = threading.RLock()
        self._pool: ExtractPool | None = None
        self._cache: HttpCache | None = None
        self._index: TextIndex | None = None
        self._standings: Standings | None = None
        self._clients: dict[object, Client] = {}
        self._background: ThreadPoolExecutor | None = None
        self._gate: Gate | None = None
        self._book: Book | None = None
        self._closed = False

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the lock of what is made on first use. Raises UsageError once closed: nothing is made anew then."""
        with self._lock:
            if self._closed:
                raise UsageError(f"the archive {self.storage.described} is closed: open it again")
            yield

    @property
    def pool(self) -> ExtractPool:
        """The worker processes that make text of pages."""
        from searchlog.extract.pool import ExtractPool

        with self._held():
            if self._pool is None:
                self._pool = ExtractPool(workers=_workers())
            return self._pool

    @property
    def index(self) -> TextIndex:
        """The full-text index of captures."""
        from searchlog.search.textindex import TextIndex

        with self._held():
            if self._index is None:
                self._index = TextIndex(self.storage.index_path)
            return self._index

    def cache(self) -> HttpCache | None:
        """The HTTP cache; none in memory."""
        from searchlog.capture.cache import HttpCache

        with self._held():
            if self._cache is None and self.storage.cache_path is not None:
                self._cache = HttpCache(self.storage.cache_path, self.clock)
            return self._cache

    @property
    def standings(self) -> Standings:
        """Who of the providers is left alone until when, and what was spent today."""
        from searchlog.flow.standing import Standings

        with self._held():
            if self._standings is None:
                self._standings = Standings(self.storage.standing_path, self.clock, self.env)
            return self._standings

    def client(self, settings: Settings) -> Client:
        """Return the client for these settings. All share one count of requests a host, and the robots.txt answers."""
        from searchlog.capture.client import Client
        from searchlog.capture.guard import Allow
        from searchlog.capture.politeness import Gate
        from searchlog.capture.robots import Book

        key = (settings.allow_private, settings.robots, settings.limits)
        with self._held():
            self._gate = self._gate or Gate(self.clock)
            self._book = self._book or Book(self.clock)
            if key not in self._clients:
                self._clients[key] = Client(
                    clock=self.clock,
                    limits=settings.limits,
                    allow=Allow.parse(settings.allow_private),
                    robots=settings.robots,
                    cache=self.cache(),
                    gate=self._gate,
                    book=self._book,
                )
            return self._clients[key]

    def later(self, work: Callable[[], object]) -> None:
        """Do this in the background: what only spares work later, such as filling the HTTP cache."""
        with self._held():
            if self._background is None:
                self._background = ThreadPoolExecutor(1, "later")
            self._background.submit(work)

    def close(self) -> None:
        """End the workers and close files; what is stored stays. Any number of times."""
        with self._lock, ExitStack() as parts:  # closes them all, whatever one of them says
            self._closed = True
            parts.callback(self.storage.close)
            for part in (self._index, self._cache, self._standings, self._pool, *self._clients.values()):
                if part is not None:
                    parts.callback(part.close)
            if self._background is not None:
                parts.callback(self._background.shutdown)
            self._clients, self._pool, self._cache, self._index, self._background = {}, None, None, None, None
            self._standings = None


def _workers() -> int:
    """Return how many pages are converted at once: the processors that this process may use, four at the most."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(4, usable))
