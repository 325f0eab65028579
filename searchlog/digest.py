"""Digests: `sha256:` and 64 lower-case hex digits, always tagged, never cut in data."""

from __future__ import annotations

import hashlib
import re
from typing import NewType

from searchlog.errors import FormatError

__all__ = ["Digest", "digest", "hex_of", "parse", "raw", "short", "text_digest"]

Digest = NewType("Digest", str)

_FORM = re.compile(r"sha256:[0-9a-f]{64}")


def digest(data: bytes) -> Digest:
    """Return the digest of these bytes."""
    return Digest("sha256:" + hashlib.sha256(data).hexdigest())


def text_digest(text: str) -> Digest:
    """Return the digest of the text's UTF-8 bytes."""
    return digest(text.encode("utf-8"))


def parse(value: str) -> Digest:
    """Return the value as a digest, or raise FormatError."""
    if not isinstance(value, str) or not _FORM.fullmatch(value):
        raise FormatError(f"not a digest: {value!r:.80}; expected sha256: and 64 lower-case hex digits", found=value)
    return Digest(value)


def hex_of(value: Digest) -> str:
    """Return the 64 hex digits, the name of a blob's file."""
    return value[7:]


def raw(value: Digest) -> bytes:
    """Return the 32 bytes."""
    return bytes.fromhex(value[7:])


def short(value: str, digits: int = 12) -> str:
    """Return the digest shortened for a screen; never for data."""
    return value[: 7 + digits]
