"""Broken and hostile files given to `searchlog import`, each in a process of its own, as a person would meet them.

Of each is held: how it ends and why, that nothing is written outside the archive and nothing into it when it is
refused, that no traceback and no escape code reaches the terminal, and that time and memory stay within bounds.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from searchlog import canon
from searchlog.archive import open_archive
from searchlog.verify.store import verify_session
from tests.searches import opened
from tests.snapshots import exported
from tests.tampering import (
    ABOUT,
    CHECKPOINT,
    EVIDENCE,
    KEYS,
    LOG,
    MANIFEST,
    MANIFEST_DIGEST,
    PAGES,
    WARC,
    Parts,
    Warc,
    contents,
    place_of,
    record_rich,
    sha256,
    warcs,
)
from tests.zips import DEVICE, LINK, MB, PIPE, Part, bomb, build, deflated

OUTSIDE = "written-by-a-bundle"
SECONDS_MAX, MEMORY_MAX = 20.0, 128 * MB


@dataclass(frozen=True)
class Good:
    """Sound files of one session, and an archive to import into."""

    parts: Parts
    archive: Path
    baseline: int
    """Bytes of memory that importing the sound snapshot takes."""


@dataclass(frozen=True)
class Done:
    code: int
    stdout: str
    stderr: str
    seconds: float
    """Of a processor: how busy the machine is does not show."""
    memory: int
    """Peak, in bytes."""


_MEASURED = """
import resource, sys, time
if sys.platform == "linux":
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))  # a file that asks for more must not take the machine
from searchlog.cli import main
start = time.process_time()
try:
    main()
finally:
    if sys.platform == "linux":  # what getrusage tells there begins with the peak of the parent
        with open("/proc/self/status") as file:
            peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\\nmeasured {time.process_time() - start} {peak}", file=sys.stderr)
"""


def run(*args: str, cwd: Path) -> Done:
    """Run the command line in a fresh process, and measure it from inside: a parent's size is not its child's."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SEARCHLOG")}
    env["PYTHONPATH"] = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *args], cwd=cwd, env=env, capture_output=True, timeout=110, check=False
    )
    told = done.stderr.decode("utf-8", "replace")
    found = re.search(r"\nmeasured (\S+) (\d+)\n\Z", told)
    assert found, told
    return Done(done.returncode, done.stdout.decode(), told[: found.start()], float(found[1]), int(found[2]))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    folder = tmp_path_factory.mktemp("bundles")
    session = record_rich(folder / "sender")
    with opened(folder / "sender") as archive:
        parts = Parts.of(exported(archive.ledger(session)))
    with open_archive(folder / "receiver", env={}) as archive:
        archive.session(title="mine").ledger.begin_session("searchlog/0", "mine")
    shutil.copytree(folder / "receiver", folder / "first")
    (folder / "good.wacz").write_bytes(parts.naive())
    done = run("import", "good.wacz", "--archive", "first", cwd=folder)
    assert done.code == 0, done.stderr
    return Good(parts, folder / "receiver", done.memory)


@pytest.fixture
def place(good: Good, tmp_path: Path) -> Path:
    """A folder deep below another, so that what climbs out is seen; `archive` is in it."""
    folder = tmp_path / "root" / "a" / "b" / "c"
    folder.mkdir(parents=True)
    shutil.copytree(good.archive, folder / "archive")
    return folder


def given(place: Path, name: str, data: bytes, good: Good) -> Done:
    """Import a file, and assert what holds whatever it is."""
    (place / name).write_bytes(data)
    before = {path for path in place.parents[3].rglob("*") if place / "archive" not in path.parents}
    done = run("import", name, "--archive", "archive", cwd=place)
    after = {path for path in place.parents[3].rglob("*") if place / "archive" not in path.parents}
    assert after == before
    assert not list(place.rglob(f"*{OUTSIDE}*"))
    assert not Path(f"/tmp/{OUTSIDE}").exists()
    for text in (done.stdout, done.stderr):
        assert "Traceback" not in text
        assert "\x1b" not in text
        assert "bug in searchlog" not in text
    assert done.code not in (0, 1) or name.endswith((".warc", ".warc.gz"))
    assert done.seconds <= SECONDS_MAX
    assert (done.memory - good.baseline) >> 20 <= MEMORY_MAX >> 20
    return done


# --- packages

Make = Callable[[Parts], bytes]


def all_parts(parts: Parts) -> list[Part]:
    members = {**parts.members, MANIFEST: parts.manifest, MANIFEST_DIGEST: parts.digest}
    return [Part(name.encode(), data) for name, data in members.items()]


def late(make: Callable[[], Make]) -> Make:
    """For what is large: made when it is used, not held by all who collect the tests."""

    def made(parts: Parts) -> bytes:
        return make()(parts)

    return made


def plus(*more: Part) -> Make:
    return lambda parts: build([*all_parts(parts), *more])


def named(name: str | bytes) -> Make:
    return plus(Part(name.encode() if isinstance(name, str) else name, b"outside"))


def changed(name: str, **fields: Any) -> Make:
    """Return a change of how one member is stored."""
    return lambda parts: build(replace(x, **fields) if x.name == name.encode() else x for x in all_parts(parts))


def inflating(name: str, megabytes: int, size: int | None = None) -> Make:
    """Return a change that lets a member become that large."""

    def make(parts: Parts) -> bytes:
        packed, crc, whole = bomb(megabytes)
        fields = {"method": 8, "raw": packed, "crc": crc, "size": whole if size is None else size}
        if name not in (*parts.members, MANIFEST, MANIFEST_DIGEST):
            return build([*all_parts(parts), Part(name.encode(), **fields)])  # type: ignore[arg-type]
        return changed(name, **fields)(parts)

    return make


def padded_manifest(parts: Parts) -> bytes:
    data = parts.manifest + b" " * (256 * MB)
    return changed(MANIFEST, method=8, raw=deflated(data), data=data)(parts)


def sharing_one_body(parts: Parts) -> bytes:
    packed, crc, size = bomb(8)
    first = Part(b"archive/0", method=8, raw=packed, crc=crc, size=size)
    at = len(b"".join(build([x])[: 30 + len(x.name) + len(x.data)] for x in all_parts(parts)))
    others = [replace(first, name=b"archive/%d" % number, at=at) for number in range(1, 500)]
    return build([*all_parts(parts), first, *others])


def nested(parts: Parts) -> bytes:
    data = build(all_parts(parts))
    for number in range(12):
        data = build([*all_parts(parts), Part(b"inner%d.zip" % number, data)])
    return data


def flipped(share: float) -> Make:
    """Return a change of one bit of the log, a part of the way through it."""

    def make(parts: Parts) -> bytes:
        data = bytearray(parts.naive())
        at = data.index(parts[LOG]) + int(len(parts[LOG]) * share)
        data[at] ^= 4
        return bytes(data)

    return make


def manifest(change: Callable[[bytes], bytes]) -> Make:
    """Return another manifest, with a digest that fits."""

    def make(parts: Parts) -> bytes:
        parts.manifest = change(parts.manifest)
        parts.digest = canon.dumps({"hash": sha256(parts.manifest), "path": MANIFEST})
        return parts.naive()

    return make


def with_member(text: bytes) -> Make:
    return manifest(lambda data: data[:-1] + b',"zz":' + text + b"}")


def repeated_keys(data: bytes) -> bytes:
    value = canon.loads(data)
    assert isinstance(value, dict)
    return data[:-1] + b"".join(b',"%b":"other"' % key.encode() for key in value) + b"}"


def other_types(data: bytes) -> bytes:
    def turned(value: Any) -> Any:
        if isinstance(value, list):
            return {str(number): turned(item) for number, item in enumerate(value)}
        if isinstance(value, dict):
            return {name: turned(item) for name, item in value.items()}
        return 7 if isinstance(value, str) else "x"

    return canon.dumps(turned(canon.loads(data)))


def swapped(one: str, other: str) -> Make:
    def make(parts: Parts) -> bytes:
        parts[one], parts[other] = parts[other], parts[one]
        return parts.naive()

    return make


def set_to(name: str, data: bytes) -> Make:
    def make(parts: Parts) -> bytes:
        parts[name] = data
        return parts.careful()

    return make


def described(**changes: Any) -> Make:
    def make(parts: Parts) -> bytes:
        parts.describe(**changes)
        return parts.careful()

    return make


def without(name: str) -> Make:
    return lambda parts: build(part for part in all_parts(parts) if part.name != name.encode())


def raw(change: Callable[[bytes], bytes]) -> Make:
    return lambda parts: change(parts.naive())


BUNDLES: dict[str, tuple[str, Make]] = {
    "climbs-out": ("name-unsafe", named(f"../../../../{OUTSIDE}")),
    "goes-down-and-climbs-out": ("name-unsafe", named(f"archive/../../../{OUTSIDE}")),
    "absolute": ("name-unsafe", named(f"/tmp/{OUTSIDE}")),
    "backslashes": ("name-unsafe", named(f"..\\..\\..\\{OUTSIDE}")),
    "drive": ("name-unsafe", named(f"C:\\{OUTSIDE}")),
    "link": ("not-a-file", plus(Part(b"archive/link", b"/etc/hostname", mode=LINK))),
    "through-a-link": (
        "not-a-file",
        plus(Part(b"archive/up", b"../../..", mode=LINK), Part(f"archive/up/{OUTSIDE}".encode(), b"outside")),
    ),
    "manifest-is-a-link": ("not-a-file", changed(MANIFEST, data=b"/etc/hostname", mode=LINK)),
    "device-and-pipe": ("not-a-file", plus(Part(b"archive/d", mode=DEVICE), Part(b"archive/p", mode=PIPE))),
    "twice-other-second": ("name-twice", lambda p: build([*all_parts(p), Part(LOG.encode(), p[LOG][::-1])])),
    "twice-other-first": ("name-twice", lambda p: build([Part(LOG.encode(), p[LOG][::-1]), *all_parts(p)])),
    "case-twins": ("names-collide", named(LOG.upper())),
    "form-twins": ("names-collide", plus(Part("archive/caf\u00e9".encode()), Part("archive/cafe\u0301".encode()))),
    "another-local-name": ("headers-differ", changed(LOG, local_name=b"searchlog/session.gol")),
    "a-file-in-the-comment": ("bytes", lambda p: build(all_parts(p), comment=build(all_parts(p)[:2])[-9_000:])),
    "junk-before": ("neither a WARC nor a WACZ", raw(lambda data: b"#!/bin/sh\nexit 0\n" + b"J" * 8192 + data)),
    "bomb": ("too-large", inflating("archive/big.warc", 1024)),
    "bomb-that-lies": ("compressed", inflating("archive/small.warc", 512, size=100)),
    "log-as-bomb": ("too-large", inflating(LOG, 512)),
    "archive-as-bomb": ("too-large", inflating(WARC, 512)),
    "manifest-as-bomb": ("too-large", padded_manifest),
    "one-body-for-many": ("overlap", sharing_one_body),
    "many": ("too-many-members", late(lambda: plus(*(Part(b"x/%d" % number) for number in range(150_000))))),
    "nested": ("inner11.zip", nested),
    "long-name": ("name-unsafe", named("a" * 60_000)),
    "deep-name": ("name-unsafe", named("d/" * 5_000 + "f")),
    "name-with-escape-codes": ("name-unsafe", named("archive/\x1b[2J\x1b]0;t\x07")),
    "name-with-a-line": ("name-unsafe", named("archive/a\nINFO import ok")),
    "name-with-direction": ("name-unsafe", named("archive/\u202egnp.exe")),
    "name-not-utf8": ("name-unsafe", named(b"archive/\xff\xfe")),
    "name-with-script": ("not list", named("archive/<img src=x onerror=window.__ran=1>.html")),
    "half": ("cut", raw(lambda data: data[: len(data) // 2])),
    "tail-gone": ("cut", raw(lambda data: data[:-30])),
    "empty": ("neither a WARC nor a WACZ", raw(lambda data: b"")),
    "no-members": ("neither a WARC nor a WACZ", raw(lambda data: build([]))),
    "a-page": ("neither a WARC nor a WACZ", raw(lambda data: b"<!DOCTYPE html><title>404</title><p>Not found")),
    "flip-early": (LOG, flipped(0.2)),
    "flip-middle": (LOG, flipped(0.5)),
    "flip-late": (LOG, flipped(0.8)),
    "checksum": (LOG, changed(LOG, crc=0x12345678)),
    "encrypted": ("encrypted", changed(LOG, flags=1)),
    "unknown-method": ("method 97", changed(LOG, method=97)),
    "log-changed": ("session.log", lambda p: replace(p, members={**p.members, LOG: p[LOG][:-3] + b"xyz"}).naive()),
    "digest-changed": (
        LOG,
        manifest(lambda data: re.sub(rb'(?<=[0-9a-f]{60})[0-9a-f]{4}(?=","name":"session.log")', b"0000", data)),
    ),
    "log-gone": (LOG, without(LOG)),
    "unlisted": ("searchlog/unlisted.log", named("searchlog/unlisted.log")),
    "two-swapped": ("session.log", swapped(LOG, WARC)),
    "manifest-keys-twice": ("same key twice", manifest(repeated_keys)),
    "manifest-deep": ("nested deeper", with_member(b"[" * 100_000 + b"]" * 100_000)),
    "manifest-not-utf8": ("not UTF-8", with_member(b'"caf\xe9"')),
    "manifest-nan": ("NaN", with_member(b"NaN")),
    "manifest-infinity": ("Infinity", with_member(b"Infinity")),
    "manifest-vast-number": ("200000 digits", with_member(b"9" * 200_000)),
    "manifest-half-a-pair": ("lone surrogate", with_member(b'"\\ud83d"')),
    "manifest-other-types": (MANIFEST, manifest(other_types)),
    "manifest-gone": (MANIFEST, without(MANIFEST)),
    "description-deep": ("nested deeper", set_to(ABOUT, b"[" * 100_000)),
    "evidence-deep": (EVIDENCE, set_to(EVIDENCE, b"[" * 100_000)),
    "evidence-large": (EVIDENCE, late(lambda: set_to(EVIDENCE, b"[" + b" " * (60 * MB) + b"]"))),
    "pages-large": (PAGES, late(lambda: set_to(PAGES, b" " * (100 * MB)))),
    "line-large": ("line 1", late(lambda: set_to(LOG, b"{" * (64 * MB)))),
    "checkpoint-large": (CHECKPOINT, late(lambda: set_to(CHECKPOINT, b"searchlog/" + b"x" * (30 * MB) + b"\n1\n"))),
    "keys-large": (KEYS, late(lambda: set_to(KEYS, b"a+00000000+AAAA\n" * 1_000_000))),
    "many-leaves": ("session.log", set_to(LOG, (b"0" * 64 + b"\n") * 100_000)),
    "size-vast": (
        "snapshot.json",
        described(size=2**53 - 1, left_out={"records": [[0, 2**53 - 2, "scope"]], "blobs": {}}),
    ),
    "left-out-beyond-the-log": (
        "snapshot.json",
        described(size=100_000, left_out={"records": [[0, 99_999, "scope"]], "blobs": {}}),
    ),
    "many-unknown-blobs": (
        ABOUT,
        described(left_out={"records": [], "blobs": {f"sha256:{n:064x}": "secret" for n in range(50_000)}}),
    ),
    "expression-that-is-costly": (ABOUT, described(redaction=["pattern:" + "(a|b)" * 1_000_000])),
    "many-rules": (ABOUT, described(redaction=["email"] * 1_000_000)),
    "token-large": (
        "token-1.tsr",
        late(lambda: set_to("searchlog/token-1.tsr", b"\x30\x83\xff\xff\xff" + bytes(60 * MB))),
    ),
    "many-tokens": (
        "token-1.tsr",
        lambda p: replace(
            p, members={**p.members, **{f"searchlog/token-{n}.tsr": b"\x30\x80" * 9_000 for n in range(1, 1000)}}
        ).careful(),
    ),
    "many-members": (
        "a/0",
        lambda p: replace(p, members={**p.members, **{f"a/{n}": b"" for n in range(9_900)}}).careful(),
    ),
    "many-broken-records": (
        WARC,
        lambda p: replace(
            p,
            members={**p.members, WARC: p[WARC] + b"WARC/1.1\r\nA: b\r\nContent-Length: 0\r\n\r\n\r\n\r\n" * 100_000},
        ).careful(),
    ),
    "escape-codes-in-texts": (CHECKPOINT, described(redaction=["\x1b[2J\x1b]0;t\x07"], session="s\x1b[2J")),
}
"""By name: what the refusal says, and the file."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLES)
def test_a_bad_bundle_is_refused_with_its_reason(good: Good, place: Path, name: str) -> None:
    reason, make = BUNDLES[name]
    data = make(good.parts.copy())
    assert data != good.parts.naive()
    before = contents(place / "archive")
    done = given(place, "bundle.wacz", data, good)
    assert done.code in (2, 7), done.stderr
    assert reason in done.stderr
    assert "error: " in done.stderr
    assert done.stdout == ""
    assert contents(place / "archive") == before


def test_after_a_bad_bundle_the_good_one_is_taken(good: Good, place: Path) -> None:
    given(place, "bad.wacz", flipped(0.5)(good.parts.copy()), good)
    (place / "good.wacz").write_bytes(good.parts.naive())
    assert run("import", "good.wacz", "--archive", "archive", cwd=place).code == 0
    done = run("verify", "--all", "--archive", "archive", cwd=place)
    assert done.code == 0, done.stdout
    assert done.stdout.count(": verified") >= 2


@pytest.mark.parametrize("word", ["latest", "new", "sharing"])
def test_a_session_named_like_a_word_of_the_command_line_is_refused(good: Good, place: Path, word: str) -> None:
    from searchlog.clock import SystemClock, SystemIds
    from searchlog.ledger import Ledger
    from searchlog.log.blobs.memory import MemoryBlobStore
    from searchlog.log.lease import MemoryLeases
    from searchlog.log.store.memory import MemoryLogStore

    stores = MemoryLogStore(), MemoryBlobStore()
    made = Ledger(word, *stores, clock=SystemClock(), ids=SystemIds(), leases=MemoryLeases())
    made.begin_session("searchlog/0", "\x1b[2J")
    before = contents(place / "archive")
    done = given(place, "named.wacz", exported(made), good)
    assert done.code in (2, 7)
    assert contents(place / "archive") == before


# --- archives of other tools


def check_sound(folder: Path) -> None:
    """Assert that whatever is in an archive verifies."""
    with open_archive(folder, env={}) as archive:
        storage = archive.resources.storage
        for session in storage.log.sessions():
            assert verify_session(storage.log, storage.blobs, session).findings == []


OneOf = Callable[[Warc], Warc | list[Warc]]


def record(change: OneOf, kind: bytes = b"response", uri: bytes = b"/pond") -> Callable[[list[Warc]], list[bytes]]:
    def make(records: list[Warc]) -> list[bytes]:
        at = place_of(records, kind, uri=uri)
        new = change(records[at])
        return [
            item.format() for item in [*records[:at], *(new if isinstance(new, list) else [new]), *records[at + 1 :]]
        ]

    return make


def field(name: str, value: str | None) -> OneOf:
    return lambda item: item.put(name.encode(), None if value is None else value.encode())


def lying(item: Warc) -> Warc:
    lies = b"\r\nContent-Length: 99999999999\r\nContent-Encoding: br, gzip, zstd\r\n"
    plain = item.put(b"WARC-Block-Digest", None).put(b"WARC-Payload-Digest", None)
    return plain.with_block(item.block.replace(b"\r\n", lies, 1))


def no_digests(item: Warc) -> Warc:
    return item.put(b"WARC-Block-Digest", None).put(b"WARC-Payload-Digest", None)


def revisit_of_itself(item: Warc) -> Warc:
    return item.put(b"WARC-Type", b"revisit").put(b"WARC-Refers-To", item.get(b"WARC-Record-ID"))


def formatted(records: list[Warc]) -> list[bytes]:
    return [item.format() for item in records]


PAGES_OF_OTHERS: dict[str, tuple[int, str, Callable[[list[Warc]], list[bytes]]]] = {
    "block-changed": (6, "digest", record(lambda x: replace(x, block=x.block[:-4] + b"wxyz"))),
    "one-bit": (
        6,
        "digest",
        record(lambda x: replace(x, block=x.block[:-9] + bytes([x.block[-9] ^ 1]) + x.block[-8:])),
    ),
    "digest-changed": (6, "digest", record(field("WARC-Block-Digest", "sha256:" + "0" * 64))),
    "digests-gone": (0, "without a digest", record(no_digests)),
    "length-large": (6, "cut", record(field("Content-Length", "1000000"))),
    "length-small": (6, "closing", record(lambda x: x.put(b"Content-Length", b"%d" % (len(x.block) - 10)))),
    "length-negative": (6, "length", record(field("Content-Length", "-5"))),
    "length-vast": (6, "length", record(field("Content-Length", "1" + "0" * 30))),
    "type-gone": (6, "WARC-Type", record(field("WARC-Type", None))),
    "version": (6, "version", record(lambda x: replace(x, version=b"WARC/9.9"))),
    "header-huge": (6, "header", record(field("X-Long", "h" * (8 * MB)))),
    "header-of-many-lines": (
        6,
        "header",
        record(lambda x: replace(x, fields=(*x.fields, *((b"X-%d" % n, b"y") for n in range(200_000))))),
    ),
    "script-address": (0, "uri-scheme", record(field("WARC-Target-URI", "javascript:window.__ran=1"))),
    "file-address": (0, "uri-scheme", record(field("WARC-Target-URI", "file:///etc/hostname"))),
    "password-in-address": (0, "uri-credentials", record(field("WARC-Target-URI", "https://user:hunter2@a.example/"))),
    "date-in-future": (0, "date-in-future", record(field("WARC-Date", "9999-12-31T23:59:59Z"))),
    "date-that-is-none": (6, "WARC-Date", record(field("WARC-Date", "yesterday\x1b[2J"))),
    "one-id-twice": (6, "digest", record(lambda x: [x, replace(x, block=x.block[::-1])])),
    "http-head-that-lies": (0, "without a digest", record(lying)),
    "revisit-of-itself": (6, "WARC-Profile", record(revisit_of_itself)),
    "junk-between": (6, "junk", lambda r: [r[0].format(), b"\0JUNK" * 8000, *formatted(r[1:])]),
    "cut": (6, "cut", lambda r: [b"".join(formatted(r))[: sum(map(len, formatted(r))) // 2]]),
    "cut-in-a-header": (6, "cut", lambda r: [*formatted(r[:-1]), r[-1].format()[:25]]),
}
"""By name: exit code, what is said, and the bytes of each record."""


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", PAGES_OF_OTHERS)
def test_of_bad_pages_of_others_the_sound_ones_are_taken_and_the_rest_is_told(
    good: Good, place: Path, name: str, packed: bool
) -> None:
    code, told, make = PAGES_OF_OTHERS[name]
    pieces = make(warcs(good.parts[WARC]))
    data = b"".join(gzip.compress(piece, 6, mtime=0) for piece in pieces) if packed else b"".join(pieces)
    done = given(place, "pages.warc.gz" if packed else "pages.warc", data, good)
    assert done.code == code, done.stderr
    assert told in done.stderr
    assert "hunter2" not in done.stderr + done.stdout
    check_sound(place / "archive")


STREAMS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "cut": ("cut", lambda data: data[:-15]),
    "one-bit": (
        "gzip",
        lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 8]) + data[len(data) // 2 + 1 :],
    ),
    "one-member-for-all": ("shared-member", lambda data: gzip.compress(gzip.decompress(data), 6, mtime=0)),
    "junk-behind": ("junk", lambda data: data + b"trailing junk" * 100),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
def test_of_damaged_gzip_members_the_sound_ones_are_taken(good: Good, place: Path, name: str) -> None:
    told, change = STREAMS[name]
    packed = b"".join(gzip.compress(item.format(), 6, mtime=0) for item in warcs(good.parts[WARC]))
    done = given(place, "pages.warc.gz", change(packed), good)
    assert done.code == 6, done.stderr
    assert told in done.stderr
    check_sound(place / "archive")


@pytest.mark.slow
def test_a_record_that_inflates_without_end_is_not_taken(good: Good, place: Path) -> None:
    packed = b"".join(gzip.compress(item.format(), 6, mtime=0) for item in warcs(good.parts[WARC]))
    raw_, crc, size = bomb(512)
    head = (
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:11111111-1111-4111-8111-111111111111>\r\n"
        b"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % size
    )
    first = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = first.compress(head) + first.flush(zlib.Z_FULL_FLUSH)
    member = b"\x1f\x8b\x08\0\0\0\0\0\2\3" + start + raw_ + struct.pack("<II", crc, (size + len(head)) & 0xFFFFFFFF)
    done = given(place, "pages.warc.gz", packed + member, good)
    assert done.code == 6, done.stderr
    assert "limit" in done.stderr
