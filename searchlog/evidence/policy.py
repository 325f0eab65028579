"""What is wanted of a selection, and the small values its steps pass on. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from searchlog.evidence.passage import Passage, Source
from searchlog.search.decision import Decision, Step

__all__ = ["RULE", "Chosen", "Policy", "Ranked", "account", "host_of", "is_furniture", "is_hidden", "subject"]
__all__ += ["why_hidden"]

RULE = "select/2"


@dataclass(frozen=True, slots=True)
class Policy:
    """What is wanted of a selection; logged with it."""

    budget_tokens: int = 4000
    """Tokens of all passages together, by `tokens.token_count`; fences and headers are not counted."""
    passages_max: int = 60
    window: int = 160
    """Passages that are looked at, best first; one of a second host is looked at even if it ranks below."""
    source_percent: int = 100
    """Share of the budget that one source may take before the others have had their turn. 70 cost 6 points of answers
    found at 1,000 tokens, 90 costs 1: what the others fill it with is worth less."""
    guest_percent: int = 10
    """Share of the budget that is kept for the best passage of a second host, if it fits in that."""
    filler_percent: int = 50
    """Once a passage did not fit, what a smaller one must score to take its room, in percent of that one. Up to 50 no
    set lost by it; without it the last lines of a budget were captions and buttons."""
    near_duplicate_percent: int = 80
    """A passage leaves when a better one holds this share of its word runs and all of its numbers."""
    page_duplicate_percent: int = 80
    """A page leaves when it shares this share of word runs with an earlier one."""
    include_hidden: bool = False
    scorer_first: int = 60
    """Passages that a scorer looks at, best first; without a scorer it says nothing."""
    scorer_percent: int = 50
    """Share of a scorer's score in the mixed one."""
    rule: str = RULE


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its place by score."""

    passage: Passage
    rank: int
    score: str

    def drop(self, step: str, reason: str, **numbers: str | int) -> Decision:
        """Return the decision that drops it."""
        return Decision(step, subject(self.passage), False, reason, {"rank": self.rank, "score": self.score, **numbers})


@dataclass(frozen=True, slots=True)
class Chosen:
    """A passage that is handed over."""

    passage: Passage
    rank: int
    """1-based, before duplicates and the budget took others out."""
    score: str
    """Decimal string; comparable only within this selection."""
    tokens: int


def subject(passage: Passage) -> str:
    """Return how decisions name a passage: source index in candidate order, start, end, such as `3:120-460`."""
    return f"{passage.source}:{passage.start}-{passage.end}"


def host_of(source: Source) -> str:
    """Return what makes a source independent of another: its host, without `www.`; the URL where it has none."""
    return _host(source.url)


@lru_cache(maxsize=1000)
def _host(url: str) -> str:
    """A search has a few dozen URLs, and each passage asks for one."""
    try:
        host = urlsplit(url).hostname or url
    except ValueError:
        host = url
    return host.removeprefix("www.")


def is_hidden(passage: Passage) -> bool:
    """Whether a person would not see it."""
    return bool(passage.labels) and _any_begins(passage.labels, "hidden:")


def why_hidden(passage: Passage) -> dict[str, str | int]:
    """Return by what it is hidden, as a decision tells it."""
    return {"why": ",".join(label[7:] for label in passage.labels if label.startswith("hidden:"))}


def is_furniture(passage: Passage) -> bool:
    """Whether any block of it is likely not main text."""
    return bool(passage.labels) and _any_begins(passage.labels, "furniture:")


@lru_cache(maxsize=1000)
def _any_begins(labels: tuple[str, ...], prefix: str) -> bool:
    """Pages have a handful of different label tuples, and each passage is asked several times."""
    return any(label.startswith(prefix) for label in labels)


def account(name: str, rule: str, in_count: int, decisions: Sequence[Decision]) -> Step:
    """Return a step's account; what no decision drops was kept."""
    dropped = sum(not decision.kept for decision in decisions)
    return Step(name, rule, in_count, in_count - dropped, dropped, tuple(decisions))
