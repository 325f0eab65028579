"""DuckDuckGo Lite: what is its own; what it shares with the HTML page is shown in test_duckduckgo.py.

Rows with advertisements and the mark of an empty list are built from what others report of the live page.
"""

from __future__ import annotations

from urllib.parse import parse_qs

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.provider import Response
from searchlog.search.providers.duckduckgo_lite import DuckDuckGoLite
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, sample

PROVIDER = DuckDuckGoLite()
URL = "https://lite.duckduckgo.com/lite/"


def page(*rows: str, status: int = 200, around: str = "") -> Response:
    body = f"<!DOCTYPE html><title>q at DuckDuckGo</title>{around}<table>{''.join(rows)}</table>"
    return Response(status, (), body.encode())


def row(href: str, title: str = "T", snippet: str | None = "S", kind: str = "") -> str:
    mark = f" class={kind}" if kind else ""
    link = f"<tr{mark}><td>1.&nbsp;</td><td><a href=\"{href}\" class='result-link'>{title}</a></td></tr>"
    told = f"<tr{mark}><td></td><td class='result-snippet'>{snippet}</td></tr>" if snippet is not None else ""
    return link + told + f"<tr{mark}><td></td><td><span class='link-text'>shown</span></td></tr>"


def test_it_is_a_last_resort_asked_by_name() -> None:
    assert PROVIDER.facts.last_resort
    assert PROVIDER.facts.by_name


def test_the_query_is_a_posted_form() -> None:
    request = PROVIDER.request(Query("潮汐", country="GB", freshness="week", exclude_domains=("a.example",)))
    assert (request.method, request.url) == ("POST", URL)
    assert header(request.headers, "Referer") == "https://lite.duckduckgo.com/"
    fields = {key: values[0] for key, values in parse_qs(request.body.decode()).items()}
    assert fields == {"q": "潮汐 -site:a.example", "kl": "uk-en", "df": "w"}


def test_a_snippet_belongs_to_the_link_before_it() -> None:
    run = PROVIDER.parse(
        page(
            row("https://a.example/", "A", "sa"), row("https://b.example/", "B", None), row("https://c.example/", "C")
        ),
        QUERY,
    )
    assert [(r.rank, r.title, r.snippet) for r in run.results] == [(1, "A", "sa"), (2, "B", ""), (3, "C", "S")]


def test_advertisements_and_the_links_that_explain_them_are_dropped() -> None:
    run = PROVIDER.parse(sample("ddg-lite-sponsored"), QUERY)
    assert [result.title for result in run.results] == ["Tide tables", "Harbour notes"]
    assert run.dropped == (("Buy tides", "advertisement"), ("more info", "advertisement"))


def test_an_advertisement_without_its_mark_is_known_by_its_address() -> None:
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx"
    more = "https://duckduckgo.com/duckduckgo-help-pages/company/ads-by-microsoft-on-duckduckgo-private-search/"
    own = "https://duckduckgo.com/duckduckgo-help-pages/results/sources"
    run = PROVIDER.parse(page(row(wrapped, "A"), row(more, "M"), row(own, "Sources")), QUERY)
    assert [result.title for result in run.results] == ["Sources"]
    assert run.dropped == (("A", "advertisement"), ("M", "advertisement"))


def test_the_snippet_of_an_advertisement_is_nobody_elses() -> None:
    ad = row("https://ads.example/", "Ad", "buy", "result-sponsored")
    bare = "<tr class=result-sponsored><td class=result-snippet>buy</td></tr>"
    lone = row("https://a.example/", "A", None)
    assert PROVIDER.parse(page(lone, ad), QUERY).results[0].snippet == ""
    assert PROVIDER.parse(page(lone, bare), QUERY).results[0].snippet == ""


def test_a_page_of_advertisements_alone_is_no_empty_answer() -> None:
    """It was `empty`, although nothing on the page says that nothing was found."""
    run = PROVIDER.parse(page(row("https://ads.example/", "Ad", "buy", "result-sponsored")), QUERY)
    assert (run.outcome, run.dropped) == (RunOutcome.PARSE_ERROR, (("Ad", "advertisement"),))


@pytest.mark.parametrize("title", ["EOF", "DEEP_ERROR_NO_RESULTS"])
def test_a_row_that_marks_the_end_is_no_result(title: str) -> None:
    run = PROVIDER.parse(page(row("https://other.example/?q=x", title)), QUERY)
    assert (run.outcome, run.dropped) == (RunOutcome.EMPTY, ((title, "not-a-result"),))


@pytest.mark.parametrize(
    "mark",
    [
        "<tr><td colspan=2>No more results.</td></tr>",
        "<tr><td>\n No results.\n</td></tr>",
        "<tr><td>No results found for <b>zxqvkj</b>.</td></tr>",
        "<tr><td><span class='no-results'>x</span></td></tr>",
    ],
)
def test_a_no_results_mark_is_empty(mark: str) -> None:
    assert PROVIDER.parse(page(mark), QUERY).outcome is RunOutcome.EMPTY


def test_a_query_that_repeats_the_mark_is_not_one() -> None:
    echo = "<input name=q value='No more results.'><p>No more results.</p>"
    assert PROVIDER.parse(page(around=echo), QUERY).outcome is RunOutcome.PARSE_ERROR


@pytest.mark.parametrize("status", [200, 202])
def test_a_challenge_is_blocked_whatever_its_status(ask: Ask, respx_mock: respx.Router, status: int) -> None:
    respx_mock.post(URL).mock(return_value=httpx.Response(status, content=sample("ddg-challenge").body))
    run = ask(PROVIDER)
    assert (run.outcome, run.results) == (RunOutcome.BLOCKED, ())
    assert run.detail.startswith("duckduckgo-lite: ")


def test_a_long_page_without_rows_or_marks_is_a_parse_error() -> None:
    run = PROVIDER.parse(page(around="<p>redesigned</p>" * 500), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR


def test_each_row_of_a_long_list_is_counted() -> None:
    links = (f"<tr><td><a class=result-link href=https://a.example/{n}>T</a>" for n in range(700))
    run = PROVIDER.parse(page(*links), QUERY)
    assert (len(run.results), len(run.dropped)) == (500, 200)


@pytest.mark.parametrize("unit", ["<td>", "<tr><a class=result-link>", "<div><table></div></table>"])
def test_html_nested_without_end_is_not_parsed(unit: str) -> None:
    run = PROVIDER.parse(page(unit * 30_000), QUERY)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert "HTML tags" in run.detail
