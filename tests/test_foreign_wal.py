"""A write-ahead log that is there when the log is opened: its own, one of a crash, one of another database."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from searchlog.errors import IntegrityError
from searchlog.log.store.frames import fault_of_frames, holds_commit
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.log.tree import leaf_hash, root_of
from searchlog.storage import open_storage

CRASH = """
import os, sys
from pathlib import Path
from searchlog.log.store.sqlite import SqliteLogStore
store = SqliteLogStore(Path(sys.argv[1]))
for session in sys.argv[3:]:
    version = store.head(session).size
    for number in range(version, version + int(sys.argv[2])):
        store.append(session, [b"%s.%d." % (session.encode(), number) + b"x" * (number * 731 % 9000)], number)
os._exit(9)
"""


def crash(path: Path, count: int, *sessions: str) -> None:
    """Append records one by one in a process that ends without closing the log."""
    done = subprocess.run([sys.executable, "-c", CRASH, str(path), str(count), *sessions], timeout=60, check=False)
    assert done.returncode == 9
    assert wal_of(path).stat().st_size > 0


def fill(path: Path, count: int, *sessions: str) -> None:
    """Write a closed log."""
    crash(path, count, *sessions)
    SqliteLogStore(path).close()
    assert not wal_of(path).exists()


def wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def sizes(path: Path, *, write: bool) -> dict[str, int]:
    """Open the log, check each session against its head, and return the number of records of each."""
    with contextlib.closing(SqliteLogStore(path, create=False, write=write)) as store:
        found = {}
        for session in store.sessions():
            items, head = store.get(session), store.head(session)
            assert head.root == root_of([item.leaf for item in items])
            assert all(item.line is not None and leaf_hash(item.line) == item.leaf for item in items)
            found[session] = head.size
    return found


def refused(path: Path, match: str) -> None:
    """Check that the log is not opened in any way, and that neither file is touched."""
    before = path.read_bytes(), wal_of(path).read_bytes()
    for write in (False, True):
        with pytest.raises(IntegrityError, match=match) as caught:
            SqliteLogStore(path, write=write)
        assert (path.read_bytes(), wal_of(path).read_bytes()) == before
    assert "nothing was changed" in str(caught.value)
    assert f"move {wal_of(path).name}" in str(caught.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.db"
    fill(path, 40, "s1", "s2")
    return path


def alien(folder: Path, *statements: str) -> Path:
    """Return the write-ahead log of a database that is none of ours."""
    with contextlib.closing(sqlite3.connect(folder / "alien.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        for statement in statements:
            db.execute(statement)
        shutil.copy(folder / "alien.db-wal", folder / "alien")
    return folder / "alien"


def pages(wal: Path) -> list[tuple[int, bytes]]:
    """Return page number and bytes of each frame."""
    data = wal.read_bytes()
    size = struct.unpack(">I", data[8:12])[0]
    starts = range(32, len(data) - size, 24 + size)
    return [(struct.unpack(">I", data[at : at + 4])[0], data[at + 24 : at + 24 + size]) for at in starts]


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(100000))"],
        ["CREATE TABLE t (a)", "PRAGMA user_version=7"],
        ["CREATE TABLE sessions (a)", "CREATE TABLE records (b)"],
    ],
    ids=["big", "later-version", "same-names"],
)
def test_the_write_ahead_log_of_another_database_is_refused(path: Path, tmp_path: Path, statements: list[str]) -> None:
    """A command that only reads wrote it over the records, and the log had no tables of ours any more, for good."""
    shutil.copy(alien(tmp_path, *statements), wal_of(path))
    refused(path, "does not belong")
    wal_of(path).unlink()
    assert sizes(path, write=True) == {"s1": 40, "s2": 40}


def test_pages_without_the_first_are_refused_too(path: Path, tmp_path: Path) -> None:
    """Only the first page names the database; a write-ahead log need not hold it."""
    made = alien(
        tmp_path,
        "CREATE TABLE t (a)",
        "INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 900) "
        "SELECT zeroblob(400) FROM n",
        "PRAGMA wal_checkpoint(RESTART)",
        "UPDATE t SET a = randomblob(400)",
    )
    assert 1 not in {number for number, _ in pages(made)[: 900 // 10]}
    shutil.copy(made, wal_of(path))
    refused(path, "does not belong")


def test_the_write_ahead_log_of_another_archive_is_refused(path: Path, tmp_path: Path) -> None:
    crash(tmp_path / "other.db", 60, "s9")
    shutil.copy(tmp_path / "other.db-wal", wal_of(path))
    refused(path, "does not know session s1")


def test_the_write_ahead_log_of_another_archive_is_refused_beside_a_damaged_log(path: Path, tmp_path: Path) -> None:
    """Where no record can be compared, a write-ahead log that agrees with itself could pass for the rest of the log."""
    crash(tmp_path / "other.db", 60, "s9")
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)
    shutil.copy(tmp_path / "other.db-wal", wal_of(path))
    refused(path, r"is of log \d+, and this is log \d+")


def test_a_log_of_before_without_a_number_of_its_own_is_judged_by_its_records(path: Path, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA application_id=0")
    crash(path, 2, "s1")
    assert sizes(path, write=True) == {"s1": 42, "s2": 40}
    crash(tmp_path / "other.db", 60, "s9")
    shutil.copy(tmp_path / "other.db-wal", wal_of(path))
    refused(path, "does not know session s1")


def test_an_older_write_ahead_log_of_the_same_archive_is_refused(path: Path, tmp_path: Path) -> None:
    """Left over beside a log that has grown since, it led back to what the log was then."""
    crash(path, 3, "s1")
    shutil.copy(wal_of(path), tmp_path / "kept")
    SqliteLogStore(path).close()
    fill(path, 30, "s1", "s2")
    shutil.copy(tmp_path / "kept", wal_of(path))
    refused(path, r"leads back to 43 records of session s1, and 73 are there")


def test_a_newer_write_ahead_log_beside_a_log_from_a_backup_is_refused(path: Path, tmp_path: Path) -> None:
    """A backup of log.db alone, put back beside the write-ahead log that was there: its pages follow on others."""
    shutil.copy(path, tmp_path / "backup")
    fill(path, 60, "s1", "s2")
    crash(path, 3, "s2")
    shutil.copy(tmp_path / "backup", path)
    refused(path, "does not belong")


@pytest.mark.parametrize(
    ("at", "match"),
    [(0, "no write-ahead log"), (4, "no write-ahead log"), (9, "damaged header"), (17, "damaged header")],
)
def test_a_damaged_header_is_refused(path: Path, at: int, match: str) -> None:
    """SQLite takes such a file for empty and begins it anew: all that was acknowledged in it was gone."""
    crash(path, 5, "s1")
    data = bytearray(wal_of(path).read_bytes())
    data[at] ^= 1
    wal_of(path).write_bytes(data)
    refused(path, match)


def test_a_damaged_transaction_with_others_behind_it_is_refused(path: Path) -> None:
    """SQLite ends there in silence, and the next write overwrote the acknowledged records behind it."""
    crash(path, 6, "s1")
    data = bytearray(wal_of(path).read_bytes())
    data[32 + 24 + 1000] ^= 1
    wal_of(path).write_bytes(data)
    refused(path, r"holds 6 transactions behind a damaged one")


def test_a_write_ahead_log_beside_an_empty_file_is_kept(path: Path) -> None:
    """SQLite removes the write-ahead log of an empty file, and with it what might still be rescued."""
    crash(path, 5, "s1")
    path.write_bytes(b"")
    before = wal_of(path).read_bytes()
    for write in (False, True):
        with pytest.raises(IntegrityError, match="is empty"):
            SqliteLogStore(path, write=write)
    assert wal_of(path).read_bytes() == before


def test_pages_of_another_size_are_refused(path: Path, tmp_path: Path) -> None:
    shutil.copy(alien(tmp_path, "PRAGMA user_version=1"), wal_of(path))
    with contextlib.closing(sqlite3.connect(tmp_path / "large.db", isolation_level=None)) as db:
        for statement in ("PRAGMA page_size=8192", "PRAGMA journal_mode=WAL", "CREATE TABLE t (a)"):
            db.execute(statement)
        shutil.copy(tmp_path / "large.db-wal", wal_of(path))
    refused(path, "pages of 8192 bytes")


# --- what a crash leaves is taken, all of it


@pytest.mark.parametrize("write", [False, True], ids=["read", "write"])
def test_what_a_killed_writer_left_is_read(path: Path, write: bool) -> None:
    crash(path, 7, "s2", "s3")
    assert sizes(path, write=write) == {"s1": 40, "s2": 47, "s3": 7}


def test_a_first_writer_that_was_killed_leaves_a_whole_log(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    crash(path, 7, "s1")
    assert sizes(path, write=True) == {"s1": 7}


def test_reading_leaves_the_write_ahead_log_to_the_next_writer(path: Path) -> None:
    """Whoever read last wrote it into the log."""
    crash(path, 7, "s1")
    before = path.read_bytes(), wal_of(path).read_bytes()
    assert sizes(path, write=False)["s1"] == 47
    assert (path.read_bytes(), wal_of(path).read_bytes()) == before
    assert sizes(path, write=True)["s1"] == 47
    assert not wal_of(path).exists()


@pytest.mark.parametrize("fresh", [False, True], ids=["grown", "new"])
def test_a_checkpoint_cut_off_after_any_page_is_taken_up_again(tmp_path: Path, path: Path, fresh: bool) -> None:
    """A crash in the middle of it leaves a database that makes no sense without its write-ahead log."""
    base = path
    if fresh:
        base = tmp_path / "fresh.db"
    crash(base, 30, "s1", "s3")
    newest = dict(pages(wal_of(base)))
    size = len(next(iter(newest.values())))
    expected = None
    for cut in range(len(newest) + 1):
        copy = tmp_path / "copy" / "log.db"
        shutil.rmtree(copy.parent, ignore_errors=True)
        copy.parent.mkdir()
        shutil.copy(base, copy)
        shutil.copy(wal_of(base), wal_of(copy))
        with copy.open("r+b") as file:
            for number in sorted(newest)[:cut]:
                file.seek((number - 1) * size)
                file.write(newest[number])
        found = sizes(copy, write=cut % 2 == 0)
        expected = expected or found
        assert found == expected
    assert expected == ({"s1": 30, "s3": 30} if fresh else {"s1": 70, "s2": 40, "s3": 30})


@pytest.mark.parametrize("keep", [0, 20, 31, 32, 33, 56, 4000, 4152, 9000])
def test_a_write_ahead_log_cut_off_anywhere_is_what_a_crash_leaves(path: Path, keep: int) -> None:
    crash(path, 4, "s1")
    os.truncate(wal_of(path), keep)
    assert sizes(path, write=True)["s1"] in range(40, 45)


@pytest.mark.parametrize("torn", [bytes(5000), b"\0" * 32 + b"x" * 5000], ids=["zeros", "no-header"])
def test_a_write_ahead_log_that_was_never_begun_is_passed_over(path: Path, torn: bytes) -> None:
    wal_of(path).write_bytes(torn)
    assert sizes(path, write=True) == {"s1": 40, "s2": 40}


def test_one_torn_transaction_at_the_end_is_passed_over(path: Path) -> None:
    crash(path, 4, "s1")
    data = bytearray(wal_of(path).read_bytes())
    data[-1] ^= 1
    wal_of(path).write_bytes(data)
    assert fault_of_frames(wal_of(path), path) is None
    assert sizes(path, write=True)["s1"] == 43


def test_frames_of_an_earlier_use_of_the_file_are_passed_over(path: Path) -> None:
    """SQLite writes from the start again after a checkpoint; what stands behind the new frames is old."""
    with contextlib.closing(SqliteLogStore(path)) as store:
        for number in range(40, 60):
            store.append("s1", [b"more %d" % number], number)
        store._connection().execute("PRAGMA wal_checkpoint(RESTART)")
        store.append("s1", [b"the last"], 60)
        assert fault_of_frames(wal_of(path), path) is None
        assert sizes(path, write=True)["s1"] == 61


def test_a_log_that_others_have_open_is_opened(path: Path) -> None:
    with contextlib.closing(SqliteLogStore(path)) as one:
        one.append("s1", [b"a"], 40)
        with contextlib.closing(SqliteLogStore(path)) as two:
            two.append("s1", [b"b"], 41)
            assert sizes(path, write=False)["s1"] == 42
        assert one.append("s1", [b"c"], 42).size == 43
    assert sizes(path, write=False)["s1"] == 43


def test_damage_that_was_there_before_a_crash_does_not_accuse_the_write_ahead_log(path: Path) -> None:
    """One damaged record costs itself: the log is opened, and `verify` names the record."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE records SET line = x'00' WHERE number = 1 AND seq = 5")
    crash(path, 3, "s1")
    with contextlib.closing(SqliteLogStore(path)) as store:
        items = store.get("s1")
    assert [seq for seq, item in enumerate(items) if leaf_hash(item.line or b"") != item.leaf] == [5]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    with contextlib.closing(open_storage(folder)) as storage:
        storage.log.append("s1", [b"a"], 0)
    return folder


@pytest.mark.parametrize("opener", [lambda folder: open_storage(folder, write=False), open_storage])
def test_an_archive_with_a_foreign_write_ahead_log_is_not_opened(
    archive: Path, tmp_path: Path, opener: Callable[[Path], object]
) -> None:
    before = (archive / "log.db").read_bytes()
    shutil.copy(alien(tmp_path, "CREATE TABLE t (a)"), archive / "log.db-wal")
    with pytest.raises(IntegrityError, match=r"log\.db-wal does not belong"):
        opener(archive)
    assert (archive / "log.db").read_bytes() == before


def test_a_log_that_grows_between_two_reads_ends_where_it_ended(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end was met at the head of a frame, and the page came whole: unpacking no bytes raised struct.error."""

    class Growing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(size) or (bytes(size) if size == 4096 else b"")

    header = struct.pack(">8I", 0x377F0682, 3_007_000, 4096, 0, 1, 2, 0, 0)
    monkeypatch.setattr(Path, "open", lambda *_: Growing(header))
    assert not holds_commit(wal_of(path))
