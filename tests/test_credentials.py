"""Credentials in a URL: sent as they are, stored and shown nowhere, and the parts still find each other."""

from __future__ import annotations

import json
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from searchlog.capture.credentials import credentials, without_credentials
from searchlog.capture.guard import safe_url
from searchlog.records import Capture, Query
from searchlog.replay import replay
from searchlog.search.fuse import comparison_key
from tests.searches import ask, bodies, check_clean, html, opened
from tests.sites import serve
from tests.test_secrets import CANARIES

TOKEN = "canary-5F2c9A1b7D"
OTHER = "canary-0E8d7C6b5A"
FRESH = {"Content-Type": "text/html", "Cache-Control": "max-age=600"}


@pytest.mark.parametrize(
    "place",
    [
        "?api_key={}", "?a=1&apikey={}&b=2", "?access_token={}", "?token={}", "?X-Amz-Signature={}",
        "?x-amz-credential={}",
        "?X-Amz-Security-Token={}", "?sig={}", "?Signature={}", "?password={}", "?client_secret={}",
        "?user[password]={}",
        "?user%5Bpassword%5D={}", ";jsessionid={}", "?code={}", "?sid={}", "?key={}", "?jwt={}", "#access_token={}",
        "?a=1&amp;token={}", "?next=%2Fx%3Ftoken%3D{}%26y%3D1", "?next=%252Fx%253Ftoken%253D{}", "?api%2Dkey={}",
        "?subscription-key={}", "?oauth_signature={}", "?PHPSESSID={}", "?auth.token={}",
    ],
)  # fmt: skip
def test_value_of_a_credential_is_not_shown(place: str) -> None:
    url = "https://h.example/p" + place.format(TOKEN)
    shown = safe_url(url)
    assert shown == "https://h.example/p" + place.format("[redacted]")
    assert safe_url(shown) == shown
    assert set(credentials(url)) == {TOKEN}


@pytest.mark.parametrize(
    "url",
    [
        "https://h/?key=value", "https://h/?code=iphone-15-pro-max", "https://h/?sid=4711", "https://h/?page_token=CAUQAA",
        "https://h/?pageToken=aB3dE5fG7hI9jK1l", "https://h/?cursor=aB3dE5fG7hI9jK1l", "https://h/?id=5F2c9A1b7D",
        "https://h/?q=password&x=token", "https://h/token=abc", "https://h/?keyword=aB3dE5fG7hI9jK1l", "https://h/#token",
        "https://h/?session=winter-2024-talks", "https://h/?v=dQw4w9WgXcQ", "https://h/?t=120", "https://h/?s=search+words",
        "https://h/?continuation_token=aB3dE5fG7hI9", "https://h/?signatures=all", "https://h/?key=",
    ],
)  # fmt: skip
def test_what_names_a_page_is_kept(url: str) -> None:
    assert without_credentials(url) == url
    assert safe_url(url) == url
    assert list(credentials(url)) == []


def test_value_ends_where_its_url_ends_it() -> None:
    """An escaped `&` ended the value, and what came behind it was shown."""
    assert without_credentials("https://h/?token=ab%26cd?ef%3Bgh&x=1") == "https://h/?token=[redacted]&x=1"


def test_time_grows_with_the_url_only() -> None:
    start = time.process_time()
    for piece in ("?a=%25", "?key=", "%3fkey=", "?token=", "%25", "?" + "a" * 70, "?key=a%26"):
        without_credentials(piece * (200_000 // len(piece)))
    assert time.process_time() - start < 10


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_page_is_asked_with_the_credential_and_stored_without(tmp_path: Path) -> None:
    """The URL stood whole in records, in the evidence, and in the request that was kept."""
    body = html(f"The tide mill grinds. You came with {TOKEN}, or {quote(TOKEN)}.")
    redirect = (302, {"Location": f"/end?token={TOKEN}&x=1", "Content-Type": "text/plain"}, "")
    with serve({"/start": redirect, "/end": (200, FRESH, body)}) as site, opened(tmp_path / "a") as archive:
        session = archive.session()
        page = session.fetch(f"{site.url}/start?access_token={TOKEN}", allow_private=("127.0.0.1",))
        assert site.paths == ["/robots.txt", f"/start?access_token={TOKEN}", f"/end?token={TOKEN}&x=1"]
        assert (page.asked, page.url) == (
            f"{site.url}/start?access_token=[redacted]",
            f"{site.url}/end?token=[redacted]&x=1",
        )
        assert "You came with [redacted], or [redacted]." in session.text(page)
        captures = bodies(session, Capture)
        assert all("redacted:request:url" in session.ledger.load(c.exchange)["departures"] for c in captures[1:])
        check_clean(session)
    assert TOKEN.encode() not in stored(tmp_path)


def test_urls_that_differ_in_a_credential_only_are_never_taken_for_each_other(tmp_path: Path) -> None:
    answers = {f"/p?token={value}": (200, FRESH, html(f"page of {n}")) for n, value in enumerate((TOKEN, OTHER))}
    with serve(answers) as site, opened(tmp_path / "a") as archive:
        for n, value in ((0, TOKEN), (1, OTHER), (0, TOKEN)):
            session = archive.session()
            page = session.fetch(f"{site.url}/p?token={value}", allow_private=("127.0.0.1",))
            assert session.text(page) == f"page of {n}"
            assert page.capture is not None
            assert page.capture.reused is None
        page = session.fetch(f"{site.url}/p?token=[redacted]", allow_private=("127.0.0.1",))
        assert page.status == 404


def test_redirects_that_differ_in_a_credential_only_are_no_circle(tmp_path: Path) -> None:
    hop = (302, {"Location": f"/p?sid={OTHER}", "Content-Type": "text/plain"}, "")
    with serve({f"/p?sid={TOKEN}": hop, f"/p?sid={OTHER}": (200, FRESH, html("there"))}) as site, opened() as archive:
        page = archive.session().fetch(f"{site.url}/p?sid={TOKEN}", allow_private=("127.0.0.1",))
        assert page.status == 200


def test_search_finds_its_page_again_by_the_shown_url(tmp_path: Path) -> None:
    with serve({"/mill": (200, FRESH, html("The tide mill stores the flood."))}) as site, opened(tmp_path) as archive:
        session = archive.session()
        places = [f"/mill?X-Amz-Signature={TOKEN}", f"/mill?X-Amz-Signature={OTHER}"]
        search = ask(session, site, places=places)
        assert [one.source.url for one in search.evidence] == [f"{site.url}/mill?X-Amz-Signature=[redacted]"]
        assert site.paths.count(places[0]) == 1
        assert comparison_key(site.url + places[0]) == comparison_key(search.evidence[0].source.url)
        check_clean(session)
        again = replay(session.ledger, search.turn, archive.resources.pool)
        assert again.differences == []


def test_key_in_a_query_is_sent_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that was typed by mistake was sent to the provider, and kept in the log."""
    key = CANARIES["GITHUB_TOKEN"]
    monkeypatch.setenv("GITHUB_TOKEN", key)
    with serve({"/mill": (200, FRESH, html("The tide mill stores the flood."))}) as site, opened(tmp_path) as archive:
        session = archive.session(title=f"about {key}")
        ask(session, site, f"tide mill {key}", ["/mill"])
        assert [query.text for query in bodies(session, Query)] == ["tide mill [redacted]"]
        assert not any(key in target for target in site.paths)
    assert key.encode() not in stored(tmp_path)
    assert json.dumps(key).encode() not in stored(tmp_path)
