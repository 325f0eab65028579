"""What searches share and is made on first use: the client, the worker pool, the HTTP cache, the text index.

Effects only; nothing here decides anything. One object an archive.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from searchlog.clock import Clock, Ids, SystemClock, SystemIds
from searchlog.storage import Storage

if TYPE_CHECKING:
    from searchlog.capture.cache import HttpCache
    from searchlog.capture.client import Client
    from searchlog.extract.pool import ExtractPool
    from searchlog.flow.settings import Settings
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
        self._lock = threading.RLock()
        self._pool: ExtractPool | None = None
        self._cache: HttpCache | None = None
        self._index: TextIndex | None = None
        self._clients: dict[object, Client] = {}
        self._background: ThreadPoolExecutor | None = None

    @property
    def pool(self) -> ExtractPool:
        """The worker processes that make text of pages."""
        from searchlog.extract.pool import ExtractPool

        with self._lock:
            if self._pool is None:
                self._pool = ExtractPool(workers=max(1, os.cpu_count() or 1))
            return self._pool

    @property
    def index(self) -> TextIndex:
        """The full-text index of captures."""
        from searchlog.search.textindex import TextIndex

        with self._lock:
            if self._index is None:
                self._index = TextIndex(self.storage.index_path)
            return self._index

    def cache(self) -> HttpCache | None:
        """The HTTP cache; none in memory."""
        from searchlog.capture.cache import HttpCache

        with self._lock:
            if self._cache is None and self.storage.cache_path is not None:
                self._cache = HttpCache(self.storage.cache_path, self.clock)
            return self._cache

    def client(self, settings: Settings) -> Client:
        """Return the client for these settings; equal ones share it, its robots.txt answers and its manners."""
        from searchlog.capture.client import Client
        from searchlog.capture.guard import Allow

        key = (settings.allow_private, settings.robots, settings.limits)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = Client(
                    clock=self.clock,
                    limits=settings.limits,
                    allow=Allow.parse(settings.allow_private),
                    robots=settings.robots,
                    cache=self.cache(),
                )
            return self._clients[key]

    def later(self, work: Callable[[], object]) -> None:
        """Do this in the background: what only spares work later, such as filling the HTTP cache."""
        with self._lock:
            if self._background is None:
                self._background = ThreadPoolExecutor(1, "later")
            self._background.submit(work)

    def close(self) -> None:
        """End the workers and close files; what is stored stays."""
        with self._lock:
            if self._background is not None:
                self._background.shutdown()
                self._background = None
            for part in (*self._clients.values(), self._pool, self._cache, self._index, self.storage):
                if part is not None:
                    part.close()
            self._clients, self._pool, self._cache, self._index = {}, None, None, None
