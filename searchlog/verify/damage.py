"""Where in a session something is wrong: by record and by blob, no more than that. Pure values.

Findings are for people and are told up to a bound; this is for what rests on records and blobs, and grows with what is
wrong, never with what is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["WORST", "Damage", "Fault", "worse"]

WORST = ("intact", "left-out", "erased", "missing", "truncated", "altered", "fork")
"""The states of a store, the worst last."""
_RANK = {state: rank for rank, state in enumerate(WORST)}

Fault = tuple[str, str]
"""A state, and in a few words where it comes from."""


def worse(one: str, other: str) -> str:
    """Return the worse of two states of a store."""
    return max(one, other, key=_RANK.__getitem__)


@dataclass(slots=True)
class Damage:
    """What is known to be wrong, and with what."""

    records: dict[int, Fault] = field(default_factory=dict)
    """By seq."""
    blobs: dict[str, Fault] = field(default_factory=dict)
    """By digest."""
    turns: dict[int, Fault] = field(default_factory=dict)
    """By turn: its evidence is not what it chose, and nobody can say which piece."""
    session: Fault = (WORST[0], "")
    """What concerns every record: a head that the records do not give or extend."""
    worst: str = WORST[0]

    def note(self, state: str, why: str, about: int | str | None = None) -> None:
        """Take in that a record (by seq), a blob (by digest) or, with neither, the whole session is in a state."""
        self.worst = worse(self.worst, state)
        fault = (state, why)
        if isinstance(about, int):
            self.records[about] = _worst(self.records.get(about), fault)
        elif about is not None:
            self.blobs[about] = _worst(self.blobs.get(about), fault)
        else:
            self.session = _worst(self.session, fault)

    def note_turn(self, state: str, why: str, turn: int) -> None:
        """Take in that the evidence of a turn is in a state."""
        self.worst = worse(self.worst, state)
        self.turns[turn] = _worst(self.turns.get(turn), (state, why))


def _worst(one: Fault | None, other: Fault) -> Fault:
    return other if one is None or _RANK[other[0]] > _RANK[one[0]] else one
