"""Pages of a folder as bytes, with what is known of them, and the passages cut from them; for what checks passages.

A folder holds one of: `cases.jsonl` (url, html: a file of the folder, type, lang), `pages.jsonl` (url, and html in
gzip and base64, html_file, or text, which becomes a page of paragraphs; the language is what the pid begins with),
or `.html` and `.html.gz` files. The choice is by digest, so it is the same on every machine.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from searchlog.evidence.passage import Passage
from searchlog.evidence.passages import passages
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert

CONTENT_TYPE = "text/html"
"""What every page is served and read as: no charset, as files are stored."""


@dataclass(frozen=True)
class StoredPage:
    name: str
    url: str
    tag: str
    """Set, and type or language within it."""
    data: bytes

    def conversion(self) -> Conversion | None:
        result = convert(self.data, content_type=CONTENT_TYPE, url=self.url)
        return result if isinstance(result, Conversion) else None


def load(folders: Sequence[Path]) -> list[StoredPage]:
    """Return all pages of the folders. Raises SystemExit where there are none."""
    pages = [page for folder in folders for page in _pages(folder)]
    if not pages:
        raise SystemExit("no pages there")
    return pages


def _pages(folder: Path) -> Iterator[StoredPage]:
    for name in ("cases.jsonl", "pages.jsonl"):
        if (folder / name).exists():
            for line in (folder / name).read_text("utf-8").strip().split("\n"):
                yield _page(folder, json.loads(line))
            return
    for path in sorted([*folder.glob("**/*.html"), *folder.glob("**/*.html.gz")]):
        url = f"https://page.example/{path.name}"
        yield StoredPage(str(path.relative_to(folder)), url, folder.name, _bytes(path))


def _page(folder: Path, row: dict[str, Any]) -> StoredPage:
    name = str(row.get("pid") or row.get("id"))
    tag = row.get("type") or row.get("lang") or re.split("[-/]", name, maxsplit=1)[0]
    file = row.get("html_file") or ("" if "pid" in row else row["html"])
    if file:
        data = _bytes(folder / file)
    elif row.get("html"):
        data = gzip.decompress(base64.b64decode(row["html"]))
    else:
        data = _wrapped(row.get("title") or "", row.get("text") or "", tag)
    url = row.get("url") or f"https://{folder.name}.example/{name}"
    return StoredPage(name, url, f"{folder.name} {tag}", data)


def _bytes(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def _wrapped(title: str, text: str, language: str) -> bytes:
    """Return text that came without its page as a page: a heading and a paragraph a line."""
    lines = "".join(f"<p>{html.escape(line)}</p>\n" for line in text.split("\n") if line.strip())
    known = language if len(language) == 2 else "zh"
    head = f'<!DOCTYPE html><html lang="{known}"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
    return f"{head}<body><h1>{html.escape(title)}</h1>\n{lines}</body></html>".encode()


@dataclass(frozen=True)
class Chosen:
    """One passage of the sample."""

    page: StoredPage
    conversion: Conversion
    passage: Passage

    @property
    def exact(self) -> str:
        return self.conversion.text[self.passage.start : self.passage.end]


def sample(pages: Sequence[StoredPage], count: int, *, tags_evenly: bool = True) -> list[Chosen]:
    """Return `count` visible passages: one of each page in turn, tags in turn, in the order of their digests.

    tags_evenly: where False, pages alone take turns.
    """
    order: dict[str, list[StoredPage]] = defaultdict(list)
    for page in sorted(pages, key=lambda page: _key(page.tag, page.name)):
        order[page.tag if tags_evenly else ""].append(page)
    turns = [page for row in _transposed(list(order.values())) for page in row]
    waiting: dict[int, list[Chosen]] = {}
    out: list[Chosen] = []
    left = True
    while left and len(out) < count:
        left = False
        for i, page in enumerate(turns):
            if i not in waiting:
                waiting[i] = _shuffled(page)
            if waiting[i]:
                out.append(waiting[i].pop())
                left = True
                if len(out) == count:
                    break
    return out


def _transposed(rows: Sequence[Sequence[StoredPage]]) -> Iterator[list[StoredPage]]:
    for i in range(max(map(len, rows), default=0)):
        yield [row[i] for row in rows if i < len(row)]


def _shuffled(page: StoredPage) -> list[Chosen]:
    conversion = page.conversion()
    if conversion is None:
        return []
    seen = [
        Chosen(page, conversion, passage)
        for passage in passages(0, conversion)
        if not any(label.startswith("hidden:") for label in passage.labels)
    ]
    return sorted(seen, key=lambda chosen: _key(page.name, str(chosen.passage.start)))


def _key(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()
