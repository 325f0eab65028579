"""What keeping costs: milliseconds a page for capture, digests and the log, apart from making text.

    python -m tests.bench.overhead [--pages FOLDER] [--count N]

A: fetch with the capture client and throw away.  B: A, then digests, blobs and records made durable, with the
converter replaced by one that does nothing.  C: B, and the HTTP cache is filled for later searches.
Beside them: a bare httpx GET, and the SHA-256 of the same bytes.
One thread, one page after another; wall and CPU time of this process.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from typing import Any

from tests.bench import measure
from tests.bench.server import Served, serving


class _NoText:
    """A converter that makes nothing, at no cost."""

    def warm(self) -> None:
        pass

    def close(self) -> None:
        pass

    def convert(self, *_: object, **__: object) -> Any:
        from searchlog.extract.conversion import ConversionFailure

        return ConversionFailure("no-text", "not asked for")


def bare(urls: list[str]) -> list[bytes]:
    """GET each page with one httpx client."""
    import httpx

    with httpx.Client(trust_env=False) as client:
        return [client.get(url).content for url in urls]


def capture(served: Served, urls: list[str]) -> None:
    """Fetch each page with the capture client and keep nothing."""
    from searchlog.capture.client import Client
    from searchlog.capture.deadline import Deadline
    from searchlog.capture.guard import Allow
    from searchlog.clock import SystemClock

    clock = SystemClock()
    with Client(clock=clock, allow=Allow.parse(served.allowed)) as client:
        for url in urls:
            client.fetch(url, Deadline(20.0, clock))


def keep(served: Served, urls: list[str], where: str, *, cache: bool = True) -> None:
    """Fetch each page into an archive, without text; `cache`: also fill the HTTP cache beside it."""
    import searchlog

    with searchlog.open(where) as archive:
        archive.resources._pool = _NoText()  # type: ignore[assignment]
        if not cache:
            archive.resources.cache = lambda: None  # type: ignore[method-assign]
        archive.session().fetch_many(urls, allow_private=served.allowed, cache_max_age_s=0, threads=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", help="folder of .html or .html.gz files; without it pages are made up")
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    with serving(given.pages, given.count) as served, tempfile.TemporaryDirectory() as folder:
        urls = served.urls(given.count)
        bodies = bare(urls)
        capture(served, urls[:5])
        keep(served, urls[:5], f"{folder}/warm")
        cases = {
            "SHA-256 of the bytes": lambda: [hashlib.sha256(body).digest() for body in bodies],
            "bare httpx GET, kept connections": lambda: bare(urls),
            "A capture": lambda: capture(served, urls),
            "B capture, digests, blobs, log on disk": lambda: keep(served, urls, f"{folder}/b", cache=False),
            "C with the HTTP cache filled too": lambda: keep(served, urls, f"{folder}/c"),
            "B in memory": lambda: keep(served, urls, "memory:"),
        }
        rows = [[name, *(value / given.count for value in measure.timed(work))] for name, work in cases.items()]
    mean = sum(map(len, bodies)) / given.count
    print(f"{given.count} pages from {given.pages or 'made-up HTML'}, {mean:.0f} bytes each")
    print(measure.table(["", "wall ms/page", "CPU ms/page"], rows))


if __name__ == "__main__":
    main()
