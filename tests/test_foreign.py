"""Provider objects that somebody else wrote: one that fails costs itself, and nobody else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Request
from searchlog.clock import SystemClock
from searchlog.errors import ProviderError, UsageError
from searchlog.flow.foreign import check_providers
from searchlog.records import ProviderExchange, Run
from searchlog.search.provider import Facts, Terms
from searchlog.search.providers.wikipedia import Wikipedia
from searchlog.search.query import Query
from searchlog.search.run import Result, RunOutcome
from searchlog.search.run import Run as RunValue
from searchlog.session import Search
from tests.searches import JSON, TEXTS, Free, bodies, check_clean, check_counts, opened, pages
from tests.sites import serve
from tests.test_gather import OK, PATIENCE, QUERY, Scripted, ask, local, searxng

FACTS = Facts("mine", "Mine", "http://mine", "nobody", Terms("", "2026-01-01", ""))
GOOD = Result(1, "http://a.example/", "t")
KEY = "sk-Canary-0123456789"


class Mine:
    """A network provider whose request and parse are given: a value, or an exception to raise."""

    def __init__(self, request: object = None, parse: object = None, facts: Facts = FACTS) -> None:
        self.facts = facts
        self.made = Request("GET", "http://mine/", secrets=(KEY,)) if request is None else request
        self.read = RunValue("mine", RunOutcome.OK, (GOOD,)) if parse is None else parse

    def request(self, query: Query) -> Any:
        return given(self.made)

    def parse(self, response: object, query: Query) -> Any:
        return given(self.read)


class MineHere:
    """The same for a provider on this machine."""

    def __init__(self, answer: object) -> None:
        self.facts, self.run = FACTS, answer

    def answer(self, query: Query) -> Any:
        return given(self.run)


def given(value: object) -> object:
    if isinstance(value, BaseException):
        raise value
    return None if isinstance(value, Nothing) else value


class Nothing:
    """Stands for None, which the helpers above take for the usual thing."""


RAISED = [KeyError(KEY), ValueError("x"), RecursionError(), AssertionError(), UsageError("x"), StopIteration()]


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_exception_of_a_provider_costs_only_itself(error: Exception, fuse: bool):
    """A provider object that raised ended the search of all the others with its own exception."""
    asker = Scripted({"mine": OK, "one": OK})
    for broken, outcome, verb in (
        (Mine(request=error), "bad_request", "request"),
        (Mine(parse=error), "parse_error", "parse"),
        (MineHere(error), "parse_error", "answer"),
    ):
        first, second = ask([broken, searxng("one")], asker, fuse=fuse)
        assert (first.provider, first.run.outcome, second.run.outcome) == ("mine", outcome, "ok")
        assert first.run.detail.startswith(f"mine: {verb} raised {type(error).__name__} (test_foreign.py, line ")
        assert KEY not in repr(first.run)
        assert bool(first.exchanges) == (verb == "parse")


def test_interrupt_is_not_taken_for_a_failing_provider():
    with pytest.raises(KeyboardInterrupt):
        ask([MineHere(KeyboardInterrupt())], Scripted({}), fuse=False)


REQUESTS = [
    (Nothing(), "request returned NoneType, not a Request"),
    ("http://mine/", "request returned str, not a Request"),
    (Request("GET", 5), "request returned int where url must be a string"),  # type: ignore[arg-type]
    (Request("GET", "http://mine/", {"A": "b"}), "request returned dict where headers must be a tuple"),  # type: ignore[arg-type]
    (
        Request("GET", "http://mine/", (("A", None),)),  # type: ignore[arg-type]
        "request returned NoneType where headers[0][1] must be a string",
    ),
    (Request("POST", "http://mine/", body="x"), "request returned str where body must be bytes"),  # type: ignore[arg-type]
    (
        Request("GET", f"http://mine/\ud800{KEY}"),
        "request returned str where url must be a string without half of a surrogate pair",
    ),
]


@pytest.mark.parametrize(("made", "said"), REQUESTS, ids=[said for _, said in REQUESTS])
def test_request_of_another_form_is_a_bad_request(made: object, said: str):
    asker = Scripted({"mine": OK})
    (attempt,) = ask([Mine(request=made)], asker, fuse=True)
    assert (attempt.run.outcome, attempt.run.detail) == ("bad_request", f"mine: {said}")
    assert asker.asked == []


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET", "http://127.0.0.1:9/", (("X-Key", f"{KEY}\r\nEvil: 1"),)),
        Request("GET", "http://127.0.0.1:9/", (("X-Key", "ключ"),)),
        Request("GET", "http://127.0.0.1:9/", (("Ключ", "1"),)),
    ],
    ids=["line-end", "value", "name"],
)
def test_request_that_http_cannot_carry_is_a_bad_request(request_: Request):
    """An API key with a letter outside Latin-1 ended the search of all providers with a UsageError."""
    with serve(pages()) as site, opened() as archive:
        client = archive.resources.client(replace_allowed(site.url))
        made = ask([Mine(request=replace(request_, url=site.url))], client, fuse=True)  # type: ignore[arg-type]
    assert (made[0].run.outcome, made[0].exchanges) == ("bad_request", ())
    assert KEY not in repr(made)


def replace_allowed(url: str) -> Any:
    from searchlog.flow.settings import Settings

    return Settings(allow_private=(url.removeprefix("http://"),))


def results(**fields: Any) -> RunValue:
    return RunValue("mine", RunOutcome.OK, (GOOD, replace(GOOD, **{"rank": 2} | fields)))


RUNS = [
    (Nothing(), "{} returned NoneType, not a Run"),
    ([GOOD], "{} returned list, not a Run"),
    (RunValue("mine", "great"), "{} returned str where outcome must be a RunOutcome"),  # type: ignore[arg-type]
    (RunValue("yours", RunOutcome.OK), "{} returned str where provider must be its own name 'mine'"),
    (RunValue("mine", RunOutcome.OK, [GOOD]), "{} returned list where results must be a tuple"),  # type: ignore[arg-type]
    (RunValue("mine", RunOutcome.OK, (None,)), "{} returned NoneType where results[0] must be a Result"),  # type: ignore[arg-type]
    (results(url=None), "{} returned NoneType where results[1].url must be a string"),
    (
        results(title="\ud800"),
        "{} returned str where results[1].title must be a string without half of a surrogate pair",
    ),
    (results(score=0.5), "{} returned float where results[1].score must be a string or None"),
    (results(rank=-60), "{} returned int where results[1].rank must be 2"),
    (results(extra={"a": 1}), "{} returned int where results[1].extra['a'] must be a string"),
    (
        results(extra={"capture_session": "x", "capture_seq": "last"}),
        "{} returned str where results[1].extra['capture_seq'] must be a record's number",
    ),
    (
        RunValue("mine", RunOutcome.RATE_LIMITED, retry_after_s=10**12),
        "{} returned int where retry_after_s must be 0 to 2678400 seconds",
    ),
]


@pytest.mark.parametrize(("run", "said"), RUNS, ids=[said for _, said in RUNS])
def test_run_of_another_form_is_a_parse_error(run: object, said: str):
    """A provider that returned None, a number as a score or a rank of -60 broke the steps after it."""
    for broken, verb in ((Mine(parse=run), "parse"), (MineHere(run), "answer")):
        one, two = ask([broken, local("here", "http://b.example/")], Scripted({"mine": OK}), fuse=True)
        assert (one.run.outcome, one.run.detail) == ("parse_error", f"mine: {said.format(verb)}")
        assert two.run.outcome == "ok"


def test_run_of_absurd_length_is_too_large():
    run = RunValue("mine", RunOutcome.OK, tuple(Result(n, f"http://a.example/{n}") for n in range(1, 20_002)))
    (attempt,) = ask([MineHere(run)], Scripted({}), fuse=True)
    assert (attempt.run.outcome, attempt.run.results) == (RunOutcome.TOO_LARGE, ())
    assert attempt.run.detail == "mine: answer: the number of results must be at most 20000, not 20001"


def test_provider_whose_turn_comes_too_late_is_a_timeout():
    """A search with no time left told of requests over a rate limit that nobody had set."""

    class Late(Deadline):
        def child(self, seconds: float) -> Deadline:
            return Deadline(0.0, SystemClock())

    from searchlog.flow.gather import gather

    asker = Scripted({"one": OK})
    (made,) = gather([searxng("one")], QUERY, asker, Late(1, SystemClock()), fuse=False, patience=PATIENCE, door=Free())
    assert (made.run.outcome, made.exchanges, asker.asked) == (RunOutcome.TIMEOUT, (), [])
    assert "not asked, the time was up" in made.run.detail


# --- a whole search


def test_exchange_of_a_provider_that_cannot_read_it_is_recorded():
    with serve(pages() | {"/mine": (200, JSON, "{}")}) as site, opened() as archive:
        session = archive.session()
        mine = Mine(request=Request("GET", site.url + "/mine"), parse=ZeroDivisionError())
        good = local("here", *(site.url + path for path in TEXTS))
        found: Search = session.search("tide mill", providers=[mine, good], allow_private=["127.0.0.1"])
        assert [(run.provider, run.outcome) for run in found.runs] == [("mine", "parse_error"), ("here", "ok")]
        assert len(found.evidence) >= 3
        assert [body.provider for body in bodies(session, ProviderExchange)] == ["mine"]
        assert "ZeroDivisionError" in {body.provider: body.detail or "" for body in bodies(session, Run)}["mine"]
        check_counts(found)
        check_clean(session)


def test_when_no_provider_is_left_the_error_is_ours():
    with opened() as archive:
        session = archive.session()
        with pytest.raises(ProviderError, match="answer raised OSError"):
            session.search("tide mill", providers=[MineHere(OSError("x"))])
        check_clean(session)


# --- what a caller may name


@pytest.mark.parametrize("wanted", [None, ()])
def test_nobody_named_leaves_the_choice_to_the_environment(wanted: object):
    assert check_providers(wanted) == ()


def test_one_name_or_object_is_as_good_as_a_list():
    wikipedia = Wikipedia()
    assert check_providers("searxng") == ("searxng",)
    assert check_providers(wikipedia) == (wikipedia,)
    assert check_providers(iter(["brave", wikipedia])) == ("brave", wikipedia)


class Raising:
    @property
    def facts(self) -> Facts:
        raise OSError("no facts today")


class Empty:
    facts = FACTS


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ([], "providers is an empty list"),
        (set(), "providers is an empty list"),
        (5, "providers must be a list of names or provider objects, not 5"),
        (b"brave", "providers must be a list of names or provider objects, not b'brave'"),
        ([None], r"providers\[0\] must be a provider's name, or an object .*, not None"),
        (["brave", object()], r"providers\[1\] must be a provider's name, or an object .*, not a value of type object"),
        ([Wikipedia], r"providers\[0\] must be a provider's name"),
        ([Raising()], r"providers\[0\] must be a provider's name"),
        ([Empty()], "mine has no method answer, and not both of request and parse"),
        ([Mine(facts=replace(FACTS, name=" "))], r"providers\[0\].facts.name must be a short name"),
        ([Mine(facts=replace(FACTS, applies=None))], r"providers\[0\].facts.applies must be a list of strings"),  # type: ignore[arg-type]
        (
            [Mine(facts=replace(FACTS, own_server=True, endpoint="http://[::1"))],
            r"providers\[0\].facts.endpoint must be an address with a host",
        ),
    ],
)
def test_what_is_no_provider_is_refused(wanted: object, said: str):
    """An empty list asked third parties that nobody had named; the rest let AttributeError out."""
    with pytest.raises(UsageError, match=said):
        check_providers(wanted)
