"""Does the evidence hold the answer? Our selection beside baselines, on question sets, in one run.

    python -m tests.bench.evidence DATA/headq --mask --budget 1000 --budget 4000
    python -m tests.bench.evidence DATA/xquad DATA/dureader --budget 250 --by-tag
    python -m tests.bench.evidence DATA/headq --mask --bench BENCH --strategy bm25 --strategy lex_plus

A set is a folder with `pages.jsonl` (pid, url, title, and text, html in gzip and base64, or html_file) and
`questions.jsonl` (question, answers, kind `short` or `passage`, pages, mask, tag or page type). Budgets count four
characters a token. A hit is an answer string in one passage, or 70 % of the word 4-grams of an answer passage.
`--mask` takes the question's own words off its pages. `--bench` names a folder with a `strategies.py` whose functions
run on the same texts. Milliseconds are of the processor, from pages read to passages chosen; those for cutting pages
into passages, which a search does where it reads them, are said by themselves as well.
Baselines of our own: `start` (page starts, equal shares) and `order` (our score, neither cap nor duplicates removed).
"""

from __future__ import annotations

import argparse
import base64
import gc
import gzip
import importlib
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from searchlog import tokens
from searchlog.digest import text_digest
from searchlog.evidence import rank
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import passages
from searchlog.evidence.select import Policy, select
from searchlog.extract.conversion import Block, Conversion, Metadata
from searchlog.extract.convert import convert


@dataclass(frozen=True)
class Page:
    url: str
    title: str
    conversion: Conversion


@dataclass(frozen=True)
class Question:
    text: str
    answers: list[str]
    kind: str
    tag: str
    pages: list[Page]


# --- data --------------------------------------------------------------------------------------------------------


def load_pages(folder: Path) -> dict[str, Page]:
    pages = {}
    for line in (folder / "pages.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        if row.get("html"):
            html = gzip.decompress(base64.b64decode(row["html"]))
        elif row.get("html_file"):
            html = gzip.decompress((folder / row["html_file"]).read_bytes())
        else:
            pages[row["pid"]] = Page(row["url"], row["title"] or "", plain(row["text"] or ""))
            continue
        result = convert(html, content_type="text/html", url=row["url"])
        conversion = result if isinstance(result, Conversion) else plain("")
        pages[row["pid"]] = Page(row["url"], row["title"] or "", conversion)
    return pages


def plain(text: str) -> Conversion:
    """A paragraph a line."""
    blocks, at = [], 0
    for line in text.split("\n"):
        blocks.append(Block("paragraph", at, at + len(line)))
        at += len(line) + 1
    return Conversion(text, tuple(blocks), Metadata(), "lines/1")


def load(folder: Path, mask: bool) -> list[Question]:
    pages = load_pages(folder)
    out = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        mine = [pages[pid] for pid in row["pages"]]
        if mask and row["mask"]:
            mine = [masked(page, row["mask"]) for page in mine]
        tag = row.get("type") or row.get("tag") or ""
        out.append(Question(row["question"], row["answers"], row["kind"], tag, mine))
    return out


def masked(page: Page, phrases: Sequence[str]) -> Page:
    """The page without these phrases; blocks move with their text."""
    conversion, title = page.conversion, page.title
    for phrase in phrases:
        pattern = re.compile(r"\W+".join(map(re.escape, re.findall(r"\w+", phrase))) + r"\W*", re.I)
        title = pattern.sub(" ", title)
        conversion = without(conversion, [match.span() for match in pattern.finditer(conversion.text)])
    return replace(page, title=title, conversion=conversion)


def without(conversion: Conversion, spans: Sequence[tuple[int, int]]) -> Conversion:
    """Put as many spaces for these spans; line feeds between blocks stay line feeds."""
    text = list(conversion.text)
    for start, end in spans:
        text[start:end] = ["\n" if c == "\n" else " " for c in text[start:end]]
    return replace(conversion, text="".join(text))


# --- strategies --------------------------------------------------------------------------------------------------

Strategy = Callable[[Question, int], list[str]]


def sources_of(question: Question) -> list[Source]:
    return [
        Source(
            page.url or f"https://page{i}.example/",
            page.title,
            page.conversion.text,
            text_digest(page.conversion.text),
            "",
            "",
        )
        for i, page in enumerate(question.pages)
    ]


def cut(question: Question) -> list[Passage]:
    return [p for i, page in enumerate(question.pages) for p in passages(i, page.conversion)]


def ours(question: Question, budget: int) -> list[str]:
    """The selection, its budget put into the script's own tokens for the same number of characters."""
    chars = sum(len(page.conversion.text) for page in question.pages)
    count = sum(tokens.token_count(page.conversion.text) for page in question.pages)
    policy = Policy(budget_tokens=4 * budget * count // max(1, chars))
    sources = sources_of(question)
    chosen = select(question.text, sources, cut(question), policy).chosen
    return [sources[c.passage.source].text[c.passage.start : c.passage.end] for c in chosen]


def order(question: Question, budget: int) -> list[str]:
    sources, found = sources_of(question), cut(question)
    out, left = [], 4 * budget
    for i in rank.order(rank.score(question.text, sources, found), found):
        text = sources[found[i].source].text[found[i].start : found[i].end]
        if len(text) < left or not out:
            out.append(text)
            left -= len(text) + 1
    return out


def start(question: Question, budget: int) -> list[str]:
    share = 4 * budget // max(1, len(question.pages))
    return [page.conversion.text[:share] for page in question.pages]


def foreign(bench: Path, name: str) -> Strategy:
    sys.path.insert(0, str(bench))
    function = getattr(importlib.import_module("strategies"), name)

    def run(question: Question, budget: int) -> list[str]:
        pages = [{"url": p.url, "title": p.title, "text": p.conversion.text} for p in question.pages]
        return [p if isinstance(p, str) else p["text"] for p in function(question.text, pages, budget)]

    return run


# --- judging -----------------------------------------------------------------------------------------------------


def grams(text: str) -> set[tuple[str, ...]]:
    words = tokens.words(text)
    return {tuple(words[i : i + 4]) for i in range(max(1, len(words) - 3))}


def within(texts: Sequence[str], budget: int) -> Iterator[str]:
    left = 4 * budget
    for text in texts:
        if left <= 0:
            return
        yield text[:left]
        left -= len(text) + 1


def is_hit(question: Question, texts: Sequence[str]) -> bool:
    if question.kind == "short":
        return any(holds(answer, text) for text in texts for answer in question.answers)
    have: set[tuple[str, ...]] = set().union(*map(grams, texts))
    return any(len(have & gold) >= 0.7 * len(gold) for gold in map(grams, question.answers))


def holds(answer: str, text: str) -> bool:
    """Whether the answer's words stand in the text in a row."""
    needle, hay = tokens.words(answer), tokens.words(text)
    n = len(needle)
    return n > 0 and any(hay[i : i + n] == needle for i in range(len(hay) - n + 1))


def row(strategy: Strategy, questions: Sequence[Question], budget: int) -> dict[str, Any]:
    hits: list[bool] = []
    times = []
    for question in questions:
        began = time.process_time()
        texts = strategy(question, budget)
        times.append(1000 * (time.process_time() - began))
        hits.append(is_hit(question, list(within(texts, budget))))
    share = statistics.fmean(hits)
    tags = sorted({q.tag for q in questions})
    return {
        "hits": hits,
        "hit": share,
        "error": (share * (1 - share) / len(hits)) ** 0.5,
        "ms": statistics.median(times),
        "tags": {t: statistics.fmean(h for h, q in zip(hits, questions, strict=True) if q.tag == t) for t in tags},
    }


def cutting_ms(questions: Sequence[Question]) -> float:
    """The median of processor time to cut a question's pages into passages."""
    times = []
    for question in questions:
        began = time.process_time()
        cut(question)
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)


def paired(hits: Sequence[bool], others: Sequence[bool]) -> str:
    """The difference to another strategy on the same questions, in points, with the error of that difference."""
    differences = [100.0 * (one - other) for one, other in zip(hits, others, strict=True)]
    error = statistics.pstdev(differences) / len(differences) ** 0.5
    return f"{statistics.fmean(differences):+.1f} ± {error:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="folders with pages.jsonl and questions.jsonl")
    parser.add_argument("--mask", action="store_true", help="take the question's own words off its pages")
    parser.add_argument("--budget", type=int, action="append", help="tokens of four characters (default 1000 and 4000)")
    parser.add_argument("--bench", type=Path, help="a folder with a strategies.py to run beside")
    parser.add_argument("--strategy", action="append", default=[], help="a function of that strategies.py")
    parser.add_argument("--by-tag", action="store_true")
    a = parser.parse_args()
    strategies: dict[str, Strategy] = {"start": start, "order": order, "select": ours}
    if a.strategy and not a.bench:
        parser.error("--strategy needs --bench")
    strategies |= {name: foreign(a.bench, name) for name in a.strategy}
    for folder in a.data:
        print_table(folder, a.mask, a.budget or [1000, 4000], strategies, a.by_tag)


def print_table(
    folder: Path, mask: bool, budgets: Sequence[int], strategies: dict[str, Strategy], by_tag: bool
) -> None:
    questions = load(folder, mask)
    gc.freeze()  # or each collection walks the pages of all the questions, where a search has those of one
    median = statistics.median(sum(len(p.conversion.text) for p in q.pages) for q in questions) / 4
    title = f"{folder.name}{' masked' if mask else ''}: {len(questions)} questions, {median:,.0f} tokens of text each"
    print(f"{title}, cut in {cutting_ms(questions):.1f} ms")
    if by_tag:
        print("  questions  " + "  ".join(f"{tag} {n}" for tag, n in sorted(Counter(q.tag for q in questions).items())))
    print(f"{'strategy':<12}{'budget':>8}{'hit':>8}{'±':>7}{'p50 ms':>9}   select over it, points")
    for budget in budgets:
        best = row(ours, questions, budget)
        for name, strategy in strategies.items():
            got = best if name == "select" else row(strategy, questions, budget)
            over = "" if name == "select" else paired(best["hits"], got["hits"])
            line = f"{name:<12}{budget:>8}{got['hit']:>8.3f}{got['error']:>7.3f}{got['ms']:>9.1f}"
            print(f"{line}   {over}".rstrip(), flush=True)
            if by_tag:
                print("    " + "  ".join(f"{tag} {share:.3f}" for tag, share in got["tags"].items()))


if __name__ == "__main__":
    main()
