"""Pages to measure with: a folder of .html or .html.gz files, or made-up ones that are the same on every machine."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

_SYLLABLES = [consonant + vowel for consonant in "bdklmnr" for vowel in "aeiou"]


def load(folder: str | None, count: int) -> list[bytes]:
    """Return `count` pages, all different; a folder with fewer files is gone through again."""
    source = _files(Path(folder)) if folder else _made(count)
    return [page + b"\n<!-- %d -->\n" % number for number, page in zip(range(count), source, strict=False)]


def _files(folder: Path) -> Iterator[bytes]:
    names = sorted([*folder.glob("**/*.html.gz"), *folder.glob("**/*.html")])
    if not names:
        raise SystemExit(f"no .html or .html.gz files in {folder}")
    return cycle([gzip.decompress(name.read_bytes()) if name.suffix == ".gz" else name.read_bytes() for name in names])


def _made(count: int) -> Iterator[bytes]:
    return (make(number) for number in range(count))


def make(number: int) -> bytes:
    """Return one made-up page: navigation, an article of a few to a hundred paragraphs, a table, comments, a footer."""
    chance = random.Random(number)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(600)]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(6, 24))).capitalize() + ". "

    def paragraph() -> str:
        return "<p>" + "".join(sentence() for _ in range(chance.randint(2, 7))) + '<a href="/x">more</a></p>'

    links = "".join(f'<li class="item"><a href="/p/{n}">{chance.choice(words)}</a></li>' for n in range(40))
    sections = "".join(
        f"<h2>{sentence()}</h2>" + "".join(paragraph() for _ in range(chance.randint(2, 8)))
        for _ in range(min(16, int(chance.lognormvariate(1.6, 0.6)) + 1))
    )
    rows = "".join(f"<tr><td>{chance.choice(words)}</td><td>{chance.randint(1, 999)}</td></tr>" for _ in range(20))
    script = "var a=" + str([chance.randint(0, 999) for _ in range(800)]) + ";"
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page {number}: {sentence()}</title>'
        f'<meta property="article:published_time" content="2026-01-{number % 28 + 1:02}">'
        f"<script>{script}</script></head>"
        f"<body><header><nav><ul>{links}</ul></nav></header><main><article><h1>{sentence()}</h1>{sections}"
        f"<table>{rows}</table></article></main><aside>{paragraph()}</aside>"
        f"<footer><ul>{links}</ul><p>All rights reserved.</p></footer></body></html>"
    ).encode()
