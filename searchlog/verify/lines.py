"""The lines of one session, a page at a time: a long log is read through and never held. Pure over the store."""

from __future__ import annotations

from collections.abc import Iterator

from searchlog.ledger import Gap, Ledger, Record
from searchlog.log.store.base import LogStore, StoredLine

__all__ = ["entries_of", "pages_of"]

_PAGE = 256
"""Lines read at once: a line has at most some tens of kilobytes, most have two."""


def pages_of(log: LogStore, session: str) -> Iterator[list[StoredLine]]:
    """Yield the records of a session in order, as the store has them now, some at a time.

    What another writer appends meanwhile comes as well, up to the last page that is read. Where the places of records
    have gaps, those behind a gap follow at once.
    """
    at = 0
    while True:
        page = log.get(session, at, at + _PAGE)
        if page:
            yield page
        at += _PAGE
        if len(page) == _PAGE:
            continue
        rest = log.get(session, at)
        if not rest:
            return
        grown = log.get(session, at - _PAGE, at)[len(page) :]
        if grown:
            yield grown
        if len(page) + len(grown) < _PAGE:  # a gap, not somebody who appended
            yield rest
            return


def entries_of(ledger: Ledger, size: int) -> Iterator[Record | Gap]:
    """Yield the first `size` entries of a session's log, a page read at a time."""
    for start in range(0, size, _PAGE):
        yield from ledger.entries(start, min(size, start + _PAGE))
