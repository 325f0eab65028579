"""Asking the providers: all at once, or one after the other until one answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Framing, Outcome, Request
from searchlog.clock import SystemClock
from searchlog.errors import StoreError
from searchlog.flow.gather import Asker, Attempt, Patience, gather
from searchlog.search.provider import Facts
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
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


# --- several texts


class ByText(Scripted):
    """Answers by host and text: a dict of status and body by `host text`, else by host; notes both."""

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        host = request.url.split("/")[2].partition("?")[0]
        text = parse_qs(request.url.partition("?")[2]).get("q") or [json.loads(request.body or b"{}").get("query")]
        key = f"{host} {text[0]}"
        named = replace(request, url=f"http://{key if key in {**self.answers, **self.hangs} else host}/")
        with self.lock:
            self.texts.append((host, text[0]))
        return replace(super().exchange(named, deadline), url=request.url)

    def __init__(self, answers: dict[str, tuple[int, bytes]], hangs: Sequence[str] = (), delay_s: float = 0.0) -> None:
        super().__init__(answers, delay_s)
        self.texts: list[tuple[str, str]] = []
        self.hangs = dict.fromkeys(hangs)


TEXTS = ("one mill", "two mills", "three mills")


def ask_all(providers: list[object], asker: Asker, *, fuse: bool = True, **options: Any) -> list[Attempt]:
    heard: list[Attempt] = []
    query = options.pop("query", Query(TEXTS[0], also=TEXTS[1:], focus="how many"))
    made = gather(
        providers,  # type: ignore[arg-type]
        query,
        asker,
        options.pop("deadline", None) or Deadline(10.0, SystemClock()),
        fuse=fuse,
        patience=options.pop("patience", PATIENCE),
        door=options.pop("door", Free()),
        on_attempt=heard.append,
    )
    assert sorted(map(id, heard)) == sorted(map(id, made))
    return made


def told(made: list[Attempt]) -> list[tuple[str, int, str, bool]]:
    return [(a.provider, a.run.query_number, str(a.run.outcome), bool(a.exchanges)) for a in made]


@pytest.mark.parametrize("fuse", [True, False])
def test_each_provider_is_asked_each_text_once_and_all_come_back_in_their_order(fuse: bool):
    asker = ByText({"a": OK, "b": EMPTY})
    here = local("here", "http://b.example/")
    made = ask_all([searxng("a"), searxng("b"), here], asker, fuse=fuse)
    of_a = [("searxng", number, "ok", True) for number in (1, 2, 3)]
    of_b = [("searxng", number, "empty", True) for number in (1, 2, 3)]
    of_here = [("here", number, "ok", False) for number in (1, 2, 3)]
    assert told(made) == (of_a + of_b + of_here if fuse else of_a)
    assert sorted(asker.texts) == [(host, text) for host in ("a", "b")[: 1 + fuse] for text in sorted(TEXTS)]


def test_one_failing_answer_fails_no_other():
    asker = ByText({"a": OK, "a two mills": DOWN, "b": (200, b"no json")})
    made = ask_all([searxng("a"), searxng("b")], asker)
    assert [outcome for _, _, outcome, _ in told(made)] == ["ok", "unavailable", "ok", *["parse_error"] * 3]
    assert len(asker.texts) == 6


@pytest.mark.parametrize(
    ("status", "outcome"), [(429, "rate_limited"), (403, "not_enabled"), (401, "auth")], ids=["429", "403", "401"]
)
@pytest.mark.parametrize("fuse", [True, False])
def test_one_who_refuses_is_not_asked_the_rest_and_each_run_says_so(fuse: bool, status: int, outcome: str):
    asker = ByText({"a": (status, b"")})
    made = ask_all([searxng("a")], asker, fuse=fuse)
    assert told(made) == [("searxng", 1, outcome, True), ("searxng", 2, outcome, False), ("searxng", 3, outcome, False)]
    assert asker.texts == [("a", "one mill")]
    first, second, third = (attempt.run.detail for attempt in made)
    assert second == third == f"searxng: not asked, after the answer before: {first.removeprefix('searxng: ')}"


def test_one_who_answers_and_wants_a_pause_is_not_asked_the_rest():
    class Tired(Searxng):
        def parse(self, response, query):
            return replace(super().parse(response, query), retry_after_s=7)

    made = ask_all([Tired("http://a")], ByText({"a": OK}))
    assert [(a.run.outcome, a.run.retry_after_s, len(a.run.results)) for a in made] == [
        ("ok", 7, 1),
        ("rate_limited", 7, 0),
        ("rate_limited", 7, 0),
    ]
    assert "not asked, after the answer before: it asked for a pause of 7 seconds" in made[2].run.detail


class Held:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


class Moving(ByText):
    """Moves the clock on when so many have been answered."""

    def __init__(self, clock: Held, after: int, answers: dict[str, tuple[int, bytes]], hangs: Sequence[str]) -> None:
        super().__init__(answers, hangs)
        self.clock, self.after, self.left = clock, after, 0.0

    def exchange(self, request: Request, deadline: Deadline) -> Exchange:
        self.left = max(self.left, deadline.remaining())
        made = super().exchange(request, deadline)
        with self.lock:
            self.after -= 1
            if self.after == 0:
                self.clock.seconds += 1.0
        return made


SOFT = Patience(each_s=60.0, soft_s=0.1)


def test_one_who_is_silent_is_cut_once_for_all_texts():
    clock = Held()
    asker = Moving(clock, 3, {"b": OK}, [])
    made = ask_all([searxng("a"), searxng("b")], asker, patience=SOFT, deadline=Deadline(600.0, clock))
    assert told(made)[:3] == [
        ("searxng", 1, "timeout", True),
        ("searxng", 2, "timeout", False),
        ("searxng", 3, "timeout", False),
    ]
    assert [outcome for _, _, outcome, _ in told(made)[3:]] == ["ok"] * 3
    assert [text for host, text in asker.texts if host == "a"] == ["one mill"]


def test_a_late_answer_costs_nobody_what_was_answered():
    clock = Held()
    asker = Moving(clock, 4, {"a": OK, "b": OK}, ["a two mills"])
    made = ask_all([searxng("a"), searxng("b")], asker, patience=SOFT, deadline=Deadline(600.0, clock))
    assert [outcome for _, _, outcome, _ in told(made)] == ["ok", "timeout", "timeout", "ok", "ok", "ok"]


def test_several_texts_leave_half_of_the_time_for_reading():
    for query, most in ((Query("one mill"), 60.0), (Query("one mill", also=("two mills",)), 30.0)):
        asker = Moving(Held(), -1, {"a": OK}, [])
        ask_all([searxng("a")], asker, query=query, deadline=Deadline(60.0, Held()), patience=Patience(90.0, 2.0))
        assert asker.left == most


def test_a_pause_for_a_providers_sake_is_no_time_of_its_own():
    class Resting(Searxng):
        FACTS = replace(Searxng.FACTS, pause_s=5.0)

    asker = Moving(Held(), -1, {"a": OK}, [])
    query = Query("one mill", also=("two mills",))
    ask_all([Resting("http://a")], asker, query=query, deadline=Deadline(600.0, Held()), patience=Patience(8.0, 2.0))
    assert asker.left == 13.0


def test_without_a_key_one_text_at_a_time_and_with_one_a_few():
    texts = tuple(f"mill {number}" for number in range(10))
    query = Query(texts[0], also=texts[1:])
    free = ByText({"a": OK}, delay_s=0.01)
    ask_all([searxng("a")], free, query=query, deadline=Deadline(600.0, Held()))
    assert (free.most, len(free.texts)) == (1, 10)
    assert [text for _, text in free.texts] == list(texts)
    paid = ByText({"a": OK, "b": OK, "c": OK}, delay_s=0.05)
    keyed = [Tavily("key", f"http://{host}") for host in ("a", "b", "c")]
    made = ask_all(keyed, paid, query=query, deadline=Deadline(600.0, Held()))
    assert len(made) == 30
    assert sorted(paid.texts) == sorted((host, text) for host in "abc" for text in texts)
    assert paid.most <= 12


def test_next_in_turn_is_asked_every_text_only_when_nobody_answered_any():
    asker = ByText({"a": DOWN, "b": DOWN, "b three mills": OK, "c": OK})
    made = ask_all([searxng("a"), searxng("b"), searxng("c")], asker, fuse=False)
    assert [outcome for _, _, outcome, _ in told(made)] == ["unavailable"] * 5 + ["ok"]
    assert {host for host, _ in asker.texts} == {"a", "b"}


def test_one_who_is_skipped_is_skipped_for_every_text_in_the_words_of_the_door():
    class Shut(Free):
        def skips(self, wanted: Sequence[Facts], query: Query, *, named: bool) -> dict[str, Run]:
            assert (query.also, query.focus) == ((), None)
            return {"searxng": Run("searxng", RunOutcome.BLOCKED, detail="searxng: not asked until noon")}

    asker = ByText({"a": OK})
    made = ask_all([searxng("a")], asker, door=Shut())
    assert told(made) == [("searxng", number, "blocked", False) for number in (1, 2, 3)]
    assert {attempt.run.detail for attempt in made} == {"searxng: not asked until noon"}
    assert asker.texts == []


def test_number_of_the_text_is_ours_whatever_a_provider_says():
    class Odd(Local):
        def answer(self, query):
            return replace(self.run, query_number=9)

    made = ask_all([Odd("here", local("here").run)], ByText({}))
    assert [attempt.run.query_number for attempt in made] == [1, 2, 3]


OUTCOMES = st.sampled_from([*RunOutcome])
TABLES = st.integers(1, 5).flatmap(
    lambda texts: st.lists(st.lists(OUTCOMES, min_size=texts, max_size=texts), min_size=1, max_size=4)
)


@given(table=TABLES, fuse=st.booleans())
@settings(max_examples=60, deadline=None)
def test_whatever_comes_back_each_provider_has_one_attempt_a_text_in_order(
    table: list[list[RunOutcome]], fuse: bool
) -> None:
    """table: how each provider would answer each text."""

    class Table(Local):
        def answer(self, query):
            self.asked.append(query.text)
            return replace(self.run, outcome=self.row[int(query.text)])

    providers = []
    for place, row in enumerate(table):
        providers.append(Table(f"p{place}", local(f"p{place}").run))
        providers[-1].row, providers[-1].asked = row, []
    texts = [str(number) for number in range(len(table[0]))]
    made = ask_all(list(providers), ByText({}), fuse=fuse, query=Query(texts[0], also=tuple(texts[1:])))
    count = len(made) // len(texts)
    assert [(a.provider, a.run.query_number) for a in made] == [
        (f"p{place}", number) for place in range(count) for number in range(1, len(texts) + 1)
    ]
    assert 1 <= count <= len(table)
    assert count == len(table) if fuse else all(not provider.asked for provider in providers[count:])
    for place, provider in enumerate(providers[:count]):
        # each text is asked once, in order, up to the first answer that stands for all
        assert provider.asked == texts[: len(provider.asked)]
        found = [attempt.run.outcome for attempt in made if attempt.provider == f"p{place}"]
        stood = found[len(provider.asked) - 1]
        assert found[: len(provider.asked)] == table[place][: len(provider.asked)]
        assert found[len(provider.asked) :] == [stood] * (len(texts) - len(provider.asked))
