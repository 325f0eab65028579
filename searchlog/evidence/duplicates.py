"""Which text repeats another: shared runs of words, counted exactly, so that every machine agrees. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import filterfalse
from typing import Any

__all__ = ["Seen", "Shingles", "numbers_in", "percent_shared", "shingles"]

RUN = 4
Shingles = frozenset[tuple[str, ...]]


def shingles(words: Sequence[str]) -> Shingles:
    """Return the runs of four words of a text; of a shorter text all its words as one run."""
    if len(words) < RUN:
        return frozenset((tuple(words),)) if words else frozenset()
    return frozenset(zip(words, words[1:], words[2:], words[3:], strict=False))


def percent_shared(one: frozenset[Any], other: frozenset[Any]) -> int:
    """Return the share of their members that two sets have in common, 0 to 100, rounded down."""
    both = len(one & other)
    either = len(one) + len(other) - both
    return 100 * both // either if either else 0


def numbers_in(words: Sequence[str]) -> frozenset[str]:
    """Return the words that hold a digit: where these differ, two texts do not say the same."""
    return frozenset(filter(_DIGIT.search, filterfalse(str.isalpha, words)))


_DIGIT = re.compile(r"\d")


class Seen:
    """Texts kept so far, looked up by the runs they hold."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], int] = {}
        """Run to the first text that holds it: nearly always the only one."""
        self._others: dict[tuple[str, ...], list[int]] = {}
        """Run to the texts after that."""
        self._numbers: list[frozenset[str]] = []

    def offer(self, runs: Shingles, numbers: frozenset[str], percent: int) -> tuple[int, int] | None:
        """Keep a text, numbered from 0, unless one kept before covers it; return then (number, percent) of that.

        Covering it is to hold at least `percent` of its runs and all of its numbers. Of several the one that holds most
        counts, of equals the one kept first.
        """
        held = self._first.keys() & runs
        found = self._covering(held, len(runs), numbers, percent) if held else None
        if found is None:
            number = len(self._numbers)
            self._numbers.append(numbers)
            for run in held:
                self._others.setdefault(run, []).append(number)
            self._first.update(dict.fromkeys(runs - held if held else runs, number))
        return found

    def _covering(
        self, held: set[tuple[str, ...]], count: int, numbers: frozenset[str], percent: int
    ) -> tuple[int, int] | None:
        if 100 * len(held) < percent * count:
            return None  # all texts together hold too few of them
        shared: dict[int, int] = {}
        for run in held:
            for holder in (self._first[run], *self._others.get(run, ())):
                shared[holder] = shared.get(holder, 0) + 1
        found = [
            (-(100 * same // count), holder)
            for holder, same in shared.items()
            if 100 * same >= percent * count and numbers <= self._numbers[holder]
        ]
        if not found:
            return None
        share, holder = min(found)
        return holder, -share
