"""What hooks are given, for tests: the files of tests/data/hooks, and inputs made in their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from searchlog.hooks.event import Event, parse_event

FOLDER = Path(__file__).parent / "data" / "hooks"
FILES = sorted(path.name for path in FOLDER.glob("*.json"))
SESSION = "9c85eb1b-9b52-4662-ab3c-5b5db3c01dfd"


def given(name: str) -> bytes:
    """Return the bytes of one file."""
    return (FOLDER / name).read_bytes()


def agent_of(name: str) -> str:
    """Return the agent that wrote a file."""
    return "codex" if name.startswith("codex") else "claude-code"


def made(tool: str, asked: Any, response: Any, **more: Any) -> bytes:
    """Return an input in the form of Claude Code's."""
    value = {
        "session_id": SESSION,
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": asked,
        "tool_response": response,
        "tool_use_id": "toolu_9",
        **more,
    }
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def event(tool: str, asked: Any, response: Any, **more: Any) -> Event:
    """Return the same, read."""
    return parse_event(made(tool, asked, response, **more))
