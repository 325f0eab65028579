"""The agents whose hooks are understood, by name. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from searchlog.hooks import claude_code, codex
from searchlog.hooks.event import Event, Judged

__all__ = ["AGENTS", "Agent"]


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent."""

    name: str
    title: str
    """As its makers write it."""
    judge: Callable[[Event], Judged]
    events: tuple[str, ...]
    """The events after which a tool's result is there."""
    matcher: str
    """Regular expression over names of tools: those that look at the web."""
    file: str
    """Its settings file, in its settings folder."""
    folder: str
    """That folder, in the user's home and in a project."""
    folder_env: str
    """The variable that names another folder in the place of the one in the user's home."""


AGENTS: Mapping[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            claude_code.judge,
            ("PostToolUse", "PostToolUseFailure"),
            "WebSearch|WebFetch",
            "settings.json",
            ".claude",
            "CLAUDE_CONFIG_DIR",
        ),
        Agent("codex", "Codex", codex.judge, ("PostToolUse",), "^webrun$", "hooks.json", ".codex", "CODEX_HOME"),
    )
}
