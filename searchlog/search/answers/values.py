"""Values of answers that anybody may have written, made into what a record can hold. Pure.

They are hostile: wrong types, lone surrogates, NaN, integers of a thousand digits, nesting without end. None of it may
raise past a parser or reach a record.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from searchlog.canon import decimal_string
from searchlog.errors import FormatError
from searchlog.search.run import RETRY_MAX_S

__all__ = [
    "crawled",
    "html_text",
    "items",
    "json_object",
    "number",
    "page_text",
    "published",
    "seconds",
    "text",
    "without_surrogates",
]

_DATE_MAX = 60
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TAG = re.compile(r"<[/!]?[a-zA-Z-][^<>]*>")


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; of a repeated key the last counts, NaN and infinities are null.

    Raises FormatError on anything else, nesting too deep and numbers too long included.
    """
    try:
        value = json.loads(body.decode("utf-8-sig", "replace"), parse_constant=lambda _: None)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    except ValueError:
        start = body[:200].lstrip().lower()
        kind = "an HTML page" if start.startswith((b"<!doctype", b"<html", b"<")) else "not JSON"
        raise FormatError(f"the answer is {kind}, where JSON was asked for") from None
    if not isinstance(value, dict):
        raise FormatError(f"the answer is a JSON {type(value).__name__}, where an object was expected")
    return value


def text(value: object) -> str:
    """Return a string with blanks folded, control characters left out and lone surrogates replaced; else empty."""
    if not isinstance(value, str):
        return ""
    return _CONTROL.sub("", _SPACE.sub(" ", without_surrogates(value))).strip()


def without_surrogates(value: str) -> str:
    """Return the string with each lone surrogate replaced by U+FFFD: it has no UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def html_text(value: object) -> str:
    """Return the text of a fragment of HTML: tags and comments out, then character references resolved once."""
    return text(html.unescape(_TAG.sub("", value))) if isinstance(value, str) else ""


def number(value: object) -> str | None:
    """Return a JSON number as a decimal string; None for anything else, infinities and absurd sizes."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return decimal_string(value, 9) if abs(value) < 10**15 else None


def seconds(value: object) -> int | None:
    """Return a waiting time as whole seconds, rounded up, of a number or a string of digits; None if there is none."""
    if isinstance(value, str):
        digits = value.strip()
        value = int(digits[:20]) if re.fullmatch(r"[0-9]+", digits) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return min(math.ceil(value), RETRY_MAX_S) if value >= 0 else None


def items(value: object) -> list[Any]:
    """Return the list, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def published(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return the date of publication in the first of these fields that has one, and which field that is."""
    return _dated("published", row, names)


def crawled(row: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return when the provider read the page, by the first of these fields that says so, and which field that is."""
    return _dated("crawled", row, names)


def _dated(what: str, row: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    for name in names:
        found = text(row.get(name))
        if 0 < len(found) <= _DATE_MAX:
            return {what: found, f"{what}_source": name}
    return {}


def page_text(value: object) -> str:
    """Return the text of a page as it stands, line breaks kept; lone surrogates and NUL replaced; empty for no text."""
    return without_surrogates(value).replace("\0", "\ufffd") if isinstance(value, str) else ""
