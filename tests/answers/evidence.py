"""Evidence for made answers: passages cut by the project's own cutter out of real pages."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

from searchlog.answer.check import Given
from searchlog.evidence.passages import passages
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert

QUALITY = Path(__file__).parents[1] / "data" / "quality"


def pages(root: Path = QUALITY, kinds: set[str] | None = None) -> Iterator[tuple[str, str, str, Conversion]]:
    """Yield (language or kind, address, title, conversion) of every page of a data set folder."""
    for part in sorted(root.iterdir()):
        listing = part / "pages.jsonl"
        if not listing.exists():
            continue
        name = part.name.removesuffix("-dev")
        for n, line in enumerate(listing.read_text("utf-8").rstrip("\n").split("\n")):
            page = json.loads(line)
            kind = page["pid"].partition("-")[0] if name == "xquad" else "zh" if name == "dureader" else name
            if kinds and kind not in kinds:
                continue
            url = page["url"] or f"https://{name}.example/{kind}/{n}"
            if page.get("text"):
                made = convert(page["text"].encode(), content_type="text/plain; charset=utf-8", url=url)
            elif page.get("html"):
                made = convert(
                    gzip.decompress(base64.b64decode(page["html"])), content_type="text/html; charset=utf-8", url=url
                )
            else:
                made = convert(
                    gzip.decompress((part / page["html_file"]).read_bytes()), content_type="text/html", url=url
                )
            if isinstance(made, Conversion):
                yield kind, url, page["title"], made


def passages_by_kind(root: Path = QUALITY, kinds: set[str] | None = None) -> dict[str, list[Given]]:
    """Return the passages of all pages by language or kind, without ids."""
    out: dict[str, list[Given]] = {}
    for kind, url, title, conversion in pages(root, kinds):
        for passage in passages(0, conversion):
            text = conversion.text[passage.start : passage.end]
            if len(text) > 60 and not any(label.startswith("hidden") for label in passage.labels):
                headings = tuple(conversion.text[a:b] for a, b in passage.headings)
                out.setdefault(kind, []).append(Given("", url, title, text, heading_path=headings))
    return out


def case(found: list[Given], rng: random.Random, count: int = 8) -> dict[str, Given]:
    """Return some passages as the evidence of one search, by id."""
    chosen = rng.sample(found, min(count, len(found)))
    ids = [f"e{n}" for n in range(1, len(chosen) + 1)]
    return {
        id: Given(id, one.url, one.title, one.text, heading_path=one.heading_path)
        for id, one in zip(ids, chosen, strict=True)
    }
