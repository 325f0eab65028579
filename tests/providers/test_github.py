"""GitHub: what is its own."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.provider import Response
from searchlog.search.providers.github import GitHub
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, json_response, sample

PROVIDER, KEYED = GitHub(), GitHub(KEY)
NOW = ("Date", "Thu, 01 Jan 2026 00:00:00 GMT")


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(PROVIDER.request(query).url).query).items()}


@pytest.mark.parametrize(
    ("query", "q"),
    [
        (Query("tide"), "tide"),
        (Query("tide", after="2024-01-01"), "tide created:>=2024-01-01"),
        (Query("tide", before="2024-01-31"), "tide created:<=2024-01-31"),
        (Query("tide", after="2024-01-01", before="2024-01-31"), "tide created:2024-01-01..2024-01-31"),
        (Query("tide", freshness="day", asked_on="2024-01-02"), "tide created:>=2024-01-01"),
    ],
    ids=["none", "after", "before", "both", "freshness"],
)
def test_dates_bound_when_a_repository_was_created(query: Query, q: str) -> None:
    assert asked(query)["q"] == q
    run = PROVIDER.parse(sample("github-none"), query)
    assert any("`modified`" in note for note in run.notes) == (q != "tide")


def test_count_and_page_are_github_s_own() -> None:
    fields = asked(Query("tide", count=20, page=3))
    assert (fields["per_page"], fields["page"]) == ("20", "3")


def test_the_token_is_sent_when_there_is_one_and_a_secret() -> None:
    assert header(KEYED.request(QUERY).headers, "Authorization") == f"Bearer {KEY}"
    assert KEYED.request(QUERY).secrets == (KEY,)
    assert header(PROVIDER.request(QUERY).headers, "Authorization") is None
    assert not KEYED.facts.keyless


def test_a_repository_keeps_when_it_was_created_and_last_pushed_to() -> None:
    result = PROVIDER.parse(sample("github-repositories"), QUERY).results[0]
    assert (result.published, result.published_source) == ("2020-01-02T03:04:05Z", "created_at")
    assert result.snippet == "Tide tables <for> all"
    assert result.extra == {
        "modified": "2026-02-01T00:00:00Z",
        "stars": "42",
        "language": "Rust",
        "topics": "tides",
        "licence": "MIT",
        "archived": "yes",
    }


def test_issues_and_code_are_read_too() -> None:
    issue = PROVIDER.parse(sample("github-issues"), QUERY).results[0]
    assert issue.title == "Sesame seeds split without a pop!"
    code = PROVIDER.parse(sample("github-code"), QUERY).results[0]
    assert (code.title, code.snippet) == ("tides/table: src/tide.rs", "fn tide() { … // the tide")


@pytest.mark.parametrize(("name", "count"), [("github-incomplete", 1), ("github-incomplete-empty", 0)])
def test_a_search_that_ran_out_of_time_is_degraded_and_never_empty(name: str, count: int) -> None:
    run = PROVIDER.parse(sample(name), QUERY)
    assert (run.outcome, len(run.results)) == (RunOutcome.DEGRADED, count)
    assert any(note.startswith("incomplete_results") for note in run.notes)


@pytest.mark.parametrize(("name", "wait"), [("github-rate", 42), ("github-secondary", 60), ("github-abuse", 30)])
@pytest.mark.parametrize("provider", [PROVIDER, KEYED], ids=["keyless", "keyed"])
def test_both_limits_are_told_from_a_refusal(name: str, wait: int, provider: GitHub) -> None:
    run = provider.parse(sample(name), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, wait)
    assert ("set GITHUB_TOKEN" in run.detail) == provider.facts.keyless


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1767225600"), NOW], 0),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1"), NOW], 0),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1767225642")], 60),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "soon"), NOW], 60),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "9" * 500), NOW], 60),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "٧"), NOW], 60),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "99"), ("Date", "yesterday")], 60),
        ([("Retry-After", "7"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1767225642"), NOW], 7),
    ],
    ids=["now", "past", "no-date", "word", "huge", "digits", "odd-date", "retry-after-first"],
)
def test_the_reset_is_measured_against_the_answer_s_date(headers: list[tuple[str, str]], wait: int) -> None:
    run = PROVIDER.parse(Response(403, tuple(headers), b"{}"), QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, wait)


def test_a_refusal_is_no_limit() -> None:
    refusal = json_response({"message": "Resource not accessible by personal access token"}, 403)
    assert KEYED.parse(refusal, QUERY).outcome is RunOutcome.AUTH
    assert PROVIDER.parse(refusal, QUERY).outcome is RunOutcome.BLOCKED


def test_a_wrong_token_names_the_variable(ask: Ask, respx_mock: respx.Router) -> None:
    answer = sample("github-bad-token")
    respx_mock.route().mock(return_value=httpx.Response(answer.status, content=answer.body))
    assert "check GITHUB_TOKEN or GH_TOKEN" in ask(KEYED).detail
    assert "set GITHUB_TOKEN" in ask(PROVIDER).detail
