"""A target: a pure check of bytes, the seeds it grows from, and the time one input may take."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

__all__ = ["SECONDS_MAX", "Target", "choices", "split_line"]

SECONDS_MAX = 2.0
"""Processor time of one input: more is a finding. Time of the processor, since machines that test are busy."""


@dataclass(frozen=True)
class Target:
    """One thing that reads bytes from strangers."""

    name: str
    kind: str
    """How inputs are cut into tokens: one of `edits.KINDS`."""
    check: Callable[[bytes], None]
    """Asserts what must hold of any bytes; lets no exception out but for a broken promise."""
    make_seeds: Callable[[], list[bytes]]

    @cached_property
    def seeds(self) -> list[bytes]:
        """The inputs that others are grown from."""
        return self.make_seeds()

    def run(self, data: bytes) -> float:
        """Check one input; return the seconds it took. Raises AssertionError when it was too slow."""
        start = time.process_time()
        self.check(data)
        took = time.process_time() - start
        assert took < SECONDS_MAX, f"{took:.1f} s for {len(data)} bytes"
        return took


def choices(data: bytes) -> random.Random:
    """Return a source of choices that the input alone decides."""
    return random.Random(zlib.crc32(data))


def split_line(data: bytes) -> tuple[str, bytes]:
    """Return the first line as Latin-1 text, and the rest."""
    line, _, rest = data.partition(b"\n")
    return line.decode("latin-1"), rest
