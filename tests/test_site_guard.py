"""Whoever asks a local server of ours on behalf of another site gets nothing: every face, route, method and header."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchlog.demo.server import DemoSite
from searchlog.site_server import FolderSite, LoopbackSite
from tests.test_demo_site import raw

HOSTS = {
    "127.0.0.1:{port}": True,
    "localhost:{port}": True,
    "LocalHost:{port}": True,
    "evil.example": False,
    "evil.example:{port}": False,
    "127.0.0.1": False,
    "127.0.0.1:1": False,
    "127.0.0.1:{port}.evil.example": False,
    "evil.example@127.0.0.1:{port}": False,
    "127.0.0.1:{port}/": False,
    "[::1]:{port}": False,
    "0.0.0.0:{port}": False,
    "": False,
}
ORIGINS = {
    None: True,
    "http://127.0.0.1:{port}": True,
    "http://localhost:{port}": True,
    "null": False,
    "http://evil.example": False,
    "https://127.0.0.1:{port}": False,
    "http://127.0.0.1": False,
    "http://127.0.0.1:1": False,
    "http://127.0.0.1:{port}.evil.example": False,
    "": False,
}
SITES = {None: True, "same-origin": True, "none": True, "same-site": False, "cross-site": False}
PATHS = ("/", "/secret.html", "/search?q=x&format=json", "/robots.txt", "/no/such")
METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")


@pytest.fixture(scope="module", params=["folder", "demo"])
def face(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSite]:
    folder: Path = tmp_path_factory.mktemp("served")
    (folder / "secret.html").write_text("<p>SECRET")
    with FolderSite(folder) if request.param == "folder" else DemoSite() as site:
        yield site


def ask(face: LoopbackSite, path: str, method: str, host: str, origin: str | None, site: str | None) -> bytes:
    fields = [f"Host: {host.format(port=face.port)}", "Connection: close", "Content-Length: 0"]
    fields += [] if origin is None else [f"Origin: {origin.format(port=face.port)}"]
    fields += [] if site is None else [f"Sec-Fetch-Site: {site}"]
    return raw(face.port, f"{method} {path} HTTP/1.1\r\n".encode() + "\r\n".join(fields).encode() + b"\r\n\r\n")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", PATHS)
def test_foreign_requests_get_nothing(face: LoopbackSite, path: str, method: str) -> None:
    own = "127.0.0.1:{port}"
    for host, origin, site in [
        *itertools.product(HOSTS, [None], [None]),
        *itertools.product([own], ORIGINS, [None]),
        *itertools.product([own], [None], SITES),
    ]:
        got = ask(face, path, method, host, origin, site)
        if HOSTS[host] and ORIGINS[origin] and SITES[site]:
            assert b"of other sites" not in got
            assert not got.startswith(b"HTTP/1.1 421")
            continue
        assert got.startswith((b"HTTP/1.1 421", b"HTTP/1.1 403", b"HTTP/1.1 400")), (host, origin, site, got[:80])
        assert b"SECRET" not in got
        assert b"access-control-allow" not in got.lower()


def test_what_is_asked_from_here_is_answered(face: LoopbackSite) -> None:
    path = "/secret.html" if isinstance(face, FolderSite) else "/"
    got = ask(face, path, "GET", "localhost:{port}", "http://localhost:{port}", "same-origin")
    assert got.startswith(b"HTTP/1.1 200")
