"""A conversion: the whole visible text of a payload, blocks over it, and what the page says of itself. Pure values.

`text` is what is stored, digested and sliced; blocks and passages are code-point ranges `[start, end)` of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = [
    "Block",
    "Conversion",
    "ConversionFailure",
    "Dated",
    "Metadata",
    "conversion_from_json",
    "conversion_to_json",
]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the text."""

    kind: str
    """`heading`, `paragraph`, `list-item`, `table-row`, `code`, `quote`, `caption`, `term`, `other`."""
    start: int
    end: int
    level: int = 0
    """Heading level 1 to 6; nesting depth for list items; else 0."""
    furniture: str | None = None
    """Why this is likely not main text: `nav`, `header`, `footer`, `aside`, `form`, `boilerplate`; None if it is."""
    hidden: str | None = None
    """Why a person would not see it: `attribute`, `style`, `size`, `colour`, `offscreen`, …; None when visible."""
    page: int | None = None
    """1-based page of a PDF."""
    group: int | None = None
    """Blocks of one table, list or code listing share a number."""
    head: bool = False
    """A table's header row."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date and where it was found."""

    date: str
    """ISO 8601, as precise as the page states it."""
    source: str
    """`json-ld`, `meta:article:published_time`, `time`, `htmldate`, …"""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the page says of itself. Claims, not facts."""

    title: str | None = None
    author: str | None = None
    site: str | None = None
    language: str | None = None
    published: Dated | None = None
    modified: Dated | None = None
    canonical: str | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """The text of one payload by one converter."""

    text: str
    blocks: tuple[Block, ...]
    metadata: Metadata
    converter: str
    """Name and version, such as `html/1`."""
    options: dict[str, Any] = field(default_factory=dict)
    """Everything that changes the result: library versions, choices. No floats."""
    media_type: str = ""
    """By content, not by name: `text/html`, `text/plain`, `application/pdf`, …"""
    charset: str | None = None
    charset_source: str | None = None
    """The step that decided: `bom`, `http`, `meta`, `utf-8`, `detector`, `default`."""
    replaced_count: int = 0
    """U+FFFD put in for bytes that could not be decoded."""
    verbatim: bool | None = None
    """Whether all visible text was found again in an independent reading of the page, whitespace aside; None: not
    checked."""
    labels: str = "structure"
    """Who set the furniture labels: `structure` or `trafilatura <version>`."""
    warnings: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Absolute targets of the page's links, when they were asked for."""


@dataclass(frozen=True, slots=True)
class ConversionFailure:
    """Why there is no text. The payload is kept all the same."""

    reason: str
    """`timeout`, `memory`, `crash`, `unsupported-type`, `no-text`, `needs-extra`, `malformed`."""
    detail: str
    media_type: str = ""
    converter: str = ""


def conversion_to_json(conversion: Conversion) -> dict[str, Any]:
    """Return everything but the text as plain JSON values; blocks as short lists in field order."""
    out = asdict(conversion)
    del out["text"]
    out["blocks"] = [
        [b.kind, b.start, b.end, b.level, b.furniture, b.hidden, b.page, b.group, b.head] for b in conversion.blocks
    ]
    out["warnings"] = list(conversion.warnings)
    return out


def conversion_from_json(text: str, value: dict[str, Any]) -> Conversion:
    """Return the conversion that `conversion_to_json` wrote; unknown fields are left aside."""
    meta = value["metadata"]
    dated = {key: Dated(**meta[key]) if meta.get(key) else None for key in ("published", "modified")}
    metadata = Metadata(**{**{k: meta.get(k) for k in ("title", "author", "site", "language", "canonical")}, **dated})
    known = {name: value[name] for name in Conversion.__dataclass_fields__ if name in value and name != "text"}
    known["blocks"] = tuple(Block(*row) for row in value["blocks"])
    known["warnings"] = tuple(value.get("warnings", ()))
    known["links"] = tuple(value.get("links", ()))
    known["metadata"] = metadata
    return Conversion(text=text, **known)
