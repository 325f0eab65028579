"""What a run cost: wall and CPU time, peak memory of this process and its workers. And the table it is printed in."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def cpu_s() -> float:
    """Return CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_mb(pid: int | str = "self") -> float | None:
    """Return the peak resident memory of a process in MB, or None where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)


def workers() -> list[int]:
    """Return the ids of living child processes, where the system tells."""
    found: list[int] = []
    for path in Path("/proc/self/task").glob("*/children"):
        found += map(int, path.read_text().split())
    return found


def worker_peaks_mb() -> list[float]:
    """Return the peaks of the living workers; ask before they are ended."""
    return sorted(peak for pid in workers() if (peak := peak_mb(pid)) is not None)


def isolated(module: str, *arguments: str) -> dict[str, Any] | str:
    """Run a module in its own process and return the JSON it prints last, or in words why there is none."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        said = done.stderr.strip().splitlines()
        return said[-1] if said else f"exit status {done.returncode}"
    value: dict[str, Any] = json.loads(lines[-1])
    return str(value["skipped"]) if "skipped" in value else value


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as aligned text: the first column to the left, the rest to the right; None shows as a dash."""
    cells = [[_shown(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells if column < len(row)) for column in range(len(head))]
    lines = []
    for row in cells:
        if len(row) < len(head):  # a row of words
            lines.append(f"{row[0].ljust(widths[0])}  {' '.join(row[1:])}")
            continue
        rest = "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append(f"{row[0].ljust(widths[0])}  {rest}")
    return "\n".join(lines)


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.2f}" if abs(cell) < 10 else f"{cell:.0f}"
    return str(cell)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU milliseconds of one call, threads included, children not."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
