"""A conversion: the whole visible text of a payload, blocks over it, and what the page says of itself. Pure values.

`text` is what is stored, digested and sliced; blocks and passages are code-point ranges `[start, end)` of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from sys import intern
from typing import Any, NamedTuple

from searchlog import canon

__all__ = [
    "BLOCKS_MAX",
    "OF_THE_MOMENT",
    "Block",
    "Conversion",
    "ConversionFailure",
    "Dated",
    "Fact",
    "Metadata",
    "Place",
    "bounded",
    "conversion_from_json",
    "conversion_to_json",
    "main_percent",
    "structure_of",
    "visible_text",
]


OF_THE_MOMENT = frozenset(("extract-timeout", "extract-failed"))
"""Warnings of a text that was cut, or read another way, for want of time or memory: at another time, or on another
machine, the same bytes may give another text."""


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


class Place(NamedTuple):
    """Where a block of a page stands."""

    path: str
    """The names of the block elements around it, from the body down: `main/article/ul/li`."""
    link: int
    """Percent of its characters that are in links."""
    repeats: int
    """How many blocks of the page have this kind and stand in elements of the same names and classes."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date and where it was found."""

    date: str
    """ISO 8601, as precise as the page states it."""
    source: str
    """`json-ld`, `meta:article:published_time`, `microdata`, `time`, `feed`, `htmldate`, …"""
    sure: str = "stated"
    """`stated`: said in so many words for machines, and nothing on the page says otherwise. `conflicting`: said so, but
    another such statement differs by more than a day, or the page would have been changed before it was published.
    `guessed`: read from a place that need not mean this date. Empty in conversions by earlier rules."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a page says for machines and does not show. A claim of the page: never text, never a passage."""

    name: str
    """`name`, `brand`, `sku`, `gtin`, `price`, `availability`, `rating`, `faq`, …"""
    value: str
    """As the page has it, numbers too; the markup of answers removed, the name of schema.org before a term left out."""
    source: str
    """`json-ld:Product.offers.price`, `microdata:FAQPage.mainEntity`, `meta:product:price:amount`, …"""


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
    types: tuple[str, ...] = ()
    """The types that the page names for itself and for what is on it, bounded: `json-ld:Product`, `microdata:Recipe`,
    `og:article`."""
    facts: tuple[Fact, ...] = ()
    """What it says of products and answers and shows nowhere in the visible text, bounded."""


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
    """Which path decided the furniture labels: `structure` (names and roles of elements alone), `main/1` (see
    `main_text.py`), or `main/1 trafilatura <version>` where that was asked for a second opinion."""
    page_type: str = ""
    """`article`, `collection`, `documentation`, `forum`, `listing`, `product`, `service`; empty where none decided."""
    main_percent: int | None = None
    """Share of the visible characters that is labelled main text; None for kinds of payload that have no furniture."""
    warnings: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Absolute targets of the page's links, when they were asked for."""
    places: tuple[Place, ...] = ()
    """Of each block of an HTML page."""
    structure: bytes | None = field(default=None, repr=False, compare=False)
    """What `structure_of` gives, where a worker has written it already; whoever changes another field drops it."""


@dataclass(frozen=True, slots=True)
class ConversionFailure:
    """Why there is no text. The payload is kept all the same."""

    reason: str
    """`timeout`, `memory`, `crash`, `unsupported-type`, `no-text`, `needs-extra`, `malformed`."""
    detail: str
    media_type: str = ""
    converter: str = ""


BLOCKS_MAX = 120_000
"""Blocks of one conversion; the rest of its text stands in one more. The longest standards have a tenth of this."""


def bounded(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks, those beyond the bound as one; for text of which nothing is hidden."""
    if len(blocks) <= BLOCKS_MAX:
        return blocks
    return (*blocks[: BLOCKS_MAX - 1], Block("other", blocks[BLOCKS_MAX - 1].start, blocks[-1].end))


def conversion_to_json(conversion: Conversion) -> dict[str, Any]:
    """Return everything but the text as plain JSON values, absent fields left out.

    A block is a list of its fields in order, without those at the end that have their default. Places are three
    numbers a block: the number of its path in `paths`, percent of links, repeats.
    """
    out: dict[str, Any] = {
        "blocks": [_row(block) for block in conversion.blocks],
        "metadata": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(conversion.metadata).items()
            if value not in (None, ())
        },
    }
    for name in _PLAIN:
        value = getattr(conversion, name)
        if value not in (None, "", ()):
            out[name] = list(value) if isinstance(value, tuple) else value
    if conversion.places:
        paths: dict[str, int] = {}
        numbers: list[int] = []
        for path, link, repeats in conversion.places:
            numbers += (paths.setdefault(path, len(paths)), link, repeats)
        out["paths"], out["places"] = list(paths), numbers
    return out


_APART = ("text", "blocks", "metadata", "places", "structure")
_PLAIN = tuple(name for name in Conversion.__dataclass_fields__ if name not in _APART)


def _row(block: Block) -> list[Any]:
    if block.head:
        length = 9
    elif block.group is not None:
        length = 8
    elif block.page is not None:
        length = 7
    elif block.hidden is not None:
        length = 6
    elif block.furniture is not None:
        length = 5
    else:
        length = 4 if block.level else 3
    row = [block.kind, block.start, block.end, block.level, block.furniture]
    return [*row, block.hidden, block.page, block.group, block.head][:length]


def main_percent(blocks: Sequence[Block]) -> int | None:
    """Return the share of the visible characters that is labelled main text; None where none is visible."""
    visible = sum(block.end - block.start for block in blocks if block.hidden is None)
    main = sum(block.end - block.start for block in blocks if block.hidden is None and block.furniture is None)
    return 100 * main // visible if visible else None


def visible_text(conversion: Conversion) -> str:
    """Return the stored text without its hidden blocks."""
    parts, at = [], 0
    for block in sorted(conversion.blocks, key=lambda block: block.start):
        if block.hidden and block.end > at:
            parts.append(conversion.text[at : max(at, block.start)])
            at = block.end
    return "".join([*parts, conversion.text[at:]])


def structure_of(conversion: Conversion) -> bytes:
    """Return the canonical JSON of everything but the text: what is stored beside it (FORMAT.md section 7)."""
    if conversion.structure is not None:
        return conversion.structure
    # the rows, which come first in canonical order, are written a part at a time: a page of many has them once only
    rest = canon.dumps(conversion_to_json(replace(conversion, blocks=())))
    empty = b'{"blocks":[]'
    assert rest.startswith(empty)
    blocks = conversion.blocks
    parts = [
        canon.dumps([_row(block) for block in blocks[at : at + _ROWS_AT_ONCE]])[1:-1]
        for at in range(0, len(blocks), _ROWS_AT_ONCE)
    ]
    return empty[:-1] + b",".join(parts) + rest[len(empty) - 1 :]


_ROWS_AT_ONCE = 5_000


def conversion_from_json(text: str, value: dict[str, Any], structure: bytes | None = None) -> Conversion:
    """Return the conversion that `conversion_to_json` wrote; unknown fields are left aside.

    structure: the bytes that the value was read from, when they are what `structure_of` gives.
    """
    meta = value["metadata"]
    claims = {name: meta.get(name) for name in ("title", "author", "site", "language", "canonical")}
    published, modified = (_dated(meta.get(name)) for name in ("published", "modified"))
    known: dict[str, Any] = {name: value[name] for name in _PLAIN if name in value}
    for name in ("warnings", "links"):
        known[name] = tuple(value.get(name, ()))
    return Conversion(
        text=text,
        blocks=tuple(Block(intern(kind), *row) for kind, *row in value["blocks"]),
        metadata=Metadata(
            **claims,
            published=published,
            modified=modified,
            types=tuple(meta.get("types", ())),
            facts=tuple(Fact(fact["name"], fact["value"], fact["source"]) for fact in meta.get("facts", ())),
        ),
        places=_places(value.get("paths", ()), value.get("places", ())),
        structure=structure,
        **known,
    )


def _places(paths: Sequence[str], numbers: Sequence[int]) -> tuple[Place, ...]:
    each = iter(numbers)
    return tuple(Place(paths[path], link, repeats) for path, link, repeats in zip(each, each, each, strict=True))


def _dated(value: dict[str, str] | None) -> Dated | None:
    return Dated(value["date"], value["source"], value.get("sure", "")) if value else None
