"""The envelope: one record of the session log as one line of UTF-8 JSON.

The stored bytes of the line, without the newline, are the leaf of the tree; they are written once and never
re-serialised to verify. Spec: FORMAT.md section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from searchlog import canon, clock
from searchlog.errors import FormatError

__all__ = ["LINE_BYTES_MAX", "VERSION", "Envelope", "decode", "encode"]

VERSION = 1
LINE_BYTES_MAX = 65_535
"""A line is shorter than 64 KiB (C2SP tlog-tiles prefixes an entry with 16 bits); larger things are blobs."""

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SALT = re.compile(r"[0-9a-f]{32}")
_KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")
_AGENT = re.compile(r"[^\x00-\x1f]{1,200}")


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around a record's body."""

    session: str
    seq: int
    """0-based position in the session: the leaf index."""
    at: str
    """When the record was made, RFC 3339 UTC."""
    kind: str
    body: dict[str, Any]
    salt: str
    """128 random bits, hex. An erased line is replaced by its leaf hash; the salt keeps it from being guessed back."""
    turn: int | None = None
    """Number of the turn it belongs to, from 1; None outside of turns."""
    agent: str = "main"
    """Path of the agent that caused it, such as `main/worker`."""
    causes: tuple[int, ...] = ()
    """Seqs of earlier records that it follows from."""
    v: int = VERSION
    extra: dict[str, Any] = field(default_factory=dict)
    """Fields of a later version, kept as they are."""


def encode(record: Envelope) -> bytes:
    """Return the line, without newline.

    Raises FormatError on what `decode` would refuse, so that nothing is stored that cannot be read.
    """
    known = {
        "v": record.v,
        "session": record.session,
        "seq": record.seq,
        "at": record.at,
        "kind": record.kind,
        "turn": record.turn,
        "agent": record.agent,
        "causes": list(record.causes),
        "salt": record.salt,
        "body": record.body,
    }
    _check(known)
    for name in record.extra.keys() & known.keys():
        raise FormatError(f"{name} of a record stands among its unknown fields", field=name)
    line = canon.dumps({**record.extra, **known})
    if len(line) > LINE_BYTES_MAX:
        raise FormatError(
            f"a {record.kind} record of {len(line)} bytes; at most {LINE_BYTES_MAX}: put the large part into a blob",
            kind=record.kind,
            bytes=len(line),
        )
    return line


def decode(line: bytes) -> Envelope:
    """Return the envelope of a stored line; unknown fields and kinds are kept.

    Raises FormatError with the reason on anything that is not a record of a version this reader knows.
    """
    if len(line) > LINE_BYTES_MAX:
        raise FormatError(f"a record of {len(line)} bytes; at most {LINE_BYTES_MAX}", bytes=len(line))
    if b"\n" in line or b"\r" in line:
        raise FormatError("a record is one line; this one holds a line break")
    value = canon.loads(line)
    if not isinstance(value, dict):
        raise FormatError("a record is a JSON object")
    _check(value)
    known = {name: value.pop(name) for name in _FIELDS}
    known["causes"] = tuple(known["causes"])
    return Envelope(**known, extra=value)


def _check(value: dict[str, Any]) -> None:
    """Raise FormatError naming the first known field that is missing or wrong. `v` comes first: it rules the others."""
    for name, check in _FIELDS.items():
        if name not in value:
            raise FormatError(f"a record without {name}", field=name)
        found = value[name]
        if not check(found):
            raise FormatError(f"{name} of a record is {found!r:.80}", field=name, found=found)
        if name == "v" and found > VERSION:
            raise FormatError(
                f"record version {found}; this reader knows up to {VERSION}: upgrade searchlog", field="v", found=found
            )
    if any(cause >= value["seq"] for cause in value["causes"]):
        raise FormatError(
            f"causes of record {value['seq']} name one that does not come before it", field="causes", seq=value["seq"]
        )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_time(value: Any) -> bool:
    try:
        clock.parse_time(value)
    except FormatError:
        return False
    return True


_FIELDS: dict[str, Callable[[Any], bool]] = {
    "v": lambda x: type(x) is int and x >= 1,
    "session": lambda x: isinstance(x, str) and bool(_SESSION.fullmatch(x)),
    "seq": _is_count,
    "at": _is_time,
    "kind": lambda x: isinstance(x, str) and bool(_KIND.fullmatch(x)),
    "turn": lambda x: x is None or (type(x) is int and x >= 1),
    "agent": lambda x: isinstance(x, str) and bool(_AGENT.fullmatch(x)),
    "causes": lambda x: isinstance(x, list) and all(map(_is_count, x)),
    "salt": lambda x: isinstance(x, str) and bool(_SALT.fullmatch(x)),
    "body": lambda x: isinstance(x, dict),
}
