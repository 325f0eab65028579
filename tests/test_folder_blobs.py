"""The folder of blobs: damage, crashes, and disks that say no."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from searchlog.digest import digest
from searchlog.errors import IntegrityError, MissingError, StoreError
from searchlog.log import durable
from searchlog.log.blobs import folder
from searchlog.log.blobs.folder import TEMP_PREFIX, FolderBlobStore

BLOBS = [b"one", b"two" * 1000, b"three", b""]
posix = pytest.mark.skipif(os.name == "nt", reason="modes and folder syncs are of POSIX")


@pytest.fixture
def store(tmp_path: Path) -> FolderBlobStore:
    return FolderBlobStore(tmp_path / "blobs")


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_a_file_is_named_by_its_digest_and_holds_the_bytes_as_they_are(store: FolderBlobStore, tmp_path: Path) -> None:
    (name,) = store.put([b"abc"])
    path = tmp_path / "blobs/sha256/ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert files(tmp_path) == [path]
    assert path.read_bytes() == b"abc"
    assert store.where(name) == str(path)


@posix
def test_files_are_for_their_owner_alone(store: FolderBlobStore) -> None:
    (name,) = store.put([b"abc"])
    assert stat.S_IMODE(Path(store.where(name)).stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum on this machine")
def test_sha256sum_alone_can_check_it(store: FolderBlobStore, tmp_path: Path) -> None:
    store.put(BLOBS)
    for path in files(tmp_path):
        said = subprocess.run(["sha256sum", path], capture_output=True, check=True).stdout.decode()
        assert said.split()[0] == path.name


# --- damage


@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_altered_byte_is_found_and_named(store: FolderBlobStore, at: int) -> None:
    (name,) = store.put([b"abc"])
    data = bytearray(b"abc")
    data[at] ^= 1
    Path(store.where(name)).write_bytes(data)
    with pytest.raises(IntegrityError) as caught:
        store.get(name)
    assert caught.value.fields == {"digest": name, "expected": name, "found": digest(bytes(data))}


@pytest.mark.parametrize("data", [b"", b"ab", b"abcd"], ids=["emptied", "cut", "grown"])
def test_a_file_of_another_size_is_found_and_written_anew(store: FolderBlobStore, data: bytes) -> None:
    (name,) = store.put([b"abc"])
    Path(store.where(name)).write_bytes(data)
    with pytest.raises(IntegrityError):
        store.get(name)
    store.put([b"abc"])
    assert store.get(name) == b"abc"


def test_a_removed_file_is_missing_and_can_be_put_again(store: FolderBlobStore) -> None:
    (name,) = store.put([b"abc"])
    Path(store.where(name)).unlink()
    assert not store.has(name)
    with pytest.raises(MissingError, match="ba7816bf"):
        store.get(name)
    assert store.put([b"abc"]) == [name]
    assert store.get(name) == b"abc"


def test_a_file_that_is_there_is_not_written_again(store: FolderBlobStore) -> None:
    (name,) = store.put([b"abc"])
    before = Path(store.where(name)).stat()
    store.put([b"abc"])
    after = Path(store.where(name)).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_what_a_crash_left_behind_is_no_blob(store: FolderBlobStore) -> None:
    (name,) = store.put([b"abc"])
    folder_of_it = Path(store.where(name)).parent
    (folder_of_it / f"{TEMP_PREFIX}0123456789abcdef").write_bytes(b"half a bl")
    (folder_of_it / "README").write_bytes(b"a file of somebody else")
    (folder_of_it / name.removeprefix("sha256:").upper()).write_bytes(b"abc")
    assert list(store.digests()) == [name]
    store.put(BLOBS)
    assert set(store.digests()) == {name, *map(digest, BLOBS)}


# --- the order of writes


class Recorder:
    """Stands in for `os` in the module: notes each call that matters, and can fail at the Nth of one kind."""

    def __init__(self, fail_kind: str = "", fail_at: int = 0, code: int = errno.ENOSPC) -> None:
        self.calls: list[tuple[str, str]] = []
        self._kind, self._at, self._code = fail_kind, fail_at, code
        self._names: dict[int, str] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def _note(self, kind: str, what: str) -> None:
        self.calls.append((kind, what))
        if kind == self._kind and sum(call[0] == kind for call in self.calls) == self._at:
            raise OSError(self._code, os.strerror(self._code))

    def open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        self._note("open", str(path))
        fd = os.open(path, flags, mode)
        self._names[fd] = str(path)
        return fd

    def write(self, fd: int, data: memoryview) -> int:
        self._note("write", self._names[fd])
        return os.write(fd, data[:1000])  # a disk may take less than it was given

    def fsync(self, fd: int) -> None:
        self._note("fsync", self._names[fd])
        os.fsync(fd)

    def replace(self, old: Path, new: Path) -> None:
        self._note("replace", str(new))
        os.replace(old, new)


def test_bytes_are_durable_before_their_name_and_the_name_before_put_returns(
    store: FolderBlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to the archive's own folder: the names of `blobs` and of `sha256` in a new archive were not all synced."""
    recorder = Recorder()
    watched = recorder
    for module in (folder, durable):
        monkeypatch.setattr(module, "os", watched)
    (name,) = store.put([b"two" * 1000])
    path = Path(store.where(name))
    calls = [(kind, "temp" if TEMP_PREFIX in what else what) for kind, what in recorder.calls if kind != "open"]
    assert calls[:4] == [("write", "temp")] * 3 + [("fsync", "temp")]
    assert calls[4] == ("replace", str(path))
    above = [path.parent, tmp_path / "blobs/sha256", tmp_path / "blobs", tmp_path]
    assert sorted(calls[5:]) == sorted(("fsync", str(each)) for each in above)


def test_names_of_blobs_that_another_process_just_put_are_made_durable_too(
    store: FolderBlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one may have made file and folder and not have come to its fsync when we acknowledge."""
    FolderBlobStore(tmp_path / "blobs").put([b"abc"])
    recorder = Recorder()
    watched = recorder
    for module in (folder, durable):
        monkeypatch.setattr(module, "os", watched)
    (name,) = store.put([b"abc"])
    path = Path(store.where(name))
    synced = {what for kind, what in recorder.calls if kind == "fsync"}
    assert synced >= {str(path.parent), str(tmp_path / "blobs/sha256"), str(tmp_path / "blobs")}
    assert not [call for call in recorder.calls if call[0] in ("write", "replace")]


# --- disks that say no


def count_calls(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    recorder = Recorder()
    with monkeypatch.context() as patch:
        watched = recorder
        for module in (folder, durable):
            patch.setattr(module, "os", watched)
        FolderBlobStore(tmp_path / "dry-run").put(BLOBS)
    return sum(call[0] == kind for call in recorder.calls)


@pytest.mark.parametrize("kind", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT], ids=["ENOSPC", "EIO", "EDQUOT"])
def test_a_failure_at_every_call_is_a_store_error_and_leaves_a_sound_folder(
    kind: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = count_calls(kind, monkeypatch, tmp_path)
    assert count >= len(BLOBS)
    for at in range(1, count + 1):
        root = tmp_path / f"{kind}{at}"
        store = FolderBlobStore(root)
        with monkeypatch.context() as patch:
            watched = Recorder(kind, at, code)
            for module in (folder, durable):
                patch.setattr(module, "os", watched)
            with pytest.raises(StoreError, match=os.strerror(code)):
                store.put(BLOBS)
        assert not [path for path in files(root) if path.name.startswith(TEMP_PREFIX)]
        for name in store.digests():
            assert digest(store.get(name)) == name
        store.put(BLOBS)
        assert [store.get(digest(blob)) for blob in BLOBS] == BLOBS


@pytest.fixture
def tiny_disk() -> Iterator[Path]:
    """A file system of 64 KiB, where this user may mount one."""
    root = Path(tempfile.mkdtemp(prefix="searchlog-tiny-"))
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", root], capture_output=True, check=False)
    if made.returncode:
        root.rmdir()
        pytest.skip(f"may not mount a small disk: {made.stderr.decode().strip()}")
    try:
        yield root
    finally:
        subprocess.run(["umount", root], check=True)
        root.rmdir()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tmpfs is of Linux")
def test_a_full_disk_is_a_store_error_and_what_was_acknowledged_stays(tiny_disk: Path) -> None:
    store = FolderBlobStore(tiny_disk / "blobs")
    acknowledged: list[bytes] = []

    def fill() -> None:
        for number in range(100):
            blob = b"%d" % number * 2000
            store.put([blob])
            acknowledged.append(blob)

    with pytest.raises(StoreError, match="No space left"):
        fill()
    assert acknowledged
    assert [store.get(digest(blob)) for blob in acknowledged] == acknowledged
    assert not [path for path in files(tiny_disk) if path.name.startswith(TEMP_PREFIX)]
    assert store.put(acknowledged[:1]) == [digest(acknowledged[0])]


@pytest.fixture
def open_folder() -> Iterator[Callable[[int], Path]]:
    """A folder whose mode binds this process: the superuser becomes nobody for the length of the test."""
    root = Path(tempfile.mkdtemp(prefix="searchlog-mode-"))
    superuser = os.geteuid() == 0

    def with_mode(mode: int) -> Path:
        os.chmod(root, mode)
        if superuser:
            os.chown(root, 65534, -1)
            os.seteuid(65534)
        return root

    try:
        yield with_mode
    finally:
        if superuser:
            os.seteuid(0)
        os.chmod(root, 0o700)
        shutil.rmtree(root)


@posix
def test_a_folder_that_may_not_be_written_is_a_store_error(open_folder: Callable[[int], Path]) -> None:
    store = FolderBlobStore(open_folder(0o555) / "blobs")
    with pytest.raises(StoreError, match="Permission denied"):
        store.put([b"abc"])
    assert not store.has(digest(b"abc"))
    assert list(store.digests()) == []


@posix
def test_a_folder_that_may_not_be_entered_is_a_store_error(open_folder: Callable[[int], Path]) -> None:
    """`has` let PermissionError out."""
    store = FolderBlobStore(open_folder(0o000) / "blobs")
    for call in (lambda: store.put([b"abc"]), lambda: store.get(digest(b"abc")), lambda: store.has(digest(b"abc"))):
        with pytest.raises(StoreError, match="Permission denied"):
            call()


def test_a_file_in_the_place_of_a_folder_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_bytes(b"")
    with pytest.raises(StoreError):
        FolderBlobStore(tmp_path / "blobs").put([b"abc"])


def in_its_place(path: Path, what: str) -> None:
    """Put something that is no file where a blob's file was."""
    path.unlink()
    match what:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "socket":
            with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path.name)
        case "loop":
            path.symlink_to(path.name)
        case "device":
            path.symlink_to("/dev/zero")


@posix
@pytest.mark.timeout(20)
@pytest.mark.parametrize("what", ["folder", "fifo", "socket", "loop", "device"])
def test_what_is_no_file_in_the_place_of_a_blob_is_damage(store: FolderBlobStore, what: str) -> None:
    """A pipe was opened and waited for a writer for ever, a device was read without end; a folder and links in a
    circle were told as a fault of the machine, which ended the verification of everything else."""
    (name,) = store.put([b"abc"])
    in_its_place(Path(store.where(name)), what)
    with pytest.raises(IntegrityError, match="is no file"):
        store.get(name)
    assert not store.has(name)
    if what == "folder":
        with pytest.raises(StoreError):
            store.put([b"abc"])
    else:
        assert store.put([b"abc"]) == [name]
        assert store.get(name) == b"abc"


@posix
def test_an_empty_blob_is_not_taken_for_there_when_a_pipe_is(store: FolderBlobStore) -> None:
    """Only its size was looked at, and a pipe has none."""
    (name,) = store.put([b""])
    in_its_place(Path(store.where(name)), "fifo")
    store.put([b""])
    assert store.get(name) == b""


@posix
def test_a_link_to_a_file_is_a_blob(store: FolderBlobStore, tmp_path: Path) -> None:
    (name,) = store.put([b"abc"])
    path = Path(store.where(name))
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store.get(name) == b"abc"
    assert store.has(name)


def test_a_file_in_the_place_of_the_folder_of_a_blob_is_a_missing_blob(store: FolderBlobStore) -> None:
    (name,) = store.put([b"abc"])
    folder = Path(store.where(name)).parent
    shutil.rmtree(folder)
    folder.write_bytes(b"")
    with pytest.raises(MissingError):
        store.get(name)


@posix
def test_a_blob_that_may_not_be_read_is_a_store_error_that_names_it(open_folder: Callable[[int], Path]) -> None:
    store = FolderBlobStore(open_folder(0o755) / "blobs")
    (name,) = store.put([b"abc"])
    Path(store.where(name)).chmod(0)
    with pytest.raises(StoreError, match="Permission denied") as caught:
        store.get(name)
    assert caught.value.fields["digest"] == name


@posix
@pytest.mark.parametrize("size", [2**36, 2**31 + 1, 2**28], ids=["64-gib", "above-the-limit", "below-it"])
def test_a_file_of_holes_in_the_place_of_a_blob_is_damage_and_takes_no_memory(
    store: FolderBlobStore, size: int
) -> None:
    """It was read whole before it was hashed: MemoryError ended whatever asked for it."""
    (name,) = store.put([b"abc"])
    os.truncate(store.where(name), size)
    tracemalloc.start()
    try:
        with pytest.raises(IntegrityError, match="larger than any blob" if size > 2**31 else "other bytes") as caught:
            store.get(name)
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    assert str(caught.value.fields["found"]).startswith("sha256:" if size < 2**31 else f"{size} bytes")


def test_a_large_blob_is_read_whole(store: FolderBlobStore) -> None:
    blob = bytes(range(256)) * (40 * 2**12)
    (name,) = store.put([blob])
    assert store.get(name) == blob
    path = Path(store.where(name))
    with path.open("r+b") as file:
        file.seek(2**24)
        file.write(b"\xff")
    with pytest.raises(IntegrityError, match="other bytes"):
        store.get(name)
