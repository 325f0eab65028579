"""One defect in a good snapshot at a time: each is found, under a code and at a place that tell what was done, and
nothing of such a file is imported.

Most come twice: naive, where only the bytes were changed, and careful, where whoever did it made manifest, checksums,
digests and index fit. The careful ones are found because archive, index, pages and documents are made again from the
log, and the log gives the head. What agrees with itself throughout is another session: found by whoever has seen a
head, a name or a key (`test_another_history_...`).
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from searchlog import canon
from searchlog.archive import open_archive
from searchlog.errors import SearchlogError
from searchlog.log.checkpoint import Checkpoint, parse_checkpoint
from searchlog.redaction.rules import parse_rule
from searchlog.snapshot.check import Verdict, check_snapshot
from searchlog.snapshot.layout import Scope
from searchlog.snapshot.plan import Choice
from tests import cassette
from tests.searches import opened
from tests.snapshots import exported, signed, token
from tests.tampering import (
    ABOUT,
    CHECKPOINT,
    COOKIE,
    EVIDENCE,
    INDEX,
    KEYS,
    LOG,
    MANIFEST,
    MANIFEST_DIGEST,
    PAGES,
    TOKEN,
    WARC,
    Parts,
    Warc,
    contents,
    leaf_of,
    place_of,
    rearchived,
    record_of,
    record_rich,
    sha256,
    warcs,
)
from tests.test_verify_store import SNAPSHOT
from tests.zips import LINK, Part

KEY_NAME = "example.com/sender"


@dataclass
class World:
    """Snapshots of one session with everything in it, and an archive of somebody else to import into."""

    archive: Path
    """Of the sender."""
    session: str
    plain: Parts
    signed: Parts
    """The same with a signature and a token."""
    part: Parts
    """Its first search alone."""
    proof: Parts
    """One piece of evidence."""
    redacted: Parts
    passages: Parts
    """Of the profile `evidence`: without pages."""
    hashes: Parts
    small: Parts
    """One piece of evidence, signed."""
    cassette: Parts

    @property
    def head(self) -> Checkpoint:
        return parse_checkpoint(self.plain[CHECKPOINT].decode())


def seal_of(name: str = KEY_NAME, seed: bytes = bytes(32)) -> Callable[[str], Any]:
    from searchlog.snapshot.export import Seal

    def seal(text: str) -> Seal:
        note, key = signed(text, name, seed)
        return Seal(note, (key,), (token(text),))

    return seal


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("sender") / "archive"
    session = record_rich(folder)
    with opened(folder) as archive:
        ledger = archive.ledger(session)

        def made(choice: Choice = Choice(), **more: Any) -> Parts:
            return Parts.of(exported(ledger, choice, **more))

        return World(
            folder,
            session,
            made(),
            made(seal=seal_of()),
            made(Choice(Scope(turns=(1,)))),
            made(Choice(Scope(evidence=("e1", "e2")))),
            made(Choice(rules=(parse_rule("text:dam"),))),
            made(Choice(profile="evidence")),
            made(Choice(profile="hashes")),
            made(Choice(Scope(evidence=("e1",))), seal=seal_of()),
            Parts.of(exported(cassette.load("lighthouse")[0])),
        )


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a record of its own."""
    folder = tmp_path_factory.mktemp("receiver") / "archive"
    with open_archive(folder, env={}) as archive:
        archive.session(title="mine").ledger.begin_session("searchlog/0", "mine")
    return folder


def verdict_on(data: bytes, folder: Path, **options: Any) -> Verdict:
    path = folder / "tampered.wacz"
    path.write_bytes(data)
    return check_snapshot(path, **options)


def told(verdict: Verdict) -> list[tuple[str, str, str]]:
    return [(one.code, one.where, one.message) for report in verdict.reports for one in report.findings]


def check_found(data: bytes, folder: Path, code: str, where: str, receiver: Path) -> None:
    """Assert that the file fails with this code at this place, and that importing it stores nothing."""
    verdict = verdict_on(data, folder)
    found = told(verdict)
    assert verdict.outcome == "failed", found
    assert verdict.level == "none"
    good = [one for one in found if one[0] == code]
    # of a file that could not be opened, the message says more than the member
    assert any(
        where in one[1] or (code in ("snapshot-unreadable", "head-mismatch") and where in one[2]) for one in good
    ), found
    before = contents(receiver)
    with open_archive(receiver, env={}) as archive, pytest.raises(SearchlogError) as caught:
        archive.take_in(folder / "tampered.wacz")
    assert contents(receiver) == before
    assert "\x1b" not in str(caught.value)


# --- the good ones


@pytest.mark.parametrize("name", ["plain", "signed", "part", "proof", "redacted", "hashes", "small", "cassette"])
def test_the_good_ones_verify(world: World, tmp_path: Path, name: str) -> None:
    parts: Parts = getattr(world, name)
    verdict = verdict_on(parts.careful(), tmp_path)
    assert told(verdict) == []
    assert verdict.outcome == ("not checked" if name == "hashes" else "verified")  # no record of it is there to be held


def test_taken_apart_and_put_together_it_is_the_same_file(world: World) -> None:
    parts = world.plain
    data = parts.naive()
    assert parts.copy().careful() == data
    assert rearchived(parts, lambda records: records) == data


def test_the_session_has_what_the_cases_below_change(world: World) -> None:
    records = warcs(world.plain[WARC])
    kinds = {item.get(b"WARC-Type") for item in records}
    assert kinds == {b"warcinfo", b"request", b"response", b"revisit", b"resource", b"conversion"}
    blocks = b"".join(item.block for item in records)
    assert b"Transfer-Encoding: chunked" in blocks
    assert b"Content-Encoding: gzip" in blocks
    assert b" 302 " in blocks
    assert b" 404 " in blocks
    labels = b"".join(item.get(b"Searchlog-Departures") or b"" for item in records)
    assert b"interim" in labels
    assert b"redacted:response:set-cookie" in labels
    assert COOKIE.encode() not in world.plain.naive()
    assert any(record_of(line)["body"].get("texts") for line in world.plain.lines if b'"kind":"run"' in line)


# --- the archive

OneOf = Callable[[Warc, bool], Warc]


def body_byte(item: Warc, fit: bool) -> Warc:
    block = item.block[:-9] + bytes([item.block[-9] ^ 1]) + item.block[-8:]
    return item.with_block(block) if fit else replace(item, block=block)


def head_byte(item: Warc, fit: bool) -> Warc:
    block = item.block.replace(b"Status", b"Stalus", 1).replace(b"Accept", b"Akcept", 1)
    return item.with_block(block) if fit else replace(item, block=block)


def put(**fields: str | None) -> OneOf:
    """Return a change of header fields, `__` for a hyphen; what begins with + is added to the value that is there."""

    def change(item: Warc, fit: bool) -> Warc:
        for name, value in fields.items():
            key = name.replace("__", "-").encode()
            new = None if value is None else value.encode()
            if new is not None and new[:1] == b"+":
                new = (item.get(key) or b"") + new[1:]
            item = item.put(key, new)
        return item

    return change


def revisited(item: Warc, fit: bool) -> Warc:
    profile = b"http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    out = item.put(b"WARC-Type", b"revisit").put(b"WARC-Profile", profile)
    return out.with_block(item.block.split(b"\r\n\r\n")[0] + b"\r\n\r\n") if fit else out


def ordered(item: Warc, fit: bool) -> Warc:
    return replace(item, fields=(*item.fields[:1], item.fields[2], item.fields[1], *item.fields[3:]))


def small_letters(item: Warc, fit: bool) -> Warc:
    return replace(item, fields=tuple((k.lower() if k == b"WARC-Date" else k, v) for k, v in item.fields))


RECORDS: dict[str, tuple[bytes, bytes, OneOf]] = {
    "body-byte": (b"response", b"/pond", body_byte),
    "body-byte-of-chunks": (b"response", b"/mill", body_byte),
    "body-byte-of-a-provider": (b"response", b"pageno=1", body_byte),
    "coded-body-byte": (b"response", b"/gate", body_byte),
    "http-header-byte": (b"response", b"/pond", head_byte),
    "http-header-byte-of-a-redirect": (b"response", b"/old-pond", head_byte),
    "http-header-byte-of-a-revisit": (b"revisit", b"/mill", head_byte),
    "request-byte": (b"request", b"/pond", head_byte),
    "text-byte": (b"conversion", b"/pond", body_byte),
    "blob-byte": (b"resource", b"", body_byte),
    "date": (b"response", b"/pond", put(WARC__Date="2020-01-01T00:00:00.000000Z")),
    "date-of-a-request": (b"request", b"/pond", put(WARC__Date="2020-01-01T00:00:00.000000Z")),
    "date-of-a-text": (b"conversion", b"/pond", put(WARC__Date="2020-01-01T00:00:00.000000Z")),
    "address": (b"response", b"/pond", put(WARC__Target__URI="http://elsewhere.example/pond")),
    "address-of-a-text": (b"conversion", b"/pond", put(WARC__Target__URI="http://elsewhere.example/pond")),
    "address-of-a-blob": (b"resource", b"", put(WARC__Target__URI="urn:searchlog:blob:sha256:" + "0" * 64)),
    "block-digest-gone": (b"response", b"/pond", put(WARC__Block__Digest=None)),
    "payload-digest-gone": (b"response", b"/pond", put(WARC__Payload__Digest=None)),
    "digests-gone": (b"response", b"/pond", put(WARC__Block__Digest=None, WARC__Payload__Digest=None)),
    "digest-of-another-algorithm": (b"response", b"/pond", put(WARC__Block__Digest="blake3:" + "0" * 64)),
    "response-as-revisit": (b"response", b"/pond", revisited),
    "revisit-as-response": (b"revisit", b"/mill", put(WARC__Type="response", WARC__Profile=None)),
    "revisit-of-another": (b"revisit", b"/mill", put(WARC__Refers__To__Target__URI="http://elsewhere.example/")),
    "revisit-of-another-id": (
        b"revisit",
        b"/mill",
        put(WARC__Refers__To="<urn:uuid:00000000-0000-4000-8000-000000000000>"),
    ),
    "request-as-metadata": (b"request", b"/pond", put(WARC__Type="metadata")),
    "record-number": (b"response", b"/pond", put(Searchlog__Record="+9")),
    "record-number-of-a-request": (b"request", b"/pond", put(Searchlog__Record="1")),
    "concurrent-to": (
        b"request",
        b"/pond",
        put(WARC__Concurrent__To="<urn:uuid:00000000-0000-4000-8000-000000000000>"),
    ),
    "peer": (b"response", b"/pond", put(WARC__IP__Address="192.0.2.1")),
    "protocol": (b"response", b"/pond", put(WARC__Protocol="http/1.1, tls/1.3")),
    "label-gone": (b"response", b"/pond", put(Searchlog__Departures=None)),
    "label-added": (b"response", b"/gate", put(Searchlog__Departures="redacted:response:set-cookie")),
    "cut-label": (b"response", b"/gate", put(WARC__Truncated="length")),
    "type-of-a-blob": (b"resource", b"", put(Content__Type="text/html")),
    "field-added": (b"response", b"/pond", put(X__Note="seen")),
    "blank-added": (b"response", b"/pond", put(WARC__Date="+ ")),
    "fields-in-another-order": (b"response", b"/pond", ordered),
    "field-in-small-letters": (b"response", b"/pond", small_letters),
    "older-version": (b"response", b"/pond", lambda item, fit: replace(item, version=b"WARC/1.0")),
    "first-record": (b"warcinfo", b"", put(WARC__Filename="other.warc")),
    "first-record-text": (b"warcinfo", b"", body_byte),
}
"""By name: type and end of the address of the record, and how it is changed; the last argument of that tells whether
what the record says of its own block is made to fit."""


@pytest.mark.parametrize("fit", [False, True], ids=["naive", "careful"])
@pytest.mark.parametrize("name", RECORDS)
def test_a_changed_record_of_the_archive_is_found(
    world: World, receiver: Path, tmp_path: Path, name: str, fit: bool
) -> None:
    kind, uri, change = RECORDS[name]
    records = warcs(world.plain[WARC])
    at = place_of(records, kind, uri=uri)
    seq = records[at].get(b"Searchlog-Record")
    new = [*records[:at], change(records[at], fit), *records[at + 1 :]]
    assert new != records
    if not fit:
        parts = world.plain.copy()
        parts[WARC] = b"".join(item.format() for item in new)
        check_found(parts.naive(), tmp_path, "member-differs", WARC, receiver)
        check_found(parts.naive(), tmp_path, "archive-differs", "", receiver)
        return
    where = f"record {seq.decode()}" if seq else WARC
    check_found(rearchived(world.plain, lambda _: new), tmp_path, "archive-differs", where, receiver)


def moved(records: list[Warc], one: int, other: int) -> list[Warc]:
    out = list(records)
    out[one], out[other] = out[other], out[one]
    return out


def another(records: list[Warc]) -> Warc:
    item = records[place_of(records, b"response", 2)]
    return item.put(b"WARC-Record-ID", b"<urn:uuid:00000000-0000-4000-8000-000000000000>")


SERIES: dict[str, tuple[str, Callable[[list[Warc]], list[Warc]]]] = {
    "response-dropped": ("record", lambda r: [x for x in r if x is not r[place_of(r, b"response", 3)]]),
    "request-dropped": ("request of record", lambda r: [x for x in r if x is not r[place_of(r, b"request", 3)]]),
    "revisit-dropped": ("revisit of record", lambda r: [x for x in r if x is not r[place_of(r, b"revisit")]]),
    "text-dropped": ("record", lambda r: [x for x in r if x is not r[place_of(r, b"conversion")]]),
    "blob-dropped": ("record", lambda r: [x for x in r if x is not r[place_of(r, b"resource")]]),
    "first-dropped": ("the first record", lambda r: r[1:]),
    "cut-at-a-border": ("record", lambda r: r[:-1]),
    "all-but-the-first-dropped": ("record", lambda r: r[:1]),
    "nothing": ("the first record", lambda r: []),
    "two-swapped": (WARC, lambda r: moved(r, 5, 7)),
    "the-last-first": (WARC, lambda r: [r[-1], *r[:-1]]),
    "one-twice": (WARC, lambda r: [*r, r[4]]),
    "one-twice-in-a-row": (WARC, lambda r: [*r[:5], r[4], *r[5:]]),
    "one-more": (WARC, lambda r: [*r, another(r)]),
    "one-more-in-between": (WARC, lambda r: [*r[:9], another(r), *r[9:]]),
    "another-blob": (
        WARC,
        lambda r: [
            *r,
            another(r)
            .put(b"WARC-Type", b"resource")
            .put(b"WARC-Target-URI", f"urn:searchlog:blob:{sha256(b'x')}".encode())
            .put(b"WARC-Payload-Digest", None)
            .with_block(b"x"),
        ],
    ),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_changed_series_of_records_is_found(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    where, change = SERIES[name]
    check_found(rearchived(world.plain, change), tmp_path, "archive-differs", where, receiver)


@pytest.mark.parametrize("name", ["two-swapped", "response-dropped", "one-more", "the-last-first"])
def test_the_same_in_a_session_of_several_languages(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    where, change = SERIES[name]
    check_found(rearchived(world.cassette, change), tmp_path, "archive-differs", where, receiver)


@pytest.mark.parametrize(
    ("name", "change"),
    {
        "cut-in-a-record": lambda data: data[:-40],
        "cut-in-a-header": lambda data: data[: data.rindex(b"WARC/1.1") + 30],
        "junk-behind": lambda data: data + b"JUNK",
        "junk-before": lambda data: b"JUNK" + data,
        "empty-line-behind": lambda data: data + b"\r\n",
        "junk-between": lambda data: data.replace(b"\r\n\r\nWARC/1.1", b"\r\n\r\nJUNKWARC/1.1", 1),
        "line-ends": lambda data: data.replace(b"\r\nWARC-Date", b"\nWARC-Date", 1),
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bytes_between_the_records_are_found(
    world: World, receiver: Path, tmp_path: Path, name: str, change: Callable[[bytes], bytes]
) -> None:
    parts = world.plain.copy()
    parts[WARC] = change(parts[WARC])
    check_found(parts.careful(), tmp_path, "archive-differs", WARC, receiver)


# --- the package

Change = Callable[[Parts], None]


def index(change: Callable[[list[str]], list[str]]) -> Change:
    def apply(parts: Parts) -> None:
        parts[INDEX] = "".join(change(parts[INDEX].decode().splitlines(keepends=True))).encode()

    return apply


def index_field(name: str, change: Callable[[str], str]) -> Change:
    def one(lines: list[str]) -> list[str]:
        key, date, told = lines[2].split(" ", 2)
        value = json.loads(told)
        value[name] = change(value[name])
        return [*lines[:2], f"{key} {date} {json.dumps(value, separators=(',', ':'))}\n", *lines[3:]]

    return index(one)


def pages(change: Callable[[list[dict[str, Any]]], Any]) -> Change:
    def apply(parts: Parts) -> None:
        values = [json.loads(line) for line in parts[PAGES].splitlines()]
        change(values)
        parts[PAGES] = b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)

    return apply


def evidence(change: Callable[[Any], Any]) -> Change:
    def apply(parts: Parts) -> None:
        value = canon.loads(parts[EVIDENCE])
        change(value)
        parts[EVIDENCE] = canon.dumps(value)

    return apply


def swapped_bytes(name: str, old: bytes, new: bytes) -> Change:
    def apply(parts: Parts) -> None:
        assert old in parts[name]
        parts[name] = parts[name].replace(old, new, 1)

    return apply


def gone(name: str) -> Change:
    def apply(parts: Parts) -> None:
        del parts[name]

    return apply


def set_to(name: str, data: bytes) -> Change:
    return lambda parts: parts.members.update({name: data})


DOCUMENTS: dict[str, tuple[str, Change]] = {
    "index-garbage": (INDEX, set_to(INDEX, b"\xff\xfe\x00garbage\x1b[2J")),
    "index-empty": (INDEX, set_to(INDEX, b"")),
    "index-gone": (INDEX, gone(INDEX)),
    "index-offset-by-one": (INDEX, index_field("offset", lambda old: str(int(old) + 1))),
    "index-length-by-one": (INDEX, index_field("length", lambda old: str(int(old) + 1))),
    "index-digest": (INDEX, index_field("digest", lambda old: old[:-1] + ("0" if old[-1] != "0" else "1"))),
    "index-record-digest": (INDEX, index_field("recordDigest", lambda old: "sha256:" + "0" * 64)),
    "index-status": (INDEX, index_field("status", lambda old: "204")),
    "index-type": (INDEX, index_field("mime", lambda old: "text/x-other")),
    "index-address": (INDEX, index_field("url", lambda old: old + "x")),
    "index-line-dropped": (INDEX, index(lambda lines: lines[:2] + lines[3:])),
    "index-line-twice": (INDEX, index(lambda lines: [*lines, lines[-1]])),
    "index-unsorted": (INDEX, index(lambda lines: lines[::-1])),
    "pages-gone": (PAGES, gone(PAGES)),
    "pages-garbage": (PAGES, set_to(PAGES, b"\xff\x00{{{")),
    "page-added": (PAGES, pages(lambda v: v.append({"id": "page-9", "url": "http://a.example/", "ts": v[1]["ts"]}))),
    "page-dropped": (PAGES, pages(lambda v: v.pop())),
    "page-title": (PAGES, pages(lambda v: v[1].update(title="Something else"))),
    "page-address": (PAGES, pages(lambda v: v[1].update(url="http://elsewhere.example/"))),
    "evidence-garbage": (EVIDENCE, set_to(EVIDENCE, b"\xff not JSON")),
    "evidence-nested": (EVIDENCE, set_to(EVIDENCE, b"[" * 100_000)),
    "evidence-gone": (EVIDENCE, gone(EVIDENCE)),
    "evidence-empty": (EVIDENCE, set_to(EVIDENCE, b"[]")),
    "evidence-not-canonical": (EVIDENCE, lambda parts: parts.members.update({EVIDENCE: parts[EVIDENCE] + b"\n"})),
    "evidence-passage": (EVIDENCE, evidence(lambda value: value[0]["body"].update(exact="Another passage."))),
    "evidence-address": (EVIDENCE, evidence(lambda value: value[0]["body"].update(url="http://elsewhere.example/"))),
    "evidence-leaf": (EVIDENCE, evidence(lambda value: value[0].update(leaf="0" * 64))),
    "evidence-record": (EVIDENCE, evidence(lambda value: value[0].update(seq=value[0]["seq"] + 1))),
    "evidence-dropped": (EVIDENCE, evidence(lambda value: value.pop())),
    "evidence-twice": (EVIDENCE, evidence(lambda value: value.append(value[0]))),
    "rendering": ("searchlog/rendering-1.txt", swapped_bytes("searchlog/rendering-1.txt", b"mill", b"mall")),
    "rendering-gone": ("searchlog/rendering-1.txt", gone("searchlog/rendering-1.txt")),
    "rendering-of-another-turn": ("searchlog/rendering-9.txt", set_to("searchlog/rendering-9.txt", b"Evidence for: x")),
    "rendering-that-is-none": ("searchlog/rendering-01.txt", set_to("searchlog/rendering-01.txt", b"Evidence for: x")),
    "proof-added": ("searchlog/e1.tlog-proof", set_to("searchlog/e1.tlog-proof", b"c2sp.org/tlog-proof@v1\n")),
    "member-added": ("searchlog/notes.txt", set_to("searchlog/notes.txt", b"trust me")),
    "archive-added": ("archive/more.warc", set_to("archive/more.warc", b"WARC/1.1\r\n")),
    "index-added": ("indexes/other.cdx", set_to("indexes/other.cdx", b"")),
}
"""Whatever repeats what the log holds. By name: the member that is told, and what is done to it."""


@pytest.mark.parametrize("careful", [False, True], ids=["naive", "careful"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_changed_document_is_found(world: World, receiver: Path, tmp_path: Path, name: str, careful: bool) -> None:
    where, change = DOCUMENTS[name]
    parts = world.plain.copy()
    change(parts)
    data = parts.careful() if careful else parts.naive()
    check_found(data, tmp_path, "document-differs" if careful else "member-differs", where, receiver)


PROOF = "searchlog/e1.tlog-proof"
PROOFS: dict[str, Change] = {
    "index": swapped_bytes(PROOF, b"index ", b"index 1"),
    "path": lambda parts: parts.members.update(
        {PROOF: parts[PROOF].replace(parts[PROOF].splitlines()[2], base64.b64encode(bytes(32)))}
    ),
    "path-shorter": lambda parts: parts.members.update(
        {PROOF: b"".join(x for n, x in enumerate(parts[PROOF].splitlines(keepends=True)) if n != 2)}
    ),
    "head": swapped_bytes(PROOF, b"searchlog/s", b"searchlog/t"),
    "gone": gone(PROOF),
    "of-another": lambda parts: parts.members.update({PROOF: parts["searchlog/e2.tlog-proof"]}),
    "one-more": lambda parts: parts.members.update({"searchlog/e3.tlog-proof": parts[PROOF]}),
}


@pytest.mark.parametrize("name", PROOFS)
def test_a_changed_proof_is_found(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    parts = world.proof.copy()
    PROOFS[name](parts)
    where = "searchlog/e3.tlog-proof" if name == "one-more" else PROOF
    check_found(parts.careful(), tmp_path, "document-differs", where, receiver)


def manifest(change: Callable[[Any], Any], spelled: Callable[[Any], bytes] = canon.dumps) -> Callable[[Parts], bytes]:
    """Return a change of the manifest, with a digest that fits."""

    def apply(parts: Parts) -> bytes:
        value = canon.loads(parts.manifest)
        change(value)
        parts.manifest = spelled(value)
        parts.digest = canon.dumps({"hash": sha256(parts.manifest), "path": MANIFEST})
        return parts.naive()

    return apply


def resource(number: int, **changes: Any) -> Callable[[Any], Any]:
    return lambda value: value["resources"][number].update(changes)


def raw(change: Callable[[bytes], bytes]) -> Callable[[Parts], bytes]:
    return lambda parts: change(parts.naive())


def reordered(parts: Parts, fit: bool) -> bytes:
    names = list(parts.members)
    names[1], names[2] = names[2], names[1]
    parts.members = {name: parts.members[name] for name in names}
    return parts.careful() if fit else parts.naive()


def described(**changes: Any) -> Callable[[Parts], bytes]:
    def apply(parts: Parts) -> bytes:
        parts.describe(**changes)
        return parts.careful()

    return apply


def remade(change: Change) -> Callable[[Parts], bytes]:
    def apply(parts: Parts) -> bytes:
        change(parts)
        return parts.careful()

    return apply


def with_part(part: Part) -> Callable[[Parts], bytes]:
    def apply(parts: Parts) -> bytes:
        parts.layout.append(part)
        return parts.naive()

    return apply


def deflated_member(name: str) -> Callable[[Parts], bytes]:
    def apply(parts: Parts) -> bytes:
        from tests.zips import build

        all_ = {**parts.members, MANIFEST: parts.manifest, MANIFEST_DIGEST: parts.digest}
        return build(Part(key.encode(), data, method=8 if key == name else 0) for key, data in all_.items())

    return apply


PACKAGES: dict[str, tuple[str, str, Callable[[Parts], bytes]]] = {
    "digest-of-another": (
        "member-differs",
        MANIFEST_DIGEST,
        lambda p: replace(p, digest=p.digest[:-40] + b"0" * 40).naive(),
    ),
    "digest-not-canonical": ("member-differs", MANIFEST_DIGEST, lambda p: replace(p, digest=p.digest + b"\n").naive()),
    "digest-garbage": ("member-differs", MANIFEST_DIGEST, lambda p: replace(p, digest=b"\xff").naive()),
    "manifest-digest-of-a-member": ("member-differs", INDEX, manifest(resource(1, hash="sha256:" + "0" * 64))),
    "manifest-size-of-a-member": ("member-differs", INDEX, manifest(resource(1, bytes=1))),
    "manifest-renamed": (
        "member-differs",
        "pages/other.jsonl",
        manifest(resource(2, path="pages/other.jsonl", name="other.jsonl")),
    ),
    "manifest-name": ("snapshot-unreadable", MANIFEST, manifest(resource(2, name="other.jsonl"))),
    "manifest-more": (
        "member-differs",
        "pages/more.jsonl",
        manifest(
            lambda v: v["resources"].append(
                {"name": "more.jsonl", "path": "pages/more.jsonl", "hash": sha256(b""), "bytes": 0}
            )
        ),
    ),
    "manifest-twice": ("snapshot-unreadable", MANIFEST, manifest(lambda v: v["resources"].append(v["resources"][0]))),
    "manifest-less": ("member-differs", "searchlog/rendering-2.txt", manifest(lambda v: v["resources"].pop())),
    "manifest-itself": (
        "member-differs",
        MANIFEST,
        manifest(
            lambda v: v["resources"].append({"name": MANIFEST, "path": MANIFEST, "hash": sha256(b""), "bytes": 0})
        ),
    ),
    "manifest-item-with-more": ("snapshot-unreadable", MANIFEST, manifest(resource(1, note="x"))),
    "manifest-with-more": ("document-differs", MANIFEST, manifest(lambda v: v.update(note="checked by hand"))),
    "manifest-title": ("document-differs", MANIFEST, manifest(lambda v: v.update(title="Another"))),
    "manifest-created": (
        "document-differs",
        MANIFEST,
        manifest(lambda v: v.update(created="2020-01-01T00:00:00.000000Z")),
    ),
    "manifest-created-gone": ("document-differs", MANIFEST, manifest(lambda v: v.pop("created"))),
    "manifest-version": ("document-differs", MANIFEST, manifest(lambda v: v.update(wacz_version="1.2.0"))),
    "manifest-spelled-otherwise": (
        "document-differs",
        MANIFEST,
        manifest(lambda v: None, lambda v: json.dumps(v, indent=1).encode()),
    ),
    "manifest-order": ("layout-differs", MANIFEST, manifest(lambda v: v["resources"].reverse())),
    "manifest-garbage": ("snapshot-unreadable", "UTF-8", manifest(lambda v: None, lambda v: b"\xff")),
    "manifest-list": ("snapshot-unreadable", MANIFEST, manifest(lambda v: None, lambda v: b"[]")),
    "no-archive": ("snapshot-unreadable", WARC, remade(gone(WARC))),
    "no-log": ("snapshot-unreadable", LOG, remade(gone(LOG))),
    "no-checkpoint": ("snapshot-unreadable", CHECKPOINT, remade(gone(CHECKPOINT))),
    "no-description": ("snapshot-unreadable", ABOUT, remade(gone(ABOUT))),
    "archive-deflated": ("snapshot-unreadable", WARC, deflated_member(WARC)),
    "index-deflated": ("snapshot-unreadable", INDEX, deflated_member(INDEX)),
    "member-twice": ("snapshot-unreadable", INDEX, with_part(Part(INDEX.encode(), b"other"))),
    "member-unlisted": ("member-differs", "searchlog/notes.txt", with_part(Part(b"searchlog/notes.txt", b"trust me"))),
    "link": ("snapshot-unreadable", "archive/link", with_part(Part(b"archive/link", b"/etc/hostname", mode=LINK))),
    "name-with-escape-codes": ("snapshot-unreadable", "archive/", with_part(Part(b"archive/\x1b[2Jx", b"x"))),
    "junk-behind": ("snapshot-unreadable", "", raw(lambda data: data + b"JUNK")),
    "junk-before": ("snapshot-unreadable", "", raw(lambda data: b"JUNK" + data)),
    "comment": ("snapshot-unreadable", "comment", raw(lambda data: data[:-2] + b"\4\0JUNK")),
    "times": ("layout-differs", "tampered.wacz", raw(lambda data: data.replace(b"\0\0\x21\0", b"\1\0\x21\0"))),
    "cut": ("snapshot-unreadable", "", raw(lambda data: data[:-9])),
    "half": ("snapshot-unreadable", "", raw(lambda data: data[: len(data) // 2])),
    "empty": ("snapshot-unreadable", "", raw(lambda data: b"")),
    "order-of-members": ("layout-differs", "", lambda parts: reordered(parts, fit=False)),
    "order-of-members-listed-so": ("layout-differs", "", lambda parts: reordered(parts, fit=True)),
    # what the snapshot says of itself
    "scope-narrower": ("document-differs", ABOUT, described(scope={"kind": "search", "turns": [1]})),
    "scope-of-no-turn": ("document-differs", ABOUT, described(scope={"kind": "search", "turns": [99]})),
    "scope-of-evidence": (
        "document-differs",
        "searchlog/e1.tlog-proof",
        described(scope={"kind": "evidence", "evidence": ["e1"]}),
    ),
    "scope-unknown": ("snapshot-unreadable", "scope", described(scope={"kind": "everything"})),
    "profile-evidence": ("document-differs", ABOUT, described(profile="evidence")),
    "profile-hashes": ("document-differs", "", described(profile="hashes")),
    "profile-unknown": ("snapshot-unreadable", ABOUT, described(profile="some")),
    "record-said-to-be-left-out": (
        "document-differs",
        ABOUT,
        described(left_out={"records": [[4, 4, "secret"]], "blobs": {}}),
    ),
    "record-beyond": (
        "snapshot-unreadable",
        "left-out",
        described(left_out={"records": [[999, 999, "scope"]], "blobs": {}}),
    ),
    "unknown-blob-left-out": (
        "document-differs",
        ABOUT,
        described(left_out={"records": [], "blobs": {"sha256:" + "0" * 64: "secret"}}),
    ),
    "redaction-that-is-none": ("document-differs", ABOUT, described(redaction=["no such rule"])),
    "of-another-session": ("head-mismatch", CHECKPOINT, described(session="s20200101-000000-00000001")),
    "of-another-size": ("head-mismatch", ABOUT, described(size=3)),
    "of-a-later-version": ("snapshot-unreadable", "version", described(version=2)),
    "of-more": ("snapshot-unreadable", ABOUT, described(note="x")),
    "description-spelled-otherwise": (
        "document-differs",
        ABOUT,
        remade(lambda p: p.members.update({ABOUT: json.dumps(p.about).encode()})),
    ),
    "description-garbage": ("snapshot-unreadable", "", remade(set_to(ABOUT, b"\xff"))),
    # the head
    "checkpoint-size": ("head-mismatch", CHECKPOINT, remade(swapped_bytes(CHECKPOINT, b"\n", b"\n1"))),
    "checkpoint-root": (
        "head-mismatch",
        CHECKPOINT,
        remade(
            lambda p: p.members.update(
                {CHECKPOINT: b"\n".join([*p[CHECKPOINT].split(b"\n")[:2], base64.b64encode(bytes(32)), b""])}
            )
        ),
    ),
    "checkpoint-origin": (
        "head-mismatch",
        CHECKPOINT,
        remade(swapped_bytes(CHECKPOINT, b"searchlog/s", b"searchlog/t")),
    ),
    "checkpoint-of-another-log": (
        "head-mismatch",
        CHECKPOINT,
        remade(swapped_bytes(CHECKPOINT, b"searchlog/", b"other/")),
    ),
    "checkpoint-with-more": (
        "document-differs",
        CHECKPOINT,
        remade(lambda p: p.members.update({CHECKPOINT: p[CHECKPOINT] + b"more\n"})),
    ),
    "checkpoint-without-end": (
        "snapshot-unreadable",
        "",
        remade(lambda p: p.members.update({CHECKPOINT: p[CHECKPOINT][:-1]})),
    ),
    "checkpoint-garbage": ("snapshot-unreadable", CHECKPOINT, remade(set_to(CHECKPOINT, b"\xff\xfe"))),
}
"""By name: code, what the place names (for an unreadable file, what the message names), and the file."""


@pytest.mark.parametrize("name", PACKAGES)
def test_a_changed_package_is_found(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    code, where, make = PACKAGES[name]
    check_found(make(world.plain.copy()), tmp_path, code, where, receiver)


# --- the log


def log(change: Callable[[list[bytes]], Any]) -> Change:
    def apply(parts: Parts) -> None:
        lines = parts.lines
        parts.relog(change(lines) or lines)

    return apply


def set_line(seq: int, line: bytes) -> Change:
    return log(lambda lines: lines.__setitem__(seq, line))


LINES: dict[str, tuple[str, str, Change]] = {
    "altered": ("head-mismatch", LOG, log(lambda x: x.__setitem__(4, x[4] + b" "))),
    "one-letter": ("head-mismatch", LOG, log(lambda x: x.__setitem__(2, x[2].replace(b"tide mill", b"tide mall", 1)))),
    "dropped": ("head-mismatch", LOG, log(lambda x: x.pop(5) and x)),
    "last-dropped": ("head-mismatch", LOG, log(lambda x: x[:-1])),
    "inserted": ("head-mismatch", LOG, log(lambda x: x.insert(5, x[5]))),
    "added": ("head-mismatch", LOG, log(lambda x: [*x, x[-1]])),
    "swapped": ("head-mismatch", LOG, log(lambda x: [*x[:5], x[6], x[5], *x[7:]])),
    "all-gone": ("head-mismatch", LOG, set_to(LOG, b"")),
    "leaf-in-its-place": (
        "erased-unexplained",
        "record 9",
        log(lambda x: x.__setitem__(9, leaf_of(x[9]).hex().encode())),
    ),
    "leaf-in-capitals": (
        "snapshot-unreadable",
        "line 10",
        log(lambda x: x.__setitem__(9, leaf_of(x[9]).hex().upper().encode())),
    ),
    "leaf-with-blank": (
        "snapshot-unreadable",
        "",
        log(lambda x: x.__setitem__(9, leaf_of(x[9]).hex().encode() + b" ")),
    ),
    "empty-line": ("snapshot-unreadable", "line 10", log(lambda x: x.insert(9, b""))),
    "line-ends": ("head-mismatch", LOG, log(lambda x: x.__setitem__(9, x[9] + b"\r"))),
    "without-end": ("snapshot-unreadable", "line", lambda p: p.members.update({LOG: p[LOG][:-1]})),
    "text": ("snapshot-unreadable", "line 1", set_to(LOG, b"hello\n")),
    "endless-line": ("snapshot-unreadable", "line 1", set_to(LOG, b"{" * 400_000)),
}


@pytest.mark.parametrize("name", LINES)
def test_a_changed_line_is_found(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    code, where, change = LINES[name]
    parts = world.plain.copy()
    change(parts)
    check_found(parts.careful(), tmp_path, code, where, receiver)


def redacted_seq(parts: Parts) -> int:
    """Return the seq of a record that is here as a redacted copy."""
    return next(seq for seq, line in enumerate(parts.lines) if line[64:65] == b" ")


def copied(change: Callable[[dict[str, Any]], Any], spelled: Callable[[Any], bytes] = canon.dumps) -> Change:
    """Return a change of the redacted copy of a record; its leaf hash stays."""

    def apply(parts: Parts) -> None:
        lines, seq = parts.lines, redacted_seq(parts)
        value = record_of(lines[seq][65:])
        change(value)
        lines[seq] = lines[seq][:65] + spelled(value)
        parts.relog(lines)

    return apply


def copy_moved(parts: Parts) -> None:
    lines, seq = parts.lines, redacted_seq(parts)
    other = seq + 1
    while lines[other][64:65] != b" ":
        other += 1
    lines[seq], lines[other] = lines[seq][:65] + lines[other][65:], lines[other][:65] + lines[seq][65:]
    parts.relog(lines)


COPIES: dict[str, tuple[str, str, Change]] = {
    "of-another-record": ("document-differs", LOG, copied(lambda value: value.update(seq=value["seq"] + 1))),
    "of-another-session": (
        "document-differs",
        LOG,
        copied(lambda value: value.update(session="s20200101-000000-00000001")),
    ),
    "two-swapped": ("document-differs", LOG, copy_moved),
    "with-salt": ("snapshot-unreadable", "redacted copy", copied(lambda value: value.update(salt="0" * 32))),
    "not-canonical": (
        "snapshot-unreadable",
        "redacted copy",
        copied(lambda value: None, lambda v: json.dumps(v).encode()),
    ),
    "a-list": ("snapshot-unreadable", "redacted copy", copied(lambda value: None, lambda v: b"[]")),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_redacted_copy_in_a_wrong_place_or_form_is_found(
    world: World, receiver: Path, tmp_path: Path, name: str
) -> None:
    code, where, change = COPIES[name]
    parts = world.redacted.copy()
    change(parts)
    check_found(parts.careful(), tmp_path, code, where, receiver)


def left_seq(parts: Parts) -> int:
    return next(seq for seq, line in enumerate(parts.lines) if line[:1] != b"{")


def not_named(parts: Parts) -> None:
    left = parts.about["left_out"]
    parts.describe(left_out={**left, "records": left["records"][1:]})


def blob_not_named(parts: Parts) -> None:
    parts.describe(left_out={**parts.about["left_out"], "blobs": {}})


def copy_of_the_left_out(parts: Parts) -> None:
    lines, seq = parts.lines, left_seq(parts)
    copy = {"session": parts.about["session"], "seq": seq, "kind": "note", "body": {"text": "what it said"}}
    lines[seq] += b" " + canon.dumps(copy)
    parts.relog(lines)


def whole_again(line_of: Callable[[int], bytes]) -> Change:
    """Return a change that puts a left-out record back, and still says that it is left out."""

    def apply(parts: Parts) -> None:
        lines, seq = parts.lines, left_seq(parts)
        lines[seq] = line_of(seq)
        parts.relog(lines)

    return apply


def test_a_changed_part_is_found(world: World, receiver: Path, tmp_path: Path) -> None:
    """What a part says to have left out, changed both ways."""
    seq = left_seq(world.part)
    cases: dict[str, tuple[str, str, Change]] = {
        "leaf": ("head-mismatch", LOG, set_line(seq, b"0" * 64)),
        "record-not-named": ("erased-unexplained", "record", not_named),
        "copy": ("document-differs", LOG, copy_of_the_left_out),
        "record-back": ("document-differs", ABOUT, whole_again(lambda at: world.plain.lines[at])),
        "whole": ("document-differs", ABOUT, lambda parts: parts.describe(scope={"kind": "session"})),
        "another-turn": (
            "document-differs",
            ABOUT,
            lambda parts: parts.describe(scope={"kind": "search", "turns": [2]}),
        ),
        "two-turns": (
            "document-differs",
            ABOUT,
            lambda parts: parts.describe(scope={"kind": "search", "turns": [1, 2]}),
        ),
        "profile": ("document-differs", ABOUT, lambda parts: parts.describe(profile="evidence")),
    }
    for code, where, change in cases.values():
        parts = world.part.copy()
        change(parts)
        check_found(parts.careful(), tmp_path, code, where, receiver)


def test_a_left_out_blob_must_be_named(world: World, receiver: Path, tmp_path: Path) -> None:
    parts = world.passages.copy()
    assert parts.about["left_out"]["blobs"]
    blob_not_named(parts)
    check_found(parts.careful(), tmp_path, "blob-missing", "sha256:", receiver)


def test_a_snapshot_of_hashes_stays_one(world: World, receiver: Path, tmp_path: Path) -> None:
    for changes in ({"profile": "full"}, {"profile": "evidence"}):
        parts = world.hashes.copy()
        parts.describe(**changes)
        check_found(parts.careful(), tmp_path, "document-differs", ABOUT, receiver)


# --- signatures and tokens


def line_of_signature(text: str, name: str = KEY_NAME, seed: bytes = bytes(32)) -> str:
    return signed(text, name, seed)[0].split("\n\n", 1)[1]


def signature(change: Callable[[str, str], str]) -> Change:
    """Return a change of the signature lines: called with the text and the lines."""

    def apply(parts: Parts) -> None:
        text, lines = parts[CHECKPOINT].decode().split("\n\n", 1)
        parts[CHECKPOINT] = f"{text}\n\n{change(text + chr(10), lines)}".encode()

    return apply


def forged(text: str, lines: str) -> str:
    dash, name, value = lines.rstrip("\n").split(" ")
    data = bytearray(base64.b64decode(value))
    data[20] ^= 1
    return f"{dash} {name} {base64.b64encode(data).decode()}\n"


def unsigned(parts: Parts) -> None:
    parts[CHECKPOINT] = parts[CHECKPOINT].split(b"\n\n")[0] + b"\n"


OTHER_SEED = bytes([7] * 32)

SEALS: dict[str, tuple[str, str, Change]] = {
    "forged": ("signature-invalid", KEY_NAME, signature(forged)),
    "of-another-text": (
        "signature-invalid",
        KEY_NAME,
        signature(lambda text, lines: line_of_signature("searchlog/x\n1\nAAAA\n")),
    ),
    "by-another-key": (
        "signature-invalid",
        KEY_NAME,
        signature(lambda text, lines: line_of_signature(text, seed=OTHER_SEED)),
    ),
    "by-another-name": (
        "signature-invalid",
        KEY_NAME,
        signature(lambda text, lines: line_of_signature(text, "example.com/other")),
    ),
    "gone": ("signature-invalid", KEY_NAME, unsigned),
    "key-of-another": (
        "signature-invalid",
        KEY_NAME,
        lambda p: p.members.update({KEYS: signed("a\n", KEY_NAME, OTHER_SEED)[1].encode() + b"\n"}),
    ),
    "key-of-one-more": (
        "signature-invalid",
        "example.com/other",
        lambda p: p.members.update(
            {KEYS: p[KEYS] + signed("a\n", "example.com/other", OTHER_SEED)[1].encode() + b"\n"}
        ),
    ),
    "keys-garbage": ("signature-invalid", KEYS, set_to(KEYS, b"\xff\xfe")),
    "keys-empty": ("signature-invalid", KEYS, set_to(KEYS, b"")),
    "keys-without-end": ("signature-invalid", KEYS, lambda p: p.members.update({KEYS: p[KEYS].rstrip(b"\n")})),
    "token-of-another-text": ("token-invalid", TOKEN, set_to(TOKEN, token("searchlog/x\n1\nAAAA\n"))),
    "token-garbage": ("token-invalid", TOKEN, set_to(TOKEN, b"\xff\xfe")),
    "token-empty": ("token-invalid", TOKEN, set_to(TOKEN, b"")),
    "token-cut": ("token-invalid", TOKEN, lambda p: p.members.update({TOKEN: p[TOKEN][:-3]})),
    "token-added": ("token-invalid", "searchlog/token-2.tsr", set_to("searchlog/token-2.tsr", token("another\n"))),
}


@pytest.mark.parametrize("name", SEALS)
def test_a_changed_seal_is_found(world: World, receiver: Path, tmp_path: Path, name: str) -> None:
    code, where, change = SEALS[name]
    parts = world.signed.copy()
    change(parts)
    check_found(parts.careful(), tmp_path, code, where, receiver)


def test_a_signature_of_another_snapshot_does_not_hold_here(world: World, receiver: Path, tmp_path: Path) -> None:
    ledger, _ = cassette.load("lighthouse")
    other = Parts.of(exported(ledger, seal=seal_of()))
    parts = world.signed.copy()
    lines = other[CHECKPOINT].decode().split("\n\n", 1)[1]
    signature(lambda text, _: lines)(parts)
    check_found(parts.careful(), tmp_path, "signature-invalid", KEY_NAME, receiver)


def test_without_its_seals_a_snapshot_is_found_by_whoever_knows_the_key(world: World, tmp_path: Path) -> None:
    parts = world.signed.copy()
    key = parts[KEYS].decode().strip()
    assert told(verdict_on(parts.careful(), tmp_path, keys=[key])) == []
    unsigned(parts)
    del parts[KEYS]
    del parts[TOKEN]
    assert told(verdict_on(parts.careful(), tmp_path)) == []
    assert [code for code, *_ in told(verdict_on(parts.careful(), tmp_path, keys=[key]))] == ["signature-invalid"]


# --- another history: it agrees with itself


def other_histories(world: World, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the finding under the head that somebody has seen, and the file: made by the exporter itself, of a log
    that was rewritten."""
    from searchlog.clock import SystemClock, SystemIds
    from searchlog.ledger import Ledger
    from searchlog.log.lease import MemoryLeases
    from searchlog.log.store.memory import MemoryLogStore

    with opened(world.archive) as archive:
        blobs = archive.ledger(world.session).blobs
        lines = world.plain.lines

        def of(new: list[bytes]) -> bytes:
            store = MemoryLogStore()
            store.append(world.session, new, 0)
            made = Ledger(world.session, store, blobs, clock=SystemClock(), ids=SystemIds(), leases=MemoryLeases())
            return exported(made)

        renamed = record_of(lines[0])
        renamed["body"]["title"] = "mills of another coast"
        yield "fork", of([canon.dumps(renamed), *lines[1:]])
        salted = record_of(lines[7])
        salted["salt"] = "0" * 32
        yield "fork", of([*lines[:7], canon.dumps(salted), *lines[8:]])
        end = next(seq for seq, line in enumerate(lines) if b'"state":"end"' in line)
        yield "truncated", of(lines[: end + 1])


def test_another_history_is_found_under_a_head_a_name_or_a_key_that_is_known(world: World, tmp_path: Path) -> None:
    key = signed("a\n", KEY_NAME)[1]
    good = world.plain.copy()
    name = sha256(good.manifest)
    assert verdict_on(good.naive(), tmp_path, heads=[world.head], name=name).level == "L2"
    for code, data in other_histories(world, tmp_path):
        assert told(verdict_on(data, tmp_path)) == []
        assert [one[0] for one in told(verdict_on(data, tmp_path, heads=[world.head]))] == [code]
        assert [one[0] for one in told(verdict_on(data, tmp_path, name=name))] == ["name-differs"]
        assert [one[0] for one in told(verdict_on(data, tmp_path, keys=[key]))] == ["signature-invalid"]


def test_a_part_of_the_right_history_passes_under_the_head(world: World, tmp_path: Path) -> None:
    for parts in (world.part, world.proof, world.redacted, world.hashes):
        verdict = verdict_on(parts.copy().careful(), tmp_path, heads=[world.head])
        assert told(verdict) == []


# --- every byte


@pytest.mark.slow
def test_every_random_flip_of_a_bit_is_found(world: World, tmp_path: Path) -> None:
    """A verdict of failed each time; no flip of a bit may pass, hang or raise."""
    data = world.small.copy().naive()
    chance = random.Random(20260102)
    for _ in range(1000):
        at = chance.randrange(len(data) * 8)
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        verdict = verdict_on(bytes(flipped), tmp_path)
        assert verdict.outcome == "failed", at
        assert told(verdict), at


def structure(data: bytes) -> list[int]:
    """Return the places of all bytes around the data: headers, directory, end."""
    import io
    import zipfile

    places: list[int] = []
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for item in file.infolist():
            places += range(item.header_offset, item.header_offset + 30 + len(item.filename))
        return [*places, *range(file.start_dir, len(data))]


def test_every_byte_of_the_container_counts(world: World, tmp_path: Path) -> None:
    data = world.proof.copy().naive()
    for at in structure(data):
        for change in (0x01, 0xFF):
            flipped = bytearray(data)
            flipped[at] ^= change
            verdict = verdict_on(bytes(flipped), tmp_path)
            assert verdict.outcome == "failed", at


def test_every_code_of_snapshots_has_a_case() -> None:
    tables = [{code for code, *_ in table.values()} for table in (PACKAGES, LINES, COPIES, SEALS)]
    named = set().union(*tables) | {"archive-differs", "member-differs", "document-differs", "name-differs"}
    assert named >= SNAPSHOT
