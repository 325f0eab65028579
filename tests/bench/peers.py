"""What others do with the same pages: bare loops over httpx and trafilatura, and capture with warcio.

Each variant is a function of URLs that returns how many pages gave text; it is run in a process of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as OutOfTime
from typing import Any

from tests.bench import measure

WORKERS = 2
THREADS = 16
TIMEOUT_S = 10.0
"""httpx's own kind of time limit: on each read, not on the page."""
PATIENCE_S = 30.0


class Skipped(Exception):
    """A peer that is not installed."""


def _client() -> Any:
    import httpx

    limits = httpx.Limits(max_connections=THREADS * 2)
    return httpx.Client(timeout=TIMEOUT_S, limits=limits, trust_env=False, follow_redirects=True)


def _text(page: str) -> bool:
    import trafilatura

    return bool(trafilatura.extract(page))


def loop(urls: list[str]) -> dict[str, Any]:
    """One page after another."""
    with _client() as client:
        return {"good": sum(_text(client.get(url).text) for url in urls)}


_own_client: Any = None


def _start_worker() -> None:
    global _own_client  # noqa: PLW0603
    _own_client = _client()


def _fetch_and_read(url: str) -> bool:
    return _text(_own_client.get(url).text)


def pool(urls: list[str]) -> dict[str, Any]:
    """Two processes, each of which fetches and reads."""
    with ProcessPoolExecutor(WORKERS, initializer=_start_worker) as processes:
        good = sum(processes.map(_fetch_and_read, urls, chunksize=4))
        return {"good": good, "workers_mb": measure.worker_peaks_mb()}


_warc: Any = None


def _start_warc(folder: str) -> None:
    # warcio must be imported before whatever uses http.client
    from warcio.capture_http import capture_http

    global _warc  # noqa: PLW0603
    _warc = (capture_http, os.path.join(folder, f"{os.getpid()}.warc.gz"))


def _capture_and_read(url: str) -> bool:
    from urllib.request import urlopen

    capture, path = _warc
    with capture(path, append=True), urlopen(url, timeout=TIMEOUT_S) as answer:
        body = answer.read()
    return _text(body.decode("utf-8", "replace"))


def warcio(urls: list[str]) -> dict[str, Any]:
    """Two processes, each of which captures to a WARC file with warcio and reads."""
    try:
        import warcio.capture_http  # noqa: F401
    except ImportError:
        raise Skipped("skipped: warcio is not installed") from None
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(WORKERS, initializer=_start_warc, initargs=(folder,)) as processes,
    ):
        good = sum(processes.map(_capture_and_read, urls, chunksize=4))
        return {"good": good, "workers_mb": measure.worker_peaks_mb()}


class BarePool:
    """The usual shape of a search tool: threads fetch, two processes read, all results are waited for."""

    def __init__(self) -> None:
        self.client = _client()
        self.threads = ThreadPoolExecutor(THREADS)
        self.processes = ProcessPoolExecutor(WORKERS)

    def search(self, base: str) -> int:
        """Return how many pages gave text. Waits for all of them, at most PATIENCE_S."""
        rows = self.client.get(f"{base}/search", params={"q": "page", "format": "json"}).json()["results"]
        fetches = [self.threads.submit(self.client.get, row["url"]) for row in rows]
        reads: list[Future[bool]] = []
        try:
            for future in as_completed(fetches, timeout=PATIENCE_S):
                if future.exception() is None:
                    reads.append(self.processes.submit(_text, future.result().text))
        except OutOfTime:  # a page that drips never times out by itself
            pass
        return sum(read.result() for read in reads)

    def close(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)
        self.processes.shutdown(cancel_futures=True)
        self.client.close()


VARIANTS: dict[str, Callable[[list[str]], dict[str, Any]]] = {"loop": loop, "pool": pool, "warcio": warcio}
SAID = {
    "loop": "httpx + trafilatura, a loop",
    "pool": "httpx + trafilatura, 2 processes",
    "warcio": "warcio + trafilatura, 2 processes",
    "ours": "searchlog fetch_many",
}
