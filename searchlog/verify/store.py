"""The store axis: is the record intact? Every line, digest, head and count of one session, offline.

Returns all findings, never the first only. Reads and changes nothing. It proves that what is stored agrees with
itself (L0), and, for the records that a head from elsewhere covers, what others say of that head (`heads`): a key that
was named signed it (L1), somebody kept it (L2), an authority stamped it (L3), a witness cosigned it (L4). It cannot
prove what a server sent. The log is read twice, a page of lines at a time: hashes first, then what the records say.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

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
from searchlog.verify.heads import NOBODY, Seen, Trust, judge_heads
from searchlog.verify.lines import pages_of

__all__ = ["erased_seqs", "verify_session"]

_ERASURE = "erasure"
_MARK = b'"erasure"'
"""The kind of the records that explain erased lines. This version reads them and writes none."""


def verify_session(
    log: LogStore,
    blobs: BlobStore,
    session: str,
    *,
    heads: Sequence[Checkpoint | Seen] = (),
    trust: Trust = NOBODY,
    absent: Absence = NOTHING_ABSENT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Return the report on one session.

    heads: those from elsewhere; the session must extend each that names it, and a bare checkpoint is one that somebody
    else has seen. trust: whose signatures, cosignatures and tokens of these heads count. absent: what the sender of the
    session left out. progress: called with the number of records looked at, and of all. Raises MissingError when there
    is no such session and no head names it either, StoreError.
    """
    report = Report(session, "store")
    mine = [Seen.of(head) for head in heads if head.origin == ORIGIN_PREFIX + session]
    for _ in range(len(heads) - len(mine)):
        report.skip("head of another session")
    survey = _surveyed(report, log, {seen.head.size for seen in mine})
    if not survey.size and survey.stored == Frontier() and not mine:
        raise MissingError(f"no session {session}", session=session)
    report.size = survey.size
    _head(report, survey, log)
    _places(report, survey, log)
    judge_heads(report, mine, _extended(report, survey, mine), trust)
    _erasures(report, survey, absent)
    _contents(report, survey, log, blobs, absent=absent, progress=progress)
    # said last: whatever was found anywhere, and a head that covers nothing, leave no more than L0
    if report.support and not report.findings:
        report.level = max(item.level for item in report.support)
    return report


@dataclass(slots=True)
class _Survey:
    """What the hashes of the lines tell."""

    stored: Frontier | None
    """The head that stood beside the lines when reading began; None for one that is none."""
    size: int = 0
    tree: Frontier = field(default_factory=Frontier)
    roots: dict[int, Frontier] = field(default_factory=dict)
    """The trees over the first lines, for the sizes that were asked for."""
    erased: set[int] = field(default_factory=set)
    explained: set[int] = field(default_factory=set)
    """Seqs that records of the session say were erased."""
    last: StoredLine | None = None

    def take(self, report: Report, page: Sequence[StoredLine], sizes: Sequence[int]) -> None:
        """Take in the next lines. sizes: those to keep the tree of, in order."""
        for seq, item in enumerate(page, self.size):
            report.count("lines")
            if item.line is None:
                self.erased.add(seq)
                continue
            leaf = leaf_hash(item.line)
            if leaf != item.leaf:
                where = f"record {seq}"
                report.add("line-altered", where, expected=item.leaf.hex(), found=leaf.hex(), about=seq)
            elif _MARK in item.line:
                self.explained.update(number for number in _erased_by(item.line) if number < seq)
        at = 0
        for size in (*(size for size in sizes if self.size < size <= self.size + len(page)), self.size + len(page)):
            upto = size - self.size
            self.tree = self.tree.extend(item.leaf for item in page[at:upto])
            self.roots[size], at = self.tree, upto
        self.roots = {size: tree for size, tree in self.roots.items() if size in sizes}
        self.size += len(page)
        self.last = page[-1]


def _surveyed(report: Report, log: LogStore, sizes: set[int]) -> _Survey:
    try:
        survey = _Survey(log.head(report.session))
    except (MissingError, IntegrityError):
        survey = _Survey(None)
    wanted = sorted(sizes | ({survey.stored.size} if survey.stored else set()))
    if 0 in wanted:
        survey.roots[0] = Frontier()
    for page in pages_of(log, report.session):
        survey.take(report, page, wanted)
    return survey


def _head(report: Report, survey: _Survey, log: LogStore) -> None:
    """Hold the lines against the head beside them; what was appended while they were read is no mismatch."""
    report.count("heads")
    stored, found = survey.stored, survey.tree
    root = found.root if stored is None else stored.root
    if stored != found:
        grown = stored is not None and stored.size < found.size and survey.roots.get(stored.size) == stored
        now = log.head(report.session) if grown else None
        if now is not None and (now == found or now.size > found.size):
            root = found.root
        else:
            said = "a stored head that is none" if stored is None else f"the stored head of {stored.size} records"
            report.add(
                "head-mismatch",
                f"session {report.session}",
                f"{found.size} lines do not give {said}",
                expected=None if stored is None else stored.root.hex(),
                found=found.root.hex(),
            )
    report.root = base64.b64encode(root).decode("ascii")


def _places(report: Report, survey: _Survey, log: LogStore) -> None:
    """Check that the records stand at 0, 1, 2 and so on: they are in order, so the place of the last one tells."""
    last = survey.size - 1
    if last >= 0 and log.get(report.session, last, last + 1) != [survey.last]:
        report.add("record-misplaced", f"record {last}", "the places of the records have gaps")


def _extended(report: Report, survey: _Survey, heads: Sequence[Seen]) -> set[int]:
    """Return which heads from elsewhere the session extends: its first `size` lines give the very root."""
    held = set()
    for number, seen in enumerate(heads):
        head = seen.head
        report.count("heads")
        if head.size > survey.size:
            message = f"the archive holds {survey.size} records of it" if not survey.size else ""
            where = f"session {report.session}"
            report.add("truncated", where, message, expected=f"{head.size} records", found=survey.size)
            continue
        root = survey.roots[head.size].root
        if root != head.root:
            report.add("fork", f"record {head.size}", expected=head.root.hex(), found=root.hex())
            continue
        held.add(number)
        if seen.kept_outside:
            report.seen_size = max(report.seen_size, head.size)
    return held


def _erasures(report: Report, survey: _Survey, absent: Absence) -> None:
    """Find the erased lines that no later record of the session explains; note where the others are."""
    for first, last in number_runs(sorted(survey.erased - absent.lines - survey.explained)):
        where = f"record {first}" if first == last else f"records {first} to {last}"
        report.add("erased-unexplained", where, about=first)
        for seq in range(first + 1, last + 1):
            report.damage.note("missing", f"erased-unexplained: {where}", seq)
    for seq in survey.erased & absent.lines:
        report.damage.note("left-out", f"record {seq}", seq)
    for seq in (survey.erased & survey.explained) - absent.lines:
        report.damage.note("erased", f"record {seq}", seq)


def _contents(
    report: Report,
    survey: _Survey,
    log: LogStore,
    blobs: BlobStore,
    *,
    absent: Absence,
    progress: Callable[[int, int], None],
) -> None:
    """Read the records again, each for what it says."""

    def line(seq: int) -> bytes | None:
        found = log.get(report.session, seq, seq + 1)
        return found[0].line if found else None

    contents = Contents(report, blobs, line, frozenset(survey.erased), absent.blobs)
    seq = 0
    for page in pages_of(log, report.session):
        for item in page[: survey.size - seq]:
            if item.line is None:
                report.skip("records left out" if seq in absent.lines else "erased")
            else:
                contents.read(seq, item.line, altered=leaf_hash(item.line) != item.leaf)
            seq += 1
            progress(seq, survey.size)
        if seq >= survey.size:
            break
    contents.finish()


def erased_seqs(lines: Iterable[StoredLine]) -> frozenset[int]:
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
