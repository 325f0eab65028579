"""A folder or a site of one's own, read into the archive on its first use and searched from there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from searchlog.errors import UsageError
from searchlog.records import Capture, Turn
from searchlog.search.run import RunOutcome
from searchlog.session import Progress, Search, Session
from searchlog.site import OpenSite, open_site
from tests.searches import HTML, TEXTS, bodies, check_clean, check_counts, html, opened, pages, short
from tests.sites import serve


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    (place / "deep").mkdir(parents=True)
    (place / "mill.html").write_text(html(TEXTS["/mill"], "Mill"))
    (place / "deep" / "gate.md").write_text(f"# Gate\n\n{TEXTS['/gate']}\n")
    (place / "pond.txt").write_text(TEXTS["/pond"] + "\n")
    (place / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return place


def search(session: Session, site: OpenSite, query: str = "tide mill") -> Search:
    return session.search(query, providers=["site"], registry_options=site.options, settings=site.settings)


def paths(found: Search) -> set[str]:
    return {short(item.source.url) for item in found.evidence}


# --- folders


def test_folder_is_read_on_first_use_and_searched(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        told: list[Progress] = []
        with open_site(session, str(folder), progress=told.append) as site:
            assert site.read_count == 3
            found = search(session, site)
            assert paths(found) == {"/mill.html", "/deep/gate.md", "/pond.txt"}
            assert all(result.url.startswith(site.prefix) for run in found.runs for result in run.results)
            check_counts(found)
        assert [item.stage for item in told] == ["read"] * 3
        assert [body.purpose for body in bodies(session, Turn) if body.state == "begin"] == ["index", "search"]
        assert {body.purpose for body in bodies(session, Capture, 1)} == {"index", "robots"}
        check_clean(session)


def test_folder_keeps_its_addresses_and_is_not_read_again(tmp_path: Path, folder: Path):
    """The port of the folder was still held by ended connections when it was opened again soon after: it got another
    one, and every page was read again under another address."""
    prefixes = set()
    for number in range(3):
        with opened(tmp_path / "a") as archive:
            session = archive.session()
            with open_site(session, str(folder)) as site:
                prefixes.add(site.prefix)
                assert site.read_count == (3 if number == 0 else 0)
                assert paths(search(session, site)) == {"/mill.html", "/deep/gate.md", "/pond.txt"}
            check_clean(session)
    assert len(prefixes) == 1


def test_file_that_changed_is_read_again_and_searched_as_it_is_now(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)):
            pass
        (folder / "mill.html").write_text(html("The tide mill was pulled down for its bricks.", "Mill"))
        later = time.time() + 5
        os.utime(folder / "mill.html", (later, later))
        with open_site(session, str(folder)) as site:
            assert site.read_count == 1
            found = search(session, site, "tide mill bricks")
            assert "pulled down for its bricks" in found.rendering
            assert "stores the flood" not in found.rendering
        check_clean(session)


def test_refresh_reads_every_page_again(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        for refresh, count in ((False, 3), (False, 0), (True, 3)):
            with open_site(session, str(folder), refresh=refresh) as site:
                assert site.read_count == count
        check_clean(session)


def test_two_folders_do_not_mix(tmp_path: Path, folder: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "wheel.html").write_text(html("The wheel of this tide mill is elsewhere."))
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)) as one, open_site(session, str(other)) as two:
            assert one.prefix != two.prefix
            assert paths(search(session, two)) == {"/wheel.html"}
            assert "/wheel.html" not in paths(search(session, one))


def test_two_archives_may_open_one_folder_at_the_same_time(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as first, opened(tmp_path / "b") as second:
        with open_site(first.session(), str(folder)) as one, open_site(second.session(), str(folder)) as two:
            assert one.prefix != two.prefix
            assert two.read_count == 3


def test_names_that_need_escapes_are_found(tmp_path: Path):
    place = tmp_path / "docs"
    place.mkdir()
    for name in ("a b.html", "ü.html", "100%.html", "q?x.html", "#1.html", "潮.html"):
        (place / name).write_text(html(f"tide mill {len(name)} in {name.split('.')[0]}"))
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(place)) as site:
            assert site.read_count == 6
            found = search(session, site)
            assert {run.outcome for run in found.runs} == {RunOutcome.OK}
            assert len(found.evidence) == 6
        with open_site(session, str(place)) as site:
            assert site.read_count == 0
        check_clean(session)


def test_place_that_is_no_folder_says_what_may_be_given(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        for place in (str(tmp_path / "none"), str(folder / "mill.html"), "ftp://127.0.0.1/"):
            with pytest.raises(UsageError, match="give a folder, or an address"), open_site(session, place):
                pass
        assert [record.kind for record in session.records()] == ["session"]


def test_folder_with_nothing_to_read_is_refused(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "picture.png").write_bytes(b"\x89PNG")
    with opened(tmp_path / "a") as archive:
        with pytest.raises(UsageError, match="nothing to read"), open_site(archive.session(), str(tmp_path / "docs")):
            pass


# --- addresses


def linked(text: str, *targets: str) -> str:
    return html(text + " ".join(f"<a href='{target}'>more</a>" for target in targets))


def test_address_is_crawled_at_and_below_it(tmp_path: Path):
    with serve(pages({})) as site, opened(tmp_path / "a") as archive:
        site.pages |= {
            "/docs/": (
                200,
                HTML,
                linked("The tide mill. ", "mill", "/docs/gate#top", "../other", "/docs/old", "mill#x"),
            ),
            "/docs/mill": (200, HTML, linked(TEXTS["/mill"], "/docs/", "deep/pond", "http://10.0.0.1/docs/")),
            "/docs/gate": (200, HTML, linked(TEXTS["/gate"], "mailto:a@b.example", "javascript:alert(1)", "/docs-2/")),
            "/docs/deep/pond": (200, HTML, linked(TEXTS["/pond"])),
            "/docs/old": (404, HTML, ""),
            "/other": (200, HTML, linked("The tide mill elsewhere.")),
            "/docs-2/": (200, HTML, linked("The tide mill of another manual.")),
        }
        session = archive.session()
        with open_site(session, site.url + "/docs/") as own:
            assert own.read_count == 5
            found = search(session, own)
        asked = sorted(path for path in site.paths if path != "/robots.txt")
        assert asked == ["/docs/", "/docs/deep/pond", "/docs/gate", "/docs/mill", "/docs/old"]
        assert paths(found) == {"/docs/", "/docs/mill", "/docs/gate", "/docs/deep/pond"}
        site.hits.clear()
        with open_site(session, site.url + "/docs/") as own:
            assert own.read_count == 0
        assert site.hits == []
        check_clean(session)


def test_address_without_a_path_is_the_whole_site(tmp_path: Path):
    with serve(pages({})) as site, opened(tmp_path / "a") as archive:
        site.pages |= {"/": (200, HTML, linked("The tide mill.", "/a/b")), "/a/b": (200, HTML, linked(TEXTS["/gate"]))}
        session = archive.session()
        with open_site(session, site.url) as own:
            assert own.read_count == 2
            assert paths(search(session, own)) == {"/", "/a/b"}
        check_clean(session)


def test_address_that_does_not_answer_gives_an_empty_search(tmp_path: Path):
    with serve({}) as site, opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, site.url + "/docs/") as own:
            found = search(session, own)
        assert (found.outcome, found.evidence) == (RunOutcome.EMPTY, ())
        check_clean(session)
