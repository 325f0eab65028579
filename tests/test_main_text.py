"""Main text, block by block: what is chosen, from what, and that nothing depends on the machine."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.extract import trees
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import ConvertOptions, convert
from searchlog.extract.features import BLOCK_FEATURES, PAGE_FEATURES, features
from searchlog.extract.html import read_html
from searchlog.extract.main_text import BLOCKS_LABELLED_MAX, PAGE_TYPES, RULE, MainText, chosen, label, main_text
from searchlog.extract.reading import reading_view

URL = "https://x.example/a/b"
MENU = "<nav><ul>" + "".join(f"<li><a href=/{i}>Section number {i}</a>" for i in range(15)) + "</ul></nav>"
FOOT = "<footer><p><a href=/p>Privacy</a> <a href=/t>Terms</a> <a href=/c>Contact</a></footer>"


def sentence(i: int) -> str:
    return (
        f"In year {1800 + i} the keeper of the light wrote down the weather, the ships that passed, and what the oil "
        f"cost; {i} of his books are kept, and none of them is complete."
    )


def converted(markup: str, **options: str) -> Conversion:
    result = convert(
        markup.encode(), content_type="text/html; charset=utf-8", url=URL, options=ConvertOptions(**options)
    )
    assert isinstance(result, Conversion)
    return result


def labels(result: Conversion) -> dict[str, str | None]:
    return {result.text[b.start : b.end]: b.furniture for b in result.blocks}


# --- the choice --------------------------------------------------------------------------------------------------

BLOCKS = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 500)), min_size=1, max_size=30)


def expected(chances: Sequence[int], widths: Sequence[int], taken: Sequence[bool]) -> float:
    hits = sum(c * w for c, w, t in zip(chances, widths, taken, strict=True) if t)
    size = sum(1000 * w for w, t in zip(widths, taken, strict=True) if t)
    wanted = sum(c * w for c, w in zip(chances, widths, strict=True)) * 80 // 100
    return hits / (size + wanted or 1)


@given(BLOCKS)
def test_choice_has_the_highest_expected_f1_of_all_that_take_the_likeliest_first(blocks: list[tuple[int, int]]) -> None:
    chances, widths = [c for c, _ in blocks], [w for _, w in blocks]
    taken = chosen(chances, widths)
    assert any(taken)
    best = max(expected(chances, widths, [c >= least for c in chances]) for least in set(chances))
    assert expected(chances, widths, taken) == pytest.approx(best)


@given(BLOCKS, st.randoms(use_true_random=False))
def test_choice_does_not_depend_on_the_order_of_blocks(blocks: list[tuple[int, int]], chance: object) -> None:
    order = list(range(len(blocks)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    there = chosen([c for c, _ in blocks], [w for _, w in blocks])
    here = chosen([blocks[i][0] for i in order], [blocks[i][1] for i in order])
    assert here == [there[i] for i in order]


def test_another_reader_moves_what_is_unsure() -> None:
    before = MainText([200, -600, 3000], [100, 100, 300], "article")
    assert before.is_main() == [True, False, True]
    after = before.with_opinion([False, True, True])
    assert after.is_main() == [False, True, True]
    assert before.with_opinion([True, False, True]).is_main() == before.is_main()
    assert before.with_opinion([True, False, True]).expected_percent() > before.expected_percent()


# --- the numbers it comes from -----------------------------------------------------------------------------------


def test_trees_were_made_for_these_features() -> None:
    names = " ".join((*BLOCK_FEATURES, "-", *PAGE_FEATURES))
    assert f"{zlib.crc32(names.encode()):08x}" == trees.MADE_FOR
    assert len(trees.type_scores((0,) * len(PAGE_FEATURES))) == len(PAGE_TYPES)


TAGS = st.sampled_from(
    [
        "div",
        "p",
        "ul",
        "li",
        "nav",
        "article",
        "section",
        "h1",
        "h2",
        "table",
        "tr",
        "td",
        "a href=/x",
        "form",
        "b",
        "pre",
    ]
)
CLASSES = st.sampled_from(["", " class=comment-1", " class='post item'", " id=main", " class=footer", " hidden"])
PIECES = st.lists(
    st.one_of(
        st.tuples(TAGS, CLASSES).map(lambda t: f"<{t[0]}{t[1]}>"),
        TAGS.map(lambda t: f"</{t.split()[0]}>"),
        st.text(alphabet="ab ,.中文é1€\n", max_size=40),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(PIECES)
def test_every_visible_block_of_any_page_has_whole_numbers(pieces: list[str]) -> None:
    page = read_html("<title>a b</title>text" + "".join(pieces), URL, 10_000)
    built = page.built
    found = features(built.text, built.blocks, built.layout, page.metadata, URL)
    assert len(found.page) == len(PAGE_FEATURES)
    assert found.visible == [i for i, block in enumerate(built.blocks) if block.hidden is None]
    for row in found.rows:
        assert len(row) == len(BLOCK_FEATURES)
        assert all(isinstance(value, int) for value in row)
        assert isinstance(trees.block_score(row), int)


def test_a_text_that_was_cut_has_numbers_too() -> None:
    page = read_html("<div>" + "".join(f"<p>{sentence(i)}" for i in range(40)), URL, 1_000)
    built = page.built
    assert "text-cut" in built.warnings
    assert len(features(built.text, built.blocks, built.layout, page.metadata, URL).rows) == len(built.blocks)


# --- pages -------------------------------------------------------------------------------------------------------


def test_article_goes_without_menus_comments_and_what_to_read_next() -> None:
    body = "".join(f"<p>{sentence(i)}</p>" for i in range(12))
    more = (
        "<div class=related><h3>Related</h3>"
        + "".join(f"<a href=/r{i}><p>Story {i}</p></a>" for i in range(6))
        + "</div>"
    )
    result = converted(
        f"<title>The light</title>{MENU}<main><article><h1>The light</h1>{body}</article></main>{more}{FOOT}"
    )
    found = labels(result)
    assert found["The light"] is None
    assert all(found[sentence(i)] is None for i in range(12))
    assert all(found[f"Section number {i}"] is not None for i in range(15))
    assert all(found[f"Story {i}"] is not None for i in range(6))
    assert (result.labels, result.page_type) == (RULE, "article")


def test_posts_of_a_thread_are_its_main_text() -> None:
    posts = "".join(
        f"<div class=post><div class=author>keeper{i}</div><div class=message><p>{sentence(i)}</p></div></div>"
        for i in range(14)
    )
    result = converted(
        f'<title>Lamps</title><script type=\'application/ld+json\'>{{"@type": "DiscussionForumPosting"}}</script>'
        f"{MENU}<div class=topic><h1>Lamps</h1>{posts}</div>{FOOT}"
    )
    found = labels(result)
    assert all(found[sentence(i)] is None for i in range(14))
    assert found["Section number 3"] is not None
    assert result.page_type == "forum"


@pytest.mark.parametrize("write", [str, lambda text: "".join("灯塔看守人写下天气"[ord(c) % 9] for c in text)])
def test_labels_do_not_lean_on_latin_letters(write: object) -> None:
    def said(text: str) -> str:
        return str(write(text))  # type: ignore[operator]

    body = "".join(f"<p>{said(sentence(i))}，{i}。</p>" for i in range(12))
    result = converted(f"{MENU}<article><h1>{said('The light')}</h1>{body}</article>{FOOT}")
    found = labels(result)
    assert all(label is None for text, label in found.items() if text.endswith("。"))
    assert found["Section number 3"] is not None


def test_pages_too_short_to_tell_and_too_long_to_look_at_keep_the_names_of_their_elements() -> None:
    short = converted("<nav>Menu</nav><p>Closed on Monday.")
    long = converted(MENU + "<p>word" * (BLOCKS_LABELLED_MAX + 1))
    for result in (short, long):
        assert (result.labels, result.page_type) == ("structure", "")
    assert labels(short) == {"Menu": "nav", "Closed on Monday.": None}


def test_a_page_of_nothing_but_links_still_has_a_reading_view() -> None:
    result = converted("".join(f"<div><a href=/{i}>Link with some words number {i}</a></div>" for i in range(30)))
    assert result.main_percent
    assert reading_view(result)


def test_what_is_hidden_stays_out_of_the_choice() -> None:
    body = "".join(f"<p>{sentence(i)}</p>" for i in range(8))
    result = converted(f"<article>{body}<p hidden>{sentence(99)}</p></article>{FOOT}")
    hidden = next(b for b in result.blocks if b.hidden)
    assert result.text[hidden.start : hidden.end] == sentence(99)
    assert sentence(99) not in reading_view(result)


def test_label_keeps_the_name_that_the_structure_gives() -> None:
    result = converted(MENU + "".join(f"<p>{sentence(i)}</p>" for i in range(6)), labels="structure")
    all_out = label(result.blocks, [False] * len(result.blocks))
    assert {block.furniture for block in all_out} == {"nav", "boilerplate"}
    assert all(block.furniture is None for block in label(result.blocks, [True] * len(result.blocks)))


def test_deep_and_wide_pages_are_looked_at_in_one_pass() -> None:
    deep = "<div class=a>text here" * 3_000 + "</div>" * 3_000
    page = read_html(deep, URL, 1_000_000)
    found = main_text(page.built.text, page.built.blocks, page.built.layout, page.metadata, URL)
    assert found is not None
    assert len(found.scores) == len(page.built.blocks)
