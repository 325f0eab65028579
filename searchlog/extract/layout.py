"""From the lines of a PDF, with where they stand, to paragraphs, headings, list items, rows, code. Pure; no library.

A PDF knows letters and places only. What is read from the places: lines whose next word would not have fitted belong
to one paragraph and are joined by a space (by nothing between characters of scripts without spaces); where the
place says nothing, the line feed stays. Order is never changed, and no letter is, with one exception: a hyphen at the
end of a joined line becomes a soft hyphen (U+00AD) where the word seems to be one, so that it is found; the rest of
the document decides, and in doubt small letters are one word. Lines that come back at the edges of many pages are
labelled header or footer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

__all__ = ["HYPHEN", "Line", "Piece", "pieces_of"]

HYPHEN = "\ufffe"
"""What stands for a hyphen at the end of a line, as pdfium has it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is printed; places in points, from the lower left corner of the page."""

    text: str
    """Without blanks at its ends; a tab where there is a wide gap."""
    page: int
    left: float
    right: float
    base: float
    """Height of the baseline."""
    size: float
    """Height of the letters' boxes."""
    bold: bool = False
    mono: bool = False
    """In a typeface whose letters are equally wide."""
    cells: tuple[tuple[float, float], ...] = ()
    """Where the parts between tabs begin and end; empty when there is none."""
    from_right: bool = False
    """Written from right to left: then left and right are mirrored, so that all lines begin at the left."""
    turned: bool = False
    """Running up or down the page; the places are those of a page turned so that it does not."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A block before its offsets are known."""

    kind: str
    text: str
    page: int
    level: int = 0
    furniture: str | None = None
    group: int | None = None
    head: bool = False


_SAME_SIZE = 0.12
_SAME_HEIGHT = 0.4
_CELL_GAP = 1.2
_WORD_GAP = 0.1
_CELLS_MAX = 60
_ROW_CHARS_MAX = 4_000
_GAP = 1.22
"""Line spacings from which on a distance separates paragraphs."""
_INDENT = 0.8
"""Heights of a letter."""
_COLUMN_MIN = 8
"""Heights of a letter; lines shorter than that are not taken to be full, as no column is so narrow."""
_HEADING_SIZE = 1.15
_HEADING_CHARS_MAX = 200
_HEADING_LINES_MAX = 4
_EDGE_LINES = 2
_REPEATED_MIN = 3
_REPEATED_SHARE = 0.3
_DENSE = r"\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\u3000-\u303f"
_BULLET = re.compile(
    r"[\u2022\u2023\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\u00b7\uf0b7\u2043\u25a0\u25a1]\s*\S|[-\u2013*]\s+\S"
)
_NUMBERED = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\([ivx]{1,5}\))\s+\S")
_ENDED = re.compile(r"[.!?:;\u3002\uff01\uff1f\u2026][\"'\u201d\u2019)\]]*$")
_LEADER = re.compile(r"([ .\u2026]*\.)\s*\w{1,6}$")
_LEADER_DOTS_MIN = 3
_LEADER_CHARS = 24
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_PART = re.compile(r"([^\W_]+(?:-[^\W_]+)*)$")
_FIRST_PART = re.compile(r"([^\W_]+)")


def pieces_of(lines: Sequence[Line]) -> list[Piece]:
    """Return the blocks of a document, in its order."""
    return list(_Reader(list(_rejoined(lines))).pieces())


def _rejoined(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, those that stand on one height behind each other as one: cells of a row, raised letters."""
    whole: Line | None = None
    for line in lines:
        if whole is not None and _goes_on(whole, line):
            gap = line.left - whole.right
            first = whole.cells or ((whole.left, whole.right),)
            second = line.cells or ((line.left, line.right),)
            if gap > _CELL_GAP * whole.size:
                mark, cells = "\t", first + second
            else:
                mark = " " if gap > _WORD_GAP * whole.size else ""
                cells = (*first[:-1], (first[-1][0], second[0][1]), *second[1:])
            cells = cells if len(cells) > 1 else ()
            whole = replace(whole, text=f"{whole.text}{mark}{line.text}", right=line.right, cells=cells)
            continue
        if whole is not None:
            yield whole
        whole = line
    if whole is not None:
        yield whole


def _goes_on(above: Line, line: Line) -> bool:
    return (
        line.page == above.page
        and line.turned == above.turned
        and len(above.text) < _ROW_CHARS_MAX
        and abs(above.base - line.base) < _SAME_HEIGHT * above.size
        and line.left >= above.right - 0.1 * above.size
        and not line.from_right
        and not above.from_right
        and not above.text.endswith(HYPHEN)
    )


class _Reader:
    """All lines of a document, and what is known of them together."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._groups = 0
        self._edges = _edges(lines)
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[_rounded(line.size)] += len(line.text)
        self._body = sizes.most_common(1)[0][0] if sizes else 1.0
        bigger = sorted((size for size in sizes if size >= self._body * _HEADING_SIZE), reverse=True)
        self._levels = {size: min(6, rank) for rank, size in enumerate(_merged(bigger), 1)}
        self._bold_share = sum(len(line.text) for line in lines if line.bold) / max(1, sum(sizes.values()))
        self._pitch = _pitch(lines)

    @cached_property
    def _vocabulary(self) -> Counter[str]:
        """Words that stand inside lines."""
        found: Counter[str] = Counter()
        for line in self._lines:
            found.update(word.lower() for word in _WORD.findall(line.text)[:-1])
        return found

    def pieces(self) -> Iterator[Piece]:
        run: list[Line] = []
        previous: Line | None = None
        for index, line in enumerate(self._lines):
            edge = self._edges.get(index)
            if edge is not None:
                yield from self._run(run)
                run, previous = [], None
                yield Piece("paragraph", _plain(line.text), line.page, furniture=edge)
                continue
            if previous is not None and self._is_apart(previous, line):
                yield from self._run(run)
                run = []
            run.append(line)
            previous = line
        yield from self._run(run)

    def _is_apart(self, above: Line, line: Line) -> bool:
        """Return whether nothing joins two lines: another page, column, size, or a wide distance."""
        if line.page != above.page or line.from_right != above.from_right or line.turned != above.turned:
            return True
        down = above.base - line.base
        size = max(above.size, line.size)
        if abs(down) < size / 2:
            return line.left < above.left  # on the same height: what follows on the right goes on
        if down < 0 or down > self._pitch * size * _GAP + 0.5:
            return True
        if line.left > above.right or line.right < above.left:
            return True
        return abs(above.size - line.size) > _SAME_SIZE * size and not above.text.endswith(HYPHEN)

    # --- what is not apart

    def _run(self, run: list[Line]) -> Iterator[Piece]:
        if not run:
            return
        at = 0
        while at < len(run):
            code = at
            while code < len(run) and run[code].mono:
                code += 1
            if code - at > 1 and (code == len(run) or at == 0):
                yield Piece("code", _code(run[at:code]), run[at].page, group=self._group())
                at = code
                continue
            rows = at + 1
            while rows < len(run) and _are_rows(run[rows - 1], run[rows]):
                rows += 1
            if rows - at > 1:
                yield from self._rows(run[at:rows])
                at = rows
                continue
            end = at + 1
            while end < len(run) and not (end + 1 < len(run) and _are_rows(run[end], run[end + 1])):
                end += 1
            yield from self._prose(run[at:end])
            at = end

    def _group(self) -> int:
        self._groups += 1
        return self._groups

    def _rows(self, rows: Sequence[Line]) -> Iterator[Piece]:
        group = self._group()
        for row in rows:
            head = row is rows[0] and row.bold and not rows[-1].bold
            yield Piece("table-row", row.text.replace(HYPHEN, "-"), row.page, group=group, head=head)

    def _prose(self, lines: Sequence[Line]) -> Iterator[Piece]:
        margin = max(line.right for line in lines)
        edge = min(line.left for line in lines)
        paragraph: list[Line] = []
        for line in lines:
            if paragraph and self._begins(paragraph, line, margin, edge):
                yield self._paragraph(paragraph, margin)
                paragraph = []
            paragraph.append(line)
        yield self._paragraph(paragraph, margin)

    def _begins(self, paragraph: Sequence[Line], line: Line, margin: float, edge: float) -> bool:
        """Return whether a line begins a paragraph of its own."""
        above, first = paragraph[-1], paragraph[0]
        full = _is_full(above, line, margin)
        if _BULLET.match(line.text) or _leads(above.text):
            return True
        if _NUMBERED.match(line.text) and (not full or _is_item(first)):
            return True
        if above.bold != line.bold and len(paragraph) == 1 and not full:
            return True
        moved = line.left - above.left
        if abs(above.left + above.right - line.left - line.right) < above.size:
            return not full and _ENDED.search(above.text) is not None  # centred, or of one length
        if _is_item(first):
            return moved < -_INDENT * line.size and line.left <= first.left + 1 and not (full and line.left > edge)
        if moved > _INDENT * line.size:
            return True
        if moved < -_INDENT * line.size:
            return len(paragraph) > 1
        return not full and _ENDED.search(above.text) is not None

    def _paragraph(self, lines: Sequence[Line], margin: float) -> Piece:
        parts = [lines[0].text]
        for above, line in pairwise(lines):
            if abs(above.base - line.base) < max(above.size, line.size) / 2 or _is_full(above, line, margin):
                parts[-1] = self._before(parts[-1], line.text)
            else:
                parts[-1] = f"{_closed(parts[-1])}\n"
            parts.append(line.text)
        text = _plain(_closed("".join(parts)))
        first = lines[0]
        level = self._level(lines, text)
        if level:
            return Piece("heading", text.replace("\n", " "), first.page, level)
        if _is_item(first):
            return Piece("list-item", text, first.page, 1)
        return Piece("paragraph", text, first.page)

    def _level(self, lines: Sequence[Line], text: str) -> int:
        """Return the level of a heading, 0 when it is none: larger than the text, or bold where most is not."""
        if len(lines) > _HEADING_LINES_MAX or len(text) > _HEADING_CHARS_MAX or not any(map(str.isalpha, text)):
            return 0
        if _leads(text) or lines[0].turned:
            return 0
        level = self._levels.get(_nearest(_rounded(lines[0].size), self._levels)) if self._levels else None
        if level and lines[0].size >= self._body * (_HEADING_SIZE - 0.02):
            return level
        bold = all(line.bold for line in lines) and self._bold_share < 1 / 3
        if bold and len(lines) <= 2 and not text.endswith((".", ",", ";")):
            return min(6, max(self._levels.values(), default=0) + 1)
        return 0

    def _before(self, text: str, following: str) -> str:
        """Return a line as it stands before the next one of its paragraph: with a space or a hyphen, or neither."""
        if text.endswith(_HYPHENS):
            return self._at_hyphen(text, following)
        if _DENSE_END.match(text[-1:]) and _DENSE_END.match(following):
            return text
        return f"{text} "

    def _at_hyphen(self, text: str, following: str) -> str:
        """Return a line that ends with a hyphen: kept, or soft if the word seems to be broken there only."""
        kept = "-" if text[-1] == HYPHEN else text[-1]
        before, after = _LAST_PART.search(text[-_WORD_CHARS:-1]), _FIRST_PART.match(following[:_WORD_CHARS])
        if before is None:
            return f"{text[:-1]}{kept} "
        if after is None:
            return f"{text[:-1]}{kept}"
        if kept != "\u00ad":
            if not (after[1].islower() and before[1][-1:].islower()):
                return f"{text[:-1]}{kept}"
            one, two = before[1].lower(), after[1].lower()
            if self._vocabulary[f"{one}-{two}"] > self._vocabulary[f"{one}{two}"] or "-" in one:
                return f"{text[:-1]}{kept}"
        return f"{text[:-1]}\u00ad"


_HYPHENS = (HYPHEN, "-", "\u00ad", "\u2010")
_DENSE_END = re.compile(rf"[{_DENSE}]")
_WORD_CHARS = 60


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _merged(sizes: Sequence[float]) -> Iterator[float]:
    """Yield sizes from large to small, those that hardly differ from the one before left out."""
    last: float | None = None
    for size in sizes:
        if last is None or size < last * 0.96:
            last = size
            yield size


def _nearest(size: float, sizes: dict[float, int]) -> float:
    return min(sizes, key=lambda other: abs(other - size))


def _pitch(lines: Sequence[Line]) -> float:
    """Return the usual distance of two lines, in heights of their letters."""
    found = Counter[float]()
    for above, line in pairwise(lines):
        if above.page == line.page and line.size and abs(above.size - line.size) < _SAME_SIZE * line.size:
            distance = (above.base - line.base) / line.size
            if 0.7 < distance < 3:
                found[round(distance, 1)] += 1
    if not found:
        return 1.25
    total, seen = sum(found.values()), 0
    for distance in sorted(found):  # the median: paragraphs of one line each would shift a mean
        seen += found[distance]
        if seen * 2 >= total:
            return distance
    raise AssertionError("a median exists")


def _edges(lines: Sequence[Line]) -> dict[int, str]:
    """Return the indexes of lines that come back at the edges of pages, digits aside: running heads, page numbers.

    Three times at the same height are enough, or on a share of the pages at any.
    """
    by_page: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        by_page.setdefault(line.page, []).append(index)
    if len(by_page) < _REPEATED_MIN:
        return {}
    places: list[tuple[int, str, str, int]] = []
    for indexes in by_page.values():
        by_height = sorted(indexes, key=lambda index: -lines[index].base)
        for label, some in (("header", by_height[:_EDGE_LINES]), ("footer", by_height[_EDGE_LINES:][-_EDGE_LINES:])):
            for index in some:
                text = re.sub(r"\d+|^[ivxlc]+$", "0", lines[index].text)
                places.append((index, label, text, round(lines[index].base / 3)))
    anywhere = Counter((label, text) for _, label, text, _ in places)
    there = Counter((label, text, height) for _, label, text, height in places)
    enough = max(_REPEATED_MIN, _REPEATED_SHARE * len(by_page))
    return {
        index: label
        for index, label, text, height in places
        if anywhere[label, text] >= enough or there[label, text, height] >= _REPEATED_MIN
    }


def _is_full(above: Line, line: Line, margin: float) -> bool:
    """Return whether the first word of a line would not have fitted on the line above it."""
    if above.text.endswith(HYPHEN):
        return True
    if above.right - above.left < _COLUMN_MIN * above.size or _leads(above.text):
        return False
    if max(len(above.cells), len(line.cells)) > 2:  # two words of a justified line may be as far apart as two cells
        return False
    words = line.text.split(maxsplit=1)
    width = (line.right - line.left) / max(1, len(line.text))
    dense = _DENSE_END.match(line.text)
    first = 1 if dense else len(words[0]) + 1
    return above.right + first * width >= margin - width / 2


def _are_rows(above: Line, line: Line) -> bool:
    """Return whether two lines are rows of one table: a cell of one begins, ends or stands in the middle as one of the
    other does."""
    near = 0.35 * line.size
    ones, others = above.cells[1:_CELLS_MAX], line.cells[1:_CELLS_MAX]
    if not ones or not others:
        return False
    return (
        _meet([cell[0] for cell in ones], [cell[0] for cell in others], near)
        or _meet([cell[1] for cell in ones], [cell[1] for cell in others], near)
        or _meet([sum(cell) for cell in ones], [sum(cell) for cell in others], 2 * near)
    )


def _meet(ones: Sequence[float], others: Sequence[float], near: float) -> bool:
    """Return whether two places are less than `near` apart."""
    places = sorted(others)
    for one in ones:
        at = bisect_left(places, one)
        if any(abs(one - place) < near for place in places[max(0, at - 1) : at + 1]):
            return True
    return False


def _leads(text: str) -> bool:
    """Return whether dots lead to a page number at the end of a line."""
    found = _LEADER.search(text[-_LEADER_CHARS:])
    return found is not None and found[1].count(".") >= _LEADER_DOTS_MIN


def _is_item(line: Line) -> bool:
    return _BULLET.match(line.text) is not None or _NUMBERED.match(line.text) is not None


def _closed(text: str) -> str:
    """Return the text with its last hyphen as a letter, for nothing follows that it could join."""
    return f"{text[:-1]}-" if text.endswith(HYPHEN) else text


def _plain(text: str) -> str:
    return text.replace("\t", " ").replace(HYPHEN, "-")


def _code(lines: Sequence[Line]) -> str:
    """Return lines of code, their indentation told by where they begin."""
    edge = min(line.left for line in lines)
    widths = sorted((line.right - line.left) / max(1, len(line.text)) for line in lines)
    width = widths[len(widths) // 2] or 1.0
    return "\n".join(" " * min(80, round((line.left - edge) / width)) + _plain(line.text) for line in lines)
