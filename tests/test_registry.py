"""Which providers there are, whom a search asks, and what it says when nobody answers."""

from __future__ import annotations

import pytest

from searchlog import keyring
from searchlog.errors import UsageError
from searchlog.mementos.save import ACCESS_ENV, SECRET_ENV
from searchlog.search.catalogue import EXTRACTORS, FACTS
from searchlog.search.providers.archive import Archive
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.registry import NAMES, Options, available, build
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.search.textindex import TextIndex
from searchlog.search.whom import (
    Choice,
    choose,
    keyless_order,
    lets_next_be_asked,
    nothing_answered_message,
    nothing_configured_message,
    who_sees,
)

WEB = Tavily().facts
KEYLESS = keyless_order({})
ENCYCLOPEDIA = build("wikipedia", {}).facts


@pytest.mark.parametrize(
    ("env", "choice"),
    [
        ({}, Choice(KEYLESS, False, "keyless")),
        ({"TAVILY_API_KEY": " "}, Choice(KEYLESS, False, "keyless")),
        ({"SEARXNG_URL": "http://h"}, Choice(("searxng",), True, "configured")),
        ({"SEARCHLOG_SEARXNG_URL": "http://h", "BRAVE_API_KEY": "k"}, Choice(("searxng", "brave"), True, "configured")),
        ({"BRAVE_SEARCH_API_KEY": "k", "TAVILY_API_KEY": "k"}, Choice(("tavily", "brave"), True, "configured")),
        ({"GITHUB_TOKEN": "t", "NCBI_API_KEY": "k"}, Choice(KEYLESS, False, "keyless")),
        (
            {"SEARCHLOG_PROVIDERS": "arxiv, brave", "TAVILY_API_KEY": "k"},
            Choice(("arxiv", "brave"), True, "named", "SEARCHLOG_PROVIDERS"),
        ),
        ({"SEARCHLOG_KEYLESS": "wikipedia you"}, Choice(("wikipedia", "you"), False, "keyless")),
    ],
    ids=["nothing", "blank", "searxng", "searxng-brave", "tavily-brave", "keys-of-others", "chosen", "keyless-order"],
)
def test_what_is_configured_decides_whom_to_ask(env: dict[str, str], choice: Choice) -> None:
    assert choose(env) == choice


def test_what_is_configured_brings_in_no_third_party_unasked() -> None:
    assert set(choose({"SEARXNG_URL": "http://h"}).names) == {"searxng"}


def test_names_given_win_over_everything_and_count_once() -> None:
    chosen = choose({"BRAVE_API_KEY": "k"}, ["archive", "wikipedia", "archive"])
    assert chosen == Choice(("archive", "wikipedia"), True, "named")


def test_the_keyless_order_ends_with_the_last_resort() -> None:
    facts = [build(name, {}).facts for name in KEYLESS]
    assert all(fact.keyless for fact in facts)
    assert [fact.last_resort for fact in facts] == [False] * (len(KEYLESS) - 1) + [True]
    assert KEYLESS[0] == "tavily"


def test_a_wrong_name_in_a_setting_names_the_setting() -> None:
    for env in ({"SEARCHLOG_PROVIDERS": "gogle"}, {"SEARCHLOG_KEYLESS": "gogle"}, {"SEARCHLOG_KEYLESS": "brave"}):
        with pytest.raises(UsageError, match=next(iter(env))):
            choose(env)


def test_in_turn_is_for_those_that_are_named_or_configured() -> None:
    assert choose({}, ["brave", "tavily"], in_turn=True) == Choice(("brave", "tavily"), False, "named")
    assert choose({"BRAVE_API_KEY": "k", "EXA_API_KEY": "k"}, in_turn=True).together is False


def test_who_sees_a_query_is_said_for_keyless_third_parties_only() -> None:
    told = who_sees({}, choose({}, ["wikipedia"]))
    assert told is not None
    assert "Wikimedia Foundation" in told
    assert who_sees({}, choose({}, ["archive"])) is None
    keyed = {"TAVILY_API_KEY": "k"}
    assert who_sees(keyed, choose(keyed)) is None
    in_turn = who_sees({}, choose({}))
    assert in_turn is not None
    assert "one after another" in in_turn
    assert all(name in in_turn for name in KEYLESS)
    at_home = Options(endpoints={"wikipedia": "http://127.0.0.1:9"})
    assert who_sees({}, choose({}, ["wikipedia"]), at_home) is None


def test_every_key_variable_is_known_to_the_keyring() -> None:
    """A key that the keyring does not know is taken out of the requests that send it, and of nothing else."""
    known = {*keyring.KEYS, *keyring.ADDRESSES}
    extractors = [made.FACTS for made in EXTRACTORS.values()]
    for facts in (*FACTS.values(), *extractors):
        assert set(facts.key_env) <= known, facts.name
        assert bool(facts.key_env) == (facts.key != "none" or facts.own_server), facts.name
    of_archives = {ACCESS_ENV, SECRET_ENV}
    assert known == of_archives | {name for facts in (*FACTS.values(), *extractors) for name in facts.key_env}


def test_an_unknown_name_lists_the_known_ones() -> None:
    for ask in (lambda: choose({}, ["gogle"]), lambda: build("gogle", {})):
        with pytest.raises(UsageError, match="there are: searxng, tavily"):
            ask()


def test_a_missing_key_or_address_says_what_to_set() -> None:
    for name, variable in [("brave", "BRAVE_API_KEY"), ("searxng", "SEARCHLOG_SEARXNG_URL")]:
        with pytest.raises(UsageError, match=f"set {variable}"):
            build(name, {})
    for name in ("archive", "site"):
        with pytest.raises(UsageError, match=name):
            build(name, {})


def test_providers_are_built_from_the_environment() -> None:
    assert isinstance(build("brave", {"BRAVE_SEARCH_API_KEY": "k"}), Brave)
    searxng = build("searxng", {"SEARXNG_URL": "http://b", "SEARCHLOG_SEARXNG_URL": "http://a"})
    assert isinstance(searxng, Searxng)
    assert searxng.facts.endpoint == "http://a/search"
    tavily = build("tavily", {"TAVILY_API_KEY": " k\n"})
    assert isinstance(tavily, Tavily)
    assert tavily.request(Query("x")).secrets == ("k",)
    with TextIndex() as index:
        assert isinstance(build("archive", {}, Options(index=index)), Archive)


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.endpoint])
def test_any_endpoint_can_be_replaced(name: str) -> None:
    options = Options(endpoints={name: "http://127.0.0.1:9"})
    provider = build(name, dict.fromkeys(FACTS[name].key_env, "http://127.0.0.1:9"), options)
    assert provider.facts.endpoint.startswith("http://127.0.0.1:9/")


def test_what_is_available_is_said_for_every_provider() -> None:
    states = {item.name: item.state for item in available({"TAVILY_API_KEY": "k"})}
    assert tuple(states) == NAMES
    for name, state in states.items():
        facts = FACTS[name]
        usual = "local" if not facts.endpoint else "keyless" if facts.keyless else "needs-configuration"
        usual = "needs-configuration" if name == "searxng" else usual
        assert state == ("configured" if name == "tavily" else usual)
    assert {item.name: item.state for item in available({})}["tavily"] == "keyless"
    broken = {item.name: item for item in available({"SEARXNG_URL": "nonsense"})}["searxng"]
    assert broken.state == "misconfigured"
    assert "not the address" in broken.how


RESULT = (Result(1, "https://a.example/"),)


@pytest.mark.parametrize("outcome", list(RunOutcome))
def test_no_answer_lets_the_next_be_asked_and_an_answer_does_not(outcome: RunOutcome) -> None:
    answers = {RunOutcome.OK, RunOutcome.EMPTY, RunOutcome.FILTERED_TO_EMPTY}
    assert lets_next_be_asked(WEB, Run("p", outcome)) is (outcome not in answers)


def test_less_than_the_web_found_empty_does_not_end_a_search() -> None:
    assert lets_next_be_asked(ENCYCLOPEDIA, Run("wikipedia", RunOutcome.EMPTY))
    assert not lets_next_be_asked(ENCYCLOPEDIA, Run("wikipedia", RunOutcome.OK, RESULT))


def test_a_degraded_run_counts_as_an_answer_when_it_has_results() -> None:
    assert not lets_next_be_asked(WEB, Run("p", RunOutcome.DEGRADED, RESULT))


def test_nothing_configured_says_exactly_what_to_do() -> None:
    message = nothing_configured_message()
    for part in (
        "SEARCHLOG_SEARXNG_URL",
        "TAVILY_API_KEY",
        "BRAVE_API_KEY",
        "--provider wikipedia",
        "--provider archive",
    ):
        assert part in message
    assert "--provider site" in message


def test_nobody_answered_names_each_attempt_and_what_to_do() -> None:
    offline = [Run(name, RunOutcome.OFFLINE, detail=f"{name}: its name could not be looked up") for name in KEYLESS]
    message = nothing_answered_message(offline, "keyless")
    assert "duckduckgo: offline" in message
    assert "no network: `--provider archive`" in message
    mixed = [offline[0], Run("wikipedia", RunOutcome.BLOCKED)]
    assert nothing_configured_message() in nothing_answered_message(mixed, "keyless")
    assert "wikipedia: blocked" in nothing_answered_message(mixed, "named")


@pytest.mark.parametrize(
    "address", ["http://[::1", "http://[x]:5/", "http://h:port/", "http://h:99999/", "http://u:p@[::1", "ftp://h/", "h"]
)
def test_address_that_cannot_be_asked_is_a_wrong_setting_and_no_bug(address: str) -> None:
    """`search`, `providers` and `doctor` ended in ValueError, or called a port of no number configured."""
    env = {"SEARXNG_URL": address}
    with pytest.raises(UsageError, match="not the address of a SearXNG server"):
        build("searxng", env)
    (stands,) = (item for item in available(env) if item.name == "searxng")
    assert stands.state == "misconfigured"
    assert "p@" not in stands.how
