"""Where the very words of a passage stand in a page now: in one piece, or with whole blocks put in between. Pure."""

from __future__ import annotations

from typing import NamedTuple

from searchlog.drift.page import Page, Part
from searchlog.drift.standing import LINKED_PERCENT, Old, Standing
from searchlog.wording.sentences import sentences_of

__all__ = ["PLACES_MAX", "Place", "pieces_of", "places_of"]

PLACES_MAX = 1_000
"""Places of one text that are counted."""
_STARTS_MAX = 40
"""Places of the first piece from which a passage with blocks put in is followed."""
_GAP_PARTS_MAX = 8
_STEPS_MAX = 60
"""Parts that begin like a piece and are tried, of one place."""
_GAP_LINKS_MAX = 80
"""A table of contents has as many parts."""


class Place(NamedTuple):
    """A range of a page's stream with the words of a passage, and the blocks in it that are none of it."""

    standing: Standing
    gaps: tuple[Part, ...] = ()


def occurrences(stream: str, text: str, count_max: int = PLACES_MAX) -> list[int]:
    """Return where a text begins in a stream; copies that overlap are counted once."""
    out: list[int] = []
    at = stream.find(text) if text else -1
    while at >= 0 and len(out) < count_max:
        out.append(at)
        at = stream.find(text, at + len(text))
    return out


def places_of(text: str, page: Page) -> list[Place]:
    """Return the places where a folded text stands in one piece, in order."""
    return [Place(Standing(page, at, at + len(text))) for at in occurrences(page.stream, text)]


def pieces_of(old: Old) -> list[str]:
    """Return the sentences of a passage, which end where its blocks end."""
    standing = old.standing
    page = standing.page
    out: list[str] = []
    for part in page.parts[standing.first.number : standing.last.number + 1]:
        text = page.stream[max(part.start, standing.start) : min(part.end, standing.end)]
        out += [text[start:end] for start, end in sentences_of(text)]
    return out


def gapped_places_of(pieces: list[str], page: Page) -> list[Place]:
    """Return the places where the pieces of a passage stand in order with nothing but whole blocks between them."""
    if len(pieces) < 2:
        return []
    found: list[Place] = []
    for start in occurrences(page.stream, pieces[0], _STARTS_MAX):
        place = _followed(pieces, page, start)
        if place is not None:
            found.append(place)
    return found


def _followed(pieces: list[str], page: Page, start: int) -> Place | None:
    """Follow the pieces from the first one on; where one stands in several parts, the nearest that leads on."""
    found = _rest(pieces[1:], page, start + len(pieces[0]), [_STEPS_MAX])
    return Place(Standing(page, start, found[0]), tuple(found[1])) if found is not None else None


def _rest(pieces: list[str], page: Page, at: int, steps: list[int]) -> tuple[int, list[Part]] | None:
    """Return where the last of the pieces ends and what stands between them.

    steps: how many more parts may be tried.
    """
    stream, parts = page.stream, page.parts
    for n, piece in enumerate(pieces):
        begin = at + 1 if stream[at : at + 1] == " " else at
        if stream.startswith(piece, begin):
            at = begin + len(piece)
            continue
        part = page.part_at(at - 1)
        if at != part.end:
            return None
        passed: list[Part] = []
        for other in parts[part.number + 1 : part.number + 2 + _GAP_LINKS_MAX]:
            if stream.startswith(piece, other.start) and steps[0] > 0:
                steps[0] -= 1
                found = _rest(pieces[n + 1 :], page, other.start + len(piece), steps)
                if found is not None:
                    return found[0], [*passed, *found[1]]
            passed.append(other)
            if sum(not (one.furniture or one.link >= LINKED_PERCENT) for one in passed) > _GAP_PARTS_MAX:
                return None
        return None
    return at, []
