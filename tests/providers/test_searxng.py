"""SearXNG: what is its own."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.errors import UsageError
from searchlog.search.provider import Response
from searchlog.search.providers.searxng import Searxng
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, json_response, sample

PROVIDER = Searxng("http://127.0.0.1:8080")


def asked(query: Query) -> dict[str, list[str]]:
    return parse_qs(urlsplit(PROVIDER.request(query).url).query)


@pytest.mark.parametrize(
    "base", ["http://h:1/s", "http://h:1/s/", "http://h:1/s/search", "http://h:1/s/search/?q=1#x"], ids=range(4)
)
def test_the_address_may_be_given_in_any_usual_form(base: str) -> None:
    assert Searxng(base).facts.endpoint == "http://h:1/s/search"


@pytest.mark.parametrize("base", ["", "searx.example", "ftp://searx.example", "http://"])
def test_an_address_that_is_none_is_a_usage_error(base: str) -> None:
    with pytest.raises(UsageError, match="not the address of a SearXNG server"):
        Searxng(base)


def test_options_become_parameters() -> None:
    query = Query(
        "潮汐 表", page=2, language="zh-Hans", freshness="month", safe="strict", exclude_domains=("b.example",)
    )
    assert asked(query) == {
        "q": ["潮汐 表 -site:b.example"],
        "format": ["json"],
        "pageno": ["2"],
        "language": ["zh-CN"],
        "time_range": ["month"],
        "safesearch": ["2"],
    }


def test_a_country_makes_a_locale_with_its_language_and_is_ignored_alone() -> None:
    assert asked(Query("x", language="de", country="AT"))["language"] == ["de-AT"]
    assert "language" not in asked(Query("x", country="AT"))
    assert PROVIDER.parse(sample("searxng-ok"), Query("x", country="AT")).ignored == ("country",)


def test_json_switched_off_names_the_setting_to_change(ask: Ask, respx_mock: respx.Router) -> None:
    page = sample("searxng-format-not-enabled")
    respx_mock.get("http://127.0.0.1:8080/search").mock(return_value=httpx.Response(403, content=page.body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.NOT_ENABLED
    assert "settings.yml" in run.detail
    assert "formats: [html, json]" in run.detail


def test_failed_engines_without_rows_are_degraded_never_empty() -> None:
    run = PROVIDER.parse(sample("searxng-degraded-empty"), QUERY)
    assert run.outcome is RunOutcome.DEGRADED
    assert run.results == ()
    assert "unresponsive engine: mini busy: Suspended: too many requests" in run.notes
    assert "not an empty answer" in run.detail


def test_failed_engines_beside_rows_leave_the_rows() -> None:
    run = PROVIDER.parse(sample("searxng-degraded-partial"), QUERY)
    assert run.outcome is RunOutcome.DEGRADED
    assert len(run.results) == 5


def test_the_order_of_engines_does_not_show() -> None:
    rows = [{"url": "https://a.example/", "title": "t", "engines": engines} for engines in (["b", "a"], ["a", "b"])]
    first, second = (PROVIDER.parse(json_response({"results": [row]}), QUERY) for row in rows)
    assert first == second
    assert first.results[0].extra["engines"] == "a, b"


def test_what_stands_beside_results_is_noted_and_no_result() -> None:
    run = PROVIDER.parse(sample("searxng-answer"), QUERY)
    assert len(run.results) == 9
    assert run.notes[0].startswith("answer: sha256 hash digest")
    assert PROVIDER.parse(sample("searxng-suggestion"), QUERY).notes == ("suggestion: harbour",)


def test_a_page_that_is_not_json_asks_whether_the_address_is_right() -> None:
    run = PROVIDER.parse(Response(200, (), b"<html>hello</html>"), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert "is there a SearXNG server at http://127.0.0.1:8080/search" in run.detail


def test_credentials_in_the_address_do_not_show() -> None:
    assert "hunter2" not in Searxng("http://me:hunter2@h:1/").facts.third_party
