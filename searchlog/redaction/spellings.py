"""The texts that bytes may be, and what a text says once its escapes are undone and its markup is away. Pure, linear.

Made for finding, not for reading: each is searched by itself, and nothing in them is traced back to where it stood.
Shown by test_redaction.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

from searchlog.extract.charset import encoding_for_label

__all__ = ["texts", "undone", "views"]

_SLASHED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([/\"'\\]))")
_LONG_NUMBER = re.compile(r"&#x?[0-9A-Fa-f]{9,}", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_CONTROLS = bytes(byte for byte in range(1, 32) if byte not in b"\t\n\r\f\x1b")
_BINARY_SHARE = 50
"""One control byte in so many: a picture, a font, something compressed; no text has them."""
_PRINTED = re.compile(rb"[\t -~]{8,}")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def texts(data: bytes, charset: str) -> Iterator[str]:
    """Yield the bytes as text: UTF-8, else also Latin-1; UTF-16 where a mark or NULs tell; and as they say they are.

    Of what is no text the runs of printable ASCII: any two bytes of a picture would be letters of Latin-1.
    """
    try:
        yield data.decode("utf-8")
    except UnicodeDecodeError:
        if (len(data) - len(data.translate(None, _CONTROLS))) * _BINARY_SHARE > len(data):
            yield b"\n".join(_PRINTED.findall(data)).decode("ascii")
        else:
            yield data.decode("utf-8", "surrogateescape")
            yield data.decode("latin-1")
    head = data[:4096]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(0) * 8 > len(head):
        yield data.translate(None, b"\0").decode("latin-1")
        for coding in ("utf-16-le", "utf-16-be"):
            yield data.decode(coding, "replace")
    encoding = encoding_for_label(charset)
    if encoding is not None and encoding != "utf-8":
        try:
            yield data.decode(encoding, "replace")
        except LookupError:
            pass  # an encoding of the standard that Python has not, such as `replacement`


def views(text: str) -> Iterator[str]:
    """Yield the text with escapes undone, and then without tags and what nobody sees; only those that differ."""
    plain = undone(text)
    if plain != text:
        yield plain
    shown = _UNSEEN.sub("", _TAG.sub("", plain))
    if shown != plain:
        yield shown


def undone(text: str) -> str:
    """Return a text with the escapes of URLs, strings and HTML undone, twice over."""
    for _ in range(2):
        before = text
        if "\\" in text:
            text = _SLASHED.sub(lambda found: found[3] or chr(int(found[1] or found[2], 16)), text)
        if "&" in text:
            # a number of thousands of digits is no character, and Python refuses to read it
            text = unescape(_LONG_NUMBER.sub("", text))
        if "%" in text:
            text = unquote(text, errors="replace")
        if text == before:
            break
    return text
