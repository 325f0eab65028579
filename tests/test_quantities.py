"""What quantities a text has: one value however it is written, every reading of what can be read in two ways."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog.wording.calendar import Day
from searchlog.wording.quantities import Quantity, quantities
from searchlog.wording.units import converted


def only(text: str) -> Quantity:
    (one,) = quantities(text)
    return one


@pytest.mark.parametrize(
    "text",
    [
        "3,500,000",
        "3.5 million",
        "3.5 mn",
        "350万",
        "三百五十万",
        "3 500 000",
        "35,00,000",
        "３５０万",
        "35 lakh",
        "3.500.000",
        "3,5 Millionen",
        "3,5 млн",
        "three million five hundred thousand",
        "3.5 × 10^6",
        "3.5e6",
        "٣٥٠٠٠٠٠",
        "३५ लाख",
    ],
)
def test_one_number_however_it_is_written(text: str) -> None:
    assert only(text).values[0] == 3_500_000


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("31 %", 31, "percent"),
        ("31 percent", 31, "percent"),
        ("百分之三十一", 31, "percent"),
        ("三成", 30, "percent"),
        ("5 km/h", 5, "km/h"),
        ("20 mg/kg", 20, "mg/kg"),
        ("80公里/小时", 80, "km/h"),
        ("38 °C", 38, "C"),
        ("38摄氏度", 38, "C"),
        ("$5 million", 5_000_000, "USD|AUD|CAD|NZD|HKD|SGD|TWD"),
        ("$3.2m", 3_200_000, "USD|AUD|CAD|NZD|HKD|SGD|TWD"),
        ("5 m", 5, "m"),
        ("100美元", 100, "USD"),
        ("两公里", 2, "km"),
        ("a 12-year-old", 12, "year"),
        ("350 км", 350, "km"),
    ],
)
def test_units_and_money_have_one_code_each(text: str, value: int, unit: str) -> None:
    assert (only(text).values[0], only(text).unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1.234", [Fraction("1.234"), 1234]),
        ("1,234", [1234, Fraction("1.234")]),
        ("1.234,5", [Fraction("1234.5")]),
        ("6½", [Fraction("6.5")]),
    ],
)
def test_what_can_be_read_in_two_ways_has_both_values(text: str, values: list[Fraction]) -> None:
    assert list(only(text).values) == values


@pytest.mark.parametrize(
    "text",
    [
        "3 May 1932",
        "May 3rd, 1932",
        "1932-05-03",
        "1932年5月3日",
        "一九三二年五月三日",
        "3. Mai 1932",
        "3 de mayo de 1932",
        "3 мая 1932",
        "3 मई 1932",
    ],
)
def test_one_date_however_it_is_written(text: str) -> None:
    assert only(text).days == (Day(1932, 5, 3),)


def test_a_date_of_digits_has_both_its_readings() -> None:
    assert set(only("03/05/1932").days) == {Day(1932, 5, 3), Day(1932, 3, 5)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("the 1930s", Day(1930, years=10)),
        ("20世纪30年代", Day(1930, years=10)),
        ("the 20th century", Day(1900, years=100)),
        ("Q3 2024", Day(2024, quarter=3)),
        ("2024年第三季度", Day(2024, quarter=3)),
    ],
)
def test_spans_of_years_are_dates(text: str, day: Day) -> None:
    assert only(text).days == (day,)


@pytest.mark.parametrize(
    ("text", "minutes"), [("2:30 pm", [870]), ("14:30", [870]), ("下午2点30分", [870]), ("2:30", [150, 870])]
)
def test_times_of_day_are_minutes(text: str, minutes: list[int]) -> None:
    assert list(only(text).values) == minutes


@pytest.mark.parametrize("text", ["B-52", "COVID-19", "CO2", "3.11.2", "GPT-4"])
def test_digits_of_a_name_are_no_number(text: str) -> None:
    assert (only(text).kind, only(text).values) == ("name", ())


@pytest.mark.parametrize(
    "text", ["千万不要", "万一", "you may come", "in the middle", "million dollar question", "三四个人"]
)
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert quantities(text) == ()


def test_the_first_of_a_range_has_the_unit_of_the_second() -> None:
    assert [(q.values[0], q.unit) for q in quantities("5–10 kg")] == [(5, "kg"), (10, "kg")]
    assert quantities("1914–18")[1].values == (18, 1918)


def test_units_of_a_kind_convert() -> None:
    assert converted(Fraction(100), "C", "F") == 212
    assert converted(Fraction(1), "mi", "km") == Fraction("1.609344")
    assert converted(Fraction(36), "km/h", "m/s") == 10
    assert converted(Fraction(1), "kg", "km") is None
    assert converted(Fraction(1), "USD", "EUR") is None


@settings(max_examples=200, deadline=None)
@given(
    st.text(
        st.sampled_from("0123456789.,-–/ :%$€年月日点万亿千百十一二两三½⁶^eExX×kmMbthsndMay'’٣५（）()\n"), max_size=60
    )
    | st.text(max_size=40)
)
def test_no_text_makes_it_raise_and_none_lies_over_another(text: str) -> None:
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_number_word_ends_where_a_word_does_and_an_ordinal_ends_the_number() -> None:
    """`thirty seconds` was read as `thirty-second` and an `s`, and `the second two` as no number."""
    assert [(q.values, q.unit) for q in quantities("thirty seconds")] == [((30,), "s")]
    assert [q.values for q in quantities("the second two men")] == [(2,), (2,)]
    assert [q.values for q in quantities("one hundred and first")] == [(101,)]


def test_a_fraction_may_have_its_top_in_digits() -> None:
    assert only("2-thirds").values == only("two thirds").values


def test_decades_are_read_with_blanks_between_digits_and_characters() -> None:
    """`20世纪70 年代` was the number 20 and 70 years."""
    assert only("20 世纪 70 年代").days == only("20世纪70年代").days == only("1970 年代").days == (Day(1970, years=10),)
    assert only("四世纪").days == only("4th century").days
