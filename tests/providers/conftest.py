"""What the provider tests share: samples, and a way to ask a provider over a mocked wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.clock import FixedClock
from searchlog.search.catalogue import SERVICES
from searchlog.search.provider import NetworkProvider, Response, run_of
from searchlog.search.providers.searxng import Searxng
from searchlog.search.query import Query
from searchlog.search.run import Run

SAMPLES = Path(__file__).parent.parent / "data" / "providers"
"""A folder a provider: answers, and in `expected.json` what a reader of each should find."""
KEY = "canary-key-0123456789"
QUERY = Query("tide table")
Ask = Callable[..., Run]

NAMES = {
    "brave_llm": "brave-context",
    "duckduckgo_html": "duckduckgo",
    "duckduckgo_lite": "duckduckgo-lite",
    "hn": "hackernews",
    "kagi_v0": "kagi",
    "kagi_v1": "kagi",
    "mediawiki": "wikipedia",
    "mojeek_html": "mojeek",
    "pubmed_esearch": "pubmed",
    "pubmed_esummary": "pubmed",
    "wayback_available": "wayback",
    "wayback_cdx": "wayback",
}
"""Our name of a provider whose samples have another one; those of services that give page texts end in `_extract`."""


def _entries() -> list[dict[str, Any]]:
    out = []
    for path in sorted(SAMPLES.glob("*/expected.json")):
        for entry in json.loads(path.read_bytes()):
            name = NAMES.get(entry["provider"], entry["provider"])
            out.append(entry | {"file": f"{path.parent.name}/{entry['file']}", "provider": name})
    return out


ALL_ENTRIES = _entries()
ENTRIES = [entry for entry in ALL_ENTRIES if entry["provider"] in {"searxng", *SERVICES}]
"""The samples of the providers that answer queries."""


def every() -> dict[str, NetworkProvider]:
    """Return one of each network provider by name, with a key where it takes one."""
    made: dict[str, NetworkProvider] = {"searxng": Searxng("https://searx.example")}
    for name, service in SERVICES.items():
        made[name] = service(None if service.FACTS.key == "none" else KEY)  # type: ignore[assignment]
    return made


def sample(name: str) -> Response:
    """The sample of this id as a response."""
    entry = next(entry for entry in ALL_ENTRIES if entry["id"] == name)
    headers = tuple((key, value) for key, value in entry["headers"])
    return Response(entry["status"], headers, (SAMPLES / entry["file"]).read_bytes())


def json_response(value: Any, status: int = 200, *headers: tuple[str, str]) -> Response:
    return Response(status, (("Content-Type", "application/json"), *headers), json.dumps(value).encode())


def exchange_of(request: Request) -> Exchange:
    """Make one exchange with the real client, its connection pool mocked by respx; `rebuilt` says so."""
    clock = FixedClock()
    with Client(clock=clock) as client:
        return client.exchange(request, Deadline(5.0, clock))


def query_for(provider: NetworkProvider, query: Query = QUERY) -> Query:
    """The same query; of an index of captures, which can be asked for nothing else, about an address."""
    return replace(query, text="https://a.example/tide") if provider.facts.scope == "captures" else query


@pytest.fixture
def ask() -> Ask:
    def asked(provider: NetworkProvider, query: Query | None = None) -> Run:
        query = query_for(provider) if query is None else query
        return run_of(provider, query, exchange_of(provider.request(query)))

    return asked
