"""One page, one provider answer and one redirect may be as wrong as they like: the others are still read."""

from __future__ import annotations

import pytest

from searchlog.errors import StoreError
from searchlog.extract.pool import InProcess
from searchlog.records import Capture, Conversion
from searchlog.replay import replay
from tests.searches import HTML, ask, bodies, check_clean, opened, reasons
from tests.sites import Answer, serve

LOCATIONS = ["http://[::1", "http://[x]/", "http://u:p@h/", "http://:@/", "//u@h/", "\x00", "http://\xff/", "//"]


def page(title: str) -> Answer:
    """Return a page on mill ponds whose words no other page has."""
    words = " ".join(f"{title}{number}" for number in range(12))
    return 200, HTML, f"<title>{title}</title><p>The mill pond: {words}."


@pytest.mark.parametrize("location", LOCATIONS)
def test_redirect_to_anything_costs_one_page(location: str) -> None:
    """A Location that is no URL, or one whose password is taken out, ended the whole search with a ValueError."""
    pages = {"/away": (302, {"Location": location}, ""), "/one": page("noon"), "/two": page("dusk")}
    with serve(pages) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "mill pond", list(site.pages))
        assert {item.source.title for item in search.evidence} == {"noon", "dusk"}
        assert reasons(session)["/away"] != "kept"
        check_clean(session)
        assert replay(session.ledger, search.turn, InProcess()).equal


def test_bug_of_ours_on_one_page_is_told_and_costs_that_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any exception in the thread of one page used to end the search and lose what the others had captured."""
    convert = InProcess.convert

    def faulty(self: InProcess, data: bytes, *rest: object, **more: object) -> object:
        if b"noon" in data:
            raise KeyError("a bug")
        return convert(self, data, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(InProcess, "convert", faulty)
    with serve({"/one": page("noon"), "/two": page("dusk")}) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "mill pond", list(site.pages))
        assert {item.source.title for item in search.evidence} == {"dusk"}
        assert reasons(session) == {"/one": "no-text-internal-error", "/two": "kept"}
        assert {body.status for body in bodies(session, Capture) if body.purpose == "page"} == {200}
        assert "KeyError: 'a bug'" in [body.detail for body in bodies(session, Conversion)]
        check_clean(session)
        assert replay(session.ledger, search.turn, InProcess()).equal


def test_bug_before_anything_is_stored_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from searchlog.flow import read

    bodies_of = read.capture_bodies

    def faulty(fetch: object, *rest: object) -> object:
        if fetch.url.endswith("/one"):  # type: ignore[attr-defined]
            raise RuntimeError("a bug")
        return bodies_of(fetch, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(read, "capture_bodies", faulty)
    with serve({"/one": page("noon"), "/two": page("dusk")}) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "mill pond", list(site.pages))
        assert reasons(session) == {"/one": "internal-error", "/two": "kept"}
        check_clean(session)
        assert replay(session.ledger, search.turn, InProcess()).equal


def test_full_disk_is_not_taken_for_a_bad_page(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve({"/one": page("noon")}) as site, opened() as archive:
        session = archive.session()

        def full(blobs: object) -> object:
            raise StoreError("no space left on device")

        monkeypatch.setattr(session.ledger.blobs, "put", full)
        with pytest.raises(StoreError, match="no space left"):
            ask(session, site, "mill pond", list(site.pages))


def test_count_is_kept_whatever_a_provider_sends() -> None:
    """A provider that gave 500 results for `count=10` had all 500 fused."""
    pages = {f"/p{number:02}": page(f"hour {number}") for number in range(12)}
    with serve(pages) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "mill pond", list(site.pages), count=5, pages=8)
        parse = search.steps[0]
        assert (parse.in_count, parse.kept_count) == (12, 5)
        assert {decision.reason for decision in parse.decisions} == {"over-count"}
        check_clean(session)
        assert replay(session.ledger, search.turn, InProcess()).equal
