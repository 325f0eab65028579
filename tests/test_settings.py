"""The settings of a search: one value, written with the query and read back to run it again."""

from __future__ import annotations

from typing import Any

import pytest

from searchlog import canon
from searchlog.capture.exchange import Limits
from searchlog.errors import UsageError
from searchlog.extract.convert import ConvertOptions
from searchlog.flow.settings import Settings, split_options
from searchlog.search.query import Query

MANY = [
    Settings(),
    Settings(pages=3, deadline_s=1.25, soft_s=0, budget_tokens=1, passages_max=2, include_hidden=True),
    Settings(per_host_max=2, robots="ignore", cache_max_age_s=0, allow_private=("127.0.0.1:8080", "::1"), threads=1),
    Settings(convert=ConvertOptions(links=True)),
]


@pytest.mark.parametrize("settings", MANY)
def test_settings_come_back_from_the_log(settings: Settings):
    stored = canon.loads(canon.dumps(settings.to_json()))
    assert Settings.from_json(stored) == settings


def test_limits_are_logged_and_do_not_rule_a_replay():
    settings = Settings(limits=Limits(total_s=1.5, redirects_max=0))
    stored = settings.to_json()
    assert (stored["limits"]["total_s"], stored["limits"]["redirects_max"]) == ("1.5", 0)
    assert Settings.from_json(stored) == Settings()


def test_policy_of_the_selection_is_logged_whole():
    stored = Settings(budget_tokens=700, include_hidden=True).to_json()["selection"]
    assert (stored["budget_tokens"], stored["include_hidden"], stored["rule"]) == (700, True, "select/2")


def test_fields_of_a_later_version_are_left_aside():
    stored = Settings(pages=3).to_json() | {"later": 1, "convert": {"later": 2}}
    assert Settings.from_json(stored) == Settings(pages=3)


def test_fields_of_an_earlier_version_take_their_defaults():
    assert Settings.from_json({}) == Settings()


def test_options_go_to_the_query_and_to_the_settings_by_name():
    query, settings = split_options("mill", Settings(pages=2), {"count": 5, "soft_s": 1.0, "include_domains": ["a.b"]})
    assert query == Query("mill", count=5, include_domains=("a.b",))
    assert settings == Settings(pages=2, soft_s=1.0)
    again, _ = split_options(query, None, {"page": 2})
    assert again == Query("mill", count=5, page=2, include_domains=("a.b",))


def test_unknown_option_names_itself_and_those_there_are():
    with pytest.raises(UsageError, match=r"no option colour, size; there are: .*budget_tokens.*count") as caught:
        split_options("mill", None, {"size": 1, "colour": 2, "count": 3})
    assert caught.value.fields["options"] == ["colour", "size"]


@pytest.mark.parametrize("query", ["", " \n\t", "mill \ud800", "x" * 8_001], ids=["empty", "blank", "half", "long"])
def test_text_that_cannot_be_searched_for_is_refused(query: str):
    with pytest.raises(UsageError, match=r"query|text"):
        split_options(query, None, {})


@pytest.mark.parametrize("query", [None, 5, b"x", {"a"}, Settings()])
def test_query_of_another_type_is_refused_by_name(query: Any):
    """`search(None)` let an AttributeError out of the depths."""
    with pytest.raises(UsageError, match="query must be a string, a list of strings or a Query, not"):
        split_options(query, None, {})


def test_several_texts_come_as_a_list_or_by_name_and_each_is_asked_once():
    for given, options in (
        (["tide mill", "sea mill", "tide  mill"], {"focus": "who built it"}),
        (("tide mill", "sea mill"), {"focus": "who built it"}),
        ("tide mill", {"also": ["sea mill", "tide mill"], "focus": "who built it"}),
        ("tide mill", {"also": "sea mill", "focus": "who built it"}),
        (Query("tide mill", also=["sea mill"]), {"focus": "who built it"}),  # type: ignore[arg-type]
    ):
        query, _ = split_options(given, None, options)
        assert query == Query("tide mill", also=("sea mill",), focus="who built it")
        assert hash(query)


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        ([], {}, "an empty list of queries"),
        (["a"], {"also": ["b"]}, "given twice"),
        ([str(n) for n in range(11)], {}, "11 queries in one call; at most 10"),
        (["a", ""], {}, "an empty query"),
        ("a", {"focus": ""}, "an empty focus"),
        (["a" * 4_000, "b" * 4_000], {"focus": "c"}, "queries and a focus of 8001 characters; at most 8000"),
        ("a", {"focus": "\ud800"}, "focus must be a string"),
        (["a", "\ud800"], {}, "surrogate"),
    ],
)
def test_texts_that_cannot_be_asked_are_refused(query: Any, options: dict[str, Any], said: str):
    with pytest.raises(UsageError, match=said):
        split_options(query, None, options)


def test_ten_texts_may_be_asked_and_copies_do_not_count():
    query, _ = split_options([str(n // 2) for n in range(20)], None, {})
    assert query.phrasings == tuple(map(str, range(10)))


SECONDS = "a number above 0 and up to 86400 seconds"
WRONG = [
    ("count", 0, "a whole number from 1 to 50, not 0"),
    ("count", 51, "a whole number from 1 to 50, not 51"),
    ("count", "ten", "a whole number from 1 to 50, not 'ten'"),
    ("count", True, "a whole number from 1 to 50, not True"),
    ("page", 0, "a whole number from 1 to 1000, not 0"),
    ("pages", 0, "a whole number from 1 to 200, not 0"),
    ("pages", 10**9, "a whole number from 1 to 200, not 1000000000"),
    ("pages", 10**30, "a whole number from 1 to 200, not a value of type int"),
    ("budget_tokens", "x", "a whole number from 1 to 1000000, not 'x'"),
    ("budget_tokens", 1.5, "a whole number from 1 to 1000000, not 1.5"),
    ("per_host_max", 0, "a whole number from 1 to 200 or None, not 0"),
    ("deadline_s", "3", f"{SECONDS}, not '3'"),
    ("deadline_s", True, f"{SECONDS}, not True"),
    ("deadline_s", 0, f"{SECONDS}, not 0.0"),
    ("deadline_s", float("nan"), f"{SECONDS}, not nan"),
    ("deadline_s", float("inf"), f"{SECONDS}, not inf"),
    ("deadline_s", 10**400, f"{SECONDS}, not a value of type int"),
    ("provider_s", 0, f"{SECONDS}, not 0.0"),
    ("soft_s", -1.0, "a number from 0 to 86400 seconds, not -1.0"),
    ("language", 5, "a language tag such as 'en' or 'zh-Hans' or None, not 5"),
    ("language", "en&x=1", "a language tag such as 'en' or 'zh-Hans' or None, not 'en&x=1'"),
    ("country", "Japan", "two capital letters of ISO 3166-1 such as 'JP' or None, not 'JAPAN'"),
    ("freshness", "decade", "'day', 'week', 'month' or 'year' or None, not 'decade'"),
    ("safe", "x", "'off', 'moderate' or 'strict' or None, not 'x'"),
    ("robots", "maybe", "'obey' or 'ignore', not 'maybe'"),
    ("include_hidden", "yes", "True or False, not 'yes'"),
    ("limits", None, "a Limits, not None"),
    ("include_domains", 5, "a list of strings, not 5"),
    ("include_domains", {"a.example": 1}, "a list of strings, not a value of type dict"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_wrong_option_is_told_by_name_with_what_is_allowed(name: str, value: object, said: str):
    """Wrong types let TypeError and AttributeError out; unknown words and a billion pages were taken as they came; a
    deadline of no time was told as a rate limit."""
    with pytest.raises(UsageError) as caught:
        split_options("mill", None, {name: value})
    assert str(caught.value) == f"{name} must be {said}"
    assert caught.value.fields["argument"] == name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"exclude_domains": ["a.example", 5]}, r"exclude_domains\[1\] must be a string, not 5"),
        ({"limits": Limits(total_s="x")}, r"limits.total_s must be a number above 0"),  # type: ignore[arg-type]
        ({"convert": ConvertOptions(pdf_pages_max=0)}, r"convert.pdf_pages_max must be a whole number from 1"),
        ({"include_domains": "a b"}, "not a domain: 'a b'"),
        ({"allow_private": "http://a/"}, "not a host to allow"),
    ],
)
def test_wrong_part_of_an_option_is_told_with_its_place(options: dict[str, object], said: str):
    """Domains and hosts that are none were found only after the providers had been asked."""
    with pytest.raises(UsageError, match=said):
        split_options("mill", None, options)


def test_wrong_fields_of_values_made_by_the_caller_are_refused_too():
    with pytest.raises(UsageError, match="pages must be a whole number from 1 to 200, not 'x'"):
        split_options("mill", Settings(pages="x"), {})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="text must be a string, not 5"):
        split_options(Query(5), None, {})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="settings must be a Settings or None, not 'x'"):
        split_options("mill", "x", {})  # type: ignore[arg-type]


def test_options_are_put_in_the_one_form_that_is_logged():
    query, settings = split_options(
        "mill", None, {"include_domains": "a.example", "country": "jp", "deadline_s": 3, "allow_private": ["::1"]}
    )
    assert (query.include_domains, query.country) == (("a.example",), "JP")
    assert (settings.deadline_s, type(settings.deadline_s), settings.allow_private) == (3.0, float, ("::1",))


def test_longest_query_fits_its_record():
    split_options("\U00010000" * 8_000, None, {})
    assert len(canon.dumps({"text": "\U00010000" * 8_000})) < 40_000
