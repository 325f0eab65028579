"""The SQLite store: durability in force, damage, locks, full disks, and being killed."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from searchlog.errors import ConflictError, IntegrityError, SearchlogError, StoreError, UsageError
from searchlog.log.filelock import FileLock
from searchlog.log.store import sqlite
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.log.tree import leaf_hash, root_of

posix = pytest.mark.skipif(os.name == "nt", reason="fork and kill are of POSIX")


def check_sound(store: SqliteLogStore, session: str = "s1") -> int:
    """Check that lines, leaf hashes and head agree; return the version."""
    found, head = store.get(session), store.head(session)
    assert head.size == len(found)
    assert head.root == root_of([item.leaf for item in found])
    assert all(item.line is not None and leaf_hash(item.line) == item.leaf for item in found)
    return head.size


def fill(path: Path, count: int = 60) -> list[bytes]:
    """Write a closed database of one session, several pages long."""
    lines = [b'{"seq":%d,"body":"%s"}' % (seq, b"abcdefgh" * 30) for seq in range(count)]
    with contextlib.closing(SqliteLogStore(path)) as store:
        for seq in range(0, count, 10):
            store.append("s1", lines[seq : seq + 10], seq)
    return lines


def run_sql(path: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


# --- durability in force


def test_wal_and_full_synchronous_are_in_force(path: Path) -> None:
    with contextlib.closing(SqliteLogStore(path)) as store:
        store.append("s1", [b"a"], 0)
        db = store._connection()
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,), "2 is FULL"
        assert db.execute("PRAGMA mmap_size").fetchone() in [(0,), None]
        assert path.with_name("log.db-wal").stat().st_size > 0
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


APPENDER = """
import os
import sys
from pathlib import Path
from searchlog.errors import StoreError
from searchlog.log.store.sqlite import SqliteLogStore
try:
    store = SqliteLogStore(Path(sys.argv[1]))
    version = store.head("s1").size
    for _ in range(int(sys.argv[2])):
        batch = [b"%d.%d" % (version, part) for part in range(3)]
        version = store.append("s1", batch, version).size
        os.write(1, b"%d\\n" % version)  # one call, whatever buffering is set
    store.close()
except StoreError as error:
    os.write(1, b"refused: %s\\n" % str(error).encode())
"""

STRACE = shutil.which("strace")


def strace(path: Path, count: int, *options: str) -> tuple[list[str], str]:
    """Run an appender under strace; return what it printed and the trace. Skips where tracing is not allowed."""
    trace = path.with_suffix(".trace")
    command = [
        STRACE or "strace",
        "-f",
        "-o",
        str(trace),
        *options,
        sys.executable,
        "-c",
        APPENDER,
        str(path),
        str(count),
    ]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    if not trace.exists() or b"ptrace" in done.stderr:
        pytest.skip("may not trace a process here")
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines(), trace.read_text("utf-8", "replace")


@pytest.mark.skipif(STRACE is None, reason="no strace on this machine")
def test_each_append_waits_for_the_disk_before_it_returns(path: Path) -> None:
    fill(path)
    said, trace = strace(path, 5, "-e", "trace=fsync,fdatasync,write,pwrite64")
    assert [int(line) for line in said] == [63, 66, 69, 72, 75]
    calls = [line.split()[1].split("(")[0] + ("1" if " write(1," in line else "") for line in trace.splitlines()]
    between, seen = [], 0
    for call in calls:
        if call in ("fsync", "fdatasync"):
            seen += 1
        elif call == "write1":
            between.append(seen)
            seen = 0
    assert len(between) == 5
    assert all(count >= 1 for count in between), "an append was acknowledged before its bytes were on the disk"


@pytest.mark.slow
@pytest.mark.skipif(STRACE is None, reason="no strace on this machine")
@pytest.mark.parametrize(("call", "error", "count"), [("pwrite64", "ENOSPC", 16), ("fdatasync", "EIO", 6)])
def test_a_failing_disk_loses_nothing_acknowledged(call: str, error: str, count: int, tmp_path: Path) -> None:
    """The Nth call fails and all later ones too, as on a full or dying disk; then the disk is well again."""
    refused = 0
    for at in range(1, count + 1):
        path = tmp_path / f"{at}.db"
        fill(path, 10)
        said, _ = strace(path, 5, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={at}+")
        acknowledged = [int(line) for line in said if line.isdigit()]
        refused += any(line.startswith("refused:") for line in said)
        with contextlib.closing(SqliteLogStore(path)) as store:
            assert check_sound(store) >= max([10, *acknowledged])
            assert (check_sound(store) - 10) % 3 == 0, "half a batch was stored"
            store.append("s1", [b"well again"], check_sound(store))
    assert refused


def test_a_full_database_is_a_store_error_and_keeps_what_was_there(path: Path) -> None:
    with contextlib.closing(SqliteLogStore(path)) as store:
        store.append("s1", [b"a"], 0)
        pages = store._connection().execute("PRAGMA page_count").fetchone()[0]
        store._connection().execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreError, match="full"):
            store.append("s1", [b"x" * 50_000, b"y" * 50_000], 1)
        assert check_sound(store) == 1
        store._connection().execute("PRAGMA max_page_count=100000")
        assert store.append("s1", [b"x" * 50_000, b"y" * 50_000], 1).size == 3
        assert check_sound(store) == 3


def test_closing_leaves_one_file_that_is_whole(path: Path) -> None:
    lines = fill(path)
    wal = path.with_name("log.db-wal")
    assert not wal.exists() or wal.stat().st_size == 0
    alone = path.with_name("alone.db")
    shutil.copy(path, alone)
    with contextlib.closing(SqliteLogStore(alone)) as store:
        assert [item.line for item in store.get("s1")] == lines


def test_closing_one_of_two_leaves_the_other_working(path: Path) -> None:
    one, two = SqliteLogStore(path), SqliteLogStore(path)
    one.append("s1", [b"a"], 0)
    one.close()
    two.append("s1", [b"b"], 1)
    two.close()
    with contextlib.closing(SqliteLogStore(path)) as store:
        assert check_sound(store) == 2


# --- being killed

ENDLESS = APPENDER.replace("range(int(sys.argv[2]))", "iter(int, 1)")


@posix
@pytest.mark.slow
def test_every_acknowledged_append_survives_kill_9(path: Path) -> None:
    chance = random.Random(6962)
    version = 0
    for _ in range(20):
        with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            first = child.stdout.readline()
            time.sleep(chance.random() * 0.03)
            child.send_signal(signal.SIGKILL)
            said = (first + child.stdout.read()).split(b"\n")
        acknowledged = [int(line) for line in said[:-1]]  # what follows the last newline may be half a number
        assert acknowledged[0] == version + 3
        with contextlib.closing(SqliteLogStore(path)) as store:
            found = check_sound(store)
        assert found in (acknowledged[-1], acknowledged[-1] + 3), "at most one batch was stored and not yet told"
        version = found


@posix
@pytest.mark.slow
def test_a_killed_first_open_does_not_spoil_the_archive(tmp_path: Path) -> None:
    chance = random.Random(9162)
    for number in range(10):
        path = tmp_path / f"{number}.db"
        with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.DEVNULL) as child:
            while not path.exists():
                assert child.poll() is None
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.004)
            child.send_signal(signal.SIGKILL)
        with contextlib.closing(SqliteLogStore(path)) as store:
            version = check_sound(store)
            store.append("s1", [b"after"], version)


# --- versions and damage


def test_a_newer_schema_is_refused_and_left_alone(path: Path) -> None:
    fill(path)
    run_sql(path, "PRAGMA user_version=2")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer.*upgrade"):
        SqliteLogStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [b"not a database " * 500, b"SQLite format 3\x00" + b"\xff" * 5000, bytes(8192), b"\x89PNG\r\n"],
    ids=["text", "broken-header", "zeros", "short"],
)
def test_a_file_that_is_no_database_is_damage(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(IntegrityError, match=r"log\.db is damaged"):
        SqliteLogStore(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("name", [b"tablerecordsrecords", b"CREATE TABLE sessions"], ids=["name", "definition"])
def test_a_schema_that_is_no_text_is_damage(path: Path, name: bytes) -> None:
    """Where SQLite's own message held a name that is not UTF-8, Python raised UnicodeDecodeError in its stead."""
    SqliteLogStore(path).close()
    data = path.read_bytes()
    assert data.count(name) == 1
    path.write_bytes(data.replace(name, name[:9] + b"\xff" + name[10:]))
    with pytest.raises(IntegrityError, match=r"log\.db is damaged"):
        SqliteLogStore(path)


def use_everything(path: Path) -> list[SearchlogError]:
    """Make every call on a store; return what it raised. Anything but an error of ours gets out."""
    found: list[SearchlogError] = []
    try:
        store = SqliteLogStore(path)
    except SearchlogError as error:
        return [error]
    calls: list[Callable[[], object]] = [
        store.sessions,
        lambda: store.get("s1"),
        lambda: store.get("s1", 20, 30),
        lambda: store.head("s1"),
        lambda: store.head("s1").root,
        lambda: store.snapshot("s1"),
        lambda: store.append("s1", [b"more"], 60),
        store.close,
    ]
    for call in calls:
        try:
            call()
        except SearchlogError as error:
            found.append(error)
    return found


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9], ids=["a-tenth", "half", "most"])
def test_a_cut_file_is_damage(path: Path, keep: float) -> None:
    fill(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    assert any(isinstance(error, IntegrityError) for error in use_everything(path))


@pytest.mark.parametrize("fault", ["bit", "byte", "page"])
def test_damage_anywhere_raises_our_errors_or_shows_in_the_hashes(path: Path, fault: str) -> None:
    """SQLite finds little of it (half of each page is unused); what it misses, our hashes must find."""
    lines = fill(path)
    whole = path.read_bytes()
    chance = random.Random(fault)
    silent = 0
    for _ in range(150):
        data = bytearray(whole)
        at = chance.randrange(len(data))
        if fault == "bit":
            data[at] ^= 1 << chance.randrange(8)
        elif fault == "byte":
            data[at] = chance.randrange(256)
        else:
            start = at // 4096 * 4096
            data[start : start + 4096] = chance.randbytes(4096)
        for name in ("log.db-wal", "log.db-shm"):
            path.with_name(name).unlink(missing_ok=True)
        path.write_bytes(data)
        raised = use_everything(path)
        with contextlib.suppress(SearchlogError), contextlib.closing(SqliteLogStore(path)) as store:
            found = store.get("s1", 0, 60)
            assert all(type(item.leaf) is bytes for item in found)
            assert all(item.line is None or type(item.line) is bytes for item in found)
            hashes_hold = all(item.line is not None and leaf_hash(item.line) == item.leaf for item in found)
            if not raised and hashes_hold and len(found) == 60:
                silent += 1
                assert [item.line for item in found] == lines, "changed lines passed their hashes"
    assert silent < 150


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE sessions SET size = -1",
        "UPDATE sessions SET size = 61",
        "UPDATE sessions SET size = 'many'",
        "UPDATE sessions SET frontier = x''",
        "UPDATE sessions SET frontier = 'text'",
        "UPDATE sessions SET frontier = 12.5",
    ],
)
def test_a_head_that_cannot_be_is_damage(path: Path, sql: str) -> None:
    """A column may hold any type in SQLite; AttributeError and TypeError got out."""
    fill(path)
    run_sql(path, sql)
    with contextlib.closing(SqliteLogStore(path)) as store:
        for call in (store.head, store.snapshot, lambda session: store.append(session, [b"more"], 60)):
            with pytest.raises(IntegrityError):
                call("s1")


@pytest.mark.parametrize(
    ("sql", "seq"),
    [
        ("UPDATE records SET line = CAST(line AS TEXT) || ' ' WHERE seq = 5", 5),
        ("UPDATE records SET line = 12 WHERE seq = 7", 7),
        ("UPDATE records SET leaf = 'text' WHERE seq = 7", 7),
        ("UPDATE records SET leaf = 1.5 WHERE seq = 7", 7),
    ],
)
def test_a_column_of_another_type_fails_its_hash(path: Path, sql: str, seq: int) -> None:
    """It came out as text or a number, and whoever hashed it failed with TypeError instead of naming the record."""
    fill(path)
    run_sql(path, sql)
    with contextlib.closing(SqliteLogStore(path)) as store:
        wrong = [n for n, item in enumerate(store.get("s1")) if item.line is None or leaf_hash(item.line) != item.leaf]
        assert wrong == [seq]


def test_a_record_that_stands_where_the_next_should_go_is_damage(path: Path) -> None:
    fill(path)
    run_sql(path, "INSERT INTO records VALUES (1, 60, x'00', x'00')")
    with contextlib.closing(SqliteLogStore(path)) as store:
        with pytest.raises(IntegrityError):
            store.append("s1", [b"more"], 60)
        assert store.head("s1").size == 60


@pytest.mark.parametrize("sql", ["UPDATE sessions SET session = CAST(x'ff' AS TEXT)", "DROP TABLE records"])
def test_other_damage_is_an_error_of_ours(path: Path, sql: str) -> None:
    fill(path)
    run_sql(path, sql)
    assert use_everything(path)


def test_a_session_id_that_is_no_text_is_refused(path: Path) -> None:
    """A byte of the command line that is not UTF-8 arrives as a surrogate; UnicodeEncodeError got out."""
    with contextlib.closing(SqliteLogStore(path)) as store, pytest.raises(UsageError):
        store.get("\udcff")


@pytest.mark.parametrize("table", ["records", "sessions"])
def test_a_database_without_a_table_of_ours_is_damage(path: Path, table: str) -> None:
    """It was told as a fault of the machine, and only when the table was asked for."""
    fill(path)
    run_sql(path, f"DROP TABLE {table}")
    with pytest.raises(IntegrityError, match="no tables of ours"):
        SqliteLogStore(path)


# --- places and locks


def test_a_folder_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open"):
        SqliteLogStore(tmp_path / "absent" / "log.db")


def test_a_folder_in_the_place_of_the_file_is_a_store_error(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match="cannot open"):
        SqliteLogStore(path)


def test_a_database_locked_by_another_program_is_a_store_error_in_bounded_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_S", 0.1)
    with contextlib.closing(SqliteLogStore(path)) as store, contextlib.closing(sqlite3.connect(path)) as intruder:
        store.append("s1", [b"a"], 0)
        intruder.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        with pytest.raises(StoreError, match="locked"):
            store.append("s1", [b"b"], 1)
        assert time.monotonic() - start < 3
        assert check_sound(store) == 1, "readers go on"
        intruder.execute("ROLLBACK")
        assert store.append("s1", [b"b"], 1).size == 2


def test_a_lock_file_held_by_another_writer_is_a_store_error_in_bounded_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_S", 0.1)
    with contextlib.closing(SqliteLogStore(path)) as store:
        store.append("s1", [b"a"], 0)
        with FileLock(path.with_suffix(".lock")).held(1.0):
            start = time.monotonic()
            with pytest.raises(StoreError, match="another process"):
                store.append("s1", [b"b"], 1)
            with pytest.raises(StoreError, match="another process"):
                SqliteLogStore(path)
            assert time.monotonic() - start < 3
            assert check_sound(store) == 1, "readers go on"
        assert store.append("s1", [b"b"], 1).size == 2


def test_one_connection_serves_all_threads_one_at_a_time(path: Path) -> None:
    """Nothing of another thread gets between the statements of a transaction."""
    statements: list[tuple[int, str]] = []
    with contextlib.closing(SqliteLogStore(path)) as store:
        store._connection().set_trace_callback(lambda sql: statements.append((threading.get_ident(), sql.split()[0])))
        store.append("s1", [b"0"], 0)

        def work() -> None:
            for _ in range(20):
                with contextlib.suppress(ConflictError):
                    store.append("s1", [b"x"], store.head("s1").size)
                assert check_whole(store)

        def check_whole(store: SqliteLogStore) -> bool:
            snapshot = store.snapshot("s1")
            return snapshot.frontier.size == len(snapshot.lines)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert check_sound(store) > 1
    owner: int | None = None
    for thread_id, verb in statements:
        assert owner in (None, thread_id)
        if verb == "BEGIN":
            owner = thread_id
        elif verb in ("COMMIT", "ROLLBACK"):
            owner = None
    assert len({thread_id for thread_id, _ in statements}) == 5


@posix
def test_a_store_opened_before_fork_is_refused_in_the_child(path: Path) -> None:
    with contextlib.closing(SqliteLogStore(path)) as store:
        store.append("s1", [b"a"], 0)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                store.append("s1", [b"b"], 1)
                said = b"appended"
            except StoreError as error:
                said = str(error).encode()
            os.write(write, said)
            os._exit(0)
        os.close(write)
        with open(read, "rb") as pipe:
            assert b"fork" in pipe.read()
        os.waitpid(child, 0)
        assert store.append("s1", [b"b"], 1).size == 2
