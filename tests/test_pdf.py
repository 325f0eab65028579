"""PDF pages to text, and every way in which there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions, convert


def pdf(*pages: str, info: str = "") -> bytes:
    """Return a small PDF, one content stream a page."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", ""]
    kids = []
    for content in pages:
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents {len(objects) + 2} 0 R"
            "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    objects.append(f"<<{info}>>")
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{at:010d} 00000 n \n" for at in offsets)
    return (
        f"{out}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {len(objects) + 1}/Root 1 0 R/Info {len(objects)} 0 R>>\nstartxref\n{len(out)}\n%%EOF\n"
    ).encode("latin-1")


def line(text: str, at: int = 200) -> str:
    return f"BT /F1 12 Tf 20 {at} Td ({text}) Tj ET\n"


def read(data: bytes, **options: int) -> Conversion | ConversionFailure:
    return convert(
        data, content_type="application/pdf", url="https://x.example/a.pdf", options=ConvertOptions(**options)
    )  # type: ignore[arg-type]


def test_pages_become_blocks_with_page_numbers() -> None:
    pytest.importorskip("pypdfium2")
    result = read(pdf(line("First page") + line("second line", 180), line("Last page")))
    assert isinstance(result, Conversion)
    assert [(b.page, result.text[b.start : b.end]) for b in result.blocks] == [
        (1, "First page\nsecond line"),
        (2, "Last page"),
    ]
    assert result.media_type == "application/pdf"
    assert result.options["engine"].startswith("pypdfium2 ")


def test_document_information_is_a_claim_with_its_source() -> None:
    pytest.importorskip("pypdfium2")
    result = read(pdf(line("x"), info="/Title(On tides)/Author(A. Writer)/CreationDate(D:20240506070809+02'00')"))
    assert isinstance(result, Conversion)
    assert (result.metadata.title, result.metadata.author) == ("On tides", "A. Writer")
    assert result.metadata.published is not None
    assert result.metadata.published.sure == "guessed"  # when the file was made
    assert (result.metadata.published.date, result.metadata.published.source) == (
        "2024-05-06T07:08:09+02:00",
        "pdf:CreationDate",
    )


def test_page_and_text_limits_cut_with_a_warning() -> None:
    pytest.importorskip("pypdfium2")
    three = pdf(line("one"), line("two"), line("three"))
    pages = read(three, pdf_pages_max=2)
    assert isinstance(pages, Conversion)
    assert (pages.text, pages.warnings) == ("one\ntwo", ("pages-cut",))
    chars = read(three, text_chars_max=6)
    assert isinstance(chars, Conversion)
    assert (chars.text, chars.warnings) == ("one\ntw", ("text-cut",))


def test_pictures_of_pages_have_no_text_layer() -> None:
    pytest.importorskip("pypdfium2")
    result = read(pdf("0 0 100 100 re f", "0 0 50 50 re f"))
    assert isinstance(result, ConversionFailure)
    assert result.reason == "no-text"
    assert "no text layer" in result.detail


def test_broken_file_is_malformed() -> None:
    pytest.importorskip("pypdfium2")
    result = read(b"%PDF-1.4\nnothing that follows is a document")
    assert isinstance(result, ConversionFailure)
    assert result.reason == "malformed"


def test_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    result = read(pdf(line("x")))
    assert isinstance(result, ConversionFailure)
    assert result.reason == "needs-extra"
    assert "pip install 'searchlog[pdf]'" in result.detail


def words(*texts: str, step: int = 15, top: int = 250) -> str:
    return "".join(line(text, top - step * n) for n, text in enumerate(texts))


def test_paragraphs_are_told_by_the_places_of_their_lines() -> None:
    """A page was one block: its lines have no blank line between paragraphs."""
    pytest.importorskip("pypdfium2")
    long = "The mill stands by the water of the bay"
    result = read(pdf(words(long, "and turns at -2 m of water.") + words(long, "since 1740.", top=200)))
    assert isinstance(result, Conversion)
    assert [(b.kind, result.text[b.start : b.end]) for b in result.blocks] == [
        ("paragraph", f"{long} and turns at -2 m of water."),
        ("paragraph", f"{long} since 1740."),
    ]


def test_gaps_in_lines_that_stand_below_each_other_are_cells() -> None:
    pytest.importorskip("pypdfium2")
    rows = [("Name", "Height"), ("North Point", "-41.5"), ("Skerry", "7")]
    page = "".join(
        line(one, 200 - 15 * n) + line(two, 200 - 15 * n).replace("20 ", "150 ", 1) for n, (one, two) in enumerate(rows)
    )
    result = read(pdf(page))
    assert isinstance(result, Conversion)
    assert [(b.kind, result.text[b.start : b.end]) for b in result.blocks] == [
        ("table-row", "\t".join(row)) for row in rows
    ]
    assert len({b.group for b in result.blocks}) == 1


def test_a_word_broken_at_a_line_end_is_one_word_again() -> None:
    """`manipu-lation` was neither what the page shows nor what anybody looks for."""
    pytest.importorskip("pypdfium2")
    result = read(pdf(words("The bay is known for its lighthou-", "ses and its fishermen of the north.")))
    assert isinstance(result, Conversion)
    assert "lighthou\u00adses" in result.text


def test_pages_without_text_among_others_are_told() -> None:
    pytest.importorskip("pypdfium2")
    result = read(pdf(line("one"), "0 0 100 100 re f", "", line("four")))
    assert isinstance(result, Conversion)
    assert result.warnings == ("pages-without-text",)
    assert [b.page for b in result.blocks] == [1, 4]
    assert read(pdf(line("one"), "")).warnings == ()  # a blank page has no text to lack


def test_a_password_is_asked_for_in_words() -> None:
    pytest.importorskip("pypdfium2")
    result = read((Path(__file__).parent / "data" / "needs-password.pdf").read_bytes())
    assert isinstance(result, ConversionFailure)
    assert (result.reason, result.detail) == ("no-text", "the PDF is encrypted, and needs a password")


@pytest.mark.parametrize(
    "date", ["D:20240506", "D:20240506070809Z", "20240506070809", "D:2024", "D:99999999999999", ""]
)
def test_any_date_is_borne(date: str) -> None:
    pytest.importorskip("pypdfium2")
    result = read(pdf(line("x"), info=f"/ModDate({date})"))
    assert isinstance(result, Conversion)
    found = result.metadata.modified
    assert (found is not None) == ("20240506" in date)


@pytest.mark.parametrize(
    ("info", "title"),
    [
        ("", "On tides"),
        ("/Title(Microsoft Word - draft3.docx)", "On tides"),
        ("/Title(tides_v2)", "On tides"),
        ("/Title(Leviathan)", "Leviathan"),
    ],
)
def test_a_document_without_a_title_of_its_own_has_that_of_its_first_page(info: str, title: str) -> None:
    pytest.importorskip("pypdfium2")
    head = line("On tides", 280).replace("12 Tf", "24 Tf")
    result = read(pdf(head + words("The water rises and falls,", "twice a day."), info=info))
    assert isinstance(result, Conversion)
    assert result.metadata.title == title


def test_text_that_runs_up_a_page_is_one_line() -> None:
    pytest.importorskip("pypdfium2")
    upright = "".join(
        f"BT /F1 12 Tf 0 1 -1 0 30 {20 + 40 * n} Tm ({word}) Tj ET\n" for n, word in enumerate(("Scale", "of 7"))
    )
    result = read(pdf(upright))
    assert isinstance(result, Conversion)
    assert result.text == "Scale of 7"
