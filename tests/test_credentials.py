"""Credentials in a URL: sent as they are, stored and shown nowhere, and the parts still find each other."""

from __future__ import annotations

import json
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from searchlog.capture.credentials import credentials, without_credentials
from searchlog.capture.guard import safe_url
from searchlog.capture.shown import public_url, shown_url
from searchlog.cli.why import why_command
from searchlog.flow.drafts import page_drafts
from searchlog.flow.read import PageRead, Task
from searchlog.ledger import Draft
from searchlog.records import Capture, Query, Turn
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
        "?X-Amz-Security-Token={}", "?sig={}", "?passwd={}", "?secret={}",
        "?Signature={}", "?password={}", "?client_secret={}",
        "?user[password]={}",
        "?user%5Bpassword%5D={}", ";jsessionid={}", "?code={}&expires=17", "?exp=1&sid={}", "?sv=1&key={}", "?jwt={}",
        "#access_token={}", "?X-Amz-Date=1&credential={}",
        "?a=1&amp;token={}", "?next=%2Fx%3Ftoken%3D{}%26y%3D1", "?next=%252Fx%253Ftoken%253D{}", "?api%2Dkey={}",
        "?subscription-key={}", "?oauth_signature={}", "?PHPSESSID={}", "?auth.token={}",
    ],
)  # fmt: skip
def test_value_of_a_credential_is_not_shown(place: str) -> None:
    url = "https://h.example/p" + place.format(TOKEN)
    shown = shown_url(url)
    assert shown == "https://h.example/p" + place.format("[redacted]")
    assert shown_url(shown) == shown
    assert public_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://h/?key=value", "https://h/?code=iphone-15-pro-max", "https://h/?sid=4711", "https://h/?page_token=CAUQAA",
        "https://h/?pageToken=aB3dE5fG7hI9jK1l", "https://h/?cursor=aB3dE5fG7hI9jK1l", "https://h/?id=5F2c9A1b7D",
        "https://h/?q=password&x=token", "https://h/token=abc", "https://h/?keyword=aB3dE5fG7hI9jK1l", "https://h/#token",
        "https://h/?session=winter-2024-talks", "https://h/?v=dQw4w9WgXcQ", "https://h/?t=120", "https://h/?s=search+words",
        "https://h/?continuation_token=aB3dE5fG7hI9", "https://h/?signatures=all", "https://h/?key=",
        "https://dex.guru/?token=ETH", "https://h/?sig=1.2.3", "https://h/?password=how-to", "https://h/?pwd=abcd",
        "https://spreadsheets.google.com/ccc?key=0AqVhbJ3xYz12AbCdEfGh", "https://h/?signature=Vec::push",
        "https://h/?code=0001193125-10-098765Ab1c", "https://h/?session=WWDC2024Session101Ab", "https://h/?api_key=none",
        "https://h/?token=%E6%BD%AE%E6%B1%90%E7%A3%A8%E5%9D%8A", "https://h/?secret=garden", "https://h/?authorization=basic",
    ],
)  # fmt: skip
def test_what_names_a_page_is_kept(url: str) -> None:
    """`token`, `sig` and `password` were taken whatever their value, and `key` by its shape: a sheet lost its name."""
    assert without_credentials(url) == url
    assert shown_url(url) == url
    assert list(credentials(url)) == []


def test_value_ends_where_its_url_ends_it() -> None:
    """An escaped `&` ended the value, and what came behind it was shown."""
    assert without_credentials(f"https://h/?api_key={TOKEN}%26cd&x=1") == "https://h/?api_key=[redacted]&x=1"


@pytest.mark.parametrize(
    "url", ["https://h/?sheet=0&token=" + TOKEN, "https://h/?api_key=2024-10-12T10", "https://h/?jwt=how-to-use-2"]
)
def test_only_what_is_certain_is_searched_for_in_the_answer(url: str) -> None:
    """The id of a sheet, which its page repeats, was taken out of the page."""
    assert list(credentials(url)) == []
    assert set(credentials(f"https://h/?api_key={TOKEN}")) == {TOKEN}


def test_what_a_provider_published_is_kept_wherever_it_leads() -> None:
    public = f"http://h/p?token={TOKEN}"
    assert (
        without_credentials(f"https://h/p/?token={TOKEN}&sig={OTHER}", public)
        == f"https://h/p/?token={TOKEN}&sig=[redacted]"
    )


def test_time_grows_with_the_url_only() -> None:
    """600 kB of `?code=` took 5.5 s, and a URL was cut only after all of it had been looked at."""
    start = time.process_time()
    for piece in (
        "?a=%25",
        "?key=",
        "%3fkey=",
        "?token=",
        "%25",
        "?" + "a" * 70,
        "?key=a%26",
        "?code=",
        "?exp=1&sid=",
        "?sig=a1b2",
        "?token=a%25",
        "%3ftoken=",
    ):
        without_credentials(piece * (200_000 // len(piece)))
        shown_url("https://h/" + piece * (2_000_000 // len(piece)))
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
    hop = (302, {"Location": f"/p?token={OTHER}", "Content-Type": "text/plain"}, "")
    with (
        serve({f"/p?token={TOKEN}": hop, f"/p?token={OTHER}": (200, FRESH, html("there"))}) as site,
        opened() as archive,
    ):
        page = archive.session().fetch(f"{site.url}/p?token={TOKEN}", allow_private=("127.0.0.1",))
        assert page.status == 200


def test_results_that_differ_in_a_token_only_are_two_results(tmp_path: Path) -> None:
    """They were merged into one, the other was dropped, and the evidence named an address that is none."""
    texts = ("The tide mill stores the flood.", "The tide mill of another owner grinds by the moon.")
    places = [f"/mill?token={TOKEN}", f"/mill?token={OTHER}"]
    served = {place: (200, FRESH, html(text)) for place, text in zip(places, texts, strict=True)}
    with serve(served) as site, opened(tmp_path) as archive:
        session = archive.session()
        search = ask(session, site, places=places)
        whole = {site.url + place for place in places}
        assert {one.source.url for one in search.evidence} == whole
        assert {(c.asked, c.url) for c in bodies(session, Capture) if c.purpose == "page"} == {(u, u) for u in whole}
        assert len({comparison_key(url) for url in whole}) == 2
        check_clean(session)
        again = replay(session.ledger, search.turn, archive.resources.pool)
        assert again.differences == []


def test_page_of_a_search_that_is_cut_is_found_again_by_replay(tmp_path: Path) -> None:
    """What was never asked for stood in the log without its token, so that a replay could not find it."""
    place = f"/slow?api_key={TOKEN}"
    fetch = PageRead(Task("https://h" + place), cut=True)
    begin = Draft(Turn(state="begin"), ())
    (found,), (typed,) = (page_drafts(fetch, begin, published=published) for published in (True, False))
    assert isinstance(found.body, Capture)
    assert isinstance(typed.body, Capture)
    assert found.body.asked == safe_url("https://h" + place)
    assert typed.body.asked == "https://h/slow?api_key=[redacted]"


def test_why_finds_a_page_by_the_address_that_was_typed(tmp_path: Path) -> None:
    """A fetch holds an address without its credentials, a search with them: both are found, another token is not."""
    private = ("127.0.0.1",)
    with serve({f"/p?token={t}": (200, FRESH, html("The tide mill.")) for t in (TOKEN, OTHER)}) as site:
        with opened(tmp_path) as archive:
            ask(archive.session(), site, places=[f"/p?token={TOKEN}"])
            archive.session().fetch(f"{site.url}/p?token={TOKEN}", allow_private=private)
        told = {
            value: CliRunner().invoke(
                why_command, [f"{site.url}/p?token={value}", "--session", "all", "--archive", str(tmp_path), "--json"]
            )
            for value in (TOKEN, OTHER)
        }
    said = {value: [event["text"][:4] for event in json.loads(done.output)["events"]] for value, done in told.items()}
    assert (said[TOKEN].count("page"), said[TOKEN].count("e1: ")) == (2, 1)
    # the fetch may have been of this one: what would tell is not kept
    assert (said[OTHER].count("page"), said[OTHER].count("e1: ")) == (1, 0)


def test_key_in_a_query_is_sent_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that was typed by mistake was sent to the provider, and kept in the log."""
    key = CANARIES["NPM_TOKEN"]
    monkeypatch.setenv("NPM_TOKEN", key)
    with serve({"/mill": (200, FRESH, html("The tide mill stores the flood."))}) as site, opened(tmp_path) as archive:
        session = archive.session(title=f"about {key}")
        ask(session, site, f"tide mill {key}", ["/mill"])
        assert [query.text for query in bodies(session, Query)] == ["tide mill [redacted]"]
        assert not any(key in target for target in site.paths)
    assert key.encode() not in stored(tmp_path)
    assert json.dumps(key).encode() not in stored(tmp_path)
