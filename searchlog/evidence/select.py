"""Choose the passages a model will read: greedy, deterministic, within a budget, and with a reason for all that left.

    sources  ─► exact and near duplicates of an earlier page leave       duplicate-text, duplicate-payload,
                                                                          near-duplicate-page, no-text
    visible  ─► hidden text leaves                                        hidden
    match    ─► passages with nothing of the query in or near them leave  no-match
    rank     ─► what lies beyond the window leaves                        below-rank
    distinct ─► what a better passage already says leaves                 near-duplicate
    budget   ─► the rest is taken in order while it fits                  source-cap, over-budget, below-rank

`in = kept + dropped` at each step; the passages of a source that left in the first step leave with it. When no word of
the query is on any page (it is in another language, say), the leading passages of each page are taken instead and the
match step says so: where there is visible text, there is evidence. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from searchlog.canon import decimal_string
from searchlog.evidence import rank
from searchlog.evidence.budget import within_budget
from searchlog.evidence.duplicates import Seen, numbers_in, shingles
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.pages import distinct_sources
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import RULE as PASSAGES
from searchlog.evidence.policy import (
    RULE,
    Chosen,
    Policy,
    Ranked,
    account,
    host_of,
    is_furniture,
    is_hidden,
    subject,
    why_hidden,
)
from searchlog.evidence.scorer import Scorer, blended, rule_of
from searchlog.search.decision import Decision, Step

__all__ = ["RULE", "Chosen", "Policy", "Selection", "select", "subject"]

_LEAD = "lead/1"


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen, best first, and what became of the rest."""

    query_texts: tuple[str, ...]
    policy: Policy
    chosen: tuple[Chosen, ...]
    steps: tuple[Step, ...]
    fallback: bool = False
    """Whether nothing matched and the leading passages stand in."""

    @property
    def token_count(self) -> int:
        return sum(chosen.tokens for chosen in self.chosen)


def select(
    query: str | Sequence[str],
    sources: Sequence[Source],
    passages: Sequence[Passage],
    policy: Policy | None = None,
    *,
    scorer: Scorer | None = None,
) -> Selection:
    """Return the passages to hand over, with every step's account.

    query: one text or several, of which each passage is scored by the one that it fits best.
    passages: of all sources, in order of source and position, as `passages.passages` makes them.
    scorer: a model's score beside the lexical one.
    """
    policy = policy or Policy()
    query_texts = (query,) if isinstance(query, str) else tuple(dict.fromkeys(query))
    lexicon = Lexicon(sources)
    passages, sources_step = distinct_sources(sources, passages, lexicon, policy)
    passages, visible_step = _visible(passages, policy)
    ranked, match_step = _matching(query_texts, sources, passages, lexicon)
    ranked, rank_step = _window(sources, ranked, policy)
    if scorer is not None:
        ranked = blended(scorer, query_texts, ranked, lexicon, policy)
        rank_step = replace(rank_step, rule=f"{rank_step.rule} {rule_of(scorer, policy)}")
    ranked, distinct_step = _distinct(lexicon, ranked, policy)
    chosen, budget_step = within_budget(sources, ranked, lexicon, policy)
    return Selection(
        query_texts=query_texts,
        policy=policy,
        chosen=tuple(chosen),
        steps=(sources_step, visible_step, match_step, rank_step, distinct_step, budget_step),
        fallback=match_step.rule.startswith(_LEAD),
    )


def _visible(passages: Sequence[Passage], policy: Policy) -> tuple[list[Passage], Step]:
    """Drop what a person would not see, unless it is asked for."""
    out, decisions = [], []
    for passage in passages:
        if not policy.include_hidden and passage.labels and is_hidden(passage):
            decisions.append(Decision("visible", subject(passage), False, "hidden", why_hidden(passage)))
        else:
            out.append(passage)
    rule = f"{policy.rule} {PASSAGES} include_hidden={'yes' if policy.include_hidden else 'no'}"
    return out, account("visible", rule, len(passages), decisions)


def _matching(
    query_texts: Sequence[str], sources: Sequence[Source], passages: Sequence[Passage], lexicon: Lexicon
) -> tuple[list[Ranked], Step]:
    """Order passages by score and drop those without any; where none has any, order by position instead."""
    scores = rank.score(query_texts, sources, passages, lexicon=lexicon)
    if not any(scores):
        return _leading(passages)
    ranked: list[Ranked] = []
    decisions: list[Decision] = []
    for i in rank.order(scores, passages):
        if scores[i] > 0:
            ranked.append(Ranked(passages[i], len(ranked) + 1, decimal_string(scores[i])))
        else:
            decisions.append(Decision("match", subject(passages[i]), False, "no-match", {}))
    return ranked, account("match", rank.RULE, len(passages), decisions)


def _leading(passages: Sequence[Passage]) -> tuple[list[Ranked], Step]:
    """Order passages as first of each page, second of each page, and so on; furniture last."""
    places: dict[tuple[bool, int], int] = {}
    keyed: list[tuple[bool, int, int, Passage]] = []
    for passage in passages:
        furniture = is_furniture(passage)
        place = places.get((furniture, passage.source), 0)
        places[furniture, passage.source] = place + 1
        keyed.append((furniture, place, passage.source, passage))
    keyed.sort(key=lambda item: item[:3])
    ranked = [Ranked(item[3], number, "0") for number, item in enumerate(keyed, 1)]
    first = [Decision("match", subject(r.passage), True, "leading-passage", {"rank": r.rank}) for r in ranked[:1]]
    rule = f"{_LEAD} no word of the query is on any page, so the leading passages of each stand in"
    return ranked, account("match", rule, len(passages), first)


def _window(sources: Sequence[Source], ranked: Sequence[Ranked], policy: Policy) -> tuple[list[Ranked], Step]:
    """Drop what lies beyond the window, save the best of a second host where one host fills it."""
    kept, beyond = list(ranked[: policy.window]), list(ranked[policy.window :])
    hosts = {host_of(sources[r.passage.source]) for r in kept}
    if len(hosts) == 1:
        guest = next((r for r in beyond if host_of(sources[r.passage.source]) not in hosts), None)
        if guest is not None:
            kept.append(guest)
            beyond.remove(guest)
    decisions = [r.drop("rank", "below-rank", limit=policy.window) for r in beyond]
    return kept, account("rank", f"{policy.rule} window={policy.window}", len(ranked), decisions)


def _distinct(lexicon: Lexicon, ranked: Sequence[Ranked], policy: Policy) -> tuple[list[Ranked], Step]:
    """Drop what a better passage already says, numbers included."""
    seen = Seen()
    kept: list[Ranked] = []
    decisions: list[Decision] = []
    for r in ranked:
        words = lexicon.words(r.passage)
        runs, numbers = shingles(words), numbers_in(words)
        found = seen.offer(runs, numbers, policy.near_duplicate_percent)
        if found is None:
            kept.append(r)
        else:
            of, share = found
            decisions.append(r.drop("distinct", "near-duplicate", of=subject(kept[of].passage), percent=share))
    rule = f"{policy.rule} near_duplicate={policy.near_duplicate_percent}%"
    return kept, account("distinct", rule, len(ranked), decisions)
