"""What may be printed: no key of ours, and on a terminal no control character of other people's text.

Keys of the environment are replaced by value, wherever they come from: an old archive, or an error of ours.

A page, a title or a URL can hold escape sequences that move the cursor, rewrite what stands above, or set the
clipboard; and bidirectional controls that make a line read otherwise than it is. On a terminal each becomes visible
(`\\x1b`, `\\u202e`). Joiners, variation selectors and marks stay: scripts and emoji need them. Into a pipe or file
everything goes byte for byte, since there it is data.
"""

from __future__ import annotations

import json
import re
from typing import Any

from searchlog import keyring

__all__ = ["dump_json", "one_line", "visible"]

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # bidi controls, line and paragraph separators
    "\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f\ud800-\udfff]"  # marks, tags, lone surrogates
)
_BREAKS = re.compile(r"[\t\n]")
_SPELLED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """Return the text without secrets and with harmful characters as escapes; tabs and line feeds stay."""
    return _HARMFUL.sub(_spell, keyring.known().replace_text(text))


def one_line(text: str) -> str:
    """Return the same with tabs and line feeds as escapes too: for a table, or inside a sentence."""
    return _BREAKS.sub(_spell, visible(text))


def dump_json(value: Any) -> str:
    """Return indented JSON in which no character acts on a terminal; it parses to the same value, without secrets."""
    shown = keyring.hide_in(value, keyring.known().replace_text)  # in its text a secret could span members
    return _IN_JSON.sub(_json_escape, json.dumps(shown, ensure_ascii=False, indent=2))


def _spell(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character in _SPELLED:
        return _SPELLED[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
