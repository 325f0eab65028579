"""PubMed: what is its own; above all that it is asked twice."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import Request
from searchlog.search.provider import FollowingProvider, Response, response_of, run_of, run_of_both
from searchlog.search.providers.pubmed import PubMed
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from tests.providers.conftest import KEY, QUERY, exchange_of, json_response, sample

PROVIDER = PubMed()
HOST = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"


def fields(request: Request) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(request.url).query).items()}


def test_options_become_parameters() -> None:
    request = PROVIDER.request(Query("tide", count=20, page=3, after="2021-01-01", before="2021-12-31"))
    assert request.url.startswith(HOST + "esearch.fcgi?")
    assert fields(request) == {
        "db": "pubmed",
        "term": "tide",
        "retmode": "json",
        "retstart": "40",
        "retmax": "20",
        "sort": "relevance",
        "datetype": "pdat",
        "mindate": "2021/01/01",
        "maxdate": "2021/12/31",
        "tool": "searchlog",
    }


def test_both_ends_of_a_span_are_always_given() -> None:
    after, before = (
        fields(PROVIDER.request(query)) for query in (Query("x", after="2021-01-01"), Query("x", before="2021-01-01"))
    )
    assert (after["mindate"], after["maxdate"]) == ("2021/01/01", "3000/12/31")
    assert (before["mindate"], before["maxdate"]) == ("1800/01/01", "2021/01/01")


def test_who_asks_is_told_in_both_requests_and_the_key_is_a_secret() -> None:
    provider = PubMed(KEY, contact="me@a.example")
    second = provider.follow(QUERY, sample("pubmed-ids"))
    assert second is not None
    for request in (provider.request(QUERY), second):
        told = fields(request)
        assert (told["tool"], told["email"], told["api_key"]) == ("searchlog", "me@a.example", KEY)
        assert request.secrets == (KEY,)
    assert not {"email", "api_key"} & set(fields(PROVIDER.request(QUERY)))


def test_the_ids_of_the_first_answer_are_asked_for() -> None:
    assert isinstance(PROVIDER, FollowingProvider)
    second = PROVIDER.follow(QUERY, sample("pubmed-ids"))
    assert second is not None
    assert second.url.startswith(HOST + "esummary.fcgi?")
    assert fields(second) == {
        "db": "pubmed",
        "id": "30000001,30000002,30000003",
        "retmode": "json",
        "tool": "searchlog",
    }


def test_another_server_is_asked_both_times() -> None:
    provider = PubMed(base_url="http://127.0.0.1:9/")
    second = provider.follow(QUERY, sample("pubmed-ids"))
    assert second is not None
    assert provider.request(QUERY).url.startswith("http://127.0.0.1:9/entrez/eutils/esearch.fcgi?")
    assert second.url.startswith("http://127.0.0.1:9/entrez/eutils/esummary.fcgi?")


@pytest.mark.parametrize("name", ["pubmed-none", "pubmed-backend", "pubmed-rate", "pubmed-bad-key", "pubmed-summaries"])
def test_an_answer_without_ids_is_the_whole(name: str) -> None:
    assert PROVIDER.follow(QUERY, sample(name)) is None


@pytest.mark.parametrize(
    "answer",
    [
        {"idlist": ["1&db=x", "1\n", "", None, 7, "٣", "1" * 13, ["1"]]},
        {"idlist": {"1": "2"}},
        {"idlist": None},
        [],
        "x",
        None,
    ],
)
def test_what_is_no_id_is_not_asked_for(answer: Any) -> None:
    assert PROVIDER.follow(QUERY, json_response({"esearchresult": answer})) is None


def test_no_more_ids_are_named_than_one_request_may() -> None:
    second = PROVIDER.follow(QUERY, json_response({"esearchresult": {"idlist": [str(n) for n in range(1, 900)]}}))
    assert second is not None
    assert len(fields(second)["id"].split(",")) == 200


def both(respx_mock: respx.Router, second: httpx.Response | Exception) -> Run:
    """Ask over a mocked wire as a search does."""
    respx_mock.get(url__startswith=HOST + "esearch").mock(
        return_value=httpx.Response(200, content=sample("pubmed-ids").body)
    )
    route = respx_mock.get(url__startswith=HOST + "esummary")
    route.mock(side_effect=second) if isinstance(second, Exception) else route.mock(return_value=second)
    exchange = exchange_of(PROVIDER.request(QUERY))
    first = run_of(PROVIDER, QUERY, exchange)
    request = PROVIDER.follow(QUERY, response_of(exchange))
    assert request is not None
    return run_of_both(PROVIDER, QUERY, first, exchange_of(request))


def test_the_second_answer_gives_titles_and_dates(respx_mock: respx.Router) -> None:
    run = both(respx_mock, httpx.Response(200, content=sample("pubmed-summaries").body))
    assert run.outcome is RunOutcome.OK
    assert [(result.url, result.title, result.published) for result in run.results] == [
        ("https://pubmed.ncbi.nlm.nih.gov/30000001/", "Tides and sleep.", "2018-10-04"),
        ("https://pubmed.ncbi.nlm.nih.gov/30000003/", "Tidal volume.", "2018 Nov-Dec"),
    ]
    assert run.results[0].extra["doi"] == "10.5555/30000001"
    assert run.results[0].extra["journal"] == "Journal of tides"
    assert run.dropped == (("30000002: cannot get document summary", "no-summary"),)


@pytest.mark.parametrize(
    "second",
    [
        httpx.Response(200, content=sample("pubmed-no-summary").body),
        httpx.Response(200, content=sample("pubmed-too-many").body),
        httpx.Response(429, json={"error": "API rate limit exceeded"}),
        httpx.Response(502),
        httpx.ReadTimeout("slow"),
    ],
    ids=["item-error", "error", "rate", "server", "timeout"],
)
def test_ids_stand_when_what_they_stand_for_cannot_be_had(
    second: httpx.Response | Exception, respx_mock: respx.Router
) -> None:
    run = both(respx_mock, second)
    assert run.outcome is RunOutcome.DEGRADED
    assert [result.title for result in run.results] == ["", "", ""]
    assert "what the first one gave stands" in run.detail


def test_an_id_that_the_answer_says_nothing_of_is_dropped() -> None:
    body = {"result": {"uids": ["1", "2", 3, "4"], "2": {"title": "Two"}, "4": "odd"}}
    run = PROVIDER.parse(json_response(body), QUERY)
    assert [result.title for result in run.results] == ["Two"]
    assert [reason for _, reason in run.dropped] == ["no-summary"] * 3


def test_words_that_nothing_was_found_for_are_noted() -> None:
    run = PROVIDER.parse(sample("pubmed-none"), QUERY)
    assert run.notes == ("outputmessages: No items found.", "phrasesnotfound: xqzzy")


@pytest.mark.parametrize(
    ("said", "published"),
    [
        ("2017 Aug 14", "2017-08-14"),
        ("2017 Aug 4", "2017-08-04"),
        ("2017 Aug", "2017-08"),
        ("2017", "2017"),
        ("2017 Spring", "2017 Spring"),
        ("2017 Abc 3", "2017 Abc 3"),
        ("2017 Aug 40", "2017 Aug 40"),
        ("", None),
    ],
)
def test_a_date_of_nlm_is_written_as_iso_8601_where_it_is_one(said: str, published: str | None) -> None:
    body = {"result": {"uids": ["1"], "1": {"pubdate": said}}}
    assert PROVIDER.parse(json_response(body), QUERY).results[0].published == published


def test_a_wrong_key_and_a_limit_are_told_apart() -> None:
    keyed = PubMed(KEY)
    assert "NCBI_API_KEY" in keyed.parse(sample("pubmed-bad-key"), QUERY).detail
    limited = keyed.parse(sample("pubmed-rate"), QUERY)
    assert (limited.outcome, limited.retry_after_s) == (RunOutcome.RATE_LIMITED, 2)
    assert keyed.parse(Response(400, (), b"Bad Request"), QUERY).outcome is RunOutcome.BAD_REQUEST
