"""A checkpoint: origin, tree size and root hash as three lines of text.

    searchlog/s20260102-030405-00000001
    17
    q1J3dF0mlq7Zl2cOBlTzRmRcZ8wxk2fP0VGSbU0nOCA=

Spec: C2SP tlog-checkpoint (the note text; `note` has signatures).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from searchlog.errors import FormatError

__all__ = ["ORIGIN_PREFIX", "Checkpoint", "format_checkpoint", "head_line", "parse_checkpoint"]

ORIGIN_PREFIX = "searchlog/"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of one session's tree."""

    origin: str
    size: int
    root: bytes

    @property
    def session(self) -> str:
        """Return the session id that the origin names."""
        return self.origin.removeprefix(ORIGIN_PREFIX)


def format_checkpoint(checkpoint: Checkpoint) -> str:
    """Return the text, with its final newline."""
    return f"{checkpoint.origin}\n{checkpoint.size}\n{base64.b64encode(checkpoint.root).decode('ascii')}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint of a text; extension lines after the third are allowed and left aside.

    text: the note text alone; that of a signed note ends before its first empty line.
    Raises FormatError naming the line that is wrong.
    """
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1]:
        raise FormatError("a checkpoint has at least three lines and ends with a newline")
    for number, line in enumerate(lines[:-1], 1):
        if not line or any(c < " " for c in line):
            raise FormatError(f"line {number} of a checkpoint is empty or holds a control character")
    origin, size, root = lines[:3]
    if not re.fullmatch(r"0|[1-9][0-9]{0,18}", size):
        raise FormatError(f"line 2 of a checkpoint is the tree size, not {size!r:.40}")
    try:
        raw = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32 or base64.b64encode(raw).decode("ascii") != root:
        raise FormatError("line 3 of a checkpoint is 32 bytes of base64")
    return Checkpoint(origin, int(size), raw)


def head_line(checkpoint: Checkpoint) -> str:
    """Return the checkpoint as one short line, for a tool result or the end of a printed report."""
    return f"searchlog head: {checkpoint.origin} {checkpoint.size} {base64.b64encode(checkpoint.root).decode('ascii')}"
