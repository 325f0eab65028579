"""Bytes to text: labels of the Encoding Standard only, in its order, with the deciding step named."""

from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.charset import decode, encoding_for_label, header_label

CHINESE = "中文网页的正文,搜索引擎可以找到它。今天天气很好,我们去公园散步。"
TRADITIONAL = "繁體中文網頁的內容,今天天氣很好,我們去公園散步。"
JAPANESE = "日本語のページです。今日は天気がいいので、公園を散歩しましょう。"
KOREAN = "한국어 웹 페이지입니다. 오늘은 날씨가 좋아서 공원을 산책했습니다."
RUSSIAN = "Русская страница. Сегодня хорошая погода, и мы гуляли в парке у реки."


@pytest.mark.parametrize(
    ("text", "codec", "label", "name"),
    [
        (CHINESE, "gb18030", "gb2312", "gbk"),
        (CHINESE, "gb18030", "GBK", "gbk"),
        (CHINESE + "\U00020000", "gb18030", "gb18030", "gb18030"),
        (TRADITIONAL, "big5hkscs", "Big5", "big5"),
        (JAPANESE, "cp932", "Shift_JIS", "shift_jis"),
        (JAPANESE + "①㈱", "cp932", "x-sjis", "shift_jis"),
        (JAPANESE, "euc_jp", "EUC-JP", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
        (KOREAN, "cp949", "ks_c_5601-1987", "euc-kr"),
        (KOREAN + "똠", "cp949", "euc-kr", "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r", "koi8-r"),
        ("naïve – “quotes” €", "cp1252", "iso-8859-1", "windows-1252"),
        ("naïve €", "cp1252", "us-ascii", "windows-1252"),
        ("Ελληνικά", "iso8859_7", "greek", "iso-8859-7"),
        ("עברית", "cp1255", "windows-1255", "windows-1255"),
        ("ไทย", "cp874", "tis-620", "windows-874"),
        ("wide ☃", "utf-16-le", "utf-16", "utf-16le"),
        ("wide ☃", "utf-16-be", "utf-16be", "utf-16be"),
    ],
)
def test_http_label_decides(text: str, codec: str, label: str, name: str) -> None:
    found = decode(text.encode(codec), f'text/html; charset="{label}"')
    assert (found.text, found.label, found.step, found.replaced_count) == (text, name, "http", 0)


@pytest.mark.parametrize(
    "head",
    [
        b'<meta charset="gb2312">',
        b"<META CHARSET=gb2312 />",
        b"<meta name=x content='charset=utf-8'><meta charset='gb2312'>",
        b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">',
        b'<meta content="text/html;charset=gb2312" http-equiv=content-type>',
        b'<!-- <meta charset="koi8-r"> --><meta charset="gb2312">',
        b'<?xml version="1.0" encoding="gb2312"?>',
    ],
)
def test_meta_prescan_decides_when_http_is_silent(head: bytes) -> None:
    found = decode(head + CHINESE.encode("gb18030"), "text/html")
    assert CHINESE in found.text
    assert (found.label, found.step) == ("gbk", "meta")


def test_order_is_bom_http_meta_utf8_default() -> None:
    page = "<meta charset=koi8-r><p>é"
    marked = codecs.BOM_UTF8 + page.encode()
    assert decode(marked, "text/html; charset=windows-1251").step == "bom"
    assert not decode(marked).text.startswith("\ufeff")
    assert decode(page.encode(), "text/html; charset=windows-1251").step == "http"
    assert decode(page.encode(), "text/html").label == "koi8-r"
    assert decode("<p>é".encode(), "text/html").step == "utf-8"
    assert decode(page.encode("utf-16")).step == "bom"
    assert decode(b"caf\xe9").step in ("detector", "default")
    assert decode(b"caf\xe9").label != "utf-8"


def test_meta_utf16_means_utf8() -> None:
    assert decode('<meta charset="utf-16"><p>é'.encode()).label == "utf-8"


@pytest.mark.parametrize(
    "label",
    ["punycode", "unicode_escape", "idna", "base64", "rot13", "utf-7", "x-user-defined", "utf_8_sig", "hz", "zip"],
)
def test_label_outside_the_standard_never_reaches_a_codec(label: str) -> None:
    data = b"<p>\\u0041 plain " + b"a-" * 500_000
    begin = time.perf_counter()
    found = decode(data, f"text/html; charset={label}")
    assert encoding_for_label(label) is None
    assert (found.text, found.step) == (data.decode(), "utf-8")
    assert "charset-unknown" in found.warnings
    assert time.perf_counter() - begin < 1.0


def test_every_label_has_a_codec() -> None:
    for label in ("utf8", "866", "l2", "csisolatin6", "macintosh", "x-mac-cyrillic", "korean", "sjis", "unicodefffe"):
        name = encoding_for_label(label)
        assert name is not None
        assert decode(b"abc" if "16" not in name else b"a\0b\0", f"a/b; charset={label}").label == name


def test_utf8_label_over_other_bytes_is_passed_over_with_a_warning() -> None:
    data = b"<meta charset=windows-1251><p>" + RUSSIAN.encode("cp1251")
    found = decode(data, "text/html; charset=utf-8")
    assert RUSSIAN in found.text
    assert found.step == "meta"
    assert "charset-contradicted" in found.warnings


def test_latin1_label_over_utf8_is_passed_over_with_a_warning() -> None:
    found = decode("<p>café – 中文".encode(), "text/html; charset=ISO-8859-1")
    assert (found.text, found.label) == ("<p>café – 中文", "utf-8")
    assert "charset-contradicted" in found.warnings


def test_a_few_bad_bytes_do_not_overturn_a_utf8_label() -> None:
    data = (CHINESE * 20).encode() + b"\xff\xfe and on"
    found = decode(data, "text/html; charset=utf-8")
    assert (found.step, found.replaced_count) == ("http", 2)
    assert "replaced-characters" in found.warnings


def test_replacement_characters_of_the_page_itself_are_not_counted() -> None:
    assert decode("a\ufffdb".encode(), "text/html; charset=utf-8").replaced_count == 0
    assert decode("a\ufffdb".encode() + b"\xff", "text/html; charset=utf-8").replaced_count == 1


def test_nul_is_replaced_and_counted() -> None:
    found = decode(b"a\0b", "text/html; charset=utf-8")
    assert (found.text, found.replaced_count) == ("a\ufffdb", 1)


def test_page_cut_in_the_middle_of_a_character_is_still_utf8() -> None:
    found = decode(CHINESE.encode()[:-1])
    assert (found.step, found.replaced_count) == ("utf-8", 1)


def test_gaps_of_pythons_tables_are_filled_as_the_standard_has_them() -> None:
    assert decode(b"a\x81b\x9d", "text/html; charset=windows-1252").text == "a\x81b\x9d"
    assert decode(b"\xad\xa1\xa4\xa2", "text/html; charset=euc-jp").text == "①あ"


def test_detector_reads_unlabelled_pages() -> None:
    found = decode(("<p>" + RUSSIAN * 8).encode("cp1251"))
    assert found.step == "detector"
    assert RUSSIAN in found.text


def test_header_label_reads_quotes_and_odd_spacing() -> None:
    assert header_label("text/html; charset = 'x-sjis' ; a=b") == "x-sjis"
    assert header_label('text/html;CHARSET="utf-8"') == "utf-8"
    assert header_label("text/html") is None
    assert header_label(None) is None


@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=40).map(lambda s: f"text/html; charset={s}")))
def test_decoding_never_fails_and_is_repeatable(data: bytes, content_type: str | None) -> None:
    first = decode(data, content_type)
    assert first == decode(data, content_type)
    assert "\0" not in first.text
