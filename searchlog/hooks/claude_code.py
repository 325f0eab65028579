"""What the results of Claude Code's tools are. Pure.

WebSearch runs a model of its own with the hosted search tool; WebFetch hands a small model the page and a question.
What hooks get of them is more than the transcript keeps, and less than a page:

    result                                                          fidelity
    WebSearch with page text in a hit (`snippet`), or commentary    readable-derived
    WebSearch with titles and addresses only                        pointer
    WebSearch with no hit and no word                               unknown: nothing was found, or nothing was kept
    WebFetch, the reply of its small model                          readable-derived
    WebFetch, a redirect that was not followed                      pointer
    WebFetch, an error of the server: its page is not given         withheld
    WebFetch without a word; a result that is kept elsewhere        withheld
    encrypted parts beside which nothing can be read but addresses  sealed
    an MCP tool's text                                              verbatim: the agent may cut it before its model
    an MCP tool's links only                                        pointer
    a failure, any other tool, any other shape                      unknown

Shapes: what Claude Code 2.1.332 sends, `WebSearchOutput` and `WebFetchOutput` of its package's `sdk-tools.d.ts`, and
those of its older manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from searchlog.hooks.event import INTERRUPTED, Event, Judged
from searchlog.hooks.mcp_tools import is_mcp, judge_mcp
from searchlog.hooks.shapes import is_page, is_sealed, urls_within, walk

__all__ = ["judge"]

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")
_ERROR = "Web search error"
"""How the words that stand in the place of results begin when the search failed."""


def judge(event: Event) -> Judged:
    """Return what the result of one of its tools is."""
    if not event.is_read:
        return Judged("unknown")
    if event.is_failure:
        return Judged("unknown", _asked(event), INTERRUPTED if event.is_interrupted else "tool-failed")
    if isinstance(event.response, dict) and event.response.get("detachedToolCall") is True:
        return Judged("withheld", _asked(event))
    if event.tool == "WebFetch":
        return _fetched(event)
    if event.tool == "WebSearch":
        return _searched(event)
    if is_mcp(event):
        return judge_mcp(event, _asked(event))
    return Judged("unknown")


def _asked(event: Event) -> tuple[str, ...]:
    """Return the address that the tool was asked for."""
    return urls_within([event.input.get("url")]) if isinstance(event.input, dict) else ()


def _fetched(event: Event) -> Judged:
    response = event.response
    if isinstance(response, str):
        return Judged("readable-derived" if response.strip() else "withheld", _asked(event))
    if not isinstance(response, dict):
        return Judged("unknown", _asked(event))
    urls = urls_within((*_asked(event), response.get("url"), response.get("final_url")))
    said = next((response[name] for name in ("result", "response") if isinstance(response.get(name), str)), None)
    code = response.get("code", response.get("status_code"))
    if said is None:
        return Judged("sealed" if is_sealed(response) else "unknown", urls)
    if isinstance(code, int) and 300 <= code < 400:
        return Judged("pointer", urls_within((*urls, *_ADDRESS.findall(said))))
    if isinstance(code, int) and code >= 400:
        return Judged("withheld", urls, f"http-{code}")
    return Judged("readable-derived" if said.strip() else "withheld", urls)


def _searched(event: Event) -> Judged:
    response = event.response
    if isinstance(response, str):
        return Judged("readable-derived" if response.strip() else "unknown")
    results = response.get("results") if isinstance(response, dict) else None
    if not isinstance(results, list):
        return Judged("sealed" if is_sealed(response) else "unknown")
    hits = list(_hits(results))
    urls = urls_within(hit.get("url") for hit in hits)
    words = [part for part in results if isinstance(part, str) and part.strip()]
    failed = [part for part in words if part.startswith(_ERROR)]
    if len(failed) < len(words) or any(isinstance(text := hit.get("snippet"), str) and text.strip() for hit in hits):
        return Judged("readable-derived", urls)
    if is_sealed(results):
        return Judged("sealed", urls)
    if urls:
        return Judged("pointer", urls)
    return Judged("unknown", error="tool-failed" if failed else None)


def _hits(results: list[Any]) -> Iterator[dict[str, Any]]:
    return (item for item in walk(results) if is_page(item.get("url")))
