"""The store axis: is the record intact? Every line, digest, head and count of one session, offline.

Returns all findings, never the first only. Reads and changes nothing. It proves that what is stored agrees with
itself (L0), and with heads that somebody else has seen when they are given (L2, for the records that such a head
covers); it cannot prove what a server sent.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

from searchlog.errors import FormatError, IntegrityError, MissingError
from searchlog.ledger import number_runs
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint
from searchlog.log.envelope import decode
from searchlog.log.store.base import LogStore, StoredLine
from searchlog.log.tree import Frontier, leaf_hash
from searchlog.verify.absence import NOTHING_ABSENT, Absence
from searchlog.verify.contents import Contents
from searchlog.verify.finding import Report

__all__ = ["erased_seqs", "verify_session"]

_ERASURE = "erasure"
_MARK = b'"erasure"'
"""The kind of the records that explain erased lines. This version reads them and writes none."""


def verify_session(
    log: LogStore,
    blobs: BlobStore,
    session: str,
    *,
    heads: Sequence[Checkpoint] = (),
    absent: Absence = NOTHING_ABSENT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Return the report on one session.

    heads: checkpoints that somebody else has seen; the session must extend each that names it. absent: what the sender
    of the session left out. progress: called with the number of records looked at, and of all. Raises MissingError when
    there is no such session and no head names it either, StoreError.
    """
    try:
        lines, head = _stored(log, session)
    except MissingError:
        if not any(seen.origin == ORIGIN_PREFIX + session for seen in heads):
            raise
        lines, head = (), Frontier()
    root = Frontier().root if head is None else head.root
    report = Report(session, "store", len(lines), base64.b64encode(root).decode("ascii"))
    _lines(report, lines, head)
    _places(report, lines, log)
    _heads(report, lines, heads)
    erased = frozenset(seq for seq, item in enumerate(lines) if item.line is None)
    _erasures(report, lines, erased - absent.lines)
    contents = Contents(report, blobs, erased, absent.blobs)
    for seq, item in enumerate(lines):
        if item.line is None:
            report.skip("records left out" if seq in absent.lines else "erased")
        else:
            contents.read(seq, item.line, altered=leaf_hash(item.line) != item.leaf)
        progress(seq + 1, len(lines))
    contents.finish()
    # said last: whatever was found anywhere, and a head that covers nothing, leave no more than L0
    if report.seen_size and not report.findings:
        report.level = "L2"
    return report


def _stored(log: LogStore, session: str) -> tuple[Sequence[StoredLine], Frontier | None]:
    """Return the lines and the head as of one moment; None for a head that is none.

    Read one after the other, a record that another writer appends in between would look like a wrong head.
    """
    try:
        snapshot = log.snapshot(session)
    except (MissingError, IntegrityError) as error:
        lines = log.get(session)
        if not lines:
            raise MissingError(f"no session {session}", session=session) from error
        return lines, None
    return snapshot.lines, snapshot.frontier


def _lines(report: Report, lines: Sequence[StoredLine], head: Frontier | None) -> None:
    for seq, item in enumerate(lines):
        report.count("lines")
        if item.line is not None and leaf_hash(item.line) != item.leaf:
            report.add("line-altered", f"record {seq}", expected=item.leaf.hex(), found=leaf_hash(item.line).hex())
    found = Frontier().extend(item.leaf for item in lines)
    report.count("heads")
    if found != head:
        stored = "a stored head that is none" if head is None else f"the stored head of {head.size} records"
        report.add(
            "head-mismatch",
            f"session {report.session}",
            f"{found.size} lines do not give {stored}",
            expected=None if head is None else head.root.hex(),
            found=found.root.hex(),
        )


def _places(report: Report, lines: Sequence[StoredLine], log: LogStore) -> None:
    """Check that the records stand at 0, 1, 2 and so on: they are in order, so the place of the last one tells."""
    last = len(lines) - 1
    if last >= 0 and log.get(report.session, last, last + 1) != [lines[last]]:
        report.add("record-misplaced", f"record {last}", "the places of the records have gaps")


def _heads(report: Report, lines: Sequence[StoredLine], heads: Sequence[Checkpoint]) -> None:
    """Hold the session against heads from elsewhere: its first `size` lines must give the very root."""
    for seen in heads:
        if seen.origin != ORIGIN_PREFIX + report.session:
            report.skip("head of another session")
            continue
        report.count("heads")
        if seen.size > len(lines):
            held = f"the archive holds {len(lines)} records of it" if not lines else ""
            where = f"session {report.session}"
            report.add("truncated", where, held, expected=f"{seen.size} records", found=len(lines))
            continue
        root = Frontier().extend(item.leaf for item in lines[: seen.size]).root
        if root != seen.root:
            report.add("fork", f"record {seen.size}", expected=seen.root.hex(), found=root.hex())
        else:
            report.seen_size = max(report.seen_size, seen.size)


def _erasures(report: Report, lines: Sequence[StoredLine], erased: frozenset[int]) -> None:
    """Find the erased lines that no later record of the session explains."""
    if not erased:
        return
    for first, last in number_runs(sorted(erased - erased_seqs(lines))):
        report.add("erased-unexplained", f"record {first}" if first == last else f"records {first} to {last}")


def erased_seqs(lines: Sequence[StoredLine]) -> frozenset[int]:
    """Return the seqs of lines that later records of the session say were erased."""
    explained: set[int] = set()
    for seq, item in enumerate(lines):
        if item.line is not None and _MARK in item.line and leaf_hash(item.line) == item.leaf:
            explained.update(number for number in _erased_by(item.line) if number < seq)
    return frozenset(explained)


def _erased_by(line: bytes) -> list[int]:
    """Return the seqs that an erasure record names; none for any other line."""
    try:
        envelope = decode(line)
    except FormatError:
        return []
    seqs = envelope.body.get("seqs") if envelope.kind == _ERASURE else None
    return [seq for seq in seqs if type(seq) is int] if isinstance(seqs, list) else []
