"""The toolset of pydantic-ai: what its model gets is what is kept, and no call is refused before it is told how."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from searchlog.tool.definition import TOOLS
from tests.adapters import (
    ANSWER,
    QUERIES,
    SEARCH,
    Meeting,
    Step,
    check_kept,
    check_schema,
    kept,
    loop,
    run_example,
    tooled,
)

pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from searchlog.adapters import pydantic_ai as adapter


@pytest.fixture(autouse=True)
def _loop() -> Iterator[None]:
    with loop():
        yield


class Scripted:
    """Plays a script, and notes what it was told."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.received: list[ToolReturnPart[Any]] = []
        self.info: AgentInfo | None = None

    def __call__(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.info = info
        self.received += [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        step = self.steps.pop(0)
        if isinstance(step, str):
            return ModelResponse([TextPart(step)])
        return ModelResponse([ToolCallPart(name, arguments, f"id{n}") for n, (name, arguments) in enumerate(step)])

    @property
    def texts(self) -> list[str]:
        return [part.model_response_str() for part in self.received]


def test_what_the_model_gets_is_stored_byte_for_byte() -> None:
    script = Scripted([SEARCH], [("open_page", json.dumps({"page": "e1", "start": 0}))], ANSWER)
    with tooled() as (_, tool):
        agent = Agent(FunctionModel(script, model_name="scripted"), toolsets=[adapter.toolset(tool)])
        assert agent.run_sync("?").output == ANSWER
        searched, opened = check_kept(tool, script.texts, "pydantic-ai")
        assert "<evidence e1 " in script.texts[0]
        assert (searched.call.call_id, opened.call.name) == ("id0", "open_page")
        assert opened.call.arguments == '{"page": "e1", "start": 0}'
        assert searched.call.client is not None
        assert searched.call.client["model"] == "scripted"
        part = script.received[0]
        assert part.metadata["evidence"][0]["id"] == "e1"
        assert part.outcome == "success"


def test_schemas_are_the_definitions() -> None:
    script = Scripted(ANSWER)
    with tooled() as (_, tool):
        Agent(FunctionModel(script), toolsets=[adapter.toolset(tool)]).run_sync("?")
        assert script.info is not None
        assert len(script.info.function_tools) == 4
        for one in script.info.function_tools:
            check_schema(one.name, one.parameters_json_schema)


@pytest.mark.parametrize(
    "arguments",
    ["{not json", "[1]", '{"query": 7, "query": {}}', {"query": ["a", "b"]}, "", '{"q\\ud800": 1}', '"\\ud800"'],
    ids=ascii,
)
def test_arguments_reach_the_tool_as_they_were_written(arguments: Any) -> None:
    script = Scripted([("web_search", arguments)], ANSWER)
    with tooled() as (site, tool):
        result = Agent(FunctionModel(script), toolsets=[adapter.toolset(tool)], retries=0).run_sync("?")
        assert result.output == ANSWER
        (one,) = check_kept(tool, script.texts, "pydantic-ai")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, separators=(",", ":"))
        assert one.call.arguments == (written or "{}")
        assert one.result.error == "bad-arguments"
        assert "Call web_search as" in script.texts[0]
        assert site.paths == []


def test_hook_that_changes_arguments_is_followed() -> None:
    class Narrow(AbstractCapability[Any]):
        async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any]) -> Any:
            args["query"] = "sluice gate"
            return args

    script = Scripted([("web_search", '{"query": "anything"}')], ANSWER)
    with tooled() as (_, tool):
        Agent(FunctionModel(script), toolsets=[adapter.toolset(tool)], capabilities=[Narrow()]).run_sync("?")
        (one,) = check_kept(tool, script.texts, "pydantic-ai")
        assert json.loads(one.call.arguments) == {"query": "sluice gate"}


def test_calls_of_one_response_run_side_by_side() -> None:
    script = Scripted([("web_search", json.dumps({"query": text})) for text in QUERIES], ANSWER)
    together = Meeting(len(QUERIES))
    with tooled(progress=together) as (_, tool):
        Agent(FunctionModel(script), toolsets=[adapter.toolset(tool)]).run_sync("?")
        stored = check_kept(tool, script.texts, "pydantic-ai")
        assert [part.tool_call_id for part in script.received] == ["id0", "id1", "id2"]
        assert {one.result.outcome for one in stored} == {"ok"}
        assert together.happened


def test_cancelled_run_closes_what_it_was_about() -> None:
    script = Scripted([SEARCH], ANSWER)
    with tooled() as (site, tool):
        site.delay = {"/search": 0.5}

        async def give_up() -> None:
            agent = Agent(FunctionModel(script), toolsets=[adapter.toolset(tool)])
            running = asyncio.create_task(agent.run("?"))
            while "/search" not in {path.split("?")[0] for path in site.paths}:
                await asyncio.sleep(0.01)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

        asyncio.run(give_up())
        assert [one.result.outcome for one in kept(tool.session)] == ["cancelled"]


def test_test_model_calls_every_tool() -> None:
    with tooled() as (_, tool):
        result = Agent(TestModel(), toolsets=[adapter.toolset(tool)]).run_sync("?")
        assert "searchlog head" in result.output
        assert {one.call.name for one in kept(tool.session)} == set(TOOLS)


def test_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(adapter, FunctionModel(Scripted([SEARCH], ANSWER)), tmp_path, monkeypatch, capsys)
