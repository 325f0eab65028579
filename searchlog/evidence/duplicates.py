"""Which text repeats another: shared runs of words, counted exactly, so that every machine agrees. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import filterfalse
from typing import Any

__all__ = ["Letters", "Seen", "Shingles", "numbers_in", "percent_shared", "shingles"]

RUN = 4
Shingles = frozenset[str]


class Letters(dict[str, str]):
    """Word to a character of its own, given in the order of asking.

    A text is then a string and a run of words four of its characters: made, hashed and kept in half the time of a tuple
    of words. Past a million different words all others share the last character.
    """

    def __missing__(self, word: str) -> str:
        letter = self[word] = chr(min(len(self), sys.maxunicode))
        return letter


def shingles(words: Sequence[str], letters: Letters) -> Shingles:
    """Return the runs of four words of a text; of a shorter text all its words as one run.

    letters: the same for all texts that are compared.
    """
    text = "".join(map(letters.__getitem__, words))
    return frozenset([text[i : i + RUN] for i in range(max(1, len(text) - RUN + 1))]) if text else frozenset()


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
        self._first: dict[str, int] = {}
        """Run to the first text that holds it: nearly always the only one."""
        self._others: dict[str, list[int]] = {}
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

    def _covering(self, held: set[str], count: int, numbers: frozenset[str], percent: int) -> tuple[int, int] | None:
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
