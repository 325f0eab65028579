"""Hacker News: what is its own."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import respx

from searchlog.search.providers.hackernews import HackerNews
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, json_response, sample

PROVIDER = HackerNews()


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def test_pages_count_from_nought() -> None:
    assert asked(Query("tide", count=25, page=3)) == {
        "query": "tide",
        "tags": "(story,comment,poll)",
        "hitsPerPage": "25",
        "page": "2",
    }


def test_days_become_seconds_both_ends_within() -> None:
    assert asked(Query("tide", after="2024-01-01", before="2024-01-31"))["numericFilters"] == (
        "created_at_i>=1704067200,created_at_i<=1706745599"
    )
    week = Query("tide", freshness="week", asked_on="2024-01-08")
    assert asked(week)["numericFilters"] == "created_at_i>=1704067200"
    assert PROVIDER.parse(json_response({"hits": []}), week).ignored == ()


def test_a_freshness_without_a_day_to_count_from_is_ignored() -> None:
    query = Query("tide", freshness="week")
    assert "numericFilters" not in asked(query)
    assert PROVIDER.parse(json_response({"hits": []}), query).ignored == ("freshness",)


def test_a_comment_is_linked_by_its_item_and_named_by_its_story() -> None:
    result = PROVIDER.parse(sample("hn-comment"), QUERY).results[0]
    assert result.url == "https://news.ycombinator.com/item?id=6651926"
    assert result.title == "Patent war goes nuclear: Microsoft, Apple-owned Rockstar sues Google"
    assert "a result of this" not in result.snippet
    assert "off as a result. Apple used to be careful" in result.snippet
    assert (result.published, result.published_source) == ("2013-11-01T05:18:12.000Z", "created_at")
    assert result.extra == {"kind": "comment", "points": "293"}


def test_a_story_is_linked_by_its_address_and_keeps_its_discussion() -> None:
    result = PROVIDER.parse(sample("hn-story"), QUERY).results[0]
    assert result.url.startswith("http://finance.yahoo.com/")
    assert result.extra == {
        "kind": "story",
        "discussion": "https://news.ycombinator.com/item?id=2922756",
        "points": "1638",
        "comments": "308",
    }


def test_titles_are_no_html_but_texts_are() -> None:
    run = PROVIDER.parse(sample("hn-ask"), QUERY)
    assert run.results[0].title == "Ask HN: Who keeps a Vec<T> of tide tables?"
    assert run.results[0].snippet == "I have many. Do you?"
    assert run.dropped == (("nowhere", "no-url"), ("item 4", "not-an-object"))


def test_the_page_behind_the_last_hit_is_no_empty_answer(ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.get(host="hn.algolia.com").mock(return_value=httpx.Response(200, content=sample("hn-past-the-end").body))
    run = ask(PROVIDER, Query("tide", page=200))
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "only fetch the 1000 hits" in run.detail


def test_an_item_number_that_is_none_makes_no_address() -> None:
    hits = [{"objectID": "7&x=1", "title": "t"}, {"objectID": "٧", "title": "u"}, {"objectID": 7, "title": "v"}]
    run = PROVIDER.parse(json_response({"hits": hits}), QUERY)
    assert [result.url for result in run.results] == ["https://news.ycombinator.com/item?id=7"]
