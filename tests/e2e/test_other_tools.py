"""Snapshots in the hands of other people's tools: py-wacz, warcio, FastWARC, pywb, and replayweb.page in Chromium.

The tools are none of our dependencies. `.ci/run` installs them into a folder of their own and names it in
SEARCHLOG_TOOLS: a virtual environment, and `replaywebpage/` with `ui.js` and `sw.js` of the npm package. Nothing
leaves loopback. A server sends exact bytes, a session fetches them, its snapshot goes to the tools, and what they
give back is compared with what the server sent. Where a tool is known to be wrong, the test says what it does.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import http.server
import json
import re
import subprocess
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from searchlog.container.reader import ZipReader
from searchlog.log.checkpoint import format_checkpoint
from searchlog.webarchive.surt import surt
from tests import chromium
from tests.pywb_server import TOOLS, WAIT_S, pywb
from tests.searches import ask, opened
from tests.sites import serve
from tests.snapshots import token
from tests.test_surt import PAIRS
from tests.wire_server import WireServer

pytestmark = [
    pytest.mark.skipif(
        not (TOOLS / "bin" / "wacz").exists(),
        reason="SEARCHLOG_TOOLS names no folder with other people's tools; .ci/run makes one",
    ),
    pytest.mark.slow,
]

HTML = b"Content-Type: text/html; charset=utf-8"
"""How long a tool may take for one step before the test gives up."""


# --- what is served


@dataclass(frozen=True)
class Served:
    """One answer, and what a reader should make of it."""

    raw: bytes
    payload: bytes
    status: int = 200
    decoded: bytes | None = None
    """The payload without content coding, where it has one."""
    words: str = ""
    """What stands on the screen; empty for what is no page."""
    glued: bytes = b""
    """What pywb serves after the payload: it does not read trailers."""

    @property
    def plain(self) -> bytes:
        return self.payload if self.decoded is None else self.decoded


def sentence(name: str) -> str:
    return f"This is the page {name}. " + " ".join(["tide and rope and paper"] * 20)


def document(name: str) -> bytes:
    return (
        f"<!DOCTYPE html><html><head><title>{name}</title></head><body><p>{sentence(name)}</p></body></html>".encode()
    )


def chunked(data: bytes, step: int = 50) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in _cut(data, step))


def _cut(data: bytes, step: int) -> Iterator[bytes]:
    return (data[at : at + step] for at in range(0, len(data), step))


def message(status: bytes, *fields: bytes, body: bytes = b"", length: bool = True) -> bytes:
    sized = [b"Content-Length: %d" % len(body)] if length else []
    return b"\r\n".join([b"HTTP/1.1 " + status, *fields, *sized]) + b"\r\n\r\n" + body


def _page(name: str, *fields: bytes, status: bytes = b"200 OK") -> Served:
    body = document(name)
    return Served(message(status, HTML, *fields, body=body), body, int(status[:3]), words=sentence(name))


def _packed(name: str) -> Served:
    data = gzip.compress(document(name), mtime=0)
    raw = message(b"200 OK", HTML, b"Content-Encoding: gzip", body=data)
    return Served(raw, data, decoded=document(name), words=sentence(name))


def _in_chunks(name: str, *fields: bytes, trailer: bytes = b"") -> Served:
    """Return a page in chunks; with a trailer field."""
    body = document(name)
    sent = chunked(body) + b"0\r\n" + trailer + b"\r\n"
    raw = message(b"200 OK", HTML, b"Transfer-Encoding: chunked", *fields, body=sent, length=False)
    # pywb takes the two bytes after the last chunk's length for the end of the last chunk
    glued = b"0\r\n" + trailer[2:] + b"\r\n" if trailer else b""
    return Served(raw, body, words=sentence(name), glued=glued)


def _packed_in_chunks(name: str) -> Served:
    data = gzip.compress(document(name), mtime=0)
    sent = chunked(data) + b"0\r\n\r\n"
    fields = (HTML, b"Content-Encoding: gzip", b"Transfer-Encoding: chunked")
    raw = message(b"200 OK", *fields, body=sent, length=False)
    return Served(raw, data, decoded=document(name), words=sentence(name))


def answers() -> dict[str, Served]:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    odd = b"HTTP/1.1 200 OK\r\ncOnTent-type:   text/html\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Latin: caf\xe9\r\n"
    odd += b"X-Folded: one\r\n two\r\nContent-Length: %d\r\n\r\n" % len(document("odd")) + document("odd")
    closing = message(b"200 OK", HTML, b"Connection: close", body=document("closed"), length=False)
    bare = b"HTTP/1.1 200\r\n" + message(b"", HTML, body=document("bare")).partition(b"\r\n")[2]
    text = b"Plain text is shown as it is.\n"
    return {
        "/plain": _page("plain"),
        "/parameters?b=2&a=1": _page("parameters"),
        "/caf%C3%A9?q=%2F": _page("accents"),
        "/chunked": _in_chunks("chunked"),
        "/gzip": _packed("gzip"),
        "/gzip-chunked": _packed_in_chunks("gzip-chunked"),
        "/trailers": _in_chunks("trailers", b"Trailer: X-Sum", trailer=b"X-Sum: 12\r\n"),
        "/closed": Served(closing, document("closed"), words=sentence("closed")),
        "/bare": Served(bare, document("bare"), words=sentence("bare")),
        "/odd": Served(odd, document("odd"), words=sentence("odd")),
        "/early": replace(_page("early"), raw=early + _page("early").raw),
        "/text": Served(message(b"200 OK", b"Content-Type: text/plain", body=text), text, words=text.decode().strip()),
        # the same bytes as /plain: a revisit
        "/copy": _page("plain"),
        "/gone": _page("gone", status=b"404 Not Found"),
        "/moved": Served(message(b"302 Found", b"Location: /plain"), b"", 302, words=sentence("plain")),
    }


ANSWERS = answers()
REVISIT = "/copy"


# --- what is shared


@dataclass(frozen=True)
class Shared:
    """The snapshots of one session, by kind."""

    base: str
    """Address of the server that was asked; it is gone."""
    files: dict[str, Path]

    @property
    def whole(self) -> Path:
        return self.files["session"]


class _Sealer:
    """Signs with a key that nobody has: to other tools a signature is text in a file."""

    vkey = "nobody.example+00000000+AQ=="

    def sign(self, text: str) -> str:
        return f"{text}\n\u2014 nobody.example AAAAAAAA\n"


KINDS: dict[str, dict[str, Any]] = {
    "session": {},
    "search": {"turns": (3,)},
    "evidence": {"evidence": ("e1",)},
    "without-pages": {"profile": "evidence"},
    "hashes": {"profile": "hashes"},
    "redacted": {"redact": ("pattern:the page gone",)},
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """A session that fetched each answer, and the same once more through a search."""
    folder = tmp_path_factory.mktemp("shared")
    script = {path: [answer.raw] for path, answer in ANSWERS.items()}
    script["/robots.txt"] = [message(b"404 Not Found")]
    with WireServer(script) as server, serve({}) as site, opened("memory:") as archive:
        session = archive.session(title="everything")
        urls = {path: server.url(path) for path in ANSWERS}
        with_revisit = [[url for path, url in urls.items() if path != REVISIT], [urls[REVISIT]]]
        for group in with_revisit:
            session.fetch_many(group, allow_private=("127.0.0.1",))
        found = [urls["/plain"], urls["/chunked"], urls["/gzip"]]
        search = ask(session, site, "tide and rope", found)
        assert search.evidence
        files = {}
        for kind, choice in KINDS.items():
            files[kind] = folder / f"{kind}.wacz"
            text = format_checkpoint(archive.ledger(session.id).checkpoint())
            seals = {"signer": _Sealer(), "tokens": [token(text)]} if kind == "session" else {}
            archive.write_export(archive.plan_export(session.id, **choice), files[kind], **seals)
        return Shared(server.url(""), files)


def run(*command: str | Path, cwd: Path | None = None, check: bool = True) -> str:
    """Run one of the tools; return what it says on both channels."""
    program = TOOLS / "bin" / str(command[0])
    done = subprocess.run(
        [program, *command[1:]],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=WAIT_S,
        check=False,
    )
    said = done.stdout.decode("utf-8", "replace")
    assert not check or done.returncode == 0, said
    return said


def unpacked(file: Path, folder: Path) -> Path:
    """Return the WARC of a snapshot as a file."""
    with zipfile.ZipFile(file) as zipped:
        return Path(zipped.extract("archive/data.warc", folder))


@dataclass(frozen=True)
class WarcRecord:
    """One record of the WARC, as these few lines of reading see it."""

    fields: dict[str, str]
    block: bytes
    offset: int
    size: int


def warc_records(data: bytes) -> list[WarcRecord]:
    found, at = [], 0
    while at < len(data):
        head, _, rest = data[at:].partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        assert first == "WARC/1.1"
        fields = dict(line.split(": ", 1) for line in lines)
        size = int(fields["Content-Length"])
        assert rest[size : size + 4] == b"\r\n\r\n"
        whole = len(head) + 4 + size + 4
        found.append(WarcRecord(fields, rest[:size], at, whole))
        at += whole
    return found


def index_of(file: Path) -> list[dict[str, str]]:
    """Return the lines of the index, each with its key and timestamp."""
    with zipfile.ZipFile(file) as zipped:
        lines = zipped.read("indexes/index.cdx").decode().splitlines()
    parts = [line.split(" ", 2) for line in lines]
    return [{"key": key, "timestamp": timestamp, **json.loads(body)} for key, timestamp, body in parts]


# --- py-wacz


@pytest.mark.parametrize("kind", KINDS)
def test_wacz_validate_accepts(shared: Shared, kind: str) -> None:
    assert "Validation succeeded" in run("wacz", "validate", "-f", shared.files[kind])


def test_wacz_validate_can_refuse(shared: Shared, tmp_path: Path) -> None:
    """Or its word would mean nothing: the log changed by one byte."""
    data = bytearray(shared.whole.read_bytes())
    with shared.whole.open("rb") as file:
        at, _ = ZipReader(file).extent("searchlog/session.log")
    data[at + 9] ^= 1
    changed = tmp_path / "changed.wacz"
    changed.write_bytes(data)
    assert "Validation succeeded" not in run("wacz", "validate", "-f", changed, check=False)


def test_what_py_wacz_makes_opens_here(shared: Shared, tmp_path: Path) -> None:
    """A file of another form, with deflated members and times of today; the WARC in it is ours again."""
    made = tmp_path / "made.wacz"
    warc = unpacked(shared.whole, tmp_path)
    run("wacz", "create", "-f", warc, "-o", made, "--detect-pages")
    with made.open("rb") as file:
        reader = ZipReader(file)
        assert reader.read("archive/data.warc", 1 << 24) == warc.read_bytes()
        assert b"data-package" in reader.read("datapackage.json", 1 << 20)
        assert all(reader.read(name, 1 << 24) is not None for name in reader.members)
        assert reader.canonical is not None


def test_what_was_validated_has_every_kind_of_member(shared: Shared) -> None:
    with zipfile.ZipFile(shared.whole) as whole, zipfile.ZipFile(shared.files["evidence"]) as part:
        names = {*whole.namelist(), *part.namelist()}
    endings = {Path(name).suffix for name in names if name.startswith("searchlog/")}
    assert endings == {".json", ".log", ".txt", ".tsr", ".tlog-proof"}
    assert {"searchlog/keys.txt", "searchlog/rendering-3.txt"} <= names


# --- the WARC


@pytest.mark.parametrize("kind", KINDS)
def test_warcio_check_accepts(shared: Shared, kind: str, tmp_path: Path) -> None:
    said = run("warcio", "check", "-v", unpacked(shared.files[kind], tmp_path))
    assert "digest failed" not in said
    records = warc_records((tmp_path / "archive" / "data.warc").read_bytes())
    assert said.count("WARC-Record-ID") == len(records)


@pytest.mark.parametrize("kind", KINDS)
def test_fastwarc_check_accepts(shared: Shared, kind: str, tmp_path: Path) -> None:
    path = unpacked(shared.files[kind], tmp_path)
    records = warc_records(path.read_bytes())
    assert f"{len(records)} records were verified successfully." in run("fastwarc", "check", path)
    # payloads as well: it fails every revisit, whose payload is not in it
    said = run("fastwarc", "check", "-p", path, check=False)
    revisits = {record.fields["WARC-Record-ID"] for record in records if record.fields["WARC-Type"] == "revisit"}
    assert set(re.findall(r"(?m)^<urn:uuid:[^>]+>", said)) == revisits
    assert revisits or f"{len(records)} records were verified successfully." in said


@pytest.mark.parametrize("tool", ["warcio", "fastwarc"])
def test_warc_checks_can_refuse(shared: Shared, tool: str, tmp_path: Path) -> None:
    path = unpacked(shared.whole, tmp_path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"This is the page plain", b"This is the page plaid", 1))
    said = run(tool, "check", path, check=False)
    assert "digest failed" in said or "Failed records" in said


def test_the_index_points_at_its_records(shared: Shared, tmp_path: Path) -> None:
    data = unpacked(shared.whole, tmp_path).read_bytes()
    records = {record.offset: record for record in warc_records(data)}
    lines = index_of(shared.whole)
    urls = {shared.base + path for path in ANSWERS}
    assert urls <= {line["url"] for line in lines}
    assert {line["mime"] for line in lines if line["url"] == shared.base + REVISIT} == {"warc/revisit"}
    for line in lines:
        record = records[int(line["offset"])]
        raw = data[record.offset : record.offset + record.size]
        assert line["length"] == str(len(raw))
        assert line["recordDigest"] == "sha256:" + hashlib.sha256(raw).hexdigest()
        assert record.fields["WARC-Target-URI"] == line["url"]
        assert re.sub(r"\D", "", record.fields["WARC-Date"])[:14] == line["timestamp"]


def test_keys_are_those_of_the_package_surt(shared: Shared) -> None:
    """Of the URLs in the index, and of pieces of the frozen table put together."""
    pieces = [url.partition("//")[2] for url, _ in PAIRS if "//" in url]
    urls = [line["url"] for line in index_of(shared.whole)]
    urls += [f"https://example.com/{one}/{two}" for one in pieces for two in pieces]
    script = "import json, sys, surt; print(json.dumps([surt.surt(url) for url in json.load(sys.stdin)]))"
    done = subprocess.run(
        [TOOLS / "bin" / "python", "-W", "ignore", "-c", script],
        input=json.dumps(urls).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=WAIT_S,
    )
    differing = [
        (url, key, surt(url)) for url, key in zip(urls, json.loads(done.stdout), strict=True) if surt(url) != key
    ]
    assert differing == []


# --- pywb


@dataclass(frozen=True)
class Replay:
    """A running pywb with one collection."""

    port: int
    stamps: dict[str, str]
    """The timestamp of each URL's capture."""

    def get(self, url: str, accept: str = "identity") -> tuple[int, dict[str, str], bytes]:
        """Return status, header fields and body of a capture, asked for without rewriting."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.request("GET", f"/shared/{self.stamps[url]}id_/{url}", headers={"Accept-Encoding": accept})
            answer = connection.getresponse()
            fields = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, fields, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def replay(shared: Shared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    folder = tmp_path_factory.mktemp("pywb")
    run("wb-manager", "init", "shared", cwd=folder)
    run("wb-manager", "add", "shared", shared.whole, "--unpack-wacz", cwd=folder)
    stamps = {line["url"]: line["timestamp"] for line in index_of(shared.whole)}
    with pywb(folder) as port:
        yield Replay(port, stamps)


@pytest.mark.parametrize("path", ANSWERS)
def test_pywb_serves_what_was_served(shared: Shared, replay: Replay, path: str) -> None:
    answer = ANSWERS[path]
    status, fields, body = replay.get(shared.base + path)
    assert status == answer.status
    assert body == answer.plain + answer.glued
    assert "memento-datetime" in fields
    if path == "/moved":
        assert urlsplit(fields["location"]).path.endswith("/plain")


@pytest.mark.parametrize("path", ["/gzip", "/gzip-chunked"])
def test_pywb_serves_the_content_coding_to_who_takes_it(shared: Shared, replay: Replay, path: str) -> None:
    _, fields, body = replay.get(shared.base + path, accept="gzip")
    assert fields["content-encoding"] == "gzip"
    assert body == ANSWERS[path].payload


# --- replayweb.page


class _Pages(http.server.BaseHTTPRequestHandler):
    """The viewer and a snapshot, with byte ranges. `/view?url=..` is a page with the viewer in it."""

    protocol_version = "HTTP/1.1"

    def __init__(self, files: dict[str, Path], *arguments: Any) -> None:
        self._files = files
        super().__init__(*arguments)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/view":
            url = parse_qs(parts.query)["url"][0].replace("&", "&amp;")
            self._send(200, "text/html", _VIEW.replace("URL", url).encode())
        elif parts.path in self._files:
            data = self._files[parts.path].read_bytes()
            kind = "text/javascript" if parts.path.endswith(".js") else "application/octet-stream"
            wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
            if wanted is None:
                self._send(200, kind, data)
                return
            first = int(wanted[1]) if wanted[1] else max(0, len(data) - int(wanted[2]))
            last = min(int(wanted[2]), len(data) - 1) if wanted[1] and wanted[2] else len(data) - 1
            self._send(206, kind, data[first : last + 1], f"bytes {first}-{last}/{len(data)}")
        else:
            self._send(404, "text/plain", b"")

    def _send(self, status: int, kind: str, data: bytes, part: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Accept-Ranges", "bytes")
        if part is not None:
            self.send_header("Content-Range", part)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


_VIEW = """<!DOCTYPE html><body><replay-web-page source="/shared.wacz" url="URL" replayBase="/replay/"
embed="replayonly" style="height: 900px"></replay-web-page><script src="/ui.js"></script>"""

# what stands in the innermost frame, which shows the capture, once it is all there
_SHOWN = """new Promise((resolve) => {
  const frames = (root) => [...root.querySelectorAll('*')].flatMap((element) => {
    if (element.shadowRoot) return frames(element.shadowRoot);
    if (element.tagName !== 'IFRAME' || !element.contentDocument) return [];
    return [element.contentDocument, ...frames(element.contentDocument)];
  });
  const end = Date.now() + 50000;
  const look = () => {
    const shown = frames(document).filter((page) => /[0-9]mp_[/]/.test(page.location.href));
    const text = shown.map((page) => page.readyState === 'complete' && page.body ? page.body.innerText.trim() : '');
    if (text.some((part) => part)) resolve(text.join('').trim());
    else if (Date.now() > end) resolve('nothing: ' + frames(document).map((page) => page.location.href).join(' '));
    else setTimeout(look, 50);
  };
  look();
})"""


@contextmanager
def _viewer(file: Path) -> Iterator[str]:
    code = TOOLS / "replaywebpage"
    files = {"/ui.js": code / "ui.js", "/replay/sw.js": code / "sw.js", "/shared.wacz": file}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, files))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _show(browser: chromium.Browser, base: str, url: str) -> str:
    """Return what the viewer shows of a capture."""
    browser.open(f"{base}/view?{urlencode({'url': url})}")
    return str(browser.evaluate(_SHOWN, timeout_s=WAIT_S))


@pytest.fixture(scope="module")
def viewed(shared: Shared) -> Iterator[tuple[chromium.Browser, str]]:
    if not (TOOLS / "replaywebpage" / "ui.js").exists():
        pytest.skip("no replayweb.page among the tools: npm was not there")
    if chromium.path() is None:
        pytest.skip("no Chromium here")
    with _viewer(shared.whole) as base, chromium.running(scripts=True) as browser:
        yield browser, base


def paths_with_words() -> Sequence[str]:
    return [path for path, answer in ANSWERS.items() if answer.words]


@pytest.mark.parametrize("path", paths_with_words())
def test_replayweb_page_shows_the_page(shared: Shared, viewed: tuple[chromium.Browser, str], path: str) -> None:
    browser, base = viewed
    assert _show(browser, base, shared.base + path) == ANSWERS[path].words
