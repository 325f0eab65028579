"""The main-text label by trafilatura, the publication date by htmldate, and the clean reading view. Imported only
when asked for.

Both libraries get the text that we decoded (from raw bytes they ignore declared charsets), and no option that
remembers earlier pages: `deduplicate` is never set. A page nested deeper than lxml reads would lose its end in
silence, so it keeps the labels of its structure, and a warning says so.
"""

from __future__ import annotations

import re
from dataclasses import replace

from searchlog.extract.conversion import Block, Conversion, Dated
from searchlog.extract.dates import iso_date
from searchlog.extract.flat import nesting

__all__ = ["find_published", "reading_view", "relabel"]

_LXML_DEPTH = 250
_MARK = re.compile(r"[\W_]+")


def reading_view(conversion: Conversion) -> str:
    """Return the text of blocks that are main text and visible; lists, tables and code keep their lines together."""
    out: list[str] = []
    before: Block | None = None
    for block in conversion.blocks:
        if block.furniture is not None or block.hidden is not None:
            continue
        if before is not None:
            together = block.group is not None and block.group == before.group and block.kind == before.kind
            out.append("\n" if together else "\n\n")
        out.append(conversion.text[block.start : block.end])
        before = block
    return "".join(out)


def relabel(conversion: Conversion, markup: str) -> Conversion:
    """Return the conversion with every visible block that trafilatura leaves out labelled `boilerplate`."""
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
    kept = _MARK.sub("", main)
    blocks = tuple(
        replace(block, furniture="boilerplate")
        if block.furniture is None
        and block.hidden is None
        and _MARK.sub("", conversion.text[block.start : block.end]) not in kept
        else block
        for block in conversion.blocks
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
    return Dated(date, "htmldate") if date else None
