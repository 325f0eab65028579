"""The media type is what the bytes are; the declared type chooses among kinds of text only."""

from __future__ import annotations

import time

import pytest

from searchlog.extract.sniff import essence, is_html, sniff


@pytest.mark.parametrize(
    ("data", "declared", "expected"),
    [
        (b"<!DOCTYPE html><html><p>x", None, "text/html"),
        (b"\xef\xbb\xbf  <HTML><body>x", None, "text/html"),
        (b"<!-- hello --><p>x", "", "text/html"),
        (b"just words", "text/html; charset=utf-8", "text/html"),
        (b"just words", None, "text/plain"),
        (b"<p> is a tag that I write about", "text/plain", "text/plain"),
        (b"<!doctype html><html>", "text/plain", "text/html"),
        (
            b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "b">]><html>',
            "application/xhtml+xml",
            "application/xhtml+xml",
        ),
        (b'<?xml version="1.0"?><rss version="2.0">', "text/xml", "application/rss+xml"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom">', None, "application/atom+xml"),
        (b'<?xml version="1.0"?><r><p>x</p></r>', "application/xml", "application/xml"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", "image/svg+xml", "image/svg+xml"),
        (b"<!-- x --><svg></svg><p>x", "text/html", "text/html"),
        (b"%PDF-1.7\n", "text/html", "application/pdf"),
        (b"PK\x03\x04\x14\0", "text/html", "application/zip"),
        (b"\x89PNG\r\n\x1a\n", "text/plain", "image/png"),
        (b"\x1f\x8b\x08\0", None, "application/gzip"),
        (b"RIFF\0\0\0\0WEBPVP8 ", None, "image/webp"),
        (b"\0\x01\x02\x03" * 20, "text/html", "application/octet-stream"),
        (b'{"a": 1}\n', None, "application/json"),
        (b'{"a": 1}', "application/json", "application/json"),
        (b"{not json, a poem", None, "text/plain"),
        (b"# Title\n", "text/markdown", "text/markdown"),
        (b"BMW is a car maker", None, "text/plain"),
        (b"MZ and other initials", None, "text/plain"),
        ("<p>wide".encode("utf-16"), None, "text/html"),
        ("wide words".encode("utf-16-le"), "text/plain; charset=utf-16le", "text/plain"),
        (b"body { color: red }", "text/css", "text/css"),
    ],
)
def test_type_follows_content_first(data: bytes, declared: str | None, expected: str) -> None:
    assert sniff(data, declared) == expected


def test_markdown_is_known_by_its_address_when_the_server_says_plain() -> None:
    assert sniff(b"# T", "text/plain", "https://x.example/README.md") == "text/markdown"
    assert sniff(b"# T", "text/plain", "https://x.example/README.md?raw=1") == "text/markdown"
    assert sniff(b"# T", "text/plain", "https://x.example/README.mdx-notes") == "text/plain"


def test_a_page_with_a_few_nul_bytes_is_still_a_page() -> None:
    assert sniff(b"<title>a\0b</title><p>" + b"words " * 40 + b"\0", "text/html") == "text/html"


def test_a_head_of_thousands_of_comments_takes_no_exponential_time() -> None:
    begin = time.perf_counter()
    for head in (b"<!-- x -->" * 400, b"<?x ?>" * 600, b"<?xml ?>" + b"<!-- -->" * 400 + b"<"):
        sniff(head, None)
        sniff(head, "application/xml")
    assert time.perf_counter() - begin < 1.0


def test_essence_and_html_types() -> None:
    assert essence(" Text/HTML ; charset=x") == "text/html"
    assert essence(None) == ""
    assert is_html("application/xhtml+xml")
    assert not is_html("text/plain")
