"""Reading pages side by side: each one alone in its failure, each exactly once, cut at the deadlines."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Decoded, Exchange, Fetch, Framing, Outcome
from searchlog.clock import SystemClock
from searchlog.digest import digest
from searchlog.errors import StoreError
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.pool import InProcess
from searchlog.flow.drafts import page_drafts
from searchlog.flow.read import CUT, PageRead, Reader, Task, unread_reason
from searchlog.ledger import Draft
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.recording import Stored, capture_bodies, conversion_body
from searchlog.records import BlobRef, Note

CLOCK = SystemClock()
BEGIN = Draft(Note(text="cause"), seq=0)


def exchange(url: str, body: bytes = b"<p>tide mill", status: int | None = 200, **fields: Any) -> Exchange:
    made = Exchange(
        method="GET",
        url=url,
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        request_body=b"",
        response_head=b"HTTP/1.1 200 OK\r\n\r\n",
        status=status,
        reason_phrase="OK",
        headers=(("Content-Type", "text/html"),),
        payload=body,
        framing=Framing("length"),
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
        duration_ms=1,
        peer=None,
        outcome=Outcome.COMPLETE,
        decoded=Decoded(body),
    )
    return replace(made, **fields)


def fetched(url: str, **fields: Any) -> Fetch:
    made = exchange(url, **fields)
    return Fetch(url, (made,), made.outcome, made.reason, made.detail)


class Web:
    """Fetches from a dict; a number is seconds to wait, an Event something to wait for, an exception to raise."""

    def __init__(self, **pages: Any) -> None:
        self.pages = pages
        self.asked: list[str] = []
        self.lock = threading.Lock()

    def fetch(self, url: str, deadline: Deadline, *, max_age_s: int | None = None) -> Fetch:
        with self.lock:
            self.asked.append(url)
        page = self.pages.get(url)
        if isinstance(page, Exception):
            raise page
        if isinstance(page, threading.Event):
            page.wait()
        if isinstance(page, float):
            woken = threading.Event()
            deadline.on_cut(woken.set)
            if woken.wait(min(page, deadline.remaining())) or deadline.expired:
                return fetched(url, status=None, body=b"", outcome=Outcome.FAILED, reason="timeout")
        return page if isinstance(page, Fetch) else fetched(url, body=f"<p>tide mill {url}".encode())


def reader(web: Web, **fields: Any) -> Reader:
    given: dict[str, Any] = {"converter": InProcess(), "blobs": MemoryBlobStore(), "threads": 4}
    return Reader(fetcher=web, clock=CLOCK, options=ConvertOptions(), **(given | fields))


def read(made: Reader, urls: list[str], seconds: float = 10.0, **options: Any) -> dict[str, PageRead]:
    """Read these, and assert that each comes exactly once."""
    pages = [page for batch in made.read(map(Task, urls), Deadline(seconds, CLOCK), **options) for page in batch]
    assert sorted(page.task.url for page in pages) == sorted(urls)
    return {page.task.url: page for page in pages}


def reasons(pages: dict[str, PageRead]) -> dict[str, str | None]:
    return {url: unread_reason(page) for url, page in pages.items()}


def test_pages_come_with_their_records_and_their_blobs_are_durable():
    blobs = MemoryBlobStore()
    pages = read(reader(Web(), blobs=blobs), ["a", "b"])
    for url, page in pages.items():
        assert isinstance(page.conversion, Conversion)
        (capture,) = page.captures
        assert (capture.blobs, page.converted.blobs) == ((), ())  # stored already
        assert blobs.get(capture.body.payload.blob) == f"<p>tide mill {url}".encode()
        assert blobs.get(page.converted.body.text.blob) == f"tide mill {url}".encode()
        assert blobs.has(page.converted.body.structure.blob)


def test_payload_that_was_there_before_is_a_revisit():
    blobs = MemoryBlobStore()
    first, again = (read(reader(Web(), blobs=blobs), ["a"])["a"] for _ in range(2))
    assert [page.captures[0].body.revisit for page in (first, again)] == [False, True]


def test_more_pages_than_threads_all_come():
    web = Web()
    urls = [str(number) for number in range(50)]
    assert set(reasons(read(reader(web, threads=2), urls)).values()) == {None}
    assert sorted(web.asked) == sorted(urls)


def test_urls_are_taken_only_as_threads_come_free():
    taken: list[str] = []

    def urls():
        for number in range(100):
            taken.append(str(number))
            yield Task(str(number))

    gate = threading.Event()
    web = Web(**{str(number): gate for number in range(100)})
    pages = reader(web, threads=2).read(urls(), Deadline(10, CLOCK))
    threading.Timer(0.05, gate.set).start()
    first = next(pages)
    assert len(taken) <= 4
    assert len(first) + sum(map(len, pages)) == 100


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (fetched("x", status=404), "http-404"),
        (fetched("x", status=204, body=b""), "no-text"),
        (fetched("x", status=500), "http-500"),
        (fetched("x", status=304), "http-304"),
        (fetched("x", body=b""), "no-text"),
        (fetched("x", body=b"\x89PNG\r\n\x1a\n" + bytes(50)), "no-text-unsupported-type"),
        (fetched("x", status=None, outcome=Outcome.FAILED, reason="timeout"), "failed-timeout"),
        (fetched("x", status=None, outcome=Outcome.FAILED, reason="dns"), "failed-dns"),
        (Fetch("x", (), Outcome.FAILED, "connect"), "failed-connect"),
        (Fetch("x", (), Outcome.REFUSED, "robots"), "refused-robots"),
        (Fetch("x", (exchange("x", status=302),), Outcome.REFUSED, "address"), "refused-address"),
        (fetched("x", outcome=Outcome.TRUNCATED, reason="length"), None),
        (fetched("x", outcome=Outcome.TRUNCATED, reason="disconnect"), None),
    ],
)
def test_reason_of_each_end(page: Fetch, reason: str | None):
    pages = read(reader(Web(x=page)), ["x", "y"])
    assert reasons(pages) == {"x": reason, "y": None}
    assert (pages["x"].conversion is None) == (reason is not None and not reason.startswith("no-text"))


def test_soft_deadline_cuts_once_enough_pages_are_in():
    begin = time.monotonic()
    pages = read(reader(Web(slow=9.0)), ["a", "slow", "b"], soft_s=0.1, enough=2)
    assert 0.09 < time.monotonic() - begin < 2
    assert reasons(pages) == {"a": None, "b": None, "slow": CUT}
    assert pages["slow"].captures[-1].body.reason == "timeout"  # what the wire said
    assert page_drafts(pages["slow"], BEGIN)[-1].body.cut is True
    assert page_drafts(pages["a"], BEGIN)[0].body.cut is None


def test_soft_deadline_waits_for_enough_pages():
    pages = read(reader(Web(slow=0.3, slower=9.0)), ["a", "slow", "slower"], soft_s=0.05, enough=2)
    assert reasons(pages) == {"a": None, "slow": None, "slower": CUT}


def test_pages_that_fail_are_not_enough():
    web = Web(a=fetched("a", status=404), b=fetched("b", status=404), slow=0.3)
    assert reasons(read(reader(web), ["a", "b", "slow"], soft_s=0.05, enough=1))["slow"] is None


def test_hard_deadline_cuts_without_waiting_for_enough():
    pages = read(reader(Web(slow=9.0)), ["a", "slow"], seconds=0.2, soft_s=0.05, enough=2)
    assert reasons(pages) == {"a": None, "slow": CUT}


def test_page_that_times_out_by_itself_before_the_deadline_is_told_so():
    web = Web(x=fetched("x", status=None, outcome=Outcome.FAILED, reason="timeout"), slow=9.0)
    assert reasons(read(reader(web), ["x", "a", "slow"], soft_s=0.1)) == {"x": "failed-timeout", "a": None, "slow": CUT}


def test_thread_that_does_not_come_back_is_left_and_its_page_cut():
    gate = threading.Event()
    try:
        pages = read(reader(Web(stuck=gate)), ["a", "stuck"], soft_s=0.05)
        assert reasons(pages) == {"a": None, "stuck": CUT}
        assert pages["stuck"].captures == []
        (draft,) = page_drafts(pages["stuck"], BEGIN)
        assert (draft.body.reason, draft.body.final, draft.body.cut) == (CUT, True, True)
    finally:
        gate.set()


def test_waiting_pages_are_cut_too_each_once():
    web = Web(**{str(number): 9.0 for number in range(20)})
    assert set(reasons(read(reader(web, threads=1), [str(n) for n in range(20)], seconds=0.1)).values()) == {CUT}


def test_conversion_under_way_is_cut_and_its_capture_kept():
    gate = threading.Event()

    class Slow(InProcess):
        def convert(self, data: bytes, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            if b"slow" in data:
                gate.wait()
            return super().convert(data, *args, **options)

    try:
        pages = read(reader(Web(), converter=Slow()), ["a", "slow"], soft_s=0.1)
        assert reasons(pages) == {"a": None, "slow": CUT}
        assert pages["slow"].captures[-1].body.outcome == "complete"
        assert pages["slow"].converted is None
    finally:
        gate.set()


def test_conversion_that_had_no_time_left_is_cut_not_without_text():
    """A page whose bytes came in at the deadline was told as one that its converter had been too slow for."""

    class Late(InProcess):
        def convert(self, *args: Any, **options: Any) -> Conversion | ConversionFailure:
            time.sleep(0.15)
            return ConversionFailure("timeout", "no time left")

    pages = read(reader(Web(), converter=Late()), ["a"], seconds=0.1)
    assert reasons(pages) == {"a": CUT}


def test_page_is_cut_in_all_its_records_or_in_none():
    """A thread at work when the page was given up could leave records behind whose value was not there yet: the log
    said complete, the decision said cut, and a replay came to another end."""
    capture = capture_bodies(fetched("x"), "page")
    converted = conversion_body("x", digest(b"x"), ConversionFailure("no-text", ""))
    half = PageRead(Task("x"), None, capture, None, converted)
    later = PageRead(Task("y"), fetched("y"), capture, None, converted)
    given = Reader._give_up(reader(Web()), {Future(): half, Future(): later})
    assert [(page.fetch is None, len(page.captures), page.converted, page.cut) for page in given] == [
        (True, 0, None, True),
        (False, 1, None, True),
    ]


def test_stored_page_is_not_fetched():
    web = Web()
    task = Task("x", fetched("x", body=b"<p>stored"), {"via": "archive", "session": "s1", "seq": 3})
    ((page,),) = reader(web).read([task], Deadline(5, CLOCK))
    assert web.asked == []
    assert isinstance(page.conversion, Conversion)
    assert page.captures[-1].body.reused == {"via": "archive", "session": "s1", "seq": 3}


@pytest.mark.parametrize("where", ["fetch", "blobs"])
def test_fault_of_this_machine_is_not_swallowed(where: str):
    class Full(MemoryBlobStore):
        def put(self, blobs):
            raise StoreError("no space left")

    web = Web(x=StoreError("no space left")) if where == "fetch" else Web()
    made = reader(web, blobs=Full() if where == "blobs" else MemoryBlobStore())
    with pytest.raises(StoreError, match="no space"):
        read(made, ["x"])


def test_reading_nothing_gives_nothing():
    assert list(reader(Web()).read([], Deadline(5, CLOCK))) == []


def test_reader_that_is_left_early_cuts_what_is_under_way():
    web = Web(slow=9.0)
    pages = reader(web).read([Task("a"), Task("slow")], Deadline(20, CLOCK))
    next(pages)
    begin = time.monotonic()
    pages.close()
    assert time.monotonic() - begin < 1


def test_record_names_what_was_stored():
    (stored,) = capture_bodies(fetched("x"), "page")
    assert stored == Stored(stored.body, (b"<p>tide mill",))
    assert stored.body.payload == BlobRef(blob=digest(b"<p>tide mill"), bytes=12)


def test_pages_that_hang_free_their_place_for_the_others() -> None:
    """Sixteen hanging pages kept every page behind them waiting for as long as they hung."""
    web = Web(**{f"hang{n}": 3.0 for n in range(6)})
    urls = [f"hang{n}" for n in range(6)] + [f"good{n}" for n in range(6)]
    start = time.monotonic()
    done: dict[str, float] = {}
    for batch in reader(web, threads=2).read([Task(url) for url in urls], Deadline(20, CLOCK)):
        done |= {page.task.url: time.monotonic() - start for page in batch}
    assert set(done) == set(urls)
    assert max(done[f"good{n}"] for n in range(6)) < 2.9


def test_no_more_pages_are_under_way_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchlog.flow.read._SLOW_S", 0.1)
    web = Web(**{f"hang{n}": 1.2 for n in range(12)})
    counts: list[int] = []

    class Watched(Reader):
        def _room(self, under_way: Any) -> int:
            counts.append(len(under_way))
            return Reader._room(self, under_way)

    made = reader(web, threads=1)
    watched = Watched(made.fetcher, made.converter, made.blobs, made.clock, made.options, made.threads)
    batches = watched.read([Task(f"hang{n}") for n in range(12)], Deadline(1.8, CLOCK))
    assert sum(map(len, batches)) == 12
    assert 1 < max(counts) <= 8
