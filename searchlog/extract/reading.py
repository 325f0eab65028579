"""The clean reading view: the visible main text of a conversion, with the marks of Markdown. Pure."""

from __future__ import annotations

from searchlog.extract.conversion import Conversion

__all__ = ["reading_view"]

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
