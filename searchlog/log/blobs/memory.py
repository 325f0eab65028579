"""A blob store in memory: tests, replay and throw-away runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from searchlog.digest import Digest, digest, parse
from searchlog.errors import MissingError

__all__ = ["MemoryBlobStore"]


class MemoryBlobStore:
    """Bytes in a dict. See BlobStore for what each method promises."""

    def __init__(self) -> None:
        self._blobs: dict[Digest, bytes] = {}

    def put(self, blobs: Sequence[bytes]) -> list[Digest]:
        names = [digest(blob) for blob in blobs]
        self._blobs.update(zip(names, map(bytes, blobs), strict=True))
        return names

    def get(self, digest: Digest) -> bytes:
        try:
            return self._blobs[parse(digest)]
        except KeyError:
            raise MissingError(f"no blob {digest}", digest=digest) from None

    def has(self, digest: Digest) -> bool:
        return parse(digest) in self._blobs

    def digests(self) -> Iterator[Digest]:
        return iter(sorted(self._blobs))

    def where(self, digest: Digest) -> str:
        return f"memory:{parse(digest)}"
