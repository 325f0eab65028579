"""A full-text index of stored pages: one SQLite FTS5 file that may be deleted at any time and rebuilt from the logs.

It is a cache in the strict sense: nothing is only here. The newest capture of each URL is the one found. Words come
from `searchlog.tokens` (script boundaries, bigrams where a script has no spaces), joined by blanks. FTS5's `ascii`
tokenizer then splits at those blanks and nowhere else; `unicode61` would cut words at combining signs and fold case,
by the tables of whatever SQLite is at hand.

A hit's score lies in 0 to 1: the share of the query's words that the page holds, rare words weighing more, times a
factor of 1/2 to 1 by BM25 (title words count four times). So pages with all words tend to come before those with some:
over manuals asked in whole sentences the right page is among five for 0.75 of the questions, by BM25 alone for 0.63.

A file that is corrupt or of another version is replaced by an empty one, and `was_reset` says so; the caller then
indexes again from the first record, as `known` tells.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from searchlog.errors import StoreError
from searchlog.search.answers.values import without_surrogates
from searchlog.search.snippet import best_window
from searchlog.tokens import TOKENIZER, words

__all__ = ["Document", "Hit", "TextIndex"]

FORMAT = f"textindex/2 {TOKENIZER}"

_QUERY_WORDS_MAX = 40
_POOL_MIN = 50
_TITLE_WEIGHT, _TEXT_WEIGHT = 4.0, 1.0
_SCHEMA = """
CREATE TABLE about (format TEXT NOT NULL);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    captured_at TEXT NOT NULL,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    language TEXT
);
CREATE INDEX pages_session ON pages (session);
-- captures that a newer one of the same URL hides, and that come back when that one's session is removed
CREATE TABLE hidden (url TEXT NOT NULL, captured_at TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,
    UNIQUE (url, session, seq));
CREATE TABLE known (session TEXT PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE notes (url TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (title, body, tokenize = "ascii");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """One captured page."""

    url: str
    title: str
    text: str
    """The conversion's text."""
    captured_at: str
    """RFC 3339 UTC, as `clock.format_time` writes it, so that text order is time order."""
    session: str
    seq: int
    """The capture's record in that session."""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One page found."""

    document: Document
    score: float
    """0 to 1; comparable only within one search."""
    snippet: str
    """The stretch of the stored text that holds most of the query's words; cuts are shown by `…`."""


class TextIndex:
    """The index in one file. Safe for several threads; several processes may share the file."""

    def __init__(self, path: Path | str | None = None) -> None:
        """path: the file, made if it is not there; None keeps the index in memory.

        Raises StoreError when the file can be neither opened nor replaced.
        """
        self._path = Path(path) if path is not None else None
        self._lock = threading.RLock()
        self.was_reset = False
        """Whether an unusable file was replaced by an empty one since this object was made."""
        with self._errors():
            self._db = self._open()

    def close(self) -> None:
        """Close the file. Safe any number of times."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> TextIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return how many pages can be found."""
        return int(self._value("SELECT count(*) FROM pages"))

    def add(self, *documents: Document) -> None:
        """Index these captures in one transaction. A capture older than the one held for its URL stays hidden."""
        self._try(lambda: self._add(documents))

    def mark(self, session: str, seq: int) -> None:
        """Say that the records of a session up to `seq` were looked at, captures or not."""
        with self._lock:
            self._try(lambda: self._write(lambda: self._mark(session, seq)))

    def known(self, session: str) -> int | None:
        """Return the last record of a session that was indexed or marked; None when there is none."""
        seq = self._value("SELECT seq FROM known WHERE session = ?", session)
        return None if seq is None or seq < 0 else int(seq)

    def remove(self, *, session: str) -> int:
        """Forget a session's pages; return how many were found until now.

        Where that uncovers an older capture of another session, that session's `known` steps back before it, so that
        the caller's next indexing brings it in again.
        """
        return self._try(lambda: self._write(lambda: self._remove(session)))

    def forget(self, urls: Iterable[str]) -> int:
        """Forget the pages of these very URLs, older captures and notes included; return how many were found until now.

        For pages that are no longer there. They stay in the log, so an index built again from it holds them once more.
        """
        cleaned = list(map(_clean, urls))
        return self._try(lambda: self._write(lambda: sum(map(self._forget, cleaned))))

    def note(self, states: Mapping[str, str]) -> None:
        """Keep a short state of each of these URLs, whether it has a page or not, for whoever reads them."""
        rows = [(_clean(url), _clean(state)) for url, state in states.items()]
        self._try(lambda: self._write(lambda: self._db.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?)", rows)))

    def noted(self, url: str) -> str | None:
        """Return the state that was noted last for this URL; None when there is none."""
        state = self._value("SELECT state FROM notes WHERE url = ?", _clean(url))
        return None if state is None else str(state)

    def urls(self, url_prefix: str | None = None) -> list[str]:
        """Return the URLs of the pages under this URL prefix, in order."""
        where, values = _under(url_prefix)
        query = f"SELECT url FROM pages WHERE {where} ORDER BY url"
        return self._try(lambda: [str(row[0]) for row in self._db.execute(query, values)])

    def count(self, url_prefix: str | None = None) -> int:
        """Return how many pages stand under this URL prefix."""
        where, values = _under(url_prefix)
        return int(self._value(f"SELECT count(*) FROM pages WHERE {where}", *values))

    def captured_at(self, url: str) -> str | None:
        """Return when the capture that is found under this very URL was made; None when there is none."""
        at = self._value("SELECT captured_at FROM pages WHERE url = ?", _clean(url))
        return None if at is None else str(at)

    def search(
        self, query_text: str, limit: int, url_prefix: str | None = None, before: str | None = None
    ) -> list[Hit]:
        """Return the best pages, best first; ties go to the newer capture, then to the URL.

        url_prefix: only pages at this URL or below it, at a boundary: `http://a/docs` holds `http://a/docs/x`, not
        `http://a/docs2`. before: only captures made before this time. Costs one look at each of the best 50 pages.
        """
        terms = list(dict.fromkeys(words(query_text)))[:_QUERY_WORDS_MAX]
        if not terms or limit <= 0:
            return []
        return self._try(lambda: self._read(lambda: self._search(terms, limit, url_prefix, before)))

    # -- inside the lock

    def _add(self, documents: tuple[Document, ...]) -> None:
        def work() -> None:
            for document in documents:
                self._add_one(document)
                self._mark(document.session, document.seq)

        self._write(work)

    def _add_one(self, document: Document) -> None:
        url, title, body, captured_at, session, seq, language = (
            _clean(document.url), _clean(document.title), _clean(document.text), document.captured_at,
            document.session, document.seq, document.language,
        )  # fmt: skip
        held = self._db.execute("SELECT id, captured_at, session, seq FROM pages WHERE url = ?", (url,)).fetchone()
        if held is not None:
            ours, theirs = (captured_at, session, seq), tuple(held[1:])
            hidden = theirs if ours >= theirs else ours
            if ours != theirs:
                self._db.execute("INSERT OR IGNORE INTO hidden VALUES (?, ?, ?, ?)", (url, *hidden))
            if ours < theirs:
                return
            self._db.execute("DELETE FROM words WHERE rowid = ?", (held[0],))
            self._db.execute("DELETE FROM pages WHERE id = ?", (held[0],))
        row = self._db.execute(
            "INSERT INTO pages (url, title, text, captured_at, session, seq, language) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (url, title, body, captured_at, session, seq, language),
        )
        self._db.execute(
            "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
            (row.lastrowid, " ".join(words(title)), " ".join(words(body))),
        )

    def _mark(self, session: str, seq: int) -> None:
        self._db.execute(
            "INSERT INTO known VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET seq = max(seq, excluded.seq)",
            (session, seq),
        )

    def _remove(self, session: str) -> int:
        gone = self._db.execute("SELECT id, url FROM pages WHERE session = ?", (session,)).fetchall()
        self._db.execute("DELETE FROM hidden WHERE session = ?", (session,))
        for page, url in gone:
            self._db.execute("DELETE FROM words WHERE rowid = ?", (page,))
            older = "SELECT session, min(seq) FROM hidden WHERE url = ? GROUP BY session"
            for other, seq in self._db.execute(older, (url,)).fetchall():
                self._db.execute("UPDATE known SET seq = min(seq, ?) WHERE session = ?", (seq - 1, other))
            self._db.execute("DELETE FROM hidden WHERE url = ?", (url,))
        self._db.execute("DELETE FROM pages WHERE session = ?", (session,))
        self._db.execute("DELETE FROM known WHERE session = ?", (session,))
        return len(gone)

    def _forget(self, url: str) -> int:
        pages = self._db.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchall()
        self._db.executemany("DELETE FROM words WHERE rowid = ?", pages)
        for table in ("pages", "hidden", "notes"):
            self._db.execute(f"DELETE FROM {table} WHERE url = ?", (url,))
        return len(pages)

    def _search(self, terms: list[str], limit: int, url_prefix: str | None, before: str | None) -> list[Hit]:
        where, values = _under(url_prefix)
        if before is not None:
            where, values = where + " AND captured_at < ?", [*values, before]
        # quoted, so that no word of a query is an operator of FTS5; words hold no quotation marks
        match = " OR ".join(f'"{term}"' for term in terms)
        # texts are read for the pool only: inside one statement they would all go through the sorter
        rows = self._db.execute(
            f"SELECT pages.id, url, captured_at, -bm25(words, {_TITLE_WEIGHT}, {_TEXT_WEIGHT}) AS score "
            f"FROM words JOIN pages ON pages.id = words.rowid WHERE words MATCH ? AND {where} "
            "ORDER BY score DESC, captured_at DESC, url LIMIT ?",
            (match, *values, max(_POOL_MIN, 3 * limit)),
        ).fetchall()
        if not rows:
            return []
        weights = self._weights(terms)
        total = sum(weights.values())
        best = max(float(row[3]) for row in rows)
        scored = []
        for page, url, captured_at, score in rows:
            # one text at a time: fifty pages of millions of characters do not belong in memory together
            title, body = self._db.execute("SELECT title, body FROM words WHERE rowid = ?", (page,)).fetchone()
            held = f" {title} {body} "
            share = sum(weight for term, weight in weights.items() if f" {term} " in held) / total
            relative = max(0.0, float(score)) / best if best > 0 else 0.0
            scored.append((share * (1 + relative) / 2, captured_at, url, page))
        scored.sort(key=lambda item: item[2])
        scored.sort(key=lambda item: item[:2], reverse=True)
        return [self._hit(page, score, weights) for score, _, _, page in scored[:limit]]

    def _hit(self, page: int, score: float, weights: Mapping[str, float]) -> Hit:
        columns = "url, title, text, captured_at, session, seq, language"
        row = self._db.execute(f"SELECT {columns} FROM pages WHERE id = ?", (page,)).fetchone()
        document = Document(*row)
        return Hit(document, score, best_window(document.text, weights))

    def _weights(self, terms: list[str]) -> dict[str, float]:
        """Return how much each word tells: ln(1 + (N - n + 0.5) / (n + 0.5)), always above zero.

        FTS5's own weights fall to nothing for words in more than half of the pages, which in a small archive are many.
        """
        pages = int(self._db.execute("SELECT count(*) FROM pages").fetchone()[0])
        marks = ", ".join("?" * len(terms))
        found = dict(self._db.execute(f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", terms).fetchall())
        return {t: math.log(1 + (pages - found.get(t, 0) + 0.5) / (found.get(t, 0) + 0.5)) for t in terms}

    # -- the file

    def _open(self) -> sqlite3.Connection:
        """Open the file; replace it by an empty one when it is corrupt or of another version."""
        try:
            db = self._connect()
            try:
                if self._is_ready(db):
                    return db
            except BaseException:
                db.close()
                raise
            db.close()
        except sqlite3.DatabaseError as error:
            if not _is_corrupt(error):
                raise
        self._delete()
        self.was_reset = True
        db = self._connect()
        self._is_ready(db)
        return db

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(
            str(self._path) if self._path else ":memory:", timeout=10, check_same_thread=False, isolation_level=None
        )
        try:
            # one file and no write-ahead log: it is small, shared between processes, and may be thrown away
            db.execute("PRAGMA journal_mode = TRUNCATE")
            db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            db.close()
            raise
        return db

    def _is_ready(self, db: sqlite3.Connection) -> bool:
        """Make the tables in an empty file; say whether the file is one of ours and of this version."""
        db.execute("BEGIN IMMEDIATE")
        try:
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    db.execute(statement)
                db.execute("INSERT INTO about VALUES (?)", (FORMAT,))
                return True
            return "about" in tables and db.execute("SELECT format FROM about").fetchall() == [(FORMAT,)]
        finally:
            db.execute("COMMIT")

    def _delete(self) -> None:
        if self._path is not None:
            for suffix in ("", "-journal", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _value(self, query: str, *values: str | int) -> Any:
        """Return the first column of the first row; None when there is no row."""
        row = self._try(lambda: self._db.execute(query, values).fetchone())
        return None if row is None else row[0]

    def _read(self, work: Callable[[], T]) -> T:
        """Do work of several statements on the file as it is at one moment."""
        self._db.execute("BEGIN")
        try:
            return work()
        finally:
            if self._db.in_transaction:  # not after an error that ended it
                self._db.execute("ROLLBACK")

    def _write(self, work: Callable[[], T]) -> T:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            out = work()
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        return out

    def _try(self, work: Callable[[], T]) -> T:
        """Do the work; when the file turns out corrupt, replace it by an empty one and do the work on that."""
        with self._lock, self._errors():
            try:
                return work()
            except sqlite3.DatabaseError as error:
                if not _is_corrupt(error):
                    raise
            self._db.close()
            self._delete()
            self.was_reset = True
            self._db = self._connect()
            self._is_ready(self._db)
            return work()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Let only StoreError out."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            where = self._path or "in memory"
            raise StoreError(
                f"text index {where}: {error}; it may be deleted, and is then built again", path=str(where)
            ) from None


def _is_corrupt(error: sqlite3.DatabaseError) -> bool:
    name = getattr(error, "sqlite_errorname", "") or ""
    return name.startswith("SQLITE_CORRUPT") or name == "SQLITE_NOTADB"


def _under(prefix: str | None) -> tuple[str, list[str | int]]:
    """Return the SQL condition for a URL prefix, and its values."""
    if not prefix:
        return "1", []
    if prefix[-1] in "/?#":
        return "substr(url, 1, ?) = ?", [len(prefix), prefix]
    tails = ", ".join("?" for _ in "/?#")
    condition = f"(url = ? OR substr(url, 1, ?) IN ({tails}))"
    return condition, [prefix, len(prefix) + 1, *(prefix + tail for tail in "/?#")]


def _clean(value: str) -> str:
    """Replace lone surrogates, which have no UTF-8, and NUL, at which SQLite's text functions stop."""
    return without_surrogates(value).replace("\x00", "\ufffd")
