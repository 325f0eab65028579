"""What starting costs, in CPU milliseconds: of the command, of the import, of a first search against the demo.

    python -m tests.bench.startup [--repeats N]

Each figure is the median over fresh processes, children included. `python -c pass` is the floor beneath them.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from tests.bench import measure

CASES: dict[str, list[str]] = {
    "python -c pass": ["-c", "pass"],
    "searchlog --help": ["-c", "import sys; sys.argv[1:] = ['--help']; from searchlog.cli import main; main()"],
    "import searchlog": ["-c", "import searchlog"],
    "import searchlog; searchlog.open": ["-c", "import searchlog; searchlog.open"],
    "import httpx, trafilatura (what peers load)": ["-c", "import httpx, trafilatura"],
    "one httpx.Client()": ["-c", "import httpx; httpx.Client()"],
}


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def started(arguments: list[str]) -> float | str:
    """Return the CPU milliseconds of one fresh interpreter, or why it failed."""
    before = children_cpu_s()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return said[-1] if said else f"exit status {done.returncode}"
    return (children_cpu_s() - before) * 1000


def first_search(base: str, allowed: str) -> dict[str, float]:
    """Search once in this fresh process; CPU of this process and of its workers, from interpreter start to the end."""
    import searchlog
    from searchlog.search.providers.searxng import Searxng

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        with searchlog.open(f"{folder}/archive") as archive:
            archive.session().search(
                "first Fresnel lens lighthouse", providers=[Searxng(base)], allow_private=(allowed,), cache_max_age_s=0
            )
            main_s = time.process_time()
        wall = time.perf_counter() - start
    return {"main": main_s * 1000, "all": measure.cpu_s() * 1000, "wall": wall * 1000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--search", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.search:
        print(json.dumps(first_search(*given.search)))
        return
    rows: list[list[object]] = []
    for name, arguments in CASES.items():
        times = [started(arguments) for _ in range(given.repeats)]
        numbers = [value for value in times if isinstance(value, float)]
        rows.append([name, statistics.median(numbers)] if len(numbers) == len(times) else [name, str(times[-1])])
    from searchlog.demo.server import DemoSite

    with DemoSite() as site:
        runs = [
            measure.isolated("tests.bench.startup", "--search", site.url, f"127.0.0.1:{site.port}")
            for _ in range(given.repeats)
        ]
    found = [run for run in runs if isinstance(run, dict)]
    if len(found) == len(runs):
        for key, said in (("main", "first search, main process"), ("all", "first search, workers too")):
            rows.append([said, statistics.median(run[key] for run in found)])
        rows.append(["first search, wall", statistics.median(run["wall"] for run in found)])
    else:
        rows.append(["first search", str(runs[-1])])
    print(measure.table(["", "ms"], rows))


if __name__ == "__main__":
    main()
