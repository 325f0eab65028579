"""The process that converts hostile bytes: reads requests from stdin, writes results to stdout, dies when told or
fed nothing.

Run as `python -m searchlog.extract.worker [memory_bytes]`. Each page has a limit on how far it may make this process
grow (where the system knows one), so that a small page cannot take much. It leaves no core file, gets a bare
environment from the pool, and ends when its stdin does, so it never outlives its parent.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

from searchlog.extract import frames
from searchlog.extract.conversion import ConversionFailure
from searchlog.extract.convert import convert

__all__ = ["main"]


_KEPT_GROWTH = 64 << 20
"""A worker that a page has made larger than this ends after its answer: what a heap once had it seldom gives back."""


def main(arguments: list[str]) -> int:
    """Serve requests until stdin ends."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # a page makes thousands of objects and no cycles
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    room = _Room(int(arguments[0]) if arguments else None)
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # whatever a library prints must not become part of a message
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    _say(stdout, frames.parts({"ready": os.getpid()}))
    while (message := frames.read(stdin.read)) is not None:
        head, payload = message
        content_type, url, options = frames.request_of(head)
        _alarm(float(head["alarm_s"]))
        room.bound(head["memory_bytes"])
        try:
            result = convert(
                payload, content_type=content_type, url=url, options=options, late=_late_after(head["soft_s"])
            )
            last = room.growth() > _KEPT_GROWTH
            answer = frames.response(result, last=last)
        except MemoryError:
            # the heap may be in pieces: say so and make room for a fresh process
            room.bound(None)
            failure = ConversionFailure("memory", "the page needs more memory than a worker may use")
            _say(stdout, frames.response(failure, last=True))
            return 3
        room.bound(None)
        del message, payload, result
        _alarm(0.0)
        _say(stdout, answer)
        if last:
            return 0
        del answer
    return 0


def _late_after(seconds: float | None) -> Callable[[], bool]:
    """Return what tells whether so many seconds have passed."""
    until = float("inf") if seconds is None else time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def _alarm(seconds: float) -> None:
    """Let the system end this process after so many seconds, even inside C code; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _say(stdout: BinaryIO, message: frames.Message) -> None:
    for part in message:
        stdout.write(part)
    stdout.flush()


class _Room:
    """How much memory this process has, and how much more it may take.

    Both limits are set: of data (private pages, the exact one, which some systems apply to the heap alone) and of the
    address space (which every Linux applies, and which counts what is mapped and never touched).
    """

    def __init__(self, memory_bytes: int | None) -> None:
        """memory_bytes: what no page may go beyond, whatever its request says. Also switches core files off."""
        self._growth_max = memory_bytes
        try:
            import resource
        except ImportError:
            self._resource: Any = None
            return
        self._resource = resource
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._start = _sizes()

    def bound(self, growth: int | None) -> None:
        """Let this process have so many bytes more than it had at its start; None takes the bound back."""
        if self._resource is None or self._start is None or self._growth_max is None:
            return  # macOS refuses a limit below what is mapped already; the time limit still holds
        growth = self._growth_max if growth is None else min(growth, self._growth_max)
        for name, start in (("RLIMIT_DATA", self._start.data), ("RLIMIT_AS", self._start.mapped + _MAPPED_SLACK)):
            kind = getattr(self._resource, name)
            try:
                self._resource.setrlimit(kind, (start + growth, self._resource.getrlimit(kind)[1]))
            except (ValueError, OSError):
                continue

    def growth(self) -> int:
        """Return by how many resident bytes this process has grown; 0 where the system does not say."""
        now = _sizes() if self._resource is not None else None
        return 0 if now is None or self._start is None else now.resident - self._start.resident


_MAPPED_SLACK = 96 << 20
"""For libraries that a page makes us load: their code is mapped, and no page's growth."""


class _Sizes(NamedTuple):
    """Of this process, in bytes."""

    mapped: int
    resident: int
    data: int


def _sizes() -> _Sizes | None:
    """Return how large this process is; None where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = [int(word) for word in file.read().split()]
        size = os.sysconf("SC_PAGE_SIZE")
        return _Sizes(pages[0] * size, pages[1] * size, pages[5] * size)
    except (OSError, ValueError, IndexError):
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
