"""The tools for smolagents, for agents that call tools and for those that write code.

    import searchlog
    from searchlog.adapters.smolagents import tools
    from smolagents import ToolCallingAgent

    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session(title="tide mills"))
        agent = ToolCallingAgent(tools=tools(tool), model=model, instructions=tool.instructions())
        answer = str(agent.run("How does a tide mill work?"))
        tool.session.keep_answer(answer)
        print(answer, tool.session.verify(kept_answers=True).outcomes)

`model` is any `smolagents.Model`. A result is its text without the final line break, since agents strip what they
observe; a CodeAgent sees as much of it as its code prints. smolagents itself refuses an argument that is unknown, of
another type, or missing though it has no default: such a call does not come here and is not kept. It tells no tool the
id of a call, and several calls of one step run side by side in its own threads.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from searchlog.adapters.caller import Caller, needed
from searchlog.tool.arguments import DEFAULTS
from searchlog.tool.definition import TOOLS, Definition
from searchlog.tool.face import Tool as SearchTool
from searchlog.tool.result import Call, Result

with needed("smolagents"):
    from smolagents import Tool

__all__ = ["tools"]


def tools(tool: SearchTool) -> list[Tool]:
    """Return the tools of a session for agents of either kind."""
    caller = Caller(tool, "smolagents", "smolagents", _stripped)
    return [_Tool(caller, one) for one in TOOLS.values()]


def _stripped(_: Call, result: Result) -> str:
    return result.text.strip()


class _Tool(Tool):
    output_type = "string"
    skip_forward_signature_validation = True

    def __init__(self, caller: Caller, definition: Definition) -> None:
        super().__init__()
        self.name = definition.name
        self.description = definition.description
        self.inputs = deepcopy(dict(definition.parameters["properties"]))
        for name in self.inputs.keys() & DEFAULTS.keys():
            self.inputs[name]["nullable"] = True  # a model may leave it out
        self._caller = caller

    def forward(self, *given: Any, **arguments: Any) -> str:
        asked: Any = {**dict(zip(self.inputs, given, strict=False)), **arguments}
        if len(given) > len(self.inputs):
            asked = list(given)
        elif len(given) == 1 and not arguments and isinstance(given[0], str) and given[0].lstrip().startswith("{"):
            asked = given[0]  # an object that is no JSON, which smolagents takes for the first argument
        return self._caller.call(self.name, asked).text.strip()
