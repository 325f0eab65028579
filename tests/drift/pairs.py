"""Pairs of pages, what `compare` says of them, and the table of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from searchlog.drift.compare import compare
from searchlog.drift.drift import Drift, State
from searchlog.drift.page import MARK, Page
from searchlog.drift.then import Then
from searchlog.wording.folding import folded
from tests.drift.harmful import HARMFUL, Case
from tests.drift.harmless import HARMLESS
from tests.drift.pages import Sample
from tests.drift.trees import Taken, converted, squeezed, taken, tree_of, written

__all__ = ["SOUND", "Judged", "harmful_pairs", "harmless_pairs", "table_of"]

SOUND = (State.INTACT, State.MOVED)
_PASSAGES_A_PAIR = 8


class Judged(NamedTuple):
    """One passage of one pair."""

    page: str
    kind: str
    harmful: bool
    drift: Drift
    taken: Taken
    markup: str


def _forgotten(then: Then) -> Then:
    """Return a passage whose page is not here any more."""
    return Then(then.selectors, then.heading_path, then.table_head, then.lead_in, None)


def harmless_pairs(
    samples: Iterable[Sample], kinds: Iterable[str], *, seed: int = 1, known: bool = True
) -> Iterator[Judged]:
    """Yield what is said of the main passages of each page after each harmless edit that could be made in it."""
    for sample in samples:
        conversion = converted(sample.markup)
        if conversion is None:
            continue
        page = Page.of(conversion)
        every = taken(conversion, page)
        for kind in kinds:
            rng = Random(f"{seed}/{sample.name}/{kind}")
            markup = HARMLESS[kind](sample.markup, sample.language, rng)
            now = converted(markup) if markup is not None else None
            if now is None or markup is None:
                continue
            new = Page.of(now)
            for one in rng.sample(every, min(len(every), _PASSAGES_A_PAIR)):
                if kind in ("section-moved", "menu-removed") and squeezed(one.text) not in squeezed(now.text):
                    continue  # it went over the border of two sections, or was itself a menu: not the same words
                then = one.then if known else _forgotten(one.then)
                yield Judged(sample.name, kind, False, compare(then, new), one, markup)


def harmful_pairs(
    samples: Iterable[Sample], kinds: Iterable[str], *, seed: int = 1, known: bool = True
) -> Iterator[Judged]:
    """Yield what is said of one passage of each page after each harmful edit that could be made to it."""
    for sample in samples:
        conversion = converted(sample.markup)
        if conversion is None:
            continue
        page = Page.of(conversion)
        every = taken(conversion, page)
        for kind in kinds:
            rng = Random(f"{seed}/{sample.name}/{kind}")
            for one in rng.sample(every, min(len(every), 6)):
                tree = tree_of(sample.markup)
                if tree.find("body") is None or not HARMFUL[kind](
                    Case(tree, conversion.text, one, sample.language, rng)
                ):
                    continue
                markup = written(tree)
                now = converted(markup)
                if now is None:
                    continue
                new = Page.of(now)
                title = now.metadata.title != conversion.metadata.title
                if not _took(kind, page.stream, new.stream, one) and not (kind == "title" and title):
                    continue
                then = one.then if known else _forgotten(one.then)
                yield Judged(sample.name, kind, True, compare(then, new), one, markup)
                break


def _took(kind: str, before: str, after: str, one: Taken) -> bool:
    """Whether an edit changed the folded text that a reader sees; one to a part that is not shown did nothing."""
    if kind in ("heading", "table-head", "lead-in", "notice", "title"):
        return before != after
    return MARK.sub("", folded(one.text)) not in after or kind == "to-comment"


def table_of(judged: Iterable[Judged]) -> str:
    """Return the confusion table: a line a kind, a column a state."""
    counts: dict[tuple[bool, str], Counter[str]] = {}
    for one in judged:
        counts.setdefault((one.harmful, one.kind), Counter())[one.drift.state.value] += 1
    states = [state.value for state in State]
    width = max((len(kind) for _, kind in counts), default=4) + 2
    lines = [" " * (width + 9) + "".join(f"{state:>16}" for state in states)]
    for (harmful, kind), row in sorted(counts.items()):
        name = f"{'harmful' if harmful else 'harmless':9}{kind:<{width}}"
        lines.append(name + "".join(f"{row.get(state, 0) or '.':>16}" for state in states))
    for harmful in (False, True):
        total: Counter[str] = Counter()
        for (which, _), row in counts.items():
            if which == harmful:
                total += row
        name = f"{'harmful' if harmful else 'harmless':9}{'all':<{width}}"
        lines.append(name + "".join(f"{total.get(state, 0) or '.':>16}" for state in states))
    return "\n".join(lines)
