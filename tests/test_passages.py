from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.evidence.passage import Passage
from searchlog.evidence.passages import Sizes, passages
from searchlog.extract.conversion import Block, Conversion, Metadata
from searchlog.tokens import token_count


def page(*blocks: tuple[str, dict[str, object]]) -> Conversion:
    """Blocks joined by line feeds; each is its text and its Block fields."""
    text, out = "", []
    for words, fields in blocks:
        text += "\n" if text else ""
        values: dict[str, object] = {"kind": "paragraph", **fields}
        out.append(Block(start=len(text), end=len(text) + len(words), **values))  # type: ignore[arg-type]
        text += words
    return Conversion(text, tuple(out), Metadata(), "test/1")


def plain(source: int, text: str) -> list[Passage]:
    """The passages of a text that has no blocks."""
    return passages(source, Conversion(text, (), Metadata(), "test/1"))


def texts(conversion: Conversion) -> list[str]:
    return [conversion.text[p.start : p.end] for p in passages(0, conversion)]


def sentence(word: str, count: int = 12) -> str:
    return " ".join([word] * count) + "."


def test_short_neighbours_are_joined_until_they_are_worth_reading() -> None:
    conversion = page(*[(sentence(f"word{i}"), {}) for i in range(9)])
    got = passages(0, conversion)
    assert len(got) < 6
    assert all(token_count(conversion.text[p.start : p.end]) >= 62 for p in got[:-1])


def test_block_that_fits_is_never_cut() -> None:
    long = " ".join(sentence("words", 10) for _ in range(12))
    assert texts(page(("first", {}), (long, {}), ("last", {})))[0].startswith("first")
    assert any(long in t for t in texts(page(("first", {}), (long, {}), ("last", {}))))


@pytest.mark.parametrize(
    ("one", "marks"),
    [
        ("The bridge was opened in the spring of that year by the mayor. ", "."),
        ("大桥于一九三二年春天由市长宣布正式开放通行。", "。"),
        ("افتتح الجسر في ربيع ذلك العام على يد رئيس البلدية؟ ", "؟"),
        ("पुल उस वर्ष के वसंत में महापौर द्वारा खोला गया। ", "।"),
        ("橋はその年の春に市長によって開通した！", "！"),
    ],
    ids=["latin", "chinese", "arabic", "devanagari", "japanese"],
)
def test_long_block_is_cut_at_sentence_ends(one: str, marks: str) -> None:
    got = texts(page((one.strip() + one * 59, {})))
    assert len(got) > 2
    assert all(t.endswith(marks) for t in got)
    assert all(token_count(t) <= Sizes().most for t in got)


def test_block_without_sentence_or_space_is_cut_all_the_same() -> None:
    got = texts(page(("x" * 5000, {})))
    assert "".join(got) == "x" * 5000
    assert max(map(token_count, got)) <= Sizes().most


def test_cut_does_not_part_a_letter_from_its_mark() -> None:
    got = texts(page(("é" * 3000, {})))
    assert not any(t.startswith("́") for t in got)


def test_heading_travels_with_the_text_below_it() -> None:
    conversion = page(
        (sentence("before", 40), {}),
        ("Opening", {"kind": "heading", "level": 2}),
        (sentence("after", 60), {}),
    )
    assert texts(conversion)[-1].startswith("Opening\nafter")


def test_heading_before_a_block_as_long_as_a_passage_still_travels_with_it() -> None:
    conversion = page(
        (sentence("few", 20), {}),
        ("Opening", {"kind": "heading", "level": 2}),
        (" ".join(sentence("after", 10) for _ in range(14)), {}),
    )
    assert any(t.startswith("Opening\nafter") for t in texts(conversion))


def test_heading_path_names_the_headings_above_outermost_first() -> None:
    conversion = page(
        ("Bridges", {"kind": "heading", "level": 1}),
        (sentence("all", 60), {}),
        ("Old", {"kind": "heading", "level": 2}),
        (sentence("old", 60), {}),
        ("New", {"kind": "heading", "level": 2}),
        ("Steel", {"kind": "heading", "level": 3}),
        (sentence("steel", 80), {}),
        (sentence("more", 80), {}),
    )
    paths = [[conversion.text[a:b] for a, b in p.headings] for p in passages(0, conversion)]
    assert paths == [[], ["Bridges"], ["Bridges"], ["Bridges", "New", "Steel"]]


def test_passage_names_the_headings_and_terms_it_holds() -> None:
    conversion = page(
        ("Glossary", {"kind": "heading", "level": 1}),
        (sentence("all", 60), {}),
        ("slice", {"kind": "term"}),
        (sentence("part", 60), {}),
    )
    got = passages(0, conversion)
    assert [[conversion.text[a:b] for a, b in p.own_headings] for p in got] == [["Glossary"], ["slice"]]


def test_line_that_ends_in_a_colon_travels_with_its_list() -> None:
    items = [(sentence(f"item{i}", 8), {"kind": "list-item", "group": 1}) for i in range(12)]
    lead = "You need all of these:"
    conversion = page((sentence("before", 70), {}), (lead, {}), *items, (sentence("after", 70), {}))
    before, first, *later = passages(0, conversion)
    assert conversion.text[before.start : before.end].endswith("before.")
    assert conversion.text[first.start :].startswith(f"{lead}\nitem0")
    assert first.lead_in is None
    with_items = [p for p in later if "kind:list-item" in p.labels]
    assert with_items
    assert {conversion.text[slice(*p.lead_in)] for p in with_items if p.lead_in} == {lead}
    assert all(p.lead_in for p in with_items)


@pytest.mark.parametrize(
    "lead", [{"hidden": "style"}, {"kind": "heading", "level": 2}, {}], ids=["hidden", "heading", "no-colon"]
)
def test_list_without_a_line_that_leads_in_has_none(lead: dict[str, object]) -> None:
    items = [(sentence(f"item{i}", 8), {"kind": "list-item", "group": 1}) for i in range(12)]
    text = "You need all of these:" if lead else "All of these are needed."
    assert {p.lead_in for p in passages(0, page((text, lead), *items))} == {None}


def test_table_rows_know_their_header_row() -> None:
    rows = [(f"bridge{i} | {1900 + i} | {sentence('note', 12)}", {"kind": "table-row", "group": 7}) for i in range(12)]
    conversion = page(("name | year | note", {"kind": "table-row", "group": 7, "head": True}), *rows)
    first, *rest = passages(0, conversion)
    assert first.table_head is None
    assert rest
    assert {conversion.text[slice(*p.table_head)] for p in rest if p.table_head} == {"name | year | note"}
    assert all("kind:table-row" in p.labels for p in rest)


def test_rows_of_another_table_do_not_take_the_header_row() -> None:
    conversion = page(
        ("name | year", {"kind": "table-row", "group": 1, "head": True}),
        (sentence("x", 150), {"kind": "table-row", "group": 1}),
        (sentence("y", 150), {"kind": "table-row", "group": 2}),
    )
    assert passages(0, conversion)[-1].table_head is None


def test_code_stays_whole_where_it_fits_and_is_cut_at_lines_where_not() -> None:
    small = "\n".join(f"value_{i} = compute(value_{i - 1}. x)" for i in range(40))
    assert token_count(small) > Sizes().most
    assert small in texts(page(("Text.", {}), (small, {"kind": "code"})))
    large = "\n".join(f"value_{i} = compute(value_{i - 1}. x)" for i in range(200))
    lines = large.split("\n")
    got = texts(page((large, {"kind": "code"})))
    assert len(got) > 2
    assert [line for t in got for line in t.split("\n")] == lines


def test_hidden_text_never_shares_a_passage_with_visible_text() -> None:
    conversion = page(("seen one", {}), ("secret", {"hidden": "style"}), ("seen two", {}))
    assert texts(conversion) == ["seen one", "secret", "seen two"]
    assert [p.labels for p in passages(0, conversion)] == [(), ("hidden:style",), ()]


def test_hidden_block_inside_a_visible_one_stays_hidden() -> None:
    text = "seen one SECRET seen two"
    blocks = (Block("paragraph", 0, len(text)), Block("paragraph", 9, 15, hidden="size"))
    conversion = Conversion(text, blocks, Metadata(), "test/1")
    assert texts(conversion) == ["seen one", "SECRET", "seen two"]
    inverse = (Block("paragraph", 0, len(text), hidden="size"), Block("paragraph", 9, 15))
    conversion = Conversion(text, inverse, Metadata(), "test/1")
    assert all("hidden:size" in p.labels for p in passages(0, conversion))


def test_furniture_is_labelled_and_kept_apart_from_main_text() -> None:
    conversion = page(("Home", {"furniture": "nav"}), ("About", {"furniture": "nav"}), (sentence("main"), {}))
    assert texts(conversion) == ["Home\nAbout", sentence("main")]
    assert passages(0, conversion)[0].labels == ("furniture:nav",)


def test_passages_of_a_pdf_stay_on_their_page() -> None:
    conversion = page(("one", {"page": 1}), ("two", {"page": 2}))
    assert [p.page for p in passages(4, conversion)] == [1, 2]
    assert {p.source for p in passages(4, conversion)} == {4}


def test_text_without_blocks_and_blank_text() -> None:
    assert plain(3, " \n\t ") == []
    assert plain(3, " snippet ") == [Passage(3, 1, 8)]


def test_one_long_line_is_cut_in_time_that_grows_with_its_length() -> None:
    """Each cut once counted the whole rest of the block again, which took minutes for a megabyte."""
    got = plain(0, "word " * 100_000)
    assert len(got) > 500


ALPHABET = "ab .\n\t。！中文字ก۔।é́😀\u200b‍"
KINDS = ["heading", "paragraph", "list-item", "table-row", "code", "quote", "other"]


@st.composite
def conversions(draw: st.DrawFn) -> Conversion:
    text = draw(st.text(alphabet=ALPHABET, max_size=60)) * draw(st.integers(1, 40))
    count = draw(st.integers(0, 8))
    blocks = []
    for _ in range(count):
        start = draw(st.integers(-2, len(text) + 2))
        blocks.append(
            Block(
                kind=draw(st.sampled_from(KINDS)),
                start=start,
                end=draw(st.integers(start - 1, len(text) + 3)),
                level=draw(st.integers(0, 6)),
                furniture=draw(st.sampled_from([None, None, "nav"])),
                hidden=draw(st.sampled_from([None, None, "style"])),
                group=draw(st.sampled_from([None, 1])),
                head=draw(st.booleans()),
            )
        )
    return Conversion(text, tuple(blocks), Metadata(), "test/1")


@given(conversions())
@settings(max_examples=200, deadline=None)
def test_passages_are_in_order_and_cover_all_text_once(conversion: Conversion) -> None:
    got = passages(0, conversion)
    at = 0
    for p in got:
        assert at <= p.start < p.end <= len(conversion.text)
        assert not conversion.text[at : p.start].strip()
        part = conversion.text[p.start : p.end]
        assert part == part.strip()
        at = p.end
    assert not conversion.text[at:].strip()


@given(conversions())
@settings(max_examples=200, deadline=None)
def test_no_visible_passage_holds_a_character_of_a_hidden_block(conversion: Conversion) -> None:
    hidden = [b for b in conversion.blocks if b.hidden and b.start < b.end]
    for p in passages(0, conversion):
        for b in hidden:
            start, end = max(p.start, b.start), min(p.end, b.end)
            if conversion.text[start:end].strip() and start < end:
                assert any(label.startswith("hidden:") for label in p.labels)


@given(conversions())
@settings(max_examples=100, deadline=None)
def test_same_conversion_gives_the_same_passages(conversion: Conversion) -> None:
    assert passages(0, conversion) == passages(0, conversion)
