"""OpenAlex: what is its own."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from searchlog.search.providers.openalex import OpenAlex
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, json_response, sample

PROVIDER, KEYED = OpenAlex(), OpenAlex(KEY)


def asked(query: Query, provider: OpenAlex = PROVIDER) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(provider.request(query).url).query).items()}


def abstract(index: Any) -> str:
    body = {"results": [{"id": "https://openalex.org/W1", "abstract_inverted_index": index}]}
    return PROVIDER.parse(json_response(body), QUERY).results[0].snippet


def test_options_become_parameters_and_filters() -> None:
    query = Query("tide", count=20, page=3, language="de-AT", after="2021-01-01", before="2021-12-31")
    assert asked(query) == {
        "search": "tide",
        "per_page": "20",
        "page": "3",
        "filter": "from_publication_date:2021-01-01,to_publication_date:2021-12-31,language:de",
    }
    assert PROVIDER.parse(sample("openalex-none"), query).ignored == ()


@pytest.mark.parametrize("tag", ["zh-Hant", "haw", "x,type:book"])
def test_a_language_that_has_no_sure_code_is_ignored(tag: str) -> None:
    query = Query("tide", language=tag)
    assert "filter" not in asked(query)
    assert PROVIDER.parse(sample("openalex-none"), query).ignored == ("language",)


def test_key_and_contact_stand_in_the_address_and_the_key_is_a_secret() -> None:
    provider = OpenAlex(KEY, contact="me@a.example")
    fields = asked(QUERY, provider)
    assert (fields["api_key"], fields["mailto"]) == (KEY, "me@a.example")
    assert provider.request(QUERY).secrets == (KEY,)
    assert not {"api_key", "mailto"} & set(asked(QUERY))


def test_an_abstract_is_put_back_in_order() -> None:
    snippet = PROVIDER.parse(sample("openalex-search"), QUERY).results[0].snippet
    assert snippet.startswith("Large Language Models (LLMs) generalize well across language tasks, but suffer from")
    assert PROVIDER.parse(sample("openalex-odd"), QUERY).results[0].snippet == "The flood is a flood"


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ({"a": [1], "b": [0]}, "b a"),
        ({"a": [2_999], "b": [3_000], "c": [10**400], "d": [-1]}, "a"),
        ({"a": "0", "b": {"0": 1}, "c": [True, 1.0, None]}, ""),
        ({"\ud800": [0], "b\x00": [1]}, "\ufffd b"),
        (["a"], ""),
        (None, ""),
        ({"x" * 200: [0]}, "x" * 100),
    ],
    ids=["order", "far", "types", "surrogate", "list", "null", "long"],
)
def test_places_that_are_none_are_left_out(index: Any, text: str) -> None:
    assert abstract(index) == text


def test_a_huge_index_is_bounded() -> None:
    assert len(abstract({f"w{n}": list(range(n, n + 3_000)) for n in range(300)})) <= 4_000


def test_a_work_is_linked_by_its_doi_its_page_or_its_entry() -> None:
    first, second = PROVIDER.parse(sample("openalex-odd"), QUERY).results
    assert (first.url, first.title) == ("https://journal.example/tides", "Tides of the Thames")
    assert second.url == "https://openalex.org/W2"
    assert first.extra["authors"] == "A. Mill"
    assert first.extra["journal"] == "J. Tides"


def test_a_used_up_day_passes_and_says_when() -> None:
    run = PROVIDER.parse(sample("openalex-used-up"), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 3_600)
    assert "set OPENALEX_API_KEY" in run.detail
    assert "set OPENALEX_API_KEY" not in KEYED.parse(sample("openalex-used-up"), QUERY).detail


def test_403_means_too_fast_unless_it_speaks_of_the_key() -> None:
    assert KEYED.parse(sample("openalex-too-fast"), QUERY).outcome is RunOutcome.RATE_LIMITED
    run = KEYED.parse(json_response({"error": "Invalid API key"}, 403), QUERY)
    assert run.outcome is RunOutcome.AUTH
    assert "check OPENALEX_API_KEY" in run.detail
