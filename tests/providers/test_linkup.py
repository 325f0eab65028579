"""Linkup: what is its own. Error bodies are its own SDK's tests and its documentation's."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.linkup import Linkup
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER = Linkup(KEY)
URL = "https://api.linkup.so/v1/search"
MANY = tuple(f"{n}.example" for n in range(101))


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def failure(code: str) -> dict[str, Any]:
    return {"statusCode": 0, "error": {"code": code, "message": "said so", "details": []}}


def test_the_key_is_a_bearer_token_and_a_secret() -> None:
    request = PROVIDER.request(QUERY)
    assert (request.method, request.url) == ("POST", URL)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert request.secrets == (KEY,)


def test_options_become_fields() -> None:
    query = Query("潮汐", count=20, page=2, after="2024-03-04", before="2024-12-31", include_domains=("a.example",),
                  exclude_domains=("b.example",))  # fmt: skip
    assert asked(query) == {
        "q": "潮汐",
        "depth": "standard",
        "outputType": "searchResults",
        "includeImages": False,
        "maxResults": 40,
        "fromDate": "2024-03-04",
        "toDate": "2024-12-31",
        "includeDomains": ["a.example"],
        "excludeDomains": ["b.example"],
    }


def test_freshness_counts_from_the_day_of_asking_or_is_ignored() -> None:
    assert asked(Query("x", freshness="day", asked_on="2024-03-11"))["fromDate"] == "2024-03-10"
    undated = Query("x", freshness="day")
    assert "fromDate" not in asked(undated)
    assert PROVIDER.parse(sample("linkup-search"), undated).ignored == ("freshness",)


def test_too_many_domains_are_left_out_and_said() -> None:
    """100 wanted ones (its OpenAPI) and 50 unwanted ones (its guide to filters) are the most."""
    query = Query("x", include_domains=MANY, exclude_domains=MANY[:51])
    assert not {"includeDomains", "excludeDomains"} & set(asked(query))
    assert PROVIDER.parse(sample("linkup-search"), query).ignored == ("include_domains", "exclude_domains")
    most = Query("x", include_domains=MANY[:100], exclude_domains=MANY[:50])
    assert (len(asked(most)["includeDomains"]), len(asked(most)["excludeDomains"])) == (100, 50)
    assert PROVIDER.parse(sample("linkup-search"), most).ignored == ()


def test_images_are_no_results() -> None:
    run = PROVIDER.parse(sample("linkup-search"), QUERY)
    assert [result.url for result in run.results] == ["https://foo.com"]
    assert run.dropped == (("bar", "image"),)


def test_a_date_is_that_of_publication() -> None:
    run = PROVIDER.parse(sample("linkup-dates"), QUERY)
    assert (run.results[0].published, run.results[0].published_source) == ("2024-03-15", "date")
    assert run.dropped == (("Lost", "no-url"), ("Tide", "image"))


@pytest.mark.parametrize(
    ("status", "code", "outcome", "said"),
    [(400, "SEARCH_QUERY_NO_RESULT", RunOutcome.EMPTY, ""),
     (400, "VALIDATION_ERROR", RunOutcome.BAD_REQUEST, "said so"),
     (401, "UNAUTHORIZED", RunOutcome.AUTH, "check LINKUP_API_KEY"),
     (403, "FORBIDDEN", RunOutcome.AUTH, "check LINKUP_API_KEY"),
     (429, "TOO_MANY_REQUESTS", RunOutcome.RATE_LIMITED, "said so"),
     (429, "INSUFFICIENT_FUNDS_CREDITS", RunOutcome.QUOTA, "the credit is used up"),
     (429, "EXCEED_BUDGET_LIMIT", RunOutcome.QUOTA, "budget")],
)  # fmt: skip
def test_its_codes_over_the_wire(
    ask: Ask, respx_mock: respx.Router, status: int, code: str, outcome: RunOutcome, said: str
) -> None:
    respx_mock.post(URL).mock(return_value=httpx.Response(status, json=failure(code), headers={"Retry-After": "9"}))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert said in run.detail
    assert run.retry_after_s == (9 if outcome is RunOutcome.RATE_LIMITED else None)


def test_only_status_400_makes_no_result_an_empty_search() -> None:
    assert PROVIDER.parse(json_response(failure("SEARCH_QUERY_NO_RESULT"), 500), QUERY).outcome == "unavailable"
    assert PROVIDER.parse(json_response(failure("SEARCH_QUERY_NO_RESULT"), 200), QUERY).outcome == "parse_error"
