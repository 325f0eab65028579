"""A folder or a site of one's own, read into the archive on its first use and searched from there."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from searchlog.errors import UsageError
from searchlog.flow.settings import Settings
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
        assert [item.stage for item in told] == ["index", "read", "read", "read"]
        assert told[0].text == "1 files left aside: 1 .png"
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


def test_file_that_is_gone_is_no_longer_found(tmp_path: Path, folder: Path):
    """A deleted file still came back as evidence: the index kept what the folder had lost."""
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)):
            pass
        (folder / "mill.html").unlink()
        (folder / "pond.txt").rename(folder / "basin.txt")
        with open_site(session, str(folder)) as site:
            assert site.read_count == 1
            assert paths(search(session, site)) == {"/deep/gate.md", "/basin.txt"}
        check_clean(session)


def test_index_that_is_built_again_finds_what_is_gone_until_the_folder_is_opened(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive, open_site(archive.session(), str(folder)) as site:
        prefix = site.prefix
    (folder / "mill.html").unlink()
    (tmp_path / "a" / "index.db").unlink()
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        session.search("tide mill", providers="archive")
        assert f"{prefix}/mill.html" in archive.resources.index.urls()
        with open_site(session, str(folder)) as site:
            assert paths(search(session, site)) == {"/deep/gate.md", "/pond.txt"}


def test_folder_without_any_page_left_is_forgotten_whole(tmp_path: Path, folder: Path):
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)):
            pass
        for name in ("mill.html", "deep/gate.md", "pond.txt"):
            (folder / name).unlink()
        with pytest.raises(UsageError, match="nothing to read"), open_site(session, str(folder)):
            pass
        assert archive.resources.index.urls() == []


def test_page_without_text_is_read_once(tmp_path: Path, folder: Path):
    """Pages that gave no text were fetched again each time the folder was opened."""
    (folder / "empty.html").write_text("<p></p>")
    (folder / "noise.pdf").write_bytes(b"%PDF-1.7 of no use")
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        counts = []
        for _ in range(3):
            with open_site(session, str(folder)) as site:
                counts.append(site.read_count)
        assert counts == [5, 0, 0]
        (folder / "empty.html").write_text(html("The tide mill has a text at last."))
        with open_site(session, str(folder)) as site:
            assert site.read_count == 1
            assert "/empty.html" in paths(search(session, site))


def test_page_that_lost_its_text_is_no_longer_found(tmp_path: Path, folder: Path):
    """The text of before was found for ever when a file was emptied."""
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)):
            pass
        (folder / "mill.html").write_text("")
        with open_site(session, str(folder)) as site:
            assert "/mill.html" not in paths(search(session, site))


def test_file_that_is_replaced_by_an_older_one_is_read_again(tmp_path: Path, folder: Path):
    """A file counted as unchanged when its time was before that of the capture, whatever it held."""
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)):
            pass
        (folder / "mill.html").write_text(html("The tide mill of before, from a backup."))
        os.utime(folder / "mill.html", (1e9, 1e9))
        with open_site(session, str(folder), Settings(cache_max_age_s=3600)) as site:
            assert site.read_count == 1
            assert "from a backup" in search(session, site).rendering


def busy(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))  # reuses an address whose connections have ended


def test_busy_port_gives_another_one_of_its_own_and_says_so(tmp_path: Path, folder: Path):
    """A folder whose port was taken got one by chance, and all of it was read again each time."""
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        with open_site(session, str(folder)) as site:
            first = urlsplit(site.prefix).port
        told: list[Progress] = []
        with busy(first or 0):
            with open_site(session, str(folder), progress=told.append) as site:
                second = urlsplit(site.prefix).port
                assert site.read_count == 3
            assert any(f"port {first} is busy, served at port {second}" in item.text for item in told)
            with open_site(session, str(folder)) as site:
                assert (urlsplit(site.prefix).port, site.read_count) == (second, 0)
                assert paths(search(session, site)) == {"/mill.html", "/deep/gate.md", "/pond.txt"}
        with open_site(session, str(folder)) as site:
            assert site.read_count == 0
        check_clean(session)


def test_folder_with_no_port_of_its_own_free_is_served_at_any(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    with busy(0) as taken, opened(tmp_path / "a") as archive:
        monkeypatch.setattr("searchlog.site._ports", lambda key: [taken.getsockname()[1]])
        told: list[Progress] = []
        with open_site(archive.session(), str(folder), progress=told.append) as site:
            assert site.read_count == 3
        assert any("served at port" in item.text and "any, since all 1 of its own are" in item.text for item in told)


def test_folder_at_the_port_of_another_one_finds_only_its_own(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """A page of another folder that was served at the same port stood for the page of the same name."""
    with busy(0) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr("searchlog.site._ports", lambda key: [port])
    other = tmp_path / "other"
    other.mkdir()
    (other / "mill.html").write_text(html("The tide mill of the other folder."))
    os.utime(other / "mill.html", (1e9, 1e9))
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        for place, found in ((folder, {"/mill.html", "/deep/gate.md", "/pond.txt"}), (other, {"/mill.html"})) * 2:
            with open_site(session, place) as site:
                assert site.read_count == len(found)
                made = search(session, site)
                assert paths(made) == found
                assert ("other folder" in made.rendering) == (place == other)


def test_folder_of_very_many_pages_is_read_in_parts(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Pages over the limit were left out without a word."""
    monkeypatch.setattr("searchlog.site.PAGES_MAX", 2)
    with opened(tmp_path / "a") as archive:
        session = archive.session()
        told: list[Progress] = []
        counts = []
        for _ in range(3):
            with open_site(session, str(folder), progress=told.append) as site:
                counts.append(site.read_count)
        assert counts == [2, 1, 0]
        assert sum("3 pages to read, of which 2 are read now" in item.text for item in told) == 1


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
        for place in (str(tmp_path / "none"), str(folder / "mill.html"), "ftp://127.0.0.1/", "a\0b"):
            with pytest.raises(UsageError, match="give a folder, or an address"), open_site(session, place):
                pass
        for wrong in (None, 5, ["docs"]):
            with pytest.raises(UsageError, match="place must be"), open_site(session, wrong):  # type: ignore[arg-type]
                pass
        with pytest.raises(UsageError, match="session must be a Session"), open_site(None, "docs"):  # type: ignore[arg-type]
            pass
        for address in ("http://", "http://[::1", "http://user:hunter2@127.0.0.1/"):
            with pytest.raises(UsageError, match="cannot read"), open_site(session, address):
                pass
        assert [record.kind for record in session.records()] == ["session"]


def test_folder_with_nothing_to_read_is_refused(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "picture.png").write_bytes(b"\x89PNG")
    with opened(tmp_path / "a") as archive:
        with pytest.raises(UsageError, match="nothing to read"), open_site(archive.session(), str(tmp_path / "docs")):
            pass


def test_example_of_the_module_runs(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    import inspect
    import textwrap

    import searchlog
    import searchlog.site

    lines = inspect.cleandoc(searchlog.site.__doc__ or "").splitlines()
    code = textwrap.dedent("\n".join(line for line in lines if line.startswith("    ") or not line))
    said: list[str] = []
    monkeypatch.setenv("SEARCHLOG_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.setattr(searchlog, "open_site", open_site, raising=False)
    code = code.replace("docs/", str(folder)).replace("retry policy", "tide mill")
    exec(code, {"print": said.append})
    assert "tide mill" in said[0]


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


def test_page_of_an_address_that_is_gone_is_forgotten_when_it_is_read_again(tmp_path: Path):
    with serve(pages({})) as site, opened(tmp_path / "a") as archive:
        site.pages |= {"/": (200, HTML, linked("The tide mill.", "/a")), "/a": (200, HTML, linked(TEXTS["/gate"]))}
        session = archive.session()
        with open_site(session, site.url):
            pass
        site.pages["/a"] = (404, HTML, "")
        with open_site(session, site.url, refresh=True) as own:
            assert paths(search(session, own)) == {"/"}


def test_links_over_the_limit_of_a_site_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A long site was cut at its thousandth page without a word."""
    monkeypatch.setattr("searchlog.site.PAGES_MAX", 3)
    with serve(pages({})) as site, opened(tmp_path / "a") as archive:
        links = [f"/{n}" for n in range(6)]
        site.pages |= {link: (200, HTML, linked(f"tide mill {link}")) for link in links}
        site.pages["/"] = (200, HTML, linked("The tide mill.", *links))
        told: list[Progress] = []
        with open_site(archive.session(), site.url, progress=told.append) as own:
            assert own.read_count == 3
        assert [item.text for item in told if item.stage == "index"] == ["4 links left unread: 3 pages is the most"]


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
