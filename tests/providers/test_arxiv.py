"""arXiv: what is its own, and that no XML can harm."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.errors import FormatError
from searchlog.search.answers.atom import DEPTH_MAX, ELEMENTS_MAX, VALUE_MAX, read_feed
from searchlog.search.provider import Response
from searchlog.search.providers.arxiv import Arxiv
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from tests.providers.conftest import QUERY, Ask, sample

PROVIDER = Arxiv()
FEED = b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">'


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def parse(body: bytes, status: int = 200) -> Run:
    return PROVIDER.parse(Response(status, (), body), QUERY)


def test_results_are_asked_from_an_offset_by_relevance() -> None:
    assert asked(Query("tide", count=20, page=3)) == {
        "search_query": "all:tide",
        "start": "40",
        "max_results": "20",
        "sortBy": "relevance",
        "sortOrder": "descending",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tide table", "all:tide AND all:table"),
        ('the "tide table" of 1905', 'all:the AND all:"tide table" AND all:of AND all:1905'),
        ("ti:tide OR (moon)", 'all:"ti tide" AND all:moon'),
        ("tide AND NOT moon", "all:tide AND all:moon"),
        ("C++ & f#", "all:C++ AND all:f#"),
        ('un"closed', "all:un AND all:closed"),
        ("潮汐 表", "all:潮汐 AND all:表"),
        ("() ::", 'all:""'),
    ],
)
def test_each_word_and_phrase_has_its_field_and_no_operator_gets_through(text: str, words: str) -> None:
    assert asked(Query(text))["search_query"] == words


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        (Query("x", after="2024-01-01", before="2024-01-31"), "[202401010000 TO 202401312359]"),
        (Query("x", after="2024-01-01"), "[202401010000 TO 209912312359]"),
        (Query("x", before="2024-01-31"), "[199101010000 TO 202401312359]"),
        (Query("x", freshness="day", asked_on="2024-01-02"), "[202401010000 TO 209912312359]"),
    ],
    ids=["both", "after", "before", "freshness"],
)
def test_dates_bound_when_a_paper_was_submitted(query: Query, bounds: str) -> None:
    assert asked(query)["search_query"] == f"all:x AND submittedDate:{bounds}"


def test_an_entry_is_read_whole() -> None:
    result = PROVIDER.parse(sample("arxiv-testing"), QUERY).results[0]
    assert (result.published, result.published_source) == ("2022-02-24T15:05:19Z", "published")
    assert result.snippet.startswith("Deep Learning (DL) has revolutionized")
    assert result.extra["authors"] == "Mohit Kumar Ahuja, Arnaud Gotlieb, Helge Spieker"
    assert result.extra["categories"] == "cs.SE, cs.LG"
    assert result.extra["doi"] == "10.1109/ICSTW55395.2022.00035"
    assert result.extra["pdf"] == "https://arxiv.org/pdf/2202.12139v1"


@pytest.mark.parametrize("name", ["arxiv-bad-id", "arxiv-old-error"])
def test_an_error_is_an_entry_whatever_the_status(name: str, ask: Ask, respx_mock: respx.Router) -> None:
    answer = sample(name)
    respx_mock.get(host="export.arxiv.org").mock(return_value=httpx.Response(answer.status, content=answer.body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "incorrect id format" in run.detail


def test_a_feed_that_counts_papers_and_has_none_is_not_empty() -> None:
    assert PROVIDER.parse(sample("arxiv-cut-short"), QUERY).outcome is RunOutcome.DEGRADED
    assert parse(FEED + b"</feed>").outcome is RunOutcome.PARSE_ERROR
    assert parse(FEED + b"<o:totalResults>0</o:totalResults></feed>").outcome is RunOutcome.EMPTY
    assert PROVIDER.parse(sample("arxiv-past-the-end"), QUERY).outcome is RunOutcome.EMPTY


def test_a_limit_is_told_in_plain_text_and_an_error_feed_does_not_hide_a_failing_server() -> None:
    assert PROVIDER.parse(sample("arxiv-rate"), QUERY).outcome is RunOutcome.RATE_LIMITED
    assert parse(sample("arxiv-bad-id").body, 503).outcome is RunOutcome.UNAVAILABLE


def test_it_waits_three_seconds_between_requests() -> None:
    assert PROVIDER.facts.pause_s == 3.0


LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE feed [<!ENTITY l0 "lol">' + LAUGHS + b"]>" + FEED + b"<entry><id>&l11;</id></entry></feed>",
        b'<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + FEED + b"<title>&x;</title></feed>",
        b'<!DOCTYPE feed SYSTEM "https://far.example/x.dtd">' + FEED + b"</feed>",
        b"<!DOCTYPE feed>" + FEED + b"</feed>",
        FEED + b"<title>&undeclared;</title></feed>",
    ],
    ids=["laughs", "file", "far-dtd", "bare", "undeclared"],
)
def test_no_document_type_is_read_and_no_entity_expanded(body: bytes) -> None:
    run = parse(body)
    assert run.outcome is RunOutcome.PARSE_ERROR
    assert run.results == ()


@pytest.mark.parametrize(
    "body",
    [
        FEED + b"<entry>" * (DEPTH_MAX + 1),
        FEED + b"<a/>" * (ELEMENTS_MAX + 1) + b"</feed>",
        b"<feed></feed>",
        b"<rss/>",
        b'<?xml version="1.0" encoding="klingon"?>' + FEED + b"</feed>",
        FEED.decode().encode("utf-16") + b"</feed>",
        FEED + b"<title>\xff</title></feed>",
        FEED + b"<title>\x00</title></feed>",
        FEED + b"<x:y/></feed>",
        FEED + b"</feed><feed/>",
        b"<" * 100_000,
    ],
    ids=["deep", "many", "no-namespace", "rss", "encoding", "mixed", "bytes", "nul", "prefix", "two", "open"],
)
def test_xml_that_is_no_feed_is_a_parse_error(body: bytes) -> None:
    assert parse(body).outcome is RunOutcome.PARSE_ERROR


def test_a_feed_over_the_limits_is_refused_quickly() -> None:
    start = time.monotonic()
    assert parse(FEED + b"<entry><id>http://arxiv.org/abs/1</id>" + b"x" * 5_000_000).outcome is RunOutcome.PARSE_ERROR
    hostile = FEED + b"".join(b"<e%d>" % n for n in range(DEPTH_MAX - 2)) + b"x<!---->" * 500_000
    with pytest.raises(FormatError):
        read_feed(hostile)
    assert time.monotonic() - start < 5.0


def test_values_are_bounded_and_markup_inside_a_title_is_no_part_of_its_name() -> None:
    title = b"<title type='xhtml'>A <b>tide</b> " + b"z" * VALUE_MAX + b"</title>"
    feed = read_feed(FEED + b"<entry><id> http://arxiv.org/abs/1 </id>" + title + b"</entry></feed>")
    assert feed.entries[0].first("title").startswith("A tide zz")
    assert len(feed.entries[0].first("title")) == VALUE_MAX
    assert feed.first("title") == ""


def test_each_entry_over_the_limit_is_counted() -> None:
    entry = b"<entry><id>http://arxiv.org/abs/%d</id></entry>"
    run = parse(FEED + b"".join(entry % n for n in range(600)) + b"</feed>")
    assert (len(run.results), len(run.dropped)) == (500, 100)
    assert parse(FEED + b"<entry/>" * 20_001 + b"</feed>").outcome is RunOutcome.TOO_LARGE
    nothing = parse(FEED + b"<entry/><entry/></feed>")
    assert (nothing.outcome, len(nothing.dropped)) == (RunOutcome.PARSE_ERROR, 2)
