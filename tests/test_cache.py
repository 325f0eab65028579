"""The HTTP cache: freshness as the answers state it, bytes only, and every fault a miss."""

from __future__ import annotations

import logging
import pickle
import sqlite3
import stat
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from searchlog.capture import freshness
from searchlog.capture.cache import HttpCache
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Fetch, Framing, Limits, Outcome, RobotsDecision
from searchlog.capture.guard import Allow
from searchlog.capture.message import parse
from searchlog.clock import FixedClock, SystemClock
from tests.wire_server import WireServer

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URL = "http://a.example/x"
POINTER = {"session": "s1", "seq": "7", "captured_at": "2026-01-02T03:04:05.000000Z"}


def exchange(fields: str = "Cache-Control: max-age=60", status: int = 200, **changes: Any) -> Exchange:
    head = f"HTTP/1.1 {status} X\r\n" + "".join(f"{line}\r\n" for line in fields.split("\n") if line) + "\r\n"
    message = parse(head.encode() + b"payload")
    values: dict[str, Any] = {
        "method": "GET",
        "url": URL,
        "request_head": b"GET /x HTTP/1.1\r\nHost: a.example\r\nAccept-Language: en\r\n\r\n",
        "request_body": b"",
        "response_head": message.head,
        "status": status,
        "reason_phrase": "X",
        "headers": message.headers,
        "payload": b"payload",
        "framing": Framing("close"),
        "started_at": NOW,
        "duration_ms": 100,
        "peer": None,
        "outcome": Outcome.COMPLETE,
    }
    return Exchange(**{**values, **changes})


def fetched(*hops: Exchange, **changes: Any) -> Fetch:
    values: dict[str, Any] = {"url": URL, "hops": hops or (exchange(),), "outcome": Outcome.COMPLETE}
    return Fetch(**{**values, **changes})


def date(seconds: int) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def cache(tmp_path: Path, clock: FixedClock) -> Iterator[HttpCache]:
    made = HttpCache(tmp_path / "cache", clock)
    yield made
    made.close()


# -- freshness -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ("Cache-Control: max-age=60", 60),
        ("cache-control: public\nCACHE-CONTROL: private, MAX-AGE=5", 5),
        ('Cache-Control: max-age="7"', 7),
        ("Cache-Control: s-maxage=99", 0),
        ("Cache-Control: max-age=x", 0),
        ("Cache-Control: max-age=-5", 0),
        ("Cache-Control: max-age=99999999999999999999", 2**31),
        (f"Date: {date(0)}\nExpires: {date(30)}", 30),
        (f"Date: {date(-10)}\nExpires: {date(30)}", 40),
        (f"Expires: {date(30)}", 30),
        (f"Cache-Control: max-age=5\nExpires: {date(30)}", 5),
        (f"Date: {date(0)}\nExpires: {date(-30)}", 0),
        ("Expires: 0", 0),
        ("Expires: -1", 0),
        (f"Last-Modified: {date(-86400)}", 0),
        ("", 0),
    ],
)
def test_lifetime_is_what_the_answer_states(fields: str, seconds: int) -> None:
    assert freshness.lifetime_s(exchange(fields)) == seconds


@pytest.mark.parametrize(
    ("fields", "after", "seconds"),
    [
        ("", 0, 0),
        ("", 50, 50),
        ("Age: 10", 50, 60),
        (f"Date: {date(-20)}", 50, 70),
        (f"Age: 30\nDate: {date(-20)}", 50, 80),
        (f"Date: {date(+20)}", 50, 50),
        ("Age: nonsense", 50, 50),
        ("Age: -3", 50, 50),
        ("", -50, 0),
    ],
)
def test_age_counts_from_when_the_answer_was_made(fields: str, after: int, seconds: int) -> None:
    assert freshness.age_s(exchange(fields), NOW + timedelta(seconds=after)) == seconds


@pytest.mark.parametrize(
    "fetch",
    [
        fetched(exchange("Cache-Control: no-store, max-age=60")),
        fetched(exchange("Cache-Control: no-cache")),
        fetched(exchange('Cache-Control: max-age=5, no-cache="x"')),
        fetched(exchange("Cache-Control: max-age=60\nVary: *")),
        fetched(exchange("Cache-Control: max-age=60\nVary: accept, *")),
        fetched(exchange(status=404)),
        fetched(exchange(status=206)),
        fetched(exchange(method="POST")),
        fetched(exchange(outcome=Outcome.TRUNCATED), outcome=Outcome.TRUNCATED),
        fetched(outcome=Outcome.REFUSED),
        fetched(exchange("Location: /\nCache-Control: no-store", status=302), exchange()),
        fetched(exchange("Retry-After: 1", status=429), exchange()),
        Fetch(URL, (), Outcome.REFUSED),
        fetched(cache_hit=POINTER),
    ],
    ids=lambda fetch: f"{[hop.status for hop in fetch.hops]} {fetch.outcome} {fetch.final and fetch.final.headers}",
)
def test_what_may_not_be_kept_is_not(fetch: Fetch, cache: HttpCache) -> None:
    assert not freshness.storable(fetch)
    assert not cache.store(fetch, URL, POINTER)
    assert cache.lookup(URL, (), max_age_s=1000) is None


# -- hits and misses -----------------------------------------------------------------------------------------------


def test_fresh_fetch_comes_back_with_its_pointer(cache: HttpCache, clock: FixedClock) -> None:
    robots = RobotsDecision(True, "allowed", "http://a.example/robots.txt", None, 0.5)
    hops = (exchange("Location: /x\nCache-Control: max-age=90", status=302), exchange())
    fetch = fetched(*hops, robots=robots)
    assert cache.store(fetch, URL, POINTER)
    clock.set(NOW + timedelta(seconds=59))
    hit = cache.lookup(URL, ())
    assert hit is not None
    assert hit.pointer == hit.fetch.cache_hit == POINTER
    assert hit.age_s == 59
    assert (hit.fetch.url, hit.fetch.outcome, hit.fetch.robots) == (URL, Outcome.COMPLETE, robots)
    assert [hop.response_head for hop in hit.fetch.hops] == [hop.response_head for hop in hops]
    assert hit.fetch.final is not None
    assert hit.fetch.final.payload == hit.fetch.final.decoded.data == b"payload"


def test_stale_fetch_is_a_miss(cache: HttpCache, clock: FixedClock) -> None:
    cache.store(fetched(), URL, POINTER)
    clock.set(NOW + timedelta(seconds=60))
    assert cache.lookup(URL, ()) is None


def test_stalest_hop_decides(cache: HttpCache, clock: FixedClock) -> None:
    hops = (exchange("Location: /x\nCache-Control: max-age=10", status=302), exchange())
    cache.store(fetched(*hops), URL, POINTER)
    clock.set(NOW + timedelta(seconds=9))
    assert cache.lookup(URL, ()) is not None
    clock.set(NOW + timedelta(seconds=10))
    assert cache.lookup(URL, ()) is None


def test_caller_may_set_another_age(cache: HttpCache, clock: FixedClock) -> None:
    cache.store(fetched(exchange("")), URL, POINTER)
    clock.set(NOW + timedelta(seconds=100))
    assert cache.lookup(URL, ()) is None
    assert cache.lookup(URL, (), max_age_s=101) is not None
    assert cache.lookup(URL, (), max_age_s=100) is None


def test_answer_that_varies_is_given_for_the_same_request_fields_only(cache: HttpCache) -> None:
    cache.store(fetched(exchange("Cache-Control: max-age=60\nVary: Accept-Language, X-Other")), URL, POINTER)
    assert cache.lookup(URL, (("accept-language", "en"),)) is not None
    assert cache.lookup(URL, (("Accept-Language", "de"),)) is None
    assert cache.lookup(URL, (("Accept-Language", "en"), ("X-Other", "1"))) is None
    assert cache.lookup(URL, ()) is None


def test_newer_fetch_takes_the_place_of_an_older_one(cache: HttpCache) -> None:
    cache.store(fetched(), URL, POINTER)
    cache.store(fetched(exchange(payload=b"newer")), URL, {**POINTER, "seq": "8"})
    hit = cache.lookup(URL, ())
    assert hit is not None
    assert (hit.pointer["seq"], hit.fetch.hops[0].payload) == ("8", b"newer")
    assert cache.lookup(URL + "y", ()) is None


# -- the folder ----------------------------------------------------------------------------------------------------


def test_folder_is_private_and_made_at_first_use(tmp_path: Path, clock: FixedClock) -> None:
    folder = tmp_path / "deep" / "cache"
    cache = HttpCache(folder, clock)
    assert not folder.exists()
    assert cache.lookup(URL, ()) is None
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_fetches_outlive_the_process(tmp_path: Path, clock: FixedClock) -> None:
    HttpCache(tmp_path, clock).store(fetched(), URL, POINTER)
    assert HttpCache(tmp_path, clock).lookup(URL, ()) is not None


def test_deleted_cache_is_a_miss_and_works_on(cache: HttpCache, tmp_path: Path) -> None:
    import shutil

    cache.store(fetched(), URL, POINTER)
    shutil.rmtree(tmp_path / "cache")
    assert cache.lookup(URL, ()) is None
    assert cache.store(fetched(), URL, POINTER)
    assert cache.lookup(URL, ()) is not None


@pytest.mark.parametrize("junk", [b"", b"not a database at all" * 100], ids=["empty", "junk"])
def test_corrupt_database_is_a_miss_and_is_made_anew(tmp_path: Path, clock: FixedClock, junk: bytes) -> None:
    HttpCache(tmp_path, clock).store(fetched(), URL, POINTER)
    for path in tmp_path.glob("cache.db*"):
        path.unlink()
    (tmp_path / "cache.db").write_bytes(junk)
    cache = HttpCache(tmp_path, clock)
    assert cache.lookup(URL, ()) is None
    assert cache.store(fetched(), URL, POINTER)
    assert cache.lookup(URL, ()) is not None


def change_row(folder: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "cache.db")
    with connection:
        assert connection.execute(sql, values).rowcount == 1
    connection.close()


EXPLODED: list[str] = []


class Bomb:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (EXPLODED.append, ("boom",))


@pytest.fixture
def stored(cache: HttpCache, tmp_path: Path) -> Path:
    cache.store(fetched(), URL, POINTER)
    return tmp_path / "cache"


def test_planted_pickle_is_a_miss_and_a_warning_and_runs_nothing(
    stored: Path, cache: HttpCache, caplog: pytest.LogCaptureFixture
) -> None:
    """CVE-2025-69872: diskcache unpickles whatever a row of mode 4 holds."""
    change_row(stored, "UPDATE Cache SET mode = 4, value = ?, filename = NULL", pickle.dumps(Bomb()))
    with caplog.at_level(logging.WARNING):
        assert cache.lookup(URL, ()) is None
    assert EXPLODED == []
    assert "mode 4" in caplog.text


def test_planted_pickle_file_is_a_miss(stored: Path, cache: HttpCache) -> None:
    (stored / "aa").mkdir()
    (stored / "aa" / "bomb.val").write_bytes(pickle.dumps(Bomb()))
    change_row(stored, "UPDATE Cache SET mode = 4, value = NULL, filename = 'aa/bomb.val'")
    assert cache.lookup(URL, ()) is None
    assert EXPLODED == []


def test_planted_path_is_neither_read_nor_deleted(stored: Path, cache: HttpCache, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"private")
    change_row(stored, "UPDATE Cache SET mode = 2, value = NULL, filename = '../outside.txt'")
    assert cache.lookup(URL, ()) is None
    assert cache.store(fetched(), URL, POINTER)
    assert outside.read_bytes() == b"private"


@pytest.mark.parametrize(
    "value",
    [b"", b"{}", b"{}\n", b"[1]\nx", b"\xff\xfe", b'{"v":1}\n', b'{"v":2}\n', b'{"v":1,"hops":1}\n', "text", 5, 1.5],
)
def test_row_of_another_form_is_a_miss(stored: Path, cache: HttpCache, value: object) -> None:
    change_row(stored, "UPDATE Cache SET mode = 1, value = ?, filename = NULL", value)
    assert cache.lookup(URL, ()) is None


def test_changed_payload_is_a_miss(stored: Path, cache: HttpCache) -> None:
    change_row(stored, "UPDATE Cache SET value = CAST(replace(CAST(value AS TEXT), 'payload', 'PAYLOAD') AS BLOB)")
    assert cache.lookup(URL, ()) is None


def test_only_bytes_and_string_keys_are_ever_written(cache: HttpCache) -> None:
    disk = cache._cache().disk
    for write in (
        lambda: disk.store({"a": 1}, False),
        lambda: disk.store("text", False),
        lambda: disk.put(("a", 1)),
        lambda: disk.put(b"a"),
        lambda: disk.get(b"x", False),
    ):
        with pytest.raises(Exception, match="cache"):
            write()


def test_locked_database_is_a_miss(stored: Path, cache: HttpCache) -> None:
    other = sqlite3.connect(stored / "cache.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert not cache.store(fetched(), URL, POINTER)
    other.execute("ROLLBACK")
    other.close()
    assert cache.lookup(URL, ()) is not None


def test_many_threads_may_use_it_at_once(cache: HttpCache) -> None:
    missed: list[str] = []

    def work(number: int) -> None:
        url = f"{URL}/{number}"
        for _ in range(3):
            cache.store(fetched(exchange(payload=url.encode())), url, POINTER)
            hit = cache.lookup(url, ())
            if hit is None or hit.fetch.hops[0].payload != url.encode():
                missed.append(url)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []


# -- with the client -----------------------------------------------------------------------------------------------


def test_client_asks_the_cache_first_and_remembers_what_was_logged(tmp_path: Path) -> None:
    clock = SystemClock()
    page = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Language\r\nContent-Length: 2\r\n\r\nhi"
    with WireServer({"/x": [page]}) as server:
        allow = Allow.parse([f"127.0.0.1:{server.port}"])
        with Client(clock=clock, allow=allow, robots="ignore", cache=HttpCache(tmp_path, clock)) as client:
            first = client.fetch(server.url("/x#part"), Deadline(5, clock))
            assert first.cache_hit is None
            assert client.remember(first, POINTER)
            second = client.fetch(server.url("/x#other"), Deadline(5, clock))
            fresh = client.fetch(server.url("/x"), Deadline(5, clock), max_age_s=0)
    assert second.cache_hit == POINTER
    assert second.url == server.url("/x#other")
    assert second.hops == first.hops
    assert fresh.cache_hit is None
    assert len(server.requests) == 2


def test_client_without_cache_remembers_nothing() -> None:
    with Client(clock=SystemClock()) as client:
        assert not client.remember(fetched(), POINTER)


def test_hit_is_held_to_the_limits_of_this_fetch(cache: HttpCache) -> None:
    cache.store(fetched(), URL, POINTER)
    hit = cache.lookup(URL, (), limits=Limits(decoded_bytes_max=3))
    assert hit is not None
    assert hit.fetch.hops[0].decoded.data == b"pay"
