"""The store axis: is the record intact? Every line, digest, head and count of one session, offline.

Returns all findings, never the first only. Reads and changes nothing. It proves that what is stored agrees with
itself (L0), and with heads that somebody else has seen when they are given (L2); it cannot prove what a server sent.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog import canon, digest
from searchlog.errors import FormatError, IntegrityError, MissingError, StoreError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint
from searchlog.log.envelope import Envelope, decode
from searchlog.log.store.base import LogStore, StoredLine
from searchlog.log.tree import Frontier, leaf_hash
from searchlog.records import BlobRef, Body, Conversion, Decision, Evidence, Rendering, Run, Selection, Turn, parse_body
from searchlog.verify.finding import Report

__all__ = ["blob_refs", "verify_session"]

_CHAINS = (("parse", "fuse", "filter", "read", "sources"), ("visible", "match", "rank", "distinct", "budget"))
"""Steps of a search: each takes in what the one before kept."""


def verify_session(
    log: LogStore,
    blobs: BlobStore,
    session: str,
    *,
    heads: Sequence[Checkpoint] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Return the report on one session.

    heads: checkpoints that somebody else has seen; the session must extend each that names it. progress: called with
    the number of records looked at, and of all. Raises MissingError when there is no such session, StoreError.
    """
    lines, head = _stored(log, session)
    root = Frontier().root if head is None else head.root
    report = Report(session, "store", len(lines), base64.b64encode(root).decode("ascii"))
    _lines(report, lines, head)
    _places(report, lines, log)
    _heads(report, lines, heads)
    contents = _Contents(report, blobs, frozenset(seq for seq, item in enumerate(lines) if item.line is None))
    for seq, item in enumerate(lines):
        if item.line is None:
            report.skip("erased")
        else:
            contents.read(seq, item.line)
        progress(seq + 1, len(lines))
    contents.finish()
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
            report.add("truncated", f"session {report.session}", expected=f"{seen.size} records", found=len(lines))
            continue
        root = Frontier().extend(item.leaf for item in lines[: seen.size]).root
        if root != seen.root:
            report.add("fork", f"record {seen.size}", expected=seen.root.hex(), found=root.hex())
        elif not report.findings:
            report.level = "L2"


@dataclass
class _Contents:
    """What the records say, held against each other and against the blobs."""

    report: Report
    blobs: BlobStore
    erased: frozenset[int] = frozenset()
    """Seqs of erased lines: what follows from one cannot be held against it."""
    texts: dict[str, set[str]] = field(default_factory=dict)
    """Text digests that conversions of this session made; the payloads each came from."""
    evidence: set[str] = field(default_factory=set)
    slices: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Which slice of which text each id names."""
    turns: dict[int, str] = field(default_factory=dict)
    steps: dict[tuple[int, str], Decision] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)
    """Items of all answers, results and what was no result, by turn."""
    uncounted: set[int] = field(default_factory=set)
    """Turns with a run whose results are missing or damaged."""
    seen_blobs: dict[str, int | None] = field(default_factory=dict)
    """Size of each blob that was looked at; None for one that is missing, altered or unreadable."""
    last_text: tuple[str, str] = ("", "")

    def read(self, seq: int, line: bytes) -> None:
        """Take one record in."""
        where = f"record {seq}"
        try:
            envelope = decode(line)
            body = parse_body(envelope.kind, envelope.body)
        except FormatError as error:
            self.report.add("record-unreadable", where, str(error))
            return
        self.report.count("records")
        if envelope.seq != seq or envelope.session != self.report.session:
            found = f"record {envelope.seq} of {envelope.session}"
            self.report.add("record-misplaced", where, expected=f"{where} of {self.report.session}", found=found)
        for ref in blob_refs(envelope.body):
            self._blob(ref, where)
        try:
            body = self._whole(envelope, body)
        except FormatError as error:
            self.report.add("record-unreadable", where, str(error))
            return
        self._kind(envelope, body, where)

    def _whole(self, envelope: Envelope, body: Body) -> Body:
        """Return a body with its spilled fields in place, read as strictly as those that stand in a line.

        A field whose blob is missing or damaged stays a reference; that is reported where it is named.
        """
        loaded = {
            name: canon.loads(self.blobs.get(digest.parse(ref.blob)))
            for name in body.spill
            if isinstance(ref := getattr(body, name), BlobRef) and self.seen_blobs.get(ref.blob) is not None
        }
        return parse_body(envelope.kind, {**envelope.body, **loaded}) if loaded else body

    def _kind(self, envelope: Envelope, body: Body, where: str) -> None:
        turn = envelope.turn or 0
        match body:
            case Turn():
                self._turn(turn, body, where)
            case Run():
                if isinstance(body.results, BlobRef) or isinstance(body.dropped, BlobRef):
                    self.uncounted.add(turn)
                else:
                    self.results[turn] = self.results.get(turn, 0) + len(body.results) + len(body.dropped)
            case Decision():
                self._decision(turn, body, where)
            case Conversion() if body.text is not None:
                self.texts.setdefault(body.text.blob, set()).add(body.payload)
            case Selection():
                self._selection(turn, body, where)
            case Evidence():
                self._evidence(envelope, body, where)
            case Rendering():
                self._rendering(envelope, body, where)
            case _:
                pass

    def _turn(self, number: int, body: Turn, where: str) -> None:
        state = self.turns.get(number)
        if state is None and body.state != "begin" and self.erased:
            self.report.skip("turn whose beginning may be erased")
        elif (body.state == "begin") != (state is None) or state in ("end", "discarded"):
            self.report.add("turn-broken", where, found=f"turn {number}: {state or 'nothing'}, then {body.state}")
        self.turns[number] = body.state

    def _decision(self, turn: int, step: Decision, where: str) -> None:
        self.report.count("steps")
        if step.in_count != step.kept_count + step.dropped_count:
            sums = f"{step.in_count} in, {step.kept_count} kept, {step.dropped_count} dropped"
            self.report.add("counts-differ", where, f"step {step.step}: {sums}")
        if not isinstance(step.items, BlobRef):
            dropped = sum(not item.get("kept") for item in step.items)
            if dropped != step.dropped_count or sum(step.reasons.values()) != step.dropped_count:
                self.report.add(
                    "counts-differ",
                    where,
                    f"step {step.step}: decisions and count of what was dropped differ",
                    expected=step.dropped_count,
                    found=dropped,
                )
        before = self._kept_before(turn, step.step)
        if before is not None and before != step.in_count:
            self.report.add(
                "counts-differ",
                where,
                f"step {step.step} takes in another number than the step before it kept",
                expected=before,
                found=step.in_count,
            )
        self.steps[turn, step.step] = step

    def _kept_before(self, turn: int, name: str) -> int | None:
        for chain in _CHAINS:
            if name in chain and chain.index(name):
                earlier = self.steps.get((turn, chain[chain.index(name) - 1]))
                return earlier.kept_count if earlier else None
        return None

    def _selection(self, turn: int, body: Selection, where: str) -> None:
        last = self.steps.get((turn, "budget"))
        if isinstance(body.chosen, BlobRef) or last is None:
            return
        if last.kept_count != len(body.chosen):
            self.report.add("counts-differ", where, "passages chosen", expected=last.kept_count, found=len(body.chosen))

    def _evidence(self, envelope: Envelope, body: Evidence, where: str) -> None:
        self.report.count("passages")
        self.evidence.add(body.id)
        before = len(self.report.findings)
        self._slice(envelope, body, where)
        named = (body.text, body.start, body.end)
        # a record that was altered is told as that, and does not count as a second passage
        if len(self.report.findings) == before and self.slices.setdefault(body.id, named) != named:
            self.report.add("evidence-id-repeated", where, found=body.id)

    def _slice(self, envelope: Envelope, body: Evidence, where: str) -> None:
        payloads = self.texts.get(body.text, set())
        if body.payload not in payloads:
            if self.erased.isdisjoint(envelope.causes):
                found = body.payload if payloads else body.text
                self.report.add("evidence-unrooted", where, expected=", ".join(sorted(payloads)) or None, found=found)
            else:
                self.report.skip("passage whose conversion is erased")
        text, exact = self._text(body.text), body.exact
        if text is None or isinstance(exact, BlobRef):
            self.report.skip("passage without its stored text")
            return
        found = text[body.start : body.end] if 0 <= body.start <= body.end else ""
        if found != exact or digest.text_digest(found) != body.digest:
            self.report.add(
                "passage-differs", f"{body.id} ({where})", expected=body.digest, found=digest.text_digest(found)
            )

    def _rendering(self, envelope: Envelope, body: Rendering, where: str) -> None:
        self.report.count("renderings")
        for name in body.evidence:
            if name in self.evidence:
                continue
            if self.erased.isdisjoint(envelope.causes):
                self.report.add("rendering-unrooted", where, found=name)
            else:
                self.report.skip("rendering of evidence that is erased")

    # --- blobs

    def _blob(self, ref: dict[str, Any], where: str) -> None:
        name, size = ref["blob"], ref["bytes"]
        if name not in self.seen_blobs:
            self.seen_blobs[name] = self._size(name, where)
        found = self.seen_blobs[name]
        if found is not None and found != size:
            self.report.add("blob-altered", name, f"named by {where}", expected=f"{size} bytes", found=found)

    def _size(self, name: str, where: str) -> int | None:
        """Return the size of a blob whose bytes match its digest, or report it."""
        try:
            data = self.blobs.get(digest.parse(name))
        except MissingError:
            self.report.add("blob-missing", name, f"named by {where}")
            return None
        except IntegrityError as error:
            self.report.add("blob-altered", name, f"named by {where}", expected=name, found=error.fields.get("found"))
            return None
        except StoreError as error:  # of this one: what can be read of the others is told all the same
            self.report.add("blob-unreadable", name, f"named by {where}: {error}")
            return None
        self.report.count("blobs")
        self.report.count("bytes", len(data))
        return len(data)

    def _text(self, name: str) -> str | None:
        """Return a stored text; the last one is kept, since the passages of a page stand together."""
        if self.last_text[0] != name:
            if self.seen_blobs.get(name) is None:
                return None
            try:
                text = self.blobs.get(digest.parse(name)).decode("utf-8")
            except UnicodeDecodeError:
                text = ""  # these bytes are no text, and no passage is a slice of them
            self.last_text = (name, text)
        return self.last_text[1]

    def finish(self) -> None:
        """Check what can only be said at the end."""
        for turn, count in self.results.items():
            parsed = self.steps.get((turn, "parse"))
            if parsed is None or parsed.in_count == count:
                continue
            if self.erased or turn in self.uncounted:
                self.report.skip("count of results that are not all there")
            else:
                self.report.add(
                    "counts-differ", f"turn {turn}", "items of answers", expected=count, found=parsed.in_count
                )
        open_turns = sum(state == "begin" for state in self.turns.values())
        self.report.count("turns", len(self.turns))
        if open_turns:
            self.report.not_checked["turns under way or cut off"] = open_turns


def blob_refs(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every reference to a blob in a body, also in fields this version does not know."""
    if isinstance(value, dict):
        if _is_digest(value.get("blob")) and type(value.get("bytes")) is int:
            yield value
        else:
            for item in value.values():
                yield from blob_refs(item)
    elif isinstance(value, list):
        for item in value:
            yield from blob_refs(item)


def _is_digest(value: Any) -> bool:
    try:
        digest.parse(value)
    except FormatError:
        return False
    return True
