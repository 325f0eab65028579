"""What the results of tools of MCP servers are, whichever agent called them. Pure."""

from __future__ import annotations

from searchlog.hooks.event import Event, Judged
from searchlog.hooks.shapes import is_sealed, texts_of, urls_within, walk

__all__ = ["is_mcp", "judge_mcp"]


def is_mcp(event: Event) -> bool:
    """Return whether the tool is one of an MCP server, by its name."""
    return event.tool.startswith("mcp__")


def judge_mcp(event: Event, asked: tuple[str, ...] = ()) -> Judged:
    """Return what its result is. asked: the pages that the call named."""
    response = event.response
    error = "tool-failed" if isinstance(response, dict) and response.get("isError") is True else None
    links = [item.get("uri") for item in walk(response) if item.get("type") == "resource_link"]
    urls = urls_within((*asked, *links))
    if is_sealed(response):
        return Judged("sealed", urls, error)
    if texts_of(response):
        return Judged("verbatim", urls, error)
    return Judged("pointer" if urls_within(links) else "unknown", urls, error)
