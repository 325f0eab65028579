"""WARC/1.1 records as bytes, written by hand so that a block stays exactly what it is. Pure.

Libraries re-serialise headers (spaces trimmed, folds joined, bytes re-coded); a record here is its header, as given,
and its block. Spec: WARC/1.1 sections 4 to 6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from searchlog.errors import FormatError

__all__ = ["BLOB_URN", "REVISIT_PROFILE", "Head", "blob_uri", "record_bytes", "record_id"]

BLOB_URN = "urn:searchlog:blob:"
REVISIT_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
END = b"\r\n\r\n"
_FIRST = (
    *("WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-Filename", "WARC-Concurrent-To"),
    *("WARC-Profile", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"),
    *("WARC-IP-Address", "WARC-Protocol", "WARC-Cipher-Suite", "WARC-Truncated", "WARC-Payload-Digest"),
    *("Searchlog-Record", "Searchlog-Departures"),
)
"""The order of fields in a header; block digest, type and length follow."""


@dataclass(frozen=True, slots=True)
class Head:
    """The fields of a record's header, without those that its block gives."""

    type: str
    id: str
    """Without angle brackets."""
    date: str
    content_type: str
    fields: tuple[tuple[str, str], ...] = ()


def blob_uri(blob: str) -> str:
    """Return the target URI of the record that holds a blob."""
    return BLOB_URN + blob


def record_id(session: str, seq: int, role: str) -> str:
    """Return the id of the record that stands for a role of a log record: the same whenever it is written.

    Spec: RFC 9562 section 5.8 (version 8: the bits are the writer's own).
    """
    bits = bytearray(hashlib.sha256(f"searchlog/{session}/{seq}/{role}".encode()).digest()[:16])
    bits[6], bits[8] = bits[6] & 0x0F | 0x80, bits[8] & 0x3F | 0x80
    digits = bits.hex()
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def record_bytes(head: Head, block: bytes) -> bytes:
    """Return one whole record. Raises FormatError for a field that would break its line."""
    given = {"WARC-Type": head.type, "WARC-Record-ID": f"<{head.id}>", "WARC-Date": head.date, **dict(head.fields)}
    if unknown := given.keys() - set(_FIRST):
        raise FormatError(f"no field of a WARC record of ours is called {sorted(unknown)[0]}")
    pairs = [(name, given[name]) for name in _FIRST if name in given]
    pairs += [
        ("WARC-Block-Digest", "sha256:" + hashlib.sha256(block).hexdigest()),
        ("Content-Type", head.content_type),
        ("Content-Length", str(len(block))),
    ]
    return b"".join([b"WARC/1.1\r\n", *_lines(pairs), b"\r\n", block, END])


def _lines(pairs: Iterable[tuple[str, str]]) -> Iterable[bytes]:
    for name, value in pairs:
        if any(char in value for char in "\r\n\0"):
            raise FormatError(f"the field {name} of a WARC record holds a line break", field=name)
        yield f"{name}: {value}\r\n".encode()
