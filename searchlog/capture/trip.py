"""The fetch of one URL: robots.txt, a place at the host, redirects by hand, one obeyed `Retry-After`.

Every hop passes the whole policy again: the URL check, the address guard, robots.txt, the gate. Name look-ups are
pinned for the trip, so that a name cannot change its mind between the check and the use, or between robots.txt and
the page.  Shown by test_client.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from searchlog.capture import guard, robots
from searchlog.capture.credentials import credentials
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Limits, Outcome, Request, RobotsDecision, header
from searchlog.capture.guard import Refusal, Target
from searchlog.capture.message import REDIRECTS
from searchlog.capture.politeness import Gate, retry_after
from searchlog.capture.shown import shown_url
from searchlog.clock import Clock

__all__ = ["Asker", "Pins", "Policy", "travel"]

Pins = dict[str, tuple[str, ...]]
"""Checked addresses of each host, for one trip."""

_CRAWL_DELAY_MAX_S = 10.0
_ROBOTS_SHARE = 0.5
"""Of the time left, what robots.txt may use: the page needs some of it too."""
_SLICE_S = 0.05


class Asker(Protocol):
    """Makes one exchange with a target whose URL has been checked."""

    def __call__(self, request: Request, target: Target, limits: Limits, deadline: Deadline, pins: Pins) -> Exchange:
        """Return the exchange; never raises for what the far end does."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What every trip of one client obeys."""

    limits: Limits
    agent: str
    obey: bool
    """Whether robots.txt is asked for and obeyed."""
    at_once: Callable[[Target], int]
    """How many requests may be under way to a target's host."""
    clock: Clock
    gate: Gate
    book: robots.Book
    ask: Asker


@dataclass(slots=True)
class _Trip:
    """What has happened so far."""

    url: str
    outer: Deadline
    """What waiting is held to: for a place at a host, for robots.txt that another fetch asks for."""
    left_s: float
    """What is left of the fetch's own time, which only asking uses up."""
    public: str
    """See `Request.public`."""
    pins: Pins = field(default_factory=dict)
    asked: list[str] = field(default_factory=list, repr=False)
    """The URL of each hop as it was asked for, which the hop itself may not hold."""
    hops: list[Exchange] = field(default_factory=list)
    decision: RobotsDecision | None = None
    robots_exchanges: list[Exchange] = field(default_factory=list)
    waited: bool = False

    @property
    def expired(self) -> bool:
        return self.left_s <= 0 or self.outer.expired

    def credentials(self) -> tuple[str, ...]:
        """Return those that earlier hops were asked with: a later one may repeat them."""
        return () if self.public else tuple(dict.fromkeys(value for url in self.asked for value in credentials(url)))

    def ended(self, outcome: Outcome, reason: str | None = None, detail: str = "") -> Fetch:
        return Fetch(
            self.url,
            tuple(self.hops),
            outcome,
            reason,
            detail,
            self.decision,
            robots_exchanges=tuple(self.robots_exchanges),
        )

    def refused(self, refusal: Refusal) -> Fetch:
        return self.ended(Outcome.REFUSED, refusal.reason, refusal.detail)


def travel(policy: Policy, url: str, target: Target, deadline: Deadline, public: str = "") -> Fetch:
    """Return the fetch of a checked target. url: as asked for, in the form that may be stored.

    public: see `Request.public`.

    Its own time (`Limits.total_s`) runs while something is asked; waiting its turn at a host is held to `deadline`.
    """
    trip = _Trip(url, deadline, policy.limits.total_s, public)
    redirects = 0
    while True:
        if stop := _ask_robots(policy, trip, target):
            return stop
        exchange = _ask_page(policy, trip, target)
        if isinstance(exchange, Refusal):
            return trip.refused(exchange)
        if exchange.outcome is Outcome.REFUSED:  # nothing was sent, so it is no hop
            return trip.ended(exchange.outcome, exchange.reason, exchange.detail)
        trip.hops.append(exchange)
        trip.asked.append(target.url)
        if _should_retry(policy, trip, target, exchange):
            continue
        location = exchange.location if exchange.status in REDIRECTS else None
        if location is None or exchange.outcome is Outcome.FAILED:
            return trip.ended(exchange.outcome, exchange.reason, exchange.detail)
        following = guard.check_url(guard.join_url(target, location), policy.limits.url_bytes_max)
        if isinstance(following, Refusal):
            return trip.refused(replace(following, detail=f"a redirect is not followed: {following.detail}"))
        redirects += 1
        if redirects > policy.limits.redirects_max:
            return trip.ended(Outcome.FAILED, "redirect-limit", f"more than {redirects - 1} redirects")
        if following.url in trip.asked:
            detail = f"the redirects go round in a circle at {shown_url(following.url)}"
            return trip.ended(Outcome.FAILED, "redirect-limit", detail)
        target = following


def _ask_page(policy: Policy, trip: _Trip, target: Target) -> Exchange | Refusal:
    delay = trip.decision.crawl_delay_s if trip.decision else None
    spacing = min(delay or 0.0, _CRAWL_DELAY_MAX_S)
    return _through_gate(policy, trip, target, policy.limits, spacing_s=spacing)


def _through_gate(
    policy: Policy, trip: _Trip, target: Target, limits: Limits, *, spacing_s: float = 0.0, keep_s: float = 0.0
) -> Exchange | Refusal:
    """Wait for a place at the host, then ask. keep_s: what is left of the fetch's time for what comes after."""
    at_once = policy.at_once(target)
    place = policy.gate.enter(target.host, trip.outer, at_once, spacing_s=spacing_s, patience_s=trip.left_s)
    if isinstance(place, Refusal):
        return place
    start = policy.clock.monotonic()
    try:
        deadline = trip.outer.child(max(0.0, trip.left_s - keep_s))
        request = Request("GET", target.url, secrets=trip.credentials(), public=trip.public)
        return policy.ask(request, target, limits, deadline, trip.pins)
    finally:
        policy.gate.leave(place)
        trip.left_s -= policy.clock.monotonic() - start


def _should_retry(policy: Policy, trip: _Trip, target: Target, exchange: Exchange) -> bool:
    """Note a wait that a busy server asks for, and say whether to ask again after it: once, and if it fits."""
    if exchange.status not in (429, 503):
        return False
    seconds = retry_after(header(exchange.headers, "retry-after"), policy.clock.now())
    if seconds is None:
        return False
    policy.gate.hold_off(target.host, seconds)
    if trip.waited or seconds >= min(trip.left_s, trip.outer.remaining()):
        return False
    trip.waited = True
    return True


# -- robots.txt ----------------------------------------------------------------------------------------------------


def _ask_robots(policy: Policy, trip: _Trip, target: Target) -> Fetch | None:
    """Set the trip's decision for this target; return how the trip ends if it may not go on."""
    if not policy.obey:
        trip.decision = robots.ignored(target)
        return None
    if trip.decision is not None and trip.hops and _same_answer(trip, target):
        return None
    rules = _rules(policy, trip, target)
    if isinstance(rules, Refusal):
        return trip.refused(rules)
    trip.decision = rules.decide(target, policy.agent)
    if trip.decision.allowed:
        return None
    if rules.failure is not None:
        # an origin that does not answer is down, and saying "robots" would hide that
        outcome, reason, detail = rules.failure
        if rules.refused:
            trip.decision = None  # nothing was asked, so nothing was decided
        asked = "" if rules.refused else "robots.txt was asked for first: "
        return trip.ended(outcome, reason, asked + detail)
    if trip.decision.rule == "unreachable":
        detail = f"{rules.url} could not be read, so nothing may be asked there (RFC 9309)"
        return trip.ended(Outcome.REFUSED, "robots-unreachable", detail)
    return trip.ended(Outcome.REFUSED, "robots", f"{rules.url} disallows this address for {policy.agent}")


def _same_answer(trip: _Trip, target: Target) -> bool:
    """Whether this target was asked for just before, and only a wait lies between."""
    return trip.asked[-1] == target.url


def _rules(policy: Policy, trip: _Trip, target: Target) -> robots.Rules | Refusal:
    """Return the rules of a target's origin, asking for them when they are not known."""
    rules = policy.book.get(target.origin)
    if rules is not None:
        return rules
    lock = policy.book.asking(target.origin)
    while not lock.acquire(timeout=_SLICE_S):
        if trip.expired:
            return Refusal("robots-unreachable", f"{robots.robots_url(target)} was not read in time")
    try:
        rules = policy.book.get(target.origin)
        if rules is not None:
            return rules
        fetched = _fetch_rules(policy, trip, target)
        # what our own deadline or guard made of it says nothing about the origin
        if isinstance(fetched, robots.Rules) and not fetched.refused and not trip.expired:
            policy.book.put(target.origin, fetched)
        return fetched
    finally:
        lock.release()


def _fetch_rules(policy: Policy, trip: _Trip, origin: Target) -> robots.Rules | Refusal:
    """Ask for robots.txt, with redirects, and read the answer."""
    url = robots.robots_url(origin)
    limits = replace(policy.limits, coded_bytes_max=robots.BODY_BYTES_MAX, decoded_bytes_max=robots.BODY_BYTES_MAX)
    keep_s = trip.left_s * (1 - _ROBOTS_SHARE)
    target: Target | Refusal = replace(origin, path="/robots.txt")
    answer: Exchange | None = None
    for _ in range(robots.REDIRECTS_MAX + 1):
        assert isinstance(target, Target)
        exchange = _through_gate(policy, trip, target, limits, keep_s=keep_s)
        if isinstance(exchange, Refusal):
            return exchange
        if exchange.outcome is not Outcome.REFUSED:
            trip.robots_exchanges.append(exchange)
        elif answer is not None:
            break  # a redirect led where we do not go; the answer before it stands
        answer = exchange
        location = exchange.location if exchange.status in REDIRECTS else None
        if location is None:
            break
        target = guard.check_url(guard.join_url(target, location), policy.limits.url_bytes_max)
        if isinstance(target, Refusal):
            break
    assert answer is not None
    return robots.read(url, answer)
