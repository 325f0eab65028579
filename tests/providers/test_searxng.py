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


@pytest.mark.parametrize(
    ("language", "country", "locale", "ignored"),
    [
        ("en", None, "en", ()),
        ("EN_gb", None, "en-GB", ()),
        ("en-GB", "GB", "en-GB", ()),
        ("en-GB", "US", "en-GB", ("country",)),
        ("zh-Hans", None, "zh-CN", ()),
        ("zh-Hant", "HK", "zh-HK", ()),
        ("zh-Hant", "CN", "zh-TW", ("country",)),
        ("zh-Hant-HK", None, "zh-HK", ()),
        ("sr-Latn", "RS", "sr-RS", ()),
        ("es-419", None, "es", ()),
        ("de-u-co-phonebk", None, "de", ()),
        ("yue", None, "yue", ()),
        ("i-klingon", "DE", None, ("language", "country")),
    ],
)
def test_a_language_becomes_a_locale_that_the_server_takes(
    language: str, country: str | None, locale: str | None, ignored: tuple[str, ...]
) -> None:
    """A tag with a script, a region of digits or capital letters was a bad request; a second region was lost unsaid."""
    query = Query("x", language=language, country=country)
    assert asked(query).get("language") == ([locale] if locale else None)
    assert PROVIDER.parse(sample("searxng-ok"), query).ignored == ignored


def test_no_language_of_ours_decides_in_which_one_the_server_searches() -> None:
    """The server took `en` from the Accept-Language that each of our requests has, though nobody asked for it."""
    assert ("Accept-Language", "*") in PROVIDER.request(Query("潮汐")).headers


def test_json_switched_off_names_the_setting_to_change(ask: Ask, respx_mock: respx.Router) -> None:
    page = sample("searxng-format-not-enabled")
    respx_mock.get("http://127.0.0.1:8080/search").mock(return_value=httpx.Response(403, content=page.body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.NOT_ENABLED
    assert "settings.yml" in run.detail
    assert "formats: [html, json]" in run.detail


def test_forbidden_by_a_server_in_front_is_blocked_and_still_names_the_setting() -> None:
    """Each 403 was taken for JSON switched off, that of a proxy which keeps us out as well."""
    page = b"<html>\r\n<head><title>403 Forbidden</title></head>\r\n<center>nginx</center>\r\n</html>"
    run = PROVIDER.parse(Response(403, (("Content-Type", "text/html"),), page), QUERY)
    assert run.outcome is RunOutcome.BLOCKED
    assert "stands before the server" in run.detail
    assert "formats: [html, json]" in run.detail
    own = Response(403, (("Content-Type", "text/html"), ("Server-Timing", "total;dur=0.6, render;dur=0")), b"<p>Nein")
    assert PROVIDER.parse(own, QUERY).outcome is RunOutcome.NOT_ENABLED


@pytest.mark.parametrize("name", ["searxng-limiter", "searxng-limiter-blocklist"])
def test_the_limiter_blocks_and_names_the_list_to_stand_in(name: str) -> None:
    """It refuses each program from the first request on; `rate_limited` had people wait."""
    run = PROVIDER.parse(sample(name), QUERY)
    assert run.outcome is RunOutcome.BLOCKED
    assert run.retry_after_s is None
    assert "`pass_ip`" in run.detail


def test_too_many_requests_for_a_server_in_front_is_rate_limited() -> None:
    answer = sample("searxng-limiter")
    waiting = Response(429, (("Retry-After", "9"),), answer.body)
    run = PROVIDER.parse(waiting, QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 9)
    other = Response(429, (), b"<title>429 Too Many Requests</title>")
    assert PROVIDER.parse(other, QUERY).outcome is RunOutcome.RATE_LIMITED


def test_a_login_that_is_wanted_is_asked_for_and_no_key() -> None:
    run = PROVIDER.parse(Response(401, (("WWW-Authenticate", "Basic"),), b"<h1>401"), QUERY)
    assert run.outcome is RunOutcome.AUTH
    assert "user name and password into its address" in run.detail
    assert "key" not in run.detail


def test_a_redirect_tells_where_to_without_what_was_asked() -> None:
    answer = Response(301, (("Location", "https://searx.example/search?q=secret"),), b"")
    run = PROVIDER.parse(answer, QUERY)
    assert run.outcome is RunOutcome.UNAVAILABLE
    assert run.detail.endswith("(it sends to https://searx.example/search)")


def test_a_command_that_leads_elsewhere_is_a_bad_request() -> None:
    """It was told that the server had moved, and to set its address to that of another search site."""
    answer = Response(302, (("Location", "https://elsewhere.example/?q=tide"),), b"")
    run = PROVIDER.parse(answer, Query("!!e tide"))
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "'!!e'" in run.detail


def test_words_that_the_server_takes_for_commands_are_noted() -> None:
    def noted(asked: str, searched: object) -> tuple[str, ...]:
        return PROVIDER.parse(json_response({"query": searched, "results": []}), Query(asked)).notes

    assert noted("<3 hearts :de", "hearts") == ("searched for without what the server takes for commands: <3 :de",)
    assert noted("hearts", "hearts") == noted("!important css", "!important css") == ()
    assert noted("hearts", "other words") == noted("!x hearts", None) == ()


def test_failed_engines_without_rows_are_degraded_never_empty() -> None:
    run = PROVIDER.parse(sample("searxng-degraded-empty"), QUERY)
    assert run.outcome is RunOutcome.DEGRADED
    assert run.results == ()
    assert "unresponsive engine: mini busy: Suspended: too many requests" in run.notes
    assert "not an empty answer" in run.detail


@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("searxng-no-engine-pages", Query("lighthouse", page=2), "can give page 2"),
        ("searxng-no-engine-time-range", Query("lighthouse", freshness="week"), "of the last week"),
        ("searxng-answer-alone", Query("avg 1 2 3"), "answered by itself"),
        ("searxng-no-engine-pages", Query("lighthouse"), "is any switched on"),
    ],
    ids=["page", "time-range", "answer", "none"],
)
def test_an_answer_for_which_no_engine_was_asked_is_degraded_never_empty(name: str, query: Query, said: str) -> None:
    """The bytes of the body are those of an honest empty answer; only Server-Timing names no engine."""
    run = PROVIDER.parse(sample(name), query)
    assert run.outcome is RunOutcome.DEGRADED
    assert said in run.detail
    assert "not an empty answer" in run.detail


@pytest.mark.parametrize(
    "timing", [(), (("Server-Timing", "cfEdge;dur=3"),)], ids=["no-header", "another-server's-alone"]
)
def test_without_the_servers_own_timing_an_empty_answer_stays_empty(timing: tuple[tuple[str, str], ...]) -> None:
    body = sample("searxng-no-engine-pages").body
    assert PROVIDER.parse(Response(200, timing, body), Query("lighthouse", page=2)).outcome is RunOutcome.EMPTY


def test_an_engine_that_answered_with_nothing_makes_an_empty_answer() -> None:
    for name in ("searxng-empty", "searxng-empty-granian"):
        assert PROVIDER.parse(sample(name), QUERY).outcome is RunOutcome.EMPTY


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
