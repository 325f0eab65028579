"""What the doctor finds at providers: each way of failing names the one setting to change; and the clock."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from searchlog.capture.exchange import Exchange, Framing, Outcome
from searchlog.checkup import Check, check_clock, check_providers, check_settings
from searchlog.clock import SystemClock
from searchlog.flow.standing import Standings
from searchlog.search import registry
from tests.searches import HTML, JSON, Free, answer, opened
from tests.sites import Answer, Site, serve

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ENV = {"BRAVE_API_KEY": "key-of-brave-123", "SEARCHLOG_SEARXNG_URL": "set by the test", "EXA_API_KEY": "key-of-exa-123"}


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as made:
        yield made


def checked(site: Site, *names: str, env: Mapping[str, str] = ENV, door: Any = Free()) -> dict[str, Check]:
    given = {**env, **({"SEARCHLOG_SEARXNG_URL": site.url} if "SEARCHLOG_SEARXNG_URL" in env else {})}
    endpoints = registry.Options({name: f"{site.url}/{name}" for name in names if name != "searxng"})
    with opened() as archive:
        archive.resources.env = given  # type: ignore[misc]
        resources = archive.resources
        client = resources.client
        # the services stand on loopback here
        allow = ("127.0.0.1",)
        resources.client = lambda settings: client(replace(settings, allow_private=allow))  # type: ignore[method-assign]
        return {check.name: check for check in check_providers(resources, names, door, endpoints)}


def say(site: Site, name: str, made: Answer) -> None:
    site.pages[{"searxng": "/search", "brave": "/brave/res/v1/web/search", "exa": "/exa/search"}[name]] = made


@pytest.mark.parametrize(
    ("name", "made", "change"),
    [
        (
            "searxng",
            (403, HTML, "<p>You don't have the permission to access the requested resource.</p>"),
            "search.formats in the settings.yml of that server",
        ),
        ("searxng", (403, HTML, "<h1>Forbidden</h1><hr>nginx"), "what stands before that server"),
        ("searxng", (429, HTML, "Too Many Requests"), "pass_ip in the limiter.toml of that server"),
        ("searxng", (200, HTML, "<h1>Welcome</h1>" * 99), "SEARCHLOG_SEARXNG_URL"),
        ("searxng", (404, HTML, "no"), "SEARCHLOG_SEARXNG_URL"),
        ("brave", (422, JSON, json.dumps({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}})), "BRAVE_API_KEY"),
        ("brave", (402, JSON, "{}"), "the plan of your account with Brave Search API, or BRAVE_API_KEY"),
        ("brave", (200, JSON, '{"hello": 1}'), "the version of searchlog: a later one may read this answer"),
        ("exa", (401, JSON, "{}"), "EXA_API_KEY"),
        ("exa", (500, JSON, "{}"), ""),
        ("exa", (429, JSON | {"Retry-After": "7"}, "{}"), ""),
    ],
    ids=[
        "no-json",
        "proxy",
        "limiter",
        "not-searxng",
        "no-search-there",
        "wrong-key",
        "no-credit",
        "drift",
        "exa-key",
        "broken",
        "busy",
    ],
)
def test_each_failure_names_the_one_setting_that_helps(site: Site, name: str, made: Answer, change: str) -> None:
    say(site, name, made)
    check = checked(site, name)[f"online {name}"]
    assert (check.state, check.change) == ("failed", change)
    assert check.detail


def test_all_is_well_with_those_that_answer(site: Site) -> None:
    say(site, "searxng", answer(["https://a.example/"]))
    say(site, "brave", (200, JSON, json.dumps({"query": {}, "web": {"results": []}})))
    made = checked(site, "searxng", "brave")
    assert [check.state for check in made.values()] == ["ok"] * 2
    assert made["online searxng"].detail == "ok, 1 results"
    assert made["online brave"].detail == "empty, 0 results"


def test_a_server_that_is_not_there_is_an_address_to_look_at(site: Site) -> None:
    with opened() as archive:
        archive.resources.env = {"SEARCHLOG_SEARXNG_URL": "http://127.0.0.1:9"}  # type: ignore[misc]
        (check,) = check_providers(archive.resources, ["searxng"], Free())
    assert (check.state, check.change) == ("failed", "SEARCHLOG_SEARXNG_URL")


def test_one_that_is_left_alone_or_over_its_budget_is_not_asked(site: Site) -> None:
    say(site, "brave", (429, JSON | {"Retry-After": "77"}, "{}"))
    env = {**ENV, "SEARCHLOG_DAY_MAX": "exa=0"}
    door = Standings(None, SystemClock(), env)
    checked(site, "brave", env=env, door=door)
    asked = len(site.paths)
    made = checked(site, "brave", "exa", env=env, door=door)
    door.close()
    assert len(site.paths) == asked
    assert "not asked until" in made["online brave"].detail
    assert made["online exa"].change == "SEARCHLOG_DAY_MAX=exa=N"


def test_a_provider_that_cannot_be_made_is_told_and_the_others_are_asked(site: Site) -> None:
    say(site, "exa", (200, JSON, '{"results": []}'))
    made = checked(site, "brave", "exa", env={"EXA_API_KEY": "key-of-exa-123"})
    assert (made["online brave"].state, made["online brave"].change) == ("failed", "BRAVE_API_KEY")
    assert made["online exa"].state == "ok"


def exchange(ahead_s: float, *, took_ms: int = 100, **headers: str) -> Exchange:
    """Return an exchange made at NOW by our clock, which is so many seconds ahead of the server's."""
    sent = format_datetime(NOW - timedelta(seconds=ahead_s), usegmt=True)
    return Exchange(
        method="GET",
        url="https://a.example/",
        request_head=b"",
        request_body=b"",
        response_head=b"",
        status=200,
        reason_phrase="OK",
        headers=(("Date", sent), *headers.items()),
        payload=b"",
        framing=Framing("length"),
        started_at=NOW,
        duration_ms=took_ms,
        peer=None,
        outcome=Outcome.COMPLETE,
    )


@pytest.mark.parametrize("ahead", [0, 1, -1, 110, -110])
def test_a_clock_that_is_right_enough_is_ok(ahead: int) -> None:
    check = check_clock([exchange(ahead)])
    assert check is not None
    assert check.state == "ok"


@pytest.mark.parametrize(("ahead", "words"), [(3_600, "3600 seconds ahead of"), (-86_400, "seconds behind")])
def test_a_clock_that_is_off_is_said_with_how_far(ahead: int, words: str) -> None:
    check = check_clock([exchange(ahead)])
    assert check is not None
    assert (check.state, check.change) == ("failed", "the clock")
    assert words in check.detail


def test_one_server_with_a_wrong_clock_proves_nothing() -> None:
    check = check_clock([exchange(0), exchange(0), exchange(90_000)])
    assert check is not None
    assert check.state == "ok"


def test_answers_out_of_a_cache_and_without_a_date_say_nothing_of_the_clock() -> None:
    assert check_clock([exchange(9_000, Age="9000"), replace(exchange(0), headers=())]) is None
    assert check_clock([replace(exchange(0), headers=(("Date", "yesterday"),))]) is None


def test_settings_that_are_right_need_no_words() -> None:
    door = Standings(None, SystemClock(), {})
    assert check_settings({"SEARCHLOG_PROVIDERS": "arxiv", "SEARCHLOG_KEYLESS": "wikipedia"}, door) == []
    door.close()
