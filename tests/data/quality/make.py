"""Cut the sample of this folder out of the development sets: `python tests/data/quality/make.py DATA_ROOT`.

Pages are copied as they are. Pages of the reading view are named below; questions are taken by the pages that they
need, so that many share few: of each tag in turn, the one that adds least. A question keeps the pages with its answer
and, of the others that it had, those that are there already or are small.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
READING = {
    "article": ("4245", "4578", "4604"),
    "collection": ("4762", "4419", "4369"),
    "documentation": ("2860", "0499", "2393"),
    "forum": ("0555", "0536", "0575"),
    "listing": ("0077", "0259", "4636"),
    "product": ("4206", "4169", "4195"),
    "service": ("4896", "0152", "4266"),
}
"""Of the pages under 20 KB: one that the reading view of 2026-12-01 found hard, one middling, one easy."""
QUESTIONS = {"headq": (15, 5), "docs": (21, 5), "xquad": (20, 6), "dureader": (20, 5)}
"""How many questions of each set, and pages a question at most."""
ANSWERED_MAX = 2
"""Questions that one page answers, as long as there are others of their tag."""
GPL = "git-doc/"
"""Beginning of the names of pages under GPL-2. They stay out, and so do the questions about them."""
CONTACT = re.compile(r"(?<!\d)1\d{10}(?!\d)|(微信|QQ|qq|私我)\W*[A-Za-z0-9_]{5,}")
"""How to reach a stranger: a text of the Chinese set with it stays out."""

Row = dict[str, Any]


def rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text("utf-8").strip().split("\n")]


def write(file: Path, found: list[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), "utf-8")


def reading(root: Path) -> None:
    cases = {case["id"]: case for case in rows(root / "extraction-dev" / "cases.jsonl")}
    found = []
    for kind, names in READING.items():
        for name in names:
            case = cases[name]
            assert case["type"] == kind
            copy(root / "extraction-dev" / case["html"], HERE / "extraction" / case["html"])
            found.append({key: case[key] for key in ("id", "type", "lang", "url", "html", "gold")})
    write(HERE / "extraction" / "cases.jsonl", found)


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def questions(root: Path, name: str, count: int, pages_max: int) -> None:
    folder, out = root / f"{name}-dev", HERE / name
    pages = {page["pid"]: page for page in rows(folder / "pages.jsonl") if not left_out(page)}
    sizes = {pid: size(folder, page) for pid, page in pages.items()}
    waiting = defaultdict(list)
    for question in rows(folder / "questions.jsonl"):
        if all(pid in pages for pid in question["gold_pages"]):
            waiting[question["tag"]].append(question)
    taken: list[Row] = []
    there: set[str] = {name for names in READING.values() for name in names} if name == "headq" else set()
    while len(taken) < count:
        for tag in sorted(waiting):
            if len(taken) < count:
                answered = Counter(pid for question in taken for pid in question["gold_pages"])
                fresh = [q for q in waiting[tag] if all(answered[pid] < ANSWERED_MAX for pid in q["gold_pages"])]
                choice = [(kept(q, sizes, there, pages_max), q) for q in fresh or waiting[tag]]
                mine, question = min(choice, key=lambda pair: (cost(pair[0], sizes, there), pair[1]["qid"]))
                waiting[tag].remove(question)
                there.update(mine)
                taken.append(question | {"pages": mine})
    wanted = {pid for question in taken for pid in question["pages"]}
    found = [page for pid, page in pages.items() if pid in wanted]
    for page in found:
        if page.get("html_file"):
            shared = HERE / "extraction" / "html" / Path(page["html_file"]).name
            target = shared if shared.exists() else out / "html" / shared.name
            copy(folder / page["html_file"], target)
            page["html_file"] = ("../extraction/html/" if target == shared else "html/") + shared.name
    write(out / "pages.jsonl", found)
    keys = ("qid", "lang", "tag", "type", "question", "answers", "kind", "mask", "pages", "gold_pages")
    write(out / "questions.jsonl", [{key: question[key] for key in keys if key in question} for question in taken])


def left_out(page: Row) -> bool:
    return page["pid"].startswith(GPL) or bool(page["text"] and CONTACT.search(page["text"]))


def size(folder: Path, page: Row) -> int:
    return (folder / page["html_file"]).stat().st_size if page.get("html_file") else len(json.dumps(page))


def kept(question: Row, sizes: dict[str, int], there: set[str], count: int) -> list[str]:
    """Return the pages that the question keeps, in the order it had them."""
    others = [pid for pid in question["pages"] if pid in sizes and pid not in question["gold_pages"]]
    others.sort(key=lambda pid: (pid not in there, sizes[pid]))
    mine = {*question["gold_pages"], *others[: count - len(question["gold_pages"])]}
    return [pid for pid in question["pages"] if pid in mine]


def cost(pids: list[str], sizes: dict[str, int], there: set[str]) -> int:
    return sum(sizes[pid] for pid in pids if pid not in there)


if __name__ == "__main__":
    reading(Path(sys.argv[1]))
    for name, (count, pages_max) in QUESTIONS.items():
        questions(Path(sys.argv[1]), name, count, pages_max)
