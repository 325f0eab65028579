"""Mojeek: what is its own. Answers are built from its documentation; the challenge page has the shape of a real one."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.search.provider import Response
from searchlog.search.providers.mojeek import Mojeek
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, exchange_of, json_response, sample
from tests.providers.shapes import JSON, ROWS, STATUS, survives

PROVIDER = Mojeek(KEY)
URL = "https://api.mojeek.com/search"


def asked(query: Query) -> dict[str, str]:
    fields = parse_qs(urlsplit(PROVIDER.request(query).url).query)
    assert fields.pop("api_key") == [KEY]
    return {key: values[0] for key, values in fields.items()}


def said(status: str, http: int = 200) -> Response:
    return json_response({"response": {"status": status}}, http)


def test_the_key_stands_in_the_query_string_and_is_a_secret(respx_mock: respx.Router) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(200, json={"response": {"status": "OK", "results": []}}))
    request = PROVIDER.request(QUERY)
    assert KEY in request.url
    assert request.secrets == (KEY,)
    assert KEY not in repr(exchange_of(request))


def test_options_become_parameters() -> None:
    query = Query("tide", count=20, page=3, language="de-CH", country="CH", after="2024-03-04", before="2024-12-31",
                  safe="off", include_domains=("a.example", "b.example"), exclude_domains=("c.example",))  # fmt: skip
    assert asked(query) == {
        "q": "tide",
        "fmt": "json",
        "s": "41",
        "t": "20",
        "cdate": "1",
        "lb": "DE",
        "lbb": "100",
        "rb": "CH",
        "rbb": "10",
        "since": "20240304",
        "before": "20250101",
        "safe": "0",
        "fi": "a.example,b.example",
        "fe": "c.example",
    }


@pytest.mark.parametrize(("count", "page", "start"), [(10, 1, "1"), (10, 2, "11"), (1, 1, "1"), (50, 2, "41")])
def test_results_are_counted_from_one_and_never_from_zero(count: int, page: int, start: str) -> None:
    assert asked(Query("x", count=count, page=page))["s"] == start


@pytest.mark.parametrize(
    ("freshness", "asked_on", "since"),
    [
        ("day", None, "day"),
        ("month", "2024-03-11", "month"),
        ("year", None, "year"),
        ("week", "2024-03-11", "20240304"),
    ],
)
def test_a_week_is_said_by_its_first_day(freshness: str, asked_on: str | None, since: str) -> None:
    assert asked(Query("x", freshness=freshness, asked_on=asked_on))["since"] == since


def test_what_cannot_be_said_is_left_out_and_said() -> None:
    many = tuple(f"{n}.example" for n in range(51))
    query = Query("x", language="gsw", freshness="week", include_domains=many, exclude_domains=many)
    assert set(asked(query)) == {"q", "fmt", "s", "t", "cdate"}
    assert PROVIDER.parse(sample("mojeek-search"), query).ignored == (
        "language",
        "freshness",
        "include_domains",
        "exclude_domains",
    )


def test_a_raised_language_is_said_to_filter_nothing() -> None:
    assert "leaves none out" in PROVIDER.parse(sample("mojeek-search"), Query("x", country="CH")).notes[0]


def test_its_three_dates_are_kept_apart() -> None:
    run = PROVIDER.parse(sample("mojeek-search"), QUERY)
    first = run.results[0]
    assert (first.published, first.published_source) == ("2023-09-18T00:00:00Z", "pdate")
    assert (first.crawled, first.crawled_source) == ("2024-09-24T00:00:00Z", "cdatetimestamp")
    assert first.extra == {"modified": "2023-09-18T11:45:00Z"}
    assert run.dropped == (("Lost", "no-url"),)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (said("ERROR: Daily Limit Reached"), RunOutcome.QUOTA),
        (said("ERROR: Daily Limit Reached", 403), RunOutcome.QUOTA),
        (said("ERROR: Rate Limit Reached"), RunOutcome.RATE_LIMITED),
        (said("ERROR: Invalid API Key"), RunOutcome.AUTH),
        (said("ERROR: Not Allowed", 403), RunOutcome.AUTH),
        (said("ERROR: Missing Query"), RunOutcome.BAD_REQUEST),
        (said("ERROR: Index Down", 500), RunOutcome.UNAVAILABLE),
        (said("OK"), RunOutcome.PARSE_ERROR),
        (said("OK", 500), RunOutcome.UNAVAILABLE),
    ],
)
def test_its_own_status_counts_before_that_of_http(answer: Response, outcome: RunOutcome) -> None:
    run = PROVIDER.parse(answer, QUERY)
    assert run.outcome is outcome
    assert outcome is not RunOutcome.AUTH or "check MOJEEK_API_KEY" in run.detail


@pytest.mark.parametrize("status", [200, 403])
def test_a_challenge_page_is_blocked_whatever_its_status(ask: Ask, respx_mock: respx.Router, status: int) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(status, content=sample("mojeek-captcha-made").body))
    assert ask(PROVIDER).outcome is RunOutcome.BLOCKED


def test_a_page_that_only_speaks_of_challenges_is_not_one() -> None:
    page = b"<!doctype html><title>captcha altcha</title><p>captcha-wrap</p>" + b"<p>x</p>" * 500
    assert PROVIDER.parse(Response(200, (), page), QUERY).outcome is RunOutcome.PARSE_ERROR


@pytest.mark.parametrize("unit", ["<div>", "<i></x>", "<div><table></div></table>"])
def test_html_nested_without_end_is_not_parsed(unit: str) -> None:
    page = b"<html><div class=captcha-wrap>" + unit.encode() * 30_000
    assert PROVIDER.parse(Response(200, (), page), QUERY).outcome is RunOutcome.PARSE_ERROR


@settings(max_examples=80, deadline=None)
@given(
    value=st.fixed_dictionaries({"response": JSON | st.fixed_dictionaries({"results": ROWS, "status": JSON})}),
    status=STATUS,
)
def test_no_shape_of_its_lists_makes_it_raise(value: Any, status: int) -> None:
    survives(PROVIDER, value, status)
