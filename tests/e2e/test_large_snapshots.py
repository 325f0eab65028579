"""A session of 500 pages leaves and comes in without being held: the peak of memory does not grow with the pages.

Each command runs in a process of its own, and its peak is what the system says of it. A tenth of the pages is the
measure: what is held once (libraries, the lines of the log) stands in both.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import searchlog
from searchlog.capture.exchange import Decoded, Exchange, Fetch, Framing, Outcome
from searchlog.clock import FixedClock
from searchlog.digest import digest
from searchlog.extract.conversion import Conversion, Metadata
from searchlog.ledger import Draft
from searchlog.recording import capture_bodies, conversion_body
from searchlog.records import Turn

PAGES = 500
PAGE_BYTES = 300_000
GROWTH_MAX = 24_000_000
"""Bytes of peak memory that 450 pages more, of 135 MB, may cost: their lines in the log, and what the system rounds."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def page(number: int) -> tuple[Exchange, str]:
    """Return an answer of its own bytes, chunked every third time, and a text for it."""
    chance = random.Random(number)
    payload = chance.randbytes(PAGE_BYTES)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    if number % 3:
        framing = Framing("length")
        head += b"Content-Length: %d\r\n\r\n" % PAGE_BYTES
    else:
        half = PAGE_BYTES // 2
        size = b"%x\r\n" % half
        framing = Framing("chunked", ((size, half), (b"\r\n" + size, half)), b"\r\n0\r\n\r\n")
        head += b"Transfer-Encoding: chunked\r\n\r\n"
    exchange = Exchange(
        method="GET",
        url=f"https://site.example/{number}",
        request_head=b"GET /%d HTTP/1.1\r\nHost: site.example\r\n\r\n" % number,
        request_body=b"",
        response_head=head,
        status=200,
        reason_phrase="OK",
        headers=(("Content-Type", "text/html"),),
        payload=payload,
        framing=framing,
        started_at=FixedClock().now() + timedelta(seconds=number),
        duration_ms=1,
        peer=None,
        outcome=Outcome.COMPLETE,
        decoded=Decoded(payload),
    )
    return exchange, f"page {number}: " + payload[:20_000].hex()


def archive_of(folder: Path, pages: int) -> None:
    with searchlog.open(folder) as archive:
        session = archive.session(title=f"{pages} pages")
        with session.ledger.turn("fetch") as turn:
            for number in range(pages):
                exchange, text = page(number)
                fetch = Fetch(exchange.url, (exchange,), Outcome.COMPLETE)
                (capture,) = capture_bodies(fetch, "page")
                conversion = Conversion(text, (), Metadata(), "text/3")
                made = conversion_body(exchange.url, digest(exchange.payload), conversion)
                session.ledger.blobs.put([*capture.blobs, *made.blobs])
                first = Draft(capture.body, (turn.begin,))
                turn.add([first, Draft(made.body, (first,))])
            turn.end(lambda _: (None, []), Turn(state="end", outcome="ok"))


def peak(*args: str) -> int:
    """Run a command of searchlog and return the peak of its memory in bytes."""
    code = (
        "import resource, sys\nfrom searchlog.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    unit = 1 if sys.platform == "darwin" else 1024
    return int(done.stderr.split()[-1]) * unit


def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    peaks: dict[int, dict[str, int]] = {}
    for pages in (PAGES // 10, PAGES):
        mine, file, theirs = tmp_path / f"mine-{pages}", tmp_path / f"{pages}.wacz", tmp_path / f"theirs-{pages}"
        archive_of(mine, pages)
        peaks[pages] = {
            "export": peak("export", "--archive", str(mine), "-o", str(file), "-q"),
            "verify": peak("verify", str(file), "-q"),
            "import": peak("import", str(file), "--archive", str(theirs), "-q"),
        }
        assert file.stat().st_size > pages * PAGE_BYTES
    growth = {name: peaks[PAGES][name] - peaks[PAGES // 10][name] for name in peaks[PAGES]}
    assert max(growth.values()) < GROWTH_MAX, (growth, peaks)


def test_the_measure_sees_what_is_held() -> None:
    """The peak of a process that holds as much as the pages is told as such."""
    code = f"held = bytes({PAGE_BYTES * 450}).replace(bytes(1), bytes([1])); print(len(held))"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    unit = 1 if sys.platform == "darwin" else 1024
    assert max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * unit > GROWTH_MAX * 4
