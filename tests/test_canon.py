"""Canonical JSON: the rules of RFC 8785 that hold without floats, and what is refused."""

from __future__ import annotations

import enum
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import canon
from searchlog.errors import FormatError

VECTORS: list[dict[str, str]] = json.loads((Path(__file__).parent / "vectors" / "rfc8785.json").read_bytes())

text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    ONE = 1


# --- writing


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_public_vectors_are_written_byte_for_byte(case: dict[str, str]) -> None:
    assert canon.dumps(canon.loads(case["input"].encode())) == case["output"].encode()


def test_keys_are_ordered_by_utf16_units_not_by_code_points() -> None:
    """U+1F600 is D83D DE00 in UTF-16 and comes before U+FB33 and U+E000, though its code point is greater."""
    value = {"\ufb33": 1, "\U0001f600": 2, "\ue000": 3, "z": 4, "\ud7ff": 5}
    assert canon.dumps(value) == '{"z":4,"\ud7ff":5,"\U0001f600":2,"\ue000":3,"\ufb33":1}'.encode()


def test_astral_keys_are_ordered_at_every_depth() -> None:
    value = {"a": [{"\ufb33": {"\ufb33": 1, "\U0001f600": 2}, "\U0001f600": []}]}
    assert canon.dumps(value) == '{"a":[{"\U0001f600":[],"\ufb33":{"\U0001f600":2,"\ufb33":1}}]}'.encode()


@given(st.dictionaries(text, st.integers(0, 9), max_size=8))
@settings(deadline=None)
def test_key_order_equals_that_of_utf16_bytes(value: dict[str, int]) -> None:
    keys = list(json.loads(canon.dumps(value)))
    assert keys == sorted(value, key=lambda key: key.encode("utf-16-be"))


@pytest.mark.parametrize(
    ("character", "written"),
    [
        ('"', r"\""),
        ("\\", r"\\"),
        ("\b", r"\b"),
        ("\t", r"\t"),
        ("\n", r"\n"),
        ("\f", r"\f"),
        ("\r", r"\r"),
        ("\x00", r"\u0000"),
        ("\x1f", r"\u001f"),
        ("\x0b", r"\u000b"),
        ("\x7f", "\x7f"),
        ("\x80", "\x80"),
        ("/", "/"),
        ("\u2028", "\u2028"),
        ("\ufeff", "\ufeff"),
        ("😀", "😀"),
    ],
    ids=lambda value: value.encode("unicode_escape").decode(),
)
def test_only_quote_backslash_and_controls_are_escaped(character: str, written: str) -> None:
    assert canon.dumps(character) == f'"{written}"'.encode()
    assert canon.loads(canon.dumps(character)) == character


@pytest.mark.parametrize("number", [0, -1, 2**53 - 1, -(2**53) + 1])
def test_integers_below_2_to_the_53_are_written_in_digits(number: int) -> None:
    assert canon.dumps(number) == str(number).encode()


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        0.5,
        math.nan,
        math.inf,
        2**53,
        -(2**53),
        10**5000,
        b"bytes",
        {1, 2},
        object(),
        Decimal("1"),
        Level.ONE,
        {1: 2},
        {None: 1},
        {True: 1},
        {("a",): 1},
        {b"a": 1},
        "\ud800",
        "a\udfffb",
        {"\ud800": 1},
        {"\ud800": 1, "\ue000": 2},
        [{"deep": [1.5]}],
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(FormatError):
        canon.dumps(value)


def test_string_subclasses_are_written_as_their_text() -> None:
    assert canon.dumps({Colour.RED: [Colour.RED], "tuple": (1, 2)}) == b'{"red":["red"],"tuple":[1,2]}'


def test_a_value_nested_too_deep_to_read_again_is_refused_when_written() -> None:
    """`dumps` let RecursionError out, and what it could write depended on how deep its caller was."""
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    assert canon.loads(canon.dumps(deep)) == deep
    for make in (lambda inner: [inner], lambda inner: {"a": inner}):
        with pytest.raises(FormatError, match="deep"):
            canon.dumps(make([deep]))
    deeper: Any = 1
    for _ in range(100_000):
        deeper = [deeper]
    with pytest.raises(FormatError, match="deep"):
        canon.dumps(deeper)


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(FormatError):
        canon.dumps(loop)


# --- reading


@given(values)
@settings(deadline=None)
def test_every_value_round_trips_and_its_bytes_are_stable(value: Any) -> None:
    written = canon.dumps(value)
    assert canon.loads(written) == value
    assert canon.dumps(canon.loads(written)) == written
    assert b"\n" not in written
    assert b"\r" not in written


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b'{"a":1,}',
        b"[1 2]",
        b"{'a':1}",
        b"01",
        b"+1",
        b"tru",
        b"1.0",
        b"1e3",
        b"-0.0",
        b'{"a":[{"b":2.5}]}',
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"[NaN]",
        b"9007199254740992",
        b"-9007199254740992",
        b"9" * 5000,
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'[{"b":{"c":1,"c":2}}]',
        rb'"\ud800"',
        rb'"\udc00\ud800"',
        rb'{"\ud83d":1}',
        rb'["\uDFFF"]',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\xc0\xaf"',
        b'"a\nb"',
        b'"\x00"',
        b'"\\x41"',
        b"\xef\xbb\xbf1",
        b"\xff\xfe1\x00",
        b"1 // one",
        b"1 1",
        b"[" * 100_000,
        b"[" * 202 + b"]" * 202,
        b'{"a":' * 202 + b"1" + b"}" * 202,
    ],
    ids=lambda data: ascii(data[:28].decode("latin-1")),
)
def test_what_is_not_strict_json_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        canon.loads(data)


def test_an_escaped_pair_is_one_character() -> None:
    assert canon.loads(rb'"\ud83d\ude00"') == "😀"
    assert canon.loads(rb'"\\ud800"') == r"\ud800"


@given(st.binary(max_size=60))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes) -> None:
    try:
        value = canon.loads(data)
    except FormatError:
        return
    assert canon.loads(canon.dumps(value)) == value


# --- scores


@pytest.mark.parametrize(
    ("number", "places", "written"),
    [
        (0.0, 6, "0"),
        (-0.0, 6, "0"),
        (1.0, 6, "1"),
        (100.0, 6, "100"),
        (0.1, 6, "0.1"),
        (1 / 3, 6, "0.333333"),
        (2 / 3, 3, "0.667"),
        (1e-7, 6, "0"),
        (-1e-7, 6, "0"),
        (1e-7, 9, "0.0000001"),
        (1e17, 6, "100000000000000000"),
        (1.5e300, 6, "15" + "0" * 299),
        (-12.5, 6, "-12.5"),
        (7, 6, "7"),
        (10, 6, "10"),
    ],
)
def test_scores_are_plain_decimals(number: float, places: int, written: str) -> None:
    assert canon.decimal_string(number, places) == written


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 12))
@settings(deadline=None)
def test_a_decimal_string_reads_back_as_the_rounded_number(number: float, places: int) -> None:
    written = canon.decimal_string(number, places)
    assert float(written) == round(number, places)
    assert not set(written) - set("-.0123456789")
    assert written == "0" or not written.endswith(".")
    assert "." not in written or not written.endswith("0")
    assert written != "-0"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(number: float) -> None:
    """They were written as NaN and Infinity, strings that no reader of a score expects."""
    with pytest.raises(FormatError):
        canon.decimal_string(number)
