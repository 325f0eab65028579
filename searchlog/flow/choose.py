"""From pages to what a model is given: sources, passages, selection, evidence, rendering. Pure.

A search that has just run and a replay of an old one come through here with equal values and leave with equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from searchlog.digest import Digest, digest
from searchlog.evidence.build import build_evidence
from searchlog.evidence.passage import Evidence, Passage, Source
from searchlog.evidence.passages import passages
from searchlog.evidence.render import Notes, Rendering, render
from searchlog.evidence.scorer import Scorer
from searchlog.evidence.select import Policy, Selection, select
from searchlog.extract.conversion import Conversion
from searchlog.search.query import Query

__all__ = ["Chosen", "TextPage", "choose", "source_of"]

_DATE_CHARS_MAX = 100
_FALLBACK = "No word of the {} is on any page: these are the beginnings of the pages found."
_NO_FOCUS = "No word of the focus is on any page: these were chosen by the query."


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page that gave text, in candidate order."""

    url: str
    """The final URL."""
    conversion: Conversion
    payload_digest: Digest
    captured_at: str
    title: str = ""
    """What the provider calls it; used when the page itself has no title."""
    published: str | None = None
    """What the provider says; used when the page itself does not say."""
    published_source: str | None = None
    crawled: str | None = None
    crawled_source: str | None = None
    kind: str = "page"
    """`page`, `imported-page` or `provider-text`."""
    cut: tuple[Passage, ...] | None = None
    """Its passages as those of source 0, when they were cut already."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a model is given, and how it came to that."""

    sources: tuple[Source, ...]
    selection: Selection
    evidence: tuple[Evidence, ...]
    rendering: Rendering


def choose(
    query: Query,
    pages: Sequence[TextPage],
    policy: Policy,
    *,
    known_ids: Mapping[tuple[str, int, int], str],
    first_number: int,
    notes: Notes = Notes(),  # noqa: B008
    scorer: Scorer | None = None,
) -> Chosen:
    """Return the evidence for a query from these pages: by its focus where it has one, else by each of its texts.

    A focus of which no word is on any page gives way to the texts.

    known_ids: ids that passages already have in this session, by (text digest, start, end). notes: how the
    search went up to here, shown to the model above the evidence. scorer: the model that the settings name.
    """
    sources = tuple(map(source_of, pages))
    cut = [passage for number, page in enumerate(pages) for passage in _passages(number, page)]
    selection = select(query.sought, sources, cut, policy, scorer=scorer)
    said = _FALLBACK.format("query") if selection.fallback else ""
    if selection.fallback and query.focus is not None:
        selection = select(query.phrasings, sources, cut, policy, scorer=scorer)
        said = _FALLBACK.format("query or the focus") if selection.fallback else _NO_FOCUS
    evidence = build_evidence(selection, sources, first_number, known_ids)
    remarks = (*notes.remarks, said) if said and evidence else notes.remarks
    steps = (*notes.steps, *selection.steps)
    notes = replace(notes, steps=steps, remarks=remarks, also=query.also, focus=query.focus)
    return Chosen(sources, selection, evidence, render(evidence, query.text, notes))


def _passages(number: int, page: TextPage) -> Sequence[Passage]:
    if page.cut is None:
        return passages(number, page.conversion)
    return [replace(passage, source=number) for passage in page.cut]


def source_of(page: TextPage) -> Source:
    """Return a page as passages come from it; what it says itself counts before what a provider says."""
    metadata = page.conversion.metadata
    published = page.published if page.published and len(page.published) <= _DATE_CHARS_MAX else None
    found_in, sure = page.published_source if published else None, ""
    crawled = page.crawled if page.crawled and len(page.crawled) <= _DATE_CHARS_MAX else None
    if metadata.published is not None:
        stated = metadata.published
        published, found_in, sure = stated.date, stated.source, stated.sure
    return Source(
        url=page.url,
        title=metadata.title or page.title,
        text=page.conversion.text,
        text_digest=digest(page.conversion.text.encode("utf-8")),
        payload_digest=page.payload_digest,
        captured_at=page.captured_at,
        published=published,
        published_source=found_in,
        published_sure=sure,
        crawled=crawled,
        crawled_source=page.crawled_source if crawled else None,
        language=metadata.language,
        kind=page.kind,
    )
