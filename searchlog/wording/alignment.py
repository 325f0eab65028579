"""Which words of two texts are the same, in order: a longest common subsequence, by bits of long integers. Pure.

It takes a row of bits for each word of one side, so four thousand words against as many cost a few milliseconds, and
no repetition makes it slower. A longer text is cut before it comes here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["TOKENS_MAX", "Token", "aligned", "tokens_of"]

TOKENS_MAX = 4_000
"""Of each side that are aligned; what lies beyond counts as different."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_SIGNS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f"
    "\u0981-\u0983\u09bc-\u09cd\u200c\u200d"
)
"""Vowel signs and joiners that stand inside a word."""
_TOKEN = re.compile(
    rf"[0-9]+(?:[.,:/][0-9]+)*|[{_UNSPACED}]"
    rf"|[^\W\d_{_UNSPACED}][^\W_{_UNSPACED}{_SIGNS}]*(?:[{_SIGNS}]+[^\W_{_UNSPACED}]*)*"
    rf"(?:['-][^\W\d_{_UNSPACED}][^\W_{_UNSPACED}]*)*"
    r"|[^\W_]|\S"
)


class Token(NamedTuple):
    """A word, a number, a sign or one character of a script without blanks, and where it stands."""

    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a folded text. Each character that is no blank is in exactly one."""
    return [Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]


def aligned(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return places of `a` and `b` that are paired: a longest common subsequence, in order.

    The ends that are the same are paired first, so that a change in the middle of equal words stays where it is.
    """
    head = _common(a, b)
    tail = min(_common(a[::-1], b[::-1]), min(len(a), len(b)) - head)
    pairs = [(n, n) for n in range(head)]
    middle_a, middle_b = a[head : len(a) - tail][:TOKENS_MAX], b[head : len(b) - tail][:TOKENS_MAX]
    pairs += [(head + one, head + two) for one, two in _subsequence(middle_a, middle_b)]
    return pairs + [(len(a) - n, len(b) - n) for n in range(tail, 0, -1)]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for one, two in zip(a, b, strict=False):
        if one != two:
            break
        count += 1
    return count


def _subsequence(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence: Hyyrö's bit-parallel rows, kept, and walked back from the end."""
    if not a or not b:
        return []
    places: dict[str, int] = {}
    for n, word in enumerate(a):
        places[word] = places.get(word, 0) | (1 << n)
    every = (1 << len(a)) - 1
    row = every
    rows = [row]
    for word in b:
        here = row & places.get(word, 0)
        row = ((row + here) | (row - here)) & every
        rows.append(row)
    # a zero bit n of row j says that the common subsequence of a[:n+1] and b[:j] is one longer than that of a[:n]
    pairs: list[tuple[int, int]] = []
    n, j = len(a), len(b)
    while n and j:
        if rows[j] >> (n - 1) & 1:
            n -= 1
        elif not rows[j - 1] >> (n - 1) & 1:
            j -= 1
        else:
            n, j = n - 1, j - 1
            pairs.append((n, j))
    return pairs[::-1]
