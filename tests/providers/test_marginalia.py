"""Marginalia: what is its own. Refusals are those of its source."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import respx

from searchlog.capture.exchange import header
from searchlog.search.provider import Response
from searchlog.search.providers.marginalia import Marginalia
from searchlog.search.query import Query
from searchlog.search.run import RunOutcome
from tests.providers.conftest import KEY, QUERY, Ask, sample

KEYED, KEYLESS = Marginalia(KEY), Marginalia()
URL = "https://api2.marginalia-search.com/search"


def asked(query: Query) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(KEYED.request(query).url).query).items()}


def test_a_key_stands_in_its_header_and_is_a_secret() -> None:
    request = KEYED.request(QUERY)
    assert header(request.headers, "API-Key") == KEY
    assert request.secrets == (KEY,)
    assert not KEYED.facts.keyless


def test_without_a_key_the_shared_one_is_used_and_is_no_secret() -> None:
    request = KEYLESS.request(QUERY)
    assert header(request.headers, "API-Key") == "public"
    assert request.secrets == ()
    assert KEYLESS.facts.keyless


def test_it_is_asked_by_name_and_covers_less_than_the_web() -> None:
    assert KEYED.facts.by_name
    assert KEYED.facts.scope != "web"


@pytest.mark.parametrize(("safe", "nsfw"), [("off", "0"), ("moderate", "1"), ("strict", None), (None, None)])
def test_options_become_parameters(safe: str | None, nsfw: str | None) -> None:
    sent = asked(Query("tide", count=50, page=3, safe=safe))
    assert sent.pop("nsfw", None) == nsfw
    assert sent == {"query": "tide", "count": "50", "page": "3"}


def test_strict_and_languages_are_said_to_be_ignored() -> None:
    run = KEYED.parse(sample("marginalia-made"), Query("x", safe="strict", language="en"))
    assert run.ignored == ("language", "safe")


def test_quality_is_kept_as_it_is_and_is_no_score() -> None:
    run = KEYED.parse(sample("marginalia-made"), QUERY)
    assert [result.score for result in run.results] == [None, None]
    assert [result.extra for result in run.results] == [
        {"quality": "2.25", "format": "html"},
        {"quality": "2.5", "format": "pdf"},
    ]


def test_the_licence_of_the_answer_is_noted() -> None:
    assert KEYED.parse(sample("marginalia-made"), QUERY).notes == ("licence of this answer: CC-BY-NC-SA 4.0",)


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [(503, b"", RunOutcome.RATE_LIMITED), (429, b"QPM Limit Exceeded", RunOutcome.RATE_LIMITED),
     (429, b"Daily Limit Exceeded", RunOutcome.QUOTA), (504, b"", RunOutcome.UNAVAILABLE),
     (400, b"", RunOutcome.BAD_REQUEST), (401, b"", RunOutcome.AUTH)],
)  # fmt: skip
def test_refusals_over_the_wire(
    ask: Ask, respx_mock: respx.Router, status: int, body: bytes, outcome: RunOutcome
) -> None:
    respx_mock.get(URL).mock(return_value=httpx.Response(status, content=body))
    assert ask(KEYED).outcome is outcome


def test_a_limit_of_the_shared_key_says_how_to_have_one_of_your_own() -> None:
    refused = Response(503, (("Retry-After", "60"),), b"")
    run = KEYLESS.parse(refused, QUERY)
    assert (run.outcome, run.retry_after_s) == (RunOutcome.RATE_LIMITED, 60)
    assert "set MARGINALIA_API_KEY" in run.detail
    assert "MARGINALIA_API_KEY" not in KEYED.parse(refused, QUERY).detail


def test_a_refused_shared_key_names_the_variable() -> None:
    assert "MARGINALIA_API_KEY" in KEYLESS.parse(Response(401, (), b""), QUERY).detail
