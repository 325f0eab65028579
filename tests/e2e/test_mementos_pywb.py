"""Web archives: a real Memento server on loopback (pywb) is asked for pages near a moment.

pywb is none of our dependencies: `.ci/run` installs it and names its folder in SEARCHLOG_TOOLS. WARC files are built
record by record, pywb indexes and serves them, and what comes back is held against the bytes in them.
"""

from __future__ import annotations

import gzip
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, Outcome
from searchlog.capture.guard import Allow
from searchlog.clock import SystemClock
from searchlog.mementos.ask import Asked, ask, fetch_memento
from searchlog.mementos.pace import Pace
from searchlog.mementos.served import Answer, judge
from searchlog.mementos.source import WebArchive, parse_source
from searchlog.recording import capture_bodies
from tests.pywb_server import TOOLS, WAIT_S, pywb
from tests.warcs import html, http, packed, response

pytestmark = [
    pytest.mark.skipif(
        not (TOOLS / "bin" / "wb-manager").exists(),
        reason="SEARCHLOG_TOOLS names no folder with pywb; .ci/run makes one",
    ),
    pytest.mark.slow,
]

CLOCK = SystemClock()
PAGE = "https://mill.example/tide"
CHINESE = "https://mill.example/%E6%BD%AE%E6%B1%90?a=1&b=%2F"
OLD = html("The mill grinds 40 tons a day.", "Mill")
NEW = html("The mill grinds 14 tons a day.", "Mill")
KIND = "Content-Type: text/html; charset=utf-8"
CAPTURES = (
    (PAGE, "2020-03-01T10:00:00Z", http(OLD, KIND)),
    (PAGE, "2022-06-15T12:30:45Z", http(OLD, KIND, "X-Number: second")),
    (PAGE, "2024-09-30T23:59:59Z", http(NEW, KIND)),
    (CHINESE, "2021-01-01T00:00:00Z", http(html("潮汐磨坊每天磨四十吨。"), KIND)),
    (
        "https://mill.example/packed",
        "2021-01-01T00:00:00Z",
        http(gzip.compress(OLD, mtime=0), KIND, "Content-Encoding: gzip"),
    ),
    (
        "https://mill.example/moved",
        "2021-01-01T00:00:00Z",
        http(b"", "Location: https://mill.example/to", status="301 Moved"),
    ),
    ("https://mill.example/moved-here", "2021-01-01T00:00:00Z", http(b"", "Location: /to", status="301 Moved")),
    ("https://mill.example/to", "2021-01-01T00:00:05Z", http(OLD, KIND)),
    (
        "https://mill.example/astray",
        "2021-01-01T00:00:00Z",
        http(b"", "Location: https://mill.example/no", status="302 Found"),
    ),
    ("https://mill.example/gone", "2021-01-01T00:00:00Z", http(html("Not here."), KIND, status="404 Not Found")),
)


@dataclass(frozen=True)
class Wayback:
    """A running pywb with one collection."""

    archive: WebArchive
    client: Client

    def ask(self, url: str, near: datetime, *without: str) -> Asked:
        archive = replace(self.archive, **dict.fromkeys(without))
        return ask(archive, url, near, self.client, Deadline(30, CLOCK), pace=Pace(CLOCK))

    def fetch(self, asked: Asked) -> Fetch:
        return fetch_memento(asked.mementos[0], self.client, Deadline(30, CLOCK), pace=Pace(CLOCK))


@pytest.fixture(scope="module")
def wayback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wayback]:
    folder = tmp_path_factory.mktemp("pywb")
    warc = folder / "made.warc.gz"
    warc.write_bytes(packed(response(url, block, date=date) for url, date, block in CAPTURES))
    for command in (["init", "mills"], ["add", "mills", str(warc)]):
        subprocess.run(
            [TOOLS / "bin" / "wb-manager", *command], cwd=folder, check=True, timeout=WAIT_S, capture_output=True
        )
    with pywb(folder) as port, Client(clock=CLOCK, allow=Allow.parse([f"127.0.0.1:{port}"])) as client:
        yield Wayback(parse_source(f"pywb=http://127.0.0.1:{port}/mills"), client)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


SERVICES = {
    "all": (),
    "timegate": ("cdx", "timemap"),
    "cdx": ("timegate", "timemap"),
    "timemap": ("timegate", "cdx"),
}


@pytest.mark.parametrize("without", SERVICES.values(), ids=SERVICES)
@pytest.mark.parametrize(
    ("near", "moment", "body"),
    [
        ("2019-01-01T00:00:00", "2020-03-01T10:00:00", OLD),
        ("2020-03-01T10:00:00", "2020-03-01T10:00:00", OLD),
        ("2022-06-14T00:00:00", "2022-06-15T12:30:45", OLD),
        ("2023-08-10T00:00:00", "2024-09-30T23:59:59", NEW),
        ("2026-01-01T00:00:00", "2024-09-30T23:59:59", NEW),
    ],
)
def test_nearest_capture_is_found_and_served_as_it_was_captured(
    wayback: Wayback, near: str, moment: str, body: bytes, without: tuple[str, ...]
) -> None:
    asked = wayback.ask(PAGE, at(near), *without)
    assert asked.outcome is Answer.FOUND, asked
    assert asked.mementos[0].at == at(moment)
    assert asked.mementos[0].original == PAGE
    fetch = wayback.fetch(asked)
    assert fetch.outcome is Outcome.COMPLETE, fetch
    assert fetch.final is not None
    assert fetch.final.decoded.data == body
    served = judge(asked.mementos[0], fetch)
    assert (served.outcome, served.reason, served.status, served.is_raw) == (Answer.FOUND, None, 200, True)
    assert served.memento.at == at(moment)


def test_timemap_lists_three(wayback: Wayback) -> None:
    asked = wayback.ask(PAGE, at("2022-06-15T00:00:00"), "timegate", "cdx")
    assert sorted(item.at for item in asked.mementos) == sorted(
        at(date[:-1]) for url, date, _ in CAPTURES if url == PAGE
    )


def test_index_lists_three_with_status_and_digest(wayback: Wayback) -> None:
    asked = wayback.ask(PAGE, at("2022-06-15T00:00:00"), "timegate", "timemap")
    assert len(asked.mementos) == 3
    assert {item.status for item in asked.mementos} == {200}
    assert all(item.digest for item in asked.mementos)


def test_one_request_is_enough_when_the_timegate_has_it(wayback: Wayback) -> None:
    asked = wayback.ask(PAGE, at("2022-06-14T00:00:00"))
    assert [fetch.hops[0].method for fetch in asked.fetches] == ["GET"]


@pytest.mark.parametrize("without", SERVICES.values(), ids=SERVICES)
def test_unknown_page_is_none(wayback: Wayback, without: tuple[str, ...]) -> None:
    asked = wayback.ask("https://mill.example/never-captured", at("2022-06-14T00:00:00"), *without)
    assert (asked.outcome, asked.mementos) == (Answer.NONE, ()), asked
    assert asked.fetches


@pytest.mark.parametrize("without", SERVICES.values(), ids=SERVICES)
def test_address_with_escapes_and_a_query_is_asked_as_it_is(wayback: Wayback, without: tuple[str, ...]) -> None:
    for url in (CHINESE, "https://mill.example/潮汐?a=1&b=%2F#:~:text=磨坊"):
        asked = wayback.ask(url, at("2021-01-02T00:00:00"), *without)
        fetch = wayback.fetch(asked)
        assert fetch.final is not None
        assert "四十吨" in fetch.final.decoded.data.decode()


def test_packed_page_comes_packed_and_is_unpacked_here(wayback: Wayback) -> None:
    fetch = wayback.fetch(wayback.ask("https://mill.example/packed", at("2021-01-02T00:00:00")))
    assert fetch.final is not None
    assert fetch.final.decoded.codings == ("gzip",)
    assert fetch.final.decoded.data == OLD


@pytest.mark.parametrize("path", ["moved", "moved-here"])
def test_redirect_that_the_page_made_then_is_followed_inside_the_archive(wayback: Wayback, path: str) -> None:
    asked = wayback.ask(f"https://mill.example/{path}", at("2021-01-02T00:00:00"))
    fetch = wayback.fetch(asked)
    assert next(hop.status for hop in fetch.hops if hop.status != 307) == 301
    assert fetch.final is not None
    assert fetch.final.decoded.data == OLD
    served = judge(asked.mementos[0], fetch)
    assert (served.outcome, served.memento.original) == (Answer.FOUND, "https://mill.example/to")


def test_redirect_to_what_was_never_captured_is_no_page(wayback: Wayback) -> None:
    asked = wayback.ask("https://mill.example/astray", at("2021-01-02T00:00:00"))
    served = judge(asked.mementos[0], wayback.fetch(asked))
    assert served.outcome is Answer.NONE


def test_captured_error_page_is_not_the_page(wayback: Wayback) -> None:
    """The TimeGate of pywb answers 200 for it, from the frame around the page; the capture and the index do not."""
    gone, near = "https://mill.example/gone", at("2021-01-02T00:00:00")
    asked = wayback.ask(gone, near)
    assert asked.outcome is Answer.FOUND
    served = judge(asked.mementos[0], wayback.fetch(asked))
    assert (served.outcome, served.reason, served.status) == (Answer.NONE, "captured-error", 404)
    by_index = wayback.ask(gone, near, "timegate", "timemap")
    assert (by_index.outcome, by_index.reason, by_index.mementos) == (Answer.NONE, "captured-error", ())


def test_what_was_asked_becomes_records(wayback: Wayback) -> None:
    asked = wayback.ask(PAGE, at("2022-06-14T00:00:00"))
    fetches = (*asked.fetches, wayback.fetch(asked))
    bodies = [stored.body for fetch in fetches for stored in capture_bodies(fetch, "memento")]
    assert [(body.outcome, body.final) for body in bodies] == [("complete", True), ("complete", True)]
    assert bodies[0].exchange is not None


def test_archive_that_is_not_there_is_unavailable_and_never_none(wayback: Wayback) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    archive = parse_source(f"pywb=http://127.0.0.1:{port}/mills")
    with Client(clock=CLOCK, allow=Allow.parse([f"127.0.0.1:{port}"])) as client:
        asked = ask(archive, PAGE, at("2022-06-14T00:00:00"), client, Deadline(10, CLOCK), pace=Pace(CLOCK))
    assert asked.outcome is Answer.UNAVAILABLE
