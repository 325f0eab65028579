"""The index of a snapshot's captures."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.webarchive.cdxj import IndexLine, index_bytes


def line(url: str = "https://example.com/a", **changes: object) -> IndexLine:
    values = {
        "timestamp": "2026-01-02T03:04:05.678Z",
        "mime": "text/html",
        "status": 200,
        "digest": "sha256:" + "0" * 64,
        "filename": "data.warc",
        "offset": 1203,
        "length": 7411,
        "record_digest": "sha256:" + "1" * 64,
    }
    return IndexLine(url, **(values | changes))  # type: ignore[arg-type]


def test_a_line_has_these_bytes() -> None:
    assert line("https://example.com/caf\u00e9").format().decode() == (
        'com,example)/caf%c3%a9 20260102030405 {"url":"https://example.com/caf\u00e9","mime":"text/html","status":"200",'
        f'"digest":"sha256:{"0" * 64}","filename":"data.warc","offset":"1203","length":"7411",'
        f'"recordDigest":"sha256:{"1" * 64}"}}\n'
    )


def test_lines_are_sorted_by_their_bytes() -> None:
    urls = [
        "https://b.example/",
        "https://a.example/z",
        "https://a.example/",
        "https://example/",
        "https://a.example/Z?",
    ]
    lines = [line(url, offset=number) for number, url in enumerate(urls)]
    index = index_bytes(lines)
    assert index == index_bytes(reversed(lines))
    rows = index.splitlines(keepends=True)
    assert rows == sorted(rows)
    assert [json.loads(row.split(b" ", 2)[2])["offset"] for row in rows] == ["3", "2", "4", "1", "0"]


def test_an_index_of_nothing_is_empty() -> None:
    assert index_bytes([]) == b""


@given(st.text(), st.text())
def test_a_line_is_one_line(url: str, mime: str) -> None:
    data = line(
        "http://" + url.encode("utf-8", "replace").decode(), mime=mime.encode("utf-8", "replace").decode()
    ).format()
    assert data.count(b"\n") == 1
    _, timestamp, body = data.decode().split(" ", 2)
    assert (timestamp, json.loads(body)["length"]) == ("20260102030405", "7411")


@pytest.mark.parametrize("date", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.9Z", "2026-01-02T03:04:05.999999Z"])
def test_the_fraction_of_a_second_is_cut(date: str) -> None:
    assert line(timestamp=date).format().split(b" ")[1] == b"20260102030405"


@pytest.mark.parametrize(
    "date", ["", "20260102030405", "2026-01-02T03:04:05+01:00", "2026-01-02", "2026-01-02T03:04:05Z\n"]
)
def test_a_time_that_is_none_is_refused(date: str) -> None:
    with pytest.raises(FormatError):
        line(timestamp=date).format()
