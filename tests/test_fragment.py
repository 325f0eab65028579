from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.evidence.fragment import fragment_link
from searchlog.evidence.passage import Selectors
from searchlog.evidence.selector import describe


@pytest.mark.parametrize(
    ("url", "exact", "link"),
    [
        ("https://a.example/x", "opened in 1932", "https://a.example/x#:~:text=opened%20in%201932"),
        ("https://a.example/x#top", "opened", "https://a.example/x#top:~:text=opened"),
        ("https://a.example/x#:~:text=old", "opened", "https://a.example/x#:~:text=opened"),
        ("https://a.example/?q=1", "a-b, c & d", "https://a.example/?q=1#:~:text=a%2Db%2C%20c%20%26%20d"),
        ("https://a.example/", "100% sûr", "https://a.example/#:~:text=100%25%20s%C3%BBr"),
        ("https://a.example/", "a  b", "https://a.example/#:~:text=a%20%20b"),
        ("ftp://a.example/", "opened", "ftp://a.example/"),
        ("https://a.example/", " \n ", "https://a.example/"),
    ],
    ids=[
        "plain",
        "fragment-kept",
        "directive-replaced",
        "reserved",
        "percent",
        "code-keeps-its-spaces",
        "not-http",
        "blank",
    ],
)
def test_link_highlights_the_quote(url: str, exact: str, link: str) -> None:
    assert fragment_link(url, Selectors(exact, "", "", 0, len(exact))) == link


def terms(exact: str, before: str = "", after: str = "") -> list[str]:
    text = before + exact + after
    link = fragment_link("https://a.example/", describe(text, len(before), len(before) + len(exact)), text)
    return [unquote(term) for term in link.split(":~:text=")[1].split(",")]


def test_long_quote_is_named_by_its_ends_at_word_boundaries() -> None:
    """Four words a term, where it was six: the fewer, the fewer boxes of an unknown style sheet they can cross."""
    words = [f"word{i}" for i in range(200)]
    assert terms(" ".join(words)) == [" ".join(words[:4]), " ".join(words[-4:])]


def test_no_term_crosses_a_line_or_a_table_cell() -> None:
    """A term that spans two blocks of a page matches nothing in a browser; terms of rows once spanned two cells."""
    assert terms("first line of the text\nmiddle\nthe last line") == ["first line of the", "the last line"]
    assert terms("Prev\tUp\tNext") == ["Prev", "Next"]


def test_term_that_stands_further_up_grows_until_it_does_not() -> None:
    """One passage in ten was highlighted from a menu or a table of contents on, where its heading stands as well."""
    text = "how to build a bridge in winter and what it costs to do so"
    assert terms(text + " " + "x" * 40, "How to build a bridge\n")[0] == "how to build a bridge in"


def test_line_that_stands_further_up_takes_what_stands_ahead_of_it() -> None:
    text = "Install\nRun the installer as root.\nThen reboot."
    before = "Install\nUpdate\nThis guide tells how to begin.\n"
    assert terms(text, before) == ["tells how to begin.-", "Install", "Then reboot."]


def test_line_that_cannot_be_told_apart_is_left_out() -> None:
    """Slides of a carousel repeat each other's lines; the highlight then begins with the first line that is new."""
    before = "The health clinic told its story.\nMORE\nhealth\nThe health clinic told its story.\n"
    assert terms("MORE\nBranding a beer.\nMORE", before) == ["Branding a beer.", "MORE"]


def test_end_that_stands_within_the_quote_takes_what_follows() -> None:
    assert terms("Cost\nmore\nless\nmore", "", "\nNext part") == ["Cost", "more", "-Next part"]


def test_case_accents_and_kinds_of_space_are_one_to_a_browser() -> None:
    before = "LE\u00a0CAFE\nAbout us and our house\n"
    assert terms("Le caf\u00e9\nOpen all day", before)[:2] == ["us and our house-", "Le caf\u00e9"]


def test_within_another_word_is_not_further_up() -> None:
    assert terms("art", "party\n") == ["art"]


def test_ends_without_letters_are_left_out() -> None:
    assert terms("\u00ab\nfirst\nlast\n\u00bb") == ["first", "last"]


def test_text_without_spaces_is_cut_at_its_punctuation() -> None:
    """Elsewhere a cut may be within a word, which only a dictionary tells: a fifth of Chinese links found nothing."""
    sentence = "\u5927\u6865\u4e8e\u4e00\u4e5d\u4e09\u4e8c\u5e74\u5f00\u653e"
    parts = terms(f"{sentence}1\uff0c" + f"{sentence}\u3002" * 20 + f"{sentence}2\uff01")
    assert parts[0].startswith(sentence)
    assert parts[0].endswith(("\uff0c", "\u3002"))
    assert parts[1].endswith("2\uff01")


def test_long_word_is_carried_whole_or_its_ends_are() -> None:
    assert terms("x" * 200) == ["x" * 200]
    assert [len(term) for term in terms("x" * 1000)] == [120, 120]


@given(st.text(min_size=1, max_size=400))
@settings(max_examples=200, deadline=None)
def test_link_is_ascii_and_its_terms_are_words_of_the_quote(exact: str) -> None:
    link = fragment_link("https://a.example/", Selectors(exact, "", "", 0, len(exact)))
    assert link.isascii()
    if exact.strip():
        directive = link.split("#:~:text=")[1]
        assert directive.count(",") <= 1
        assert not set("-& ") & set(directive)
