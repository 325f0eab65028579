"""Snapshots for tests: a small session with every oddity of HTTP, exported; and snapshots that were tampered with.

`pack` makes container and manifest anew around changed members, as somebody would who wants a change to go unseen:
what is found then is found by what the members say of one another, and not by a digest in the manifest.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from searchlog import canon
from searchlog.clock import SystemClock, SystemIds
from searchlog.digest import digest
from searchlog.ledger import Ledger
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.log.envelope import Envelope, encode
from searchlog.log.lease import MemoryLeases
from searchlog.log.note import Note, Signature, VerifierKey, format_note, format_vkey
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.tree import leaf_hash, root_of
from searchlog.secrecy import secrets_of
from searchlog.snapshot.export import Seal, write_snapshot
from searchlog.snapshot.plan import Choice, plan

SESSION = "s20260102-030405-00000001"
AT = "2026-01-02T03:04:05.000000Z"
SITE = "http://mills.example"
TEXT = "Tide mills\nThe pond fills with the tide. Its gate shuts at high water.\n"
PAGE = b"<title>Tide mills</title><h1>Tide mills</h1><p>The pond fills with the tide. Its gate shuts at high water.</p>"
OTHER = b"<p>The wheel turns at low water.</p>"
ANSWER = b'{"results":[{"url":"http://mills.example/a","title":"Tide mills"}]}'


def exchange(path: str, second: int, head: str, **more: Any) -> dict[str, Any]:
    """Return an exchange as the log has it."""
    return {
        "decoded": {"codings": [], "reason": None},
        "departures": [],
        "detail": "",
        "duration_ms": 3,
        "framing": {"kind": "length", "segments": [], "tail": ""},
        "http_version": "HTTP/1.1",
        "method": "GET",
        "outcome": "complete",
        "peer": {"address": "192.0.2.7", "certificate": None, "cipher": None, "port": 80, "tls_version": None},
        "reason": None,
        "reason_phrase": "OK",
        "request_body": "",
        "request_head": f"GET {path} HTTP/1.1\r\nHost: mills.example\r\n\r\n",
        "response_head": head,
        "started_at": f"2026-01-02T03:04:{second:02}.000000Z",
        "status": 200,
        "url": SITE + path,
        "warnings": [],
        **more,
    }


def odd_session() -> Ledger:
    """Return a session with an interim answer, chunks, a trailer, a decoded payload, a revisit, spilled members."""
    blobs = MemoryBlobStore()
    bodies: list[tuple[str, int | None, dict[str, Any]]] = []

    def kept(data: bytes) -> dict[str, Any]:
        blobs.put([data])
        return {"blob": digest(data), "bytes": len(data)}

    def add(kind: str, body: dict[str, Any], turn: int | None = 1) -> None:
        bodies.append((kind, turn, body))

    def capture(path: str, payload: bytes, made: dict[str, Any], **more: Any) -> None:
        common = {"asked": SITE + path, "url": SITE + path, "hop": 0, "final": True, "purpose": "page", "status": 200}
        at = {"captured_at": made["started_at"], "exchange": made, "outcome": "complete", "revisit": False}
        add("capture", {**common, **at, "payload": kept(payload), **more})

    add("session", {"origin": f"searchlog/{SESSION}", "software": "searchlog/0.1.0"}, None)
    add("turn", {"lease": "00000000000000aa", "purpose": "search", "state": "begin"})
    add("query", {"mode": "fuse", "options": {}, "policy": {}, "providers": ["searxng"], "text": "tide mill gate"})
    asked = exchange("/search?q=tide", 5, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    add("provider-exchange", {"exchange": kept(canon.dumps(asked)), "payload": kept(ANSWER), "provider": "searxng"})
    chunks = [["14\r\n", 20], [f"\r\n{len(PAGE) - 20:x}\r\n", len(PAGE) - 20]]
    chunked = {"kind": "chunked", "segments": chunks, "tail": "\r\n0\r\nX-Sum: 1\r\n\r\n"}
    hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    capture("/a", PAGE, exchange("/a", 6, hints + head, framing=chunked))
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    capture("/b", OTHER, exchange("/b", 7, head, departures=["decoded:payload"]))
    capture("/c", OTHER, exchange("/c", 8, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), revisit=True)
    structure = canon.dumps({"blocks": [["heading", 0, 10], ["text", 11, 70]]})
    conversion = {
        "block_count": 2,
        "char_count": 71,
        "charset": "utf-8",
        "converter": "html/1",
        "media_type": "text/html",
    }
    made = {"payload": digest(PAGE), "structure": kept(structure), "text": kept(TEXT.encode()), "title": "Tide mills"}
    add("conversion", {**conversion, **made, "url": SITE + "/a", "verbatim": True, "warnings": []})
    exact = TEXT[11:40]
    evidence = {
        "captured_at": AT,
        "digest": digest(exact.encode()),
        "end": 40,
        "flags": [],
        "heading_path": ["Tide mills"],
    }
    where = {
        "id": "e1",
        "labels": [],
        "link": f"{SITE}/a",
        "payload": digest(PAGE),
        "prefix": TEXT[:11],
        "score": "1.25",
    }
    slice_ = {
        "source_kind": "page",
        "start": 11,
        "suffix": TEXT[40:],
        "text": digest(TEXT.encode()),
        "title": "Tide mills",
    }
    add("evidence", {**evidence, **where, **slice_, "exact": kept(canon.dumps(exact)), "tokens": 8, "url": SITE + "/a"})
    second = {"id": "e2", "start": 41, "end": 70, "exact": TEXT[41:70], "digest": digest(TEXT[41:70].encode())}
    around = {"prefix": TEXT[:41], "suffix": TEXT[70:], "tokens": 7, "url": SITE + "/a"}
    add("evidence", {**evidence, **where, **slice_, **second, **around})
    shown = f"<evidence e1>\n{exact}\n</evidence e1>\n".encode()
    rendering = {"evidence": ["e1", "e2"], "form": "render/4", "removals": {}, "text": kept(shown), "tokens": 9}
    add("rendering", rendering)
    add("turn", {"outcome": "ok", "state": "end"})
    add("note", {"text": "asked by hand"}, None)
    lines = [
        encode(Envelope(SESSION, seq, AT, kind, body, f"{seq:032x}", turn, causes=(seq - 1,) if seq else ()))
        for seq, (kind, turn, body) in enumerate(bodies)
    ]
    log = MemoryLogStore()
    log.append(SESSION, lines, 0)
    return Ledger(SESSION, log, blobs, clock=SystemClock(), ids=SystemIds(), leases=MemoryLeases())


def exported(ledger: Ledger, choice: Choice = Choice(), seal: Callable[[str], Seal] = Seal) -> bytes:
    """Return the snapshot of a session."""
    file = io.BytesIO()
    write_snapshot(file, plan(ledger, choice, secrets_of(())), ledger.blobs, seal)
    return file.getvalue()


def sealed(text: str) -> Seal:
    """Return the seal of a head with a signature and a time-stamp token."""
    note, key = signed(text)
    return Seal(note, (key,), (token(text),))


# --- tampering


def members_of(data: bytes) -> dict[str, bytes]:
    """Return the members of a snapshot, the two of the manifest left out."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist() if not name.startswith("datapackage")}


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return the snapshot with these members, under a manifest that fits them."""
    resources = [
        {"name": name.rsplit("/", 1)[-1], "path": name, "hash": digest(data), "bytes": len(data)}
        for name, data in members.items()
    ]
    value = {"profile": "data-package", "wacz_version": "1.1.1", "software": "searchlog", "resources": resources}
    manifest = canon.dumps({**value, "title": "packed for a test"})
    about = canon.dumps({"hash": digest(manifest), "path": "datapackage.json"})
    return zipped({**members, "datapackage.json": manifest, "datapackage-digest.json": about})


def zipped(members: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file of exactly these members, in the form that snapshots have."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o100644 << 16
            out.writestr(info, data)
    return file.getvalue()


def with_log(members: Mapping[str, bytes], change: Callable[[list[bytes]], list[bytes]]) -> dict[str, bytes]:
    """Return the members with the log changed, and a checkpoint and a description that fit it."""
    lines = change(members["searchlog/session.log"].split(b"\n")[:-1])
    leaves = [leaf_hash(line) if line[:1] == b"{" else bytes.fromhex(line[:64].decode()) for line in lines]
    about = json.loads(members["searchlog/snapshot.json"])
    about["size"] = len(lines)
    head = f"searchlog/{about['session']}\n{len(lines)}\n{base64.b64encode(root_of(leaves)).decode()}\n"
    return {
        **members,
        "searchlog/session.log": b"".join(line + b"\n" for line in lines),
        "searchlog/checkpoint.txt": head.encode(),
        "searchlog/snapshot.json": canon.dumps(about),
    }


def warc_records(data: bytes) -> list[tuple[bytes, bytes]]:
    """Return header and block of each record of an archive of ours."""
    out, at = [], 0
    while at < len(data):
        cut = data.index(b"\r\n\r\n", at)
        header = data[at:cut]
        length = int(header.rsplit(b"Content-Length: ", 1)[1].split(b"\r\n")[0])
        out.append((header, data[cut + 4 : cut + 4 + length]))
        at = cut + 4 + length + 4
    return out


def warc_of(records: list[tuple[bytes, bytes]]) -> bytes:
    """Return an archive of these records, with block digests and lengths that fit the blocks."""
    out = []
    for header, block in records:
        fields = [
            line for line in header.split(b"\r\n") if not line.startswith((b"WARC-Block-Digest", b"Content-Length"))
        ]
        fields += [b"WARC-Block-Digest: " + digest(block).encode(), b"Content-Length: %d" % len(block)]
        out.append(b"\r\n".join(fields) + b"\r\n\r\n" + block + b"\r\n\r\n")
    return b"".join(out)


# --- keys and tokens


def signed(text: str, name: str = "example.com/me", seed: bytes = bytes(32)) -> tuple[str, str]:
    """Return the text as a note signed with a key that everybody knows, and its verifier key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = VerifierKey(name, private.public_key().public_bytes_raw())
    note = Note(text, (Signature(name, key.id, private.sign(text.encode())),))
    return format_note(note), format_vkey(key)


def der(tag: int, *parts: bytes) -> bytes:
    """Return one DER value."""
    body = b"".join(parts)
    size = len(body).to_bytes(2, "big").lstrip(b"\0") or b"\0"
    return bytes([tag]) + (size if len(body) < 0x80 else bytes([0x80 | len(size)]) + size) + body


def token(text: str, time: bytes = b"20260102030405Z") -> bytes:
    """Return a time-stamp token over a text in the form that they have; nobody signed it."""
    sha256 = der(0x30, der(0x06, bytes.fromhex("608648016503040201")))
    imprint = der(0x30, sha256, der(0x04, hashlib.sha256(text.encode()).digest()))
    one = der(0x02, b"\1")
    info = der(0x30, one, der(0x06, b"\x2a\x03"), imprint, one, der(0x18, time))
    content = der(0x30, der(0x06, bytes.fromhex("2a864886f70d0109100104")), der(0xA0, der(0x04, info)))
    signed_data = der(0x30, der(0x02, b"\3"), der(0x31, sha256), content, der(0x31))
    return der(0x30, der(0x06, bytes.fromhex("2a864886f70d010702")), der(0xA0, signed_data))
