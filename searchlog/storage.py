"""Where an archive lies: the stores that belong together, opened from a path.

<archive>/
  searchlog.json        what this folder is: format name and version
  log.db, log.lock      the session log (SQLite) and the lock its writers share
  blobs/sha256/ab/…     payloads, texts, renderings: a file's name is its digest
  leases/               lock files of turns that are open now
  index.db              full-text index of captures; may be deleted, is rebuilt from the log
  cache/                HTTP cache; may be deleted
  providers.db          cool-downs and daily budgets of providers; may be deleted, which begins them anew
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from searchlog.errors import FormatError, MissingError, StoreError, UsageError
from searchlog.log.blobs.base import BlobStore
from searchlog.log.blobs.folder import FolderBlobStore
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.log.durable import sync_folder, write_durably
from searchlog.log.lease import FolderLeases, Leases, MemoryLeases
from searchlog.log.store.base import LogStore
from searchlog.log.store.frames import holds_commit
from searchlog.log.store.memory import MemoryLogStore
from searchlog.log.store.sqlite import SqliteLogStore

__all__ = ["FOLDER_NAME", "MEMORY", "Storage", "default_folder", "open_storage"]

FOLDER_NAME = ".searchlog"
MEMORY = "memory:"
_FORMAT = "searchlog archive"
_VERSION = 1
_TEMP = ".searchlog.json.tmp"


@dataclass(frozen=True, slots=True)
class Storage:
    """The stores of one archive."""

    log: LogStore
    blobs: BlobStore
    leases: Leases
    folder: Path | None
    """None in memory."""
    described: str = field(default="")
    """Where it is, for people."""

    @property
    def index_path(self) -> Path | None:
        return self.folder / "index.db" if self.folder else None

    @property
    def cache_path(self) -> Path | None:
        return self.folder / "cache" if self.folder else None

    @property
    def standing_path(self) -> Path | None:
        return self.folder / "providers.db" if self.folder else None

    def close(self) -> None:
        self.log.close()


def default_folder(start: Path | None = None) -> Path:
    """Return the folder used when none is named: SEARCHLOG_ARCHIVE, else the nearest `.searchlog/` upward from
    `start` (here), else the platform's data folder."""
    named = os.environ.get("SEARCHLOG_ARCHIVE")
    if named:
        return Path(named)
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / FOLDER_NAME / "searchlog.json").is_file():
            return folder / FOLDER_NAME
    import platformdirs

    return Path(platformdirs.user_data_dir("searchlog", appauthor=False)) / "archive"


def open_storage(location: str | os.PathLike[str] | None = None, *, create: bool = True, write: bool = True) -> Storage:
    """Return the stores of the archive at a path, or in memory for `memory:`; made when absent, unless told not to.

    write: whether the caller may want to write; one who only reads makes no file. An archive that this user may not
    write to is opened for reading all the same, and refuses to be written to.
    Raises UsageError for a place that is no archive, FormatError for one of a later version, IntegrityError for one
    whose log is gone, MissingError for one without a log yet when it is only read, StoreError.
    """
    location = _place(location)
    if location == MEMORY:
        return Storage(MemoryLogStore(), MemoryBlobStore(), MemoryLeases(), None, MEMORY)
    if location is not None and "://" in location:
        raise UsageError(f"no store for {location}: give a folder, or {MEMORY}")
    folder = default_folder() if location is None else Path(location)
    try:
        _describe(folder, create and write)
        folder = folder.resolve()
        path, used = folder / "log.db", _was_used(folder)
        if not (write or used or _has_bytes(path)):
            raise MissingError(f"the archive {folder} holds nothing yet: search or fetch something first")
        # a fresh log in the place of a lost one would pass for an archive that never held anything
        log = SqliteLogStore(path, create=not used, write=write)
    except OSError as error:
        raise StoreError(f"cannot open the archive {folder}: {error.strerror or error}", path=str(folder)) from None
    return Storage(log, FolderBlobStore(folder / "blobs"), FolderLeases(folder / "leases"), folder, str(folder))


def _place(location: object) -> str | None:
    """Return a place as a string. Raises UsageError for what is no path."""
    if location is None:
        return None
    try:
        place = os.fspath(location)  # type: ignore[call-overload]
    except TypeError:
        place = None
    if not isinstance(place, str) or "\0" in place or not place:
        found = (
            repr(location)[:80] if isinstance(location, str | bytes) else f"a value of type {type(location).__name__}"
        )
        raise UsageError(f"an archive's place must be a path or {MEMORY!r}, not {found}")
    return place


def _was_used(folder: Path) -> bool:
    """Whether there is anything that only comes after the making of a log: blobs, leases, a transaction in a
    write-ahead log."""
    blobs = (folder / "blobs" / "sha256").glob("??/*")
    return (folder / "leases").exists() or _was_begun(folder) or next(blobs, None) is not None


def _was_begun(folder: Path) -> bool:
    wal = folder / "log.db-wal"
    try:
        return _has_bytes(wal) and (not _has_bytes(folder / "log.db") or holds_commit(wal))
    except FileNotFoundError:
        return False  # another process has closed the log meanwhile, and all that was in the file is in the log now


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def _describe(folder: Path, create: bool) -> None:
    """Check the folder's description, or write it into a new archive."""
    mark = folder / "searchlog.json"
    if mark.exists():
        if not mark.is_file():  # a pipe would be waited for
            raise FormatError(f"{mark} does not describe an archive: it is no file", path=str(mark))
        try:
            found = json.loads(mark.read_bytes())
            name, version = found["format"], found["version"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError(f"{mark} does not describe an archive", path=str(mark)) from None
        if name != _FORMAT:
            raise UsageError(f"{folder} is not a searchlog archive: {mark} says {name!r}", path=str(folder))
        if type(version) is not int or version < 1:
            raise FormatError(f"{mark} does not describe an archive: its version is no number", path=str(mark))
        if version > _VERSION:
            raise FormatError(
                f"{folder} is an archive of version {version}; this searchlog knows {_VERSION}: upgrade it"
            )
        return
    if not create:
        raise UsageError(
            f"no archive at {folder}: search or fetch something first, or give --archive", path=str(folder)
        )
    if folder.is_dir() and any(not i.name.startswith(_TEMP) for i in folder.iterdir()) and not mark.exists():
        raise UsageError(f"{folder} is not empty and is no archive: give another folder", path=str(folder))
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    temp = folder / (_TEMP + secrets.token_hex(8))  # another process may be making the same archive
    write_durably(temp, (json.dumps({"format": _FORMAT, "version": _VERSION}) + "\n").encode())
    temp.replace(mark)
    for place in (folder, *(place.parent for place in made)):
        sync_folder(place)  # without its description, or its own name, an archive is not found after a power cut
