"""Write the hook into an agent's settings, when asked. Effects: reads and writes that file.

The file is replaced whole, by rename, so that it is never half there; one that is a link is replaced where it points.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from searchlog.errors import FormatError, StoreError
from searchlog.hooks.agents import Agent
from searchlog.hooks.config import with_hook
from searchlog.log.durable import sync_folder, write_durably

__all__ = ["Scope", "command_line", "install", "settings_place"]

Scope = Literal["user", "project"]

_SETTINGS_BYTES_MAX = 4 << 20


def command_line(agent: Agent, options: Sequence[str]) -> str:
    """Return the command as a shell of the agent finds it: by name when it is on the path, else by its place.

    By its place with -P, since the agent stands in a folder whose modules must not pass for ours.
    """
    program = ["searchlog"] if shutil.which("searchlog") else [sys.executable, "-P", "-m", "searchlog"]
    return shlex.join([*program, "hook", agent.name, *options])


def settings_place(agent: Agent, scope: Scope, env: Mapping[str, str]) -> Path:
    """Return where the settings of a user, or of the project in this folder, lie."""
    if scope == "project":
        return Path.cwd() / agent.folder / agent.file
    named = env.get(agent.folder_env)
    return (Path(named) if named else Path.home() / agent.folder) / agent.file


def install(place: Path, agent: Agent, command: str) -> bool:
    """Put the hook into a settings file; return whether that changed it. Raises FormatError, StoreError."""
    try:
        target = place.resolve()
        old = _read(target)
        new = with_hook(old.removeprefix("\ufeff"), agent, command)
        if new == old.removeprefix("\ufeff"):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        temp = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            write_durably(temp, new.encode("utf-8"))
            if target.exists():
                shutil.copymode(target, temp)
            os.replace(temp, target)
        finally:
            temp.unlink(missing_ok=True)
        sync_folder(target.parent)
    except FormatError as error:
        message = f"{place} is left as it is: {error}; put in by hand what --print-config shows"
        raise FormatError(message, path=str(place)) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round in a circle
        said = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StoreError(f"cannot write {place}: {said}", path=str(place)) from None
    return True


def _read(place: Path) -> str:
    try:
        with place.open("rb") as file:
            data = file.read(_SETTINGS_BYTES_MAX + 1)
    except FileNotFoundError:
        return ""
    if len(data) > _SETTINGS_BYTES_MAX:
        raise FormatError("it is larger than any settings")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("it is not UTF-8") from None
