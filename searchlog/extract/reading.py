"""The clean reading view: the visible main text of a conversion, with the marks of Markdown. Pure."""

from __future__ import annotations

import re

from searchlog.extract.conversion import Block, Conversion

__all__ = ["reading_view"]

_MARKS = {"list-item": "- ", "quote": "> "}
_NUMBERED = re.compile(r"(?:[-*+\u2022\u2013\u25aa\u25e6]|\(?\d{1,3}[.)])\s")
"""How an item begins whose mark is in its text: those of PDFs, and of pages that number by hand."""
_BACKTICKS = re.compile("`+")
_SOURCES = ("markdown/", "text/")
"""Converters whose text is the source itself, with the marks that its author wrote."""


def reading_view(conversion: Conversion) -> str:
    """Return the visible main text for reading; empty when no block is main text.

    Headings, list items, quotes and code have the marks of Markdown, once: the text of Markdown and plain text has its
    own. The blocks of one table, list or listing stay together.
    """
    is_source = conversion.converter.startswith(_SOURCES)
    parts: list[str] = []
    last: Block | None = None
    for block, texts in _shown(conversion):
        text = "\n".join(texts)
        if last is not None:
            parts.append("\n" if _together(last, block) else "\n\n")
        parts.append(text if is_source else _marked(block, text))
        last = block
    return "".join(parts)


def _shown(conversion: Conversion) -> list[tuple[Block, list[str]]]:
    """Return the blocks of the view with their text; of the blocks of one listing the first, with all their texts."""
    out: list[tuple[Block, list[str]]] = []
    at = 0
    for block in conversion.blocks:
        text = conversion.text[max(at, block.start) : block.end].strip("\n")  # no text twice, whoever wrote the blocks
        if block.furniture is not None or block.hidden is not None or not text.strip():
            continue
        at = block.end
        if out and block.kind == out[-1][0].kind == "code" and _together(out[-1][0], block):
            out[-1][1].append(text)
        else:
            out.append((block, [text]))
    return out


def _together(last: Block, block: Block) -> bool:
    return block.group is not None and block.group == last.group


def _marked(block: Block, text: str) -> str:
    if block.kind == "code":
        return _fenced(text)
    if block.kind == "heading":
        return f"{'#' * min(block.level or 1, 6)} {text}"
    return text if block.kind == "list-item" and _NUMBERED.match(text) else _MARKS.get(block.kind, "") + text


def _fenced(code: str) -> str:
    """Return code between two fences, longer than any that it holds. Spec: CommonMark section 4.5."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(code)), default=0))
    return f"{fence}\n{code}\n{fence}"
