"""Cassettes: recorded sessions kept in the repository, read into memory and replayed by tests.

    cassettes/NAME/
      README.md       when and why it was recorded, and how to renew it
      session.log     the lines of the session, one a line, as they were appended
      checkpoint      its head
      blobs/sha256/…  every blob that the lines name

`lighthouse` holds whole searches; a cassette named after a provider holds its answers, see `tests.provider_cassettes`.
Run `python -m tests.cassette NAME` to record one of searches anew against the demo site; its README is kept.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import searchlog
from searchlog.clock import SystemClock, SystemIds
from searchlog.demo.server import DemoSite
from searchlog.digest import parse
from searchlog.ledger import Ledger
from searchlog.log.blobs.folder import FolderBlobStore
from searchlog.log.checkpoint import Checkpoint, format_checkpoint, parse_checkpoint
from searchlog.log.lease import MemoryLeases
from searchlog.log.store.memory import MemoryLogStore
from searchlog.search.registry import Options
from searchlog.verify.contents import blob_refs

CASSETTES = Path(__file__).parent.parent / "cassettes"
QUERIES = ("first Fresnel lens lighthouse", "江心屿双塔建于哪一年", "どの灯台がいちばん古いですか", "مناره الإسكندرية")


def load(name: str) -> tuple[Ledger, Checkpoint]:
    """Return the session of a cassette as a ledger in memory over its own blobs, and the head it was recorded with."""
    folder = CASSETTES / name
    head = parse_checkpoint((folder / "checkpoint").read_text(encoding="utf-8"))
    lines = (folder / "session.log").read_bytes().removesuffix(b"\n").split(b"\n")
    log = MemoryLogStore()
    log.append(head.session, lines, 0)
    blobs = FolderBlobStore(folder / "blobs")
    ledger = Ledger(head.session, log, blobs, clock=SystemClock(), ids=SystemIds(), leases=MemoryLeases())
    return ledger, head


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
        shutil.rmtree(folder / "blobs", ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        lines = [item.line for item in session.ledger.log.get(session.id) if item.line is not None]
        (folder / "session.log").write_bytes(b"".join(line + b"\n" for line in lines))
        (folder / "checkpoint").write_text(format_checkpoint(session.head), encoding="utf-8")
        named = {ref["blob"] for item in session.records() for ref in blob_refs(item.envelope.body)}
        FolderBlobStore(folder / "blobs").put([session.ledger.blobs.get(parse(digest)) for digest in sorted(named)])


if __name__ == "__main__":
    record(sys.argv[1])
