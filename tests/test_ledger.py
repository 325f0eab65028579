"""The ledger: typed records into one session's log, with several writers, large fields and cut turns."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from searchlog import records
from searchlog.clock import FixedClock, FixedIds, SystemIds
from searchlog.digest import digest, text_digest
from searchlog.errors import ConflictError, FormatError, StoreError
from searchlog.ledger import Draft, Gap, Ledger, State
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.log.envelope import LINE_BYTES_MAX, Envelope, decode, encode
from searchlog.log.lease import MemoryLeases
from searchlog.log.store.base import StoredLine
from searchlog.log.store.memory import MemoryLogStore
from searchlog.storage import Storage, open_storage
from searchlog.verify.store import verify_session

SESSION = "s20260102-030405-00000001"


def ledger_on(storage: Storage, session: str = SESSION) -> Ledger:
    return Ledger(session, storage.log, storage.blobs, clock=FixedClock(), ids=SystemIds(), leases=storage.leases)


def memory_ledger(log=None, blobs=None, leases=None) -> Ledger:
    return Ledger(
        SESSION,
        log or MemoryLogStore(),
        blobs or MemoryBlobStore(),
        clock=FixedClock(),
        ids=FixedIds(),
        leases=leases or MemoryLeases(),
    )


def note(text: str, causes=()) -> Draft:
    return Draft(records.Note(text=text), causes)


def evidence(state: State, text: str) -> list[Draft]:
    """Return the record of one passage, which is a whole text, unless this session has it under an id already."""
    key = (text_digest(text), 0, len(text))
    name = state.evidence_ids.get(key, f"e{state.next_evidence}")
    body = records.Evidence(
        id=name,
        exact=text,
        prefix="",
        suffix="",
        start=0,
        end=len(text),
        digest=text_digest(text),
        text=text_digest(text),
        payload=digest(b"page"),
        url="http://127.0.0.1/",
        title="",
        source_kind="page",
        captured_at="2026-01-02T03:04:05.000000Z",
        score="1",
        tokens=1,
        link="http://127.0.0.1/",
    )
    return [Draft(body)]


def race(storage: Storage, who: str, turns: int) -> None:
    """Write turns of four records and two passages each: one passage of its own, one that every writer has."""
    ledger = ledger_on(storage)
    for number in range(turns):
        with ledger.turn("search") as turn:
            turn.add([note(f"{who} {number} first")])
            turn.add([note(f"{who} {number} second")])
            texts = (f"{who} {number}", f"shared {number}")

            def build(state: State, texts: tuple[str, str] = texts) -> tuple[None, list[Draft]]:
                first = evidence(state, texts[0])
                assert isinstance(first[0].body, records.Evidence)
                ids = {**state.evidence_ids, (text_digest(texts[0]), 0, len(texts[0])): first[0].body.id}
                return None, first + evidence(
                    State(evidence_ids=ids, last_evidence=max(int(name[1:]) for name in ids.values())), texts[1]
                )

            turn.end(build, records.Turn(state="end", outcome="ok"))


def check_race(ledger: Ledger, writers: int, turns: int) -> None:
    found = list(ledger.records())
    assert [record.seq for record in found] == list(range(1 + writers * turns * 6))
    by_turn: dict[int, list[str]] = {}
    for record in found[1:]:
        assert record.envelope.turn is not None
        by_turn.setdefault(record.envelope.turn, []).append(record.kind)
    assert sorted(by_turn) == list(range(1, writers * turns + 1))
    whole = ["turn", "note", "note", "evidence", "evidence", "turn"]
    assert all(kinds == whole for kinds in by_turn.values())
    ids: dict[str, tuple[str, int, int]] = {}
    keys: dict[tuple[str, int, int], str] = {}
    for record in found:
        body = record.body
        if isinstance(body, records.Evidence):
            key = (body.text, body.start, body.end)
            assert ids.setdefault(body.id, key) == key
            assert keys.setdefault(key, body.id) == body.id
    assert sorted(int(name[1:]) for name in ids) == list(range(1, len(ids) + 1))
    assert len(ids) == writers * turns + turns


# --- two writers


def test_threads_with_a_ledger_each_write_whole_turns_and_share_evidence_ids():
    storage = open_storage("memory:")
    ledger_on(storage).begin_session("test/1")
    threads = [threading.Thread(target=race, args=(storage, f"writer {n}", 12)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_race(ledger_on(storage), 4, 12)


def test_threads_on_one_ledger_write_whole_turns():
    ledger = memory_ledger()
    ledger.begin_session("test/1")

    def work(who: int) -> None:
        for number in range(10):
            with ledger.turn("fetch") as turn:
                turn.add([note(f"{who} {number}")])
                turn.end(lambda _: (None, []), records.Turn(state="end"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = list(ledger.records())
    assert [record.seq for record in found] == list(range(1 + 4 * 10 * 3))
    assert {record.envelope.turn for record in found[1:]} == set(range(1, 41))


def _process(folder: str, who: str, turns: int) -> None:
    storage = open_storage(folder)
    race(storage, who, turns)
    storage.close()


def test_processes_write_whole_turns_and_share_evidence_ids(tmp_path: Path):
    storage = open_storage(tmp_path / "archive")
    ledger_on(storage).begin_session("test/1")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_process, args=(str(tmp_path / "archive"), f"writer {n}", 8)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    check_race(ledger_on(storage), 2, 8)
    # the passages are of texts that no conversion made; there is nothing else to find
    report = verify_session(storage.log, storage.blobs, SESSION)
    assert {finding.code for finding in report.findings} == {"evidence-unrooted"}
    storage.close()


class Busy(MemoryLogStore):
    """A store in which another writer comes first, the given number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.refused = 0

    def append(self, session, lines, expected_version):
        if self.times:
            self.times -= 1
            super().append(session, [_foreign(session, expected_version)], expected_version)
        try:
            return super().append(session, lines, expected_version)
        except ConflictError:
            self.refused += 1
            raise


def _foreign(session: str, seq: int) -> bytes:
    from searchlog.log.envelope import encode

    return encode(
        Envelope(session, seq, "2026-01-02T03:04:05.000000Z", "note", {"text": "another writer"}, f"{seq:032x}")
    )


def test_lost_race_is_read_again_and_retried():
    log = Busy(3)
    ledger = memory_ledger(log)
    seen: list[int] = []

    def build(state: State) -> tuple[str, list[Draft]]:
        seen.append(state.version)
        return "made", [note(f"built on {state.version} records")]

    assert ledger.append(build) == "made"
    assert log.refused == 3
    assert seen == [0, 1, 2, 3]
    assert [r.body.text for r in ledger.records()] == [*["another writer"] * 3, "built on 3 records"]


def test_race_lost_without_end_is_told():
    ledger = memory_ledger(Busy(1000))
    with pytest.raises(ConflictError) as caught:
        ledger.add([note("never")])
    assert caught.value.current == 50


def test_causes_follow_the_place_a_retry_gives():
    log = Busy(1)
    ledger = memory_ledger(log)
    first = note("first")
    ledger.add([first, note("second", (first,))])
    assert [record.envelope.causes for record in ledger.records()] == [(), (), (1,)]


def test_building_nothing_appends_nothing():
    ledger = memory_ledger()
    assert ledger.append(lambda state: (state.version, [])) == 0
    assert list(ledger.records()) == []


def test_session_record_is_written_once():
    storage = open_storage("memory:")
    for _ in range(3):
        ledger_on(storage).begin_session("test/1", "a title")
    (only,) = ledger_on(storage).records()
    assert (only.kind, only.body.title, only.body.origin) == ("session", "a title", "searchlog/" + SESSION)


# --- causes


def test_causes_name_earlier_records_only():
    ledger = memory_ledger()
    later = note("later")
    with pytest.raises(AssertionError, match="before"):
        ledger.add([note("first", (Draft(records.Note(text="never added")),))])
    with pytest.raises(FormatError, match="causes"):
        ledger.add([note("first", (later,)), later])
    with pytest.raises(FormatError, match="causes"):
        ledger.add([note("first", (7,))])
    assert list(ledger.records()) == []


def test_causes_are_sorted_and_each_stands_once():
    ledger = memory_ledger()
    a, b = note("a"), note("b")
    ledger.add([a, b])
    ledger.add([note("c", (b, a, 0, b))])
    assert list(ledger.records())[-1].envelope.causes == (0, 1)


# --- large fields


def big(count: int) -> list[dict[str, object]]:
    return [{"subject": f"http://127.0.0.1/{n}", "kept": False, "reason": "limit", "rank": n} for n in range(count)]


def decision(items: list[dict[str, object]]) -> records.Decision:
    return records.Decision(
        step="filter",
        rule="filter/1",
        in_count=len(items),
        kept_count=0,
        dropped_count=len(items),
        reasons={"limit": len(items)},
        items=items,
    )


def test_field_that_does_not_fit_becomes_a_blob_and_is_loaded_back():
    ledger = memory_ledger()
    items = big(2000)
    ledger.add([Draft(decision(items)), Draft(decision(items[:3]))])
    large, small = ledger.records()
    assert isinstance(large.body.items, records.BlobRef)
    assert ledger.load(large.body.items) == items
    assert small.body.items == ledger.load(small.body.items) == items[:3]
    assert all(len(item.line) <= LINE_BYTES_MAX for item in ledger.log.get(SESSION))


@pytest.mark.parametrize("size", [60_000, 65_000, 65_300, 65_535, 70_000])
def test_lines_around_the_limit_fit(size: int):
    ledger = memory_ledger()
    body = decision([{"subject": "x" * size, "kept": False, "reason": "limit"}])
    ledger.add([Draft(body)])
    (record,) = ledger.records()
    assert ledger.load(record.body.items) == body.items


def test_only_as_many_fields_leave_as_must():
    ledger = memory_ledger()
    run = records.Run(
        provider="p", outcome="ok", results=[{"rank": 1, "url": "u" * 70_000}], dropped=[["advert", "no-link"]]
    )
    both = run.model_copy(update={"dropped": [["x" * 70_000, "no-link"]]})
    ledger.add([Draft(run), Draft(both)])
    one, two = (record.body for record in ledger.records())
    assert isinstance(one.results, records.BlobRef)
    assert one.dropped == [["advert", "no-link"]]
    assert isinstance(two.results, records.BlobRef)
    assert ledger.load(two.dropped) == both.dropped


@pytest.mark.parametrize("kind", ["capture", "provider-exchange"])
def test_large_exchange_is_loaded_back(kind: str):
    """A spilled exchange was read as if the reference were the exchange itself: no page with large heads could be
    replayed or verified."""
    ledger = memory_ledger()
    exchange = {"method": "GET", "response_head": "x" * 70_000, "peer": None}
    body = (
        records.ProviderExchange(provider="p", exchange=exchange)
        if kind == "provider-exchange"
        else records.Capture(
            url="u", asked="u", purpose="page", hop=0, final=True, outcome="complete", exchange=exchange
        )
    )
    ledger.add([Draft(body)])
    (record,) = ledger.records()
    assert isinstance(record.body.exchange, records.BlobRef)
    assert ledger.load(record.body.exchange) == exchange


def test_record_that_cannot_be_made_to_fit_is_refused_and_nothing_is_appended():
    ledger = memory_ledger()
    with pytest.raises(FormatError, match="at most 65535"):
        ledger.add([note("fits"), note("x" * 70_000)])
    assert list(ledger.records()) == []


class Order:
    """Notes the order in which stores are called."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        order = self

        class Log(MemoryLogStore):
            def append(self, session, lines, expected_version):
                for line in lines:
                    for name in _blobs_named(decode(line).body):
                        assert order.blobs.has(name)
                order.calls.append("lines")
                return super().append(session, lines, expected_version)

        class Blobs(MemoryBlobStore):
            def put(self, blobs):
                names = super().put(blobs)
                order.calls.append("blobs")
                return names

        self.log, self.blobs = Log(), Blobs()


def _blobs_named(value: object) -> list[str]:
    if isinstance(value, dict):
        found = [value["blob"]] if "blob" in value else []
        return found + [name for item in value.values() for name in _blobs_named(item)]
    return [name for item in value for name in _blobs_named(item)] if isinstance(value, list) else []


def test_blobs_are_durable_before_a_line_names_them():
    order = Order()
    memory_ledger(order.log, order.blobs).add([Draft(decision(big(2000)))])
    assert order.calls == ["blobs", "lines"]


def test_nothing_is_appended_when_a_blob_cannot_be_stored():
    class Full(MemoryBlobStore):
        def put(self, blobs):
            raise StoreError("no space left")

    ledger = memory_ledger(blobs=Full())
    with pytest.raises(StoreError, match="no space"):
        ledger.add([Draft(decision(big(2000)))])
    assert list(ledger.records()) == []


# --- turns


def states(ledger: Ledger) -> list[tuple[int | None, str, str | None]]:
    return [
        (record.envelope.turn, record.body.state, record.body.reason or record.body.outcome)
        for record in ledger.records()
        if isinstance(record.body, records.Turn)
    ]


def test_turn_left_by_an_exception_is_closed_as_discarded():
    ledger = memory_ledger()

    def cut() -> None:
        with ledger.turn("search") as turn:
            turn.add([note("seen")])
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        cut()
    assert states(ledger) == [(1, "begin", None), (1, "discarded", "error")]
    assert list(ledger.records())[-1].body.detail == "RuntimeError"
    assert ledger.discard_cut_turns() == []


def test_turn_left_by_a_key_is_closed_as_interrupted():
    ledger = memory_ledger()
    with pytest.raises(KeyboardInterrupt), ledger.turn("search"):
        raise KeyboardInterrupt
    assert states(ledger) == [(1, "begin", None), (1, "discarded", "interrupted")]


def test_turn_that_ended_stays_ended_when_its_block_is_left_by_an_exception():
    ledger = memory_ledger()

    def cut() -> None:
        with ledger.turn("search") as turn:
            turn.end(lambda _: (None, []), records.Turn(state="end", outcome="ok"))
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        cut()
    assert states(ledger) == [(1, "begin", None), (1, "end", "ok")]


def test_turn_whose_end_was_stored_is_not_discarded_as_well():
    """A key pressed between the commit and its return closed the turn a second time, which `verify` reports."""

    class Pressed(MemoryLogStore):
        def append(self, session, lines, expected_version):
            head = super().append(session, lines, expected_version)
            if any(b'"state":"end"' in line for line in lines):
                raise KeyboardInterrupt
            return head

    ledger = memory_ledger(Pressed())
    with pytest.raises(KeyboardInterrupt), ledger.turn("search") as turn:
        turn.end(lambda _: (None, []), records.Turn(state="end", outcome="ok"))
    assert states(ledger) == [(1, "begin", None), (1, "end", "ok")]
    assert verify_session(ledger.log, ledger.blobs, SESSION).findings == []


def test_block_that_does_not_end_its_turn_is_a_bug():
    ledger = memory_ledger()
    with pytest.raises(AssertionError, match="ended"), ledger.turn("search"):
        pass


def test_end_comes_in_one_batch_with_what_a_model_may_be_given():
    batches: list[list[str]] = []

    class Log(MemoryLogStore):
        def append(self, session, lines, expected_version):
            batches.append([decode(line).kind for line in lines])
            return super().append(session, lines, expected_version)

    ledger = memory_ledger(Log())
    with ledger.turn("search", agent="main/worker") as turn:
        turn.end(lambda state: (None, evidence(state, "text")), records.Turn(state="end"))
    assert batches == [["turn"], ["evidence", "turn"]]
    assert {record.envelope.agent for record in ledger.records()} == {"main/worker"}


def test_turn_of_a_live_writer_is_left_alone():
    storage = open_storage("memory:")
    mine, other = ledger_on(storage), ledger_on(storage)
    with mine.turn("search") as turn:
        assert other.discard_cut_turns() == []
        turn.end(lambda _: (None, []), records.Turn(state="end"))
    assert other.discard_cut_turns() == []


def test_turns_are_numbered_from_what_is_there():
    storage = open_storage("memory:")
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt), ledger_on(storage).turn("search"):
            raise KeyboardInterrupt
    assert [number for number, state, _ in states(ledger_on(storage)) if state == "begin"] == [1, 2, 3]


def _hold(folder: str, ready) -> None:
    ledger = ledger_on(open_storage(folder))
    with ledger.turn("search") as turn:
        turn.add([note("what crossed the wire")])
        ready.send("open")
        ready.recv()
        turn.end(lambda _: (None, []), records.Turn(state="end", outcome="ok"))
    ready.send("ended")


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "alive"])
def test_turn_of_another_process_is_discarded_only_once_that_is_dead(tmp_path: Path, killed: bool):
    folder = str(tmp_path / "archive")
    storage = open_storage(folder)
    ledger = ledger_on(storage)
    ledger.begin_session("test/1")
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=_hold, args=(folder, there))
    worker.start()
    assert here.recv() == "open"
    assert ledger.discard_cut_turns() == []
    if killed:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        assert ledger.discard_cut_turns() == [1]
        assert states(ledger) == [(1, "begin", None), (1, "discarded", "interrupted")]
        assert ledger.discard_cut_turns() == []
    else:
        here.send("go on")
        assert here.recv() == "ended"
        worker.join()
        assert ledger.discard_cut_turns() == []
        assert states(ledger) == [(1, "begin", None), (1, "end", "ok")]
    assert verify_session(storage.log, storage.blobs, SESSION).findings == []
    storage.close()


def test_cut_turn_is_discarded_once_when_two_open_the_session_at_the_same_time():
    storage = open_storage("memory:")
    ledger = ledger_on(storage)
    begin = Draft(records.Turn(state="begin", lease="00000000000000aa"), turn=1)
    ledger.add([begin])
    openers = [ledger_on(storage) for _ in range(8)]
    threads = [threading.Thread(target=opener.discard_cut_turns) for opener in openers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [state for _, state, _ in states(ledger)] == ["begin", "discarded"]


# --- reading


class Erased(MemoryLogStore):
    """A store from which lines are erased: only their leaf hashes remain."""

    def erase(self, session: str, seq: int) -> None:
        self._lines[session][seq] = StoredLine(self._lines[session][seq].leaf, None)


def test_erased_records_are_left_out_and_their_places_stay():
    log = Erased()
    ledger = memory_ledger(log)
    ledger.add([note("a"), note("b"), note("c")])
    log.erase(SESSION, 1)
    assert [(record.seq, record.body.text) for record in memory_ledger(log).records()] == [(0, "a"), (2, "c")]
    fresh = memory_ledger(log)
    fresh.add([note("d")])
    assert [record.seq for record in fresh.records()] == [0, 2, 3]


def test_records_can_be_read_in_part():
    ledger = memory_ledger()
    ledger.add([note(str(n)) for n in range(5)])
    assert [record.seq for record in ledger.records(1, 3)] == [1, 2]
    assert [record.seq for record in ledger.records(3)] == [3, 4]


def test_checkpoint_is_the_head_of_the_last_append():
    ledger = memory_ledger()
    assert ledger.checkpoint().size == 0
    ledger.add([note("a")])
    head = ledger.checkpoint()
    assert (head.origin, head.size) == ("searchlog/" + SESSION, 1)
    assert head.root == ledger.log.get(SESSION)[0].leaf


def test_state_interrupted_while_it_reads_is_made_whole_by_the_next_look(monkeypatch: pytest.MonkeyPatch):
    """The version was moved on before the record was taken into account: a key pressed in between lost an evidence
    id, and the next search gave it to another passage."""
    log = MemoryLogStore()
    memory_ledger(log).append(lambda state: (None, evidence(state, "one")))
    ledger = memory_ledger(log)

    class Pressed(dict):
        def setdefault(self, key, default=None):
            raise KeyboardInterrupt

    ledger._state.evidence_ids = Pressed()
    with pytest.raises(KeyboardInterrupt):
        ledger.refresh()
    ledger._state.evidence_ids = {}
    assert ledger.refresh().next_evidence == 2


# --- records that cannot be read


def damaged_ledger(kind: str, body: dict[str, object], turn: int | None = None) -> Ledger:
    """Return a session of a first record, this one, and a note after it."""
    made = memory_ledger()
    made.begin_session("test/1")
    line = encode(Envelope(SESSION, 1, "2026-01-02T03:04:05.000000Z", kind, body, "0" * 32, turn=turn))
    after = encode(Envelope(SESSION, 2, "2026-01-02T03:04:05.000000Z", "note", {"text": "x"}, "0" * 32))
    made.log.append(SESSION, [line, after], 1)
    return made


def test_record_that_cannot_be_read_is_named_and_costs_itself_alone():
    """The error named neither session nor record, and nothing of the session could be read because of it."""
    made = damaged_ledger("query", {"text": 3}, turn=4)
    with pytest.raises(FormatError, match=f"record 1 of session {SESSION} cannot be read: query record") as caught:
        list(made.records())
    assert (caught.value.fields["session"], caught.value.fields["seq"]) == (SESSION, 1)
    first, gap, last = made.entries()
    assert (first.seq, last.seq) == (0, 2)
    assert isinstance(gap, Gap)
    assert (gap.seq, gap.turn, str(gap.error)) == (1, 4, str(caught.value))
    assert [entry.seq for entry in made.entries(1)] == [1, 2]


def test_erased_record_is_a_gap_without_an_error():
    made = memory_ledger()
    made.begin_session("test/1")
    made.add([note("a"), note("b")])
    lines = list(made.log.snapshot(SESSION).lines)
    lines[1] = StoredLine(lines[1].leaf, None)
    log = MemoryLogStore()
    log.restore(replace(made.log.snapshot(SESSION), lines=tuple(lines)))
    assert [isinstance(entry, Gap) for entry in memory_ledger(log).entries()] == [False, True, False]
    assert [record.seq for record in memory_ledger(log).records()] == [0, 2]


def test_record_that_names_another_place_cannot_be_read():
    made = memory_ledger()
    made.begin_session("test/1")
    made.log.append(SESSION, [made.log.get(SESSION)[0].line or b""], 1)
    with pytest.raises(FormatError, match=r"record 1 of .*it says that it is record 0"):
        list(made.records())
    with pytest.raises(FormatError, match="record 1 of "):
        made.refresh()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("evidence", {}),
        ("evidence", {"text": [], "start": 0, "end": 1, "id": "e1"}),
        ("evidence", {"text": "t", "start": "0", "end": 1, "id": "e1"}),
        ("evidence", {"text": "t", "start": 0, "end": 1}),
        ("evidence", {"text": "t", "start": 0, "end": 1, "id": "first"}),
        ("evidence", {"text": "t", "start": 0, "end": 1, "id": "e" + "9" * 5000}),
        ("turn", {"state": "begin", "lease": ["x"]}),
    ],
    ids=["empty", "text", "start", "no-id", "odd-id", "endless-id", "lease"],
)
def test_state_names_a_record_that_it_cannot_take_in(kind: str, body: dict[str, object]):
    """KeyError, TypeError or ValueError came out, told as a bug."""
    made = damaged_ledger(kind, body, turn=1)
    with pytest.raises(FormatError, match=f"record 1 of session {SESSION} cannot be read: {kind} record"):
        made.refresh()
    with pytest.raises(FormatError):
        made.add([note("more")])
