"""The Wayback Machine: what is its own, and which texts name an address."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.errors import UsageError
from searchlog.flow import foreign
from searchlog.search.answers.cdx import captured_at
from searchlog.search.provider import Response
from searchlog.search.providers.commoncrawl import CommonCrawl
from searchlog.search.providers.wayback import Wayback
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from tests.providers.conftest import Ask, json_response, sample

PROVIDER = Wayback()
QUERY = Query("a.example/tide")
COLUMNS = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


def captures(count: int) -> Response:
    rows = [["k", f"2021030405{n:04}", "https://a.example/", "text/html", "200", "D", "9"] for n in range(count)]
    return json_response([COLUMNS, *rows])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("a.example", "a.example"),
        ("  A.Example  ", "a.example"),
        ("https://a.example/tide?x=1&y=2#part", "https://a.example/tide?x=1&y=2"),
        ("HTTP://a.example:8080/", "HTTP://a.example:8080/"),
        ("a.example/*", "a.example/*"),
        ("*.a.example", "*.a.example"),
        ("bücher.example/straße", "xn--bcher-kva.example/stra%C3%9Fe"),
        ("straße.example", "xn--strae-oqa.example"),
        ("潮汐.例え", "xn--usw99d.xn--r8jz45g"),
        ("192.0.2.1/x", "192.0.2.1/x"),
        ("a_b.example", "a_b.example"),
        ("a.example/%7Eme", "a.example/%7Eme"),
    ],
)
def test_a_url_or_a_domain_is_asked_for(text: str, address: str) -> None:
    assert asked(Query(text))["url"] == address


@pytest.mark.parametrize(
    "text",
    [
        "tide table", "tide", "", " ", "https://", "https://tide", "ftp://a.example/", "https://me:secret@a.example/",
        "javascript:alert(1)", "a.example/ b", "a..example", ".a.example", "a.example\nX: y", "a.example:port/",
        "//a.example/", "a.1", "\ud800.example", "a" * 64 + ".example", "潮" * 63 + ".example", "[::1]/x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("provider", [PROVIDER, CommonCrawl()], ids=["wayback", "commoncrawl"])
def test_any_other_text_is_a_bad_request_and_nothing_is_asked(text: str, provider: Wayback | CommonCrawl) -> None:
    with pytest.raises(UsageError, match="the query must be one URL or domain"):
        provider.request(Query(text))
    run = foreign.request_of(provider, Query(text))
    assert isinstance(run, Run)
    assert run.outcome is RunOutcome.BAD_REQUEST


def test_it_asks_no_more_than_24_times_a_minute() -> None:
    assert 60 / PROVIDER.facts.pause_s <= 24


def test_the_end_of_the_index_is_asked_for() -> None:
    assert asked(Query("a.example", count=20)) == {"url": "a.example", "output": "json", "limit": "-20"}
    assert asked(Query("a.example", count=20, page=3))["limit"] == "-60"


def test_dates_bound_the_capture_and_count_as_ignored() -> None:
    query = Query("a.example", after="2021-01-01", before="2021-12-31")
    fields = asked(query)
    assert (fields["from"], fields["to"]) == ("20210101", "20211231")
    run = PROVIDER.parse(captures(1), query)
    assert set(run.ignored) == {"after", "before"}
    assert "dates bound when the page was captured, not when it was published" in run.notes
    assert asked(Query("a.example", freshness="day", asked_on="2024-01-02"))["from"] == "20240101"


@pytest.mark.parametrize(
    ("page", "there", "seconds"),
    [
        (1, 10, ["0000", "0009"]),
        (2, 20, ["0000", "0009"]),
        (2, 14, ["0000", "0003"]),
        (2, 10, []),
        (3, 3, []),
    ],
    ids=["first", "second", "second-not-full", "second-empty", "far"],
)
def test_a_page_is_a_window_counted_from_the_newest(page: int, there: int, seconds: list[str]) -> None:
    run = PROVIDER.parse(captures(there), Query("a.example", count=10, page=page))
    found = [result.url.split("/")[4][-4:] for result in run.results]
    assert found[:1] + found[1:][-1:] == seconds
    assert len(run.results) + len(run.dropped) == there
    assert {reason for _, reason in run.dropped} <= {"before-page"}


def test_a_page_too_far_back_is_ignored() -> None:
    query = Query("a.example", count=50, page=11)
    assert asked(query)["limit"] == "-50"
    run = PROVIDER.parse(captures(50), query)
    assert ("page" in run.ignored, len(run.results)) == (True, 50)


def test_a_capture_keeps_its_time_and_digest() -> None:
    result = PROVIDER.parse(sample("cdx-json"), QUERY).results[0]
    assert result.url == "https://web.archive.org/web/20080328041443/http://www.commoncrawl.org:80/"
    assert (result.crawled, result.crawled_source) == ("2008-03-28T04:14:43Z", "timestamp")
    assert (result.published, result.title) == (None, "")
    assert result.extra == {
        "original": "http://www.commoncrawl.org:80/",
        "status": "200",
        "type": "text/html",
        "digest": "YEIPJFLNQ4IJ3HP4YBDJBWGJL4MTEJ42",
        "length": "1704",
    }


def test_a_lone_surrogate_in_an_address_reaches_no_record() -> None:
    """The address stood in `extra` as it came, and the run could not be written."""
    result = PROVIDER.parse(json_response([COLUMNS[1:3], ["2021", "https://a.example/\ud800"]]), QUERY).results[0]
    assert result.extra["original"] == "https://a.example/\ufffd"
    assert result.url.endswith("/https://a.example/\ufffd")


def test_columns_are_read_by_their_names() -> None:
    body = json_response([["original", "timestamp"], ["https://a.example/", "2021"]])
    assert PROVIDER.parse(body, QUERY).results[0].url == "https://web.archive.org/web/2021/https://a.example/"


@pytest.mark.parametrize("name", ["cdx-resume", "cdx-text"])
def test_a_key_to_go_on_is_no_capture(name: str) -> None:
    run = PROVIDER.parse(sample(name), QUERY)
    assert run.dropped[-1] == ("the key to go on with", "not-a-result")
    assert "the index has more captures" in run.notes


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        ("20210304050607", "2021-03-04T05:06:07Z"),
        ("20210304", "2021-03-04"),
        ("202103", "2021-03"),
        ("2021", "2021"),
        ("202", None),
        ("20210", None),
        ("2021030405", None),
        ("٢٠٢١", None),
        ("202103040506070", None),
    ],
)
def test_a_time_is_as_precise_as_its_timestamp(stamp: str, time: str | None) -> None:
    assert captured_at(stamp) == time


@pytest.mark.parametrize("name", ["cdx-excluded", "cdx-robots"])
def test_an_address_left_out_is_blocked_and_not_empty(name: str, ask: Ask, respx_mock: respx.Router) -> None:
    answer = sample(name)
    respx_mock.route().mock(return_value=httpx.Response(answer.status, content=answer.body))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.BLOCKED
    assert "the archive leaves this address out" in run.detail


def test_what_a_header_alone_says_is_read() -> None:
    told = ("X-Archive-Wayback-Runtime-Error", "AdministrativeAccessControlException: Blocked Site Error")
    assert "leaves this address out" in PROVIDER.parse(Response(403, (told,), b""), QUERY).detail
    assert "leaves this address out" not in PROVIDER.parse(Response(403, (), b""), QUERY).detail


@pytest.mark.parametrize(
    "body",
    [
        b'{"archived_snapshots": []}',
        b'{"archived_snapshots": {"closest": 7}}',
        b'{"archived_snapshots": {"closest": {"available": true}}}',
        b'{"url": "x"}',
        b"[[]]",
        b"[7]",
        b'[["timestamp", "original"], ["x", "y"]]',
        b"a b c\nd e f",
        b"<html>\n</html>",
    ],
)
def test_an_odd_answer_is_never_empty(body: bytes) -> None:
    assert PROVIDER.parse(Response(200, (), body), QUERY).outcome is RunOutcome.PARSE_ERROR


def test_a_closest_capture_that_is_not_available_is_dropped() -> None:
    run = PROVIDER.parse(json_response({"archived_snapshots": {"closest": {"available": False, "url": "x"}}}), QUERY)
    assert (run.outcome, run.dropped) == (RunOutcome.EMPTY, (("the closest capture", "not-available"),))


def test_an_absurd_number_of_captures_is_too_large() -> None:
    assert PROVIDER.parse(captures(20_001), QUERY).outcome is RunOutcome.TOO_LARGE
    line = b"k 20210304050607 https://a.example/ text/html 200 D 9\n"
    run = PROVIDER.parse(Response(200, (), line * 600), Query("a.example"))
    assert (len(run.results), len(run.dropped)) == (500, 100)
