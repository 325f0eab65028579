"""Anthropic Messages: calls are `tool_use` blocks, passages stand in `search_result` blocks that its models cite.

    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [
        {"type": "text", "text": "Evidence for: tide mill …"},
        {"type": "search_result", "source": "https://example.org/mill", "title": "The mill",
         "citations": {"enabled": true}, "content": [{"type": "text", "text": "passage e1"}, {"type": "text", …}]},
        {"type": "text", "text": "searchlog head: …"}]}

One passage is one text block, byte for byte as shown: a text block is the smallest thing that can be cited, so every
citation names whole passages. Passages of one page that stand side by side share a block, which keeps their order; what
a citation of them means is told by `anthropic_citations`. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from searchlog.tool.apis.base import call_id, call_of, described, dicts, unfenced
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result, Shown

__all__ = ["Anthropic", "index_of"]


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The form of Anthropic Messages."""

    name: str = "anthropic"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools; `strict` stands in them when it is asked for."""
        return [
            {
                "name": tool.name,
                "description": described(tool, ""),
                "input_schema": dict(tool.parameters),
                **({"strict": True} if strict else {}),
            }
            for tool in tools
        ]

    def calls(self, response: Any) -> list[Call]:
        """Return the `tool_use` blocks; those of tools that the API runs itself have other types."""
        content = response.get("content") if isinstance(response, Mapping) else response
        return [
            call_of(block.get("name"), block.get("input"), block.get("id"))
            for block in dicts(content)
            if block.get("type") == "tool_use"
        ]

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a `tool_result` block. That of an error holds text alone, as the API asks."""
        if result.error is not None:
            block = {"type": "tool_result", "tool_use_id": call_id(call), "is_error": True}
            return {**block, "content": [_text(result.text)]}
        return {"type": "tool_result", "tool_use_id": call_id(call), "content": _content(result)}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one message of the user with all replies: the API wants them together, before any text."""
        return [{"role": "user", "content": list(replies)}] if replies else []

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one message of the user whose content is the evidence."""
        return [{"role": "user", "content": _content(result)}]


def _text(text: str) -> dict[str, Any]:
    """Return a text block; the API refuses one without a visible character."""
    return {"type": "text", "text": text if text.strip() else "(nothing)"}


def _groups(result: Result) -> list[list[Shown]]:
    """Return the passages as they share blocks: side by side and of one page."""
    if result.error is not None:
        return []
    citable = [passage for passage in result.passages if passage.text.strip()]
    return [list(group) for _, group in groupby(citable, key=lambda passage: (passage.url, passage.title))]


def _content(result: Result) -> list[dict[str, Any]]:
    groups = _groups(result)
    if not groups:
        return [_text(result.text)]
    lead = unfenced(result.lead, "Each stands in a search result below; about each:").rstrip("\n")
    blocks = [_text("\n".join([lead, *_about(groups)]))]
    for group in groups:
        first = group[0]
        blocks.append(
            {
                "type": "search_result",
                "source": first.url.strip() or first.id,
                "title": first.title.strip() or first.url.strip() or first.id,
                "content": [{"type": "text", "text": passage.text} for passage in group],
                "citations": {"enabled": True},
            }
        )
    return [*blocks, *([_text(result.tail)] if result.tail.strip() else [])]


def _about(groups: Sequence[Sequence[Shown]]) -> Iterator[str]:
    """Yield what helps to read each passage, under its id and where it stands."""
    for number, group in enumerate(groups, 1):
        for place, passage in enumerate(group, 1):
            where = f"search result {number}" + (f", passage {place}" if len(group) > 1 else "")
            yield f"{passage.id} ({where}):"
            yield from (f"  {line}" for line in passage.about)


def index_of(result: Result) -> list[list[str]]:
    """Return the evidence ids of each text block of each `search_result` block that the reply holds."""
    return [[passage.id for passage in group] for group in _groups(result)]
