"""Bringing the full-text index up to date with the log. The index is a cache: all of it comes from here."""

from __future__ import annotations

from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import Envelope, decode
from searchlog.log.store.base import LogStore
from searchlog.search.textindex import Document, TextIndex

__all__ = ["index_captures"]

_BATCH = 64


def index_captures(index: TextIndex, log: LogStore, blobs: BlobStore) -> int:
    """Index what the log holds beyond what the index knows; return how many pages were added.

    Records and texts that are missing or altered are passed over: the index is a convenience, `verify` tells that.
    """
    added = 0
    for session in log.sessions():
        known = index.known(session)
        start, size = (0 if known is None else known + 1), log.head(session).size
        captured: dict[str, tuple[int, str]] = {}
        while start < size:
            documents = _documents(log, blobs, session, start, captured)
            if documents:
                index.add(*documents)
            start = min(start + _BATCH, size)
            index.mark(session, start - 1)
            added += len(documents)
    return added


def _documents(
    log: LogStore, blobs: BlobStore, session: str, start: int, captured: dict[str, tuple[int, str]]
) -> list[Document]:
    """Return the pages of the next records. captured: seq and time of each payload's capture, carried along."""
    documents = []
    for seq, item in enumerate(log.get(session, start, start + _BATCH), start):
        envelope = _read(item.line)
        if envelope is None:
            continue
        body = envelope.body
        if envelope.kind == "capture" and body.get("final") and body.get("payload") and not body.get("reused"):
            captured[body["payload"]["blob"]] = (seq, body["captured_at"])
        elif envelope.kind == "conversion" and body.get("text") and body["payload"] in captured:
            try:
                text = blobs.get(Digest(body["text"]["blob"])).decode("utf-8")
            except (MissingError, IntegrityError):
                continue
            at, captured_at = captured[body["payload"]]
            documents.append(Document(body["url"], body.get("title") or "", text, captured_at, session, at))
    return documents


def _read(line: bytes | None) -> Envelope | None:
    """Return a record, or None for one that is erased or damaged."""
    try:
        return decode(line) if line is not None else None
    except FormatError:
        return None
