"""Cut recorded bytes into messages: head, payload and framing apart, every byte accounted for.

`Scanner` reads a response as it arrives and knows where the head ends and whether the message is whole; `parse` does
the same for bytes that are all there. Our reading is the authority for what is stored, so it is lenient where the
bytes have one meaning (lone line feeds, folds, a missing reason phrase, lines that are no fields) and names a problem
where they have two. For any bytes at all, `wire_response(head, payload, framing)` gives exactly those bytes back.
Pure. Spec: RFC 9112 sections 2, 4, 6 and 7.  Shown by test_wire.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from searchlog.capture.exchange import Framing, Header

__all__ = ["REDIRECTS", "Message", "Scanner", "parse", "parse_fields", "split_request"]

_HEAD_END = re.compile(rb"\n\r?\n")
_STATUS = re.compile(rb"(HTTP/[0-9]\.[0-9])[ \t]+([0-9]{3})(?:[ \t]([^\n]*)|\r?)\n")
_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")
_SIZE_LINE_MAX = 8_192
REDIRECTS = (301, 302, 303, 307, 308)
CHUNKS_MAX = 100_000
FRAMING_BYTES_MAX = 1_048_576
"""More chunks, and more bytes of sizes, extensions and trailers, than an honest server sends: the rest is cut off, as
by a size cap."""


@dataclass(frozen=True, slots=True)
class Message:
    """A response as recorded bytes, cut into parts."""

    head: bytes
    """Interim heads and the final one; all bytes when no final head arrived."""
    status: int | None
    http_version: str
    reason_phrase: str
    headers: tuple[Header, ...]
    payload: bytes
    framing: Framing
    complete: bool
    problem: str | None = None
    """Why the bytes have no single meaning, or None."""
    warnings: tuple[str, ...] = ()


class Scanner:
    """Reads one response incrementally; how the bytes are split between `feed` calls makes no difference.

    method: of the request, since an answer to HEAD has no body.
    """

    def __init__(self, method: str = "GET") -> None:
        self._method = method
        self.data = bytearray()
        """Every byte fed."""
        self.head_end: int | None = None
        """Where the body begins, once the final head is there."""
        self.done = False
        """Whether the end of the message was reached; false while only the end of the connection can tell."""
        self.problem: str | None = None
        self.excessive = False
        """Whether there is more framing than any honest message has; `problem` says what."""
        self._warnings: list[str] = []
        self._head_from = 0
        self._seek = 0
        self._status: int | None = None
        self._version = "HTTP/1.1"
        self._phrase = ""
        self._headers: tuple[Header, ...] = ()
        self._kind = "none"
        self._length = 0
        # chunked: framing bytes since `_raw_from`, then `_left` payload bytes from `_at`
        self._at = 0
        self._raw_from = 0
        self._left = 0
        self._framing = 0
        self._phase = "size"
        self._segments: list[tuple[int, int, int]] = []

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self.data += data
        while self.head_end is None and self.problem is None:
            if not self._read_head():
                return
        if self.problem is None and not self.done:
            if self._kind == "length":
                self.done = len(self.data) - self._body_from >= self._length
            elif self._kind == "chunked":
                self._read_chunks()

    def finish(self, eof: bool = True) -> Message:
        """Return the message as far as it came. eof: whether the peer ended the connection in an orderly way."""
        if self.head_end is None:
            return Message(bytes(self.data), None, self._version, "", (), b"", Framing("none"), False, self.problem)
        head = bytes(self.data[: self.head_end])
        payload, framing = self._cut_body()
        complete = self.problem is None and (self.done or (self._kind == "close" and eof))
        warnings = list(self._warnings)
        if self.done and len(self.data) > self._at_end():
            warnings.append("bytes-after-body")
        return Message(
            head, self._status, self._version, self._phrase, self._headers, payload, framing, complete, self.problem,
            tuple(dict.fromkeys(warnings)),
        )  # fmt: skip

    @property
    def leads_on(self) -> bool:
        """Whether the head is that of a redirect: what comes after it is read by nobody."""
        return self._status in REDIRECTS and any(name.lower() == "location" for name, _ in self._headers)

    @property
    def kind(self) -> str:
        """The framing: `none`, `length`, `close` or `chunked`."""
        return self._kind

    @property
    def _body_from(self) -> int:
        assert self.head_end is not None
        return self.head_end

    def _at_end(self) -> int:
        if self._kind == "chunked":
            return self._at
        return self._body_from + (self._length if self._kind == "length" else 0)

    # -- head ------------------------------------------------------------------------------------------------------

    def _read_head(self) -> bool:
        """Read one head, interim or final; say whether it was there."""
        found = _HEAD_END.search(self.data, max(self._head_from, self._seek - 2))
        self._seek = len(self.data)
        if found is None:
            return False
        head = bytes(self.data[self._head_from : found.end()])
        line = _STATUS.match(head)
        if line is None:
            self.problem = "the answer does not begin with an HTTP status line"
            return False
        self._seek = found.end()
        status = int(line[2])
        if 100 <= status < 200 and status != 101:
            self._head_from = found.end()
            return True
        self.head_end = self._at = self._raw_from = found.end()
        self._status, self._version = status, line[1].decode("ascii")
        self._phrase = (line[3] or b"").strip(b" \t\r").decode("latin-1")
        self._headers, bad = parse_fields(head[line.end() :])
        if bad:
            self._warnings.append("bad-header-line")
        if b"\n" in head.replace(b"\r\n", b""):
            self._warnings.append("lone-line-feed")
        if status == 206:
            self._warnings.append("partial-content")  # we never ask for a part
        self._decide_framing(status)
        return True

    def _decide_framing(self, status: int) -> None:
        """Choose how the body is delimited. Spec: RFC 9112 section 6.3."""
        codings = [part.strip().lower() for part in self._values("transfer-encoding")]
        lengths = self._values("content-length")
        if self._method == "HEAD" or status in (101, 204, 304):
            self._kind, self.done = "none", True
            return
        if codings and codings != ["identity"]:
            self._kind = "chunked" if codings[-1] == "chunked" else "close"
            if codings != ["chunked"]:
                self._warnings.append("transfer-coding")
            if lengths:
                self._warnings.append("length-and-transfer-coding")
            return
        self._kind = "close"
        if not lengths:
            return
        if len(lengths) > 1:
            self._warnings.append("two-content-lengths")
        if len(set(lengths)) > 1:
            self.problem = "two content lengths that disagree"
        elif not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
            self.problem = "a content length that is not a number"
        else:
            self._kind, self._length = "length", int(lengths[0])

    def _values(self, name: str) -> list[str]:
        """Return the list members of all fields of this name."""
        return [part.strip() for key, value in self._headers if key.lower() == name for part in value.split(",")]

    # -- body ------------------------------------------------------------------------------------------------------

    def _read_chunks(self) -> None:
        """Advance over whole framing lines and what is there of the data. Spec: RFC 9112 section 7.1."""
        while not self.done and self.problem is None:
            if self._phase == "data":
                step = min(self._left, len(self.data) - self._at)
                self._at += step
                self._left -= step
                if self._left:
                    return
                self._phase, self._raw_from = "data-end", self._at
            elif not self._read_line():
                return

    def _read_line(self) -> bool:
        """Read one framing line; say whether it was there."""
        end = self.data.find(b"\n", self._at)
        if (len(self.data) if end < 0 else end + 1) - self._at > _SIZE_LINE_MAX:
            self.problem = f"a chunk line longer than {_SIZE_LINE_MAX} bytes"
            return False
        if end < 0:
            return False
        line = bytes(self.data[self._at : end + 1])
        self._framing += len(line)
        if self._framing > FRAMING_BYTES_MAX:
            return self._stop_at(f"more than {FRAMING_BYTES_MAX} bytes of framing")
        blank = line in (b"\r\n", b"\n")
        if self._phase == "data-end":
            if not blank:
                self.problem = "a chunk is longer than its size says"
                return False
            self._phase, self._at = "size", end + 1
        elif self._phase == "size":
            size = _SIZE.fullmatch(line)
            if size is None:
                self.problem = "a chunk size that is not a number"
                return False
            self._at, self._left = end + 1, int(size[1], 16)
            self._phase = "data" if self._left else "trailer"
            if self._left:
                if len(self._segments) >= CHUNKS_MAX:
                    return self._stop_at(f"more than {CHUNKS_MAX} chunks")
                self._segments.append((self._raw_from, self._at, self._left))
        else:
            self._at = end + 1
            self.done = blank
        return True

    def _stop_at(self, excess: str) -> bool:
        self.excessive, self.problem = True, excess
        return False

    def _cut_body(self) -> tuple[bytes, Framing]:
        start, end = self._body_from, len(self.data)
        if self._kind == "none":
            return b"", Framing("none", (), self._slice(start, end))
        if self._kind == "close":
            return self._slice(start, end), Framing("close")
        if self._kind == "length":
            middle = min(start + self._length, end)
            return self._slice(start, middle), Framing("length", (), self._slice(middle, end))
        pieces, segments, at = [], [], start
        for raw_from, data_from, size in self._segments:
            piece = self._slice(data_from, data_from + size)
            pieces.append(piece)
            segments.append((self._slice(raw_from, data_from), len(piece)))
            at = data_from + len(piece)
        return b"".join(pieces), Framing("chunked", tuple(segments), self._slice(at, end))

    def _slice(self, start: int, end: int) -> bytes:
        with memoryview(self.data) as view:
            return bytes(view[start:end])


def parse(data: bytes, method: str = "GET", eof: bool = True) -> Message:
    """Return the response that these bytes are, as far as they go; never raises."""
    scanner = Scanner(method)
    scanner.feed(data)
    return scanner.finish(eof)


def parse_fields(lines: bytes) -> tuple[tuple[Header, ...], bool]:
    """Return the fields of a head's lines after the first, and whether a line was no field.

    Folded values are joined by one blank (RFC 9112 section 5.2); bytes are Latin-1 text.
    """
    fields: list[list[str]] = []
    bad = False
    for line in lines.decode("latin-1").split("\n"):
        line = line.removesuffix("\r")  # noqa: PLW2901
        if not line:
            continue
        if line[0] in " \t":
            more = line.strip(" \t")
            if fields:
                fields[-1][1] = f"{fields[-1][1]} {more}".strip(" ")
            else:
                bad = True
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip(" \t"):
            bad = True
            continue
        fields.append([name.rstrip(" \t"), value.strip(" \t")])
    return tuple((name, value) for name, value in fields), bad


def split_request(data: bytes) -> tuple[bytes, bytes]:
    """Return the head, blank line included, and the body of a request that we wrote."""
    end = data.find(b"\r\n\r\n")
    return (data, b"") if end < 0 else (data[: end + 4], data[end + 4 :])
