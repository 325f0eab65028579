"""What the records of one session say, held against each other and against the blobs. Part of the store axis."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from searchlog import canon
from searchlog.errors import FormatError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.records import (
    BlobRef,
    Body,
    Capture,
    Conversion,
    Decision,
    Evidence,
    ProviderExchange,
    Query,
    Rendering,
    Run,
    Selection,
    Session,
    Turn,
    parse_body,
)
from searchlog.verify.blobs import Blobs, blob_refs
from searchlog.verify.choices import Choices
from searchlog.verify.finding import Report
from searchlog.verify.origins import Origins

__all__ = ["Contents", "blob_refs"]

_CHAINS = (
    ("parse", "dates", "fuse", "filter", "read", "page-dates", "sources"),
    ("visible", "match", "rank", "distinct", "budget"),
)
"""Steps of a search: each takes in what the one before kept."""
_OPTIONAL = frozenset({"dates", "page-dates"})
"""Steps of searches that ask for dates."""


class _Counts(NamedTuple):
    """What of a step is held against the others of its turn."""

    taken: int
    kept: int


@dataclass
class Contents:
    """What the records say, held against each other and against the blobs. Of passages only their places are held."""

    report: Report
    store: BlobStore
    line: Callable[[int], bytes | None] = field(default=lambda seq: None)
    """Returns the line at a place of the log, to be read again."""
    erased: frozenset[int] = frozenset()
    """Seqs of lines that are not here: what follows from one cannot be held against it."""
    left_out: AbstractSet[str] = frozenset()
    """Digests of blobs that the sender of the session left out."""
    origins: Origins = field(init=False)
    choices: Choices = field(init=False)
    blobs: Blobs = field(init=False)
    turns: dict[int, str] = field(default_factory=dict)
    steps: dict[tuple[int, str], _Counts] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)
    """Items of all answers, results and what was no result, by turn."""
    uncounted: set[int] = field(default_factory=set)
    """Turns with a run whose results are missing or damaged."""
    phrasing_counts: dict[int, int] = field(default_factory=dict)
    """How many texts the query of a turn has, by turn."""
    asked: dict[int, tuple[str, object]] = field(default_factory=dict)
    """Provider and time of each exchange, by its seq."""
    unread: int = 0
    """Records that could not be read."""

    def __post_init__(self) -> None:
        self.origins = Origins(self.report, self.erased, again=self._evidence_at)
        self.choices = Choices(self.report)
        self.blobs = Blobs(self.report, self.store, self.left_out)

    def read(self, seq: int, line: bytes, *, altered: bool = False) -> None:
        """Take one record in. altered: its line is not the one that was stored, which is told already."""
        self.report.reading = seq
        self._read(seq, line, altered)
        self.report.reading = None

    def _read(self, seq: int, line: bytes, altered: bool) -> None:
        where = f"record {seq}"
        try:
            envelope = decode(line)
            body = parse_body(envelope.kind, envelope.body)
        except FormatError as error:
            self._unreadable(where, error)
            return
        self.report.count("records")
        if not altered and encode(envelope) != line:
            self.report.add("record-unreadable", where, "it is not in canonical form")
        if envelope.seq != seq or envelope.session != self.report.session:
            found = f"record {envelope.seq} of {envelope.session}"
            self.report.add("record-misplaced", where, expected=f"{where} of {self.report.session}", found=found)
        self.blobs.name(envelope.body, where, spilled=body.spill)
        try:
            body = self._whole(envelope, body)
        except FormatError as error:
            self._unreadable(where, error)
            return
        self._kind(envelope, body, where)

    def _unreadable(self, where: str, error: FormatError) -> None:
        self.report.add("record-unreadable", where, str(error))
        self.origins.whole = False
        self.unread += 1

    def _whole(self, envelope: Envelope, body: Body) -> Body:
        """Return a body with its spilled fields in place, read as strictly as those that stand in a line.

        A field whose blob is missing or damaged stays a reference; that is reported where it is named.
        """
        loaded: dict[str, Any] = {}
        for name in body.spill:
            ref = getattr(body, name)
            data = self.blobs.data(ref.blob) if isinstance(ref, BlobRef) else None
            if data is not None:
                loaded[name] = canon.loads(data)
                if canon.dumps(loaded[name]) != data:
                    raise FormatError(f"{name}: its blob is not in canonical form")
        return parse_body(envelope.kind, {**envelope.body, **loaded}) if loaded else body

    def _kind(self, envelope: Envelope, body: Body, where: str) -> None:
        turn = envelope.turn or 0
        match body:
            case Session() if body.origin != ORIGIN_PREFIX + self.report.session:
                expected = ORIGIN_PREFIX + self.report.session
                self.report.add("record-misplaced", where, "origin", expected=expected, found=body.origin)
            case Turn():
                self._turn(turn, body, where)
            case Query():
                self.phrasing_counts[turn] = len(body.phrasings)
            case ProviderExchange():
                started = body.exchange.get("started_at") if isinstance(body.exchange, dict) else None
                self.asked[envelope.seq] = (body.provider, started)
            case Run():
                self._run(envelope, body, where)
                self.origins.add_run(body)
                if isinstance(body.results, BlobRef) or isinstance(body.dropped, BlobRef):
                    self.uncounted.add(turn)
                else:
                    self.results[turn] = self.results.get(turn, 0) + len(body.results) + len(body.dropped)
            case Decision():
                self._decision(turn, body, where)
            case Capture():
                self.origins.add_capture(body)
            case Conversion():
                self.origins.add_conversion(body)
            case Selection():
                self._selection(turn, body, where)
                self.choices.add_selection(turn, body)
            case Evidence():
                self.choices.add_evidence(turn, body)
                self.origins.check_evidence(envelope, body, self.blobs.text(body.text), where)
            case Rendering():
                self.origins.check_rendering(envelope, body, self.blobs.text(body.text.blob), where)
            case _:
                pass

    def _turn(self, number: int, body: Turn, where: str) -> None:
        state = self.turns.get(number)
        if state is None and body.state != "begin" and self.erased:
            self.report.skip("turn whose beginning may be erased")
        elif (body.state == "begin") != (state is None) or state in ("end", "discarded"):
            self.report.add("turn-broken", where, found=f"turn {number}: {state or 'nothing'}, then {body.state}")
        self.turns[number] = body.state

    def _run(self, envelope: Envelope, body: Run, where: str) -> None:
        """Hold a run against the exchanges that it follows from, and its list of texts against its results."""
        named = None if isinstance(body.results, BlobRef) else [r["text"] for r in body.results if r.get("text")]
        listed = [ref.model_dump() for ref in body.texts or ()]
        if named is not None and named != listed:
            self.report.add("run-differs", where, "texts", expected=f"{len(named)}", found=f"{len(listed)}")
        count, number = self.phrasing_counts.get(envelope.turn or 0), body.query_number
        if number is not None and count is not None and not 1 < number <= count:
            self.report.add("run-differs", where, "query_number", expected=f"2 to {count}", found=number)
        answers = [self.asked[seq] for seq in sorted(envelope.causes) if seq in self.asked]
        if not answers or not self.erased.isdisjoint(envelope.causes):
            return
        provider, started = answers[0]
        if provider != body.provider:
            self.report.add("run-differs", where, "provider", expected=provider, found=body.provider)
        # runs of older sessions have no time of their own
        if body.answered_at is not None and isinstance(started, str) and started != body.answered_at:
            self.report.add("run-differs", where, "answered_at", expected=started, found=body.answered_at)

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
        self.steps[turn, step.step] = _Counts(step.in_count, step.kept_count)

    def _kept_before(self, turn: int, name: str) -> int | None:
        for chain in _CHAINS:
            if name in chain and chain.index(name):
                place = chain.index(name) - 1
                if chain[place] in _OPTIONAL and (turn, chain[place]) not in self.steps:
                    place -= 1
                earlier = self.steps.get((turn, chain[place]))
                return earlier.kept if earlier else None
        return None

    def _selection(self, turn: int, body: Selection, where: str) -> None:
        last = self.steps.get((turn, "budget"))
        if isinstance(body.chosen, BlobRef) or last is None:
            return
        if last.kept != len(body.chosen):
            self.report.add("counts-differ", where, "passages chosen", expected=last.kept, found=len(body.chosen))

    def _evidence_at(self, seq: int) -> Evidence | None:
        """Return the evidence at a place of the log, its passage in place; None where none can be read."""
        line = self.line(seq)
        try:
            envelope = decode(line) if line is not None else None
            body = parse_body(envelope.kind, envelope.body) if envelope is not None else None
            whole = self._whole(envelope, body) if envelope is not None and body is not None else None
        except FormatError:
            return None
        return whole if isinstance(whole, Evidence) else None

    def finish(self) -> None:
        """Check what can only be said at the end."""
        self.blobs.finish()
        for turn, count in self.results.items():
            parsed = self.steps.get((turn, "parse"))
            if parsed is None or parsed.taken == count:
                continue
            if self.erased or turn in self.uncounted:
                self.report.skip("count of results that are not all there")
            else:
                where, found = f"turn {turn}", parsed.taken
                self.report.add("counts-differ", where, "items of answers", expected=count, found=found, turn=turn)
        self.choices.finish(whole=self.unread == 0 and not self.erased)
        open_turns = sum(state == "begin" for state in self.turns.values())
        self.report.count("turns", len(self.turns))
        if open_turns:
            self.report.not_checked["turns under way or cut off"] = open_turns
