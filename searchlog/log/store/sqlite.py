"""The default session-log store: one SQLite file, write-ahead log, synchronous=FULL.

SQLite before 3.51.3 can corrupt a database in WAL mode when two connections write or checkpoint at the same moment
(https://www.sqlite.org/wal.html#walresetbug). So every write, every checkpoint and every close that may checkpoint
happens under a lock file that all processes share, and each process has one connection. Readers need no lock.

A copy of the database file without its `-wal` file can be empty: back up with `snapshot`, never with `cp`.

Where the lock file cannot be opened for writing (a read-only disk, somebody else's archive) the log is only read, and
nothing is created: with SQLite's `immutable` when there is no write-ahead log, else through the log as it lies there.

SQLite would write any sound write-ahead log into the file that it lies beside, that of another database too. So one
that is there already is held against the file first (`frames`, `extends`), and a caller who only reads leaves it there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from searchlog.errors import ConflictError, IntegrityError, MissingError, StoreError, UsageError
from searchlog.log.filelock import FileLock
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.log.store.check import checked_frontier, filled
from searchlog.log.store.extends import fault_of_growth, fault_of_identity, is_damage
from searchlog.log.store.frames import fault_of_frames, holds_commit
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["SqliteLogStore"]

_SCHEMA_VERSION = 1
_BUSY_S = 5.0
_TABLES = {"sessions", "records"}
_MAY_NOT_WRITE = {errno.EROFS, errno.EACCES, errno.EPERM}

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    number INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    frontier BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS records (
    number INTEGER NOT NULL REFERENCES sessions (number),
    seq INTEGER NOT NULL,
    leaf BLOB NOT NULL,
    line BLOB,
    PRIMARY KEY (number, seq)
);
"""


class SqliteLogStore:
    """Lines in one SQLite file. See LogStore for what each method promises."""

    def __init__(self, path: Path, *, create: bool = True, write: bool = True) -> None:
        """create: whether to make the log when it is not there; else that is an IntegrityError.

        write: whether the caller may want to write. One who only reads makes no file, not even the lock.
        """
        self._path = path
        self._wal = path.with_name(f"{path.name}-wal")
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._files = FileLock(path.with_suffix(".lock"))
        self._read_only: str | None = None
        """Why nothing can be written, when that is so."""
        self._may_checkpoint = False
        self._db: sqlite3.Connection | None = None
        with self._explaining("open"):
            self._db = self._open(create and write, write)

    def _open(self, create: bool, write: bool) -> sqlite3.Connection:
        if not write:
            self._read_only = "it was opened for reading"
            if not self._files.exists() and not self._has_wal():
                return self._open_read_only()
        try:
            with self._files.held(_BUSY_S):
                found = self._has_wal()
                if found:
                    self._judge("ro", write)
                self._may_checkpoint = write or not found
                mode = ("rwc" if create else "rw") if self._may_checkpoint else "ro"
                return self._connected(mode)
        except StoreError as error:
            if error.fields.get("errno") not in _MAY_NOT_WRITE:
                raise
            self._read_only = str(error)
        return self._open_read_only()

    def _judge(self, mode: str, write: bool) -> None:
        """Hold a write-ahead log that is there already against the database, before anything can be written to it.

        Raises IntegrityError for one that is not its own, and for one that cannot be told when the caller may write.
        """
        if not os.path.lexists(self._path):
            raise self._lost("is not there")
        if self._path.is_file() and self._path.stat().st_size == 0:
            raise self._lost("is empty")  # SQLite would remove the write-ahead log of an empty file
        fault = fault_of_frames(self._wal, self._path)
        if fault is None:
            if not holds_commit(self._wal):
                return  # a process was killed in its first transaction, such as that which makes the tables
            with (
                contextlib.closing(self._raw("ro&immutable=1")) as alone,
                contextlib.closing(self._raw(mode)) as through,
            ):
                try:
                    fault = fault_of_growth(alone, through) or fault_of_identity(self._path, through)
                except sqlite3.DatabaseError as error:
                    if write or not is_damage(error):
                        raise
        if fault is not None:
            raise IntegrityError(
                f"the write-ahead log {self._wal} does not belong to the session log beside it: it {fault}; nothing "
                f"was changed: move {self._wal.name} and {self._path.name}-shm aside, or put back {self._path.name} "
                f"and {self._wal.name} from the same backup",
                path=str(self._wal),
            )

    def _open_read_only(self) -> sqlite3.Connection:
        if not self._has_wal():
            # whoever writes meanwhile could mislead a reader that was promised that nothing changes; but SQLite makes
            # files of its own beside a log that is read in any other way
            return self._connected("ro&immutable=1")
        try:
            self._judge("ro&readonly_shm=1", write=False)
            return self._connected("ro&readonly_shm=1")
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"cannot read the session log {self._path} where nothing may be written: its newest records lie in "
                f"{self._path.name}-wal, and reading them takes a file beside it ({error}): copy the whole folder to "
                "a place that you may write to, and look at the copy",
                path=str(self._path),
            ) from None

    def _has_wal(self) -> bool:
        try:
            return self._wal.stat().st_size > 0
        except OSError:
            return False

    def _connected(self, mode: str) -> sqlite3.Connection:
        """Return a connection in this mode of SQLite's URIs, the tables made in mode `rwc` when there are none."""
        if mode != "rwc" and not os.path.lexists(self._path):
            raise self._lost("is not there")
        db = self._raw(mode)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > _SCHEMA_VERSION:
                raise StoreError(f"{self._path} has schema {version}, newer than this searchlog knows: upgrade it")
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables >= _TABLES and (tables or version or mode != "rwc"):
                raise self._lost("has no tables of ours")
            if not mode.startswith("ro"):
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=FULL")
            db.execute("PRAGMA mmap_size=0")
            if mode == "rwc" and version < _SCHEMA_VERSION:
                made = (
                    f"PRAGMA user_version={_SCHEMA_VERSION};PRAGMA application_id={1 + secrets.randbelow(2**31 - 1)};"
                )
                db.executescript(f"BEGIN;{_SCHEMA}{made}COMMIT;")
        except BaseException:
            db.close()
            raise
        return db

    def _raw(self, mode: str) -> sqlite3.Connection:
        """Return a connection in this mode of SQLite's URIs; nothing is read or made yet."""
        uri = f"{self._path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)

    def _lost(self, how: str) -> IntegrityError:
        return IntegrityError(
            f"the session log {self._path} {how}: put back the file (and {self._path.name}-wal, if it had one) from a "
            "backup; what lies in blobs/ is not touched",
            path=str(self._path),
        )

    @contextlib.contextmanager
    def _explaining(self, what: str) -> Iterator[None]:
        """Turn what SQLite raises into errors of ours."""
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                message = f"the session log {self._path} is damaged: {error}"
                raise IntegrityError(message, path=str(self._path)) from None
            raise StoreError(f"cannot {what} the session log {self._path}: {error}", path=str(self._path)) from None
        except UnicodeDecodeError as error:  # Python reads its names and messages as UTF-8 before it raises anything
            message = f"the session log {self._path} is damaged: {error}"
            raise IntegrityError(message, path=str(self._path)) from None
        except UnicodeEncodeError:
            raise UsageError("a session id that is not text: see `searchlog sessions` for those there are") from None

    @contextlib.contextmanager
    def _doing(self, what: str) -> Iterator[sqlite3.Connection]:
        """Hold the thread lock: one connection serves all threads of this process."""
        with self._lock, self._explaining(what):
            yield self._connection()

    def _connection(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            raise StoreError("an archive was opened before fork: open it again in the child process")
        if self._db is None:
            raise StoreError(f"the session log {self._path} is closed")
        return self._db

    @contextlib.contextmanager
    def _writing(self, what: str) -> Iterator[sqlite3.Connection]:
        """One transaction under the lock file: committed whole, or rolled back whole."""
        if self._read_only is not None:
            message = f"cannot {what} the session log {self._path}: it can only be read: {self._read_only}"
            raise StoreError(message, path=str(self._path))
        with self._doing(what) as db, self._files.held(_BUSY_S):
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def sessions(self) -> list[str]:
        with self._doing("read") as db:
            return [row[0] for row in db.execute("SELECT session FROM sessions ORDER BY number")]

    def has(self, session: str) -> bool:
        with self._doing("read") as db:
            return db.execute("SELECT 1 FROM sessions WHERE session = ?", (session,)).fetchone() is not None

    def get(self, session: str, start: int = 0, end: int | None = None) -> list[StoredLine]:
        with self._doing("read") as db:
            rows = db.execute(
                # a damaged column may have another type; as bytes it fails its hash, and `verify` names the record
                "SELECT coalesce(CAST(leaf AS BLOB), x''), CAST(line AS BLOB) FROM records JOIN sessions USING (number)"
                " WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq",
                (session, start, 2**62 if end is None else end),
            )
            return [StoredLine(leaf, line) for leaf, line in rows]

    def head(self, session: str) -> Frontier:
        with self._doing("read") as db:
            return self._head(db, session)

    @staticmethod
    def _head(db: sqlite3.Connection, session: str) -> Frontier:
        row = db.execute(
            "SELECT coalesce(CAST(size AS INTEGER), 0), coalesce(CAST(frontier AS BLOB), x'') FROM sessions"
            " WHERE session = ?",
            (session,),
        ).fetchone()
        return Frontier() if row is None else Frontier.from_bytes(*row)

    def append(self, session: str, lines: Sequence[bytes], expected_version: int) -> Frontier:
        items = [StoredLine(leaf_hash(line), line) for line in lines]
        with self._writing("append to") as db:
            head = self._head(db, session)
            if head.size != expected_version:
                raise ConflictError(session, expected_version, head.size)
            if not items:
                return head
            new = head.extend(item.leaf for item in items)
            self._insert(db, session, items, new)
        return new

    @staticmethod
    def _insert(db: sqlite3.Connection, session: str, items: Sequence[StoredLine], head: Frontier) -> None:
        """Write the last records of the session and the head that they give."""
        number = db.execute(
            "INSERT INTO sessions (session, size, frontier) VALUES (:session, :size, :frontier)"
            " ON CONFLICT (session) DO UPDATE SET size = :size, frontier = :frontier RETURNING number",
            {"session": session, "size": head.size, "frontier": head.to_bytes()},
        ).fetchone()[0]
        db.executemany(
            "INSERT INTO records (number, seq, leaf, line) VALUES (?, ?, ?, ?)",
            [(number, seq, item.leaf, item.line) for seq, item in enumerate(items, head.size - len(items))],
        )

    def snapshot(self, session: str) -> SessionSnapshot:
        with self._doing("read") as db:
            db.execute("BEGIN")
            try:
                head = self._head(db, session)
                if head.size == 0:
                    raise MissingError(f"no session {session} in this archive", session=session)
                return SessionSnapshot(session, tuple(self.get(session)), head)
            finally:
                if db.in_transaction:  # SQLite may have ended it itself, and the first error is the one to tell
                    db.execute("COMMIT")

    def restore(self, snapshot: SessionSnapshot) -> None:
        frontier = checked_frontier(snapshot)
        with self._writing("restore into") as db:
            head = self._head(db, snapshot.session)
            if head.size:
                raise ConflictError(snapshot.session, 0, head.size)
            if not snapshot.lines:
                return
            self._insert(db, snapshot.session, snapshot.lines, frontier)

    def merge(self, snapshot: SessionSnapshot) -> None:
        frontier = checked_frontier(snapshot)
        with self._writing("merge into") as db:
            stored = self.get(snapshot.session)
            db.executemany(
                "UPDATE records SET line = ? WHERE seq = ? AND line IS NULL"
                " AND number = (SELECT number FROM sessions WHERE session = ?)",
                [(item.line, seq, snapshot.session) for seq, item in filled(snapshot, stored)],
            )
            if len(stored) < len(snapshot.lines):
                self._insert(db, snapshot.session, snapshot.lines[len(stored) :], frontier)

    def close(self) -> None:
        """Close the connection, under the lock file: the last close of a database checkpoints it."""
        with self._lock:
            db, self._db = self._db, None
            if db is not None and not self._may_checkpoint:
                db.close()
            elif db is not None and self._pid == os.getpid():
                try:
                    with self._files.held(_BUSY_S):
                        db.close()
                except StoreError:
                    db.close()  # another process holds the lock, so this close is not the last: no checkpoint
            self._files.close()
