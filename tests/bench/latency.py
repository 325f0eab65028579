"""From query to evidence for ten pages: ours beside a bare pool.

    python -m tests.bench.latency [--pages FOLDER] [--repeats N]

Plans: zero (nothing waits), realistic (each page and the provider answer after a fixed time, see server.py),
faulty (seven good pages, one that never answers, one that drips, one that resets; the bare pool is given up after
peers.PATIENCE_S). Ours also asks for robots.txt,
which takes its own time in the last two. Everything is warm but the first search, which is shown apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from typing import Any

from tests.bench import measure, peers
from tests.bench.server import PLANS, REALISTIC_S, ROBOTS_S, SEARCH_S, Served, serving


def ours(served: Served, plan: str, repeats: int) -> dict[str, Any]:
    """Search in a fresh archive, a new session each time; nothing comes from a cache."""
    import searchlog
    from searchlog.search.providers.searxng import Searxng

    provider, times, counts = Searxng(served.search_base(plan)), [], []
    with tempfile.TemporaryDirectory() as folder, searchlog.open(f"{folder}/archive") as archive:
        for _ in range(repeats + 1):
            start = time.perf_counter()
            done = archive.session().search(
                "page", providers=[provider], pages=10, allow_private=served.allowed, cache_max_age_s=0
            )
            times.append((time.perf_counter() - start) * 1000)
            read = next(step for step in done.steps if step.name == "read")
            counts.append(read.kept_count)
    return {"first_ms": times[0], "ms": statistics.median(times[1:]), "pages": min(counts)}


def bare(served: Served, plan: str, repeats: int) -> dict[str, Any]:
    """The same search with a bare pool."""
    pool, times, counts = peers.BarePool(), [], []
    try:
        for _ in range(repeats + 1):
            start = time.perf_counter()
            counts.append(pool.search(served.search_base(plan)))
            times.append((time.perf_counter() - start) * 1000)
    finally:
        pool.close()
    return {"first_ms": times[0], "ms": statistics.median(times[1:]), "pages": min(counts)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", help="folder of .html or .html.gz files; without it pages are made up")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--variant", choices=["ours", "bare"], help=argparse.SUPPRESS)
    parser.add_argument("--plan", help=argparse.SUPPRESS)
    parser.add_argument("--served", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.variant:
        told = json.loads(given.served)
        served = Served(told["port"], tuple(told["hosts"]))
        run = ours if given.variant == "ours" else bare
        print(json.dumps(run(served, given.plan, given.repeats)))
        return
    rows: list[list[object]] = []
    for plan in PLANS:
        repeats = 1 if plan == "faulty" else given.repeats
        with serving(given.pages, 10, 0.0 if plan == "zero" else ROBOTS_S) as served:
            told = json.dumps({"port": served.port, "hosts": served.hosts})
            for name, said in (("bare", "httpx threads + trafilatura pool"), ("ours", "searchlog search")):
                arguments = ("--variant", name, "--plan", plan, "--served", told, "--repeats", str(repeats))
                got = measure.isolated("tests.bench.latency", *arguments)
                if isinstance(got, str):
                    rows.append([f"{plan}: {said}", got])
                else:
                    rows.append([f"{plan}: {said}", got["ms"], got["first_ms"], got["pages"]])
    print(f"realistic: provider {SEARCH_S * 1000:.0f} ms, slowest page {max(REALISTIC_S) * 1000:.0f} ms")
    print(measure.table(["", "ms (median)", "first ms", "pages with text"], rows))


if __name__ == "__main__":
    main()
