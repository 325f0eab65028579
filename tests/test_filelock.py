"""The lock between processes, and the leases built on it."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from searchlog.errors import StoreError
from searchlog.log import filelock
from searchlog.log.filelock import FileLock
from searchlog.log.lease import FolderLeases

posix = pytest.mark.skipif(os.name == "nt", reason="fork and kill are of POSIX")

HOLDER = """
import sys, time
from pathlib import Path
from searchlog.log.filelock import FileLock
with FileLock(Path(sys.argv[1])).held(5.0):
    print("held", flush=True)
    time.sleep(60)
"""


def is_free(path: Path) -> bool:
    """Whether another holder could have the lock now; flock sees two opens of one process as two holders."""
    lock = FileLock(path)
    try:
        with lock.held(0.0):
            return True
    except StoreError:
        return False
    finally:
        lock.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.lock"


def test_a_held_lock_is_refused_in_bounded_time_and_free_afterwards(path: Path) -> None:
    lock = FileLock(path)
    with lock.held(1.0):
        start = time.monotonic()
        with pytest.raises(StoreError, match="another process"), FileLock(path).held(0.05):
            raise AssertionError("two holders")
        assert 0.04 < time.monotonic() - start < 2
    assert is_free(path)
    lock.close()
    assert path.exists()


def test_a_lock_is_reentrant_within_a_thread(path: Path) -> None:
    lock = FileLock(path)
    with lock.held(1.0):
        with lock.held(0.0):
            assert not is_free(path)
        assert not is_free(path)
    assert is_free(path)


def test_an_exception_in_the_block_lets_go(path: Path) -> None:
    lock = FileLock(path)
    with pytest.raises(ZeroDivisionError), lock.held(1.0):
        raise ZeroDivisionError
    assert is_free(path)
    with lock.held(0.0):
        assert not is_free(path)


def test_another_thread_is_refused_in_bounded_time(path: Path) -> None:
    """The wait for another thread had no end, whatever time was given."""
    lock = FileLock(path)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.held(1.0):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(10)
    try:
        with pytest.raises(StoreError, match="another thread"), lock.held(0.05):
            raise AssertionError("two holders")
    finally:
        leave.set()
        thread.join()
    with lock.held(0.0):
        assert not is_free(path)


def test_threads_take_turns(path: Path) -> None:
    lock = FileLock(path)
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(50):
            with lock.held(10.0):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_lock_file_that_cannot_be_opened_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open"), FileLock(tmp_path / "absent" / "a.lock").held(0.0):
        raise AssertionError("held")
    assert FileLock(tmp_path / "never-held.lock").close() is None


def test_a_fault_of_the_file_system_is_told_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every failure was taken for another holder: on a disk that has no locks it waited, then blamed a process."""

    def fail(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(filelock, "_try", fail)
    start = time.monotonic()
    with pytest.raises(StoreError, match="No locks available"), FileLock(path).held(30.0):
        raise AssertionError("held")
    assert time.monotonic() - start < 5


@posix
def test_a_killed_process_lets_go(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert not is_free(path)
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert is_free(path)


FORKER = """
import os, signal, sys, time
from pathlib import Path
from searchlog.log.lease import FolderLeases
with FolderLeases(Path(sys.argv[1])).held() as name:
    worker = os.fork()
    if worker == 0:
        print("worker", os.getpid(), name, flush=True)
        time.sleep(60)
        os._exit(0)
    time.sleep(60)
"""


@posix
def test_a_worker_that_outlives_a_killed_process_does_not_keep_its_lease(tmp_path: Path) -> None:
    """The forked worker had a copy of the lock file, so the cut turn of its dead parent looked alive."""
    with subprocess.Popen([sys.executable, "-c", FORKER, str(tmp_path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        _, worker, name = child.stdout.readline().decode().split()
        leases = FolderLeases(tmp_path)
        try:
            assert not leases.is_free(name)
            child.send_signal(signal.SIGKILL)
            child.wait()
            assert leases.is_free(name)
        finally:
            os.kill(int(worker), signal.SIGKILL)


@posix
def test_a_forked_child_holds_nothing_and_the_parent_goes_on_holding(path: Path) -> None:
    lock = FileLock(path)
    with lock.held(1.0):
        fork = multiprocessing.get_context("fork")
        found = fork.SimpleQueue()
        child = fork.Process(target=_try_in_child, args=(lock, found))
        child.start()
        child.join(10)
        assert found.get() == "refused"
        assert not is_free(path)
    assert is_free(path)


def _try_in_child(lock: FileLock, found: multiprocessing.SimpleQueue[str]) -> None:
    try:
        with lock.held(0.0):
            found.put("held")
    except StoreError:
        found.put("refused")


# --- leases


def test_a_lease_is_held_for_the_block_and_leaves_no_file(tmp_path: Path) -> None:
    leases = FolderLeases(tmp_path / "leases")
    with leases.held() as name:
        assert not leases.is_free(name)
        assert not FolderLeases(tmp_path / "leases").is_free(name)
    assert leases.is_free(name)
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_lease_left_by_an_exception_leaves_no_file(tmp_path: Path) -> None:
    """Only a block that ended well removed its file; each failed turn left one for ever."""
    leases = FolderLeases(tmp_path)
    with pytest.raises(KeyboardInterrupt), leases.held() as name:
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    assert leases.is_free(name)


@pytest.mark.parametrize("name", [None, "", "../../etc/passwd", "0" * 16, "0" * 15, "G" * 16])
def test_a_lease_that_never_was_is_free(tmp_path: Path, name: str | None) -> None:
    assert FolderLeases(tmp_path).is_free(name)
    assert list(tmp_path.iterdir()) == []
