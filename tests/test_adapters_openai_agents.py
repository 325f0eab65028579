"""The tools in the OpenAI Agents SDK: what its model gets is what is kept, and bad arguments are told how."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adapters import ANSWER, QUERIES, SEARCH, Meeting, Step, check_kept, check_schema, kept, loop, tooled
from tests.adapters import run_example as run

pytest.importorskip("agents", reason="openai-agents is not installed")

import agents
from agents import Agent, RunConfig, Runner, Usage
from agents.items import ModelResponse
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from searchlog.adapters import openai_agents as adapter

PRIVATE = RunConfig(tracing_disabled=True)


@pytest.fixture(autouse=True)
def _loop() -> Iterator[None]:
    with loop():
        yield


class Scripted(agents.Model):
    """Plays a script, and notes what it was told."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.outputs: dict[str, str] = {}
        self.tools: list[Any] = []

    async def get_response(self, *, input: Any, tools: Any, **_: Any) -> ModelResponse:
        self.tools = tools
        for item in input if isinstance(input, list) else ():
            if item.get("type") == "function_call_output":
                self.outputs[item["call_id"]] = item["output"]
        step = self.steps.pop(0)
        left = len(self.steps)
        if isinstance(step, str):
            said = ResponseOutputText(annotations=[], text=step, type="output_text")
            item = ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")
            return ModelResponse([item], Usage(), None)
        calls = [
            ResponseFunctionToolCall(
                name=name,
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
                call_id=f"call_{left}_{n}",
                type="function_call",
            )
            for n, (name, arguments) in enumerate(step)
        ]
        return ModelResponse(calls, Usage(), None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def agent(tool: Any, model: Scripted) -> Agent[Any]:
    return Agent("researcher", tools=adapter.tools(tool), model=model)


def test_what_the_model_gets_is_stored_byte_for_byte() -> None:
    model = Scripted([SEARCH], [("find_in_page", '{"page": "e1",  "words": "high water"}')], ANSWER)
    with tooled() as (_, tool):
        assert Runner.run_sync(agent(tool, model), "?", run_config=PRIVATE).final_output == ANSWER
        searched, found = check_kept(tool, list(model.outputs.values()), "openai-agents")
        assert (searched.call.call_id, found.call.call_id) == ("call_2_0", "call_1_0")
        assert found.call.arguments == '{"page": "e1",  "words": "high water"}'
        assert "<evidence e1 " in model.outputs["call_2_0"]


def test_schemas_are_the_definitions_and_strict() -> None:
    model = Scripted(ANSWER)
    with tooled() as (_, tool):
        Runner.run_sync(agent(tool, model), "?", run_config=PRIVATE)
        assert len(model.tools) == 4
        for one in model.tools:
            assert one.strict_json_schema
            check_schema(one.name, one.params_json_schema)


@pytest.mark.parametrize("arguments", ["{not json", "[1]", "", '{"query": {}}', '{"query": 1, "query": []}'])
def test_arguments_reach_the_tool_as_they_were_written(arguments: str) -> None:
    model = Scripted([("web_search", arguments)], ANSWER)
    with tooled() as (site, tool):
        assert Runner.run_sync(agent(tool, model), "?", run_config=PRIVATE).final_output == ANSWER
        (one,) = check_kept(tool, list(model.outputs.values()), "openai-agents")
        assert one.call.arguments == arguments
        assert one.result.error == "bad-arguments"
        assert "Call web_search as" in model.outputs["call_1_0"]
        assert site.paths == []


def test_calls_of_one_response_run_side_by_side() -> None:
    model = Scripted([("web_search", {"query": text}) for text in QUERIES], ANSWER)
    together = Meeting(len(QUERIES))
    with tooled(progress=together) as (_, tool):
        Runner.run_sync(agent(tool, model), "?", run_config=PRIVATE)
        stored = check_kept(tool, list(model.outputs.values()), "openai-agents")
        assert {one.result.outcome for one in stored} == {"ok"}
        assert together.happened
        by_id = {one.call.call_id: one.content.decode("utf-8") for one in stored}
        assert by_id == model.outputs


def test_tool_that_times_out_is_closed_and_the_model_is_told() -> None:
    model = Scripted([SEARCH], ANSWER)
    with tooled() as (site, tool):
        site.delay = {"/search": 0.5}
        one = agent(tool, model)
        for each in one.tools:
            each.timeout_seconds = 0.2  # type: ignore[union-attr]
        assert asyncio.run(_finished(one)) == ANSWER
        assert "timed out" in model.outputs["call_1_0"]
        assert [one.result.outcome for one in kept(tool.session)] == ["cancelled"]


async def _finished(one: Agent[Any]) -> Any:
    return (await Runner.run(one, "?", run_config=PRIVATE)).final_output


def test_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(adapter, Scripted([SEARCH], ANSWER), tmp_path, monkeypatch, capsys)
