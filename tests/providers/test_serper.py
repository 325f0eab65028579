"""Serper: what is its own, and what it shares with SerpApi: Google's words for languages, dates and pages."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.capture.exchange import header
from searchlog.search.providers.serper import Serper
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample
from tests.providers.shapes import BLOCK, ROWS, STATUS, survives

PROVIDER = Serper(KEY)
URL = "https://google.serper.dev/search"


def asked(query: Query) -> dict[str, Any]:
    return json.loads(PROVIDER.request(query).body)


def test_the_key_stands_in_its_header_and_is_a_secret() -> None:
    request = PROVIDER.request(QUERY)
    assert (request.method, request.url) == ("POST", URL)
    assert header(request.headers, "X-API-KEY") == KEY
    assert request.secrets == (KEY,)


def test_options_become_fields() -> None:
    query = Query("潮汐", page=3, language="de-CH", country="GB", freshness="month", include_domains=("a.example",))
    assert asked(query) == {
        "q": "潮汐 site:a.example",
        "page": 3,
        "autocorrect": False,
        "gl": "gb",
        "hl": "de",
        "tbs": "qdr:m",
    }


@pytest.mark.parametrize(
    ("after", "before", "tbs"),
    [("2024-03-04", None, "cdr:1,cd_min:3/4/2024"), (None, "2024-12-31", "cdr:1,cd_max:12/31/2024"),
     ("2024-03-04", "2024-03-04", "cdr:1,cd_min:3/4/2024,cd_max:3/4/2024")],
)  # fmt: skip
def test_dates_become_a_range_in_american_order(after: str | None, before: str | None, tbs: str) -> None:
    assert asked(Query("x", after=after, before=before))["tbs"] == tbs


@pytest.mark.parametrize(
    ("tag", "code"),
    [("en-US", "en"), ("zh-Hans", "zh-cn"), ("zh-Hant-TW", "zh-tw"), ("pt-BR", "pt-br"), ("nb", "no"), ("he", "iw")],
)
def test_languages_have_googles_codes(tag: str, code: str) -> None:
    assert asked(Query("x", language=tag))["hl"] == code


def test_what_cannot_be_said_is_left_out_and_said() -> None:
    query = Query("x", count=20, language="tlh", safe="strict", include_domains=("a.example", "b.example"))
    assert asked(query) == {"q": "x", "page": 1, "autocorrect": False}
    assert PROVIDER.parse(sample("serper-search"), query).ignored == ("count", "safe", "include_domains", "language")


def test_a_query_too_long_is_cut_to_thirty_two_words_with_its_operators() -> None:
    query = Query("w " * 80, exclude_domains=("a.example",))
    assert len(asked(query)["q"].split()) == 32
    assert "query cut" in PROVIDER.parse(sample("serper-search"), query).notes[0]


@pytest.mark.parametrize(
    ("count", "page", "googles", "skipped"), [(10, 3, 3, 0), (5, 2, 1, 5), (20, 2, 3, 0), (7, 4, 3, 1), (50, 2, 6, 0)]
)
def test_a_page_of_another_size_starts_inside_one_of_googles(count: int, page: int, googles: int, skipped: int) -> None:
    query = Query("x", count=count, page=page)
    rows = [{"title": f"t{n}", "link": f"https://a.example/{n}"} for n in range(10)]
    run = PROVIDER.parse(json_response({"organic": rows}), query)
    assert asked(query)["page"] == googles
    assert [result.url for result in run.results] == [row["link"] for row in rows[skipped:]]
    assert run.dropped == tuple((f"t{n}", "before-page") for n in range(skipped))
    assert [result.rank for result in run.results] == list(range(1, 11 - skipped))


def test_other_blocks_are_dropped_each_with_its_name() -> None:
    run = PROVIDER.parse(sample("serper-blocks"), QUERY)
    assert [result.published for result in run.results] == ["Mar 4, 2024", "3 days ago"]
    assert run.results[0].published_source == "date"
    assert run.dropped == (
        ("No link", "no-url"),
        ("https://answer.example/tides", "not-web:answerBox"),
        ("Tide", "not-web:knowledgeGraph"),
        ("https://paa.example/1", "not-web:peopleAlsoAsk"),
        ("https://news.example/flood", "not-web:topStories"),
    )


@pytest.mark.parametrize(
    ("status", "message", "outcome", "said"),
    [(400, "Not enough credits", RunOutcome.QUOTA, "credit is used up"),
     (403, "Unauthorized.", RunOutcome.AUTH, "check SERPER_API_KEY"),
     (400, "Missing query parameter", RunOutcome.BAD_REQUEST, "Missing query parameter"),
     (429, "Too many requests", RunOutcome.RATE_LIMITED, "Too many requests")],
)  # fmt: skip
def test_refusals_over_the_wire(
    ask: Ask, respx_mock: respx.Router, status: int, message: str, outcome: RunOutcome, said: str
) -> None:
    respx_mock.post(URL).mock(return_value=httpx.Response(status, json={"message": message, "statusCode": status}))
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert said in run.detail
    assert KEY not in run.detail


def test_an_answer_without_its_list_is_not_empty() -> None:
    run = PROVIDER.parse(json_response({"searchParameters": {}, "knowledgeGraph": {"title": "x"}}), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR


@settings(max_examples=80, deadline=None)
@given(
    value=st.fixed_dictionaries({"organic": ROWS}, optional={"answerBox": BLOCK, "places": BLOCK, "message": BLOCK}),
    status=STATUS,
)
def test_no_shape_of_its_lists_makes_it_raise(value: Any, status: int) -> None:
    survives(PROVIDER, value, status)
