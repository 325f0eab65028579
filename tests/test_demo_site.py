"""The demo site, the folder server beneath it, and the test servers of `sites.py`."""

from __future__ import annotations

import base64
import gzip
import hashlib
import http.client
import json
import os
import re
import socket
import threading
import time
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlencode, urljoin

import pytest

from searchlog.demo import manifest
from searchlog.demo.server import SLOW_S, DemoSite
from searchlog.errors import StoreError, UsageError
from searchlog.site_server import FolderSite, LoopbackSite
from tests.sites import serve

SITE = Path(manifest.__file__).parent / "site"
ENTRIES = manifest.entries()
SERVED = [entry for entry in ENTRIES if entry.path.startswith("/") and entry.file]


@pytest.fixture(scope="module")
def site():
    with DemoSite() as site:
        yield site


class Got:
    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status, self.body = answer.status, answer.read()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}


def get(site: LoopbackSite, target: str, method: str = "GET", headers: dict[str, str] | None = None) -> Got:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=5)
    try:
        connection.request(method, target, headers=headers or {})
        return Got(connection.getresponse())
    finally:
        connection.close()


def raw(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as wire:
        wire.sendall(sent)
        got = b""
        while piece := wire.recv(65_536):
            got += piece
    return got


def search(site: DemoSite, query: str, **fields: str) -> dict:
    got = get(site, "/search?" + urlencode({"q": query, "format": "json"} | fields))
    assert got.status == 200
    return json.loads(got.body)


# the pages


def test_the_manifest_lists_every_file_and_every_listed_file_exists() -> None:
    on_disk = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file()}
    assert on_disk == {entry.file for entry in SERVED} | {"site.json", "style.css", "404.html"}


def test_there_are_pages_enough_in_languages_enough_and_they_stay_small() -> None:
    assert len({entry.file for entry in SERVED}) >= 18
    assert {entry.language.split("-")[0] for entry in SERVED} >= {"en", "zh", "ja", "ar", "es", "ru", "hi", "ko", "fr"}
    assert sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) < 300_000
    assert (SITE / "en/handbook.html").stat().st_size > 30_000


@pytest.mark.parametrize("entry", SERVED, ids=lambda entry: entry.path)
def test_a_page_arrives_with_its_type_a_date_and_the_bytes_of_its_file(site: DemoSite, entry: manifest.Entry) -> None:
    got = get(site, quote(entry.path))
    assert got.status == 200
    expected = entry.type + (f"; charset={entry.charset}" if entry.charset else "")
    assert got.headers["content-type"] == expected
    assert got.headers["date"].endswith("GMT")
    assert "cache-control" in got.headers
    if entry.behaviour != "changes":
        assert got.body == (SITE / str(entry.file)).read_bytes()


@pytest.mark.parametrize("entry", [e for e in SERVED if e.type == "text/html"], ids=lambda entry: entry.path)
def test_a_page_declares_its_encoding_its_language_and_its_title(entry: manifest.Entry) -> None:
    text = (SITE / str(entry.file)).read_bytes().decode(entry.encoding)
    assert f'<meta charset="{entry.encoding}">' in text
    assert f'<html lang="{entry.language}"' in text
    if entry.behaviour not in ("blocked", "redirect"):
        assert f"<title>{entry.title}</title>" in text.replace("&#x27;", "'")
    assert text == unicodedata.normalize("NFC", text)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {value for name, value in attrs if name in ("href", "src") and value}


def test_every_link_leads_somewhere_except_the_one_that_is_meant_not_to(site: DemoSite) -> None:
    dead = set()
    for entry in SERVED:
        if entry.type == "text/html":
            links = _Links()
            links.feed((SITE / str(entry.file)).read_bytes().decode(entry.encoding))
            for link in links.found:
                target = urljoin(entry.path, link)
                if get(site, target, "HEAD").status not in (200, 301, 302):
                    dead.add(target)
    assert dead == {"/en/lost-lights.html"}


def test_the_legacy_pages_are_not_utf8() -> None:
    for name in ("zh/maota-gbk.html", "ja/inubosaki-sjis.html"):
        with pytest.raises(UnicodeDecodeError):
            (SITE / name).read_bytes().decode("utf-8")


def test_the_arabic_page_runs_from_right_to_left() -> None:
    assert '<html lang="ar" dir="rtl">' in (SITE / "ar/manara.html").read_text("utf-8")


def test_the_hidden_page_hides_in_every_way_it_names() -> None:
    text = (SITE / "en/keepers-advice.html").read_text("utf-8")
    for sign in ("display:none", "color:#ffffff;background-color:#ffffff", "left:-9999px", "font-size:0", "<p hidden>"):
        assert sign in text
    assert "&#8203;" in text
    assert "Ignore all previous instructions" in text


def test_the_code_page_prints_what_its_code_prints(capsys: pytest.CaptureFixture[str]) -> None:
    text = (SITE / "en/range-code.html").read_text("utf-8")
    first, second = re.findall(r"<code class=\"language-python\">(.*?)</code>", text, re.DOTALL)
    scope: dict = {}
    exec(first, scope)
    assert capsys.readouterr().out.strip() == re.search(r"<samp>(.*?)</samp>", text, re.DOTALL)[1]  # type: ignore[index]
    exec(second.replace("&gt;", ">"), scope)
    reach = [round(scope["luminous_range"](candela)) for candela in (1e3, 1e5, 1e6)]
    said = f"{reach[0]} nautical miles for a thousand candela, {reach[1]} for a hundred thousand and {reach[2]} for a"
    assert said in " ".join(text.split())
    assert f"reach {scope['luminous_range'](1e6, 2):.1f}" in " ".join(text.split())


def test_the_pdf_opens_and_holds_its_lines() -> None:
    pdfium = pytest.importorskip("pypdfium2")
    document = pdfium.PdfDocument(SITE / "files/light-list.pdf")
    page = document[0]
    sheet = page.get_textpage()
    lines = sheet.get_text_range().split("\r\n")
    sheet.close()
    page.close()
    document.close()
    assert lines[0] == "Extract from a light list"
    assert len(lines) >= 10
    assert any("Elevation 41 m" in line for line in lines)


# behaviours


def test_an_exact_duplicate_has_equal_bytes_and_the_print_version_has_not(site: DemoSite) -> None:
    page, mirror, near = (get(site, f"/{folder}/fresnel-lens.html").body for folder in ("en", "mirror", "print"))
    assert page == mirror
    assert page != near
    shared = set(page.splitlines()) & set(near.splitlines())
    assert len(shared) > 0.7 * len(set(near.splitlines()))


def test_the_redirect_takes_two_steps(site: DemoSite) -> None:
    first = get(site, "/go/cordouan")
    second = get(site, first.headers["location"])
    assert (first.status, second.status) == (302, 301)
    assert get(site, second.headers["location"]).status == 200


@pytest.mark.parametrize("path", ["/en/lost-lights.html", "/nothing", "/site.json", "/en/", "/../server.py"])
def test_what_is_not_listed_is_404_with_a_page_that_says_so(site: DemoSite, path: str) -> None:
    got = get(site, path)
    assert got.status == 404
    assert b"No such page" in got.body


def test_robots_txt_closes_the_private_pages(site: DemoSite) -> None:
    protego = pytest.importorskip("protego")
    rules = protego.Protego.parse(get(site, "/robots.txt").body.decode())
    assert not rules.can_fetch(site.url + "/private/keepers-diary.html", "searchlog")
    assert rules.can_fetch(site.url + "/en/fresnel-lens.html", "searchlog")


def test_the_harbour_board_counts_visits_but_not_heads() -> None:
    with DemoSite() as site:
        get(site, "/en/harbour-board.html", "HEAD")
        bodies = [get(site, "/en/harbour-board.html").body for _ in range(3)]
    assert [re.search(rb"<strong>(\d+)</strong>", body)[1] for body in bodies] == [b"1", b"2", b"3"]  # type: ignore[index]
    assert len({re.sub(rb"<strong>.*", b"", body) + body[-700:] for body in bodies}) == 3


def test_the_handbook_is_gzip_for_those_who_accept_it(site: DemoSite) -> None:
    got = get(site, "/en/handbook.html", headers={"Accept-Encoding": "gzip, br"})
    assert got.headers["content-encoding"] == "gzip"
    assert gzip.decompress(got.body) == (SITE / "en/handbook.html").read_bytes()
    assert got.headers["etag"] != get(site, "/en/handbook.html").headers["etag"]


def test_cordouan_comes_in_chunks_with_a_digest_as_trailer(site: DemoSite) -> None:
    request = f"GET /en/cordouan.html HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n"
    got = raw(site.port, request.encode())
    assert b"\r\nTransfer-Encoding: chunked\r\n" in got
    assert b"\r\n5dc\r\n" in got
    digest = base64.b64encode(hashlib.sha256((SITE / "en/cordouan.html").read_bytes()).digest())
    assert got.endswith(b"\r\n0\r\nRepr-Digest: sha-256=:" + digest + b":\r\n\r\n")


def test_the_slow_page_is_slow(site: DemoSite) -> None:
    started = time.monotonic()
    get(site, "/en/bell-rock.html")
    assert time.monotonic() - started >= SLOW_S


def test_a_known_etag_gets_304_without_a_body(site: DemoSite) -> None:
    tag = get(site, "/en/eddystone.html").headers["etag"]
    got = get(site, "/en/eddystone.html", headers={"If-None-Match": tag})
    assert (got.status, got.body) == (304, b"")


# its search


@pytest.mark.parametrize("asked", manifest.queries(), ids=lambda asked: asked.query)
def test_each_suggested_query_finds_the_page_that_answers_it(site: DemoSite, asked: manifest.DemoQuery) -> None:
    assert site.url + asked.path in [row["url"] for row in search(site, asked.query)["results"]][:10]
    entry = next(entry for entry in ENTRIES if entry.path == asked.path)
    if entry.type != "application/pdf":
        assert asked.answer in " ".join(manifest.text_of(entry).split())
    else:
        assert asked.answer.encode() in (SITE / str(entry.file)).read_bytes()


def test_the_first_query_gives_every_filter_something_to_do(site: DemoSite) -> None:
    rows = search(site, site.queries[0].query)["results"]
    kinds = {entry.path: entry.behaviour for entry in ENTRIES}
    found = {kinds[row["url"].removeprefix(site.url)] for row in rows}
    assert found >= {"tracking", "duplicate", "near-duplicate", "redirect", "missing", "blocked", "unsafe", "hidden"}
    assert {row["url"].split(":")[0] for row in rows} == {"http", "javascript", "ftp"}


def test_results_of_both_rankings_stand_once_with_both_positions(site: DemoSite) -> None:
    rows = search(site, site.queries[0].query)["results"]
    assert len({row["url"] for row in rows}) == len(rows)
    both = [row for row in rows if len(row["engines"]) == 2]
    assert both
    for row in rows:
        assert row["score"] == pytest.approx(sum(len(row["positions"]) / at for at in row["positions"]))
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_the_second_page_holds_other_results(site: DemoSite) -> None:
    pages = [{row["url"] for row in search(site, "lens", pageno=number)["results"]} for number in ("1", "2", "9")]
    assert pages[1]
    assert len(pages[0] & pages[1]) < len(pages[1])
    assert pages[2] == set()


def test_a_language_leaves_only_its_pages(site: DemoSite) -> None:
    found = [row["url"] for row in search(site, "Fresnel lens", language="zh-CN")["results"]]
    assert found
    assert all("/zh/" in url for url in found)


def test_nothing_found_is_an_empty_list_and_no_query_is_an_error(site: DemoSite) -> None:
    assert search(site, "zxqvkj")["results"] == []
    assert get(site, "/search?format=json&q=").status == 400
    assert get(site, "/search?format=json&q=x&pageno=0").status == 400
    assert get(site, "/search?q=x").status == 403


def test_search_answers_a_posted_form_too(site: DemoSite) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=5)
    connection.request("POST", "/search", body=urlencode({"q": "Smeaton", "format": "json"}))
    found = json.loads(connection.getresponse().read())
    connection.close()
    assert found["results"][0]["url"] == site.url + "/en/eddystone.html"


# the server


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"Host: evil.example\r\n", b"421"),
        (b"Host: 127.0.0.1\r\n", b"421"),
        (b"", b"400"),
        (b"Host: localhost:PORT\r\nHost: evil.example\r\n", b"400"),
        (b"Host: LOCALHOST:PORT\r\n", b"200"),
    ],
    ids=["foreign", "no-port", "none", "two", "localhost"],
)
def test_a_request_for_another_host_is_misdirected(site: DemoSite, host: bytes, status: bytes) -> None:
    lines = host.replace(b"PORT", str(site.port).encode())
    got = raw(site.port, b"GET / HTTP/1.1\r\n" + lines + b"Connection: close\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 " + status)


def test_the_target_must_be_a_path_and_the_method_a_known_one(site: DemoSite) -> None:
    head = f"Host: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n".encode()
    assert raw(site.port, b"GET http://evil.example/ HTTP/1.1\r\n" + head).startswith(b"HTTP/1.1 400")
    assert get(site, "/", "DELETE").status == 405
    assert get(site, "/", "POST").status == 405


def test_a_site_listens_on_loopback_only_and_closes_at_once(site: DemoSite) -> None:
    before = threading.active_count()
    other = DemoSite().open()
    port = other.port
    with socket.create_connection(("127.0.0.1", port), timeout=5) as idle:
        idle.sendall(f"HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert idle.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        assert idle.getpeername()[0] == "127.0.0.1"
        started = time.monotonic()
        other.close()
        other.close()
        assert time.monotonic() - started < 2
        assert idle.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    with pytest.raises(UsageError, match="not open"):
        _ = other.url
    deadline = time.monotonic() + 2
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
    with pytest.raises(StoreError, match="cannot listen"):
        DemoSite(site.port).open()


# folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    (top / "sub").mkdir(parents=True)
    (top / ".hidden").mkdir()
    for name in ("index.html", "a b.md", "sub/灯.txt", "sub/page.XHTML", "sub/data.bin", ".hidden/x.html", ".env.txt"):
        (top / name).write_text(f"text of {name}", "utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    return top


def test_a_folder_lists_its_text_files_and_serves_each(folder: Path) -> None:
    with FolderSite(folder) as site:
        pages = [url.removeprefix(site.url) for url in site.pages()]
        assert pages == ["/a%20b.md", "/index.html", "/sub/page.XHTML", "/sub/%E7%81%AF.txt"]
        for page in pages:
            assert get(site, page).status == 200
        assert get(site, "/").body == b"text of index.html"
        assert get(site, "/sub/data.bin").headers["content-type"] == "application/octet-stream"
        assert get(site, "/a%20b.md").headers["content-type"] == "text/markdown"
        assert get(site, "/sub/page.XHTML").headers["content-type"] == "application/xhtml+xml"


def test_what_is_left_aside_is_counted_by_its_reason(folder: Path) -> None:
    """Files of other types and hidden ones were passed over without a word."""
    (folder / "sub" / "Makefile").write_text("all:")
    (folder / "sub" / "more.BIN").write_text("")
    (folder / "gone.txt").symlink_to(folder / "nowhere")
    with FolderSite(folder) as site:
        survey = site.survey()
        assert survey.pages == site.pages()
    assert survey.left_aside == {".bin": 2, "hidden": 2, "no file of this folder": 1, "no suffix": 1}


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/sub/../../secret.txt",
        "/sub/%2e%2e%2f%2e%2e%2fsecret.txt",
        "//secret.txt",
        "/.env.txt",
        "/.hidden/x.html",
        "/sub/./page.XHTML",
        "/index.html%00.txt",
        "/sub",
        "/sub/",
        "/index.html/",
    ],
)
def test_no_target_leaves_the_folder_or_lists_it(folder: Path, target: str) -> None:
    with FolderSite(folder) as site:
        host = f"Host: 127.0.0.1:{site.port}\r\nConnection: close"
        got = raw(site.port, f"GET {target} HTTP/1.1\r\n{host}\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 404")
    assert b"secret" not in got


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_followed_only_inside_the_folder(folder: Path) -> None:
    (folder / "out.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "up").symlink_to(folder.parent)
    (folder / "dot.txt").symlink_to(folder / ".env.txt")
    (folder / "circle.txt").symlink_to(folder / "circle.txt")
    (folder / "inside.txt").symlink_to(folder / "index.html")
    os.mkfifo(folder / "pipe.txt")
    with FolderSite(folder) as site:
        for name in ("out.txt", "up/secret.txt", "dot.txt", "circle.txt", "pipe.txt"):
            assert get(site, f"/{name}").status == 404
            assert f"{site.url}/{name}" not in site.pages()
        assert get(site, "/inside.txt").body == b"text of index.html"
        assert f"{site.url}/inside.txt" in site.pages()


def test_a_folder_file_has_validators_and_changes_its_etag_when_written(folder: Path) -> None:
    with FolderSite(folder) as site:
        first = get(site, "/index.html")
        assert get(site, "/index.html", headers={"If-None-Match": first.headers["etag"]}).status == 304
        (folder / "index.html").write_text("another text, longer")
        again = get(site, "/index.html", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (200, b"another text, longer")
        head = get(site, "/index.html", "HEAD")
        assert (head.body, head.headers["content-length"]) == (b"", "20")


def test_a_large_file_arrives_whole(tmp_path: Path) -> None:
    data = os.urandom(3_000_001)
    (tmp_path / "large.bin").write_bytes(data)
    with FolderSite(tmp_path) as site:
        assert get(site, "/large.bin").body == data


def test_a_missing_folder_or_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="no such folder"):
        FolderSite(tmp_path / "missing")
    with pytest.raises(UsageError, match="not a folder"):
        FolderSite(tmp_path / "file")


# the test servers


def test_a_scripted_site_answers_logs_and_fails_as_told() -> None:
    pages = {"/": (200, {"X-Odd-CASE": "1"}, "hello"), "/drip": (200, {}, "abc"), "/cut": (200, {}, "0123456789")}
    with serve(pages, hang={"/hang"}, drip={"/drip": 0.001}, reset={"/cut", "/gone"}, delay={"/": 0.01}) as site:
        head = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", site.port), timeout=5) as wire:
            wire.sendall(b"GET /?q=1" + head)
            assert wire.recv(65_536) == b"HTTP/1.1 200 Status\r\nX-Odd-CASE: 1\r\nContent-Length: 5\r\n\r\nhello"
            wire.sendall(b"GET /drip" + head)
            got = b""
            while not got.endswith(b"abc"):
                got += wire.recv(65_536)
        for path in (b"/cut", b"/gone"):
            with pytest.raises(ConnectionResetError):
                raw(site.port, b"GET " + path + head)
        with socket.create_connection(("127.0.0.1", site.port), timeout=0.05) as wire:
            wire.sendall(b"GET /hang" + head)
            with pytest.raises(TimeoutError):
                wire.recv(1)
        assert site.paths == ["/?q=1", "/drip", "/cut", "/gone", "/hang"]
        assert site.hits[0].header("host") == "x"
