"""Semantic Scholar: what is its own."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from searchlog.capture.exchange import header
from searchlog.search.providers.semanticscholar import SemanticScholar
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, json_response, sample

PROVIDER, KEYED = SemanticScholar(), SemanticScholar(KEY)


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


@pytest.mark.parametrize(
    ("query", "days"),
    [
        (Query("x", after="2021-01-01", before="2021-12-31"), "2021-01-01:2021-12-31"),
        (Query("x", after="2021-01-01"), "2021-01-01:"),
        (Query("x", before="2021-12-31"), ":2021-12-31"),
        (Query("x", freshness="day", asked_on="2024-01-02"), "2024-01-01:"),
    ],
    ids=["both", "after", "before", "freshness"],
)
def test_a_span_of_dates_may_be_open(query: Query, days: str) -> None:
    assert asked(query)["publicationDateOrYear"] == days


def test_count_and_page_become_limit_and_offset() -> None:
    fields = asked(Query("tide", count=20, page=3))
    assert (fields["query"], fields["offset"], fields["limit"]) == ("tide", "40", "20")
    assert "publicationDate" in fields["fields"].split(",")


def test_words_with_hyphens_are_asked_with_blanks_and_it_is_noted() -> None:
    query = Query("high-tide table - x")
    assert asked(query)["query"] == "high tide table - x"
    body = json_response({"data": [{"url": "https://a.example/"}]})
    assert any("hyphens" in note for note in PROVIDER.parse(body, query).notes)
    assert PROVIDER.parse(body, QUERY).notes == ()


def test_the_key_stands_in_its_header_and_is_a_secret() -> None:
    assert header(KEYED.request(QUERY).headers, "x-api-key") == KEY
    assert KEYED.request(QUERY).secrets == (KEY,)
    assert header(PROVIDER.request(QUERY).headers, "x-api-key") is None


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"total": 0, "offset": 0}, RunOutcome.EMPTY),
        ({"total": 0, "data": []}, RunOutcome.EMPTY),
        ({"total": 12, "offset": 0}, RunOutcome.PARSE_ERROR),
        ({"offset": 0}, RunOutcome.PARSE_ERROR),
        ({"total": False}, RunOutcome.PARSE_ERROR),
        ({"total": "0"}, RunOutcome.PARSE_ERROR),
        ({"total": 0, "data": None}, RunOutcome.PARSE_ERROR),
        ({"total": 10**400}, RunOutcome.PARSE_ERROR),
    ],
    ids=["no-data", "empty-data", "counted", "no-total", "false", "text", "null", "huge"],
)
def test_only_a_total_of_nought_makes_an_answer_without_data_empty(body: dict[str, Any], outcome: RunOutcome) -> None:
    assert PROVIDER.parse(json_response(body), QUERY).outcome is outcome


def test_404_is_empty_only_where_it_says_that_nothing_matches() -> None:
    assert PROVIDER.parse(sample("s2-match-404"), QUERY).outcome is RunOutcome.EMPTY
    assert PROVIDER.parse(json_response({"error": "Not Found"}, 404), QUERY).outcome is RunOutcome.BAD_REQUEST


def test_a_paper_is_read_whole() -> None:
    first, second = PROVIDER.parse(sample("s2-fields"), QUERY).results
    assert (first.snippet, first.published, first.published_source) == ("They come.", "2019-05-06", "publicationDate")
    assert first.extra == {
        "doi": "10.5555/1",
        "journal": "J. Tides",
        "authors": "A. Mill",
        "cited_by": "3",
        "open_access": "https://journal.example/1.pdf",
    }
    assert (second.published, second.published_source) == ("2020", "year")


def test_a_limit_says_which_key_to_set() -> None:
    assert "set SEMANTIC_SCHOLAR_API_KEY" in PROVIDER.parse(sample("s2-rate"), QUERY).detail
    assert "set SEMANTIC_SCHOLAR_API_KEY" not in KEYED.parse(sample("s2-rate"), QUERY).detail
    assert KEYED.parse(sample("s2-forbidden"), QUERY).outcome is RunOutcome.AUTH
