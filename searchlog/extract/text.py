"""Plain text and JSON: blocks over the text exactly as it stands. Pure."""

from __future__ import annotations

from searchlog.extract.conversion import BLOCKS_MAX, Block

__all__ = ["CONVERTER", "json_blocks", "text_blocks"]

CONVERTER = "text/2"


def text_blocks(text: str) -> tuple[Block, ...]:
    """Return one paragraph for each run of lines between blank lines; the text is not changed, long lines stay long.

    Beyond `BLOCKS_MAX` paragraphs the rest of the text is one block.
    """
    blocks: list[Block] = []
    start = end = -1
    at = 0
    for line in text.split("\n"):
        bare = line.strip()
        if bare:
            if start < 0:
                start = at + line.index(bare[0])
            end = at + len(line.rstrip())
        elif start >= 0:
            if len(blocks) >= BLOCKS_MAX:
                return (*blocks, Block("other", start, len(text.rstrip())))
            blocks.append(Block("paragraph", start, end))
            start = -1
        at += len(line) + 1
    if start >= 0:
        blocks.append(Block("paragraph", start, end))
    return tuple(blocks)


def json_blocks(text: str) -> tuple[Block, ...]:
    """Return one code block over everything but blanks at the edges."""
    bare = text.strip()
    if not bare:
        return ()
    start = text.index(bare[0])
    return (Block("code", start, start + len(bare), group=1),)
