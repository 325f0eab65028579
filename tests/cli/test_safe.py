"""No character of other people's text acts on a terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog import keyring
from searchlog.cli.safe import dump_json, one_line, visible

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
TEXTS = st.text(st.characters(codec=None))


def acts(text: str) -> bool:
    """Whether a character of this text is a control, a line separator, a bidi control or no character at all."""
    return any(unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or c in BIDI for c in text)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("over\rwritten", r"over\rwritten"),
        ("abc\u202egnp.exe", r"abc\u202egnp.exe"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("\x00", r"\x00"),
        ("lone \udc80", r"lone \udc80"),
    ],
    ids=["osc", "csi", "c1-csi", "carriage-return", "rlo", "isolates", "tag", "nul", "surrogate"],
)
def test_what_acts_on_a_terminal_is_spelled(given: str, shown: str) -> None:
    assert visible(given) == shown


@pytest.mark.parametrize("text", ["naïve", "نمی‌خواهم", "क्‍ष", "👩‍👩‍👧", "日本語", "a\tb\nc", "❤️"])
def test_scripts_and_emoji_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


def test_a_table_cell_has_no_line_breaks() -> None:
    assert one_line("a\nb\tc\u2028d") == r"a\nb\tc\u2028d"


@given(TEXTS)
def test_nothing_that_acts_is_left_in_one_line(text: str) -> None:
    assert not acts(one_line(text))


@given(TEXTS)
def test_nothing_that_acts_but_tabs_and_line_feeds_is_left_in_text(text: str) -> None:
    assert not acts(visible(text).replace("\n", "").replace("\t", ""))


# a lone surrogate next to another is one character after parsing: that is JSON's own limit, so none stand here
WHOLE = st.text()


@given(
    st.recursive(WHOLE | st.integers() | st.booleans() | st.none(), lambda v: st.lists(v) | st.dictionaries(WHOLE, v))
)
def test_json_parses_to_the_same_value_and_acts_on_no_terminal(value: object) -> None:
    shown = dump_json(value)
    assert json.loads(shown) == value
    assert not acts(shown.replace("\n", ""))


def test_json_can_hold_a_lone_surrogate() -> None:
    assert json.loads(dump_json(["x\udc80"])) == ["x\udc80"]
    dump_json(["x\udc80"]).encode("utf-8")


def test_key_is_taken_out_of_strings_and_never_across_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the JSON was searched: a key with quotes in it spanned members, a word was the name of one."""
    monkeypatch.setattr(keyring, "_learned", {})  # what is learned here is a word to other tests
    monkeypatch.setattr(keyring, "_seen", [])
    monkeypatch.setenv("TAVILY_API_KEY", 'b", "title": "c')
    monkeypatch.setenv("BRAVE_API_KEY", "evidence")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_aB3dE5fG7hI9jK1lM3")
    value = {"url": "b", "title": "c", "evidence": "the evidence", "ghp_aB3dE5fG7hI9jK1lM3": 1, "[redacted]": 2}
    assert json.loads(dump_json(value)) == {
        "url": "b", "title": "c", "evidence": "the [redacted]", "[redacted]": 1, "[redacted] (4)": 2,
    }  # fmt: skip
