"""A page prepared for looking passages up in it: one folded stream of its visible text, and the blocks over it. Pure.

The stream has the blocks in order with one blank between them (none in scripts without blanks), so it is the same
whether a paragraph is one block or three. Reference marks such as `[12]` are left out of it, save in code: they are
renumbered whenever somebody adds a source. `marks_in` gives them back.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from searchlog.extract.conversion import Block, Conversion
from searchlog.wording.alignment import Token, tokens_of
from searchlog.wording.folding import fold
from searchlog.wording.notices import is_notice, is_of_itself, is_pointer, notices_of

__all__ = ["EDIT", "MARK", "PERMALINK", "Page", "Part", "outline_free"]

MARK = re.compile(r"\[[0-9]{1,3}\]")
"""A reference mark."""
PERMALINK = re.compile("[\u00b6\u00a7#\U0001f517\u2693]")
EDIT = re.compile(
    r"\[ ?(?:edit|bearbeiten|modifier|editar|modifica|bewerken|edytuj|править|编辑|編輯|編集|편집)[^\[\]]{0,40}\]",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    "(?: ?[\u00b6\u00a7\U0001f517\u2693]| #|(?<=[a-z]{3})#|(?<=[?!).:\u00b6\u00a7])#| ?" + EDIT.pattern + ")+$",
    re.IGNORECASE,
)
"""What stands behind a heading for a reader to click on: a link to itself, or to what changes it."""
_HEADED = frozenset(("heading", "term", "other"))
_UNSPACED = re.compile("[\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1780-\u17ff]")
_LEVEL_MAX = 6
_LEAD_IN_CHARS_MAX = 300
_HEADING_CHARS_MAX = 500


@dataclass(frozen=True, slots=True)
class Part:
    """One visible block of a page, in its stream."""

    number: int
    start: int
    end: int
    """`[start, end)` of the stream."""
    text: str
    """Folded."""
    kind: str
    level: int
    furniture: str | None
    group: int | None
    head: bool
    path: str
    """The names of the elements around it; empty when the conversion does not say."""
    link: int
    repeats: int
    raw_start: int
    raw_end: int
    """`[start, end)` of the text of the conversion."""


@dataclass(eq=False)
class Page:
    """One page, prepared once and asked for many passages."""

    conversion: Conversion
    hidden_too: bool = False
    """Whether what a reader does not see is in the stream as well."""
    parts: Sequence[Part] = field(default=(), init=False)
    stream: str = field(default="", init=False, repr=False)
    starts: Sequence[int] = field(default=(), init=False, repr=False)
    ends: Sequence[int] = field(default=(), init=False, repr=False)

    @classmethod
    def of(cls, conversion: Conversion) -> Page:
        """Return the page of a conversion. Linear in its text."""
        return cls(conversion)

    def __post_init__(self) -> None:
        text = self.conversion.text
        places = self.conversion.places
        known = len(places) == len(self.conversion.blocks)
        parts: list[Part] = []
        pieces: list[str] = []
        starts, ends = array("q"), array("q")
        size = 0
        for index, block in self._shown():
            folded = fold(text[block.start : block.end])
            kept = _without_marks(folded.text) if block.kind != "code" else None
            if block.kind in _HEADED and (signs := _SIGNS.search(folded.text)):
                kept = [(a, min(b, signs.start())) for a, b in kept or [(0, signs.start())] if a < signs.start()]
            line = folded.text if kept is None else "".join([folded.text[a:b] for a, b in kept])
            if not line:
                continue
            if pieces and not (_UNSPACED.match(line[0]) or _UNSPACED.match(pieces[-1][-1])):
                pieces.append(" ")
                starts.append(ends[-1])
                ends.append(block.start)
                size += 1
            for a, b in kept or [(0, len(folded.text))]:
                starts.extend([block.start + n for n in folded.starts[a:b]])
                ends.extend([block.start + n for n in folded.ends[a:b]])
            pieces.append(line)
            place = places[index] if known and index >= 0 else None
            parts.append(
                Part(
                    len(parts),
                    size,
                    size + len(line),
                    line,
                    block.kind,
                    block.level,
                    block.furniture,
                    block.group,
                    block.head,
                    place.path if place else "",
                    place.link if place else 0,
                    place.repeats if place else 1,
                    block.start,
                    block.end,
                )
            )
            size += len(line)
        self.parts, self.stream, self.starts, self.ends = parts, "".join(pieces), starts, ends

    def _shown(self) -> list[tuple[int, Block]]:
        """Return the blocks that are in the stream with their number, and what lies between blocks as `other`."""
        text = self.conversion.text
        out: list[tuple[int, Block]] = []
        at = 0
        for index, block in enumerate(self.conversion.blocks):
            start, end = max(block.start, at), min(block.end, len(text))
            if start > at and text[at:start].strip():
                out.append((-1, Block("other", at, start)))
            if end > start and (self.hidden_too or not block.hidden):
                same = start == block.start and end == block.end
                out.append((index, block if same else Block("other", start, end)))
            at = max(at, end)
        if text[at:].strip():
            out.append((-1, Block("other", at, len(text))))
        return out

    @cached_property
    def with_hidden(self) -> Page:
        """The page with what a reader does not see."""
        if self.hidden_too or not any(block.hidden for block in self.conversion.blocks):
            return self
        return Page(self.conversion, hidden_too=True)

    @cached_property
    def _part_starts(self) -> list[int]:
        return [part.start for part in self.parts]

    def part_at(self, place: int) -> Part:
        """Return the part that a place of the stream is in; the blank before a part counts to the one before."""
        return self.parts[max(0, bisect_right(self._part_starts, place) - 1)]

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the conversion's text that a range of the stream stands for; it must not be empty."""
        return self.starts[start], self.ends[end - 1]

    def folded_range(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the range of the stream for a range of the conversion's text; None when nothing of it is there."""
        low = bisect_left(self.ends, start + 1)
        high = bisect_left(self.starts, end)
        while low < high and self.stream[low] == " ":
            low += 1
        while high > low and self.stream[high - 1] == " ":
            high -= 1
        return (low, high) if low < high else None

    def marks_in(self, start: int, end: int) -> list[str]:
        """Return the reference marks in a range of the stream, in order."""
        low, high = self.raw(start, end)
        return MARK.findall(self.conversion.text, low, high)

    # --- what stands over a part ---------------------------------------------------------------------------------

    @cached_property
    def _paths(self) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """By part: the numbers of the headings over it, all of them, and those that are main text."""
        return _paths(self.parts, furniture=True), _paths(self.parts, furniture=False)

    def headings_over(self, number: int, *, furniture: bool) -> tuple[int, ...]:
        """Return the numbers of the headings over a part, outermost first."""
        return self._paths[0 if furniture else 1][number]

    def headings_over_without(self, number: int, out: Collection[int]) -> tuple[int, ...]:
        """Return the numbers of the headings over a part as if some headings were not there."""
        path: list[Part] = []
        for part in self.parts[:number]:
            if part.kind == "heading" and part.number not in out:
                path = [one for one in path if _level(one) < _level(part)]
                path.append(part)
        return tuple([part.number for part in path])

    def table_head_over(self, part: Part) -> str:
        """Return the head of the table that a row stands in, or its first row where none is marked; else empty."""
        if part.kind != "table-row" or part.group is None:
            return ""
        return self._heads.get(part.group, "")

    @cached_property
    def _heads(self) -> dict[int, str]:
        heads: dict[int, str] = {}
        marked: set[int] = set()
        for part in self.parts:
            if part.group is not None and part.kind == "table-row":
                if part.head and part.group not in marked:
                    heads[part.group] = part.text
                    marked.add(part.group)
                heads.setdefault(part.group, part.text)
        return heads

    def lead_in_over(self, part: Part) -> Part | None:
        """Return the short part that ends in a colon above the list that a part stands in, or None."""
        if part.kind != "list-item":
            return None
        number = self._list_starts[part.number] - 1
        return self.parts[number] if number >= 0 and is_lead_in(self.parts[number]) else None

    def list_start(self, part: Part) -> int:
        """Return the number of the first part of the list that a part stands in; of another part its own."""
        return self._list_starts[part.number]

    @cached_property
    def _list_starts(self) -> list[int]:
        out: list[int] = []
        for part in self.parts:
            same = bool(out) and part.kind == "list-item" and self.parts[part.number - 1].kind == "list-item"
            out.append(out[-1] if same else part.number)
        return out

    # --- the page as a whole -------------------------------------------------------------------------------------

    @cached_property
    def texts(self) -> frozenset[str]:
        """The folded texts of its parts."""
        return frozenset([part.text for part in self.parts])

    @cached_property
    def lines(self) -> str:
        """The stream with a line feed between parts."""
        return "\n".join([part.text for part in self.parts])

    @cached_property
    def notices(self) -> frozenset[str]:
        """The sentences that take something back; those that only lead to another page, as one of many links, not."""
        out: set[str] = set()
        lines = self.lines
        starts = [0]
        for part in self.parts:
            starts.append(starts[-1] + len(part.text) + 1)
        for start, end in notices_of(lines):
            part = self.parts[bisect_right(starts, start) - 1]
            line = lines[start:end].strip()
            teaser = part.link >= 80 and (part.repeats >= 3 or is_pointer(line)) and not is_of_itself(line)
            if not teaser and part.kind != "code":
                out.add(line)
        title = fold(self.conversion.metadata.title or "").text
        if title and is_notice(title):
            out.add(title)
        return frozenset(out)

    @cached_property
    def small(self) -> str:
        """The stream in one case, for asking whether something stands anywhere."""
        return self.lines.casefold()

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the stream."""
        return tokens_of(self.stream)

    @cached_property
    def token_starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    @cached_property
    def places_of_word(self) -> dict[str, list[int]]:
        """By word: the numbers of its tokens in the stream."""
        places: dict[str, list[int]] = {}
        for number, token in enumerate(self.tokens):
            places.setdefault(token.text, []).append(number)
        return places

    @cached_property
    def outline(self) -> frozenset[tuple[int, ...]]:
        """The outline numbers that its headings begin with."""
        found = [_OUTLINE.match(part.text) for part in self.parts if part.kind == "heading"]
        return frozenset([_numbers(match[1]) for match in found if match])

    def heading_text(self, number: int) -> str:
        """Return the text of a heading without its outline number, where its neighbours' numbers show it is one."""
        return outline_free(self.parts[number].text[:_HEADING_CHARS_MAX], self.outline)

    def heading_forms(self, number: int) -> frozenset[str]:
        """Return the text of a heading with its outline number, and without it: either may be held against another."""
        text = self.parts[number].text[:_HEADING_CHARS_MAX]
        return frozenset((outline_free(text, _NO_OUTLINE), outline_free(text, self.outline)))


_NO_OUTLINE = frozenset[tuple[int, ...]]()
_OUTLINE = re.compile(r"([0-9]{1,2}(?:\.[0-9]{1,2}){0,5})[.):]? ?(?=[^\W\d_])")


def _numbers(written: str) -> tuple[int, ...]:
    return tuple([int(number) for number in written.split(".")])


def outline_free(heading: str, outline: frozenset[tuple[int, ...]]) -> str:
    """Return a heading without the number of its place in an outline.

    A number is one when the page has headings with the number before or after it: "3.2 Methods" beside "3.3 Results".
    "5 mg tablets" keeps its number: a small letter follows.
    """
    bare = heading.rstrip(" #\u00b6").removesuffix("[edit]").strip()
    match = _OUTLINE.match(bare)
    if match is None or bare[match.end()].islower():
        return bare
    numbers = _numbers(match[1])
    beside = [(*numbers[:-1], numbers[-1] + step) for step in (-1, 1)]
    return bare[match.end() :] if any(other in outline for other in beside) else bare


def is_lead_in(part: Part) -> bool:
    """Whether a part says what is below it: a short one that ends in a colon."""
    return part.kind in ("paragraph", "other", "term") and len(part.text) <= _LEAD_IN_CHARS_MAX and part.text[-1] == ":"


def _without_marks(text: str) -> list[tuple[int, int]] | None:
    """Return the ranges of a text that are no reference marks; None when it has no mark."""
    if "[" not in text:
        return None
    out: list[tuple[int, int]] = []
    at = 0
    for match in MARK.finditer(text):
        # one that opens a line goes with the blank behind it, one within with the blank before it
        start, end = match.span()
        opens = start == at and not out
        if start > at and text[start - 1] == " ":
            start -= 1
        elif (opens or _UNSPACED.match(text[start - 1])) and text[end : end + 1] == " ":
            end += 1
        if start > at:
            out.append((at, start))
        at = max(at, end)
    if at == 0:
        return None
    return [*out, (at, len(text))] if at < len(text) else out


def _level(part: Part) -> int:
    return min(part.level or 1, _LEVEL_MAX)


def _paths(parts: Sequence[Part], *, furniture: bool) -> list[tuple[int, ...]]:
    out: list[tuple[int, ...]] = []
    path: list[Part] = []
    now: tuple[int, ...] = ()
    for part in parts:
        if part.kind == "heading" and (furniture or not part.furniture):
            while path and _level(path[-1]) >= _level(part):
                path.pop()
            out.append(tuple([heading.number for heading in path]))
            path.append(part)
            now = tuple([heading.number for heading in path])
        else:
            out.append(now)
    return out
