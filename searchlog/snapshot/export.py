"""Writing a snapshot: the same session gives the same bytes. One blob is held at a time.

Spec: FORMAT.md section 14.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from searchlog.container.writer import Written, ZipWriter
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, UsageError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint, format_checkpoint
from searchlog.log.envelope import Envelope
from searchlog.snapshot import layout
from searchlog.snapshot.documents import created, documents, pages_document
from searchlog.snapshot.logfile import line_of
from searchlog.snapshot.plan import Plan
from searchlog.snapshot.series import Made, Series
from searchlog.snapshot.warc import record_bytes
from searchlog.webarchive.cdxj import IndexLine, index_bytes

__all__ = ["Seal", "Snapshot", "write_snapshot"]


@dataclass(frozen=True, slots=True)
class Seal:
    """What others say of a head: it goes into the snapshot beside the log."""

    note: str
    """The checkpoint's text, or a signed note of it."""
    keys: tuple[str, ...] = ()
    """Verifier keys of its signatures."""
    tokens: tuple[bytes, ...] = ()
    """Time-stamp tokens over the checkpoint's text."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was written."""

    name: Digest
    """The digest of its manifest."""
    checkpoint: Checkpoint
    size: int
    """Bytes of the file."""
    page_count: int
    record_count: int
    """Records that are here with their lines."""


def write_snapshot(
    file: BinaryIO,
    plan: Plan,
    blobs: BlobStore,
    seal: Callable[[str], Seal] = Seal,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Snapshot:
    """Write what was planned into an empty file that can be sought in.

    seal: returns for the checkpoint's text what is to be known of the head. progress: called with the number of
    records written, and of all. Raises MissingError, IntegrityError when a blob went away meanwhile, FormatError for a
    record that cannot be written, UsageError for what would be larger than readers take, OSError.
    """
    session = plan.description.session
    checkpoint = Checkpoint(ORIGIN_PREFIX + session, plan.frontier.size, plan.frontier.root)
    sealed = seal(format_checkpoint(checkpoint))
    series = Series(session, blobs, plan.description.left_out.blobs)
    archive = _Archive(series, plan, progress)
    zipped = ZipWriter(file)
    members = [zipped.add(layout.WARC, archive.chunks())]

    def add(name: str, chunks: Iterable[bytes]) -> None:
        members.append(zipped.add(name, _bounded(name, chunks)))
        if len(members) > layout.MEMBERS_MAX - 2:
            raise UsageError(f"a snapshot of more than {layout.MEMBERS_MAX} members: export some turns of the session")

    add(layout.INDEX, [index_bytes(archive.index)])
    add(layout.PAGES, [pages_document(series.pages)])
    add(layout.DESCRIPTION, [plan.description.to_bytes()])
    add(layout.LOG, _log(plan))
    add(layout.CHECKPOINT, [sealed.note.encode("utf-8")])
    if sealed.keys:
        add(layout.KEYS, ["".join(f"{key}\n" for key in sealed.keys).encode("utf-8")])
    for number, token in enumerate(sealed.tokens, 1):
        add(layout.token_name(number), [token])
    for name, data in documents(plan.description, plan.lines, plan.envelopes, blobs, sealed.note):
        add(name, [data])
    manifest = layout.manifest(_resources(members), session, created(plan.envelopes.values()))
    zipped.add(layout.MANIFEST, _bounded(layout.MANIFEST, [manifest]))
    zipped.add(layout.MANIFEST_DIGEST, [layout.manifest_digest(manifest)])
    zipped.close()
    return Snapshot(digest(manifest), checkpoint, file.tell(), len(series.pages), len(plan.envelopes))


def _bounded(name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what a member holds. Raises UsageError before it is larger than a reader takes."""
    size, most = 0, layout.size_max(name)
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise UsageError(f"{name} would have more than {most} bytes: export some turns of the session")
        yield chunk


def _resources(members: Sequence[Written]) -> Iterator[layout.Resource]:
    for member in members:
        yield layout.Resource(member.name, member.sha256, member.size)


def _log(plan: Plan) -> Iterator[bytes]:
    for seq, item in enumerate(plan.lines):
        yield line_of(item, plan.copies.get(seq))


class _Archive:
    """The WARC, as it is written, and the index of it."""

    def __init__(self, series: Series, plan: Plan, progress: Callable[[int, int], None]) -> None:
        self.index: list[IndexLine] = []
        self._series = series
        self._plan = plan
        self._progress = progress

    def chunks(self) -> Iterator[bytes]:
        """Yield the records' bytes."""
        at = 0
        for made in self._records():
            try:
                data = record_bytes(made.head, made.block)
            except FormatError as error:
                raise FormatError(f"record {made.seq} cannot be exported: {error}", seq=made.seq) from None
            if made.indexed is not None:
                self.index.append(index_line(made, at, data))
            at += len(data)
            yield data

    def _records(self) -> Iterable[Made]:
        yield self._series.info(created(self._plan.envelopes.values()))
        for done, envelope in enumerate(self._plan.envelopes.values(), 1):
            yield from self._of(envelope)
            self._progress(done, len(self._plan.envelopes))

    def _of(self, envelope: Envelope) -> Iterator[Made]:
        for made in self._series.of(envelope):
            if len(made.block) > layout.BLOCK_MAX:
                raise UsageError(
                    f"record {envelope.seq} has a part of {len(made.block)} bytes; a snapshot takes at most "
                    f"{layout.BLOCK_MAX}: leave its turn out",
                    seq=envelope.seq,
                )
            yield made


def index_line(made: Made, offset: int, record: bytes) -> IndexLine:
    """Return the line of the index for a record at an offset of the archive."""
    found = made.indexed
    if found is None:
        raise AssertionError("a record that is not in the index")
    return IndexLine(
        url=found.url,
        timestamp=found.date,
        mime=found.mime,
        status=found.status,
        digest=found.digest,
        filename="data.warc",
        offset=offset,
        length=len(record),
        record_digest="sha256:" + hashlib.sha256(record).hexdigest(),
    )
