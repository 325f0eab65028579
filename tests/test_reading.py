"""What the parsers of provider answers share."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.errors import FormatError
from searchlog.search.answers.reading import code_of_tag, error_text, fit, retry_after, site_operators
from searchlog.search.answers.values import html_text, json_object, number, seconds, text
from searchlog.search.query import Query


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\t b\n", "a b"),
        ("a\x00\x1bb", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\u202eabc", "\u202eabc"),  # the rendering takes these out and counts them
        (None, ""),
        (7, ""),
        (["a"], ""),
    ],
)
def test_text_is_whole_unicode_or_empty(value: object, expected: str) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a <strong>b</strong>&amp;c", "a b&c"),
        ("&lt;b&gt; is a tag", "<b> is a tag"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("x<!-- y -->z<br/>", "xz"),
        ("&#xd800;", "\ufffd"),
        ("&amp;amp;", "&amp;"),
    ],
)
def test_html_becomes_text_once(value: str, expected: str) -> None:
    assert html_text(value) == expected


@pytest.mark.parametrize("unit", ["<!--", "<a ", "<", "&", "<a>", "&#", "< "])
def test_html_of_any_kind_costs_time_in_its_length_only(unit: str) -> None:
    start = time.process_time()
    html_text(unit * (1_000_000 // len(unit)))
    assert time.process_time() - start < 5  # a quadratic reading takes minutes


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, "1"),
        (0.5, "0.5"),
        (1e-05, "0.00001"),
        (-0.0, "0"),
        (True, None),
        (float("inf"), None),
        (float("nan"), None),
        (10**400, None),
        ("1", None),
        (None, None),
    ],
)
def test_numbers_are_decimal_strings(value: object, expected: str | None) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (1.2, 2),
        ("17", 17),
        (" 17 ", 17),
        (10**12, 31 * 86_400),
        (-1, None),
        ("-1", None),
        ("x", None),
        (True, None),
    ],
)
def test_waiting_times_are_whole_seconds_within_a_month(value: object, expected: int | None) -> None:
    assert seconds(value) == expected


DATE = ("Date", "Thu, 01 Jan 2026 00:00:00 GMT")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ((), None),
        ((("Retry-After", "120"),), 120),
        ((("retry-after", "Thu, 01 Jan 2026 00:01:00 GMT"), DATE), 60),
        ((("Retry-After", "Wed, 31 Dec 2025 00:00:00 GMT"), DATE), 0),
        ((("Retry-After", "Thu, 01 Jan 2026 00:01:00 GMT"),), None),
        ((("Retry-After", "Thu, 99 Foo 2026"), DATE), None),
        ((("Retry-After", "Thu, 01 Jan 2026 00:01:00 -0000"), DATE), None),
        ((("Retry-After", "1.5"), DATE), None),
    ],
)
def test_retry_after_needs_no_clock(headers: tuple[tuple[str, str], ...], expected: int | None) -> None:
    assert retry_after(headers) == expected


@given(value=st.text(), date=st.text())
def test_no_retry_after_makes_it_raise(value: str, date: str) -> None:
    wait = retry_after((("Retry-After", value), ("Date", date)))
    assert wait is None or 0 <= wait <= 31 * 86_400


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": "No query"}', "No query"),
        (b'{"detail": {"error": "Unauthorized"}}', "Unauthorized"),
        (b'{"error": {"code": "X", "message": "why"}}', "why"),
        (b'{"error": {"code": "X", "detail": "why"}}', "why"),
        (b'{"message": ["x"]}', ""),
        (b"<html>", ""),
        (b"{}", ""),
    ],
)
def test_what_an_error_answer_says_is_found(body: bytes, expected: str) -> None:
    assert error_text(body) == expected


def test_what_an_error_answer_says_is_short() -> None:
    assert len(error_text(b'{"error": "' + b"x" * 5_000 + b'"}')) == 300


def test_json_is_an_object_or_a_format_error() -> None:
    assert json_object(b'\xef\xbb\xbf{"a": NaN, "b": 1, "b": 2}') == {"a": None, "b": 2}
    for body in (b"", b"[]", b"{", b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"):
        with pytest.raises(FormatError):
            json_object(body)
    with pytest.raises(FormatError, match="an HTML page"):
        json_object(b"\n<!DOCTYPE html>")


@given(query=st.text(), chars=st.integers(5, 60), words=st.integers(1, 10))
def test_a_query_is_cut_to_fit_and_says_so(query: str, chars: int, words: int) -> None:
    cut, notes = fit(query, chars, words)
    assert len(cut) <= chars
    assert len(cut.split()) <= words
    assert (cut == query) == (notes == ()) or not notes


def test_operators_say_one_wanted_domain_and_ten_unwanted() -> None:
    assert site_operators(Query("x")) == ("", ())
    assert site_operators(Query("x", include_domains=("a",), exclude_domains=("b",))) == (" site:a -site:b", ())
    assert site_operators(Query("x", include_domains=("a", "b"))) == ("", ("include_domains",))
    unwanted = tuple(f"d{n}" for n in range(11))
    assert site_operators(Query("x", exclude_domains=unwanted))[1] == ("exclude_domains",)


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("en", "en"),
        ("EN_gb", "en-gb"),
        ("en-GB-oxendict", "en-gb"),
        ("en-US", "en"),
        ("zh-HK-x", "zh-hant"),
        ("de-AT", "xx"),
        ("no", None),
        ("", None),
        (None, None),
    ],
)
def test_the_code_of_a_language_is_that_of_as_much_of_its_tag_as_has_one(tag: str | None, code: str | None) -> None:
    assert (
        code_of_tag(tag, {"de", "en", "en-gb", "xx", "zh-hant"}, {"zh-hk": "zh-hant", "de": "xx", "no": "nb"}) == code
    )
