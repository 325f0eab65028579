"""From a selection to evidence: ids, selectors, digests, flags and links. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from searchlog.digest import text_digest
from searchlog.evidence.flags import flags
from searchlog.evidence.fragment import fragment_link
from searchlog.evidence.passage import IMPORTED, Evidence, Passage, Source
from searchlog.evidence.policy import Chosen
from searchlog.evidence.select import Selection
from searchlog.evidence.selector import describe

__all__ = ["Key", "build_evidence", "key"]

Key = tuple[str, int, int]
"""What makes two pieces of evidence the same: text digest, start, end."""


def key(evidence: Evidence) -> Key:
    """Return what a later search knows this evidence by."""
    return evidence.source.text_digest, evidence.passage.start, evidence.passage.end


def build_evidence(
    selection: Selection, sources: Sequence[Source], first_number: int, known: Mapping[Key, str] | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence of a selection in its order.

    first_number: of the first new id, `e<first_number>`; numbers are given without gaps.
    known: ids of this session's earlier evidence; the same passage of the same text keeps its id.
    """
    known = known or {}
    number = first_number
    out: list[Evidence] = []
    for chosen in selection.chosen:
        source = sources[chosen.passage.source]
        earlier = known.get((source.text_digest, chosen.passage.start, chosen.passage.end))
        out.append(_evidence(earlier or f"e{number}", source, chosen))
        number += earlier is None
    return tuple(out)


def _evidence(evidence_id: str, source: Source, chosen: Chosen) -> Evidence:
    passage = chosen.passage
    selectors = describe(source.text, passage.start, passage.end)
    hidden = tuple(label for label in passage.labels if label.startswith("hidden:"))
    heading_path = _heading_path(source.text, passage)
    return Evidence(
        id=evidence_id,
        source=source,
        passage=passage,
        selectors=selectors,
        score=chosen.score,
        digest=text_digest(selectors.exact),
        heading_path=heading_path,
        tokens=chosen.tokens,
        # what stands above the text, a model reads as well
        flags=flags("\n".join((source.title, *heading_path, *_above(source.text, passage), selectors.exact))) + hidden,
        link=fragment_link(source.url, selectors, source.text)
        if source.kind in ("page", IMPORTED) and not hidden
        else source.url,
    )


def _above(text: str, passage: Passage) -> tuple[str, ...]:
    """Return what travels with a passage beside its headings: the head of its table, the lead-in of its list."""
    return tuple(text[slice(*place)] for place in (passage.table_head, passage.lead_in) if place is not None)


def _heading_path(text: str, passage: Passage) -> tuple[str, ...]:
    return tuple(_shortened(text[start : min(end, start + 4 * _HEADING_MAX)]) for start, end in passage.headings)


_HEADING_MAX = 300
"""Characters of a heading that go with each passage below it: headings are not counted in the budget."""


def _shortened(heading: str) -> str:
    """Return a heading on one line; the sign of a cut stands for the rest of a very long one."""
    line = " ".join(heading.split())
    return line if len(line) <= _HEADING_MAX else line[:_HEADING_MAX].rstrip() + "…"
