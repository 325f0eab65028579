"""The tools as a toolset of pydantic-ai, on its slim package alone.

    import searchlog
    from pydantic_ai import Agent
    from searchlog.adapters.pydantic_ai import toolset

    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session(title="tide mills"))
        agent = Agent(model, instructions=tool.instructions(), toolsets=[toolset(tool)])
        answer = agent.run_sync("How does a tide mill work?").output
        tool.session.keep_answer(answer)
        print(answer, tool.session.verify(kept_answers=True).outcomes)

`model` is any that pydantic-ai knows. The text of a result is the return value; what programs want, shaped as
`Definition.output`, is the `metadata` of its `ToolReturnPart`. Arguments are never refused by the framework, so no call
counts as a retry: those that cannot be get the reply that tells how to call. Calls run side by side in threads; a run
that is cancelled ends them at their next step.
"""

from __future__ import annotations

import json
from typing import Any

from searchlog.adapters.caller import Caller, needed, schema
from searchlog.tool.definition import TOOLS
from searchlog.tool.face import Tool

with needed("pydantic-ai"):
    from pydantic_ai import RunContext, ToolReturn
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

__all__ = ["toolset"]


def toolset(tool: Tool, *, id: str | None = None) -> AbstractToolset[Any]:
    """Return the tools of a session for `Agent(toolsets=[...])`. id: which it has in durable execution."""
    return _Toolset(Caller(tool, "pydantic-ai", "pydantic-ai-slim"), id)


class _Written(dict[str, Any]):
    """Arguments as the framework's hooks see them, with the text that the model wrote."""

    text: str = ""


def _object(text: str) -> dict[str, Any]:
    """Return the object that a text is, or an empty one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class _Anything:
    """Validates arguments by letting all of them through: what they are is told by `Tool.call`."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> _Written:
        text = input if isinstance(input, str) else bytes(input).decode("utf-8", "replace")
        written = _Written(_object(text))
        written.text = text
        return written

    def validate_python(self, input: Any, **_: Any) -> Any:
        return input


class _Toolset(AbstractToolset[Any]):
    def __init__(self, caller: Caller, id: str | None) -> None:
        self._caller = caller
        self._id = id

    @property
    def id(self) -> str | None:
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {
            one.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(name=one.name, description=one.description, parameters_json_schema=schema(one)),
                max_retries=1,
                args_validator=_Anything(),
            )
            for one in TOOLS.values()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> ToolReturn[Any]:
        arguments: Any = tool_args
        if isinstance(tool_args, _Written) and tool_args == _object(tool_args.text):
            arguments = tool_args.text  # unless a hook changed them
        result = await self._caller.acall(name, arguments, ctx.tool_call_id, model=ctx.model.model_name)
        return ToolReturn(return_value=result.text, metadata=dict(result.structured))
