"""The recipes for chat loops run as they stand: the SDKs of the vendors, against servers that check as the vendors do.

A recipe is the block of README's section "In a chat loop" that hands a response of its API to `handle`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import searchlog
from searchlog.extract.pool import InProcess
from searchlog.records import Message, ToolCall, ToolResult
from searchlog.tool.face import Tool
from tests.searches import TEXTS, bodies, found, pages
from tests.sites import Site, serve
from tests.vendors import speaking

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
NAMES = ("anthropic", "openai-responses", "openai-chat", "gemini", "gemini-interactions")
ASKED = {"query": "tide mill pond", "domains": [], "freshness": "any", "fresh": False}
ROUNDS = [
    [("web_search", ASKED)],
    [
        ("find_in_page", {"page": "e1", "words": "tide mill"}),
        ("web_search", ASKED | {"query": "sluice gate ebb"}),
        ("web_search", ASKED | {"query": "sluice gate ebb"}),
    ],
]


def recipe(name: str) -> str:
    """Return the code of a recipe."""
    section = README.partition("\n## In a chat loop\n")[2].split("\n## ")[0]
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", section, re.DOTALL) if f'handle("{name}"' in code)
    return str(code)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site with its search, which the environment names; pages on loopback may be read."""
    with serve(pages()) as site:
        found(site, list(TEXTS))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("SEARCHLOG_PROVIDERS", "searxng")
        monkeypatch.setenv("SEARCHLOG_SEARXNG_URL", site.url)
        monkeypatch.setattr("searchlog.extract.pool.ExtractPool", lambda **_: InProcess())
        monkeypatch.setattr(searchlog, "Tool", functools.partial(Tool, allow_private=("127.0.0.1",)))
        yield site


def point_at(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the SDKs ask a server, with a key that is none."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "none")
    for name in ("GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)


def test_help_of_the_tool_shows_the_same_loop() -> None:
    assert textwrap.indent(recipe("anthropic"), "    ").rstrip() in (inspect.getdoc(Tool) or "")


@pytest.mark.parametrize("name", NAMES[1:])
def test_docstring_of_each_api_shows_its_loop(name: str) -> None:
    module = importlib.import_module(f"searchlog.tool.apis.{name.replace('-', '_')}")
    assert textwrap.indent(recipe(name), "    ").rstrip() in (module.__doc__ or "")


@pytest.mark.parametrize("name", NAMES)
def test_recipe_is_short(name: str) -> None:
    assert len(recipe(name).splitlines()) < 30


@pytest.mark.parametrize("name", NAMES)
def test_recipe_searches_answers_and_keeps_all_of_it(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    said = StringIO()
    with speaking(ROUNDS) as vendor, redirect_stdout(said):
        point_at(vendor.url, monkeypatch)
        exec(compile(recipe(name), f"README.md {name}", "exec"), {"__name__": "__main__"})
    assert vendor.refused == []
    assert len(vendor.bodies) == len(ROUNDS) + 1
    text = said.getvalue().strip()
    assert text.startswith('A page says "')
    with searchlog.open("./archive") as archive:
        session = archive.session("latest")
        calls, results = bodies(session, ToolCall), bodies(session, ToolResult)
        assert sorted(call.name for call in calls) == sorted(name for calls in ROUNDS for name, _ in calls)
        assert {call.api for call in calls} == {name}
        assert {result.outcome for result in results} == {"ok"}
        assert len({call.call_id for call in calls} - {None}) == len(calls)
        *asking, answer = bodies(session, Message)
        assert [message.form for message in (*asking, answer)] == [name] * (len(ROUNDS) + 1)
        cited = [one["evidence"] for one in session.ledger.load(answer.citations)]
        assert cited
        assert None not in cited
        checked = session.verify(axes=["store", "derivation"], kept_answers=True)
        assert checked.outcomes == dict.fromkeys(("store", "derivation", "answer"), "verified"), checked.findings
