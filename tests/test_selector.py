from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.errors import FormatError, UsageError
from searchlog.evidence.passage import Selectors
from searchlog.evidence.selector import Match, anchor, describe, from_json, to_json

TEXT = "The old bridge fell in 1890. " * 3 + "The new bridge opened in 1932. " + "It still stands. " * 3


def spans(text: str) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))).map(
        lambda pair: (min(pair[0], pair[1] - 1), max(pair[0] + 1, pair[1]))
    )


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_described_span_is_anchored_exactly(data: st.DataObject) -> None:
    text = data.draw(st.text(min_size=1, max_size=200))
    start, end = data.draw(spans(text))
    selectors = describe(text, start, end)
    found = anchor(text, selectors)
    assert (found.match, found.start, found.end, found.context_percent) == (Match.EXACT, start, end, 100)


def test_context_is_64_code_points_and_stops_at_the_ends() -> None:
    text = "😀" * 100 + "quote" + "é" * 10
    selectors = describe(text, 100, 105)
    assert (selectors.exact, selectors.prefix, selectors.suffix) == ("quote", "😀" * 64, "é" * 10)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 2), (-1, 2), (0, 9), (8, 9)])
def test_span_outside_of_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(UsageError, match="no span"):
        describe("12345678", start, end)


def test_quote_that_moved_is_found_and_said_to_have_moved() -> None:
    start = TEXT.index("The new")
    selectors = describe(TEXT, start, start + 30)
    found = anchor("Added in front. " + TEXT, selectors)
    assert (found.match, found.start) == (Match.MOVED, start + 16)
    assert found.context_percent == 100


def test_quote_in_several_places_goes_where_its_surroundings_fit() -> None:
    text = "red bridge, blue bridge, green bridge"
    start = text.rindex("bridge")
    found = anchor("white bridge and " + text, describe(text, start, start + 6))
    assert (found.match, found.place_count) == (Match.MOVED, 4)
    assert found.start == start + 17


def test_places_that_fit_equally_well_are_ambiguous() -> None:
    found = anchor("a bridge a bridge", Selectors("bridge", "", "", 50, 56))
    assert (found.match, found.start, found.place_count) == (Match.AMBIGUOUS, 2, 2)


def test_changed_quote_is_absent() -> None:
    selectors = describe(TEXT, 0, 28)
    assert anchor(TEXT.replace("1890", "1891"), selectors).match is Match.ABSENT
    assert anchor(TEXT, Selectors("", "", "", 0, 0)).match is Match.ABSENT


def test_unchanged_quote_with_other_surroundings_stays_exact_with_less_context() -> None:
    found = anchor("xx bridge yy", Selectors("bridge", "aa ", " bb", 3, 9))
    assert (found.match, found.context_percent) == (Match.EXACT, 33)


def test_quote_that_stands_very_often_is_still_decided_in_time() -> None:
    found = anchor("a" * 20_000, Selectors("a", "b", "", 30_000, 30_001))
    assert (found.match, found.place_count) == (Match.AMBIGUOUS, 1000)


def test_json_is_the_web_annotation_form() -> None:
    selectors = describe(TEXT, 4, 14)
    value = to_json(selectors, "https://a.example/")
    assert value["source"] == "https://a.example/"
    assert [part["type"] for part in value["selector"]] == ["TextQuoteSelector", "TextPositionSelector"]
    assert from_json(value) == selectors


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"selector": []},
        {"selector": [{"type": "TextPositionSelector", "start": 1, "end": 2}]},
        {"selector": [{"type": "TextQuoteSelector"}, {"type": "TextPositionSelector", "start": 1, "end": 2}]},
        {
            "selector": [
                {"type": "TextQuoteSelector", "exact": 1},
                {"type": "TextPositionSelector", "start": 1, "end": 2},
            ]
        },
    ],
    ids=["empty", "no-parts", "no-quote", "no-exact", "exact-no-string"],
)
def test_other_json_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(FormatError):
        from_json(value)
