"""Make the trees of `searchlog/extract/trees.py` from pages whose main text is known.

    python -m tests.bench.reading DATA             # how good: each page judged by trees made of the others
    python -m tests.bench.train_main_text DATA     # make them, and write the file

DATA is a folder with `cases.jsonl` (id, type, url, html: the name of a gzip file, gold: the main text). Each page is
learnt twice: as it is, and with its letters put into ideographs (`in_ideographs`), so that the trees lean on nothing
that only Latin text has. Needs lightgbm (`pip install lightgbm`). The F1 is that of word 4-grams, page by page.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from searchlog.extract import charset, html, main_text
from searchlog.extract.conversion import Block, Metadata
from searchlog.extract.elements import Layout
from searchlog.extract.features import BLOCK_FEATURES, PAGE_FEATURES, Features, features

SAMPLE = Path(__file__).parents[1] / "data" / "quality" / "extraction" / "cases.jsonl"
"""Pages that tests/test_quality.py judges by: never learnt from."""
TARGET = Path(main_text.__file__).with_name("trees.py")
ROUNDS = 100
BLOCK_PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.09,
    "num_leaves": 24,
    "max_depth": 6,
    "min_data_in_leaf": 30,
    "min_sum_hessian_in_leaf": 1.0,
    "lambda_l2": 5,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
TYPE_ROUNDS = 40
TYPE_PARAMETERS: dict[str, Any] = {
    "objective": "multiclass",
    "num_class": len(main_text.PAGE_TYPES),
    "learning_rate": 0.1,
    "num_leaves": 4,
    "min_data_in_leaf": 6,
    "lambda_l2": 2,
    "feature_fraction": 0.3,
}
FIXED: dict[str, Any] = {"verbosity": -1, "num_threads": 1, "seed": 1, "deterministic": True, "force_row_wise": True}

TOKEN = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]|[^\\W\u3040-\u9fff\uac00-\ud7af]+"
)


class Page(NamedTuple):
    id: str
    type: str
    gold: Counter[tuple[str, ...]]
    texts: list[str]
    """Of the visible blocks."""
    features: Features
    shares: list[float]
    """How much of each visible block is in the gold text."""
    sizes: list[int]
    """Words of each visible block."""
    again: Features
    """In ideographs."""


def grams(text: str) -> Counter[tuple[str, ...]]:
    words = TOKEN.findall(text)
    return Counter(tuple(words[i : i + 4]) for i in range(max(1, len(words) - 3))) if words else Counter()


def f1(text: str, gold: Counter[tuple[str, ...]]) -> float:
    found = grams(text)
    both = (found & gold).total()
    return 2 * both / (found.total() + gold.total()) if both else 0.0


def in_ideographs(text: str) -> str:
    """Return the text with each word of letters as about a third as many ideographs, and full-width marks."""

    def word(match: re.Match[str]) -> str:
        number = zlib.crc32(match[0].lower().encode())
        return "".join(chr(0x4E00 + (number >> (5 * i)) % 1500) for i in range(max(1, round(len(match[0]) / 3))))

    text = re.sub("[A-Za-z’']+", word, text)
    marks = dict(zip(".,!?:;", "。，！？：；", strict=True))
    text = re.sub("(?<=[\u4e00-\u9fff])([.,!?:;]) ?", lambda match: marks[match[1]], text)
    return re.sub("(?<=[\u4e00-\u9fff。，！？：；]) (?=[\u4e00-\u9fff])", "", text)


def rewritten(text: str, blocks: tuple[Block, ...], layout: Layout, metadata: Metadata, url: str) -> Features:
    parts, moved, linked, at = [], [], [], 0
    for i, block in enumerate(blocks):
        before = text[block.start : block.end]
        part = in_ideographs(before)
        parts.append(part)
        moved.append(replace(block, start=at, end=at + len(part)))
        linked.append(layout.linked[i] * len(part) // len(before))
        at += len(part) + 1
    title = in_ideographs(metadata.title) if metadata.title else None
    return features("\n".join(parts), moved, replace(layout, linked=linked), replace(metadata, title=title), url)


def load(folder: Path) -> list[Page]:
    out = []
    for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if not case["gold"].strip():
            continue
        markup = charset.decode(gzip.decompress((folder / case["html"]).read_bytes()), "text/html").text
        url = case["url"] or ""
        page = html.read_html(markup, url or "https://page.example/", 2_000_000)
        built = page.built
        found = features(built.text, built.blocks, built.layout, page.metadata, url)
        gold, inside = grams(case["gold"]), f" {' '.join(TOKEN.findall(case['gold']))} "
        texts = [built.text[built.blocks[i].start : built.blocks[i].end] for i in found.visible]
        shares, sizes = [], []
        for text in texts:
            words = TOKEN.findall(text)
            sizes.append(len(words))
            if len(words) >= 4:
                own = grams(text)
                shares.append(sum(n for gram, n in own.items() if gram in gold) / own.total())
            else:
                shares.append(float(bool(words) and f" {' '.join(words)} " in inside))
        again = rewritten(built.text, built.blocks, built.layout, page.metadata, url)
        out.append(Page(case["id"], case["type"], gold, texts, found, shares, sizes, again))
    return out


def train_blocks(pages: list[Page], **more: Any) -> Any:
    import lightgbm
    import numpy

    rows, wanted, weights = [], [], []
    for page in pages:
        whole = max(50, sum(page.sizes))
        for found in (page.features, page.again):
            for row, share, size in zip(found.rows, page.shares, page.sizes, strict=True):
                for label, part in ((1, share), (0, 1 - share)):
                    if size * part > 0:
                        rows.append(row)
                        wanted.append(label)
                        weights.append(100 * size * part / whole)
    data = lightgbm.Dataset(numpy.array(rows, dtype=float), numpy.array(wanted), weight=numpy.array(weights))
    return lightgbm.train(BLOCK_PARAMETERS | FIXED | more, data, ROUNDS)


def train_types(pages: list[Page]) -> Any:
    import lightgbm
    import numpy

    known = [page for page in pages if page.type in main_text.PAGE_TYPES]
    rows = numpy.array([page.features.page for page in known], dtype=float)
    wanted = numpy.array([main_text.PAGE_TYPES.index(page.type) for page in known])
    return lightgbm.train(TYPE_PARAMETERS | FIXED, lightgbm.Dataset(rows, wanted), TYPE_ROUNDS)


def expressions(booster: Any) -> list[str]:
    """Return each tree as an expression over the features `f0`, `f1`, …: whole numbers, thresholds rounded down."""

    def node(found: Any) -> str:
        if "leaf_value" in found:
            return str(round(1000 * found["leaf_value"]))
        assert found["decision_type"] == "<="
        low, high = node(found["left_child"]), node(found["right_child"])
        if low == high:
            return low
        return f"({low} if f{found['split_feature']} <= {int(found['threshold'] // 1)} else {high})"

    return [node(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def source_of(blocks: Any, types: Any) -> str:
    """Return the module `trees.py`."""
    all_types = expressions(types)
    count = len(main_text.PAGE_TYPES)
    sums = [" + ".join(all_types[i::count]) for i in range(count)]
    lines = [
        '"""Decision trees over the numbers of `features.py`. Made by `python -m tests.bench.train_main_text`: not for',
        'editing. Pure."""',
        "",
        "# ruff: noqa: E501, RUF059",
        "# fmt: off",
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Sequence",
        "",
        '__all__ = ["MADE_FOR", "block_score", "type_scores"]',
        "",
        f'MADE_FOR = "{made_for()}"',
        '"""A checksum of the names of the features."""',
        "",
        "",
        "def block_score(r: Sequence[int]) -> int:",
        '    """Return how likely a block is main text: thousandths on the scale of the logistic function."""',
        f"    ({names(len(BLOCK_FEATURES))}) = r",
        "    return (",
        *("        " + ("+ " if number else "") + tree for number, tree in enumerate(expressions(blocks))),
        "    )",
        "",
        "",
        "def type_scores(r: Sequence[int]) -> tuple[int, ...]:",
        '    """Return a score for each of `main_text.PAGE_TYPES`."""',
        f"    ({names(len(PAGE_FEATURES))}) = r",
        "    return (",
        *(f"        {tree}," for tree in sums),
        "    )",
    ]
    return "\n".join(lines) + "\n"


def names(count: int) -> str:
    return ", ".join(f"f{i}" for i in range(count))


def made_for() -> str:
    return f"{zlib.crc32(' '.join((*BLOCK_FEATURES, '-', *PAGE_FEATURES)).encode()):08x}"


def loaded(source: str) -> ModuleType:
    """Return the module of a source that is in no file."""
    module = ModuleType("trees")
    exec(compile(source, "trees", "exec"), module.__dict__)
    return module


def folds_of(pages: list[Page], count: int) -> list[int]:
    """Return a fold for each page, the types spread evenly."""
    chance = random.Random(5)
    out = [0] * len(pages)
    for kind in sorted({page.type for page in pages}):
        mine = [i for i, page in enumerate(pages) if page.type == kind]
        chance.shuffle(mine)
        for place, i in enumerate(mine):
            out[i] = place % count
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    held = {json.loads(line)["id"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()}
    pages = [page for page in load(parser.parse_args().data) if page.id not in held]
    source = source_of(train_blocks(pages), train_types(pages))
    TARGET.write_text(source, encoding="ascii")
    print(f"{TARGET.name}: {len(source):,} bytes, of {len(pages)} pages")


if __name__ == "__main__":
    main()
