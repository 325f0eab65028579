"""WARC files built record by record, each field as told, so that each can lie; and WACZ files of them.

page = response("https://site.example/a", http(b"<p>Hello"))
data = page.bytes + request("https://site.example/a", after=page).bytes
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

__all__ = [
    "DATE",
    "Built",
    "chunked",
    "html",
    "http",
    "packed",
    "page",
    "plain",
    "record",
    "request",
    "response",
    "revisit",
    "sha1",
    "wacz",
]

DATE = "2026-01-01T00:00:00Z"
_numbers = count(1)


@dataclass(frozen=True)
class Built:
    """One WARC record to be. Fields are written as they stand; Content-Length is worked out unless it is among them."""

    fields: tuple[tuple[str, str], ...]
    block: bytes
    version: str = "1.1"
    closing: bytes = b"\r\n\r\n"

    @property
    def head(self) -> bytes:
        lines = [f"WARC/{self.version}", *(f"{name}: {value}" for name, value in self.fields)]
        if all(name != "Content-Length" for name, _ in self.fields):
            lines.append(f"Content-Length: {len(self.block)}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    @property
    def bytes(self) -> bytes:
        return self.head + self.block + self.closing

    @property
    def id(self) -> str:
        return dict(self.fields)["WARC-Record-ID"]

    def with_field(self, name: str, *values: str) -> Built:
        """Return it with this field at its place, or last: once, several times, or not at all."""
        at = next((place for place, item in enumerate(self.fields) if item[0] == name), len(self.fields))
        rest = [item for item in self.fields if item[0] != name]
        return replace(self, fields=(*rest[:at], *((name, value) for value in values), *rest[at:]))

    def with_block(self, block: bytes) -> Built:
        """Return it with another block, its digests left as they were."""
        return replace(self, block=block)


def record(
    kind: str,
    block: bytes,
    uri: str | None = None,
    *,
    date: str = DATE,
    content_type: str | None = "application/octet-stream",
    digests: bool = True,
    payload: bytes | None = None,
    **fields: str,
) -> Built:
    """Return a record with what it must have. fields: more of them, `Concurrent_To` for WARC-Concurrent-To."""
    made = [("WARC-Type", kind), ("WARC-Record-ID", f"<urn:uuid:00000000-0000-4000-8000-{next(_numbers):012d}>")]
    made.append(("WARC-Date", date))
    if uri is not None:
        made.append(("WARC-Target-URI", uri))
    made += [(f"WARC-{name.replace('_', '-')}", value) for name, value in fields.items()]
    if content_type is not None:
        made.append(("Content-Type", content_type))
    if digests:
        made.append(("WARC-Block-Digest", sha1(block)))
        if payload is not None:
            made.append(("WARC-Payload-Digest", sha1(payload)))
    return Built(tuple(made), block)


def sha1(data: bytes) -> str:
    """Return a digest as most tools write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def http(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> bytes:
    """Return an HTTP response."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def html(text: str, title: str = "") -> bytes:
    """Return a page of one paragraph."""
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body><p>{text}</p></body></html>".encode()


def chunked(body: bytes, size: int = 20) -> bytes:
    """Return a body in chunks."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def response(uri: str, block: bytes, **options: str) -> Built:
    """Return a response record with both digests."""
    payload = block.partition(b"\r\n\r\n")[2]
    kind = "application/http; msgtype=response"
    return record("response", block, uri, content_type=kind, payload=payload, **options)


def page(uri: str, text: str, title: str = "", **options: str) -> Built:
    """Return the response of a page of one paragraph."""
    return response(uri, http(html(text, title), "Content-Type: text/html; charset=utf-8"), **options)


def request(uri: str, *headers: str, method: str = "GET", after: Built | None = None, **options: str) -> Built:
    """Return a request record; after: the response that it names."""
    host, _, path = uri.partition("://")[2].partition("/")
    block = "\r\n".join([f"{method} /{path} HTTP/1.1", f"Host: {host}", *headers]).encode("latin-1") + b"\r\n\r\n"
    if after is not None:
        options["Concurrent_To"] = after.id
    return record("request", block, uri, content_type="application/http; msgtype=request", **options)


def revisit(of: Built, block: bytes, uri: str, *by: str, **options: str) -> Built:
    """Return a revisit of an equal payload. by: how it names it: `id`, `moment`, `digest`."""
    fields = dict(of.fields)
    options["Profile"] = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    if "id" in by:
        options["Refers_To"] = of.id
    if "moment" in by:
        options |= {"Refers_To_Target_URI": fields["WARC-Target-URI"], "Refers_To_Date": fields["WARC-Date"]}
    if "digest" in by:
        options["Payload_Digest"] = fields["WARC-Payload-Digest"]
    return record("revisit", block, uri, content_type="application/http; msgtype=response", **options)


def plain(records: Iterable[Built]) -> bytes:
    """Return a file of these records."""
    return b"".join(item.bytes for item in records)


def packed(records: Iterable[Built]) -> bytes:
    """Return a file with a gzip member for each of these records."""
    return b"".join(gzip.compress(item.bytes, 6, mtime=0) for item in records)


def wacz(
    members: Mapping[str, bytes],
    *,
    unlisted: Sequence[str] = (),
    hashes: bool = True,
    deflate: bool = False,
    manifest: bytes | None = None,
    digest: Mapping[str, object] | None = None,
) -> bytes:
    """Return a WACZ file. manifest, digest: instead of what is worked out; an empty manifest leaves both away."""
    resources = [
        {"name": name.rpartition("/")[2], "path": name, "bytes": len(data)}
        | ({"hash": "sha256:" + hashlib.sha256(data).hexdigest()} if hashes else {})
        for name, data in members.items()
        if name not in unlisted
    ]
    made = json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}).encode()
    told = made if manifest is None else manifest
    parts = dict(members)
    if told:
        said = {"path": "datapackage.json", "hash": "sha256:" + hashlib.sha256(told).hexdigest(), **(digest or {})}
        parts |= {"datapackage.json": told, "datapackage-digest.json": json.dumps(said).encode()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED) as container:
        for name, data in parts.items():
            container.writestr(zipfile.ZipInfo(name), data, container.compression)
    return out.getvalue()
