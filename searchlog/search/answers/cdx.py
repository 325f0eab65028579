"""What the indexes of web archives share: which address is asked for, how rows read, what a capture's time says. Pure.

Spec: the CDX server API of the Wayback Machine, and pywb's, which Common Crawl runs. A timestamp is `YYYYMMDDhhmmss` in
UTC, and may end early.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from searchlog.errors import UsageError
from searchlog.search.query import Query

__all__ = ["CDX_NAMES", "DATES_NOTE", "between", "captured_at", "named_row", "row_of_line", "target"]

DATES_NOTE = "dates bound when the page was captured, not when it was published"
CDX_NAMES = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
"""The columns of an index in their usual order."""

_LINE = re.compile(r"\S+ \d{4,14} \S+(?: \S+){1,6}")
_ADDRESS = re.compile(
    r"(?P<scheme>https?://)?(?P<wild>\*\.)?(?P<host>(?:[\w-]{1,63}\.){1,30}[^\W\d_][\w-]{0,62}|(?:\d{1,3}\.){3}\d{1,3})\.?"
    r"(?P<rest>(?::\d{1,5})?(?:[/?#]\S*)?)",
    re.IGNORECASE,
)
_STAMP = re.compile(r"(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)(\d\d))?)?)?")


def target(query: Query, provider: str) -> str:
    """Return the address that a query names, in ASCII: a URL, a domain, or one of them with `*` at an end.

    Raises UsageError for a text that is none: there is nothing to ask an index of captures then.
    """
    found = _ADDRESS.fullmatch(query.text.strip())
    host = _ascii(found["host"]) if found is not None else ""
    if found is None or not host:
        raise UsageError(
            f"{provider}: the query must be one URL or domain, such as example.com/page", provider=provider
        )
    rest = quote(found["rest"].partition("#")[0], safe="/:?&=+%;,@!$'()*~[]-._")
    return (found["scheme"] or "") + (found["wild"] or "") + host + rest


def _ascii(host: str) -> str:
    """Return a host as DNS knows it, or nothing when it has no such form. Spec: UTS 46, non-transitional."""
    if host.isascii():
        return host.lower() if all(len(label) < 64 for label in host.split(".")) else ""
    import idna

    try:
        return idna.encode(host, uts46=True, std3_rules=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""


def between(query: Query) -> dict[str, str]:
    """Return the fields that bound the time of capture by the days of a query."""
    first, last = query.span()
    fields = {"from": first, "to": last}
    return {name: day.replace("-", "") for name, day in fields.items() if day}


def captured_at(stamp: str) -> str | None:
    """Return a capture's time as ISO 8601, as precise as it is given; None for what is no timestamp."""
    found = _STAMP.fullmatch(stamp) if stamp.isascii() else None
    if found is None:
        return None
    year, month, day, hour, minute, second = found.groups()
    date = "-".join(part for part in (year, month, day) if part)
    return f"{date}T{hour}:{minute}:{second}Z" if hour else date


def named_row(names: Sequence[object], row: object) -> dict[str, Any] | None:
    """Return a capture's values by the names of their columns; None when they are not as many as the names."""
    if not isinstance(row, list) or len(row) != len(names):
        return None
    return {name if isinstance(name, str) else "": value for name, value in zip(names, row, strict=True)}


def row_of_line(line: str) -> dict[str, Any] | None:
    """Return a capture's values of a line with columns in the usual order, the last ones perhaps missing."""
    return dict(zip(CDX_NAMES, line.split(), strict=False)) if _LINE.fullmatch(line.strip()) else None
