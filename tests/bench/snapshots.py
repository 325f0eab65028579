"""What a snapshot costs: seconds, megabytes a second and peak memory of writing, checking and taking one in.

    python -m tests.bench.snapshots [--pages N] [--bytes N]

The session is made of N pages of that many bytes (tests/e2e/test_large_snapshots.py), each with a text of 40 KB. Each
command runs in a process of its own. Beside ours, when it is installed: `warcio check` on the same WARC, which looks at
its digests and nothing else.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from tests.bench import measure
from tests.e2e import test_large_snapshots as large


def timed(*args: str) -> tuple[float, float]:
    """Return seconds and peak megabytes of a command of searchlog."""
    start = time.perf_counter()
    peak = large.peak(*args)
    return time.perf_counter() - start, peak / 1e6


def warcio(file: Path, folder: Path) -> float | None:
    """Return how many seconds `warcio check` takes on the WARC in a snapshot; None when it is not installed."""
    program = shutil.which("warcio", path=str(Path(sys.executable).parent)) or shutil.which("warcio")
    if program is None:
        return None
    with zipfile.ZipFile(file) as zipped:
        warc = zipped.extract("archive/data.warc", folder)
    start = time.perf_counter()
    subprocess.run([program, "check", warc], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=large.PAGES)
    parser.add_argument("--bytes", type=int, default=large.PAGE_BYTES)
    args = parser.parse_args()
    large.PAGE_BYTES = args.bytes
    with tempfile.TemporaryDirectory() as place:
        mine, file, theirs = (Path(place) / name for name in ("mine", "x.wacz", "theirs"))
        large.archive_of(mine, args.pages)
        commands = {
            "export": ("export", "--archive", str(mine), "-o", str(file), "-q"),
            "verify FILE": ("verify", str(file), "-q"),
            "import": ("import", str(file), "--archive", str(theirs), "-q"),
            "import again": ("import", str(file), "--archive", str(theirs), "-q"),
        }
        rows = []
        for name, command in commands.items():
            seconds, peak = timed(*command)
            size = file.stat().st_size / 1e6
            rows.append((name, f"{seconds:.2f}", f"{size / seconds:.0f}", f"{peak:.0f}"))
        start = time.perf_counter()
        script = Path(large.searchlog.__file__).parent / "snapshot" / "verify_snapshot.py"
        subprocess.run([sys.executable, "-I", str(script), str(file)], check=True, capture_output=True)
        seconds = time.perf_counter() - start
        rows.append(("verify_snapshot.py", f"{seconds:.2f}", f"{size / seconds:.0f}", None))
        other = warcio(file, Path(place))
        rows.append(("warcio check", None if other is None else f"{other:.2f}", None, None))
        print(f"{args.pages} pages, a snapshot of {size:.0f} MB")
        print(measure.table(("", "s", "MB/s", "peak MB"), rows))


if __name__ == "__main__":
    main()
