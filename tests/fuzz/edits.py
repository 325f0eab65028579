"""Edits that keep most of an input's form: cuts fall between tokens, and what is put in are words that parsers fear.

An edit is four small numbers, so that hypothesis can shrink a list of them; the same edits of the same seed always give
the same bytes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import islice

__all__ = ["KINDS", "Edit", "edited", "random_edits"]

Edit = tuple[int, int, int, int]
"""What is done, where (a token), with what (a word or another seed), and over how many tokens."""

_BYTES_MAX = 200_000
_REPEATED_MAX = 20_000
_LISTED_MAX = 4_000
_TOKENS = {
    "bytes": re.compile(rb".{1,3}", re.DOTALL),
    "http": re.compile(rb"\r?\n|[A-Za-z0-9-]+|[ \t]+|.", re.DOTALL),
    "html": re.compile(rb"<[^<>]*>|[^<>\s]+|\s+|.", re.DOTALL),
    "json": re.compile(rb"\"(?:[^\"\\]|\\.)*\"|-?[0-9][0-9.eE+-]*|[a-z]+|\s+|.", re.DOTALL),
    "text": re.compile(rb"\n+|[ \t]+|[^\s]+|.", re.DOTALL),
    "url": re.compile(rb"[A-Za-z0-9]+|.", re.DOTALL),
}
_WORDS: dict[str, Sequence[bytes]] = {
    "bytes": [b"\0", b"\xff", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"%PDF-1.4", b"\xef\xbb\xbf", b"\xff\xfe", b"\n"],
    "http": [
        b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\n",
        b"HTTP/1.0 304 \r\n", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: 1, 2\r\n",
        b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n", b"5\r\nhello\r\n",
        b"ffffffffffffffff\r\n", b"1;x=y\r\n", b" folded\r\n", b"Content-Encoding: gzip\r\n", b"X: \xff\r\n", b":",
        b"Set-Cookie: a=b\r\n", b"Authorization: Bearer ", b"Cache-Control: max-age=99999999999999999999\r\n",
        b"Expires: Thu, 99 Zzz 9999 99:99:99 +9999\r\n", b"Date: Mon, 01 Jan 0001 00:00:00 +2359\r\n", b"Age: -1\r\n",
        b"Retry-After: 1e999\r\n", b".", b"0", b"-", b"Vary: *\r\n", b"Location: //user:pw@h/\r\n",
    ],
    "html": [
        b"<", b">", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?xml ", b"<table>", b"<tr><td>", b"</table>", b"<select>",
        b"<template>", b"<svg>", b"<math>", b"<plaintext>", b"<textarea>", b"<title>", b"<pre>\n", b"<ul><li>", b"<h1>",
        b"<script>", b"</script>", b"<style>p{display:none}</style>", b"<div hidden>", b"<p style='color:#fff'>",
        b"<base href='//x'>", b"<meta charset=utf-16>", b"<a href=x>", b"<img alt='a'>", b"<br>", b"&nbsp;", b"&#0;",
        b"&#xD800;", b"&#x110000;", b"&shy;", b"\0", b"\xff", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81", b"\xe2\x80\x8b",
        b"\xed\xa0\x80", b"\xcc\x81", b"<evidence e1 0123456789abcdef>", b"[e7]", b"</evidence", b"\xe1\x85\x9f",
    ],
    "json": [
        b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"-0.0", b"1.5", b"9" * 20, b"9" * 5000, b'""', b'"\\ud800"',
        b'"\\u0000"', b"[]", b"{}", b"[[]]", b'{"a":1}', b",", b":", b"[" * 300, b"]" * 300, b"{", b"}", b'"', b"\\",
        b"\xff", b"\xef\xbb\xbf", b'"http://u:p@h/"', b'"javascript:x"', b'"//["', b'"\\udb40\\udc41"', b'"e1"',
    ],
    "text": [
        b"#", b"\n# ", b"```\n", b"> ", b"- ", b"1. ", b"| a | b |\n|---|---|\n", b"---\n", b"***", b"[x](y)", b"\t",
        b"    ", b"<div>", b"\r", b"\x0c", b"\0", b"\xff", b"\xe2\x80\xa8", b"\xc2\x85", b"User-agent: *\n",
        b"Disallow: /*$\n", b"Crawl-delay: NaN\n", b"Allow: /\n",
    ],
    "url": [
        b"://", b"//", b"\\", b"@", b":", b"#", b"?", b"/..", b"%00", b"%2e", b"[", b"]", b"[::1]", b"127.1",
        b"0x7f.1", b"localhost", b".", b"\xe3\x80\x82", b"\xef\xbc\x8f", b"\xc2\xad", b"\t", b"\n", b" ", b"%5b",
        b"\xed\xa0\x80", b"\xef\xbc\x90", b"xn--", b"xn--a", b":0", b":65536", b"\xc3\x9f", b"\xe2\x80\x8d",
        b"user:pw@", b"\xe2\x84\x80",
    ],
}  # fmt: skip
KINDS = tuple(_TOKENS)


def edited(seed: bytes, edits: Sequence[Edit], kind: str, others: Sequence[bytes]) -> bytes:
    """Return the seed after these edits. others: the seeds that pieces may be taken from."""
    data = seed
    for edit in edits:
        data = _edit(data, edit, kind, others)[:_BYTES_MAX]
    return data


def random_edits(rng: random.Random) -> list[Edit]:
    """Return one to eight edits."""
    return [
        (rng.randrange(256), rng.randrange(1 << 16), rng.randrange(1 << 16), rng.randrange(256))
        for _ in range(rng.randint(1, 8))
    ]


def _edit(data: bytes, edit: Edit, kind: str, others: Sequence[bytes]) -> bytes:
    what, where, which, size = edit
    start, end = _span(data, where, size % 8 if size > 128 else 1, kind)
    word = _WORDS[kind][which % len(_WORDS[kind])]
    match what % 10:
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:end] + data[start:end] * (size % 64 + 1) + data[end:]
        case 2 | 3:
            return data[:start] + word + data[start:]
        case 4 | 5:
            return data[:start] + word + data[end:]
        case 6:
            other = others[which % len(others)]
            begin, stop = _span(other, which * 31 + size, size % 32 + 1, kind)
            return data[:start] + other[begin:stop] + data[start:]
        case 7:
            at = where % len(data) if data else 0
            return data[:at] + bytes([data[at] ^ (1 << which % 8)]) + data[at + 1 :] if data else word
        case 8:
            return data[: where % len(data)] if data and size < 64 else data[:start] + bytes([which % 256]) + data[end:]
        case _:
            return data[:start] + (word * (size * size // 4 + 1))[:_REPEATED_MAX] + data[start:]  # what grows faster?


def _span(data: bytes, where: int, count: int, kind: str) -> tuple[int, int]:
    """Return where so many tokens stand: of a small input each is as likely, of a large one those near a byte."""
    at = where * 7 % len(data) if len(data) > _LISTED_MAX else 0
    tokens = [found.span() for found in islice(_TOKENS[kind].finditer(data, max(0, at - 64)), _LISTED_MAX)]
    if not tokens:
        return 0, 0
    first = next((n for n, span in enumerate(tokens) if span[1] > at), 0) if at else where % len(tokens)
    return tokens[first][0], tokens[min(first + count, len(tokens)) - 1][1]
