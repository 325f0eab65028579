"""Gemini generateContent: calls are `functionCall` parts, each answered by a `functionResponse` part. Pure.

    {"role": "user", "parts": [
        {"functionResponse": {"id": "…", "name": "web_search", "response": {"output": {"evidence": […], …}}}}]}

Answers are objects, so passages need no fences: each is a member `text` beside its id, which the model cites as `[e7]`.

A loop:

    import searchlog
    from google import genai

    client = genai.Client()
    contents = [{"role": "user", "parts": [{"text": "How does a tide mill keep its water?"}]}]
    with searchlog.open("./archive") as archive:
        tool = searchlog.Tool(archive.session())
        config = {"system_instruction": tool.instructions("gemini"), "tools": tool.definitions("gemini")}
        while True:
            response = client.models.generate_content(model="gemini-3.8-flash", contents=contents, config=config)
            contents.append(response.candidates[0].content)
            replies = tool.handle("gemini", response, messages=contents)
            if not replies:
                break
            contents += replies
    print(response.text)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchlog.tool.apis.base import call_of, dicts, first, unfenced
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result

__all__ = ["Gemini", "told"]


@dataclass(frozen=True, slots=True)
class Gemini:
    """The form of Gemini generateContent."""

    name: str = "gemini"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return one tool that declares all functions. There is no strict mode."""
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}
            for tool in tools
        ]
        return [{"functionDeclarations": declared}]

    def calls(self, response: Any) -> list[Call]:
        """Return the `functionCall` parts of the first candidate; a content alone is read too."""
        content: Any = response
        if isinstance(response, Mapping) and "candidates" in response:
            content = first(response["candidates"]).get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        out = []
        for part in dicts(parts):
            call = part.get("functionCall", part.get("function_call"))
            if isinstance(call, Mapping):
                out.append(call_of(call.get("name"), call.get("args"), call.get("id")))
        return out

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a `functionResponse` part, with the id of the call if it has one."""
        named = {"id": call.id} if call.id else {}
        error = result.error is not None
        response = {"error" if error else "output": told(result)}
        return {"functionResponse": {**named, "name": call.name or result.tool, "response": response}}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one content of the user: as many answers as there were calls have to stand in it."""
        return [{"role": "user", "parts": list(replies)}] if replies else []

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one content of the user. It is text, so passages stand between fences."""
        return [{"role": "user", "parts": [{"text": result.text}]}]


def told(result: Result) -> dict[str, Any]:
    """Return a result as an object; of an error, what it is beside the rest."""
    said = dict(result.structured)
    if isinstance(said.get("notes"), list | tuple):
        said["notes"] = [unfenced(line) for line in said["notes"]]
    if result.error is None:
        return said
    error = said.pop("error", None)
    told = dict(error) if isinstance(error, Mapping) else {"code": result.error, "message": result.text}
    return {**told, **said}
