"""Visits to hostile addresses by another process, measured.

    with Visitor(warm_url=".../ordinary", allow=("127.0.0.1:8000",)) as visitor:
        seen = visitor.visit(Job(url="http://127.0.0.1:8000/x"))

The child opens an archive of its own and fetches an ordinary page, so that all is loaded and the workers run. For each
job it notes its memory, fetches, and reports. Growth is the peak of the whole process tree over what it was before.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType

from searchlog.archive import open_archive
from searchlog.capture.exchange import Limits
from searchlog.errors import ProviderError
from searchlog.extract.conversion import visible_text
from searchlog.flow.settings import Settings
from searchlog.search.registry import Options
from searchlog.session import Session
from searchlog.spoofing.invisible import sanitise
from searchlog.verify.store import verify_session

BODY_BYTES_MAX = 5 * 2**20
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Job:
    """What to fetch."""

    url: str
    total_s: float = 8.0
    follow_url: str | None = None
    """Fetched afterwards by the same process: it must not suffer."""
    never: tuple[str, ...] = ()
    """Strings that must not be in any byte that was written."""
    raw_marks: tuple[str, ...] = ()
    """Marks to look for in the stored body."""
    provider: str | None = None
    """Search with this provider at the address instead of fetching it."""


@dataclass
class Seen:
    """What became of it."""

    outcome: str = "died"
    """`captured`, `captured-with-warning`, `failed`, `refused`; `died` when the process did not live to tell."""
    reason: str | None = None
    error: str = ""
    seconds: float = 0.0
    growth_mb: float | None = None
    stored_bytes: int = 0
    text: str = ""
    """Visible text as a reader is given it."""
    raw_sha256: str = ""
    raw_has: list[str] = field(default_factory=list)
    final_url: str = ""
    warnings: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    follow_text: str | None = None
    findings: list[str] = field(default_factory=list)
    """What `verify` has to say of the archive afterwards."""
    rendering: str = ""
    """Of a search."""
    stderr: str = ""


class Visitor:
    """A process that visits, one job after the other. One that hangs for a minute is killed; it begins anew."""

    def __init__(self, warm_url: str, allow: tuple[str, ...], environment: Mapping[str, str] | None = None) -> None:
        self._order = {"warm_url": warm_url, "allow": allow}
        self._environment = dict(environment or {})
        self._child: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Visitor:
        self._folder = tempfile.TemporaryDirectory(prefix="searchlog-hostile-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        assert self._folder is not None
        self._folder.cleanup()

    def visit(self, job: Job) -> Seen:
        """Do one job; `died` when the process did not live to tell."""
        assert self._folder is not None
        folder = Path(self._folder.name)
        child = self._child = self._child or self._start(folder)
        assert child.stdin is not None
        assert child.stdout is not None
        late = threading.Timer(_PATIENCE_S, child.kill)
        late.start()
        try:
            child.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except OSError:
            line = b""
        finally:
            late.cancel()
        said = (folder / "stderr").read_text("utf-8", "replace")
        if not line:
            self._end()
            return Seen(error=f"exit {child.returncode}", stderr=said)
        seen = Seen(**json.loads(line))
        seen.stderr = said
        seen.leaked = [word for word in job.never if _is_in(word.encode(), folder, line)]
        return seen

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        kept = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN", "_URL"))}
        with (folder / "stderr").open("wb") as stderr:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.visit", json.dumps(self._order)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=Path(__file__).resolve().parents[2],
                env={**kept, "HOME": str(folder), "TMPDIR": str(folder), **self._environment},
            )

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()


def _is_in(word: bytes, folder: Path, output: bytes) -> bool:
    return word in output or any(word in path.read_bytes() for path in folder.rglob("*") if path.is_file())


# -- in the child --------------------------------------------------------------------------------------------------


class TreeMemory:
    """The resident memory of this process and its children, looked at every few milliseconds."""

    def __init__(self) -> None:
        self.before = _tree_bytes()
        self._peak = self.before
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self._peak = max(self._peak, _tree_bytes())

    def growth_mb(self) -> float | None:
        self._done.set()
        self._thread.join()
        return round((self._peak - self.before) / 2**20, 1) if self.before else None


def _tree_bytes() -> int:
    """Return resident bytes of this process and its children; 0 where /proc does not tell."""
    try:
        pids = [os.getpid()]
        for task in Path("/proc/self/task").iterdir():
            pids += map(int, (task / "children").read_text().split())
    except OSError:
        return 0
    return sum(map(_resident, set(pids)))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0  # it has just ended


def _size(folder: Path) -> int:
    size = 0
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # taken out of the cache meanwhile
                size += (Path(at) / name).stat().st_size
    return size


def _fetch(session: Session, job: Job, settings: Settings) -> Seen:
    page = session.fetch(job.url, settings=settings)
    warnings = list(page.warnings)
    raw = session.body(page) if page.capture is not None and page.capture.payload else b""
    status = page.status or 0
    if page.outcome in ("failed", "refused"):
        outcome = page.outcome
    elif not 200 <= status < 300:
        outcome = "failed"
    else:
        if page.reason is not None:
            warnings.append(page.reason)
        outcome = "captured-with-warning" if warnings else "captured"
    text = sanitise(visible_text(session.conversion(page)))[0] if page.converted and page.converted.text else ""
    said = page.detail or page.reason or ""
    return Seen(
        outcome=outcome,
        reason=page.reason,
        error=said if outcome in ("failed", "refused") else "",
        text=text,
        raw_sha256=hashlib.sha256(raw).hexdigest() if raw else "",
        raw_has=[mark for mark in job.raw_marks if mark.encode() in raw],
        final_url=page.url,
        warnings=warnings,
    )


def _search(session: Session, job: Job, settings: Settings) -> Seen:
    options = Options({str(job.provider): job.url})
    try:
        found = session.search("tides", providers=job.provider, settings=settings, registry_options=options, pages=20)
    except ProviderError as error:
        outcome = str(error.attempts[0]["outcome"])
        return Seen(outcome="failed", reason=outcome, error=str(error))
    run = found.runs[0]
    notes = [*run.notes, *(reason for _, reason in run.dropped)]
    return Seen(
        outcome="captured-with-warning" if notes else "captured",
        reason=str(run.outcome),
        warnings=notes,
        text=" ".join(item.text for item in found.evidence),
        rendering=found.rendering,
        final_url=" ".join(result.url for result in run.results),
    )


def main() -> None:
    """Do the jobs that come on stdin, a line each, and tell what was seen on stdout."""
    order, folder = json.loads(sys.argv[1]), Path(os.environ["HOME"]) / "archive"
    stdout, sys.stdout = sys.stdout, sys.stderr
    allow = tuple(order["allow"])
    with open_archive(str(folder)) as archive:
        archive.session().fetch(order["warm_url"], allow_private=allow)
        for line in sys.stdin:
            session = archive.session()
            job = Job(**json.loads(line))
            seen = _measured(session, job, _settings(job, allow), folder)
            if job.follow_url:
                page = session.fetch(job.follow_url, settings=_settings(job, allow))
                seen.follow_text = session.text(page) if page.reason is None else page.reason
            storage = archive.resources.storage
            report = verify_session(storage.log, storage.blobs, session.id)
            seen.findings = [f"{finding.code}: {finding.message}" for finding in report.findings]
            stdout.write(json.dumps(asdict(seen)) + "\n")
            stdout.flush()


def _settings(job: Job, allow: tuple[str, ...]) -> Settings:
    limits = Limits(total_s=job.total_s, coded_bytes_max=BODY_BYTES_MAX, decoded_bytes_max=BODY_BYTES_MAX)
    return Settings(allow_private=allow, limits=limits, cache_max_age_s=0, deadline_s=job.total_s + 2)


def _measured(session: Session, job: Job, settings: Settings, folder: Path) -> Seen:
    stored, memory, start = _size(folder), TreeMemory(), time.monotonic()
    seen = _search(session, job, settings) if job.provider else _fetch(session, job, settings)
    seen.seconds = round(time.monotonic() - start, 2)
    seen.growth_mb = memory.growth_mb()
    seen.stored_bytes = max(0, _size(folder) - stored)
    return seen


if __name__ == "__main__":
    main()
