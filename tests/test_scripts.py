"""Pages in many scripts and charsets: numbers, units, negations and names come through as they are written, and words
are found however a page breaks, joins or composes them.
"""

from __future__ import annotations

import unicodedata

import pytest

from searchlog.evidence.selector import Match, anchor, describe
from searchlog.extract.conversion import Conversion, visible_text
from searchlog.extract.convert import convert
from searchlog.tokens import words


def page(body: str, charset: str = "utf-8", *, declared: str | None = None, head: str = "") -> Conversion:
    markup = f"<!doctype html><html><head>{head}<title>t</title></head><body>{body}</body></html>"
    content_type = f"text/html; charset={declared}" if declared else "text/html"
    result = convert(markup.encode(charset), content_type=content_type, url="https://x.example/")
    assert isinstance(result, Conversion)
    assert result.verbatim is True
    assert result.replaced_count == 0
    return result


SENTENCES = {
    "gb18030": ("zh", "灯塔高41.5米，−3 ℃时不开放，票价￥25。"),
    "big5": ("zh-Hant", "燈塔高41.5公尺，週一不開放，票價NT$250。"),
    "shift_jis": ("ja", "灯台の高さは41.5メートルで、月曜日は開いていない。料金は￥300。"),
    "euc-jp": ("ja", "灯台の高さは41.5メートルで、月曜日は開いていない。"),
    "iso2022_jp": ("ja", "灯台の高さは41.5メートルで、月曜日は開いていない。"),
    "euc-kr": ("ko", "등대의 높이는 41.5미터이고 월요일에는 열지 않는다. 3,000원."),
    "windows-1251": ("ru", "Маяк не работает по понедельникам; высота 41,5 м, вход — 250 руб. № 7."),
    "koi8-r": ("ru", "Маяк не работает по понедельникам, высота 41,5 м."),
    "windows-1253": ("el", "Ο φάρος δεν λειτουργεί τη Δευτέρα· ύψος 41,5 μ."),
    "windows-1255": ("he", "המגדלור אינו פתוח בימי שני; גובהו 41.5 מ׳."),
    "windows-1256": ("ar", "المنارة لا تفتح يوم الاثنين، وارتفاعها 41.5 م."),
    "windows-1254": ("tr", "Deniz feneri pazartesi günleri açık değil; ışığı 19 mil, İğneada."),
    "iso-8859-2": ("pl", "Latarnia nie jest czynna w poniedziałki; wysokość 41,5 m, Łeba."),
    "windows-1258": ("vi", "Hai đăng không mơ cưa ngày th\u01b0 hai, cao 41,5 m."),
    "tis-620": ("th", "ประภาคารไม่เปิดวันจันทร์ สูง 41.5 เมตร"),
    "utf-16": ("en", "The lighthouse is not open on Mondays; −3 °C, 41.5 m, ½ price."),
}


@pytest.mark.parametrize(("charset", "language", "text"), [(name, *rest) for name, rest in SENTENCES.items()])
def test_a_page_in_a_charset_of_its_script_is_read_as_written(charset: str, language: str, text: str) -> None:
    head = "" if charset == "utf-16" else f"<meta charset={charset.replace('iso2022_jp', 'iso-2022-jp')}>"
    result = page(f"<p lang={language}>{text}</p>", charset, head=head)
    assert result.text == text
    assert result.warnings == ()


def test_text_from_right_to_left_stays_in_the_order_of_speech() -> None:
    body = "<p dir=rtl>גובה המגדלור <bdi>41.5 m</bdi> (<b>לא</b> 14.5)</p>"
    body += "<p dir=rtl>الارتفاع <bdo dir=rtl>٤١٫٥</bdo> م</p>"
    assert page(body).text == "גובה המגדלור 41.5 m (לא 14.5)\nالارتفاع ٤١٫٥ م"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ruby>灯<rt>とう</rt>台<rt>だい</rt></ruby>守", "灯とう台だい守"),
        ("<ruby>灯台<rp>（</rp><rt>とうだい</rt><rp>）</rp></ruby>守", "灯台（とうだい）守"),
        ("<ruby><rb>北</rb><rb>京</rb><rtc><rt>běi</rt><rt>jīng</rt></rtc></ruby>", "北京běijīng"),
    ],
)
def test_readings_of_ruby_stay_where_they_stand(markup: str, text: str) -> None:
    assert page(f"<p>{markup}</p>").text == text


def test_vertical_text_is_read_like_any() -> None:
    number = "<span style='text-combine-upright:all'>41</span>"
    body = f"<div style='writing-mode:vertical-rl;text-orientation:upright'><p>高さ{number}米</p></div>"
    assert page(body).text == "高さ41米"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("−12.5&nbsp;°C", "−12.5\u00a0°C"),
        ("1&#8239;234&#8239;567,89&nbsp;€", "1\u202f234\u202f567,89\u00a0€"),
        ("<span class=c>$</span><span>1,299</span><sup>.99</sup>", "$1,299.99"),
        ("<b>do</b> <i>not</i> mix", "do not mix"),
        ("<span>can</span><span>not</span>, ca<wbr>n't", "cannot, can't"),
        ("1&frasl;2 &frac12; 5&#8288;%&#x2009;±&#x2009;0.1", "1⁄2 ½ 5\u2060%\u2009±\u20090.1"),
        ("<s>$199</s> $149 &minus;25&thinsp;%", "$199 $149 −25\u2009%"),
        ("H<sub>2</sub>SO<sub>4</sub>, 5&nbsp;m<sup>2</sup>", "H2SO4, 5\u00a0m2"),
        ("O&rsquo;Brien &amp; Müller-Lüdenscheidt, Nguyễn", "O’Brien & Müller-Lüdenscheidt, Nguyễn"),
        ("Jose\u0301 stays decomposed, José composed", "Jose\u0301 stays decomposed, José composed"),
        ("می\u200cخواهم، न\u094d\u200dय", "می\u200cخواهم، न\u094d\u200dय"),
        ("٣٫١٤ ३.१४ 三点一四", "٣٫١٤ ३.१४ 三点一四"),
        ("ﬁve oﬃces at 5&#x33A1;", "ﬁve oﬃces at 5㎡"),
        ("≥ 5, &lt; 3, ≠ 4, &not;x", "≥ 5, < 3, ≠ 4, ¬x"),
    ],
)
def test_numbers_units_negations_and_names_are_not_altered(markup: str, text: str) -> None:
    assert page(f"<p>{markup}</p>").text == text


@pytest.mark.parametrize(
    ("markup", "query"),
    [
        ("Donau&shy;dampf&shy;schiff", "donaudampfschiff"),
        ("oﬃce ﬁle", "office file"),
        ("un<wbr>believable", "unbelievable"),
        ("Jose\u0301", "José"),
        ("ＡＢＣ１２３", "abc123"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("<b>W</b>orld<i>wide</i>", "worldwide"),
        ("ﻻ ﻣﺤﻤﺪ", "لا محمد"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
        ("İstanbul", "İSTANBUL"),
        ("co\u2060operate", "cooperate"),
    ],
)
def test_words_are_found_however_they_are_composed(markup: str, query: str) -> None:
    found = words(page(f"<p>{markup}</p>").text)
    assert found == words(query)


def test_a_quote_across_soft_hyphens_and_joiners_is_found_where_it_is() -> None:
    text = page("<p>Die Donau&shy;dampf&shy;schiff&shy;fahrt ruht.</p><p>می\u200cخواهم ﬁle 5&nbsp;km</p>").text
    for quote in ("Donau\u00addampf\u00adschiff\u00adfahrt ruht", "می\u200cخواهم ﬁle 5\u00a0km"):
        start = text.index(quote)
        assert anchor(text, describe(text, start, start + len(quote))).match is Match.EXACT


def test_no_form_is_normalised() -> None:
    """What is stored is what the page says, letter by letter: NFC of it, NFD of it, and forms for compatibility."""
    sample = "é e\u0301 \u212b \u00c5 ﬁ ² ⅷ ㎏ Ａ \ufdfa \u1e9b\u0323"
    text = page(f"<p>{sample}</p>").text
    assert text == sample
    assert unicodedata.normalize("NFC", text) != text


def test_hidden_readings_are_apart_from_what_is_seen() -> None:
    result = page("<p>灯台<span style='display:none'>とうだい</span>守 <span aria-hidden=true>41</span>米</p>")
    assert visible_text(result).split("\n")[0] == "灯台守 41米"
