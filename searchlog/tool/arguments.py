"""Arguments as models write them: read leniently, or told how they should be. Pure.

Left out or null is the default; a number or a flag in quotes, a single text for a list, JSON within JSON and a fence of
Markdown around it are taken for what they mean. What cannot be read becomes a sentence that a model can act on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from searchlog.search.answers.values import without_surrogates
from searchlog.tool.definition import Definition

__all__ = ["DEFAULTS", "as_text", "read_arguments"]

DEFAULTS: Mapping[str, Any] = {"domains": [], "freshness": "any", "fresh": False, "start": 0, "ids": [], "live": False}
"""What counts for an argument that is left out; a tool cannot do without the others."""
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q", "search_query", "queries"),
    "page": ("url", "id", "page_url"),
    "words": ("pattern", "text", "query"),
    "ids": ("id", "evidence"),
}
"""What else models call them; looked at when the argument itself is not there."""
_TEXT_MAX = 10_000
_WORDS_MAX = 1_000
"""Of what is looked for in a page."""
_ITEMS_MAX = 50
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


def as_text(arguments: Any) -> str:
    """Return arguments as they are recorded: the text itself, or the JSON of what an API made of it."""
    if isinstance(arguments, str):
        return without_surrogates(arguments)
    try:
        return without_surrogates(json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str))
    except (ValueError, RecursionError, TypeError):  # nested too deep, in a circle, an integer of thousands of digits
        return f"({type(arguments).__name__} that no JSON can hold)"


def read_arguments(definition: Definition, arguments: Any) -> dict[str, Any] | str:
    """Return the arguments by name, each of its type; or what is wrong with them, as sentences for a model."""
    value = _value(arguments)
    how = f"Call {definition.name} as {definition.example}."
    if value is _BROKEN:
        return f"The arguments are no JSON. {how}"
    if not isinstance(value, Mapping):
        return f"The arguments must be an object. {how}"
    out: dict[str, Any] = {}
    for name, schema in definition.parameters["properties"].items():
        given = _given(name, value)
        if given is None:
            if name not in DEFAULTS:
                return f"{name} is missing. {how}"
            out[name] = DEFAULTS[name]
            continue
        read = _READERS[schema["type"]](given)
        if read is _BROKEN:
            return f"{name} must be {_WORDS[schema['type']]}. {how}"
        if read in ("", []) and name not in DEFAULTS:
            return f"{name} is empty. {how}"
        if "enum" in schema and read not in schema["enum"]:
            return f"{name} must be one of {', '.join(schema['enum'])}. {how}"
        most = _WORDS_MAX if name == "words" else _TEXT_MAX
        if isinstance(read, str) and len(read) > most:
            return f"{name} is too long: {len(read)} characters, at most {most}."
        if isinstance(read, list) and len(read) > _ITEMS_MAX:
            return f"{len(read)} {name} are too many for one call: give at most {_ITEMS_MAX}."
        out[name] = read
    return out


class _Broken:
    """What stands for a value that cannot be read."""


_BROKEN = _Broken()
_WORDS = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


def _value(arguments: Any) -> Any:
    """Return the JSON value of arguments, with JSON within JSON opened once."""
    for _ in range(2):
        if arguments is None:
            return {}
        if not isinstance(arguments, str):
            return arguments
        fenced = _FENCED.fullmatch(arguments)
        text = fenced[1] if fenced else arguments
        if not text.strip():
            return {}
        try:
            arguments = json.loads(text)
        except (ValueError, RecursionError):
            return _BROKEN
    return arguments


def _given(name: str, value: Mapping[Any, Any]) -> Any:
    for called in (name, *_ALIASES.get(name, ())):
        if value.get(called) is not None:
            return value[called]
    return None


def _text(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return _BROKEN
    return without_surrogates(str(value)).strip()


def _whole(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,15}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**15:
        value = int(value)
    return value if type(value) is int and abs(value) < 10**15 else _BROKEN


def _flag(value: Any) -> Any:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else _BROKEN


def _texts(value: Any) -> Any:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list):
        return _BROKEN
    read = [_text(item) if not isinstance(item, list) else _BROKEN for item in items]
    return _BROKEN if _BROKEN in read else [item for item in read if item]


_READERS = {"string": _text, "integer": _whole, "boolean": _flag, "array": _texts}
