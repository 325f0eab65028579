"""What became of a recorded passage in a page's text of today. Pure.

In this order, and never by likeness alone:

1. The passage's words are looked for as they stood, folded: in one piece, then with whole blocks put in between.
2. Each place is held against how the passage stood: what is beside it in its block, the headings and the table head
   over it, the line that leads in to it, the blocks next to it. Without agreement the words count for nothing: the
   same sentence in a comment, in a teaser or after "It is not true that" is not the passage.
3. Where neighbours on neither side are there, the old place is looked at: other words there are a change, whatever
   copies there are elsewhere.
4. Words that take something back and were not on the page then change the context of every passage on it.
5. Where the words are not there, the likest stretch says whether they were changed, cut short, or taken away.
6. A passage of several sections, each of which stands as it stood, was moved, though they are not together any more.
"""

from __future__ import annotations

from dataclasses import replace

from searchlog.drift.agreement import Agreement, agreement
from searchlog.drift.changes import changes_between
from searchlog.drift.copies import in_order, is_as_good, is_copy_gone, is_sound, other_marks, same_number
from searchlog.drift.drift import Change, Drift, State
from searchlog.drift.otherwise import at_old_place, of_other_words
from searchlog.drift.page import Page
from searchlog.drift.places import gapped_places_of, pieces_of, places_of
from searchlog.drift.recorded import known_of, old_of
from searchlog.drift.standing import Old, Standing
from searchlog.drift.then import Then
from searchlog.wording.marks import marks_of
from searchlog.wording.notices import is_plain_notice

__all__ = ["compare"]

_NOTICE_CHARS_MAX = 200
"""A longer block that holds a notice is running text; where it was there before, nothing is new."""
_ANCHOR_CHARS = 60


def compare(then: Then, now: Page) -> Drift:
    """Return what became of a passage in a page.

    Cost: a few searches through the page's text and bounded work at the places found.
    """
    old, page = old_of(then, now), now
    if old is None:
        return Drift(State.AMBIGUOUS, notes=("no-words",))
    if old.standing.page.hidden_too:
        page = now.with_hidden
    text = old.text
    places = in_order(old, places_of(text, page))
    found = [agreement(old, place.standing, place.gaps) for place in places]
    if not any(is_sound(old, one) for one in found):
        gapped = in_order(old, gapped_places_of(pieces_of(old), page))[:8]
        found += [agreement(old, place.standing, place.gaps) for place in gapped]
    notices = _new_notices(old, page)
    drift = _of_places(old, page, found) if found else None
    if drift is None:
        drift = of_other_words(old, page)
        if drift.state is State.ABSENT and not page.hidden_too and text in page.with_hidden.stream:
            drift = replace(drift, notes=(*drift.notes, "hidden-now"))
    if old.whole and drift.state not in (State.INTACT, State.MOVED, State.AMBIGUOUS):
        drift = _of_sections(old, page) or drift
    drift = _with_notices(drift, notices)
    return drift if old.whole else _as_far_as_known(drift, then, old, page)


def _as_far_as_known(drift: Drift, then: Then, old: Old, page: Page) -> Drift:
    """Return what can be said where the page of then is not here: what cannot be compared is not called the same."""
    if drift.state not in (State.INTACT, State.MOVED):
        return drift
    said = "\n".join([old.standing.page.lines, *old.heading_path]).casefold()
    lines = [line.casefold() for line in page.notices if line.casefold() not in said]
    blocks = [part.text.casefold() for part in page.parts if len(part.text) <= _NOTICE_CHARS_MAX] if lines else []
    noticed = any(line in block and 2 * len(line) >= len(block) for line in lines for block in blocks)
    unknown = [
        *(["table-head-unknown"] if then.table_head and known_of(then, then.table_head) is None else []),
        *(["lead-in-unknown"] if then.lead_in and known_of(then, then.lead_in) is None else []),
        *(["notice-there"] if noticed else []),
    ]
    return replace(drift, state=State.AMBIGUOUS, notes=(*drift.notes, *unknown)) if unknown else drift


def _of_sections(old: Old, page: Page) -> Drift | None:
    """Return that a passage of several sections was taken apart, when each of them stands as it stood."""
    found: list[Drift] = []
    for section in _sections(old):
        if section.standing.last.kind == "heading":  # the sections below it are held against it themselves
            if not _is_heading_still(section, page):
                return None
            continue
        places = [agreement(section, one.standing) for one in in_order(section, places_of(section.text, page))]
        drift = _of_places(section, page, places) if places else None
        if drift is None or drift.state not in (State.INTACT, State.MOVED):
            return None
        found.append(drift)
    if not found or found[0].start is None:
        return None
    longest = max(found, key=lambda drift: (drift.end or 0) - (drift.start or 0))
    return replace(longest, state=State.MOVED, notes=(*longest.notes, "sections-apart"))


def _is_heading_still(section: Old, page: Page) -> bool:
    """Whether a heading with nothing but lower headings behind it stands on the page as often as it did."""
    then, own = section.standing.page, section.standing.last
    if own.number + 1 >= len(then.parts) or then.parts[own.number + 1].level <= own.level:
        return False
    counts = [sum(part.kind == "heading" and part.text == own.text for part in one.parts) for one in (page, then)]
    return counts[0] >= counts[1]


def _sections(old: Old) -> list[Old]:
    """Return a passage cut where its own headings begin."""
    then = old.standing
    parts = then.page.parts[then.first.number : then.last.number + 1]
    starts = [then.start]
    starts += [part.start for part in parts[1:] if part.kind == "heading"]
    ends = [then.page.parts[then.page.part_at(start).number - 1].end for start in starts[1:]] + [then.end]
    return [
        Old(Standing(then.page, start, end), (), True, old.head if n == 0 else "", old.lead_in if n == 0 else "")
        for n, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _of_places(old: Old, page: Page, found: list[Agreement]) -> Drift | None:
    """Return what became of a passage whose words stand at these places; None when none of them has to do with it."""
    sound = [one for one in found if is_sound(old, one)]
    best = max(sound or found, key=lambda one: (one.before_same + one.after_same, one.likeness))
    place = best.place
    if not (best.before_same or best.after_same):
        there = at_old_place(old, page, place)
        if there is not None:
            return there
    start, end = page.raw(place.start, place.end)
    notes = _notes(old, page, best)
    if sound:
        rivals = [one for one in sound if one is not best and is_as_good(one, best)]
        if rivals and not same_number(old, page, found, best):
            return Drift(State.AMBIGUOUS, start, end, similarity="1", notes=notes)
        if is_copy_gone(old, page, place):
            return Drift(State.AMBIGUOUS, start, end, similarity="1", notes=(*notes, "copy-gone"))
        near = best.before_same or best.after_same
        return Drift(State.INTACT if near else State.MOVED, start, end, similarity="1", notes=notes)
    if other_marks(old, place):
        return Drift(State.CHANGED, start, end, _changed_marks(old, place), "0.99", (*notes, "reference-changed"))
    changes = _context_changes(old, best)
    reasons = best.reasons or ("elsewhere",)
    return Drift(State.CONTEXT_CHANGED, start, end, changes, "1", tuple(dict.fromkeys([*reasons, *notes])))


def _notes(old: Old, page: Page, best: Agreement) -> tuple[str, ...]:
    notes = list(best.notes)
    then = old.standing
    raw_then = then.page.conversion.text[slice(*then.page.raw(then.start, then.end))]
    start, end = page.raw(best.place.start, best.place.end)
    if raw_then != page.conversion.text[start:end] and "block-inserted" not in notes:
        notes.append("folded")
    if bool(then.first.furniture) != bool(best.place.first.furniture):
        notes.append("furniture-changed")
    return tuple(notes)


def _changed_marks(old: Old, place: Standing) -> tuple[Change, ...]:
    then = old.standing.page.marks_in(old.standing.start, old.standing.end)
    now = place.page.marks_in(place.start, place.end)
    out: list[Change] = []
    for one, other in zip(then, now, strict=True):
        if one != other:
            out += [Change("-", one, ("number",)), Change("+", other, ("number",))]
    return tuple(out)


def _context_changes(old: Old, best: Agreement) -> tuple[Change, ...]:
    """Return what changed around a passage, word by word."""
    then, place = old.standing, best.place
    out: list[Change] = []
    if "heading-changed" in best.reasons:
        numbers = place.page.headings_over(place.first.number, furniture=True)
        now = " > ".join([place.page.heading_text(n) for n in numbers[-len(old.headings_that_count) or -1 :]])
        out += changes_between(" > ".join(old.headings_that_count), now)
    if "table-head-changed" in best.reasons:
        row = next((p for p in then.page.parts[then.first.number :] if p.kind == "table-row"), then.first)
        now_row = next((p for p in place.page.parts[place.first.number :] if p.kind == "table-row"), place.first)
        head = old.head or then.page.table_head_over(row)
        out += changes_between(head, place.page.table_head_over(now_row))
    if not out:
        sides = (then.left_in, then.right_in) if "beside-changed" in best.reasons else (then.left, then.right)
        now_sides = (place.left_in, place.right_in) if "beside-changed" in best.reasons else (place.left, place.right)
        out += changes_between(
            f"{sides[0]}{old.text}{sides[1]}".strip(), f"{now_sides[0]}{old.text}{now_sides[1]}".strip()
        )
    return tuple(out)


def _new_notices(old: Old, page: Page) -> list[str]:
    """Return the sentences of the page that take something back and were not there then, as far as that is known."""
    if old.whole:
        known = old.standing.page
        fresh = [
            line
            for line in page.notices - known.notices
            if len(line) <= _ANCHOR_CHARS or line.casefold() not in known.small
        ]
    else:
        said = "\n".join([old.standing.page.lines, *old.heading_path]).casefold()
        fresh = [line for line in page.notices if line.casefold() not in said and is_plain_notice(line)]
    return sorted(fresh)


def _with_notices(drift: Drift, notices: list[str]) -> Drift:
    if not notices:
        return drift
    steps = tuple([Change("+", line, tuple(dict.fromkeys([*marks_of(line), "notice"]))) for line in notices[:5]])
    notes = tuple(dict.fromkeys([*drift.notes, "notice-added"]))
    if drift.state in (State.INTACT, State.MOVED, State.AMBIGUOUS):
        return replace(drift, state=State.CONTEXT_CHANGED, changes=steps, notes=notes)
    if drift.state is State.ABSENT:
        return replace(drift, notes=notes)
    return replace(drift, changes=(*drift.changes, *steps), notes=notes)
