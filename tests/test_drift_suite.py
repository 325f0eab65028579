"""The drift suite: pairs made by programs from real pages, harmless ones and harmful ones, and what is said of them.

Every edit is made in markup, both pages go through the real converter, and the passages are those that the real cutter
makes. `python -m tests.bench.drift` runs many more, and prints the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from searchlog.drift.drift import State
from tests.drift.harmful import HARMFUL
from tests.drift.harmless import HARMLESS
from tests.drift.pages import Sample, samples
from tests.drift.pairs import SOUND, Judged, harmful_pairs, harmless_pairs, table_of

_MARKUP_CHARS_MAX = 30_000
_EVERY = 6
_SHARES = 3
"""Each page has every third kind of edit made to it, another third than the page before."""


def chosen() -> list[Sample]:
    every = list(samples())
    written = [sample for sample in every if sample.name.startswith("written/")]
    captured = [s for s in every if len(s.markup) <= _MARKUP_CHARS_MAX and not s.name.startswith("written/")]
    return [*written, *captured[::_EVERY]]


@cache
def judged() -> Sequence[Judged]:
    out: list[Judged] = []
    harmless, harmful = sorted(HARMLESS), sorted(HARMFUL)
    for number, sample in enumerate(chosen()):
        out += harmless_pairs([sample], harmless[number % _SHARES :: _SHARES])
        out += harmful_pairs([sample], harmful[number % _SHARES :: _SHARES])
        if sample.name.startswith("written/"):  # the only pages of most languages
            out += harmful_pairs([sample], ("denied", "notice", "title", "undenied"), seed=2)
    return out


def test_the_suite_has_pairs_enough_and_of_every_kind() -> None:
    pairs = {(one.page, one.kind, one.harmful) for one in judged()}
    assert len(pairs) >= 300
    assert len({kind for _, kind, harmful in pairs if not harmful}) >= 24
    assert len({kind for _, kind, harmful in pairs if harmful}) >= 18


def test_no_harmful_edit_is_called_intact_or_moved() -> None:
    print("\n" + table_of(judged()))
    missed = [
        (one.page, one.kind, one.drift.state.value) for one in judged() if one.harmful and one.drift.state in SOUND
    ]
    assert not missed, f"{missed}\n{table_of(judged())}"


def test_fewer_than_one_harmless_edit_in_a_hundred_is_called_anything_else() -> None:
    harmless = [one for one in judged() if not one.harmful]
    alarms = [
        (one.page, one.kind, one.drift.state.value, one.drift.notes) for one in harmless if one.drift.state not in SOUND
    ]
    assert len(harmless) >= 500
    assert len(alarms) * 100 < len(harmless), f"{alarms}\n{table_of(judged())}"


@pytest.mark.parametrize(
    ("kinds", "states"),
    [
        (("notice", "title", "heading", "lead-in", "table-head"), {State.CONTEXT_CHANGED}),
        (("removed",), {State.ABSENT, State.PARTIAL}),
        (("digit", "year", "unit", "name", "replaced", "swapped"), {State.CHANGED}),
        (("denied", "undenied", "prefixed", "sentence-in", "framed"), {State.CHANGED, State.CONTEXT_CHANGED}),
        (("sentence-out",), {State.PARTIAL, State.CHANGED}),
        (("to-comment",), {State.CONTEXT_CHANGED, State.ABSENT}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_harmful_edits_are_told_by_their_kind(kinds: tuple[str, ...], states: set[State]) -> None:
    """One in ten may be told in another way, none as intact: of a removed list item another may be taken for it."""
    found = [one for one in judged() if one.kind in kinds and one.harmful]
    other = [(one.page, one.kind, one.drift.state.value) for one in found if one.drift.state not in states]
    assert found
    assert len(other) * 10 <= len(found), other


@pytest.mark.parametrize(
    ("kind", "mark"),
    [("digit", "number"), ("year", "number"), ("denied", "negation"), ("notice", "notice"), ("name", "name")],
)
def test_what_changed_is_marked(kind: str, mark: str) -> None:
    """Of denials all but those of languages or verbs that no table has: nine in ten."""
    found = [one for one in judged() if one.kind == kind and one.harmful]
    marked = [one for one in found if any(mark in step.marks for step in one.drift.changes)]
    assert found
    assert len(marked) * 10 >= len(found) * 9, [
        (one.page, [tuple(step) for step in one.drift.changes if step.sign != "="][:4])
        for one in found
        if one not in marked
    ]
