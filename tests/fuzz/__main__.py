"""`python -m tests.fuzz TARGET --seconds N`: look for inputs that break a promise, and keep the first that does.

With atheris installed (it is no dependency) inputs are led by coverage; without it they are random edits of the seeds.
An input that fails is written to `--keep` and can be given again with `--input`.
"""

from __future__ import annotations

import argparse
import importlib
import math
import pkgutil
import random
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tests.fuzz.edits import edited, random_edits


def main() -> int:
    """Run; return the number of failures found, at most 1 by coverage."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="?", help="which target; without one all are listed")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--input", type=Path, help="check this one file")
    parser.add_argument("--random", action="store_true", help="do without coverage")
    asked = parser.parse_args()
    atheris = None if asked.random or asked.input else _atheris()
    if atheris is None:
        from tests.fuzz.targets import TARGETS
    else:
        with atheris.instrument_imports(include=["searchlog", "protego", "email._parseaddr"]):
            import searchlog

            for module in pkgutil.walk_packages(searchlog.__path__, "searchlog."):  # what is imported late as well
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)
            from tests.fuzz.targets import TARGETS
    if asked.target not in TARGETS:
        print("\n".join(TARGETS))
        return 2
    run = _Run(TARGETS[asked.target], asked.keep, asked.seed)
    if asked.input:
        return run.one(asked.input.read_bytes())
    if atheris is None:
        end = time.monotonic() + asked.seconds
        while time.monotonic() < end:
            run.one(run.another())
        print(run.told())
        return min(run.failures, 100)
    return run.led(atheris, asked.seconds)


def _atheris() -> Any:
    try:
        import atheris
    except ImportError:
        return None
    return atheris


class _Run:
    """One target, and what was seen of it."""

    def __init__(self, target: Any, keep: Path, seed: int) -> None:
        self.target, self.keep, self.rng = target, keep, random.Random(seed)
        self.count = self.failures = 0
        self.slowest, self.slowest_input = 0.0, b""
        self.seen: set[str] = set()
        self.tell_at = math.inf

    def another(self, seed: bytes | None = None) -> bytes:
        """Return a seed after some edits."""
        seeds = self.target.seeds
        start = self.rng.choice(seeds) if seed is None else seed
        return edited(start, random_edits(self.rng), self.target.kind, seeds)

    def one(self, data: bytes) -> int:
        """Check one input; keep and show it when it fails in a way that is new. Return whether it failed."""
        self.count += 1
        start = time.process_time()
        try:
            self.target.run(data)
        except Exception as error:
            self.failures += 1
            frame = traceback.extract_tb(error.__traceback__)[-1]
            name = f"{type(error).__name__} at {frame.name}:{frame.lineno}"
            if name not in self.seen:
                self.seen.add(name)
                self.keep.mkdir(parents=True, exist_ok=True)
                file = self.keep / f"{self.target.name}-{len(self.seen)}.bin"
                file.write_bytes(data)
                print(f"FOUND {self.target.name}: {name}: {str(error)[:300]}; {len(data)} bytes in {file}", flush=True)
                traceback.print_exception(error, limit=-4)
            return 1
        finally:
            took = time.process_time() - start
            if took > self.slowest:
                self.slowest, self.slowest_input = took, data
        return 0

    def watch(self, data: bytes) -> None:
        """Check one input and go on whatever came of it: atheris would stop at the first failure."""
        self.one(data)
        if time.monotonic() > self.tell_at:  # atheris ends the process without a word to Python
            self.tell_at = math.inf
            print(self.told(), flush=True)

    def told(self) -> str:
        """Return what was done, in one line."""
        return (
            f"{self.target.name}: {self.count} inputs, {self.failures} failures of {len(self.seen)} kinds, "
            f"slowest {self.slowest * 1000:.0f} ms for {len(self.slowest_input)} bytes"
        )

    def led(self, atheris: Any, seconds: float) -> int:
        """Run under atheris; half of its inputs are edits of ours. The process may end with the run."""
        corpus = self.keep / "corpus" / self.target.name
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(self.target.seeds):
            (corpus / f"seed-{number}").write_bytes(seed)
        self.tell_at = time.monotonic() + max(0.0, seconds - 2)

        def mutated(data: bytes, size_max: int, seed: int) -> bytes:
            if seed % 2:
                return bytes(atheris.Mutate(data, size_max))
            self.rng.seed(seed)
            return self.another(bytes(data))[:size_max]

        options = [f"-max_total_time={seconds:.0f}", f"-artifact_prefix={self.keep}/", "-print_final_stats=1"]
        options += ["-max_len=60000", "-timeout=120", "-rss_limit_mb=3000"]
        atheris.Setup([sys.argv[0], *options, str(corpus)], self.watch, custom_mutator=mutated)
        atheris.Fuzz()
        return 0


if __name__ == "__main__":
    sys.exit(main())
