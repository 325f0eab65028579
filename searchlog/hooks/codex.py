"""What the results of Codex's tools are. Pure.

Codex runs its own search tool (`web.run`, to a hook `webrun`) like any function: its results reach PostToolUse hooks,
those of calls made from a script of the model's as well. Seen with codex 0.171. Searches that OpenAI's servers run
inside a response (`web_search_call`) reach no hook: the rollout file has their queries, and nobody has their results.

    result                                                          fidelity
    web.run with text                                               verbatim: the blocks are what the model is given
    web.run with encrypted parts, whatever stands beside them       sealed
    web.run with empty text                                         withheld: what was found is nowhere here
    an MCP tool's text                                              verbatim
    any other tool, any other shape                                 unknown
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from searchlog.hooks.event import Event, Judged
from searchlog.hooks.mcp_tools import is_mcp, judge_mcp
from searchlog.hooks.shapes import is_sealed, texts_of, urls_within, walk

__all__ = ["judge"]

_WEB = re.compile(r"web[._]{0,2}run")
_TITLE_LINE = re.compile(r"\((https?://[^\s]+)\)\s*$", re.MULTILINE)
"""A result begins with a line that has its title and, in brackets, its address."""


def judge(event: Event) -> Judged:
    """Return what the result of one of its tools is."""
    if not event.is_read:
        return Judged("unknown")
    if event.is_failure:
        return Judged("unknown", error="tool-failed")
    if _WEB.fullmatch(event.tool):
        return _searched(event)
    if is_mcp(event):
        return judge_mcp(event)
    return Judged("unknown")


def _searched(event: Event) -> Judged:
    response = event.response
    texts = texts_of(response)
    urls = urls_within((*_opened(event.input), *_named(response, texts)))
    if is_sealed(response):
        return Judged("sealed", urls)
    if texts:
        return Judged("verbatim", urls)
    is_empty = isinstance(response, str) or (
        isinstance(response, list) and all(isinstance(item, dict) and "text" in item for item in response)
    )
    return Judged("withheld" if is_empty else "unknown", urls)


def _opened(given: Any) -> Iterator[Any]:
    """Yield what the call asks to be opened: an address, or the reference of an earlier result, which is none."""
    opened = given.get("open") if isinstance(given, dict) else None
    for item in opened if isinstance(opened, list) else []:
        yield item.get("ref_id") if isinstance(item, dict) else None


def _named(response: Any, texts: list[str]) -> Iterator[Any]:
    yield from (item.get("url") for item in walk(response))
    for text in texts:
        yield from (found[1] for found in _TITLE_LINE.finditer(text))
