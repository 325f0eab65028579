#!/usr/bin/env python3
"""Check a searchlog snapshot. One file, plain Python 3.9 or later, nothing to install, no network.

    python verify_snapshot.py FILE [--name sha256:..] [--head 'searchlog head: ..'] [--key VKEY] [--json]

A snapshot is a ZIP file (WACZ 1.1.1) with a session's log, the pages that it rests on (WARC), and documents. This
script reads every byte of it and tells of each check whether it is ok, FAILED, or not checked. What it proves comes
in levels: L0, the file agrees with itself, which anybody who made it can bring about; L1, a key that you gave signed
the head of the log; L2, the log extends a head that you had from elsewhere. No level says what a server sent.
Ends with 0 when nothing failed, 1 when something did, 2 when the file cannot be read or the call makes no sense.

It stands apart from the searchlog package on purpose: it shares no code with what it checks. The format is that of
FORMAT.md, sections 3 to 8 and 14.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

DOCUMENT_MAX = 32 << 20  # bytes of a document or blob that is read whole
PARSED_MAX = 1 << 30  # bytes of blobs that are parsed, all together: many records may name the same one
LINE_MAX = 4 * 65536  # bytes of one line of the log, with its leaf hash and its redacted copy
RECORDS_MAX = 1_000_000  # lines of the log, and records of the archive
HEADER_MAX = 1 << 17  # bytes of the header of a WARC record
MEMBERS_MAX = 65_000
FAULTS_MAX = 100  # faults that are told; the others are counted
SIGNATURES_MAX = 64
STEP = 1 << 20

WARC, INDEX, PAGES = "archive/data.warc", "indexes/index.cdx", "pages/pages.jsonl"
ABOUT, LOG, CHECKPOINT = "searchlog/snapshot.json", "searchlog/session.log", "searchlog/checkpoint.txt"
EVIDENCE, KEYS = "searchlog/evidence.json", "searchlog/keys.txt"
MANIFEST, MANIFEST_DIGEST = "datapackage.json", "datapackage-digest.json"
NEEDED = (WARC, INDEX, PAGES, ABOUT, LOG, CHECKPOINT, EVIDENCE, MANIFEST, MANIFEST_DIGEST)
OTHERS = re.compile(r"searchlog/(?:keys\.txt|rendering-[1-9]\d*\.txt|e[1-9]\d*\.tlog-proof|token-[1-9]\d*\.tsr)", re.A)
SPILLED = ("exchange", "results", "dropped", "items", "sources", "chosen", "exact", "findings")
WHYS = ("scope", "profile", "redacted", "secret", "missing")
PROOF = "c2sp.org/tlog-proof@v1"
LOCAL, DIRECTORY, END = (
    struct.Struct("<4sHHHHHIIIHH"),
    struct.Struct("<4sHHHHHHIIIHHHHHII"),
    struct.Struct("<4sHHHHIIH"),
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Bad(Exception):
    """What is wrong, as a sentence."""


class Unreadable(Exception):
    """The file is none that could be checked."""


WRONG = (Bad, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError, struct.error)
"""What bytes of others can bring about in the checks below."""


class Report:
    """What was found, in order."""

    def __init__(self) -> None:
        self.checks: list[tuple[str, str, str]] = []
        self.failed = 0

    def say(self, outcome: str, what: str, why: str = "") -> None:
        self.failed += outcome == "FAILED"
        if outcome != "FAILED" or self.failed <= FAULTS_MAX:
            self.checks.append((outcome, what, shown(why, 300)))

    def run(self, what: str, check: Callable[..., Any], *args: Any) -> bool:
        """Run a check. Of one that returns a text, the text is what was found to be right."""
        before = self.failed
        try:
            good = check(*args)
        except WRONG as error:
            self.say("FAILED", what, str(error) if isinstance(error, Bad) else f"{type(error).__name__}: {error}")
            return False
        if isinstance(good, str) and self.failed == before:
            self.say("ok", what, good)
        return self.failed == before


def shown(text: str, most: int = 80) -> str:
    """Return text of others so that nothing in it acts on a terminal."""
    return ascii(text)[1:-1][:most]


def need(good: Any, fault: str) -> None:
    if not good:
        raise Bad(fault)


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def loads(data: bytes) -> Any:
    """Return the value of JSON without repeated keys, fractions, or numbers of 17 digits and more."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(items)
        need(len(out) == len(items), "the same key twice in one JSON object")
        return out

    def whole(text: str) -> int:
        need(len(text) < 18, "a number too large for JSON of ours")
        return int(text)

    def refuse(text: str) -> Any:
        raise Bad(f"the number {text[:20]} in JSON of ours")

    return json.loads(
        data.decode("utf-8"), object_pairs_hook=pairs, parse_int=whole, parse_float=refuse, parse_constant=refuse
    )


def b64(text: str) -> bytes:
    """Return the bytes of base64 in its one form."""
    raw = base64.b64decode(text, validate=True)
    need(base64.b64encode(raw).decode("ascii") == text, "base64 that is not in its one form")
    return raw


# --- the tree over the log (RFC 6962 section 2.1) and its checkpoint


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(leaves: list[bytes]) -> bytes:
    """Return the root over leaf hashes; `stack` holds complete subtrees, the largest first."""
    stack: list[tuple[int, bytes]] = []
    for leaf in leaves:
        height, carry = 0, leaf
        while stack and stack[-1][0] == height:
            height, carry = height + 1, node(stack.pop()[1], carry)
        stack.append((height, carry))
    need(stack, "a log without records")
    root = stack.pop()[1]
    while stack:
        root = node(stack.pop()[1], root)
    return root


def is_included(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf to the root (RFC 9162 section 2.1.3.2)."""
    at, last = index, size - 1
    for sibling in path:
        if last == 0 or len(sibling) != 32:
            return False
        if at & 1 or at == last:
            leaf = node(sibling, leaf)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            leaf = node(leaf, sibling)
        at, last = at >> 1, last >> 1
    return index < size and last == 0 and leaf == root


def read_note(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the text of a C2SP signed note and its signatures, each a key's name and its id with the signature."""
    need(text.endswith("\n") and not re.search("[\0-\x09\x0b-\x1f]", text), "no note: a control character, or no end")
    split = text.rfind("\n\n")
    if split < 0:
        return text, []
    lines = text[split + 2 :].split("\n")[:-1]
    need(0 < len(lines) <= SIGNATURES_MAX, f"a note of {len(lines)} signatures")
    found = [re.fullmatch(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)", line) for line in lines]
    need(all(found), "a signature line that is none")
    return text[: split + 1], [(one[1], b64(one[2])) for one in found if one]


def read_checkpoint(text: str) -> tuple[str, int, bytes]:
    """Return origin, size and root."""
    lines = text.split("\n")
    need(len(lines) >= 4 and all(lines[:-1]) and not lines[-1], "a checkpoint without its three lines")
    need(re.fullmatch(r"[1-9][0-9]{0,14}", lines[1]) and len(b64(lines[2])) == 32, "a checkpoint without size or root")
    return lines[0], int(lines[1]), b64(lines[2])


# --- Ed25519 (RFC 8032 section 5.1.7): canonical forms only, no keys of small order, no cofactor

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(one: Any, other: Any) -> Any:
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * one[3] * other[3] * D, 2 * one[2] * other[2]
    e, f, g, h = (b - a) % P, (d - c) % P, (d + c) % P, (b + a) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, point: Any) -> Any:
    out = (0, 1, 1, 0)
    for bit in bin(scalar)[2:]:
        out = add(out, out)
        if bit == "1":
            out = add(out, point)
    return out


def point_of(data: bytes) -> Any:
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    need(len(data) == 32 and y < P and x * x % P == square and (x or not sign), "a key that is no point")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def is_signed(key: bytes, text: bytes, signature: bytes) -> bool:
    point, s = point_of(key), int.from_bytes(signature[32:], "little")
    small = times(8, point)
    if len(signature) != 64 or s >= L or (small[0] == 0 and small[1] == small[2]):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    x, y, z, _ = add(times(s, point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little"))), times(L * 8 - k, point))
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    return bool((y | (x & 1) << 255).to_bytes(32, "little") == signature[:32])


def read_key(vkey: str) -> tuple[str, bytes, bytes]:
    """Return name, id and public key of a C2SP verifier key."""
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", vkey)
    need(found, "no verifier key: expected NAME+ID+KEY")
    name, id_, raw = found[1], bytes.fromhex(found[2]), b64(found[3])  # type: ignore[index]
    need(raw[:1] == b"\1", "a verifier key for something else than Ed25519")
    need(hashlib.sha256(name.encode("utf-8") + b"\n" + raw).digest()[:4] == id_, "a verifier key with another id")
    point_of(raw[1:])
    return name, id_, raw[1:]


# --- the file


class Snapshot:
    """The open file, and what the checks before have learned of it."""

    def __init__(self, file: BinaryIO, report: Report) -> None:
        self.file, self.report = file, report
        self.size = file.seek(0, 2)
        self.members: dict[str, tuple[int, int, int]] = {}  # offset, size, CRC
        self.name, self.parsed = "", 0
        self.note, self.head = "", ("", 0, b"")
        self.about: dict[str, Any] = {}
        self.leaves: list[bytes] = []
        self.lines: dict[int, tuple[int, int]] = {}  # of the records that are here: offset, size
        self.kinds: dict[str, list[int]] = {}
        self.held: dict[str, list[tuple[int, int]]] = {}  # where the bytes of each blob lie
        self.answers: dict[str, str] = {}  # payload of each response, by the record's id
        self.records: dict[int, tuple[str, dict[str, str], int]] = {}  # of the WARC, by offset: type, fields, length

    def read(self, at: int, size: int) -> bytes:
        need(at >= 0 and 0 <= size <= DOCUMENT_MAX and at + size <= self.size, "more bytes than there are, or may be")
        self.file.seek(at)
        return self.file.read(size)

    def member(self, name: str) -> bytes:
        at, size, _ = self.members[name]
        need(size <= DOCUMENT_MAX, f"{name} has {size} bytes; at most {DOCUMENT_MAX}")
        return self.read(at, size)

    def pieces(self, spans: list[tuple[int, int]]) -> Iterator[bytes]:
        for at, size in spans:
            for start in range(at, at + size, STEP):
                yield self.read(start, min(STEP, at + size - start))

    def digest(self, spans: list[tuple[int, int]]) -> str:
        found = hashlib.sha256()
        for piece in self.pieces(spans):
            found.update(piece)
        return "sha256:" + found.hexdigest()

    def blob(self, digest: str) -> bytes:
        need(sum(size for _, size in self.held[digest]) <= DOCUMENT_MAX, f"blob {digest} is too large to be read")
        return b"".join(self.pieces(self.held[digest]))

    def record(self, seq: int) -> dict[str, Any]:
        need(seq in self.lines, f"record {seq} is not here")
        value = loads(self.read(*self.lines[seq]))
        assert isinstance(value, dict)  # looked at when the log was read
        return value

    def unspilled(self, body: dict[str, Any], name: str) -> Any:
        """Return a member of a body that may stand in a blob; None when that is not here."""
        value = body.get(name)
        if isinstance(value, dict) and DIGEST.fullmatch(str(value.get("blob"))):
            if value["blob"] not in self.held:
                return None
            data = self.blob(value["blob"])
            self.parsed += len(data)
            need(self.parsed <= PARSED_MAX, "more is to be parsed than an honest session has")
            return loads(data)
        return value


def check_container(snap: Snapshot) -> str:
    """The bytes around the members have one form: a ZIP file of stored members, end to end, with nothing between."""
    if snap.size < END.size or snap.read(snap.size - END.size, 4) != b"PK\5\6":
        raise Unreadable("it is no ZIP file, has a comment, or is cut")
    end = snap.read(snap.size - END.size, END.size)
    count, size, offset = END.unpack(end)[4:7]
    if offset == 0xFFFFFFFF:
        raise Unreadable("it has 4 GiB or more, which this script does not read")
    need(count <= MEMBERS_MAX and end == END.pack(b"PK\5\6", 0, 0, count, count, size, offset, 0), "an odd end")
    need(offset + size + END.size == snap.size, "bytes between the directory and the end, or missing")
    directory = snap.read(offset, size)
    at = place = 0
    for _ in range(count):
        fields = DIRECTORY.unpack_from(directory, at)
        crc, stored = fields[7], fields[9]
        raw = directory[at + DIRECTORY.size : at + DIRECTORY.size + fields[10]]
        name = raw.decode("ascii")
        common = (20, 0, 0, 0, 0x21, crc, stored, stored, len(raw), 0)
        entry = DIRECTORY.pack(b"PK\1\2", 0x0314, *common, 0, 0, 0, 0o100644 << 16, place) + raw
        head = LOCAL.pack(b"PK\3\4", *common) + raw
        same = directory[at : at + len(entry)] == entry and snap.read(place, len(head)) == head
        need(same, f"the headers of member {shown(name)} differ, or are not in the one form they have")
        need(name in NEEDED or OTHERS.fullmatch(name), f"member {shown(name)} is no part of a snapshot")
        need(name not in snap.members, f"member {name} is there twice")
        snap.members[name] = (place + len(head), stored, crc)
        at, place = at + len(entry), place + len(head) + stored
    need(at == size and place == offset, "bytes that belong to no member")
    missing = [name for name in NEEDED if name not in snap.members]
    need(not missing, f"without {', '.join(missing)}")
    return f"{count} members, stored end to end"


def check_manifest(snap: Snapshot) -> str:
    """Every member but the last two is listed, and is as listed; the name is the digest of the list."""
    data = snap.member(MANIFEST)
    snap.name = sha256(data)
    wanted = json.dumps({"hash": snap.name, "path": MANIFEST}, separators=(",", ":")).encode()
    need(snap.member(MANIFEST_DIGEST) == wanted, f"{MANIFEST_DIGEST} does not name the digest of {MANIFEST}")
    value = loads(data)
    need(value["profile"] == "data-package" and value["wacz_version"] == "1.1.1", f"{MANIFEST} is of another version")
    listed = {item["path"]: item for item in value["resources"]}
    need(len(listed) == len(value["resources"]), f"{MANIFEST} lists a member twice")
    for name in listed.keys() ^ (snap.members.keys() - {MANIFEST, MANIFEST_DIGEST}):
        snap.report.say("FAILED", "manifest", f"{name} is listed and not there, or there and not listed")
    for name, (at, size, crc) in snap.members.items():
        found, sum_ = hashlib.sha256(), 0
        for piece in snap.pieces([(at, size)]):
            found.update(piece)
            sum_ = zlib.crc32(piece, sum_)
        item = {"name": name.split("/")[-1], "path": name, "hash": "sha256:" + found.hexdigest(), "bytes": size}
        if sum_ != crc or (name in listed and listed[name] != item):
            snap.report.say("FAILED", "manifest", f"{name} is not as it was listed")
    return f"{len(listed)} members with digests and sizes as listed"


def check_name(snap: Snapshot, name: str) -> str:
    need(name == snap.name, f"the snapshot's name is {snap.name}, not {shown(name)}")
    return "it is the one that you gave"


# --- the log


def lines_of(snap: Snapshot, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of each line of a member, without its line feed."""
    at, size, _ = snap.members[name]
    end = at + size
    for number in range(RECORDS_MAX + 1):
        if at == end:
            return
        snap.file.seek(at)
        line = snap.file.readline(min(LINE_MAX, end - at))
        need(line.endswith(b"\n") and number < RECORDS_MAX, f"line {number + 1} of {name} is too long or has no end")
        yield at, line[:-1]
        at += len(line)


def check_log(snap: Snapshot) -> str:
    """Each line is a record, or the leaf hash of one that is not here; together they give the head."""
    snap.note = snap.member(CHECKPOINT).decode("utf-8")
    snap.head = read_checkpoint(read_note(snap.note)[0])
    about = snap.about = loads(snap.member(ABOUT))
    need(about["format"] == "searchlog snapshot" and about["version"] == 1, f"{ABOUT} is of a version not known here")
    need(snap.head[0] == f"searchlog/{about['session']}", "checkpoint and snapshot.json name two sessions")
    erased: dict[int, int] = {}  # by an erasure record at
    copies = unexplained = 0
    for seq, (at, line) in enumerate(lines_of(snap, LOG)):
        if line[:1] == b"{":
            snap.leaves.append(hashlib.sha256(b"\0" + line).digest())
            snap.lines[seq] = (at, len(line))
            value = loads(line)
            right = (value["v"], value["session"], value["seq"]) == (1, about["session"], seq)
            right = right and len(line) < 65536 and isinstance(value["body"], dict)
            need(right, f"line {seq + 1} is no record {seq} of this session")
            snap.kinds.setdefault(str(value["kind"]), []).append(seq)
            if value["kind"] == "erasure":
                erased.update((gone, seq) for gone in value["body"]["seqs"])
        else:
            need(re.fullmatch(rb"[0-9a-f]{64}(?: \{.*\})?", line), f"line {seq + 1} is no record and no leaf hash")
            need(len(line) == 64 or "salt" not in loads(line[65:]), f"the redacted copy on line {seq + 1} has its salt")
            snap.leaves.append(bytes.fromhex(line[:64].decode("ascii")))
            copies += len(line) > 64
    size = len(snap.leaves)
    need(size == snap.head[1] == about["size"], f"{size} lines, where the checkpoint has {snap.head[1]}")
    need(root_of(snap.leaves) == snap.head[2], "the lines do not give the root of the checkpoint")
    before = -1
    left_out: set[int] = set()
    for first, last, why in about["left_out"]["records"]:
        need(before < first <= last < size and why in WHYS, "left_out.records names what cannot be")
        left_out.update(range(first, last + 1))
        before = last
    for seq in range(size):
        here, explained = seq in snap.lines, seq in left_out or erased.get(seq, -1) > seq
        if here and seq in left_out:
            snap.report.say("FAILED", "log", f"record {seq} is here, and is named as left out")
        elif not here and not explained and seq > before:
            snap.report.say("FAILED", "log", f"record {seq} is not here, and nothing says why")
        unexplained += not here and not explained
    if unexplained and not snap.report.failed:  # what explains them may be one of the records left out after them
        snap.report.say("not checked", "log", f"{unexplained} records are not here, and nothing that is here says why")
    if copies:
        snap.report.say("not checked", "log", f"{copies} redacted copies: the word of the sender only")
    return f"{len(snap.lines)} of {size} records are here, and all lines give the head"


def check_head(snap: Snapshot, head: tuple[str, int, bytes]) -> str:
    """The log extends a head that was seen elsewhere: its first lines give that very root."""
    need(head[0] == snap.head[0], f"the head is of {head[0]}, the snapshot of {snap.head[0]}")
    need(head[1] <= len(snap.leaves), f"the head covers {head[1]} records: the log was cut to {len(snap.leaves)}")
    need(root_of(snap.leaves[: head[1]]) == head[2], "the log does not extend the head: it is another history")
    return f"the first {head[1]} records are those of the head that you gave"


# --- the archive


def check_warc(snap: Snapshot) -> str:
    """Every record is whole, has the digest that it says, and says what its record of the log says."""
    start, size, _ = snap.members[WARC]
    at, end, last_seq, before = start, start + size, -1, ("", -1)
    exchanges: list[tuple[int, str, dict[str, str], int, int]] = []
    while at < end:
        need(len(snap.records) < RECORDS_MAX, f"more than {RECORDS_MAX} WARC records")
        data = snap.read(at, min(HEADER_MAX >> 5, end - at))
        if b"\r\n\r\n" not in data:
            data = snap.read(at, min(HEADER_MAX, end - at))
        cut = data.find(b"\r\n\r\n")
        first, *lines = data[: max(cut, 0)].decode("utf-8").split("\r\n")
        pairs = [line.partition(": ")[::2] for line in lines]
        fields = dict(pairs)
        need(cut > 0 and first == "WARC/1.1" and len(fields) == len(pairs), f"no WARC record at byte {at - start}")
        need(re.fullmatch("0|[1-9][0-9]{0,14}", fields["Content-Length"]), f"no length of the record at {at - start}")
        block, length = at + cut + 4, int(fields["Content-Length"])
        need(block + length + 4 <= end and snap.read(block + length, 4) == b"\r\n\r\n", f"a cut record at {at - start}")
        kind, found = fields["WARC-Type"], snap.digest([(block, length)])
        need(fields["WARC-Block-Digest"] == found, f"the block of the record at {at - start} has another digest")
        snap.records[at - start] = (kind, fields, block + length + 4 - at)
        if kind == "warcinfo":
            need(at == start and "WARC-Target-URI" not in fields, "warcinfo that is not the first record")
        else:
            seq = int(fields["Searchlog-Record"])
            need(at > start and seq >= last_seq, f"the record at {at - start} is not in the order of the log")
            answers = kind in ("response", "revisit") and before == ("request", seq)
            alone = kind in ("request", "conversion", "resource") and before[0] != "request"
            need(answers or alone, f"the record at {at - start} is of an unknown kind, or no answer to the one before")
            if kind in ("conversion", "resource"):
                snap.held.setdefault(found, [(block, length)])
                snap.report.run("archive", check_derived, snap, kind, fields, seq, found)
            else:
                exchanges.append((seq, kind, fields, block, length))
            last_seq, before = seq, (kind, seq)
        at = block + length + 4
    need(snap.records and before[0] != "request", "an archive without records, or with a request without its answer")
    met: set[tuple[str, str]] = set()
    for one in exchanges:
        snap.report.run("archive", check_exchange, snap, one, met)
    for seq in snap.kinds.get("capture", []) + snap.kinds.get("provider-exchange", []):
        snap.report.run("archive", check_present, snap, seq, met)
    return f"{len(snap.records)} WARC records say what the log says"


def check_derived(snap: Snapshot, kind: str, fields: dict[str, str], seq: int, digest: str) -> None:
    """A conversion or resource is a blob that its record of the log names."""
    record, uri = snap.record(seq), fields["WARC-Target-URI"]
    need(fields["WARC-Date"] == record["at"], f"the {kind} {shown(uri)} has another date than record {seq}")
    if kind == "resource":
        need(uri == f"urn:searchlog:blob:{digest}", f"the resource {shown(uri)} holds another blob")
    else:
        text = record["body"]["text"]["blob"] if record["kind"] == "conversion" else None
        right = (text, record["body"].get("url")) == (digest, uri)
        need(right, f"{shown(uri)} has another text than record {seq} says")
    need(digest in {ref["blob"] for ref in refs_in(record["body"])}, f"record {seq} does not name the blob {digest}")


def exchange_of(snap: Snapshot, seq: int) -> tuple[dict[str, Any], str | None, dict[str, Any] | None]:
    """Return body, payload digest and exchange of a record; no exchange where there is none, or it is not here."""
    record = snap.record(seq)
    need(record["kind"] in ("capture", "provider-exchange"), f"record {seq} is no capture and no answer of a provider")
    body = record["body"]
    return body, (body.get("payload") or {}).get("blob"), snap.unspilled(body, "exchange")


def check_exchange(snap: Snapshot, one: tuple[int, str, dict[str, str], int, int], met: set[tuple[str, str]]) -> None:
    """A request or an answer has the bytes, address and date that the log has."""
    seq, kind, fields, block, length = one
    _, payload, exchange = exchange_of(snap, seq)
    need(exchange, f"the exchange of record {seq} is not here")
    assert exchange is not None
    where = (fields["WARC-Target-URI"], fields["WARC-Date"])
    need(where == (exchange["url"], exchange["started_at"]), f"the {kind} of record {seq} has another address or date")
    if kind == "request":
        wanted = (exchange["request_head"] + exchange["request_body"]).encode("latin-1")
        need(sha256(wanted) == fields["WARC-Block-Digest"], f"the request of record {seq} is not that of the log")
        return
    peer = exchange.get("peer") or {}
    need(fields.get("WARC-IP-Address") == peer.get("address"), f"the answer of record {seq} came from another address")
    head = exchange["response_head"].encode("latin-1")
    ends = [one.end() for one in re.finditer(rb"\n\r?\n", head)]
    head = head[ends[-2] if len(ends) > 1 else 0 :]  # interim answers are left to the log
    if "decoded:payload" in exchange["departures"]:
        head = re.sub(rb"(?im)^(content-encoding[ \t]*:)", rb"X-Orig-\1", head)
    same = snap.read(block, min(len(head), length)) == head
    need(same, f"the head of the answer of record {seq} is not that of the log")
    said = fields.get("WARC-Payload-Digest")
    need(said in (None, payload or sha256(b"")), f"the answer of record {seq} has another payload digest than the log")
    met.add(where)
    if kind == "revisit":
        held = said and payload and snap.answers.get(fields["WARC-Refers-To"]) == payload
        need(held and length == len(head), f"a revisit of record {seq} refers to no answer with its payload")
        return
    framing, at, spans = exchange["framing"], block + len(head), []
    tail = framing["tail"].encode("latin-1")
    for raw, size in framing["segments"]:
        mark = raw.encode("latin-1")
        need(size >= 0 and snap.read(at, len(mark)) == mark, f"the framing of record {seq} is not that of the log")
        spans.append((at + len(mark), size))
        at += len(mark) + size
    if not spans:
        spans = [(at, block + length - len(tail) - at)]
        at = block + length - len(tail)
    need(at + len(tail) == block + length and spans[0][1] >= 0, f"the answer of record {seq} has more or fewer bytes")
    need(snap.read(at, len(tail)) == tail, f"the end of the answer of record {seq} is not that of the log")
    found = snap.digest(spans)
    need(found == (payload or sha256(b"")), f"the payload of record {seq} is {found}; the log says {payload}")
    snap.held.setdefault(found, spans)
    snap.answers[fields["WARC-Record-ID"]] = found


def check_present(snap: Snapshot, seq: int, met: set[tuple[str, str]]) -> None:
    """An exchange of which nothing was left out is in the archive."""
    _, payload, exchange = exchange_of(snap, seq)
    if exchange and exchange.get("status") is not None and payload not in snap.about["left_out"]["blobs"]:
        need((exchange["url"], exchange["started_at"]) in met, f"the exchange of record {seq} is not in the archive")


def refs_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every reference to a blob in a JSON value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and DIGEST.fullmatch(str(item.get("blob"))) and type(item.get("bytes")) is int:
            yield item
        elif isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)


def check_blobs(snap: Snapshot) -> str:
    """Every blob that a record here names is held with its size, or named as left out; and no other is here."""
    left_out, named = snap.about["left_out"]["blobs"], set()
    need(all(DIGEST.fullmatch(name) and why in WHYS for name, why in left_out.items()), "left_out.blobs names no blobs")
    for seq in snap.lines:
        body = snap.record(seq)["body"]
        spilled = [snap.unspilled(body, name) for name in SPILLED if isinstance(body.get(name), dict)]
        for ref in refs_in([body, spilled]):
            blob, size = ref["blob"], ref["bytes"]
            named.add(blob)
            if blob in snap.held and sum(part for _, part in snap.held[blob]) != size:
                snap.report.say("FAILED", "blobs", f"record {seq} gives {blob} another size")
            if (blob in snap.held) == (blob in left_out):
                snap.report.say("FAILED", "blobs", f"{blob} of record {seq} is here and left out, or neither")
    strange = (snap.held.keys() | left_out.keys()) - named - {sha256(b"")}
    need(not strange, f"{len(strange)} blobs that no record here names, such as {min(strange, default='')}")
    return f"{len(snap.held)} blobs held, {len(left_out)} left out"


def check_index(snap: Snapshot) -> str:
    """The index sends readers to records of this archive, for the addresses that these have; so does pages.jsonl."""
    seen, last = set(), b""
    for number, (_, line) in enumerate(lines_of(snap, INDEX), 1):
        value = loads(line[line.index(b"{") :])
        need(int(value["offset"]) not in seen, f"line {number} of the index leads where another does")
        kind, fields, length = snap.records[int(value["offset"])]
        place = snap.members[WARC][0] + int(value["offset"])
        right = kind in ("response", "revisit") and value["filename"] == "data.warc" and int(value["length"]) == length
        right = right and value["url"] == fields["WARC-Target-URI"] and line > last
        right = right and line.split(b" ")[1].decode() == re.sub(r"[^0-9]", "", fields["WARC-Date"])[:14]
        right = right and value["digest"] == fields.get("WARC-Payload-Digest", value["digest"])
        right = right and value["digest"] in snap.held and value["recordDigest"] == snap.digest([(place, length)])
        need(right, f"line {number} of the index does not say what the archive says")
        seen.add(int(value["offset"]))
        last = line
    answers = {(fields.get("WARC-Target-URI"), fields["WARC-Date"]) for _, fields, _ in snap.records.values()}
    pages = [loads(line) for _, line in lines_of(snap, PAGES)]
    need(pages[0]["format"] == "json-pages-1.0", "pages.jsonl does not begin as it must")
    strange = [page for page in pages[1:] if (page["url"], page["ts"]) not in answers]
    need(not strange, "pages.jsonl names a page that is not in the archive")
    return f"{len(seen)} captures and {len(pages) - 1} pages lead into the archive"


# --- evidence, renderings, proofs, signatures, tokens


def check_evidence(snap: Snapshot) -> str | None:
    """Each piece is what its record says, and the slice of the stored text that it says it is."""
    items = loads(snap.member(EVIDENCE))
    listed = [item["seq"] for item in items]
    need(listed == snap.kinds.get("evidence", []), f"{EVIDENCE} lists other records than the log")
    texts: dict[str, str] = {}
    unseen = 0
    for item in sorted(items, key=lambda item: str(item["body"]["text"])):
        record = snap.record(item["seq"])["body"]
        exact, body = snap.unspilled(record, "exact"), item["body"]
        id_, name = shown(str(body["id"])), body["text"]
        same = item["leaf"] == snap.leaves[item["seq"]].hex() and len(item) == 3
        need(same and body == (record if exact is None else {**record, "exact": exact}), f"{id_} is not its record")
        if not isinstance(exact, str):
            unseen += 1
            continue
        need(body["digest"] == sha256(exact.encode("utf-8")), f"the passage of {id_} has another digest")
        if name not in snap.held:
            unseen += 1
            continue
        if name not in texts:
            texts = {name: snap.blob(name).decode("utf-8")}
        text, start, end, before, after = texts[name], body["start"], body["end"], body["prefix"], body["suffix"]
        need(0 <= start <= end and text[start:end] == exact, f"{id_} is not the slice of its text that it says it is")
        around = text[max(0, start - len(before)) : start] == before and text[end : end + len(after)] == after
        need(around, f"{id_} stands between other words in its text")
    if unseen:
        snap.report.say("not checked", "evidence", f"{unseen} passages: their texts are not here")
    seen = len(items) - unseen
    return f"{seen} of {len(items)} passages are slices of texts that are here" if seen or not items else None


def check_renderings(snap: Snapshot) -> str:
    """What a model was given in a turn is the text that its record names."""
    wanted: dict[str, str] = {}
    for seq in snap.kinds.get("rendering", []):
        record = snap.record(seq)
        if record["body"]["text"]["blob"] not in snap.about["left_out"]["blobs"] and record["turn"] is not None:
            wanted.setdefault(f"searchlog/rendering-{record['turn']}.txt", record["body"]["text"]["blob"])
    names = {name for name in snap.members if name.startswith("searchlog/rendering-")}
    need(names == set(wanted), "there are renderings that no record names, or some are missing")
    for name in names:
        need(snap.digest([snap.members[name][:2]]) == wanted[name], f"{name} is not what its record names")
    return f"{len(names)} renderings"


def check_proofs(snap: Snapshot) -> str:
    """Each proof leads from the record of its evidence to the head."""
    ids = {}
    for seq in reversed(snap.kinds.get("evidence", [])):
        ids[f"searchlog/{snap.record(seq)['body']['id']}.tlog-proof"] = seq
    names = sorted(name for name in snap.members if name.endswith(".tlog-proof"))
    need(names == (sorted(ids) if snap.about["scope"]["kind"] == "evidence" else []), "proofs are missing, or too many")
    for name in names:
        top, _, note = snap.member(name).decode("utf-8").partition("\n\n")
        first, second, *path = top.split("\n")
        right = first == PROOF and second == f"index {ids[name]}" and note == snap.note
        need(right, f"{name} is for another record or head")
        hashes, index = [b64(line) for line in path], ids[name]
        good = is_included(snap.leaves[index], index, snap.head[1], hashes, snap.head[2])
        need(good, f"{name} does not lead to the head")
    return f"{len(names)} proofs lead to the head"


def check_signature(snap: Snapshot, vkey: str) -> str:
    """A key signed the checkpoint, and every signature of it is right."""
    name, id_, public = read_key(vkey)
    text, signatures = read_note(snap.note)
    mine = [raw[4:] for who, raw in signatures if (who, raw[:4]) == (name, id_)]
    need(mine, f"the key {shown(name)} did not sign the head")
    need(all(is_signed(public, text.encode("utf-8"), raw) for raw in mine), f"the signature of {shown(name)} is wrong")
    return f"the key {shown(name)}+{id_.hex()} signed the head"


def check_keys(snap: Snapshot) -> str:
    """The keys that the snapshot brings signed its head. Who holds them is not known from here."""
    keys = snap.member(KEYS).decode("utf-8").splitlines()
    need(0 < len(set(keys)) == len(keys) <= SIGNATURES_MAX, f"{len(keys)} keys in {KEYS}, or one twice")
    signed = [check_signature(snap, key) for key in keys]
    return f"{'; '.join(signed)} (keys that the file brings: not who holds them)"


def der(data: bytes) -> list[tuple[int, bytes]]:
    """Return tag and contents of the DER values that stand end to end in these bytes."""
    at = 0
    out: list[tuple[int, bytes]] = []
    while at < len(data):
        need(len(out) < 1000 and len(data) - at >= 2, "a token that is cut, or has too many parts")
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            count = size & 0x7F
            size, at = int.from_bytes(data[at : at + count], "big"), at + count
            need(0 < count <= 4 and size >> 8 * (count - 1) and size >= 0x80, "a token with a length that is none")
        need(size <= len(data) - at, "a token that is cut")
        out.append((tag, data[at : at + size]))
        at += size
    return out


def check_token(snap: Snapshot, name: str) -> str:
    """The imprint of a time-stamp token (RFC 3161 section 2.4.2) is the digest of the checkpoint's text."""
    whole = der(der(snap.member(name))[0][1])
    content = der(whole[1][1]) if whole[0][0] == 0x30 else whole  # a response, or the token alone
    signed = der(der(content[1][1])[0][1])
    what, wrapped = der(signed[2][1])
    need(what == (6, bytes.fromhex("2a864886f70d0109100104")), f"{name} holds something else than a time stamp")
    stamp = der(der(der(wrapped[1])[0][1])[0][1])
    imprint = der(stamp[2][1])
    kinds = {1: hashlib.sha256, 2: hashlib.sha384, 3: hashlib.sha512}
    oid = der(imprint[0][1])[0][1]
    need(oid[:-1] == bytes.fromhex("6086480165030402") and oid[-1] in kinds, f"{name} has an imprint of another kind")
    text = read_note(snap.note)[0].encode("utf-8")
    need(imprint[1] == (4, kinds[oid[-1]](text).digest()), f"{name} is a token for another text")
    need(stamp[4][0] == 0x18, f"{name} has no time")
    snap.report.say("not checked", "time stamp", f"{name}: who signed it (`openssl ts -verify` can)")
    return f"{name} says that the head existed by {shown(stamp[4][1].decode('ascii'))}"


# --- all of it


def check_all(snap: Snapshot, args: argparse.Namespace) -> str:
    """Run every check that makes sense after those before it, and return the level."""
    report, run = snap.report, snap.report.run
    if not run("container", check_container, snap) or not run("manifest", check_manifest, snap):
        return ""
    if args.name:
        run("name", check_name, snap, args.name)
    if not run("log", check_log, snap):
        return ""
    if args.head:
        run("head", check_head, snap, args.head)
    check: Callable[[Snapshot], str | None]
    for what, check in (("archive", check_warc), ("blobs", check_blobs), ("index", check_index)):
        run(what, check, snap)
    for what, check in (("evidence", check_evidence), ("renderings", check_renderings), ("proofs", check_proofs)):
        run(what, check, snap)
    if KEYS in snap.members:
        run("signature", check_keys, snap)
    if args.key:
        run("signature", check_signature, snap, args.key)
    elif read_note(snap.note)[1] and KEYS not in snap.members:
        report.say("not checked", "signature", "no key was given")
    for name in sorted(name for name in snap.members if name.endswith(".tsr")):
        run("time stamp", check_token, snap, name)
    return "" if report.failed else "L2" if args.head else "L1" if args.key else "L0"


LEVELS = {
    "": "nothing, see what FAILED",
    "L0": "the file agrees with itself; whoever made it could have made it otherwise",
    "L1": "a holder of the key that you gave signed this log; it says nothing of what servers sent",
    "L2": "the log extends the head that you had from elsewhere, so the records that it covers were not changed since",
}


def head_of(text: str) -> tuple[str, int, bytes]:
    found = re.fullmatch(r"(?:searchlog head: )?(\S+) ([1-9][0-9]{0,14}) ([A-Za-z0-9+/]{43}=)", text)
    if not found:
        raise argparse.ArgumentTypeError("expected 'searchlog head: ORIGIN SIZE ROOT'")
    return found[1], int(found[2]), base64.b64decode(found[3])


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a searchlog snapshot; nothing else is needed.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--name", help="the snapshot's name, sha256:.., from elsewhere")
    parser.add_argument("--head", type=head_of, help="a line 'searchlog head: ..' that you had from elsewhere")
    parser.add_argument("--key", help="a verifier key, NAME+ID+KEY, that you had from elsewhere")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args, report = parser.parse_args(argv), Report()
    try:
        with open(args.file, "rb") as file:
            snap = Snapshot(file, report)
            level = check_all(snap, args)
    except (OSError, Unreadable) as error:
        print(f"{shown(args.file)} cannot be checked: {shown(str(error))}", file=sys.stderr)
        return 2
    root = base64.b64encode(snap.head[2]).decode("ascii")
    head = f"searchlog head: {snap.head[0]} {snap.head[1]} {root}" if snap.head[1] else ""
    if args.json:
        checks = [{"outcome": outcome, "what": what, "why": why} for outcome, what, why in report.checks]
        told = {"name": snap.name, "head": head, "level": level, "proves": LEVELS[level], "failed": report.failed}
        print(json.dumps({**told, "checks": checks}, indent=2))
    else:
        print(f"name   {snap.name or '-'}\nhead   {shown(head, 300) or '-'}")
        for outcome, what, why in report.checks:
            print(f"{outcome:11}  {what:10}  {why}")
        print(f"level  {level or 'none'}: {LEVELS[level]}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
