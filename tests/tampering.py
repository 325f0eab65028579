"""Snapshots taken apart, changed in one place, and put together again, as somebody would who wants it to go unseen.

    parts = Parts.of(data)
    parts["searchlog/evidence.json"] = b"[]"
    parts.naive()    members changed, manifest as it was
    parts.careful()  manifest, its digest, and the checksums of the ZIP file made to fit

`reindexed` makes the index fit an archive that was changed, `sealed_records` the digests of its records. What an
attacker cannot make to fit is the head that somebody else has seen.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from searchlog import canon
from searchlog.archive import Archive
from searchlog.log.tree import leaf_hash, root_of
from searchlog.search import registry
from searchlog.session import Session
from tests.searches import HTML, JSON, found, html, opened
from tests.sites import Answer, Site, serve
from tests.zips import Part, build

WARC, INDEX, PAGES = "archive/data.warc", "indexes/index.cdx", "pages/pages.jsonl"
ABOUT, LOG, CHECKPOINT = "searchlog/snapshot.json", "searchlog/session.log", "searchlog/checkpoint.txt"
EVIDENCE, KEYS, TOKEN = "searchlog/evidence.json", "searchlog/keys.txt", "searchlog/token-1.tsr"
MANIFEST, MANIFEST_DIGEST = "datapackage.json", "datapackage-digest.json"
COOKIE = "sid=canary-cookie-5f1d"
GIVEN = "# Tide mills\n\nThe tide mill of the provider stores the flood behind a dam.\n"


# --- sessions


def _chunked(text: str) -> bytes:
    data = text.encode()
    pieces = [data[at : at + 40] for at in range(0, len(data), 40)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\nX-Sum: 1\r\n\r\n"


def rich_pages() -> dict[str, Answer]:
    """Return a site with chunks, a content coding, redirects, an error, early hints and cookies."""
    wheel = html("An undershot wheel of the tide mill turns for six hours a tide.", "wheel").encode()
    hints = "</s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html"
    gate = gzip.compress(html("A sluice gate of the tide mill is shut by the ebb.", "gate").encode(), mtime=0)
    mill = _chunked(html("The tide mill stores the flood in a pond. Its gate shuts at high water.", "mill"))
    return {
        "/robots.txt": (404, {"Content-Type": "text/plain"}, ""),
        "/mill": (200, {**HTML, "Transfer-Encoding": "chunked", "Trailer": "X-Sum"}, mill),
        "/gate": (200, {**HTML, "Content-Encoding": "gzip"}, gate),
        "/old-pond": (302, {"Location": "/pond", "Set-Cookie": COOKIE}, ""),
        "/pond": (200, {**HTML, "Set-Cookie": COOKIE}, html("The pond of a tide mill silts up in spring.", "pond")),
        "/wheel": (103, [("Link", hints), ("Content-Length", str(len(wheel)))], wheel),
        "/gone": (410, {"Content-Type": "text/plain"}, "gone\n"),
    }


def rich_session(archive: Archive, site: Site) -> Session:
    """Return a session of two searches and a fetch over that site."""
    session = archive.session(title="mills of the coast")
    options = registry.Options(endpoints={"searxng": site.url, "tavily": f"{site.url}/t"})
    private = ("127.0.0.1",)
    found(site, ["/mill", "/gate", "/old-pond", "/wheel", "/absent"])
    session.search("tide mill gate", providers=["searxng"], registry_options=options, allow_private=private)
    results = [
        {"url": site.url + "/mill", "title": "Mill", "content": "tide", "raw_content": GIVEN.replace("of", "at")},
        {"url": site.url + "/gone", "title": "Gone", "content": "tide", "raw_content": GIVEN},
    ]
    site.pages["/t/search"] = (200, JSON, json.dumps({"results": results}))
    session.search(
        "tide mill dam",
        providers=["tavily"],
        provider_text="fallback",
        registry_options=options,
        allow_private=private,
    )
    session.fetch(site.url + "/mill", allow_private=private)
    return session


def record_rich(folder: Path) -> str:
    """Record that session in an archive, and return its id."""
    with serve(rich_pages()) as site, opened(folder) as archive:
        return rich_session(archive, site).id


# --- taking apart


@dataclass
class Parts:
    """A snapshot as its members, in their order. The manifest is that of the good one until it is made anew."""

    members: dict[str, bytes]
    manifest: bytes
    digest: bytes
    layout: list[Part] = field(default_factory=list)
    """Parts of the ZIP file to be written besides, as they stand."""

    @classmethod
    def of(cls, data: bytes) -> Parts:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {name: file.read(name) for name in file.namelist()}
        return cls(members, members.pop(MANIFEST), members.pop(MANIFEST_DIGEST))

    def __getitem__(self, name: str) -> bytes:
        return self.members[name]

    def __setitem__(self, name: str, data: bytes) -> None:
        self.members[name] = data

    def __delitem__(self, name: str) -> None:
        del self.members[name]

    def copy(self) -> Parts:
        return replace(self, members=dict(self.members), layout=list(self.layout))

    @property
    def about(self) -> dict[str, Any]:
        """The description, to be changed and given to `describe`."""
        value = canon.loads(self[ABOUT])
        assert isinstance(value, dict)
        return value

    def describe(self, **changes: Any) -> None:
        self[ABOUT] = canon.dumps({**self.about, **changes})

    @property
    def lines(self) -> list[bytes]:
        return self[LOG].split(b"\n")[:-1]

    def relog(self, lines: list[bytes]) -> None:
        """Put other lines into the log; nothing else is changed."""
        self[LOG] = b"".join(line + b"\n" for line in lines)

    def rehead(self, origin: str | None = None) -> None:
        """Make checkpoint and description fit the log: from here on it is another session, and agrees with itself."""
        leaves = [leaf_of(line) for line in self.lines]
        root = base64.b64encode(root_of(leaves)).decode("ascii")
        self.describe(size=len(leaves))
        self[CHECKPOINT] = f"{origin or 'searchlog/' + self.about['session']}\n{len(leaves)}\n{root}\n".encode()

    def remanifest(self) -> None:
        """List the members as they are now."""
        value = canon.loads(self.manifest)
        assert isinstance(value, dict)
        value["resources"] = [
            {"name": name.rsplit("/", 1)[-1], "path": name, "hash": sha256(data), "bytes": len(data)}
            for name, data in self.members.items()
        ]
        self.manifest = canon.dumps(value)
        self.digest = canon.dumps({"hash": sha256(self.manifest), "path": MANIFEST})

    def naive(self) -> bytes:
        """Return a file of the members under the manifest as it is; the ZIP file fits them."""
        all_ = {**self.members, MANIFEST: self.manifest, MANIFEST_DIGEST: self.digest}
        return build([Part(name.encode(), data) for name, data in all_.items()] + self.layout)

    def careful(self) -> bytes:
        """Return a file of the members under a manifest that fits them."""
        self.remanifest()
        return self.naive()


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def leaf_of(line: bytes) -> bytes:
    return leaf_hash(line) if line[:1] == b"{" else bytes.fromhex(line[:64].decode("ascii"))


# --- the archive inside


@dataclass(frozen=True)
class Warc:
    """One WARC record: its header fields in order, and its block."""

    fields: tuple[tuple[bytes, bytes], ...]
    block: bytes
    version: bytes = b"WARC/1.1"

    def get(self, name: bytes) -> bytes | None:
        return next((value for key, value in self.fields if key == name), None)

    def put(self, name: bytes, value: bytes | None) -> Warc:
        """Return it with this field changed, added at the end, or (None) taken out."""
        if value is None:
            return replace(self, fields=tuple(pair for pair in self.fields if pair[0] != name))
        if self.get(name) is None:
            return replace(self, fields=(*self.fields, (name, value)))
        return replace(self, fields=tuple((key, value if key == name else old) for key, old in self.fields))

    def with_block(self, block: bytes) -> Warc:
        """Return it with this block, and length, block digest and payload digest that fit it."""
        out = replace(self, block=block).put(b"Content-Length", b"%d" % len(block))
        if self.get(b"WARC-Block-Digest") is not None:
            out = out.put(b"WARC-Block-Digest", sha256(block).encode())
        if self.get(b"WARC-Payload-Digest") is not None and self.get(b"WARC-Type") == b"response":
            out = out.put(b"WARC-Payload-Digest", sha256(block.split(b"\r\n\r\n", 1)[-1]).encode())
        return out

    def format(self) -> bytes:
        head = b"".join(b"%b: %b\r\n" % pair for pair in self.fields)
        return self.version + b"\r\n" + head + b"\r\n" + self.block + b"\r\n\r\n"


def warcs(data: bytes) -> list[Warc]:
    """Return the records of an archive of ours."""
    out, at = [], 0
    while at < len(data):
        end = data.index(b"\r\n\r\n", at)
        version, *lines = data[at:end].split(b"\r\n")
        fields = tuple((name, value) for name, _, value in (line.partition(b": ") for line in lines))
        size = int(dict(fields)[b"Content-Length"])
        out.append(Warc(fields, data[end + 4 : end + 4 + size], version))
        at = end + 4 + size + 4
    return out


def place_of(records: list[Warc], kind: bytes, number: int = 0, uri: bytes = b"") -> int:
    """Return where the n-th record of a type stands whose target URI ends so."""
    good = [
        at
        for at, item in enumerate(records)
        if item.get(b"WARC-Type") == kind and (item.get(b"WARC-Target-URI") or b"").endswith(uri)
    ]
    return good[number]


def reindexed(index: bytes, before: bytes, after: list[Warc]) -> bytes:
    """Return an index of the archive as it is now, with the lines of records that are still there.

    before: the archive that the index was made for. What a line says of place, length, digest, date and address is
    made to fit; records are known by their ids.
    """
    from searchlog.webarchive.cdxj import IndexLine, index_bytes

    places = dict(_placed(warcs(before)))
    now = {item.get(b"WARC-Record-ID"): (at, item) for at, item in _placed(after)}
    lines = []
    for line in index.decode().splitlines():
        _, _, told = line.split(" ", 2)
        value = json.loads(told)
        id_ = places[int(value["offset"])].get(b"WARC-Record-ID")
        if id_ not in now:
            continue
        at, item = now[id_]
        data = item.format()
        uri, date = (
            item.get(b"WARC-Target-URI") or b"",
            (item.get(b"WARC-Date") or item.get(b"warc-date") or b"").strip(),
        )
        payload = item.get(b"WARC-Payload-Digest")
        lines.append(
            IndexLine(
                url=uri.decode(),
                timestamp=date.decode(),
                mime="warc/revisit" if item.get(b"WARC-Type") == b"revisit" else value["mime"],
                status=int(value["status"]),
                digest=payload.decode() if payload else value["digest"],
                filename=value["filename"],
                offset=at,
                length=len(data),
                record_digest=sha256(data),
            )
        )
    return index_bytes(lines)


def _placed(records: list[Warc]) -> Iterator[tuple[int, Warc]]:
    at = 0
    for item in records:
        yield at, item
        at += len(item.format())


def rearchived(parts: Parts, change: Callable[[list[Warc]], list[Warc]]) -> bytes:
    """Return the snapshot with its archive changed, the index made to fit, and the manifest."""
    made = parts.copy()
    records = change(warcs(parts[WARC]))
    made[WARC] = b"".join(item.format() for item in records)
    made[INDEX] = reindexed(parts[INDEX], parts[WARC], records)
    return made.careful()


def record_of(line: bytes) -> dict[str, Any]:
    value = canon.loads(line)
    assert isinstance(value, dict)
    return value


def seq_of(parts: Parts, kind: str, number: int = 0) -> int:
    """Return the seq of the n-th record of a kind that is here."""
    found = [seq for seq, line in enumerate(parts.lines) if line[:1] == b"{" and record_of(line)["kind"] == kind]
    return found[number]


# --- archives, held against what they were

_HELD_ASIDE = re.compile(r"(-wal|-shm|\.lock|\.lease)$|^leases?(/|$)|^locks?(/|$)")
"""Files that reading makes and that hold nothing of what is stored."""


def contents(folder: Path) -> Mapping[str, bytes]:
    """Return every file under a folder but those of locks and leases, with the log as its lines."""
    out = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not _HELD_ASIDE.search(name):
            out[name] = path.read_bytes()
    return out
