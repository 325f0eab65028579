"""Canonical JSON (RFC 8785) for values without floats, and a strict reader.

Hashed fields hold strings, integers below 2**53, booleans, null, lists and objects. Scores are decimal strings.
It refuses rather than coerces. Nothing here is used to *verify*: a verifier hashes the exact stored bytes.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from searchlog.errors import FormatError

__all__ = ["decimal_string", "dumps", "loads"]

_INT_MAX = 2**53 - 1
_DEPTH_MAX = 200
"""Lists and objects inside one another. Fixed, so that what one caller could write every other can read: the
interpreter's own limit depends on how deep the caller already is."""
_plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True).encode


def dumps(value: Any) -> bytes:
    """Return the canonical UTF-8 bytes of a value.

    Raises FormatError on floats, integers of 2**53 and more, lone surrogates, keys that are not strings, other types,
    and more than 200 lists and objects inside one another.
    Spec: RFC 8785 section 3.2.  Shown by test_canon.py.
    """
    wide = _check(value, 0)
    text = _write(value) if wide else _plain(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"lone surrogate at character {error.start}: not valid in a record") from None


def _check(value: Any, depth: int) -> bool:
    """Raise FormatError on what has no canonical form; say whether a key lies outside the basic plane."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return False
    if kind is int:
        if not -_INT_MAX <= value <= _INT_MAX:
            raise FormatError(f"integer of {value.bit_length()} bits in a record; at most 53: store it as a string")
        return False
    if depth > _DEPTH_MAX:
        raise FormatError(f"JSON nested deeper than {_DEPTH_MAX}")
    wide = False
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise FormatError(f"key that is not a string: {key!r:.80}")
            # only then can the order of UTF-16 units differ from the order of code points
            wide = (not key.isascii() and max(key, default="") > "\ud7ff") or wide
            wide = _check(item, depth + 1) or wide
        return wide
    if isinstance(value, list | tuple):
        for item in value:
            wide = _check(item, depth + 1) or wide
        return wide
    if isinstance(value, str):  # a str subclass such as an enum member or a Digest
        return False
    raise FormatError(f"no canonical form for {kind.__name__}; store numbers with fractions as strings")


def _write(value: Any) -> str:
    """Write with keys ordered by UTF-16 code units (RFC 8785 section 3.2.3)."""
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_plain(key)}:{_write(item)}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_write, value)) + "]"
    return _plain(value)


def _no_float(text: str) -> Any:
    raise FormatError(f"number with a fraction or exponent in a record: {text:.40}")


def _no_constant(text: str) -> Any:
    raise FormatError(f"{text} is not JSON")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise FormatError("the same key twice in one object")
    return out


def loads(data: bytes) -> Any:
    """Return the value of JSON bytes, read strictly.

    Raises FormatError on bad UTF-8 or JSON, repeated keys, floats, NaN, integers of 2**53 and more, lone surrogates,
    and more than 200 lists and objects inside one another. Spec: RFC 8785 section 3.1, RFC 7493 section 2.
    """
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_pairs, parse_float=_no_float, parse_constant=_no_constant
        )
        _check(value, 0)
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise FormatError(f"JSON nested deeper than {_DEPTH_MAX}") from None
    except ValueError as error:
        raise FormatError(f"not JSON: {error}") from None
    if "\\u" in data.decode("utf-8"):
        dumps(value)  # only an escape can bring in a lone surrogate
    return value


def decimal_string(number: float, places: int = 6) -> str:
    """Return a number as a decimal string, without exponent or trailing zeros: the form scores are stored in.

    Raises FormatError on NaN and infinities.
    """
    if not math.isfinite(number):
        raise FormatError(f"no decimal form for {number}")
    text = format(Decimal(repr(round(number, places))), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
