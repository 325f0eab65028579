"""Every table of how good text and evidence are, ours beside others, in one run.

    python -m tests.bench.quality DATA [--bench BENCH]                # main text by page type, evidence by set
    python -m tests.bench.quality DATA --links 220 --verbatim 2000    # passages and their links as well
    python -m tests.bench.quality tests/data/quality --shipped        # the sample that comes with the tests

DATA holds a folder a set, whose name begins with the name of its kind: `extraction` (form: `reading.py`), `headq`,
`docs`, `xquad`, `dureader`, `news` (form: `evidence.py`). BENCH is a folder with a `strategies.py` whose `bm25` and
`lex_plus` run beside. What is missing, a set or a library, is said and left out. The trees that come with the package
were made of pages that may be in DATA: the main text is judged by trees made of other pages, unless `--shipped`.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from tests import chromium
from tests.bench import evidence, fragments, reading, verbatim

READING = "extraction"
ASKED = {
    "headq": (True, (1000, 4000)),
    "docs": (False, (1000,)),
    "xquad": (False, (250,)),
    "dureader": (False, (250,)),
    "news": (False, (1000, 4000)),
}
"""Whether the question's own words are taken off its pages, and the budgets."""
SHARING = "headq"
"""Its pages are those of the reading view: passages are not taken from them twice."""
BASELINES = ("bm25", "lex_plus")
_FOLDS = 5


def folders(data: Path, kind: str) -> list[Path]:
    """Return the sets of a kind, and say so where there is none."""
    name = "cases.jsonl" if kind == READING else "questions.jsonl"
    found = sorted(folder for folder in data.glob(f"{kind}*") if (folder / name).exists())
    if not found:
        left_out(f"{kind}: no set in {data}")
    return found


def left_out(what: str) -> None:
    print(f"\nleft out: {what}", flush=True)


def head(text: str) -> None:
    print(f"\n== {text}", flush=True)


def machine() -> str:
    parts = [time.strftime("%Y-%m-%d", time.gmtime()), f"{os.cpu_count()} cores ({platform.machine()})"]
    parts += [f"Python {platform.python_version()}", f"{platform.system()} {platform.release()}"]
    for name in ("selectolax", "trafilatura", "lightgbm"):
        try:
            parts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            parts.append(f"no {name}")
    return ", ".join(parts)


def print_reading(folder: Path, shipped: bool) -> None:
    folds = _FOLDS
    if shipped or find_spec("lightgbm") is None:
        folds = 0
        if not shipped:
            left_out("trees made of other pages: lightgbm is not installed")
    how = f"trees made of other pages, {folds} folds" if folds else "trees that come with the package"
    head(f"reading view, page F1 ± error: {folder.name}, {how}")
    if find_spec("trafilatura") is None:
        left_out("trafilatura: not installed")
    cases = reading.cases_of(folder)
    found = reading.measured(folder, cases, folds, peers=True)
    reading.print_table(cases, found)
    print_over_best(cases, found)


def print_over_best(cases: list[reading.Case], found: dict[str, dict[str, tuple[float, float]]]) -> None:
    """Print how far ours is above the best of trafilatura's modes, which may be another for each type."""
    peers = [name for name in found if name in reading.PEERS]
    if not peers:
        return
    print("searchlog over the best mode there, points ± error of the difference")
    for kind in ["all", *sorted({case["type"] for case in cases})]:
        ids = [case["id"] for case in cases if kind in ("all", case["type"])]
        scores = {name: [found[name][i][0] for i in ids] for name in ("searchlog", *peers)}
        best = max(peers, key=lambda name: statistics.fmean(scores[name]))
        over = [100 * (one - other) for one, other in zip(scores["searchlog"], scores[best], strict=True)]
        error = statistics.pstdev(over) / len(over) ** 0.5
        print(f"  {kind:<16}{statistics.fmean(over):>+6.1f} ± {error:.1f}   over {best.strip()}")


def strategies(bench: Path | None) -> dict[str, evidence.Strategy]:
    out: dict[str, evidence.Strategy] = {"start": evidence.start, "order": evidence.order}
    for name in BASELINES:
        try:
            if bench is None:
                raise ImportError("no --bench")
            out[name] = evidence.foreign(bench, name)
        except (ImportError, AttributeError) as error:
            left_out(f"{name}: {error}")
    return out | {"select": evidence.ours}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--bench", type=Path, help="a folder with a strategies.py to run beside")
    parser.add_argument("--shipped", action="store_true", help="judge the trees that come with the package")
    parser.add_argument("--links", type=int, default=0, metavar="N", help="open as many links in headless Chromium")
    parser.add_argument("--verbatim", type=int, default=0, metavar="N", help="look as many passages up in their pages")
    a = parser.parse_args()
    print(machine())
    readable = folders(a.data, READING)
    for folder in readable:
        print_reading(folder, a.shipped)
    found = list(readable)
    besides = strategies(a.bench)
    for kind, (mask, budgets) in ASKED.items():
        for folder in folders(a.data, kind):
            head("evidence, share of questions whose answer is within the budget")
            evidence.print_table(folder, mask, budgets, besides, by_tag=True)
            if kind != SHARING or not readable:
                found.append(folder)
    if not found:
        sys.exit("no set there")
    if a.verbatim:
        head("passages looked up in their pages")
        verbatim.check(found, a.verbatim, browser=True, show=5)
    if a.links:
        if chromium.path() is None:
            left_out("links: no Chromium on this machine")
        else:
            head("links that highlight their passage in Chromium")
            fragments.check(found, a.links, scripts=False, show=10)


if __name__ == "__main__":
    main()
