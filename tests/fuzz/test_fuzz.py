"""Every target on edits of its seeds, the same ones each time; `python -m tests.fuzz` looks for new ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.edits import KINDS, Edit, edited, random_edits
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

EVERY = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
EDITS: st.SearchStrategy[list[Edit]] = st.lists(
    st.tuples(st.integers(0, 255), st.integers(0, 65_535), st.integers(0, 65_535), st.integers(0, 255)), max_size=8
)


@EVERY
def test_seeds_hold_what_any_input_must(target: Target) -> None:
    assert target.seeds
    for seed in target.seeds:
        target.run(seed)


@EVERY
@pytest.mark.parametrize("data", [b"", b"\0", b"\n", b"\xff" * 5, b"a" * 3_000, b"[" * 3_000, b"<" * 3_000])
def test_what_is_nothing_is_read_as_well(target: Target, data: bytes) -> None:
    target.run(data)


@EVERY
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 99), EDITS)
def test_edited_inputs_break_no_promise(target: Target, number: int, edits: list[Edit]) -> None:
    seeds = target.seeds
    target.run(edited(seeds[number % len(seeds)], edits, target.kind, seeds))


@pytest.mark.parametrize("kind", KINDS)
def test_edits_change_inputs_and_are_the_same_each_time(kind: str) -> None:
    seeds = [b'<p>{"a": [1, 2]}\r\nHost: x/y?z</p>' * 3, b"other words"]
    found = set()
    for number in range(200):
        edits = random_edits(random.Random(number))
        data = edited(seeds[0], edits, kind, seeds)
        assert data == edited(seeds[0], edits, kind, seeds)
        found.add(data)
    assert len(found) > 190
