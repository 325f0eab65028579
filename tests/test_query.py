"""The query and what providers say of its options."""

from __future__ import annotations

import dataclasses

import pytest

from searchlog.search.provider import OPTIONS, Facts, Terms
from searchlog.search.query import Query

FACTS = Facts("x", "X", "https://x.example/", "X", Terms("https://x.example/terms", "2026-11-29", "none"), ("page",))


def test_the_options_are_the_fields_of_a_query_but_its_text() -> None:
    names = [field.name for field in dataclasses.fields(Query)]
    assert names == ["text", *OPTIONS, "texts", "asked_on"]


@pytest.mark.parametrize(
    ("query", "span"),
    [
        (Query("x"), (None, None)),
        (Query("x", after="2026-01-01", before="2026-01-31"), ("2026-01-01", "2026-01-31")),
        (Query("x", freshness="week", asked_on="2026-11-30"), ("2026-11-23", None)),
        (Query("x", freshness="year", asked_on="2026-11-30"), ("2025-11-29", None)),
        (Query("x", freshness="week"), (None, None)),
    ],
    ids=["none", "range", "week", "year", "day-unknown"],
)
def test_the_days_that_are_wanted(query: Query, span: tuple[str | None, str | None]) -> None:
    assert query.span() == span


def test_a_query_is_a_value() -> None:
    assert Query("a", page=2) == Query("a", page=2)
    assert hash(Query("a"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        Query("a").text = "b"  # type: ignore[misc]


def test_only_options_that_are_set_are_said_to_be_ignored() -> None:
    assert FACTS.ignored(Query("a")) == ()
    assert FACTS.ignored(Query("a", page=3)) == ()
    assert FACTS.ignored(Query("a", count=20, language="en", include_domains=("a.example",))) == (
        "count",
        "language",
        "include_domains",
    )


def test_a_count_beyond_what_one_request_gives_is_said_to_be_ignored() -> None:
    """Of fifty results wanted a provider that gives twenty gave twenty, and nothing said why."""
    counting = dataclasses.replace(FACTS, applies=("count",), count_max=20)
    assert counting.ignored(Query("a", count=20)) == ()
    assert counting.ignored(Query("a", count=50)) == ("count",)
