"""One suite for every session-log store: what `LogStore` promises.

A new store is added to `OPENERS`; one that several processes may open also to `SHARED`.
"""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchlog.errors import ConflictError, IntegrityError, MissingError, StoreError
from searchlog.log.store.base import LogStore, SessionSnapshot, StoredLine
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.log.tree import Frontier, leaf_hash, root_of

OPENERS: dict[str, Callable[[Path], LogStore]] = {
    "memory": lambda _: MemoryLogStore(),
    "sqlite": lambda folder: SqliteLogStore(folder / "log.db"),
}
SHARED = ["sqlite"]


def lines(count: int, start: int = 0) -> list[bytes]:
    return [b'{"seq":%d}' % seq for seq in range(start, start + count)]


def stored(items: list[bytes]) -> list[StoredLine]:
    return [StoredLine(leaf_hash(line), line) for line in items]


def check_sound(store: LogStore, session: str) -> list[bytes]:
    """Check that the head is that of the lines; return them."""
    found = store.get(session)
    head = store.head(session)
    assert head.size == len(found)
    assert head.root == root_of([item.leaf for item in found])
    assert all(item.line is not None and leaf_hash(item.line) == item.leaf for item in found)
    return [item.line for item in found if item.line is not None]


@pytest.fixture(params=OPENERS)
def opener(request: pytest.FixtureRequest) -> Callable[[Path], LogStore]:
    return OPENERS[request.param]


@pytest.fixture
def store(opener: Callable[[Path], LogStore], tmp_path: Path) -> Iterator[LogStore]:
    with contextlib.closing(opener(tmp_path)) as store:
        yield store


@pytest.fixture
def other(opener: Callable[[Path], LogStore], tmp_path: Path) -> Iterator[LogStore]:
    (tmp_path / "other").mkdir()
    with contextlib.closing(opener(tmp_path / "other")) as store:
        yield store


# --- append, get, head


def test_what_is_appended_is_read_back(store: LogStore) -> None:
    head = store.append("s1", lines(3), 0)
    assert head == store.head("s1") == Frontier().extend(map(leaf_hash, lines(3)))
    assert store.get("s1") == stored(lines(3))
    head = store.append("s1", lines(2, 3), 3)
    assert head == store.head("s1") == Frontier().extend(map(leaf_hash, lines(5)))
    assert check_sound(store, "s1") == lines(5)


@pytest.mark.parametrize(
    "line", [b"", b"\x00", b"\xff\xfe", b"'; DROP TABLE records; --", b"x" * 65_535, "日本 😀".encode()], ids=range(6)
)
def test_any_bytes_are_kept_as_they_are(store: LogStore, line: bytes) -> None:
    store.append("s1", [line, line], 0)
    assert store.get("s1") == stored([line, line])


def test_sessions_do_not_mix_and_are_listed_oldest_first(store: LogStore) -> None:
    assert store.sessions() == []
    for session in ("s2", "s1", "S1", "s1 "):
        store.append(session, [session.encode()], 0)
    store.append("s2", [b"more"], 1)
    assert store.sessions() == ["s2", "s1", "S1", "s1 "]
    assert store.get("s2") == stored([b"s2", b"more"])
    assert store.get("S1") == stored([b"S1"])


def test_an_unknown_session_is_empty(store: LogStore) -> None:
    store.append("s1", lines(1), 0)
    assert store.get("s2") == []
    assert store.head("s2") == Frontier()
    with pytest.raises(MissingError) as caught:
        store.snapshot("s2")
    assert caught.value.fields["session"] == "s2"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (0, None),
        (0, 10),
        (0, 0),
        (3, 7),
        (9, 10),
        (9, 99),
        (10, None),
        (99, None),
        (7, 3),
        (-1, None),
        (0, -1),
        (-5, 3),
    ],
)
def test_a_range_is_half_open_and_clamped(store: LogStore, start: int, end: int | None) -> None:
    """A negative number counted from the end in one store and as 0 in the other."""
    store.append("s1", lines(10), 0)
    expected = [line for seq, line in enumerate(lines(10)) if seq >= start and (end is None or seq < end)]
    assert store.get("s1", start, end) == stored(expected)


def test_an_empty_batch_changes_nothing(store: LogStore) -> None:
    """It made a session without records: listed, but not to be had as a snapshot, and not the same in each store."""
    assert store.append("s1", [], 0) == Frontier()
    assert store.sessions() == []
    head = store.append("s1", lines(2), 0)
    assert store.append("s1", [], 2) == head
    with pytest.raises(ConflictError):
        store.append("s1", [], 1)
    assert check_sound(store, "s1") == lines(2)


@pytest.mark.parametrize("expected", [0, 2, 4, -1, 10**6])
def test_a_stale_version_is_refused_with_the_version_now(store: LogStore, expected: int) -> None:
    store.append("s1", lines(3), 0)
    with pytest.raises(ConflictError) as caught:
        store.append("s1", lines(2, 3), expected)
    assert caught.value.current == 3
    assert caught.value.fields["session"] == "s1"
    assert check_sound(store, "s1") == lines(3)


def test_a_first_append_to_an_unknown_session_must_expect_nothing(store: LogStore) -> None:
    with pytest.raises(ConflictError) as caught:
        store.append("s1", lines(1), 1)
    assert caught.value.current == 0
    assert store.sessions() == []


def test_a_batch_with_a_bad_line_stores_nothing_of_itself(store: LogStore) -> None:
    store.append("s1", lines(1), 0)
    with pytest.raises(TypeError):
        store.append("s1", [b"good", "not bytes", b"good"], 1)  # type: ignore[list-item]
    assert check_sound(store, "s1") == lines(1)
    assert store.append("s1", lines(1, 1), 1).size == 2


@given(st.lists(st.lists(st.binary(max_size=20), max_size=5), max_size=6))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_head_is_that_of_the_lines_however_they_were_batched(store: LogStore, batches: list[list[bytes]]) -> None:
    session = f"s{len(store.sessions())}"
    written: list[bytes] = []
    for batch in batches:
        assert store.append(session, batch, len(written)).size == len(written) + len(batch)
        written += batch
    assert check_sound(store, session) == written


# --- snapshot, restore


def test_a_snapshot_restored_elsewhere_is_the_same_session(store: LogStore, other: LogStore) -> None:
    store.append("s1", lines(5), 0)
    snapshot = store.snapshot("s1")
    assert snapshot == SessionSnapshot("s1", tuple(stored(lines(5))), store.head("s1"))
    other.restore(snapshot)
    assert other.snapshot("s1") == snapshot
    assert other.sessions() == ["s1"]
    assert other.append("s1", lines(1, 5), 5) == store.append("s1", lines(1, 5), 5)


def test_a_snapshot_does_not_move_with_the_session(store: LogStore) -> None:
    store.append("s1", lines(2), 0)
    snapshot = store.snapshot("s1")
    store.append("s1", lines(2, 2), 2)
    assert snapshot.frontier.size == len(snapshot.lines) == 2


def test_a_snapshot_with_an_erased_line_is_restored(store: LogStore, other: LogStore) -> None:
    store.append("s1", lines(3), 0)
    whole = store.snapshot("s1")
    erased = SessionSnapshot(
        "s1", (whole.lines[0], StoredLine(whole.lines[1].leaf, None), whole.lines[2]), whole.frontier
    )
    other.restore(erased)
    assert other.get("s1")[1].line is None
    assert other.snapshot("s1") == erased
    assert other.head("s1") == whole.frontier


def test_restore_refuses_a_session_that_is_there(store: LogStore, other: LogStore) -> None:
    store.append("s1", lines(3), 0)
    other.append("s1", lines(2), 0)
    with pytest.raises(ConflictError) as caught:
        other.restore(store.snapshot("s1"))
    assert caught.value.current == 2
    assert check_sound(other, "s1") == lines(2)
    with pytest.raises(ConflictError):
        store.restore(store.snapshot("s1"))


def damaged(snapshot: SessionSnapshot) -> dict[str, SessionSnapshot]:
    first, second, third = snapshot.lines
    head = snapshot.frontier

    def with_lines(*items: StoredLine) -> SessionSnapshot:
        return SessionSnapshot(snapshot.session, items, head)

    other = Frontier().extend(map(leaf_hash, lines(2)))
    return {
        "changed-line": with_lines(first, StoredLine(second.leaf, b'{"seq":9}'), third),
        "changed-leaf": with_lines(first, StoredLine(bytes(32), second.line), third),
        "changed-both": with_lines(first, StoredLine(leaf_hash(b"other"), b"other"), third),
        "erased-with-another-leaf": with_lines(first, StoredLine(bytes(32), None), third),
        "removed": with_lines(first, third),
        "removed-last": with_lines(first, second),
        "added": with_lines(first, second, third, third),
        "swapped": with_lines(second, first, third),
        "no-lines": with_lines(),
        "another-head": SessionSnapshot(snapshot.session, snapshot.lines, other),
        "another-size": SessionSnapshot(snapshot.session, snapshot.lines, Frontier(4, head.nodes)),
        "no-head": SessionSnapshot(snapshot.session, snapshot.lines, Frontier()),
    }


@pytest.mark.parametrize("fault", damaged(SessionSnapshot("s1", tuple(stored(lines(3))), Frontier())))
def test_restore_refuses_a_snapshot_that_does_not_add_up(store: LogStore, other: LogStore, fault: str) -> None:
    store.append("s1", lines(3), 0)
    with pytest.raises(IntegrityError):
        other.restore(damaged(store.snapshot("s1"))[fault])
    assert other.sessions() == []


def test_restoring_nothing_makes_no_session(store: LogStore) -> None:
    for _ in range(2):
        store.restore(SessionSnapshot("s1", (), Frontier()))
    assert store.sessions() == []


# --- closing


def test_every_call_after_close_is_refused(store: LogStore) -> None:
    """The memory store went on as if nothing were, so a test with it could not show a use after close."""
    store.append("s1", lines(1), 0)
    snapshot = store.snapshot("s1")
    store.close()
    store.close()
    calls: list[Callable[[], object]] = [
        store.sessions,
        lambda: store.get("s1"),
        lambda: store.head("s1"),
        lambda: store.append("s1", lines(1), 1),
        lambda: store.snapshot("s1"),
        lambda: store.restore(snapshot),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="closed"):
            call()


# --- several writers


def append_all(store: LogStore, session: str, name: str, batches: int) -> None:
    """Append batches of three lines, reading again after each lost race."""
    version = 0
    for number in range(batches):
        batch = [f"{name} {number} {part}".encode() for part in range(3)]
        while True:
            try:
                version = store.append(session, batch, version).size
                break
            except ConflictError as error:
                if error.current <= version:
                    raise AssertionError("a conflict that is none") from error
                version = error.current


def check_batches(found: list[bytes], writers: list[str], batches: int) -> None:
    """Check that each writer's batches are all there, whole, and in its order."""
    triples = [found[at : at + 3] for at in range(0, len(found), 3)]
    for triple in triples:
        stem = triple[0].rsplit(b" ", 1)[0]
        assert triple == [stem + b" %d" % part for part in range(3)]
    stems = [triple[0].rsplit(b" ", 1)[0].decode() for triple in triples]
    for writer in writers:
        assert [stem for stem in stems if stem.startswith(writer + " ")] == [f"{writer} {n}" for n in range(batches)]
    assert len(stems) == len(writers) * batches


def test_of_two_writers_with_one_version_one_wins_whole(store: LogStore) -> None:
    start = threading.Barrier(2)
    outcomes: dict[str, Frontier | ConflictError] = {}

    def write(name: str) -> None:
        start.wait(10)
        try:
            outcomes[name] = store.append("s1", [f"{name} {part}".encode() for part in range(50)], 0)
        except ConflictError as error:
            outcomes[name] = error

    threads = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [name for name, outcome in outcomes.items() if isinstance(outcome, Frontier)]
    lost = [outcome for outcome in outcomes.values() if isinstance(outcome, ConflictError)]
    assert len(won) == len(lost) == 1
    assert lost[0].current == 50
    assert check_sound(store, "s1") == [f"{won[0]} {part}".encode() for part in range(50)]


def test_threads_racing_on_one_session_lose_nothing(store: LogStore) -> None:
    names = [f"thread{number}" for number in range(4)]
    failures: list[BaseException] = []

    def run(name: str) -> None:
        try:
            append_all(store, "s1", name, 25)
        except BaseException as error:  # handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    check_batches(check_sound(store, "s1"), names, 25)


def test_a_snapshot_taken_while_others_write_is_of_one_version(store: LogStore) -> None:
    store.append("s1", lines(1), 0)
    stop = threading.Event()

    def write() -> None:
        version = 1
        while not stop.is_set() and version < 3000:
            version = store.append("s1", lines(3, version), version).size

    thread = threading.Thread(target=write)
    thread.start()
    try:
        sizes = []
        for _ in range(40):
            snapshot = store.snapshot("s1")
            assert snapshot.frontier.size == len(snapshot.lines)
            assert snapshot.frontier.size % 3 == 1
            assert snapshot.frontier.root == root_of([item.leaf for item in snapshot.lines])
            sizes.append(snapshot.frontier.size)
    finally:
        stop.set()
        thread.join()
    assert sizes == sorted(sizes)
    check_sound(store, "s1")


WRITER = """
import sys
from pathlib import Path
from tests.conformance.test_log_store import OPENERS, append_all
kind, folder, name, batches = sys.argv[1:]
store = OPENERS[kind](Path(folder))
sys.stdin.readline()
append_all(store, "s1", name, int(batches))
store.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARED)
def test_processes_racing_on_one_session_lose_nothing(kind: str, tmp_path: Path) -> None:
    names = [f"process{number}" for number in range(6)]
    root = Path(__file__).parents[2]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, kind, str(tmp_path), name, "100"],
            cwd=root,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in names
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=100)[1] for child in children]
    assert [child.returncode for child in children] == [0] * 6, b"".join(said).decode()
    with contextlib.closing(OPENERS[kind](tmp_path)) as store:
        check_batches(check_sound(store, "s1"), names, 100)


@pytest.mark.parametrize("kind", SHARED)
def test_two_stores_on_one_place_see_each_other_at_once(kind: str, tmp_path: Path) -> None:
    with contextlib.closing(OPENERS[kind](tmp_path)) as one, contextlib.closing(OPENERS[kind](tmp_path)) as two:
        one.append("s1", lines(2), 0)
        assert two.get("s1") == stored(lines(2))
        with pytest.raises(ConflictError) as caught:
            two.append("s1", lines(1), 0)
        assert caught.value.current == 2
        two.append("s1", lines(1, 2), 2)
        assert check_sound(one, "s1") == lines(3)


@pytest.mark.parametrize("kind", SHARED)
def test_a_reopened_store_has_everything(kind: str, tmp_path: Path) -> None:
    for version in range(5):
        with contextlib.closing(OPENERS[kind](tmp_path)) as store:
            assert check_sound(store, "s1") == lines(version)
            store.append("s1", lines(1, version), version)
    with contextlib.closing(OPENERS[kind](tmp_path)) as store:
        assert check_sound(store, "s1") == lines(5)
        assert store.sessions() == ["s1"]


def test_has_tells_a_session_from_the_beginning_of_one(store: LogStore) -> None:
    store.append("s12", lines(1), 0)
    assert store.has("s12")
    assert not store.has("s1")
    assert not store.has("")


# --- merge


def left_out(items: list[StoredLine], seqs: set[int]) -> SessionSnapshot:
    """Return a snapshot of these records in which the lines of some are left out."""
    kept = tuple(StoredLine(item.leaf, None) if seq in seqs else item for seq, item in enumerate(items))
    return SessionSnapshot("s1", kept, Frontier().extend(item.leaf for item in items))


def test_a_merged_session_is_there_whole_and_can_be_merged_again(store: LogStore) -> None:
    whole = left_out(stored(lines(4)), set())
    for _ in range(2):
        store.merge(whole)
        assert check_sound(store, "s1") == lines(4)
        assert store.snapshot("s1") == whole


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    gone=st.lists(st.sets(st.integers(0, 8)), min_size=4, max_size=4),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_merging_adds_what_is_missing_and_takes_nothing_away(
    opener: Callable[[Path], LogStore], tmp_path: Path, sizes: list[int], gone: list[set[int]]
) -> None:
    folder = tmp_path / secrets.token_hex(4)
    folder.mkdir()
    expected: dict[int, bytes | None] = {}
    with contextlib.closing(opener(folder)) as store:
        for size, seqs in zip(sizes, gone, strict=False):
            snapshot = left_out(stored(lines(size)), seqs)
            store.merge(snapshot)
            for seq, item in enumerate(snapshot.lines):
                expected[seq] = expected.get(seq) or item.line
            assert [item.line for item in store.get("s1")] == [expected[seq] for seq in range(len(expected))]
            head = store.head("s1")
            assert head.size == len(expected)
            assert head.root == root_of([item.leaf for item in stored(lines(len(expected)))])


def test_a_fork_is_refused_and_changes_nothing(store: LogStore) -> None:
    store.append("s1", lines(3), 0)
    before = store.snapshot("s1")
    other = stored([*lines(2), b'{"seq":"other"}', b'{"seq":3}'])
    with pytest.raises(IntegrityError) as caught:
        store.merge(left_out(other, set()))
    assert caught.value.fields["fork"] == 2
    assert store.snapshot("s1") == before


@pytest.mark.parametrize("fault", damaged(SessionSnapshot("s1", tuple(stored(lines(3))), Frontier())))
def test_merge_refuses_a_snapshot_that_does_not_add_up(store: LogStore, other: LogStore, fault: str) -> None:
    other.append("s1", lines(3), 0)
    store.append("s1", lines(1), 0)
    before = store.snapshot("s1")
    with pytest.raises(IntegrityError):
        store.merge(damaged(other.snapshot("s1"))[fault])
    assert store.snapshot("s1") == before
