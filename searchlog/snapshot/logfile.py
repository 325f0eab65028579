"""`searchlog/session.log`: every record of a session in one line each, as it is, as its leaf hash, or redacted. Pure.

Spec: FORMAT.md section 14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from searchlog import canon
from searchlog.errors import FormatError
from searchlog.log.envelope import LINE_BYTES_MAX
from searchlog.log.store.base import StoredLine
from searchlog.log.tree import leaf_hash

__all__ = ["LINE_MAX", "fits", "line_of", "read_lines"]

_LEAF = re.compile(rb"[0-9a-f]{64}")
LINE_MAX = 4 * LINE_BYTES_MAX
"""A leaf hash and a redacted copy, which may be longer than the record was."""


def line_of(item: StoredLine, redacted: dict[str, Any] | None = None) -> bytes:
    """Return the line of one record, with its line feed. redacted: a copy to show in its place."""
    if item.line is not None:
        return item.line + b"\n"
    copy = b" " + canon.dumps(redacted) if redacted is not None else b""
    return item.leaf.hex().encode("ascii") + copy + b"\n"


def fits(redacted: dict[str, Any]) -> bool:
    """Return whether a redacted copy is short enough to stand in the log."""
    return len(canon.dumps(redacted)) + 65 <= LINE_MAX


def read_lines(file: BinaryIO) -> Iterator[tuple[StoredLine, dict[str, Any] | None]]:
    """Yield the records of a log file, each with its redacted copy where it has one.

    Raises FormatError, naming the line, on one that is neither a record nor a leaf hash, or too long.
    """
    for seq, line in enumerate(_split(file)):
        if line[:1] == b"{":
            yield StoredLine(leaf_hash(line), line), None
        elif _LEAF.fullmatch(line, 0, 64) and line[64:65] in (b"", b" "):
            yield StoredLine(bytes.fromhex(line[:64].decode("ascii")), None), _copy(seq, line[64:])
        else:
            raise FormatError(f"line {seq + 1} of session.log is neither a record nor a leaf hash", seq=seq)


def _split(file: BinaryIO) -> Iterable[bytes]:
    number = 0
    while line := file.readline(LINE_MAX + 2):
        number += 1
        if not line.endswith(b"\n"):
            raise FormatError(f"line {number} of session.log has no end, or more than {LINE_MAX} bytes")
        yield line[:-1]


def _copy(seq: int, text: bytes) -> dict[str, Any] | None:
    if not text:
        return None
    value = canon.loads(text[1:])
    if not isinstance(value, dict) or "salt" in value or canon.dumps(value) != text[1:]:
        raise FormatError(f"the redacted copy of record {seq} is no canonical JSON object without salt", seq=seq)
    return value
