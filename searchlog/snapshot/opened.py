"""A snapshot file, opened for reading: its documents, its log and its blobs as stores that the rest of the house reads.

Opening checks what the stores rest on (the container, the documents, that the lines give the head); `check` looks at
every byte. A blob is read where it lies in the archive, and compared with its digest each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from searchlog import canon, digest
from searchlog.container.directory import STORED
from searchlog.container.reader import ZipReader
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, SearchlogError, StoreError, UsageError
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, parse_checkpoint
from searchlog.log.envelope import Envelope, decode
from searchlog.log.lease import MemoryLeases
from searchlog.log.note import Note, read_note
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.log.tree import Frontier
from searchlog.records import BlobRef, Capture, ProviderExchange, parse_body
from searchlog.snapshot import layout
from searchlog.snapshot.blocks import payload_spans
from searchlog.snapshot.layout import Description, Resource
from searchlog.snapshot.logfile import read_lines
from searchlog.snapshot.members import Members
from searchlog.snapshot.stores import SnapshotBlobs, SnapshotLog, Spans
from searchlog.snapshot.warc import BLOB_URN
from searchlog.storage import Storage
from searchlog.webarchive.warc_reader import WarcFault, WarcLimits, read_warc

__all__ = ["Opened", "Place", "is_snapshot", "open_snapshot"]

_FAULTS_MAX = 1_000
_SEQ = re.compile(r"[0-9]{1,9}")
_ARCHIVE = WarcLimits(items_max=4 * layout.RECORDS_MAX, block_bytes_max=layout.BLOCK_MAX)


@dataclass(frozen=True, slots=True)
class Place:
    """One record of the archive, by where it stands."""

    id: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class _Response:
    """A response that may hold a payload: found once the log's exchange is at hand."""

    seq: int
    block: int
    size: int


@dataclass(slots=True)
class Opened:
    """A snapshot file. Close it when done."""

    path: Path
    file: BinaryIO
    zip: ZipReader
    members: Members
    name: Digest
    """The digest of its manifest."""
    resources: tuple[Resource, ...]
    description: Description
    note: Note
    """The member with the checkpoint."""
    checkpoint: Checkpoint
    lines: tuple[StoredLine, ...]
    frontier: Frontier
    copies: Mapping[int, dict[str, Any]]
    """Redacted copies of records, by seq: the sender's word."""
    archive: tuple[Place, ...]
    """The records of the archive, in order."""
    faults: tuple[WarcFault, ...]
    """What of the archive is unsound."""
    storage: Storage
    blobs: SnapshotBlobs
    """Those of the storage."""
    disagreement: IntegrityError | None = None
    """How the log, the checkpoint and the description disagree, when they do."""

    def envelopes(self) -> Iterator[Envelope]:
        """Yield the records that are here and can be read."""
        for item in self.lines:
            if item.line is not None:
                try:
                    yield decode(item.line)
                except FormatError:
                    continue  # the store axis names it

    def read(self, name: str) -> bytes:
        """Return a member's bytes."""
        return self.members.read(name)

    def archive_record(self, place: Place) -> bytes:
        """Return the stored bytes of a record of the archive."""
        start, _ = self.members.extent(layout.WARC)
        self.file.seek(start + place.offset)
        return self.file.read(place.length)

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_snapshot(path: Path) -> bool:
    """Whether a file is a snapshot of searchlog, sound or not, and no archive of another tool.

    Raises UsageError when there is no such file, StoreError when it cannot be read.
    """
    with _file(path) as file:
        if file.read(4) != b"PK\3\4":
            return False
        try:
            return any(name.startswith("searchlog/") for name in ZipReader(file).members)
        except FormatError:
            return True  # whoever opens it is told what is wrong with it


def _file(path: Path) -> BinaryIO:
    try:
        if not path.exists():
            raise UsageError(f"no file {path}", path=str(path))
        if not path.is_file():  # a pipe would be waited for
            raise UsageError(f"{path} is no file", path=str(path))
        return path.open("rb")
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from None


def open_snapshot(path: Path, *, agreeing: bool = True) -> Opened:
    """Return the snapshot in a file.

    agreeing: refuse one whose log does not give its head; else that is told in `disagreement`. Raises FormatError for a
    file that is no snapshot of ours, or of a later version; IntegrityError for one whose documents disagree; UsageError
    when there is none, StoreError when it cannot be read.
    """
    file = _file(path)
    try:
        opened = _open(path, file)
        if agreeing and opened.disagreement is not None:
            raise opened.disagreement
        return opened
    except OSError as error:
        file.close()
        raise StoreError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from None
    except BaseException:
        file.close()
        raise


def _open(path: Path, file: BinaryIO) -> Opened:
    zipped = ZipReader(file)
    missing = [
        name
        for name in (layout.MANIFEST, layout.DESCRIPTION, layout.LOG, layout.CHECKPOINT, layout.WARC)
        if name not in zipped.members
    ]
    if missing:
        raise FormatError(f"{path.name} is no snapshot of searchlog: it has no {missing[0]}", member=missing[0])
    packed = [name for name, member in zipped.members.items() if member.method != STORED]
    if packed:
        raise FormatError(
            f"{packed[0]} of {path.name} is compressed: members of a snapshot are stored", member=packed[0]
        )
    members = Members(file, zipped)
    manifest = members.read(layout.MANIFEST)
    with _naming(layout.MANIFEST):
        resources = layout.read_manifest(manifest)
    with _naming(layout.DESCRIPTION):
        description = Description.from_bytes(members.read(layout.DESCRIPTION))
    with _naming(layout.CHECKPOINT):
        note = _note(members.read(layout.CHECKPOINT))
        checkpoint = parse_checkpoint(note.text)
    with _naming(layout.LOG):
        lines, copies = _lines(members)
    frontier = Frontier().extend(item.leaf for item in lines)
    disagreement = _disagreement(description, checkpoint, frontier)
    description = replace(description, left_out=description.left_out.within(len(lines)))
    archive, faults, spans, responses = _archive(members)
    others = SnapshotBlobs(file, path.name, spans)
    with others.bounded():
        found = _with_payloads(spans, responses, lines, others)
    blobs = SnapshotBlobs(file, path.name, found)
    log = SnapshotLog(file, path.name, SessionSnapshot(description.session, lines, frontier))
    return Opened(
        path,
        file,
        zipped,
        members,
        digest.digest(manifest),
        resources,
        description,
        note,
        checkpoint,
        lines,
        frontier,
        copies,
        archive,
        faults,
        Storage(log, blobs, MemoryLeases(), None, str(path)),
        blobs,
        disagreement,
    )


@contextmanager
def _naming(member: str) -> Iterator[None]:
    """Say in which member it is that something is wrong."""
    try:
        yield
    except FormatError as error:
        raise FormatError(str(error), **{**error.fields, "member": member}) from None


def _note(data: bytes) -> Note:
    try:
        return read_note(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise FormatError(f"{layout.CHECKPOINT} is no text") from None


def _lines(members: Members) -> tuple[tuple[StoredLine, ...], dict[int, dict[str, Any]]]:
    if members.extent(layout.LOG)[1] > layout.size_max(layout.LOG):
        raise FormatError(f"{layout.LOG} is larger than {layout.size_max(layout.LOG)} bytes")
    lines, copies = [], {}
    with members.open(layout.LOG) as file:
        for seq, (item, copy) in enumerate(read_lines(file)):
            if seq >= layout.RECORDS_MAX:
                raise FormatError(f"{layout.LOG} has more than {layout.RECORDS_MAX} records")
            lines.append(item)
            if copy is not None:
                copies[seq] = copy
    return tuple(lines), copies


def _disagreement(description: Description, checkpoint: Checkpoint, frontier: Frontier) -> IntegrityError | None:
    """Return how the documents disagree on the session and its head; None when they do not."""
    if checkpoint.origin != ORIGIN_PREFIX + description.session:
        said = f"{layout.CHECKPOINT} is of {checkpoint.origin:.120}, and {layout.DESCRIPTION} of {description.session}"
        return IntegrityError(said, member=layout.CHECKPOINT)
    if len({description.size, checkpoint.size, frontier.size}) > 1:
        said = (
            f"{layout.LOG} has {frontier.size} records, {layout.CHECKPOINT} is of {checkpoint.size} and "
            f"{layout.DESCRIPTION} of {description.size}"
        )
        return IntegrityError(said, member=layout.LOG)
    if frontier.root != checkpoint.root:
        return IntegrityError(
            f"the records of {layout.LOG} do not give the head in {layout.CHECKPOINT}",
            member=layout.LOG,
            expected=checkpoint.root.hex(),
            found=frontier.root.hex(),
        )
    return None


def _archive(
    members: Members,
) -> tuple[tuple[Place, ...], tuple[WarcFault, ...], dict[str, Spans], list[_Response]]:
    """Return where the records stand, what is unsound, where each blob lies in the file that is a block of its own,
    and the responses that may hold others."""
    start, _ = members.extent(layout.WARC)
    places: list[Place] = []
    responses: dict[int, _Response] = {}
    faults: list[WarcFault] = []
    spans: dict[str, Spans] = {}
    with members.open(layout.WARC) as file:
        for item in read_warc(file, _ARCHIVE):
            if isinstance(item, WarcFault):
                if len(faults) < _FAULTS_MAX:
                    faults.append(item)
                continue
            places.append(Place(item.id, item.offset, item.length))
            block = start + item.offset + item.head_length
            if item.type == "resource" and (item.uri or "").startswith(BLOB_URN):
                spans.setdefault((item.uri or "")[len(BLOB_URN) :], [(block, len(item.block))])
            elif item.type == "conversion":
                spans.setdefault(digest.digest(item.block), [(block, len(item.block))])
            elif item.type == "response" and _SEQ.fullmatch(seq := item.field("Searchlog-Record") or ""):
                responses.setdefault(int(seq), _Response(int(seq), block, len(item.block)))
    return tuple(places), tuple(faults), spans, list(responses.values())


def _with_payloads(
    spans: dict[str, Spans], responses: Sequence[_Response], lines: Sequence[StoredLine], blobs: SnapshotBlobs
) -> dict[str, Spans]:
    """Return the places of blobs with those of payloads, which lie in responses; what does not fit is left aside."""
    found = dict(spans)
    for response in responses:
        line = lines[response.seq].line if response.seq < len(lines) else None
        try:
            name, exchange = _payload(line, blobs)
            if name is not None:
                pieces = payload_spans(exchange, response.size)
                found.setdefault(name, [(response.block + at, size) for at, size in pieces])
        except SearchlogError:
            continue  # a blob that is not found is a finding of its own
    return found


def _payload(line: bytes | None, blobs: SnapshotBlobs) -> tuple[str | None, Mapping[str, Any]]:
    """Return the payload that a record names, and its exchange."""
    envelope = decode(line) if line is not None else None
    body = parse_body(envelope.kind, envelope.body) if envelope is not None else None
    if not isinstance(body, Capture | ProviderExchange) or body.payload is None or body.exchange is None:
        return None, {}
    exchange = body.exchange
    if isinstance(exchange, BlobRef):
        exchange = canon.loads(blobs.get(digest.parse(exchange.blob)))
    return body.payload.blob, exchange if isinstance(exchange, dict) else {}
