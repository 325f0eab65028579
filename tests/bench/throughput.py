"""Pages a second with everything kept: ours beside bare loops that keep nothing.

    python -m tests.bench.throughput [--pages FOLDER] [--count N] [--only NAME ...]

Ours: the whole exchange, the whole visible text, digests and the log, durable on disk. Each variant runs in a
process of its own against the same server, which is a third process and is not counted.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from typing import Any

from tests.bench import measure, peers
from tests.bench.server import Served, serving


def ours(served: Served, urls: list[str]) -> dict[str, Any]:
    """Fetch all pages into a fresh archive on disk; the archive is measured and thrown away."""
    import searchlog

    with tempfile.TemporaryDirectory() as folder, searchlog.open(f"{folder}/archive") as archive:
        pages = archive.session().fetch_many(urls, allow_private=served.allowed, cache_max_age_s=0)
        reasons = sorted({page.reason for page in pages if page.reason})
        good = sum(page.reason is None for page in pages)
        return {"good": good, "workers_mb": measure.worker_peaks_mb(), "reasons": reasons}


def run_variant(name: str, port: int, hosts: tuple[str, ...], count: int) -> dict[str, Any]:
    """Run one variant in this process and return what it cost."""
    served = Served(port, hosts)
    urls = served.urls(count)
    start, cpu = time.perf_counter(), measure.cpu_s()
    try:
        out = ours(served, urls) if name == "ours" else peers.VARIANTS[name](urls)
    except peers.Skipped as why:
        return {"skipped": str(why)}
    return out | {
        "wall_s": time.perf_counter() - start,
        "cpu_s": measure.cpu_s() - cpu,
        "main_mb": measure.peak_mb(),
    }


def row(name: str, count: int, got: dict[str, Any] | str) -> list[object]:
    """Return one line of the table."""
    if isinstance(got, str):
        return [peers.SAID[name], got]
    workers = " + ".join(f"{peak:.0f}" for peak in got.get("workers_mb", [])) or None
    good = f"{got['good']}" + (f" ({', '.join(got['reasons'])})" if got.get("reasons") else "")
    pages_s, cpu_ms = count / got["wall_s"], got["cpu_s"] * 1000 / count
    return [peers.SAID[name], pages_s, cpu_ms, got["main_mb"], workers, good]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", help="folder of .html or .html.gz files; without it pages are made up")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=["ours", *peers.VARIANTS])
    parser.add_argument("--variant", help=argparse.SUPPRESS)
    parser.add_argument("--served", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.variant:
        told = json.loads(given.served)
        print(json.dumps(run_variant(given.variant, told["port"], tuple(told["hosts"]), given.count)))
        return
    rows = []
    with serving(given.pages, given.count) as served:
        told = json.dumps({"port": served.port, "hosts": served.hosts})
        for name in given.only or [*peers.VARIANTS, "ours"]:
            arguments = ("--variant", name, "--served", told, "--count", str(given.count))
            rows.append(row(name, given.count, measure.isolated("tests.bench.throughput", *arguments)))
    print(f"{given.count} pages from {given.pages or 'made-up HTML'}")
    print(measure.table(["", "pages/s", "CPU ms/page", "main MB", "workers MB", "with text"], rows))


if __name__ == "__main__":
    main()
