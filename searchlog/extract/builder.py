"""From events of a tree (element starts, text, element ends) to text and blocks. Pure; knows nothing of a parser.

Whitespace is folded as CSS `white-space: normal` does: runs of space, tab, LF, FF, CR become one space, none at
the edges of a block. Other space characters (no-break, ideographic) and all invisible letters stay as they are.
Inside `pre` nothing changes. `<br>` is a line feed, two of them in a row begin a new block. Cells of a table row
are joined by tabs. Ruby readings stay where they stand in the page. What is added between pieces of the page is
whitespace only.

Hidden text that stands inside a visible block comes as a block of its own after it, so that what a person reads in
one piece is one piece here. Spec: HTML Living Standard section 15.3 (rendering of flow content), CSS Text 3
section 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from searchlog.extract.conversion import BLOCKS_MAX, Block
from searchlog.extract.elements import Elements, Layout
from searchlog.extract.folding import folded, paragraphs
from searchlog.extract.furniture import Region, furniture_of
from searchlog.extract.style import PLAIN, Look, Sheet, alike, look_of
from searchlog.extract.tags import BLOCK, NEUTRAL, PREFORMATTED, SKIPPED, VOID

__all__ = ["INLINE", "OPEN", "PASSED", "TURNED", "Builder", "Built"]

PASSED, INLINE, OPEN, TURNED = range(4)
"""What `Builder.start` answers: the element and all inside it is passed over; it changes nothing and `end` is not to be
called for it; it is open; it is open, and text inside it turned from seen to hidden or back."""

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_KINDS = {
    "dt": "term",
    "dd": "term",
    "blockquote": "quote",
    "figcaption": "caption",
    "caption": "caption",
    "button": "other",
    "legend": "other",
    "summary": "other",
}
_ROW_CHARS_MAX = 2000
_ROW_PIECES_MAX = 4000
_ROW_CELLS_MAX = 2000
_CELL_BLOCKS_MAX = 12
_RUN_MAX = 50_000
"""Text nodes of one run that are kept apart."""
_SPAN_MAX = 20
_SHOWN_BLOCKS_MIN = 8
_SHOWN_CHARS_MIN = 2000
_FOR_READERS = frozenset(
    ("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "u-visually-hidden")
)
"""Classes that by common custom take text off the screen, whoever's style sheet it is."""
_FOR_EARS = Look(gone="offscreen")
_SPECIAL = frozenset(("dialog", "font"))
"""Elements that may hide or colour their text without a style."""


class _State(NamedTuple):
    """What an element hands down to what is inside it."""

    kind: str = "paragraph"
    level: int = 0
    group: int | None = None
    lists: int = 0
    pre: bool = False
    head: bool = False
    hidden: str | None = None
    soft: bool = False
    """Whether a descendant may show itself again (visibility, size, colour)."""
    ground: str = ""
    """The colour behind the text, 8 hex digits; empty when it is not known."""
    link: bool = False

    def of(self, kind: str, level: int) -> _State:
        """Return the same of another kind and level. A quarter of the time of `_replace`."""
        return _State._make((kind, level, *self[2:]))


@dataclass(slots=True)
class _Piece:
    """A block before its offsets are known."""

    kind: str
    text: str
    level: int
    group: int | None
    hidden: str | None
    element: int
    """Index of the innermost block element around it."""
    linked: int = 0
    """How many of its characters are in links, about."""
    head: bool = False


@dataclass(slots=True)
class _Row:
    """A table row under way: where each cell's blocks begin."""

    cells: list[int]
    """Index of the first piece of each cell; -1 for a column that a spanning cell takes up."""
    elements: int = 0
    veils: int = 0
    """How many elements and veils there were before the first cell."""
    head: bool = True


@dataclass(frozen=True, slots=True)
class Built:
    """Everything the walk found."""

    text: str
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...]
    layout: Layout


class Builder:
    """Takes events in document order: `start`, `text`, `end`, then `finish`."""

    def __init__(
        self,
        sheet: Sheet,
        *,
        passed: frozenset[str] = SKIPPED,
        shown: frozenset[str] = frozenset(),
        ground: str = "",
        blocks_max: int = BLOCKS_MAX,
    ) -> None:
        """passed: elements that are never text. shown: ids of hidden elements that the page's scripts put in place.

        ground: the colour behind the page, 8 hex digits, where nothing but its own styles has a say in colours.
        blocks_max: what comes after so many blocks is one more block, and one for what is hidden of it.
        """
        self._sheet = sheet
        self._styled = sheet.tags
        self._ruled = sheet.has_rules
        self._every = "*" in sheet.tags
        self.silent = frozenset((passed | VOID) - BLOCK - {"br"})
        """Elements for which `start` does nothing at all."""
        self._shown = shown
        self._pieces: list[_Piece] = []
        self._blocks_max = blocks_max
        self._rest: list[str] = []
        self._hidden_rest: list[str] = []
        self._rest_why: str | None = None
        self.char_count = 0
        """Characters of the blocks so far."""
        self._run: list[str] = []
        self._linked = 0
        self._hidden_run: list[str] = []
        self._hidden_why: str | None = None
        self._broken = False
        self._state = _State(ground=ground)
        self.ground = ground
        """As given; empty when colours are judged only where one place states both."""
        self._stack: list[tuple[_State, bool, int, int]] = []
        """The outer state, whether the element is a block, the element around it, the index of its veil (or -1)."""
        self._rows: list[_Row | None] = []
        self._tables: list[int] = []
        self.elements = Elements()
        self._element = 0
        self._veils: list[Region] = []
        """Hidden block elements and what they hold."""
        self._groups = 0

    @property
    def hidden(self) -> str | None:
        """Why text that comes now would not be seen; None when it is."""
        return self._state.hidden

    def text(self, data: str) -> None:
        """Take the data of a text node."""
        state = self._state
        if state.hidden is not None:
            self._hidden_run.append(data)
            self._hidden_why = state.hidden
            if len(self._hidden_run) > _RUN_MAX:
                self._hidden_run = ["".join(self._hidden_run)]
        elif self._run or state.pre or not (data.isspace() and data.isascii()):
            self._run.append(data)
            if state.link:
                self._linked += len(data)
            if len(self._run) > _RUN_MAX:
                self._run = ["".join(self._run)]

    def start(self, tag: str, attributes: Mapping[str, str | None], node: Any = None) -> int:
        """Open an element; the answer is one of PASSED, INLINE, OPEN, TURNED.

        node: of the tree, for style rules that look around it.
        """
        block = tag in BLOCK
        if not block:
            if tag in self.silent:
                return PASSED
            if tag == "br":
                self.text("\0")
                self._broken = True
                return PASSED
            if (
                not attributes
                and tag not in self._styled
                and not self._every
                and not (self._ruled and self._state.soft)
            ):
                return INLINE
        elif tag in ("hr", "optgroup"):
            self._flush()
            return PASSED
        look = PLAIN
        state = outer = self._state
        if outer.soft and self._ruled:
            look = self._sheet.look(tag, attributes, node, veiled=outer.hidden)
            block = block or look.block
        elif (self._ruled or "style" in attributes) if attributes else (tag in self._styled or self._every):
            look = self._sheet.look(tag, attributes, node, veiled=None if outer.hidden is None else "")
            block = block or look.block
        around = self._element
        if block:
            if self._run or self._hidden_run:
                self._flush()
            if tag not in NEUTRAL or "role" in attributes:
                state = self._enter(tag, attributes, state)
            self._element = self.elements.open(tag, attributes, around, len(self._pieces))
            if attributes:
                names = attributes.get("class")
                if look is PLAIN and names and _is_for_ears(names):
                    look = _FOR_EARS
                if state.ground and not self.ground and (names or "id" in attributes):
                    # a linked style sheet may give another colour to what it can name
                    state = state._replace(ground="")
        elif tag == "a":
            if "href" in attributes and not state.link:
                state = _State._make((*state[:9], True))
        elif tag == "span" and look is PLAIN and (names := attributes.get("class")) and _is_for_ears(names):
            look = _FOR_EARS
        answer, veil = OPEN, -1
        if self.ground and ("bgcolor" in attributes or "background" in attributes):
            look = _with_old_ground(look, attributes)
        if look is not PLAIN or tag in _SPECIAL or (attributes and ("hidden" in attributes or "popover" in attributes)):
            if tag == "font":
                look = _with_old(look, attributes)
            if look.placed and self.ground and state.ground == self.ground:
                state = state._replace(ground="")
            if look.ink is not None and state.ground and alike(look.ink, state.ground):
                look = look._replace(coloured=False)
            if look.ground is not None:
                state = state._replace(ground=look.ground)
            hidden, soft = _hidden(tag, attributes, look, outer)
            if hidden == "attribute" and attributes.get("id") in self._shown:
                hidden = outer.hidden
            if hidden != outer.hidden:
                state = _State(*state[:6], hidden, soft, state.ground, state.link)
                if hidden is None or outer.hidden is None:
                    answer = TURNED
                if outer.hidden is None and block and not tag.startswith("t"):  # not a part of a table
                    veil = len(self._veils)
                    self._veils.append(Region(hidden or "", len(self._pieces)))
        if not block and state is outer:
            return INLINE
        self._stack.append((outer, block, around, veil))
        self._state = state
        return answer

    def end(self, tag: str) -> None:
        """Close the element opened last, unless `start` answered PASSED or INLINE for it."""
        state, block, around, veil = self._stack.pop()
        if block:
            if self._run or self._hidden_run:
                self._flush()
            if tag == "tr":
                self._end_row()
            elif tag == "table" and self._tables:
                self._tables.pop()
                self._rows.pop()
            self.elements.close(self._element, len(self._pieces))
            self._element = around
            if veil >= 0:
                self._veils[veil].end = len(self._pieces)
        self._state = state

    def _enter(self, tag: str, attributes: Mapping[str, str | None], state: _State) -> _State:
        """Return the state inside a block element."""
        level = _HEADINGS.get(tag)
        if level is None and attributes.get("role") == "heading":
            stated = attributes.get("aria-level") or "2"
            level = int(stated) if stated in ("1", "2", "3", "4", "5", "6") else 2
        if level is not None:
            return state.of("heading", level)
        if state.kind == "heading" or tag in NEUTRAL:
            return state
        if tag in PREFORMATTED:
            return state._replace(kind="code", level=0, pre=True, group=self._group())
        if tag in ("ul", "ol", "menu", "dir"):
            group = state.group if state.lists else self._group()
            return _State._make((state.kind, state.level, group, state.lists + 1, *state[4:]))
        if tag == "dl":
            return state._replace(group=self._group())
        if tag == "li":
            return state.of("list-item", max(1, state.lists))
        kind = _KINDS.get(tag)
        if kind is not None:
            return state.of(kind, 0) if kind != "other" or state.kind == "paragraph" else state
        return self._enter_table(tag, attributes, state)

    def _enter_table(self, tag: str, attributes: Mapping[str, str | None], state: _State) -> _State:
        if tag == "table":
            group = self._group()
            self._tables.append(group)
            self._rows.append(None)
            return state._replace(kind="paragraph", level=0, group=group, lists=0, head=False)
        if not self._tables:
            return state
        if tag == "thead":
            return state._replace(head=True)
        if tag == "tr":
            self._rows[-1] = _Row([])
        elif tag in ("td", "th"):
            row = self._rows[-1]
            if row is not None:
                if not row.cells:
                    row.elements, row.veils = len(self.elements), len(self._veils)
                row.cells.append(len(self._pieces))
                row.head = row.head and (tag == "th" or state.head)
                span = attributes.get("colspan") or ""
                if span.isascii() and span.isdigit() and len(row.cells) < _ROW_CELLS_MAX:
                    row.cells.extend([-1] * (min(int(span[:4]), _SPAN_MAX) - 1))
            return _State._make(("paragraph", 0, state.group, 0, *state[4:]))
        return state

    def _group(self) -> int:
        self._groups += 1
        return self._groups

    def _flush(self) -> None:
        """End the run of inline content; it becomes blocks of the present kind."""
        if self._run:
            self._emit("".join(self._run), None)
            self._run.clear()
            self._linked = 0
        if self._hidden_run:
            self._emit("".join(self._hidden_run), self._hidden_why)
            self._hidden_run.clear()
        self._broken = False

    def _emit(self, raw: str, hidden: str | None) -> None:
        state = self._state
        if state.pre:
            raw = raw.replace("\0", "\n")
            if raw and not raw.isspace():
                self._add(_Piece("code", raw, 0, state.group, hidden, self._element))
            return
        text = folded(raw)
        linked = self._linked if hidden is None else 0
        for part in paragraphs(text) if self._broken else (text,):
            if part and not part.isspace():
                share = len(part) * linked // len(raw) if linked else 0
                self._add(_Piece(state.kind, part, state.level, state.group, hidden, self._element, share))

    def _add(self, piece: _Piece) -> None:
        self.char_count += len(piece.text) + 1
        if len(self._pieces) < self._blocks_max and not self._rest and not self._hidden_rest:
            self._pieces.append(piece)
        elif piece.hidden is None:
            self._rest.append(piece.text)
        else:
            self._hidden_rest.append(piece.text)
            self._rest_why = piece.hidden

    def _add_rest(self) -> bool:
        """Make one piece of what came after the last of its own; return whether there was any."""
        for texts, why in ((self._rest, None), (self._hidden_rest, self._rest_why)):
            if texts:
                self._pieces.append(_Piece("other", "\n".join(texts), 0, None, why, 0))
        return bool(self._rest or self._hidden_rest)

    def _end_row(self) -> None:
        """Join the cells of the row into one block, unless they hold more than short plain content."""
        row = self._rows[-1] if self._rows else None
        if row is None:
            return
        self._rows[-1] = None
        first = next((at for at in row.cells if at >= 0), len(self._pieces))
        if len(self._pieces) - first > _ROW_PIECES_MAX or len(row.cells) > _ROW_CELLS_MAX:
            return  # far from short and plain; and rows around rows would look at everything again
        inside = self._pieces[first:]
        hidden = None if any(piece.hidden is None for piece in inside) else inside[0].hidden if inside else None
        seen = [piece for piece in inside if piece.hidden == hidden]
        group = self._tables[-1]
        simple = (
            len(row.cells) > 1
            and bool(seen)
            and all(piece.kind in ("paragraph", "other", "list-item", "term") for piece in seen)
            and sum(len(piece.text) for piece in seen) <= _ROW_CHARS_MAX
        )
        cells: list[str] = []
        if simple:
            starts = [at for at in row.cells if at >= 0] + [len(self._pieces)]
            spans = pairwise(starts)
            for at in row.cells:
                if at < 0:
                    cells.append("")
                    continue
                begin, stop = next(spans)
                parts = [piece.text for piece in self._pieces[begin:stop] if piece.hidden == hidden]
                simple = simple and len(parts) <= _CELL_BLOCKS_MAX
                cells.append(" ".join(parts).replace("\n", " ").replace("\t", " "))
        if simple:
            text = "\t".join(cells).rstrip("\t")
            linked = sum(piece.linked for piece in seen)
            joined = _Piece("table-row", text, 0, group, hidden, self._element, linked, row.head)
            others = [piece for piece in inside if piece.hidden != hidden]
            for piece in others:
                piece.element = self._element
            self._pieces[first:] = [joined, *others]
            self.elements.forget(row.elements)
            del self._veils[row.veils :]

    def finish(self, chars_max: int) -> Built:
        """Return the text and its blocks; text beyond `chars_max` is cut, and a warning says so."""
        while self._stack:
            self.end("")
        self._flush()
        coarse = self._add_rest()
        shown = _unveil(self._pieces, self._veils)
        self.elements.close(0, len(self._pieces))
        built = _assemble(self._pieces, self.elements, chars_max)
        cut = ("styles-cut",) if self._sheet.is_spent else ()
        more = (*(("blocks-joined",) if coarse else ()), *(("shown-by-script",) if shown else ()), *cut)
        return replace(built, warnings=(*built.warnings, *more)) if more else built


def _unveil(pieces: list[_Piece], veils: list[Region]) -> bool:
    """Show what is the page itself: transparent or invisible until a script fades it in.

    Many honest pages send their whole content with `opacity: 0`. A long part of many blocks that makes up most of the
    page is such a page, not a sentence slipped into one; `display: none`, the attribute and all other ways stay hidden.
    """
    if not veils:
        return False
    total = sum(len(piece.text) for piece in pieces)
    shown = False
    looked = {"opacity": 0, "visibility": 0}
    """Where the last veil of each kind ended: one inside it holds nothing that it does not."""
    for veil in veils:
        if veil.start < looked.get(veil.label, len(pieces) + 1):
            continue
        looked[veil.label] = veil.end
        inside = [piece for piece in pieces[veil.start : veil.end] if piece.hidden == veil.label]
        size = sum(len(piece.text) for piece in inside)
        if len(inside) >= _SHOWN_BLOCKS_MIN and size >= _SHOWN_CHARS_MIN and size * 2 > total:
            shown = True
            for piece in inside:
                piece.hidden = None
    return shown


def _is_for_ears(names: str) -> bool:
    """Return whether one of the classes takes text off the screen by common custom."""
    if "-only" in names or "hidden" in names or "-reader-" in names:  # few; and most tests end here
        return not _FOR_READERS.isdisjoint(names.split())
    return False


def _hidden(tag: str, attributes: Mapping[str, str | None], look: Look, outer: _State) -> tuple[str | None, bool]:
    """Return why the element's text is not seen (None when it is), and whether something inside may be seen again."""
    if outer.hidden is not None and not outer.soft:
        return outer.hidden, False
    closed = "hidden" in attributes or "popover" in attributes or (tag == "dialog" and "open" not in attributes)
    if closed and not look.block:
        return "attribute", False
    if look.gone is not None:
        return look.gone, False
    stated = {"visibility": look.visibility, "size": look.sized, "colour": look.coloured}
    for reason, seen in stated.items():
        if seen is False:
            return reason, True
    if outer.hidden is not None and stated[outer.hidden]:
        return None, False
    return outer.hidden, outer.soft


def _with_old(look: Look, attributes: Mapping[str, str | None]) -> Look:
    """Return the look with the colour that an attribute of old gives, which styles override."""
    ink = attributes.get("color")
    if not ink or look.coloured is not None or look.ink is not None:
        return look
    given = look_of({"color": (ink.strip().lower(), False)})
    return look._replace(coloured=given.coloured, ink=given.ink)


def _with_old_ground(look: Look, attributes: Mapping[str, str | None]) -> Look:
    """Return the look with the background that attributes of old give, which styles override."""
    if look.ground is not None:
        return look
    if "background" in attributes:
        return look._replace(ground="")
    stated = (attributes.get("bgcolor") or "").strip().lower()
    return look._replace(ground=look_of({"background": (stated, False)}).ground)


def _assemble(pieces: list[_Piece], elements: Elements, chars_max: int) -> Built:
    sizes = [0 if piece.hidden else len(piece.text) for piece in pieces]
    labels = furniture_of(sizes, elements.regions())
    blocks: list[Block] = []
    texts: list[str] = []
    at = 0
    warnings: tuple[str, ...] = ()
    for piece, label in zip(pieces, labels, strict=True):
        text = piece.text
        end = at + len(text)
        if end > chars_max:
            warnings = ("text-cut",)
            if at >= chars_max:
                break
            text, end = text[: chars_max - at], chars_max
        blocks.append(Block(piece.kind, at, end, piece.level, label, piece.hidden, None, piece.group, piece.head))
        texts.append(text)
        if warnings:
            break
        at = end + 1
    layout = Layout(elements, [piece.element for piece in pieces], [piece.linked for piece in pieces])
    return Built("\n".join(texts), tuple(blocks), warnings, layout)
