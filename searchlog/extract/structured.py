"""Structured data of a page, JSON-LD and microdata, as objects of one shape; and the types that it names. Pure.

An object is a dict: `@type` holds the type names, every other key a value or a list of values: strings, numbers as
they are written (`Number`), nested objects. `@nested` says that it stands in another for a property of that one.
What it says is a claim of the page. Bounded in number, depth and length, whatever the page holds. Not read: RDFa,
`itemref`, JSON-LD contexts other than by the last part of a name.
Spec: HTML Living Standard section 5.2 (microdata), JSON-LD 1.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

__all__ = ["TYPES_MAX", "Number", "linked_data", "microdata", "nested", "page_types", "type_names"]

_SCRIPTS_MAX = 20
_SCRIPT_CHARS_MAX = 300_000
_OBJECTS_MAX = 3_000
_ITEM_NODES_MAX = 3_000
_STEPS_MAX = 300_000
"""Steps from properties up to their items, all together."""
_TEXT_CHARS_MAX = 1_000_000
"""Characters of the texts of properties, all together."""
_UNREAD = frozenset(("articleBody", "reviewBody", "commentText"))
"""Properties that repeat the page."""
TYPES_MAX = 40
_TYPE_CHARS_MAX = 80


class Number(str):
    """A number of JSON, as it is written: `19.90` stays `19.90`."""

    __slots__ = ()


def linked_data(tree: Any) -> list[dict[str, Any]]:
    """Return the objects of the page's JSON-LD, outermost first, bounded in number; nested ones are listed too."""
    out: list[dict[str, Any]] = []
    for node in tree.css("script[type='application/ld+json' i]")[:_SCRIPTS_MAX]:
        source = node.text()
        if len(source) > _SCRIPT_CHARS_MAX:
            continue
        try:
            value = json.loads(_bare(source), strict=False, parse_float=Number, parse_int=Number)
        except (ValueError, RecursionError):
            continue
        out += nested(value, _OBJECTS_MAX - len(out))
    _refer(out)
    return out


_BEFORE = re.compile(r"(?://|/\*)?\s*(?:<!\[CDATA\[|<!--)\s*(?:\*/)?")
_AFTER = ("*/", "//", "/*", "]]>", "-->", ";")


def _bare(source: str) -> str:
    """Return JSON without what old scripts are wrapped in: comments, CDATA marks, a semicolon."""
    source = source.strip()
    if source[:1] in ("{", "[") and source[-1:] in ("}", "]"):
        return source
    if before := _BEFORE.match(source):
        source = source[before.end() :]
    for _ in range(len(_AFTER)):
        for mark in _AFTER:
            source = source.rstrip().removesuffix(mark)
    return source


def _refer(objects: list[dict[str, Any]]) -> None:
    """Put the object that an `@id` names in the place of those that are nothing but the name. Loops may come of it."""
    named = {item["@id"]: item for item in objects if isinstance(item.get("@id"), str) and len(item) > _REFERENCE_KEYS}
    if not named:
        return
    for item in objects:
        for key, value in item.items():
            if isinstance(value, dict):
                item[key] = _referred(value, named)
            elif isinstance(value, list):
                item[key] = [_referred(part, named) for part in value]


def _referred(value: Any, named: Mapping[str, dict[str, Any]]) -> Any:
    if isinstance(value, dict) and len(value) <= _REFERENCE_KEYS and isinstance(value.get("@id"), str):
        return named.get(value["@id"], value)
    return value


_REFERENCE_KEYS = 2
"""`@id` and our own `@nested`."""


def nested(value: Any, objects_max: int = _OBJECTS_MAX) -> list[dict[str, Any]]:
    """Return the objects in a value, outermost first."""
    out: list[dict[str, Any]] = []
    level: list[tuple[Any, bool]] = [(value, False)]
    while level and len(out) < objects_max:
        deeper: list[tuple[Any, bool]] = []
        for item, inside in level:
            if isinstance(item, dict):
                out.append(item)
                children = [(key, child) for key, child in item.items() if isinstance(child, dict | list)]
                deeper.extend((child, inside or key not in _OWN) for key, child in children)
                item["@nested"] = inside
            elif isinstance(item, list):
                deeper.extend((child, inside) for child in item[:_OBJECTS_MAX])
        level = deeper[:_OBJECTS_MAX]
    return out[:objects_max]


_OWN = frozenset(("@graph", "mainEntity", "mainEntityOfPage"))
"""What an object says for the page, and not for itself."""


def microdata(tree: Any) -> list[dict[str, Any]]:
    """Return the objects of the page's microdata in document order; nested ones are listed too.

    A value is what HTML section 5.2.4 says; text is folded to single spaces.
    """
    found: dict[int, dict[str, Any]] = {}
    for node in islice(tree.css("[itemscope]"), _ITEM_NODES_MAX):
        names = (node.attributes.get("itemtype") or "").split()
        found[node.mem_id] = {"@type": names[:5], "@nested": False}
    if not found:
        return []
    steps = chars = 0
    for node in islice(tree.css("[itemprop]"), _ITEM_NODES_MAX):
        own = found.get(node.mem_id)
        above = node.parent
        while above is not None and above.mem_id not in found:
            above = above.parent
            steps += 1
        if steps > _STEPS_MAX or chars > _TEXT_CHARS_MAX:
            break
        if above is None:
            continue
        item = found[above.mem_id]
        names = [name for name in (node.attributes.get("itemprop") or "").split()[:5] if name not in _UNREAD]
        if not names:
            continue
        value = own if own is not None else _value(node, names)
        if own is not None:
            own["@nested"] = bool(item["@nested"]) or not _OWN.issuperset(names)
        chars += len(value) if isinstance(value, str) else 0
        for name in names:
            _put(item, name.rsplit("/", 1)[-1], value)
    return list(found.values())


def _put(item: dict[str, Any], name: str, value: Any) -> None:
    if name.startswith("@"):
        return
    if name not in item:
        item[name] = value
    elif isinstance(item[name], list):
        item[name].append(value)
    else:
        item[name] = [item[name], value]


_LINKED = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    **{"object": "data", "data": "value", "meter": "value", "meta": "content"},
}


_WORDS = frozenset(("name", "author", "creator", "publisher", "headline", "brand", "text", "description"))
"""Properties that are words: of a link its text counts, unlike in the standard, as those who mark up pages mean it."""


def _value(node: Any, names: Sequence[str]) -> str:
    """Return the value of a property that is no item."""
    tag, attributes = node.tag, node.attributes
    if "content" in attributes:  # beyond the standard, and common
        return attributes["content"] or ""
    if tag in _LINKED and not (tag == "a" and _WORDS.intersection(names)):
        return attributes.get(_LINKED[tag]) or ""
    if tag == "time" and attributes.get("datetime"):
        return attributes["datetime"] or ""
    return " ".join(node.text(deep=True).split())


def type_names(item: Mapping[str, Any]) -> list[str]:
    """Return the last parts of an object's types: `Product` of `https://schema.org/Product`."""
    kind = item.get("@type")
    names = kind if isinstance(kind, list) else [kind]
    return [_last(name) for name in names[:10] if isinstance(name, str) and name and not isinstance(name, Number)]


def _last(name: str) -> str:
    return name.rstrip("/").replace("#", "/").replace(":", "/").rsplit("/", 1)[-1]


def page_types(
    linked: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]], metas: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the types that the page names, each once: `json-ld:Product`, `microdata:Recipe`, `og:article`.

    In document order, outermost first; those of nested objects too, so that a listing shows its offers.
    """

    def named() -> Iterator[str]:
        for name in metas.get("og:type", ())[:5]:
            yield f"og:{name.strip().lower().removeprefix('og:')}"
        for syntax, objects in (("json-ld", linked), ("microdata", items)):
            for item in objects:
                for name in type_names(item):
                    yield f"{syntax}:{name}"

    short = (name for name in named() if len(name) <= _TYPE_CHARS_MAX and name.isprintable() and " " not in name)
    return tuple(islice(dict.fromkeys(short), TYPES_MAX))
