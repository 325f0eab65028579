"""Decisions and steps: what became of each item, so that at every step `in = kept + dropped`. Pure.

Every stage after the providers reports itself as one `Step`. What leaves the path leaves with a decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Decision", "Step"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What one step decided about one item."""

    step: str
    """Name of the step: `fuse`, `filter`, `fetch`, `select`, …"""
    subject: str
    """What it is about: a URL, a passage, a provider's item."""
    kept: bool
    reason: str
    """A short stable code, such as `merged-into` or `domain-excluded`; `kept` where nothing spoke against it."""
    numbers: dict[str, str | int] = field(default_factory=dict)
    """What the decision rests on: ranks, scores (decimal strings), limits."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step over a list of items. Counts come from the stage, not from the decisions: the two check each other.

    Raises AssertionError when the sums do not hold: that is our own bug, never the input's.
    """

    name: str
    rule: str
    """The rule and its version with the options that matter: `rrf/1 k=60`."""
    in_count: int
    kept_count: int
    dropped_count: int
    decisions: tuple[Decision, ...] = ()
    """One for each item dropped; for kept items where there is something to say of them."""

    def __post_init__(self) -> None:
        if self.in_count != self.kept_count + self.dropped_count:
            raise AssertionError(
                f"step {self.name}: {self.in_count} in, {self.kept_count} kept, {self.dropped_count} dropped"
            )
        dropped = sum(not decision.kept for decision in self.decisions)
        if dropped != self.dropped_count:
            raise AssertionError(f"step {self.name}: {self.dropped_count} dropped, {dropped} decisions say so")
        if len(self.decisions) - dropped > self.kept_count:
            raise AssertionError(f"step {self.name}: more kept decisions than the {self.kept_count} items kept")
        if any(decision.step != self.name for decision in self.decisions):
            raise AssertionError(f"step {self.name}: holds a decision of another step")
