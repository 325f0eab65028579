"""Plain text and JSON: blocks over the text as it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Block, Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.text import blocks_of, code_blocks, json_blocks, row_blocks, text_blocks


def read(data: bytes, content_type: str | None = "text/plain; charset=utf-8") -> Conversion:
    result = convert(data, content_type=content_type, url="https://x.example/a.txt")
    assert isinstance(result, Conversion)
    return result


def test_paragraphs_are_runs_of_lines_between_blank_ones() -> None:
    result = read(b"\n  One\nline two  \n \t \n\nThree\n")
    assert [result.text[b.start : b.end] for b in result.blocks] == ["One\nline two", "Three"]
    assert {b.kind for b in result.blocks} == {"paragraph"}


def test_text_is_not_changed() -> None:
    source = "a\r\nb\r\n\r\n" + "long " * 5_000 + "\n\t中文\n"
    result = read(source.encode())
    assert result.text == source
    assert result.text[result.blocks[0].start : result.blocks[0].end] == "a\r\nb"
    assert result.converter == "text/3"
    assert result.verbatim is True


def test_json_is_one_code_block_as_it_stands() -> None:
    result = read(b'\n{"a": [1,\n  2]}\n', "application/json")
    assert result.media_type == "application/json"
    assert [(b.kind, result.text[b.start : b.end]) for b in result.blocks] == [("code", '{"a": [1,\n  2]}')]
    assert json_blocks("  ") == ()


def test_blank_and_empty_payloads_have_no_text() -> None:
    for data in (b"", b" \n\t "):
        result = convert(data, content_type="text/plain", url="https://x.example/")
        assert isinstance(result, ConversionFailure)
        assert result.reason == "no-text"


def test_control_characters_stay_in_the_text_and_are_announced() -> None:
    result = read(b"a\x1b[2Jb \xe2\x80\x8b")
    assert result.text == "a\x1b[2Jb \u200b"
    assert "control-characters" in result.warnings


def test_a_type_that_lies_is_said() -> None:
    result = convert(b"PK\x03\x04rest", content_type="text/html", url="https://x.example/")
    assert isinstance(result, ConversionFailure)
    assert (result.reason, result.media_type) == ("unsupported-type", "application/zip")
    assert "text/html" in result.detail
    lying = convert(b"<!doctype html><p>x", content_type="application/pdf", url="https://x.example/")
    assert isinstance(lying, Conversion)
    assert "type-mismatch" in lying.warnings


def test_options_and_limits_are_recorded() -> None:
    result = convert(
        b"one two three", content_type=None, url="https://x.example/", options=ConvertOptions(text_chars_max=7)
    )
    assert isinstance(result, Conversion)
    assert result.text == "one two"
    assert "text-cut" in result.warnings
    assert result.options["text_chars_max"] == 7


def shown(text: str, blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [(f"{b.kind}{b.level or ''}", text[b.start : b.end]) for b in blocks]


RFC = """\
RFC 6962                Certificate Transparency               June 2013


2.1.  Merkle Hash Trees

   Logs use a binary Merkle Hash Tree for efficient auditing.  The
   hashing algorithm is SHA-256.

Laurie, et al.                Experimental                      [Page 4]
\f
RFC 6962                Certificate Transparency               June 2013

Appendix A.  Notes

   2. of these are short.

1.  Introduction .......... 3
"""


def test_a_standard_in_plain_text_has_headings_and_page_ends() -> None:
    blocks = text_blocks(RFC)
    assert [(b.kind, b.level) for b in blocks if b.kind == "heading"] == [("heading", 2), ("heading", 1)]
    assert [b.furniture for b in blocks] == [None, None, None, "footer", "header", None, None, None]


def test_underlined_and_capital_headings_and_lists() -> None:
    source = (
        "Notes\n=====\nText here.\n\nMore\n----\n\nNAME\n    ls - list\n\n"
        "Steps are:\n- one\n  goes on\n- two\n\nA - B\n\nI AM LOUD. BUT NO HEADING.\n"
    )
    assert shown(source, text_blocks(source)) == [
        ("heading1", "Notes\n====="),
        ("paragraph", "Text here."),
        ("heading2", "More\n----"),
        ("heading1", "NAME"),
        ("paragraph", "ls - list"),
        ("paragraph", "Steps are:"),
        ("list-item1", "- one\n  goes on"),
        ("list-item1", "- two"),
        ("paragraph", "A - B"),
        ("paragraph", "I AM LOUD. BUT NO HEADING."),
    ]


def test_items_of_one_list_share_a_group_over_blank_lines() -> None:
    blocks = text_blocks("* one\n\n* two\n\nText.\n\n* three\n\n* four\n")
    assert [b.group for b in blocks] == [1, 1, None, 2, 2]


def test_a_log_stays_one_paragraph_a_run() -> None:
    source = "2024-05-06 07:08:09 INFO started\n2024-05-06 07:08:10 WARN -5 left\n"
    assert shown(source, text_blocks(source)) == [("paragraph", source.strip())]


def test_json_is_cut_between_records() -> None:
    rows = [{"id": n, "name": f"Station {n}", "notes": "x" * 300, "height": -1.5} for n in range(20)]
    for indent in (None, 2):
        source = json.dumps({"count": 20, "items": rows}, indent=indent)
        blocks = json_blocks(source)
        pieces = [source[b.start : b.end] for b in blocks]
        assert len(blocks) == 20
        assert all(piece.count('"name"') == 1 for piece in pieces), pieces
        assert {b.kind for b in blocks} == {"code"}
        assert {b.group for b in blocks} == {1}


def test_small_members_are_kept_together_and_long_ones_cut_in_their_turn() -> None:
    numbers = json.dumps(list(range(5_000)))
    blocks = json_blocks(numbers)
    assert all(190 <= b.end - b.start <= 300 for b in blocks[:-1])
    deep = json.dumps({"a": {"b": {"c": [{"d": "x" * 900} for _ in range(5)]}}, "e": 1})
    assert [deep[b.start : b.end].count("x" * 900) for b in json_blocks(deep)] == [1, 1, 1, 1, 1, 0]


def test_lines_of_json_are_cut_at_lines() -> None:
    source = "".join(json.dumps({"n": n, "text": "y, " * 100}) + "\n" for n in range(10))
    result = read(source.encode(), "application/x-ndjson")
    assert result.text == source
    assert all(piece.startswith("{") for _, piece in shown(source, json_blocks(source)))


def test_csv_is_rows_with_a_head() -> None:
    source = 'name,height\r\n"Point, North",−41.5\r\n"two\nlines",7\r\n\r\n'
    result = read(source.encode(), "text/csv")
    assert result.text == source
    assert [(b.kind, b.head, source[b.start : b.end]) for b in result.blocks] == [
        ("table-row", True, "name,height"),
        ("table-row", False, '"Point, North",−41.5'),
        ("table-row", False, '"two\nlines",7'),
    ]
    assert not row_blocks("1,2\n3,4")[0].head
    assert blocks_of("text/plain", "a\tb\n1\t2", "https://x.example/data.tsv?raw=1")[1].kind == "table-row"


def test_an_unclosed_quote_does_not_swallow_a_table() -> None:
    assert len(row_blocks('a,"b\n' + "1,2\n" * 500)) > 400


def test_source_code_is_cut_where_something_begins_at_the_margin() -> None:
    def function(name: str) -> str:
        return f"def {name}(x):\n    first = x\n\n    # {'a comment of some length ' * 8}\n    return -first\n"

    source = f"import os\n\n{function('a')}\n\n{function('b')}"
    blocks = blocks_of("text/plain", source, "https://x.example/raw/mod.py")
    assert [source[b.start : b.end].count("def ") for b in blocks] == [1, 1]
    assert {b.kind for b in blocks} == {"code"}


@pytest.mark.parametrize(
    ("declared", "media_type"),
    [("text/x-python", "text/plain"), ("text/vtt", "text/plain"), ("text/csv; header=present", "text/csv")],
)
def test_other_kinds_of_text_are_read(declared: str, media_type: str) -> None:
    assert read(b"words here", declared).media_type == media_type


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=9), inner, max_size=9),
    max_leaves=60,
)


@given(_json, st.sampled_from([None, 1]))
def test_json_blocks_hold_all_of_it(value: Any, indent: int | None) -> None:
    source = json.dumps(value, ensure_ascii=False, indent=indent) * 3
    assert "".join("".join(part.split()) for _, part in shown(source, json_blocks(source))) == "".join(source.split())


@given(
    st.sampled_from([text_blocks, row_blocks, code_blocks, json_blocks]),
    st.text(max_size=200)
    | st.text(alphabet='ab1 .-=\n\f\t,"[]{}\\A', max_size=300)
    | st.text(alphabet='a,[{]}\n"', max_size=60).map(lambda part: part * 60),
)
def test_blocks_hold_all_that_is_not_blank(blocks_of_kind: Any, text: str) -> None:
    at = 0
    for block in blocks_of_kind(text):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip()
        at = block.end
    assert not text[at:].strip()


def test_a_run_of_very_many_lines_is_read_a_part_at_a_time() -> None:
    lines = "\n".join(f"a line {i}" for i in range(12_000))
    blocks = text_blocks(lines)
    assert [block.kind for block in blocks] == ["paragraph"] * 3
    assert "\n".join(lines[block.start : block.end] for block in blocks) == lines
    items = text_blocks("\n".join(f"- item {i}" for i in range(6_000)))
    assert {block.kind for block in items} == {"list-item"}
    assert len({block.group for block in items}) == 1
