"""Is a snapshot what it says? Every byte of the file, held against its manifest, its log, and what the log gives.

Needs no archive. All findings are told, but of a file that is none of ours the first alone. What a snapshot repeats
(archive, index, pages, evidence, renderings, proofs) is made again from the log and compared, so a change counts even
where whoever made it computed every digest anew. Spec: FORMAT.md section 14.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from searchlog.checks import expect_list
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError, StoreError
from searchlog.log.checkpoint import Checkpoint, format_checkpoint
from searchlog.records import Evidence, Rendering
from searchlog.snapshot import layout
from searchlog.snapshot.described import misdescribed
from searchlog.snapshot.documents import created, documents, pages_document
from searchlog.snapshot.export import index_line
from searchlog.snapshot.opened import Opened, open_snapshot
from searchlog.snapshot.seals import Seals, check_seals, is_seal
from searchlog.snapshot.series import Made, Series
from searchlog.snapshot.warc import record_bytes
from searchlog.verify.absence import Absence
from searchlog.verify.finding import Report
from searchlog.verify.heads import Seen
from searchlog.verify.store import verify_session
from searchlog.webarchive.cdxj import IndexLine, index_bytes

__all__ = ["Verdict", "absence_of", "check_opened", "check_snapshot", "open_sound"]

_STEP = 1 << 20
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Verdict:
    """What was found in a snapshot."""

    file: str
    report: Report
    """Of the file: its parts held against each other."""
    name: Digest | None = None
    """The digest of its manifest; None when it could not be read."""
    store: Report | None = None
    """Of the session in it: the store axis."""
    seals: Seals | None = None
    """Who signed the head, and when it existed."""
    description: layout.Description | None = None
    checkpoint: Checkpoint | None = None

    @property
    def reports(self) -> list[Report]:
        """Both reports, as far as there are."""
        return [self.report, *([self.store] if self.store else [])]

    @property
    def outcome(self) -> str:
        """`failed` with any finding; `not checked` when there was no record to look at; else `verified`."""
        if any(report.findings for report in self.reports):
            return "failed"
        return self.store.outcome if self.store else "failed"

    @property
    def level(self) -> str:
        """How much the verdict proves: L0 to L4; `none` where something was found, or nothing was looked at."""
        if self.outcome != "verified" or self.store is None:
            return "none"
        sealed = self.seals.level if self.seals else "L0"
        return max(self.store.level, sealed)

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `verify FILE --json`."""
        about = self.description
        return {
            "file": self.file,
            "snapshot": self.name,
            "outcome": self.outcome,
            "level": self.level,
            "session": about.session if about else None,
            "scope": about.scope.to_json() if about else None,
            "profile": about.profile if about else None,
            "left_out": about.left_out.counts() if about else {},
            "redaction": list(about.redaction) if about else [],
            **(self.seals.to_json() if self.seals else {"signatures": [], "tokens": []}),
            "reports": [report.to_json() for report in self.reports],
        }


def absence_of(description: layout.Description) -> Absence:
    """Return what of the session need not be in its snapshot."""
    return Absence(description.left_out.seqs(), frozenset(description.left_out.blobs))


def check_snapshot(
    path: str | PathLike[str],
    *,
    name: str | None = None,
    heads: Sequence[Checkpoint | Seen] = (),
    keys: Collection[str] = (),
    roots: Sequence[bytes] = (),
    witnesses: Collection[str] = (),
    progress: Progress = lambda done, total: None,
) -> Verdict:
    """Return the verdict on a file.

    name: what it must be called. heads, keys, roots, witnesses: see `check_opened`. Raises UsageError when there
    is no such file, or a root is no certificate; FormatError for a key that is none, StoreError for a file that cannot
    be read.
    """
    expect_list("heads", heads)
    expect_list("keys", keys)
    expect_list("roots", roots)
    expect_list("witnesses", witnesses)
    path = Path(path)
    try:
        opened = open_snapshot(path, agreeing=False)
    except (FormatError, IntegrityError) as error:
        report = Report("", "snapshot")
        report.add("snapshot-unreadable", error.fields.get("member") or path.name, str(error))
        return Verdict(path.name, report)
    try:
        with opened:
            verdict = check_opened(opened, heads=heads, keys=keys, roots=roots, witnesses=witnesses, progress=progress)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from None
    if name is not None and name != verdict.name:
        verdict.report.add("name-differs", path.name, expected=name, found=verdict.name)
    return verdict


def check_opened(
    opened: Opened,
    *,
    heads: Sequence[Checkpoint | Seen] = (),
    keys: Collection[str] = (),
    roots: Sequence[bytes] = (),
    witnesses: Collection[str] = (),
    progress: Progress = lambda done, total: None,
) -> Verdict:
    """Return the verdict on an open snapshot.

    heads: checkpoints that somebody else has seen; each has to be of this session, and be extended. keys: verifier keys
    of signers that are trusted; each has to have signed. Keys that came with the file are judged as well, and raise no
    level. roots: certificates (PEM) of time-stamp authorities. witnesses: verifier keys of witnesses that are trusted;
    each has to have cosigned. progress: counts twice, the file and its session.
    """
    with opened.blobs.bounded():
        return _checked(opened, heads, keys, roots, witnesses=witnesses, progress=progress)


def _checked(
    opened: Opened,
    heads: Sequence[Checkpoint | Seen],
    keys: Collection[str],
    roots: Sequence[bytes],
    *,
    witnesses: Collection[str],
    progress: Progress,
) -> Verdict:
    check = _Check(opened, Report(opened.description.session, "snapshot", opened.frontier.size))
    check.head(heads)
    check.layout()
    check.members()
    check.archive(progress)
    check.documents()
    seals = check_seals(opened, check.report, keys, roots, witnesses)
    store = None
    if opened.lines:  # without a line there is no session to look at, and that is told already
        store = verify_session(
            opened.storage.log,
            opened.storage.blobs,
            opened.description.session,
            heads=heads,
            absent=absence_of(opened.description),
            progress=progress,
        )
    return Verdict(opened.path.name, check.report, opened.name, store, seals, opened.description, opened.checkpoint)


@contextmanager
def open_sound(path: Path, progress: Progress = lambda done, total: None) -> Iterator[tuple[Opened, Verdict]]:
    """Open a snapshot in which nothing was found, with the verdict that says so.

    Raises IntegrityError for one in which something was: it names the first finding, and holds all in `findings`;
    FormatError for a file that is no sound snapshot, UsageError, StoreError.
    """
    refused = f"{path.name} is refused"
    try:
        opened = open_snapshot(path, agreeing=False)
    except (FormatError, IntegrityError) as error:
        raise type(error)(f"{refused}: {error}", **error.fields) from None
    with opened:
        verdict = check_opened(opened, progress=progress)
        findings = [finding for report in verdict.reports for finding in report.findings]
        if findings:
            first, more = findings[0], len(findings) - 1 + sum(report.untold for report in verdict.reports)
            raise IntegrityError(
                f"{refused}: {first.code}: {first.where}: {first.message}"
                + (f", and {more} more findings" if more else ""),
                findings=[finding.to_json() for finding in findings],
            )
        yield opened, verdict


@dataclass
class _Check:
    """The file, part by part."""

    opened: Opened
    report: Report
    series: Series = field(init=False)
    index: list[IndexLine] = field(default_factory=list)
    whole: bool = True
    """Whether every record of the archive could be made again."""

    def __post_init__(self) -> None:
        about = self.opened.description
        self.series = Series(about.session, self.opened.storage.blobs, about.left_out.blobs)

    def head(self, heads: Sequence[Checkpoint | Seen]) -> None:
        """Check that log, checkpoint and description speak of one head, the checkpoint of nothing else, and what was
        seen elsewhere of this session."""
        for seen in heads:
            if seen.origin != self.opened.checkpoint.origin:
                message = f"the head that was given is one of {seen.origin:.120}"
                self.report.add("head-mismatch", layout.CHECKPOINT, message, found=self.opened.checkpoint.origin)
        if self.opened.note.text != format_checkpoint(self.opened.checkpoint):
            self.report.add("document-differs", layout.CHECKPOINT, "it says more than the head")
        error = self.opened.disagreement
        if error is not None:
            fields = {name: error.fields.get(name) for name in ("expected", "found")}
            self.report.add("head-mismatch", error.fields["member"], str(error), **fields)

    def layout(self) -> None:
        """Check that the file is laid out as one of ours: nothing between the members, each where it belongs."""
        odd = self.opened.zip.canonical
        if odd is not None:
            self.report.add("layout-differs", self.opened.path.name, odd)

    def members(self) -> None:
        """Check every member against the manifest, and the manifest against its digest."""
        listed = {item.path: item for item in self.opened.resources}
        there = set(self.opened.zip.members) - {layout.MANIFEST, layout.MANIFEST_DIGEST}
        for name in sorted(there - listed.keys()):
            self.report.add("member-differs", name, "the manifest does not list it")
        for name, item in listed.items():
            if name not in there:
                self.report.add("member-differs", name, "the manifest lists it, and it is not there")
                continue
            self.report.count("members")
            found = self._digest(name)
            size = self.opened.zip.member(name).size
            if (found, size) != (item.hash, item.bytes):
                expected = f"{item.bytes} bytes, {item.hash}"
                self.report.add("member-differs", name, expected=expected, found=f"{size} bytes, {found}")
        for name in (layout.MANIFEST, layout.MANIFEST_DIGEST):
            if name in self.opened.zip.members:
                self._digest(name)
        manifest = self.opened.read(layout.MANIFEST)
        if layout.MANIFEST_DIGEST not in self.opened.zip.members:
            self.report.add("member-differs", layout.MANIFEST_DIGEST, "it is not there")
        elif not self._equals(layout.MANIFEST_DIGEST, layout.manifest_digest(manifest)):
            self.report.add("member-differs", layout.MANIFEST_DIGEST, "it is not the digest of the manifest")
        about = self.opened.description
        if layout.manifest(self.opened.resources, about.session, created(self.opened.envelopes())) != manifest:
            self.report.add("document-differs", layout.MANIFEST)

    def _digest(self, name: str) -> str:
        """Return the digest of a member; its checksum in the ZIP file has to fit as well."""
        sha, crc = hashlib.sha256(), 0
        with self.opened.members.open(name) as file:
            while data := file.read(_STEP):
                sha.update(data)
                crc = zlib.crc32(data, crc)
        if crc != self.opened.zip.member(name).crc:
            self.report.add("member-differs", name, "its checksum in the ZIP file is another one")
        return "sha256:" + sha.hexdigest()

    # --- the archive

    def archive(self, progress: Progress) -> None:
        """Make every record of the archive again, and compare."""
        for fault in self.opened.faults:
            self.report.add("archive-differs", f"{layout.WARC}, byte {fault.offset}", fault.message)
        places = {place.id: place for place in self.opened.archive}
        if len(places) != len(self.opened.archive):
            self.report.add("archive-differs", layout.WARC, "two records have one id")
        met = []
        for made, expected in self._made(places, progress):
            id_ = made.head.id
            met.append(id_)
            self.report.count("archive records")
            place = places.get(id_)
            where = f"{made.head.type} of record {made.seq}" if made.seq >= 0 else "the first record"
            if place is None or expected is None:
                self.report.add("archive-differs", f"{layout.WARC}: {where}", "it is not there", expected=id_)
                continue
            if self.opened.archive_record(place) != expected:
                at = f"{layout.WARC}: {where}, byte {place.offset}"
                self.report.add("archive-differs", at)
            if made.indexed is not None:
                self.index.append(index_line(made, place.offset, expected))
        known = set(met)
        extra = [place for place in self.opened.archive if place.id not in known] if self.whole else []
        for place in extra:
            self.report.add("archive-differs", f"{layout.WARC}, byte {place.offset}", f"no record gives {place.id:.80}")
        if not extra and self.whole and met != [place.id for place in self.opened.archive]:
            self.report.add("archive-differs", layout.WARC, "its records stand in another order")

    def _made(self, places: Collection[str], progress: Progress) -> Iterator[tuple[Made, bytes | None]]:
        """Yield each record that the log gives, and its bytes where the archive has one of its id."""
        info = self.series.info(created(self.opened.envelopes()))
        yield info, record_bytes(info.head, info.block)
        count = len(self.opened.lines)
        for envelope in self.opened.envelopes():
            try:
                for made in self.series.of(envelope):
                    yield made, record_bytes(made.head, made.block) if made.head.id in places else None
            except (MissingError, IntegrityError, FormatError) as error:
                self.whole = False
                self.report.add("archive-differs", f"record {envelope.seq}", f"its records cannot be made: {error}")
            progress(envelope.seq + 1, count)

    # --- the documents

    def documents(self) -> None:
        """Make every document again that repeats what the log holds, and compare."""
        opened, about = self.opened, self.opened.description
        if not self._equals(layout.DESCRIPTION, about.to_bytes()):
            self.report.add("document-differs", layout.DESCRIPTION, "it is not in canonical form")
        self._compare(layout.INDEX, index_bytes(self.index))
        self._compare(layout.PAGES, pages_document(self.series.pages))
        made = [layout.WARC, layout.INDEX, layout.PAGES, layout.DESCRIPTION, layout.LOG, layout.CHECKPOINT]
        made += [item.path for item in opened.resources if is_seal(item.path)]
        kinds = (Evidence.kind, Rendering.kind)
        envelopes = {found.seq: found for found in opened.envelopes() if found.kind in kinds}
        note = opened.read(layout.CHECKPOINT).decode("utf-8")
        try:
            for name, data in documents(about, opened.lines, envelopes, opened.storage.blobs, note):
                made.append(name)
                self._compare(name, data)
        except (MissingError, IntegrityError, FormatError) as error:
            self.report.add("document-differs", layout.EVIDENCE, f"it cannot be made: {error}")
        for resource in opened.resources:
            if resource.path not in made:
                self.report.add("document-differs", resource.path, "the log gives no such document")
        listed = [item.path for item in opened.resources]
        if set(listed) == set(made):
            if listed != made:
                self.report.add("layout-differs", layout.MANIFEST, "its members are listed in another order")
            if list(opened.zip.members) != [*made, layout.MANIFEST, layout.MANIFEST_DIGEST]:
                self.report.add("layout-differs", opened.path.name, "its members stand in another order")
        for name, said in misdescribed(opened):
            self.report.add("document-differs", name, said)

    def _compare(self, name: str, data: bytes) -> None:
        self.report.count("documents")
        if name not in self.opened.zip.members or not self._equals(name, data):
            self.report.add("document-differs", name)

    def _equals(self, name: str, data: bytes) -> bool:
        return self.opened.zip.member(name).size == len(data) and self.opened.read(name) == data
