#!/usr/bin/env python3
"""Check a searchlog snapshot. One file, plain Python 3.9 or later, nothing to install, no network.

    python verify_snapshot.py FILE [--name sha256:..] [--head 'searchlog head: ..'] [--key VKEY]

A snapshot is a ZIP file (WACZ 1.1.1) with the log of a search session, the web pages that it rests on (WARC), and
documents made of both. This script says of each check whether it is ok, FAILED (and the first fault that it met), or
not checked. It ends with 0 when nothing failed, 1 when something did, 2 when the file or the call cannot be read.

It shares no code with what it checks. Read it from the top: `Snapshot` has a method for each check, in order; what
they are made of comes last. A "section" without more is one of FORMAT.md of searchlog, which defines snapshots.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import mmap
import re
import struct
import sys
import zlib
from typing import Any

PARSED_MAX = 1 << 30  # bytes of blobs that are parsed, all together: many records may name the same one
DOCUMENT_MAX, LINE_MAX, HEADER_MAX = 32 << 20, 4 << 16, 1 << 14  # bytes of a file or blob, a log line, a WARC header
RECORDS_MAX, SIGNATURES_MAX = 1_000_000, 64

WARC, ABOUT, LOG = "archive/data.warc", "searchlog/snapshot.json", "searchlog/session.log"
CHECKPOINT, EVIDENCE = "searchlog/checkpoint.txt", "searchlog/evidence.json"
MANIFEST, MANIFEST_DIGEST = "datapackage.json", "datapackage-digest.json"
NEEDED = {WARC, "indexes/index.cdx", "pages/pages.jsonl", ABOUT, LOG, CHECKPOINT, EVIDENCE, MANIFEST, MANIFEST_DIGEST}
OTHERS = re.compile(r"searchlog/(keys\.txt|rendering-[1-9]\d*\.txt|e[1-9]\d*\.tlog-proof|token-[1-9]\d*\.tsr)", re.A)
SPILLED = ("exchange", "results", "dropped", "items", "sources", "chosen", "exact", "findings", "left_out")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
Bad = argparse.ArgumentTypeError  # a fault, as a sentence; argparse shows one in --head by itself
WRONG = (Bad, ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError, struct.error)
LEVELS = {
    "none": "something FAILED",
    "L0": "the file agrees with itself; whoever made it could have made it otherwise",
    "L1": "a holder of the key that you gave signed this log; it says nothing of what servers sent",
    "L2": "the log extends the head that you had from elsewhere, so the records that it covers were not changed since",
}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a searchlog snapshot; nothing else is needed.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--name", help="the snapshot's name, sha256:.., that you had from elsewhere")
    parser.add_argument("--head", type=read_head, help="a line 'searchlog head: ..' that you had from elsewhere")
    parser.add_argument("--key", help="a verifier key, NAME+ID+KEY, that you had from elsewhere")
    args = parser.parse_args(argv)
    try:
        snap = Snapshot(args)
        snap.check()
    except (OSError, ValueError) as error:
        print(f"{args.file!a} cannot be checked: {str(error)!a}", file=sys.stderr)
        return 2
    level = "none" if snap.failed else "L2" if args.head else "L1" if args.key else "L0"
    print(f"level        {level}: {LEVELS[level]}")
    return 1 if snap.failed else 0


class Snapshot:
    """The file, what the checks before have learned of it, and the checks, in order."""

    def __init__(self, args: argparse.Namespace) -> None:
        with open(args.file, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.data = memoryview(self.map)  # its parts are hashed where they are, without a copy
        if len(self.data) >= 0xFFFFFFFF:
            raise OSError("it has 4 GiB or more, which this script does not read")
        self.args, self.failed, self.parsed = args, 0, 0
        self.note, self.text, self.head = "", "", ("", 0, b"")  # the checkpoint; its text; its origin, size and root
        self.members: dict[str, list[slice]] = {}  # where in the file each lies: one slice
        self.about: dict[str, Any] = {}  # what snapshot.json says
        self.leaves: list[bytes] = []
        self.lines: dict[int, slice] = {}  # of the records that are here
        self.kinds: dict[str, list[int]] = {}  # kind to the seqs of its records that are here
        self.held: dict[str, list[slice]] = {}  # digest to where the parts of a blob lie

    def check(self) -> None:
        """Run each check, unless one that it builds on did not pass."""
        first = (self.check_container, self.check_manifest, self.check_log, self.check_head, self.check_signature)
        then = (self.check_renderings, self.check_proofs, self.check_archive, self.check_blobs, self.check_evidence)
        stopped = ""
        for check in first + then:
            what = check.__name__[len("check_") :]
            if stopped:
                self.say("not checked", what, f"it builds on the check of the {stopped}, which did not pass")
                continue
            try:
                self.say("ok", what, check())
            except WRONG as fault:
                odd = f"something is not in the form that it must have: {type(fault).__name__}: {fault}"
                self.say("FAILED", what, str(fault) if isinstance(fault, Bad) else odd)
                stopped = what if what in ("container", "log", "archive") else ""
        for name in (name for name in self.members if name.endswith(".tsr")):
            how = f"openssl ts -verify -in {name} -data HEAD -CAfile ROOTS"
            self.say("not checked", "time stamp", f"`{how}`; HEAD is {CHECKPOINT} up to its first empty line")
        self.say("not checked", "index", "whether index.cdx and pages.jsonl are right: run `searchlog verify`")
        self.say("not checked", "scope", "whether something is missing that should be here: run `searchlog verify`")
        self.say("not checked", "session", "whether the records agree with one another: run `searchlog verify`")

    def say(self, outcome: str, what: str, why: str) -> str:
        self.failed += outcome == "FAILED"
        if why:  # in ASCII, so that nothing in text of others acts on a terminal
            print(f"{outcome:11}  {what:10}  {ascii(why)[1:-1][:300]}")
        return ""

    def check_container(self) -> str:
        """Read a ZIP file that has one form alone, so that no two readers see two files (section 14, APPNOTE 4.3)."""
        count, size, offset = struct.unpack("<10xHIIxx", self.map[-22:])
        right = self.map[-22:] == struct.pack("<4s4xHHIIxx", b"PK\5\6", count, count, size, offset)
        need(right and offset + size + 22 == len(self.data), "it is no ZIP file, was cut, or has bytes around it")
        at, place = offset, 0
        for _ in range(count):  # both headers of a member are made anew, and compared
            crc, stored, length = struct.unpack_from("<16xI4xIH", self.map, at)
            raw = self.map[at + 46 : at + 46 + length]
            name = raw.decode("ascii")
            common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, crc, stored, stored, length, 0)
            wanted = b"PK\1\2\x14\3" + common + struct.pack("<6xII", 0o100644 << 16, place) + raw
            head = b"PK\3\4" + common + raw
            same = self.map[at : at + len(wanted)] == wanted and self.map[place : place + len(head)] == head
            need(same, f"member {name} is compressed, or one of its two headers is odd")
            need(name in NEEDED or OTHERS.fullmatch(name), f"member {name} is no part of a snapshot")
            need(name not in self.members, f"member {name} is there twice")
            at, place = at + len(wanted), place + len(head) + stored
            self.members[name] = [slice(place - stored, place)]
            need(place <= offset and zlib.crc32(self.data[place - stored : place]) == crc, f"member {name} was changed")
        need((at, place) == (offset + size, offset), "the ZIP file has bytes that belong to no member")
        need(self.members.keys() >= NEEDED, f"{', '.join(sorted(NEEDED - self.members.keys()))} is missing")
        return f"{count} members, stored end to end"

    def check_manifest(self) -> str:
        """Compare with datapackage.json: all members before it, with digest and size (section 14, WACZ 1.1.1)."""
        name = self.digest(self.members[MANIFEST])
        outcome = "ok" if self.args.name == name else "FAILED" if self.args.name else "not checked"
        why = {"ok": "as you gave it", "FAILED": "you gave another one"}.get(outcome, "no --name was given")
        self.say(outcome, "name", f"{name}: {why}")
        right = self.read(self.members[MANIFEST_DIGEST]) == f'{{"hash":"{name}","path":"{MANIFEST}"}}'.encode()
        need(right, f"{MANIFEST_DIGEST} does not give the digest of {MANIFEST}")
        manifest = loads(self.read(self.members[MANIFEST]))
        need((manifest["profile"], manifest["wacz_version"]) == ("data-package", "1.1.1"), "it is not of WACZ 1.1.1")
        listed = [item["path"] for item in manifest["resources"]]
        need([*listed, MANIFEST, MANIFEST_DIGEST] == list(self.members), "it lists other members than there are")
        for item in manifest["resources"]:
            path, parts = item["path"], self.members[item["path"]]
            found = {"name": path.split("/")[-1], "path": path, "hash": self.digest(parts), "bytes": size_of(parts)}
            need(item == found, f"{path} was changed: it has another digest or size than {MANIFEST} says")
        return f"{len(listed)} members have the digests and sizes that are listed"

    def check_log(self) -> str:
        """Hash each line to a leaf, and the leaves to the root hash of the checkpoint (sections 4, 8, 14)."""
        self.note = self.read(self.members[CHECKPOINT]).decode()
        self.text = self.note[: self.note.find("\n\n") + 1] or self.note  # signatures stand after an empty line
        origin, number, root, *more = self.text.split("\n")
        need(more and not more[-1] and all(more[:-1]), f"{CHECKPOINT} has an empty line, or no end")
        self.head = read_head(f"{origin} {number} {root}")
        about = self.about = loads(self.read(self.members[ABOUT]))
        need((about["format"], about["version"]) == ("searchlog snapshot", 1), f"{ABOUT} is of an unknown version")
        need(origin == f"searchlog/{about['session']}", f"{CHECKPOINT} and {ABOUT} name two sessions")
        at, end, seq, copies = self.members[LOG][0].start, self.members[LOG][0].stop, 0, 0
        while at < end:
            cut = self.map.find(b"\n", at, min(at + LINE_MAX, end))
            need(cut >= 0 and seq < RECORDS_MAX, f"line {seq + 1} is too long, has no end, or is one too many")
            line = self.map[at:cut]
            if line[:1] == b"{":
                record = loads(line)
                right = (record["v"], record["session"], record["seq"]) == (1, about["session"], seq)
                need(right and isinstance(record["body"], dict), f"line {seq + 1} is no record {seq} of this session")
                self.leaves.append(hashlib.sha256(b"\0" + line).digest())
                self.lines[seq] = slice(at, cut)
                self.kinds.setdefault(str(record["kind"]), []).append(seq)
            else:  # the leaf hash of a record that is not here, and perhaps a redacted copy of it
                need(re.fullmatch(rb"[0-9a-f]{64}( \{.*\})?", line), f"line {seq + 1} is no record and no leaf hash")
                need(len(line) == 64 or "salt" not in loads(line[65:]), f"the copy on line {seq + 1} has its salt")
                self.leaves.append(bytes.fromhex(line[:64].decode()))
                copies += len(line) > 64
            at, seq = cut + 1, seq + 1
        need(seq == self.head[1] == about["size"], f"there are {seq} lines; {CHECKPOINT} or {ABOUT} say otherwise")
        need(root_of(self.leaves) == self.head[2], f"the lines do not give the root hash of {CHECKPOINT}")
        if copies:
            self.say("not checked", "log", f"{copies} redacted copies of records: the word of the sender only")
        return f"{len(self.lines)} of {seq} records are here; all lines give searchlog head: {origin} {number} {root}"

    def check_head(self) -> str:
        """The log extends a head that was seen elsewhere: its first lines give that very root hash."""
        if not self.args.head:
            return self.say("not checked", "head", "no --head was given: the whole log could have been made anew")
        origin, size, root = self.args.head
        need(origin == self.head[0], f"the head that you gave is of another session: {origin}")
        need(size <= self.head[1], f"the head that you gave covers {size} records: some were cut off since")
        need(root_of(self.leaves[:size]) == root, "the log does not extend the head that you gave: another history")
        return f"the first {size} records are those of the head that you gave"

    def check_signature(self) -> str:
        """The key that you gave signed the checkpoint (C2SP signed-note); keys in the file itself show nothing."""
        lines = self.note[len(self.text) + 1 :].split("\n")[:-1]  # a dash, the name of a key, its id and signature
        if not self.args.key:
            return self.say("not checked", "signature", f"no --key was given; the head bears {len(lines)} signatures")
        need(self.args.key.count("+") >= 2, "the key that you gave is none: expected NAME+ID+KEY")
        name, id_, encoded = self.args.key.split("+", 2)
        raw = b64(encoded)
        fits = raw[:1] == b"\1" and hashlib.sha256(f"{name}\n".encode() + raw).hexdigest()[:8] == id_
        need(fits, f"the key {name} does not fit its id, or is not for Ed25519")
        signed = [b64(line[len(name) + 3 :]) for line in lines if line.startswith(f"— {name} ")]
        mine = [signature[4:] for signature in signed if signature[:4].hex() == id_]
        need(0 < len(mine) <= SIGNATURES_MAX, f"the key {name} did not sign the head")
        need(all(is_signed(raw[1:], self.text.encode(), one) for one in mine), f"the signature of {name} is wrong")
        return "the key that you gave signed the head"

    def check_renderings(self) -> str:
        """Each rendering, what a model was given in a turn, is the text that its record names (section 14)."""
        wanted: dict[str, str] = {}
        for record in map(self.record, self.kinds.get("rendering", [])):
            digest = record["body"]["text"]["blob"]
            if digest not in self.about["left_out"]["blobs"] and record["turn"] is not None:
                wanted.setdefault(f"searchlog/rendering-{record['turn']}.txt", digest)
        found = {name: self.digest(parts) for name, parts in self.members.items() if "/rendering-" in name}
        need(found == wanted, "a rendering is missing, or is not what the log says that a model was given")
        return f"{len(found)} renderings are what the log says that a model was given"

    def check_proofs(self) -> str:
        """Each proof leads from the record of its evidence to the checkpoint (C2SP tlog-proof)."""
        seqs: dict[str, int] = {}
        for seq in self.kinds.get("evidence", []) if self.about["scope"]["kind"] == "evidence" else []:
            seqs.setdefault(f"searchlog/{self.record(seq)['body']['id']}.tlog-proof", seq)
        proofs = {name for name in self.members if name.endswith(".tlog-proof")}
        need(proofs == seqs.keys(), f"{len(proofs)} proofs are not those of the {len(seqs)} pieces of evidence")
        for name, seq in seqs.items():
            top, _, note = self.read(self.members[name]).decode().partition("\n\n")
            first, index, *path = top.split("\n")
            right = (first, index, note) == ("c2sp.org/tlog-proof@v1", f"index {seq}", self.note)
            need(right, f"{name} is for another record or checkpoint")
            root = root_by([b64(line) for line in path], self.leaves[seq], seq, self.head[1])
            need(root == self.head[2], f"{name} does not lead to the checkpoint")
        return f"{len(proofs)} proofs lead to the checkpoint"

    def check_archive(self) -> str:
        """Read WARC/1.1 records, in the order of the log; each has its digest and is what the log says (section 14)."""
        start, end = self.members[WARC][0].start, self.members[WARC][0].stop
        at, last, exchanges = start, 0, []
        while at < end:
            where = f"the WARC record at byte {at - start} of {WARC}"
            cut = self.map.find(b"\r\n\r\n", at, min(at + HEADER_MAX, end))
            first, *lines = self.map[at : max(at, cut)].decode().split("\r\n")
            fields = dict(line.split(": ", 1) for line in lines)
            sound = first == "WARC/1.1" and len(fields) == len(lines)
            need(sound and re.fullmatch("[0-9]{1,15}", fields["Content-Length"]), f"{where} has no sound header")
            block, kind = slice(cut + 4, cut + 4 + int(fields["Content-Length"])), fields["WARC-Type"]
            at, is_first = block.stop + 4, at == start
            need(at <= end and self.map[block.stop : at] == b"\r\n\r\n", f"{where} does not end where its length says")
            digest = self.digest([block])
            need(fields["WARC-Block-Digest"] == digest, f"{where} was changed: it has another digest")
            need((kind == "warcinfo") == is_first, f"{where}: warcinfo is not the first record, or not the only one")
            if is_first:
                continue
            seq = int(fields["Searchlog-Record"])
            need(last <= seq, f"{where} is not in the order of the log")
            last = seq
            if kind in ("conversion", "resource"):
                record, uri, date = self.record(seq), fields["WARC-Target-URI"], fields["WARC-Date"]
                body = record["body"]
                right = uri == f"urn:searchlog:blob:{digest}"  # a resource; a conversion is the text of a page
                if kind == "conversion":
                    right = (record["kind"], body["text"]["blob"], body.get("url")) == (kind, digest, uri)
                right = right and date == record["at"] and digest in (ref["blob"] for ref in refs_in(body))
                need(right, f"{where} has another address, date or bytes than record {seq} of the log says")
                self.held.setdefault(digest, [block])
            else:
                exchanges.append((kind, fields, seq, block))
        met: dict[str, str] = {}  # the ids of the answers so far to the digests of their payloads
        for one in exchanges:  # now that all blobs are known, since an exchange may stand in one
            self.check_exchange(*one, met)
        return "all its WARC records are what the log says"

    def check_exchange(self, kind: str, fields: dict[str, str], seq: int, block: slice, met: dict[str, str]) -> None:
        """Make the block of a request, response or revisit anew from the log (section 14), and compare the digests."""
        body = self.record(seq)["body"]
        payload, exchange = (body.get("payload") or {"blob": sha256(b"")})["blob"], self.unspilled(body, "exchange")
        need(kind in ("request", "response", "revisit"), f"there is a WARC record of an unknown kind: {kind}")
        need(exchange, f"the exchange of record {seq} is not here, but its {kind} is")
        told = (fields["WARC-Target-URI"], fields["WARC-Date"], fields.get("WARC-Payload-Digest", payload))
        unlike = f"the {kind} of record {seq} is not what the log says: another "
        need(told == (exchange["url"], exchange["started_at"], payload), unlike + "address, date or payload digest")
        if kind == "request":
            head = (exchange["request_head"] + exchange["request_body"]).encode("latin-1")
        else:
            need(fields.get("WARC-IP-Address") == (exchange.get("peer") or {}).get("address"), unlike + "server")
            head = re.findall(rb"(?s).+?\n\r?\n", exchange["response_head"].encode("latin-1"))[-1]  # without 1xx heads
            if "decoded:payload" in exchange["departures"]:
                head = re.sub(rb"(?im)^(content-encoding[ \t]*:)", rb"X-Orig-\1", head)
        made, at = hashlib.sha256(head), block.start + len(head)
        if kind == "response":
            tail = exchange["framing"]["tail"].encode("latin-1")
            parts: list[slice] = []
            for raw, size in exchange["framing"]["segments"] or [["", block.stop - len(tail) - at]]:
                made.update(raw.encode("latin-1"))
                at += len(raw) + size
                need(size >= 0 and at <= block.stop and len(parts) < at - block.start, unlike + "length or framing")
                parts.append(slice(at - size, at))
                made.update(self.data[at - size : at])
            made.update(tail)
            need(self.digest(parts) == payload, unlike + "payload")
            self.held.setdefault(payload, parts)
            met[fields["WARC-Record-ID"]] = payload
        need("sha256:" + made.hexdigest() == fields["WARC-Block-Digest"], unlike + "head or framing")
        if kind == "revisit":
            need(met.get(fields["WARC-Refers-To"]) == payload, unlike + "payload in the answer that it refers to")

    def check_blobs(self) -> str:
        """Each blob that a record here names is held with its size, or named as left out; no other is (section 14)."""
        left_out, named = self.about["left_out"]["blobs"], {sha256(b"")}
        for seq in self.lines:
            body = self.record(seq)["body"]
            for ref in refs_in([body, *(self.unspilled(body, name) for name in SPILLED)]):
                blob, parts = ref["blob"], self.held.get(ref["blob"])
                named.add(blob)
                need((parts is None) == (blob in left_out), f"{blob} of record {seq} is missing, or left out and here")
                need(parts is None or size_of(parts) == ref["bytes"], f"{blob} has another size than record {seq} says")
        strange = (self.held.keys() | left_out.keys()) - named
        need(not strange, f"no record here names the blob {min(strange, default='')}")
        return f"{len(self.held)} blobs are here, {len(left_out)} are named as left out"

    def check_evidence(self) -> str:
        """Each piece is what its record says, and stands in its text where and between what it says (section 7)."""
        items, unseen, name, text = loads(self.read(self.members[EVIDENCE])), 0, "", ""
        need([item["seq"] for item in items] == self.kinds.get("evidence", []), f"{EVIDENCE} lists other records")
        for item in sorted(items, key=lambda item: str(item["body"]["text"])):  # so that each text is read once
            seq, body, record = item["seq"], item["body"], self.record(item["seq"])["body"]
            exact = self.unspilled(record, "exact")
            whole = record if exact is None else {**record, "exact": exact}
            same = item == {"seq": seq, "leaf": self.leaves[seq].hex(), "body": whole}
            same = same and (exact is None or body["digest"] == sha256(exact.encode()))
            need(same, f"{EVIDENCE} says something else of record {seq} than the log, or its passage was changed")
            if exact is None or body["text"] not in self.held:
                unseen += 1
                continue
            if name != body["text"]:
                name, text = body["text"], self.read(self.held[body["text"]]).decode()
            start, end, before, after = body["start"], body["end"], body["prefix"], body["suffix"]
            right = 0 <= start <= end and text[start:end] == exact
            around = text[max(0, start - len(before)) : start] == before and text[end : end + len(after)] == after
            need(right and around, f"{body['id']} is not the slice of its text that it says, or not between such words")
        if unseen:
            self.say("not checked", "evidence", f"{unseen} passages: their texts are not here")
        return f"{len(items) - unseen} of {len(items)} passages are slices of texts that are here"

    def digest(self, parts: list[slice]) -> str:
        found = hashlib.sha256()
        for part in parts:
            found.update(self.data[part])
        return "sha256:" + found.hexdigest()

    def read(self, parts: list[slice]) -> bytes:
        need(size_of(parts) <= DOCUMENT_MAX, "a member or blob is larger than this script reads whole")
        return b"".join(self.data[part] for part in parts)

    def record(self, seq: int) -> Any:
        need(seq in self.lines, f"record {seq} is not here")
        return loads(self.map[self.lines[seq]])

    def unspilled(self, body: dict[str, Any], name: str) -> Any:
        """Return a member of a body that may stand in a blob (section 3); None when that is not here."""
        value = body.get(name)
        if not isinstance(value, dict) or not DIGEST.fullmatch(str(value.get("blob"))):
            return value
        data = self.read(self.held[value["blob"]]) if value["blob"] in self.held else b"null"
        self.parsed += len(data)
        need(self.parsed <= PARSED_MAX, "there is more to be parsed than this script allows")
        return loads(data)


def root_of(leaves: list[bytes]) -> bytes:
    """Return the root hash over leaf hashes, split at the largest power of two below their number (RFC 6962, 2.1)."""
    need(leaves, "the log has no records")
    half = 1 << (len(leaves) - 1).bit_length() >> 1
    return hashlib.sha256(b"\1" + root_of(leaves[:half]) + root_of(leaves[half:])).digest() if half else leaves[0]


def root_by(path: list[bytes], leaf: bytes, index: int, size: int) -> bytes:
    """Return the root hash to which a path leads (RFC 6962, 2.1.1): the last hash in it is that of the other half."""
    half = 1 << (size - 1).bit_length() >> 1
    need(bool(path) == bool(half), "a proof is too long or too short")
    if not half:
        return leaf
    if index < half:
        pair = root_by(path[:-1], leaf, index, half) + path[-1]
    else:
        pair = path[-1] + root_by(path[:-1], leaf, index - half, size - half)
    return hashlib.sha256(b"\1" + pair).digest()


def is_signed(key: bytes, text: bytes, signature: bytes) -> bool:
    """Whether R = s B - k A (Ed25519, RFC 8032, 5.1.7): canonical forms, no keys of small order, no cofactor."""
    p, order = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
    d = -121665 * pow(121666, -1, p) % p

    def point_of(data: bytes) -> tuple[int, int]:  # RFC 8032, 5.1.3
        sign, y = divmod(int.from_bytes(data, "little"), 1 << 255)
        square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square:
            x = x * pow(2, (p - 1) // 4, p) % p
        need(len(data) == 32 and y < p and x * x % p == square and (x or not sign), "a key is no point of the curve")
        return (x if x & 1 == sign else p - x), y

    def add(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        (a, b), (c, e) = one, other
        f = d * a * b * c * e % p
        inverse = pow(1 - f * f, -1, p)
        return (a * e + b * c) * (1 - f) * inverse % p, (b * e + a * c) * (1 + f) * inverse % p

    def times(scalar: int, point: tuple[int, int]) -> tuple[int, int]:
        out = (0, 1)
        for bit in bin(scalar)[2:]:
            out = add(add(out, out), point) if bit == "1" else add(out, out)
        return out

    (x, y), s = point_of(key), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or s >= order or times(8, (x, y)) == (0, 1):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % order
    base = point_of((4 * pow(5, -1, p) % p).to_bytes(32, "little"))
    x, y = add(times(s, base), times(k, (p - x, y)))
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


def need(good: Any, fault: str) -> None:
    if not good:
        raise Bad(fault)


def size_of(parts: list[slice]) -> int:
    return sum(part.stop - part.start for part in parts)


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def b64(text: str) -> bytes:
    need(base64.b64encode(base64.b64decode(text)).decode() == text, "there is base64 that is not in its one form")
    return base64.b64decode(text)


def read_head(text: str) -> tuple[str, int, bytes]:
    """Return origin, size and root hash of a head as one line (section 8)."""
    found = re.fullmatch(r"(?:searchlog head: )?(\S+) ([1-9][0-9]{0,14}) ([A-Za-z0-9+/]{43}=)", text)
    if not found:
        raise Bad("expected 'searchlog head: ORIGIN SIZE ROOT'")
    return found[1], int(found[2]), b64(found[3])


def refs_in(value: Any) -> list[dict[str, Any]]:
    """Return every reference to a blob in a JSON value (section 3)."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    here = isinstance(value, dict) and "bytes" in value and DIGEST.fullmatch(str(value.get("blob")))
    return ([value] if here else []) + [ref for item in inner for ref in refs_in(item)]


def loads(data: bytes) -> Any:
    """Return the value of JSON as section 4 allows it: no key twice, no fractions, no huge numbers."""

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(items)) == len(items), "the same key stands twice in one JSON object")
        return dict(items)

    def whole(text: str) -> int:
        need(re.fullmatch("-?[0-9]{1,16}", text), f"there is a number that may not be: {text[:20]}")
        return int(text)

    return json.loads(data.decode(), object_pairs_hook=unique, parse_int=whole, parse_float=whole, parse_constant=whole)


if __name__ == "__main__":
    sys.exit(main())
