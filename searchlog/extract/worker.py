"""The process that converts hostile bytes: reads requests from stdin, writes results to stdout, dies when told or
fed nothing.

Run as `python -m searchlog.extract.worker [memory_bytes]`. It has an address-space limit (where the system knows
one), leaves no core file, gets a bare environment from the pool, and ends when its stdin does, so it never
outlives its parent.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import BinaryIO

from searchlog.extract import frames
from searchlog.extract.conversion import ConversionFailure
from searchlog.extract.convert import Result, convert

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Serve requests until stdin ends."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # a page makes thousands of objects and no cycles
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if arguments:
        _limit(int(arguments[0]))
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # whatever a library prints must not become part of a message
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    stdout.write(frames.body({"ready": os.getpid()}, b""))
    stdout.flush()
    while (message := frames.read(stdin.read)) is not None:
        head, payload = message
        content_type, url, options = frames.request_of(head)
        _alarm(float(head["alarm_s"]))
        try:
            answer = frames.response(convert(payload, content_type=content_type, url=url, options=options))
        except MemoryError:
            # the heap may be in pieces: say so and make room for a fresh process
            _say(stdout, ConversionFailure("memory", "the page needs more memory than a worker may use"))
            return 3
        _alarm(0.0)
        stdout.write(answer)
        stdout.flush()
    return 0


def _alarm(seconds: float) -> None:
    """Let the system end this process after so many seconds, even inside C code; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _say(stdout: BinaryIO, result: Result) -> None:
    stdout.write(frames.response(result))
    stdout.flush()


def _limit(memory_bytes: int) -> None:
    """Cap the address space and switch core files off, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    except (ValueError, OSError):
        return  # macOS refuses a limit below what is mapped already; the time limit still holds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
