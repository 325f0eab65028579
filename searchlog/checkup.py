"""Whether the providers that are configured answer, and what to change where one does not.

Each is asked one small query, or not at all when it is to be left alone; nothing of the answers is stored. The answers'
own Date tells whether this machine's clock is right, on which freshness, time stamps and TLS depend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, header
from searchlog.errors import StoreError, UsageError
from searchlog.flow.gather import Attempt, Door, Patience, gather
from searchlog.flow.resources import Resources
from searchlog.flow.settings import Settings
from searchlog.flow.standing import Standings
from searchlog.search import registry, whom
from searchlog.search.provider import Facts, Provider, own_servers
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome

__all__ = [
    "Check",
    "check_clock",
    "check_providers",
    "check_settings",
    "check_standings",
    "named_by_setting",
    "setting_of",
]

_QUESTION = "lighthouse"
_DEADLINE_S = 10.0
_CLOCK_S = 120
"""Seconds by which this machine's clock may differ from those of servers."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    state: str
    """`ok`, `note` (works, but know this) or `failed`."""
    detail: str
    change: str = ""
    """The one setting to change, where there is one."""


def check_settings(env: Mapping[str, str], standings: Standings) -> list[Check]:
    """Return what is wrong with the variables that say whom to ask, and how often; nothing where all is well."""
    checks = []
    looks: tuple[tuple[str, Callable[[], object]], ...] = (
        (whom.CHOICE_ENV, lambda: whom.choose(env)),
        (whom.KEYLESS_ENV, lambda: whom.keyless_order(env)),
        ("SEARCHLOG_DAY_MAX", standings.limits),
    )
    for name, look in looks:
        try:
            look()
        except UsageError as error:
            if str(error).startswith(name):
                checks.append(Check("setting", "failed", str(error), name))
    return checks


def check_standings(standings: Standings) -> list[Check]:
    """Return what is wrong with what is kept of cool-downs and budgets; nothing where all is well."""
    try:
        standings.cooldowns()
        standings.asked_today()
    except StoreError as error:
        return [Check("cool-downs", "failed", str(error), "the file providers.db of the archive: delete it")]
    return []


def named_by_setting(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the providers that SEARCHLOG_PROVIDERS names; none where it is not set, or names what is none."""
    try:
        choice = whom.choose(env)
    except UsageError:
        return ()
    return choice.names if choice.given_by else ()


def check_providers(
    resources: Resources, names: Sequence[str], door: Door, options: registry.Options | None = None
) -> list[Check]:
    """Return how each of these providers answers, and how the clock stands by their answers."""
    asked: list[Provider] = []
    checks: list[Check] = []
    for name in names:
        try:
            asked.append(registry.build(name, resources.env, options))
        except UsageError as error:
            checks.append(
                Check(f"online {name}", "failed", str(error), setting_of(registry.facts_of(name), resources.env))
            )
    own = own_servers(provider.facts for provider in asked)
    client = resources.client(Settings(allow_private=own))
    deadline = Deadline(_DEADLINE_S, resources.clock)
    query = Query(_QUESTION, count=1)
    patience = Patience(_DEADLINE_S, _DEADLINE_S)  # everybody is waited for
    attempts = gather(asked, query, client, deadline, fuse=True, patience=patience, door=door) if asked else []
    env = resources.env
    checks += [_check(provider.facts, attempt, env) for provider, attempt in zip(asked, attempts, strict=True)]
    clock = check_clock([exchange for attempt in attempts for exchange in attempt.exchanges])
    return checks + ([clock] if clock is not None else [])


def _check(facts: Facts, attempt: Attempt, env: Mapping[str, str]) -> Check:
    run, name = attempt.run, f"online {attempt.provider}"
    if run.outcome in (RunOutcome.OK, RunOutcome.EMPTY):
        return Check(name, "ok", f"{run.outcome}, {len(run.results)} results")
    state = "note" if run.outcome is RunOutcome.DEGRADED and run.results else "failed"
    said = run.detail.removeprefix(f"{run.provider}: ") or str(run.outcome)
    return Check(name, state, f"{run.outcome}: {said}", _change(facts, attempt, setting_of(facts, env)))


def _change(facts: Facts, attempt: Attempt, variable: str) -> str:
    """Return the one setting that helps, or nothing where only time does. variable: the one that configures it."""
    outcome, exchanges = attempt.run.outcome, attempt.exchanges
    clock = check_clock(exchanges)
    if clock is not None and clock.state == "failed" and outcome in (RunOutcome.AUTH, RunOutcome.OFFLINE):
        return clock.change
    if outcome is RunOutcome.OFFLINE and any("not yet valid" in e.detail or "expired" in e.detail for e in exchanges):
        return "the clock of this machine, if it is wrong"
    if outcome is RunOutcome.AUTH:
        return variable or "the address"
    if outcome is RunOutcome.QUOTA and not exchanges:
        return f"SEARCHLOG_DAY_MAX={facts.budget}=N"
    if outcome is RunOutcome.QUOTA:
        return f"the plan of your account with {facts.title}, or {variable}".removesuffix(", or ")
    if outcome is RunOutcome.NOT_ENABLED:
        return "search.formats in the settings.yml of that server"
    if facts.own_server and outcome is RunOutcome.BLOCKED:
        limited = any(exchange.status == 429 for exchange in exchanges)
        return "pass_ip in the limiter.toml of that server" if limited else "what stands before that server"
    if facts.own_server and exchanges and 300 <= (exchanges[0].status or 0) < 400:
        return variable
    if facts.own_server and outcome in (RunOutcome.OFFLINE, RunOutcome.PARSE_ERROR, RunOutcome.BAD_REQUEST):
        return variable
    if outcome is RunOutcome.REFUSED:
        return "--allow-private HOST, if the address is right"
    if outcome is RunOutcome.PARSE_ERROR:
        return "the version of searchlog: a later one may read this answer"
    return ""


def setting_of(facts: Facts | None, env: Mapping[str, str]) -> str:
    """Return the variable that configures a provider: the one that is set, else the first; empty when it has none."""
    if facts is None:
        return ""
    return registry.variable_of(facts, env) or next(iter(facts.key_env), "")


def check_clock(exchanges: Sequence[Exchange]) -> Check | None:
    """Return how this machine's clock stands by the Date of answers; None when no answer has one.

    Spec: RFC 9110 section 6.6.1. Servers may be wrong as well, so the median of them counts.
    """
    away = sorted(found for exchange in exchanges if (found := _away_s(exchange)) is not None)
    if not away:
        return None
    middle = away[len(away) // 2]
    if abs(middle) <= _CLOCK_S:
        return Check("clock", "ok", f"within {_CLOCK_S} seconds of {len(away)} answers")
    way = "ahead of" if middle > 0 else "behind"
    said = f"this machine's clock is {abs(middle)} seconds {way} the servers'"
    return Check("clock", "failed", f"{said}: set it; time stamps, freshness and TLS depend on it", "the clock")


def _away_s(exchange: Exchange) -> int | None:
    """Return the seconds that our clock was ahead when the answer was made; a cached answer's Date says nothing."""
    said = header(exchange.headers, "date")
    if said is None or header(exchange.headers, "age") is not None:
        return None
    try:
        sent = parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    sent = sent if sent.tzinfo else sent.replace(tzinfo=UTC)
    ours: datetime = exchange.started_at
    ahead = (ours - sent).total_seconds()
    # it was sent between our beginning and our end
    late = ahead + exchange.duration_ms / 1000
    if ahead <= 0 <= late:
        return 0
    return round(late if ahead < 0 else ahead)
