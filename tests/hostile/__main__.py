"""Print the catalogue as a table: how each case ended, seconds, growth of peak memory, bytes stored.

python -m tests.hostile [KIND or ID ...]
"""

from __future__ import annotations

import sys

from tests.hostile.catalogue import CASES
from tests.hostile.run import run
from tests.hostile.server import HostileWeb


def main(wanted: list[str]) -> int:
    """Run the cases, each in a process of its own; return how many were wrong."""
    bad = 0
    print(f"{'kind':10} {'case':26} {'outcome':22} {'reason':26} {'s':>6} {'MB':>6} {'bytes':>9}")
    for case in CASES:
        if wanted and not {case.kind, case.id} & set(wanted):
            continue
        with HostileWeb(CASES) as web:
            seen, wrong = run(case, web, None)
        bad += bool(wrong)
        why = (seen.reason or ",".join(seen.warnings))[:26]
        figures = f"{seen.seconds:6.2f} {seen.growth_mb or 0:6.1f} {seen.stored_bytes:9}"
        print(f"{case.kind:10} {case.id:26} {seen.outcome:22} {why:26} {figures}", *wrong, sep="  !! ", flush=True)
    print(f"{bad} wrong")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
