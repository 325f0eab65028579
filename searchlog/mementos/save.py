"""Save Page Now: asking the Wayback Machine to capture a page now, and waiting until it says that it has.

    with keys       POST /save, then /save/status/<job> every few seconds
    without keys    GET /save/<url>: the answer leads to the capture, or names a job, or asks for keys

The service is known to report errors for captures that were made. So an error after it took the job is *unknown* until
its index tells of a capture from after the request. *failed* is only what it refused to take. Keys never reach the
disk. Effects: the network, through the client; sleeps between questions, through the pace.
Spec: Save Page Now 2 Public API (archive.org).  Shown by test_mementos_save.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from searchlog import keyring
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Outcome, header
from searchlog.capture.guard import Refusal, check_url, safe_url
from searchlog.errors import FormatError, UsageError
from searchlog.mementos.ask import SHARED_PACE, ask_index
from searchlog.mementos.hops import Asking, Question
from searchlog.mementos.inquiry import joined
from searchlog.mementos.memento import Memento, is_same_page, parse_timestamp
from searchlog.mementos.pace import Pace
from searchlog.mementos.served import trouble_of
from searchlog.mementos.source import WebArchive
from searchlog.mementos.telling import kept_back
from searchlog.search.answers.values import json_object, text

__all__ = [
    "ACCESS_ENV",
    "SECRET_ENV",
    "SaveKeys",
    "SaveOutcome",
    "Saved",
    "expect_service",
    "keys_of",
    "resume",
    "save",
]

ACCESS_ENV = "WAYBACK_ACCESS_KEY"
SECRET_ENV = "WAYBACK_SECRET_KEY"

_KEY_MIN = 8
_POLL_S = 6.0
_POLLS_MAX = 60
_TROUBLES_MAX = 3
"""Questions for a job in a row that may go unanswered."""
_SLACK = timedelta(minutes=1)
"""How far the archive's clock may be behind ours."""
_JOB = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_JOB_IN_PAGE = re.compile(rb"\bspn2-[0-9a-z]{8,64}\b")
_JSON = ("Accept", "application/json")
_PAGE_BYTES = 1_000_000


class SaveOutcome(StrEnum):
    """How asking for a capture ended."""

    SAVED = "saved"
    """The archive says it has the capture, and where."""
    PENDING = "pending"
    """It took the job, and was still at it when the time was over: `resume` asks again."""
    FAILED = "failed"
    """It did not take the job."""
    UNKNOWN = "unknown"
    """It reported an error, or nothing that can be read, and its index does not tell of a capture yet."""
    REFUSED = "refused"
    """Nobody was asked: the address is not told to others."""


@dataclass(frozen=True, slots=True)
class SaveKeys:
    """The two keys of an account."""

    access: str = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of asking for a capture."""

    outcome: SaveOutcome
    detail: str
    memento: Memento | None = None
    """The capture, when saved."""
    job: str | None = None
    """The archive's name for the job, when it took it."""
    fetches: tuple[Fetch, ...] = ()
    """Everything that was asked, in order; the keys are in none of it."""
    reason: str | None = None
    """The service's own code of an error, such as `error:blocked-url`; else as in `ask.Asked`."""


def keys_of(env: Mapping[str, str]) -> SaveKeys | None:
    """Return the keys of an environment, or None; raise UsageError for one key without the other."""
    access, secret = env.get(ACCESS_ENV, "").strip(), env.get(SECRET_ENV, "").strip()
    if bool(access) != bool(secret):
        raise UsageError(f"Save Page Now needs both {ACCESS_ENV} and {SECRET_ENV}, or neither of them")
    return SaveKeys(access, secret) if access else None


def expect_service(archive: WebArchive) -> None:
    """Raise UsageError for an archive that captures no pages when it is asked to."""
    if archive.save is None:
        said = f"{archive.name} has no service that captures pages; `wayback` has one, and `save=ADDRESS` names another"
        raise UsageError(said, value=archive.name)


def save(
    archive: WebArchive,
    url: str,
    client: Client,
    deadline: Deadline,
    *,
    keys: SaveKeys | None = None,
    pace: Pace | None = None,
) -> Saved:
    """Ask an archive to capture a page, and wait for it until the deadline.

    Raises UsageError for an archive that has no such service; never for what the far end does.
    """
    expect_service(archive)
    kept = kept_back(url, archive)
    if kept is not None:
        return Saved(SaveOutcome.REFUSED, kept.detail, reason=kept.reason)
    order = _order(archive, url, Asking(client, pace or SHARED_PACE, archive.pause_s, deadline), keys)
    fetch = order.ask(order.first())
    return order.read_first(fetch)


def resume(
    archive: WebArchive,
    url: str,
    job: str,
    client: Client,
    deadline: Deadline,
    *,
    since: datetime | None = None,
    keys: SaveKeys | None = None,
    pace: Pace | None = None,
) -> Saved:
    """Wait for a job that was pending before.

    since: when its capture was asked for, to know it in the index; without it, only what is captured from now on is
    taken for it there. Raises UsageError for what can be no job of this archive.
    """
    if archive.save is None or not _JOB.fullmatch(job):
        raise UsageError(f"no job of {archive.name}: {job!r:.60}", value=job)
    order = _order(archive, url, Asking(client, pace or SHARED_PACE, archive.pause_s, deadline), keys)
    order.since = since
    return order.wait(job)


def _order(archive: WebArchive, url: str, asking: Asking, keys: SaveKeys | None) -> _Order:
    target = check_url(url)
    if isinstance(target, Refusal):
        raise UsageError(target.detail, value=url)
    if keys is not None:
        keyring.hold([value for value in (keys.access, keys.secret) if len(value) >= _KEY_MIN])
    return _Order(archive, target.url, asking, keys)


@dataclass(slots=True)
class _Order:
    """One page to be captured, and what was asked over it."""

    archive: WebArchive
    page: str
    asking: Asking
    keys: SaveKeys | None
    since: datetime | None = None
    """When the capture was asked for, if that was before."""
    fetches: list[Fetch] = field(default_factory=list)

    def first(self) -> Question:
        """Return the request that asks for the capture."""
        assert self.archive.save is not None
        if self.keys is None:
            return Question(f"{self.archive.save}/{self.page}", headers=(_JSON,))
        body = urlencode({"url": self.page, "skip_first_archive": "1"}).encode("ascii")
        kind = ("Content-Type", "application/x-www-form-urlencoded")
        return self._signed(Question(self.archive.save, "POST", (_JSON, kind), body))

    def ask(self, question: Question) -> Fetch:
        """Ask, and keep what was exchanged; no redirect is followed, so no key goes elsewhere."""
        fetch = self.asking.ask(question)
        self.fetches.append(fetch)
        return fetch

    def read_first(self, fetch: Fetch) -> Saved:
        """Return what came of the request, having waited for the job that it began."""
        final = fetch.final
        if final is None:
            return self._ended(SaveOutcome.FAILED, fetch.detail, reason=fetch.reason)
        trouble = trouble_of(final)
        if final.status in (401, 403):
            needs = "" if self.keys is not None else f"; set {ACCESS_ENV} and {SECRET_ENV}"
            return self._ended(SaveOutcome.FAILED, f"status {final.status}{needs}", reason=f"http-{final.status}")
        if trouble is not None and final.status is not None and 400 <= final.status < 500:
            return self._ended(SaveOutcome.FAILED, _said(final) or trouble[1], reason=trouble[0])
        capture = self._led_to(final)
        if capture is not None:
            return self._ended(SaveOutcome.SAVED, "the answer leads to the capture", capture)
        answer = _json_of(final)
        job = _job_in(answer, final)
        if job is not None:
            return self.wait(job)
        if text(answer.get("status")) == "error":
            return self._ended(SaveOutcome.FAILED, _said(final), reason=text(answer.get("status_ext")) or "error")
        if final.status in (404, 410):
            return self._ended(SaveOutcome.FAILED, f"status {final.status}", reason=f"http-{final.status}")
        reason, detail = trouble or ("no-job", f"status {final.status}, which names neither a job nor a capture")
        return self._look_in_index(None, reason, detail)

    def wait(self, job: str) -> Saved:
        """Ask for a job until it has ended."""
        troubles, last = 0, ("pending", "the archive is still at it")
        for _ in range(_POLLS_MAX):
            if not self.asking.pace.sleep(_POLL_S, self.asking.deadline):
                break
            fetch = self.ask(self._signed(Question(f"{self.archive.save}/status/{job}", headers=(_JSON,))))
            final = fetch.final
            answer = _json_of(final) if final is not None else {}
            status = text(answer.get("status"))
            if status == "success":
                return self._succeeded(job, answer)
            if status == "error":
                detail = _said_in(answer) or "the archive reports an error"
                return self._look_in_index(job, text(answer.get("status_ext")) or "error", detail)
            if status == "pending":
                troubles = 0
                continue
            troubles += 1
            last = (fetch.reason or "no-status", fetch.detail or "the answer names no status of the job")
            if troubles >= _TROUBLES_MAX:
                return self._look_in_index(job, *last)
        return self._ended(SaveOutcome.PENDING, last[1], reason=last[0], job=job)

    def _succeeded(self, job: str, answer: Mapping[str, Any]) -> Saved:
        stamp, original = text(answer.get("timestamp")), text(answer.get("original_url")) or self.page
        capture = self._capture(stamp, original, answer.get("http_status"))
        if capture is None:
            return self._look_in_index(job, "no-capture", f"the job succeeded, with the timestamp {stamp[:20]!r}")
        if not is_same_page(original, self.page):
            return self._look_in_index(job, "other-page", f"the job captured another page: {safe_url(original, 300)}")
        return self._ended(SaveOutcome.SAVED, "the archive says that it has it", capture, job=job)

    def _capture(self, stamp: str, original: str, status: object = None) -> Memento | None:
        at = parse_timestamp(stamp) if len(stamp) == 14 else None
        uri = self.archive.view_of(stamp, original)
        asked_at = self.fetches[-1].hops[-1].started_at
        if at is None or uri is None or at > asked_at + timedelta(days=1):
            return None
        known = status if isinstance(status, int) and 100 <= status < 600 else None
        return Memento(uri, original, at, self.archive, "save", known)

    def _led_to(self, final: Exchange) -> Memento | None:
        """Return the capture that an answer without JSON leads to."""
        for place in (final.location, header(final.headers, "content-location")):
            found = self.archive.split_memento(joined(final.url, place)) if place else None
            if found is not None and is_same_page(found[1], self.page):
                return self._capture(*found)
        return None

    def _look_in_index(self, job: str | None, reason: str, detail: str) -> Saved:
        """Return what the archive's index says where its own word is an error."""
        asking, began = self.asking, self._asked_at()
        if began is None:
            return self._ended(SaveOutcome.UNKNOWN, detail, None, reason, job)
        asked = ask_index(self.archive, self.page, began, asking.client, asking.deadline, pace=asking.pace)
        self.fetches += asked.fetches
        made = [item for item in asked.mementos if item.at >= began - _SLACK]
        if made:
            return self._ended(SaveOutcome.SAVED, f"{detail}; yet the index has it", made[0], reason, job)
        return self._ended(SaveOutcome.UNKNOWN, f"{detail}; the index does not tell of it yet", None, reason, job)

    def _asked_at(self) -> datetime | None:
        """Return when the capture was asked for: by the first request that was sent."""
        sent = (fetch.hops[0].started_at for fetch in self.fetches if fetch.hops)
        return self.since or next(sent, None)

    def _signed(self, question: Question) -> Question:
        if self.keys is None:
            return question
        pair = f"{self.keys.access}:{self.keys.secret}"
        return Question(
            question.url,
            question.method,
            (*question.headers, ("Authorization", f"LOW {pair}")),
            question.body,
            (pair, self.keys.access, self.keys.secret),
        )

    def _ended(
        self,
        outcome: SaveOutcome,
        detail: str,
        memento: Memento | None = None,
        reason: str | None = None,
        job: str | None = None,
    ) -> Saved:
        return Saved(outcome, detail, memento, job, tuple(self.fetches), reason)


def _json_of(exchange: Exchange) -> dict[str, Any]:
    """Return the JSON object of an answer; an empty one where there is none."""
    if exchange.outcome is not Outcome.COMPLETE:
        return {}
    try:
        return json_object(exchange.decoded.data)
    except FormatError:
        return {}


def _job_in(answer: Mapping[str, Any], exchange: Exchange) -> str | None:
    job = text(answer.get("job_id"))
    if job:
        return job if _JOB.fullmatch(job) else None
    found = None if answer else _JOB_IN_PAGE.search(exchange.decoded.data[:_PAGE_BYTES])
    return found[0].decode("ascii") if found else None


def _said(exchange: Exchange) -> str:
    """Return the message of an answer in JSON."""
    return _said_in(_json_of(exchange))


def _said_in(answer: Mapping[str, Any]) -> str:
    return (text(answer.get("message")) or text(answer.get("status_ext")))[:500]
