"""What became of a passage in a text: the outcome of `compare`, as a value. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

__all__ = ["Change", "Drift", "State"]


class State(StrEnum):
    """What became of a passage in a text. `similarity` has no part in it."""

    INTACT = "intact"
    """The same words in the same surroundings, at the same place among the blocks around it."""
    MOVED = "moved"
    """The same words with the same headings over them, elsewhere on the page."""
    AMBIGUOUS = "ambiguous"
    """The same words in several places that fit equally well, none of which is the old one."""
    CONTEXT_CHANGED = "context-changed"
    """The same words, and what stands around them says something else: a "not" beside them, a heading, a notice."""
    CHANGED = "changed"
    """Other words stand in its place; `changes` has them."""
    PARTIAL = "partial"
    """Some of its sentences stand unchanged, the others are gone."""
    ABSENT = "absent"
    """Nothing of it is there."""


class Change(NamedTuple):
    """One step of a word diff."""

    sign: str
    """`=`, `-` (it said so then) or `+` (it says so now)."""
    words: str
    marks: tuple[str, ...] = ()
    """What of weight stands in changed words: `number`, `negation`, `name`, `date`, `unit`, `notice`."""


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of one passage."""

    state: State
    start: int | None = None
    """Where it, or what stands in its place, is in the text now, in code points; None when nothing is."""
    end: int | None = None
    changes: tuple[Change, ...] = ()
    """Word by word, between the passage (with its surroundings, where those changed) then and now; empty when nothing
    changed."""
    similarity: str | None = None
    """How like the old passage the new one is, a decimal from 0 to 1. It orders candidates and decides nothing."""
    notes: tuple[str, ...] = ()
    """What else there is to know, as codes: `folded` (white space, quote marks or dashes differ), `heading-changed`,
    `notice-added`, `block-inserted`, `table-head-changed`, `lead-in-changed`, …"""
