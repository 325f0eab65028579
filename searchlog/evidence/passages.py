"""From a conversion to passages: spans of whole neighbouring blocks, cut only where one block is too long to read.

Passages are in order, never overlap, and together cover every character of the text that is not white space.
A heading goes with the text below it, and a line that ends in a colon with the list, code or table that it leads in to;
later items of a list know that line, as rows of a table know their header row; code is cut at line ends only; what is
hidden never shares a passage with what is visible, nor furniture with main text. Pure.

After very many passages of one page the sides are no longer kept apart: a passage is then hidden when any of it is, so
a page of a hundred thousand turns between seen and hidden costs the search no more than any long page.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from searchlog.evidence.passage import Passage
from searchlog.extract.conversion import Block, Conversion
from searchlog.tokens import fitting, token_count

__all__ = ["RULE", "Sizes", "passages"]

RULE = "passages/3"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long a passage is, in tokens of `tokens.token_count`."""

    enough: int = 62
    """Blocks are joined until a passage has this much (about 250 Latin characters)."""
    heading: int = 30
    """A heading begins a new passage once the running one has this much."""
    most: int = 225
    """No passage is longer, save code and by its own heading."""
    code_most: int = 450
    """Code up to this length stays whole."""


DEFAULT = Sizes()
_PASSAGES_MAX = 20_000
"""Of one page, after which sides are joined. Two million characters of running text make half as many."""
_LEVEL_MAX = 6
"""Of headings, as HTML and Markdown have them: the path above a passage is never longer, whoever wrote the blocks."""
_HEAD_CHARS_MAX = 1_000
"""Of a table's header row, which goes with each passage of the table."""

# The end of a sentence: marks of Latin, Greek, Arabic, Urdu, Devanagari, Armenian, Ethiopic, Khmer and Burmese text,
# which need white space after them, or full-width marks, which do not. Closing quotes and brackets belong to it.
_SENTENCE = re.compile(
    # each run is tried once and as a whole: a page of full stops alone took a second for each 100,000
    r"(?<![.!?…;؟۔।॥։።፧។၊။])[.!?…;؟۔।॥։።፧។၊။]++[\"'»”’)\]]*+\s++|[。！？｡．；][」』”’）】〉》]*+\s*+|\n++",
)
_LINE = re.compile(r"\n+")
_SPACE = re.compile(r"\s+")
# characters that must not begin a passage: they belong to the one before
_CLINGS = re.compile(
    r"[\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)


_Side = tuple[str | None, bool, int | None]
"""What all blocks of one passage share: why they are hidden, whether they are furniture, the page of a PDF."""


@dataclass(slots=True)
class _Unit:
    """A block, or a piece of one, without white space at its ends.

    Not changed once made, but not frozen: a page has hundreds, and frozen ones take four times as long to make.
    """

    block: Block
    start: int
    end: int
    tokens: int
    headings: tuple[tuple[int, int], ...]
    table_head: tuple[int, int] | None
    side: _Side
    lead_in: tuple[int, int] | None = None
    leads: bool = False
    """Whether it belongs to what follows: a heading, or a line that ends in a colon."""


def passages(source: int, conversion: Conversion, sizes: Sizes = DEFAULT) -> list[Passage]:
    """Return the passages of one conversion in order.

    source: the index that the passages carry.
    Blocks may leave gaps (they become blocks of kind `other`) and may overlap: where they do, the innermost block
    gives the kind, and the stretch is hidden if any block over it is.
    """
    text = conversion.text
    units = _units(text, _tiled(text, conversion.blocks), sizes)
    return [_passage(source, group) for group in _joined(units, sizes)]


# --- blocks that tile the text ---------------------------------------------------------------------------------


def _tiled(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in order, without overlap, over all of the text that is not white space."""
    size = len(text)
    ordered = blocks if _is_tidy(blocks, size) else _tidied(blocks, size)
    out: list[Block] = []
    at = 0
    for block in ordered:
        start = block.start
        if start > at and not text[at:start].isspace():
            out.append(Block("other", at, start))
        out.append(block)
        at = block.end
    if at < size:
        out.append(Block("other", at, size))
    untidy = [block for block in out if text[block.start].isspace() or text[block.end - 1].isspace()]
    if not untidy:
        return out
    return [trimmed for block in out if (trimmed := _trimmed(text, block)) is not None]


def _is_tidy(blocks: Sequence[Block], size: int) -> bool:
    """Return whether blocks are in order, without overlap, and not empty, as every converter makes them."""
    at = 0
    for block in blocks:
        if block.start < at or block.end <= block.start:
            return False
        at = block.end
    return at <= size


def _tidied(blocks: Sequence[Block], size: int) -> list[Block]:
    inside = [b if b.start >= 0 and b.end <= size else _clipped(b, size) for b in blocks]
    ordered = sorted((b for b in inside if b.start < b.end), key=lambda b: (b.start, -b.end))
    if any(after.start < before.end for before, after in pairwise(ordered)):
        return _flattened(ordered)
    return ordered


def _clipped(block: Block, size: int) -> Block:
    return replace(block, start=max(0, block.start), end=min(size, block.end))


def _flattened(ordered: Sequence[Block]) -> list[Block]:
    """Cut blocks that overlap into stretches: the innermost gives the kind, any hidden one hides."""
    edges = sorted({edge for block in ordered for edge in (block.start, block.end)})
    out: list[Block] = []
    open_blocks: list[Block] = []
    open_hidden: deque[Block] = deque()
    waiting = list(reversed(ordered))
    for start, end in pairwise(edges):
        while waiting and waiting[-1].start <= start:
            open_blocks.append(waiting.pop())
            if open_blocks[-1].hidden:
                open_hidden.append(open_blocks[-1])
        # what ended behind one that goes on is taken out when its turn comes: no edge looks at all that are open
        while open_blocks and open_blocks[-1].end <= start:
            open_blocks.pop()
        while open_hidden and open_hidden[0].end <= start:
            open_hidden.popleft()
        if not open_blocks:
            continue
        hidden = open_hidden[0].hidden if open_hidden else None
        stretch = replace(open_blocks[-1], start=start, end=end, hidden=hidden)
        if out and out[-1].end == start and replace(out[-1], start=start, end=end) == stretch:
            out[-1] = replace(out[-1], end=end)
        else:
            out.append(stretch)
    return out


def _trimmed(text: str, block: Block) -> Block | None:
    if not (text[block.start].isspace() or text[block.end - 1].isspace()):
        return block
    part = text[block.start : block.end]
    bare = part.strip()
    if not bare:
        return None
    start = block.start + len(part) - len(part.lstrip())
    return replace(block, start=start, end=start + len(bare))


# --- units -----------------------------------------------------------------------------------------------------


def _units(text: str, blocks: Iterable[Block], sizes: Sizes) -> Iterator[_Unit]:
    """Yield blocks with their headings and table head; blocks that are too long in pieces."""
    path: list[Block] = []
    headings: tuple[tuple[int, int], ...] = ()
    head: Block | None = None
    table_head: tuple[int, int] | None
    lead_in: tuple[int, int] | None = None
    for block in blocks:
        is_heading = block.kind == "heading" and not block.hidden
        if is_heading:
            level = min(block.level or 1, _LEVEL_MAX)
            while path and min(path[-1].level or 1, _LEVEL_MAX) >= level:
                path.pop()
            headings = tuple([(b.start, b.end) for b in path])
        if block.head and block.group is not None and (head is None or head.group != block.group):
            head = block
        table_head = None
        if head is not None and block.kind == "table-row" and block.group == head.group and block is not head:
            table_head = (head.start, min(head.end, head.start + _HEAD_CHARS_MAX))
        side = (block.hidden, block.furniture is not None, block.page)
        start, end = block.start, block.end
        most = sizes.code_most if block.kind == "code" else sizes.most
        if block.kind != "list-item":
            lead_in = (start, end) if _is_lead_in(text, block) else None
        leads = lead_in == (start, end) or block.kind == "heading"
        if end - start <= most:  # nothing costs more than a token a character
            part = text[start:end]
            count = (end - start + 3) // 4 if part.isascii() else token_count(part)  # the same, without a call
            yield _Unit(block, start, end, count, headings, table_head, side, lead_in, leads)
        else:
            for begin, stop, count in _pieces(text, block, most):
                yield _Unit(block, begin, stop, count, headings, table_head, side, lead_in, leads)
        if is_heading:
            path.append(block)
            headings = (*headings, (block.start, block.end))


_NAMES = ("heading", "term")
"""Kinds of blocks that name what follows them. Only a heading opens a passage: when terms did, and went with what they
define, documentation lost 6 points, for a definition then more often lies in two passages."""
_LEAD_CHARS_MAX = 300


def _is_lead_in(text: str, block: Block) -> bool:
    """Whether a block says what the list, code or table below it is: a short paragraph that ends in a colon."""
    short = block.kind == "paragraph" and block.end - block.start <= _LEAD_CHARS_MAX and not block.hidden
    return short and text[block.end - 1] in ":\uff1a"


def _pieces(text: str, block: Block, most: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, tokens) of a block, cut where it is longer than a passage may be."""
    start, end, code = block.start, block.end, block.kind == "code"
    while True:
        # no text costs less than a token for four characters, so a longer look-ahead cannot fit
        part = text[start : min(end, start + 4 * most + 1)]
        count = token_count(part)
        if count <= most:
            yield start, end, count
            return
        cut = _cut(part, most, code)
        bare = part[:cut].rstrip()
        yield start, start + len(bare), token_count(bare)
        space = _SPACE.match(text, start + cut, end)
        start = space.end() if space else start + cut


def _cut(part: str, most: int, code: bool) -> int:
    """Return where to cut a text of more than `most` tokens: after a sentence, else a word, else anywhere."""
    limit = _fitting(part, most)
    for pattern in (_LINE, _SPACE) if code else (_SENTENCE, _SPACE):
        best = 0
        for match in pattern.finditer(part, 0, limit):
            best = match.end()
        if best * 4 >= limit:
            return best
    cut = limit
    while cut > 1 and _CLINGS.match(part[cut]):
        cut -= 1
    return cut if cut > 1 else limit


def _fitting(part: str, most: int) -> int:
    """Return the length of the longest beginning that costs at most `most` tokens; at least 1."""
    high = min(len(part) - 1, most * 4)
    return max(1, min(high, high if part.isascii() else fitting(part, most)))  # ASCII is four characters a token


# --- joining ---------------------------------------------------------------------------------------------------


def _joined(units: Iterable[_Unit], sizes: Sizes) -> Iterator[list[_Unit]]:
    """Yield groups of neighbouring units, each to become one passage.

    A heading opens one; neither a heading nor a line that leads in to what follows ends one early.
    """
    group: list[_Unit] = []
    done = 0
    total = headings = 0  # tokens of the group, with the blanks inside it; how many units at its end lead on
    for unit in units:
        gap = 0
        if group:
            last = group[-1]
            chars = unit.start - last.end
            gap = chars // 4 if chars > _GAP_CHARS else 0
            turns = unit.side != last.side and done < _PASSAGES_MAX
            if turns or gap > sizes.most or _closes(total + gap, headings, len(group), unit, sizes):
                waiting = headings if not turns and headings < len(group) and gap <= sizes.most else 0
                done += 1
                kept = len(group) - waiting
                yield group[:kept]
                group = group[kept:]
                total = sum([part.tokens for part in group])
                gap = gap if group else 0
                headings = waiting
        group.append(unit)
        total += unit.tokens + gap
        headings = headings + 1 if unit.leads else 0
    if group:
        yield group


_GAP_CHARS = 8
"""Blanks between two units up to this many cost nothing; more cost what blanks of a text do."""


def _closes(total: int, leading: int, count: int, unit: _Unit, sizes: Sizes) -> bool:
    """Whether the running group ends before this unit.

    total: its tokens, with the blanks up to the unit. leading: how many of its `count` units, at its end, lead on.
    """
    if leading == count:
        return total > sizes.most  # headings alone wait for their text, even if the two are longer than `most`
    if total + unit.tokens > sizes.most:
        return True
    if leading:
        return False
    return total >= (sizes.heading if unit.block.kind == "heading" else sizes.enough)


def _passage(source: int, group: Sequence[_Unit]) -> Passage:
    first, last = group[0], group[-1]
    hidden: str | None = None
    kinds: dict[str, None] = {}
    furniture: dict[str, None] = {}
    for unit in group:
        block = unit.block
        kinds[block.kind] = None
        if block.furniture:
            furniture[block.furniture] = None
        hidden = hidden or block.hidden
    labels = [f"kind:{kind}" for kind in kinds if kind not in ("paragraph", "other")]
    if furniture:
        labels += [f"furniture:{name}" for name in furniture]
    if hidden:
        labels.append(f"hidden:{hidden}")
    table_head = None
    if "table-row" in kinds:
        heads = [unit.table_head for unit in group if unit.table_head is not None and unit.table_head[0] < first.start]
        table_head = min(heads, default=None)
    own: tuple[tuple[int, int], ...] = ()
    if not kinds.keys().isdisjoint(_NAMES):
        own = tuple((unit.start, unit.end) for unit in group if unit.block.kind in _NAMES)
    lead_in = first.lead_in if first.block.kind == "list-item" else None
    page = first.block.page
    return Passage(source, first.start, last.end, first.headings, tuple(labels), page, table_head, own, lead_in)
