"""Where the very words of a passage stand in a page now: in one piece, or with whole blocks put in between. Pure."""

from __future__ import annotations

from typing import NamedTuple

from searchlog.drift.page import Page, Part
from searchlog.drift.standing import Old, Standing
from searchlog.wording.sentences import sentences_of

__all__ = ["PLACES_MAX", "Place", "pieces_of", "places_of"]

PLACES_MAX = 1_000
"""Places of one text that are counted."""
_STARTS_MAX = 40
"""Places of the first piece from which a passage with blocks put in is followed."""
_GAP_PARTS_MAX = 8


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
    stream, parts = page.stream, page.parts
    gaps: list[Part] = []
    at = start + len(pieces[0])
    for piece in pieces[1:]:
        begin = at + 1 if stream[at : at + 1] == " " else at
        if stream.startswith(piece, begin):
            at = begin + len(piece)
            continue
        part = page.part_at(at - 1)
        if at != part.end:
            return None
        for number in range(part.number + 1, min(len(parts), part.number + 2 + _GAP_PARTS_MAX)):
            if stream.startswith(piece, parts[number].start):
                at = parts[number].start + len(piece)
                break
            gaps.append(parts[number])
        else:
            return None
    return Place(Standing(page, start, at), tuple(gaps))
