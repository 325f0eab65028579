"""What has been asked of an archive about one page so far, what it told, and what comes of it.

Effects: the network, through `hops.Asking`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urljoin

from searchlog.capture.exchange import Exchange, Fetch, Outcome
from searchlog.capture.guard import Refusal, check_url
from searchlog.mementos.hops import Asking, Follow, Question
from searchlog.mementos.memento import Memento, nearest
from searchlog.mementos.served import Answer, trouble_of
from searchlog.mementos.source import WebArchive

__all__ = ["FAR", "Asked", "Inquiry", "is_future", "is_live", "joined"]

FAR = timedelta(days=30)
"""A capture farther from the moment than this is held against what the archive's other services know."""
_FUTURE = timedelta(days=1)
_ENDS = frozenset(("rate-limited", "timeout", "time"))
"""After these the archive is left alone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an archive said of one page near one moment."""

    outcome: Answer
    detail: str
    """For people: how far the nearest capture is, or why there is none."""
    mementos: tuple[Memento, ...] = ()
    """The nearest first; five at most."""
    fetches: tuple[Fetch, ...] = ()
    """Everything that was asked, in order."""
    reason: str | None = None
    """A code when nothing was found: those of `served.Served`, `credentials` and `address` for what is kept back, or
    None for a plain no."""


@dataclass(slots=True)
class Inquiry:
    """What has been asked and told so far."""

    archive: WebArchive
    page: str
    near: datetime
    asking: Asking
    timemap: str | None = None
    """As an answer named it."""
    fetches: list[Fetch] = field(default_factory=list)
    found: tuple[Memento, ...] = ()
    said: list[tuple[str, Answer, str | None, str]] = field(default_factory=list)
    """Service, answer, reason, sentence."""
    is_over: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is to be asked."""
        return self.is_over or any(not item.is_error and item.distance(self.near) <= FAR for item in self.found)

    def ask(self, question: Question, follow: Follow | None = None) -> Fetch:
        """Ask, and keep what was exchanged. follow: instead of every redirect but those to the live page."""
        fetch = self.asking.ask(question, follow or self.stay)
        self.fetches.append(fetch)
        return fetch

    def stay(self, hop: Exchange, location: str) -> str | None:
        """Follow a redirect, unless it leads to the live page."""
        return None if is_live(location, self.page, hop) else location

    def say(self, service: str, answer: Answer, reason: str | None = None, detail: str = "") -> None:
        """Note what a service answered."""
        self.said.append((service, answer, reason, detail))
        self.is_over = self.is_over or reason in _ENDS or self.asking.deadline.expired

    def trouble(self, service: str, fetch: Fetch) -> bool:
        """Note why a fetch tells neither yes nor no, and return whether that is so."""
        final = fetch.final
        told = trouble_of(final) if final is not None and fetch.outcome is not Outcome.REFUSED else None
        if final is None or fetch.outcome in (Outcome.FAILED, Outcome.REFUSED):
            told = told or (fetch.reason or "failed", fetch.detail)
        if told is not None:
            self.say(service, Answer.UNAVAILABLE, *told)
        return told is not None

    def add(self, mementos: Iterable[Memento]) -> None:
        """Keep the nearest."""
        self.found = nearest((*self.found, *mementos), self.near)

    def ended(self) -> Asked:
        """Return what came of it."""
        good = tuple(item for item in self.found if not item.is_error)
        troubles = [(service, reason, detail) for service, answer, reason, detail in self.said if _is_trouble(answer)]
        told = _told(troubles)
        if good:
            detail = _distance(good[0], self.near) + (f" ({told})" if told else "")
            return Asked(Answer.FOUND, detail, good, tuple(self.fetches))
        if troubles or not self.said:
            reason = troubles[0][1] if troubles else "not-asked"
            return Asked(Answer.UNAVAILABLE, told or "nothing was asked", (), tuple(self.fetches), reason)
        if self.found:
            detail = f"{self.archive.name} has only captures of error pages"
            return Asked(Answer.NONE, detail, (), tuple(self.fetches), "captured-error")
        reasons = [reason for _, _, reason, _ in self.said if reason]
        details = [detail for _, _, _, detail in self.said if detail]
        detail = "; ".join(dict.fromkeys(details)) or f"{self.archive.name} has no capture of this page"
        return Asked(Answer.NONE, detail, (), tuple(self.fetches), reasons[0] if reasons else None)


def is_live(location: str, page: str, hop: Exchange) -> bool:
    """Whether a redirect leads out to the page's own site, where nothing is an archive's."""
    target, live, here = check_url(location), check_url(page), check_url(hop.url)
    if isinstance(target, Refusal) or isinstance(live, Refusal) or isinstance(here, Refusal):
        return False  # the client says why it is not asked
    # two services of one machine differ by their ports only
    return target.host == live.host != here.host or target.origin == live.origin != here.origin


def is_future(at: datetime, told: Exchange) -> bool:
    return at > told.started_at + _FUTURE


def joined(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError:  # no address at all; whoever asks for it is told so
        return uri


def _told(troubles: Iterable[tuple[str, str | None, str]]) -> str:
    """Return what kept services from answering, each trouble once: `timegate, cdx: no connection`."""
    by_detail: dict[str, list[str]] = {}
    for service, _, detail in troubles:
        by_detail.setdefault(detail, []).append(service)
    return "; ".join(f"{', '.join(dict.fromkeys(services))}: {detail}" for detail, services in by_detail.items())


def _is_trouble(answer: Answer) -> bool:
    return answer is Answer.UNAVAILABLE


def _distance(memento: Memento, near: datetime) -> str:
    """Return how far a capture is from the moment, in words."""
    seconds = round(memento.distance(near).total_seconds())
    days, hours, minutes = seconds // 86_400, seconds // 3_600, seconds // 60
    amount, unit = (days, "day") if days else (hours, "hour") if hours else (minutes, "minute")
    side = "before" if memento.at < near else "after"
    far = f"{amount} {unit}{'' if amount == 1 else 's'} {side}" if amount else "within a minute of"
    return f"captured {memento.at:%Y-%m-%d %H:%M:%S} UTC, {far} the moment asked for"
