"""Whether a write-ahead log belongs to the database that it lies beside: what is read through it must extend it.

SQLite takes any write-ahead log whose checksums agree with themselves. One of another database, or one that is older
or newer than a log that was put back from a backup, would be written over the records, page by page, for good. So the
log is read twice, without the write-ahead log and through it: each record that is there without it must be there
through it, each session may only have grown, and the new records must give the new heads. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from searchlog.errors import IntegrityError
from searchlog.log.store.frames import DATABASE_MAGIC
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["fault_of_growth", "fault_of_identity", "is_damage"]

_TABLES = {b"sessions", b"records"}
_HEADS = (
    "SELECT CAST(number AS INTEGER), CAST(session AS BLOB), coalesce(CAST(size AS INTEGER), 0),"
    " coalesce(CAST(frontier AS BLOB), x'') FROM sessions"
)
_RECORDS = (
    "SELECT CAST(number AS INTEGER), CAST(seq AS INTEGER), coalesce(CAST(leaf AS BLOB), x''), CAST(line AS BLOB)"
    " FROM records ORDER BY number, seq"
)


@dataclass(frozen=True, slots=True)
class _Head:
    """One row of `sessions`."""

    session: bytes
    size: int
    frontier: bytes

    @property
    def name(self) -> str:
        return self.session.decode("utf-8", "replace")


_Row = tuple[int, int, bytes, bytes | None]
"""Number of the session, seq, leaf, line."""


def fault_of_growth(alone: sqlite3.Connection, through: sqlite3.Connection) -> str | None:
    """Return what is wrong with a write-ahead log, as the end of a sentence; None when it extends the database.

    alone: the database without it. One that cannot be read so, as after a crash in the middle of a checkpoint, is left
    aside; then all that is read through the write-ahead log must agree with itself. through: the database as read
    through it. Cost: both are read whole. Raises sqlite3.Error when a machine fails, or when the database can be read
    neither way.
    """
    alone.text_factory = through.text_factory = bytes
    try:
        return _fault(alone, through)
    except _UnreadableError:
        return _fault(None, through)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        if _can_be_read(alone):
            return f"makes it unreadable: {error}"
        raise


def fault_of_identity(database: Path, through: sqlite3.Connection) -> str | None:
    """Return what is wrong when the write-ahead log is of another log than the one whose file this is.

    Each log has a number of its own in the header of its database (`application_id`), which holds even where the rest
    cannot be read. Logs of before have 0, which tells nothing. Raises OSError, sqlite3.Error.
    """
    with database.open("rb") as file:
        header = file.read(100)
    own = int.from_bytes(header[68:72], "big") if header.startswith(DATABASE_MAGIC) else 0
    found = through.execute("PRAGMA application_id").fetchone()[0]
    return f"is of log {found}, and this is log {own}" if own not in (0, found) else None


class _UnreadableError(Exception):
    """The database cannot be read without its write-ahead log."""


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether it says that the file is not what we wrote, not that the machine could not do it now."""
    if isinstance(error, sqlite3.OperationalError):
        # without a code it is Python's: a stored text that is not UTF-8; SQLITE_ERROR says that a column is not there
        return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) == sqlite3.SQLITE_ERROR
    return isinstance(error, sqlite3.DatabaseError)


def _can_be_read(alone: sqlite3.Connection) -> bool:
    try:
        for _ in _rows(alone):
            pass
    except _UnreadableError:
        return False
    return True


def _fault(alone: sqlite3.Connection | None, through: sqlite3.Connection) -> str | None:
    if not _tables(through) >= _TABLES:
        return "would leave no tables of ours"
    old = {} if alone is None else _old_heads(alone)
    new = _heads(through)
    for number, head in old.items():
        found = new.get(number)
        if found is None or found.session != head.session:
            return f"does not know session {head.name}"
        if found.size < head.size:
            return f"leads back to {found.size} records of session {head.name}, and {head.size} are there"
    return _fault_of_rows(_rows(alone), through.execute(_RECORDS), old, new)


@contextmanager
def _setting_aside() -> Iterator[None]:
    """Tell a database that cannot be read alone from one that the write-ahead log makes unreadable."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        raise _UnreadableError from error


def _old_heads(alone: sqlite3.Connection) -> dict[int, _Head]:
    with _setting_aside():
        return _heads(alone) if _tables(alone) >= _TABLES else {}


def _rows(alone: sqlite3.Connection | None) -> Iterator[_Row]:
    if alone is not None:
        with _setting_aside():
            if _tables(alone) >= _TABLES:
                yield from alone.execute(_RECORDS)


def _tables(db: sqlite3.Connection) -> set[bytes]:
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _heads(db: sqlite3.Connection) -> dict[int, _Head]:
    return {number: _Head(*rest) for number, *rest in db.execute(_HEADS)}


def _fault_of_rows(
    before: Iterator[_Row], after: Iterator[_Row], old: Mapping[int, _Head], new: Mapping[int, _Head]
) -> str | None:
    """Compare two runs of records in the same order; follow the sessions that have grown to their new heads."""
    try:
        growing = {n: _start(old.get(n)) for n, head in new.items() if old.get(n) != head}
    except IntegrityError as error:
        return f"adds to a damaged head: {error}"
    kept = next(before, None)
    for row in after:
        number, seq, leaf, line = row
        if kept is not None and kept[:2] < row[:2]:
            break  # it is not there any more
        if kept is not None and kept[:2] == row[:2]:
            if leaf != kept[2] or not _may_become(kept[3], line, leaf):
                return f"changes record {seq} of session {_name(new, number)}"
            kept = next(before, None)
        frontier = growing.get(number)
        if frontier is None or seq != frontier.size or seq >= new[number].size:
            continue
        if len(leaf) != 32 or (line is not None and leaf_hash(line) != leaf):
            return f"brings a damaged record {seq} of session {_name(new, number)}"
        growing[number] = frontier.extend((leaf,))
    if kept is not None:
        return f"does not have record {kept[1]} of session {_name(old, kept[0])}"
    for number, frontier in growing.items():
        if (frontier.size, frontier.to_bytes()) != (new[number].size, new[number].frontier):
            return f"brings a head of session {new[number].name} that its records do not give"
    return None


def _may_become(old: bytes | None, new: bytes | None, leaf: bytes) -> bool:
    """Whether a stored line may be another one later: erased, or filled in by a fuller snapshot of the session."""
    return new in (old, None) or (old is None and new is not None and leaf_hash(new) == leaf)


def _start(head: _Head | None) -> Frontier:
    return Frontier() if head is None else Frontier.from_bytes(head.size, head.frontier)


def _name(heads: Mapping[int, _Head], number: int) -> str:
    return heads[number].name if number in heads else f"number {number}"
