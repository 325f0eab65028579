"""Jina search: what is its own. Error bodies are built from its source."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.jina import Jina
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER = Jina(KEY)


def asked(query: Query) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def error(name: str, message: str, status: int, **more: Any) -> httpx.Response:
    return httpx.Response(status, json={"data": None, "code": status, "name": name, "message": message, **more})


def test_the_key_is_a_bearer_token_and_stands_in_no_address() -> None:
    request = PROVIDER.request(QUERY)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert KEY not in request.url
    assert request.secrets == (KEY,)


def test_texts_are_asked_for_only_when_they_are_wanted() -> None:
    assert header(PROVIDER.request(QUERY).headers, "X-Respond-With") == "no-content"
    assert header(PROVIDER.request(Query("x", texts=True)).headers, "X-Respond-With") is None


def test_options_become_fields() -> None:
    assert asked(QUERY) == {"q": "tide table", "num": "10", "page": "1"}
    query = Query(
        "潮汐",
        count=50,
        page=2,
        language="ja",
        country="JP",
        include_domains=("a.example",),
        exclude_domains=("b.example",),
    )
    assert asked(query) == {
        "q": "潮汐 site:a.example -site:b.example",
        "num": "20",
        "page": "2",
        "gl": "jp",
        "hl": "ja",
    }
    assert PROVIDER.parse(json_response({"data": []}), query).ignored == ("count",)


@pytest.mark.parametrize(
    ("tag", "code"),
    [("zh", "zh-cn"), ("zh-Hant-TW", "zh-tw"), ("pt-BR", "pt-br"), ("pt", "pt"), ("he", "iw"), ("de-AT", "de"),
     ("nb", "no"), ("tlh", None)],
)  # fmt: skip
def test_languages_are_its_own_codes(tag: str, code: str | None) -> None:
    query = Query("x", language=tag)
    assert asked(query).get("hl") == code
    assert PROVIDER.parse(json_response({"data": []}), query).ignored == (() if code else ("language",))


def test_what_it_cannot_say_is_ignored() -> None:
    query = Query("x", include_domains=("a.example", "b.example"), freshness="week", safe="strict")
    assert asked(query)["q"] == "x"
    assert PROVIDER.parse(json_response({"data": []}), query).ignored == ("freshness", "safe", "include_domains")


def test_nothing_found_is_told_by_its_sentence_and_not_by_its_status(ask: Ask, respx_mock: respx.Router) -> None:
    route = respx_mock.get(url__startswith="https://s.jina.ai/")
    route.mock(return_value=error("AssertionFailureError", "No search results available for query tide table", 422))
    run = ask(PROVIDER)
    assert (run.outcome, run.results, run.dropped) == (RunOutcome.EMPTY, (), ())
    route.mock(return_value=error("AssertionFailureError", "No provider can do web search atm.", 422))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "No provider can do" in run.detail


def test_the_sentence_in_a_query_that_is_repeated_does_not_make_an_answer_empty() -> None:
    query = Query("No search results available for query")
    body = {"name": "AssertionFailureError", "message": f"No content available for query {query.text}"}
    assert PROVIDER.parse(json_response(body, 422), query).outcome is RunOutcome.BAD_REQUEST


@pytest.mark.parametrize(
    ("status", "name", "outcome"),
    [
        (401, "AuthenticationRequiredError", RunOutcome.AUTH),
        (402, "InsufficientBalanceError", RunOutcome.QUOTA),
        (403, "TierFeatureConstraintError", RunOutcome.AUTH),
        (503, "ServiceNodeResourceDrainError", RunOutcome.UNAVAILABLE),
    ],
)
def test_refusals_say_why(ask: Ask, respx_mock: respx.Router, status: int, name: str, outcome: RunOutcome) -> None:
    respx_mock.route().mock(return_value=error(name, "said why", status))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert "said why" in run.detail
    assert outcome is not RunOutcome.AUTH or "check JINA_API_KEY" in run.detail


def test_how_long_to_wait_stands_in_the_header_or_in_the_body() -> None:
    assert PROVIDER.parse(sample("jina-busy"), QUERY).retry_after_s == 31
    answer = json_response({"name": "RateLimitTriggeredError", "retryAfter": 31}, 429, ("Retry-After", "7"))
    assert PROVIDER.parse(answer, QUERY).retry_after_s == 7


def test_the_text_of_an_error_page_is_no_text_of_the_page() -> None:
    first, second = PROVIDER.parse(sample("jina-texts"), Query("x", texts=True)).results
    assert (first.text, first.text_type) == ("# Tide tables\n\nHigh water at noon.", "text/markdown")
    assert (first.published, first.published_source) == ("2026-03-02T10:00:00Z", "publishedTime")
    assert (second.text, second.extra) == ("", {"page": "http-404"})
