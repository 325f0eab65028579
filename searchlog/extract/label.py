"""The main-text label by trafilatura, the publication date by htmldate, and the clean reading view. Imported only
when asked for.

Both libraries get the text that we decoded (from raw bytes they ignore declared charsets), and no option that
remembers earlier pages: `deduplicate` is never set. A page nested deeper than lxml reads would lose its end in
silence, so it keeps the labels of its structure, and a warning says so.
"""

from __future__ import annotations

import re
from dataclasses import replace

from searchlog.extract.conversion import Conversion, Dated
from searchlog.extract.dates import iso_date
from searchlog.extract.flat import nesting

__all__ = ["find_published", "reading_view", "relabel"]

_LXML_DEPTH = 250
_SHARE_MIN = 0.6
"""Of what the structure takes for main text, trafilatura must keep this share of the characters. Where it keeps less it
has mostly lost a part of the article: over 163 real pages the rule lifts the share of the main text that is shown from
0.85 to 0.92, and the pages that show less than 0.7 of it fall from 30 to 14."""
_BETWEEN = re.compile(r"[\W_]+")
_MARKS = {"list-item": "- ", "quote": "> "}


def reading_view(conversion: Conversion) -> str:
    """Return the visible main text for reading; empty when no block is main text.

    Headings, list items and quotes have the marks of Markdown; the blocks of one table, list or listing stay together.
    """
    parts: list[str] = []
    group: int | None = None
    at = 0
    for block in conversion.blocks:
        text = conversion.text[max(at, block.start) : block.end].strip("\n")  # no text twice, whoever wrote the blocks
        if block.furniture is not None or block.hidden is not None or not text.strip():
            continue
        mark = "#" * min(block.level or 1, 6) + " " if block.kind == "heading" else _MARKS.get(block.kind, "")
        if parts:
            parts.append("\n" if block.group is not None and block.group == group else "\n\n")
        at = block.end
        parts.append(mark + text)
        group = block.group
    return "".join(parts)


def relabel(conversion: Conversion, markup: str) -> Conversion:
    """Return the conversion with every visible block that trafilatura leaves out labelled `boilerplate`.

    Where it finds no main text, or too little of what the structure takes for main text, the labels stay as they are.
    """
    if nesting(markup) >= _LXML_DEPTH:
        return replace(conversion, warnings=(*conversion.warnings, "labels-too-deep"))
    import trafilatura
    from lxml.etree import LxmlError  # type: ignore[import-untyped]

    try:
        main = trafilatura.extract(
            markup, output_format="txt", include_comments=True, include_tables=True, include_formatting=False
        )
    except (LxmlError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        main = None
    if not main:
        return replace(conversion, warnings=(*conversion.warnings, "labels-failed"))
    kept = _BETWEEN.sub("", main)
    words = [_BETWEEN.sub("", conversion.text[block.start : block.end]) for block in conversion.blocks]
    main_text = [block.furniture is None and block.hidden is None for block in conversion.blocks]
    before = [word for word, is_main in zip(words, main_text, strict=True) if is_main]
    left = sum(len(word) for word in before if word in kept)
    if left == 0 or left < _SHARE_MIN * sum(map(len, before)):
        return replace(conversion, warnings=(*conversion.warnings, "labels-too-few"))
    blocks = tuple(
        replace(block, furniture="boilerplate") if is_main and word not in kept else block
        for block, is_main, word in zip(conversion.blocks, main_text, words, strict=True)
    )
    return replace(conversion, blocks=blocks, labels=f"trafilatura {trafilatura.__version__}")


def find_published(markup: str) -> Dated | None:
    """Return htmldate's reading of when the page was published, or None.

    The latest date allowed is fixed, not today's: the answer must be the same on every day.
    """
    from htmldate import find_date

    try:
        found = find_date(
            markup,
            original_date=True,
            outputformat="%Y-%m-%d",
            min_date="1995-01-01",
            max_date="2099-12-31",
            deferred_url_extractor=True,
        )
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None
    date = iso_date(found) if found else None
    return Dated(date, "htmldate", "guessed") if date else None
