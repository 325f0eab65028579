"""Fusion by reciprocal rank, the comparison key, and the step that accounts for every result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import canon
from searchlog.search.decision import Decision, Step
from searchlog.search.fuse import comparison_key, fuse
from searchlog.search.run import Result, Run, RunOutcome


def run(provider: str, *urls: str) -> Run:
    results = tuple(Result(rank, url, f"{provider} {rank}") for rank, url in enumerate(urls, 1))
    return Run(provider, RunOutcome.OK if results else RunOutcome.EMPTY, results)


A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def test_scores_are_the_sum_of_reciprocal_ranks() -> None:
    candidates, _ = fuse([run("one", A, B), run("two", B, C)])
    assert [(c.rank, c.url, c.score) for c in candidates] == [
        (1, B, "0.032522475"),  # 1/62 + 1/61
        (2, A, "0.016393443"),  # 1/61
        (3, C, "0.016129032"),  # 1/62
    ]
    assert candidates[0].positions == (("one", 2), ("two", 1))


def test_ties_go_to_the_better_rank_then_to_the_earlier_run() -> None:
    candidates, _ = fuse([run("one", A), run("two", B)])
    assert [c.url for c in candidates] == [A, B]
    candidates, _ = fuse([run("two", B), run("one", A)])
    assert [c.url for c in candidates] == [B, A]


def test_a_resource_twice_in_one_run_counts_once() -> None:
    candidates, step = fuse([run("one", A, A + "?utm_source=x", B), run("two", B)])
    assert [c.url for c in candidates] == [B, A]
    assert candidates[1].score == "0.016393443"
    assert candidates[1].positions == (("one", 1), ("one", 2))
    assert step.dropped_count == 2


def test_what_two_texts_of_a_query_find_rises_and_each_run_is_told_by_its_number() -> None:
    first, second = run("one", A, B), replace(run("one", B, C), query_number=2)
    candidates, step = fuse([first, second])
    assert [c.url for c in candidates] == [B, A, C]
    assert candidates[0].positions == (("one", 2), ("one", 1))
    assert [c.query_numbers for c in candidates] == [(1, 2), (), (2,)]
    assert [c.found_by for c in candidates] == [{("one", 1), ("one", 2)}, {("one", 1)}, {("one", 2)}]
    told = [(d.subject, d.kept, d.numbers.get("query_number"), d.numbers["ranks"]) for d in step.decisions]
    assert told == [
        (B, True, 2, "one:2 one#2:1"),
        (B, False, None, "one:2 one#2:1"),
        (A, True, None, "one:1"),
        (C, True, 2, "one#2:2"),
    ]


def test_a_text_of_a_page_knows_which_run_gave_it() -> None:
    first = run("one", A)
    result = replace(first.results[0], text="the page")
    (candidate,), _ = fuse([first, replace(first, results=(result,), query_number=2)])
    assert (candidate.text, candidate.text_provider, candidate.text_query) == ("the page", "one", 2)


def test_the_url_shown_is_the_original_of_the_best_ranked_result() -> None:
    candidates, _ = fuse([run("one", D, "http://a.example/?gclid=1"), run("two", A)])
    merged = next(c for c in candidates if c.key == "//a.example/")
    assert merged.url == A
    assert merged.other_urls == ("http://a.example/?gclid=1",)


def test_empty_fields_are_filled_from_the_next_best_result() -> None:
    best = Run("one", RunOutcome.OK, (Result(1, A, "", "", extra={"engines": "e"}),))
    other = Run("two", RunOutcome.OK, (Result(1, A, "T", "S", published="2026", extra={"engines": "f", "age": "1"}),))
    (candidate,), _ = fuse([best, other])
    assert (candidate.title, candidate.snippet, candidate.published) == ("T", "S", "2026")
    assert candidate.extra == {"engines": "e", "age": "1"}


def test_each_merge_is_a_decision_with_all_its_ranks() -> None:
    _, step = fuse([run("one", B, A), run("two", A, B)])
    merged = [decision for decision in step.decisions if not decision.kept]
    assert [(d.subject, d.reason, d.numbers["into"], d.numbers["ranks"]) for d in merged] == [
        (B, "merged-into", B, "one:1 two:2"),
        (A, "merged-into", A, "one:2 two:1"),
    ]
    assert (step.in_count, step.kept_count, step.dropped_count) == (4, 2, 2)


def test_no_runs_and_empty_runs_give_no_candidates() -> None:
    assert fuse([])[0] == ()
    candidates, step = fuse([run("one")])
    assert (candidates, step.in_count) == ((), 0)


@pytest.mark.parametrize(
    "other",
    [
        "http://a.example/p?q=1#f",
        "HTTPS://A.Example:443/p?q=1#f",
        "http://a.example:80/p?q=1#f",
        "https://a.example./p?q=1#f",
        "https://a.example/p?utm_source=x&q=1&UTM_Medium=y#f",
        "https://a.example/p?q=1&gclid=1&fbclid=2&msclkid=3&mc_eid=4#f",
        "https://a.example/%70?q=1#f",
    ],
)
def test_these_are_the_same_resource(other: str) -> None:
    assert comparison_key(other) == comparison_key("https://a.example/p?q=1#f")


@pytest.mark.parametrize(
    "other",
    [
        "https://www.a.example/p?q=1&r=2#f",
        "https://a.example/p/?q=1&r=2#f",
        "https://a.example/P?q=1&r=2#f",
        "https://a.example/p?r=2&q=1#f",
        "https://a.example/p?q=1&q=1&r=2#f",
        "https://a.example/p?q=1&r=2",
        "https://a.example/p?q=1&r=2#g",
        "https://a.example/p?q=1&r=2&ref=x#f",
        "https://a.example/p?q=1&r=2&source=x#f",
        "https://a.example:8443/p?q=1&r=2#f",
        "https://a.example/p?q=1&r=2%26#f",
        "https://me@a.example/p?q=1&r=2#f",
        "ftp://a.example/p?q=1&r=2#f",
    ],
)
def test_these_are_different_resources(other: str) -> None:
    assert comparison_key(other) != comparison_key("https://a.example/p?q=1&r=2#f")


def test_percent_escapes_compare_by_meaning_and_never_by_too_much() -> None:
    assert comparison_key("https://a.example/%e6%bd%ae") == comparison_key("https://a.example/%E6%BD%AE")
    assert comparison_key("https://a.example/a%2Fb") != comparison_key("https://a.example/a/b")
    assert comparison_key("https://münchen.example/") == comparison_key("https://xn--mnchen-3ya.example/")


@pytest.mark.parametrize("url", ["", "http://[::1", "http://a:99999/", "//x/y", "javascript:1", "\x00", "http://:80/"])
def test_a_url_that_cannot_be_read_is_its_own_key(url: str) -> None:
    assert comparison_key(url) == url


_URLS = (
    st.sampled_from([A, B, C, D, A + "?utm_source=x", "http://b.example", "javascript:x", "", "http://[::1"])
    | st.text()
)
_RUNS = st.lists(
    st.builds(lambda name, urls: run(name, *urls), st.sampled_from("pqr"), st.lists(_URLS, max_size=8)), max_size=4
)


@settings(max_examples=150, deadline=None)
@given(runs=_RUNS)
def test_every_result_is_kept_or_merged_and_the_order_is_fixed(runs: list[Run]) -> None:
    candidates, step = fuse(runs)
    assert step.in_count == sum(len(one.results) for one in runs) == len(step.decisions)
    assert step.kept_count == len(candidates) == len({c.key for c in candidates})
    assert [c.rank for c in candidates] == list(range(1, len(candidates) + 1))
    assert sorted(p for c in candidates for p in c.positions) == sorted(
        (o.provider, r.rank) for o in runs for r in o.results
    )
    assert fuse(runs) == (candidates, step)


@settings(max_examples=80, deadline=None)
@given(runs=_RUNS, data=st.data())
def test_the_order_of_the_runs_changes_no_score(runs: list[Run], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(runs))
    assert {c.key: c.score for c in fuse(runs)[0]} == {c.key: c.score for c in fuse(shuffled)[0]}


@settings(max_examples=200, deadline=None)
@given(url=st.text() | st.from_regex(r"https?://[a-z.:@0-9]{1,12}/[a-z0-9?&=#]{0,20}", fullmatch=True))
def test_the_key_of_a_key_is_the_key(url: str) -> None:
    key = comparison_key(url)
    assert key == url or comparison_key("https:" + key) == key


def test_decisions_fit_a_record() -> None:
    _, step = fuse([run("one", A, B), run("two", A)])
    for decision in step.decisions:
        canon.dumps(decision.numbers)


def test_a_step_whose_sums_do_not_hold_is_our_own_bug() -> None:
    dropped = Decision("s", "x", False, "limit")
    Step("s", "r", 2, 1, 1, (dropped,))
    for counts, decisions in [
        ((3, 1, 1), (dropped,)),
        ((2, 1, 1), ()),
        ((2, 2, 0), (dropped,)),
        ((1, 0, 1), (dropped, Decision("s", "y", True, "kept"))),
        ((2, 1, 1), (Decision("t", "x", False, "limit"),)),
    ]:
        with pytest.raises(AssertionError):
            Step("s", "r", *counts, decisions)
