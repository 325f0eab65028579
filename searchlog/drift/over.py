"""Whether what stands over a passage is another: headings, the head of its table, its list's lead-in line. Pure."""

from __future__ import annotations

from searchlog.drift.page import Page, Part, is_lead_in
from searchlog.drift.standing import APART, LINKED_PERCENT, Old, Standing
from searchlog.wording.folding import folded

__all__ = ["cells_differ", "head_differs", "headings_differ", "lead_in_differs", "own_parts"]

_SHORT_CHARS = 12
"""A text up to this long stands in some other by chance."""
_ABOVE_MAX = 80
"""Parts above a list among which the line that leads in to it is looked for."""


def headings_differ(old: Old, place: Standing) -> bool:
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
        if heading.furniture in APART or (heading.furniture and number != over[-1]):
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
    return not old.is_fresh(page.parts[number]) and page.parts[number].link < LINKED_PERCENT


def head_differs(old: Old, place: Standing) -> bool:
    then = old.standing
    if not old.whole:
        return bool(old.head) and old.head not in place.page.texts
    row = next((part for part in own_parts(then) if part.kind == "table-row"), None)
    if row is None:
        return False
    head = old.head or then.page.table_head_over(row)
    if not head or head == row.text:
        return False
    now = next((part for part in own_parts(place) if part.kind == "table-row"), None)
    if now is None:  # a table that is none any more: its head stands above
        above = place.page.parts[max(0, place.first.number - 200) : place.last.number + 1]
        return all(part.text != head for part in above)
    return place.page.table_head_over(now) != head


def cells_differ(old: Old, place: Standing) -> bool:
    """Whether rows have their words in other cells, which the folded text does not tell."""
    if not old.whole:
        return False
    rows = [_cells(old.standing.page, part) for part in own_parts(old.standing) if part.kind == "table-row"]
    now = [_cells(place.page, part) for part in own_parts(place) if part.kind == "table-row"]
    return len(rows) == len(now) and rows != now


def _cells(page: Page, part: Part) -> tuple[str, ...]:
    raw = page.conversion.text[part.raw_start : part.raw_end]
    return tuple([folded(cell) for cell in raw.split("\t")]) if "\t\t" in raw or raw[-1:] == "\t" else ()


def own_parts(standing: Standing) -> list[Part]:
    return list(standing.page.parts[standing.first.number : standing.last.number + 1])


def lead_in_differs(old: Old, place: Standing, passed: list[Part]) -> bool:
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
    lowest = min(place.first.number, place.page.list_start(place.first)) - 1 - _ABOVE_MAX
    for number in range(place.first.number - 1, max(-1, lowest), -1):
        part = place.page.parts[number]
        if len(part.text) > _SHORT_CHARS and is_lead_in(part) and line.endswith(part.text):
            return True  # the end of it: it was cut in two
        if part.text.endswith(line):
            return part.text == line or old.standing.page.stream.find(part.text) >= 0
        if not part.furniture and old.is_fresh(part) and (is_lead_in(part) or part.kind == "heading"):
            return False
    return False
