"""SerpApi: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.search.providers.serpapi import SerpApi
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, exchange_of, json_response, sample
from tests.providers.shapes import BLOCK, JSON, ROWS, STATUS, survives

PROVIDER = SerpApi(KEY)
URL = "https://serpapi.com/search.json"
ROW = {"title": "t", "link": "https://a.example/"}


def asked(query: Query) -> dict[str, str]:
    fields = parse_qs(urlsplit(PROVIDER.request(query).url).query)
    assert fields.pop("api_key") == [KEY]
    return {key: values[0] for key, values in fields.items()}


def test_the_key_stands_in_the_query_string_and_is_a_secret(respx_mock: respx.Router) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(200, json={"organic_results": []}))
    request = PROVIDER.request(QUERY)
    assert KEY in request.url
    assert request.secrets == (KEY,)
    assert KEY not in repr(exchange_of(request))


def test_options_become_parameters() -> None:
    query = Query("tide", page=2, language="ja", country="GB", after="2024-03-04", safe="strict",
                  exclude_domains=("b.example",))  # fmt: skip
    assert asked(query) == {
        "engine": "google",
        "q": "tide -site:b.example",
        "start": "10",
        "gl": "uk",
        "hl": "ja",
        "tbs": "cdr:1,cd_min:3/4/2024",
        "safe": "active",
    }


def test_what_cannot_be_said_is_left_out_and_said() -> None:
    query = Query("x", count=5, language="tlh", safe="moderate")
    assert asked(query) == {"engine": "google", "q": "x", "start": "0"}
    assert PROVIDER.parse(sample("serpapi-coffee"), query).ignored == ("count", "language", "safe")


def test_start_counts_in_tens_and_earlier_rows_are_dropped() -> None:
    query = Query("x", count=5, page=2)
    run = PROVIDER.parse(json_response({"organic_results": [ROW] * 10}), query)
    assert asked(query)["start"] == "0"
    assert (len(run.results), [reason for _, reason in run.dropped]) == (5, ["before-page"] * 5)


def test_advertisements_and_other_blocks_are_no_results() -> None:
    run = PROVIDER.parse(sample("serpapi-blocks"), QUERY)
    assert run.dropped == (
        ("https://ads.example/tides", "not-web:ads"),
        ("https://answer.example/", "not-web:answer_box"),
        ("Tide", "not-web:knowledge_graph"),
        ("Tide Café", "not-web:local_results"),
        ("https://paa.example/1", "not-web:related_questions"),
    )
    assert run.results[0].extra == {"source": "Tides"}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"error": "Google hasn't returned any results for this query."}, RunOutcome.EMPTY),
        ({"search_information": {"organic_results_state": "Fully empty"}}, RunOutcome.EMPTY),
        ({"organic_results": []}, RunOutcome.EMPTY),
        ({"error": "We couldn't get valid results for this search."}, RunOutcome.UNAVAILABLE),
        ({"organic_results": [], "error": "Something went wrong"}, RunOutcome.UNAVAILABLE),
        ({"organic_results": [], "search_metadata": {"status": "Error"}}, RunOutcome.UNAVAILABLE),
        ({"search_metadata": {"status": "Queued"}}, RunOutcome.UNAVAILABLE),
        ({"error": "Your account has run out of searches."}, RunOutcome.QUOTA),
        ({"error": "Invalid API key."}, RunOutcome.AUTH),
        ({"search_metadata": {"status": "Success"}, "knowledge_graph": {"title": "x"}}, RunOutcome.PARSE_ERROR),
        ({"organic_results": [ROW], "error": "half of it failed"}, RunOutcome.DEGRADED),
        ({"organic_results": [{"title": "lost"}]}, RunOutcome.PARSE_ERROR),
    ],
)
def test_status_200_says_little_and_the_words_decide(answer: dict[str, Any], outcome: RunOutcome) -> None:
    assert PROVIDER.parse(json_response(answer), QUERY).outcome is outcome


@pytest.mark.parametrize(
    ("status", "message", "outcome", "said"),
    [(401, "Invalid API key.", RunOutcome.AUTH, "check SERPAPI_API_KEY"),
     (403, "The account has been deleted.", RunOutcome.AUTH, "check SERPAPI_API_KEY"),
     (429, "Your account has run out of searches.", RunOutcome.QUOTA, "searches are used up"),
     (429, "You are exceeding the hourly throughput limit.", RunOutcome.RATE_LIMITED, "hourly"),
     (400, "Missing query `q` parameter.", RunOutcome.BAD_REQUEST, "Missing query"),
     (503, "We couldn't get valid results.", RunOutcome.UNAVAILABLE, "valid results")],
)  # fmt: skip
def test_refusals_over_the_wire(
    ask: Ask, respx_mock: respx.Router, status: int, message: str, outcome: RunOutcome, said: str
) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(status, json={"error": message}))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert said in run.detail


def test_a_key_that_the_error_repeats_reaches_no_run(ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(401, json={"error": f"Invalid API key {KEY}"}))
    run = ask(PROVIDER)
    assert "Invalid API key" in run.detail
    assert KEY not in repr(run)


@settings(max_examples=80, deadline=None)
@given(
    value=st.fixed_dictionaries(
        {"organic_results": ROWS},
        optional={
            "error": JSON,
            "ads": BLOCK,
            "local_results": BLOCK,
            "search_information": JSON | st.fixed_dictionaries({"organic_results_state": JSON}),
            "search_metadata": JSON | st.fixed_dictionaries({"status": JSON}),
        },
    ),
    status=STATUS,
)
def test_no_shape_of_its_lists_makes_it_raise(value: Any, status: int) -> None:
    survives(PROVIDER, value, status)
