"""One page's text as it was stored and as it is made now, and where a passage stands in each. Derivation axis.

White space is the one folding between a passage and the page's text where the converter is the same; where it is
another one, `drift` says whether the passage still stands, and what is changed.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property

from searchlog.drift.compare import compare
from searchlog.drift.drift import Change, State
from searchlog.drift.page import Page
from searchlog.drift.then import Then
from searchlog.evidence.passage import Selectors
from searchlog.extract.conversion import OF_THE_MOMENT, Conversion
from searchlog.extract.verbatim import squeezed
from searchlog.records import Evidence

__all__ = ["Found", "Texts"]

_STANDS = (State.INTACT, State.MOVED, State.AMBIGUOUS, State.CONTEXT_CHANGED)
"""What `drift` says of a passage whose words are all there."""


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a passage: a state of `DERIVATION`, and what there is to know of it."""

    state: str
    detail: str = ""
    start: int | None = None
    """In the stored text, or in the new one where the state speaks of that."""
    end: int | None = None
    changes: tuple[Change, ...] = ()
    similarity: str | None = None
    notes: tuple[str, ...] = ()


@dataclass
class Texts:
    """A page's two texts. What is asked of them for one passage is kept for the next."""

    stored: Conversion
    again: Conversion

    @cached_property
    def differs(self) -> bool:
        """Whether another text comes out now."""
        return self.again.text != self.stored.text

    @cached_property
    def why_other(self) -> str | None:
        """Why another text may come out, and is no finding; None where the same has to."""
        if self.again.converter != self.stored.converter or self.again.options != self.stored.options:
            return "text made by another version of the converter"
        if not OF_THE_MOMENT.isdisjoint((*self.stored.warnings, *self.again.warnings)):
            return "text that time or memory had a part in"
        return None

    @cached_property
    def visible(self) -> str | None:
        """The page's visible text without white space; empty where its second reading fails, None without one."""
        if self.again.verbatim is None:
            return None
        return squeezed(self.again.text) if self.again.verbatim else ""

    @cached_property
    def _then(self) -> Page:
        return Page.of(self.stored)

    @cached_property
    def _now(self) -> Page:
        return Page.of(self.again)

    def find(self, body: Evidence, exact: str) -> Found:
        """Return where a passage stands. exact: its words, as recorded."""
        start, end = body.start, body.end
        here = 0 <= start <= end and self.stored.text[start:end] == exact and exact != ""
        if here and not self.differs and self.again.verbatim:
            return Found("at-offsets", start=start, end=end)
        visible = squeezed(exact) in (self.visible or "") and exact != ""
        if self.differs and self.why_other is not None and self.again.verbatim:
            return self._in_new_text(body, exact, visible)
        if not visible:
            failed = "the page's own reading does not bear out its text" if self.again.verbatim is False else ""
            return Found("not-in-page", failed)
        if not here:
            return self._elsewhere(exact)
        return Found("text-differs", start=start, end=end)

    @cached_property
    def _letters(self) -> array[int]:
        """Where the characters of `visible` stand in the new text."""
        return array("q", (place for place, character in enumerate(self.again.text) if not character.isspace()))

    def _between_blanks(self, exact: str) -> tuple[int, int]:
        """Return where words stand in the new text, whatever white space stands between them."""
        words = squeezed(exact)
        at = (self.visible or "").index(words)
        return self._letters[at], self._letters[at + len(words) - 1] + 1

    def _elsewhere(self, exact: str) -> Found:
        at = self.stored.text.find(exact)
        if at >= 0:
            return Found("elsewhere", start=at, end=at + len(exact))
        return Found("elsewhere", "with other white space than its record has")

    def _in_new_text(self, body: Evidence, exact: str, visible: bool) -> Found:
        """Return where the passage stands in the text that today's converter makes.

        Words that stand there without anything between them but other white space stand there whatever `drift` says.
        """
        then = Then(
            Selectors(exact, body.prefix, body.suffix, body.start, body.end),
            tuple(body.heading_path),
            _range(body.table_head),
            _range(body.lead_in),
            self._then,
        )
        drift = compare(then, self._now)
        if visible or drift.state in _STANDS:
            why = self.why_other or ""
            if drift.state not in _STANDS:
                start, end = self._between_blanks(exact)
                return Found("extractor-changed", why, start, end, notes=("blanks-differ",))
            more = () if drift.state in (State.INTACT, State.MOVED) else (drift.state.value,)
            return Found("extractor-changed", why, drift.start, drift.end, drift.changes, notes=(*drift.notes, *more))
        detail = f"{self.why_other}, and in the new one the passage is {drift.state.value}"
        return Found("not-in-new-text", detail, drift.start, drift.end, drift.changes, drift.similarity, drift.notes)


def _range(value: list[int] | None) -> tuple[int, int] | None:
    return (value[0], value[1]) if value is not None and len(value) == 2 else None
