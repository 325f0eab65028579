"""Which of the places that have a passage's words is the passage, and which is another copy of then. Pure."""

from __future__ import annotations

from searchlog.drift.agreement import Agreement
from searchlog.drift.page import Page
from searchlog.drift.places import Place, gapped_places_of, occurrences, pieces_of, places_of
from searchlog.drift.standing import SAME_CHARS, Old, Standing
from searchlog.wording.alignment import tokens_of

__all__ = ["in_order", "is_as_good", "is_copy_gone", "is_short", "is_sound", "other_marks", "same_number"]

_AGREEMENTS_MAX = 24
"""Places that are held against the old one in full."""
_COPIES_MAX = 50
_SHORT_TOKENS, _SHORT_CHARS = 4, 16
"""A passage with fewer words, or not more characters, stands anywhere by chance."""


def in_order(old: Old, places: list[Place]) -> list[Place]:
    """Return the places worth holding against the old one, without those that are other copies of then.

    Of equal copies in equal surroundings, as many as there were, the one with the same number counts.
    """
    if not old.whole or not places:
        return places[:_AGREEMENTS_MAX]
    then = old.standing
    copies = occurrences(then.page.stream, old.text)
    if len(copies) <= 1 and len(places) <= _AGREEMENTS_MAX:
        return places
    rank = copies.index(then.start) if then.start in copies else 0
    around = places
    if len(places) > _COPIES_MAX:
        low = max(0, min(rank, len(places) - 1) - _COPIES_MAX // 2)
        around = places[low : low + _COPIES_MAX]
    others = [Standing(then.page, at, at + len(old.text)) for at in copies if at != then.start]
    others = sorted(others, key=lambda other: abs(other.start - then.start))[:_COPIES_MAX]
    scored: list[tuple[int, int, Place]] = []
    for place in around:
        ours = _closeness(then, place.standing)
        if any(_closeness(other, place.standing) > ours for other in others):
            continue
        distance = abs(places.index(place) - rank) if len(places) == len(copies) else 0
        scored.append((-ours, distance, place))
    scored.sort(key=lambda entry: entry[:2])
    return [place for *_, place in scored[:_AGREEMENTS_MAX]]


def _closeness(one: Standing, other: Standing) -> int:
    """Return how many characters beside two places are the same."""
    return _common(one.left[::-1], other.left[::-1]) + _common(one.right, other.right)


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def is_sound(old: Old, one: Agreement) -> bool:
    """Whether a place is the passage's: nothing around it says otherwise, and its neighbours or its headings agree."""
    if one.reasons or other_marks(old, one.place):
        return False
    if one.before_same and one.after_same:
        return True
    if is_short(old.text):
        return one.before_same and old.standing.left.strip() != ""
    return one.before_same or one.after_same or _is_supported(old, one)


def is_short(text: str) -> bool:
    return len(text) <= _SHORT_CHARS or len(tokens_of(text)) < _SHORT_TOKENS


def _is_supported(old: Old, one: Agreement) -> bool:
    """Whether a place without the old neighbours is of the same sort as the old one."""
    then, now, page = old.standing.first, one.place.first, one.place.page
    if now.furniture and not then.furniture:
        return False
    over = page.headings_over(now.number, furniture=True)
    nearest_now = page.heading_forms(over[-1]) | {page.parts[over[-1]].text} if over else frozenset[str]()
    nearest_then = old.forms_that_count[-1:]
    if nearest_then and nearest_then[0].isdisjoint(nearest_now):
        return False
    if not old.whole:
        return bool(nearest_then)
    return bool(nearest_then) == bool(over) and then.kind == now.kind and then.path == now.path


def other_marks(old: Old, place: Standing) -> bool:
    """Whether as many reference marks stand in it, with other numbers: then a number was changed, none was added."""
    if not old.whole:
        return False
    then = old.standing.page.marks_in(old.standing.start, old.standing.end)
    now = place.page.marks_in(place.start, place.end)
    return len(then) == len(now) and then != now


def is_as_good(one: Agreement, best: Agreement) -> bool:
    """Whether nothing but a few characters, which are alike by chance, puts one place before another."""
    sides = one.before_same + one.after_same
    return sides == best.before_same + best.after_same and best.likeness - one.likeness < SAME_CHARS


def is_copy_gone(old: Old, page: Page, place: Standing) -> bool:
    """Whether fewer copies in the surroundings of this place are left than there were: which one went, nothing says."""
    then = old.standing
    copies = occurrences(then.page.stream, old.text) if old.whole else []
    if len(copies) < 2 or len(copies) > _COPIES_MAX:
        return False
    ours = _closeness(then, place)
    tied = sum(_closeness(Standing(then.page, at, at + len(old.text)), place) == ours for at in copies)
    if tied < 2:
        return False
    pieces = pieces_of(old)
    left = gapped_places_of(pieces, page) if len(pieces) > 1 else places_of(old.text, page)
    return len(left) < len(copies) and sum(_closeness(then, one.standing) >= ours for one in left) < tied


def same_number(old: Old, page: Page, found: list[Agreement], best: Agreement) -> bool:
    """Whether there are as many copies as then, and this is the one with the old one's number."""
    if not old.whole:
        return False
    copies = occurrences(old.standing.page.stream, old.text)
    now = occurrences(page.stream, old.text)
    if len(copies) != len(now) or old.standing.start not in copies or best.place.start not in now:
        return False
    return copies.index(old.standing.start) == now.index(best.place.start)
