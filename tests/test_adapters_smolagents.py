"""The tools in smolagents, in agents that call and in agents that write code."""

from __future__ import annotations

import json
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
    check_log,
    check_schema,
    kept,
    run_example,
    tooled,
)

pytest.importorskip("smolagents", reason="smolagents is not installed")

from smolagents import CodeAgent, LogLevel, Model, ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    get_tool_json_schema,
)

from searchlog.adapters import smolagents as adapter


class Scripted(Model):
    """Plays a script, and notes what it was told."""

    def __init__(self, *steps: Step) -> None:
        super().__init__(model_id="scripted")
        self.steps = list(steps)
        self.observed: list[str] = []
        self.schemas: list[dict[str, Any]] = []

    def generate(self, messages: list[ChatMessage], *_: Any, tools_to_call_from: Any = None, **__: Any) -> ChatMessage:
        self.schemas = [get_tool_json_schema(one)["function"] for one in tools_to_call_from or ()]
        self.observed = [
            part["text"].removeprefix("Observation:\n")
            for message in messages
            if message.role == MessageRole.TOOL_RESPONSE
            for part in message.content  # type: ignore[union-attr]
        ]
        step = self.steps.pop(0)
        if isinstance(step, str) and tools_to_call_from is None:
            return ChatMessage(role=MessageRole.ASSISTANT, content=step)
        calls = [("final_answer", {"answer": step})] if isinstance(step, str) else step
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content="",
            tool_calls=[
                ChatMessageToolCall(
                    id=f"id{n}", type="function", function=ChatMessageToolCallFunction(name=name, arguments=arguments)
                )
                for n, (name, arguments) in enumerate(calls)
            ],
        )


def calling(tool: Any, model: Scripted) -> ToolCallingAgent:
    return ToolCallingAgent(tools=adapter.tools(tool), model=model, verbosity_level=LogLevel.OFF)


def coding(tool: Any, *code: str) -> tuple[CodeAgent, Scripted]:
    model = Scripted(*(f"<code>\n{one}\n</code>" for one in code))
    return CodeAgent(tools=adapter.tools(tool), model=model, verbosity_level=LogLevel.OFF), model


def texts(stored: Any) -> list[str]:
    return [json.loads(one.content) for one in stored]


def test_what_the_model_observes_is_stored_byte_for_byte() -> None:
    model = Scripted([SEARCH], [("open_page", '{"page": "e1"}')], ANSWER)
    with tooled() as (_, tool):
        assert calling(tool, model).run("?") == ANSWER
        stored = kept(tool.session)
        check_log(tool, stored, "smolagents")
        assert model.observed == texts(stored)
        assert [one.call.arguments for one in stored] == [json.dumps(SEARCH[1], separators=(",", ":")), '{"page":"e1"}']
        assert "<evidence e1 " in model.observed[0]
        assert model.observed[0].splitlines()[-1].startswith("searchlog head: ")


def test_calls_of_one_step_run_side_by_side() -> None:
    model = Scripted([("web_search", {"query": text}) for text in QUERIES], ANSWER)
    together = Meeting(len(QUERIES))
    with tooled(progress=together) as (_, tool):
        assert calling(tool, model).run("?") == ANSWER
        stored = kept(tool.session)
        check_log(tool, stored, "smolagents")
        assert {one.result.outcome for one in stored} == {"ok"}
        assert together.happened
        (observed,) = model.observed
        assert sorted(texts(stored)) == sorted(one for one in texts(stored) if one in observed)


def test_schemas_are_the_definitions_but_for_what_may_be_left_out() -> None:
    model = Scripted(ANSWER)
    with tooled() as (_, tool):
        calling(tool, model).run("?")
        ours = {one["name"]: one for one in model.schemas if one["name"] != "final_answer"}
        assert list(ours) == list(TOOLS)
        needed = {"web_search": ["query"], "open_page": ["page"], "find_in_page": ["page", "words"]}
        for name, one in ours.items():
            parameters = one["parameters"]
            assert parameters["required"] == needed.get(name, [])
            assert one["description"] == TOOLS[name].description
            for property in parameters["properties"].values():
                property.pop("nullable", None)
            parameters["required"] = list(parameters["properties"])
            check_schema(name, parameters, without=["additionalProperties"])


@pytest.mark.parametrize(
    "arguments", ["{not json", {"query": ""}, {"query": "x", "freshness": "aeon"}, '{"query": "x"'], ids=str
)
def test_arguments_of_the_right_types_reach_the_tool(arguments: Any) -> None:
    model = Scripted([("web_search", arguments)], ANSWER)
    with tooled() as (site, tool):
        assert calling(tool, model).run("?") == ANSWER
        (one,) = stored = kept(tool.session)
        check_log(tool, stored, "smolagents")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, separators=(",", ":"))
        assert one.call.arguments == written
        assert one.result.error == "bad-arguments"
        assert model.observed == texts(stored)
        assert "Call web_search as" in model.observed[0]
        assert site.paths == []


@pytest.mark.parametrize("arguments", [{"query": 7}, {}, {"query": "x", "pages": 3}], ids=str)
def test_arguments_that_the_framework_refuses_are_told_by_it(arguments: Any) -> None:
    model = Scripted([("web_search", arguments)], ANSWER)
    with tooled() as (_, tool):
        assert calling(tool, model).run("?") == ANSWER
        assert kept(tool.session) == []
        assert "Argument " in model.observed[0]


def test_code_gets_the_text() -> None:
    with tooled() as (_, tool):
        agent, model = coding(
            tool,
            'found = web_search("tide mill", freshness="any")\nprint(found)',
            'print(open_page(page="e1"))\nprint(web_search(query=["a", "b"]))',
            f"final_answer({ANSWER!r})",
        )
        assert agent.run("?") == ANSWER
        stored = kept(tool.session)
        check_log(tool, stored, "smolagents")
        assert [one.result.error for one in stored] == [None, None, "bad-arguments"]
        assert json.loads(stored[0].call.arguments) == {"query": "tide mill", "freshness": "any"}
        first, second = model.observed
        assert texts(stored)[0] in first
        assert all(text in second for text in texts(stored)[1:])


def test_too_many_arguments_by_position_are_told_how() -> None:
    with tooled() as (_, tool):
        agent, model = coding(tool, 'print(find_in_page("e1", "words", "more"))', f"final_answer({ANSWER!r})")
        agent.run("?")
        (one,) = kept(tool.session)
        assert one.call.arguments == '["e1","words","more"]'
        assert "Call find_in_page as" in model.observed[0]


def test_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(adapter, Scripted([SEARCH], ANSWER), tmp_path, monkeypatch, capsys)
