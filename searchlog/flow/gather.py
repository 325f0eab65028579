"""Asking the providers: all at once, or one after the other until one answers; each of them every text of the query.

Knows threads and the web, not the log. Every attempt comes back as an `Attempt`, in the order of the providers and,
of one provider, of the texts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
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
    """One provider asked one text."""

    provider: str
    run: Run
    exchanges: tuple[Exchange, ...] = ()
    """One, or two where the answer needed a second; none for a provider on this machine, and for one that was not asked
    after all."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long providers are waited for, in seconds."""

    each_s: float
    """One provider has this long to answer one text."""
    soft_s: float
    """Asked at once: one that takes longer is cut, when another attempt gave results."""


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
    """Return the attempts, a provider's for each text of the query together, in the order of both; `on_attempt` is
    called as each one ends, in this thread.

    fuse: ask all at once. Otherwise the next one is asked only when the one before did not answer any text, as
    `whom.lets_next_be_asked` says. door: who may be asked now. named: whether somebody named these providers.
    With several texts half of the time is left for reading, and one who refuses or is silent is not asked the rest.
    """
    queries = query.alone()
    skipped = door.skips([provider.facts for provider in providers], queries[0], named=named)
    whole = deadline.child(deadline.remaining() / 2) if len(queries) > 1 else deadline

    def ask(provider: Provider, number: int, time: Deadline) -> Attempt:
        name = provider.facts.name
        if name in skipped:
            return _numbered(Attempt(name, skipped[name]), number)
        attempt = _ask(provider, queries[number - 1], asker, time, door)
        # one that we cut ourselves, since others had answered, did nothing wrong
        if attempt.exchanges and not (time.was_cut and attempt.run.outcome is RunOutcome.TIMEOUT):
            door.note(provider.facts, attempt.run)
        return _numbered(attempt, number)

    if fuse:
        return _Together(providers, len(queries), ask, on_attempt).run(whole, patience)
    attempts: list[Attempt] = []
    for provider in providers:
        mine: list[Attempt] = []
        for number in range(1, len(queries) + 1):
            before = mine[-1] if mine else None
            if before is not None and _ends_all(before.run):
                mine.append(_not_asked(before, number))
            else:
                mine.append(ask(provider, number, _time(provider.facts, number, whole, patience.each_s)))
            on_attempt(mine[-1])
        attempts += mine
        if whole.expired or not all(lets_next_be_asked(provider.facts, attempt.run) for attempt in mine):
            break
    return attempts


_OF_ALL = frozenset(
    {
        *(RunOutcome.AUTH, RunOutcome.QUOTA, RunOutcome.RATE_LIMITED, RunOutcome.BLOCKED, RunOutcome.NOT_ENABLED),
        *(RunOutcome.TIMEOUT, RunOutcome.OFFLINE),
    }
)
"""How an attempt ends that the next one at the same provider would end like, asked right away."""
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """One attempt that has not ended."""

    place: int
    """Of the provider."""
    number: int
    """Of the text."""
    time: Deadline
    soft: Deadline


@dataclass(slots=True)
class _Together:
    """All providers asked at once, each of them one text after another or a few at a time."""

    providers: Sequence[Provider]
    count: int
    """Of the texts."""
    ask: Callable[[Provider, int, Deadline], Attempt]
    on_attempt: Callable[[Attempt], None]
    begun: dict[int, int] = field(default_factory=dict)
    """How many texts of a provider are asked or given up, by its place."""
    waiting: dict[Future[Attempt], _UnderWay] = field(default_factory=dict)
    made: dict[tuple[int, int], Attempt] = field(default_factory=dict)

    def run(self, whole: Deadline, patience: Patience) -> list[Attempt]:
        lanes = [min(self.count, _lanes(provider.facts)) for provider in self.providers]
        with ThreadPoolExecutor(max(1, sum(lanes)), "provider") as threads:

            def start(place: int) -> None:
                provider, number = self.providers[place], self._next(place)
                time = _time(provider.facts, number, whole, patience.each_s)
                soft = _time(provider.facts, number, whole, patience.soft_s)
                self.waiting[threads.submit(self.ask, provider, number, time)] = _UnderWay(place, number, time, soft)

            for place, lane_count in enumerate(lanes):
                for _ in range(lane_count):
                    start(place)
            while self.waiting:
                for future in self._ended():
                    item = self.waiting.pop(future)
                    attempt = future.result()
                    self._take(item.place, item.number, attempt)
                    if not _ends_all(attempt.run) and self.begun[item.place] < self.count:
                        start(item.place)
                    while _ends_all(attempt.run) and self.begun[item.place] < self.count:
                        number = self._next(item.place)
                        self._take(item.place, number, _not_asked(attempt, number))
        return [self.made[key] for key in sorted(self.made)]

    def _next(self, place: int) -> int:
        self.begun[place] = number = self.begun.get(place, 0) + 1
        return number

    def _ended(self) -> set[Future[Attempt]]:
        """Wait until attempts end, and return them; none when nothing but the time to wait for them ended."""
        answered = any(attempt.run.results for attempt in self.made.values())
        left = min(item.soft.remaining() for item in self.waiting.values()) if answered else None
        done = wait(self.waiting, left, FIRST_COMPLETED).done
        late = [future for future, item in self.waiting.items() if answered and item.soft.expired]
        if done or not late:
            return done
        for future in late:
            self.waiting[future].time.cut()  # those cut come back at once, with what had arrived
        return wait(late).done

    def _take(self, place: int, number: int, attempt: Attempt) -> None:
        self.made[place, number] = attempt
        self.on_attempt(attempt)


def _ends_all(run: Run) -> bool:
    """Return whether a provider is not asked the rest of the texts after this: it failed for all, or wants a pause."""
    return run.outcome in _OF_ALL or bool(run.retry_after_s)


def _lanes(facts: Facts) -> int:
    """Return how many texts a provider is asked at a time: one, unless it is paid for, and names no pause."""
    return 1 if facts.keyless or facts.own_server or not facts.endpoint or facts.pause_s > 0 else _AT_ONCE


def _time(facts: Facts, number: int, whole: Deadline, seconds: float) -> Deadline:
    """Return the deadline of one attempt; a pause that we make for its sake is no time of the provider's."""
    return whole.child(seconds + (facts.pause_s if number > 1 else 0.0))


def _numbered(attempt: Attempt, number: int) -> Attempt:
    run = attempt.run
    return attempt if run.query_number == number else replace(attempt, run=replace(run, query_number=number))


_NOT_ASKED = "not asked, after the answer before: "


def _not_asked(before: Attempt, number: int) -> Attempt:
    """Return the attempt of a text that is not sent, for what came of an attempt before it."""
    run, outcome, detail = before.run, before.run.outcome, before.run.detail
    if outcome not in _OF_ALL and outcome is not RunOutcome.UNAVAILABLE:
        outcome, detail = RunOutcome.RATE_LIMITED, f"it asked for a pause of {run.retry_after_s} seconds"
    if before.exchanges:
        said = detail.removeprefix(f"{run.provider}: ").removeprefix(_NOT_ASKED)
        detail = f"{run.provider}: {_NOT_ASKED}{said}"
    left = Run(run.provider, outcome, detail=detail, retry_after_s=run.retry_after_s, ignored=run.ignored)
    return Attempt(before.provider, replace(left, query_number=number))


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
