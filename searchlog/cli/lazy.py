"""A click group whose commands are imported when they are called, not when the program starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

__all__ = ["Entry", "LazyGroup"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and what the list of commands says of it."""

    module: str
    attribute: str
    summary: str


class LazyGroup(click.Group):
    """Lists its commands from a table of summaries, so that `--help` imports none of them."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, imported now; None when there is none of that name."""
        import importlib

        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.entries and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"no command is called {name!r:.40}.{self._meant(name)}")
        return super().resolve_command(ctx, args)

    def _meant(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.entries, 2, 0.6)
        return f" Did you mean {' or '.join(near)}?" if near else " `searchlog --help` lists them."

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])
