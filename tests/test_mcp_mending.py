"""Lone surrogates: what the parsers of the SDK refuse is made such that they read it, and nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.mcp.mending import mended, sound_json


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\uD83D\uDE00"', "\U0001f600"),
        (rb'"\ud800"', "\ufffd"),
        (rb'"\udc00\ud800"', "\ufffd\ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud800"', "\\ud800"),
        (rb'"\\\ud800"', "\\\ufffd"),
        (rb'"\ud83d\n\ude00"', "\ufffd\n\ufffd"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"\xff"', "\ufffd"),
        (rb'"\ud7ff\ue000"', "\ud7ff\ue000"),
    ],
    ids=repr,
)
def test_halves_are_replaced_and_pairs_stay(given: bytes, want: str) -> None:
    assert json.loads(mended(given)) == want


@given(st.recursive(st.text(st.characters(exclude_categories=[])), lambda inner: st.dictionaries(st.text(), inner)))
def test_every_json_text_becomes_one_that_utf8_holds(value: object) -> None:
    for ascii_only in (True, False):
        sent = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        read = json.loads(mended(sent))
        json.dumps(read, ensure_ascii=False).encode("utf-8")
        if ascii_only:
            assert read == sound_json(json.loads(sent))


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.dictionaries(st.text(), inner)))
def test_what_is_sound_stays_byte_for_byte(value: object) -> None:
    for ascii_only in (True, False):
        sent = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")
        assert mended(sent) == sent


def test_sound_json_reaches_names_and_lists() -> None:
    assert sound_json({"a\ud800": ["\udc00", 1, None, True, {"b": "ok"}]}) == {
        "a\ufffd": ["\ufffd", 1, None, True, {"b": "ok"}]
    }
