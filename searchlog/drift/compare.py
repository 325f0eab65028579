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
"""

from __future__ import annotations

from dataclasses import replace

from searchlog.drift.changes import changes_between
from searchlog.drift.drift import Change, Drift, State
from searchlog.drift.nearest import Near, likeness, nearest
from searchlog.drift.page import EDIT, MARK, PERMALINK, Page
from searchlog.drift.places import Place, gapped_places_of, occurrences, pieces_of, places_of
from searchlog.drift.standing import SAME_CHARS, Agreement, Old, Standing, agreement
from searchlog.drift.then import Then
from searchlog.extract.conversion import Block, Conversion, Metadata
from searchlog.wording.alignment import tokens_of
from searchlog.wording.folding import folded
from searchlog.wording.marks import marks_of
from searchlog.wording.notices import is_plain_notice

__all__ = ["compare"]

_AGREEMENTS_MAX = 24
"""Places that are held against the old one in full."""
_COPIES_MAX = 50
_SHORT_TOKENS, _SHORT_CHARS = 4, 16
"""A passage with fewer words, or not more characters, stands anywhere by chance."""
_CHANGED_SHARE = 0.5
"""Of a passage's telling words, in order: with fewer of them a stretch is not it with other words."""
_IN_PLACE_SHARE = 0.25
"""As many do between the passage's own neighbours."""
_ANCHOR_CHARS = 60
_NOTICE_CHARS_MAX = 200
"""A longer block that holds a notice is running text; where it was there before, nothing is new."""


def compare(then: Then, now: Page) -> Drift:
    """Return what became of a passage in a page.

    Cost: a few searches through the page's text and bounded work at the places found.
    """
    old, page = _old(then, now), now
    if old is None:
        return Drift(State.AMBIGUOUS, notes=("no-words",))
    if old.standing.page.hidden_too:
        page = now.with_hidden
    text = old.text
    places = _in_order(old, places_of(text, page))
    found = [agreement(old, place.standing, place.gaps) for place in places]
    if not any(_is_sound(old, one) for one in found):
        gapped = _in_order(old, gapped_places_of(pieces_of(old), page))[:8]
        found += [agreement(old, place.standing, place.gaps) for place in gapped]
    notices = _new_notices(old, page)
    drift = _of_places(old, page, found) if found else None
    if drift is None:
        drift = _of_other_words(old, page)
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
        *(["table-head-unknown"] if then.table_head and _known(then, then.table_head) is None else []),
        *(["lead-in-unknown"] if then.lead_in and _known(then, then.lead_in) is None else []),
        *(["notice-there"] if noticed else []),
    ]
    return replace(drift, state=State.AMBIGUOUS, notes=(*drift.notes, *unknown)) if unknown else drift


def _of_sections(old: Old, page: Page) -> Drift | None:
    """Return that a passage of several sections was taken apart, when each of them stands as it stood."""
    found: list[Drift] = []
    for section in _sections(old):
        if section.standing.last.kind == "heading":  # the sections below it are held against it themselves
            if not any(part.kind == "heading" and part.text == section.text for part in page.parts):
                return None
            continue
        places = [agreement(section, one.standing) for one in _in_order(section, places_of(section.text, page))]
        drift = _of_places(section, page, places) if places else None
        if drift is None or drift.state not in (State.INTACT, State.MOVED):
            return None
        found.append(drift)
    if not found or found[0].start is None:
        return None
    longest = max(found, key=lambda drift: (drift.end or 0) - (drift.start or 0))
    return replace(longest, state=State.MOVED, notes=(*longest.notes, "sections-apart"))


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


# --- how it stood then -----------------------------------------------------------------------------------------------


def _old(then: Then, now: Page) -> Old | None:
    """Return the passage's standing then; None when it has no words to look for."""
    selectors = then.selectors
    if then.page is not None:
        text = then.page.conversion.text
        if text[selectors.start : selectors.end] == selectors.exact:
            for hidden_too in (False, True):
                page = then.page.with_hidden if hidden_too else then.page
                span = page.folded_range(selectors.start, selectors.end)
                if span is not None and _same_words(page.stream[span[0] : span[1]], selectors.exact):
                    head = folded(text[slice(*then.table_head)]) if then.table_head else ""
                    lead_in = folded(text[slice(*then.lead_in)]) if then.lead_in else ""
                    path = tuple(folded(heading) for heading in then.heading_path)
                    return Old(Standing(page, *span), path, True, head, lead_in)
    prefix, exact, suffix = selectors.prefix, selectors.exact, selectors.suffix
    # in code `[1]` is no reference mark; that it was code is known where it stands so in code now
    page = _page_of_lines(
        prefix + exact + suffix, "code" if MARK.search(exact) and folded(exact) in now.stream else "other"
    )
    span = page.folded_range(len(prefix), len(prefix) + len(exact))
    if span is None:
        return None
    path = tuple(folded(heading) for heading in then.heading_path)
    above = [folded(_known(then, place) or "") for place in (then.table_head, then.lead_in)]
    return Old(Standing(page, *span), path, False, *above)


def _known(then: Then, span: tuple[int, int] | None) -> str | None:
    """Return a piece of the text of then, where its selectors hold it."""
    selectors = then.selectors
    known = selectors.prefix + selectors.exact + selectors.suffix
    first = selectors.start - len(selectors.prefix)
    if span is None or not first <= span[0] < span[1] <= first + len(known):
        return None
    return known[span[0] - first : span[1] - first]


def _same_words(stream: str, exact: str) -> bool:
    """Whether a stretch of a stream is all of a passage: a part of it that is hidden is missing there."""
    return _letters(stream) == _letters(folded(exact))


def _letters(text: str) -> str:
    return PERMALINK.sub("", "".join(MARK.sub("", EDIT.sub("", text)).split()))


def _page_of_lines(text: str, kind: str) -> Page:
    blocks: list[Block] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            blocks.append(Block(kind, at, at + len(line)))
        at += len(line) + 1
    return Page.of(Conversion(text, tuple(blocks), Metadata(), "selectors"))


# --- the same words --------------------------------------------------------------------------------------------------


def _in_order(old: Old, places: list[Place]) -> list[Place]:
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


def _is_sound(old: Old, one: Agreement) -> bool:
    """Whether a place is the passage's: nothing around it says otherwise, and its neighbours or its headings agree."""
    if one.reasons or _other_marks(old, one.place):
        return False
    if one.before_same and one.after_same:
        return True
    if _is_short(old.text):
        return one.before_same and old.standing.left.strip() != ""
    return one.before_same or one.after_same or _is_supported(old, one)


def _is_short(text: str) -> bool:
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


def _other_marks(old: Old, place: Standing) -> bool:
    """Whether as many reference marks stand in it, with other numbers: then a number was changed, none was added."""
    if not old.whole:
        return False
    then = old.standing.page.marks_in(old.standing.start, old.standing.end)
    now = place.page.marks_in(place.start, place.end)
    return len(then) == len(now) and then != now


def _of_places(old: Old, page: Page, found: list[Agreement]) -> Drift | None:
    """Return what became of a passage whose words stand at these places; None when none of them has to do with it."""
    sound = [one for one in found if _is_sound(old, one)]
    best = max(sound or found, key=lambda one: (one.before_same + one.after_same, one.likeness))
    place = best.place
    if not (best.before_same or best.after_same):
        there = _at_old_place(old, page, place)
        if there is not None:
            return there
    start, end = page.raw(place.start, place.end)
    notes = _notes(old, page, best)
    if sound:
        rivals = [one for one in sound if one is not best and _is_as_good(one, best)]
        if rivals and not _same_number(old, page, found, best):
            return Drift(State.AMBIGUOUS, start, end, similarity="1", notes=notes)
        if _is_copy_gone(old, page, place):
            return Drift(State.AMBIGUOUS, start, end, similarity="1", notes=(*notes, "copy-gone"))
        near = best.before_same or best.after_same
        return Drift(State.INTACT if near else State.MOVED, start, end, similarity="1", notes=notes)
    if _other_marks(old, place):
        return Drift(State.CHANGED, start, end, _changed_marks(old, place), "0.99", (*notes, "reference-changed"))
    changes = _context_changes(old, best)
    reasons = best.reasons or ("elsewhere",)
    return Drift(State.CONTEXT_CHANGED, start, end, changes, "1", tuple(dict.fromkeys([*reasons, *notes])))


def _is_as_good(one: Agreement, best: Agreement) -> bool:
    """Whether nothing but a few characters, which are alike by chance, puts one place before another."""
    sides = one.before_same + one.after_same
    return sides == best.before_same + best.after_same and best.likeness - one.likeness < SAME_CHARS


def _is_copy_gone(old: Old, page: Page, place: Standing) -> bool:
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


def _same_number(old: Old, page: Page, found: list[Agreement], best: Agreement) -> bool:
    """Whether there are as many copies as then, and this is the one with the old one's number."""
    if not old.whole:
        return False
    copies = occurrences(old.standing.page.stream, old.text)
    now = occurrences(page.stream, old.text)
    if len(copies) != len(now) or old.standing.start not in copies or best.place.start not in now:
        return False
    return copies.index(old.standing.start) == now.index(best.place.start)


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


# --- the old place ---------------------------------------------------------------------------------------------------


def _between_neighbours(old: Old, page: Page) -> tuple[int, int] | None:
    """Return the range of the stream between the passage's neighbours of then; None when they are not both there."""
    then = old.standing
    before, after = then.left.strip()[-_ANCHOR_CHARS:], then.right.strip()[:_ANCHOR_CHARS]
    far = 3 * len(old.text) + 2_000
    if not before and not after:
        return None
    starts = [at + len(before) for at in occurrences(page.stream, before, 20)] if before else [0]
    for start in starts:
        if not after:
            end = len(page.stream)
        else:
            end = page.stream.find(after, start, start + far + len(after))
        if start <= end <= start + far:
            return start, end
    return None


def _at_old_place(old: Old, page: Page, place: Standing) -> Drift | None:
    """Return that other words stand at the old place, when words like the passage's do."""
    between = _between_neighbours(old, page)
    if between is None or between[0] <= place.start < between[1]:
        return None
    start, end = between
    inside = page.stream[start:end].strip()
    if not inside or inside == old.text:
        return None
    share = likeness(
        [t.text for t in tokens_of(old.text)], [t.text for t in tokens_of(inside[: 4 * len(old.text) + 400])]
    )
    if share < _CHANGED_SHARE:
        return None
    start += len(page.stream[start:end]) - len(page.stream[start:end].lstrip())
    return Drift(
        State.CHANGED,
        *page.raw(start, start + len(inside)),
        changes_between(old.text, inside),
        f"{share:.3f}",
        ("copy-elsewhere",),
    )


# --- other words -----------------------------------------------------------------------------------------------------


def _of_other_words(old: Old, page: Page) -> Drift:
    """Return what became of a passage whose words are not there as they were."""
    pieces = pieces_of(old)
    cut = _cut_short(old, page, pieces)
    if cut is not None:
        return cut
    between = _between_neighbours(old, page)
    found = nearest(old.text, page, between)
    best = next((near for near in found if _is_about_it(old, page, near, between, pieces)), None)
    if best is None:
        return Drift(State.ABSENT, similarity=f"{found[0].likeness:.3f}" if found else None)
    best = _with_fresh(old, page, best)
    start, end = page.raw(best.start, best.end)
    inside = page.stream[best.start : best.end]
    similarity = f"{min(best.likeness, 0.999):.3f}"
    changes = changes_between(old.text, inside)
    state = State.PARTIAL if _is_cut_short(pieces, inside, changes) else State.CHANGED
    return Drift(state, start, end, changes, similarity)


def _cut_short(old: Old, page: Page, pieces: list[str]) -> Drift | None:
    """Return that some of a passage's sentences are gone, when the others stand together and nothing is in between.

    Not so when fresh text stands next to them in place of those that are missing: that is a change.
    """
    kept = [piece for piece in pieces if piece in page.stream]
    telling = [piece for piece in kept if not _is_short(piece)]
    if not telling or len(kept) == len(pieces):
        return None
    for at in occurrences(page.stream, kept[0], _AGREEMENTS_MAX):
        end = at
        for piece in kept:
            begin = end + 1 if page.stream[end : end + 1] == " " and end > at else end
            if not page.stream.startswith(piece, begin):
                break
            end = begin + len(piece)
        else:
            place = Standing(page, at, end)
            if _is_fresh_beside(old, place):
                continue
            inside = page.stream[at:end]
            words = [[token.text for token in tokens_of(text)] for text in (old.text, inside)]
            share = f"{min(likeness(*words), 0.999):.3f}"
            return Drift(State.PARTIAL, *page.raw(at, end), changes_between(old.text, inside), share)
    return None


def _is_fresh_beside(old: Old, place: Standing) -> bool:
    """Whether text that was not on the page then stands next to a place, in its block or in the next one."""
    then = old.standing.page.stream
    if any(text.strip() and text.strip() not in then for text in (place.left_in, place.right_in)):
        return True
    parts = place.page.parts
    beside = [parts[n] for n in (place.first.number - 1, place.last.number + 1) if 0 <= n < len(parts)]
    return old.whole and any(old.is_fresh(part) and not part.furniture for part in beside)


def _with_fresh(old: Old, page: Page, near: Near) -> Near:
    """Return a stretch with the fresh parts next to it that stand in for parts of the passage that are gone."""
    then = old.standing
    gone = [p.text for p in then.page.parts[then.first.number : then.last.number + 1] if p.text not in page.texts]
    first, last = page.part_at(near.start), page.part_at(near.end - 1)
    start, end = near.start, near.end
    opening, closing = then.first.text, then.last.text
    if (
        start == first.start
        and opening in gone
        and first.number > 0
        and not old.text.startswith(first.text[:_ANCHOR_CHARS])
    ):
        before = page.parts[first.number - 1]
        if old.is_fresh(before) and before.kind == then.first.kind and len(before.text) <= 2 * len(opening) + 40:
            start = before.start
    if (
        end == last.end
        and closing in gone
        and last.number + 1 < len(page.parts)
        and not old.text.endswith(last.text[-_ANCHOR_CHARS:])
    ):
        after = page.parts[last.number + 1]
        if old.is_fresh(after) and after.kind == then.last.kind and len(after.text) <= 2 * len(closing) + 40:
            end = after.end
    return replace(near, start=start, end=end)


def _is_about_it(old: Old, page: Page, near: Near, between: tuple[int, int] | None, pieces: list[str]) -> bool:
    """Whether a stretch is the passage with other words, and not other text that is like it."""
    inside = page.stream[near.start : near.end]
    kept = [piece for piece in pieces if len(piece) > _SHORT_CHARS and piece in inside]
    if old.whole and _stood_then(old, page, near):
        return False
    if kept:
        return True
    if between is not None and between[0] <= near.start and near.end <= between[1]:
        return near.share >= _IN_PLACE_SHARE or len(tokens_of(old.text)) <= _SHORT_TOKENS
    return near.share >= _CHANGED_SHARE


def _stood_then(old: Old, page: Page, near: Near) -> bool:
    """Whether all of a stretch is text that stood elsewhere on the page then, beside the passage."""
    inside = page.stream[near.start : near.end]
    then = old.standing
    stream = then.page.stream
    if any(not (then.start - len(inside) < at < then.end) for at in occurrences(stream, inside, 20)):
        return True
    first, last = page.part_at(near.start), page.part_at(near.end - 1)
    own = {then.page.parts[n].text for n in range(then.first.number, then.last.number + 1)}
    return all(
        page.parts[n].text in then.page.texts and page.parts[n].text not in own
        for n in range(first.number, last.number + 1)
    )


def _is_cut_short(pieces: list[str], inside: str, changes: tuple[Change, ...]) -> bool:
    """Whether nothing was put in, and what is missing is whole sentences."""
    if any(step.sign == "+" for step in changes):
        return False
    at = 0
    kept = 0
    for piece in pieces:
        place = inside.find(piece, at)
        if place < 0:
            continue
        if inside[at:place].strip():
            return False
        at = place + len(piece)
        kept += 1
    return 0 < kept < len(pieces) and not inside[at:].strip()


# --- notices ---------------------------------------------------------------------------------------------------------


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
