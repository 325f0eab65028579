"""Values held against written-down types: the first place that differs, by name."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.checks import Form, Span, Words, checked, expect, find_fault
from searchlog.errors import UsageError


@dataclass(frozen=True, slots=True)
class Inner:
    seconds: float = 1.0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outer:
    size: int = 1
    word: str | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    inner: Inner = Inner()


def odd(**values: Any) -> Outer:
    return Outer(**values)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (odd(), None),
        (odd(size=True), "size must be a whole number, not True"),
        (odd(size=2**53), "size must be a whole number below 2^53, not 9007199254740992"),
        (odd(word=b"x"), "word must be a string or None, not b'x'"),
        (odd(word="\ud800"), "word must be a string without half of a surrogate pair, not '\\ud800'"),
        (odd(pairs=[("a", "b")]), "pairs must be a tuple, not a value of type list"),
        (odd(pairs=(("a", "b"), ("c",))), "pairs[1] must be 2 values, not a value of type tuple"),
        (odd(pairs=(("a", 7),)), "pairs[0][1] must be a string, not 7"),
        (odd(extra={"a": None}), "extra['a'] must be a string, not None"),
        (odd(extra={1: "a"}), "extra[1] must be a string, not 1"),
        (odd(extra=()), "extra must be a mapping, not a value of type tuple"),
        (odd(inner=Inner(seconds=float("inf"))), "inner.seconds must be a finite number, not inf"),
        (odd(inner=None), "inner must be an Inner, not None"),
    ],
)
def test_first_fault_is_named_with_its_place(value: Outer, said: str | None):
    fault = find_fault(value, Outer)
    assert (str(fault) if fault else None) == said


def test_argument_of_another_type_is_a_usage_error():
    expect("url", "x", str)
    with pytest.raises(UsageError, match="url must be a string, not None") as caught:
        expect("url", None, str)
    assert caught.value.fields == {"argument": "url"}


def test_right_value_comes_back_as_it_is():
    value = Outer(inner=Inner(2.0, ("a",)))
    assert checked(value, {}) is value


def test_lists_strings_and_whole_seconds_are_put_in_form_at_any_depth():
    value = odd(inner=Inner(seconds=2, names=["a"]))  # type: ignore[arg-type]
    assert checked(value, {}) == Outer(inner=Inner(2.0, ("a",)))
    assert checked(odd(inner=Inner(names="ab")), {}).inner.names == ("ab",)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (odd(size=4), "size must be a whole number from 1 to 3, not 4"),
        (odd(size="a"), "size must be a whole number from 1 to 3, not 'a'"),
        (odd(word="c"), "word must be 'a' or 'b' or None, not 'c'"),
        (odd(inner=Inner(0.0)), "inner.seconds must be a number above 0 and up to 9 seconds, not 0.0"),
    ],
)
def test_rules_say_what_types_cannot(value: Outer, said: str):
    rules = {"size": Span(1, 3), "word": Words(("a", "b")), "seconds": Span(0.0, 9.0, "seconds", above=True)}
    checked(odd(size=3, word="b"), rules)
    with pytest.raises(UsageError) as caught:
        checked(value, rules)
    assert str(caught.value) == said


def test_form_is_of_the_whole_string():
    form = Form("[A-Z]{2}", "two capitals")
    assert [form.admits(text) for text in ("JP", "JPX", "JP\n", "")] == [True, False, False, False]


class Mute:
    def __repr__(self) -> str:
        raise ValueError("cannot say")


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.binary(),
        st.just(Mute()),
        st.lists(st.text()),
    ),
    st.sampled_from(["size", "word", "pairs", "extra", "inner"]),
)
def test_no_value_makes_a_check_raise_anything_else(value: object, name: str):
    with suppress(UsageError):
        checked(odd(**{name: value}), {"size": Span(1, 3), "word": Form("a+", "letters")})


def test_a_whole_number_will_do_for_a_number() -> None:
    assert find_fault(3, float) is None
    fault = find_fault(True, float)
    assert fault is not None
    assert fault.allowed == "a number"


def test_a_field_that_was_never_set_is_a_fault() -> None:
    """It let AttributeError out, past the border to other people's objects."""
    fault = find_fault(object.__new__(Inner), Inner, "inner")
    assert fault is not None
    assert fault.path == "inner.seconds"
