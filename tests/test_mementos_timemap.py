"""Lists of captures, in each form that archives write."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.mementos.timemap import Entry, TimeMap, parse_timemap

BASE = "https://w.example/timemap/link/http://a.example/"
AT = datetime(2001, 9, 11, 20, 30, 51, tzinfo=UTC)
URI = "https://w.example/web/20010911203051/http://a.example/"


def read(data: str | bytes, cut: bool = False) -> tuple[TimeMap, list[Entry]]:
    told, entries = parse_timemap(data if isinstance(data, bytes) else data.encode(), BASE, cut=cut)
    return told, list(entries)


LINK_FORMAT = """<http://a.example/>;rel="original",
 <http://w.example/timegate/http://a.example/>; rel="timegate",
 <http://w.example/timemap/http://a.example/>; rel="self"; type="application/link-format";
   from="Tue, 20 Jun 2000 18:02:59 GMT"; until="Wed, 09 Apr 2008 20:30:51 GMT",
 <//w.example/timemap/2>; rel="timemap"; from="Thu, 10 Apr 2008 20:30:51 GMT"; until="Tue, 27 Oct 2009 20:49:54 GMT",
 <https://w.example/web/20010911203051/http://a.example/>; rel="first last memento";
   datetime="Tue, 11 Sep 2001 20:30:51 GMT",
 <http://w.example/web/2/http://a.example/>; rel="memento"; datetime="some day",
 <http://w.example/web/3/http://a.example/>; rel="memento"
"""

AGGREGATED = {
    "original_uri": "http://a.example/",
    "timegate_uri": "http://w.example/timegate/http://a.example/",
    "mementos": {"first": {}, "list": [{"datetime": "2001-09-11T20:30:51Z", "uri": URI}, {"datetime": 3}, "x"]},
}


def test_link_format_is_read_with_all_it_tells() -> None:
    told, entries = read(LINK_FORMAT)
    assert entries == [Entry(AT, URI, "http://a.example/")]
    assert (told.original, told.unread_count) == ("http://a.example/", 2)
    assert told.timegate == "http://w.example/timegate/http://a.example/"
    (part,) = told.pages
    assert part.uri == "https://w.example/timemap/2"
    assert part.first == datetime(2008, 4, 10, 20, 30, 51, tzinfo=UTC)
    assert part.gap(datetime(2009, 1, 1, tzinfo=UTC)) == 0
    assert part.gap(datetime(2008, 4, 9, 20, 30, 51, tzinfo=UTC)) == 86_400
    assert part.gap(datetime(2009, 10, 28, 20, 49, 54, tzinfo=UTC)) == 86_400


def test_json_of_aggregators() -> None:
    for text in (json.dumps(AGGREGATED), json.dumps(AGGREGATED, indent=1)):
        told, entries = read(text)
        assert entries == [Entry(AT, URI, "http://a.example/")]
        assert (told.original, told.unread_count) == ("http://a.example/", 2)


def test_json_index_of_parts() -> None:
    parts = [{"uri": "/timemap/json/1", "from": "2001-01-01T00:00:00Z", "until": "2002-01-01T00:00:00Z"}, 7]
    told, entries = read(json.dumps({"original_uri": "http://a.example/", "timemap_index": parts}))
    assert entries == []
    assert [part.uri for part in told.pages] == ["https://w.example/timemap/json/1"]


ROWS = [
    ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"],
    ["e", "20010911203051", "http://a.example/", "text/html", "200", "AAA", "5"],
    ["e", "20010911203051", "http://a.example/", "warc/revisit", "-", "AAA", "5"],
    ["e", "soon", "http://a.example/", "text/html", "200", "AAA", "5"],
    ["short"],
    [],
    "key",
]


def test_rows_of_the_wayback_machine() -> None:
    told, entries = read(json.dumps(ROWS))
    assert entries == [
        Entry(AT, None, "http://a.example/", 200, "AAA"),
        Entry(AT, None, "http://a.example/", None, "AAA"),
    ]
    assert told.unread_count == 3


@pytest.mark.parametrize("text", ["[]", "[]\n", "[ ]", "", " \n"])
def test_nothing_found_is_an_empty_list(text: str) -> None:
    assert read(text) == (TimeMap(), [])


@pytest.mark.parametrize(
    "line",
    [
        '{"urlkey": "e", "timestamp": "20010911203051", "url": "http://a.example/", "status": "200", "digest": "AAA"}',
        'example,a)/ 20010911203051 {"url": "http://a.example/", "status": "200", "digest": "AAA"}',
        "e 20010911203051 http://a.example/ text/html 200 AAA 5",
    ],
    ids=["json", "cdxj", "columns"],
)
def test_lines_of_an_index(line: str) -> None:
    told, entries = read(f"{line}\n{line}\n\nnot a line\n")
    assert entries == [Entry(AT, None, "http://a.example/", 200, "AAA")] * 2
    assert told.unread_count == 1
    _, cut = read(f"{line}\n{line[:-3]}", cut=True)
    assert len(cut) == 1


def test_cdxj_of_aggregators() -> None:
    told, entries = read(
        '!context ["https://tools.ietf.org/html/rfc7089"]\n!id {"uri": "http://a.example/"}\n!keys ["x"]\n'
        '!meta {"original_uri": "http://other.example/"}\n'
        f'20010911203051 {{"uri": "{URI}", "rel": "first memento", "datetime": "Tue, 11 Sep 2001 20:30:51 GMT"}}\n'
    )
    assert entries == [Entry(AT, URI, "http://a.example/")]
    assert told.original == "http://a.example/"


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE html><html><body>Not found",
        "<html lang=en>",
        "Not found",
        "{",
        '{"a": 1}',
        '{"message": "Not here"}',
        "[1, 2]",
        '[["a", "b"]]',
        "[" * 100_000,
        '{"mementos": 3}',
        '["timestamp"]',
        "\x00\x01",
        '<http://a.example/>; rel="original", oh no, <x>',
    ],
)
def test_what_is_no_list_is_told(text: str) -> None:
    with pytest.raises(FormatError):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([["timestamp", "original"], [3, None], [{}, []], ["20010911203051", 7], ["1" * 9_000, "x"]]),
        json.dumps({"mementos": [{"datetime": [], "uri": {}}, None, {"datetime": "2001", "uri": ""}]}),
        '{"timestamp": 5}\n{"timestamp": "99999999999999", "url": "x"}\n',
    ],
)
def test_hostile_values_are_counted(text: str) -> None:
    told, entries = read(text)
    assert entries == []
    assert told.unread_count >= 2


@given(
    st.one_of(st.binary(max_size=80), st.text(alphabet='[]{}<>",:!0123456789 relmonta\n', max_size=80)), st.booleans()
)
def test_any_bytes_are_a_list_or_are_told(data: bytes | str, cut: bool) -> None:
    try:
        read(data, cut)
    except FormatError:
        pass


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["mementos", "list", "timemap_index", "timestamp", "original", "uri", "datetime", "pages", "next"]
                ),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_list_or_is_told(value: object) -> None:
    try:
        read(json.dumps(value))
    except FormatError:
        pass
