"""One suite for every blob store: what `BlobStore` promises. A new store is added to `OPENERS`."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, MissingError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.blobs.folder import FolderBlobStore
from searchlog.log.blobs.memory import MemoryBlobStore

OPENERS: dict[str, Callable[[Path], BlobStore]] = {
    "memory": lambda _: MemoryBlobStore(),
    "folder": lambda folder: FolderBlobStore(folder / "blobs"),
}


@pytest.fixture(params=OPENERS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return OPENERS[request.param](tmp_path)


def test_what_is_put_is_got_back_under_its_digest(store: BlobStore) -> None:
    blobs = [b"", b"abc", b"\x00\xff\r\n", b"x" * 1_000_000]
    names = store.put(blobs)
    assert names == ["sha256:" + hashlib.sha256(blob).hexdigest() for blob in blobs]
    assert [store.get(name) for name in names] == blobs
    assert all(store.has(name) for name in names)


def test_nothing_put_is_nothing_stored(store: BlobStore) -> None:
    assert store.put([]) == []
    assert list(store.digests()) == []


def test_repeats_are_stored_once_and_named_each_time(store: BlobStore) -> None:
    first = store.put([b"a", b"b", b"a"])
    assert first == [digest(b"a"), digest(b"b"), digest(b"a")]
    assert store.put([b"b", b"a"]) == [digest(b"b"), digest(b"a")]
    assert list(store.digests()) == sorted([digest(b"a"), digest(b"b")])


def test_an_absent_blob_is_missing(store: BlobStore) -> None:
    store.put([b"there"])
    absent = digest(b"not there")
    assert not store.has(absent)
    with pytest.raises(MissingError) as caught:
        store.get(absent)
    assert caught.value.fields["digest"] == absent


def test_digests_come_in_order(store: BlobStore) -> None:
    names = store.put([b"%d" % number for number in range(300)])
    assert list(store.digests()) == sorted(names)


@pytest.mark.parametrize(
    "name", ["", "sha256:", "sha256:" + "A" * 64, "sha256:../../../etc/passwd", "abc", "md5:" + "0" * 64]
)
def test_what_is_no_digest_is_refused_everywhere(store: BlobStore, name: str) -> None:
    """A digest can come from somebody else's log; one with dots in it led `has` and `get` out of the folder."""
    for call in (store.get, store.has, store.where):
        with pytest.raises(FormatError):
            call(Digest(name))


def test_a_buffer_that_changes_after_put_does_not_change_the_blob(store: BlobStore) -> None:
    """The memory store kept the caller's own buffer."""
    buffer = bytearray(b"before")
    (name,) = store.put([buffer])  # type: ignore[list-item]
    buffer[:] = b"after!"
    assert store.get(name) == b"before"
    assert type(store.get(name)) is bytes


def test_where_tells_a_person(store: BlobStore) -> None:
    (name,) = store.put([b"abc"])
    assert name.removeprefix("sha256:") in store.where(name)


def test_threads_putting_the_same_blobs_do_not_disturb_each_other(store: BlobStore) -> None:
    blobs = [b"%d" % number * 100 for number in range(40)]
    failures: list[BaseException] = []

    def work(order: int) -> None:
        try:
            for blob in blobs[::order]:
                assert store.get(store.put([blob])[0]) == blob
        except BaseException as error:  # handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(order,)) for order in (1, -1, 1, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(store.digests()) == sorted(map(digest, blobs))


@given(st.lists(st.binary(max_size=50), max_size=6))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_come_back(store: BlobStore, blobs: list[bytes]) -> None:
    assert [store.get(name) for name in store.put(blobs)] == blobs
