"""Stack Exchange: what is its own."""

from __future__ import annotations

import gzip
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.search.providers.stackexchange import StackExchange
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER, KEYED = StackExchange(), StackExchange(KEY)


def asked(query: Query, provider: StackExchange = PROVIDER) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(provider.request(query).url).query).items()}


def test_options_become_parameters() -> None:
    query = Query("vec", count=20, page=3, after="2024-01-01", before="2024-01-31")
    assert asked(query) == {
        "q": "vec",
        "site": "stackoverflow",
        "page": "3",
        "pagesize": "20",
        "order": "desc",
        "sort": "relevance",
        "filter": "withbody",
        "fromdate": "1704067200",
        "todate": "1706745599",
    }


def test_the_key_is_a_secret_of_the_address() -> None:
    assert asked(QUERY, KEYED)["key"] == KEY
    assert KEYED.request(QUERY).secrets == (KEY,)
    assert PROVIDER.request(QUERY).secrets == ()


@pytest.mark.parametrize(
    ("domains", "site", "ignored"),
    [
        (("superuser.com",), "superuser.com", ()),
        (("math.stackexchange.com",), "math.stackexchange.com", ()),
        (("WWW.StackOverflow.com",), "stackoverflow.com", ()),
        (("a.example",), "stackoverflow", ("include_domains",)),
        (("superuser.com", "askubuntu.com"), "stackoverflow", ("include_domains",)),
        (("x&y.stackexchange.com",), "stackoverflow", ("include_domains",)),
        ((), "stackoverflow", ()),
    ],
    ids=["own", "network", "upper", "elsewhere", "two", "odd", "none"],
)
def test_one_wanted_domain_of_the_network_chooses_the_site(
    domains: tuple[str, ...], site: str, ignored: tuple[str, ...]
) -> None:
    query = Query("vec", include_domains=domains)
    run = PROVIDER.parse(sample("stackexchange-none"), query)
    assert (asked(query)["site"], run.ignored) == (site, ignored)
    assert f"searched {site}" in run.notes


def test_titles_are_unescaped_once_and_votes_are_no_score() -> None:
    first, second = PROVIDER.parse(sample("stackexchange-backoff"), QUERY).results
    assert first.title == "What is <T> in Vec<T> & 'why'?"
    assert first.snippet == "I read Vec<T>. let v;"
    assert (first.published, first.published_source) == ("2023-11-14T22:13:20Z", "creation_date")
    assert first.score is None
    assert (first.extra["votes"], second.extra["votes"]) == ("7", "-2")
    assert first.extra["licence"] == "CC BY-SA 4.0"
    double = json_response({"items": [{"link": "https://a.example/", "title": "&amp;lt;b&amp;gt;"}]})
    assert PROVIDER.parse(double, QUERY).results[0].title == "&lt;b&gt;"


def test_a_good_answer_may_say_how_long_to_wait() -> None:
    run = PROVIDER.parse(sample("stackexchange-backoff"), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.OK, 10)
    assert PROVIDER.parse(sample("stackexchange-none"), QUERY).retry_after_s is None


@pytest.mark.parametrize("backoff", [True, "x", -1, 1e999, None, [], 0])
def test_a_backoff_that_is_none_is_no_wait(backoff: Any) -> None:
    answer = json_response({"items": [{"link": "https://a.example/"}], "backoff": backoff})
    assert PROVIDER.parse(answer, QUERY).retry_after_s is None


def test_the_throttle_is_a_number_in_the_body_and_says_for_how_long(ask: Ask, respx_mock: respx.Router) -> None:
    answer = sample("stackexchange-throttle")
    respx_mock.route().mock(return_value=httpx.Response(answer.status, content=answer.body))
    run = ask(PROVIDER)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 71_234)
    assert "set STACK_EXCHANGE_KEY" in run.detail
    assert "set STACK_EXCHANGE_KEY" not in ask(KEYED).detail


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"error_id": 400, "error_message": "pagesize"}, RunOutcome.BAD_REQUEST),
        ({"error_id": 400, "error_message": "x", "quota_remaining": 0}, RunOutcome.RATE_LIMITED),
        ({"error_id": 403, "error_message": "x"}, RunOutcome.AUTH),
        ({"error_id": 404, "error_message": "no method"}, RunOutcome.BAD_REQUEST),
        ({"error_id": 500, "error_message": "x"}, RunOutcome.UNAVAILABLE),
        ({"error_id": 502, "error_message": "Violation of backoff parameter", "backoff": 9}, RunOutcome.RATE_LIMITED),
        ({"error_id": 10**400}, RunOutcome.BAD_REQUEST),
    ],
    ids=["parameter", "used-up", "denied", "method", "internal", "backoff", "huge"],
)
@pytest.mark.parametrize("status", [200, 400])
def test_each_error_has_its_outcome_whatever_the_status(
    answer: dict[str, Any], outcome: RunOutcome, status: int
) -> None:
    run = PROVIDER.parse(json_response(answer, status), QUERY)
    assert run.outcome is outcome
    assert run.retry_after_s == answer.get("backoff")


def test_the_last_request_of_a_day_is_noted() -> None:
    run = PROVIDER.parse(sample("stackexchange-none"), QUERY)
    assert run.outcome is RunOutcome.EMPTY
    assert "this was the last request of the day's quota" in run.notes


def test_a_compressed_answer_is_read(ask: Ask, respx_mock: respx.Router) -> None:
    body = gzip.compress(sample("stackexchange-backoff").body)
    respx_mock.route().mock(return_value=httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=body))
    assert len(ask(PROVIDER).results) == 2
