"""Parallel Search: what is its own. Error bodies are built from its documentation."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.providers.parallel import Parallel
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER = Parallel(KEY)


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def test_a_plain_query_has_no_policy_and_no_objective() -> None:
    assert asked(QUERY) == {
        "search_queries": ["tide table"],
        "mode": "advanced",
        "advanced_settings": {"max_results": 10, "excerpt_settings": {"max_chars_per_result": 3000}},
    }
    assert header(PROVIDER.request(QUERY).headers, "x-api-key") == KEY


def test_options_become_settings() -> None:
    query = Query(
        "潮汐",
        count=50,
        country="JP",
        after="2026-03-01",
        include_domains=("a.example",),
    )
    assert asked(query)["advanced_settings"] == {
        "max_results": 40,
        "excerpt_settings": {"max_chars_per_result": 3000},
        "location": "jp",
        "source_policy": {"after_date": "2026-03-01", "include_domains": ["a.example"]},
    }
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ("count",)


def test_a_freshness_is_a_first_day_where_it_can_be_counted() -> None:
    query = Query("x", freshness="month", asked_on="2026-11-30")
    assert asked(query)["advanced_settings"]["source_policy"] == {"after_date": "2026-10-30"}
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ()
    undated = Query("x", freshness="month")
    assert "source_policy" not in asked(undated)["advanced_settings"]
    assert PROVIDER.parse(json_response({"results": []}), undated).ignored == ("freshness",)


def test_a_last_day_is_said_to_be_ignored() -> None:
    query = Query("x", after="2026-03-01", before="2026-04-01", safe="strict", language="de", page=2)
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ("page", "language", "before", "safe")


def test_of_wanted_and_unwanted_domains_the_unwanted_are_said_to_be_ignored() -> None:
    query = Query("x", include_domains=("a.example",), exclude_domains=("b.example",))
    assert asked(query)["advanced_settings"]["source_policy"] == {"include_domains": ["a.example"]}
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == ("exclude_domains",)


@pytest.mark.parametrize("option", ["include_domains", "exclude_domains"])
def test_domains_over_the_limit_are_said_to_be_ignored(option: str) -> None:
    many = tuple(f"d{n}.example" for n in range(201))
    query = Query("x", **{option: many})  # type: ignore[arg-type]
    assert asked(query)["advanced_settings"]["source_policy"] == {option: list(many[:200])}
    assert PROVIDER.parse(json_response({"results": []}), query).ignored == (option,)


def test_a_long_question_is_cut_for_the_query_and_whole_in_the_objective() -> None:
    query = Query("word " * 100)
    sent = asked(query)
    assert len(sent["search_queries"][0]) <= 200
    assert sent["objective"] == query.text
    assert PROVIDER.parse(json_response({"results": []}), query).notes == ()
    longer = Query("word " * 2_000)
    assert len(asked(longer)["objective"]) <= 5_000
    assert "query cut from 10000 to" in PROVIDER.parse(json_response({"results": []}), longer).notes[0]


def test_excerpts_are_the_snippet_and_no_text() -> None:
    (result, bare) = PROVIDER.parse(sample("parallel-results"), Query("x", texts=True)).results
    assert result.snippet == "Section: Tables High water at noon. … Spring tides follow the new moon."
    assert (result.text, result.score) == ("", None)
    assert (result.published, result.published_source) == ("2026-03-02", "publish_date")
    assert (bare.title, bare.snippet, bare.published) == ("", "", None)


def test_a_country_that_is_not_served_is_ignored_and_its_warning_a_note() -> None:
    run = PROVIDER.parse(sample("parallel-warned"), Query("x", country="ZZ"))
    assert run.outcome is RunOutcome.OK
    assert run.ignored == ("country",)
    assert run.notes == ("Parallel warns: location 'zz' is not supported and was ignored",)
    assert PROVIDER.parse(sample("parallel-warned"), QUERY).ignored == ()


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (401, RunOutcome.AUTH),
        (402, RunOutcome.QUOTA),
        (403, RunOutcome.AUTH),
        (408, RunOutcome.TIMEOUT),
        (422, RunOutcome.BAD_REQUEST),
        (429, RunOutcome.RATE_LIMITED),
        (500, RunOutcome.UNAVAILABLE),
    ],
)
def test_the_message_of_an_error_is_told_though_a_detail_stands_beside_it(
    ask: Ask, respx_mock: respx.Router, status: int, outcome: RunOutcome
) -> None:
    error = {"ref_id": "r", "message": "said why", "detail": {"errors": [{"loc": ["body"]}]}}
    respx_mock.post("https://api.parallel.ai/v1/search").mock(
        return_value=httpx.Response(status, json={"type": "error", "error": error})
    )
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert "said why" in run.detail
    assert outcome is not RunOutcome.AUTH or "check PARALLEL_API_KEY" in run.detail
