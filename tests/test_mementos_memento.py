"""Mementos: which is nearest, which addresses name one page, and the forms of their times."""

from __future__ import annotations

import locale
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.mementos.memento import (
    Memento,
    format_http_date,
    format_timestamp,
    is_same_page,
    nearest,
    parse_http_date,
    parse_moment,
    parse_timestamp,
)
from searchlog.mementos.source import WAYBACK

NEAR = datetime(2024, 6, 1, 12, 0, 0, tzinfo=UTC)
PAGE = "https://a.example/x"


def made(days: float, status: int | None = None, page: str = PAGE, uri: str | None = None) -> Memento:
    at = NEAR + timedelta(days=days)
    return Memento(
        uri or f"https://web.archive.org/web/{format_timestamp(at)}/{page}", page, at, WAYBACK, "cdx", status
    )


def days(mementos: tuple[Memento, ...]) -> list[float]:
    return [(item.at - NEAR) / timedelta(days=1) for item in mementos]


def test_nearest_counts_before_and_after_alike_and_of_equals_takes_the_earlier() -> None:
    found = nearest([made(40), made(-3), made(2), made(3), made(-10)], NEAR)
    assert days(found) == [2, -3, 3, -10, 40]


def test_captured_errors_come_last_however_near() -> None:
    assert days(nearest([made(0, 404), made(9, 200), made(400), made(0.5, 503)], NEAR)) == [9, 400, 0, 0.5]


def test_redirects_and_unknown_status_are_no_errors() -> None:
    assert not any(made(0, status).is_error for status in (None, 200, 301))


def test_capture_that_two_services_tell_of_counts_once_and_keeps_the_raw_view() -> None:
    other = made(1, uri="https://elsewhere.example/m/1")
    (found,) = nearest([other, made(1)], NEAR)
    assert found.raw_uri == "https://web.archive.org/web/20240602120000id_/https://a.example/x"
    assert other.raw_uri is None


def test_only_the_wanted_number_is_kept() -> None:
    assert days(nearest((made(number) for number in range(10_000)), NEAR)) == [0, 1, 2, 3, 4]
    assert nearest([], NEAR) == ()


@pytest.mark.parametrize(
    "other",
    [
        "http://a.example/x",
        "https://www.a.example/x",
        "http://www.a.example:80/x/",
        "https://A.example:443/x#part",
        "a.example/x",
        "https://a.example/%78",
    ],
)
def test_spellings_of_one_page(other: str) -> None:
    assert is_same_page(PAGE, other)
    assert is_same_page(other, PAGE)


@pytest.mark.parametrize(
    "other",
    [
        "https://a.example/X",
        "https://a.example/x?y",
        "https://b.example/x",
        "https://a.example:8443/x",
        "https://a.example.evil.example/x",
        "https://evil.example/https://a.example/x",
        "https://a.example/",
        "",
        "javascript:alert(1)",
        "https://[",
    ],
)
def test_other_pages(other: str) -> None:
    assert not is_same_page(PAGE, other)


def test_two_addresses_that_are_none_are_no_page() -> None:
    assert not is_same_page("", "")


def test_escaped_mark_is_no_plain_one() -> None:
    assert not is_same_page("https://a.example/?u=a%26b=1", "https://a.example/?u=a&b=1")
    assert not is_same_page("https://a.example/a%2Fb", "https://a.example/a/b")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Tue, 11 Sep 2001 20:30:51 GMT", datetime(2001, 9, 11, 20, 30, 51, tzinfo=UTC)),
        ("Tue, 1 Sep 2001 20:30:51 GMT", datetime(2001, 9, 1, 20, 30, 51, tzinfo=UTC)),
        ("11 sep 2001 20:30:51 +0000", datetime(2001, 9, 11, 20, 30, 51, tzinfo=UTC)),
        ("Mon, 11 Sep 2001 20:30:51 GMT", datetime(2001, 9, 11, 20, 30, 51, tzinfo=UTC)),
        ("Tue, 31 Feb 2001 20:30:51 GMT", None),
        ("Tue, 11 Sep 2001 25:30:51 GMT", None),
        ("Tue, 11 Sep 2001 20:30:51", None),
        ("Tue, 11 Sep 2001 20:30:51 EST", None),
        ("Tue, 11 Sxp 2001 20:30:51 GMT", None),
        ("Tue, ١١ Sep 2001 20:30:51 GMT", None),
        ("Tue, 11 Sep 0000 20:30:51 GMT", None),
        ("", None),
        ("soon", None),
        ("9" * 5_000, None),
    ],
)
def test_http_dates(text: str, moment: datetime | None) -> None:
    assert parse_http_date(text) == moment


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31), timezones=st.just(UTC)))
def test_formatted_times_are_read_back(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert parse_http_date(format_http_date(moment)) == whole
    assert parse_timestamp(format_timestamp(moment)) == whole
    assert parse_moment(format_http_date(moment)) == parse_moment(format_timestamp(moment)) == whole
    assert parse_moment(f"{whole:%Y}".zfill(4) + f"{whole:-%m-%dT%H:%M:%SZ}") == whole


def test_dates_are_english_whatever_the_language() -> None:
    before = locale.setlocale(locale.LC_TIME)
    try:
        for name in ("de_DE.UTF-8", "ja_JP.UTF-8", "C.UTF-8"):
            try:
                locale.setlocale(locale.LC_TIME, name)
            except locale.Error:
                continue
        assert format_http_date(NEAR) == "Sat, 01 Jun 2024 12:00:00 GMT"
    finally:
        locale.setlocale(locale.LC_TIME, before)


@pytest.mark.parametrize(
    ("digits", "moment"),
    [
        ("2020", datetime(2020, 1, 1, tzinfo=UTC)),
        ("20200304", datetime(2020, 3, 4, tzinfo=UTC)),
        ("20200304050607", datetime(2020, 3, 4, 5, 6, 7, tzinfo=UTC)),
        ("20201304", None),
        ("202", None),
        ("202003040506070", None),
        ("２０２０", None),
    ],
)
def test_timestamps(digits: str, moment: datetime | None) -> None:
    assert parse_timestamp(digits) == moment
