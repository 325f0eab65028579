"""Passages and evidence as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["IMPORTED", "Evidence", "Passage", "Selectors", "Source"]

IMPORTED = "imported-page"
"""Kind of a source that another tool or person captured: its bytes and its time are their word."""


@dataclass(frozen=True, slots=True)
class Source:
    """One page that passages may come from, in candidate order."""

    url: str
    """The final URL, that of the stored response."""
    title: str
    text: str
    text_digest: str
    payload_digest: str
    captured_at: str
    """When we fetched it, RFC 3339 UTC."""
    published: str | None = None
    published_source: str | None = None
    """Where in the page, or which provider and field, says so: `json-ld`, `brave:page_age`."""
    published_sure: str = ""
    """How sure that is, where the page says it: `stated`, `conflicting`, `guessed`."""
    crawled: str | None = None
    """When a provider says that it read the page itself."""
    crawled_source: str | None = None
    language: str | None = None
    kind: str = "page"
    """`page`; `imported-page`: captured by others; or `provider-text`: a provider's own text of it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A contiguous span of one conversion, made of whole blocks where they fit."""

    source: int
    """Index of the source in candidate order."""
    start: int
    end: int
    headings: tuple[tuple[int, int], ...] = ()
    """Ranges of the headings above it, outermost first."""
    labels: tuple[str, ...] = ()
    """Such as `furniture:nav`, `kind:table-row`, `hidden:style`."""
    page: int | None = None
    table_head: tuple[int, int] | None = None
    """Range of the header row that its table rows stand under, when the passage does not hold that row itself."""
    own_headings: tuple[tuple[int, int], ...] = ()
    """Ranges of the headings and defined terms that the passage holds itself, in order."""
    lead_in: tuple[int, int] | None = None
    """Range of the line that leads in to the list whose later items these are: a paragraph ending in a colon."""


@dataclass(frozen=True, slots=True)
class Selectors:
    """How to find a passage again (W3C Web Annotation); offsets count code points."""

    exact: str
    prefix: str
    suffix: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage as handed to a model: its id, its exact text and where that text is stored."""

    id: str
    """`e1`, `e2`, …: short, stable, session-wide."""
    source: Source
    passage: Passage
    selectors: Selectors
    score: str
    """Decimal string."""
    digest: str
    """Digest of the exact text."""
    heading_path: tuple[str, ...]
    tokens: int
    flags: tuple[str, ...] = ()
    """Such as `instruction-like`, `invisible-characters`."""
    link: str = ""
    """The URL with a text fragment that highlights the passage, for people."""

    @property
    def text(self) -> str:
        return self.selectors.exact
