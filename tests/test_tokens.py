"""Words for lexical matching, in any script."""

from __future__ import annotations

import re
import tracemalloc
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import tokens
from searchlog.tokens import token_count, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\t.,;!?-_()", []),
        ("The quick, brown FOX.", ["the", "quick", "brown", "fox"]),
        ("a1b2 3.14 foo_bar x-ray", ["a1b2", "3", "14", "foo", "bar", "x", "ray"]),
        ("École Straße Ünïcode", ["école", "straße", "ünïcode"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("日", ["日"]),
        ("東京都", ["東京", "京都"]),
        ("iPhone手机壳 2024年", ["iphone", "手机", "机壳", "2024", "年"]),
        ("日本語テキスト", ["日本", "本語", "語テ", "テキ", "キス", "スト"]),
        ("한국어를", ["한국", "국어", "어를"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
    ],
    ids=ascii,
)
def test_words_of_many_scripts(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_words_of_ascii_text_are_its_runs_of_letters_and_digits(text: str) -> None:
    """ASCII is read another way than the rest, white space and control characters among it."""
    assert words(text) == re.findall("[a-z0-9]+", text.lower())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("वह घर है। हाँ॥", ["वह", "घर", "है", "हाँ"]),
        ("শেষ।", ["শেষ"]),
        ("வணக்கம்", ["வணக்கம்"]),
    ],
    ids=["hindi", "bengali", "tamil"],
)
def test_a_danda_ends_the_word_before_it(text: str, found: list[str]) -> None:
    """The danda (U+0964) lies among the vowel signs and clung to the last word of a sentence: no query found it."""
    assert words(text) == found


@pytest.mark.parametrize("text", ["שָׁלוֹם", "ދިވެހި", "مَرْحَبًا", "ܫܠܳܡܳܐ", "ጤና", "ꦗꦮ"], ids=ascii)
def test_pointed_letters_stay_one_word(text: str) -> None:
    """Hebrew points, Thaana vowels and others were taken for gaps: a word fell into single letters."""
    assert words(text) == [text] == words(f"({text}),")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("e\u0301cole", "école"),
        ("exam\u00adple", "example"),
        ("ﬁle oﬃce", "file office"),
        ("ＡＢＣ１２３", "abc123"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ﻣﺮﺣﺒﺎ", "مرحبا"),
        (unicodedata.normalize("NFD", "한국어"), "한국어"),
        ("\ufeffword", "word"),
    ],
    ids=["decomposed", "soft-hyphen", "ligature", "fullwidth", "halfwidth", "presentation", "jamo", "byte-order-mark"],
)
def test_the_same_word_in_two_forms_is_one_token(one: str, other: str) -> None:
    """Each of these was two different words, so a query typed in one form missed the page that used the other."""
    assert words(one) == words(other)


@given(st.text())
@settings(deadline=None)
def test_tokens_are_short_of_spaces_and_the_same_each_time(text: str) -> None:
    found = words(text)
    assert found == words(text)
    assert all(word and not any(c.isspace() for c in word) for word in found)


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6), max_size=6))
@settings(deadline=None)
def test_words_between_spaces_are_found_apart(parts: list[str]) -> None:
    assert words(" ".join(parts)) == [word for part in parts for word in words(part)]


def test_nothing_is_kept_of_the_texts_read() -> None:
    """A cache of 50,000 runs kept 73 MB after one Chinese text of a million characters, and saved no time."""
    text = "，".join("".join(chr(0x4E00 + (i * j) % 20_000) for j in range(1, 20)) for i in range(1, 3000))
    words(text)
    tracemalloc.start()
    try:
        count = len(words(text))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 2999 * 18
    assert kept < 100_000


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("привет", 3), ("日本語", 3), ("日本 ab", 3), ("é" * 5, 2)],
)
def test_token_counts_weigh_scripts(text: str, count: int) -> None:
    assert token_count(text) == count


@given(st.text(), st.text())
@settings(deadline=None)
def test_token_counts_only_grow(one: str, other: str) -> None:
    both = token_count(one + other)
    assert max(token_count(one), token_count(other)) <= both <= token_count(one) + token_count(other)
    assert 0 <= both <= len(one + other)


def test_the_tokenizer_has_a_name_for_records() -> None:
    assert tokens.TOKENIZER == "words/2"
