"""What verification costs: each blob is hashed once, and memory does not grow with the passages."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from searchlog import records
from searchlog.archive import Archive
from searchlog.digest import Digest, text_digest
from searchlog.extract.pool import InProcess
from searchlog.ledger import Draft, Ledger
from searchlog.log.store.base import StoredLine
from searchlog.log.store.memory import MemoryLogStore
from searchlog.verify.derivation import verify_passages
from searchlog.verify.lines import pages_of
from searchlog.verify.passages import store_verdicts
from searchlog.verify.store import verify_session
from tests.searches import TEXTS, ask, opened, pages
from tests.sites import serve

GROWTH_MAX = 600
"""Bytes that one passage more may cost, its line having 2,500: its id, its place, and what dictionaries leave free. The
store axis has about 400, the derivation axis 10."""


class Counting:
    """A blob store that counts what is read."""

    def __init__(self, blobs: Any) -> None:
        self._blobs = blobs
        self.read: Counter[str] = Counter()

    def get(self, name: Digest) -> bytes:
        self.read[name] += 1
        return bytes(self._blobs.get(name))


def test_each_blob_is_read_and_hashed_once():
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        for places in (["/mill", "/gate", "/pond"], list(TEXTS)):
            ask(session, site, "tide mill gate pond", places)
        counting = Counting(session.ledger.blobs)
        report = verify_session(session.ledger.log, counting, session.id)  # type: ignore[arg-type]
    assert report.findings == []
    assert set(counting.read.values()) == {1}
    assert len(counting.read) == report.checked["blobs"]


TEXT = " ".join(f"The tide mill number {number} stores the flood in its pond." for number in range(1200))


def crowded(archive: Archive, count: int) -> Ledger:
    """Return a session with that many passages more of one page, each of a kilobyte."""
    with serve(pages({"/mill": TEXT})) as site:
        session = archive.session()
        ask(session, site, places=["/mill"])
    conversion = next(record for record in session.records() if isinstance(record.body, records.Conversion))
    real = next(record.body for record in session.records() if isinstance(record.body, records.Evidence))
    for number in range(count):
        start = number * 20
        exact = TEXT[start : start + 1000]
        body = real.model_copy(
            update={
                "id": f"e{number + 100}",
                "exact": exact,
                "prefix": TEXT[max(0, start - 64) : start],
                "suffix": TEXT[start + len(exact) : start + len(exact) + 64],
                "start": start,
                "end": start + len(exact),
                "digest": text_digest(exact),
            }
        )
        session.ledger.add([Draft(body, (conversion.seq,))])
    return session.ledger


def peak(work: Callable[[Ledger], None], made: Ledger) -> int:
    """Return the most bytes of Python's own memory that are held at one time."""
    tracemalloc.start()
    try:
        work(made)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def store(made: Ledger) -> None:
    report = verify_session(made.log, made.blobs, made.session)
    assert report.findings == []
    assert {one.state for one in store_verdicts(report, made)} == {"intact"}


def derivation(made: Ledger) -> None:
    report = verify_passages(made, InProcess())
    assert list(report.states) == ["at-offsets"]


@pytest.mark.parametrize("work", [store, derivation])
def test_memory_does_not_grow_with_the_passages(work: Callable[[Ledger], None]):
    """All lines, and the body of each piece of evidence, were held until the end: 6.7 kilobytes a passage."""
    with opened() as archive:
        few, many = crowded(archive, 300), crowded(archive, 1500)
        work(few)  # what is made once
        grown = peak(work, many) - peak(work, few)
    assert grown < 1200 * GROWTH_MAX, grown


# --- lines, a page at a time


class Log(MemoryLogStore):
    """A log of lines that are numbers, with gaps, in which somebody appends while it is read."""

    def __init__(self, places: list[int], grows: int = 0) -> None:
        super().__init__()
        self.places, self.grows, self.asked = places, grows, 0

    def get(self, session: str, start: int = 0, end: int | None = None) -> list[StoredLine]:
        self.asked += 1
        found = [n for n in self.places if n >= start and (end is None or n < end)]
        self.places = self.places + [self.places[-1] + 1 + n for n in range(self.grows)]
        return [StoredLine(b"", str(n).encode()) for n in found]


def read(log: Log) -> list[int]:
    return [int(item.line or b"") for page in pages_of(log, "s") for item in page]


def test_lines_come_in_order_whatever_their_number():
    for size in (0, 1, 255, 256, 257, 511, 512, 513, 2000):
        assert read(Log(list(range(size)))) == list(range(size))


def test_lines_behind_a_gap_come_as_well():
    for gap in (1, 5, 255, 256, 257, 1000):
        for first in (1, 200, 256, 300):
            places = [*range(first), *range(first + gap, first + gap + 400)]
            assert read(Log(places)) == places


def test_lines_that_are_appended_meanwhile_leave_no_hole():
    for first in (1, 250, 256, 500):
        for grows in (1, 3, 10):
            found = read(Log(list(range(first)), grows))
            assert found == list(range(len(found)))
            assert len(found) >= first


def test_log_that_grows_faster_than_it_is_read_is_read_as_far_as_it_goes():
    """A writer as fast as the reader would keep it for ever: here it stops after some time."""
    log = Log(list(range(10)), 300)
    seen = 0
    for page in pages_of(log, "s"):
        seen += len(page)
        if seen > 3000:
            log.grows = 0
    assert seen == len(log.places)
