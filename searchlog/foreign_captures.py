"""Importing the pages of other people's archives: WARC and WACZ files become captures of a session.

survey           the whole file is read and held against its digests; nothing is stored
import_captures  survey ─► exchanges ─► captures, conversions     one turn with the purpose `import`

What is imported is like what was fetched: found by `archive`, used as evidence, checked by `verify`. Sound records are
taken and unsound ones told; the same file again adds nothing. Memory is that of a few pages.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from searchlog import records
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch
from searchlog.clock import Clock
from searchlog.container.reader import ZipReader
from searchlog.desk import Desk, Listener, Progress
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, IntegrityError, MissingError, UsageError
from searchlog.flow.read import FAULT, PageRead, Task
from searchlog.flow.resources import Resources
from searchlog.flow.settings import Settings
from searchlog.keyring import hide
from searchlog.log.blobs.base import BlobStore
from searchlog.log.envelope import decode
from searchlog.log.store.base import LogStore, StoredLine
from searchlog.recording import Stored
from searchlog.session import Session
from searchlog.sharing import Sharing
from searchlog.webarchive.foreign import Original, Survey, aside_reason, exchange_of, revisit_keys, revisited_keys
from searchlog.webarchive.package import DIGEST, MANIFEST, Package, read_package, warcs_of
from searchlog.webarchive.warc_reader import WarcFault, WarcLimits, WarcRecord, read_warc

__all__ = ["Fault", "ForeignFile", "ForeignImport", "import_captures", "known_whole", "open_foreign"]

_LIMITS = WarcLimits(block_bytes_max=16_000_000, items_max=200_000)
_THREADS = 4
"""Pages held at once: a stranger's may all be as large as they may be."""
_DECODE_S = 20.0
_LONG_S = 7 * 86_400.0
_MANIFEST_MAX = 16_000_000
_STEP = 1_048_576
_LINES = 256
_FAULTS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is unsound in a file."""

    member: str | None
    """Which WARC file of a WACZ file it is in."""
    offset: int | None
    """Where in the WARC file; None where it is about all of it."""
    code: str
    """That of a `WarcFault`; `member`: a member that is not there as the manifest lists it; `unlisted`: the manifest
    does not list it; `unproven`: a digest is missing."""
    message: str


@dataclass(frozen=True, slots=True)
class ForeignImport:
    """What came of importing a file."""

    name: str
    digest: Digest
    """Of the file."""
    turn: int | None
    """The turn of the session that holds it; None when there was nothing to add."""
    imported: int
    """Captures that were added."""
    texts: int
    """How many of them gave text."""
    already: int
    """Records whose captures this archive held already."""
    aside: dict[str, int]
    """How many records were left aside, by reason."""
    unchecked: int
    """How many records bear no digest that could be compared."""
    faults: tuple[Fault, ...]
    """What is unsound, in the order of the file; the first 1000."""
    fault_count: int


@dataclass(slots=True)
class ForeignFile:
    """A file of another tool, open and read through once. Use it in a `with` block of `open_foreign`."""

    name: str
    digest: Digest
    file: BinaryIO
    survey: Survey
    zip: ZipReader | None = None
    members: list[str] = field(default_factory=list)
    """The WARC files of a WACZ file that are what its manifest says."""
    faults: list[Fault] = field(default_factory=list)
    fault_count: int = 0

    def records(self) -> Iterator[tuple[str | None, WarcRecord | WarcFault]]:
        """Yield the records of all WARC files in it, and the names of those files."""
        if self.zip is None:
            self.file.seek(0)
            for item in read_warc(self.file, _LIMITS):
                yield None, item
            return
        for name in self.members:
            with self.zip.open(name) as stream:
                for item in read_warc(stream, _LIMITS):
                    yield name, item


@contextmanager
def open_foreign(path: str | os.PathLike[str], clock: Clock) -> Iterator[ForeignFile]:
    """Open a WARC or WACZ file and read it through, before anything is stored. clock: to know what is in the future.

    Raises UsageError when there is no such file, FormatError when it is neither kind of file or holds no sound record,
    IntegrityError when a WACZ file contradicts itself.
    """
    with _opened(path) as file:
        name = hide(Path(path).name.encode("utf-8", "replace").decode("utf-8"))
        found = ForeignFile(name, _digest(file), file, Survey())
        file.seek(0)
        start = file.read(4)
        if start == b"PK\x03\x04":
            _open_package(found)
        elif not start.startswith((b"WARC", b"\x1f\x8b")):
            raise FormatError(f"{name} is neither a WARC nor a WACZ file")
        sound = 0
        for member, item in found.records():
            if isinstance(item, WarcFault):
                _note(found, Fault(member, item.offset, item.code, hide(item.message)))
            else:
                sound += 1
                found.survey.add(item, clock.now())
        if not sound:
            worst = [fault for fault in found.faults if fault.code != "unproven"] or found.faults
            why = ": ".join(filter(None, (worst[0].member, worst[0].message))) if worst else "it is empty"
            raise FormatError(f"nothing of {name} can be imported: {why}")
        yield found


def import_captures(
    session: Session,
    file: str | os.PathLike[str] | ForeignFile,
    *,
    progress: Listener = lambda _: None,
    settings: Settings | None = None,
) -> ForeignImport:
    """Add the pages of a WARC or WACZ file to a session, as captures with their texts; return what came of it.

    file: a path, or one that `open_foreign` opened (so that a session need not begin before the file was looked at).
    Raises as `open_foreign` does; StoreError.
    """
    if not isinstance(file, ForeignFile):
        with open_foreign(file, session.resources.clock) as opened:
            return import_captures(session, opened, progress=progress, settings=settings)
    resources = session.resources
    chosen = settings or Settings()
    chosen = replace(chosen, threads=min(chosen.threads, _THREADS))
    work = _Import(file, chosen, resources.clock, resources.storage.blobs)
    work.already = _already(resources, file.digest)
    resources.pool.warm()
    desk = Desk(session.ledger, resources)
    tasks = work.tasks()
    first = next(tasks, None)
    if first is None:
        return work.result(None)
    with session.ledger.turn("import") as turn:
        reader = desk.reader(chosen)
        for batch in reader.read(_with(first, tasks), Deadline(_LONG_S, resources.clock)):
            for read in batch:
                work.finish(read)
            desk.log_pages(turn, batch, turn.begin, chosen)
            said = f"{work.imported} of {file.survey.candidates} records of {file.name}"
            progress(Progress("read", said, work.imported, file.survey.candidates))
        end = records.Turn(state="end", outcome=work.outcome, detail=work.detail)
        turn.end(lambda _: (None, []), end)
        return work.result(turn.number)


def known_whole(resources: Resources, file: ForeignFile) -> ForeignImport | None:
    """Return what importing this file would come to when the archive holds all of it; None when there is more to add.

    So a session need not begin for a file that is here already.
    """
    already = _already(resources, file.digest)
    if not already:
        return None
    work = _Import(file, Settings(), resources.clock, resources.storage.blobs, already)
    return work.result(None) if next(work.tasks(), None) is None else None


def _with(first: Task, tasks: Iterator[Task]) -> Iterator[Task]:
    yield first
    yield from tasks


# --- the file


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    try:
        # not to wait for the other end of a pipe
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise UsageError(f"{os.fspath(path)} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UsageError(f"{os.fspath(path)} is no file")
    with os.fdopen(handle, "rb") as file:
        yield file


def _digest(file: BinaryIO) -> Digest:
    return Digest(f"sha256:{_hashed(file, 'sha256')[0]}")


def _hashed(file: BinaryIO, algorithm: str) -> tuple[str, int]:
    """Return digest and size of what a stream holds, read to its end."""
    running, size = hashlib.new(algorithm, usedforsecurity=False), 0
    while step := file.read(_STEP):
        running.update(step)
        size += len(step)
    return running.hexdigest(), size


def _note(found: ForeignFile, fault: Fault) -> None:
    found.fault_count += 1
    if len(found.faults) < _FAULTS_MAX:
        found.faults.append(fault)


def _open_package(found: ForeignFile) -> None:
    """Read the container and the manifest of a WACZ file, and find the WARC files that are as listed."""
    try:
        container = found.zip = ZipReader(found.file)
        names = container.members.keys()
        if any(name.startswith("searchlog/") for name in names):
            raise UsageError(f"{found.name} is a snapshot of searchlog: `Archive.take_in` checks and imports it")
        digest_file = container.read(DIGEST, _MANIFEST_MAX) if DIGEST in names else None
        package = read_package(container.read(MANIFEST, _MANIFEST_MAX), digest_file)
        for text in package.notes:
            _note(found, Fault(None, None, "unproven", text))
        for name in sorted(package.members.keys() - names):
            _note(found, Fault(hide(name[:200]), None, "member", "the manifest lists it, and it is not there"))
        sound = [name for name in names if _is_as_listed(found, container, package, name)]
    except (FormatError, IntegrityError) as error:
        raise type(error)(f"{found.name}: {error}", **error.fields) from None
    if not warcs_of(names):
        raise FormatError(f"{found.name} holds no WARC file")
    found.members = warcs_of(sound)


def _is_as_listed(found: ForeignFile, container: ZipReader, package: Package, name: str) -> bool:
    """Return whether a member is what the manifest says, and note what is wrong or missing.

    Raises FormatError for one that would become more than it says: such a file was made to harm.
    """
    if name in (MANIFEST, DIGEST):
        return True
    listed = package.members.get(name)
    with container.open(name) as stream:
        try:
            state = _hashed(stream, (listed.algorithm if listed else None) or "sha256")
        except IntegrityError as error:
            _note(found, Fault(name, None, "member", str(error)))
            return False
    if listed is None:
        _note(found, Fault(name, None, "unlisted", "the manifest does not list it, so it is not read"))
        return False
    if listed.algorithm is None:
        _note(found, Fault(name, None, "unproven", "the manifest states no digest of it"))
    wrong = listed.differs(*state)
    if wrong is not None:
        _note(found, Fault(name, None, "member", wrong))
    return wrong is None


# --- what is there already


def _already(resources: Resources, file: Digest) -> set[tuple[str | None, int, str]]:
    """Return what of a file the archive's own sessions hold; what a stranger's session says of it is the stranger's."""
    storage = resources.storage
    others = Sharing(storage, resources.clock, resources.ids).imported()
    sessions = [name for name in storage.log.sessions() if name not in others]
    return set(_imported_before(storage.log, file, sessions))


def _imported_before(log: LogStore, file: Digest, sessions: Iterable[str]) -> Iterator[tuple[str | None, int, str]]:
    """Yield member, offset and id of each record of this file that one of these sessions holds a capture of.

    A capture is appended together with its conversion, so what a crash left of an import is whole, as far as it is.
    """
    mark = file.encode("ascii")
    for session in sessions:
        for item in _lines(log, session):
            if item.line is None or mark not in item.line or b'"imported"' not in item.line:
                continue
            try:
                said = decode(item.line).body.get("imported")
            except FormatError:
                continue  # a damaged record vouches for nothing
            if isinstance(said, dict) and said.get("digest") == file:
                yield said.get("member"), said.get("offset", -1), str(said.get("record"))


def _lines(log: LogStore, session: str) -> Iterator[StoredLine]:
    start = 0
    while lines := log.get(session, start, start + _LINES):
        yield from lines
        start += len(lines)


# --- the work


@dataclass(slots=True)
class _Import:
    """One file on its way into a session."""

    file: ForeignFile
    settings: Settings
    clock: Clock
    blobs: BlobStore
    already: set[tuple[str | None, int, str]] = field(default_factory=set)
    aside: Counter[str] = field(default_factory=Counter)
    imported: int = 0
    texts: int = 0
    again: int = 0
    _seen: set[str] = field(default_factory=set)
    _places: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Where the pages under way stand in the file, by the identity of their fetch."""
    _originals: dict[str, Original] = field(default_factory=dict)
    _held: dict[Digest, bytes] = field(default_factory=dict)
    """Payloads of responses under way that a revisit refers to: not in the store yet."""

    def tasks(self) -> Iterator[Task]:
        """Yield a task for each record that becomes a capture; count the others."""
        for member, item in self.file.records():
            if isinstance(item, WarcFault) or item.type == "request":
                continue  # both were told by the survey
            exchange = self._exchange(item)
            if isinstance(exchange, str):
                self.aside[exchange] += 1
                continue
            again = (member, item.offset, hide(item.id)) in self.already
            self._remember(item, exchange, hold=not again)
            if again:
                self.again += 1
                continue
            url = exchange.url
            fetch = Fetch(url, (exchange,), exchange.outcome, exchange.reason, exchange.detail)
            place = {"file": self.file.name, "digest": self.file.digest, "record": hide(item.id), "offset": item.offset}
            self._places[id(fetch)] = place if member is None else {**place, "member": member}
            yield Task(url, fetch)

    def _exchange(self, record: WarcRecord) -> Exchange | str:
        if (why := aside_reason(record, self.clock.now())) is not None:
            return why
        if record.id in self._seen:
            return "id-twice"
        self._seen.add(record.id)
        original = None
        keys = list(revisit_keys(record)) if record.type == "revisit" else []
        if keys:
            original = self._original(keys)
            if original is None:
                return "revisit-unresolved"
        request = self.file.survey.request_of(record)
        deadline = Deadline(_DECODE_S, self.clock)
        return exchange_of(record, request, self.settings.limits, deadline, original)

    def _original(self, keys: list[str]) -> tuple[Original, bytes] | None:
        """Return what a revisit refers to, when it stands before it in the file and was imported."""
        found = next((self._originals[key] for key in keys if key in self._originals), None)
        if found is None:
            return None
        try:
            held = self._held.get(found.digest)
            return found, held if held is not None else self.blobs.get(found.digest)
        except (MissingError, IntegrityError):
            return None

    def _remember(self, record: WarcRecord, exchange: Exchange, *, hold: bool) -> None:
        """Keep hold of a payload that a revisit refers to, until it is stored."""
        wanted = [key for key in revisited_keys(record) if key in self.file.survey.wanted]
        if record.type == "response" and wanted and exchange.payload:
            original = Original.of(exchange)
            for key in wanted:
                self._originals.setdefault(key, original)
            if hold:
                self._held[original.digest] = exchange.payload

    def finish(self, read: PageRead) -> None:
        """Say in the capture of a page where it comes from, and count it."""
        fetch = read.task.stored
        assert fetch is not None
        place = self._places.pop(id(fetch))
        if fetch.final is not None and self._held:
            self._held.pop(digest(fetch.final.payload), None)
        if not read.captures:
            self.aside[FAULT] += 1
            return
        body = read.captures[-1].body
        read.captures[-1] = Stored(body.model_copy(update={"imported": place}))
        self.imported += 1
        self.texts += getattr(read.converted.body, "text", None) is not None if read.converted else False

    @property
    def outcome(self) -> str:
        return "partial" if self.file.fault_count or self.aside[FAULT] else "ok"

    @property
    def detail(self) -> str:
        """What the end of the turn says."""
        aside, faults = sum(self.aside.values()), self.file.fault_count
        return f"{self.imported} captures from {self.file.name}; {aside} records left aside, {faults} faults"

    def result(self, turn: int | None) -> ForeignImport:
        """Return what came of it."""
        file = self.file
        return ForeignImport(
            file.name,
            file.digest,
            turn,
            self.imported,
            self.texts,
            self.again,
            dict(sorted(self.aside.items())),
            file.survey.unchecked,
            tuple(file.faults),
            file.fault_count,
        )
