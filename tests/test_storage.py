"""Where an archive lies: found, made, described, refused."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import threading
from pathlib import Path

import pytest

from searchlog.clock import FixedClock, SystemIds
from searchlog.errors import FormatError, MissingError, SearchlogError, StoreError, UsageError
from searchlog.ledger import Ledger
from searchlog.log.blobs.folder import FolderBlobStore
from searchlog.log.store.sqlite import SqliteLogStore
from searchlog.storage import FOLDER_NAME, MEMORY, default_folder, open_storage


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


@pytest.mark.parametrize("under", ["file/archive", "file"])
def test_place_under_a_file_is_a_store_error(tmp_path: Path, under: str):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot open the archive"):
        open_storage(tmp_path / under)


@pytest.mark.skipif(os.name == "nt", reason="permissions are another thing there")
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
