"""Pages from files of other tools: like our own once they are here, and nothing but what is sound gets here."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchlog.archive import Archive, open_archive
from searchlog.capture.exchange import Exchange, wire_response
from searchlog.clock import FixedClock
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, IntegrityError, SearchlogError, UsageError
from searchlog.extract.pool import InProcess
from searchlog.foreign_captures import ForeignImport, import_captures, known_whole, open_foreign
from searchlog.records import BlobRef, Capture, Conversion, Evidence, Turn
from searchlog.replay import replay
from searchlog.session import Session
from searchlog.stored import stored_exchange
from tests.searches import bodies, check_clean, opened
from tests.warcs import Built, chunked, html, http, packed, page, plain, record, request, response, revisit, wacz

MILL = "The tide mill stores the flood in a pond. Its gate shuts at high water by itself."
GATE = "A sluice gate of the tide mill is hung so that the ebb closes it. No keeper is needed."
URL = "https://site.example/mill"
OTHER = "https://site.example/gate"
VECTORS = Path(__file__).parent / "vectors"
VECTOR = VECTORS / "warcio-example.warc.gz"


@pytest.fixture
def archive() -> Iterator[Archive]:
    with opened(clock=FixedClock()) as made:
        yield made


def file(folder: Path, data: bytes | Iterable[Built], name: str = "pages.warc") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else plain(data))
    return path


def captures(session: Session) -> list[Capture]:
    return bodies(session, Capture)


def texts(session: Session) -> dict[str, str]:
    """Return the text of each page that gave one, by URL."""
    made: list[Conversion] = bodies(session, Conversion)
    blobs = session.ledger.blobs
    return {item.url: blobs.get(Digest(item.text.blob)).decode() for item in made if isinstance(item.text, BlobRef)}


def exchange(session: Session, number: int = 0) -> Exchange:
    return stored_exchange(captures(session)[number], session.ledger.blobs, session.ledger.load)


def one(archive: Archive, folder: Path, *records: Built) -> Exchange:
    """Import these records, and return the exchange of the last of their captures."""
    session = archive.session()
    made = import_captures(session, file(folder, records))
    assert made.faults == ()
    check_clean(session)
    return exchange(session, -1)


# --- like our own


def test_imported_pages_are_found_by_archive_and_serve_as_evidence(archive: Archive, tmp_path: Path) -> None:
    session = archive.session()
    path = file(tmp_path, [page(URL, MILL, "Mills"), request(URL), page(OTHER, GATE, "Gates")])
    made = import_captures(session, path)
    assert (made.imported, made.texts, made.already, made.aside, made.faults) == (2, 2, 0, {}, ())
    search = archive.session().search("tide mill gate", providers=["archive"])
    assert sorted({item.source.url for item in search.evidence}) == [OTHER, URL]
    assert {item.source.captured_at for item in search.evidence} == {"2026-01-01T00:00:00.000000Z"}
    assert "Its gate shuts at high water" in search.rendering
    check_clean(session)
    other = archive.session(search.session)
    check_clean(other)
    again = replay(other.ledger, search.turn, InProcess())
    assert (again.equal, again.differences) == (True, [])


def test_a_capture_says_which_record_of_which_file_it_was(archive: Archive, tmp_path: Path) -> None:
    info = record("warcinfo", b"software: x\r\n", content_type="application/warc-fields")
    built = page(URL, MILL)
    path = file(tmp_path, [info, built])
    session = archive.session()
    made = import_captures(session, path)
    (body,) = captures(session)
    assert body.imported == {
        "file": "pages.warc",
        "digest": digest(path.read_bytes()),
        "record": built.id[1:-1],
        "offset": len(info.bytes),
    }
    assert made.digest == digest(path.read_bytes())
    assert made.aside == {"warcinfo": 1}
    assert (body.final, body.hop, body.purpose, body.asked, body.url) == (True, 0, "page", URL, URL)
    begin, end = bodies(session, Turn, made.turn)
    assert (begin.purpose, end.outcome) == ("import", "ok")


@pytest.mark.parametrize("kind", ["warc.gz", "wacz", "wacz-deflated", "one-member"])
def test_the_same_pages_come_from_every_kind_of_file(archive: Archive, tmp_path: Path, kind: str) -> None:
    records = [page(URL, MILL), request(URL), page(OTHER, GATE)]
    data = {
        "warc.gz": packed(records),
        "wacz": wacz({"archive/data.warc.gz": packed(records), "pages/pages.jsonl": b"{}\n"}),
        "wacz-deflated": wacz({"archive/a.warc": plain(records[:2]), "archive/b.warc": records[2].bytes}, deflate=True),
        "one-member": gzip.compress(plain(records)),
    }[kind]
    session = archive.session()
    made = import_captures(session, file(tmp_path, data, f"a.{kind}"))
    assert (made.imported, made.texts) == (2, 2)
    assert [fault.code for fault in made.faults] == (["shared-member"] if kind == "one-member" else [])
    assert texts(session) == {URL: MILL, OTHER: GATE}
    members = {(body.imported or {}).get("member") for body in captures(session)}
    assert (
        members
        == {
            "warc.gz": {None},
            "wacz": {"archive/data.warc.gz"},
            "wacz-deflated": {"archive/a.warc", "archive/b.warc"},
            "one-member": {None},
        }[kind]
    )
    check_clean(session)


def test_a_file_that_warcio_wrote_is_imported(archive: Archive) -> None:
    """A response and a revisit of it, with their requests; two records about the file itself."""
    session = archive.session()
    made = import_captures(session, VECTOR)
    assert (made.imported, made.texts, made.aside, made.faults) == (2, 2, {"warcinfo": 2}, ())
    assert set(texts(session)) == {"http://example.com/"}
    first, second = sorted(captures(session), key=lambda body: body.captured_at or "")
    assert first.payload == second.payload
    check_clean(session)
    assert archive.session().search("illustrative examples", providers=["archive"]).evidence


@pytest.mark.parametrize("name", ["wget-example.warc.gz", "py-wacz-example.wacz"])
def test_a_file_that_wget_wrote_is_imported_alone_and_in_a_package(name: str) -> None:
    """wget puts its own log, as records of a scheme of its own, beside the pages."""
    with opened() as archive:  # by the clock of the machine: a record of the future is left aside
        session = archive.session()
        made = import_captures(session, VECTORS / name)
        assert (made.imported, made.texts, made.faults) == (3, 2, ())
        assert made.aside == {"metadata": 1, "uri-scheme": 2, "warcinfo": 1}
        assert {url.rsplit("/", 1)[-1] for url in texts(session)} == {"a.html", "b.html"}
        assert sorted(body.status or 0 for body in captures(session)) == [200, 200, 404]
        check_clean(session)
        assert archive.session().search("stores the flood in a pond", providers=["archive"]).evidence


def test_redirects_and_errors_are_captures_too(archive: Archive, tmp_path: Path) -> None:
    session = archive.session()
    moved = response(URL, http(b"", f"Location: {OTHER}", status="302 Found"))
    gone = response(OTHER, http(html("No such page."), "Content-Type: text/html", status="404 Not Found"))
    made = import_captures(session, file(tmp_path, [moved, gone]))
    assert (made.imported, made.texts) == (2, 0)
    assert {body.url: body.status for body in captures(session)} == {URL: 302, OTHER: 404}
    check_clean(session)


# --- again


def test_importing_a_file_again_adds_nothing(archive: Archive, tmp_path: Path) -> None:
    session = archive.session()
    first = page(URL, MILL)
    path = file(tmp_path, [first, page(OTHER, GATE), revisit(first, http(), OTHER + "/2", "id")])
    import_captures(session, path)
    size = len(session.records())
    for elsewhere in (session, archive.session()):
        before = len(elsewhere.records())
        made = import_captures(elsewhere, file(tmp_path, path.read_bytes(), "renamed.warc"))
        assert (made.imported, made.already, made.turn) == (0, 3, None)
        assert len(elsewhere.records()) == before
    assert len(session.records()) == size


def test_an_import_that_was_broken_off_is_brought_to_its_end(archive: Archive, tmp_path: Path) -> None:
    session = archive.session()
    pages = [page(f"https://site.example/{n}", f"{MILL} {n}") for n in range(20)]
    path = file(tmp_path, pages)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_captures(session, path, progress=stop)
    there = len(captures(session))
    assert 0 < there < 20
    made = import_captures(session, path)
    assert (made.imported, made.already) == (20 - there, there)
    assert sorted(body.url for body in captures(session)) == sorted(
        dict(item.fields)["WARC-Target-URI"] for item in pages
    )
    check_clean(session)


# --- secrets


@pytest.mark.parametrize("coding", ["plain", "gzip"])
def test_no_secret_of_theirs_or_ours_reaches_the_disk(tmp_path: Path, coding: str) -> None:
    ours, cookie, bearer, login = (
        "tvly-canary-1f6A9c2b77x", "canary8cookie9E8d7c6b5a", "canary9bearer0A1b2c3d4", "canary0login5X6y7z"
    )  # fmt: skip
    body = html(f"{MILL} {ours} {cookie} <a href='https://user:{login}@site.example/'>in</a>")
    sent = gzip.compress(body, mtime=0) if coding == "gzip" else body
    headers = ["Content-Type: text/html", f"Set-Cookie: sid={cookie}; Path=/", f"X-Echo: {ours}"]
    headers += ["Content-Encoding: gzip"] if coding == "gzip" else []
    answer = response(f"{URL}?api_key={ours}", http(sent, *headers))
    asked = request(f"{URL}?api_key={ours}", f"Cookie: sid={cookie}", f"Authorization: Bearer {bearer}", after=answer)
    path = file(tmp_path, [answer, asked], f"pages-{ours}.warc")
    with open_archive(tmp_path / "archive", env={"TAVILY_API_KEY": ours}, clock=FixedClock()) as archive:
        archive.resources._pool = InProcess()  # type: ignore[assignment]
        session = archive.session()
        made = import_captures(session, path)
        assert (made.imported, made.texts, made.faults) == (1, 1, ())
        assert MILL in next(iter(texts(session).values()))
        assert ours not in str(made)
        check_clean(session)
    stored = [item.read_bytes() for item in (tmp_path / "archive").rglob("*") if item.is_file()]
    stored += [gzip.decompress(data) for data in stored if data.startswith(b"\x1f\x8b")]
    for canary in (ours, cookie, bearer, login):
        assert not any(canary.encode() in data for data in stored), canary


# --- requests


def test_the_request_is_found_whichever_of_the_two_names_the_other(archive: Archive, tmp_path: Path) -> None:
    answer = page(URL, MILL)
    asked = request(URL, "User-Agent: other/1")
    named = answer.with_field("WARC-Concurrent-To", asked.id)
    late = request(URL, "User-Agent: other/1", after=answer, date="2026-01-01T00:00:09Z")
    for records in ([asked, named], [named, asked], [answer, late], [late, answer], [answer, asked]):
        found = one(archive, tmp_path, *records)
        assert found.request_head == asked.block
        assert found.departures == ()


def test_a_request_that_is_not_there_is_made_up_and_that_is_said(archive: Archive, tmp_path: Path) -> None:
    found = one(archive, tmp_path, page(URL, MILL))
    assert found.request_head == b"GET /mill HTTP/1.1\r\nHost: site.example\r\n\r\n"
    assert found.departures == ("rebuilt:request",)


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", ""])
def test_answers_to_other_methods_are_left_aside(archive: Archive, tmp_path: Path, method: str) -> None:
    session = archive.session()
    before = len(session.records())
    made = import_captures(session, file(tmp_path, [page(URL, MILL), request(URL, method=method)]))
    assert (made.imported, made.aside, made.turn) == (0, {"not-get": 1}, None)
    assert len(session.records()) == before


# --- what bodies may look like


def test_a_response_is_kept_as_it_crossed_the_wire(archive: Archive, tmp_path: Path) -> None:
    body = gzip.compress(html(MILL), mtime=0)
    block = http(chunked(body), "Content-Encoding: gzip", "Transfer-Encoding: chunked", "X-oDD:  two", length=False)
    answer = response(URL, block, IP_Address="192.0.2.7")
    found = one(archive, tmp_path, answer, request(URL, after=answer))
    assert wire_response(found.response_head, found.payload, found.framing) == block
    assert found.payload == body
    assert found.decoded.data == html(MILL)
    assert found.departures == ()
    assert found.started_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert found.peer is not None
    assert (found.peer.address, found.peer.port) == ("192.0.2.7", 443)


_BODY = html(MILL)
_STORED_OTHERWISE: dict[str, bytes] = {
    "browsertrix": http(_BODY, "x-orig-content-encoding: gzip", "x-orig-transfer-encoding: chunked"),
    "chunks-taken-out": http(_BODY, "Transfer-Encoding: chunked", length=False),
    "gzip-taken-out": http(_BODY, "Content-Encoding: gzip"),
    "br-taken-out": http(_BODY, "Content-Encoding: br"),
    "zstd-taken-out": http(_BODY, "Content-Encoding: zstd"),
    "both-taken-out": http(_BODY, "Content-Encoding: gzip", "Transfer-Encoding: chunked", length=False),
    "length-of-the-coded": http(_BODY, "Content-Encoding: gzip", f"Content-Length: {len(_BODY) - 40}", length=False),
    "http-2": http(_BODY).replace(b"HTTP/1.1", b"HTTP/2", 1),
}


@pytest.mark.parametrize("name", _STORED_OTHERWISE)
def test_bodies_that_were_stored_without_their_codings_are_read(archive: Archive, tmp_path: Path, name: str) -> None:
    block = _STORED_OTHERWISE[name].replace(b"\r\n", b"\r\nContent-Type: text/html\r\n", 1)
    found = one(archive, tmp_path, response(URL, block), request(URL))
    assert found.decoded.data == _BODY
    assert found.departures == ("rebuilt",)
    assert found.outcome == "complete"
    assert texts(archive.session("latest")) == {URL: MILL}


def test_a_body_that_is_none_of_its_coding_and_no_text_is_told(archive: Archive, tmp_path: Path) -> None:
    found = one(archive, tmp_path, response(URL, http(b"\x00\x01\x02\x03" * 9, "Content-Encoding: br")), request(URL))
    assert (found.outcome, found.reason) == ("truncated", "coding")


@pytest.mark.parametrize("reason", ["length", "time", "disconnect", "unspecified", "other"])
def test_a_record_that_was_truncated_is_a_truncated_capture(archive: Archive, tmp_path: Path, reason: str) -> None:
    block = http(_BODY, "Content-Type: text/html", length=False)
    found = one(archive, tmp_path, response(URL, block, Truncated=reason), request(URL))
    known = reason if reason != "other" else "unspecified"
    assert (found.outcome, found.reason) == ("truncated", known)


def test_a_response_whose_head_lies_is_kept_and_fails(archive: Archive, tmp_path: Path) -> None:
    block = http(_BODY, "Content-Length: 99999999999", "Content-Encoding: br, gzip, zstd")
    found = one(archive, tmp_path, response(URL, block), request(URL))
    assert (found.outcome, found.reason) == ("failed", "protocol")


def test_a_resource_of_the_web_is_a_page_that_was_rebuilt(archive: Archive, tmp_path: Path) -> None:
    found = one(archive, tmp_path, record("resource", _BODY, URL, content_type="text/html"))
    assert (found.payload, found.status) == (_BODY, 200)
    assert set(found.departures) == {"rebuilt", "rebuilt:request"}
    assert texts(archive.session("latest")) == {URL: MILL}


# --- revisits


@pytest.mark.parametrize("by", ["id", "moment", "digest"])
@pytest.mark.parametrize("head", ["length", "chunked", "close"])
def test_a_revisit_has_the_payload_that_it_refers_to(archive: Archive, tmp_path: Path, by: str, head: str) -> None:
    first = page(URL, MILL)
    line = {"length": f"Content-Length: {len(html(MILL))}", "chunked": "Transfer-Encoding: chunked", "close": "X-A: b"}
    block = http(b"", "Content-Type: text/html", line[head], length=False)
    later = revisit(first, block, OTHER, by, date="2026-01-01T05:00:00Z")
    session = archive.session()
    made = import_captures(session, file(tmp_path, [first, later]))
    assert (made.imported, made.texts, made.aside) == (2, 2, {})
    assert texts(session) == {URL: MILL, OTHER: MILL}
    found = {body.url: body for body in captures(session)}
    assert found[OTHER].payload == found[URL].payload
    assert found[OTHER].captured_at == "2026-01-01T05:00:00.000000Z"
    assert "rebuilt" in found[OTHER].exchange["departures"]  # type: ignore[index]
    check_clean(session)


def test_a_revisit_of_a_payload_that_held_a_secret_is_decoded_once(archive: Archive, tmp_path: Path) -> None:
    """Such a payload is stored without its coding: to take the coding off again would leave nothing of it."""
    cookie = "canary8cookie9E8d7c6b5a"
    coded = gzip.compress(html(f"{MILL} {cookie}"), mtime=0)
    head = ["Content-Type: text/html", "Content-Encoding: gzip"]
    first = response(URL, http(coded, *head, f"Set-Cookie: sid={cookie}"))
    later = revisit(first, http(b"", *head), OTHER, "id", date="2026-01-01T05:00:00Z")
    session = archive.session()
    import_captures(session, file(tmp_path, [first, later]))
    assert texts(session) == {URL: f"{MILL} [redacted]", OTHER: f"{MILL} [redacted]"}
    check_clean(session)


def test_revisits_that_refer_to_nothing_here_are_left_aside(archive: Archive, tmp_path: Path) -> None:
    first, absent = page(URL, MILL), page(OTHER, GATE)
    itself = revisit(first, http(), OTHER, "id")
    itself = itself.with_field("WARC-Refers-To", itself.id)
    before = revisit(first, http(), URL + "/0", "id")
    made = import_captures(
        archive.session(), file(tmp_path, [before, first, itself, revisit(absent, http(), OTHER, "id", "moment")])
    )
    assert (made.imported, made.aside) == (1, {"revisit-unresolved": 3})


def test_an_answer_that_nothing_was_modified_is_a_capture_of_that_answer(archive: Archive, tmp_path: Path) -> None:
    first = page(URL, MILL)
    later = revisit(first, http(status="304 Not Modified", length=False), URL, "id", date="2026-01-01T05:00:00Z")
    later = later.with_field("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
    found = one(archive, tmp_path, first, request(URL), later)
    assert found.started_at.hour in (0, 5)
    assert {body.status for body in captures(archive.session("latest"))} == {200, 304}


# --- what is left aside


def test_what_is_no_page_is_left_aside_and_counted(archive: Archive, tmp_path: Path) -> None:
    twin = page(URL, GATE).with_field("WARC-Record-ID", "<urn:a:twin>")
    records = [
        page(URL, MILL).with_field("WARC-Record-ID", "<urn:a:twin>"),
        twin,
        record("warcinfo", b"", content_type="application/warc-fields"),
        record("metadata", b"{}", URL),
        record("metadata", b"{}", "urn:pageinfo:x"),
        record("conversion", b"text", URL),
        record("continuation", b"text", URL, Segment_Number="2"),
        page(URL, MILL, Segment_Number="1"),
        record("resource", b"{}", "urn:text:x"),
        record("resource", b"{}", "file:///etc/hostname"),
        record("response", b"20260101 site.example. 192.0.2.7", "dns:site.example", content_type="text/dns"),
        record("response", b"20 text/gemini\r\n", "https://site.example/", content_type="application/gemini"),
        page("javascript:window.__ran=1", MILL),
        page("https://user:hunter2-in-url@site.example/", MILL),
        page("https://site.example/two words", MILL),
        page(URL, MILL, date="9999-12-31T23:59:59Z"),
        record("odd", b"", "urn:a:b"),
        response(URL, b"no head at all"),
        response(URL, http(b"", "X-Long: " + "h" * 70_000)),
    ]
    session = archive.session()
    made = import_captures(session, file(tmp_path, records))
    assert made.imported == 1
    assert made.aside == {
        "warcinfo": 1,
        "metadata": 2,
        "conversion": 1,
        "continuation": 1,
        "segmented": 1,
        "uri-scheme": 4,
        "no-http": 2,
        "uri-credentials": 1,
        "uri-url": 1,
        "date-in-future": 1,
        "type-unknown": 1,
        "header-too-large": 1,
        "id-twice": 1,
    }
    assert made.faults == ()
    check_clean(session)
    assert not any(b"hunter2" in (item.line or b"") for item in session.ledger.log.get(session.id))


def test_records_without_digests_are_imported_and_counted(archive: Archive, tmp_path: Path) -> None:
    bare = page(URL, MILL).with_field("WARC-Block-Digest").with_field("WARC-Payload-Digest")
    made = import_captures(archive.session(), file(tmp_path, [bare, page(OTHER, GATE)]))
    assert (made.imported, made.unchecked) == (2, 1)


# --- what is unsound


def test_sound_records_are_imported_and_each_unsound_one_is_told(archive: Archive, tmp_path: Path) -> None:
    bad = page(URL, MILL)
    bad = bad.with_block(bad.block.replace(b"flood", b"blood"))
    session = archive.session()
    good = page(OTHER, GATE)
    made = import_captures(session, file(tmp_path, plain([bad, good]) + b"junk"))
    assert texts(session) == {OTHER: GATE}
    assert [(fault.offset, fault.code) for fault in made.faults] == [
        (0, "digest"),
        (len(bad.bytes) + len(good.bytes), "junk"),
        (len(bad.bytes) + len(good.bytes), "rest-not-read"),
    ]
    assert bodies(session, Turn)[-1].outcome == "partial"


_REFUSED: dict[str, tuple[bytes, type[SearchlogError], str]] = {
    "empty": (b"", FormatError, "neither a WARC nor a WACZ"),
    "a-page": (b"<!DOCTYPE html><title>404</title>", FormatError, "neither a WARC nor a WACZ"),
    "no-sound-record": (page(URL, MILL).with_field("WARC-Type").bytes, FormatError, "WARC-Type is not there"),
    "cut-first": (page(URL, MILL).bytes[:-20], FormatError, "are left in the file"),
    "cut-gzip": (packed([page(URL, MILL)])[:-9], FormatError, "inside a gzip member"),
    "cut-wacz": (wacz({"archive/a.warc": page(URL, MILL).bytes})[:-30], FormatError, "cut"),
    "no-warc": (wacz({"pages/pages.jsonl": b"{}\n"}), FormatError, "holds no WARC file"),
    "no-manifest": (wacz({"archive/a.warc": page(URL, MILL).bytes}, manifest=b""), FormatError, "datapackage.json"),
    "manifest-no-json": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, manifest=b"{'a'"),
        FormatError,
        "datapackage.json is not JSON",
    ),
    "manifest-deep": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, manifest=b"[" * 100_000),
        FormatError,
        "datapackage.json is not JSON",
    ),
    "manifest-twice": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, manifest=b'{"resources": [], "resources": []}'),
        FormatError,
        "stands there twice",
    ),
    "manifest-of-another": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, digest={"hash": "sha256:" + "0" * 64}),
        IntegrityError,
        "does not have the digest",
    ),
    "signature-transplanted": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, digest={"signedData": {"hash": "sha256:" + "0" * 64}}),
        IntegrityError,
        "the signature in datapackage-digest.json is of another",
    ),
    "warc-changed": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}).replace(b"flood", b"blood"),
        FormatError,
        "archive/a.warc",
    ),
    "warc-unlisted": (
        wacz({"archive/a.warc": page(URL, MILL).bytes}, unlisted=["archive/a.warc"]),
        FormatError,
        "does not list it",
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_a_file_of_which_nothing_is_sound_is_refused_before_anything_is_stored(
    archive: Archive, tmp_path: Path, name: str
) -> None:
    data, kind, says = _REFUSED[name]
    session = archive.session()
    before = session.records()
    with pytest.raises(kind, match=says) as caught:
        import_captures(session, file(tmp_path, data, "given.wacz"))
    assert str(caught.value).isprintable()
    assert session.records() == before


def test_a_file_can_be_looked_at_before_there_is_a_session(tmp_path: Path) -> None:
    with open_foreign(file(tmp_path, [page(URL, MILL), request(URL)]), FixedClock()) as found:
        assert (found.survey.candidates, found.faults) == (1, [])
        with opened(clock=FixedClock()) as archive:
            assert import_captures(archive.session(), found).imported == 1


def test_what_is_no_file_is_told(archive: Archive, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "absent.warc", tmp_path / "pipe", "nul\0.warc"):
        with pytest.raises(UsageError):
            import_captures(archive.session(), path)


def test_of_a_package_only_what_is_as_listed_is_read(archive: Archive, tmp_path: Path) -> None:
    members = {
        "archive/a.warc": page(URL, MILL).bytes,
        "archive/b.warc": page(OTHER, GATE).bytes,
        "archive/c.warc": page("https://site.example/c", GATE).bytes,
        "extra.txt": b"x",
    }
    data = wacz(members, unlisted=["archive/c.warc", "extra.txt"])
    crc = lambda name, at: data.replace(members[name], members[name][:at] + b"?" + members[name][at + 1 :])  # noqa: E731
    session = archive.session()
    made = import_captures(session, file(tmp_path, crc("archive/b.warc", -20), "a.wacz"))
    assert texts(session) == {URL: MILL}
    assert [(fault.member, fault.code) for fault in made.faults] == [
        ("archive/b.warc", "member"),
        ("archive/c.warc", "unlisted"),
        ("extra.txt", "unlisted"),
    ]


@pytest.mark.parametrize("stated", ["sha256", "md5", "bare-md5", "sha1-wrong", "size-wrong"])
def test_digests_and_sizes_of_a_manifest_are_compared(archive: Archive, tmp_path: Path, stated: str) -> None:
    warc = page(URL, MILL).bytes
    said: dict[str, Any] = {
        "sha256": {"hash": "sha256:" + hashlib.sha256(warc).hexdigest()},
        "md5": {"hash": "md5:" + hashlib.md5(warc).hexdigest()},
        "bare-md5": {"hash": hashlib.md5(warc).hexdigest().upper()},
        "sha1-wrong": {"hash": "sha1:" + hashlib.sha1(b"x").hexdigest()},
        "size-wrong": {"bytes": 1},
    }[stated]
    manifest = json.dumps({"resources": [{"path": "archive/a.warc", **said}]}).encode()
    path = file(tmp_path, wacz({"archive/a.warc": warc}, manifest=manifest), "a.wacz")
    if stated.endswith("wrong"):
        with pytest.raises(FormatError, match="the manifest says"):
            import_captures(archive.session(), path)
    else:
        assert import_captures(archive.session(), path).imported == 1


def test_a_package_without_digests_is_imported_and_that_is_said(archive: Archive, tmp_path: Path) -> None:
    made = import_captures(
        archive.session(), file(tmp_path, wacz({"archive/a.warc": page(URL, MILL).bytes}, hashes=False), "a.wacz")
    )
    assert (made.imported, [fault.code for fault in made.faults]) == (1, ["unproven"])


# --- whatever comes

_PAGES = [page(URL, MILL), request(URL), page(OTHER, GATE)]
_WHOLE = {
    "warc": plain(_PAGES),
    "warc.gz": packed(_PAGES),
    "wacz": wacz({"archive/a.warc.gz": packed(_PAGES)}),
}
_PAYLOADS = {digest(html(MILL)), digest(html(GATE))}


@pytest.mark.parametrize("kind", _WHOLE)
@given(st.data())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_cut_and_no_bit_flip_brings_in_another_page(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(_WHOLE[kind])
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[at:]
    else:
        whole[at] ^= 1 << data.draw(st.integers(0, 7))
    with opened(clock=FixedClock()) as archive:
        session = archive.session()
        made: ForeignImport | None = None
        with suppress(SearchlogError):
            made = import_captures(session, file(tmp_path, bytes(whole), f"x.{kind}"))
        assert len(captures(session)) == (made.imported if made is not None else 0)
        if kind == "warc":  # a flip in a header is under no digest: it may take the digest away
            return
        payloads = {body.payload.blob for body in captures(session) if isinstance(body.payload, BlobRef)}
        assert payloads <= _PAYLOADS


def test_evidence_of_another_tools_page_says_whose_word_its_time_is(archive: Archive, tmp_path: Path) -> None:
    """Its bytes and its time are that tool's, so it is told apart from a page that was fetched here."""
    session = archive.session()
    import_captures(session, file(tmp_path, [page(URL, MILL)]))
    found = session.search("tide mill gate", providers=["archive"])
    assert [item.source.kind for item in found.evidence] == ["imported-page"]
    assert "page captured elsewhere, as its file says at 20" in found.rendering
    assert "page fetched" not in found.rendering
    (body,) = bodies(session, Evidence)
    assert body.source_kind == "imported-page"
    check_clean(session)
    assert replay(session.ledger, found.turn, InProcess()).equal


def test_a_file_that_is_here_whole_needs_no_session(archive: Archive, tmp_path: Path) -> None:
    path = file(tmp_path, [page(URL, MILL)])
    with open_foreign(path, archive.resources.clock) as opened_file:
        assert known_whole(archive.resources, opened_file) is None
        import_captures(archive.session(), opened_file)
        known = known_whole(archive.resources, opened_file)
    assert known is not None
    assert (known.turn, known.imported, known.already) == (None, 0, 1)
