"""The tools for LangChain and LangGraph, on langchain-core alone.

    import searchlog
    from langchain_core.messages import HumanMessage, SystemMessage
    from searchlog.adapters.langchain import tools

    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session(title="tide mills"))
        kit = {one.name: one for one in tools(tool)}
        messages = [SystemMessage(tool.instructions()), HumanMessage("How does a tide mill work?")]
        asked = model.bind_tools(list(kit.values()))
        while (said := asked.invoke(messages)).tool_calls:
            messages += [said, *(kit[call["name"]].invoke(call) for call in said.tool_calls)]
        tool.session.keep_answer(said.text)
        print(said.text, tool.session.verify(kept_answers=True).outcomes)

`model` is any chat model that can bind tools; `create_agent(model, tools(tool))` does the same loop. The content of a
`ToolMessage` is the text of the result, its artifact what programs want, shaped as `Definition.output`; its status is
`error` for a call that failed. Arguments that are no JSON never reach a tool: LangChain keeps them apart, as
`invalid_tool_calls`. `ainvoke` works in a thread; cancelled, it ends at its next step.
Where the environment says LANGSMITH_TRACING=true, LangChain sends what runs to LangSmith, results included.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import PrivateAttr

from searchlog.adapters.caller import Caller, needed, schema
from searchlog.tool.definition import TOOLS, Definition
from searchlog.tool.face import Tool
from searchlog.tool.result import Result

with needed("langchain"):
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool

__all__ = ["tools"]

_Told = tuple["str | ToolMessage", dict[str, Any]]
"""Content, or the whole message where it must say that the call failed; and the artifact."""


def tools(tool: Tool) -> list[BaseTool]:
    """Return the tools of a session, for `bind_tools` and for agents."""
    caller = Caller(tool, "langchain", "langchain-core")
    return [_tool(caller, one) for one in TOOLS.values()]


def _tool(caller: Caller, definition: Definition) -> BaseTool:
    made = _Tool(name=definition.name, description=definition.description, args_schema=schema(definition))
    made._caller = caller
    return made


class _Tool(BaseTool):
    """A tool that takes whatever a model wrote, and the id of the call."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _caller: Caller = PrivateAttr()

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what `_run` gets: a StructuredTool would spread the arguments, and leave out the id."""
        return (tool_input, tool_call_id), {}

    def _run(self, arguments: Any, call_id: str | None = None) -> _Told:
        return self._told(self._caller.call(self.name, arguments, call_id), call_id)

    async def _arun(self, arguments: Any, call_id: str | None = None) -> _Told:
        return self._told(await self._caller.acall(self.name, arguments, call_id), call_id)

    def _told(self, result: Result, call_id: str | None) -> _Told:
        artifact = dict(result.structured)
        if result.error is None or call_id is None:
            return result.text, artifact
        failed = ToolMessage(result.text, artifact=artifact, tool_call_id=call_id, name=self.name, status="error")
        return failed, artifact
