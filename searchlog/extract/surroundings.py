"""What the elements around the blocks of a page hold: how much text, how much of it links, how often they repeat. Pure.

The numbers are whole: shares in percent, sizes in steps of a logarithm (`steps`). What holds for an element holds for
all blocks directly in it, so it is worked out once, from the outside in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from searchlog.extract.conversion import Block
from searchlog.extract.elements import Elements

__all__ = ["NAMES", "Sizes", "Surroundings", "percent", "steps"]

_PARENTS = ("div", "p", "li", "td", "section", "article", "main", "body")
_TAGS = ("ol", "main", "figure", "section", "footer", "form")
_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "comment comments reply replies message messages thread topic discussion answer answers question review "
            "reviews forum postbody",
            "search searchform searchbox login signup form signin filter filters sort facet facets refine modal popup "
            "dialog",
            "meta byline author date tags tag category categories avatar user profile info details actions action "
            "button buttons btn cta vote votes score stats rating",
            "footer colophon copyright bottombar legal",
            "sidebar aside side secondary widget widgets rail",
            "cookie cookies consent gdpr newsletter subscribe share sharing social ad ads advert adverts advertisement "
            "sponsored promo promotion paywall backtotop tooltip skip hidden",
            "header masthead topbar siteheader banner hero logo",
            "product item card tile listing result row grid list collection price title name",
            "content article post entry story body main text copy prose markdown richtext description desc detail "
            "summary",
            "nav navbar navigation menu submenu breadcrumb breadcrumbs topnav toolbar sitemap tabs tab dropdown",
            "related recommended recommendations trending mostread more similar also popular upsell crosssell latest "
            "recent carousel slider",
        )
    )
    for word in words.split()
}
_WORD_KINDS = ("comment", "form", "meta", "foot", "side", "junk", "head", "item", "content", "nav", "related")
"""Of the words in classes and ids: how many elements up the nearest element with one of them is."""
_FAR = 20
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_COMMA = re.compile("[,;，；、،؛]")
_ROOT = re.compile(r"(?:^|\s)(?:main|content|main-?content|page-?content|primary)(?:\s|$)", re.I)
_ROOT_PERCENT = 40
"""What an element that calls itself main must hold to be the root of it all."""
_NAMED_PATHS_MAX = 5_000
"""Paths whose names are looked at: no page of people has more, and each costs."""
_PROSE_MIN = 40
_RECORD_MIN = 20
_RECORDS_MIN = 3
_DEPTH_MAX = 40
_FROM_TOP_MAX = 15


def steps(value: int) -> int:
    """Return twice the length in bits, and one more in the upper half between two powers of two."""
    length = value.bit_length()
    return 2 * length + (value >> (length - 2) & 1) if length > 1 else 2 * length


def percent(part: int, whole: int) -> int:
    """Return the share in percent, rounded down; 0 of nothing."""
    return 100 * part // whole if whole > 0 else 0


class Sizes(NamedTuple):
    """How much text comes before each block, and after the last: in all, in links, in running text, in blocks."""

    text: list[int]
    link: list[int]
    long: list[int]
    blocks: list[int]


class _Holds(NamedTuple):
    """What an element holds."""

    text: int
    link: int
    long: int
    blocks: int


class _Repeated(NamedTuple):
    """What all elements of one path hold together."""

    text: int
    number: int
    average: int
    link: int
    depth: int
    long_before: int
    before: int


_NEVER_REPEATED = _Repeated(0, 0, 0, 0, 0, -1, -1)
_ANCESTORS = ("few", "tenth", "third")
"""The nearest element with three blocks, with a tenth of the page's text, with a third."""
NAMES = (
    *(f"{name}_at" for name in _ANCESTORS),
    "beside_best_record",
    *(f"far_{kind}" for kind in _WORD_KINDS),
    *(f"in_{tag}" for tag in _TAGS),
    *("depth", "parent", "in_named_main", "in_root", "from_top", "candidate"),
    *(f"{name}_{what}" for name in _ANCESTORS for what in ("text", "link", "long", "blocks", "average", "depth")),
    *(f"{name}_{what}" for name in ("repeated", "most_repeated") for what in _Repeated._fields),
)
"""Of the numbers that `Surroundings.row` gives."""


@lru_cache(8192)
def _kinds_of(names: str) -> tuple[int, ...]:
    found = {_WORDS[word] for word in map(str.lower, _NAME.findall(names)) if word in _WORDS}
    return tuple(sorted(found))


class _Path(NamedTuple):
    """What a path says of the blocks in it."""

    far: tuple[int, ...]
    """For each of `_WORD_KINDS`, how many elements up the nearest one named so is."""
    inside: tuple[int, ...]
    depth: int
    row: tuple[int, ...]


class _Inside(NamedTuple):
    """What holds for all that is directly in one element."""

    few: int
    """The nearest element with three blocks, itself or around it; the next two in the order of `_ANCESTORS`."""
    tenth: int
    third: int
    near: _Repeated
    """The nearest repeated path around."""
    most: _Repeated
    """The repeated path around that holds most."""
    from_top: int
    """How many elements up from the best candidate the first is that holds this one as well."""
    beside_record: bool
    """Whether the best records stand in the element around it, or around that."""
    in_main: bool
    in_root: bool


class Surroundings:
    """The elements of one page. `record` holds what the page's best records hold: share, number, blocks of each."""

    def __init__(self, elements: Elements, sizes: Sizes, count: int) -> None:
        """sizes: of `count` blocks."""
        self._elements = elements
        self._sizes = sizes
        self._total = sizes.text[-1] or 1
        self._paths = _paths(elements)
        text, link, long, blocks = sizes
        spans = [(min(e.start, count), min(e.end, count)) for e in elements]
        self._starts = [start for start, _ in spans]
        self._holds = [
            _Holds(
                text[end] - text[start], link[end] - link[start], long[end] - long[start], blocks[end] - blocks[start]
            )
            for start, end in spans
        ]
        self._repeated = self._find_repeated()
        self.record, self._record_key = self._find_records()
        self._ancestor_rows: dict[tuple[int, int, int], tuple[int, ...]] = {}

    def look(self, blocks: Sequence[Block], texts: Sequence[str], element_of: Sequence[int]) -> None:
        """Look at the running text of all visible blocks; before `row`."""
        self._scores, self._above_top = self._candidates(blocks, texts, element_of)
        self._best_score = max(self._scores) or 1
        self._insides = self._inherited()

    def main_percent(self) -> int:
        """Return the share of the text in elements that name themselves main or article."""
        main = until = 0
        for at, element in enumerate(self._elements):
            if element.label == "main" and element.start >= until:
                main += self._holds[at].text
                until = element.end
        return percent(main, self._total)

    def is_comment(self, element: int) -> bool:
        """Return whether an element around it is named after comments, answers or reviews."""
        return self._paths[self._elements[element].path].far[0] < _FAR

    def row(self, element: int) -> tuple[int, ...]:
        """Return all of `NAMES` but the first three, which `at` gives."""
        inside = self._insides[element]
        around = self._elements[element].around
        beyond = self._elements[around].around if around >= 0 else -1
        scores = self._scores
        score = max(scores[element], scores[around] if around >= 0 else 0, scores[beyond] if beyond >= 0 else 0)
        key = inside[:3]
        ancestors = self._ancestor_rows.get(key)
        if ancestors is None:
            ancestors = self._ancestor_rows[key] = tuple([value for at in key for value in self._ancestor(at)])
        return (
            inside.beside_record,
            *self._paths[self._elements[element].path].row,
            inside.in_main,
            inside.in_root,
            inside.from_top,
            100 * score // self._best_score,
            *ancestors,
            *inside.near,
            *inside.most,
        )

    def at(self, element: int, before: int) -> tuple[int, int, int]:
        """Return where a block that stands directly in the element is in its ancestors. before: text before it."""
        inside, holds, starts, text = self._insides[element], self._holds, self._starts, self._sizes.text
        few, tenth, third = inside.few, inside.tenth, inside.third
        return (
            100 * (before - text[starts[few]]) // (holds[few].text or 1),
            100 * (before - text[starts[tenth]]) // (holds[tenth].text or 1),
            100 * (before - text[starts[third]]) // (holds[third].text or 1),
        )

    def _ancestor(self, at: int) -> tuple[int, ...]:
        holds = self._holds[at]
        return (
            percent(holds.text, self._total),
            percent(holds.link, holds.text),
            percent(holds.long, holds.text),
            steps(holds.blocks),
            steps(holds.text // (holds.blocks or 1)),
            self._paths[self._elements[at].path].depth,
        )

    def _inherited(self) -> list[_Inside]:
        roots = [_ROOT.search(path.names) is not None for path in self._elements.paths[:_NAMED_PATHS_MAX]]
        roots += [False] * (len(self._elements.paths) - len(roots))
        total, record = self._total, self._record_key[0]
        out: list[_Inside] = []
        for at, (element, holds) in enumerate(zip(self._elements, self._holds, strict=True)):
            repeated = self._repeated[element.path]
            is_main = element.label == "main"
            is_root = (is_main or roots[element.path]) and 100 * holds.text >= _ROOT_PERCENT * total
            if element.around < 0:
                out.append(_Inside(0, 0, 0, repeated, repeated, self._above_top[at], False, is_main, is_root))
                continue
            outer = out[element.around]
            out.append(
                _Inside(
                    at if holds.blocks >= 3 else outer.few,
                    at if 10 * holds.text >= total else outer.tenth,
                    at if 3 * holds.text >= total else outer.third,
                    repeated if repeated.number else outer.near,
                    max(outer.most, repeated),
                    self._above_top.get(at, outer.from_top),
                    outer.beside_record or element.around == record,
                    outer.in_main or is_main,
                    outer.in_root or is_root,
                )
            )
        return out

    def _find_repeated(self) -> list[_Repeated]:
        """Return for each path what its elements hold; those without text do not count."""
        size = len(self._paths)
        text, number, link, first = [0] * size, [0] * size, [0] * size, [-1] * size
        for at, (element, holds) in enumerate(zip(self._elements, self._holds, strict=True)):
            path = element.path
            if first[path] < 0:
                first[path] = self._starts[at]
            if holds.text:
                text[path] += holds.text
                number[path] += 1
                link[path] += holds.link
        sizes = self._sizes
        return [
            _Repeated(
                percent(text[i], self._total),
                steps(number[i]),
                steps(text[i] // number[i]),
                percent(link[i], text[i]),
                path.depth,
                percent(sizes.long[first[i]], sizes.long[-1]),
                percent(sizes.text[first[i]], self._total),
            )
            if number[i] >= _RECORDS_MIN
            else _NEVER_REPEATED
            for i, path in enumerate(self._paths)
        ]

    def _find_records(self) -> tuple[tuple[int, int, int], tuple[int, int]]:
        """Find the siblings of one path that hold most text: the posts of a thread, the products of a list."""
        groups: dict[tuple[int, int], list[int]] = {}
        for element, holds in zip(self._elements, self._holds, strict=True):
            if holds.text >= _RECORD_MIN:
                group = groups.setdefault((element.around, element.path), [0, 0, 0, 0])
                group[0] += 1
                group[1] += holds.text
                group[2] += holds.blocks
                group[3] += holds.link
        best, found, worth = [0, 0, 0, 0], (-2, -2), 0
        for key, group in groups.items():
            if group[0] >= _RECORDS_MIN and group[2] >= 2 * group[0] and 2 * group[1] - group[3] > worth:
                best, found, worth = group, key, 2 * group[1] - group[3]
        number = best[0]
        return (percent(best[1], self._total), steps(number), steps(best[2] // number) if number else -1), found

    def _candidates(
        self, blocks: Sequence[Block], texts: Sequence[str], element_of: Sequence[int]
    ) -> tuple[list[int], dict[int, int]]:
        """Score elements by the running text near below them, as reading modes of browsers do.

        Returns the scores, and how far the best and each element around it are from the best.
        """
        elements, text, link = self._elements, self._sizes.text, self._sizes.link
        scores = [0] * len(elements)
        for i, block in enumerate(blocks):
            free = text[i + 1] - text[i] - link[i + 1] + link[i]
            if free < _PROSE_MIN or block.kind in ("heading", "table-row"):
                continue
            score = 2 + 2 * len(_COMMA.findall(texts[i], 0, 2_000)) + 2 * min(free // 100, 3)
            at = element_of[i]
            element = elements[at]
            if elements.paths[element.path].tag in ("p", "li", "pre", "blockquote", "td") and element.around >= 0:
                at = element.around
            scores[at] += score
            outer = elements[at].around
            if outer >= 0:
                scores[outer] += score // 2
        for at, score in enumerate(scores):
            if score:
                holds = self._holds[at]
                scores[at] = score * 100 * (holds.text - holds.link) // (holds.text or 1)
        top = scores.index(max(scores))
        above: dict[int, int] = {}
        while top >= 0:
            above[top] = min(len(above), _FROM_TOP_MAX)
            top = elements[top].around
        return scores, above


def _paths(elements: Elements) -> list[_Path]:
    out: list[_Path] = []
    for at, path in enumerate(elements.paths):
        if path.around < 0:
            far, inside, depth = [_FAR] * len(_WORD_KINDS), (0,) * len(_TAGS), 0
        else:
            outer = out[path.around]
            far = [up + 1 if up < _FAR else up for up in outer.far]
            inside, depth = outer.inside, outer.depth + 1
        for kind in _kinds_of(path.names) if path.names and at < _NAMED_PATHS_MAX else ():
            far[kind] = 0
        if path.tag in _TAGS:
            place = _TAGS.index(path.tag)
            inside = (*inside[:place], 1, *inside[place + 1 :])
        parent = _PARENTS.index(path.tag) if path.tag in _PARENTS else len(_PARENTS)
        out.append(_Path(tuple(far), inside, depth, (*far, *inside, min(depth, _DEPTH_MAX), parent)))
    return out
