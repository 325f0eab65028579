from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import tokens
from searchlog.digest import text_digest
from searchlog.evidence import rank
from searchlog.evidence.lexicon import Lexicon
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import Sizes, passages
from searchlog.extract.conversion import Block, Conversion, Metadata


def source(text: str, title: str = "", number: int = 0) -> Source:
    url = f"https://site{number}.example/"
    return Source(url, title, text, text_digest(text), "", "2026-01-02T03:04:05.000000Z")


def lines(*pages: list[str], titles: tuple[str, ...] = ()) -> tuple[list[Source], list[Passage]]:
    """One source a list, one passage a line."""
    sources, out = [], []
    for i, page in enumerate(pages):
        text = "\n".join(page)
        sources.append(source(text, titles[i] if i < len(titles) else "", i))
        at = 0
        for line in page:
            out.append(Passage(i, at, at + len(line)))
            at += len(line) + 1
    return sources, out


def best(query: str, *pages: list[str]) -> str:
    sources, cut = lines(*pages)
    first = cut[rank.order(rank.score(query, sources, cut), cut)[0]]
    return sources[first.source].text[first.start : first.end]


FILLER = ["nothing to see", "some other words", "more of the same", "still other text", "and so it goes on"]


@pytest.mark.parametrize(
    ("query", "answer", "others"),
    [
        ("when did the bridge open", "The bridge was opened in 1932.", FILLER),
        ("когда открыли мосты", "Мост открыт в 1932 году.", ["Город стоит на реке.", "Погода сегодня хорошая."]),
        ("大桥何时开放", "大桥于一九三二年开放。", ["今天天气很好。", "城市位于河边。"]),
        ("橋はいつ開通したか", "その橋は一九三二年に開通した。", ["今日は天気がいい。", "町は川のそばにある。"]),
        ("متى افتتح الجسر", "افتتح الجسر عام 1932.", ["الطقس جميل اليوم.", "تقع المدينة على النهر."]),
        ("पुल कब खुला", "पुल 1932 में खुला।", ["आज मौसम अच्छा है।", "शहर नदी पर है।"]),
        ("다리는 언제 개통되었나", "다리는 1932년에 개통되었다.", ["오늘 날씨가 좋다.", "도시는 강가에 있다."]),
        ("สะพานเปิดเมื่อไร", "สะพานเปิดในปี 1932", ["วันนี้อากาศดี", "เมืองอยู่ริมแม่น้ำ"]),
    ],
    ids=["english", "russian", "chinese", "japanese", "arabic", "hindi", "korean", "thai"],
)
def test_passage_that_holds_the_words_comes_first(query: str, answer: str, others: list[str]) -> None:
    assert best(query, [*others[:1], answer, *others[1:]]) == answer


def test_word_beginnings_match_other_endings() -> None:
    assert best("install extensions", [*FILLER, "Installing an extension takes a minute.", *FILLER]).startswith(
        "Installing"
    )


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("جسر", "الجسر"),
        ("الجسر", "بالجسر"),
        ("الجسر", "للجسر"),
        ("الجسر", "والجسر"),
        ("كتاب", "وكتاب"),
        ("مدينة", "المدينه"),
        ("أحمد", "احمد"),
        ("مرحبا", "مَرْحَبًا"),
        ("سلام", "ســـلام"),
    ],
    ids=ascii,
)
def test_arabic_words_match_whatever_is_written_to_their_front(query: str, word: str) -> None:
    sources, cut = lines(["شيء آخر هنا", f"نص فيه {word}"])
    scores = rank.score(query, sources, cut)
    assert scores[1] > scores[0]


def test_arabic_article_alone_is_no_match() -> None:
    assert rank.query_terms("الجسر ولد الى")[:2] == ("جسر", "ولد")
    sources, cut = lines(["العرب", "القمر"])
    assert rank.score("الجسر", sources, cut) == [0.0, 0.0]


def test_short_words_match_whole_words_only() -> None:
    sources, cut = lines(["catalogue entry", "category list"])
    assert rank.score("cat", sources, cut) == [0.0, 0.0]


def test_stop_words_do_not_decide_unless_the_query_has_no_others() -> None:
    assert rank.query_terms("what is the bridge") == ("bridg",)
    assert rank.query_terms("to be or not to be") == ("to", "be", "or", "not")
    assert rank.query_terms("war in may") == ("war", "may")


def test_neighbour_of_a_hit_scores_above_a_stranger() -> None:
    sources, cut = lines(
        ["a stranger here", "quite far away", "The bridge opened", "It was in spring", "far off again"]
    )
    scores = rank.score("bridge", sources, cut)
    assert scores[2] > scores[3] > scores[0]
    assert scores[1] == scores[3]


def test_neighbour_on_another_page_lends_nothing() -> None:
    sources, cut = lines(["The bridge opened"], ["first line here", "second line here"])
    assert rank.score("bridge", sources, cut)[1:] == [0.0, 0.0]


def test_title_lifts_a_page() -> None:
    page = ["It opened in spring.", "Nothing else."]
    sources, cut = lines(page, list(page), titles=("Weather", "Bridges of Prague"))
    scores = rank.score("bridge opened", sources, cut)
    assert scores[2] > scores[0]


def test_nothing_of_the_query_scores_zero() -> None:
    sources, cut = lines(FILLER)
    assert set(rank.score("quaternion", sources, cut)) == {0.0}
    assert set(rank.score("?!", sources, cut)) == {0.0}
    assert rank.score("words", [], []) == []


def test_furniture_weighs_less_but_stays() -> None:
    text = "bridge news\nbridge news"
    cut = [Passage(0, 0, 11, labels=("furniture:nav",)), Passage(0, 12, 23)]
    weights = rank.Weights(near=0.0, furniture=0.8)
    scores = rank.score("bridge", [source(text)], cut, weights)
    assert 0 < scores[0] < scores[1]


def test_headings_above_count_when_asked() -> None:
    text = "Bridges\nIt opened in spring.\nIt opened in autumn."
    cut = [Passage(0, 0, 7, own_headings=((0, 7),)), Passage(0, 8, 28, headings=((0, 7),)), Passage(0, 29, 49)]
    weights = rank.Weights(near=0.0, heading=0.5)
    _, first, second = rank.score("bridge opened", [source(text)], cut, weights)
    assert first > second
    assert len(set(rank.score("bridge opened", [source(text)], cut, rank.Weights(near=0.0, heading=0.0))[1:])) == 1


def test_heading_that_is_the_query_beats_one_that_only_holds_its_words() -> None:
    lines = ["List of slices and other objects", "Something of a slice.", "Slice", "An object that holds a part."]
    text = "\n".join(lines)
    blocks, at = [], 0
    for kind, line in zip(["heading", "paragraph"] * 2, lines, strict=True):
        blocks.append(Block(kind, at, at + len(line), level=2 if kind == "heading" else 0))
        at += len(line) + 1
    cut = passages(0, Conversion(text, tuple(blocks), Metadata(), "test/1"), Sizes(enough=4, heading=1))
    first, second = rank.score("what is a slice", [source(text)], cut)
    assert second > first + 0.5


def test_words_that_follow_each_other_in_the_query_count_together() -> None:
    sources, cut = lines(["other text", "list stone comprehension", *FILLER, "stone list comprehension", "other text"])
    scores = rank.score("what is a list comprehension", sources, cut)
    assert scores[-2] > scores[1]


def test_what_follows_within_three_passages_counts_where_there_is_much_to_choose_from() -> None:
    page = [f"line {i} of many others" for i in range(100)]
    page[50] = "the bridge opened"
    sources, cut = lines(page)
    scores = rank.score("bridge", sources, cut)
    assert scores[50] > scores[49] > scores[48] > scores[47] > scores[46] == scores[52] > scores[60]
    few = rank.score("bridge", sources, cut[40:60])
    assert few[8] == few[7] == few[0]


def test_of_several_queries_each_best_passage_counts_one() -> None:
    sources, cut = lines(["The bridge opened in 1932", *FILLER, "A long tunnel under the old harbour", *FILLER])
    scores = rank.score(["bridge", "how long is the tunnel under the harbour", "quaternion"], sources, cut)
    assert [i for i, s in enumerate(scores) if s == 1.0] == [0, 6]
    assert rank.score(["quaternion"], sources, cut) == rank.score([], sources, cut) == [0.0] * len(cut)


def test_equal_scores_are_ordered_by_source_and_position() -> None:
    sources, cut = lines(["bridge", "bridge"], ["bridge", "bridge"])
    assert rank.order([0.5, 0.5, 0.5, 0.5], list(reversed(cut))) == [3, 2, 1, 0]
    assert rank.order(rank.score("bridge", sources, cut), cut) == [0, 1, 2, 3]


WORDS = st.lists(
    st.sampled_from(["bridge", "open", "spring", "大桥开放", "мост", "and", "1932"]), min_size=1, max_size=8
)
PAGES = st.lists(st.lists(WORDS.map(" ".join), min_size=1, max_size=6), min_size=1, max_size=4)


@given(WORDS.map(" ".join), PAGES)
@settings(max_examples=100, deadline=None)
def test_scores_are_repeatable_rounded_and_not_negative(query: str, pages: list[list[str]]) -> None:
    sources, cut = lines(*pages)
    scores = rank.score(query, sources, cut)
    assert scores == rank.score(query, sources, cut)
    assert all(s >= 0 and s == round(s, 6) for s in scores)


@given(WORDS.map(" ".join), PAGES)
@settings(max_examples=60, deadline=None)
def test_a_page_that_shares_no_word_changes_no_order(query: str, pages: list[list[str]]) -> None:
    sources, cut = lines(*pages)
    text = "zzz yyy xxx"
    more = [*sources, source(text, number=9)]
    after = [*cut, Passage(len(sources), 0, len(text))]
    assert rank.score(query, more, after)[-1] == 0.0


def test_score_from_a_conversion_with_blocks() -> None:
    text = "Bridges\n" + "It opened in the spring of 1932. " * 3
    blocks = (Block("heading", 0, 7, level=1), Block("paragraph", 8, len(text)))
    cut = passages(0, Conversion(text, blocks, Metadata(), "test/1"))
    # own and page score as before, and a heading that is the query: it is at the beginning, and it is named
    assert rank.score("bridges", [source(text)], cut) == [1.0 + 0.35 + 0.3 + 1.2]


MARKS = (
    "\u00a0\u00a7\u00a9\u00ab\u00ae\u00b0\u00b6\u00b7\u00bb\u00d7\u200b\u2013\u2014\u2018\u2019\u201c\u201d"
    "\u2022\u2026\u20ac\u2190\u2192\u2212\u2713"
)


@settings(deadline=None)
@given(
    st.text(alphabet=MARKS + "abZ09_-'. \t\n%é中\ufb01\u0301\u0338", max_size=20),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_words_of_a_passage_are_those_of_its_text_whatever_marks_stand_in_it(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    lexicon = Lexicon([source(text)])
    assert lexicon.words(Passage(0, 0, len(text))) == tokens.words(text)
    assert lexicon.words_at(0, start, end) == tokens.words(text[start:end])
