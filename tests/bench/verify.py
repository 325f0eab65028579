"""What it costs to verify offline: seconds and peak memory of the store axis and the derivation axis.

    python -m tests.bench.verify [FOLDER…] [--pages N] [--passages N,N]

Pages are those of the folders (see `stored_pages`; without one the sample of the tests), gone through again with a
comment at the end until there are enough, each of its own bytes. Passages are cut as a search cuts them and stand in
the log as a search hands them over: ranked, those of all pages mixed. Each axis runs in a process of its own; its peak
is what the system says of it, the workers apart. `nothing` opens the archive and does no more.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import searchlog
from searchlog.archive import Archive
from searchlog.capture.exchange import Decoded, Exchange, Fetch, Framing, Outcome
from searchlog.clock import FixedClock
from searchlog.digest import digest, text_digest
from searchlog.evidence.build import build_evidence
from searchlog.evidence.passage import Passage, Source
from searchlog.evidence.passages import passages
from searchlog.evidence.policy import Chosen, Policy
from searchlog.evidence.select import Selection
from searchlog.extract.conversion import Conversion
from searchlog.extract.convert import convert
from searchlog.ledger import Draft
from searchlog.recording import capture_bodies, conversion_body, evidence_body
from searchlog.verify.derivation import verify_passages
from searchlog.verify.passages import store_verdicts
from searchlog.verify.store import verify_session
from tests.bench import measure, stored_pages

SAMPLE = Path(__file__).parents[1] / "data" / "quality"


def exchange_of(url: str, payload: bytes) -> Exchange:
    """Return the exchange that gave a page."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(payload)
    return Exchange(
        method="GET",
        url=url,
        request_head=b"GET / HTTP/1.1\r\nHost: page.example\r\n\r\n",
        request_body=b"",
        response_head=head,
        status=200,
        reason_phrase="OK",
        headers=(("Content-Type", "text/html"),),
        payload=payload,
        framing=Framing("length"),
        started_at=FixedClock().now() + timedelta(seconds=1),
        duration_ms=1,
        peer=None,
        outcome=Outcome.COMPLETE,
        decoded=Decoded(payload),
    )


def build(folder: Path, sources: list[stored_pages.StoredPage], page_count: int, passage_count: int) -> dict[str, Any]:
    """Make an archive with one session of so many pages and passages; return what is in it."""
    chance = random.Random(1)
    cut: list[tuple[int, Source, Draft, Passage]] = []
    total = 0
    with searchlog.open(folder) as archive:
        session = archive.session()
        with session.ledger.turn("search") as turn:
            for number, page in zip(range(page_count), cycle(sources), strict=False):
                payload = page.data + b"\n<!-- %d -->" % number
                url = f"https://page.example/{number}"
                conversion = convert(payload, content_type="text/html", url=url)
                if not isinstance(conversion, Conversion):
                    raise SystemExit(f"{page.name} gives no text: {conversion.reason}")
                exchange = exchange_of(url, payload)
                (capture,) = capture_bodies(Fetch(url, (exchange,), Outcome.COMPLETE), "page")
                stored = conversion_body(url, digest(payload), conversion)
                session.ledger.blobs.put([*capture.blobs, *stored.blobs])
                total += len(payload)
                first = Draft(capture.body, (turn.begin,))
                second = Draft(stored.body, (first,))
                turn.add([first, second])
                source = Source(
                    url=url,
                    title=conversion.metadata.title or "",
                    text=conversion.text,
                    text_digest=text_digest(conversion.text),
                    payload_digest=digest(payload),
                    captured_at=getattr(capture.body, "captured_at", "") or "",
                    published=conversion.metadata.published.date if conversion.metadata.published else None,
                    published_source=conversion.metadata.published.source if conversion.metadata.published else None,
                    published_sure=conversion.metadata.published.sure if conversion.metadata.published else "",
                )
                mine = passages(0, conversion)
                chance.shuffle(mine)
                cut += [(rank, source, second, item) for rank, item in enumerate(mine)]
            # all pages give as many as they have, none much more than the others
            chance.shuffle(cut)
            cut = sorted(sorted(cut, key=lambda one: one[0])[:passage_count], key=lambda one: chance.random())
            pieces = [
                (build_evidence(_selected(item, number), [source], number)[0], converted)
                for number, (_, source, converted, item) in enumerate(cut, 1)
            ]
            turn.add([Draft(evidence_body(piece), (converted,)) for piece, converted in pieces])
            turn.end(lambda state: (None, []), searchlog.records.Turn(state="end", outcome="ok"))
    return {"passages": len(pieces), "pages": page_count, "bytes": total}


def _selected(item: Passage, number: int) -> Selection:
    chosen = Chosen(Passage(0, item.start, item.end, item.headings, item.labels), number, "1", 100)
    return Selection((), Policy(), (chosen,), ())


def run(axis: str, folder: Path) -> dict[str, Any]:
    """Run one axis over the session in a folder."""
    with searchlog.open(folder) as archive:
        session = archive.find("latest")
        start, cpu = time.perf_counter(), time.process_time()
        outcome = _checked(axis, archive, session)
        return {
            "s": time.perf_counter() - start,
            "cpu": time.process_time() - cpu,
            "outcome": outcome,
            "mb": measure.peak_mb(),
            "workers": measure.worker_peaks_mb(),
        }


def _checked(axis: str, archive: Archive, session: str) -> str:
    storage = archive.resources.storage
    if axis == "store":
        report = verify_session(storage.log, storage.blobs, session)
        told = sum(1 for _ in store_verdicts(report, archive.ledger(session)))
        return f"{report.outcome}, {told} {report.state}"
    if axis == "derivation":
        report = verify_passages(archive.ledger(session), archive.resources.pool)
        return f"{report.outcome}, {' '.join(f'{count} {state}' for state, count in report.states.items())}"
    return "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--passages", default="1000,4000")
    parser.add_argument("--run", nargs=2, metavar=("AXIS", "ARCHIVE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        print(json.dumps(run(args.run[0], Path(args.run[1]))))
        return
    folders = args.folders or [SAMPLE / name for name in ("extraction", "headq", "docs")]
    sources = [page for page in stored_pages.load(folders) if page.conversion() is not None]
    rows = []
    for count in map(int, args.passages.split(",")):
        with tempfile.TemporaryDirectory() as place:
            made = build(Path(place) / "archive", sources, args.pages, count)
            for axis in ("nothing", "store", "derivation"):
                found = measure.isolated("tests.bench.verify", "--run", axis, str(Path(place) / "archive"))
                if isinstance(found, str):
                    sys.exit(found)
                workers = " + ".join(f"{mb:.0f}" for mb in found["workers"]) or None
                times = f"{found['s']:.2f}", f"{found['cpu']:.2f}"
                rows.append((axis, made["pages"], made["passages"], found["outcome"], *times, found["mb"], workers))
        print(f"{made['pages']} pages, {made['bytes'] / 1e6:.1f} MB; {made['passages']} passages")
    print(measure.table(("axis", "pages", "passages", "outcome", "s", "main CPU s", "main MB", "workers MB"), rows))


if __name__ == "__main__":
    main()
