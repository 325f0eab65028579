"""Fill a budget with passages, best first: the last step of a selection. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from searchlog import tokens
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.passage import Source
from searchlog.evidence.policy import Chosen, Policy, Ranked, account, host_of, subject
from searchlog.search.decision import Decision, Step

__all__ = ["within_budget"]


class _Basket:
    """Passages taken so far, and whether one more may be."""

    def __init__(self, policy: Policy, guest: Ranked | None, costs: Mapping[int, int]) -> None:
        self._policy = policy
        self._guest = guest
        self._costs = costs
        self._by_source: dict[int, int] = {}
        self.taken: list[Ranked] = []
        self.left = policy.budget_tokens
        self._least = 0.0
        """The score below which nothing fills what is left."""

    def refuses(self, r: Ranked, capped: bool) -> str:
        """Return the reason a passage may not be taken now; empty if it may."""
        cost = self._costs[r.rank]
        waiting = self._guest if self._guest is not None and self._guest is not r else None
        if len(self.taken) + (waiting is not None) >= self._policy.passages_max:
            return "below-rank"
        if cost + (self._costs[waiting.rank] if waiting is not None else 0) > self.left:
            self._least = self._least or float(r.score) * self._policy.filler_percent / 100
            return "over-budget"
        if self.taken and r is not self._guest and float(r.score) < self._least:
            return "below-rank"
        used = self._by_source.get(r.passage.source, 0)
        if capped and used and 100 * (used + cost) > self._policy.source_percent * self._policy.budget_tokens:
            return "source-cap"
        return ""

    def take(self, r: Ranked) -> None:
        self.taken.append(r)
        self.left -= self._costs[r.rank]
        self._by_source[r.passage.source] = self._by_source.get(r.passage.source, 0) + self._costs[r.rank]
        if r is self._guest:
            self._guest = None


_GUEST_TOKENS_MIN = 40
"""Tokens of the share for a second host below which nothing is kept for it."""


def _guest(
    sources: Sequence[Source], ranked: Sequence[Ranked], costs: Mapping[int, int], policy: Policy
) -> Ranked | None:
    """Return the best passage of a second host, for which room is kept.

    None where it does not fit in its share, or where that holds no more than a line: a very small budget is better
    spent on the best passages.
    """
    room = policy.guest_percent * policy.budget_tokens
    if not ranked or policy.passages_max < 2 or room < 100 * _GUEST_TOKENS_MIN:
        return None
    first = host_of(sources[ranked[0].passage.source])
    return next(
        (r for r in ranked if 100 * costs[r.rank] <= room and host_of(sources[r.passage.source]) != first), None
    )


def within_budget(
    sources: Sequence[Source], ranked: Sequence[Ranked], lexicon: Lexicon, policy: Policy
) -> tuple[list[Chosen], Step]:
    """Take passages in order while they fit; a source over its share waits until the others have had their turn.

    Room is kept for the best passage of a second host.
    """
    costs = {r.rank: tokens.token_count(lexicon.text(r.passage)) for r in ranked}
    basket = _Basket(policy, _guest(sources, ranked, costs, policy), costs)
    refused: list[tuple[Ranked, str]] = []
    for r in ranked:
        reason = basket.refuses(r, capped=True)
        if reason:
            refused.append((r, reason))
        else:
            basket.take(r)
    left_out: dict[int, Decision] = {}
    for r, reason in refused:
        if reason == "source-cap" and not basket.refuses(r, capped=False):
            basket.take(r)
        else:
            left_out[r.rank] = r.drop("budget", reason, tokens=costs[r.rank], left=basket.left)
    decisions = [left_out[key] for key in sorted(left_out)]
    if ranked and not basket.taken and policy.passages_max > 0:
        first = ranked[0]
        basket.take(first)
        numbers: dict[str, str | int] = {"rank": first.rank, "tokens": costs[first.rank], "limit": policy.budget_tokens}
        decisions[0] = Decision("budget", subject(first.passage), True, "first-over-budget", numbers)
    limits = f"tokens={policy.budget_tokens} passages={policy.passages_max}"
    shares = f"source={policy.source_percent}% guest={policy.guest_percent}% filler={policy.filler_percent}%"
    rule = f"{policy.rule} {limits} {shares}"
    taken = sorted(basket.taken, key=lambda r: r.rank)
    chosen = [Chosen(r.passage, r.rank, r.score, costs[r.rank]) for r in taken]
    return chosen, account("budget", rule, len(ranked), decisions)
