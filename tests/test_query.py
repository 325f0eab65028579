"""The query and what providers say of its options."""

from __future__ import annotations

import dataclasses

import pytest

from searchlog.search.provider import OPTIONS, Facts, Terms
from searchlog.search.query import Query

FACTS = Facts("x", "X", "https://x.example/", "X", Terms("https://x.example/terms", "2026-11-29", "none"), ("page",))


def test_the_options_are_the_fields_of_a_query_but_its_text() -> None:
    names = [field.name for field in dataclasses.fields(Query)]
    assert names == ["text", *OPTIONS, "texts", "asked_on", "also", "focus"]


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


def test_providers_get_to_see_one_text_each_and_nothing_of_the_others_nor_of_the_focus() -> None:
    query = Query("a", count=3, also=("b", "c"), focus="d")
    assert query.phrasings == ("a", "b", "c")
    assert query.alone() == (Query("a", count=3), Query("b", count=3), Query("c", count=3))
    assert Query("a").alone() == (Query("a"),)


def test_passages_are_sought_by_the_focus_else_by_every_text() -> None:
    assert Query("a", also=("b",), focus="d").sought == ("d",)
    assert Query("a", also=("b",)).sought == ("a", "b")


def test_texts_that_become_equal_are_asked_once_as_the_first_was_written() -> None:
    query = Query("tide  mill", also=("Tide mill", " tide mill\n", "mill"), focus="mill")
    assert query.reworded(lambda text: text) == Query("tide  mill", also=("Tide mill", "mill"), focus="mill")
    assert query.reworded(lambda text: text.replace("mill", "x")).focus == "x"
    assert query.reworded(lambda _: "x") == Query("x", focus="x")


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
