"""Asking the providers: all at once, or one after the other until one answers.

Knows threads and the web, not the log. Every attempt comes back as an `Attempt`, in the order of the providers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.errors import UsageError
from searchlog.flow import foreign
from searchlog.search.provider import LocalProvider, NetworkProvider, Provider
from searchlog.search.query import Query
from searchlog.search.registry import lets_next_be_asked
from searchlog.search.run import Run, RunOutcome

__all__ = ["Asker", "Attempt", "Patience", "gather"]


class Asker(Protocol):
    """Whatever makes one exchange: the capture client, or a recording of one."""

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        """Return the exchange; never raises for the world going wrong."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One provider asked."""

    provider: str
    run: Run
    exchange: Exchange | None
    """None for a provider on this machine, and for one that was not asked after all."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long providers are waited for, in seconds."""

    each_s: float = 8.0
    """One provider has this long to answer."""
    soft_s: float = 2.0
    """Asked at once: after this the late ones are cut, when another one gave results."""


def gather(
    providers: Sequence[Provider],
    query: Query,
    asker: Asker,
    deadline: Deadline,
    *,
    fuse: bool,
    patience: Patience = Patience(),
    on_attempt: Callable[[Attempt], None] = lambda attempt: None,
) -> list[Attempt]:
    """Return the attempts, in the order of the providers; `on_attempt` is called as each one ends, in this thread.

    fuse: ask all at once. Otherwise the next one is asked only when the one before did not answer, as
    `registry.lets_next_be_asked` says.
    """
    if not fuse:
        attempts: list[Attempt] = []
        for provider in providers:
            attempts.append(_ask(provider, query, asker, deadline.child(patience.each_s)))
            on_attempt(attempts[-1])
            if deadline.expired or not lets_next_be_asked(provider.facts, attempts[-1].run):
                break
        return attempts
    late, soft = deadline.child(patience.each_s), deadline.child(patience.soft_s)
    made: dict[int, Attempt] = {}
    with ThreadPoolExecutor(max(1, len(providers)), "provider") as threads:
        waiting = {threads.submit(_ask, provider, query, asker, late): n for n, provider in enumerate(providers)}
        while waiting:
            answered = any(attempt.run.results for attempt in made.values())
            done = wait(waiting, soft.remaining() if answered else None, FIRST_COMPLETED).done
            if not done:
                late.cut()  # those cut come back at once, with what had arrived
                done = wait(waiting).done
            for future in done:
                number = waiting.pop(future)
                made[number] = future.result()
                on_attempt(made[number])
    return [made[number] for number in sorted(made)]


def _ask(provider: Provider, query: Query, asker: Asker, deadline: Deadline) -> Attempt:
    """Ask one provider. What goes wrong in it or on the way is in the run; only StoreError gets out."""
    name = provider.facts.name
    if isinstance(provider, LocalProvider):
        return Attempt(name, foreign.answer_of(provider, query), None)
    assert isinstance(provider, NetworkProvider)
    request = foreign.request_of(provider, query)
    if isinstance(request, Run):
        return Attempt(name, request, None)
    if deadline.expired:
        detail = f"{name}: not asked, the time was up before its turn; raise the time limit"
        return Attempt(name, Run(name, RunOutcome.TIMEOUT, detail=detail, ignored=provider.facts.ignored(query)), None)
    try:
        exchange = asker.exchange(request, deadline)
    except UsageError as error:
        return Attempt(name, foreign.refused_request(provider, query, error), None)
    return Attempt(name, foreign.parsed(provider, query, exchange), exchange)
