"""Which version of an agent asked, and which model, where its transcript says so. Effects: reads that file.

An agent's hook may not say it; its transcript does, in a line near the end (Claude Code) or in the first (Codex).
It is a convenience: whatever goes wrong, nothing is said.
"""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any

from searchlog.hooks.event import Event, storable

__all__ = ["client_of"]

_TAIL_BYTES = 1 << 18
_HEAD_BYTES = 1 << 16
_CODEX_VERSION = re.compile(rb'"cli_version"\s*:\s*"([^"\\]{1,60})"')


def client_of(agent: str, event: Event) -> dict[str, Any]:
    """Return who asked: `name`, and `version` and `model` where they are known."""
    version, model = None, event.model
    if event.transcript is not None:
        if agent == "codex":
            found = _CODEX_VERSION.search(_read(event.transcript, _HEAD_BYTES, from_end=False))
            version = found[1].decode("utf-8", "replace") if found else None
        else:
            version, told = _from_lines(_read(event.transcript, _TAIL_BYTES, from_end=True), event.call_id)
            model = model or told
    said = {"name": agent, "version": version, "model": model}
    return {name: storable(value)[:200] for name, value in said.items() if value}


def _read(place: str, most: int, *, from_end: bool) -> bytes:
    try:
        about = os.stat(place)
        if not stat.S_ISREG(about.st_mode):
            return b""
        with open(place, "rb") as file:
            if from_end and about.st_size > most:
                file.seek(about.st_size - most)
            return file.read(most)
    except (OSError, ValueError):
        return b""


def _from_lines(tail: bytes, call_id: str | None) -> tuple[str | None, str | None]:
    """Return the version of the newest line that has one, and the model of the line that made the call."""
    version = None
    for line in reversed(tail.split(b"\n")):
        is_call = call_id is not None and call_id.encode("utf-8", "replace") in line and b'"tool_use"' in line
        if version is not None and not is_call:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict):
            continue
        if version is None and isinstance(value.get("version"), str):
            version = value["version"]
        message = value.get("message")
        if is_call and isinstance(message, dict) and isinstance(message.get("model"), str):
            return version, message["model"]
    return version, None
