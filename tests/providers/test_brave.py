"""Brave: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.brave import Brave
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER = Brave(KEY)
URL = "https://api.search.brave.com/res/v1/web/search"


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def failure(code: str, **meta: Any) -> dict[str, Any]:
    return {"type": "ErrorResponse", "error": {"code": code, "detail": "said so", "meta": meta}}


def test_the_key_stands_in_its_header_and_is_a_secret() -> None:
    request = PROVIDER.request(QUERY)
    assert header(request.headers, "X-Subscription-Token") == KEY
    assert request.secrets == (KEY,)


def test_options_become_parameters_and_offset_counts_pages() -> None:
    query = Query("tide", count=50, page=3, language="ja", country="JP", freshness="year", safe="off")
    assert asked(query) == {
        "q": "tide",
        "count": "20",
        "offset": "2",
        "result_filter": "web",
        "text_decorations": "false",
        "include_fetch_metadata": "true",
        "country": "JP",
        "search_lang": "jp",
        "freshness": "py",
        "safesearch": "off",
    }


@pytest.mark.parametrize(
    ("tag", "code"),
    [("en", "en"), ("en-US", "en"), ("en-GB", "en-gb"), ("zh", "zh-hans"), ("zh-Hant-TW", "zh-hant"),
     ("zh-TW", "zh-hant"),
     ("pt", "pt-pt"), ("pt-BR", "pt-br"), ("no", "nb"), ("ja-JP", "jp")],
)  # fmt: skip
def test_languages_have_codes_of_their_own(tag: str, code: str) -> None:
    assert asked(Query("x", language=tag))["search_lang"] == code


def test_a_language_or_country_it_does_not_know_is_left_out_and_said() -> None:
    query = Query("x", language="sw", country="KE")
    assert not {"search_lang", "country"} & set(asked(query))
    assert PROVIDER.parse(sample("brave-web"), query).ignored == ("country", "language")


def test_domain_rules_become_operators_where_they_can_be_said() -> None:
    assert asked(Query("x", include_domains=("a.example",)))["q"] == "x site:a.example"
    assert asked(Query("x", exclude_domains=("a.example", "b.example")))["q"] == "x -site:a.example -site:b.example"
    several = Query("x", include_domains=("a.example", "b.example"))
    assert asked(several)["q"] == "x"
    assert PROVIDER.parse(sample("brave-web"), several).ignored == ("include_domains",)


def test_a_query_too_long_is_cut_to_fifty_words_with_its_operators() -> None:
    sent = asked(Query("w " * 80, exclude_domains=("a.example",)))["q"]
    assert len(sent.split()) == 50
    assert sent.endswith(" -site:a.example")


@pytest.mark.parametrize(
    "body",
    [
        failure("SUBSCRIPTION_TOKEN_INVALID"),
        failure("VALIDATION", errors=[{"loc": ["header", "x-subscription-token"]}]),
    ],
    ids=["wrong-key", "missing-key"],
)
def test_a_wrong_or_missing_key_is_auth_though_the_status_is_422(
    ask: Ask, respx_mock: respx.Router, body: dict[str, Any]
) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(422, json=body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.AUTH
    assert "BRAVE_API_KEY" in run.detail
    assert KEY not in run.detail


def test_another_422_is_a_bad_request() -> None:
    body = failure("VALIDATION", errors=[{"loc": ["query", "freshness"]}])
    run = PROVIDER.parse(json_response(body, 422), QUERY)
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "said so" in run.detail


def test_too_many_requests_a_second_waits_for_the_first_window() -> None:
    headers = [("X-RateLimit-Remaining", "0, 14523"), ("X-RateLimit-Reset", "1, 1419704")]
    run = PROVIDER.parse(json_response(failure("RATE_LIMITED"), 429, *headers), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 1)


def test_a_used_up_month_is_quota() -> None:
    headers = [("X-RateLimit-Remaining", "1, 0"), ("X-RateLimit-Reset", "1, 1419704")]
    run = PROVIDER.parse(json_response(failure("RATE_LIMITED"), 429, *headers), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.QUOTA, 1_419_704)


def test_forbidden_is_auth() -> None:
    assert PROVIDER.parse(json_response({}, 403), QUERY).outcome is RunOutcome.AUTH


def test_an_answer_without_a_web_part_is_empty() -> None:
    run = PROVIDER.parse(json_response({"type": "search", "query": {"original": "zxqvkj"}}), QUERY)
    assert run.outcome is RunOutcome.EMPTY


def test_results_are_text_and_other_parts_are_dropped_with_a_reason() -> None:
    run = PROVIDER.parse(sample("brave-web"), QUERY)
    assert "<" not in run.results[0].snippet
    assert '"Hello, World!" program' in run.results[0].snippet
    assert run.results[0].published == "2024-12-27T15:49:55"
    assert run.results[0].extra["age"] == "4 days ago"
    assert {reason for _, reason in run.dropped} == {"not-web:videos"}
    assert len(run.dropped) == 5


def test_a_query_that_brave_changed_is_noted() -> None:
    body = {"query": {"original": "tied", "altered": "tide"}, "web": {"results": []}}
    assert PROVIDER.parse(json_response(body), QUERY).notes == ("Brave searched for: tide",)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_the_variable_whatever_the_status(status: int) -> None:
    assert "check BRAVE_API_KEY" in PROVIDER.parse(json_response({}, status), QUERY).detail


def test_a_single_day_is_a_range_and_an_open_end_is_the_day_of_asking() -> None:
    assert asked(Query("x", after="2024-03-04", before="2024-03-04"))["freshness"] == "2024-03-04to2024-03-04"
    assert asked(Query("x", after="2024-03-04", asked_on="2024-03-11"))["freshness"] == "2024-03-04to2024-03-11"
    assert asked(Query("x", before="2024-03-04"))["freshness"] == "1990-01-01to2024-03-04"
