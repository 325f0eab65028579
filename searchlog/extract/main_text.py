"""Which blocks of a page are its main text, and what kind of page it is: labels, never a filter. Pure.

A small forest of decision trees reads the numbers of `features.py`, which come from the page's own structure: regions
by name and role, repeated siblings, link density, running text, what a page says of its type. Its scores are whole
numbers and summed as such, so the same page gets the same labels on any machine. Blocks are then taken, best first,
while that raises the F1 to be expected of the whole choice: a page without one clear block still gets its best ones.

The trees (`trees.py`) are made by `python -m tests.bench.train_main_text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from searchlog.extract import trees
from searchlog.extract.conversion import Block, Metadata
from searchlog.extract.elements import Layout
from searchlog.extract.features import features

__all__ = ["BLOCKS_LABELLED_MAX", "PAGE_TYPES", "RULE", "MainText", "chosen", "label", "main_text"]

RULE = "main/1"
PAGE_TYPES = ("article", "collection", "documentation", "forum", "listing", "product", "service")
BLOCKS_LABELLED_MAX = 8_000
"""Longer pages keep the labels of their structure: they are standards and registers, and nobody is to wait for them."""
_SCALE = 1_000
"""Steps of a score in one unit of the logistic function."""
_CHANCES = 1_000
_OPINION = 1_200
"""What the word of another reader counts. Measured: between 1,000 and 1,500 all the same."""
_LISTS = ("collection", "listing")
_NAMED = 1_500
"""What it counts against a block of a list that its element is named or has the role of furniture: the trees confuse
menus with lists. Measured: listings .620 to .635, collections .748 to .752."""
_CHARS_MIN = 400
"""Of visible text: below, there is no layout to learn from."""
_RECALL_PERCENT = 80
"""What the expected size of the main text counts when blocks are taken. Measured: 80 chose better than 100."""


@dataclass(frozen=True, slots=True)
class MainText:
    """What was decided for one page."""

    scores: list[int]
    """For each visible block, in order: thousandths on the scale of the logistic function, 0 for as likely as not."""
    widths: list[int]
    """What each of them counts: letters, an ideograph as three."""
    page_type: str
    """One of `PAGE_TYPES`."""

    def is_main(self) -> list[bool]:
        """Return for each visible block whether it is main text."""
        return chosen([_chance(score) for score in self.scores], self.widths)

    def expected_percent(self) -> int:
        """Return the F1 to be expected of the choice, by the chances alone."""
        chances = [_chance(score) for score in self.scores]
        wanted = sum(chance * width for chance, width in zip(chances, self.widths, strict=True))
        taken = [(c, w) for c, w, main in zip(chances, self.widths, self.is_main(), strict=True) if main]
        size = _CHANCES * sum(width for _, width in taken) + wanted
        return 200 * sum(chance * width for chance, width in taken) // (size or 1)

    def with_opinion(self, keeps: Sequence[bool]) -> MainText:
        """Return the same after another reader said of each visible block whether to keep it."""
        scores = [s + (_OPINION if keep else -_OPINION) for s, keep in zip(self.scores, keeps, strict=True)]
        return replace(self, scores=scores)


def _chance(score: int) -> int:
    """Return the logistic function of a score, in thousandths; by a table, so that no machine rounds it otherwise."""
    step = min(max(score * 16 // _SCALE, -_STEPS), _STEPS)
    return _LOGISTIC[step + _STEPS]


_STEPS = 96
"""Sixteenths of a unit on each side of 0: beyond six units nothing changes."""
_LOGISTIC: tuple[int, ...] = tuple(
    round(_CHANCES / (1 + 2.718281828459045 ** (-step / 16))) for step in range(-_STEPS, _STEPS + 1)
)


def main_text(text: str, blocks: Sequence[Block], layout: Layout, metadata: Metadata, url: str) -> MainText | None:
    """Return what is to be thought of each visible block; None of pages too short to tell, or too long to look at."""
    if len(blocks) > BLOCKS_LABELLED_MAX or sum(b.end - b.start for b in blocks if b.hidden is None) < _CHARS_MIN:
        return None
    found = features(text, blocks, layout, metadata, url)
    types = trees.type_scores(found.page)
    page_type = PAGE_TYPES[types.index(max(types))]
    scores = list(map(trees.block_score, found.rows))
    if page_type in _LISTS:
        named = [blocks[i].furniture is not None for i in found.visible]
        scores = [score - _NAMED if is_named else score for score, is_named in zip(scores, named, strict=True)]
    return MainText(scores, found.widths, page_type)


def chosen(chances: Sequence[int], widths: Sequence[int]) -> list[bool]:
    """Return the choice of blocks whose expected F1 is highest; at least one block.

    chances: that a block is main text, in thousandths. widths: what each block counts.
    With the blocks taken best first, the expected F1 is `2 * hits / (taken + wanted)`.
    """
    wanted = sum(chance * width for chance, width in zip(chances, widths, strict=True)) * _RECALL_PERCENT // 100
    order = sorted(range(len(chances)), key=lambda i: (-chances[i], i))
    hits = taken = 0
    best_hits, best_size, least = -1, 1, _CHANCES
    for i in order:
        hits += chances[i] * widths[i]
        taken += _CHANCES * widths[i]
        size = taken + wanted or 1
        if hits * best_size > best_hits * size:
            best_hits, best_size, least = hits, size, chances[i]
    return [chance >= least for chance in chances]


def label(blocks: Sequence[Block], is_main: Sequence[bool]) -> tuple[Block, ...]:
    """Return the blocks with `furniture` as decided: none on main text, `boilerplate` where the structure has no name.

    is_main: for each visible block, in order.
    """
    out = list(blocks)
    decided = iter(is_main)
    for i, block in enumerate(blocks):
        if block.hidden is not None:
            continue
        furniture = None if next(decided) else block.furniture or "boilerplate"
        if furniture != block.furniture:
            out[i] = replace(block, furniture=furniture)
    return tuple(out)
