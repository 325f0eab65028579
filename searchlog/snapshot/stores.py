"""The log and the blobs of a snapshot as stores that the rest of the house reads. Nothing can be written to them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from searchlog import digest
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError, StoreError
from searchlog.log.store.base import SessionSnapshot
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.tree import Frontier

__all__ = ["SnapshotBlobs", "SnapshotLog", "Spans"]

Spans = Sequence[tuple[int, int]]
"""Offset and size of each piece."""


_TIMES_MAX, _BYTES_MORE = 16, 64 * 2**20
"""A check reads so many times the file, and so many bytes more, at most."""


class SnapshotLog(MemoryLogStore):
    """The session of a snapshot. Read only."""

    def __init__(self, file: BinaryIO, described: str, session: SessionSnapshot) -> None:
        super().__init__()
        super().restore(session)
        self._file = file
        self._described = described

    def _refuse(self) -> StoreError:
        return StoreError(f"{self._described} is a snapshot, and can only be read: import it, or work in an archive")

    def append(self, session: str, lines: Sequence[bytes], expected_version: int) -> Frontier:
        raise self._refuse()

    def restore(self, snapshot: SessionSnapshot) -> None:
        raise self._refuse()

    def merge(self, snapshot: SessionSnapshot) -> None:
        raise self._refuse()

    def close(self) -> None:
        super().close()
        self._file.close()


class SnapshotBlobs:
    """The blobs that the archive of a snapshot holds. Read only; see BlobStore for what each method promises."""

    def __init__(self, file: BinaryIO, described: str, spans: Mapping[str, Spans]) -> None:
        """spans: for each digest, offset and size of its pieces in the file."""
        self._file = file
        self._described = described
        self._spans = spans
        self._lock = threading.Lock()
        self._left: int | None = None
        """How many bytes may still be read; None where nobody counts."""

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Let no more be read in the block than an honest file asks for.

        Any number of records may name one blob, and each would have it read and hashed once more. Beyond the bound,
        `get` raises FormatError.
        """
        size = self._file.seek(0, os.SEEK_END)
        self._left = _TIMES_MAX * size + _BYTES_MORE
        try:
            yield
        finally:
            self._left = None

    def put(self, blobs: Sequence[bytes]) -> list[Digest]:
        raise StoreError(f"{self._described} is a snapshot: nothing can be written to it")

    def get(self, digest_: Digest) -> bytes:
        name = digest.parse(digest_)
        if name not in self._spans:
            raise MissingError(f"no blob {name} in {self._described}", digest=name)
        with self._lock:
            if self._left is not None:
                self._left -= sum(size for _, size in self._spans[name])
                if self._left < 0:
                    raise FormatError(f"the records of {self._described} name the same bytes too often")
            pieces = []
            for at, size in self._spans[name]:
                self._file.seek(at)
                pieces.append(self._file.read(size))
        data = b"".join(pieces)
        found = digest.digest(data)
        if found != name:
            raise IntegrityError(
                f"blob {name} in {self._described} has other bytes", digest=name, expected=name, found=found
            )
        return data

    def has(self, digest_: Digest) -> bool:
        return digest.parse(digest_) in self._spans

    def digests(self) -> Iterator[Digest]:
        return iter(sorted(map(Digest, self._spans)))

    def where(self, digest_: Digest) -> str:
        spans = self._spans.get(digest.parse(digest_))
        return f"{self._described}, byte {spans[0][0]}" if spans else f"no byte of {self._described}"
