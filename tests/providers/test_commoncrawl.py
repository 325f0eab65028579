"""Common Crawl: what is its own. Which texts name an address is in test_wayback."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.search.provider import Response
from searchlog.search.providers.commoncrawl import INDEX, CommonCrawl
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import Ask, sample

PROVIDER = CommonCrawl()
QUERY = Query("a.example/tide")


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def lines(count: int) -> bytes:
    return b"".join(json.dumps({"url": f"https://a.example/{n}"}).encode() + b"\n" for n in range(count))


def test_one_index_is_asked_and_named() -> None:
    assert PROVIDER.request(QUERY).url.startswith(f"https://index.commoncrawl.org/{INDEX}-index?")
    assert asked(Query("a.example", count=20)) == {"url": "a.example", "output": "json", "limit": "20"}
    assert PROVIDER.parse(sample("cc-none"), QUERY).notes[0].startswith(f"searched {INDEX}, one crawl of many")


@pytest.mark.parametrize(
    ("base", "endpoint"),
    [
        ("https://index.commoncrawl.org/CC-MAIN-2025-33", "https://index.commoncrawl.org/CC-MAIN-2025-33-index"),
        ("https://index.commoncrawl.org/CC-MAIN-2025-33-index/", "https://index.commoncrawl.org/CC-MAIN-2025-33-index"),
        ("http://127.0.0.1:9/CC-MAIN-2025-33", "http://127.0.0.1:9/CC-MAIN-2025-33-index"),
        ("http://127.0.0.1:9/", f"http://127.0.0.1:9/{INDEX}-index"),
    ],
)
def test_another_index_or_server_can_be_set(base: str, endpoint: str) -> None:
    provider = CommonCrawl(base_url=base)
    assert provider.facts.endpoint == endpoint
    assert provider.request(QUERY).url.startswith(endpoint + "?")
    assert (
        urlsplit(endpoint).path.strip("/").removesuffix("-index") in provider.parse(sample("cc-none"), QUERY).notes[0]
    )


def test_results_of_earlier_pages_are_asked_for_too() -> None:
    assert asked(Query("a.example", count=20, page=3))["limit"] == "60"
    assert "page" not in PROVIDER.facts.applies


def test_dates_bound_the_capture_and_count_as_ignored() -> None:
    query = Query("a.example", after="2021-01-01", before="2021-12-31")
    assert (asked(query)["from"], asked(query)["to"]) == ("20210101", "20211231")
    run = PROVIDER.parse(sample("cc-index"), query)
    assert set(run.ignored) == {"after", "before"}
    assert "dates bound when the page was captured, not when it was published" in run.notes


def test_a_capture_says_where_its_bytes_lie() -> None:
    result = PROVIDER.parse(sample("cc-index"), QUERY).results[0]
    assert (result.crawled, result.crawled_source) == ("2025-08-04T10:33:29Z", "timestamp")
    assert result.extra["digest"] == "FAPYCDZSWJIQ2YPQAYDRLAC25YMUNVTD"
    assert (result.extra["offset"], result.extra["length"], result.extra["status"]) == ("667474763", "7063", "200")
    assert result.extra["filename"].endswith("00340.warc.gz")


def test_a_line_that_is_cut_costs_only_itself() -> None:
    run = PROVIDER.parse(sample("cc-cut"), QUERY)
    assert [result.crawled for result in run.results] == ["2026-09-14T05:06:07Z", "2026"]
    assert run.dropped == (("item 3", "not-an-object"),)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("cc-none", RunOutcome.EMPTY),
        ("cc-no-index", RunOutcome.BAD_REQUEST),
        ("cc-bad-page", RunOutcome.BAD_REQUEST),
        ("cc-slow-down", RunOutcome.RATE_LIMITED),
        ("cc-shut-out", RunOutcome.BLOCKED),
    ],
)
def test_each_status_has_its_own_meaning(name: str, outcome: RunOutcome, ask: Ask, respx_mock: respx.Router) -> None:
    answer = sample(name)
    respx_mock.route().mock(return_value=httpx.Response(answer.status, content=answer.body))
    assert ask(PROVIDER).outcome is outcome


def test_each_line_over_the_limit_is_counted() -> None:
    run = PROVIDER.parse(Response(200, (), lines(600)), QUERY)
    assert (len(run.results), len(run.dropped)) == (500, 100)
    assert run.dropped[0] == ("item 501", "over-items-limit")
    assert PROVIDER.parse(Response(200, (), b"0\n" * 20_001), QUERY).outcome is RunOutcome.TOO_LARGE
