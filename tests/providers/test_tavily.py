"""Tavily: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.provider import Response
from searchlog.search.providers.tavily import Tavily
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response

KEYED, KEYLESS = Tavily(KEY), Tavily()


def asked(query: Query) -> dict[str, Any]:
    return json.loads(KEYED.request(query).body)


def test_a_key_is_a_bearer_token_and_a_secret() -> None:
    request = KEYED.request(QUERY)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert header(request.headers, "X-Tavily-Access-Mode") is None
    assert request.secrets == (KEY,)


def test_without_a_key_the_access_mode_says_keyless() -> None:
    request = KEYLESS.request(QUERY)
    assert header(request.headers, "X-Tavily-Access-Mode") == "keyless"
    assert header(request.headers, "Authorization") is None
    assert request.secrets == ()
    assert KEYLESS.facts.keyless
    assert not KEYED.facts.keyless


def test_options_become_fields() -> None:
    query = Query("潮汐", count=50, country="JP", freshness="day", include_domains=("a.example", "b.example"))
    assert asked(query) == {
        "query": "潮汐",
        "search_depth": "basic",
        "max_results": 20,
        "include_answer": False,
        "include_raw_content": False,
        "time_range": "day",
        "country": "japan",
        "include_domains": ["a.example", "b.example"],
    }


def test_an_unknown_country_and_paging_are_said_to_be_ignored() -> None:
    run = KEYED.parse(json_response({"results": []}), Query("x", country="ZZ", page=2))
    assert run.outcome is RunOutcome.EMPTY
    assert run.ignored == ("page", "country")


def test_a_long_query_is_cut_at_a_word_and_said() -> None:
    query = Query("word " * 200)
    sent = asked(query)["query"]
    assert len(sent) <= 400
    assert sent.endswith("word")
    assert "query cut from 1000 to" in KEYED.parse(json_response({"results": []}), query).notes[0]


def test_a_time_filter_says_whom_it_leaves_out() -> None:
    run = KEYED.parse(json_response({"results": []}), Query("x", freshness="week"))
    assert "date Tavily does not know" in run.notes[0]


@pytest.mark.parametrize("status", [432, 433])
def test_its_money_codes_are_quota(ask: Ask, respx_mock: respx.Router, status: int) -> None:
    respx_mock.post("https://api.tavily.com/search").mock(
        return_value=httpx.Response(
            status, json={"detail": {"error": "This request exceeds your plan's set usage limit."}}
        )
    )
    run = ask(KEYED)
    assert run.outcome is RunOutcome.QUOTA
    assert "exceeds your plan" in run.detail
    assert run.retry_after_s is None


def test_the_keyless_limit_says_when_and_how_to_have_a_limit_of_your_own(ask: Ask, respx_mock: respx.Router) -> None:
    body = {
        "error": {"code": "limit", "message": "Keyless limit reached", "window": "hour", "retry_after_seconds": 1799.2}
    }
    respx_mock.post("https://api.tavily.com/search").mock(return_value=httpx.Response(429, json=body))
    run = ask(KEYLESS)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 1800)
    assert "Keyless limit reached" in run.detail
    assert "set TAVILY_API_KEY" in run.detail


def test_a_limit_that_comes_with_status_200_is_not_an_empty_answer() -> None:
    run = KEYLESS.parse(json_response({"error": {"message": "limit", "retry_after_seconds": 60}}), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 60)


def test_keyless_access_switched_off_is_auth_and_says_what_to_set() -> None:
    run = KEYLESS.parse(json_response({"detail": {"error": "Unauthorized"}}, 401), QUERY)
    assert run.outcome is RunOutcome.AUTH
    assert "set TAVILY_API_KEY" in run.detail


def test_without_a_key_a_challenge_is_blocked_and_asks_for_no_key() -> None:
    run = KEYLESS.parse(Response(403, (("CF-Mitigated", "challenge"),), b"<html>Just a moment</html>"), QUERY)
    assert run.outcome is RunOutcome.BLOCKED
    assert "TAVILY_API_KEY" not in run.detail


def test_news_dates_are_kept_and_answers_are_no_results() -> None:
    row = {
        "url": "https://a.example/",
        "title": "t",
        "content": "c",
        "score": 0.5,
        "published_date": "Mon, 05 Jan 2026",
    }
    run = KEYED.parse(json_response({"answer": "42", "results": [row]}), QUERY)
    assert run.results[0].published == "Mon, 05 Jan 2026"
    assert run.results[0].score == "0.5"
    assert run.dropped == (("answer", "not-a-result"),)


def test_another_address_can_be_given() -> None:
    assert Tavily(KEY, "http://127.0.0.1:9/").request(QUERY).url == "http://127.0.0.1:9/search"
