"""Arguments of the Python API: what is wrong is told by name, and nothing is asked or recorded for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import searchlog
from searchlog.archive import Archive
from searchlog.errors import UsageError
from searchlog.session import Session
from tests.searches import no_network, opened

CALLS: list[tuple[str, Callable[[Any], object]]] = [
    ("query must be a string, a list of strings or a Query, not None", lambda s: s.search(None)),
    ("query must be a string, a list of strings or a Query, not 5", lambda s: s.search(5)),
    ("query must be a string, a list of strings or a Query, not b'x'", lambda s: s.search(b"x")),
    ("an empty list of queries", lambda s: s.search([])),
    ("an empty query", lambda s: s.search(["a", " "])),
    ("an empty focus", lambda s: s.search("a", focus="\n")),
    ("query[1] must be a string, not 5", lambda s: s.search(["a", 5])),
    ("focus must be a string or None, not 5", lambda s: s.search("a", focus=5)),
    ("also[0] must be a string, not 5", lambda s: s.search("a", also=[5])),
    ("also must be a list of strings, not 5", lambda s: s.search("a", also=5)),
    ("providers[0] must be a provider's name, or an object", lambda s: s.search("a", providers=[None])),
    ("providers[0] must be a provider's name, or an object", lambda s: s.search("a", providers=[object()])),
    ("providers is an empty list", lambda s: s.search("a", providers=[])),
    ("no provider is called 'google'", lambda s: s.search("a", providers="google")),
    ("searxng: set SEARCHLOG_SEARXNG_URL", lambda s: s.search("a", providers="searxng")),
    ("budget_tokens must be a whole number", lambda s: s.search("a", budget_tokens="x")),
    ("deadline_s must be a number above 0", lambda s: s.search("a", deadline_s=0)),
    ("settings must be a Settings or None, not", lambda s: s.search("a", settings={})),
    ("registry_options must be an Options or None, not", lambda s: s.search("a", registry_options={})),
    ("progress must be a function, not None", lambda s: s.search("a", progress=None)),
    ("url must be a string, not None", lambda s: s.fetch(None)),
    ("url must be a string, not 5", lambda s: s.fetch(5)),
    ("url must be a string, not b''", lambda s: s.fetch(b"")),
    ("deadline_s must be a number above 0", lambda s: s.fetch("http://a.example/", deadline_s="3")),
    ("urls must be a list, not 5", lambda s: s.fetch_many(5)),
    ("urls[1] must be a string, not None", lambda s: s.fetch_many(["http://a.example/", None])),
    ("urls[0] must be a string, not 97", lambda s: s.fetch_many(b"a")),
    ("page must be a Page, not None", lambda s: s.text(None)),
    ("page must be a Page, not 'x'", lambda s: s.conversion("x")),
    ("page must be a Page, not 5", lambda s: s.body(5)),
]


@pytest.mark.parametrize(("said", "call"), CALLS, ids=[f"{n}-{said}" for n, (said, _) in enumerate(CALLS)])
def test_wrong_argument_is_told_and_nothing_is_done(
    said: str, call: Callable[[Session], object], monkeypatch: pytest.MonkeyPatch
):
    """TypeError, AttributeError and worse came out of the depths, some after a turn had begun."""
    monkeypatch.setattr("socket.socket.connect", no_network)
    with opened() as archive:
        session = archive.session()
        with pytest.raises(UsageError) as caught:
            call(session)
        assert str(caught.value).startswith(said)
        assert [record.kind for record in session.records()] == ["session"]


def test_one_url_is_one_page():
    """A string in place of a list of URLs was fetched letter by letter."""
    with opened() as archive:
        pages = archive.session().fetch_many("ftp://a.example/")  # type: ignore[arg-type]
    assert [(page.asked, page.reason) for page in pages] == [("ftp://a.example/", "refused-scheme")]


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("session_id must be a string or None, not 5", lambda a: a.session(5)),
        ("session_id must be a string, not None", lambda a: a.ledger(None)),
        ("session_id must be a string, not b'x'", lambda a: a.find(b"x")),
        ("title must be a string or None, not 5", lambda a: a.session(title=5)),
    ],
)
def test_wrong_argument_of_an_archive_is_told(said: str, call: Callable[[Archive], object]):
    """Names of sessions that are no strings let AttributeError and TypeError out."""
    with opened() as archive:
        with pytest.raises(UsageError) as caught:
            call(archive)
        assert str(caught.value) == said
        assert archive.sessions() == []


@pytest.mark.parametrize(
    ("place", "said"),
    [(5, "a value of type int"), (b"api", "b'api'"), ("a\0b", r"'a\x00b'"), ("", "''")],
    ids=["number", "bytes", "nul", "empty"],
)
def test_archive_at_what_is_no_path_is_refused(place: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A number or bytes let TypeError out, a NUL let ValueError out, and an empty string meant the folder one is in."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        searchlog.open(place)
    assert str(caught.value) == f"an archive's place must be a path or 'memory:', not {said}"
    assert list(tmp_path.iterdir()) == []
