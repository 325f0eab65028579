"""Answers of a search service that has been taken over, or has lost its mind."""

from __future__ import annotations

import gzip
import json
from functools import partial
from typing import Any

from tests.hostile.case import CAPTURED, FAILED, REFUSED, WARNED, answer, case, chunk, head, page, redirect
from tests.hostile.kind_coding import gzip_bomb
from tests.hostile.server import Asked, Connection

provider = partial(case, kind="provider", provider="searxng")
JSON = "application/json"
_ANY = (CAPTURED, WARNED, FAILED)


def _says(id: str, expect: str | tuple[str, ...], what: str, body: Any, *fields: tuple[str, str], **facts: Any) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, type = facts.pop("status", "200 OK"), facts.pop("type", JSON)

    @provider(id, expect, what, **facts)
    def _(c: Connection, asked: Asked) -> None:
        filled = data.replace(b"{a}", asked.web.a.encode()).replace(b"{canary}", asked.web.canary.encode())
        c.send(answer(filled, *fields, status=status, type=type))


def results(*urls: Any) -> dict[str, Any]:
    return {"query": "tides", "results": [{"url": url, "title": "Tides", "content": "Of tides"} for url in urls]}


_says("p-good", CAPTURED, "one result", results("{a}/ordinary"), reason=("ok",))
_says("p-nothing", CAPTURED, "no result, and that is all", {"query": "tides", "results": []}, reason=("empty",))
_says(
    "p-deep",
    FAILED,
    "JSON 200,000 deep",
    b'{"results":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    reason=("parse_error",),
)
_says(
    "p-deep-objects",
    FAILED,
    "objects 100,000 deep",
    b'{"results":' * 100_000 + b"1" + b"}" * 100_000,
    reason=("parse_error",),
)
_says(
    "p-challenge",
    FAILED,
    "a page that asks whether one is human",
    page("p-challenge", title="Are you human?"),
    type="text/html",
    reason=("parse_error", "blocked", "not_enabled"),
)
_says("p-empty", FAILED, "an empty body", b"", reason=("parse_error",))
_says("p-null", FAILED, "null", b"null", reason=("parse_error",))
_says("p-list", FAILED, "a list", b"[1,2,3]", reason=("parse_error",))
_says("p-number", FAILED, "a number of a million digits", b"9" * 1_000_000, reason=("parse_error",))
_says("p-cut", FAILED, "half an answer", json.dumps(results("{a}/ordinary")).encode()[:60], reason=("parse_error",))
_says("p-results-object", _ANY, "results that are an object", {"results": {"url": "x"}}, reason=("parse_error",))
_says(
    "p-latin",
    _ANY,
    "bytes that are no UTF-8",
    json.dumps(results("{a}/ordinary")).encode().replace(b"Of tides", b"\xe9\xff"),
)
_says(
    "p-busy",
    FAILED,
    "asks to come back in 31 years",
    b"{}",
    ("Retry-After", "999999999"),
    status="429 Too Many Requests",
    reason=("rate_limited",),
    requests_max=2,
    alone=True,
)
_says(
    "p-down",
    FAILED,
    "a server error",
    b"<h1>Bad gateway</h1>",
    status="502 Bad Gateway",
    type="text/html",
    reason=("unavailable",),
)
_says(
    "p-big",
    _ANY,
    "20,000 results",
    results(*[f"https://site{n}.example/" for n in range(20_000)]),
    seconds_max=8,
    total_s=4,
)
_says(
    "p-long-fields",
    _ANY,
    "a title of 1 MB and an address of 1 MB",
    {
        "results": [
            {"url": "{a}/ordinary", "title": "x" * 1_000_000, "content": "y " * 500_000},
            {"url": "http://x.example/" + "z" * 1_000_000},
        ]
    },
)
_says(
    "p-private",
    _ANY,
    "nothing but private addresses",
    results(
        "{canary}/found",
        "http://[::1]/",
        "http://169.254.169.254/",
        "http://10.0.0.1/",
        "http://localhost/",
        "http://2130706435/",
    ),
)
_says(
    "p-schemes",
    _ANY,
    "nothing but other schemes",
    results(
        "javascript:alert(1)",
        "file:///etc/hostname",
        "data:text/html,hi",
        "ftp://x.example/",
        "//127.0.0.3/x",
        "",
        "https://site.example/\r\nX: y",
    ),
)
_says(
    "p-passwords",
    _ANY,
    "a password in an address",
    results("http://user:hunter2hunter2@site.example/", "{a}/ordinary"),
    never=("hunter2hunter2",),
)
_says(
    "p-types",
    _ANY,
    "wrong types everywhere",
    {
        "results": [
            None,
            7,
            "text",
            [],
            {},
            {"url": None},
            {"url": 7},
            {"url": ["x"]},
            {"url": {"a": 1}},
            {
                "url": "{a}/ordinary",
                "title": 5,
                "content": {"a": 1},
                "engines": "x",
                "score": "NaN",
                "publishedDate": [1],
            },
        ]
    },
)
_says(
    "p-odd-json",
    _ANY,
    "duplicate keys, NaN, infinities, lone surrogates",
    b'{"query":"a","query":"b","results":[],"n":NaN,"big":1e999,"results":[{"url":"{a}/ordinary","title":"t\\ud800<b>","content":null,"score":-Infinity}]}',
)
_says(
    "p-escapes",
    _ANY,
    "terminal codes and markup in titles",
    results("{a}/ordinary")
    | {"results": [{"url": "{a}/ordinary", "title": "\x1b]0;owned\x07<script>run()</script>", "content": "\x1b[2J"}]},
    rendering_lacks=("\x1b",),
)
_says("p-same", _ANY, "one address 5,000 times", results(*["{a}/ordinary"] * 5_000), seconds_max=8)
_says(
    "p-homograph",
    _ANY,
    "a name in mixed scripts",
    results("https://exаmple.example/", "https://xn--exmple-4nf.example/"),
    seconds_max=12,
)


@provider("p-bomb", FAILED, "a gzip bomb", reason=("too_large", "parse_error"), total_s=6.0, seconds_max=9)
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(gzip_bomb(), ("Content-Encoding", "gzip"), type=JSON))


@provider("p-layers", (FAILED, WARNED), "gzip ten deep", total_s=6.0)
def _(c: Connection, asked: Asked) -> None:
    data = json.dumps(results()).encode()
    for _ in range(10):
        data = gzip.compress(data)
    c.send(answer(data, ("Content-Encoding", ", ".join(["gzip"] * 10)), type=JSON))


@provider(
    "p-endless", FAILED, "an answer that never ends", reason=("too_large", "timeout", "parse_error"), seconds_max=9
)
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Transfer-Encoding: chunked", type=JSON))
    while True:
        c.send(chunk(b'{"results":[' + b"[]," * 20_000))


@provider("p-drip", FAILED, "a byte now and then", reason=("timeout",), seconds_max=9)
def _(c: Connection, asked: Asked) -> None:
    c.send(head("Content-Length: 100000", type=JSON))
    c.drip(b" " * 100_000, 0.05)


@provider("p-silent", FAILED, "says nothing", reason=("timeout",), seconds_max=9)
def _(c: Connection, asked: Asked) -> None:
    c.hold()


@provider("p-away", (FAILED, REFUSED), "sends the query to the canary")
def _(c: Connection, asked: Asked) -> None:
    c.send(redirect(f"{asked.web.canary}/{asked.target}"))


@provider(
    "p-hostile-pages",
    (CAPTURED, WARNED),
    "results that are ordinary and results that are hostile",
    seconds_max=8,
    total_s=4,
    text_has=("SEEN-compressed",),
)
def _(c: Connection, asked: Asked) -> None:
    names = [
        "compressed",
        "silent",
        "gzip-bomb",
        "chunked",
        "deep-b",
        "to-canary",
        "utf-16",
        "drip-body",
        "hidden-text",
        "ordinary",
    ]
    found = [{"url": f"{asked.web.a}/{name}", "title": "The ferry and the tides"} for name in names]
    c.send(answer(json.dumps({"results": found}).encode(), type=JSON))
