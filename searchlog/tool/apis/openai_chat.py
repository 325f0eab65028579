"""OpenAI Chat Completions, and the many servers that speak it: calls are `tool_calls` of a message. Pure.

    {"role": "tool", "tool_call_id": "call_1", "content": "Evidence for: tide mill …"}

Content is text alone, so passages are cited by id, `[e7]`, or by the markers of `markers`.

A loop:

    import openai
    import searchlog

    client = openai.OpenAI()  # or OpenAI(base_url="http://localhost:11434/v1", api_key="none"): Ollama, vLLM, llama.cpp
    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session())
        messages = [
            {"role": "system", "content": tool.instructions("openai-chat")},
            {"role": "user", "content": "How does a tide mill keep its water?"},
        ]
        while True:
            response = client.chat.completions.create(
                model="gpt-5.5", tools=tool.definitions("openai-chat"), messages=messages
            )
            messages.append(response.choices[0].message)
            replies = tool.handle("openai-chat", response, messages=messages)
            if not replies:
                break
            messages += replies
    print(response.choices[0].message.content)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchlog.tool.apis.base import call_id, call_of, dicts, first
from searchlog.tool.apis.markers import told, told_of
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result

__all__ = ["OpenAIChat"]


@dataclass(frozen=True, slots=True)
class OpenAIChat:
    """The form of OpenAI Chat Completions."""

    citations: str = "ids"
    """`ids` or `markers`."""
    name: str = "openai-chat"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools; strict unless that is refused."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": told_of(tool, self.citations),
                    "parameters": dict(tool.parameters),
                    **({} if strict is False else {"strict": True}),
                },
            }
            for tool in tools
        ]

    def calls(self, response: Any) -> list[Call]:
        """Return the calls of functions in the first choice; a message alone is read too."""
        message: Any = response
        if isinstance(response, Mapping) and "choices" in response:
            message = first(response["choices"]).get("message")
        calls = message.get("tool_calls") if isinstance(message, Mapping) else None
        out = []
        for call in dicts(calls):
            function = call.get("function")
            if isinstance(function, Mapping):
                out.append(call_of(function.get("name"), function.get("arguments"), call.get("id")))
        return out

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a message of the role `tool`."""
        return {"role": "tool", "tool_call_id": call_id(call), "content": told(result, self.citations)}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages as they are: one a call, right behind that of the model."""
        return list(replies)

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one message of the user."""
        return [{"role": "user", "content": told(result, self.citations)}]
