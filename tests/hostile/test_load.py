"""Two hundred fetches at once, half of them hostile: each is told, and the honest ones do not wait for the others."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from searchlog.capture.exchange import Limits
from searchlog.records import Capture
from searchlog.session import Progress
from tests.hostile.case import CAPTURED, Case, answer, page
from tests.hostile.catalogue import CASES
from tests.hostile.server import Asked, Connection, HostileWeb
from tests.searches import bodies, check_clean, opened


def _honest(c: Connection, asked: Asked) -> None:
    c.send(answer(page(asked.rest)))


@pytest.mark.slow
def test_each_fetch_is_told_and_honest_ones_do_not_wait(tmp_path: Path) -> None:
    names = ["drip-body", "silent", "drip-head", "interim-drip"]
    with HostileWeb([*CASES, Case("honest", "control", "", (CAPTURED,), _honest)]) as web:
        urls = [url for n in range(100) for url in (f"{web.a}/{names[n % 4]}/{n}", f"{web.b}/honest/{n}")]
        done: dict[str, float] = {}
        start = time.monotonic()

        def on(progress: Progress) -> None:
            done[progress.text.rpartition(": ")[0]] = time.monotonic() - start

        with opened(tmp_path / "archive", in_process=False) as archive:
            session = archive.session()
            limits = Limits(total_s=8, coded_bytes_max=1_000_000)
            pages = session.fetch_many(urls, limits=limits, allow_private=web.allow, progress=on)
            took = time.monotonic() - start
            captured = {body.asked for body in bodies(session, Capture) if body.purpose == "page"}
            check_clean(session)
        assert captured == set(urls)
        ends = Counter((urlsplit(page.asked).path.split("/")[1], page.outcome) for page in pages)
        assert ends["honest", "complete"] == 100
        assert sum(count for (name, outcome), count in ends.items() if outcome == "complete") == 100, ends
        honest = sorted(seconds for url, seconds in done.items() if "/honest/" in url)
        print(f"honest: median {honest[50]:.2f} s, last {honest[-1]:.2f} s; all {took:.1f} s")
        # they wait for none of the hostile ones, which take 8 s each, 16 at once
        assert honest[-1] < 8
