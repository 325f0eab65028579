"""Asking the providers: all at once, or one after the other until one answers."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Framing, Outcome, Request
from searchlog.clock import SystemClock
from searchlog.errors import StoreError
from searchlog.flow.gather import Attempt, Patience, gather
from searchlog.search.providers.searxng import Searxng
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.searches import Free
from tests.test_session import Local, local

QUERY = Query("tide mill")


class Scripted:
    """Answers by host, from a dict of status and body; notes what was asked, and how many at once.

    A host without an answer hangs until the deadline.
    """

    def __init__(self, answers: dict[str, tuple[int, bytes]], delay_s: float = 0.0) -> None:
        self.answers, self.delay_s = answers, delay_s
        self.asked: list[str] = []
        self.lock, self.under_way, self.most = threading.Lock(), 0, 0

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        host = request.url.split("/")[2]
        with self.lock:
            self.asked.append(host)
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        hangs = host not in self.answers
        cut = threading.Event()
        deadline.on_cut(cut.set)
        cut.wait(deadline.remaining() if hangs else self.delay_s)
        with self.lock:
            self.under_way -= 1
        status, body = self.answers.get(host, (None, b""))
        return Exchange(
            method="GET",
            url=request.url,
            request_head=b"",
            request_body=b"",
            response_head=b"",
            status=status,
            reason_phrase="",
            headers=(),
            payload=body,
            framing=Framing("length"),
            started_at=datetime(2026, 1, 2, tzinfo=UTC),
            duration_ms=1,
            peer=None,
            outcome=Outcome.FAILED if hangs else Outcome.COMPLETE,
            reason="timeout" if hangs else None,
            decoded=Decoded(body),
        )


PATIENCE = Patience(each_s=8.0, soft_s=2.0)
OK = (200, b'{"results": [{"url": "http://a.example/"}]}')
EMPTY = (200, b'{"results": []}')
DOWN = (500, b"")


def ask(
    providers: list[object], asker: Scripted, *, fuse: bool, seconds: float = 5.0, patience: Patience = PATIENCE
) -> list[Attempt]:
    """Ask, and assert that each attempt was told of once."""
    heard: list[Attempt] = []
    made = gather(
        providers,  # type: ignore[arg-type]
        QUERY,
        asker,
        Deadline(seconds, SystemClock()),
        fuse=fuse,
        patience=patience,
        door=Free(),
        on_attempt=heard.append,
    )
    assert sorted(map(id, heard)) == sorted(map(id, made))
    return made


def searxng(host: str) -> Searxng:
    return Searxng(f"http://{host}")


def test_all_are_asked_at_once_and_come_back_in_their_order():
    asker = Scripted({"one": OK, "two": DOWN, "three": EMPTY}, delay_s=0.1)
    made = ask([searxng("one"), searxng("two"), local("here", "http://b.example/"), searxng("three")], asker, fuse=True)
    assert [(a.provider, a.run.outcome) for a in made] == [
        ("searxng", "ok"),
        ("searxng", "unavailable"),
        ("here", "ok"),
        ("searxng", "empty"),
    ]
    assert asker.most == 3
    assert [not a.exchanges for a in made] == [False, False, True, False]
    assert [a.exchanges[0].url.split("/")[2] for a in made if a.exchanges] == ["one", "two", "three"]


def test_next_is_asked_only_when_the_one_before_did_not_answer():
    asker = Scripted({"one": DOWN, "two": OK, "three": OK})
    made = ask([searxng(host) for host in ("one", "two", "three")], asker, fuse=False)
    assert [a.run.outcome for a in made] == ["unavailable", "ok"]
    assert asker.asked == ["one", "two"]


def test_empty_answer_of_the_whole_web_is_an_answer():
    asker = Scripted({"one": EMPTY, "two": OK})
    made = ask([searxng("one"), searxng("two")], asker, fuse=False)
    assert [a.run.outcome for a in made] == ["empty"]


def test_nobody_is_asked_after_the_deadline():
    asker = Scripted({"one": DOWN, "two": OK}, delay_s=0.05)
    made = ask([searxng("one"), searxng("two")], asker, fuse=False, seconds=0.02)
    assert [a.run.outcome for a in made] == ["unavailable"]


def test_late_provider_is_cut_once_another_gave_results():
    begin = time.monotonic()
    asker = Scripted({"two": OK})
    made = ask([searxng("one"), searxng("two")], asker, fuse=True, patience=Patience(4.0, 0.1))
    assert [a.run.outcome for a in made] == ["timeout", "ok"]
    assert 0.09 < time.monotonic() - begin < 2


def test_late_provider_is_waited_for_while_nobody_gave_results():
    begin = time.monotonic()
    asker = Scripted({"two": EMPTY, "three": DOWN})
    made = ask([searxng(host) for host in ("one", "two", "three")], asker, fuse=True, patience=Patience(0.4, 0.05))
    assert [a.run.outcome for a in made] == ["timeout", "empty", "unavailable"]
    assert 0.35 < time.monotonic() - begin < 2


def test_provider_in_turn_has_its_own_time():
    begin = time.monotonic()
    made = ask([searxng("one"), searxng("two")], Scripted({"two": OK}), fuse=False, patience=Patience(0.1, 9.0))
    assert [a.run.outcome for a in made] == ["timeout", "ok"]
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("fuse", [True, False])
def test_asking_nobody_gives_nothing(fuse: bool):
    assert ask([], Scripted({}), fuse=fuse) == []


@pytest.mark.parametrize("fuse", [True, False])
def test_fault_of_this_machine_is_not_swallowed(fuse: bool):
    class Full(Local):
        def answer(self, query):
            raise StoreError("the index cannot be read")

    broken = Full("here", local("here").run)
    with pytest.raises(StoreError, match="index"):
        ask([broken], Scripted({}), fuse=fuse)


def test_run_of_each_attempt_is_typed():
    made = ask([local("here", outcome=RunOutcome.BLOCKED)], Scripted({}), fuse=True)
    assert made[0].run.outcome is RunOutcome.BLOCKED
