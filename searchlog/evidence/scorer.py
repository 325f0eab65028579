"""A model's score beside the lexical one, for whoever has a model. Nothing here knows a model: an extra brings it.

The best passages of the window are scored by it, and the two scores are mixed. A model need not give the same number on
every machine, so its scores are rounded to three decimals; the rule of the rank step names it and the shares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from searchlog.canon import decimal_string
from searchlog.errors import UsageError
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.policy import Policy, Ranked

__all__ = ["Scorer", "blended", "rule_of"]


class Scorer(Protocol):
    """Says how well texts answer a query."""

    @property
    def name(self) -> str:
        """Model and version, recorded in the rule of the rank step."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score a text, 0 to 1 (or a cosine: below 0 counts as 0), higher for a better answer."""


def rule_of(scorer: Scorer, policy: Policy) -> str:
    """Return what the rank step's rule says of a scorer."""
    return f"scorer={scorer.name} first={policy.scorer_first} share={policy.scorer_percent}%"


def blended(
    scorer: Scorer, query_texts: Sequence[str], ranked: Sequence[Ranked], lexicon: Lexicon, policy: Policy
) -> list[Ranked]:
    """Return the window in the order of the mixed score; beyond the first so many, passages keep their order.

    The lexical score is put to 1 for the best. What the model did not see counts 0 from it, so it stays below. Of
    several queries the best score counts. Raises UsageError where the scorer gives another number of scores.
    """
    head = ranked[: max(0, policy.scorer_first)]
    texts = [lexicon.text(r.passage) for r in head]
    given = [0.0] * len(head)
    for query_text in query_texts if head else ():
        scores = scorer.score(query_text, texts)
        if len(scores) != len(texts):
            raise UsageError(f"scorer {scorer.name} gave {len(scores)} scores for {len(texts)} texts")
        given = [max(known, _within(float(new))) for known, new in zip(given, scores, strict=True)]
    given += [0.0] * (len(ranked) - len(head))
    best = max((float(r.score) for r in ranked), default=0.0) or 1.0
    share = policy.scorer_percent / 100
    mixed = [
        round((1 - share) * float(r.score) / best + share * score, 6) for r, score in zip(ranked, given, strict=True)
    ]
    order = sorted(range(len(ranked)), key=lambda i: (-mixed[i], ranked[i].rank))
    return [Ranked(ranked[i].passage, number, decimal_string(mixed[i])) for number, i in enumerate(order, 1)]


def _within(score: float) -> float:
    """Return a score as 0 to 1 with three decimals; what is no number counts 0."""
    return round(min(1.0, max(0.0, score)), 3) if math.isfinite(score) else 0.0
