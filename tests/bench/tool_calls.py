"""What a tool call costs apart from network and extraction: milliseconds for records, evidence and the reply.

    python -m tests.bench.tool_calls [--calls N] [--records N]

An archive on disk, all of it durable (fsync). `again` is an equal query of the session, `open` and `find` read a stored
page, `bad` has arguments that cannot be, `handle` takes a whole response in an API's form and keeps what it says.
--records: how many records the session holds before, since every call must know what was given.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from searchlog.ledger import Draft
from searchlog.records import Note
from searchlog.tool.apis.known import APIS
from tests.test_tool_handle import SEARCH, calling
from tests.test_tool_search import at_work


def timed(work: Callable[[int], Any], calls: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of one call, in milliseconds."""
    taken = []
    for number in range(calls):
        begun = time.perf_counter()
        work(number)
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]


def main() -> None:
    """Print one line a kind of call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--records", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, at_work(Path(folder) / "archive") as (_, _, session, tool):
        tool.call(*SEARCH)
        for start in range(0, options.records, 1000):
            notes = [Draft(Note(text=f"note {start + n}")) for n in range(min(1000, options.records - start))]
            session.ledger.add(notes)
        begun = time.perf_counter()
        tool.call(*SEARCH)
        print(f"first call over {session.head.size} records {(time.perf_counter() - begun) * 1000:8.1f} ms")
        kinds: dict[str, Callable[[int], Any]] = {
            "again": lambda _: tool.call(*SEARCH),
            "open": lambda _: tool.call("open_page", {"page": "e1"}),
            "find": lambda _: tool.call("find_in_page", {"page": "e1", "words": "tide"}),
            "bad": lambda _: tool.call("find_in_page", {}),
        }
        for api in APIS:
            kinds[f"handle {api}"] = lambda _, api=api: tool.handle(api, calling(api, SEARCH))  # type: ignore[misc]
        print(f"{'a call':30} {'median ms':>10} {'95 % ms':>10}")
        for name, work in kinds.items():
            median, high = timed(work, options.calls)
            print(f"{name:30} {median:10.1f} {high:10.1f}")


if __name__ == "__main__":
    main()
