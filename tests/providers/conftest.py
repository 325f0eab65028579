"""What the provider tests share: samples, and a way to ask a provider over a mocked wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.clock import FixedClock
from searchlog.search.provider import NetworkProvider, Response, run_of
from searchlog.search.providers.brave import Brave
from searchlog.search.providers.duckduckgo import DuckDuckGo
from searchlog.search.providers.searxng import Searxng
from searchlog.search.providers.tavily import Tavily
from searchlog.search.providers.wikipedia import Wikipedia
from searchlog.search.query import Query
from searchlog.search.run import Run

SAMPLES = Path(__file__).parent.parent / "data" / "providers"
ENTRIES: list[dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_bytes())["entries"]
KEY = "canary-key-0123456789"
QUERY = Query("tide table")
Ask = Callable[..., Run]


def five() -> dict[str, NetworkProvider]:
    """One of each network provider, by the name that the samples use."""
    return {
        "searxng": Searxng("https://searx.example"),
        "tavily": Tavily(KEY),
        "brave": Brave(KEY),
        "duckduckgo_html": DuckDuckGo(),
        "mediawiki": Wikipedia(),
    }


def sample(name: str) -> Response:
    """The sample of this id as a response."""
    entry = next(entry for entry in ENTRIES if entry["id"] == name)
    headers = tuple((key, value) for key, value in entry["headers"])
    return Response(entry["status"], headers, (SAMPLES / entry["file"]).read_bytes())


def json_response(value: Any, status: int = 200, *headers: tuple[str, str]) -> Response:
    return Response(status, (("Content-Type", "application/json"), *headers), json.dumps(value).encode())


def exchange_of(request: Request) -> Exchange:
    """Make one exchange with the real client, its connection pool mocked by respx; `rebuilt` says so."""
    clock = FixedClock()
    with Client(clock=clock) as client:
        return client.exchange(request, Deadline(5.0, clock))


@pytest.fixture
def ask() -> Ask:
    def asked(provider: NetworkProvider, query: Query = QUERY) -> Run:
        return run_of(provider, query, exchange_of(provider.request(query)))

    return asked
