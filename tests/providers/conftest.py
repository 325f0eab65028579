"""What the provider tests share: samples, and a way to ask a provider over a mocked wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from searchlog.capture.exchange import Decoded, Exchange, Framing, Outcome, Request
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
    """Make one exchange with plain httpx, for respx to answer."""
    started = datetime(2026, 1, 1, tzinfo=UTC)
    facts: dict[str, Any] = {"method": request.method, "url": request.url, "request_body": request.body}
    facts |= {"request_head": b"", "response_head": b"", "framing": Framing("none"), "started_at": started}
    facts |= {"duration_ms": 0, "peer": None, "reason_phrase": ""}
    try:
        with httpx.Client(verify=False) as client:
            answer = client.request(request.method, request.url, headers=list(request.headers), content=request.body)
    except httpx.TimeoutException:
        return Exchange(status=None, headers=(), payload=b"", outcome=Outcome.FAILED, reason="timeout", **facts)
    except httpx.ConnectError:
        return Exchange(status=None, headers=(), payload=b"", outcome=Outcome.FAILED, reason="connect", **facts)
    return Exchange(
        status=answer.status_code,
        headers=tuple((key.decode("latin-1"), value.decode("latin-1")) for key, value in answer.headers.raw),
        payload=answer.content,
        outcome=Outcome.COMPLETE,
        decoded=Decoded(answer.content),
        **facts,
    )


@pytest.fixture
def ask() -> Ask:
    def asked(provider: NetworkProvider, query: Query = QUERY) -> Run:
        return run_of(provider, query, exchange_of(provider.request(query)))

    return asked
