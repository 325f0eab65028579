"""What robots.txt says about a URL, and for how long its word is kept.

protego reads 2xx bodies, at most 500 KiB of them, after the groups of other agents were made one: it keeps each rule
once for each agent of its group, and 66 KB of hostile groups took 5 seconds and 360 MB. 4xx means that there are no
rules; 5xx, no answer or half an answer means that we may not ask. Pure but for the book, which holds what was read for
each origin. Spec: RFC 9309 sections 2.2.1, 2.2.2, 2.3.1 and 2.4.  Shown by test_robots.py.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from searchlog.capture.exchange import Exchange, Outcome, RobotsDecision
from searchlog.capture.guard import Target
from searchlog.clock import Clock
from searchlog.digest import digest

__all__ = ["BODY_BYTES_MAX", "REDIRECTS_MAX", "Book", "Rules", "ignored", "read", "robots_url"]

BODY_BYTES_MAX = 512_000
REDIRECTS_MAX = 5
_KEEP_S = 24 * 3600.0
_KEEP_SERVER_ERROR_S = 60.0
_KEEP_NO_ANSWER_S = 10.0
_AGENT = re.compile(r"user(?:-?|\s+)agent(?:\s*:|\s|$)(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one origin."""

    url: str
    kind: str
    """`rules`, `no-robots` or `unreachable`."""
    keep_s: float
    parser: Callable[[str], Any] | None = None
    """What the rules are for a user agent, as protego reads them."""
    payload_digest: str | None = None
    failure: tuple[Outcome, str, str] | None = None
    """For an origin that did not answer at all: outcome, reason and detail, which are the page's too."""

    @property
    def refused(self) -> bool:
        """Whether we did not ask: the address guard forbade it."""
        return self.failure is not None and self.failure[0] is Outcome.REFUSED

    def decide(self, target: Target, agent: str) -> RobotsDecision:
        """Return what the rules say about this target for this user agent."""
        if self.kind != "rules" or self.parser is None:
            return RobotsDecision(self.kind == "no-robots", self.kind, self.url, self.payload_digest)
        rules = self.parser(agent)
        allowed = bool(rules.can_fetch(target.url, agent))
        delay = rules.crawl_delay(agent)
        return RobotsDecision(
            allowed,
            "allowed" if allowed else "disallowed",
            self.url,
            self.payload_digest,
            float(delay) if delay is not None and 0 <= delay < 1e6 else None,
        )


def robots_url(target: Target) -> str:
    """Return the address of the rules for a target."""
    return target.origin + "/robots.txt"


def ignored(target: Target) -> RobotsDecision:
    """Return the decision of a caller who chose not to ask."""
    return RobotsDecision(True, "ignored", robots_url(target))


def read(url: str, exchange: Exchange) -> Rules:
    """Return the rules that the last answer to a request for robots.txt gives."""
    status = exchange.status
    if status is None:
        failure = (exchange.outcome, exchange.reason or "", exchange.detail)
        return Rules(url, "unreachable", _KEEP_NO_ANSWER_S, failure=failure)
    payload_digest = digest(exchange.payload)
    if 300 <= status < 500:  # a redirect left over led too far or where we do not go: no rules (section 2.3.1.2)
        return Rules(url, "no-robots", _KEEP_S, payload_digest=payload_digest)
    usable = exchange.outcome is Outcome.COMPLETE or exchange.reason == "length"
    if not 200 <= status < 300 or not usable:
        return Rules(url, "unreachable", _KEEP_SERVER_ERROR_S, payload_digest=payload_digest)
    text = exchange.decoded.data[:BODY_BYTES_MAX].decode("utf-8", "replace").removeprefix("\ufeff")
    return Rules(url, "rules", _KEEP_S, _parse(text), payload_digest)


def _parse(text: str) -> Callable[[str], Any]:
    """Return what gives the rules for a user agent; those for the last one are kept."""
    from protego import Protego

    @lru_cache(maxsize=1)
    def rules(agent: str) -> Any:
        return Protego.parse("\n".join(_for_agent(text, agent)))

    return rules


def _for_agent(text: str, agent: str) -> Iterator[str]:
    """Yield the lines of robots.txt, all agents but the one whose rules count as one other agent.

    So the cost grows with the length of the text, not with agents times rules.
    """
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    ours = max((name for line in lines for name in _names(line)), key=lambda name: _score(name, agent), default="")
    other = f"not {agent}"  # no part of the agent, so these are never its rules
    for line in lines:
        names = _names(line)
        yield f"User-agent: {ours if ours in names and _score(ours, agent) else other}" if names else line


def _names(line: str) -> tuple[str, ...]:
    """Return the names that an agent line means, with and without the stars in one; none for any other line."""
    found = _AGENT.fullmatch(line)
    name = found[1].strip().lower() if found else ""
    return tuple(dict.fromkeys(part for part in (name, name.replace("*", "")) if part))


def _score(name: str, agent: str) -> int:
    """Return how well a name fits an agent: its length where it stands there at the beginning of a word."""
    if name == "*":
        return 1
    agent = agent.lower()
    begins = name in agent and re.search(rf"(?<![^\W_])(?<![-_]){re.escape(name)}", agent)
    return len(name) if begins else 0


class Book:
    """The rules of each origin while they are kept. Safe to use from many threads."""

    _ORIGINS_MAX = 10_000

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rules: dict[str, tuple[float, Rules]] = {}
        self._asking: dict[str, threading.Lock] = {}

    def get(self, origin: str) -> Rules | None:
        """Return the rules of an origin, if they are known and not too old."""
        with self._lock:
            until, rules = self._rules.get(origin, (0.0, None))
            return rules if rules is not None and self._clock.monotonic() <= until else None

    def put(self, origin: str, rules: Rules) -> None:
        """Keep the rules of an origin."""
        with self._lock:
            if len(self._rules) >= self._ORIGINS_MAX:
                del self._rules[next(iter(self._rules))]
                self._asking.clear()
            self._rules[origin] = (self._clock.monotonic() + rules.keep_s, rules)

    def asking(self, origin: str) -> threading.Lock:
        """Return the lock to hold while asking an origin, so that many fetches ask once."""
        with self._lock:
            return self._asking.setdefault(origin, threading.Lock())
