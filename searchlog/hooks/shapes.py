"""Texts, links and sealed parts in the result of any tool, however deep they stand. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["is_page", "is_sealed", "texts_of", "urls_within", "walk"]

_DEPTH_MAX = 40
_SEALED = ("encrypted_content", "encrypted_output", "encrypted_index")
_URL_CHARS_MAX, _URLS_MAX, _URLS_CHARS_MAX = 2_000, 50, 16_000
"""A record is one line of less than 64 KiB."""


def walk(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, outer ones first."""
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from walk(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from walk(item, depth + 1)


def is_sealed(value: Any) -> bool:
    """Return whether a part of it only its vendor can open."""
    return any(item.get("type") == "encrypted_content" or any(map(item.get, _SEALED)) for item in walk(value))


def texts_of(value: Any) -> list[str]:
    """Return the texts of content blocks (MCP's `text`, OpenAI's `input_text`), or of a result that is a text."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, dict):
        if "content" in value:
            return texts_of(value["content"])
        text = value.get("text")
        return [text] if isinstance(text, str) and text.strip() else []
    return [text for item in value for text in texts_of(item)] if isinstance(value, list) else []


def is_page(url: Any) -> bool:
    """Return whether a value is the address of a page on the web."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://")) and len(url) <= _URL_CHARS_MAX


def urls_within(urls: Iterable[Any]) -> tuple[str, ...]:
    """Return the addresses of pages among these, each once and in order: the first ones that fit into a record."""
    found: list[str] = []
    left = _URLS_CHARS_MAX
    for url in dict.fromkeys(url for url in urls if is_page(url) and url.isprintable() and " " not in url):
        left -= len(url.encode("utf-8", "replace")) + 3
        if left < 0 or len(found) == _URLS_MAX:
            break
        found.append(url)
    return tuple(found)
