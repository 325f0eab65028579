"""Plain text and JSON: blocks over the text as it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.text import json_blocks, text_blocks


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
    assert result.converter == "text/2"
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


@given(st.text(max_size=200))
def test_blocks_hold_all_that_is_not_blank(text: str) -> None:
    at = 0
    for block in text_blocks(text):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip()
        at = block.end
    assert not text[at:].strip()
