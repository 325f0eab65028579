"""The one declared normalisation: what it makes equal, what it keeps apart, and the way back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.wording.folding import fold, folded

_HARD = (
    "ab1２ \t\u00a0\n\u3000’“–−ー°µμ²½％。、「」（"
    "e\u0301\u0300한\u1100\u1161\u11a8中の\u3099か\u00ad\u200b\u200d\ufe0fﬁ…`ก\u0e33Ω\u212b\u0653\u064bاक\u093cनْ"
)
_texts = st.text(alphabet=st.one_of(st.sampled_from(_HARD), st.characters(exclude_categories=("Cs",))), max_size=60)


@given(_texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = folded(text)
    assert folded(once) == once


@given(_texts)
def test_every_character_has_its_place_in_the_text(text: str) -> None:
    result = fold(text)
    assert len(result.text) == len(result.starts) == len(result.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(result.starts, result.ends, strict=True))
    assert list(result.starts) == sorted(result.starts)
    assert list(result.ends) == sorted(result.ends)


@given(_texts)
def test_the_original_of_a_folded_range_folds_to_it(text: str) -> None:
    result = fold(text)
    for n, character in enumerate(result.text):
        start, end = result.span(n, n + 1)
        if character != " ":
            assert character in folded(text[start:end])


@given(_texts)
def test_digits_letters_and_their_case_stay(text: str) -> None:
    """Full-width forms and ligatures are the letters that they show; everything else is kept, in order."""

    def kept(words: str) -> list[str]:
        composed = unicodedata.normalize("NFC", words)
        return [c for c in composed if c.isdigit() or "a" <= c <= "z" or "A" <= c <= "Z"]

    shown = "".join([c if not ("\uff01" <= c <= "\uff5e" or "\ufb00" <= c <= "\ufb06") else folded(c) for c in text])
    gone = [c for c in shown if folded("x" + c + "x") != "xx"]
    assert kept(folded(text)) == kept(folded("".join(gone)))


@given(st.lists(st.sampled_from(["dose", "12", "mg", "не", "été", "(a)", "5%"]), min_size=1, max_size=8))
def test_white_space_between_words_is_one_blank(words: list[str]) -> None:
    assert folded("\u00a0\n ".join(words)) == " ".join(words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“quoted” ‘words’", "\"quoted\" 'words'"),
        ("1914–1918", "1914-1918"),
        ("−5 °C", "-5 °C"),
        ("caf\u0065\u0301", "caf\u00e9"),
        ("co\u00adoperate", "cooperate"),
        ("a\u00a0b\n c", "a b c"),
        ("ﬁnd", "find"),
        ("５０％", "50%"),
        ("5 \u00b5g", "5 \u03bcg"),
        ("今天 天气\n好", "今天天气好"),
        ("好， 好", "好,好"),
        ("wait…", "wait..."),
        ("\u1112\u1161\u11ab", "한"),
        ("न\u093c", "\u0929"),
    ],
)
def test_what_a_reader_cannot_tell_apart_is_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("not able", "notable"),
        ("1 000", "1000"),
        ("5 mg", "5 μg"),
        ("US", "us"),
        ("½", "1/2"),
        ("٣", "3"),
        ("5′", "5″"),
        ("≥ 5", "≤ 5"),
        ("+5", "-5"),
        ("1,000", "1.000"),
        ("Masse", "Maße"),
        ("résumé", "resume"),
        ("不好", "好"),
        ("①", "1"),
        ("x₂", "x2"),
        ("か", "が"),
        ("م", "مّ"),
    ],
)
def test_what_a_reader_can_tell_apart_is_not(one: str, other: str) -> None:
    assert folded(one) != folded(other)


def test_a_long_text_of_marks_or_blanks_is_linear() -> None:
    """Each character is looked at a few times at most; 400,000 of any of these take well under a second."""
    for unit in ("\u0301", "\u00ad", " \u00ad", "e\u0301\u00ad", "\u0301\u0316", "\n中 ", "a \u200b"):
        text = unit * (400_000 // len(unit))
        assert len(fold(text).text) <= len(text)


@pytest.mark.parametrize("mark", ["\u202d", "\u202e"])
def test_marks_that_override_a_direction_stay(mark: str) -> None:
    """They were left out as the other marks of direction are, and `321` written so that it reads `123` was intact."""
    assert folded(f"from {mark}321\u202c mg") != folded("from 321 mg")
