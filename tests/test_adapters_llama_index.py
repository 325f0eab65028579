"""The tools in LlamaIndex: what its model gets is what is kept, with what programs want beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from searchlog.tool.definition import TOOLS
from tests.adapters import ANSWER, QUERIES, SEARCH, Meeting, Step, check_kept, check_schema, kept, run_example, tooled

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools.calling import acall_tool, call_tool

from searchlog.adapters import llama_index as adapter

# an agent looks through all members of itself, those that pydantic has deprecated too
pytestmark = pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecationWarning")


class Script:
    """Plays a script, and notes what it was told."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.texts: list[str] = []
        self.observed = ""

    def __call__(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        told = [message for message in messages if message.role == MessageRole.TOOL]
        self.texts = ["".join(block.text for block in one.blocks if isinstance(block, TextBlock)) for one in told]
        self.observed = "\n".join(str(message.content) for message in messages if message.role == MessageRole.USER)
        step = self.steps.pop(0)
        if isinstance(step, str):
            made = ChatMessage(role="assistant", content=step)
        else:
            calls = [
                ToolCallBlock(tool_call_id=f"id{n}", tool_name=name, tool_kwargs=arguments)
                for n, (name, arguments) in enumerate(step)
            ]
            made = ChatMessage(role="assistant", blocks=calls)

        async def stream() -> Any:
            yield made

        return stream()


def model(script: Script) -> MockFunctionCallingLLM:
    return MockFunctionCallingLLM(response_generator=script, is_chat_model=True)


def converse(tool: Any, script: Script) -> str:
    async def run() -> str:
        return str(await FunctionAgent(tools=adapter.tools(tool), llm=model(script)).run("?"))

    return asyncio.run(run())


def test_what_the_model_gets_is_stored_byte_for_byte() -> None:
    script = Script([SEARCH], [("open_page", {"page": "e1", "start": 0})], ANSWER)
    with tooled() as (_, tool):
        assert converse(tool, script) == ANSWER
        searched, _ = check_kept(tool, script.texts, "llama-index")
        assert json.loads(searched.call.arguments) == SEARCH[1]
        assert "<evidence e1 " in script.texts[0]


def test_schemas_are_the_definitions() -> None:
    with tooled() as (_, tool):
        made = adapter.tools(tool)
        assert [one.metadata.name for one in made] == list(TOOLS)
        for one in made:
            name = one.metadata.get_name()
            check_schema(name, one.metadata.fn_schema.model_json_schema())  # type: ignore[union-attr]
            function = one.metadata.to_openai_tool()["function"]
            check_schema(name, function["parameters"], without=["additionalProperties"])
            assert function["description"] == TOOLS[name].description


@pytest.mark.parametrize(
    "arguments",
    [{}, {"query": {}}, {"self": 1, "arguments": 2, "given": 3}, {"query": "x", "freshness": "aeon"}, "{not json"],
    ids=str,
)
def test_arguments_reach_the_tool_as_they_were_read(arguments: Any) -> None:
    script = Script([("web_search", arguments)], ANSWER)
    with tooled() as (site, tool):
        assert converse(tool, script) == ANSWER
        (one,) = check_kept(tool, script.texts, "llama-index")
        if isinstance(arguments, dict):
            assert json.loads(one.call.arguments) == arguments
        assert one.result.error == "bad-arguments"
        assert "Call web_search as" in script.texts[0]
        assert site.paths == []


def test_output_holds_text_and_what_programs_want() -> None:
    with tooled() as (_, tool):
        search, open_page, *_ = adapter.tools(tool)
        found = call_tool(search, {"query": "tide mill"})
        opened = asyncio.run(acall_tool(open_page, {"page": "e1"}))
        failed = call_tool(search, {})
        by_position = search('{"query": "tide mill", "fresh": true}')
        stored = check_kept(tool, [one.content for one in (found, opened, failed, by_position)], "llama-index")
        assert [one.result.error for one in stored] == [None, None, "bad-arguments", None]
        assert found.raw_output["evidence"][0]["id"] == "e1"
        assert found.raw_input == {"query": "tide mill"}
        assert [one.is_error for one in (found, opened, failed)] == [False, False, True]
        assert failed.raw_output["error"]["code"] == "bad-arguments"


@pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning")  # by the agent itself
def test_agent_that_writes_its_calls_gets_the_text() -> None:
    script = Script(
        'Thought: I search.\nAction: web_search\nAction Input: {"query": "tide mill"}',
        f"Thought: I can answer.\nAnswer: {ANSWER}",
    )
    with tooled() as (_, tool):

        async def run() -> str:
            return str(await ReActAgent(tools=adapter.tools(tool), llm=model(script)).run("?"))

        assert asyncio.run(run()) == ANSWER
        (one,) = kept(tool.session)
        assert one.content.decode("utf-8") in script.observed


def test_calls_of_one_response_run_side_by_side() -> None:
    script = Script([("web_search", {"query": text}) for text in QUERIES], ANSWER)
    together = Meeting(len(QUERIES))
    with tooled(progress=together) as (_, tool):
        assert converse(tool, script) == ANSWER
        stored = check_kept(tool, script.texts, "llama-index")
        assert {one.result.outcome for one in stored} == {"ok"}
        assert together.happened


def test_cancelled_call_closes_what_it_was_about() -> None:
    with tooled() as (site, tool):
        site.delay = {"/search": 0.5}
        search, *_ = adapter.tools(tool)

        async def give_up() -> None:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(search.acall(**SEARCH[1]), 0.2)

        asyncio.run(give_up())
        assert [one.result.outcome for one in kept(tool.session)] == ["cancelled"]


def test_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(adapter, model(Script([SEARCH], ANSWER)), tmp_path, monkeypatch, capsys)
