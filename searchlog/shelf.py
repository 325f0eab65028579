"""A snapshot as a provider: its pages answer a query with no network, and come into the session as they are.

    with searchlog.open_shelf("search.wacz") as shelf:
        found = session.search("how do tide mills work", providers=[shelf])

The file is checked whole before it is asked. Each page that is read becomes a capture of the session, with the name of
the snapshot it came from, so the evidence stands when the file is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path

from searchlog.checks import expect
from searchlog.errors import UsageError
from searchlog.flow.indexing import index_captures
from searchlog.search.providers.archive import PARSER, Archive, run_of_hits
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.search.textindex import TextIndex
from searchlog.snapshot.check import open_sound
from searchlog.stored import Shelf

__all__ = ["SnapshotProvider", "open_shelf"]


class SnapshotProvider:
    """Answers from the pages of one snapshot."""

    FACTS = replace(Archive.FACTS, name="snapshot", title="The pages of a snapshot")

    def __init__(self, index: TextIndex, shelf: Shelf) -> None:
        self._index = index
        self.shelf = shelf
        self.facts = self.FACTS

    def answer(self, query: Query) -> Run:
        """Return the run. Each result says where in which snapshot its page stands."""
        count = min(query.count, self.facts.count_max)
        hits = self._index.search(query.text, count * query.page)
        run = run_of_hits(self.facts, query, hits[count * (query.page - 1) :])
        results = (
            replace(result, extra={**result.extra, "capture_snapshot": self.shelf.name}) for result in run.results
        )
        return replace(run, results=tuple(results), parser=PARSER)


@contextmanager
def open_shelf(
    file: str | PathLike[str], *, progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[SnapshotProvider]:
    """Check a snapshot, and make its pages ready to be searched, for as long as the block lasts.

    progress: called with the number of records checked, and of all. Raises IntegrityError, FormatError for one that is
    not sound, UsageError for one without pages, StoreError.
    """
    expect("file", file, str | PathLike)
    with open_sound(Path(file), progress) as (opened, _), TextIndex() as index:
        storage = opened.storage
        if not index_captures(index, storage.log, storage.blobs):
            raise UsageError(
                f"{opened.path.name} holds no page with its text (profile {opened.description.profile}): nothing can "
                "be searched in it"
            )
        yield SnapshotProvider(index, Shelf(opened.name, storage.log, storage.blobs))
