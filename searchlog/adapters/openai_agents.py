"""The tools for the OpenAI Agents SDK.

    import searchlog
    from agents import Agent, RunConfig, Runner
    from searchlog.adapters.openai_agents import tools

    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session(title="tide mills"))
        agent = Agent("researcher", instructions=tool.instructions(), tools=tools(tool), model=model)
        private = RunConfig(tracing_disabled=True)
        answer = Runner.run_sync(agent, "How does a tide mill work?", run_config=private).final_output
        tool.session.keep_answer(answer)
        print(answer, tool.session.verify(kept_answers=True).outcomes)

`model` is a name or a `Model`. Without `tracing_disabled` the SDK sends what runs to OpenAI, results included. The
output of a call is the text of the result, the arguments are the text that the model wrote. Calls run side by side in
threads; a run that is cancelled, or a tool that times out, ends them at their next step.
"""

from __future__ import annotations

from typing import Any

from searchlog.adapters.caller import Caller, needed, schema
from searchlog.tool.definition import TOOLS, Definition
from searchlog.tool.face import Tool

with needed("openai-agents"):
    from agents import FunctionTool
    from agents.tool_context import ToolContext

__all__ = ["tools"]


def tools(tool: Tool) -> list[FunctionTool]:
    """Return the tools of a session for `Agent(tools=[...])`."""
    caller = Caller(tool, "openai-agents", "openai-agents")
    return [_tool(caller, one) for one in TOOLS.values()]


def _tool(caller: Caller, definition: Definition) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return (await caller.acall(definition.name, arguments, context.tool_call_id)).text

    return FunctionTool(
        name=definition.name,
        description=definition.description,
        params_json_schema=schema(definition),
        on_invoke_tool=invoke,
        strict_json_schema=True,
    )
