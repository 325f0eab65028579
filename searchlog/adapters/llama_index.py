"""The tools for LlamaIndex, on llama-index-core alone.

    import asyncio
    import searchlog
    from llama_index.core.agent.workflow import FunctionAgent
    from searchlog.adapters.llama_index import tools

    async def ask(tool, question):
        agent = FunctionAgent(tools=tools(tool), llm=model, system_prompt=tool.instructions())
        return str(await agent.run(question))

    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session(title="tide mills"))
        answer = asyncio.run(ask(tool, "How does a tide mill work?"))
        tool.session.keep_answer(answer)
        print(answer, tool.session.verify(kept_answers=True).outcomes)

`model` is any LLM that calls functions; a ReActAgent takes others. The content of a `ToolOutput` is the text of the
result, its `raw_output` what programs want, shaped as `Definition.output`. LlamaIndex reads the arguments before a tool
gets them, as far as they are JSON, and tells no tool the id of a call. `acall` works in a thread, so that calls run
side by side; cancelled, it ends at its next step.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, create_model

from searchlog.adapters.caller import Caller, needed, schema
from searchlog.tool.definition import TOOLS, Definition
from searchlog.tool.face import Tool
from searchlog.tool.result import Result

with needed("llama-index"):
    from llama_index.core.tools import AsyncBaseTool, ToolMetadata, ToolOutput

__all__ = ["tools"]


def tools(tool: Tool) -> list[AsyncBaseTool]:
    """Return the tools of a session for agents and for `chat_with_tools`."""
    caller = Caller(tool, "llama-index", "llama-index-core")
    return [_Tool(caller, one) for one in TOOLS.values()]


def _model(definition: Definition) -> type[BaseModel]:
    """Return a model of the arguments whose JSON Schema is the definition's own."""

    class Arguments(BaseModel):
        @classmethod
        def __get_pydantic_json_schema__(cls, *_: Any) -> dict[str, Any]:
            return schema(definition)

    fields: dict[str, Any] = dict.fromkeys(definition.parameters["properties"], (Any, None))
    return create_model(definition.name, __base__=Arguments, **fields)


class _Tool(AsyncBaseTool):
    def __init__(self, caller: Caller, definition: Definition) -> None:
        self._caller = caller
        self._metadata = ToolMetadata(definition.description, definition.name, _model(definition))

    @property
    def metadata(self) -> ToolMetadata:
        return self._metadata

    def __call__(self, /, *given: Any, **arguments: Any) -> ToolOutput:
        return self.call(*given, **arguments)

    def call(self, /, *given: Any, **arguments: Any) -> ToolOutput:
        asked = given[0] if given else arguments
        return _told(asked, self._caller.call(self._metadata.get_name(), asked))

    async def acall(self, /, *given: Any, **arguments: Any) -> ToolOutput:
        asked = given[0] if given else arguments
        return _told(asked, await self._caller.acall(self._metadata.get_name(), asked))


def _told(asked: Any, result: Result) -> ToolOutput:
    return ToolOutput(
        tool_name=result.tool,
        content=result.text,
        raw_input=asked if isinstance(asked, dict) else {"input": asked},
        raw_output=dict(result.structured),
        is_error=result.error is not None,
    )
