"""What became of a passage whose words do not stand where it stood: other words, fewer of them, or none. Pure."""

from __future__ import annotations

from dataclasses import replace

from searchlog.drift.changes import changes_between
from searchlog.drift.copies import is_short
from searchlog.drift.drift import Change, Drift, State
from searchlog.drift.nearest import Near, likeness, nearest
from searchlog.drift.page import Page
from searchlog.drift.places import occurrences, pieces_of
from searchlog.drift.standing import Old, Standing
from searchlog.wording.alignment import tokens_of

__all__ = ["at_old_place", "of_other_words"]

_CHANGED_SHARE = 0.5
"""Of a passage's telling words, in order: with fewer of them a stretch is not it with other words."""
_IN_PLACE_SHARE = 0.25
"""As many do between the passage's own neighbours."""
_ANCHOR_CHARS = 60
_SHORT_TOKENS, _SHORT_CHARS = 4, 16
"""A passage with fewer words, or not more characters, stands anywhere by chance."""
_AGREEMENTS_MAX = 24
"""Places that are held against the old one in full."""


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


def at_old_place(old: Old, page: Page, place: Standing) -> Drift | None:
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


def of_other_words(old: Old, page: Page) -> Drift:
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
    telling = [piece for piece in kept if not is_short(piece)]
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
