"""Targets of `search/`: whatever a provider answers, or a service for texts, is a typed run.

What every run promises is what `searchlog.testing` checks; when one may be `empty` is learned from the samples.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from searchlog.capture.shown import public_url
from searchlog.search.provider import Response
from searchlog.search.run import RunOutcome
from searchlog.testing.answering import own_lists, promise_faults
from searchlog.testing.inputs import json_of, trimmed
from searchlog.testing.subject import Failed, Subject, of_extractor, of_provider
from tests.fuzz import target as fuzz
from tests.provider_samples import CASES, samples_of

__all__ = ["TARGETS"]

_STATUS = (200, 200, 200, 200, 202, 301, 401, 403, 404, 422, 429, 432, 500)
_BYTES_MAX = 60_000


@cache
def subject_of(name: str) -> Subject:
    """Return a provider, or a service for texts, as something to check."""
    case = CASES[name]
    return (of_extractor if case.is_extractor else of_provider)(case.make(), samples_of(name))


def answers(name: str) -> list[bytes]:
    """Return the real answers of one provider, each below a line of fields; the first byte chooses the status."""
    bodies = [trimmed(sample.response.body) for sample in samples_of(name)]
    return [b"\0Retry-After: 5\n" + body for body in dict.fromkeys(bodies) if len(body) < _BYTES_MAX]


def check_answer(name: str, data: bytes) -> None:
    """Any bytes with any status are a run that keeps its promises, and never `empty` without a sign of it."""
    line, body = fuzz.split_line(data[1:])
    key, _, value = line.partition(":")
    status = _STATUS[(data[:1] or b"\0")[0] % len(_STATUS)]
    subject = subject_of(name)
    asked = (subject.plain, subject.full)[len(data) % 2]
    run = subject.parse(Response(status, ((key.strip(), value.strip()),), body), asked)
    assert list(promise_faults(subject, run, asked)) == []
    assert not isinstance(run, Failed)
    for result in run.results:
        public_url(result.url).encode("utf-8")
    later = any(reason == "before-page" for _, reason in run.dropped)
    if run.outcome is RunOutcome.EMPTY and not later:
        check_empty(subject, status, body)


def check_empty(subject: Subject, status: int, body: bytes) -> None:
    """Nothing found: told with a status that tells so, by a list that is there, or as a sample tells it."""
    statuses = {sample.response.status for sample in subject.samples if sample.outcome is RunOutcome.EMPTY}
    assert 200 <= status < 300 or status in statuses
    lists, empties = _signs(subject.facts.name)
    if not lists:
        assert body.strip()
        return
    value = json_of(body.decode("utf-8-sig", "replace").encode())
    listed = any(isinstance(_at(value, path), list) for path in lists)
    assert listed or any(set(empty) & set(value) for empty in empties if isinstance(value, type(empty))), value


@cache
def _signs(name: str) -> tuple[list[tuple[Any, ...]], list[Any]]:
    """Return where the lists of results of a provider's JSON stand, and the JSON of its answers that say: nothing."""
    subject = subject_of(name)
    found = [json_of(trimmed(body)) for body in subject.bodies(RunOutcome.OK)]
    lists = [path for value in found if value is not None for path in own_lists(subject, value)]
    empties = [json_of(sample.response.body) for sample in subject.samples if sample.outcome is RunOutcome.EMPTY]
    return list(dict.fromkeys(lists)), [value for value in empties if isinstance(value, dict)]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and isinstance(name, int) and name < len(value):
            value = value[name]
        else:
            return None
    return value


def _kind(name: str) -> str:
    found = next((sample.response.body for sample in samples_of(name) if sample.outcome is RunOutcome.OK), b"{")
    return "html" if found.lstrip().startswith(b"<") else "json"


TARGETS = [
    fuzz.Target(f"answer-{name}", _kind(name), partial(check_answer, name), partial(answers, name)) for name in CASES
]
