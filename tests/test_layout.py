"""Lines with their places become paragraphs, headings, items, rows and code; no letter is changed or moved."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.extract.layout import HYPHEN, Line, Piece, pieces_of

WIDE = "This line of a paragraph is as wide as its column"
CHAR = 5.0
MARGIN = 50 + CHAR * len(WIDE)


def line(text: str, base: float, *, page: int = 1, left: float = 50, **more: object) -> Line:
    """A line whose letters are 5 points wide and 10 high."""
    size = float(more.pop("size", 10.0))  # type: ignore[arg-type]
    right = left + CHAR * len(text) * size / 10
    return Line(text, page, left, right, base, size, **more)  # type: ignore[arg-type]


def down(*texts: str, step: float = 12.5, top: float = 700, **more: object) -> list[Line]:
    return [line(text, top - step * n, **more) for n, text in enumerate(texts)]  # type: ignore[arg-type]


def shown(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces]


def test_full_lines_are_one_paragraph_and_a_gap_begins_the_next() -> None:
    lines = [*down(WIDE, WIDE, "and ends."), *down(WIDE, "So does this.", top=645)]
    assert shown(pieces_of(lines)) == [
        ("paragraph", f"{WIDE} {WIDE} and ends."),
        ("paragraph", f"{WIDE} So does this."),
    ]


def test_a_line_feed_stays_where_the_next_word_would_have_fitted() -> None:
    assert shown(pieces_of(down(WIDE, "11 Harbour Street", "Northport"))) == [
        ("paragraph", f"{WIDE} 11 Harbour Street\nNorthport")
    ]


def test_an_indented_line_or_one_after_a_short_end_begins_a_paragraph() -> None:
    indented = [line(WIDE, 700), line("ends full", 687.5), line(WIDE[2:], 675, left=60), line("second", 662.5)]
    assert [text for _, text in shown(pieces_of(indented))] == [f"{WIDE} ends full", f"{WIDE[2:]} second"]
    assert len(pieces_of(down(WIDE, "It ends.", WIDE, "Another."))) == 2


def test_columns_and_pages_are_apart() -> None:
    lines = [*down(WIDE, WIDE), *down(WIDE, WIDE, left=320), *down(WIDE, page=2)]
    assert [(piece.page, piece.text.count(WIDE)) for piece in pieces_of(lines)] == [(1, 2), (1, 2), (2, 1)]


def test_larger_lines_are_headings_by_size_and_bold_ones_below_them() -> None:
    lines = [
        line("Title", 780, size=24),
        line("Chapter", 740, size=16, bold=True),
        *down(WIDE, WIDE, WIDE, WIDE),
        line("Part", 630, bold=True),
        *down(WIDE, WIDE, top=610),
    ]
    assert [(p.level, p.text) for p in pieces_of(lines) if p.kind == "heading"] == [
        (1, "Title"),
        (2, "Chapter"),
        (3, "Part"),
    ]


def test_bullets_and_numbers_are_items_with_what_hangs_below_them() -> None:
    lines = [
        line("Do this:", 712.5),
        line("• " + WIDE, 700, left=55),
        line(WIDE, 687.5, left=65),
        line("1. One", 675, left=55),
        line("2. Two", 662.5, left=55),
    ]
    assert shown(pieces_of(lines)) == [
        ("paragraph", "Do this:"),
        ("list-item", f"• {WIDE} {WIDE}"),
        ("list-item", "1. One"),
        ("list-item", "2. Two"),
    ]


def test_a_number_that_a_full_line_wraps_to_is_no_item() -> None:
    assert len(pieces_of(down(WIDE, "2. of March, and so on", WIDE))) == 1


def test_aligned_gaps_are_rows_of_one_table() -> None:
    rows = [
        line("Name\tHeight", 700, bold=True, cells=((50, 70), (150, 180))),
        line("North\t−41.5", 687.5, cells=((50, 75), (150, 170))),
        line("Ost\t7", 675, cells=((50, 65), (162, 170))),
    ]
    pieces = pieces_of([*rows, *down(WIDE, WIDE, top=650)])
    assert [(p.kind, p.text, p.group, p.head) for p in pieces[:3]] == [
        ("table-row", "Name\tHeight", 1, True),
        ("table-row", "North\t−41.5", 1, False),
        ("table-row", "Ost\t7", 1, False),
    ]
    alone = line("Left\tright", 700, cells=((50, 70), (200, 250)))
    assert shown(pieces_of([alone, *down(WIDE, top=687.5)])) == [("paragraph", f"Left right\n{WIDE}")]


def test_what_stands_close_behind_on_one_height_goes_on_without_a_space() -> None:
    lines = [Line("5 m", 1, 50, 65, 700, 10), Line("2", 1, 65.2, 68, 703, 6), Line("and more", 1, 72, 112, 700, 10)]
    assert shown(pieces_of(lines)) == [("paragraph", "5 m2 and more")]


def test_letters_of_one_width_are_code_with_its_indentation() -> None:
    lines = [line("if x:", 700, mono=True), line("return -1", 687.5, left=70, mono=True)]
    assert shown(pieces_of(lines)) == [("code", "if x:\n    return -1")]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("exam" + HYPHEN, "ple", "exam\u00adple"),
        ("exam-", "ple", "exam\u00adple"),
        ("well" + HYPHEN, "known", "well-known"),  # it stands so elsewhere
        ("re" + HYPHEN, "read", "re\u00adread"),
        ("Smith" + HYPHEN, "Jones", "Smith-Jones"),
        ("COVID-", "19", "COVID-19"),
        ("from 5" + HYPHEN, "7 km", "from 5-7 km"),
        ("state-of-the-", "art", "state-of-the-art"),
        ("price: 5 -", "7", "price: 5 - 7"),
        ("dash –", "7", "dash – 7"),
        ("minus −", "7", "minus − 7"),
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, joined: str) -> None:
    start = WIDE[: len(WIDE) - len(first) - 1]
    lines = down("the well-known light is well-known " + "x" * 14, f"{start} {first}", f"{second} is here", WIDE)
    assert joined in pieces_of(lines)[0].text


def test_lines_of_scripts_without_spaces_are_joined_by_nothing() -> None:
    first = "灯塔建于十八世纪由北方工程师设计塔高四十一米灯光可见十"
    lines = [Line(first, 1, 50, 330, 700, 10), Line("九海里。", 1, 50, 90, 685, 10)]
    assert pieces_of(lines)[0].text == f"{first}九海里。"


def test_running_heads_and_page_numbers_are_furniture() -> None:
    lines: list[Line] = []
    for page in range(1, 6):
        letter = "abcde"[page - 1]
        lines += [line("On tides", 800, page=page), *down(letter + WIDE, letter + " ends.", page=page)]
        lines += [line(f"{page}", 40, page=page)]
    pieces = pieces_of(lines)
    assert [p.furniture for p in pieces[:3]] == ["header", None, "footer"]
    assert {p.text for p in pieces if p.furniture is None} == {f"{letter}{WIDE} {letter} ends." for letter in "abcde"}


def test_lines_of_a_contents_page_are_apart() -> None:
    lines = down(
        "1 Introduction . . . . . . . . . . . . . . . . 1", "2 Use ........................................ 12"
    )
    assert [piece.kind for piece in pieces_of(lines)] == ["paragraph", "paragraph"]


@pytest.mark.parametrize(
    "lines",
    [
        [Line("word " * 16 + "x" + HYPHEN, 1, 50, 500, 1e6 - 12 * n, 10) for n in range(30_000)],
        [Line(". " * 50_000 + "x!", 1, 50, 500, 1e5 - 12 * n, 10) for n in range(20)],
        [Line("a" * 1_000_000 + "-", 1, 50, 500, 1_000, 10), Line("b" * 1_000_000, 1, 50, 500, 988, 10)],
        [Line("a", 1, 50 + 60 * n, 55 + 60 * n, 1_000, 10) for n in range(50_000)],
    ],
    ids=["one-paragraph", "dots", "one-word", "one-row"],
)
def test_hostile_pages_take_time_that_grows_with_them_only(lines: list[Line]) -> None:
    """A search for dots before a page number made ten of fourteen milliseconds a page, of honest pages."""
    assert pieces_of(lines)


_lines = st.lists(
    st.builds(
        Line,
        text=st.text(alphabet="ab-−1.• 漢\t" + HYPHEN, min_size=1, max_size=12).map(str.strip).filter(bool),
        page=st.integers(1, 3),
        left=st.floats(0, 500),
        right=st.floats(0, 600),
        base=st.floats(0, 800),
        size=st.sampled_from([8.0, 10.0, 10.4, 16.0]),
        bold=st.booleans(),
        mono=st.booleans(),
        cells=st.sampled_from([(), ((0.0, 10.0), (50.0, 60.0))]),
        from_right=st.booleans(),
    ),
    max_size=25,
)


@given(_lines)
def test_no_letter_is_lost_changed_or_moved(lines: list[Line]) -> None:
    def bare(text: str) -> str:
        return re.sub(rf"[\s\u00ad{HYPHEN}-]", "", text)

    pieces = pieces_of(lines)
    assert bare("".join(piece.text for piece in pieces)) == bare("".join(line.text for line in lines))
    assert all(piece.text and HYPHEN not in piece.text for piece in pieces)
