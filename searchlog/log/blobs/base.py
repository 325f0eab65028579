"""The interface of every blob store: write once, read by digest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from searchlog.digest import Digest

__all__ = ["BlobStore"]


class BlobStore(Protocol):
    """Immutable bytes named by their digest. Every store passes tests/conformance/test_blob_store.py."""

    def put(self, blobs: Sequence[bytes]) -> list[Digest]:
        """Make these bytes durable and return their digests, in order. Storing what is there is no error.

        Raises StoreError when the machine fails; then none of the returned digests may be recorded.
        """

    def get(self, digest: Digest) -> bytes:
        """Return the bytes.

        Raises MissingError when absent, IntegrityError when they no longer match the digest, FormatError when it is
        no digest at all (as in `has` and `where`).
        """

    def has(self, digest: Digest) -> bool:
        """Return whether it is there, without reading it."""

    def digests(self) -> Iterator[Digest]:
        """Return the digests of all blobs, in the order of the digests."""

    def where(self, digest: Digest) -> str:
        """Return where a person finds it."""
