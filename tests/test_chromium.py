"""Links that passages carry, opened in a real browser; skipped where there is none.

The browser is the judge: what a link highlights is read off the pixels of a screenshot (`chromium.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from searchlog.evidence.fragment import fragment_link
from searchlog.evidence.selector import describe
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert
from tests import chromium

pytestmark = [
    pytest.mark.skipif(chromium.path() is None, reason="no Chromium here"),
    pytest.mark.slow,
]

FAR = '<div style="height: 3000px"></div>'
"""So that a highlight scrolls the page."""

CASES = {
    "one-line": ("<p>The bridge opened in 1932.</p>", "The bridge opened in 1932."),
    "inline-markup": ("<p>The <b>old</b> bri<i>dge</i> fell.</p>", "The old bridge fell."),
    "marks-of-the-directive": ("<p>a well-known, big &amp; 100% sure thing</p>", "a well-known, big & 100% sure thing"),
    "across-blocks": (
        "<h2>Tide mills</h2><p>They grind.</p><p>Twice a day.</p>",
        "Tide mills\nThey grind.\nTwice a day.",
    ),
    "list": ("<ul><li>one apple</li><li>two pears</li></ul>", "one apple\ntwo pears"),
    "table-row": ("<table><tr><td>Mass</td><td>12 kg</td></tr></table>", "Mass\t12 kg"),
    "break": ("<p>first line<br>second line</p>", "first line\nsecond line"),
    "code": ("<pre>def f():\n    return  1</pre>", "def f():\n    return  1"),
    "no-break-space": ("<p>weighs 12&nbsp;kg in&nbsp;all</p>", "weighs 12\u00a0kg in\u00a0all"),
    "soft-hyphen": ("<p>the co&shy;op&shy;er&shy;a&shy;tive bank</p>", "the co\u00adop\u00ader\u00ada\u00adtive bank"),
    "capitals-by-style": ('<p style="text-transform: uppercase">quiet words</p>', "quiet words"),
    "chinese": ("<p>大桥于一九三二年开放。桥长五百米，宽二十米。</p>", "大桥于一九三二年开放。桥长五百米，宽二十米。"),
    "chinese-long": (
        "<p>" + "大桥于一九三二年开放，" * 20 + "至今仍在使用。</p>",
        "大桥于一九三二年开放，" * 20 + "至今仍在使用。",
    ),
    "japanese": ("<p>ウィキペディアへようこそ。百科事典です。</p>", "ウィキペディアへようこそ。百科事典です。"),
    "thai": ("<p>สะพานเปิดในปี ๒๔๗๕ และยังใช้อยู่</p>", "สะพานเปิดในปี ๒๔๗๕ และยังใช้อยู่"),
    "arabic": ('<p dir="rtl">افتتح الجسر عام ١٩٣٢، ولا يزال قائما.</p>', "افتتح الجسر عام ١٩٣٢، ولا يزال قائما."),
    "hebrew": ('<p dir="rtl">הגשר נפתח בשנת 1932.</p>', "הגשר נפתח בשנת 1932."),
    "hindi": ("<p>पुल १९३२ में खुला।</p>", "पुल १९३२ में खुला।"),
    "accents": ("<p>Le pont s’ouvrit — à l’été « 1932 ».</p>", "Le pont s’ouvrit — à l’été « 1932 »."),
    "emoji": ("<p>Ready 😃 to hydrate 👩‍🚀 now</p>", "Ready 😃 to hydrate 👩‍🚀 now"),
    "long": ("<p>" + " ".join(f"word{i}" for i in range(400)) + "</p>", " ".join(f"word{i}" for i in range(400))),
    "ruby-beside": ("<p>The <ruby>漢<rt>kan</rt></ruby> sign is read so in Japan.</p>", None),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Browser]:
    with chromium.running() as found:
        yield found


def page(body: str) -> bytes:
    return f'<!DOCTYPE html><meta charset="utf-8"><h1>Title</h1>{FAR}{body}{FAR}'.encode()


def converted(data: bytes) -> str:
    result = convert(data, content_type="text/html", url="https://a.example/")
    assert isinstance(result, Conversion)
    return result.text


def link_to(text: str, exact: str, base: str, at: int = 0) -> str:
    start = text.index(exact, at)
    return fragment_link(base, describe(text, start, start + len(exact)), text)


@pytest.mark.parametrize("name", CASES)
def test_link_highlights_its_passage(browser: chromium.Browser, name: str) -> None:
    body, exact = CASES[name]
    data = page(body)
    text = converted(data)
    exact = exact or text.split("\n", 1)[1]
    with chromium.serving([data]) as base:
        seen = browser.highlight(link_to(text, exact, f"{base}0"))
        place = browser.place(exact)
    assert seen.found
    assert seen.scrolled
    assert place is not None
    assert seen.distance(place) == ""


@pytest.mark.parametrize("words", ["The bridge closed", "he bridge", "in 193", "1932. Title"])
def test_words_that_are_not_there_highlight_nothing(browser: chromium.Browser, words: str) -> None:
    """Or what is there could not be told from what is not."""
    with chromium.serving([page("<p>The bridge opened in 1932.</p>")]) as base:
        seen = browser.highlight(f"{base}0#:~:text={words.replace(' ', '%20')}")
    assert (seen.found, seen.scrolled) == (False, False)


def test_passage_is_highlighted_where_it_stands_and_not_further_up(browser: chromium.Browser) -> None:
    menu = "<ul><li>Install</li><li>Update</li></ul>"
    data = page(f"{menu}{FAR}<h2>Install</h2><p>Run it as root.</p><h2>Update</h2><p>Run it again.</p>")
    text = converted(data)
    exact = "Install\nRun it as root."
    with chromium.serving([data]) as base:
        seen = browser.highlight(link_to(text, exact, f"{base}0"))
        place = browser.place(exact)
    assert seen.found
    assert place is not None
    assert seen.distance(place) == ""
