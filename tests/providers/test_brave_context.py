"""Brave LLM Context: what is its own; refusals are those of `brave`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.exchange import header
from searchlog.search.providers.brave_context import BraveContext
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample
from tests.providers.shapes import BLOCK, JSON, ROWS, STATUS, survives

PROVIDER = BraveContext(KEY)
URL = "https://api.search.brave.com/res/v1/llm/context"
TEXTS = replace(QUERY, texts=True)
MANY = tuple(f"{n}.example" for n in range(101))


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def test_it_uses_the_key_of_brave_and_is_asked_by_name() -> None:
    request = PROVIDER.request(QUERY)
    assert header(request.headers, "X-Subscription-Token") == KEY
    assert request.secrets == (KEY,)
    assert PROVIDER.facts.by_name
    assert PROVIDER.facts.key_env[0] == "BRAVE_API_KEY"


def test_options_become_parameters_and_pages_are_asked_for_at_once() -> None:
    query = Query("tide", count=15, page=2, language="ja", country="JP", freshness="week")
    assert asked(query) == {
        "q": "tide",
        "count": "30",
        "maximum_number_of_urls": "30",
        "enable_local": "false",
        "country": "JP",
        "search_lang": "jp",
        "freshness": "pw",
        "maximum_number_of_snippets_per_url": "1",
    }
    assert asked(Query("x", after="2024-03-04", before="2024-12-31"))["freshness"] == "2024-03-04to2024-12-31"


def test_more_text_is_asked_for_only_where_texts_are_wanted() -> None:
    sent = asked(TEXTS)
    assert sent["maximum_number_of_tokens"] == "32768"
    assert "maximum_number_of_snippets_per_url" not in sent


@pytest.mark.parametrize(
    ("query", "goggle", "ignored"),
    [
        (Query("x"), None, ()),
        (Query("x", include_domains=("a.example", "b.example")), "$discard\n$site=a.example\n$site=b.example", ()),
        (Query("x", exclude_domains=("a.example",)), "$discard,site=a.example", ()),
        (
            Query("x", include_domains=("a.example",), exclude_domains=("b.example",)),
            "$discard\n$site=a.example",
            ("exclude_domains",),
        ),
        (Query("x", include_domains=MANY), None, ("include_domains",)),
        (Query("x", include_domains=("a.example\n$boost=9",)), None, ("include_domains",)),
        (Query("x", exclude_domains=("münchen.example",)), None, ("exclude_domains",)),
    ],
    ids=["none", "wanted", "denied", "both", "many", "a-rule-inside", "not-plain"],
)
def test_domains_are_said_by_a_goggle(query: Query, goggle: str | None, ignored: tuple[str, ...]) -> None:
    assert asked(query).get("goggles") == goggle
    assert PROVIDER.parse(sample("brave-llm-context"), query).ignored == ignored


def test_what_cannot_be_said_is_left_out_and_said() -> None:
    run = PROVIDER.parse(sample("brave-llm-context"), Query("w " * 60, language="sw", country="KE", safe="strict"))
    assert run.ignored == ("safe", "country", "language")
    assert "query cut" in run.notes[0]


def test_the_first_piece_is_the_snippet_and_all_are_the_text() -> None:
    found = PROVIDER.parse(sample("brave-llm-context"), TEXTS).results[0]
    assert found.snippet == "Relevant text chunk extracted from the page..."
    assert found.text == (
        "Relevant text chunk extracted from the page...\n\nAnother relevant passage from the same page..."
    )
    assert found.text_type == "text/plain"
    assert PROVIDER.parse(sample("brave-llm-context"), QUERY).results[0].text == ""


def test_the_date_is_the_second_spelling_among_the_sources() -> None:
    first, second = PROVIDER.parse(sample("brave-context-odd"), QUERY).results
    assert (first.published, first.published_source) == ("2025-01-15", "age")
    assert second.published is None


def test_pieces_that_are_no_text_are_left_out_and_places_are_no_results() -> None:
    run = PROVIDER.parse(sample("brave-context-odd"), TEXTS)
    assert run.results[0].text == 'Times of high water.\n\n{"harbour": "north", "rows": 2}'
    assert (run.results[1].snippet, run.results[1].text) == ("", "")
    assert run.dropped == (
        ("Lost", "no-url"),
        ("https://cafe.example/", "not-web:poi"),
        ("https://pier.example/", "not-web:map"),
    )


def test_an_answer_without_its_list_is_not_empty() -> None:
    assert PROVIDER.parse(json_response({"grounding": {}, "sources": {}}), QUERY).outcome is RunOutcome.PARSE_ERROR


def test_a_used_up_month_over_the_wire_is_quota(ask: Ask, respx_mock: respx.Router) -> None:
    headers = {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}
    respx_mock.get(URL).mock(
        return_value=httpx.Response(429, json={"error": {"code": "RATE_LIMITED"}}, headers=headers)
    )
    run = ask(PROVIDER)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.QUOTA, 1_419_704)
    assert run.detail.startswith("brave-context: ")


@settings(max_examples=80, deadline=None)
@given(
    value=st.fixed_dictionaries(
        {"grounding": JSON | st.fixed_dictionaries({"generic": ROWS}, optional={"poi": BLOCK, "map": BLOCK})},
        optional={"sources": JSON | st.fixed_dictionaries({"https://a.example/": JSON | st.just({"age": [1, 2]})})},
    ),
    status=STATUS,
)
def test_no_shape_of_its_lists_makes_it_raise(value: Any, status: int) -> None:
    survives(PROVIDER, value, status)
