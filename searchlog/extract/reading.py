"""The clean reading view: the visible main text of a conversion, with the marks of Markdown. Pure."""

from __future__ import annotations

import re

from searchlog.extract.conversion import Block, Conversion

__all__ = ["reading_view"]

_MARKS = {"list-item": "- ", "quote": "> "}
_NUMBERED = re.compile(r"(?:[-*+\u2022\u2013\u25aa\u25e6]|\(?\d{1,3}[.)])\s")
"""How an item begins whose mark is in its text: those of PDFs, and of pages that number by hand."""
_SOURCES = ("markdown/", "text/")
"""Converters whose text is the source itself, with the marks that its author wrote."""


def reading_view(conversion: Conversion) -> str:
    """Return the visible main text for reading; empty when no block is main text.

    Headings, list items and quotes have the marks of Markdown, once: the text of Markdown and plain text has its own.
    The blocks of one table, list or listing stay together.
    """
    is_source = conversion.converter.startswith(_SOURCES)
    parts: list[str] = []
    group: int | None = None
    at = 0
    for block in conversion.blocks:
        text = conversion.text[max(at, block.start) : block.end].strip("\n")  # no text twice, whoever wrote the blocks
        if block.furniture is not None or block.hidden is not None or not text.strip():
            continue
        mark = "" if is_source else _mark(block, text)
        if parts:
            parts.append("\n" if block.group is not None and block.group == group else "\n\n")
        at = block.end
        parts.append(mark + text)
        group = block.group
    return "".join(parts)


def _mark(block: Block, text: str) -> str:
    if block.kind == "heading":
        return "#" * min(block.level or 1, 6) + " "
    return "" if block.kind == "list-item" and _NUMBERED.match(text) else _MARKS.get(block.kind, "")
