"""Exchanges from WARC records that other tools wrote: what of a stranger's file can be a capture, and as what.

A file is read twice. `Survey` goes over it first, and learns which request belongs to which response and which payloads
are referred to later; `exchange_of` then makes an exchange of one record. Bodies that a tool stored without their
codings although the head still names them are taken as they are, under the departure `rebuilt`. Secrets are taken out
on the way, as from an exchange of our own. Pure but for the secrets that this process knows (`keyring`).
Spec: WARC/1.1 sections 5 and 6.  Shown by test_foreign_captures.py.
"""

from __future__ import annotations

import ipaddress
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from searchlog.capture import coding
from searchlog.capture.assemble import Timing, assemble
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Framing, Limits, Peer, Request, header
from searchlog.capture.guard import Refusal, Target, check_url
from searchlog.capture.message import Message, parse, split_request
from searchlog.capture.redact import Draft
from searchlog.clock import parse_time
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError
from searchlog.webarchive.warc_reader import WarcRecord, digest_fits

__all__ = ["Original", "Survey", "aside_reason", "exchange_of", "revisit_keys", "revisited_keys"]

_HEAD_MAX = 65_536
_REQUESTS_MAX = 64_000_000
"""Bytes of packed requests that are held while a file is read; those after it count as not there."""
_SKEW = timedelta(days=1)
_ASIDE = ("warcinfo", "metadata", "conversion", "continuation")
_TRUNCATED = {"time": "timeout", "length": "length", "disconnect": "disconnect"}
_DECODED_HEADS = ("x-orig-content-encoding", "x-orig-transfer-encoding")
"""What browsertrix and others rename the fields to that no longer hold of the bodies they store."""
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_TEXT_LOOK = 512
_CHUNK = re.compile(rb"[ \t]*[0-9A-Fa-f]{1,16}[ \t]*(?:[;\r\n]|\Z)")
"""How a body begins that has chunks, or as much as is there of it."""


@dataclass(frozen=True, slots=True)
class Original:
    """The payload of an earlier response, as it was stored."""

    digest: Digest
    decoded: Decoded
    """Without its data, where the payload was stored without its coding; else empty."""
    departures: tuple[str, ...]
    """Those that are about the payload."""

    @classmethod
    def of(cls, exchange: Exchange) -> Original:
        """Return what a later revisit needs of an exchange."""
        about = tuple(name for name in exchange.departures if name.endswith(":payload"))
        decoded = replace(exchange.decoded, data=b"") if "decoded:payload" in about else Decoded(b"")
        return cls(digest(exchange.payload), decoded, about)


@dataclass(slots=True)
class Survey:
    """What was learned of a whole file before anything of it is taken."""

    candidates: int = 0
    """Records that may become captures."""
    unchecked: int = 0
    """Those of them that bear no digest that could be compared."""
    wanted: set[str] = field(default_factory=set)
    """Keys of the responses that a revisit refers to."""
    _requests: dict[str, tuple[str, bytes | None]] = field(default_factory=dict)
    _of_response: dict[str, str] = field(default_factory=dict)
    _of_moment: dict[str, str] = field(default_factory=dict)
    _held: int = 0

    def add(self, record: WarcRecord, now: datetime) -> None:
        """Take in the next record of the file."""
        if record.type == "request":
            self._add_request(record)
        elif aside_reason(record, now) is None:
            self.candidates += 1
            self.unchecked += not record.digests_checked
            if record.type == "revisit":
                self.wanted.update(revisit_keys(record))

    def _add_request(self, record: WarcRecord) -> None:
        method = record.block.partition(b" ")[0][:32].decode("latin-1")
        kept = zlib.compress(record.block, 1) if len(record.block) <= _HEAD_MAX and method == "GET" else None
        if kept is not None:
            self._held += len(kept)
            kept = kept if self._held <= _REQUESTS_MAX else None
        self._requests[record.id] = (method, kept)
        for other in record.all("WARC-Concurrent-To"):
            self._of_response[other.strip("<> ")] = record.id
        self._of_moment[_moment(record.uri, record.date)] = record.id

    def request_of(self, response: WarcRecord) -> tuple[str, bytes | None] | None:
        """Return method and block of the request that brought a response; the block is None when it was not held.

        Either of the two names the other; where neither does, those of one URI and time belong together.
        """
        named = [other.strip("<> ") for other in response.all("WARC-Concurrent-To")]
        found = [name for name in named if name in self._requests]
        name = found[0] if found else self._of_response.get(response.id)
        if name is None:
            name = self._of_moment.get(_moment(response.uri, response.date))
        return self._requests.get(name) if name is not None else None


def aside_reason(record: WarcRecord, now: datetime) -> str | None:
    """Return why a record cannot be a capture, as a code; None when it may be one.

    `warcinfo`, `metadata`, `conversion`, `continuation`, `type-unknown`; `segmented`: a part of a record; `uri-url`,
    `uri-scheme`, `uri-credentials`: what `check_url` says of its target; `no-http`: a response to another protocol;
    `date-in-future`.
    """
    if record.type in _ASIDE:
        return record.type
    if record.type not in ("response", "revisit", "resource"):
        return "type-unknown"
    if record.field("WARC-Segment-Number") is not None:
        return "segmented"
    target = check_url(record.uri or "")
    if isinstance(target, Refusal):
        return f"uri-{target.reason}"
    kind = (record.field("Content-Type") or "").lower()
    if record.type != "resource" and not kind.startswith("application/http"):
        return "no-http"
    try:
        return "date-in-future" if parse_time(record.date) > now + _SKEW else None
    except FormatError:
        return "date"


def revisit_keys(record: WarcRecord) -> Iterator[str]:
    """Yield the keys of what a revisit refers to, the surest first; only of payloads that are equal."""
    if "identical-payload-digest" not in (record.field("WARC-Profile") or ""):
        return
    if name := record.field("WARC-Refers-To"):
        yield "id " + name.strip("<> ")
    uri, date = record.field("WARC-Refers-To-Target-URI"), record.field("WARC-Refers-To-Date")
    if uri and date:
        yield _moment(uri.strip("<> "), date)
    if value := record.field("WARC-Payload-Digest"):
        yield "digest " + value.lower()


def revisited_keys(record: WarcRecord) -> Iterator[str]:
    """Yield the keys under which a revisit may refer to a response."""
    yield "id " + record.id
    yield _moment(record.uri, record.date)
    if value := record.field("WARC-Payload-Digest"):
        yield "digest " + value.lower()


def _moment(uri: str | None, date: str) -> str:
    return f"at {date} {uri}"


def exchange_of(
    record: WarcRecord,
    request: tuple[str, bytes | None] | None,
    limits: Limits,
    deadline: Deadline | None = None,
    original: tuple[Original, bytes] | None = None,
) -> Exchange | str:
    """Return the exchange that a record tells, or why it is none: `not-get`, `no-http`, `header-too-large`.

    record: one that `aside_reason` lets pass. request: as `Survey.request_of` gives it. original: of a revisit of an
    equal payload, what it refers to with its stored payload.
    """
    target = check_url(record.uri or "")
    assert isinstance(target, Target)
    method, sent = request or ("GET", None)
    if method != "GET":
        return "not-get"
    departures = []
    if sent is None:
        departures.append("rebuilt:request")
    asked = _request_line(target) if sent is None else zlib.decompress(sent)
    read = _resource(record) if record.type == "resource" else _response(record, original)
    if isinstance(read, str):
        return read
    message, rebuilt = read
    decoded = _decoded(message, limits, deadline, original[0] if original else None)
    if decoded.codings != coding.content_codings(message.headers):
        rebuilt = True
    departures += ["rebuilt"] if rebuilt else []
    departures += original[0].departures if original else []
    cut = record.field("WARC-Truncated") if record.type == "response" else None
    if cut is not None:
        message = replace(message, complete=False)
    return assemble(
        Request("GET", target.url),
        Draft(target.url, *split_request(asked), message, decoded),
        _peer(record, target),
        Timing(parse_time(record.date), 0),
        reason=_TRUNCATED.get(cut.lower(), "unspecified") if cut is not None else None,
        departures=tuple(departures),
    )


def _request_line(target: Target) -> bytes:
    """Return the least request that asks for this, where the file does not tell what was sent."""
    return f"GET {target.path} HTTP/1.1\r\nHost: {target.host_header}\r\n\r\n".encode("latin-1")


def _resource(record: WarcRecord) -> tuple[Message, bool]:
    """Return a payload that was stored without its response as one."""
    kind = record.field("Content-Type") or "application/octet-stream"
    lines = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(record.block)}\r\n\r\n"
    return parse(lines.encode("latin-1", "replace") + record.block), True


def _response(record: WarcRecord, original: tuple[Original, bytes] | None) -> tuple[Message, bool] | str:
    """Return the message of a response or a revisit, and whether its bytes are not those of the wire."""
    block, rebuilt = record.block, False
    if block[:7] in (b"HTTP/2 ", b"HTTP/3 "):  # a translation: those have no status line
        block, rebuilt = b"HTTP/1.1 " + block[7:], True
    message = parse(block)
    if message.status is None:
        return "no-http"
    if len(message.head) > _HEAD_MAX:
        return "header-too-large"
    if original is not None:
        return _revisited(message, original[1]), True
    body = block[len(message.head) :]
    if _is_bare(message, body) or _is_longer(record, message, body):
        message, rebuilt = replace(message, payload=body, framing=Framing("close"), complete=True, problem=None), True
    return message, rebuilt or any(header(message.headers, name) is not None for name in _DECODED_HEADS)


def _is_bare(message: Message, body: bytes) -> bool:
    """Whether the head names chunks and there are none: the tool took the body out of them."""
    framing = message.framing
    return framing.kind == "chunked" and not framing.segments and bool(body) and not _CHUNK.match(body)


def _is_longer(record: WarcRecord, message: Message, body: bytes) -> bool:
    """Whether the head states fewer bytes than the payload has by its digest: it was stored without its coding."""
    if message.framing.kind != "length" or len(body) <= len(message.payload):
        return False
    value = record.field("WARC-Payload-Digest")
    return value is not None and digest_fits(value, body)


def _revisited(message: Message, payload: bytes) -> Message:
    """Return the message with the payload that is stored elsewhere, in one chunk where the head names chunks."""
    framing = Framing("close")
    if message.framing.kind == "none":
        return message
    if message.framing.kind == "length":
        framing = Framing("length")
    elif message.framing.kind == "chunked":
        whole = ((b"%x\r\n" % len(payload), len(payload)),) if payload else ()
        framing = Framing("chunked", whole, b"\r\n0\r\n\r\n" if payload else b"0\r\n\r\n")
    return replace(message, payload=payload, framing=framing, complete=True, problem=None, warnings=())


def _decoded(message: Message, limits: Limits, deadline: Deadline | None, original: Original | None) -> Decoded:
    """Return the decoded payload; a payload that is none of the coding that the head names is taken as it is."""
    if original is not None and "decoded:payload" in original.departures:
        return replace(original.decoded, data=message.payload)
    codings = coding.content_codings(message.headers)
    decoded = coding.decode(message.payload, codings, limits, deadline)
    if decoded.reason == "coding" and not decoded.data and _is_decoded(message.payload, codings[-1]):
        return coding.decode(message.payload, (), limits, deadline)
    return decoded


def _is_decoded(payload: bytes, name: str) -> bool:
    if name in _MAGIC:
        return not payload.startswith(_MAGIC[name])
    return not any(byte < 32 and byte not in b"\t\n\f\r" for byte in payload[:_TEXT_LOOK])


def _peer(record: WarcRecord, target: Target) -> Peer | None:
    value = record.field("WARC-IP-Address")
    if value is None:
        return None
    try:
        return Peer(str(ipaddress.ip_address(value.strip())), target.port)
    except ValueError:
        return None
