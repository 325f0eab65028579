"""The settings of a search: one value, written with the query and read back to run it again."""

from __future__ import annotations

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
    assert (stored["budget_tokens"], stored["include_hidden"], stored["rule"]) == (700, True, "select/1")


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


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {}),
        (" \n\t", {}),
        ("mill \ud800", {}),
        ("x" * 8_001, {}),
        ("mill", {"count": 0}),
        ("mill", {"count": 51}),
        ("mill", {"page": 0}),
        ("mill", {"pages": 0}),
        ("mill", {"budget_tokens": 0}),
        ("mill", {"soft_s": -1.0}),
        ("mill", {"deadline_s": float("nan")}),
        ("mill", {"deadline_s": float("inf")}),
    ],
)
def test_what_cannot_be_searched_for_is_refused(query: str, options: dict[str, object]):
    with pytest.raises(UsageError):
        split_options(query, None, options)


def test_longest_query_fits_its_record():
    split_options("\U00010000" * 8_000, None, {})
    assert len(canon.dumps({"text": "\U00010000" * 8_000})) < 40_000
