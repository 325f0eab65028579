"""The index of a snapshot's captures: one CDXJ line a WARC record that answers for a URL. Pure.

    com,example)/a 20260102030405 {"url":"https://example.com/a","mime":"text/html","status":"200","digest":"sha256:..",
    "filename":"data.warc","offset":"1203","length":"7411","recordDigest":"sha256:.."}

(one line, broken here). Key, UTC time of 14 digits, JSON; lines are sorted by their bytes, so that a reader can search
by halves. Numbers stand as strings, as the Python indexers write them; readers take both.
Spec: CDXJ 0.1 and WACZ 1.1.1 (specs.webrecorder.net).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from searchlog.errors import FormatError
from searchlog.webarchive.surt import surt

__all__ = ["IndexLine", "index_bytes"]

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class IndexLine:
    """Where the capture of a URL stands."""

    url: str
    """Target URI, as in the WARC record."""
    timestamp: str
    """The WARC date, RFC 3339 in UTC; stands in the line as 14 digits, the fraction cut."""
    mime: str
    """Type of the payload without parameters; `warc/revisit` for a revisit; `unk` when none was told."""
    status: int
    digest: str
    """Of the payload."""
    filename: str
    """Of the WARC, without its folder."""
    offset: int
    """Of the WARC record in it."""
    length: int
    """Of the WARC record, with the empty lines that end it."""
    record_digest: str
    """Of these bytes."""

    def format(self) -> bytes:
        """Return the line with its end. Raises FormatError for a time that is none."""
        match = _DATE.fullmatch(self.timestamp)
        if match is None:
            raise FormatError(f"the time of {self.url:.100} in the index is {self.timestamp!r:.40}")
        body = {
            "url": self.url,
            "mime": self.mime,
            "status": str(self.status),
            "digest": self.digest,
            "filename": self.filename,
            "offset": str(self.offset),
            "length": str(self.length),
            "recordDigest": self.record_digest,
        }
        told = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return f"{surt(self.url)} {''.join(match.groups())} {told}\n".encode()


def index_bytes(lines: Iterable[IndexLine]) -> bytes:
    """Return the whole index. The order of the lines given does not show."""
    return b"".join(sorted(line.format() for line in lines))
