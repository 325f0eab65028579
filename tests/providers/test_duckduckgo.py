"""DuckDuckGo: what is its own. Rows with advertisements are built from what others report of the live page."""

from __future__ import annotations

from urllib.parse import parse_qs

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.provider import Response
from searchlog.search.providers.duckduckgo import DuckDuckGo
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, sample

PROVIDER = DuckDuckGo()
URL = "https://html.duckduckgo.com/html/"


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(PROVIDER.request(query).body.decode()).items()}


def page(*rows: str, status: int = 200, around: str = "") -> Response:
    body = f"<!DOCTYPE html><title>q at DuckDuckGo</title>{around}<div id=links>{''.join(rows)}</div>"
    return Response(status, (), body.encode())


def row(href: str, title: str = "T", kind: str = "web-result") -> str:
    link = f'<h2 class=result__title><a class=result__a href="{href}">{title}</a></h2>'
    return f'<div class="result results_links {kind}">{link}<a class=result__snippet>S</a></div>'


def test_it_is_labelled_as_the_last_resort() -> None:
    assert PROVIDER.facts.last_resort
    assert "last resort" in PROVIDER.facts.title


def test_the_query_is_a_posted_form() -> None:
    request = PROVIDER.request(Query("潮汐 & x", freshness="week"))
    assert (request.method, request.url) == ("POST", URL)
    assert asked(Query("潮汐 & x", freshness="week")) == {"q": "潮汐 & x", "kl": "wt-wt", "df": "w"}


@pytest.mark.parametrize(
    ("country", "language", "region"),
    [("US", None, "us-en"), ("US", "es", "us-es"), ("GB", None, "uk-en"), ("ES", None, "es-es"), ("JP", "ja", "jp-jp"),
     ("CA", "fr-CA", "ca-fr"), ("CH", None, "ch-de"), ("BR", "pt-BR", "br-pt")],
)  # fmt: skip
def test_a_country_becomes_a_region(country: str, language: str | None, region: str) -> None:
    assert asked(Query("x", country=country, language=language))["kl"] == region


def test_a_country_without_a_region_is_said_to_be_ignored() -> None:
    assert "country" in PROVIDER.parse(page(), Query("x", country="ZZ")).ignored


def test_links_are_unwrapped_once() -> None:
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fp%3Fu%3Dhttps%253A%252F%252Fb.example%252F&amp;rut=1"
    run = PROVIDER.parse(page(row(wrapped), row("https://bare.example/x?y=1&amp;z=2")), QUERY)
    assert [result.url for result in run.results] == [
        "https://a.example/p?u=https%3A%2F%2Fb.example%2F",
        "https://bare.example/x?y=1&z=2",
    ]


def test_advertisements_are_dropped_with_a_reason_bare_or_wrapped() -> None:
    bare = "https://duckduckgo.com/y.js?ad_domain=x"
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx"
    rows = [
        row(bare, "A"),
        row(wrapped, "B"),
        row("https://c.example/", "C", "result--ad"),
        row("https://d.example/", "D"),
    ]
    run = PROVIDER.parse(page(*rows), QUERY)
    assert [(result.rank, result.title) for result in run.results] == [(1, "D")]
    assert run.dropped == (("A", "advertisement"), ("B", "advertisement"), ("C", "advertisement"))


def test_the_eof_row_and_rows_without_a_link_are_no_results() -> None:
    run = PROVIDER.parse(page(row("https://other.example/?q=x", "EOF"), row("", "N"), row("https://a.example/")), QUERY)
    assert len(run.results) == 1
    assert run.dropped == (("EOF", "not-a-result"), ("N", "no-url"))


@pytest.mark.parametrize("status", [200, 202])
def test_a_challenge_is_blocked_whatever_its_status(ask: Ask, respx_mock: respx.Router, status: int) -> None:
    respx_mock.post(URL).mock(return_value=httpx.Response(status, content=sample("ddg-challenge").body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.BLOCKED
    assert run.results == ()


def test_a_page_that_only_speaks_of_challenges_is_not_one() -> None:
    echo = '<input name=q value="form#challenge-form anomaly.js anomaly-modal__title">'
    assert PROVIDER.parse(page(row("https://a.example/"), around=echo), QUERY).outcome is RunOutcome.OK
    assert PROVIDER.parse(page("<div class=no-results>No more results.</div>", around=echo), QUERY).outcome == "empty"


def test_rows_count_even_when_a_challenge_stands_beside_them() -> None:
    challenge = '<form id=challenge-form action="//duckduckgo.com/anomaly.js?x"></form>'
    assert PROVIDER.parse(page(row("https://a.example/"), around=challenge, status=202), QUERY).outcome is RunOutcome.OK


@pytest.mark.parametrize("status", [202, 403])
def test_these_statuses_without_rows_are_blocked(status: int) -> None:
    assert PROVIDER.parse(page(status=status), QUERY).outcome is RunOutcome.BLOCKED


@pytest.mark.parametrize(
    "mark",
    [
        '<div class="result result--no-result"><div class=no-results__message>x</div></div>',
        "<div class=no-results>x</div>",
    ],
)
def test_a_no_results_mark_is_empty(mark: str) -> None:
    assert PROVIDER.parse(page(mark), QUERY).outcome is RunOutcome.EMPTY


def test_a_long_page_without_rows_or_marks_is_a_parse_error() -> None:
    run = PROVIDER.parse(page(around="<p>redesigned</p>" * 500), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert "without a result" in run.detail


@pytest.mark.parametrize("unit", ["<div>", "<a><b>", "<i></x>", "<div><table></div></table>"])
def test_html_nested_without_end_is_not_parsed(unit: str) -> None:
    """Parsing 50,000 open elements took more than four seconds, 140,000 mismatched ones three minutes."""
    run = PROVIDER.parse(page(row("https://a.example/"), unit * 30_000), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert "HTML tags" in run.detail


def test_a_page_of_absurd_size_is_too_large() -> None:
    assert PROVIDER.parse(page("x" * 1_000_001), QUERY).outcome is RunOutcome.TOO_LARGE


def test_a_row_titled_as_the_search_behind_it_fails_is_no_result() -> None:
    run = PROVIDER.parse(page(row("https://other.example/?q=x", "DEEP_ERROR_NO_RESULTS")), QUERY)
    assert (run.outcome, run.dropped) == (RunOutcome.EMPTY, (("DEEP_ERROR_NO_RESULTS", "not-a-result"),))


def test_the_form_is_sent_with_the_address_of_its_page() -> None:
    assert header(PROVIDER.request(QUERY).headers, "Referer") == "https://html.duckduckgo.com/"
    mirror = DuckDuckGo(base_url="http://127.0.0.1:9")
    assert header(mirror.request(QUERY).headers, "Referer") == "http://127.0.0.1:9/"
