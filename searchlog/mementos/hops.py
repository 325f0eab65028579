"""One question to an archive: a request, and the redirects that answer it, each looked at before it is followed.

Nothing is followed in silence: whoever asks says for each redirect where it may lead. robots.txt is not asked: these
are services for programs, and one capture that somebody cites is no crawl. Effects: the network, through the client.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from searchlog.capture import guard
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Header, Outcome, Request
from searchlog.capture.guard import Refusal
from searchlog.capture.message import REDIRECTS
from searchlog.capture.shown import shown_url
from searchlog.mementos.pace import Pace

__all__ = ["HOPS_MAX", "Asking", "Follow", "Question", "is_redirect"]

HOPS_MAX = 6
"""Exchanges for one question; TimeGates may send from one to another."""

Follow = Callable[[Exchange, str], str | None]
"""From the exchange of a redirect, and the address that it names, to the address to ask next; None to stop there."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked first, and again of each address that a redirect leads to."""

    url: str
    method: str = "GET"
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    secrets: tuple[str, ...] = ()
    """Values that never reach the disk."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks one archive."""

    client: Client
    pace: Pace
    pause_s: float
    deadline: Deadline

    def ask(self, question: Question, follow: Follow | None = None) -> Fetch:
        """Return everything that was exchanged over a question; never raises for what the far end does.

        follow: without it the first answer is the last.
        """
        hops: list[Exchange] = []
        asked: set[str] = set()
        url = question.url
        while True:
            exchange = self._exchange(question, url)
            if exchange.outcome is Outcome.REFUSED:  # nothing was sent, so it is no hop
                return _fetch(question, hops, exchange.outcome, exchange.reason, exchange.detail)
            hops.append(exchange)
            asked.add(url)
            target = guard.check_url(url)
            if follow is None or not is_redirect(exchange) or isinstance(target, Refusal):
                return _fetch(question, hops, exchange.outcome, exchange.reason, exchange.detail)
            assert exchange.location is not None
            following = follow(exchange, guard.join_url(target, exchange.location))
            if following is None:
                return _fetch(question, hops, exchange.outcome, exchange.reason, exchange.detail)
            if following in asked:
                detail = f"the redirects go round in a circle at {shown_url(following)}"
                return _fetch(question, hops, Outcome.FAILED, "redirect-limit", detail)
            if len(hops) >= HOPS_MAX:
                return _fetch(question, hops, Outcome.FAILED, "redirect-limit", f"more than {HOPS_MAX - 1} redirects")
            url = following

    def _exchange(self, question: Question, url: str) -> Exchange:
        request = Request(question.method, url, question.headers, question.body, question.secrets)
        target = guard.check_url(url, self.client.limits.url_bytes_max)
        if not isinstance(target, Refusal):
            late = self.pace.wait(target.host, self.pause_s, self.deadline)
            if late is not None:  # no time is left, so the client only says that nothing was sent
                return replace(self.client.exchange(request, self.deadline.child(0.0)), detail=late)
        return self.client.exchange(request, self.deadline.child(self.client.limits.total_s))


def is_redirect(exchange: Exchange) -> bool:
    """Whether an answer sends elsewhere."""
    return exchange.status in REDIRECTS and exchange.location is not None and exchange.outcome is not Outcome.FAILED


def _fetch(question: Question, hops: list[Exchange], outcome: Outcome, reason: str | None, detail: str) -> Fetch:
    # an exchange holds the address without what is secret in it
    url = hops[0].url if hops else shown_url(question.url)
    return Fetch(url, tuple(hops), outcome, reason, detail)
