"""The ledger: how typed records get into one session's log.

Drafts become lines only at the moment of the append, since seq, salt and causes depend on what is there already.
Three promises are kept here and nowhere else: blobs are durable before a line names them; a lost race (another
writer came first) is read again and retried; a turn whose writer died is closed as discarded by the next one to
open the session.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from searchlog import canon
from searchlog.clock import Clock, Ids, format_time
from searchlog.digest import Digest, digest
from searchlog.errors import CancelledError, ConflictError, FormatError, StoreError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.checkpoint import ORIGIN_PREFIX, Checkpoint
from searchlog.log.envelope import Envelope, decode, encode
from searchlog.log.lease import Leases
from searchlog.log.store.base import LogStore
from searchlog.records import BlobRef, Body, Evidence, Rendering, Session, ToolCall, ToolResult, Turn, parse_body

__all__ = ["Draft", "Gap", "Ledger", "Record", "State", "TurnWriter", "number_runs"]

_TRIES = 50
_EVIDENCE_ID = re.compile(r"e[1-9][0-9]{0,14}")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Record:
    """One stored record, read: its envelope and its typed body."""

    envelope: Envelope
    body: Body

    @property
    def seq(self) -> int:
        return self.envelope.seq

    @property
    def kind(self) -> str:
        return self.envelope.kind


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in the log where nothing can be read: its line is erased, or is not a record in its kind's form."""

    seq: int
    error: FormatError | None = None
    """What is wrong with the line, naming session and seq; None when it is erased."""
    turn: int | None = None
    """The turn it belongs to, where that much could be read."""


@dataclass(slots=True)
class Draft:
    """A record to be. `causes` may name drafts of the same or an earlier append; `seq` is set once it is stored."""

    body: Body
    causes: Sequence[Draft | int] = ()
    turn: int | None = None
    agent: str = "main"
    seq: int | None = None


@dataclass(slots=True)
class State:
    """What an append must know of the session so far; kept up to date by reading what others appended."""

    version: int = 0
    last_turn: int = 0
    open_turns: dict[int, str | None] = field(default_factory=dict)
    """Turns begun and not ended: turn number to lease."""
    open_calls: dict[int, dict[int, ToolCall]] = field(default_factory=dict)
    """Tool calls without a result, by turn and seq."""
    evidence_ids: dict[tuple[str, int, int], str] = field(default_factory=dict)
    """(text digest, start, end) to evidence id."""
    last_evidence: int = 0
    """The highest number among evidence ids, those of erased records as far as a rendering names them."""
    erased: bool = False
    """Whether a line is gone: what is not seen to have ended may have."""

    def add(self, envelope: Envelope) -> None:
        """Take one more record into account; again is no harm, since a key may be pressed in the middle.

        Raises FormatError, with nothing changed, on a body that is not in its kind's form.
        """
        body = envelope.body
        if envelope.kind == Turn.kind and envelope.turn is not None:
            if body.get("state") == "begin":
                lease = body.get("lease")
                if not isinstance(lease, str | None):
                    raise FormatError("turn record: lease is no text", field="lease")
                self.open_turns[envelope.turn] = lease
            else:
                self.open_turns.pop(envelope.turn, None)
                self.open_calls.pop(envelope.turn, None)
        elif envelope.kind == ToolCall.kind and envelope.turn in self.open_turns:
            call = parse_body(envelope.kind, body)
            assert isinstance(call, ToolCall)
            self.open_calls.setdefault(envelope.turn, {})[envelope.seq] = call
        elif envelope.kind == ToolResult.kind and envelope.turn is not None:
            for cause in envelope.causes:
                self.open_calls.get(envelope.turn, {}).pop(cause, None)
        elif envelope.kind == Evidence.kind:
            text, start, end, name = (body.get(field) for field in ("text", "start", "end", "id"))
            if not (isinstance(text, str) and type(start) is int and type(end) is int):
                raise FormatError("evidence record: it does not say which slice of which text it is", field="text")
            if not (isinstance(name, str) and _EVIDENCE_ID.fullmatch(name)):
                raise FormatError(f"evidence record: id is {name!r:.40}", field="id")
            self.evidence_ids.setdefault((text, start, end), name)
            self._count([name])
        elif envelope.kind == Rendering.kind:
            self._count(body.get("evidence"))
        self.last_turn = max(self.last_turn, envelope.turn or 0)
        self.version = envelope.seq + 1

    def _count(self, names: Any) -> None:
        for name in names if isinstance(names, list) else []:
            if isinstance(name, str) and _EVIDENCE_ID.fullmatch(name):
                self.last_evidence = max(self.last_evidence, int(name[1:]))

    def know(self, evidence: Evidence) -> None:
        """Take in which slice has which id, where the record that gave it may not be here."""
        self.evidence_ids.setdefault((evidence.text, evidence.start, evidence.end), evidence.id)
        self._count([evidence.id])

    @property
    def next_evidence(self) -> int:
        """The number of the next new evidence id."""
        return 1 + self.last_evidence


class Ledger:
    """One session's log, for reading and appending. Thread-safe; other processes may append at the same time."""

    def __init__(
        self, session: str, log: LogStore, blobs: BlobStore, *, clock: Clock, ids: Ids, leases: Leases
    ) -> None:
        self.session = session
        self.log = log
        self.blobs = blobs
        self.clock = clock
        self._ids = ids
        self._leases = leases
        self._lock = threading.RLock()
        self._state = State()

    # --- reading

    def records(self, start: int = 0, end: int | None = None) -> Iterator[Record]:
        """Yield the records that are there, erased ones left out.

        Raises FormatError on one that cannot be read; it names session and seq.
        """
        for entry in self.entries(start, end):
            if isinstance(entry, Record):
                yield entry
            elif entry.error is not None:
                raise entry.error

    def entries(self, start: int = 0, end: int | None = None) -> Iterator[Record | Gap]:
        """Yield one entry for each place of the log: its record, or that there is none to read."""
        for seq, item in enumerate(self.log.get(self.session, start, end), max(start, 0)):
            if item.line is None:
                yield Gap(seq)
                continue
            turn = None
            try:
                envelope = self._decoded(seq, item.line)
                turn = envelope.turn
                entry: Record | Gap = Record(envelope, parse_body(envelope.kind, envelope.body))
            except FormatError as error:
                entry = Gap(seq, self._named(seq, error), turn)
            yield entry

    def _decoded(self, seq: int, line: bytes) -> Envelope:
        envelope = decode(line)
        if (envelope.session, envelope.seq) != (self.session, seq):
            raise FormatError(f"it says that it is record {envelope.seq} of session {envelope.session}")
        return envelope

    def _named(self, seq: int, error: FormatError) -> FormatError:
        """Return the error with the record that it is about."""
        fields = {**error.fields, "session": self.session, "seq": seq}
        return FormatError(f"record {seq} of session {self.session} cannot be read: {error}", **fields)

    def checkpoint(self) -> Checkpoint:
        """Return the head as recorded with the last append."""
        head = self.log.head(self.session)
        return Checkpoint(ORIGIN_PREFIX + self.session, head.size, head.root)

    def load(self, value: Any) -> Any:
        """Return a field that may have been spilled: the value itself, or the JSON of its blob."""
        return canon.loads(self.blobs.get(Digest(value.blob))) if isinstance(value, BlobRef) else value

    def refresh(self) -> State:
        """Read what others appended; return the state now. Raises FormatError, which names the record."""
        with self._lock:
            first = self._state.version
            for seq, item in enumerate(self.log.get(self.session, first), first):
                if item.line is None:
                    self._state.version, self._state.erased = seq + 1, True
                    continue
                try:
                    self._state.add(self._decoded(seq, item.line))
                except FormatError as error:
                    raise self._named(seq, error) from None
            return self._state

    # --- appending

    def append(self, build: Callable[[State], tuple[_T, Sequence[Draft]]]) -> _T:
        """Append the drafts that `build` makes of the state, as one atomic batch; return what else it made.

        When another writer came first the state is read again and `build` called again, so it must be free of
        effects.
        """
        with self._lock:
            for _ in range(_TRIES):
                state = self.refresh()
                made, drafts = build(state)
                envelopes, lines = self._encode(drafts, state.version)
                if not lines:
                    return made
                try:
                    self.log.append(self.session, lines, state.version)
                except ConflictError:
                    continue
                for envelope in envelopes:
                    state.add(envelope)
                return made
            raise ConflictError(self.session, self._state.version, self.log.head(self.session).size)

    def add(self, drafts: Sequence[Draft]) -> None:
        """Append drafts that do not depend on the state."""
        self.append(lambda _: (None, drafts))

    def _encode(self, drafts: Sequence[Draft], version: int) -> tuple[list[Envelope], list[bytes]]:
        """Return the envelopes and their lines; blobs that had to leave a line are durable on return."""
        at = format_time(self.clock.now())
        for seq, draft in enumerate(drafts, version):
            draft.seq = seq
        envelopes: list[Envelope] = []
        lines: list[bytes] = []
        spilled: list[bytes] = []
        for seq, draft in enumerate(drafts, version):
            envelope = Envelope(
                session=self.session,
                seq=seq,
                at=at,
                kind=draft.body.kind,
                body=draft.body.to_json(),
                salt=self._ids.salt(),
                turn=draft.turn,
                agent=draft.agent,
                causes=tuple(sorted({cause if isinstance(cause, int) else _stored(cause) for cause in draft.causes})),
            )
            lines.append(_fitted(envelope, draft.body.spill, spilled))
            envelopes.append(envelope)
        if spilled:
            self.blobs.put(spilled)
        return envelopes, lines

    # --- sessions and turns

    def begin_session(self, software: str, title: str | None = None) -> None:
        """Append the session record, unless there is one."""
        body = Session(origin=ORIGIN_PREFIX + self.session, software=software, title=title)
        self.append(lambda state: (None, [] if state.version else [Draft(body)]))

    def discard_cut_turns(self) -> list[int]:
        """Close as discarded each turn whose writer is gone; return their numbers. Called when a session is opened.

        A tool call of such a turn that has no result gets one that says that it was interrupted.
        With erased lines nothing is closed: the end that is not there may be one of them.
        """

        def build(state: State) -> tuple[list[int], list[Draft]]:
            if state.erased:
                return [], []
            dead = [turn for turn, lease in state.open_turns.items() if self._leases.is_free(lease)]
            return dead, [draft for turn in dead for draft in _closing(state, turn, "interrupted")]

        return self.append(build)

    @contextmanager
    def turn(self, purpose: str, agent: str = "main") -> Iterator[TurnWriter]:
        """Begin a turn; what is added through it belongs to it. Left by an exception, it is closed as discarded."""
        with self._leases.held() as lease:

            def begin(state: State) -> tuple[Draft, list[Draft]]:
                body = Turn(state="begin", purpose=purpose, lease=lease)
                draft = Draft(body, turn=state.last_turn + 1, agent=agent)
                return draft, [draft]

            writer = TurnWriter(self, self.append(begin))
            try:
                yield writer
            except BaseException as error:
                reason = _why_left(error)
                with suppress(StoreError):  # what went wrong first is what is told; the next to open closes the turn
                    writer.discard(reason, type(error).__name__)
                raise
            if not writer.ended:
                raise AssertionError("a turn must be ended before its block is left")


@dataclass(slots=True)
class TurnWriter:
    """Appends to one turn."""

    ledger: Ledger
    begin: Draft
    ended: bool = False

    @property
    def number(self) -> int:
        """The turn's number in its session."""
        if self.begin.turn is None:
            raise AssertionError("a turn has a number")
        return self.begin.turn

    def add(self, drafts: Sequence[Draft]) -> None:
        """Append observations as they are made: what crossed the wire must not be lost with the turn."""
        self.ledger.add(self._mine(drafts))

    def end(self, build: Callable[[State], tuple[_T, Sequence[Draft]]], end: Turn | Callable[[_T], Turn]) -> _T:
        """Append what a model may be given together with the turn's end, as one atomic batch.

        end: the body of the end, or what gives it for what `build` made.
        """

        def whole(state: State) -> tuple[_T, list[Draft]]:
            made, drafts = build(state)
            return made, self._mine([*drafts, Draft(end if isinstance(end, Turn) else end(made), (self.begin,))])

        made = self.ledger.append(whole)
        self.ended = True
        return made

    def discard(self, reason: str, detail: str) -> None:
        """Close the turn as discarded, unless the log says that it has ended: `end` may not have come to its return."""

        def build(state: State) -> tuple[None, Sequence[Draft]]:
            if self.number not in state.open_turns:
                return None, []
            return None, self._mine(_closing(state, self.number, reason, detail))

        self.ledger.append(build)

    def _mine(self, drafts: Sequence[Draft]) -> list[Draft]:
        for draft in drafts:
            draft.turn, draft.agent = self.begin.turn, self.begin.agent
        return list(drafts)


def _why_left(error: BaseException) -> str:
    """Return the reason code of a turn that an exception ends."""
    if isinstance(error, CancelledError):
        return "cancelled"
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "error"


def _closing(state: State, turn: int, reason: str, detail: str | None = None) -> list[Draft]:
    """Return what closes a turn as discarded: a result for each of its tool calls without one, and its end."""
    outcome: Literal["interrupted", "cancelled"] = "cancelled" if reason == "cancelled" else "interrupted"
    results = [
        Draft(ToolResult(name=c.name, api=c.api, call_id=c.call_id, outcome=outcome), causes=(seq,), turn=turn)
        for seq, c in state.open_calls.get(turn, {}).items()
    ]
    return [*results, Draft(Turn(state="discarded", reason=reason, detail=detail), turn=turn)]


def number_runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of numbers that follow one another."""
    first = last = None
    for number in numbers:
        if first is None or last is None or number != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def _stored(draft: Draft) -> int:
    if draft.seq is None:
        raise AssertionError("a record may only follow from records that stand before it")
    return draft.seq


def _fitted(envelope: Envelope, spill: Sequence[str], blobs: list[bytes]) -> bytes:
    """Return the line; fields that must leave it to fit go to `blobs`, and a BlobRef takes their place."""
    waiting = [name for name in spill if name in envelope.body]
    while True:
        try:
            return encode(envelope)
        except FormatError as error:
            if "bytes" not in error.fields or not waiting:
                raise
        name = waiting.pop(0)
        blob = canon.dumps(envelope.body[name])
        envelope.body[name] = {"blob": digest(blob), "bytes": len(blob)}
        blobs.append(blob)
