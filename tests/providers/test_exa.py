"""Exa: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.exa import Exa
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response

PROVIDER = Exa(KEY)
PLAIN = {"query": "tide table", "type": "auto", "numResults": 10, "contents": {"highlights": True}}


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def test_a_plain_query_asks_for_highlights_and_no_texts() -> None:
    assert asked(QUERY) == PLAIN
    request = PROVIDER.request(QUERY)
    assert header(request.headers, "x-api-key") == KEY
    assert request.secrets == (KEY,)


def test_options_become_fields() -> None:
    query = Query(
        "潮汐",
        count=50,
        country="JP",
        safe="strict",
        include_domains=("a.example", "b.example"),
        exclude_domains=("c.example",),
        texts=True,
    )
    assert asked(query) == {
        "query": "潮汐",
        "type": "auto",
        "numResults": 50,
        "userLocation": "JP",
        "moderation": True,
        "includeDomains": ["a.example", "b.example"],
        "excludeDomains": ["c.example"],
        "contents": {"highlights": True, "text": True},
    }
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ()


def test_results_of_the_pages_before_are_asked_for_as_well() -> None:
    assert asked(Query("x", count=10, page=3))["numResults"] == 30
    assert asked(Query("x", count=50, page=3))["numResults"] == 100


@pytest.mark.parametrize(
    ("query", "span"),
    [
        (Query("x", freshness="week", asked_on="2026-11-30"), {"startPublishedDate": "2026-11-22T23:59:59.999Z"}),
        (Query("x", after="2026-03-01"), {"startPublishedDate": "2026-02-28T23:59:59.999Z"}),
        (Query("x", before="2026-03-01"), {"endPublishedDate": "2026-03-01T23:59:59.999Z"}),
    ],
    ids=["week", "after", "before"],
)
def test_the_first_and_the_last_day_are_inside_the_span(query: Query, span: dict[str, str]) -> None:
    sent = asked(query)
    assert {name: sent[name] for name in sent if name.endswith("Date")} == span
    run = PROVIDER.parse(json_response({"results": []}), query)
    assert run.ignored == ()
    assert run.notes == ("the time filter leaves out pages whose date Exa does not know",)


def test_a_freshness_without_a_day_to_count_from_is_said_to_be_ignored() -> None:
    query = Query("x", freshness="week")
    assert not any(name.endswith("Date") for name in asked(query))
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ("freshness",)


@pytest.mark.parametrize(("safe", "moderation"), [("off", False), ("moderate", True), ("strict", True)])
def test_its_one_filter_is_on_or_off(safe: str, moderation: bool) -> None:
    assert asked(Query("x", safe=safe))["moderation"] is moderation


def test_a_result_has_its_highlights_its_dates_and_its_score() -> None:
    row = {
        "id": "https://a.example/",
        "url": "https://a.example/",
        "title": "t",
        "score": 0.25,
        "publishedDate": "2026-03-01T00:00:00.000Z",
        "crawlDate": "2026-04-01T00:00:00.000Z",
        "author": "Ada",
        "highlights": ["one", " ", 7, "two"],
        "summary": "not this",
        "text": "line\n\nline",
    }
    (result,) = PROVIDER.parse(json_response({"results": [row]}), QUERY).results
    assert (result.snippet, result.score) == ("one … two", "0.25")
    assert (result.published, result.published_source) == ("2026-03-01T00:00:00.000Z", "publishedDate")
    assert (result.crawled, result.crawled_source) == ("2026-04-01T00:00:00.000Z", "crawlDate")
    assert (result.text, result.text_type) == ("line\n\nline", "text/plain")
    assert result.extra == {"author": "Ada"}


def test_text_beside_the_results_is_no_result() -> None:
    answer = {"results": [{"url": "https://a.example/"}], "context": "all of it", "output": {"content": "42"}}
    assert PROVIDER.parse(json_response(answer), QUERY).dropped == (
        ("context", "not-a-result"),
        ("output", "not-a-result"),
    )


@pytest.mark.parametrize(
    ("status", "tag", "outcome"),
    [
        (402, "NO_MORE_CREDITS", RunOutcome.QUOTA),
        (429, "API_KEY_BUDGET_EXCEEDED", RunOutcome.QUOTA),
        (429, "RATE_LIMITED", RunOutcome.RATE_LIMITED),
        (400, "INVALID_API_KEY", RunOutcome.AUTH),
        (400, "INVALID_REQUEST_BODY", RunOutcome.BAD_REQUEST),
        (403, "FEATURE_DISABLED", RunOutcome.AUTH),
        (403, "TEAM_BLOCKED", RunOutcome.AUTH),
        (403, "PROHIBITED_CONTENT", RunOutcome.BAD_REQUEST),
    ],
)
def test_the_tag_of_an_error_counts_and_is_told(
    ask: Ask, respx_mock: respx.Router, status: int, tag: str, outcome: RunOutcome
) -> None:
    body = {"requestId": "r", "error": "said why", "tag": tag}
    respx_mock.post("https://api.exa.ai/search").mock(return_value=httpx.Response(status, json=body))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert "said why" in run.detail
    assert outcome is not RunOutcome.AUTH or "check EXA_API_KEY" in run.detail
