"""What an agent's settings must hold to call us, and how that is put beside what they hold already. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from searchlog.errors import FormatError
from searchlog.hooks.agents import Agent

__all__ = ["config", "config_text", "with_hook"]

_TIMEOUT_S = 10
"""The agent waits no longer; a call takes a fraction of a second."""


def config(agent: Agent, command: str) -> dict[str, Any]:
    """Return the settings that make an agent call this command after each look at the web."""
    handler = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
    return {"hooks": {event: [{"matcher": agent.matcher, "hooks": [dict(handler)]}] for event in agent.events}}


def config_text(value: Mapping[str, Any], indent: int | str = 2) -> str:
    """Return settings as a file holds them."""
    return json.dumps(value, ensure_ascii=False, indent=indent) + "\n"


def with_hook(text: str, agent: Agent, command: str) -> str:
    """Return a settings file with the hook in it, all else kept; the same text where it is there already.

    A hook of ours that has other options is given these; its matcher stays as its user wrote it.
    Raises FormatError for a file that is not in the form it should be: it is then left to its user.
    """
    value = _settings(text) if text.strip() else {}
    hooks = value.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise FormatError("`hooks` in it is no object")
    changed = False
    for event, groups in config(agent, command)["hooks"].items():
        there = hooks.setdefault(event, [])
        if not isinstance(there, list):
            raise FormatError(f"`hooks.{event}` in it is no list")
        ours = [handler for handler in _handlers(there) if _is_ours(handler, agent)]
        if not ours:
            there += groups
            changed = True
        for handler in ours:
            changed = changed or handler["command"] != command
            handler["command"] = command
    return config_text(value, _indent(text)) if changed else text


def _settings(text: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise FormatError("a name stands twice in one object of it")
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise FormatError("it is no JSON") from None
    if not isinstance(value, dict):
        raise FormatError("it is no JSON object")
    return value


def _handlers(groups: list[Any]) -> list[dict[str, Any]]:
    lists = [group.get("hooks") for group in groups if isinstance(group, dict)]
    return [handler for found in lists if isinstance(found, list) for handler in found if isinstance(handler, dict)]


def _is_ours(handler: Mapping[str, Any], agent: Agent) -> bool:
    command = handler.get("command")
    ours = rf"\bsearchlog(?:\.exe)?[\"']?\s+hook\s+{re.escape(agent.name)}(?:\s|$)"
    return isinstance(command, str) and re.search(ours, command) is not None


def _indent(text: str) -> int | str:
    """Return what the first line inside is indented by."""
    found = re.search(r"\n([ \t]+)\S", text)
    if found is None:
        return 2
    return found[1] if "\t" in found[1] else len(found[1])
