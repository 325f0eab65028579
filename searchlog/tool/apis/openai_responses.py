"""OpenAI Responses: calls are `function_call` items, each answered by a `function_call_output`. Pure.

    {"type": "function_call_output", "call_id": "call_1", "output": "Evidence for: tide mill …"}

No citation is made for the output of one's own tools, so passages are cited by id, `[e7]`, or by the markers of
`markers`.

A loop:

    import openai
    import searchlog

    client = openai.OpenAI()
    items = [{"role": "user", "content": "How does a tide mill keep its water?"}]
    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session())
        while True:
            response = client.responses.create(
                model="gpt-5.5",
                instructions=tool.instructions("openai-responses"),
                tools=tool.definitions("openai-responses"),
                input=items,
            )
            items += response.output
            replies = tool.handle("openai-responses", response, messages=items)
            if not replies:
                break
            items += replies
    print(response.output_text)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchlog.tool.apis.base import call_id, call_of, dicts
from searchlog.tool.apis.markers import told, told_of
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result

__all__ = ["OpenAIResponses"]


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """The form of OpenAI Responses."""

    citations: str = "ids"
    """`ids` or `markers`."""
    name: str = "openai-responses"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools; strict unless that is refused."""
        return [
            {
                "type": "function",
                "name": tool.name,
                "description": told_of(tool, self.citations),
                "parameters": dict(tool.parameters),
                "strict": strict is not False,
            }
            for tool in tools
        ]

    def calls(self, response: Any) -> list[Call]:
        """Return the `function_call` items."""
        items = response.get("output") if isinstance(response, Mapping) else response
        return [
            call_of(item.get("name"), item.get("arguments"), item.get("call_id") or item.get("id"))
            for item in dicts(items)
            if item.get("type") == "function_call"
        ]

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a `function_call_output` item."""
        return {"type": "function_call_output", "call_id": call_id(call), "output": told(result, self.citations)}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the items as they are: one a call."""
        return list(replies)

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one message of the user."""
        content = [{"type": "input_text", "text": told(result, self.citations)}]
        return [{"type": "message", "role": "user", "content": content}]
