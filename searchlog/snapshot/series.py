"""The WARC records that a session's records give, in their order: a function of the log and its blobs alone.

An exporter writes them; a verifier makes them again and compares, so that whatever was changed in an archive, its
header fields included, contradicts the log. One record is held at a time. Spec: FORMAT.md section 14.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from searchlog import canon, digest
from searchlog.capture.codec import exchange_from_json
from searchlog.capture.exchange import Exchange, header
from searchlog.clock import format_time
from searchlog.errors import FormatError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import Envelope
from searchlog.records import BlobRef, Body, Capture, Conversion, ProviderExchange, Rendering, Run, parse_body
from searchlog.snapshot.blocks import response_block
from searchlog.snapshot.warc import REVISIT_PROFILE, Head, blob_uri, record_id
from searchlog.verify.contents import blob_refs

__all__ = ["Indexed", "Made", "Page", "Series"]

_HTTP = "application/http;msgtype="
_EPOCH = "1970-01-01T00:00:00Z"
_TEXT = "text/plain;charset=utf-8"
_TRUNCATED = {"length": "length", "time": "time", "disconnect": "disconnect"}
"""Reasons of the log that WARC-Truncated knows; the others are `unspecified`."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the index says of a record, its place apart."""

    url: str
    date: str
    mime: str
    status: int
    digest: str
    """Of the payload."""


@dataclass(frozen=True, slots=True)
class Made:
    """One record of the archive."""

    head: Head
    block: bytes
    seq: int
    """The record of the log that it stands for; -1 for the first of the file."""
    indexed: Indexed | None = None


@dataclass(slots=True)
class Page:
    """A page that a reader can open."""

    url: str
    date: str
    payload: str
    title: str | None = None

    def to_json(self, number: int) -> dict[str, Any]:
        """Return its line of `pages.jsonl`."""
        value = {"id": f"page-{number}", "url": self.url, "ts": self.date}
        return value | ({"title": self.title} if self.title else {})


@dataclass(frozen=True, slots=True)
class _Held:
    id: str
    uri: str
    date: str
    plain: bool
    """Whether it is a response whose payload a revisit may refer to."""


@dataclass
class Series:
    """Makes the records of one session, one log record after another."""

    session: str
    blobs: BlobStore
    left_out: Collection[str] = ()
    """Digests of blobs that are not to be in the file."""
    pages: list[Page] = field(default_factory=list)
    """The pages so far."""
    _held: dict[str, _Held] = field(default_factory=dict)
    _met: set[tuple[str, str]] = field(default_factory=set)
    """Address and date of each exchange so far: one that was taken from the HTTP cache stands in the log again."""

    def info(self, created: str | None) -> Made:
        """Return the first record. created: when the last record of the log that is here was made."""
        about = (
            "software: searchlog\r\nformat: WARC File Format 1.1\r\n"
            "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
            f"isPartOf: searchlog/{self.session}\r\n"
        )
        head = Head(
            "warcinfo",
            record_id(self.session, 0, "warcinfo"),
            created or _EPOCH,
            "application/warc-fields",
            (("WARC-Filename", "data.warc"),),
        )
        return Made(head, about.encode("utf-8"), -1)

    def of(self, envelope: Envelope) -> Iterator[Made]:
        """Yield the records for one record of the log, and take its pages in.

        Raises MissingError, IntegrityError when a blob that is not left out cannot be read, FormatError for a body
        that is not in its kind's form.
        """
        body = parse_body(envelope.kind, envelope.body)
        if isinstance(body, Capture | ProviderExchange):
            yield from self._exchange(envelope, body)
        if isinstance(body, Conversion):
            self._entitle(body)
        for ref in blob_refs(envelope.body):
            name = ref["blob"]
            if name not in self._held and name not in self.left_out:
                yield self._blob(envelope, body, name)

    # --- exchanges

    def _exchange(self, envelope: Envelope, body: Capture | ProviderExchange) -> Iterator[Made]:
        name = body.payload.blob if body.payload is not None else None
        if body.exchange is None or name in self.left_out:
            return
        first = self._first(name)
        if isinstance(body.exchange, BlobRef):
            if body.exchange.blob in self.left_out:
                return
            spilled = canon.loads(self.blobs.get(digest.parse(body.exchange.blob)))
        else:
            spilled = body.exchange
        # of a revisit no more than its head is needed
        payload = self.blobs.get(digest.parse(name)) if name is not None and first is None else b""
        exchange = _exchange_of(spilled if first is None else _without_body(spilled), payload)
        if exchange is None or exchange.status is None:
            return
        date = format_time(exchange.started_at)
        if (exchange.url, date) in self._met and (name is None or name in self._held):
            return
        self._met.add((exchange.url, date))
        ids = {role: record_id(self.session, envelope.seq, role) for role in ("request", "response")}
        mark = ("Searchlog-Record", str(envelope.seq))
        common = (("WARC-Target-URI", exchange.url), mark)
        redacted = tuple(label for label in exchange.departures if ":request:" in label)
        yield Made(
            Head(
                "request",
                ids["request"],
                date,
                _HTTP + "request",
                (*common, ("WARC-Concurrent-To", f"<{ids['response']}>"), *_labels(redacted)),
            ),
            exchange.request_head + exchange.request_body,
            envelope.seq,
        )
        yield self._response(envelope.seq, exchange, name, ids["response"], common)
        if isinstance(body, Capture) and body.final and body.purpose != "robots" and _is_page(exchange):
            self.pages.append(Page(exchange.url, date, name or ""))

    def _first(self, name: str | None) -> _Held | None:
        """Return the response of the file that holds a payload, when there is one that a revisit may refer to."""
        held = self._held.get(name) if name is not None else None
        return held if held is not None and held.plain else None

    def _response(
        self, seq: int, exchange: Exchange, name: str | None, id_: str, common: tuple[tuple[str, str], ...]
    ) -> Made:
        date = format_time(exchange.started_at)
        block = response_block(exchange)
        payload_digest = name or digest.digest(b"")
        fields = [*common, *_peer(exchange)]
        mime = (header(exchange.headers, "content-type") or "application/octet-stream").split(";")[0].strip().lower()
        first = self._first(name)
        revisit = first is not None
        if first is not None:
            fields += [
                ("WARC-Profile", REVISIT_PROFILE),
                ("WARC-Refers-To", f"<{first.id}>"),
                ("WARC-Refers-To-Target-URI", first.uri),
                ("WARC-Refers-To-Date", first.date),
                ("WARC-Truncated", "length"),
            ]
        elif exchange.outcome != "complete":
            fields.append(("WARC-Truncated", _TRUNCATED.get(exchange.reason or "", "unspecified")))
        if block.plain or revisit:
            fields.append(("WARC-Payload-Digest", payload_digest))
        labels = tuple(label for label in block.labels if ":request:" not in label)
        kind = "revisit" if revisit else "response"
        if name is not None and not revisit:
            self._held.setdefault(name, _Held(id_, exchange.url, date, True))
        return Made(
            Head(kind, id_, date, _HTTP + "response", (*fields, *_labels(labels))),
            block.head if revisit else block.data,
            seq,
            indexed=_indexed(exchange, date, "warc/revisit" if revisit else mime, payload_digest),
        )

    # --- blobs

    def _blob(self, envelope: Envelope, body: Body, name: str) -> Made:
        data = self.blobs.get(digest.parse(name))
        id_ = record_id(self.session, envelope.seq, name)
        mark = ("Searchlog-Record", str(envelope.seq))
        if isinstance(body, Conversion) and body.text is not None and body.text.blob == name:
            source = self._held.get(body.payload)
            refers = (("WARC-Refers-To", f"<{source.id}>"),) if source else ()
            head = Head("conversion", id_, envelope.at, _TEXT, (("WARC-Target-URI", body.url), *refers, mark))
            uri = body.url
        else:
            uri = blob_uri(name)
            head = Head("resource", id_, envelope.at, _media_type(body, name), (("WARC-Target-URI", uri), mark))
        self._held[name] = _Held(id_, uri, envelope.at, False)
        return Made(head, data, envelope.seq)

    def _entitle(self, body: Conversion) -> None:
        for page in reversed(self.pages):
            if page.title is None and page.payload == body.payload and page.url == body.url:
                page.title = body.title


def _exchange_of(value: Any, payload: bytes) -> Exchange | None:
    """Return the exchange, or None for one that this version cannot read: its blobs are kept as they are."""
    if not isinstance(value, Mapping):
        return None
    try:
        return exchange_from_json(value, payload)
    except FormatError:
        return None


def _without_body(value: Any) -> Any:
    """Return an exchange as stored, without what frames its payload."""
    return {**value, "framing": {"kind": "none", "segments": [], "tail": ""}} if isinstance(value, dict) else value


def _peer(exchange: Exchange) -> list[tuple[str, str]]:
    peer = exchange.peer
    if peer is None:
        return []
    fields = [("WARC-IP-Address", peer.address), ("WARC-Protocol", exchange.http_version.lower())]
    if peer.tls_version:
        fields[1] = ("WARC-Protocol", f"{exchange.http_version.lower()}, {_tls(peer.tls_version)}")
    return fields + ([("WARC-Cipher-Suite", peer.cipher)] if peer.cipher else [])


def _tls(version: str) -> str:
    """Return `TLSv1.3` as `tls/1.3`."""
    return "tls/" + version.removeprefix("TLSv") if version.startswith("TLSv") else version.lower()


def _labels(labels: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return (("Searchlog-Departures", ", ".join(labels)),) if labels else ()


def _is_page(exchange: Exchange) -> bool:
    return exchange.method == "GET" and 200 <= (exchange.status or 0) < 300 and exchange.url.startswith("http")


def _indexed(exchange: Exchange, date: str, mime: str, payload: str) -> Indexed | None:
    """Return the line of the index; none for an answer to POST, which a reader would give to a GET."""
    if exchange.method != "GET" or not exchange.url.startswith(("http://", "https://")):
        return None
    return Indexed(exchange.url, date, mime, exchange.status or 0, payload)


def _media_type(body: Body, name: str) -> str:
    match body:
        case Rendering() if body.text.blob == name:
            return _TEXT
        case Run() if name in [ref.blob for ref in body.texts or ()]:
            return _TEXT
        case Conversion() if body.structure is not None and body.structure.blob == name:
            return "application/json"
        case _ if any(isinstance(ref := getattr(body, part), BlobRef) and ref.blob == name for part in body.spill):
            return "application/json"
        case _:
            return "application/octet-stream"
