"""The frames of a write-ahead log, read without SQLite: whether all that was acknowledged in it can still be read.

SQLite takes the frames up to the first that does not hold and passes over the rest in silence; the next write then
overwrites them. That is right for a transaction that a crash cut off, and wrong for one that was acknowledged. Reads
only, a page at a time. Spec: https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import array
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["DATABASE_MAGIC", "fault_of_frames", "holds_commit"]

DATABASE_MAGIC = b"SQLite format 3\0"
_HEADER = struct.Struct(">8I")
"""Magic, version, page size, number of the checkpoint, two salts, two checksums."""
_FRAME = struct.Struct(">6I")
"""Page number, pages of the database after a commit (else 0), two salts, two checksums."""
_MAGIC = {0x377F0682: "little", 0x377F0683: "big"}
_VERSION = 3_007_000
_CUT_MAX = 1
"""Commits behind the first broken frame: one may be that of a transaction that a power cut tore."""


def fault_of_frames(wal: Path, database: Path) -> str | None:
    """Return what is wrong with the file itself, as the end of a sentence; None for what a crash can leave.

    Raises OSError. Cost: one pass over the file, 15 ms a MiB.
    """
    with wal.open("rb") as file:
        start = file.read(_HEADER.size)
        if len(start) < _HEADER.size or not start.strip(b"\0"):
            return None  # what a power cut leaves of a log whose first transaction never came to its end
        magic, version, page_bytes, _, *salts, _, _ = _HEADER.unpack(start)
        order = _MAGIC.get(magic)
        if order is None or version != _VERSION:
            return "is no write-ahead log of SQLite"
        seed = _checksum(start[:24], (0, 0), order)
        if seed != _HEADER.unpack(start)[-2:]:
            return "has a damaged header"
        expected = _page_bytes(database)
        if expected is not None and page_bytes != expected:
            return f"has pages of {page_bytes} bytes, and the database has pages of {expected}"
        lost = _lost_commits(file, page_bytes, tuple(salts), seed, order)
    return f"holds {lost} transactions behind a damaged one" if lost > _CUT_MAX else None


def holds_commit(wal: Path) -> bool:
    """Return whether a file without a fault holds any transaction that came to its end, damaged or not.

    One that holds none says nothing: SQLite passes over it. Another process may be writing it. Raises OSError.
    """
    with wal.open("rb") as file:
        start = file.read(_HEADER.size)
        if len(start) < _HEADER.size or not start.strip(b"\0"):
            return False
        _, _, page_bytes, _, *salts, _, _ = _HEADER.unpack(start)
        heads = (_FRAME.unpack(head) for head, _ in _frames(file, page_bytes))
        return any(commit != 0 and rest[:2] == salts for _, commit, *rest in heads)


def _page_bytes(database: Path) -> int | None:
    """Return the page size that a database names; None for a file that is none, which is told elsewhere."""
    with database.open("rb") as file:
        start = file.read(18)
    if len(start) < 18 or not start.startswith(DATABASE_MAGIC):
        return None
    size = int.from_bytes(start[16:18], "big")
    return 65_536 if size == 1 else size


def _lost_commits(file: BinaryIO, page_bytes: int, salts: tuple[int, ...], seed: tuple[int, int], order: str) -> int:
    """Return how many commits of this log stand behind its first frame that does not hold.

    Frames with other salts are of an earlier use of the file, and are meant to be passed over.
    """
    lost, whole = 0, True
    for head, page in _frames(file, page_bytes):
        _, commit, *rest = _FRAME.unpack(head)
        if tuple(rest[:2]) != salts:
            whole = False
            continue
        if whole:
            seed = _checksum(page, _checksum(head[:8], seed, order), order)
            whole = seed == tuple(rest[2:])
        if not whole:
            lost += commit != 0
    return lost


def _frames(file: BinaryIO, page_bytes: int) -> Iterator[tuple[bytes, bytes]]:
    while True:
        head, page = file.read(_FRAME.size), file.read(page_bytes)
        if len(head) < _FRAME.size or len(page) < page_bytes:  # also where the file grew between the two
            return
        yield head, page


def _checksum(data: bytes, seed: tuple[int, int], order: str) -> tuple[int, int]:
    """Return the two running sums over data, a multiple of 8 bytes."""
    words = array.array("I", data)
    if order != sys.byteorder:
        words.byteswap()
    one, two = seed
    each = iter(words)
    for first, second in zip(each, each, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
