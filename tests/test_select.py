from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.digest import text_digest
from searchlog.errors import UsageError
from searchlog.evidence.build import build_evidence, key
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import passages
from searchlog.evidence.select import Policy, Selection, select, subject
from searchlog.extract.conversion import Block, Conversion, Metadata
from searchlog.tokens import token_count

AT = "2026-01-02T03:04:05.000000Z"


def plain(source: int, text: str) -> list[Passage]:
    """The passages of a text that has no blocks."""
    return passages(source, Conversion(text, (), Metadata(), "test/1"))


def source(text: str, number: int = 0, **fields: str) -> Source:
    values = {"url": f"https://site{number}.example/page", "title": "", "payload_digest": "", **fields}
    return Source(text=text, text_digest=text_digest(text), captured_at=AT, **values)


def corpus(*texts: str) -> tuple[list[Source], list[Passage]]:
    sources = [source(text, i) for i, text in enumerate(texts)]
    return sources, [p for i, text in enumerate(texts) for p in plain(i, text)]


def chosen_texts(selection: Selection, sources: list[Source]) -> list[str]:
    return [sources[c.passage.source].text[c.passage.start : c.passage.end] for c in selection.chosen]


def reasons(selection: Selection) -> dict[str, str]:
    return {d.subject: d.reason for step in selection.steps for d in step.decisions if not d.kept}


def story(topic: str, count: int = 40) -> str:
    """Paragraphs of different words, each a passage of its own."""
    return "\n\n".join(f"{topic} {i} " + " ".join(f"{topic}{i}word{j}" for j in range(20)) + "." for i in range(count))


def test_answer_is_chosen_and_the_rest_is_accounted_for() -> None:
    sources, cut = corpus(story("weather", 5) + "\n\nThe bridge opened in 1932.", story("harbour", 5))
    selection = select("when did the bridge open", sources, cut)
    assert "The bridge opened in 1932." in chosen_texts(selection, sources)[0]
    assert [step.name for step in selection.steps] == ["sources", "visible", "match", "rank", "distinct", "budget"]
    assert set(reasons(selection).values()) == {"no-match"}


def test_each_step_takes_in_what_the_one_before_kept() -> None:
    sources, cut = corpus(*(story(f"bridge{i}") for i in range(4)), story("bridge0"))
    selection = select("bridge0 bridge1 bridge2", sources, cut, Policy(budget_tokens=600))
    _, visible, *rest = selection.steps
    before = visible
    for step in rest:
        assert step.in_count == before.kept_count
        before = step
    assert before.kept_count == len(selection.chosen)


def test_budget_is_kept_and_what_does_not_fit_says_so() -> None:
    sources, cut = corpus(story("bridge"))
    selection = select("bridge", sources, cut, Policy(budget_tokens=500))
    assert 300 < selection.token_count <= 500
    assert "over-budget" in reasons(selection).values()


def test_smaller_passage_fills_what_a_larger_one_leaves() -> None:
    texts = ["bridge " * 30, "bridge and water " * 14, "bridge town"]
    sources, cut = corpus(*texts)
    limit = token_count(texts[0]) + 6
    selection = select("bridge", sources, cut, Policy(budget_tokens=limit))
    assert len(selection.chosen) == 2


def test_room_that_a_good_passage_left_is_not_filled_with_a_poor_one() -> None:
    long = [f"The bridge over the river {i} opened to carts " + "and stood for years " * 12 for i in range(3)]
    sources, cut = corpus(*long, "bridge river opened, a short word", "Photo: bridge")
    limit = sum(token_count(text.strip()) for text in long[:2]) + 20
    taken = {
        percent: chosen_texts(
            select(
                "bridge river opened carts years", sources, cut, Policy(budget_tokens=limit, filler_percent=percent)
            ),
            sources,
        )
        for percent in (0, 50)
    }
    assert "Photo: bridge" in taken[0]
    assert "Photo: bridge" not in taken[50]
    assert taken[50] == [text for text in taken[0] if text != "Photo: bridge"]


def test_first_passage_is_handed_over_even_if_it_is_over_the_budget() -> None:
    sources, cut = corpus("The bridge opened in the spring of 1932 after long years.")
    selection = select("bridge", sources, cut, Policy(budget_tokens=5))
    assert len(selection.chosen) == 1
    assert selection.steps[-1].decisions[0].reason == "first-over-budget"


def test_count_of_passages_is_limited() -> None:
    sources, cut = corpus(story("bridge"))
    selection = select("bridge", sources, cut, Policy(passages_max=3))
    assert len(selection.chosen) == 3
    assert "below-rank" in reasons(selection).values()


def test_window_drops_what_ranks_below_it() -> None:
    sources, cut = corpus(story("bridge"))
    selection = select("bridge", sources, cut, Policy(window=4))
    assert selection.steps[3].kept_count == 4
    assert {d.numbers["limit"] for d in selection.steps[3].decisions} == {4}


def test_same_text_twice_keeps_the_first_page_and_names_it() -> None:
    sources, cut = corpus(story("bridge", 3), story("bridge", 3))
    selection = select("bridge", sources, cut)
    (decision,) = selection.steps[0].decisions
    assert (decision.subject, decision.reason) == (sources[1].url, "duplicate-text")
    assert decision.numbers["kept_url"] == sources[0].url
    assert {c.passage.source for c in selection.chosen} == {0}


def test_same_payload_twice_is_one_source() -> None:
    texts = [story("bridge", 3), story("bridge", 4)]
    sources = [source(text, i, payload_digest=text_digest("payload")) for i, text in enumerate(texts)]
    cut = [p for i, text in enumerate(texts) for p in plain(i, text)]
    assert [d.reason for d in select("bridge", sources, cut).steps[0].decisions] == ["duplicate-payload"]


def test_page_that_differs_in_a_few_words_is_a_near_duplicate() -> None:
    text = story("bridge", 6)
    sources, cut = corpus(text, text.replace("bridge3word5", "changed"), story("harbour", 6))
    (decision,) = select("bridge", sources, cut).steps[0].decisions
    assert decision.reason == "near-duplicate-page"
    assert int(decision.numbers["percent"]) >= 80
    assert decision.numbers["kept_source"] == 0


def test_page_is_kept_rather_than_a_snippet_of_the_same_text() -> None:
    text = "The bridge opened in 1932."
    sources = [source(text, 0, kind="snippet"), source(text, 1)]
    cut = [*plain(0, text), *plain(1, text)]
    selection = select("bridge", sources, cut)
    assert [c.passage.source for c in selection.chosen] == [1]


def test_page_without_text_is_said_to_have_none() -> None:
    sources, cut = corpus("The bridge.", "  ")
    assert [d.reason for d in select("bridge", sources, cut).steps[0].decisions] == ["no-text"]


def test_repeated_paragraph_of_another_page_is_dropped_and_names_the_better_one() -> None:
    shared = "The bridge was opened in the spring of that year by the mayor of the old town."
    others = [story("weather", 4), story("harbour", 9)]
    sources = [source(f"{shared}\n\n{other}", i) for i, other in enumerate(others)]
    size = len(shared)
    cut = [Passage(i, a, b) for i, s in enumerate(sources) for a, b in [(0, size), (size + 2, len(s.text))]]
    selection = select("bridge mayor", sources, cut)
    decision = next(d for d in selection.steps[4].decisions)
    assert decision.reason == "near-duplicate"
    assert decision.numbers["of"] == subject(selection.chosen[0].passage)


def test_paragraph_with_another_number_is_no_duplicate() -> None:
    """Two sources that disagree on a figure must both reach the reader."""
    one = "The bridge was opened by the mayor of the old town, and 12 people were hurt in the crowd that day."
    sources, cut = corpus(one, one.replace("12", "15") + " " + story("weather", 1))
    cut = [cut[0], Passage(1, 0, len(one))]
    assert len(select("bridge mayor", sources, cut).chosen) == 2


def test_hidden_passages_leave_unless_asked_for() -> None:
    text = "bridge seen\nbridge secret"
    blocks = (Block("paragraph", 0, 11), Block("paragraph", 12, 25, hidden="style"))
    cut = passages(0, Conversion(text, blocks, Metadata(), "test/1"))
    sources = [source(text)]
    selection = select("bridge", sources, cut)
    assert chosen_texts(selection, sources) == ["bridge seen"]
    assert selection.steps[1].decisions[0].numbers == {"why": "style"}
    with_hidden = select("bridge", sources, cut, Policy(include_hidden=True))
    assert sorted(chosen_texts(with_hidden, sources)) == ["bridge secret", "bridge seen"]
    flags = [e.flags for e in build_evidence(with_hidden, sources, 1)]
    assert ("hidden:style",) in flags


def test_page_that_is_hidden_altogether_gives_nothing() -> None:
    cut = [Passage(0, 0, 6, labels=("hidden:style",))]
    assert select("bridge", [source("bridge")], cut).chosen == ()


def test_second_host_keeps_a_place_when_one_page_has_all_the_best() -> None:
    strong = story("bridge", 60).replace("word", " bridge ")
    sources, cut = corpus(strong, "Far away somebody mentions a bridge in passing, among many other things.")
    selection = select("bridge", sources, cut, Policy(budget_tokens=1000, window=500))
    assert {c.passage.source for c in selection.chosen} == {0, 1}


def test_second_host_keeps_a_place_when_one_page_fills_the_window() -> None:
    strong = story("bridge", 60).replace("word", " bridge ")
    sources, cut = corpus(strong, "Far away somebody mentions a bridge in passing, among many other things.")
    selection = select("bridge", sources, cut, Policy(window=20))
    assert {c.passage.source for c in selection.chosen} == {0, 1}
    assert selection.steps[3].kept_count == 21


def test_small_budget_is_not_spent_on_a_line_of_a_second_host() -> None:
    """A tenth of 250 tokens holds a menu entry, and the answer's own page lost a passage for it."""
    strong = story("bridge", 60).replace("word", " harbour ")
    sources, cut = corpus(strong, "A bridge stands far from here.")
    without = Policy(budget_tokens=250, window=500, guest_percent=0)
    assert select("bridge harbour", sources, cut, replace(without, guest_percent=10)).chosen == (
        select("bridge harbour", sources, cut, without).chosen
    )


def test_pages_of_one_host_are_not_two_independent_sources() -> None:
    strong = story("bridge", 60).replace("word", " bridge ")
    texts = [strong, "A bridge is mentioned here too.", "A bridge, mentioned by somebody else entirely."]
    urls = ["https://www.a.example/1", "https://a.example/2", "https://b.example/"]
    sources = [source(text, url=url) for text, url in zip(texts, urls, strict=True)]
    cut = [p for i, text in enumerate(texts) for p in plain(i, text)]
    selection = select("bridge", sources, cut, Policy(budget_tokens=1000, window=500))
    assert 2 in {c.passage.source for c in selection.chosen}


def test_source_over_its_share_waits_for_the_others() -> None:
    strong = story("bridge", 30).replace("word", " bridge ")
    sources, cut = corpus(strong, story("bridge and harbour", 30))
    selection = select("bridge", sources, cut, Policy(budget_tokens=1000, source_percent=50, window=500))
    by_source = [sum(c.tokens for c in selection.chosen if c.passage.source == i) for i in (0, 1)]
    assert by_source[1] > 300
    assert "source-cap" in reasons(selection).values()


def test_single_source_may_use_the_whole_budget() -> None:
    sources, cut = corpus(story("bridge"))
    selection = select("bridge", sources, cut, Policy(budget_tokens=1000, source_percent=50))
    assert selection.token_count > 800


def test_query_in_another_language_gets_the_leading_passages_and_says_so() -> None:
    sources, cut = corpus(story("weather", 6), story("harbour", 6))
    selection = select("大桥何时开放", sources, cut, Policy(budget_tokens=400))
    assert selection.fallback
    assert [c.passage.source for c in selection.chosen][:2] == [0, 1]
    assert selection.chosen[0].passage.start == 0
    match = selection.steps[2]
    assert match.rule.startswith("lead/1")
    assert match.decisions[0].reason == "leading-passage"
    assert match.decisions[0].kept


def test_leading_passages_are_main_text_before_furniture() -> None:
    cut = [Passage(0, 0, 4, labels=("furniture:nav",)), Passage(0, 5, 14)]
    selection = select("大桥", [source("Home main text")], cut)
    assert [c.passage.start for c in selection.chosen] == [5, 0]


def test_nothing_in_gives_nothing_out() -> None:
    selection = select("bridge", [], [])
    assert selection.chosen == ()
    assert all(step.in_count == 0 for step in selection.steps)


def test_evidence_is_a_slice_with_digest_and_selectors() -> None:
    sources, cut = corpus(story("bridge", 3))
    for item in build_evidence(select("bridge", sources, cut), sources, 1):
        assert item.text == sources[0].text[item.passage.start : item.passage.end]
        assert item.digest == text_digest(item.text)
        assert item.tokens == token_count(item.text)
        assert item.link.startswith("https://site0.example/page#:~:text=")


def test_ids_go_on_counting_and_known_passages_keep_theirs() -> None:
    sources, cut = corpus(story("bridge", 3), story("harbour bridge", 3))
    first = build_evidence(select("harbour", sources, cut, Policy(passages_max=2)), sources, 1)
    assert [e.id for e in first] == ["e1", "e2"]
    known = {key(e): e.id for e in first}
    second = build_evidence(select("harbour bridge", sources, cut), sources, 3, known)
    assert {e.id for e in first} < {e.id for e in second}
    assert len({e.id for e in second}) == len(second)
    assert sorted(int(e.id[1:]) for e in second) == list(range(1, len(second) + 1))


def test_heading_path_is_text() -> None:
    text = "Old  bridges\nIt opened in 1932."
    cut = [Passage(0, 13, len(text), headings=((0, 12),))]
    (item,) = build_evidence(select("opened", [source(text)], cut), [source(text)], 7)
    assert (item.id, item.heading_path) == ("e7", ("Old bridges",))


def test_snippet_links_to_the_page_without_a_highlight() -> None:
    snippet = source("A bridge opened.", kind="snippet")
    (item,) = build_evidence(select("bridge", [snippet], plain(0, snippet.text)), [snippet], 1)
    assert item.link == snippet.url


PIECES = ["the bridge opened in 1932", "water and stone", "大桥开放", "x", "nav home", "more words about bridges here"]
PAGES = st.lists(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from([None, "style"])), max_size=6), max_size=5)


@given(
    PAGES,
    st.sampled_from(["bridge", "大桥", "absent", "", "stone 1932"]),
    st.integers(0, 60),
    st.integers(0, 5),
    st.sampled_from([0, 50, 90, 100]),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_sums_hold_and_visible_text_gives_evidence(
    pages: list[list[tuple[str, str | None]]], query: str, budget: int, most: int, share: int, hidden: bool
) -> None:
    sources, cut = [], []
    for i, page in enumerate(pages):
        text, blocks = "", []
        for words, why in page:
            blocks.append(Block("paragraph", len(text), len(text) + len(words), hidden=why))
            text += words + "\n"
        sources.append(source(text, i))
        cut += passages(i, Conversion(text, tuple(blocks), Metadata(), "test/1"))
    policy = Policy(budget_tokens=budget, passages_max=most, source_percent=share, include_hidden=hidden, window=4)
    selection = select(query, sources, cut, policy)
    assert selection == select(query, list(sources), list(cut), policy)
    for before, after in zip(selection.steps[1:], selection.steps[2:], strict=False):
        assert after.in_count == before.kept_count
    assert selection.steps[-1].kept_count == len(selection.chosen)
    assert len(selection.chosen) <= most
    assert selection.token_count <= budget or len(selection.chosen) == 1
    assert len({subject(c.passage) for c in selection.chosen}) == len(selection.chosen)
    visible = [p for p in cut if hidden or not any(x.startswith("hidden") for x in p.labels)]
    dropped = {d.numbers["source"] for d in selection.steps[0].decisions}
    if most and any(p.source not in dropped for p in visible):
        assert selection.chosen


@pytest.mark.parametrize("field", ["budget_tokens", "window", "passages_max", "near_duplicate_percent"])
def test_rules_of_the_steps_name_the_options(field: str) -> None:
    value = 77
    sources, cut = corpus(story("bridge", 2))
    selection = select("bridge", sources, cut, replace(Policy(), **{field: value}))
    assert any(str(value) in step.rule for step in selection.steps)


def test_several_queries_are_answered_in_one_call() -> None:
    sources, cut = corpus(story("weather", 4), "The bridge opened in 1932.", story("harbour", 4))
    both = select(["when did the bridge open", "weather0word3", "nonsense"], sources, cut)
    texts = chosen_texts(both, sources)
    assert any("1932" in text for text in texts)
    assert any("weather0word3" in text for text in texts)
    assert both.query_texts == ("when did the bridge open", "weather0word3", "nonsense")
    assert "no-match" in reasons(both).values()


def test_one_query_in_a_sequence_is_that_query() -> None:
    sources, cut = corpus(story("bridge", 9), story("harbour bridge", 9))
    assert select(["bridge"], sources, cut) == select("bridge", sources, cut)
    assert select(["bridge", "bridge"], sources, cut) == select("bridge", sources, cut)


class Prefers:
    """A scorer that likes texts with one word in them."""

    name = "prefers/1"

    def __init__(self, word: str, scale: float = 1.0) -> None:
        self.word, self.scale = word, scale

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [self.scale * (self.word in text) + 0.0001 for text in texts]


def test_scorer_lifts_what_it_prefers_and_is_named_in_the_rule() -> None:
    sources, cut = corpus(story("bridge", 9))
    plainly = select("bridge", sources, cut)
    mixed = select("bridge", sources, cut, scorer=Prefers("bridge7word1"))
    assert "bridge7word1" in chosen_texts(mixed, sources)[0]
    assert "bridge7word1" not in chosen_texts(plainly, sources)[0]
    assert mixed.steps[3].rule == plainly.steps[3].rule + " scorer=prefers/1 first=60 share=50%"
    assert [c.rank for c in mixed.chosen] == sorted(c.rank for c in mixed.chosen)


def test_what_a_scorer_does_not_see_stays_below_what_it_sees() -> None:
    sources, cut = corpus(story("bridge", 40))
    plainly = select("bridge", sources, cut)
    last = chosen_texts(plainly, sources)[-1].split()[-1]
    mixed = select("bridge", sources, cut, Policy(scorer_first=3), scorer=Prefers(last))
    assert [c.passage for c in mixed.chosen] == [c.passage for c in plainly.chosen]


def test_scores_of_a_scorer_that_are_no_share_are_bounded() -> None:
    sources, cut = corpus(story("bridge", 9))
    plainly = [c.passage for c in select("bridge", sources, cut).chosen]
    for scale in (float("nan"), float("-inf"), -2.0):
        odd = select("bridge", sources, cut, scorer=Prefers("bridge7word1", scale))
        assert [c.passage for c in odd.chosen] == plainly


def test_scorer_with_too_few_scores_is_refused() -> None:
    class Short(Prefers):
        def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
            return [0.5]

    sources, cut = corpus(story("bridge", 9))
    with pytest.raises(UsageError, match="prefers/1 gave 1 scores"):
        select("bridge", sources, cut, scorer=Short("x"))
