"""What the tests of the adapters share: tools over loopback, what was kept of each call, the example of a module.

A framework's fake model plays a script: each turn is calls to make, or the text to end with.
"""

from __future__ import annotations

import asyncio
import re
import textwrap
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import searchlog
from searchlog import records
from searchlog.desk import Progress
from searchlog.search import registry
from searchlog.session import Session
from searchlog.tool.definition import TOOLS
from searchlog.tool.face import Tool
from tests.searches import TEXTS, bodies, check_clean, found, opened, pages
from tests.sites import Site, serve

ANSWER = "The gate of a tide mill shuts at high water by itself [e1]."
QUERIES = ("tide mill", "sluice gate", "mill pond")
SEARCH = ("web_search", {"query": "tide mill gate", "domains": [], "freshness": "any", "fresh": False})

Step = str | Sequence[tuple[str, Any]]
"""A final text; or calls, each a name and arguments, which are JSON text where a framework gives it on."""


def options(site: Site) -> dict[str, Any]:
    """Return what lets the tools search this site and nothing else."""
    found(site, list(TEXTS))
    endpoints = registry.Options(endpoints={"searxng": site.url})
    return {"providers": ["searxng"], "registry_options": endpoints, "allow_private": ("127.0.0.1",)}


@contextmanager
def tooled(**more: Any) -> Iterator[tuple[Site, Tool]]:
    """Yield a site and the tools of a session that searches it."""
    with serve(pages()) as site, opened() as archive:
        yield site, Tool(archive.session(), **options(site), **more)


class Meeting:
    """A listener that holds each search until so many are under way at once; `happened` says whether they were."""

    def __init__(self, count: int) -> None:
        self.happened = False
        self._barrier = threading.Barrier(count, self._all_are_here)

    def _all_are_here(self) -> None:
        self.happened = True

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "choose":
            self._barrier.wait(timeout=10)


@dataclass(frozen=True)
class Kept:
    """One call as it stands in the log."""

    call: records.ToolCall
    result: records.ToolResult
    content: bytes
    """Nothing where the work was cut off."""


def kept(session: Session) -> list[Kept]:
    """Return all calls with their results, in the order of the log."""
    pairs = []
    for record in session.records():
        if isinstance(record.body, records.ToolResult):
            (call,) = bodies(session, records.ToolCall, record.envelope.turn)
            content = record.body.content
            pairs.append(Kept(call, record.body, session.ledger.blobs.get(content.blob) if content else b""))
    return pairs


def check_kept(tool: Tool, received: Sequence[str], api: str) -> list[Kept]:
    """Assert that what the model received is what is stored, and that the log verifies; return what is stored."""
    stored = kept(tool.session)
    assert sorted(text.encode("utf-8") for text in received) == sorted(one.content for one in stored)
    check_log(tool, stored, api)
    return stored


def check_log(tool: Tool, stored: Sequence[Kept], api: str) -> None:
    assert stored
    assert {one.call.api for one in stored} == {one.result.api for one in stored} == {api}
    assert all(one.call.client is not None and one.call.client["version"][0].isdigit() for one in stored)
    check_clean(tool.session)
    found = tool.session.verify(keep=False)
    assert found.findings == ()
    assert "failed" not in found.outcomes.values()


@contextmanager
def loop() -> Iterator[None]:
    """Give this thread an event loop, for the `run_sync` of frameworks: one that they make is never closed."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    try:
        yield
    finally:
        made.run_until_complete(made.shutdown_default_executor())
        asyncio.set_event_loop(None)
        made.close()


def example(module: ModuleType) -> str:
    """Return the example in a module's docstring."""
    assert module.__doc__ is not None
    (code,) = re.findall(r"\n\n((?:    .*\n|\n)+)", module.__doc__)
    code = textwrap.dedent(code).strip("\n") + "\n"
    assert len(code.splitlines()) < 25
    return code


def run_example(
    module: ModuleType, model: Any, where: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run a module's example as it stands, over loopback, and assert that it keeps a cited answer that verifies."""
    monkeypatch.chdir(where)
    with serve(pages()) as site:
        monkeypatch.setattr(searchlog, "Tool", partial(Tool, **options(site)))
        with loop():
            exec(compile(example(module), module.__name__, "exec"), {"model": model})
    said = capsys.readouterr().out
    assert ANSWER in said
    assert "'derivation': 'verified'" in said
    with searchlog.open("./archive") as archive:
        session = archive.session("latest")
        assert [one.call.name for one in kept(session)] == ["web_search"]
        (answer,) = [body for body in bodies(session, records.Message) if body.role == "assistant"]
        assert session.ledger.blobs.get(answer.content.blob).decode("utf-8") == ANSWER


def check_schema(name: str, given: Mapping[str, Any], *, without: Sequence[str] = ()) -> None:
    """Assert that a schema is that of the definition, but for the keywords that a framework leaves out."""
    own = {key: value for key, value in TOOLS[name].parameters.items() if key not in without}
    assert {key: value for key, value in given.items() if key not in ("title", "description")} == own
