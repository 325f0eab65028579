"""What need not be there: what a sender left out of a snapshot. Pure values."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

__all__ = ["NOTHING_ABSENT", "Absence"]


@dataclass(frozen=True, slots=True)
class Absence:
    """Records and blobs of a session that its sender said to have left out: not checked, and no finding."""

    lines: AbstractSet[int] = frozenset()
    """Seqs of records of which only the leaf hash is here."""
    blobs: AbstractSet[str] = frozenset()
    """Digests."""


NOTHING_ABSENT = Absence()
