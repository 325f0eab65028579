"""How good is the main text? Our reading view beside trafilatura's modes, page by page, in one run.

    python -m tests.bench.reading DATA                 # trees made of the other pages, in five folds
    python -m tests.bench.reading DATA --shipped       # the trees as they are: for pages they were not made of
    python -m tests.bench.reading DATA --worst 10      # and where most was lost, with what and why

DATA is a folder with `cases.jsonl` (id, type, lang, url, html: the name of a gzip file, gold: the main text). The score
is the F1 of word 4-grams (single characters of Chinese, Japanese and Korean) of each page, averaged; its error is that
of the average. Seconds are CPU of the process. Folds need lightgbm; peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib.util
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from searchlog.extract import charset, main_text
from searchlog.extract.conversion import Conversion, visible_text
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.reading import reading_view
from tests.bench import train_main_text as training

Case = dict[str, Any]
Reader = Callable[[bytes, str], str]


def ours(labels: str) -> Reader:
    def read(html: bytes, url: str) -> str:
        found = conversion(html, url, labels)
        return reading_view(found) if found else ""

    return read


def conversion(html: bytes, url: str, labels: str = "trafilatura") -> Conversion | None:
    options = ConvertOptions(labels=labels)
    result = convert(html, content_type="text/html", url=url or "https://page.example/", options=options)
    return result if isinstance(result, Conversion) else None


def whole(html: bytes, url: str) -> str:
    found = conversion(html, url, "structure")
    return visible_text(found) if found else ""


def theirs(decoded: bool = False, **options: Any) -> Reader:
    def read(html: bytes, url: str) -> str:
        import trafilatura

        given = charset.decode(html, "text/html").text if decoded else html
        return trafilatura.extract(given, url=url or None, **options) or ""

    return read


OURS = {"searchlog": ours("trafilatura"), "searchlog fast": ours("main")}
OTHERS = {"structure alone": ours("structure"), "all visible": whole}
PEERS = {
    "trafilatura": theirs(),
    "trafilatura decoded": theirs(decoded=True),
    "  no comments": theirs(include_comments=False),
    "  fast decoded": theirs(decoded=True, fast=True, include_comments=False),
    "  precision": theirs(favor_precision=True, include_comments=False),
    "  recall": theirs(favor_recall=True, include_comments=False),
}


def cases_of(folder: Path) -> list[Case]:
    lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    for case in cases:
        case["bytes"] = gzip.decompress((folder / case["html"]).read_bytes())
        case["grams"] = training.grams(case["gold"])
    return [case for case in cases if case["grams"]]


def score(cases: list[Case], read: Reader) -> dict[str, tuple[float, float]]:
    """Return F1 and CPU seconds of each page, by its id."""
    import trafilatura  # noqa: F401  # what is loaded once is not the pages' to pay

    read(cases[0]["bytes"], "")
    out = {}
    for case in cases:
        began = time.process_time()
        text = read(case["bytes"], case["url"] or "")
        seconds = time.process_time() - began
        out[case["id"]] = training.f1(text, case["grams"]), seconds
    return out


def held_out(folder: Path, cases: list[Case], count: int) -> dict[str, dict[str, tuple[float, float]]]:
    """Return what `score` gives for ours, each page read with trees that were made of the pages of other folds."""
    pages = training.load(folder)
    folds = dict(zip([page.id for page in pages], training.folds_of(pages, count), strict=True))
    out: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in OURS}
    gc.collect()
    gc.freeze()  # what was learnt from is large: it is not to be looked through while ours is timed
    types = Counter[tuple[str, str]]()
    shipped = main_text.trees
    for fold in range(count):
        others = [page for page in pages if folds[page.id] != fold]
        source = training.source_of(training.train_blocks(others), training.train_types(others))
        main_text.trees = training.loaded(source)
        mine = [case for case in cases if folds.get(case["id"], 0) == fold]
        for name, read in OURS.items():
            out[name] |= score(mine, read)
        for case in mine:
            taken = conversion(case["bytes"], case["url"] or "", "main")
            types[case["type"], taken.page_type if taken else ""] += 1
    main_text.trees = shipped
    print("page types: " + "; ".join(map(partial(taken_for, types), sorted({kind for kind, _ in types}))), flush=True)
    return out


def taken_for(types: Counter[tuple[str, str]], kind: str) -> str:
    """Return how many pages of a type were taken for it, and what the others were taken for most."""
    said = Counter({other: number for (own, other), number in types.items() if own == kind})
    right = said.pop(kind, 0)
    most = said.most_common(1)
    wrong = f", {most[0][1]} for {most[0][0] or 'none'}" if most else ""
    return f"{kind} {right} of {right + said.total()}{wrong}"


def print_table(cases: list[Case], found: dict[str, dict[str, tuple[float, float]]]) -> None:
    groups: dict[str, list[str]] = {"all": [case["id"] for case in cases]}
    for case in sorted(cases, key=lambda case: case["type"]):
        groups.setdefault(case["type"], []).append(case["id"])
    for case in cases:
        if case.get("lang") not in ("en", "", None):
            groups.setdefault(case["lang"], []).append(case["id"])
    print(f"{'':<22}{'pages/s':>8}{'worst s':>8}{'bad':>6}" + "".join(f"{name[:10]:>12}" for name in groups))
    print(f"{'pages':<44}" + "".join(f"{len(ids):>12}" for ids in groups.values()))
    for name, pages in found.items():
        seconds = [second for _, second in pages.values()]
        bad = statistics.fmean(f1 < 0.5 for f1, _ in pages.values())
        line = f"{name:<22}{len(seconds) / sum(seconds):>8.1f}{max(seconds):>8.2f}{bad:>6.2f}"
        for ids in groups.values():
            values = [pages[i][0] for i in ids]
            error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
            line += f"{statistics.fmean(values):>7.3f}±{error:.3f}"[:12].rjust(12)
        print(line, flush=True)


def print_worst(cases: list[Case], pages: dict[str, tuple[float, float]], count: int) -> None:
    for case in sorted(cases, key=lambda case: pages[case["id"]][0])[:count]:
        found = conversion(case["bytes"], case["url"] or "")
        print(f"\n{pages[case['id']][0]:.2f} {case['id']} {case['type']} {case['url']}")
        if found is None:
            print("  no text")
            continue
        print(f"  {found.labels}, {found.page_type}, {found.main_percent} % main text")
        lost, added = [], []
        for block in found.blocks:
            if block.hidden is None:
                text = found.text[block.start : block.end]
                own = training.grams(text)
                wanted = bool(own) and sum(n for gram, n in own.items() if gram in case["grams"]) * 2 > own.total()
                if wanted != (block.furniture is None):
                    (lost if wanted else added).append(text)
        for name, texts in (("lost", lost), ("added", added)):
            print(f"  {name} {sum(map(len, texts)):,} characters in {len(texts)} blocks: {texts[:3]!r}"[:300])
        everything = training.f1(visible_text(found), case["grams"])
        print(f"  all visible text scores {everything:.2f}; the gold text has {len(case['gold']):,} characters")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--shipped", action="store_true", help="judge the trees that come with the package")
    parser.add_argument("--worst", type=int, default=0, help="show as many pages")
    parser.add_argument("--ours", action="store_true", help="without the peers")
    a = parser.parse_args()
    cases = cases_of(a.data)
    found = measured(a.data, cases, 0 if a.shipped else a.folds, peers=not a.ours)
    print_table(cases, found)
    if a.worst:
        print_worst(cases, found["searchlog"], a.worst)


def measured(folder: Path, cases: list[Case], folds: int, *, peers: bool) -> dict[str, dict[str, tuple[float, float]]]:
    """Return what `score` gives for each reader, ours first.

    folds: 0 for the trees that come with the package.
    """
    if folds:
        found = held_out(folder, cases, folds)
    else:
        found = {name: score(cases, read) for name, read in OURS.items()}
    found |= {name: score(cases, read) for name, read in OTHERS.items()}
    if peers and importlib.util.find_spec("trafilatura"):
        found |= {name: score(cases, read) for name, read in PEERS.items()}
    return found


if __name__ == "__main__":
    main()
