"""Where an archive lies: found, made, described, refused."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchlog.clock import FixedClock, SystemIds
from searchlog.errors import FormatError, IntegrityError, MissingError, SearchlogError, StoreError, UsageError
from searchlog.ledger import Ledger
from searchlog.log.blobs.folder import FolderBlobStore
from searchlog.log.store.frames import holds_commit
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.storage import FOLDER_NAME, MEMORY, Storage, default_folder, open_storage

posix = pytest.mark.skipif(os.name == "nt", reason="permissions are another thing there")


@pytest.fixture(autouse=True)
def _no_archive_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SEARCHLOG_ARCHIVE", raising=False)


def test_new_archive_is_described_and_private(tmp_path: Path):
    folder = tmp_path / "a" / "b"
    storage = open_storage(folder)
    assert json.loads((folder / "searchlog.json").read_text()) == {"format": "searchlog archive", "version": 1}
    assert storage.folder == folder.resolve()
    assert storage.described == str(folder.resolve())
    assert isinstance(storage.log, SqliteLogStore)
    assert isinstance(storage.blobs, FolderBlobStore)
    assert (storage.index_path, storage.cache_path) == (folder / "index.db", folder / "cache")
    if os.name != "nt":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    storage.close()


def test_what_is_stored_is_there_when_opened_again(tmp_path: Path):
    storage = open_storage(tmp_path / "a")
    (name,) = storage.blobs.put([b"bytes"])
    ledger = Ledger("s1", storage.log, storage.blobs, clock=FixedClock(), ids=SystemIds(), leases=storage.leases)
    ledger.begin_session("test/1")
    storage.close()
    again = open_storage(str(tmp_path / "a"), create=False)
    assert again.blobs.get(name) == b"bytes"
    assert again.log.sessions() == ["s1"]
    again.close()


def test_memory_has_no_folder():
    storage = open_storage(MEMORY)
    assert (storage.folder, storage.index_path, storage.cache_path) == (None, None, None)
    assert storage.described == MEMORY
    storage.close()


def test_archive_that_is_not_there_is_not_made_unasked(tmp_path: Path):
    with pytest.raises(UsageError, match="no archive at"):
        open_storage(tmp_path / "a", create=False)
    assert list(tmp_path.iterdir()) == []


def test_url_is_no_archive():
    with pytest.raises(UsageError, match="no store for redis"):
        open_storage("redis://127.0.0.1/0")


def test_folder_of_other_things_is_left_alone(tmp_path: Path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="not empty"):
        open_storage(tmp_path)
    assert [item.name for item in tmp_path.iterdir()] == ["letter.txt"]


def test_empty_folder_becomes_an_archive(tmp_path: Path):
    open_storage(tmp_path).close()
    assert (tmp_path / "searchlog.json").is_file()


def test_description_cut_off_by_a_crash_is_written_again(tmp_path: Path):
    (tmp_path / ".searchlog.json.tmp").write_text('{"form')
    open_storage(tmp_path).close()
    assert json.loads((tmp_path / "searchlog.json").read_text())["version"] == 1


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ('{"format": "searchlog archive", "version": 2}', FormatError, "version 2"),
        ('{"format": "photo album", "version": 1}', UsageError, "photo album"),
        ('{"format": "searchlog archive"}', FormatError, "does not describe"),
        ('{"format": "searchlog archive", "version": "new"}', FormatError, "does not describe"),
        ('{"format": "searchlog archive", "version": "1"}', FormatError, "its version is no number"),
        ('{"format": "searchlog archive", "version": true}', FormatError, "its version is no number"),
        ('{"format": "searchlog archive", "version": 1.0}', FormatError, "its version is no number"),
        ('{"format": "searchlog archive", "version": 0}', FormatError, "its version is no number"),
        ("[" * 100_000, FormatError, "does not describe"),
        ("[]", FormatError, "does not describe"),
        ("", FormatError, "does not describe"),
        ("\udcff", FormatError, "does not describe"),
    ],
    ids=[
        *("later-version", "other-program", "no-version", "version-word", "version-text", "version-bool"),
        *("version-fraction", "version-zero", "deep", "list", "empty", "not-utf-8"),
    ],
)
def test_description_that_is_not_ours_is_refused(tmp_path: Path, text: str, error: type[SearchlogError], says: str):
    """Deep nesting came out as RecursionError, and a version that was text or a truth value was taken for a number."""
    mark = tmp_path / "searchlog.json"
    mark.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(error, match=says):
        open_storage(tmp_path)
    assert list(tmp_path.iterdir()) == [mark]


@posix
@pytest.mark.timeout(20)
def test_pipe_in_the_place_of_the_description_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "searchlog.json")
    with pytest.raises(FormatError, match="it is no file"):
        open_storage(tmp_path)


@pytest.mark.parametrize("under", ["file/archive", "file"])
def test_place_under_a_file_is_a_store_error(tmp_path: Path, under: str):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot open the archive"):
        open_storage(tmp_path / under)


@posix
def test_place_that_may_not_be_written_is_a_store_error(tmp_path: Path):
    tmp_path.chmod(0o500)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)  # permissions do not bind root
    try:
        with pytest.raises(StoreError, match="cannot open the archive"):
            open_storage(tmp_path / "a")
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o700)


# --- archives that may only be read


@pytest.fixture
def readable() -> Iterator[Path]:
    """An archive of one session, in a place that everybody may enter."""
    root = Path(tempfile.mkdtemp(prefix="searchlog-read-"))
    root.chmod(0o755)
    folder = root / "a"
    make(folder)
    try:
        yield folder
    finally:
        for item in (root, folder):
            item.chmod(0o700)
        shutil.rmtree(root)


def make(folder: Path) -> None:
    storage = open_storage(folder)
    storage.blobs.put([b"bytes"])
    ledger(storage).begin_session("test/1")
    storage.close()


def ledger(storage: Storage, session: str = "s1") -> Ledger:
    return Ledger(session, storage.log, storage.blobs, clock=FixedClock(), ids=SystemIds(), leases=storage.leases)


@contextlib.contextmanager
def looking_only(folder: Path) -> Iterator[None]:
    """Let this process read the archive and not write to it: the superuser, whom modes do not bind, is nobody."""
    for item in (folder, *folder.rglob("*")):
        item.chmod(0o555 if item.is_dir() else 0o444)
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)
        for item in (folder, *folder.rglob("*")):
            item.chmod(0o700 if item.is_dir() else 0o600)


def names(folder: Path) -> list[str]:
    return sorted(str(item.relative_to(folder)) for item in folder.rglob("*"))


@posix
@pytest.mark.parametrize("write", [True, False], ids=["wanting-to-write", "reading"])
def test_archive_that_may_not_be_written_is_read_and_left_as_it_is(readable: Path, write: bool):
    """Opening took the lock file for writing, so that nothing could be looked at on a read-only disk, or in somebody
    else's archive."""
    before = names(readable)
    with looking_only(readable):
        storage = open_storage(readable, create=False, write=write)
        assert storage.log.sessions() == ["s1"]
        assert storage.log.snapshot("s1").frontier.size == 1
        assert [storage.blobs.get(name) for name in storage.blobs.digests()] == [b"bytes"]
        with pytest.raises(StoreError, match="it can only be read: cannot open the lock file"):
            ledger(storage, "s2").begin_session("test/1")
        with pytest.raises(StoreError):
            storage.blobs.put([b"more"])
        with pytest.raises(StoreError), storage.leases.held():
            pass
        storage.close()
    assert names(readable) == before


@posix
def test_records_of_a_crash_are_read_where_nothing_may_be_written(readable: Path):
    """They lie in the write-ahead log, which SQLite reads with the index that the dead writer left."""
    crash(readable)
    with looking_only(readable):
        storage = open_storage(readable, write=False)
        assert storage.log.sessions() == ["s1", "s2"]
        storage.close()


@posix
def test_records_of_a_crash_without_their_index_are_told_to_be_copied_first(readable: Path):
    crash(readable)
    (readable / "log.db-shm").unlink()
    before = names(readable)
    with looking_only(readable), pytest.raises(StoreError, match="copy the whole folder"):
        open_storage(readable, write=False)
    assert names(readable) == before
    copy = readable.parent / "copy"
    shutil.copytree(readable, copy)
    storage = open_storage(copy, write=False)
    assert storage.log.sessions() == ["s1", "s2"]
    storage.close()


@posix
def test_log_that_somebody_else_writes_to_is_read_by_one_who_may_not(readable: Path):
    writer = open_storage(readable)
    ledger(writer, "s2").begin_session("test/1")
    with looking_only(readable):
        storage = open_storage(readable, write=False)
        assert storage.log.sessions() == ["s1", "s2"]
    ledger(writer, "s3").begin_session("test/1")
    assert storage.log.sessions() == ["s1", "s2", "s3"]
    storage.close()
    writer.close()


def crash(folder: Path) -> None:
    """Append to the archive, and leave its files as a process leaves them that is killed after that."""
    storage = open_storage(folder)
    ledger(storage, "s2").begin_session("test/1")
    shutil.copytree(folder, folder.with_name("killed"))
    storage.close()
    shutil.rmtree(folder)
    folder.with_name("killed").rename(folder)
    assert (folder / "log.db-wal").stat().st_size > 0


def test_reading_makes_no_file(readable: Path):
    (readable / "log.lock").unlink()
    before = names(readable)
    storage = open_storage(readable, write=False)
    assert storage.log.sessions() == ["s1"]
    with pytest.raises(StoreError, match="opened for reading"):
        ledger(storage, "s2").begin_session("test/1")
    storage.close()
    assert names(readable) == before


def test_place_with_signs_in_its_name_is_opened(tmp_path: Path):
    """SQLite is given the path as a URI, in which these have a meaning."""
    for name in ("a?mode=memory", "100%25", "a#b", "ü ü", "a&b"):
        make(tmp_path / name)
        storage = open_storage(tmp_path / name, write=False)
        assert storage.log.sessions() == ["s1"]
        assert (tmp_path / name / "log.db").stat().st_size > 0
        storage.close()


# --- a log that is gone


@pytest.mark.parametrize("write", [True, False], ids=["wanting-to-write", "reading"])
@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_log_that_is_gone_is_damage_and_no_new_one_is_made(tmp_path: Path, how: str, write: bool):
    """A fresh log was made in its place: `verify --all` found nothing wrong, and the archive looked empty."""
    make(tmp_path / "a")
    log = tmp_path / "a" / "log.db"
    log.unlink()
    if how == "emptied":
        log.touch()
    before = names(tmp_path / "a")
    with pytest.raises(IntegrityError, match="put back the file"):
        open_storage(tmp_path / "a", write=write)
    assert names(tmp_path / "a") == before
    assert how == "removed" or log.stat().st_size == 0


@pytest.mark.parametrize("trace", ["leases", "log.db-wal"])
def test_log_that_is_gone_is_told_by_whatever_came_after_it(tmp_path: Path, trace: str):
    open_storage(tmp_path / "a").close()
    (tmp_path / "a" / "log.db").unlink()
    if trace == "leases":
        (tmp_path / "a" / trace).mkdir()
    else:
        (tmp_path / "a" / trace).write_bytes(b"records")
    with pytest.raises(IntegrityError):
        open_storage(tmp_path / "a")


def test_archive_whose_making_was_cut_off_is_made_to_its_end(tmp_path: Path):
    open_storage(tmp_path / "a").close()
    (tmp_path / "a" / "log.db").unlink()
    with pytest.raises(MissingError, match="holds nothing yet"):
        open_storage(tmp_path / "a", write=False)
    assert not (tmp_path / "a" / "log.db").exists()
    storage = open_storage(tmp_path / "a")
    assert storage.log.sessions() == []
    storage.close()


# --- the default place


def test_named_place_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEARCHLOG_ARCHIVE", str(tmp_path / "named"))
    open_storage(tmp_path / FOLDER_NAME).close()
    assert default_folder(tmp_path) == tmp_path / "named"


def test_nearest_archive_upward_is_taken(tmp_path: Path):
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    open_storage(tmp_path / FOLDER_NAME).close()
    open_storage(tmp_path / "a" / FOLDER_NAME).close()
    (deep / FOLDER_NAME).mkdir()  # not an archive: it has no description
    assert default_folder(deep) == tmp_path.resolve() / "a" / FOLDER_NAME
    assert default_folder(tmp_path) == tmp_path.resolve() / FOLDER_NAME


def test_data_folder_of_the_platform_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert default_folder().name == "archive"
    assert tmp_path in default_folder().parents or os.name == "nt"


# --- many at once


def test_threads_that_make_one_archive_at_the_same_time_all_get_it(tmp_path: Path):
    """All wrote the description through one temporary file: the second to rename it failed with a store error."""
    for number in range(8):
        folder, barrier = tmp_path / str(number), threading.Barrier(6)
        errors: list[BaseException] = []

        def make(folder: Path = folder, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            try:
                open_storage(folder).close()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=make) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert [item.name for item in folder.iterdir() if ".tmp" in item.name] == []


def test_a_write_ahead_log_that_goes_meanwhile_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Another process closed the log between the look at its name and the look into it."""
    open_storage(tmp_path).close()
    wal = tmp_path / "log.db-wal"
    wal.write_bytes(b"\0" * 32)

    def gone(path: Path) -> bool:
        path.unlink()
        return holds_commit(path)

    monkeypatch.setattr("searchlog.storage.holds_commit", gone)
    open_storage(tmp_path).close()
    assert not wal.exists()


def _append(folder: str, session: str) -> None:
    storage = open_storage(folder)
    ledger = Ledger(session, storage.log, storage.blobs, clock=FixedClock(), ids=SystemIds(), leases=storage.leases)
    ledger.begin_session("test/1")
    storage.close()


def test_processes_that_make_one_archive_at_the_same_time_all_write_to_it(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append, args=(str(tmp_path / "a"), f"s{n}")) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    storage = open_storage(tmp_path / "a")
    assert sorted(storage.log.sessions()) == ["s0", "s1", "s2"]
    storage.close()


# --- leases


def test_lease_is_free_once_it_is_let_go(tmp_path: Path):
    for location in (MEMORY, tmp_path / "a"):
        storage = open_storage(location)
        with storage.leases.held() as mine, storage.leases.held() as other:
            assert mine != other
            assert not storage.leases.is_free(mine)
            assert not storage.leases.is_free(other)
        assert storage.leases.is_free(mine)
        assert storage.leases.is_free(None)
        storage.close()
    assert list((tmp_path / "a" / "leases").iterdir()) == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "0" * 15, "G" * 16])
def test_lease_name_that_is_none_leads_nowhere(tmp_path: Path, name: str):
    storage = open_storage(tmp_path / "a")
    assert storage.leases.is_free(name)
    storage.close()


def test_blob_of_another_archive_is_missing(tmp_path: Path):
    one, two = open_storage(tmp_path / "1"), open_storage(tmp_path / "2")
    (name,) = one.blobs.put([b"bytes"])
    with pytest.raises(MissingError):
        two.blobs.get(name)
    one.close()
    two.close()
