"""Kill -9 at random moments: what was acknowledged is there, the log is clean, the next search works.

A child process searches the demo site without end and prints each head that it was given; this process serves the
site, kills the child, and looks at what is left. SEARCHLOG_KILLS says how often: 200 for a full run (about five
minutes on two cores), 20 when it is not set, so that the plain run takes less than forty seconds.
"""

from __future__ import annotations

import base64
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from searchlog.archive import Archive
from searchlog.demo.server import DemoSite
from searchlog.log.checkpoint import Checkpoint
from searchlog.records import Turn
from searchlog.search import registry
from searchlog.verify.derivation import verify_passages
from searchlog.verify.store import verify_session
from tests.searches import bodies, opened

ROOT = Path(__file__).parent.parent.parent
KILLS = int(os.environ.get("SEARCHLOG_KILLS", "20"))
SESSION_KILLS = 8
"""Kills after which a new session is begun, so that verification stays short."""


@dataclass
class Tally:
    """What happened over all kills."""

    kills: int = 0
    acknowledged: int = 0
    cut_turns: int = 0
    records: int = 0
    unacknowledged: int = 0
    """Records that were stored although nobody was told of them any more: whole batches of a cut turn."""
    while_opening: int = 0
    stages: dict[str, int] = field(default_factory=dict)
    """Kind of the last record before the kill."""


def killed(archive: Path, session: str, site: DemoSite, draw: random.Random) -> list[Checkpoint]:
    """Run the child, kill it at a random moment, and return the heads that it acknowledged."""
    command = [sys.executable, "-m", "tests.e2e.kill_child", str(archive), session, site.search_url]
    child = subprocess.Popen(
        [*command, str(draw.random())], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None
    told = ""
    if draw.random() < 0.9:
        told = child.stdout.readline()
        assert told, "the child ended by itself"
        time.sleep(draw.uniform(0, 1.0))
    else:
        time.sleep(draw.uniform(0.3, 0.8))  # while it opens the archive, more often than not
    assert child.poll() is None, "the child ended by itself"
    child.send_signal(signal.SIGKILL)
    told += child.stdout.read()
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    return [head_of(line) for line in told.splitlines(keepends=True) if line.endswith("\n")]


def head_of(line: str) -> Checkpoint:
    *_, origin, size, root = line.split()
    return Checkpoint(origin, int(size), base64.b64decode(root))


def check(archive: Archive, name: str, heads: list[Checkpoint], site: DemoSite, tally: Tally) -> None:
    """Assert all that must hold after a kill."""
    storage = archive.resources.storage
    report = verify_session(storage.log, storage.blobs, name, heads=heads)
    assert report.findings == []
    assert report.level == ("L2" if heads else "L0")
    left_open = report.not_checked.pop("turns under way or cut off", 0)
    assert report.not_checked == {}
    assert left_open <= 1
    tally.cut_turns += left_open
    tally.acknowledged += len(heads)
    tally.while_opening += not heads
    last = list(archive.ledger(name).records())[-1]
    stage = "between turns" if last.kind in ("session", "turn") and not left_open else last.kind
    tally.stages[stage] = tally.stages.get(stage, 0) + 1
    tally.unacknowledged += report.size - max((head.size for head in heads), default=report.size)

    session = archive.session(name)  # closes the cut turn
    ends = bodies(session, Turn)
    begun = [body for body in ends if body.state == "begin"]
    assert len(ends) == 2 * len(begun)
    if left_open:
        assert (ends[-1].state, ends[-1].reason) == ("discarded", "interrupted")
    options = registry.Options(endpoints={"searxng": site.search_url})
    search = session.search(
        site.queries[0].query, providers=["searxng"], registry_options=options, allow_private=("127.0.0.1",), pages=2
    )
    assert search.evidence
    after = verify_session(storage.log, storage.blobs, name, heads=[*heads, search.head])
    assert (after.findings, after.not_checked, after.level) == ([], {}, "L2")


@pytest.mark.slow
@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_nothing_acknowledged_is_lost_when_a_search_is_killed(tmp_path: Path):
    seed = os.environ.get("SEARCHLOG_KILLS_SEED", "20260102")
    draw, tally, begin = random.Random(seed), Tally(), time.monotonic()
    folder = tmp_path / "archive"
    with DemoSite() as site:
        while tally.kills < KILLS:
            with opened(folder) as archive:
                name = archive.session().id
            for _ in range(min(SESSION_KILLS, KILLS - tally.kills)):
                heads = killed(folder, name, site, draw)
                with opened(folder) as archive:
                    check(archive, name, heads, site, tally)
                tally.kills += 1
            with opened(folder) as archive:
                ledger = archive.ledger(name)
                passages = verify_passages(ledger, archive.resources.pool)
                assert passages.findings == []
                assert passages.checked["passages"] > 0
                tally.records += ledger.checkpoint().size
    with opened(folder) as archive:
        # killed between the making of a lease and the record that names it: the file is left, and nobody holds it
        assert all(archive.resources.storage.leases.is_free(path.stem) for path in (folder / "leases").iterdir())
    assert tally.acknowledged >= KILLS / 2
    print(f"seed {seed}, {time.monotonic() - begin:.0f} s: {tally}")
