"""You.com: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.you import You
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, exchange_of, json_response, sample

KEYED, KEYLESS = You(KEY), You()
KEYLESS_AT, KEYED_AT = "https://api.you.com/v1/agents/search", "https://ydc-index.io/v1/search"


def asked(query: Query) -> dict[str, Any]:
    return json.loads(KEYED.request(query).body)


def asked_keyless(query: Query) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(KEYLESS.request(query).url).query).items()}


def test_with_a_key_and_without_one_it_is_asked_at_two_addresses() -> None:
    keyed, keyless = KEYED.request(QUERY), KEYLESS.request(QUERY)
    assert (keyed.method, keyed.url) == ("POST", KEYED_AT)
    assert header(keyed.headers, "X-API-Key") == KEY
    assert keyed.secrets == (KEY,)
    assert (keyless.method, keyless.url.split("?")[0]) == ("GET", KEYLESS_AT)
    assert header(keyless.headers, "X-API-Key") is None
    assert keyless.secrets == ()
    assert (KEYED.facts.endpoint, KEYED.facts.keyless) == (KEYED_AT, False)
    assert (KEYLESS.facts.endpoint, KEYLESS.facts.keyless) == (KEYLESS_AT, True)


def test_both_addresses_can_be_replaced() -> None:
    assert You(KEY, "http://127.0.0.1:9/").request(QUERY).url == "http://127.0.0.1:9/v1/search"
    assert You(None, "http://127.0.0.1:9/").request(QUERY).url.startswith("http://127.0.0.1:9/v1/agents/search?")


def test_without_a_key_no_compressed_answer_is_asked_for(respx_mock: respx.Router) -> None:
    route = respx_mock.get(url__startswith=KEYLESS_AT).mock(return_value=httpx.Response(200, json={"results": {}}))
    exchange_of(KEYLESS.request(QUERY))
    assert route.calls[0].request.headers.get_list("Accept-Encoding") == ["identity"]


def test_options_become_fields() -> None:
    assert asked(QUERY) == {"query": "tide table", "count": 10, "offset": 0}
    query = Query("潮汐", count=50, page=3, language="zh-TW", country="TW", freshness="week", safe="strict", texts=True)
    assert asked(query) == {
        "query": "潮汐",
        "count": 50,
        "offset": 2,
        "freshness": "week",
        "country": "TW",
        "language": "ZH-HANT",
        "safesearch": "strict",
        "extraction": {"extraction_mode": "full_page", "full_page": {"extraction_formats": ["markdown"]}},
    }
    assert asked_keyless(query) == {
        "query": "潮汐",
        "count": "50",
        "offset": "2",
        "freshness": "week",
        "country": "TW",
        "language": "ZH-HANT",
        "safesearch": "strict",
    }


@pytest.mark.parametrize(
    ("query", "range_"),
    [
        (Query("x", after="2026-03-01"), "2026-03-01to2099-12-31"),
        (Query("x", after="2026-03-01", asked_on="2026-11-30"), "2026-03-01to2026-11-30"),
        (Query("x", before="2026-03-01"), "1990-01-01to2026-03-01"),
        (Query("x", after="2026-03-01", before="2026-04-01"), "2026-03-01to2026-04-01"),
    ],
    ids=["after", "after-asked", "before", "both"],
)
def test_days_become_a_range(query: Query, range_: str) -> None:
    assert asked(query)["freshness"] == range_


def test_domains_are_taken_with_a_key_only_and_not_both_kinds() -> None:
    both = Query("x", include_domains=("a.example",), exclude_domains=("b.example",))
    assert asked(both) == {"query": "x", "count": 10, "offset": 0, "include_domains": ["a.example"]}
    assert KEYED.parse(json_response({"results": {}}), both).ignored == ("exclude_domains",)
    assert asked(Query("x", exclude_domains=("b.example",)))["exclude_domains"] == ["b.example"]
    assert asked_keyless(both) == {"query": "x", "count": "10", "offset": "0"}
    assert KEYLESS.parse(json_response({"results": {}}), both).ignored == ("include_domains", "exclude_domains")


def test_domains_over_the_limit_are_said_to_be_ignored() -> None:
    many = tuple(f"d{n}.example" for n in range(501))
    assert len(asked(Query("x", include_domains=many))["include_domains"]) == 500
    assert KEYED.parse(json_response({"results": {}}), Query("x", include_domains=many)).ignored == ("include_domains",)
    assert KEYED.parse(json_response({"results": {}}), Query("x", exclude_domains=many)).ignored == ("exclude_domains",)


@pytest.mark.parametrize(
    ("tag", "code"),
    [("en", "EN"), ("en-GB", "EN-GB"), ("en-US", "EN"), ("pt", "PT-PT"), ("pt-BR", "PT-BR"), ("zh-Hans-CN", "ZH-HANS"),
     ("nn", "NB"), ("ja", None), ("sw", None)],
)  # fmt: skip
def test_languages_are_its_own_codes(tag: str, code: str | None) -> None:
    query = Query("x", language=tag)
    assert asked(query).get("language") == code
    assert KEYED.parse(json_response({"results": {}}), query).ignored == (() if code else ("language",))


def test_an_unknown_country_is_said_to_be_ignored() -> None:
    assert "country" not in asked(Query("x", country="EE"))
    assert KEYED.parse(json_response({"results": {}}), Query("x", country="EE")).ignored == ("country",)


def test_news_come_after_the_web_and_knowledge_is_no_result() -> None:
    run = KEYED.parse(sample("you-web-news"), QUERY)
    assert [result.extra for result in run.results] == [{}, {}, {"section": "news"}]
    assert [result.rank for result in run.results] == [1, 2, 3]
    assert run.results[0].snippet == "High water at noon. … Spring tides follow the new moon."
    assert run.results[1].snippet == "How the moon moves the sea."
    assert run.results[2].published == "2026-11-29T18:00:00"
    assert run.dropped == (("High water", "not-a-result"),)


def test_texts_of_pages_are_kept() -> None:
    (result,) = KEYED.parse(sample("you-texts"), Query("x", texts=True)).results
    assert (result.text, result.text_type) == ("# Tide tables\n\nHigh water at noon.", "text/markdown")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"results": {}}, RunOutcome.EMPTY),
        ({"results": {"web": None, "news": []}}, RunOutcome.EMPTY),
        ({"results": {"knowledge": [{"title": "t"}]}}, RunOutcome.EMPTY),
        ({"results": []}, RunOutcome.PARSE_ERROR),
        ({"results": {"web": {"a": 1}}}, RunOutcome.PARSE_ERROR),
        ({"results": {"news": "none"}}, RunOutcome.PARSE_ERROR),
        ({"metadata": {}}, RunOutcome.PARSE_ERROR),
    ],
    ids=["no-sections", "null-section", "knowledge-only", "list", "web-object", "news-text", "no-results"],
)
def test_an_answer_is_empty_only_where_its_sections_are(answer: dict[str, Any], outcome: RunOutcome) -> None:
    assert KEYED.parse(json_response(answer), QUERY).outcome is outcome


@pytest.mark.parametrize(
    ("provider", "status", "outcome", "advice"),
    [
        (KEYED, 401, RunOutcome.AUTH, "check YDC_API_KEY"),
        (KEYED, 402, RunOutcome.QUOTA, ""),
        (KEYED, 422, RunOutcome.BAD_REQUEST, ""),
        (KEYED, 429, RunOutcome.RATE_LIMITED, ""),
        (KEYLESS, 401, RunOutcome.AUTH, "set YDC_API_KEY"),
        (KEYLESS, 402, RunOutcome.RATE_LIMITED, "set YDC_API_KEY"),
        (KEYLESS, 403, RunOutcome.AUTH, "set YDC_API_KEY"),
        (KEYLESS, 429, RunOutcome.RATE_LIMITED, "set YDC_API_KEY"),
        (KEYLESS, 500, RunOutcome.UNAVAILABLE, ""),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else None,
)
def test_refusals_say_what_to_do(
    ask: Ask, respx_mock: respx.Router, provider: You, status: int, outcome: RunOutcome, advice: str
) -> None:
    """Without a key 402 is the limit of the day, as 429 is: waiting helps."""
    respx_mock.route().mock(return_value=httpx.Response(status, json={"detail": "said why"}))
    run = ask(provider)
    assert run.outcome is outcome
    assert "said why" in run.detail
    assert advice in run.detail
