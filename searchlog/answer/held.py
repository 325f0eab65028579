"""A piece of evidence as an answer is held against it: read once, asked many times. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from searchlog.answer.tokens import Token, tokens_of
from searchlog.wording.folding import Folded, fold
from searchlog.wording.quantities import Quantity, quantities

__all__ = ["Given", "Held", "Known"]


@dataclass(frozen=True, slots=True)
class Given:
    """One piece of evidence as the model was given it."""

    id: str
    url: str
    title: str
    text: str
    """The exact passage."""
    digest: str = ""
    shown: str | None = None
    """What of it stood in the rendering, when that differs."""
    heading_path: tuple[str, ...] = ()
    published: str | None = None
    captured_at: str | None = None
    around: tuple[str, ...] = ()
    """What was shown with it and is not of it: the head of its table, the line that leads in to its list."""


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to hold an answer against."""

    evidence: Mapping[str, Given] = field(default_factory=dict)
    """By id."""
    opened: frozenset[str] = frozenset()
    """Addresses of pages whose text was fetched or shown."""
    found: frozenset[str] = frozenset()
    """Addresses that results named; those of them that nobody opened prove nothing."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """By address: the whole stored text of opened pages, where a quotation may stand beyond the passages."""
    asked: str = ""
    """The question, whose numbers and words an answer may repeat."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """What other names of evidence stand for, such as a client's `turn0search0`: an id or an address."""


@dataclass(frozen=True, eq=False)
class Held:
    """One piece of evidence, read."""

    given: Given

    @property
    def text(self) -> str:
        """What the model read of the passage."""
        return self.given.text

    @cached_property
    def aside(self) -> str:
        """What stood with it: title, headings, dates, table head, lead-in, address."""
        given = self.given
        lines = [given.title, *given.heading_path, *given.around, given.published or "", given.captured_at or ""]
        shown = given.shown if given.shown and given.shown != given.text else ""
        return "\n".join([*lines, re.sub(r"[/?&=_+-]", " ", unquote(given.url)), given.url, shown])

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of the passage."""
        return quantities(self.text)

    @cached_property
    def aside_quantities(self) -> tuple[Quantity, ...]:
        """The quantities of what stood with it."""
        return quantities(self.aside)

    @cached_property
    def folded(self) -> Folded:
        """The passage folded."""
        return fold(self.text)

    @cached_property
    def tokens(self) -> list[Token]:
        """The words, numbers and signs of the passage."""
        return tokens_of(self.text)

    @cached_property
    def begins(self) -> list[int]:
        """Where its tokens begin."""
        return [token.start for token in self.tokens]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Its words."""
        return frozenset(token.word for token in self.tokens)

    @cached_property
    def joined(self) -> str:
        """Letters and digits of all that was shown, in one case and nothing between."""
        return re.sub(r"[\W_]+", "", (self.text + "\n" + self.aside).casefold())

    @cached_property
    def plain(self) -> str:
        """All that was shown, in one case, dashes alike."""
        return re.sub(r"[‐‑‒–—−]", "-", (self.text + "\n" + self.aside).casefold())
