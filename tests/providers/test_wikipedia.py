"""Wikipedia: what is its own."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
import respx

from searchlog.search.providers.wikipedia import _LANGUAGES, Wikipedia
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, json_response, sample

PROVIDER = Wikipedia()


def found(*titles: str) -> dict[str, object]:
    return {"query": {"search": [{"title": title, "pageid": 1, "snippet": ""} for title in titles]}}


@pytest.mark.parametrize(
    ("query", "host"),
    [
        (Query("tide"), "en"),
        (Query("tide", language="de"), "de"),
        (Query("tide", language="pt-BR"), "pt"),
        (Query("tide", language="zh-Hant-TW"), "zh"),
        (Query("tide", language="nb"), "no"),
        (Query("tide", language="simple"), "simple"),
        (Query("tide", language="haw"), "haw"),
        (Query("tide", language="sr-Latn"), "sr"),
        (Query("tide", language="yue-HK"), "zh-yue"),
        (Query("tide", language="zh-yue-HK"), "zh-yue"),
        (Query("tide", language="nan"), "zh-min-nan"),
        (Query("tide", language="gsw-CH"), "als"),
        (Query("tide", language="als"), "sq"),
        (Query("tide", language="nds-NL"), "nds-nl"),
        (Query("tide", language="be-tarask"), "be-tarask"),
        (Query("潮汐"), "zh"),
        (Query("潮の満ち引き"), "ja"),
        (Query("조석"), "ko"),
        (Query("المد والجزر"), "ar"),
        (Query("прилив"), "ru"),
        (Query("прилив", language="bg"), "bg"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.text + (value.language or ""),
)
def test_the_language_of_the_query_chooses_the_host(query: Query, host: str) -> None:
    assert urlsplit(PROVIDER.request(query).url).hostname == f"{host}.wikipedia.org"


def test_a_language_without_a_wikipedia_is_said_to_be_ignored() -> None:
    run = PROVIDER.parse(json_response(found("Tide")), Query("tide", language="tlh"))
    assert "language" in run.ignored
    assert run.notes[0].startswith("searched en.wikipedia.org")


@pytest.mark.parametrize("wiki", sorted(_LANGUAGES))
def test_every_wikipedia_can_be_asked_and_named(wiki: str) -> None:
    tag = {"als": "gsw"}.get(wiki, wiki)
    query = Query("x", language=tag)
    assert urlsplit(PROVIDER.request(query).url).hostname == f"{wiki}.wikipedia.org"
    run = PROVIDER.parse(json_response(found("Tide")), query)
    assert run.results[0].url == f"https://{wiki}.wikipedia.org/wiki/Tide"
    assert run.ignored == ()


def test_dates_are_not_applied_and_it_says_so() -> None:
    for query in (Query("x", after="2020-01-01"), Query("x", before="2020-01-01"), Query("x", freshness="day")):
        run = PROVIDER.parse(json_response(found("Tide")), query)
        assert set(run.ignored) <= {"after", "before", "freshness"}
        assert len(run.ignored) == 1
        assert any("last edit" in note for note in run.notes)
        assert PROVIDER.request(query).url == PROVIDER.request(Query("x")).url


def test_count_and_page_become_limit_and_offset() -> None:
    fields = parse_qs(urlsplit(PROVIDER.request(Query("a & b", count=25, page=3)).url).query)
    assert (fields["srsearch"], fields["srlimit"], fields["sroffset"]) == (["a & b"], ["25"], ["50"])
    assert fields["maxlag"] == ["5"]


def test_snippets_are_text_and_the_last_edit_is_not_a_publication_date() -> None:
    result = PROVIDER.parse(sample("wikipedia-search"), QUERY).results[6]
    assert result.title == "Zen of Python"
    assert '"guiding principles" for writing computer programs' in result.snippet
    assert result.published is None
    assert result.extra["modified"] == "2026-03-11T00:04:23Z"


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Hello, World! program", "/wiki/Hello,_World!_program"),
        ("AC/DC", "/wiki/AC/DC"),
        ("C++", "/wiki/C%2B%2B"),
        ("What?", "/wiki/What%3F"),
        ("100% a&b #1", "/wiki/100%25_a%26b_%231"),
        ("潮汐", "/wiki/%E6%BD%AE%E6%B1%90"),
    ],
)
def test_titles_become_the_urls_that_mediawiki_links_to(title: str, path: str) -> None:
    url = PROVIDER.parse(json_response(found(title)), Query("x", language="en")).results[0].url
    assert url == "https://en.wikipedia.org" + path
    assert unquote(path).removeprefix("/wiki/").replace("_", " ") == title


def test_a_row_without_a_title_has_no_url() -> None:
    run = PROVIDER.parse(json_response(found("", "Tide")), QUERY)
    assert [result.title for result in run.results] == ["Tide"]
    assert run.dropped == (("item 1", "no-url"),)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("maxlag", RunOutcome.RATE_LIMITED),
        ("ratelimited", RunOutcome.RATE_LIMITED),
        ("internal_api_error_DBQueryError", RunOutcome.UNAVAILABLE),
        ("readonly", RunOutcome.UNAVAILABLE),
        ("blocked", RunOutcome.BLOCKED),
        ("readapidenied", RunOutcome.AUTH),
        ("nosrsearch", RunOutcome.BAD_REQUEST),
    ],
)
def test_errors_come_with_status_200(ask: Ask, respx_mock: respx.Router, code: str, outcome: RunOutcome) -> None:
    answer = httpx.Response(200, json={"error": {"code": code, "info": "Waiting for db1: 7 seconds lagged"}})
    respx_mock.get(host="en.wikipedia.org").mock(return_value=answer)
    run = ask(PROVIDER)
    assert run.outcome is outcome
    assert code in run.detail
    assert "seconds lagged" in run.detail
    assert run.retry_after_s == (5 if outcome is RunOutcome.RATE_LIMITED else None)


def test_nothing_found_is_empty_with_its_suggestion() -> None:
    body = {"query": {"searchinfo": {"totalhits": 0, "suggestion": "harbour"}, "search": []}}
    run = PROVIDER.parse(json_response(body), QUERY)
    assert run.outcome is RunOutcome.EMPTY
    assert "suggestion: harbour" in run.notes


def test_another_wiki_can_be_asked() -> None:
    wiki = Wikipedia(base_url="http://127.0.0.1:9/")
    assert wiki.request(QUERY).url.startswith("http://127.0.0.1:9/w/api.php?")
    assert wiki.parse(json_response(found("Tide")), QUERY).results[0].url == "http://127.0.0.1:9/wiki/Tide"
    assert wiki.parse(json_response(found("Tide")), Query("x", language="de")).ignored == ("language",)
