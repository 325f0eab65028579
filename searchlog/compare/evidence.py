"""The evidence: passages matched by what they say, then by likeness on the same page. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from searchlog.compare.section import Section, Side, new_counts, one_sided
from searchlog.records import Evidence
from searchlog.search.fuse import comparison_key
from searchlog.wording.words import word_diff, words_of

__all__ = ["evidence_here", "evidence_section"]

_LIKE_PERCENT = 50
"""How much of their words two passages of one page share, of all they have, to be the same one altered."""
_PAIRS_MAX = 40_000
"""Passages of one page beyond this many pairs are not looked at for likeness."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece of evidence where it stands."""

    place: int
    item: Evidence
    key: str
    """Comparison key of its page."""
    text: str | None
    """The passage; None when it cannot be read."""

    def to_json(self) -> dict[str, Any]:
        item = self.item
        return {
            "id": item.id,
            "place": self.place,
            "url": item.url,
            "title": item.title,
            "start": item.start,
            "end": item.end,
            "digest": item.digest,
            "published": item.published,
            "captured_at": item.captured_at,
            "exact": self.text,
        }


_Pair = tuple[_Piece, _Piece]


def evidence_here(side: Side) -> bool:
    """Whether all evidence is here: each piece that the rendering names; or it is known that there is no more."""
    if not side.incomplete:
        return True
    rendering = side.view.rendering
    return rendering is not None and set(rendering.evidence) <= {item.id for item in side.view.evidence}


def evidence_section(a: Side, b: Side) -> Section:
    """Return the evidence of both sides."""
    whole_a, whole_b = evidence_here(a), evidence_here(b)
    mine, other = _pieces(a), _pieces(b)
    both = _paired(mine, other, one_session=a.view.session == b.view.session, alike_too=whole_a or whole_b)
    section = Section(new_counts(("same", "reordered", "moved", "changed")))
    section.counts |= {"a": len(mine), "b": len(other), "both": len(both)}
    # places count among those that both have, or one that came in would reorder all that follow it
    order_b = {id(pair): n for n, pair in enumerate(sorted(both, key=lambda pair: (pair[1].place, pair[0].place)))}
    for n, pair in enumerate(both):
        state, names = _judged(pair, order_b[id(pair)] != n)
        section.counts[state] += 1
        if state != "same":
            words = word_diff(pair[0].text, pair[1].text) if "exact" in names else None
            told = {"key": pair[0].key if pair[0].key == pair[1].key else None}
            item = {"state": state, **told, "a": pair[0].to_json(), "b": pair[1].to_json(), "changed": names}
            section.items.append({**item, "words": words})
    for side, pieces, other_whole in (("a", _left(mine, both, 0), whole_b), ("b", _left(other, both, 1), whole_a)):
        state, count = one_sided(side, other_whole)
        section.counts[count] += len(pieces)
        for piece in pieces:
            sides = {"a": None, "b": None, side: piece.to_json()}
            section.items.append({"state": state, "key": piece.key, **sides, "changed": [], "words": None})
    return section


def _paired(a: list[_Piece], b: list[_Piece], *, one_session: bool, alike_too: bool) -> list[_Pair]:
    """Return the pieces that are the same or the same altered, by their places.

    one_session: an id means the same piece on both sides. alike_too: of one side at least all are here; otherwise
    the very passage that the other side has may be among what is not here, and likeness would tell a difference.
    """
    ways: list[Callable[[_Piece], Any]] = [
        lambda one: (one.item.digest, one.key, one.item.start),
        lambda one: (one.item.digest, one.key),
    ]
    if one_session:
        ways.insert(0, lambda one: (one.item.id, one.item.digest, one.key, one.item.start, one.item.end))
    if alike_too:
        ways.append(lambda one: one.item.digest)
    pairs: list[_Pair] = []
    for same in ways:
        pairs += _matched(a, b, pairs, same)
    if alike_too:
        pairs += _alike(_left(a, pairs, 0), _left(b, pairs, 1))
    return sorted(pairs, key=lambda pair: (pair[0].place, pair[1].place))


def _pieces(side: Side) -> list[_Piece]:
    out = []
    for place, item in enumerate(side.view.evidence, 1):
        text = side.load(item.exact)
        out.append(_Piece(place, item, comparison_key(item.url), text if isinstance(text, str) else None))
    return out


def _matched(a: list[_Piece], b: list[_Piece], pairs: list[_Pair], same: Callable[[_Piece], Any]) -> list[_Pair]:
    """Return pairs of pieces that are not paired yet and of which the same is true, in their order on both sides."""
    waiting: dict[Any, list[_Piece]] = {}
    for piece in _left(b, pairs, 1):
        waiting.setdefault(same(piece), []).append(piece)
    return [(piece, found.pop(0)) for piece in _left(a, pairs, 0) if (found := waiting.get(same(piece)))]


def _left(pieces: list[_Piece], pairs: Sequence[_Pair], side: int) -> list[_Piece]:
    taken = {pair[side].place for pair in pairs}
    return [piece for piece in pieces if piece.place not in taken]


def _alike(a: list[_Piece], b: list[_Piece]) -> list[_Pair]:
    """Return pairs of passages of one page that share most of their words, the likest first."""
    words = {(side, one.place): Counter(words_of(one.text)) for side, pieces in enumerate((a, b)) for one in pieces}
    by_page: dict[str, list[_Piece]] = {}
    for piece in b:
        by_page.setdefault(piece.key, []).append(piece)
    on_a = Counter(piece.key for piece in a)
    found = []
    for one in a:
        others = by_page.get(one.key, [])
        if on_a[one.key] * len(others) > _PAIRS_MAX:
            continue
        for two in others:
            mine, other = words[0, one.place], words[1, two.place]
            shared, all_of_both = (mine & other).total(), mine.total() + other.total()
            if all_of_both and 200 * shared >= _LIKE_PERCENT * all_of_both:
                found.append((-shared * 1_000_000 // all_of_both, one.place + two.place, one.place, one, two))
    # two pairs that share a passage have different sums of places, so which is taken does not depend on the side
    out: list[_Pair] = []
    taken: set[tuple[int, int]] = set()
    for *_, one, two in sorted(found, key=lambda entry: entry[:3]):
        if taken.isdisjoint({(0, one.place), (1, two.place)}):
            taken |= {(0, one.place), (1, two.place)}
            out.append((one, two))
    return out


def _judged(pair: _Pair, reordered: bool) -> tuple[str, list[str]]:
    """Return the state of two pieces that were matched, and what differs between them."""
    a, b = pair
    names = [
        name
        for name, differs in (
            ("exact", a.item.digest != b.item.digest),
            ("url", a.key != b.key),
            ("position", (a.item.start, a.item.end) != (b.item.start, b.item.end)),
            ("published", a.item.published != b.item.published),
            ("order", reordered),
        )
        if differs
    ]
    if "exact" in names:
        return "changed", names
    if "url" in names or "position" in names:
        return "moved", names
    return ("changed" if "published" in names else "reordered" if names else "same"), names
