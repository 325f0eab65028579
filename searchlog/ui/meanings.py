"""What the words of a report mean: each axis with what it does not show, levels, notes. Pure, words alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from searchlog.verify.verdict import STATES

__all__ = ["AXES", "LEVELS", "NOTES", "OUTCOMES", "SYMBOLS", "Axis", "axis_of", "meaning_of", "outcome_in"]

OUTCOMES = ("failed", "not checked", "verified")
"""In the order in which they are told."""
SYMBOLS: Mapping[str, str] = {"failed": "✗", "not checked": "○", "verified": "✓"}


@dataclass(frozen=True, slots=True)
class Axis:
    """One question that a verification answers."""

    name: str
    question: str
    shows: str
    shows_not: str


AXES: Mapping[str, Axis] = {
    "store": Axis(
        "store",
        "Is the record intact?",
        "Verified means that digests, hash tree, counts, signatures and time stamps of what is kept agree with one "
        "another, up to the level told.",
        "It does not show what a page said to anybody else, nor who made the record. At level L0 a record that was "
        "made anew as a whole agrees with itself too.",
    ),
    "derivation": Axis(
        "derivation",
        "Does the stored page hold the passage?",
        "Verified means that the stored bytes give the stored text again, or another text in which the passage stands "
        "too, and that it stands in the stored text where its record says.",
        "It does not show what the page says now, nor whether what the page says is so.",
    ),
    "live": Axis(
        "live",
        "Does the page say it now?",
        "Verified means that the page was asked for again, and that what came has the same words in surroundings that "
        "say the same.",
        "It shows one moment, from one place, to a program. A page that says something else now may have said it "
        "then, and a page that gives no answer today may give one tomorrow.",
    ),
    "web-archive": Axis(
        "web archive",
        "Does an archive’s copy from about then say it?",
        "Verified means that a web archive was asked for a copy from near the time of the capture, and that the copy "
        "has the same words in surroundings that say the same.",
        "The copy was made by somebody else, at another moment. That an archive has none shows nothing of the page.",
    ),
    "answer": Axis(
        "answer",
        "Does the answer keep to its evidence?",
        "Verified means that every citation leads to evidence that was given, and that quotations, numbers, dates and "
        "units beside a citation stand in the passages cited.",
        "It does not show that the answer is right, nor that a claim follows from its passages: that needs judgement, "
        "and is told as not checked.",
    ),
    "snapshot": Axis(
        "snapshot",
        "Is the file a sound snapshot?",
        "Verified means that the members of the file are those that its manifest names, and that they repeat what the "
        "record holds.",
        "It does not show who made the file, unless a signature of a key that was named says so.",
    ),
}
_OTHER = Axis("", "A question that this version of the report does not know.", "", "")

LEVELS: Mapping[str, str] = {
    "L0": "what is stored agrees with itself",
    "L1": "a key that was named signed its head",
    "L2": "it extends a head that somebody else has seen",
    "L3": "a time-stamp authority that is trusted has seen its head",
    "L4": "a witness that was named has signed its head",
}

NOTES: Mapping[str, str] = {
    "no-second-reading": "the page was converted to the same text again, and could not be read in a second way",
    # of a passage and its page
    "folded": "white space, quotation marks or dashes are written otherwise",
    "blanks-differ": "white space stands elsewhere in it",
    "heading-changed": "a heading over it says something else",
    "notice-added": "a notice was added to the page",
    "block-inserted": "something was put in between or beside its parts",
    "beside-changed": "the words beside it say something else",
    "beside-inserted": "words were put in beside it",
    "table-head-changed": "the head of its table says something else",
    "table-cells-changed": "other cells of its row say something else",
    "lead-in-changed": "the line that leads to its list says something else",
    "attribution-changed": "another is named as the one who says it",
    "reference-changed": "the reference mark in it is another",
    "furniture-changed": "it stands in another part of the page, such as a menu or a sidebar",
    "elsewhere": "it stands in another place, among other words",
    "hidden-now": "it stands in what the page hides",
    "no-words": "it has no word to look for",
    "redirected-same-site": "another page of the same site answered",
    "redirected-elsewhere": "a page of another site answered",
    "redirected-home": "a home page answered",
    # of an answer
    "rounded": "the number is a rounded one",
    "converted": "the number is in another unit",
}


def axis_of(name: str) -> Axis:
    """Return what there is to say of an axis; of one that is not known, its name."""
    return AXES.get(name) or Axis(name, _OTHER.question, _OTHER.shows, _OTHER.shows_not)


def meaning_of(axis: str, state: str) -> str:
    """Return what a state of an axis means; nothing for one that is not known."""
    return STATES.get(axis, {}).get(state, ("not checked", ""))[1]


def outcome_in(said: object) -> str:
    """Return one of the three outcomes; what is none of them is not checked."""
    return said if isinstance(said, str) and said in SYMBOLS else "not checked"
