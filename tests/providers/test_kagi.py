"""Kagi: what is its own. Answers and errors of both versions are built from its documentation and its client."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.exchange import header
from searchlog.search.providers.kagi import Kagi
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample
from tests.providers.shapes import JSON, ROWS, STATUS, survives

PROVIDER = Kagi(KEY)
URL = "https://kagi.com/api/v1/search"
META = {"trace": "x", "node": "us", "ms": 1}
ROW = {"url": "https://a.example/", "title": "t"}


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def error(code: object, message: str = "said so", **more: Any) -> dict[str, Any]:
    return {"meta": META, "data": None, "error": [{"code": code, "message": message}]} | more


def test_the_key_is_a_bearer_token_and_a_secret() -> None:
    request = PROVIDER.request(QUERY)
    assert (request.method, request.url) == ("POST", URL)
    assert header(request.headers, "Authorization") == f"Bearer {KEY}"
    assert request.secrets == (KEY,)


def test_options_become_fields() -> None:
    query = Query("潮汐", count=20, page=2, country="JP", after="2024-03-04", before="2024-12-31", safe="off",
                  include_domains=("a.example",), exclude_domains=("b.example",))  # fmt: skip
    assert asked(query) == {
        "query": "潮汐",
        "workflow": "search",
        "limit": 40,
        "filters": {"region": "JP", "after": "2024-03-04", "before": "2024-12-31"},
        "safe_search": False,
        "lens": {"sites_included": ["a.example"], "sites_excluded": ["b.example"]},
    }


def test_nothing_is_sent_that_was_not_asked() -> None:
    assert asked(QUERY) == {"query": "tide table", "workflow": "search", "limit": 10}


def test_freshness_counts_from_the_day_of_asking_or_is_ignored() -> None:
    assert asked(Query("x", freshness="week", asked_on="2024-03-11"))["filters"] == {"after": "2024-03-04"}
    undated = Query("x", freshness="week")
    assert "filters" not in asked(undated)
    assert PROVIDER.parse(sample("kagi-v1"), undated).ignored == ("freshness",)


def test_too_many_domains_are_left_out_and_said() -> None:
    query = Query("x", include_domains=tuple(f"{n}.example" for n in range(101)), exclude_domains=("b.example",))
    assert asked(query)["lens"] == {"sites_excluded": ["b.example"]}
    assert PROVIDER.parse(sample("kagi-v1"), query).ignored == ("include_domains",)


def test_version_1_has_a_list_for_each_kind_and_only_one_is_the_web() -> None:
    run = PROVIDER.parse(sample("kagi-v1"), QUERY)
    assert [result.url for result in run.results] == ["https://tides.example/year", "https://harbour.example/notes"]
    assert (run.results[0].published, run.results[0].published_source) == ("2024-11-29T03:54:26Z", "time")
    assert run.dropped == (
        ("https://images.example/tide.jpg", "not-web:image"),
        ("Twice a day", "not-web:direct_answer"),
        ("https://kagi.com/search?q=spring+tide", "not-web:related_search"),
    )


def test_version_0_has_one_list_with_related_searches_in_it() -> None:
    run = PROVIDER.parse(sample("kagi-v0-made"), QUERY)
    assert run.results[0].snippet == "Times of high water, the harbour's own …"
    assert (run.results[0].published, run.results[0].published_source) == ("2024-09-30T00:00:00Z", "published")
    assert run.dropped == (("tide times", "related-search"), ("spring tide", "related-search"))


def test_a_run_says_that_the_account_shapes_it() -> None:
    assert "settings of the Kagi account" in PROVIDER.parse(sample("kagi-v1-empty"), QUERY).notes[0]


def test_a_run_with_a_time_filter_says_what_it_counts() -> None:
    assert "last change" in PROVIDER.parse(sample("kagi-v1"), Query("x", before="2026-03-01")).notes[1]
    assert len(PROVIDER.parse(sample("kagi-v1"), QUERY).notes) == 1


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (400, error(101), RunOutcome.QUOTA),
        (200, error(100), RunOutcome.QUOTA),
        (400, error(1), RunOutcome.BAD_REQUEST),
        (200, error(2), RunOutcome.AUTH),
        (200, error(0), RunOutcome.UNAVAILABLE),
        (401, error("auth.invalid"), RunOutcome.AUTH),
        (403, error("ip.denied"), RunOutcome.AUTH),
        (429, error("request.rate_limited"), RunOutcome.RATE_LIMITED),
        (429, error("usage.limit", "Usage limit exhausted"), RunOutcome.QUOTA),
        (500, error("internal"), RunOutcome.UNAVAILABLE),
        (400, error("request.invalid"), RunOutcome.BAD_REQUEST),
        (200, error("request.invalid"), RunOutcome.BAD_REQUEST),
        (200, {"meta": META, "data": None}, RunOutcome.PARSE_ERROR),
        (200, {"meta": META, "data": {"search": None}}, RunOutcome.PARSE_ERROR),
        (200, {"data": {}}, RunOutcome.PARSE_ERROR),
        (200, {"meta": {}, "data": {}}, RunOutcome.PARSE_ERROR),
        (200, {"meta": META, "data": {}}, RunOutcome.EMPTY),
        (200, error("part.failed", data={"search": [ROW]}), RunOutcome.DEGRADED),
        (200, error("part.failed", data={"search": []}), RunOutcome.BAD_REQUEST),
    ],
)
def test_what_went_wrong_is_told_by_the_list_of_errors_first(
    status: int, body: dict[str, Any], outcome: RunOutcome
) -> None:
    assert PROVIDER.parse(json_response(body, status), QUERY).outcome is outcome


def test_a_refused_key_over_the_wire_names_the_variable(ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.post(URL).mock(return_value=httpx.Response(401, json=error("auth.invalid", f"bad token {KEY}")))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.AUTH
    assert "check KAGI_API_KEY" in run.detail
    assert KEY not in repr(run)


def test_a_million_related_terms_are_too_large() -> None:
    run = PROVIDER.parse(json_response({"data": [{"t": 1, "list": ["x"] * 30_000}]}), QUERY)
    assert (run.outcome, run.dropped) == (RunOutcome.TOO_LARGE, ())


@settings(max_examples=80, deadline=None)
@given(
    value=st.fixed_dictionaries(
        {"data": ROWS | st.dictionaries(st.sampled_from(["search", "image", "\ud800"]), ROWS, max_size=3)},
        optional={"meta": JSON | st.just(META), "error": JSON | st.lists(st.dictionaries(
            st.sampled_from(["code", "message", "msg"]), JSON, max_size=3), max_size=2)},
    ),
    status=STATUS,
)  # fmt: skip
def test_no_shape_of_its_lists_makes_it_raise(value: Any, status: int) -> None:
    survives(PROVIDER, value, status)
