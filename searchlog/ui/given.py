"""The JSON of a verification, read with patience: what is missing or of another form is empty. Pure.

It may come from a file, and from another version; a report says what it has rather than fail at what it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["count_in", "list_in", "mapping_in", "mappings_in", "offset_in", "texts_in"]


def mapping_in(value: object, name: str) -> Mapping[str, Any]:
    """Return the object under a name; an empty one when there is none."""
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def list_in(value: object, name: str) -> Sequence[Any]:
    """Return the list under a name; an empty one when there is none."""
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, list | tuple) else ()


def mappings_in(value: object, name: str) -> Sequence[Mapping[str, Any]]:
    """Return the objects of the list under a name."""
    return [item for item in list_in(value, name) if isinstance(item, Mapping)]


def texts_in(value: object, name: str) -> Sequence[str]:
    """Return the texts of the list under a name, those that are not empty."""
    return [item for item in list_in(value, name) if isinstance(item, str) and item]


def count_in(value: object, name: str) -> int:
    """Return the number under a name, or how many items the list there has; 0 when there is neither."""
    inner = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(inner, int) and not isinstance(inner, bool):
        return max(0, inner)
    return len(inner) if isinstance(inner, list | tuple) else 0


def offset_in(value: object, name: str) -> int | None:
    """Return the offset under a name; None when there is none."""
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, int) and not isinstance(inner, bool) and inner >= 0 else None
