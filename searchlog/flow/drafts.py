"""Drafts of records for what a stage handed back, with their causes. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from searchlog import records
from searchlog.capture.shown import public_url, shown_url
from searchlog.flow.choose import Chosen
from searchlog.flow.read import CUT, FAULT, PageRead
from searchlog.keyring import hide
from searchlog.ledger import Draft
from searchlog.recording import blob_ref, decision_body, evidence_body
from searchlog.tokens import token_count

__all__ = ["chosen_drafts", "page_drafts", "rendering_bytes"]


def page_drafts(read: PageRead, cause: Draft, *, published: bool = False) -> list[Draft]:
    """Return the captures of one page, hop after hop, and its conversion last.

    published: a provider's answer holds its URL.
    """
    url = public_url(read.task.url) if published else shown_url(read.task.url)
    drafts: list[Draft] = []
    for stored in read.captures:
        last = read.cut and stored is read.captures[-1]
        body = stored.body.model_copy(update={"cut": True}) if last else stored.body
        drafts.append(Draft(body, (drafts[-1],) if drafts else (cause,)))
    if not read.captures:
        nothing = records.Capture(
            url=url,
            asked=url,
            purpose=read.task.purpose,
            hop=0,
            final=True,
            outcome="failed",
            reason=FAULT if read.fault else CUT,
            detail=hide(read.fault) if read.fault else "cut before any answer came",
            cut=None if read.fault else True,
        )
        drafts.append(Draft(nothing, (cause,)))
    if read.converted is not None:
        drafts.append(Draft(read.converted.body, (drafts[-1],)))
    return drafts


def rendering_bytes(chosen: Chosen) -> bytes:
    """Return the rendering as it is stored: what a model is given, byte for byte."""
    return chosen.rendering.text.encode("utf-8")


def chosen_drafts(chosen: Chosen, conversions: Sequence[Draft | int], begin: Draft) -> list[Draft]:
    """Return the selection's steps, the selection, the evidence and the rendering.

    conversions: one a source, in order; by seq where it was stored before. The caller makes `rendering_bytes` durable
    first.
    """
    selection = chosen.selection
    steps = [Draft(decision_body(step, chosen.sources), tuple(conversions) or (begin,)) for step in selection.steps]
    picked = Draft(
        records.Selection(
            rule=selection.policy.rule,
            budget_tokens=selection.policy.budget_tokens,
            used_tokens=selection.token_count,
            chosen=[
                {
                    "source": item.passage.source,
                    "start": item.passage.start,
                    "end": item.passage.end,
                    "rank": item.rank,
                    "score": item.score,
                    "tokens": item.tokens,
                }
                for item in selection.chosen
            ],
        ),
        tuple(steps),
    )
    evidence = [Draft(evidence_body(e), (conversions[e.passage.source], picked)) for e in chosen.evidence]
    text = rendering_bytes(chosen)
    rendering = Draft(
        records.Rendering(
            form=chosen.rendering.renderer,
            text=blob_ref(text),
            evidence=[item.id for item in chosen.evidence],
            removals=chosen.rendering.removals,
            tokens=token_count(chosen.rendering.text),
        ),
        (picked, *evidence),
    )
    return [*steps, picked, *evidence, rendering]
