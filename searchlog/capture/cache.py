"""The HTTP cache: fetches within their freshness, on diskcache; deleting it changes no result.

Only bytes are stored: one canonical JSON line, then the payloads. diskcache falls back to pickle for keys and values
of other types, and reads whatever mode a row names (CVE-2025-69872), so its Disk is replaced by one that refuses
pickles and foreign paths in both directions. A fault of any kind is a miss and a log line, never an error. The cache
is not evidence: a hit carries the pointer to the capture that is. Effects: a folder of mode 0700.
Shown by test_cache.py.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from searchlog import canon
from searchlog.capture import freshness
from searchlog.capture.codec import exchange_from_json, exchange_to_json, robots_from_json, robots_to_json
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Header, Limits, Outcome, header
from searchlog.capture.message import parse_fields
from searchlog.clock import Clock
from searchlog.digest import digest
from searchlog.errors import FormatError, SearchlogError

__all__ = ["CacheHit", "HttpCache"]

_VERSION = 1
_FILE_NAME = re.compile(r"[0-9a-f]{2}[/\\][0-9a-f]{2}[/\\][0-9a-f]{28}\.val")
_KEEP_S = 30 * 86_400
_SIZE_BYTES_MAX = 1 << 30
_log = logging.getLogger(__name__)


class _FaultError(SearchlogError):
    """A cache row that is not plain bytes, or a database that somebody holds."""


@dataclass(frozen=True, slots=True)
class CacheHit:
    """A fetch that is still fresh."""

    fetch: Fetch
    """As stored, with `cache_hit` set to the pointer and without the robots exchanges."""
    pointer: dict[str, str]
    """`session`, `seq` and `captured_at` of the capture this came from."""
    age_s: int


class HttpCache:
    """Keeps fetches in a folder; safe to use from many threads and processes."""

    def __init__(self, folder: Path | str, clock: Clock) -> None:
        """Name the folder; it is made at first use."""
        self._folder = Path(folder)
        self._clock = clock
        self._lock = threading.RLock()  # one thread at a time: a connection is opened and closed under it
        self._disk_cache: Any = None

    def lookup(
        self,
        url: str,
        request_headers: tuple[Header, ...],
        *,
        limits: Limits = Limits(),  # noqa: B008
        max_age_s: int | None = None,
        deadline: Deadline | None = None,
    ) -> CacheHit | None:
        """Return the stored fetch of a normal URL if it is fresh, decoded within the limits; else None.

        max_age_s: instead of the freshness that the answer states, this age at most. request_headers: compared with
        the stored request's where the answer varies by them.
        """
        try:
            entry = self._get(url)
            if entry is None:
                return None
            return self._read(entry, request_headers, limits, max_age_s, deadline)
        except (SearchlogError, sqlite3.Error, OSError, ValueError, TypeError, KeyError, EOFError) as error:
            self._fault("read", error)
            return None

    def store(self, fetch: Fetch, url: str, pointer: Mapping[str, str]) -> bool:
        """Keep a fetch under its normal URL if it may be kept; return whether it was.

        pointer: where the capture is logged, `session`, `seq` and `captured_at`; the caller has logged it before.
        """
        if not freshness.storable(fetch):
            return False
        if any("redacted:request:url" in hop.departures for hop in fetch.hops):
            return False  # the key would hold the credential, or be the same for two of them
        meta = {
            "v": _VERSION,
            "url": fetch.url,
            "pointer": dict(pointer),
            "robots": None if fetch.robots is None else robots_to_json(fetch.robots),
            "hops": [
                {"exchange": exchange_to_json(hop), "bytes": len(hop.payload), "digest": digest(hop.payload)}
                for hop in fetch.hops
            ],
        }
        try:
            value = b"\n".join([canon.dumps(meta), b"".join(hop.payload for hop in fetch.hops)])
            self._set(url, value)
        except (SearchlogError, sqlite3.Error, OSError, ValueError, TypeError) as error:
            self._fault("written", error)
            return False
        return True

    def close(self) -> None:
        """Let go of the database."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            cache, self._disk_cache = self._disk_cache, None
            if cache is not None:
                cache.close()

    # -- entries ---------------------------------------------------------------------------------------------------

    def _read(
        self,
        entry: bytes,
        request_headers: tuple[Header, ...],
        limits: Limits,
        max_age_s: int | None,
        deadline: Deadline | None,
    ) -> CacheHit | None:
        line, _, body = entry.partition(b"\n")
        meta = canon.loads(line)
        if meta["v"] != _VERSION:
            return None
        hops: list[Exchange] = []
        at = 0
        for item in meta["hops"]:
            payload = body[at : at + item["bytes"]]
            at += item["bytes"]
            if digest(payload) != item["digest"]:
                raise FormatError("a payload in the cache does not match its digest")
            hops.append(exchange_from_json(item["exchange"], payload, limits, deadline))
        pointer = {str(key): str(value) for key, value in meta["pointer"].items()}
        robots = None if meta["robots"] is None else robots_from_json(meta["robots"])
        fetch = Fetch(meta["url"], tuple(hops), Outcome.COMPLETE, robots=robots, cache_hit=pointer)
        if not all(_same_choice(hop, request_headers) for hop in hops):
            return None
        age = freshness.fetch_age_s(fetch, self._clock.now())
        if age >= (freshness.fetch_lifetime_s(fetch) if max_age_s is None else max_age_s):
            return None
        return CacheHit(fetch, pointer, age)

    # -- the database ----------------------------------------------------------------------------------------------

    def _get(self, url: str) -> bytes | None:
        with self._database() as cache:
            value = cache.get(url)
        if value is not None and not isinstance(value, bytes):
            raise _FaultError(f"a cache row holds a {type(value).__name__}, not bytes")
        return value

    def _set(self, url: str, value: bytes) -> None:
        with self._database() as cache:
            cache.set(url, value, expire=_KEEP_S)

    @contextlib.contextmanager
    def _database(self) -> Iterator[Any]:
        """Hold the database; its connection is closed again: diskcache keeps one a thread, and threads come and go."""
        import diskcache

        with self._lock:
            cache = self._cache()
            try:
                yield cache
            except diskcache.Timeout:
                raise _FaultError("the database is locked") from None
            finally:
                with contextlib.suppress(sqlite3.Error):
                    cache.close()

    def _cache(self) -> Any:
        with self._lock:
            if self._disk_cache is None:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._folder.chmod(0o700)
                try:
                    self._disk_cache = _open(self._folder)
                except (sqlite3.Error, TypeError, ValueError) as error:
                    _log.warning("the HTTP cache in %s could not be opened and is made anew: %s", self._folder, error)
                    for name in ("cache.db", "cache.db-wal", "cache.db-shm"):
                        (self._folder / name).unlink(missing_ok=True)
                    self._disk_cache = _open(self._folder)
            return self._disk_cache

    def _fault(self, what: str, error: Exception) -> None:
        _log.warning("the HTTP cache in %s could not be %s and is passed by: %s", self._folder, what, error)
        if isinstance(error, sqlite3.Error):
            self.close()  # the file is gone, or no database: the next use opens or makes it


def _same_choice(hop: Exchange, request_headers: tuple[Header, ...]) -> bool:
    """Whether the answer would be chosen for these request fields. Spec: RFC 9111 section 4.1."""
    stored, _ = parse_fields(hop.request_head.partition(b"\n")[2])
    return all(header(stored, name) == header(request_headers, name) for name in freshness.vary(hop))


def _open(folder: Path) -> Any:
    import diskcache

    class BytesDisk(diskcache.Disk):  # type: ignore[misc]
        """Strings as keys, bytes as values, and nothing else, in either direction."""

        def put(self, key: Any) -> Any:
            if type(key) is not str:
                raise _FaultError(f"a cache key is a string, not {type(key).__name__}")
            return super().put(key)

        def get(self, key: Any, raw: Any) -> Any:
            if not raw or type(key) is not str:
                raise _FaultError("a cache key that is pickled")
            return key

        def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
            if type(value) is not bytes or read:
                raise _FaultError(f"a cache value is bytes, not {type(value).__name__}")
            return super().store(value, False, key=key)

        def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
            raw = mode == diskcache.core.MODE_RAW and type(value) is bytes
            file = mode == diskcache.core.MODE_BINARY and _FILE_NAME.fullmatch(filename or "") is not None
            if read or not (raw or file):
                raise _FaultError(f"a cache row of mode {mode} and file {filename!r}, which we never write")
            return super().fetch(mode, filename, value, False)

        def remove(self, file_path: str) -> None:
            if _FILE_NAME.fullmatch(file_path):  # a planted row must not name a file to delete
                super().remove(file_path)

    cache = diskcache.Cache.__new__(diskcache.Cache)
    try:
        cache.__init__(
            os.fspath(folder),
            timeout=1.0,
            disk=BytesDisk,
            size_limit=_SIZE_BYTES_MAX,
            eviction_policy="least-recently-stored",
            statistics=0,
            tag_index=0,
        )
    except BaseException:
        cache.close()  # what it had opened before it found the file unusable
        raise
    return cache
