"""The verifier for strangers: one script that finds what is wrong with a snapshot, whoever made it.

Most defects here are made with the manifest made anew around them (`tests.snapshots.pack`), so that no digest of a
member gives them away.
"""

from __future__ import annotations

import ast
import base64
import importlib.util
import io
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import canon
from searchlog.digest import digest
from searchlog.log import ed25519
from searchlog.log.tree import leaf_hash
from searchlog.snapshot.layout import Scope
from searchlog.snapshot.plan import Choice
from tests.cassette import load
from tests.snapshots import (
    OTHER,
    PAGE,
    SESSION,
    exported,
    members_of,
    odd_session,
    pack,
    sealed,
    signed,
    warc_of,
    warc_records,
    with_log,
    zipped,
)

SCRIPT = Path(__file__).parents[1] / "searchlog" / "snapshot" / "verify_snapshot.py"
VECTORS = Path(__file__).parent / "vectors"
Members = dict[str, bytes]
WARC, LOG, ABOUT = "archive/data.warc", "searchlog/session.log", "searchlog/snapshot.json"
CHECKPOINT, EVIDENCE, INDEX = "searchlog/checkpoint.txt", "searchlog/evidence.json", "indexes/index.cdx"
SCOPES = {
    "session": Choice(),
    "search": Choice(Scope(turns=(1,))),
    "evidence": Choice(Scope(evidence=("e1",))),
    "profile-evidence": Choice(profile="evidence"),
    "hashes": Choice(profile="hashes"),
}


@cache
def script() -> ModuleType:
    """Return the script as a module; it is none of the package's."""
    spec = importlib.util.spec_from_file_location("verify_snapshot", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def snapshot(scope: str = "session", seal: bool = True) -> bytes:
    return exported(odd_session(), SCOPES[scope], sealed) if seal else exported(odd_session(), SCOPES[scope])


class Told:
    """What the script said of a file."""

    def __init__(self, data: bytes, place: Path, *args: str) -> None:
        path = place / "it.wacz"
        path.write_bytes(data)
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            self.code = script().main([str(path), *args])
        self.printed, self.said, self.level = out.getvalue(), err.getvalue(), ""
        self.checks: list[tuple[str, str, str]] = []  # outcome, what, why
        *lines, last = out.getvalue().splitlines() if self.code != 2 else [""]
        for line in lines:
            assert line[11:13] == "  ", line
            self.checks.append((line[:11].rstrip(), line[13:25].strip(), line[25:]))
        if self.code != 2:
            self.level = re.fullmatch(r"level        (none|L[012]): \S.+", last)[1]  # type: ignore[index]
            assert (self.level == "none") == bool(self.failed) == (self.code == 1)

    @property
    def failed(self) -> list[str]:
        return [f"{what}: {why}" for outcome, what, why in self.checks if outcome == "FAILED"]

    def are(self, outcome: str) -> set[str]:
        return {what for found, what, _ in self.checks if found == outcome}


def _file(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(name)


def head_of(data: bytes) -> str:
    lines = _file(data, CHECKPOINT).decode().split("\n")
    return f"searchlog head: {lines[0]} {lines[1]} {lines[2]}"


# --- what is sound


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("again", [False, True], ids=["exported", "packed"])
def test_a_sound_snapshot_of_every_scope_and_profile_is_at_level_0(scope: str, again: bool, tmp_path: Path) -> None:
    data = snapshot(scope)
    told = Told(pack(members_of(data)) if again else data, tmp_path)
    assert told.failed == []
    assert (told.code, told.level) == (0, "L0")


REAL = [
    Choice(),
    Choice(Scope(turns=(2, 3))),
    Choice(Scope(evidence=("e1", "e25"))),
    Choice(profile="evidence"),
    Choice(Scope(turns=(1,)), profile="hashes"),
]


@pytest.mark.parametrize("choice", REAL, ids=["session", "turns", "evidence", "profile-evidence", "hashes"])
def test_the_snapshots_of_real_searches_are_sound(choice: Choice, tmp_path: Path) -> None:
    ledger, head = load("lighthouse")
    told = Told(exported(ledger, choice), tmp_path)
    assert told.failed == []
    assert f" {head.size} " in told.printed


CHECKED = {"container", "manifest", "log", "renderings", "proofs", "archive", "blobs", "evidence"}
ASKED = {"name", "head", "signature"}
"""Checked when the caller gives what to compare with."""
NEVER = {"index", "scope", "session"}
"""Not checked by the script, ever, and said so."""


def test_nothing_of_a_sound_snapshot_is_passed_over_in_silence(tmp_path: Path) -> None:
    told = Told(snapshot(), tmp_path)
    assert told.are("ok") == CHECKED
    assert told.are("not checked") == ASKED | NEVER | {"time stamp"}
    assert Told(snapshot(seal=False), tmp_path).are("not checked") == ASKED | NEVER


def test_what_is_given_is_checked(tmp_path: Path) -> None:
    key = signed(members_of(snapshot(seal=False))[CHECKPOINT].decode())[1]
    name = re.search(r"name +(sha256:[0-9a-f]{64}): ", Told(snapshot(), tmp_path).printed)[1]  # type: ignore[index]
    told = Told(snapshot(), tmp_path, "--name", name, "--key", key, "--head", head_of(snapshot()))
    assert told.are("ok") == CHECKED | ASKED
    assert told.are("not checked") == NEVER | {"time stamp"}


@pytest.mark.parametrize(
    "name",
    ["indexes/index.cdx", "pages/pages.jsonl", "searchlog/keys.txt", "searchlog/token-1.tsr"],
)
def test_a_member_that_is_not_checked_is_said_to_be_so(name: str, tmp_path: Path) -> None:
    """Its bytes count in the manifest, but what they say is for others: `searchlog verify`, or openssl."""
    told = Told(pack({**members_of(snapshot()), name: b"garbage"}), tmp_path)
    assert (told.failed, told.level) == ([], "L0")
    what = {"i": "index", "p": "index", "k": "signature", "t": "time stamp"}[name.removeprefix("searchlog/")[0]]
    assert what in told.are("not checked")


def test_a_head_from_elsewhere_gives_level_2(tmp_path: Path) -> None:
    assert Told(snapshot(), tmp_path, "--head", head_of(snapshot())).level == "L2"
    lines = members_of(snapshot())[LOG].split(b"\n")[:5]
    earlier = with_log(members_of(snapshot()), lambda _: lines)
    told = Told(snapshot(), tmp_path, "--head", head_of(pack(earlier)))
    assert (told.code, told.level) == (0, "L2")


@pytest.mark.parametrize("change", ["another root", "another session", "a later head"])
def test_a_head_that_the_log_does_not_extend_is_found(change: str, tmp_path: Path) -> None:
    origin, size, root = head_of(snapshot()).split(" ")[2:]
    if change == "another root":
        root = base64.b64encode(bytes(32)).decode()
    elif change == "another session":
        origin += "x"
    else:
        size = "14"
    told = Told(snapshot(), tmp_path, "--head", f"{origin} {size} {root}")
    assert told.code == 1
    assert [one.split(":")[0] for one in told.failed] == ["head"]


def test_the_name_is_compared(tmp_path: Path) -> None:
    name = re.search(r"name +(sha256:[0-9a-f]{64}): ", Told(snapshot(), tmp_path).printed)[1]  # type: ignore[index]
    assert Told(snapshot(), tmp_path, "--name", name).code == 0
    assert name == digest(_file(snapshot(), "datapackage.json"))
    told = Told(pack(members_of(snapshot())), tmp_path, "--name", name)
    assert [one.split(":")[0] for one in told.failed] == ["name"]


def test_a_key_from_elsewhere_gives_level_1(tmp_path: Path) -> None:
    text = members_of(snapshot(seal=False))[CHECKPOINT].decode()
    key, other = signed(text)[1], signed(text, "example.com/other", bytes([1] * 32))[1]
    assert Told(snapshot(), tmp_path, "--key", key).level == "L1"
    assert Told(snapshot(), tmp_path, "--key", other).failed == [
        "signature: the key example.com/other did not sign the head"
    ]
    odd = key.split("+", 2)
    assert Told(snapshot(), tmp_path, "--key", f"{odd[0]}+00000000+{odd[2]}").failed == [
        "signature: the key example.com/me does not fit its id, or is not for Ed25519"
    ]
    same_name = signed(text, seed=bytes([1] * 32))[1]
    assert Told(snapshot(), tmp_path, "--key", same_name).code == 1
    assert Told(snapshot(seal=False), tmp_path, "--key", key).code == 1
    assert Told(snapshot(), tmp_path, "--key", key[:-2] + "AA").code == 1


# --- single defects


def _edit(name: str, old: bytes, new: bytes) -> Callable[[Members], Members]:
    def change(members: Members) -> Members:
        assert old in members[name], (name, old)
        return {**members, name: members[name].replace(old, new, 1)}

    return change


def _records(change: Callable[[list[tuple[bytes, bytes]]], list[tuple[bytes, bytes]]]) -> Callable[[Members], Members]:
    """Change the archive; block digests and lengths are made anew, and so are the places in the index."""

    def changed(members: Members) -> Members:
        before = warc_records(members[WARC])
        after = change(list(before))
        data = warc_of(after)
        return {**members, WARC: data, INDEX: _reindexed(members[INDEX], before, after, data)}

    return changed


def _reindexed(index: bytes, before: list[tuple[bytes, bytes]], after: list[tuple[bytes, bytes]], data: bytes) -> bytes:
    def places(records: list[tuple[bytes, bytes]]) -> dict[bytes, tuple[int, bytes]]:
        out, at = {}, 0
        for item in records:
            whole = warc_of([item])
            out[re.search(rb"WARC-Record-ID: (\S+)", item[0])[1]] = (at, whole)  # type: ignore[index]
            at += len(whole)
        return out

    old = {at: id_ for id_, (at, _) in places(before).items()}
    new, lines = places(after), []
    for line in index.split(b"\n")[:-1]:
        value = json.loads(line[line.index(b"{") :])
        id_ = old[int(value["offset"])]
        if id_ in new:
            at, whole = new[id_]
            value |= {"offset": str(at), "length": str(len(whole)), "recordDigest": digest(whole)}
            lines.append(line[: line.index(b"{")] + json.dumps(value, separators=(",", ":")).encode() + b"\n")
    return b"".join(sorted(lines))


def _in_record(type_: bytes, old: bytes, new: bytes) -> Callable[[Members], Members]:
    """Change header or block of the first WARC record of a type that holds the bytes."""

    def change(records: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        for number, (header, block) in enumerate(records):
            if b"WARC-Type: " + type_ in header and old in header + block:
                records[number] = (header.replace(old, new, 1), block.replace(old, new, 1))
                return records
        raise AssertionError((type_, old))

    return _records(change)


def _drop(type_: bytes, which: int = 0) -> Callable[[Members], Members]:
    def change(records: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        found = [number for number, (header, _) in enumerate(records) if b"WARC-Type: " + type_ in header]
        del records[found[which]]
        return records

    return _records(change)


def _drop_pair(records: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    number = next(n for n, (header, _) in enumerate(records) if b"WARC-Type: revisit" in header)
    del records[number - 1 : number + 1]
    return records


def _swap(records: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    records[1:3], records[3:5] = records[3:5], records[1:3]
    return records


def _twice(records: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    extra = next(item for item in records if b"WARC-Type: resource" in item[0])
    number = records.index(extra)
    return [*records[: number + 1], (extra[0], extra[1] + b" "), *records[number + 1 :]]


def _log(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Members], Members]:
    return lambda members: with_log(members, change)


def _line(seq: int, old: bytes, new: bytes) -> Callable[[Members], Members]:
    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[seq]
        lines[seq] = lines[seq].replace(old, new, 1)
        return lines

    return _log(change)


def _about(**more: Any) -> Callable[[Members], Members]:
    return lambda members: {**members, ABOUT: canon.dumps({**json.loads(members[ABOUT]), **more})}


def _left_out(part: str, value: Any) -> Callable[[Members], Members]:
    def change(members: Members) -> Members:
        left_out = json.loads(members[ABOUT])["left_out"]
        return _about(left_out={**left_out, part: value})(members)

    return change


def _evidence(change: Callable[[list[Any]], None]) -> Callable[[Members], Members]:
    def changed(members: Members) -> Members:
        items = json.loads(members[EVIDENCE])
        change(items)
        return {**members, EVIDENCE: canon.dumps(items)}

    return changed


def _without(name: str) -> Callable[[Members], Members]:
    return lambda members: {key: data for key, data in members.items() if key != name}


def _with(name: str, data: bytes) -> Callable[[Members], Members]:
    return lambda members: {**members, name: data}


def _transplanted(members: Members) -> Members:
    """A right signature of another head of the same key."""
    text = members[CHECKPOINT].decode().split("\n\n")[0] + "\n"
    other = signed(text.replace("\n13\n", "\n12\n"))[0].split("\n\n")[1]
    return {**members, CHECKPOINT: f"{text}\n{other}".encode()}


DEFECTS: dict[str, tuple[Callable[[Members], Members], str]] = {
    # the log
    "a line changed": (_edit(LOG, b"tide mill gate", b"tide mill date"), "log"),
    "a line dropped": (lambda m: {**m, LOG: m[LOG].split(b"\n", 1)[1]}, "log"),
    "a line added": (lambda m: {**m, LOG: m[LOG] + b"0" * 64 + b"\n"}, "log"),
    "two lines swapped": (lambda m: {**m, LOG: _swapped(m[LOG])}, "log"),
    "a line without its end": (lambda m: {**m, LOG: m[LOG][:-1]}, "log"),
    "a line with a carriage return": (_edit(LOG, b"}\n", b"}\r\n"), "log"),
    "a seq repeated under a new head": (_line(3, b'"seq":3', b'"seq":2'), "log"),
    "a record of another session under a new head": (_line(4, SESSION.encode(), b"s20260102-030405-00000002"), "log"),
    "a key repeated in a record": (_line(12, b'{"agent"', b'{"agent":"x","agent"'), "log"),
    "an upper-case leaf hash": (_log(lambda x: [*x[:-1], b"AB" * 32]), "log"),
    "a redacted copy with its salt": (_log(lambda x: [*x[:-1], _leaf(x[-1]) + b' {"salt":"00"}']), "log"),
    "a checkpoint of another size": (_edit(CHECKPOINT, b"\n13\n", b"\n12\n"), "log"),
    "a checkpoint of another session": (_edit(CHECKPOINT, SESSION.encode(), b"s2"), "log"),
    "a checkpoint without its end": (lambda m: {**m, CHECKPOINT: m[CHECKPOINT].split(b"\n\n")[0]}, "log"),
    "a checkpoint with a carriage return": (_edit(CHECKPOINT, b"\n13\n", b"\r\n13\n"), "log"),
    "a size in snapshot.json": (_about(size=14), "log"),
    "a session in snapshot.json": (_about(session="s2"), "log"),
    "a version in snapshot.json": (_about(version=2), "log"),
    # the archive
    "a byte of a page": (_in_record(b"response", b"fills with", b"falls with"), "archive"),
    "a byte of a page and its payload digest": (_in_record(b"response", b"low water", b"mow water"), "archive"),
    "a header line of an answer": (_in_record(b"response", b"text/html", b"text/htmx"), "archive"),
    "the interim head inside an answer": (
        _in_record(b"response", b"HTTP/1.1 200", b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200"),
        "archive",
    ),
    "a chunk's size": (_in_record(b"response", b"14\r\n", b"15\r\n"), "archive"),
    "a trailer": (_in_record(b"response", b"X-Sum: 1", b"X-Sum: 2"), "archive"),
    "a request": (_in_record(b"request", b"Host: mills", b"Host: hills"), "archive"),
    "the date of an answer": (_in_record(b"response", b"WARC-Date: 2026", b"WARC-Date: 2025"), "archive"),
    "the address of an answer": (_in_record(b"response", b"mills.example/a", b"hills.example/a"), "archive"),
    "the server of an answer": (_in_record(b"response", b"192.0.2.7", b"192.0.2.8"), "archive"),
    "a payload digest that lies": (
        _in_record(b"response", b"WARC-Payload-Digest: sha256:", b"WARC-Payload-Digest: sha256:0"),
        "archive",
    ),
    "an answer for another record": (
        _in_record(b"response", b"Searchlog-Record: 4", b"Searchlog-Record: 5"),
        "archive",
    ),
    "an answer relabelled as a revisit": (
        _in_record(b"response", b"WARC-Type: response", b"WARC-Type: revisit"),
        "archive",
    ),
    "a revisit of another record": (
        _in_record(b"revisit", b"WARC-Refers-To: <urn:uuid:", b"WARC-Refers-To: <urn:uuid:0"),
        "archive",
    ),
    "an answer dropped": (_drop(b"response"), "blobs"),
    "the answers swapped": (_records(_swap), "archive"),
    "a text changed": (_in_record(b"conversion", b"high water", b"high winds"), "archive"),
    "a text of another page": (_in_record(b"conversion", b"mills.example/a", b"mills.example/b"), "archive"),
    "a resource under another name": (
        _in_record(b"resource", b"urn:searchlog:blob:sha256:", b"urn:searchlog:blob:sha256:0"),
        "archive",
    ),
    "a resource that nobody names": (_records(_twice), "archive"),
    "an unknown kind of record": (_in_record(b"resource", b"WARC-Type: resource", b"WARC-Type: metadata"), "archive"),
    "a block digest that lies": (_edit(WARC, b"WARC-Block-Digest: sha256:", b"WARC-Block-Digest: sha256:0"), "archive"),
    "a length that lies": (_edit(WARC, b"Content-Length: ", b"Content-Length: 1"), "archive"),
    "an archive cut in a record": (lambda m: {**m, WARC: m[WARC][:-10]}, "archive"),
    "bytes between WARC records": (
        lambda m: {**m, WARC: re.sub(rb"\r\n\r\n(WARC/1.1\r\n)", rb"hide\1", m[WARC])},
        "archive",
    ),
    "an archive cut between records": (lambda m: {**m, WARC: warc_of(warc_records(m[WARC])[:-1])}, "blobs"),
    "bytes behind the archive": (lambda m: {**m, WARC: m[WARC] + b"\r\n"}, "archive"),
    "a field of a WARC record twice": (
        _edit(WARC, b"WARC-Type: response", b"WARC-Type: response\r\nWARC-Type: response"),
        "archive",
    ),
    "a resource dropped": (_drop(b"resource"), "archive"),
    "the last resource dropped": (_drop(b"resource", -1), "blobs"),
    "a blob left out that is here": (lambda m: _left_out("blobs", {_blob(m): "scope"})(m), "blobs"),
    "a blob left out that nobody names": (_left_out("blobs", {"sha256:" + "0" * 64: "scope"}), "blobs"),
    # evidence, renderings, proofs
    "a passage changed": (_evidence(lambda x: x[0]["body"].update(exact="The pond drains.")), "evidence"),
    "a place changed": (_evidence(lambda x: x[1]["body"].update(start=40)), "evidence"),
    "a source changed": (_evidence(lambda x: x[1]["body"].update(url="http://other.example/")), "evidence"),
    "a leaf changed": (_evidence(lambda x: x[0].update(leaf="0" * 64)), "evidence"),
    "evidence dropped": (_evidence(lambda x: x.pop()), "evidence"),
    "evidence for another record": (_evidence(lambda x: x[0].update(seq=1)), "evidence"),
    "a slice that its record gives wrong": (_line(9, b'"start":41', b'"start":40'), "evidence"),
    "a digest that its record gives wrong": (_line(9, b'"digest":"sha256:', b'"digest":"sha256:0'), "evidence"),
    "a rendering changed": (_edit("searchlog/rendering-1.txt", b"fills", b"falls"), "renderings"),
    "a rendering dropped": (_without("searchlog/rendering-1.txt"), "renderings"),
    "a rendering of no turn": (_with("searchlog/rendering-7.txt", b"x"), "renderings"),
    "a proof that does not belong": (_with("searchlog/e1.tlog-proof", b"x"), "proofs"),
    # members
    "a member that is no part": (_with("searchlog/extra.txt", b"x"), "container"),
    "a member outside": (_with("../evil.txt", b"x"), "container"),
    "a member in capitals": (_with("searchlog/KEYS.txt", b"x"), "container"),
    "the archive missing": (_without(WARC), "container"),
    "the index missing": (_without(INDEX), "container"),
    "the pages missing": (_without("pages/pages.jsonl"), "container"),
    "the log missing": (_without(LOG), "container"),
    "snapshot.json is a list": (_with(ABOUT, b"[]"), "log"),
    "snapshot.json is no JSON": (_with(ABOUT, b"{"), "log"),
    "snapshot.json is very deep": (_with(ABOUT, b"[" * 100_000 + b"]" * 100_000), "log"),
    "evidence.json with a huge number": (_with(EVIDENCE, b"[" + b"9" * 1_000_000 + b"]"), "evidence"),
}


def _swapped(log: bytes) -> bytes:
    lines = log.split(b"\n")
    lines[3], lines[4] = lines[4], lines[3]
    return b"\n".join(lines)


def _leaf(line: bytes) -> bytes:
    return leaf_hash(line).hex().encode()


def _blob(members: Members) -> str:
    found = re.search(rb"urn:searchlog:blob:(sha256:[0-9a-f]{64})", members[WARC])
    assert found
    return found[1].decode()


@pytest.mark.parametrize("name", DEFECTS)
def test_a_single_defect_is_found_by_the_check_it_belongs_to(name: str, tmp_path: Path) -> None:
    change, what = DEFECTS[name]
    told = Told(pack(change(members_of(snapshot()))), tmp_path)
    assert told.code == 1
    assert what in {one.split(":")[0] for one in told.failed}, told.failed
    assert told.level == "none"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"start":41', b'"start":40'),
        (b'"end":70', b'"end":69'),
        (b'"prefix":"Tide mills', b'"prefix":"Wind mills'),
        (b'"suffix":"\\n', b'"suffix":"!'),
    ],
)
def test_a_slice_that_log_and_evidence_give_wrong_alike_is_found(old: bytes, new: bytes, tmp_path: Path) -> None:
    """e2 is record 9, the second piece; the head is made anew, so that only its text can tell."""
    members = _line(9, old, new)(members_of(snapshot(seal=False)))
    items = json.loads(members[EVIDENCE])
    line = members[LOG].split(b"\n")[9]
    items[1] |= {"leaf": leaf_hash(line).hex(), "body": json.loads(line)["body"]}
    told = Told(pack({**members, EVIDENCE: canon.dumps(items)}), tmp_path)
    assert [one.split(":")[1][:3] for one in told.failed] == [" e2"]


def test_a_size_that_the_log_gives_wrong_is_found(tmp_path: Path) -> None:
    size = b'"bytes":%d' % len(OTHER)
    told = Told(pack(_line(6, size, size + b"0")(members_of(snapshot(seal=False)))), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["blobs"]


def test_a_second_warcinfo_hides_nothing(tmp_path: Path) -> None:
    twice = _records(lambda records: [*records, records[0]])
    told = Told(pack(twice(members_of(snapshot()))), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["archive"]


SIGNATURES: dict[str, Callable[[Members], Members]] = {
    "a signature changed": lambda m: {**m, CHECKPOINT: m[CHECKPOINT][:-5] + b"AA==\n"},
    "a signature of another head": _transplanted,
    "a signature by another key of the same name": lambda m: {
        **m,
        CHECKPOINT: signed(m[CHECKPOINT].decode().split("\n\n")[0] + "\n", seed=bytes([7] * 32))[0].encode(),
    },
    "no signature": lambda m: {**m, CHECKPOINT: m[CHECKPOINT].split(b"\n\n")[0] + b"\n"},
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_defect_of_a_signature_is_found_with_the_key(name: str, tmp_path: Path) -> None:
    key = signed(members_of(snapshot(seal=False))[CHECKPOINT].decode())[1]
    assert Told(snapshot(), tmp_path, "--key", key).failed == []
    told = Told(pack(SIGNATURES[name](members_of(snapshot()))), tmp_path, "--key", key)
    assert [one.split(":")[0] for one in told.failed] == ["signature"]


@pytest.mark.parametrize("key", ["key", "a+b", "a++", "example.com/me+00000000+AQ==", "a+b+c+d", "\ud800+0+AA=="])
def test_a_key_that_is_none_is_found(key: str, tmp_path: Path) -> None:
    assert [one.split(":")[0] for one in Told(snapshot(), tmp_path, "--key", key).failed] == ["signature"]


MISSING: dict[str, Callable[[Members], Members]] = {
    "a record replaced by its leaf hash": lambda m: {**m, LOG: m[LOG].replace(x := m[LOG].split(b"\n")[12], _leaf(x))},
    "a record left out that is here": _left_out("records", [[2, 2, "scope"]]),
    "left-out records without end": _left_out("records", [[0, 10**15, "scope"]]),
    "a request dropped": _drop(b"request"),
    "a revisit dropped with its request": _records(_drop_pair),
}


@pytest.mark.parametrize("name", MISSING)
def test_whether_all_is_here_that_should_be_is_said_to_be_not_checked(name: str, tmp_path: Path) -> None:
    told = Told(pack(MISSING[name](members_of(snapshot(seal=False)))), tmp_path)
    assert (told.failed, told.level) == ([], "L0")
    assert "scope" in told.are("not checked")


def test_a_redacted_copy_is_the_senders_word_and_not_checked(tmp_path: Path) -> None:
    copy = _log(lambda lines: [*lines[:-1], _leaf(lines[-1]) + b' {"kind":"note"}'])
    members = _left_out("records", [[12, 12, "redacted"]])(copy(members_of(snapshot(seal=False))))
    told = Told(pack(members), tmp_path)
    assert told.failed == []
    assert [why for outcome, what, why in told.checks if (outcome, what) == ("not checked", "log")] == [
        "1 redacted copies of records: the word of the sender only"
    ]


PROOF = "searchlog/e1.tlog-proof"


@pytest.mark.parametrize("line", range(9))
def test_every_line_of_a_proof_counts(line: int, tmp_path: Path) -> None:
    members = members_of(snapshot("evidence"))
    lines = members[PROOF].decode().split("\n")
    lines[line] += "x"
    told = Told(pack({**members, PROOF: "\n".join(lines).encode()}), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["proofs"]


@pytest.mark.parametrize("change", ["another hash", "a hash more", "a hash less", "two hashes swapped"])
def test_a_proof_that_leads_elsewhere_is_found(change: str, tmp_path: Path) -> None:
    members = members_of(snapshot("evidence"))
    top, note = members[PROOF].decode().split("\n\n", 1)
    lines = top.split("\n")
    if change == "another hash":
        lines[2] = base64.b64encode(bytes(32)).decode()
    elif change == "a hash more":
        lines.append(lines[-1])
    elif change == "a hash less":
        lines.pop()
    else:
        lines[2:4] = lines[3], lines[2]
    told = Told(pack({**members, PROOF: "\n".join([*lines, "", note]).encode()}), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["proofs"]


def test_a_proof_dropped_is_found(tmp_path: Path) -> None:
    members = members_of(snapshot("evidence"))
    del members[PROOF]
    assert Told(pack(members), tmp_path).code == 1


CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "a comment": lambda d: d[:-2] + b"\1\0x",
    "bytes before": lambda d: b"x" + d,
    "bytes behind": lambda d: d + b"x",
    "cut by a byte": lambda d: d[:-1],
    "cut by half": lambda d: d[: len(d) // 2],
    "empty": lambda d: b"",
    "no ZIP file": lambda d: b"PK" * 100,
    "only an end": lambda d: d[-22:],
    "a directory that is cut": lambda d: d[:-60] + d[-22:],
    "two names": lambda d: d.replace(b"searchlog/keys.txt", b"searchlog/kexs.txt", 1),
}


def _doubled(data: bytes) -> bytes:
    file = io.BytesIO(data)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(file, "a") as out:
        out.writestr(LOG, b"x")
    return file.getvalue()


def _deflated(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    return file.getvalue()


def _with_hole(data: bytes) -> bytes:
    offset = struct.unpack("<I", data[-6:-2])[0]
    return data[:offset] + b"hidden" + data[offset:-6] + struct.pack("<I", offset + 6) + data[-2:]


CONTAINERS |= {"a member twice": _doubled, "a member packed": _deflated, "a hole": _with_hole}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_broken_container_is_told(name: str, tmp_path: Path) -> None:
    told = Told(CONTAINERS[name](snapshot()), tmp_path)
    assert told.code in (1, 2)
    assert told.code == 2 or told.failed


def _same_name_twice(data: bytes) -> bytes:
    members = {name: _file(data, name) for name in [*members_of(data), "datapackage.json", "datapackage-digest.json"]}
    return zipped({"searchlog/token-2.tsr": b"x", **members}).replace(b"token-2", b"token-1")


def test_a_name_in_the_one_form_but_twice_is_found(tmp_path: Path) -> None:
    assert Told(_same_name_twice(snapshot()), tmp_path).failed == [
        "container: member searchlog/token-1.tsr is there twice"
    ]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("datapackage-digest.json", b'"hash":"sha256:', b'"hash":"sha256:0'),
        ("datapackage-digest.json", b"}", b',"x":1}'),
        ("datapackage.json", b'"1.1.1"', b'"1.2.0"'),
    ],
)
def test_a_manifest_of_another_form_is_found(name: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    members = {path: _file(snapshot(), path) for path in [*members_of(snapshot()), "datapackage.json"]}
    members = {path: data.replace(old, new) if path == name else data for path, data in members.items()}
    about = canon.dumps({"hash": digest(members["datapackage.json"]), "path": "datapackage.json"})
    about = about.replace(old, new) if name == "datapackage-digest.json" else about
    told = Told(zipped({**members, "datapackage-digest.json": about}), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["manifest"]


@pytest.mark.parametrize("change", ["unlisted", "not there", "size", "digest", "twice"])
def test_a_manifest_that_does_not_fit_is_found(change: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(snapshot())) as file:
        members = {name: file.read(name) for name in file.namelist()}
    value = json.loads(members["datapackage.json"])
    items = value["resources"]
    if change == "unlisted":
        items.pop(0)
    elif change == "not there":
        del members["searchlog/keys.txt"]
    elif change == "size":
        items[0]["bytes"] += 1
    elif change == "digest":
        items[0]["hash"] = "sha256:" + "0" * 64
    else:
        items.append(items[0])
    members["datapackage.json"] = canon.dumps(value)
    assert Told(zipped(members), tmp_path).code == 1  # the digest of the manifest
    about = canon.dumps({"hash": digest(members["datapackage.json"]), "path": "datapackage.json"})
    told = Told(zipped({**members, "datapackage-digest.json": about}), tmp_path)
    assert told.code == 1
    assert {one.split(":")[0] for one in told.failed} == {"manifest"}


# --- any change at all


def test_every_one_of_300_bit_flips_is_found(tmp_path: Path) -> None:
    """Each byte of the file is one of a header in its one form, or counts in a digest."""
    chance = random.Random(20260102)
    data = snapshot()
    for bit in [chance.randrange(8 * len(data)) for _ in range(300)]:
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        assert Told(bytes(changed), tmp_path).code != 0, bit


def test_every_byte_around_the_members_counts(tmp_path: Path) -> None:
    data = pack({**members_of(snapshot()), WARC: b""})
    small = zipped({"a": b"1", "b": b"2"})
    told = Told(data, tmp_path)
    assert told.failed  # an archive without records
    for at in range(len(small)):
        changed = bytearray(small)
        changed[at] ^= 0x10
        assert Told(bytes(changed), tmp_path).code != 0


MUST_COUNT = (LOG, EVIDENCE, CHECKPOINT, "searchlog/rendering-1.txt")


@pytest.mark.parametrize("name", MUST_COUNT)
def test_a_flip_under_a_new_manifest_is_found_where_the_log_covers_it(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    members = members_of(snapshot())
    key = signed(members_of(snapshot(seal=False))[CHECKPOINT].decode())[1]
    for bit in [chance.randrange(8 * len(members[name])) for _ in range(60)]:
        changed = bytearray(members[name])
        changed[bit // 8] ^= 1 << bit % 8
        told = Told(pack({**members, name: bytes(changed)}), tmp_path, "--key", key)
        assert told.code == 1, (bit, told.checks)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_whatever_is_changed_under_a_new_manifest_there_is_an_answer(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    members = members_of(snapshot(data.draw(st.sampled_from(sorted(SCOPES)))))
    name = data.draw(st.sampled_from(sorted(members)))
    at = data.draw(st.integers(0, len(members[name])))
    put = data.draw(st.binary(max_size=12))
    cut = data.draw(st.integers(0, 12))
    changed = members[name][:at] + put + members[name][at + cut :]
    told = Told(pack({**members, name: changed}), tmp_path_factory.mktemp("any"))
    assert told.code in (0, 1)
    assert "Traceback" not in told.said


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300))
def test_any_bytes_have_an_answer(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    assert Told(data, tmp_path_factory.mktemp("any")).code in (1, 2)


# --- the script


def test_it_runs_alone_with_any_python_from_3_9_on(tmp_path: Path) -> None:
    source = SCRIPT.read_text("utf-8")
    tree = ast.parse(source, feature_version=(3, 9))
    imported = {alias.name for item in ast.walk(tree) if isinstance(item, ast.Import) for alias in item.names}
    imported |= {str(item.module).split(".")[0] for item in ast.walk(tree) if isinstance(item, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names
    (tmp_path / "verify_snapshot.py").write_text(source, "utf-8")
    (tmp_path / "it.wacz").write_bytes(snapshot())
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify_snapshot.py", "it.wacz"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "not checked  name        sha256:" in done.stdout
    assert head_of(snapshot()) in done.stdout
    assert "level        L0: " in done.stdout
    assert done.stderr == ""


def test_the_package_does_not_import_it() -> None:
    for path in (SCRIPT.parents[1]).rglob("*.py"):
        assert not re.search(r"import.*verify_snapshot", path.read_text("utf-8")), path


def test_it_never_says_more_than_it_knows() -> None:
    said = [node.value for node in ast.walk(ast.parse(SCRIPT.read_text("utf-8"))) if isinstance(node, ast.Constant)]
    for text in said:
        assert not re.search(r"\b(authentic|true|deleted)\b", str(text) if isinstance(text, str) else "", re.IGNORECASE)


@pytest.mark.parametrize(
    "args", [[], ["a", "b"], ["it.wacz", "--head", "x"], ["it.wacz", "--head", "a 0 x"], ["it.wacz", "--what"]]
)
def test_a_call_that_makes_no_sense_ends_with_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        script().main(args)
    assert ended.value.code == 2


def test_a_file_that_cannot_be_read_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "none", tmp_path):
        assert script().main([str(path)]) == 2
        assert "cannot be checked" in capsys.readouterr().err


def test_what_a_file_says_does_not_act_on_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    members = members_of(snapshot())
    evil = _edit(CHECKPOINT, SESSION.encode(), b"s\xc2\x9b2J\xe2\x80\xae")(members)
    path = tmp_path / "it.wacz"
    path.write_bytes(pack(evil))
    assert script().main([str(path)]) == 1
    assert capsys.readouterr().out.isascii()


def test_of_a_flood_of_faults_each_check_tells_the_first(tmp_path: Path) -> None:
    members = members_of(snapshot())
    text = json.loads(members[EVIDENCE])
    members[EVIDENCE] = canon.dumps([{**item, "leaf": "0" * 64} for item in text])
    members[WARC] = members[WARC].replace(b"Searchlog-Record: ", b"Searchlog-Record: 9")
    told = Told(pack(members), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["archive"]
    assert {"blobs", "evidence"} <= told.are("not checked")


def test_a_check_that_builds_on_one_that_failed_is_not_checked(tmp_path: Path) -> None:
    told = Told(pack(_about(size=14)(members_of(snapshot()))), tmp_path)
    assert [one.split(":")[0] for one in told.failed] == ["log"]
    assert told.are("ok") == {"container", "manifest"}
    assert (CHECKED | ASKED | NEVER) - told.are("ok") - {"log"} <= told.are("not checked")


def test_it_can_be_read_in_one_sitting() -> None:
    lines = SCRIPT.read_text("utf-8").splitlines()
    assert len(lines) <= 480
    assert max(map(len, lines)) <= 120


def test_its_signatures_are_those_of_the_package() -> None:
    odd = json.loads((VECTORS / "cctv-ed25519.json").read_text("utf-8"))
    for vector in [*odd, *json.loads((VECTORS / "rfc8032.json").read_text("utf-8"))]:
        key, message, signature = (bytes.fromhex(vector[name]) for name in ("key", "message", "signature"))
        try:
            found = script().is_signed(key, message, signature)
        except script().WRONG:
            found = False
        assert found == ed25519.verify(key, message, signature), vector


def test_a_token_is_left_to_openssl(tmp_path: Path) -> None:
    """The command is the one that works: with the token's root, over the head alone."""
    told = Told(snapshot(), tmp_path)
    how = next(why for _, what, why in told.checks if what == "time stamp")
    found = re.search(r"`openssl (ts -verify) -in searchlog/token-1.tsr -data HEAD -CAfile ROOTS`", how)
    assert found
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    text = "searchlog/s20260102-030405-00000001\n14\nQuJs00JHbU8TBVL5a/eq6iokXky1YC9mTEUTIBjP84o=\n"
    (tmp_path / "head").write_text(text, "utf-8")
    place = ["-data", str(tmp_path / "head"), "-CAfile", str(VECTORS / "token-root.pem")]
    command = ["openssl", *found[1].split(), "-in", str(VECTORS / "token-sha256.tsr"), *place]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "Verification: OK" in done.stdout + done.stderr, done.stderr


def test_payloads_are_those_of_the_session() -> None:
    """The odd session is odd: else the tests above would show less than they say."""
    archive = members_of(snapshot())[WARC]
    assert b"14\r\n" + PAGE[:20] in archive
    assert archive.count(OTHER) == 1
    for kind in (b"revisit", b"conversion", b"resource", b"warcinfo"):
        assert b"WARC-Type: " + kind in archive
    assert b"103 Early Hints" not in archive.split(b"WARC-Type: resource")[0]
