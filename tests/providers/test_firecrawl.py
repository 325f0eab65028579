"""Firecrawl: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.firecrawl import Firecrawl
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

KEYED, KEYLESS = Firecrawl(KEY), Firecrawl()


def asked(query: Query) -> dict[str, Any]:
    return json.loads(KEYED.request(query).body)


def found(*rows: object, **more: object) -> dict[str, object]:
    return {"success": True, "data": {"web": list(rows), **more}}


def test_a_key_is_a_bearer_token_and_without_one_nothing_is_sent() -> None:
    request = KEYED.request(QUERY)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert request.secrets == (KEY,)
    assert header(KEYLESS.request(QUERY).headers, "Authorization") is None
    assert KEYLESS.request(QUERY).secrets == ()
    assert KEYLESS.request(QUERY).body == request.body


def test_options_become_fields() -> None:
    assert asked(QUERY) == {"query": "tide table", "limit": 10, "sources": [{"type": "web"}]}
    query = Query("潮汐", count=50, country="JP", safe="strict", include_domains=("a.example",), texts=True)
    assert asked(query) == {
        "query": "潮汐",
        "limit": 50,
        "sources": [{"type": "web"}],
        "country": "JP",
        "safe": True,
        "includeDomains": ["a.example"],
        "scrapeOptions": {"formats": ["markdown"]},
    }
    assert asked(Query("x", exclude_domains=("a.example",), safe="off")) == {
        "query": "x",
        "limit": 10,
        "sources": [{"type": "web"}],
        "safe": False,
        "excludeDomains": ["a.example"],
    }


@pytest.mark.parametrize(
    ("query", "tbs"),
    [
        (Query("x", freshness="day"), "qdr:d"),
        (Query("x", freshness="week"), "qdr:w"),
        (Query("x", freshness="month"), "qdr:m"),
        (Query("x", freshness="year"), "qdr:y"),
        (Query("x", after="2026-03-01"), "cdr:1,cd_min:03/01/2026"),
        (Query("x", before="2026-12-31"), "cdr:1,cd_max:12/31/2026"),
        (Query("x", after="2026-03-01", before="2026-12-31"), "cdr:1,cd_min:03/01/2026,cd_max:12/31/2026"),
    ],
    ids=["day", "week", "month", "year", "after", "before", "both"],
)
def test_times_become_its_one_field(query: Query, tbs: str) -> None:
    assert asked(query)["tbs"] == tbs


def test_of_wanted_and_unwanted_domains_the_unwanted_are_said_to_be_ignored() -> None:
    query = Query("x", include_domains=("a.example",), exclude_domains=("b.example",), language="de", page=2)
    assert "excludeDomains" not in asked(query)
    assert KEYED.parse(json_response(found()), query).ignored == ("page", "language", "exclude_domains")


def test_a_long_query_is_cut_at_a_word_and_said() -> None:
    query = Query("word " * 200)
    assert len(asked(query)["query"]) <= 500
    assert "query cut from 1000 to" in KEYED.parse(json_response(found()), query).notes[0]


def test_the_text_of_an_error_page_is_no_text_of_the_page() -> None:
    first, second = KEYED.parse(sample("firecrawl-texts"), Query("x", texts=True)).results
    assert (first.text, first.text_type) == ("# Tide tables\n\nHigh water at noon.", "text/markdown")
    assert first.extra == {}
    assert second.text == ""
    assert second.extra == {"page": "http-404"}


def test_news_and_images_beside_the_web_results_are_dropped_one_by_one() -> None:
    answer = found({"url": "https://a.example/"}, news=[{"url": "https://n.example/"}, 7], images=[{"imageUrl": "x"}])
    run = KEYED.parse(json_response(answer), QUERY)
    assert len(run.results) == 1
    assert run.dropped == (("https://n.example/", "not-web:news"), ("news", "not-web:news"), ("", "not-web:images"))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (found(), RunOutcome.EMPTY),
        ({"success": True, "data": {}}, RunOutcome.DEGRADED),
        ({"success": True, "data": {"news": [{"url": "https://n.example/"}]}}, RunOutcome.DEGRADED),
        ({"success": False, "data": {}}, RunOutcome.PARSE_ERROR),
        ({"success": False, "error": "said why"}, RunOutcome.PARSE_ERROR),
        ({"success": True, "data": []}, RunOutcome.PARSE_ERROR),
        ({"success": True, "data": {"web": None}}, RunOutcome.PARSE_ERROR),
        ({"success": True}, RunOutcome.PARSE_ERROR),
        ({"data": {}}, RunOutcome.PARSE_ERROR),
    ],
    ids=["list", "no-list", "news-only", "no-success", "error", "data-list", "web-null", "no-data", "not-said"],
)
def test_only_an_answer_that_calls_itself_a_success_can_be_empty(answer: dict[str, Any], outcome: RunOutcome) -> None:
    run = KEYED.parse(json_response(answer), QUERY)
    assert run.outcome is outcome
    assert "error" not in answer or "said why" in run.detail


def test_a_warning_of_the_answer_is_a_note() -> None:
    assert KEYED.parse(json_response(found() | {"warning": "fewer than asked"}), QUERY).notes == ("fewer than asked",)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (401, RunOutcome.AUTH),
        (402, RunOutcome.QUOTA),
        (403, RunOutcome.AUTH),
        (408, RunOutcome.TIMEOUT),
        (429, RunOutcome.RATE_LIMITED),
        (500, RunOutcome.UNAVAILABLE),
    ],
)
@pytest.mark.parametrize("provider", [KEYED, KEYLESS], ids=["keyed", "keyless"])
def test_refusals_say_what_to_do(
    ask: Ask, respx_mock: respx.Router, provider: Firecrawl, status: int, outcome: RunOutcome
) -> None:
    respx_mock.post("https://api.firecrawl.dev/v2/search").mock(
        return_value=httpx.Response(status, json={"success": False, "error": "said why"}, headers={"Retry-After": "5"})
    )
    run = ask(provider)
    assert run.outcome is outcome
    assert "said why" in run.detail
    if provider is KEYLESS and status in (401, 402, 403, 429):
        assert "set FIRECRAWL_API_KEY" in run.detail
    if provider is KEYED and status in (401, 403):
        assert "check FIRECRAWL_API_KEY" in run.detail


def test_another_address_can_be_given() -> None:
    assert Firecrawl(None, "http://127.0.0.1:9/").request(QUERY).url == "http://127.0.0.1:9/v2/search"
