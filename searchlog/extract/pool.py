"""Worker processes that can be killed: a hostile page costs its own result, never another page's, never the run.

`ExtractPool.convert` blocks its thread and may be called from many at once; each call has a worker to itself. A
worker that is past its time is killed and replaced, one that dies names the reason. Markup that cost a worker its
life is read once more without a tree (`flat.py`), so even then there is text, with a warning. `InProcess` is the
same face without processes, for tests and for replay.

A page has `time_s` for both readings together, and memory by its size: a small page cannot take much, and no page
takes more than `memory_bytes`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from searchlog.errors import FormatError, UsageError
from searchlog.extract import frames, sniff
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions, Result, convert

__all__ = ["ExtractPool", "InProcess"]

_KEPT_ENVIRONMENT = (
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONPATH",
)
_START_S = 30.0
_DEATHS = {"timeout": "extract-timeout", "memory": "extract-failed", "crash": "extract-failed"}
"""How a worker may die of a page, and the warning on what was read without a tree afterwards."""
_TREE_SHARE = 0.7
"""Part of a page's time that the first try may use, so that the linear reading still has some."""
_SOFT_SHARE, _SOFT_SHARE_AGAIN, _SOFT_SHARE_ALONE = 0.7, 0.5, 0.9
"""Part of its time after which a worker cuts what it can cut, rather than being killed with all it has."""
_MEMORY_BASE = 88 << 20
_MEMORY_FACTOR = 12
"""What a page may take: the base, and so many bytes for each of its own. Real pages take 2 to 9 bytes for each."""


def memory_for(size_bytes: int, memory_bytes: int) -> int:
    """Return by how many bytes a page of this size may make a worker grow."""
    return min(memory_bytes, _MEMORY_BASE + _MEMORY_FACTOR * size_bytes)


class InProcess:
    """Converts in this process and thread: no limits, no isolation."""

    def warm(self) -> None:
        """Nothing to start."""

    def convert(
        self, data: bytes, content_type: str | None, url: str, options: ConvertOptions, deadline_s: float | None = None
    ) -> Result:
        """Return the conversion; `deadline_s` is not enforced here."""
        return convert(data, content_type=content_type, url=url, options=options)

    def close(self) -> None:
        """Nothing to end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ExtractPool:
    """A fixed number of worker processes, started when first needed."""

    def __init__(
        self, workers: int = 2, time_s: float = 5.0, memory_bytes: int = 160 << 20, *, linear_fallback: bool = True
    ) -> None:
        """time_s: seconds that one page may take in all. memory_bytes: by how much any page may make a worker grow."""
        self._time_s = time_s
        self._memory_bytes = memory_bytes
        self._linear_fallback = linear_fallback
        self._free: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(workers):
            self._free.put(None)
        self._count = workers
        self._alive: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._finalizer = weakref.finalize(self, _end_all, self._alive)

    def warm(self) -> None:
        """Start all workers without waiting for them: their imports run while the caller waits for the network."""
        slots = []
        for _ in range(self._count):
            try:
                slots.append(self._free.get_nowait())
            except queue.Empty:
                break
        for slot in slots:
            self._free.put(slot if slot is not None and slot.usable() else self._start())

    def convert(
        self, data: bytes, content_type: str | None, url: str, options: ConvertOptions, deadline_s: float | None = None
    ) -> Result:
        """Return the conversion of a decoded payload, or why there is none: also `timeout`, `memory`, `crash`.

        deadline_s: seconds the caller can wait in all, also for a free worker. Raises UsageError once closed.
        """
        until = None if deadline_s is None else time.monotonic() + deadline_s
        job = _Job(data, content_type, url, options)
        media_type = sniff.sniff(data, content_type, url)
        again = self._linear_fallback and sniff.is_html(media_type) and not options.linear
        begin = time.monotonic()
        limit = self._time_s * _TREE_SHARE if again else self._time_s
        share = _TREE_SHARE if again else 1.0
        first = self._once(job, limit, until, share, _SOFT_SHARE if again else _SOFT_SHARE_ALONE)
        if isinstance(first, Conversion) or first.reason not in _DEATHS:
            return first
        if again and (until is None or time.monotonic() < until):
            left = max(self._time_s - (time.monotonic() - begin), self._time_s * (1.0 - _TREE_SHARE))
            try:
                again_job = replace(job, options=replace(options, linear=True))
                second = self._once(again_job, left, until, 1.0, _SOFT_SHARE_AGAIN)
            except UsageError:
                return first  # the pool was closed in the meantime
            if isinstance(second, Conversion):
                warnings = dict.fromkeys((*second.warnings, _DEATHS[first.reason]))
                return replace(second, warnings=tuple(warnings), structure=None)
        return replace(first, media_type=media_type)

    def close(self) -> None:
        """End all workers and wait for them; conversions under way come back as `crash`."""
        with self._lock:
            self._closed = True
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _once(self, job: _Job, limit_s: float, until: float | None, share: float, soft: float) -> Result:
        """Give the job to a worker of its own for at most `limit_s`, and that share of the time left until `until`."""
        if until is not None and time.monotonic() >= until:
            return ConversionFailure("timeout", "the deadline had passed before the conversion began")
        try:
            worker = self._free.get(timeout=None if until is None else max(0.0, until - time.monotonic()))
        except queue.Empty:
            return ConversionFailure("timeout", "no extraction worker was free before the deadline")
        try:
            if worker is None or not worker.usable():
                self._drop(worker)
                worker = self._start()
            left = None if until is None else max(0.0, until - time.monotonic()) * share
            limit = limit_s if left is None else min(limit_s, left)
            message = job.message(
                alarm_s=self._time_s * 2 + 5,
                soft_s=limit * soft,
                memory_bytes=memory_for(len(job.data), self._memory_bytes),
            )
            answer_max = frames.answer_bytes_max(job.options.text_chars_max)
            return worker.ask(message, limit, _START_S if left is None else left, answer_max)
        finally:
            if worker is not None and not worker.usable():
                self._drop(worker)
                worker = None
            self._free.put(worker)

    def _drop(self, worker: _Worker | None) -> None:
        if worker is not None:
            with self._lock:
                self._alive.discard(worker)
            worker.end()

    def _start(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise UsageError("this extraction pool is closed; make a new one")
            worker = _Worker(self._memory_bytes)
            self._alive.add(worker)
            return worker


@dataclass(frozen=True, slots=True)
class _Job:
    """One page to convert."""

    data: bytes
    content_type: str | None
    url: str
    options: ConvertOptions

    def message(self, *, alarm_s: float, soft_s: float, memory_bytes: int) -> frames.Message:
        return frames.request(
            self.data,
            self.content_type,
            self.url,
            self.options,
            alarm_s=alarm_s,
            soft_s=soft_s,
            memory_bytes=memory_bytes,
        )


class _Worker:
    """One child process; used by one thread at a time, killed by any."""

    def __init__(self, memory_bytes: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "searchlog.extract.worker", str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._lock = threading.Lock()
        self._ready = False
        self._broken = False
        self._ended = False

    def usable(self) -> bool:
        """Return whether another page may be given to it."""
        return not self._broken and self._process.poll() is None

    def ask(self, message: frames.Message, limit_s: float, start_s: float, answer_max: int) -> Result:
        """Return the answer to one request; kill the process when it takes longer than `limit_s` once it is ready.

        answer_max: bytes; of an answer that says it is longer nothing is read.
        """
        if not self._ready:
            outcome = self._exchange((), start_s, 0)
            if isinstance(outcome, ConversionFailure):
                return replace(outcome, detail=f"an extraction worker did not start: {outcome.detail}")
            self._ready = True
        outcome = self._exchange(message, limit_s, answer_max)
        if isinstance(outcome, ConversionFailure):
            return outcome
        head, payload = outcome
        self._broken = self._broken or bool(head.get("last"))  # it said so and left
        try:
            return frames.result_of(head, payload)
        except FormatError as error:
            self._broken = True
            return ConversionFailure("crash", str(error))

    def _exchange(
        self, message: frames.Message, limit_s: float, answer_max: int
    ) -> tuple[dict[str, Any], bytes] | ConversionFailure:
        """Write, read one message; on death say why. The worker counts as broken unless the answer was whole."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._broken = True
        late = _Late(self._process, limit_s)
        answer = None
        try:
            for part in message:
                self._process.stdin.write(part)
            self._process.stdin.flush()
            answer = frames.read(self._process.stdout.read, answer_max)
        except FormatError as error:
            return ConversionFailure("crash", str(error))
        except (OSError, ValueError):
            answer = None  # a pipe that broke or was closed: the process is gone
        finally:
            fired = late.stop()
        if answer is not None:
            self._broken = fired
            return answer
        if fired:
            return ConversionFailure("timeout", f"conversion took longer than {limit_s:.1f} s")
        if self._ended:
            return ConversionFailure("crash", "the pool was closed during the conversion")
        return _cause(self._process)

    def end(self) -> None:
        """Kill the process if it still runs, collect it, close the pipes. Any number of times, from any thread."""
        self._ended = True
        with self._lock:
            self._broken = True
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # what was left in the buffer has no reader any more
                        pipe.close()


class _Late:
    """Kills a process when it is late, and only then: after `stop` has returned it never will."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._lock = threading.Lock()
        self._done = False
        self._fired = False
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _fire(self) -> None:
        with self._lock:
            if not self._done:
                self._fired = True
                self._process.kill()

    def stop(self) -> bool:
        """Return whether it was late."""
        with self._lock:
            self._done = True
        self._timer.cancel()
        return self._fired


def _cause(process: subprocess.Popen[bytes]) -> ConversionFailure:
    """Return what the end of a process that nobody here killed says."""
    try:
        code = process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        process.kill()  # its output ended: whatever still runs there is of no use
        process.wait()
        return ConversionFailure("crash", "the worker closed its output and went on")
    if code == -9:
        return ConversionFailure("memory", "the worker was killed by the system, most likely for its memory")
    why = ", as libraries do that find no memory" if code in (-4, -5, -6) else ""
    return ConversionFailure("crash", f"the worker ended with code {code} while converting{why}")


def _end_all(workers: set[_Worker]) -> None:
    for worker in list(workers):
        worker.end()
    workers.clear()


def _environment() -> dict[str, str]:
    """Return an environment without anybody's keys, enough to start Python and find this package."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    home = str(Path(__file__).resolve().parents[2])
    kept["PYTHONPATH"] = os.pathsep.join(part for part in (kept.get("PYTHONPATH"), home) if part)
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "MALLOC_ARENA_MAX": "1"}
