"""How each provider stands: who is left alone until when, and how often one that costs was asked today.

Kept across runs in a small database beside the log. It is no source of truth: deleting it forgets cool-downs and begins
the day's budget anew, and changes nothing else. Effects: SQLite, the clock. What is decided is decided in
`search/cooldown.py`.

    cooldown   provider, until, outcome, detail, told, strikes
    asked      provider, day (UTC), count, last (when it was asked last, seconds since 1970)
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from searchlog.clock import Clock, format_time, parse_time
from searchlog.errors import FormatError, StoreError, UsageError
from searchlog.keyring import hide
from searchlog.search import registry
from searchlog.search.cooldown import Cooldown, after_run, day_max, left_alone, longest_s, over_budget, parse_day_max
from searchlog.search.provider import Facts
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = ["DAY_MAX_ENV", "Standings"]

DAY_MAX_ENV = "SEARCHLOG_DAY_MAX"
_DETAIL_MAX = 500
_NOT_SENT = frozenset({RunOutcome.OFFLINE, RunOutcome.REFUSED})
_WAIT_S = 10.0
_QUEUE_S = 60.0
"""How far ahead turns may have been given by those who wait for longer than whoever asks now."""
_TABLES = """
CREATE TABLE IF NOT EXISTS cooldown (
    provider TEXT PRIMARY KEY, until TEXT NOT NULL, outcome TEXT NOT NULL, detail TEXT NOT NULL,
    told INTEGER NOT NULL, strikes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS asked (
    provider TEXT PRIMARY KEY, day TEXT NOT NULL, count INTEGER NOT NULL, last REAL NOT NULL);
"""


class Standings:
    """The standing of every provider of one archive. Thread-safe, and safe beside other processes."""

    def __init__(self, path: Path | None, clock: Clock, env: Mapping[str, str]) -> None:
        """path: None keeps it in memory. env: where SEARCHLOG_DAY_MAX comes from."""
        self._path = path
        self._clock = clock
        self._env = env
        self._lock = threading.Lock()
        self._memory = None if path is not None else sqlite3.connect(":memory:", check_same_thread=False)
        if self._memory is not None:
            self._memory.executescript(_TABLES)

    def close(self) -> None:
        """Close what is in memory; files are open no longer than each look takes."""
        if self._memory is not None:
            self._memory.close()

    # --- asking

    def skips(self, wanted: Sequence[Facts], query: Query, *, named: bool) -> dict[str, Run]:
        """Return the runs of those that are not asked now, by name.

        What a provider asked for is obeyed; what we guessed counts only when they are not named, and when somebody
        else is left to be asked.
        """
        now = self._clock.now()
        cooling = {item.provider: item for item in self.cooldowns()}
        mine = [facts for facts in wanted if facts.name in cooling]
        told = [facts for facts in mine if cooling[facts.name].told]
        guessed = [facts for facts in mine if not cooling[facts.name].told]
        free = len(wanted) - len(mine)
        skipped = told if named or not free else [*told, *guessed]
        return {facts.name: left_alone(cooling[facts.name], facts, query, now) for facts in skipped}

    def limits(self) -> dict[str, int]:
        """Return the requests a day that SEARCHLOG_DAY_MAX names. Raises UsageError for what is no limit."""
        limits = parse_day_max(self._env.get(DAY_MAX_ENV, ""))
        for name in limits:
            facts = None if name == "*" else registry.facts_of(name)
            if name != "*" and facts is None:
                raise UsageError(f"{DAY_MAX_ENV}: no provider is called {name!r:.40}; `searchlog providers` lists them")
            if facts is not None and facts.budget != name:
                raise UsageError(f"{DAY_MAX_ENV}: {name} shares the budget of {facts.budget}: limit that one")
        return limits

    def reserve(self, facts: Facts, query: Query, within_s: float) -> Run | float:
        """Count one request, and return the seconds to wait before it; or the run of one that is over its budget.

        within_s: a request that would have to wait for as long is not made, and takes no turn and no budget.
        """
        most = day_max(facts, self.limits())
        if most is None and facts.pause_s <= 0:
            return 0.0
        now = self._clock.now()
        today, moment = now.date().isoformat(), now.timestamp()
        with self._open(write=True) as database:
            count, last = _asked(database, facts.budget, today)
            if most is not None and count >= most:
                return over_budget(facts, query, most, now)
            # a time in the future that nobody waits for is that of a clock which has been set back
            queue_s = max(_QUEUE_S, within_s)
            at = max(moment, last + facts.pause_s) if last <= moment + queue_s else moment
            if at - moment >= within_s:
                return at - moment
            row = (facts.budget, today, count + 1, at)
            database.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?)", row)
        return at - moment

    def note(self, facts: Facts, run: Run) -> None:
        """Take in how a provider's attempt ended."""
        now = self._clock.now()
        if run.outcome in _NOT_SENT and day_max(facts, self.limits()) is not None:
            self._give_back(facts, now.date().isoformat())
        before = {item.provider: item for item in self._rows()}.get(run.provider)
        after = after_run(before, facts, run, now)
        if after == before:
            return
        with self._open(write=True) as database:
            if after is None:
                database.execute("DELETE FROM cooldown WHERE provider = ?", (run.provider,))
            else:
                detail = hide(after.detail)[:_DETAIL_MAX]
                row = (after.provider, format_time(after.until), str(after.outcome), detail, after.told, after.strikes)
                database.execute("INSERT OR REPLACE INTO cooldown VALUES (?, ?, ?, ?, ?, ?)", row)

    def _give_back(self, facts: Facts, today: str) -> None:
        """Take one request out of the count again: it never left this machine."""
        with self._open(write=True) as database:
            count, _ = _asked(database, facts.budget, today)
            if count:
                database.execute("UPDATE asked SET count = ? WHERE provider = ?", (count - 1, facts.budget))

    # --- looking

    def cooldowns(self) -> list[Cooldown]:
        """Return those that are left alone at this moment, in the order of their names.

        A time further away than any that can be named or guessed is that of a clock which has been set back.
        """
        now = self._clock.now()
        return [item for item in self._rows() if 0 < (item.until - now).total_seconds() <= longest_s(item)]

    def asked_today(self) -> dict[str, int]:
        """Return how often those that are counted were asked today (UTC)."""
        today = self._clock.now().astimezone(UTC).date().isoformat()
        with self._open() as database:
            rows = database.execute("SELECT provider, count FROM asked WHERE day = ?", (today,)).fetchall()
        return {str(name): count for name, count in rows if isinstance(count, int)}

    def forget(self, providers: Sequence[str]) -> list[str]:
        """End the cool-downs of these providers; return those that had one. Budgets stay as they are."""
        ended = [item.provider for item in self._rows() if item.provider in providers]
        if ended:
            with self._open(write=True) as database:
                database.executemany("DELETE FROM cooldown WHERE provider = ?", [(name,) for name in ended])
        return ended

    def _rows(self) -> list[Cooldown]:
        with self._open() as database:
            rows = database.execute(
                "SELECT provider, until, outcome, detail, told, strikes FROM cooldown ORDER BY provider"
            ).fetchall()
        return [found for row in rows if (found := _cooldown(row)) is not None]

    @contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the database for one look, or one change that nobody else can come between."""
        if self._memory is not None:
            with self._lock, self._memory:
                yield self._memory
            return
        is_there = write or (self._path is not None and self._path.exists())
        try:
            database = sqlite3.connect(
                str(self._path) if is_there else ":memory:", timeout=_WAIT_S, isolation_level=None
            )
            try:
                if write:
                    database.executescript(_TABLES)
                    database.execute("BEGIN IMMEDIATE")
                elif not _is_made(database):
                    # nobody has written yet, is just about to, or was cut off before the tables were there
                    database.close()
                    database = sqlite3.connect(":memory:")
                    database.executescript(_TABLES)
                yield database
                if write:
                    database.execute("COMMIT")
            finally:
                database.close()
        except sqlite3.Error as error:
            raise StoreError(
                f"cannot use {self._path}: {error}; it holds cool-downs and budgets only and may be deleted",
                path=str(self._path),
            ) from None


def _is_made(database: sqlite3.Connection) -> bool:
    found = database.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('cooldown', 'asked')").fetchone()
    return bool(found[0] == 2)


def _asked(database: sqlite3.Connection, provider: str, today: str) -> tuple[int, float]:
    """Return how often a provider was asked today, and when last; a row that cannot be read is none."""
    found = database.execute("SELECT day, count, last FROM asked WHERE provider = ?", (provider,)).fetchone()
    if found is None or type(found[1]) is not int or type(found[2]) not in (int, float):
        return 0, 0.0
    return found[1] if found[0] == today else 0, float(found[2])


def _cooldown(row: tuple[object, ...]) -> Cooldown | None:
    """Return a row as a value; None for one that this version cannot read."""
    provider, until, outcome, detail, told, strikes = row
    if not (isinstance(provider, str) and isinstance(until, str) and isinstance(detail, str)):
        return None
    if type(told) is not int or type(strikes) is not int:
        return None
    try:
        moment: datetime = parse_time(until)
        return Cooldown(provider, moment, RunOutcome(str(outcome)), detail, bool(told), strikes)
    except (FormatError, ValueError):
        return None
