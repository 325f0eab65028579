"""Captures read back from the log: for `archive` results, for the index, and for replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from searchlog.capture.codec import exchange_from_json
from searchlog.capture.exchange import Exchange, Fetch, Outcome
from searchlog.digest import Digest
from searchlog.errors import FormatError, MissingError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import decode
from searchlog.log.store.base import LogStore
from searchlog.records import BlobRef, Capture, ProviderExchange, parse_body
from searchlog.search.textindex import Document, TextIndex

__all__ = ["index_captures", "stored_exchange", "stored_fetch", "stored_page"]


def stored_exchange(body: Capture | ProviderExchange, blobs: BlobStore, load: Callable[[Any], Any]) -> Exchange:
    """Return the exchange of a record, its payload from the blob store and decoded again.

    Raises MissingError or IntegrityError when the payload is gone or altered.
    """
    if body.exchange is None:
        raise FormatError("a record without an exchange")
    payload = blobs.get(Digest(body.payload.blob)) if isinstance(body.payload, BlobRef) else b""
    return exchange_from_json(load(body.exchange), payload)


def stored_fetch(hops: Sequence[Capture], blobs: BlobStore, load: Callable[[Any], Any]) -> Fetch:
    """Return the fetch that these records of one URL tell, in order; the last one ends it."""
    last = hops[-1]
    exchanges = tuple(stored_exchange(hop, blobs, load) for hop in hops if hop.exchange is not None)
    return Fetch(last.asked, exchanges, Outcome(last.outcome), last.reason, last.detail or "")


def stored_page(log: LogStore, blobs: BlobStore, load: Callable[[Any], Any], session: str, seq: int) -> Fetch:
    """Return the capture at this place of an archive as a fetch of one hop. Raises MissingError if there is none."""
    found = log.get(session, seq, seq + 1)
    if not found or found[0].line is None:
        raise MissingError(f"no record {seq} in session {session}", session=session, seq=seq)
    envelope = decode(found[0].line)
    body = parse_body(envelope.kind, envelope.body)
    if not isinstance(body, Capture):
        raise MissingError(f"record {seq} of session {session} is no capture", session=session, seq=seq)
    return stored_fetch([body], blobs, load)


def index_captures(index: TextIndex, log: LogStore, blobs: BlobStore) -> int:
    """Bring the index up to date with the log; return how many pages were added.

    Blobs that are missing or altered are passed over: the index is a convenience, `verify` is where that is told.
    """
    added = 0
    for session in log.sessions():
        known = index.known(session)
        start = 0 if known is None else known + 1
        documents, end = _documents(log, blobs, session, start)
        if documents:
            index.add(*documents)
        if end > start:
            index.mark(session, end - 1)
        added += len(documents)
    return added


def _documents(log: LogStore, blobs: BlobStore, session: str, start: int) -> tuple[list[Document], int]:
    documents: list[Document] = []
    captured: dict[str, tuple[int, str]] = {}
    end = start
    for seq, item in enumerate(log.get(session, start), start):
        end = seq + 1
        if item.line is None:
            continue
        envelope = decode(item.line)
        body = envelope.body
        if envelope.kind == "capture" and body.get("final") and body.get("payload") and not body.get("reused"):
            captured[body["payload"]["blob"]] = (seq, body["captured_at"])
        elif envelope.kind == "conversion" and body.get("text") and body["payload"] in captured:
            text = Digest(body["text"]["blob"])
            if blobs.has(text):
                at, captured_at = captured[body["payload"]]
                content = blobs.get(text).decode("utf-8")
                documents.append(Document(body["url"], body.get("title") or "", content, captured_at, session, at))
    return documents, end
