"""Whether two places of the same words agree: what is beside them and over them, then and now. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from searchlog.drift.beside import (
    attribution_differs,
    became_a_quote,
    begins,
    beside,
    ends,
    gaps_say_otherwise,
    is_alike_past_boxes,
    is_neighbour,
    passed,
    same_start,
    same_tail,
    says_otherwise,
    up_to_heading,
)
from searchlog.drift.over import cells_differ, head_differs, headings_differ, lead_in_differs
from searchlog.drift.page import Part
from searchlog.drift.standing import Old, Standing

__all__ = ["Agreement", "agreement"]


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
    likeness = max(same_tail(then.left, left), same_tail(then.left, place.left))
    likeness_right = max(same_start(then.right, right), same_start(then.right, place.right))
    before = is_neighbour(then, place, -1, likeness, old)
    after = is_neighbour(then, place, 1, likeness_right, old)
    reasons: list[str] = []
    notes: list[str] = []
    whole = old.whole
    if whole and not (before or after):
        before, after = [is_alike_past_boxes(old, place, step) for step in (-1, 1)]
    same_left = beside((then.left_in, then.left), place.left_in, (place.left, left), whole=whole, holds=ends)
    same_right = beside((then.right_in, then.right), place.right_in, (place.right, right), whole=whole, holds=begins)
    if not (same_left and same_right):
        reasons.append("beside-changed")
    if headings_differ(old, place):
        reasons.append("heading-changed")
    if head_differs(old, place):
        reasons.append("table-head-changed")
    if cells_differ(old, place):
        reasons.append("table-cells-changed")
    if lead_in_differs(old, place, passed_left):
        reasons.append("lead-in-changed")
    if whole and passed_left and became_a_quote(then.first, place.first, passed_left):
        reasons.append("quoted")
    if attribution_differs(old, place):
        reasons.append("attribution-changed")
    if gaps or passed_left or passed_right:
        notes.append("block-inserted")
    if not whole:
        passed_left, passed_right = passed(old, place, -1), passed(old, place, 1)
    if any(says_otherwise(part, old) for part in (*up_to_heading(passed_left), *up_to_heading(passed_right))):
        reasons.append("beside-inserted")
    if gaps_say_otherwise(gaps, old, place):
        reasons.append("block-inserted")
    return Agreement(place, tuple(reasons), before, after, likeness + likeness_right, tuple(notes))
