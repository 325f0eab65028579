"""How a passage stands in a page: what is beside it, above it and over it, and whether two places agree. Pure.

Places are compared by neighbours, never by offsets: a menu that was put in shifts all of those. What is fresh, that is
on the page now and nowhere on the page of then, is looked past when neighbours are compared, and is looked at for what
it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from searchlog.drift.page import Page, Part, is_lead_in, outline_free
from searchlog.wording.alignment import aligned, tokens_of
from searchlog.wording.folding import folded
from searchlog.wording.notices import is_rebuttal

__all__ = ["BESIDE_MAX", "SAME_CHARS", "Agreement", "Old", "Standing", "agreement"]

BESIDE_MAX = 400
"""Characters of the stream on each side that are compared."""
SAME_CHARS = 24
"""As many next to a passage are its neighbour."""
_FRESH_MAX = 12
"""Parts in a row that are looked past."""
_SHORT_CHARS = 12
"""A text up to this long stands in some other by chance."""
_SAYING_CHARS_MAX = 500
_CHANGED_CHARS_MAX = 4_000
_ATTRIBUTION_CHARS_MAX = 80
_NEAR_MAX = 3
"""Parts in a row that may have been put in next to a passage of which no more than its selectors is known."""
_APART = frozenset(("nav", "header", "footer", "aside"))
"""Furniture by the names of its elements. What is furniture by its look alone may be none tomorrow."""
_LINKED_PERCENT = 80
"""A part with as much of it in links leads elsewhere and is not running text."""
_BOX_PARTS_MAX = 30
_FEW_WORDS = 2
_ABOVE_MAX = 80
"""Parts above a list's item among which the line that leads in to it is looked for."""


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
        return [n for n in over if not (kind := parts[n].furniture) or (kind not in _APART and n == over[-1])]

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


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a place agrees with the passage's standing then."""

    place: Standing
    reasons: tuple[str, ...]
    """Why what stands around it says something else; empty when it does not."""
    before_same: bool
    after_same: bool
    likeness: int
    """Characters beside it that are the same, on both sides."""
    notes: tuple[str, ...] = ()


def agreement(old: Old, place: Standing, gaps: tuple[Part, ...] = ()) -> Agreement:
    """Return how a place that has the passage's words agrees with where it stood.

    gaps: parts of the page now that stand between the passage's own blocks.
    """
    then = old.standing
    left, passed_left = place.beyond(-1, old.is_fresh)
    right, passed_right = place.beyond(1, old.is_fresh)
    likeness = max(_tail(then.left, left), _tail(then.left, place.left))
    likeness_right = max(_start(then.right, right), _start(then.right, place.right))
    before = _is_neighbour(then, place, -1, likeness, old)
    after = _is_neighbour(then, place, 1, likeness_right, old)
    reasons: list[str] = []
    notes: list[str] = []
    whole = old.whole
    if whole and not (before or after):
        before, after = [_is_alike_past_boxes(old, place, step) for step in (-1, 1)]
    same_left = _beside((then.left_in, then.left), place.left_in, (place.left, left), whole=whole, holds=_ends)
    same_right = _beside((then.right_in, then.right), place.right_in, (place.right, right), whole=whole, holds=_begins)
    if not (same_left and same_right):
        reasons.append("beside-changed")
    if _headings_differ(old, place):
        reasons.append("heading-changed")
    if _head_differs(old, place):
        reasons.append("table-head-changed")
    if _cells_differ(old, place):
        reasons.append("table-cells-changed")
    if _lead_in_differs(old, place, passed_left):
        reasons.append("lead-in-changed")
    if whole and passed_left and _became_a_quote(then.first, place.first, passed_left):
        reasons.append("quoted")
    if _attribution_differs(old, place):
        reasons.append("attribution-changed")
    if gaps or passed_left or passed_right:
        notes.append("block-inserted")
    if not whole:
        passed_left, passed_right = _passed(old, place, -1), _passed(old, place, 1)
    if any(_says_otherwise(part, old) for part in (*_up_to_heading(passed_left), *_up_to_heading(passed_right))):
        reasons.append("beside-inserted")
    if _gaps_say_otherwise(gaps, old, place):
        reasons.append("block-inserted")
    return Agreement(place, tuple(reasons), before, after, likeness + likeness_right, tuple(notes))


# --- beside it -------------------------------------------------------------------------------------------------------


def _ends(text: str, part: str) -> bool:
    return text.endswith(part)


def _begins(text: str, part: str) -> bool:
    return text.startswith(part)


def _beside(
    then: tuple[str, str],
    new_in: str,
    new_alls: tuple[str, ...],
    *,
    whole: bool,
    holds: Callable[[str, str], bool],
) -> bool:
    """Return whether the same words stand beside a passage in its own block, then and now.

    A block may have been joined to its neighbour or cut in two: what is in the block now must have been in the stream
    then, and the other way round. What is beyond the characters that are known is not compared.
    """
    old_in, old_all = then
    if old_in == new_in:
        return True
    ending = holds is _ends

    def reaches(all_of_it: str, part: str, cut: bool) -> bool:
        part = part.strip()
        all_of_it = all_of_it.strip()
        if cut and len(part) > len(all_of_it):
            part = part[len(part) - len(all_of_it) :] if ending else part[: len(all_of_it)]
        return holds(all_of_it, part)

    cut = not whole or len(old_all) >= BESIDE_MAX
    return reaches(old_all, new_in, cut) and any(
        reaches(new_all, old_in, len(new_all) >= BESIDE_MAX) for new_all in new_alls
    )


def _is_neighbour(then: Standing, place: Standing, step: int, same: int, old: Old) -> bool:
    known = then.left if step < 0 else then.right
    if same >= min(SAME_CHARS, max(1, len(known.strip()))):
        return True
    if not known.strip():
        return place.beside_part(step, old.is_fresh) is None or not old.whole
    number = (then.first.number if step < 0 else then.last.number) + step
    own = then.left_in if step < 0 else then.right_in
    if own or not 0 <= number < len(then.page.parts) or not old.whole:
        return False
    beside = place.beside_part(step, old.is_fresh)
    return beside is not None and beside.text == then.page.parts[number].text


def _is_alike_past_boxes(old: Old, place: Standing, step: int) -> bool:
    """Whether the neighbour is there when lists of links, and what only one of the two pages has, are looked past."""
    texts = place.page.texts
    then, _ = old.standing.beyond(step, lambda part: part.link >= _LINKED_PERCENT or part.text not in texts)
    now, _ = place.beyond(step, lambda part: part.link >= _LINKED_PERCENT or old.is_fresh(part))
    return (_tail(then, now) if step < 0 else _start(then, now)) >= SAME_CHARS


def _tail(one: str, other: str) -> int:
    """Return how many characters at the ends of two texts are the same."""
    return _start(one.rstrip()[::-1], other.rstrip()[::-1])


def _start(one: str, other: str) -> int:
    one, other = one.lstrip(), other.lstrip()
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _up_to_heading(passed: list[Part]) -> list[Part]:
    """Return the fresh parts that stand next to a passage in its own section: those before a heading."""
    out: list[Part] = []
    for part in passed[:3]:
        if part.kind == "heading":
            break
        out.append(part)
    return out


def _says_otherwise(part: Part, old: Old) -> bool:
    """Whether fresh text takes back what stands beside it: of a part that was only changed, what was put in counts."""
    then = old.standing
    if part.link >= _LINKED_PERCENT and then.first.link < _LINKED_PERCENT:
        return False
    numbers = range(max(0, then.first.number - 3), min(len(then.page.parts), then.last.number + 4))
    words = [token.text for token in tokens_of(part.text[:_CHANGED_CHARS_MAX])]
    for number in numbers if old.whole else ():
        known = [token.text for token in tokens_of(then.page.parts[number].text[:_CHANGED_CHARS_MAX])]
        pairs = aligned(known, words)
        if 2 * len(pairs) > len(words):
            kept = {two for _, two in pairs}
            return is_rebuttal(" ".join([word for n, word in enumerate(words) if n not in kept]))
    return len(part.text) <= _SAYING_CHARS_MAX and is_rebuttal(part.text)


def _gaps_say_otherwise(gaps: tuple[Part, ...], old: Old, place: Standing) -> bool:
    """Whether parts between the passage's own blocks speak of it: not those under a heading of their own."""
    numbers = {part.number for part in gaps}
    apart = False
    for part in gaps:
        if part.number - 1 not in numbers:
            apart = False
        if part.kind == "heading":
            apart = True
            if part.number + 1 not in numbers and not part.furniture:
                return True  # it stands over the passage's next block
            continue
        if not apart and (_says_otherwise(part, old) or (is_lead_in(part) and not part.furniture)):
            return True
        if _is_of_the_same(part, place) or _is_own_with_other_words(part, old):
            return True
        if len(gaps) == 1 and len(part.text) <= _ATTRIBUTION_CHARS_MAX:
            continue  # a label such as "advertisement" that stood elsewhere
        if old.whole and not part.furniture and part.link < _LINKED_PERCENT and not old.is_fresh(part):
            return True  # other text of then: the rest of the passage stands beyond it, elsewhere
    return False


def _is_own_with_other_words(part: Part, old: Old) -> bool:
    """Whether a part is one of the passage's own with other words: the one that reads as it did is then a copy."""
    if not old.whole:
        return False
    words = [token.text for token in tokens_of(part.text[:_CHANGED_CHARS_MAX])]
    for own in _parts(old.standing):
        known = [token.text for token in tokens_of(own.text[:_CHANGED_CHARS_MAX])]
        if len(words) > _FEW_WORDS and own.text != part.text and 3 * len(aligned(known, words)) > 2 * len(words):
            return True
    return False


def _passed(old: Old, place: Standing, step: int) -> list[Part]:
    """Return the parts between a passage and what its selectors say stood beside it, when that is near."""
    then = old.standing
    known = then.left.strip() if step < 0 else then.right.strip()
    if (then.left_in if step < 0 else then.right_in) or not known:
        return []
    parts = place.page.parts
    number = (place.first.number if step < 0 else place.last.number) + step
    passed: list[Part] = []
    while 0 <= number < len(parts) and len(passed) < _NEAR_MAX:
        text = parts[number].text
        if step < 0 and (text.endswith(known[-SAME_CHARS:]) or known.endswith(text)):
            return passed
        if step > 0 and (text.startswith(known[:SAME_CHARS]) or known.startswith(text)):
            return passed
        passed.append(parts[number])
        number += step
    return []


def _is_of_the_same(part: Part, place: Standing) -> bool:
    """Whether a part between the passage's blocks is one more item or row of the same list or table."""
    if part.kind not in ("list-item", "table-row", "term"):
        return False  # an advertisement within an item
    return part.group is not None and part.group in (place.first.group, place.last.group) and not part.furniture


# --- over it ---------------------------------------------------------------------------------------------------------


def _headings_differ(old: Old, place: Standing) -> bool:
    """Whether a heading over a passage is another one, is gone, or is new.

    Labels of furniture turn with a page's other blocks, so a heading that is furniture by its look only counts where it
    is the innermost; one in a menu or a box of its own never does.
    """
    page, first = place.page, place.first
    over = page.headings_over(first.number, furniture=True)
    now = frozenset[str]().union(*[page.heading_forms(n) | {page.parts[n].text} for n in over])
    all_headings, counted, inner = old.all_headings, old.forms_that_count, old.headings_that_count[-1:]
    if any(forms.isdisjoint(now) for forms in counted) and (left := old.without_boxes(page)) is not None:
        all_headings, counted, inner = left
    gone = [forms for forms in counted if forms.isdisjoint(now)]
    if gone and not all(_stands_above(forms, old, place) for forms in gone):
        return True
    for number in over:
        heading = page.parts[number]
        if not all_headings.isdisjoint(page.heading_forms(number) | {heading.text}):
            continue
        if heading.furniture in _APART or (heading.furniture and number != over[-1]):
            continue
        if not _covers_old(old, page, number, first.number):
            continue
        if inner and any(part.text == inner[0] for part in page.parts[number + 1 : first.number]):
            continue  # the old one still stands between, though it is no heading any more
        return True
    return False


def _stands_above(forms: frozenset[str], old: Old, place: Standing) -> bool:
    """Whether a heading stands above, as often as it did then: its line in a table of contents is not it."""
    now = _times_above(forms, place)
    return now > 0 and (not old.whole or now >= _times_above(forms, old.standing))


def _times_above(forms: frozenset[str], standing: Standing) -> int:
    page = standing.page
    return sum(
        part.text in forms or (part.kind == "heading" and not forms.isdisjoint(page.heading_forms(part.number)))
        for part in page.parts[: standing.first.number]
    )


def _covers_old(old: Old, page: Page, heading: int, first: int) -> bool:
    """Whether the part behind a heading is not fresh: the heading was put over old text, not in with new text."""
    number = heading + 1
    while number < first and page.parts[number].kind == "heading":
        number += 1
    if number >= first:
        return True
    if not old.whole:
        return page.parts[number].text in old.standing.page.stream
    return not old.is_fresh(page.parts[number]) and page.parts[number].link < _LINKED_PERCENT


def _head_differs(old: Old, place: Standing) -> bool:
    then = old.standing
    if not old.whole:
        return bool(old.head) and old.head not in place.page.texts
    row = next((part for part in _parts(then) if part.kind == "table-row"), None)
    if row is None:
        return False
    head = old.head or then.page.table_head_over(row)
    if not head or head == row.text:
        return False
    now = next((part for part in _parts(place) if part.kind == "table-row"), None)
    if now is None:  # a table that is none any more: its head stands above
        above = place.page.parts[max(0, place.first.number - 200) : place.last.number + 1]
        return all(part.text != head for part in above)
    return place.page.table_head_over(now) != head


def _cells_differ(old: Old, place: Standing) -> bool:
    """Whether rows have their words in other cells, which the folded text does not tell."""
    if not old.whole:
        return False
    rows = [_cells(old.standing.page, part) for part in _parts(old.standing) if part.kind == "table-row"]
    now = [_cells(place.page, part) for part in _parts(place) if part.kind == "table-row"]
    return len(rows) == len(now) and rows != now


def _cells(page: Page, part: Part) -> tuple[str, ...]:
    raw = page.conversion.text[part.raw_start : part.raw_end]
    return tuple([folded(cell) for cell in raw.split("\t")]) if "\t\t" in raw or raw[-1:] == "\t" else ()


def _parts(standing: Standing) -> list[Part]:
    return list(standing.page.parts[standing.first.number : standing.last.number + 1])


def _lead_in_differs(old: Old, place: Standing, passed: list[Part]) -> bool:
    """Whether the line with a colon above it is another one, is gone, or is new."""
    if any(is_lead_in(part) and not part.furniture for part in passed[:1]):
        return True
    then = old.standing
    line = old.lead_in
    if old.whole and not line:
        over = then.page.lead_in_over(then.first)
        number = then.first.number - 1
        if over is None and number >= 0 and not then.left_in and is_lead_in(then.page.parts[number]):
            over = then.page.parts[number]
        line = over.text if over and not over.furniture else ""
    start = place.page.list_start(place.first)
    if line:
        return not _leads_in_still(old, place, line)
    if old.whole and place.first.kind == "list-item" and start > 0:
        now = place.page.parts[start - 1]
        return is_lead_in(now) and old.is_fresh(now)
    return False


def _leads_in_still(old: Old, place: Standing, line: str) -> bool:
    """Whether the line stands above, with nothing between that leads in to something else."""
    if place.left_in.rstrip().endswith(line):
        return True
    for number in range(place.first.number - 1, max(-1, place.first.number - 1 - _ABOVE_MAX), -1):
        part = place.page.parts[number]
        if len(part.text) > _SHORT_CHARS and is_lead_in(part) and line.endswith(part.text):
            return True  # the end of it: it was cut in two
        if part.text.endswith(line):
            return part.text == line or old.standing.page.stream.find(part.text) >= 0
        if not part.furniture and old.is_fresh(part) and (is_lead_in(part) or part.kind == "heading"):
            return False
    return False


def _became_a_quote(then: Part, now: Part, passed: list[Part]) -> bool:
    """Whether fresh text stands before what is a quote now, or furniture under a fresh heading, and was neither."""
    if now.kind == "quote" and then.kind != "quote":
        return True
    return bool(now.furniture and not then.furniture) and any(part.kind == "heading" for part in passed)


def _attribution_differs(old: Old, place: Standing) -> bool:
    """Whether the line behind a quote that says whose words it is, is not that line any more."""
    then = old.standing
    number = then.last.number + 1
    if not old.whole or number >= len(then.page.parts) or then.right_in:
        return False
    line = then.page.parts[number]
    if len(line.text) > _ATTRIBUTION_CHARS_MAX or not (line.text[0] in "-~" or then.last.kind == "quote"):
        return False
    after = place.page.parts[place.last.number : place.last.number + 4]
    return all(line.text not in part.text for part in after)
