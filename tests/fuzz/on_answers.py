"""Targets of `search/`: whatever a provider answers is a typed run."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from typing import Any

from searchlog import canon
from searchlog.capture.shown import public_url
from searchlog.search.provider import NetworkProvider, Response
from searchlog.search.query import Query
from searchlog.search.reading import ITEMS_MAX, RETRY_MAX_S
from searchlog.search.run import RunOutcome
from tests.fuzz import target as fuzz
from tests.providers.conftest import ENTRIES, every, sample

__all__ = ["TARGETS"]

_STATUS = (200, 200, 200, 200, 202, 301, 401, 403, 404, 422, 429, 432, 500)
_QUERIES = (Query("tide table"), Query("潮汐", count=50, page=3, language="ja", country="JP", freshness="week"))
_LISTS = {
    "brave": lambda value: value.get("query") is not None or value.get("web") is not None,
    "searxng": lambda value: isinstance(value.get("results"), list),
    "tavily": lambda value: isinstance(value.get("results"), list),
    "wikipedia": lambda value: isinstance(value["query"]["search"], list),
}
"""What an answer without results must have all the same, to be one."""


def answers(name: str) -> list[bytes]:
    """Return the real answers of one provider, each below a line of fields; the first byte chooses the status."""
    bodies = [sample(entry["id"]).body for entry in ENTRIES if entry["provider"] == name]
    return [b"\0Retry-After: 5\n" + _cut(body) for body in bodies if len(body) < 100_000]


def _cut(body: bytes) -> bytes:
    """Return an answer with few rows: long ones are parsed no differently, and slower."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    for part in (value, value.get("web"), value.get("query")):
        if isinstance(part, dict):
            part.update({key: part[key][:3] for key in ("results", "search") if isinstance(part.get(key), list)})
    return json.dumps(value).encode()


def check_answer(name: str, data: bytes) -> None:
    """Any bytes with any status are a run: never `ok` without results, never `empty` without a list that is empty."""
    line, body = fuzz.split_line(data[1:])
    key, _, value = line.partition(":")
    status, query = _STATUS[(data[:1] or b"\0")[0] % len(_STATUS)], _QUERIES[len(data) % 2]
    provider: NetworkProvider = every()[name]
    run = provider.parse(Response(status, ((key.strip(), value.strip()),), body), query)
    assert isinstance(run.outcome, RunOutcome)
    assert (run.outcome is not RunOutcome.OK) or run.results
    assert len(run.results) <= ITEMS_MAX
    assert [result.rank for result in run.results] == list(range(1, len(run.results) + 1))
    assert run.retry_after_s is None or 0 <= run.retry_after_s <= RETRY_MAX_S
    assert all(isinstance(note, str) for note in run.notes)
    for result in run.results:
        assert isinstance(result.url, str)
        assert result.url.strip()
        public_url(result.url).encode("utf-8")
    if run.outcome is RunOutcome.EMPTY:
        assert not run.results
        assert 200 <= status < 300
        _check_empty(name, body)
    canon.dumps(json.loads(json.dumps(dataclasses.asdict(run))))


def _check_empty(name: str, body: bytes) -> None:
    if name.startswith("duckduckgo"):
        assert b"no-result" in body.lower()
    elif name in _LISTS:
        value: Any = json.loads(body.decode("utf-8-sig", "replace"))
        assert _LISTS[name](value)


TARGETS = [
    fuzz.Target(
        f"answer-{name}",
        "html" if name.startswith("duckduckgo") else "json",
        partial(check_answer, name),
        partial(answers, name),
    )
    for name in every()
]
