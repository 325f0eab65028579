"""The front door for authors of providers: what its docstring says of an answer is so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from searchlog import providing
from searchlog.errors import UsageError
from searchlog.providing import Facts, Query, Reader, Request, Response, Run, RunOutcome, Service, Terms, number, rows

FACTS = Facts(
    "tide", "Tide", "https://tide.example/find", "Tide", Terms("", "", ""), key="required", key_env=("TIDE_KEY",)
)


class Tide(Service):
    """Answers 200 whatever happened, and says in the body what did."""

    FACTS = FACTS

    def request(self, query: Query) -> Request:
        return self._get({"q": query.text}, ("X-Key", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, "tide/1", self.facts.ignored(query))
        said = providing.error_text(response.body)
        if said:
            return reader.run(RunOutcome.QUOTA, said, providing.retry_after(response.headers))
        found = reader.refused(response) or rows(response, reader, "items")
        if not isinstance(found, tuple):
            return found
        reader.walk(found[1], lambda row: {"url": row.get("at"), "score": number(row.get("score"))})
        return reader.run()


def answered(value: Any) -> Run:
    response = Response(200, (("Retry-After", "60"),), json.dumps(value).encode())
    return Tide("k").parse(response, Query("tide"))


def test_an_error_within_an_answer_is_told_with_the_name_in_front() -> None:
    run = answered({"error": "the credit is used up", "items": []})
    assert (run.outcome, run.detail, run.retry_after_s) == ("quota", "tide: the credit is used up", 60)


def test_a_score_is_a_decimal_string() -> None:
    run = answered({"items": [{"at": "https://a.example/", "score": 0.25}, {"at": "https://b.example/", "score": "x"}]})
    assert [result.score for result in run.results] == ["0.25", None]


def test_an_empty_list_is_empty_and_no_list_is_not() -> None:
    assert answered({"items": []}).outcome is RunOutcome.EMPTY
    assert answered({}).outcome is RunOutcome.PARSE_ERROR


def test_base_url_stands_in_for_scheme_and_host() -> None:
    made = Tide("a-key", "http://127.0.0.1:9", "me@example.org")
    request = made.request(Query("tide"))
    assert (request.url, request.secrets) == ("http://127.0.0.1:9/find?q=tide", ("a-key",))
    assert made._contact == "me@example.org"


def test_a_required_key_is_there() -> None:
    with pytest.raises(UsageError, match="set TIDE_KEY"):
        Tide()
