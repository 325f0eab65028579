"""Which archive is asked, and at which addresses."""

from __future__ import annotations

import pytest

from searchlog.errors import UsageError
from searchlog.mementos.source import WAYBACK, WebArchive, announced, is_own_host, parse_source

PAGE = "https://a.example/x?y=1&z=%2F"


def test_wayback_is_known_by_its_name() -> None:
    assert parse_source(" Wayback ") is WAYBACK
    assert WAYBACK.timegate_of(PAGE) == f"https://web.archive.org/web/{PAGE}"
    assert WAYBACK.raw_of("20200102030405", PAGE) == f"https://web.archive.org/web/20200102030405id_/{PAGE}"
    assert WAYBACK.view_of("20200102030405", PAGE) == f"https://web.archive.org/web/20200102030405/{PAGE}"
    assert 60 / WAYBACK.pause_s <= 24
    assert "Internet Archive" in WAYBACK.third_party


def test_collection_of_pywb_has_all_services_and_is_no_third_party_on_loopback() -> None:
    archive = parse_source("pywb=http://127.0.0.1:8080/mills/")
    assert archive.timegate_of("http://a.example/") == "http://127.0.0.1:8080/mills/http://a.example/"
    assert archive.timemap_of("http://a.example/") == "http://127.0.0.1:8080/mills/timemap/link/http://a.example/"
    assert archive.cdx == "http://127.0.0.1:8080/mills/cdx"
    assert (archive.third_party, archive.pause_s, archive.save) == ("", 0.0, None)


def test_plain_address_is_a_timegate_of_a_third_party() -> None:
    archive = parse_source("https://archive.example/timegate/")
    assert archive.timegate == "https://archive.example/timegate/"
    assert (archive.timemap, archive.cdx, archive.raw) == (None, None, None)
    assert (archive.name, archive.third_party, archive.pause_s) == ("archive.example", "archive.example", 1.0)


def test_services_are_named_one_by_one() -> None:
    archive = parse_source(
        "name=mine timegate=https://g.example/?url={url} timemap=https://t.example/ "
        "cdx=https://t.example/cdx raw=https://t.example/{timestamp}id_/{url}"
    )
    assert archive.name == "mine"
    assert archive.third_party == "g.example, t.example"
    assert archive.timegate_of(PAGE) == "https://g.example/?url=https%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z%3D%252F"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a web archive is"),
        ("wayback machine", "no address"),
        ("archive.example", "no address"),
        ("name=x", "a web archive is"),
        ("ftp://archive.example/", "no address"),
        ("https://user:secret@archive.example/", "user name or password"),
        ("https://archive.example/ https://other.example/", "given twice"),
        ("cdx=https://archive.example/cdx", "needs raw="),
        ("timegate=https://a.example/ raw=https://a.example/{timestamp}", "needs both"),
        ("timemap=http://127.1/", "web archive"),
        ("Timegate=", "without a scheme"),
    ],
)
def test_what_names_no_archive_is_told(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_source(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        (f"https://web.archive.org/web/20200102030405/{PAGE}", ("20200102030405", PAGE)),
        (f"http://web.archive.org/web/20200102030405id_/{PAGE}", ("20200102030405", PAGE)),
        (f"https://web.archive.org/web/2020if_/{PAGE}", ("2020", PAGE)),
        (f"https://web.archive.org/web/{PAGE}", None),
        ("https://web.archive.org/web/20200102030405/", None),
        (f"https://web.archive.org.evil.example/web/20200102030405/{PAGE}", None),
        (f"https://evil.example/https://web.archive.org/web/20200102030405/{PAGE}", None),
        ("", None),
    ],
)
def test_address_of_a_capture_is_taken_apart(uri: str, parts: tuple[str, str] | None) -> None:
    assert WAYBACK.split_memento(uri) == parts
    assert WAYBACK.is_raw(uri) == ("id_/" in uri)


def test_archive_without_a_raw_view_takes_nothing_apart() -> None:
    assert (
        WebArchive("x", timegate="https://x.example/").split_memento("https://x.example/2020/http://a.example/") is None
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "::1", "localhost", "a.localhost", "192.168.0.4"])
def test_own_hosts_are_told_from_others(host: str) -> None:
    assert is_own_host(host)
    assert not is_own_host("web.archive.org")
    assert not is_own_host("8.8.8.8")


def test_capture_that_an_aggregator_leads_to_is_asked_for_in_its_archives_raw_view() -> None:
    aggregator = parse_source("timegate=https://all.example/timegate/ timemap=https://all.example/timemap/")
    assert aggregator.home_of(f"https://web.archive.org/web/20200102030405/{PAGE}") is WAYBACK
    assert aggregator.home_of("https://other.example/m/1") is aggregator


LINK = (
    "Link",
    '</timegate?p=1>; rel="timegate", <https://w.example/list>; rel="timemap"; type="application/link-format"',
)


def test_page_names_its_own_archive() -> None:
    archive = announced((("Content-Type", "text/html"), LINK), "https://wiki.example/Mill?a=%2F#top")
    assert archive is not None
    assert archive.timegate_of("https://wiki.example/Mill?a=%2F") == "https://wiki.example/timegate?p=1"
    assert archive.timemap_of("https://wiki.example/Mill?a=%2F") == "https://w.example/list"
    assert archive.timegate_of("https://wiki.example/Other") is None
    assert (archive.name, archive.third_party) == ("wiki.example", "w.example")


@pytest.mark.parametrize(
    "value", ["", "<x>; rel=next", "<javascript:x>; rel=timegate", "oh no", "<http://[>; rel=timemap"]
)
def test_page_that_names_no_archive(value: str) -> None:
    assert announced((("Link", value),), "https://wiki.example/Mill") is None
    assert announced((), "not a page") is None
