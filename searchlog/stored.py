"""Captures and conversions read back from the log: for `archive` results, verification and replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from searchlog import canon
from searchlog.capture.codec import exchange_from_json
from searchlog.capture.exchange import Exchange, Fetch, Limits, Outcome
from searchlog.digest import Digest
from searchlog.errors import FormatError, MissingError
from searchlog.extract.conversion import Conversion, conversion_from_json
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import decode
from searchlog.log.store.base import LogStore
from searchlog.records import BlobRef, Capture, ProviderExchange, parse_body
from searchlog.records import Conversion as ConversionRecord

__all__ = ["Load", "Shelf", "stored_conversion", "stored_exchange", "stored_fetch", "stored_page"]

Load = Callable[[Any], Any]
"""Returns a field that may have been spilled into a blob."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Stores of somebody else's session, to read pages from."""

    name: str
    """That of the snapshot."""
    log: LogStore
    blobs: BlobStore

    def load(self, value: Any) -> Any:
        """Return a field that may have been spilled."""
        return canon.loads(self.blobs.get(Digest(value.blob))) if isinstance(value, BlobRef) else value


def stored_exchange(body: Capture | ProviderExchange, blobs: BlobStore, load: Load) -> Exchange:
    """Return the exchange of a record, its payload from the blob store and decoded again, as far as it was then.

    Raises MissingError or IntegrityError when the payload is gone or altered.
    """
    if body.exchange is None:
        raise FormatError("a record without an exchange")
    payload = blobs.get(Digest(body.payload.blob)) if isinstance(body.payload, BlobRef) else b""
    size = len(payload) if body.decoded_bytes is None else body.decoded_bytes
    limits = Limits(decoded_bytes_max=max(Limits().decoded_bytes_max, size))
    exchange = exchange_from_json(load(body.exchange), payload, limits)
    decoded = exchange.decoded
    return (
        replace(exchange, decoded=replace(decoded, data=decoded.data[:size])) if len(decoded.data) > size else exchange
    )


def stored_fetch(hops: Sequence[Capture], blobs: BlobStore, load: Load) -> Fetch:
    """Return the fetch that these records of one URL tell, in order; the last one ends it."""
    last = hops[-1]
    exchanges = tuple(stored_exchange(hop, blobs, load) for hop in hops if hop.exchange is not None)
    return Fetch(last.asked, exchanges, Outcome(last.outcome), last.reason, last.detail or "")


def stored_page(log: LogStore, blobs: BlobStore, load: Load, session: str, seq: int) -> tuple[Fetch, bool]:
    """Return the capture at this place of an archive as a fetch of one hop, and whether another tool made it.

    Raises MissingError if there is none.
    """
    found = log.get(session, seq, seq + 1)
    if not found or found[0].line is None:
        raise MissingError(f"no record {seq} in session {session}", session=session, seq=seq)
    envelope = decode(found[0].line)
    body = parse_body(envelope.kind, envelope.body)
    if not isinstance(body, Capture):
        raise MissingError(f"record {seq} of session {session} is no capture", session=session, seq=seq)
    return stored_fetch([body], blobs, load), body.is_imported


def stored_conversion(body: ConversionRecord, blobs: BlobStore) -> Conversion:
    """Return the conversion of a record, its text and blocks from the blob store.

    Raises MissingError, IntegrityError; FormatError for a record of a failed conversion, and for blobs that hold none.
    """
    if body.text is None or body.structure is None:
        raise FormatError(f"no text was made of {body.url}: {body.failure}")
    text, structure = blobs.get(Digest(body.text.blob)), blobs.get(Digest(body.structure.blob))
    try:
        return conversion_from_json(text.decode("utf-8"), canon.loads(structure))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"not a conversion: {type(error).__name__} {error}", url=body.url) from None
