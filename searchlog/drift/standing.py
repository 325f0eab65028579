"""How a passage stands in a page, then and now. Pure.

Places are compared by neighbours, never by offsets: a menu that was put in shifts all of those. What is fresh, that is
on the page now and nowhere on the page of then, is looked past when neighbours are compared, and is looked at for what
it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from searchlog.drift.page import Page, Part, outline_free

__all__ = ["APART", "BESIDE_MAX", "LINKED_PERCENT", "SAME_CHARS", "Old", "Standing"]

BESIDE_MAX = 400
"""Characters of the stream on each side that are compared."""
SAME_CHARS = 24
"""As many next to a passage are its neighbour."""
_FRESH_MAX = 12
"""Parts in a row that are looked past."""
_SHORT_CHARS = 12
"""A text up to this long stands in some other by chance."""
APART = frozenset(("nav", "header", "footer", "aside"))
"""Furniture by the names of its elements. What is furniture by its look alone may be none tomorrow."""
LINKED_PERCENT = 80
"""A part with as much of it in links leads elsewhere and is not running text."""
_BOX_PARTS_MAX = 30
"""Parts of a box with a heading: more of them are a section."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A range of a page's stream."""

    page: Page
    start: int
    end: int

    @property
    def first(self) -> Part:
        return self.page.part_at(self.start)

    @property
    def last(self) -> Part:
        return self.page.part_at(self.end - 1)

    @property
    def left_in(self) -> str:
        """What stands before it in its own block."""
        return self.page.stream[max(self.first.start, self.start - BESIDE_MAX) : self.start]

    @property
    def right_in(self) -> str:
        return self.page.stream[self.end : min(self.last.end, self.end + BESIDE_MAX)]

    @property
    def left(self) -> str:
        """What stands before it, whatever the blocks."""
        return self.page.stream[max(0, self.start - BESIDE_MAX) : self.start]

    @property
    def right(self) -> str:
        return self.page.stream[self.end : self.end + BESIDE_MAX]

    def beyond(self, step: int, skip: Callable[[Part], bool]) -> tuple[str, list[Part]]:
        """Return what stands on one side when some parts are looked past, and the parts looked past next to it.

        step: -1 for what is before, 1 for what is behind.
        """
        parts, stream = self.page.parts, self.page.stream
        edge = self.first if step < 0 else self.last
        own = stream[edge.start : self.start] if step < 0 else stream[self.end : edge.end]
        text, passed = own[-BESIDE_MAX:] if step < 0 else own[:BESIDE_MAX], list[Part]()
        number, skipped = edge.number + step, 0
        near = True
        while 0 <= number < len(parts) and len(text) < BESIDE_MAX and skipped <= _FRESH_MAX:
            part = parts[number]
            if skip(part):
                skipped += 1
                if near:
                    passed.append(part)
            else:
                near = False
                piece = part.text[-BESIDE_MAX:] if step < 0 else part.text[:BESIDE_MAX]
                blank = (
                    " " if stream[part.end : part.end + 1] == " " or stream[part.start - 1 : part.start] == " " else ""
                )
                text = piece + blank + text if step < 0 else text + blank + piece
            number += step
        return text, passed

    def beside_part(self, step: int, skip: Callable[[Part], bool]) -> Part | None:
        """Return the next part on one side that is not looked past."""
        parts = self.page.parts
        number = (self.first.number if step < 0 else self.last.number) + step
        for _ in range(_FRESH_MAX + 1):
            if not 0 <= number < len(parts):
                return None
            if not skip(parts[number]):
                return parts[number]
            number += step
        return None


@dataclass(frozen=True)
class Old:
    """A passage's standing then."""

    standing: Standing
    heading_path: tuple[str, ...]
    whole: bool
    """Whether the page is the whole one; else it is made of the passage and what its selectors know of beside it."""
    head: str = ""
    """The folded head of its table, where that is not in the passage."""
    lead_in: str = ""

    @property
    def text(self) -> str:
        return self.standing.page.stream[self.standing.start : self.standing.end]

    def is_fresh(self, part: Part) -> bool:
        """Whether a part of the page now was nowhere on the page then, as far as that is known."""
        page = self.standing.page
        if not self.whole:
            return part.furniture is not None and part.text not in page.stream
        if part.text in page.texts:
            return False
        return len(part.text) <= _SHORT_CHARS or part.text not in page.stream

    @cached_property
    def all_headings(self) -> frozenset[str]:
        page, first = self.standing.page, self.standing.first
        if not self.whole:
            return frozenset(
                [*self.heading_path, *[outline_free(heading, frozenset()) for heading in self.heading_path]]
            )
        over = page.headings_over(first.number, furniture=True)
        return frozenset[str]().union(*[page.heading_forms(n) for n in over])

    @cached_property
    def headings_that_count(self) -> tuple[str, ...]:
        """The headings over it that must still be there: not those in menus, and by its look alone only the last."""
        if not self.whole:
            return tuple(heading for heading in self.heading_path if heading)
        return tuple([self.standing.page.heading_text(n) for n in self._counted])

    @cached_property
    def forms_that_count(self) -> tuple[frozenset[str], ...]:
        """The same headings, each with its outline number and without it."""
        if not self.whole:
            trimmed = [outline_free(heading, frozenset()) for heading in self.heading_path if heading]
            return tuple([frozenset((heading,)) for heading in trimmed])
        return tuple([self.standing.page.heading_forms(n) for n in self._counted])

    @cached_property
    def _counted(self) -> list[int]:
        over = self.standing.page.headings_over(self.standing.first.number, furniture=True)
        return self._of_weight(over)

    def _of_weight(self, over: Sequence[int]) -> list[int]:
        parts = self.standing.page.parts
        return [n for n in over if not (kind := parts[n].furniture) or (kind not in APART and n == over[-1])]

    def without_boxes(self, now: Page) -> tuple[frozenset[str], tuple[frozenset[str], ...], tuple[str, ...]] | None:
        """Return the headings over it without those of boxes that are gone as a whole, where there are such.

        All of them, those that count, and the innermost of these. A box is a heading with parts in the same element
        behind it, before the passage: one that asks to subscribe stood over all below it, until the next heading.
        """
        page, first = self.standing.page, self.standing.first
        if not self.whole:
            return None
        boxed = {n for n in page.headings_over(first.number, furniture=True) if self._was_boxed(n, now)}
        if not boxed:
            return None
        over = page.headings_over_without(first.number, boxed)
        while more := {n for n in over if n not in boxed and self._was_boxed(n, now)}:
            boxed |= more
            over = page.headings_over_without(first.number, boxed)
        counted = self._of_weight(over)
        forms = [page.heading_forms(n) for n in over]
        inner = tuple([page.heading_text(n) for n in counted[-1:]])
        return frozenset[str]().union(*forms), tuple([page.heading_forms(n) for n in counted]), inner

    def _was_boxed(self, heading: int, now: Page) -> bool:
        parts = self.standing.page.parts
        box = parts[heading].path.rpartition("/")[0]
        inside = gone = 0
        for part in parts[heading + 1 : self.standing.first.number]:
            if not f"{part.path}/".startswith(f"{box}/"):
                break
            inside += 1
            if len(part.text) > _SHORT_CHARS:
                if part.text in now.texts:
                    return False
                gone += 1
        stands_inside = f"{self.standing.first.path}/".startswith(f"{box}/")
        return bool(box) and inside <= _BOX_PARTS_MAX and gone > 0 and not stands_inside
