"""The block elements of a page as the walk met them: which holds which, and which pieces of text each holds. Pure.

A *path* is how an element stands in the page: the path of the element around it, its name and the first of its classes
without digits. Elements of one path are repeated siblings or their like: posts of a thread, products of a list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from searchlog.extract.conversion import Block, Place
from searchlog.extract.furniture import LABELLED, Region, region_label

__all__ = ["ELEMENTS_MAX", "Element", "Elements", "Layout", "Path", "places_of", "tag_paths"]

ELEMENTS_MAX = 60_000
"""Block elements that are remembered apart; what comes later belongs to the element around it."""
_NAMES_CHARS_MAX = 400
"""Of classes and an id, that are looked at."""
_NOT_NAMES = re.compile(r"[^a-z_-]+")


@dataclass(frozen=True, slots=True)
class Path:
    """How an element stands in the page."""

    around: int
    """Index of the path around it; -1 for the body."""
    tag: str
    name: str
    """The first class without digits, lower case; empty when there is none."""
    names: str
    """All classes and the id of the first element of this path."""


@dataclass(slots=True)
class Element:
    """One block element."""

    around: int
    """Index of the element around it; -1 for the body."""
    path: int
    label: str | None
    """A furniture label or `main`, as `furniture.region_label` gives it."""
    start: int
    end: int = -1
    """The pieces `[start, end)` that it holds."""


class Elements:
    """All of them, in document order; the first is the body."""

    def __init__(self) -> None:
        self.paths: list[Path] = [Path(-1, "body", "", "")]
        self._known: dict[tuple[int, str, str], int] = {}
        self._all: list[Element] = [Element(-1, 0, None, 0)]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Element]:
        return iter(self._all)

    def __getitem__(self, index: int) -> Element:
        return self._all[index]

    def open(self, tag: str, attributes: Mapping[str, str | None], around: int, start: int) -> int:
        """Note an element inside `around` that begins before piece `start`; return its index."""
        index = len(self._all)
        if index >= ELEMENTS_MAX:
            return around
        label, names, name = None, "", ""
        if attributes:
            names = attributes.get("class") or ""
            name = _first(names[:_NAMES_CHARS_MAX]) if names else ""
            label = region_label(tag, attributes)
        elif tag in LABELLED:
            label = region_label(tag, attributes)
        outer = self._all[around].path
        key = (outer, tag, name)
        path = self._known.get(key)
        if path is None:
            path = self._known[key] = len(self.paths)
            self.paths.append(
                Path(outer, tag, name, f"{names} {attributes.get('id') or ''}"[:_NAMES_CHARS_MAX].strip())
            )
        self._all.append(Element(around, path, label, start))
        return index

    def close(self, index: int, end: int) -> None:
        """Note that an element ends before piece `end`. One that shares its index with those inside it ends last."""
        self._all[index].end = end

    def forget(self, first: int) -> None:
        """Take out all from this one on: what they held has become one piece of the element around them."""
        del self._all[first:]

    def regions(self) -> list[Region]:
        """Return those that have a label."""
        return [Region(e.label, e.start, e.end) for e in self._all if e.label is not None]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each block of a text stands in the page."""

    elements: Elements
    element_of: list[int]
    """The innermost element around each block."""
    linked: list[int]
    """How many characters of each block are in links, about."""


def tag_paths(elements: Elements) -> list[str]:
    """Return each path as the names of its elements from the body down, such as `main/ul/li`; empty for the body."""
    out: list[str] = []
    for path in elements.paths:
        outer = out[path.around] if path.around >= 0 else ""
        if path.around < 0:
            out.append("")
        elif outer.count("/") >= _TAGS_MAX - 1:
            out.append(outer)
        else:
            tag = path.tag[:_TAG_CHARS_MAX]
            out.append(f"{outer}/{tag}" if outer else tag)
    return out


def places_of(blocks: Sequence[Block], layout: Layout) -> tuple[Place, ...]:
    """Return where each block stands."""
    paths = tag_paths(layout.elements)
    keys = [
        (layout.elements[at].path, block.kind, block.hidden)
        for block, at in zip(blocks, layout.element_of, strict=False)  # of a text that was cut there are fewer blocks
    ]
    counts = Counter(keys)
    return tuple(
        Place(paths[key[0]], min(100, 100 * linked // (block.end - block.start)), counts[key])
        for block, key, linked in zip(blocks, keys, layout.linked, strict=False)
    )


_TAGS_MAX = 40
"""Names of one path; deeper elements share that of the fortieth."""
_TAG_CHARS_MAX = 40
"""Of one name: a page may call an element whatever it likes, at any length."""


@lru_cache(8192)
def _first(names: str) -> str:
    words = names.split(None, 1)
    return _NOT_NAMES.sub("", words[0][:80].lower()) if words else ""
