"""Gemini Interactions: calls are `function_call` steps, each answered by a `function_result` step. Pure.

{"type": "function_result", "call_id": "…", "name": "web_search", "result": {"evidence": […], "head": "…"}}

A loop:

    import searchlog
    from google import genai

    client = genai.Client()
    steps = [{"type": "user_input", "content": [{"type": "text", "text": "How does a tide mill keep its water?"}]}]
    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session())
        while True:
            interaction = client.interactions.create(
                model="gemini-3.8-flash",
                system_instruction=tool.instructions("gemini-interactions"),
                tools=tool.definitions("gemini-interactions"),
                input=steps,
                store=False,
            )
            steps += interaction.steps
            replies = tool.handle("gemini-interactions", interaction, messages=steps)
            if not replies:
                break
            steps += replies
    print(interaction.output_text)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchlog.tool.apis.base import call_id, call_of, dicts
from searchlog.tool.apis.gemini import told
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result

__all__ = ["GeminiInteractions"]


@dataclass(frozen=True, slots=True)
class GeminiInteractions:
    """The form of Gemini Interactions."""

    name: str = "gemini-interactions"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools. There is no strict mode."""
        return [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            }
            for tool in tools
        ]

    def calls(self, response: Any) -> list[Call]:
        """Return the `function_call` steps."""
        steps: Any = response
        if isinstance(response, Mapping):
            steps = response.get("steps") or response.get("outputs")
        return [
            call_of(step.get("name"), step.get("arguments"), step.get("id"))
            for step in dicts(steps)
            if step.get("type") == "function_call"
        ]

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a `function_result` step."""
        step = {"type": "function_result", "call_id": call_id(call), "name": call.name or result.tool}
        return {**step, "result": told(result), **({} if result.error is None else {"is_error": True})}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the steps as they are: the next input, with the id of the interaction as the previous one's."""
        return list(replies)

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one step of the user. It is text, so passages stand between fences."""
        return [{"type": "user_input", "content": [{"type": "text", "text": result.text}]}]
