"""The tools in LangChain: what its model gets is what is kept, with what programs want beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from searchlog.tool.definition import TOOLS
from tests.adapters import ANSWER, QUERIES, SEARCH, Meeting, Step, check_kept, check_schema, kept, run_example, tooled

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from searchlog.adapters import langchain as adapter


@pytest.fixture(autouse=True)
def _nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING_V2", "false")


class Scripted(FakeMessagesListChatModel):
    """Plays a script, and notes what it was told."""

    bound: list[Any] = Field(default_factory=list)
    received: list[ToolMessage] = Field(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        self.bound.extend(convert_to_openai_tool(one) for one in tools)
        return self

    def _generate(self, messages: list[BaseMessage], *given: Any, **more: Any) -> Any:
        known = {message.tool_call_id for message in self.received}
        self.received += [m for m in messages if isinstance(m, ToolMessage) and m.tool_call_id not in known]
        return super()._generate(messages, *given, **more)

    @property
    def texts(self) -> list[str]:
        assert all(isinstance(message.content, str) for message in self.received)
        return [str(message.content) for message in self.received]


def scripted(*steps: Step) -> Scripted:
    return Scripted(responses=[said(step, number) for number, step in enumerate(steps)])


def said(step: Step, number: int = 0) -> AIMessage:
    if isinstance(step, str):
        return AIMessage(step)
    calls = [{"name": name, "args": args, "id": f"id{number}{n}"} for n, (name, args) in enumerate(step)]
    return AIMessage("", tool_calls=calls)


def converse(tool: Any, model: Scripted) -> str:
    kit = {one.name: one for one in adapter.tools(tool)}
    messages: list[BaseMessage] = []
    asked = model.bind_tools(list(kit.values()))
    while (answer := asked.invoke(messages)).tool_calls:
        messages += [answer, *(kit[call["name"]].invoke(call) for call in answer.tool_calls)]
    return str(answer.content)


def test_what_the_model_gets_is_stored_byte_for_byte() -> None:
    model = scripted([SEARCH], [("open_page", {"page": "e1", "start": 0})], ANSWER)
    with tooled() as (_, tool):
        assert converse(tool, model) == ANSWER
        searched, opened = check_kept(tool, model.texts, "langchain")
        assert (searched.call.call_id, opened.call.call_id) == ("id00", "id10")
        assert json.loads(searched.call.arguments) == SEARCH[1]
        assert "<evidence e1 " in model.texts[0]
        assert model.received[0].artifact["evidence"][0]["id"] == "e1"
        assert [message.status for message in model.received] == ["success", "success"]
        assert [message.name for message in model.received] == ["web_search", "open_page"]


def test_schemas_are_the_definitions() -> None:
    with tooled() as (_, tool):
        model = scripted(ANSWER)
        converse(tool, model)
        assert [one["function"]["name"] for one in model.bound] == list(TOOLS)
        for one in model.bound:
            assert one["function"]["description"] == TOOLS[one["function"]["name"]].description
            check_schema(one["function"]["name"], one["function"]["parameters"])


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": {}},
        {"self": 1, "config": 2, "run_manager": 3, "callbacks": 4, "tool_input": 5, "arguments": 6},
        {"query": "x", "freshness": "aeon"},
    ],
    ids=str,
)
def test_arguments_reach_the_tool_as_they_were_read(arguments: dict[str, Any]) -> None:
    model = scripted([("web_search", arguments)], ANSWER)
    with tooled() as (site, tool):
        assert converse(tool, model) == ANSWER
        (one,) = check_kept(tool, model.texts, "langchain")
        assert json.loads(one.call.arguments) == arguments
        assert one.result.error == "bad-arguments"
        assert model.received[0].status == "error"
        assert model.received[0].artifact["error"]["code"] == "bad-arguments"
        assert "Call web_search as" in model.texts[0]
        assert site.paths == []


def test_tool_by_itself_returns_the_text() -> None:
    with tooled() as (_, tool):
        search, *_ = adapter.tools(tool)
        told = [search.invoke({"query": "tide mill"}), search.invoke("tide mill"), search.invoke('{"query": "gate"}')]
        stored = check_kept(tool, told, "langchain")
        assert [one.result.error for one in stored] == [None, "bad-arguments", None]
        assert {one.call.call_id for one in stored} == {None}


def test_calls_run_side_by_side_and_keep_their_order() -> None:
    calls = said([("web_search", {"query": text}) for text in QUERIES]).tool_calls
    together = Meeting(len(QUERIES))
    with tooled(progress=together) as (_, tool):
        search, *_ = adapter.tools(tool)

        async def batch() -> list[ToolMessage]:
            return await search.abatch(list(calls))

        messages = asyncio.run(batch())
        assert [message.tool_call_id for message in messages] == ["id00", "id01", "id02"]
        stored = check_kept(tool, [str(message.content) for message in messages], "langchain")
        assert {one.result.outcome for one in stored} == {"ok"}
        assert together.happened


def test_cancelled_call_closes_what_it_was_about() -> None:
    (call,) = said([SEARCH]).tool_calls
    with tooled() as (site, tool):
        site.delay = {"/search": 0.5}
        search, *_ = adapter.tools(tool)

        async def give_up() -> None:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(search.ainvoke(call), 0.2)

        asyncio.run(give_up())
        assert [one.result.outcome for one in kept(tool.session)] == ["cancelled"]


def test_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(adapter, scripted([SEARCH], ANSWER), tmp_path, monkeypatch, capsys)
