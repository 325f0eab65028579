"""How long a provider is left alone after it failed, and what is said of one that is not asked. Pure.

Two kinds of waiting. Where the provider itself said how long (Retry-After, a reset time, a backoff), that is obeyed
whoever asks. Where it did not, we guess, twice as long each time in a row; a guess gives way when the provider is
named, or when there is nobody else to ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from searchlog.errors import UsageError
from searchlog.search.provider import Facts
from searchlog.search.query import Query
from searchlog.search.run import ANSWERS, RETRY_MAX_S, Run, RunOutcome

__all__ = [
    "DAY_MAX",
    "GUESSES_S",
    "Cooldown",
    "after_run",
    "day_max",
    "left_alone",
    "longest_s",
    "over_budget",
    "parse_day_max",
]

GUESSES_S: Mapping[RunOutcome, tuple[int, int]] = {
    RunOutcome.RATE_LIMITED: (60, 3_600),
    RunOutcome.BLOCKED: (900, 86_400),
    RunOutcome.QUOTA: (3_600, 86_400),
    RunOutcome.UNAVAILABLE: (30, 600),
    RunOutcome.TIMEOUT: (30, 600),
}
"""Seconds after the first failure of this kind, and at most."""
DAY_MAX = 1_000
"""Requests a day to a provider that costs money, where SEARCHLOG_DAY_MAX says nothing else."""

_ANSWERED = ANSWERS | {RunOutcome.DEGRADED}


@dataclass(frozen=True, slots=True)
class Cooldown:
    """One provider that is left alone for a while."""

    provider: str
    until: datetime
    outcome: RunOutcome
    """Of the run that led to it."""
    detail: str
    told: bool
    """Whether the provider itself said how long."""
    strikes: int = 1
    """How many runs in a row failed so."""


def after_run(before: Cooldown | None, facts: Facts, run: Run, now: datetime) -> Cooldown | None:
    """Return the cool-down that a run leads to, given the one that there was; None when there is none.

    A failure that says nothing of the provider (no network, a wrong key, a query it cannot read) leaves things as
    they were. Of one's own server nothing is guessed: whoever has just mended it wants to see that it works.
    """
    if run.retry_after_s is not None and run.retry_after_s > 0:
        until = now + timedelta(seconds=run.retry_after_s)
        return Cooldown(run.provider, until, run.outcome, run.detail, True, _strikes(before, run, now))
    if run.outcome in GUESSES_S and not facts.own_server:
        first, most = GUESSES_S[run.outcome]
        strikes = _strikes(before, run, now)
        until = now + timedelta(seconds=min(first * 2 ** max(0, min(strikes - 1, 20)), most))
        if before is not None and before.told and until < before.until:
            return before  # one that was under way when the provider named its time, and failed without naming one
        return Cooldown(run.provider, until, run.outcome, run.detail, False, strikes)
    return None if run.outcome in _ANSWERED else before


def longest_s(cooldown: Cooldown) -> float:
    """Return the longest that a cool-down of this kind can have been when it was made, in seconds."""
    if cooldown.told:
        return RETRY_MAX_S
    return float(GUESSES_S[cooldown.outcome][1]) if cooldown.outcome in GUESSES_S else 0.0


def _strikes(before: Cooldown | None, run: Run, now: datetime) -> int:
    """Return how many runs in a row failed so; after a day of peace they are counted anew."""
    if before is None or before.outcome is not run.outcome or now - before.until > timedelta(days=1):
        return 1
    return before.strikes + 1


def left_alone(cooldown: Cooldown, facts: Facts, query: Query, now: datetime) -> Run:
    """Return the run of a provider that is not asked for it is left alone: the outcome that led to it, and until when.

    One that answered and asked for a pause is `rate_limited`.
    """
    wait = max(1, int((cooldown.until - now).total_seconds() + 0.999))
    outcome = RunOutcome.RATE_LIMITED if cooldown.outcome in _ANSWERED else cooldown.outcome
    who = "it asked for a pause" if cooldown.told else "it failed a moment ago"
    until = cooldown.until.strftime("%Y-%m-%d %H:%M:%SZ")
    again = f"; `searchlog providers --forget {facts.name}` asks it sooner"
    said = f" ({cooldown.detail.removeprefix(facts.name + ': ')})" if cooldown.detail else ""
    detail = f"{facts.name}: not asked until {until}: {who}{said}{again}"
    return Run(facts.name, outcome, detail=detail, retry_after_s=wait, ignored=facts.ignored(query))


def over_budget(facts: Facts, query: Query, most: int, now: datetime) -> Run:
    """Return the run of a provider that was asked as often today as its budget allows."""
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    detail = (
        f"{facts.name}: not asked: its budget of {most} requests a day is used up until 00:00 UTC; "
        f"SEARCHLOG_DAY_MAX={facts.budget}=N sets another"
    )
    wait = int((midnight - now).total_seconds()) + 1
    return Run(facts.name, RunOutcome.QUOTA, detail=detail, retry_after_s=wait, ignored=facts.ignored(query))


def day_max(facts: Facts, limits: Mapping[str, int]) -> int | None:
    """Return how often a provider may be asked a day; None when nothing limits it. limits: of `parse_day_max`."""
    if facts.budget in limits:
        return limits[facts.budget]
    return limits.get("*", DAY_MAX) if facts.paid and not facts.keyless else None


def parse_day_max(setting: str) -> dict[str, int]:
    """Return the requests a day by provider that SEARCHLOG_DAY_MAX names, such as `brave=50 exa=20`.

    `*=200` stands for all that cost money. Raises UsageError for anything else: a limit on money is not passed over.
    """
    limits: dict[str, int] = {}
    for word in setting.replace(",", " ").split():
        name, _, number = word.partition("=")
        if not name or not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise UsageError(f"SEARCHLOG_DAY_MAX: {word!r:.60} is no limit; write it like `brave=50 exa=20 *=200`")
        limits[name] = int(number)
    return limits
