"""Asking the providers: all at once, or one after the other until one answers.

Knows threads and the web, not the log. Every attempt comes back as an `Attempt`, in the order of the providers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Protocol

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.errors import UsageError
from searchlog.flow import foreign
from searchlog.search.provider import Facts, FollowingProvider, LocalProvider, NetworkProvider, Provider, response_of
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.whom import lets_next_be_asked

__all__ = ["Asker", "Attempt", "Door", "Patience", "gather", "wait_for_turn"]


class Asker(Protocol):
    """Whatever makes one exchange: the capture client, or a recording of one."""

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        """Return the exchange; never raises for the world going wrong."""


class Door(Protocol):
    """Whoever knows which providers may be asked now: `standing.Standings`."""

    def skips(self, wanted: Sequence[Facts], query: Query, *, named: bool) -> dict[str, Run]:
        """Return the runs of those that are not asked now, by name."""

    def reserve(self, facts: Facts, query: Query, within_s: float) -> Run | float:
        """Count one request, and return the seconds to wait before it, or the run of one that may not be made.

        within_s: a request that would have to wait for as long is not made, and does not count.
        """

    def note(self, facts: Facts, run: Run) -> None:
        """Take in how an attempt ended."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One provider asked."""

    provider: str
    run: Run
    exchanges: tuple[Exchange, ...] = ()
    """One, or two where the answer needed a second; none for a provider on this machine, and for one that was not asked
    after all."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long providers are waited for, in seconds."""

    each_s: float
    """One provider has this long to answer."""
    soft_s: float
    """Asked at once: after this the late ones are cut, when another one gave results."""


def gather(
    providers: Sequence[Provider],
    query: Query,
    asker: Asker,
    deadline: Deadline,
    *,
    fuse: bool,
    patience: Patience,
    door: Door,
    named: bool = True,
    on_attempt: Callable[[Attempt], None] = lambda attempt: None,
) -> list[Attempt]:
    """Return the attempts, in the order of the providers; `on_attempt` is called as each one ends, in this thread.

    fuse: ask all at once. Otherwise the next one is asked only when the one before did not answer, as
    `whom.lets_next_be_asked` says. door: who may be asked now. named: whether somebody named these providers.
    """
    skipped = door.skips([provider.facts for provider in providers], query, named=named)

    def ask(provider: Provider, deadline: Deadline) -> Attempt:
        name = provider.facts.name
        if name in skipped:
            return Attempt(name, skipped[name])
        attempt = _ask(provider, query, asker, deadline, door)
        # one that we cut ourselves, since others had answered, did nothing wrong
        if attempt.exchanges and not (deadline.was_cut and attempt.run.outcome is RunOutcome.TIMEOUT):
            door.note(provider.facts, attempt.run)
        return attempt

    if not fuse:
        attempts: list[Attempt] = []
        for provider in providers:
            attempts.append(ask(provider, deadline.child(patience.each_s)))
            on_attempt(attempts[-1])
            if deadline.expired or not lets_next_be_asked(provider.facts, attempts[-1].run):
                break
        return attempts
    late, soft = deadline.child(patience.each_s), deadline.child(patience.soft_s)
    made: dict[int, Attempt] = {}
    with ThreadPoolExecutor(max(1, len(providers)), "provider") as threads:
        waiting = {threads.submit(ask, provider, late): n for n, provider in enumerate(providers)}
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


def _ask(provider: Provider, query: Query, asker: Asker, deadline: Deadline, door: Door) -> Attempt:
    """Ask one provider. What goes wrong in it or on the way is in the run; only StoreError gets out."""
    name = provider.facts.name
    if isinstance(provider, LocalProvider):
        return Attempt(name, foreign.answer_of(provider, query))
    assert isinstance(provider, NetworkProvider)
    request = foreign.request_of(provider, query)
    if isinstance(request, Run):
        return Attempt(name, request)
    refused = wait_for_turn(provider.facts, query, deadline, door)
    if refused is not None:
        return Attempt(name, refused)
    try:
        exchange = asker.exchange(request, deadline)
    except UsageError as error:
        return Attempt(name, foreign.refused_request(provider, query, error))
    run = foreign.parsed(provider, query, exchange)
    more = _follow(provider, query, run, exchange)
    if not isinstance(more, Request):
        return Attempt(name, more or run, (exchange,))
    refused = wait_for_turn(provider.facts, query, deadline, door)
    if refused is not None:
        detail = f"{refused.detail}; what the first answer gave stands"
        return Attempt(name, replace(run, outcome=RunOutcome.DEGRADED, detail=detail), (exchange,))
    try:
        second = asker.exchange(more, deadline)
    except UsageError as error:
        return Attempt(name, foreign.refused_request(provider, query, error), (exchange,))
    return Attempt(name, foreign.parsed_again(provider, query, run, second), (exchange, second))


def _follow(provider: NetworkProvider, query: Query, run: Run, exchange: Exchange) -> Request | Run | None:
    """Return what a provider asks next after an answer with results, if it asks twice."""
    if not (run.results and isinstance(provider, FollowingProvider)):
        return None
    return foreign.follow_of(provider, query, response_of(exchange))


def wait_for_turn(facts: Facts, query: Query, deadline: Deadline, door: Door) -> Run | None:
    """Wait until a provider may be asked; return the run of one that may not be asked in time."""
    detail = f"{facts.name}: not asked, the time was up before its turn; raise the time limit"
    late = Run(facts.name, RunOutcome.TIMEOUT, detail=detail, ignored=facts.ignored(query))
    if deadline.expired:
        return late
    left = deadline.remaining()
    pause = door.reserve(facts, query, left)
    if isinstance(pause, Run):
        return pause
    if pause >= left:
        return late
    if pause > 0:
        cut = threading.Event()
        undo = deadline.on_cut(cut.set)
        cut.wait(pause)
        undo()
    return late if deadline.expired else None
