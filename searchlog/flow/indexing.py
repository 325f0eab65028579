"""Bringing the full-text index up to date with the log. The index is a cache: all of it comes from here."""

from __future__ import annotations

from typing import Any

from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError, StoreError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import decode
from searchlog.log.store.base import LogStore
from searchlog.records import Body, Capture, Conversion, parse_body
from searchlog.search.textindex import Document, TextIndex

__all__ = ["index_captures"]

_BATCH = 64


def index_captures(index: TextIndex, log: LogStore, blobs: BlobStore) -> int:
    """Index what the log holds beyond what the index knows; return how many pages were added.

    Sessions, records and texts that are missing, damaged or cannot be read are passed over: the index is a
    convenience, and `verify` tells that. Raises StoreError when the log or the index as a whole cannot be used.
    """
    added = 0
    for session in log.sessions():
        try:
            size = log.head(session).size
        except (MissingError, IntegrityError, FormatError):
            continue  # of this session alone: the others are searched all the same
        known = index.known(session)
        start = 0 if known is None else known + 1
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
        match _read(item.line):
            case Capture(final=True, payload=payload, captured_at=at, reused=reused) if (
                payload and at and not _is_here(log, reused)
            ):
                captured[payload.blob] = (seq, at)
            # a page that stands in for another is no answer later either
            case Conversion(text=ref, suspected=None) as body if ref is not None and body.payload in captured:
                text = _text(blobs, ref.blob)
                if text is not None:
                    place, captured_at = captured[body.payload]
                    documents.append(Document(body.url, body.title or "", text, captured_at, session, place))
            case _:
                pass
    return documents


def _is_here(log: LogStore, reused: dict[str, Any] | None) -> bool:
    """Whether the capture that another one took its bytes from is in this archive, and so is indexed itself.

    It is not where a part of a session, or a session of somebody else, came in without it.
    """
    match reused:
        case {"session": str(session), "seq": int(seq)}:
            found = log.get(session, seq, seq + 1)
            return bool(found) and found[0].line is not None
        case _:
            return False


def _text(blobs: BlobStore, name: str) -> str | None:
    """Return a stored text, or None for one that is missing, altered, not to be read or no text."""
    try:
        return blobs.get(Digest(name)).decode("utf-8")
    except (StoreError, IntegrityError, UnicodeDecodeError):
        return None


def _read(line: bytes | None) -> Body | None:
    """Return what a record says, or None for one that is erased, damaged or not in its kind's form."""
    if line is None:
        return None
    try:
        envelope = decode(line)
        return parse_body(envelope.kind, envelope.body)
    except FormatError:
        return None
