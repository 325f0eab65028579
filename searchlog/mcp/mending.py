"""JSON that another program refuses, made such that it is read: lone surrogates. Pure.

JSON can name half of a surrogate pair (`"\\ud800"`), and models that cut a text in the middle do. The SDK's parser
refuses the whole message: over stdin nobody ever answers it. Here each such half becomes U+FFFD before it gets there.
"""

from __future__ import annotations

import re
from typing import Any

from searchlog.search.answers.values import without_surrogates

__all__ = ["mended", "sound_json"]

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


def mended(message: bytes) -> bytes:
    """Return a message as UTF-8 without lone surrogates, whether they stand as escapes or as bytes."""
    try:
        message.decode("utf-8")
    except UnicodeDecodeError:
        message = message.decode("utf-8", "replace").encode("utf-8")
    if _HALF.search(message) is None:
        return message
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found[2] else found[0], message)


def sound_json(value: Any) -> Any:
    """Return a JSON value without lone surrogates, in names and in texts."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(name): sound_json(item) for name, item in value.items()}
    return [sound_json(item) for item in value] if isinstance(value, list) else value
