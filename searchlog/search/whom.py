"""Whom a search asks, and what happens when one does not answer.

    named by the caller      exactly these, nobody else
    SEARCHLOG_PROVIDERS      exactly these, nobody else
    something is configured  everything configured that searches the web, nobody else: a query goes to no third party
                             unasked
    nothing is configured    one after another, in the order of keyless.txt, until one answers

Keyless offers come and go, so their order is data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from searchlog.errors import UsageError
from searchlog.search.catalogue import FACTS
from searchlog.search.provider import Facts
from searchlog.search.registry import Options, facts_of, unknown, variable_of
from searchlog.search.run import ANSWERS, Run, RunOutcome

__all__ = [
    "CHOICE_ENV",
    "KEYLESS_ENV",
    "Choice",
    "choose",
    "keyless_order",
    "lets_next_be_asked",
    "nothing_answered_message",
    "nothing_configured_message",
    "who_sees",
]

CHOICE_ENV = "SEARCHLOG_PROVIDERS"
KEYLESS_ENV = "SEARCHLOG_KEYLESS"


@dataclass(frozen=True, slots=True)
class Choice:
    """Whom a search asks."""

    names: tuple[str, ...]
    together: bool
    """True: all of them, their runs fused. False: one after another while `lets_next_be_asked`."""
    why: str
    """`named`, `configured` or `keyless`."""
    given_by: str = ""
    """The variable that named them."""


def choose(env: Mapping[str, str], names: Sequence[str] = (), *, in_turn: bool = False) -> Choice:
    """Return whom to ask: those named, else those that SEARCHLOG_PROVIDERS names, else those configured, else the
    keyless ones in turn.

    in_turn: ask one after another, in this order, until one answers. Raises UsageError for a name that is none.
    """
    given_by = "" if names else CHOICE_ENV
    named = list(names) or _words(env.get(CHOICE_ENV, ""))
    if named:
        for name in named:
            if facts_of(name) is None:
                raise unknown(name, given_by)
        return Choice(tuple(dict.fromkeys(named)), not in_turn, "named", given_by)
    configured = tuple(
        name for name, facts in FACTS.items() if not facts.by_name and variable_of(facts, env) is not None
    )
    if configured:
        return Choice(configured, not in_turn, "configured")
    return Choice(keyless_order(env), False, "keyless")


def keyless_order(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return whom to ask when nothing is configured, in order: SEARCHLOG_KEYLESS, else the table keyless.txt.

    Raises UsageError for a name that is none, or that cannot be asked without a key.
    """
    named = _words(env.get(KEYLESS_ENV, ""))
    for name in named:
        facts = facts_of(name)
        if facts is None:
            raise unknown(name, KEYLESS_ENV)
        if not facts.keyless:
            raise UsageError(f"{KEYLESS_ENV}: {name} cannot be asked without a key", provider=name)
    return tuple(dict.fromkeys(named)) or _table()


@cache
def _table() -> tuple[str, ...]:
    lines = resources.files(__package__).joinpath("keyless.txt").read_text(encoding="utf-8").splitlines()
    return tuple(name for line in lines for name in line.partition("#")[0].split())


def who_sees(env: Mapping[str, str], choice: Choice, options: Options | None = None) -> str | None:
    """Return a sentence on the third parties that get the query although no key or address of theirs is configured.

    None when there is nobody like that.
    """
    given = (options or Options()).endpoints
    seen_by = []
    for name in choice.names:
        facts = facts_of(name)
        known = facts is None or facts.own_server or name in given or variable_of(facts, env) is not None
        if facts is not None and facts.endpoint and not known:
            seen_by.append(f"{name} ({facts.third_party})")
    how = "" if choice.together or len(seen_by) < 2 else ", one after another until one answers"
    return f"this query goes to {', '.join(seen_by)}{how}" if seen_by else None


def lets_next_be_asked(facts: Facts, run: Run) -> bool:
    """Say whether the next provider in turn may be asked after this run.

    No answer, whatever the reason, lets it. An answer does not; an empty one only when the provider covers less than
    the web. A degraded run counts as an answer when it has results.
    """
    if run.outcome in ANSWERS and run.outcome is not RunOutcome.EMPTY:
        return False
    if run.outcome is RunOutcome.DEGRADED:
        return not run.results
    if run.outcome is RunOutcome.EMPTY:
        return facts.scope != "web"
    return True


def nothing_configured_message() -> str:
    """Return what to do when no provider is configured and none without a key answers."""
    return (
        "no search provider is configured: set SEARCHLOG_SEARXNG_URL (your own SearXNG server), TAVILY_API_KEY or "
        "BRAVE_API_KEY, or name one that needs no key: `--provider wikipedia`, `--provider tavily`, "
        "`--provider archive` (your own past captures), `--provider site --site PATH-OR-URL` (a folder or a local site)"
    )


def nothing_answered_message(runs: Sequence[Run], why: str) -> str:
    """Return what to tell a person when no run has an answer: how each attempt ended, then what to do.

    why: of the `Choice`. A single attempt is told in full; of several the runs hold the details.
    """
    attempts = ", ".join(f"{run.provider}: {run.outcome}" for run in runs) or "nobody was asked"
    if len(runs) == 1 and runs[0].detail:
        attempts = runs[0].detail
    # of one's own server the network is not to blame before its address is
    offline = bool(runs) and all(run.outcome is RunOutcome.OFFLINE and not _is_own(run.provider) for run in runs)
    advice = (
        "no network: `--provider archive` searches your own past captures, `--provider site` a folder"
        if offline
        else ""
    )
    if not advice and why == "keyless":
        advice = nothing_configured_message()
    return f"no search provider answered ({attempts})" + (f"; {advice}" if advice else "")


def _is_own(name: str) -> bool:
    facts = facts_of(name)
    return facts is not None and facts.own_server


def _words(value: str) -> list[str]:
    return value.replace(",", " ").split()
