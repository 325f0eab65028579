"""Crossref: what is its own."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.search.providers.crossref import Crossref
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import QUERY, Ask, json_response, sample

PROVIDER = Crossref()


def asked(query: Query, provider: Crossref = PROVIDER) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(provider.request(query).url).query).items()}


def test_options_become_parameters() -> None:
    query = Query("tide", count=20, page=3, after="2021-01-01", before="2021-12-31")
    assert asked(query) == {
        "query": "tide",
        "rows": "20",
        "offset": "40",
        "filter": "from-pub-date:2021-01-01,until-pub-date:2021-12-31",
    }
    assert asked(Query("tide", before="2021-12-31"))["filter"] == "until-pub-date:2021-12-31"
    assert asked(Query("x", freshness="day", asked_on="2024-01-02"))["filter"] == "from-pub-date:2024-01-01"


def test_a_contact_is_sent_where_there_is_one() -> None:
    assert asked(QUERY, Crossref(contact="me@a.example"))["mailto"] == "me@a.example"
    assert "mailto" not in asked(QUERY)


def test_dates_are_as_precise_as_they_are_given() -> None:
    results = PROVIDER.parse(sample("crossref-odd"), QUERY).results
    assert [(result.published, result.published_source) for result in results] == [
        ("2021", "published.date-parts"),
        ("2021-03", "published.date-parts"),
        (None, None),
        ("2021-03-04", "issued.date-parts"),
    ]


@pytest.mark.parametrize(
    ("parts", "published"),
    [
        ([[2021, 13]], "2021"),
        ([[2021, 3, 0]], "2021-03"),
        ([["2021"]], None),
        ([[True]], None),
        ([[10**30]], None),
        ([], None),
        ([2021], None),
        ([[2021, None, 4]], "2021"),
    ],
)
def test_numbers_that_are_no_date_end_it(parts: object, published: str | None) -> None:
    body = {"message": {"items": [{"DOI": "10.5555/1", "published": {"date-parts": parts}}]}}
    assert PROVIDER.parse(json_response(body), QUERY).results[0].published == published


def test_an_abstract_is_read_as_text_and_its_paragraphs_stay_apart() -> None:
    result = PROVIDER.parse(sample("crossref-odd"), QUERY).results[0]
    assert result.title == "Tides & mills"
    assert result.snippet == "Abstract The flood is stored. Then it drives a wheel."
    assert result.score == "3.5"


def test_a_work_without_an_address_is_linked_by_its_doi_or_dropped() -> None:
    run = PROVIDER.parse(sample("crossref-odd"), QUERY)
    assert run.results[1].url == "https://doi.org/10.5555/tide.2"
    assert run.dropped == (("no address", "no-url"),)


def test_errors_are_told_in_plain_text_or_in_a_list(ask: Ask, respx_mock: respx.Router) -> None:
    respx_mock.route().mock(return_value=httpx.Response(404, text="Resource not found."))
    run = ask(PROVIDER)
    assert run.outcome is RunOutcome.BAD_REQUEST
    assert "Resource not found." in run.detail
    run = PROVIDER.parse(sample("crossref-bad-rows"), QUERY)
    assert "Integer specified as things" in run.detail


def test_a_limit_says_how_long() -> None:
    run = PROVIDER.parse(sample("crossref-rate"), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 3)
