"""Documents made to cost much, or to trip a reader up: each is read to an end, and in work that grows with its size."""

from __future__ import annotations

import json

import pytest

from searchlog.extract import facts, feed, pdf, surroundings
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.dates import iso_date
from searchlog.extract.elements import Elements, tag_paths
from searchlog.extract.facts import facts as facts_of
from searchlog.extract.layout import Line, _leads, pieces_of
from searchlog.extract.text import text_blocks

RSS = "application/rss+xml"
PROSE = "<p>" + "Words of a page, and more words. " * 20 + "</p>"


def converted(markup: str, content_type: str = "text/html", *, linear: bool = False) -> Conversion:
    options = ConvertOptions(linear=linear)
    result = convert(markup.encode(), content_type=content_type, url="https://example.org/a", options=options)
    assert isinstance(result, Conversion), result
    return result


@pytest.mark.parametrize(
    ("markup", "kinds"),
    [
        ("<table><tr><div>aside</div><td>a</td><td>b</td></tr></table>", ["paragraph", "table-row"]),
        (
            "<table><tr><p>one<p>two<td>a<td>b</tr></table><p>three",
            ["paragraph", "paragraph", "table-row", "paragraph"],
        ),
        ("<table><tr><div hidden>aside</div><td>a</td><td>b</td></tr></table>", ["paragraph", "table-row"]),
    ],
)
def test_what_stands_in_a_row_before_its_cells_keeps_its_place_without_a_tree(markup: str, kinds: list[str]) -> None:
    result = converted(markup, linear=True)
    assert [block.kind for block in result.blocks] == kinds
    assert len(result.places) == len(kinds)
    assert ("attribute" in [block.hidden for block in result.blocks]) == ("hidden" in markup)


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("٢٠٢٤", "2024"),
        ("２０２４-０５", "2024-05"),
        ("２０２４-０５-０６", "2024-05-06"),
        ("2024-05-06T10:00:00+٠٢:٣٠", "2024-05-06T10:00:00+02:30"),
    ],
)
def test_a_date_is_told_in_ascii_whatever_digits_it_is_written_in(written: str, iso: str) -> None:
    assert iso_date(written) == iso
    items = f"<item><title>i</title><pubDate>{written}</pubDate></item>"
    found = converted(f"<rss><channel><title>T</title>{items}</channel></rss>", RSS).metadata.modified
    assert found is not None
    assert found.date == iso


def test_headings_one_below_the_other_are_read_at_any_number() -> None:
    blocks = text_blocks("Abc\n---\n" * 3_000)
    assert {block.kind for block in blocks} == {"heading"}
    assert len(blocks) == 3_000


def test_the_people_of_a_feed_are_read_once_for_all_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []

    def counted(text: str, line: object = feed._line) -> str:
        lengths.append(len(text))
        return line(text)  # type: ignore[operator, no-any-return]

    monkeypatch.setattr(feed, "_line", counted)
    name = "a b " * 1_000
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><author><name>{name}</name></author>'
    read = feed.read_xml(f"{atom}{'<entry><title>x</title></entry>' * 50}</feed>", "https://example.org/")
    assert read is not None
    assert {entry.author for entry in read.entries} == {name[:500]}
    stated = {"authors": [{"name": name}], "items": [{"content_text": "x"}] * 50}
    again = feed.read_json(json.dumps(stated), "https://example.org/")
    assert again is not None
    assert {entry.author for entry in again.entries} == {name[:500]}
    assert sum(length > 500 for length in lengths) == 2


def test_entries_without_an_end_are_entries_and_those_in_a_part_of_one_are_not() -> None:
    unclosed = "<item><title>one</title><item><title>two</title></item></item>"
    inside = "<item><title>three</title><description>text <item><title>four</title></item></description></item>"
    read = feed.read_xml(f"<rss><channel>{unclosed}{inside}</channel></rss>", "https://example.org/")
    assert read is not None
    assert [entry.title.text for entry in read.entries] == ["one", "two", "three"]
    assert "four" in read.entries[2].summary.text  # and nothing is lost


def test_a_document_type_of_comments_without_an_end_is_read_once() -> None:
    text = "<!DOCTYPE rss [" + "<!--" * 100_000 + " ]<rss/>"
    assert feed.mended(text) == text
    assert feed.mended('<!DOCTYPE rss [<!-- ] > --><!ENTITY a "]>">]><rss/>') == "<rss/>"


def test_a_type_that_cannot_be_printed_names_no_source() -> None:
    item = {"@type": ["\ud800\x1b[31mX", "Product"], "name": "A kettle"}
    assert [fact.source for fact in facts_of([item], [], {})] == ["json-ld:Product.name"]


def test_questions_that_many_objects_refer_to_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def counted(value: object, plain: object = facts._plain) -> str:
        read.append(value)
        return plain(value)  # type: ignore[operator, no-any-return]

    monkeypatch.setattr(facts, "_plain", counted)
    question = {"name": "Why?", "acceptedAnswer": [{"text": "<b>Because</b> it does."}] * 10}
    pages = [{"@type": "FAQPage", "mainEntity": [question] * 40} for _ in range(50)]
    assert [fact.value for fact in facts_of(pages, [], {})] == ["Why?\nBecause it does."]
    assert len(read) == 2


def test_names_of_elements_are_cut_in_paths() -> None:
    elements = Elements()
    around = 0
    for _ in range(40):
        around = elements.open("x-" + "a" * 10_000, {}, around, 0)
    assert max(map(len, tag_paths(elements))) < 2_000


def test_names_of_very_many_paths_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_NAMED_PATHS_MAX", 2)
    page = converted(PROSE + "".join(f'<div class="{c}-main"><p>Text {c}</p></div>' for c in "abcdefgh"))
    assert page.page_type is not None


def test_lines_of_dots_and_rows_of_many_cells_are_compared_quickly() -> None:
    dots = [Line("word " + "." * 23 + end, 1, 10, 500, 9_000 - 12.0 * i, 10) for i, end in enumerate("! " * 2_000)]
    assert pieces_of(dots)
    wide = [tuple((100 * j + 13 * i % 97, 100 * j + 11 + 17 * i % 89) for j in range(60)) for i in range(2_000)]
    cells = [Line("\t".join("a" * 60), 1, 10, 500, 90_000 - 12.0 * i, 0.1, cells=one) for i, one in enumerate(wide)]
    assert pieces_of(cells)


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("Chapter ..... 12", True),
        ("Chapter . . . xii", True),
        ("Chapter \u2026.\u2026..7", True),
        ("Chapter ...7", True),
        ("Chapter .. 12", False),
        ("Chapter ...\u2026 12", False),
        ("Chapter .....", False),
        ("... and chapter", False),
        ("Wait ... seriously", False),
        ("Wait ...  ready", True),
    ],
)
def test_dots_lead_to_a_page_number_in_the_end_of_a_line(text: str, leads: bool) -> None:
    assert _leads(text) == leads


@pytest.mark.parametrize(("place", "known"), [(12.5, 12.5), (-3.4e38, -3.4e38), (1e999, 0.0), (-1e999, 0.0)])
def test_a_place_that_is_no_number_is_none(place: float, known: float) -> None:
    assert pdf._finite(place) == known
    assert pdf._finite(place - place) == 0.0


@pytest.mark.parametrize("attribute", ["hidden", "style='display:none'", "style='font-size:0'", "class='sr-only'"])
def test_what_a_title_of_a_feed_hides_is_not_seen(attribute: str) -> None:
    title = f"<![CDATA[Seen <b>here</b> <span {attribute}>SECRET</span>]]>"
    items = f"<item><title>{title}</title></item>"
    result = converted(f"<rss><channel><title>{title}</title>{items}</channel></rss>", RSS)
    assert result.text == "Seen here\nSeen here"
    assert result.metadata.title == "Seen here"


@pytest.mark.parametrize(
    "document",
    [
        '<feed xmlns="http://www.w3.org/2005/Atom">&b;<title>t</title><author>&b;<name>n</name></author>'
        "<entry>&b;<title>q&b;</title><author>&b;<name>k</name></author></entry></feed>",
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">&b;'
        "<channel>&b;<title>t</title></channel><item>&b;<title>q&b;</title></item></rdf:RDF>",
    ],
)
def test_entities_of_a_document_type_that_cannot_be_told_are_left_out(document: str) -> None:
    kept = '<!DOCTYPE rss [<?x " ?><!ENTITY b "SECRET"><!ENTITY x SYSTEM "file:///etc/hostname">]><?y <!-- ?>'
    read = feed.read_xml(kept + document, "https://example.org/")
    assert read is not None
    assert [entry.title.text for entry in read.entries] == ["q"]
    assert "SECRET" not in repr(read)
