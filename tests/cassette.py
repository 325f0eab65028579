"""Cassettes: recorded sessions kept in the repository, read into memory and replayed by tests.

    cassettes/NAME/
      README.md       when and why it was recorded, how to renew it, and the snapshot's name
      NAME.wacz       the session, as `searchlog export` writes it

`lighthouse` holds whole searches; a cassette named after a provider holds its answers, see `tests.provider_cassettes`.
Run `python -m tests.cassette NAME` to record one of searches anew against the demo site; its README is kept.
"""

from __future__ import annotations

import atexit
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import searchlog
from searchlog.clock import SystemClock, SystemIds
from searchlog.demo.server import DemoSite
from searchlog.ledger import Ledger
from searchlog.log.checkpoint import Checkpoint
from searchlog.log.lease import MemoryLeases
from searchlog.search.registry import Options
from searchlog.secrecy import secrets_of
from searchlog.snapshot.export import write_snapshot
from searchlog.snapshot.opened import Opened, open_snapshot
from searchlog.snapshot.plan import Choice, plan

CASSETTES = Path(__file__).parent.parent / "cassettes"
_NAME = re.compile(r"^Snapshot: `(sha256:[0-9a-f]{64})`\n?", re.MULTILINE)
QUERIES = ("first Fresnel lens lighthouse", "江心屿双塔建于哪一年", "どの灯台がいちばん古いですか", "مناره الإسكندرية")


def load(name: str) -> tuple[Ledger, Checkpoint]:
    """Return the session of a cassette as a ledger over the snapshot itself, and the head that it was recorded with.

    Its name is the one that its README tells, which was written down when it was recorded.
    """
    opened = _opened(name)
    if opened.name != told_name(name):
        raise AssertionError(f"cassette {name} is {opened.name}, and its README says {told_name(name)}")
    storage = opened.storage
    ledger = Ledger(
        opened.description.session,
        storage.log,
        storage.blobs,
        clock=SystemClock(),
        ids=SystemIds(),
        leases=MemoryLeases(),
    )
    return ledger, opened.checkpoint


@cache
def _opened(name: str) -> Opened:
    """Return a cassette's snapshot, open for as long as the process lives."""
    opened = open_snapshot(path_of(name))
    atexit.register(opened.close)
    return opened


def path_of(name: str) -> Path:
    """Return the snapshot of a cassette."""
    return CASSETTES / name / f"{name}.wacz"


def told_name(name: str) -> str:
    """Return the name of the snapshot as the cassette's README tells it."""
    told = _NAME.findall((CASSETTES / name / "README.md").read_text(encoding="utf-8"))
    return told[-1] if told else ""


def write(ledger: Ledger, folder: Path, readme: str) -> None:
    """Write the cassette of a session: its snapshot, and the README with the snapshot's name."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{folder.name}.wacz").open("wb+") as file:
        made = write_snapshot(file, plan(ledger, Choice(), secrets_of(())), ledger.blobs)
    text = _NAME.sub("", readme).rstrip() + f"\n\nSnapshot: `{made.name}`\n"
    (folder / "README.md").write_text(text, encoding="utf-8")


def record(name: str) -> None:
    """Search the demo site and keep the session as a cassette."""
    folder = CASSETTES / name
    with tempfile.TemporaryDirectory() as place, DemoSite() as site, searchlog.open(place) as archive:
        session = archive.session(title=f"cassette {name}")
        for query in QUERIES:
            session.search(
                query,
                providers=["searxng"],
                registry_options=Options(endpoints={"searxng": site.search_url}),
                allow_private=(site.url.removeprefix("http://"),),
                budget_tokens=1500,
            )
        write(session.ledger, folder, (folder / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    record(sys.argv[1])
