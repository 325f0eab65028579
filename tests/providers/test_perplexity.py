"""Perplexity Search: what is its own. Error bodies have the form of Perplexity's other services."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.perplexity import Perplexity
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER = Perplexity(KEY)
URL = "https://api.perplexity.ai/search"
MANY = tuple(f"{n}.example" for n in range(21))


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def test_the_key_is_a_bearer_token_and_a_secret() -> None:
    request = PROVIDER.request(QUERY)
    assert (request.method, request.url) == ("POST", URL)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert request.secrets == (KEY,)


def test_options_become_fields_and_dates_american() -> None:
    query = Query("潮汐", count=50, language="de-CH", country="CH", after="2024-03-04", before="2024-12-31",
                  include_domains=("a.example", "b.example"))  # fmt: skip
    assert asked(query) == {
        "query": "潮汐",
        "max_results": 20,
        "max_tokens_per_page": 1024,
        "country": "CH",
        "search_language_filter": ["de"],
        "search_after_date_filter": "03/04/2024",
        "search_before_date_filter": "12/31/2024",
        "search_domain_filter": ["a.example", "b.example"],
    }
    assert asked(Query("x", freshness="week"))["search_recency_filter"] == "week"


def test_a_run_with_days_says_that_their_ends_are_not_told() -> None:
    assert "are inside" in PROVIDER.parse(sample("perplexity-search"), Query("x", after="2026-03-01")).notes[0]
    assert PROVIDER.parse(sample("perplexity-search"), Query("x", freshness="week")).notes == ()


def test_pages_are_asked_for_at_once() -> None:
    assert asked(Query("x", count=5, page=3))["max_results"] == 15


def test_denied_domains_have_a_minus() -> None:
    assert asked(Query("x", exclude_domains=("a.example", "b.example")))["search_domain_filter"] == [
        "-a.example",
        "-b.example",
    ]


@pytest.mark.parametrize(
    ("query", "sent", "ignored"),
    [
        (
            Query("x", include_domains=("a.example",), exclude_domains=("b.example",)),
            ["a.example"],
            ("exclude_domains",),
        ),
        (Query("x", include_domains=MANY), None, ("include_domains",)),
        (Query("x", exclude_domains=MANY), None, ("exclude_domains",)),
        (Query("x", include_domains=MANY, exclude_domains=("b.example",)), ["-b.example"], ("include_domains",)),
    ],
    ids=["both", "many-wanted", "many-denied", "many-wanted-beside-one-denied"],
)
def test_one_list_of_twenty_allows_or_denies(query: Query, sent: list[str] | None, ignored: tuple[str, ...]) -> None:
    assert asked(query).get("search_domain_filter") == sent
    assert PROVIDER.parse(sample("perplexity-search"), query).ignored == ignored


def test_a_language_that_has_no_two_letters_is_left_out_and_said() -> None:
    query = Query("x", language="gsw-CH")
    assert "search_language_filter" not in asked(query)
    assert PROVIDER.parse(sample("perplexity-search"), query).ignored == ("language",)


def test_the_dates_of_publication_and_of_change_are_kept_apart() -> None:
    first, second, third = PROVIDER.parse(sample("perplexity-search"), QUERY).results
    assert (first.published, first.published_source, first.extra) == ("2025-03-20", "date", {"modified": "2025-09-19"})
    assert (second.published, second.extra) == (None, {"modified": "2025-08-01"})
    assert (third.published, third.extra) == (None, {})
    assert first.snippet == "Times of high and low water for every harbour."


@pytest.mark.parametrize(
    ("status", "kind", "outcome", "said"),
    [(401, "invalid_api_key", RunOutcome.AUTH, "check PERPLEXITY_API_KEY"),
     (401, "insufficient_quota", RunOutcome.QUOTA, "used up"),
     (429, "rate_limit_exceeded", RunOutcome.RATE_LIMITED, "said so"),
     (400, "invalid_request", RunOutcome.BAD_REQUEST, "said so")],
)  # fmt: skip
def test_refusals_over_the_wire(
    ask: Ask, respx_mock: respx.Router, status: int, kind: str, outcome: RunOutcome, said: str
) -> None:
    body = {"error": {"message": "said so", "type": kind, "code": status}}
    respx_mock.post(URL).mock(return_value=httpx.Response(status, json=body))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert said in run.detail


def test_an_error_with_status_200_is_not_an_empty_answer() -> None:
    run = PROVIDER.parse(json_response({"error": {"message": "said so", "type": "x"}}), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert "said so" in run.detail
