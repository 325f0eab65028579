"""Answers that no service should give, and some do: the same ones each time, from a seeded generator."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from searchlog.capture.exchange import Header
from searchlog.search.provider import Response

__all__ = ["HTML", "NO_ANSWERS", "OTHER_SHAPES", "STATUSES", "answers", "json_of", "replaced", "row_lists", "trimmed"]

HTML = b"<!doctype html><title>Just a page</title><body>" + b"<p>Some words in a page without any row.</p>" * 500
NO_ANSWERS: dict[str, bytes] = {
    "an empty body": b"",
    "blanks": b" \r\n ",
    "long HTML without rows": HTML,
    "NUL bytes": b"\0" * 100,
    "bytes that are no text": bytes(range(128, 256)) * 4,
    "JSON nested without end": b"[" * 100_000,
    "objects nested without end": b'{"results":' * 50_000,
    "HTML nested without end": b"<div>" * 40_000,
    "a number too long": b'{"results": ' + b"9" * 10_000 + b"}",
    "XML of something else": b'<?xml version="1.0"?><busy><wait>5</wait></busy>',
}
OTHER_SHAPES: dict[str, bytes] = {
    text: text.encode()
    for text in (
        "null",
        "true",
        "7",
        "1e999",
        '"no"',
        "[]",
        "[[]]",
        "[{}]",
        "[null]",
        "{}",
        '{"": null}',
        '{"status": "ok"}',
        '{"error": "internal"}',
        '{"error": {"code": 500, "message": "internal"}}',
        '{"message": "internal server error"}',
        '{"detail": "overloaded"}',
        '{"success": false, "errors": [{"code": 1}]}',
        '{"unheard_of": {"rows": [{"a": 1}]}}',
    )
}
"""JSON of status 200 that holds no list of results of any service."""
STATUSES = (
    *(200, 201, 202, 204, 206, 301, 304, 400, 401, 402, 403, 404, 408, 409, 410, 422, 429, 432, 433, 451),
    *(500, 502, 503, 504, 520, 529, 599, 100, 0, 999),
)
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 10**400, -(10**18), 1.5, 1e308, float("nan"), float("inf")),
    *("", "x", "\ud800", "t\udfff<b>", "\0\x1b[2J", "javascript:alert(1)", "https://[", "https://a.example/\r\nX: y"),
    *(
        "9" * 5_000,
        "x" * 20_000,
        [],
        {},
        [[]],
        [None, 7, "x", {}, []],
        {"": {"a": [1]}},
        [{"url": "https://a.example/"}],
    ),
    *("2026-02-30T25:61:61Z", "0000-00-00", "-1 days ago", "&#0;&#x110000;&lt;b&gt;", "http://user:pw@a.example/"),
)
_NAMES = (
    *("results", "items", "data", "web", "query", "search", "organic", "hits", "docs", "entries", "message", "error"),
    *("url", "link", "href", "title", "name", "snippet", "content", "description", "score", "date", "published", "id"),
    *("text", "detail", "code", "retry_after_seconds", "meta", "status", "total", "extra", "author", "highlights"),
)
_FIELDS: tuple[tuple[Header, ...], ...] = (
    (),
    (("Retry-After", "17"),),
    (("Retry-After", "-1"), ("Date", "yesterday")),
    (("Retry-After", "9" * 400), ("X-RateLimit-Remaining", "0")),
    (("retry-after", "Thu, 01 Jan 2026 00:00:00 GMT"), ("date", "Thu, 01 Jan 1970 00:00:00 GMT")),
    (("X-RateLimit-Remaining", "1, 0"), ("X-RateLimit-Reset", "1, x, 99999999999")),
    (("CF-Mitigated", "challenge"), ("Content-Type", "text/html; charset=\xff")),
    (("Content-Type", "application/json"), ("Content-Type", ""), ("", "")),
)


def answers(bodies: Sequence[bytes], seed: int = 1) -> Iterator[Response]:
    """Yield some hundred answers: those that are none, these bodies damaged in every way, and JSON made up of parts.

    bodies: of samples; each is tried with every status as well.
    """
    random = Random(seed)
    small = [trimmed(body) for body in bodies]
    names = (*_NAMES, *sorted({name for body in small for name in _names(json_of(body))}))
    for number, body in enumerate((*NO_ANSWERS.values(), *OTHER_SHAPES.values())):
        yield Response(200, _FIELDS[number % len(_FIELDS)], body)
    for body in (b"", b'{"error": {"code": "x", "message": 7}}', HTML, *small):
        for number, status in enumerate(STATUSES):
            yield Response(status, _FIELDS[number % len(_FIELDS)], body)
    for body in small:
        for _ in range(60):
            yield Response(random.choice((200, 200, 200, 403, 429, 500)), (), _damaged(body, random))
        for changed in _changed(json_of(body), random):
            yield Response(200, (), json.dumps(changed).encode())
    for _ in range(200):
        made = json.dumps(_made_up(names, random, 4)).encode()
        yield Response(random.choice(STATUSES), random.choice(_FIELDS), made)


def json_of(body: bytes) -> Any:
    """Return the JSON of a body; None when it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def trimmed(body: bytes) -> bytes:
    """Return a body with lists of three items at most: more are read no differently, and slower."""
    value = json_of(body)
    if not isinstance(value, dict | list):
        return body[:60_000]

    def cut(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: cut(item) for name, item in node.items()}
        return [cut(item) for item in node[:3]] if isinstance(node, list) else node

    return json.dumps(cut(value)).encode()


def row_lists(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each list in a JSON value that holds something."""
    for path, node in _nodes(value):
        if isinstance(node, list) and node:
            yield path


def replaced(value: Any, path: tuple[Any, ...], put: Any) -> Any:
    """Return a JSON value with another one at this path."""
    if not path:
        return put
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], put)
    return copy


def _nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        if len(path) < 40:
            yield from _nodes(item, (*path, name))


def _names(value: Any) -> set[str]:
    return {name for path, _ in _nodes(value) for name in path[-1:] if isinstance(name, str)}


def _changed(value: Any, random: Random) -> Iterator[Any]:
    """Yield a JSON value with one node replaced by something odd, or left out: each of at most 120 nodes, twice."""
    if not isinstance(value, dict | list):
        return
    places = [path for path, _ in _nodes(value) if path]
    for path in random.sample(places, min(120, len(places))):
        yield replaced(value, path, random.choice(_ODD))
        if isinstance(path[-1], str):
            yield _without(value, path)


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    if len(path) == 1:
        return {name: item for name, item in value.items() if name != path[0]}
    return replaced(value, path[:1], _without(value[path[0]], path[1:]))


def _damaged(body: bytes, random: Random) -> bytes:
    out = bytearray(body)
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(out))
        out[start : start + random.randint(0, 60)] = random.randbytes(random.randint(0, 20))
    return bytes(out)


def _made_up(names: Sequence[str], random: Random, depth: int) -> Any:
    kind = random.random()
    if depth == 0 or kind < 0.25:
        return random.choice(_ODD)
    if kind < 0.45:
        return [_made_up(names, random, depth - 1) for _ in range(random.randint(0, 3))]
    return {random.choice(names): _made_up(names, random, depth - 1) for _ in range(random.randint(0, 6))}
