"""The live axis: every page is fetched anew, as a capture of its own, and each passage looked for in what it says now.

    pages ─► fetch ─► state of each passage ─► where one is not as it was: a second fetch ─► record
                                               and, when asked, web archives ─► another record

Pages are fetched side by side and politely (robots.txt, a few requests a host at once), never from the HTTP cache. A
passage that is gone or changed is looked for once more by a second fetch: when that one tells another story, the page
is a different one for each visitor, and neither says much. One record a page, as soon as it is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from searchlog import records
from searchlog.capture.deadline import Deadline
from searchlog.clock import format_time, parse_time
from searchlog.desk import Desk, Listener, Progress
from searchlog.digest import digest
from searchlog.drift.compare import compare
from searchlog.drift.drift import Drift, State
from searchlog.drift.page import Page
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.flow.read import PageRead, Task
from searchlog.flow.settings import Settings
from searchlog.keyring import hide
from searchlog.ledger import Draft, TurnWriter
from searchlog.recheck.archived import Archives, Copy, Looked
from searchlog.recheck.keep import page_check
from searchlog.recheck.states import Look, Told, passage_state
from searchlog.recheck.subjects import Passage, then_of
from searchlog.recording import Stored, capture_bodies, conversion_body
from searchlog.suspect.held import held_back
from searchlog.suspect.judge import Arrived, Suspicion
from searchlog.verify.verdict import PassageVerdict

__all__ = ["LiveCheck"]

_LONG_S = 365 * 86_400.0
"""A deadline over any number of pages: each page has its own."""
_SECOND_LOOK = frozenset(("changed", "partial", "absent", "context-changed"))
"""States of a page that answered, and that may be those of one visitor only."""
_UNEXPLAINED = frozenset(("partial", "absent", "type-changed", "not-checked"))
"""States in which it matters whether the page is held back: one that shows other words in a passage's place is not."""
_ARCHIVED = frozenset(("dns", "connect", "http-403", "http-401", "paywall", "login-wall", "personalised"))
"""States in which nobody could look, and an archive may have: besides those that failed."""


_WEB_BEGAN = datetime(1991, 1, 1, tzinfo=UTC)
_NOT_FOUND = frozenset((State.ABSENT, State.PARTIAL))
_CUT = frozenset(("text-cut", "pages-cut"))
"""Warnings of a converter that did not come to the end of a page."""


@dataclass(slots=True)
class _Job:
    """One page: its passages, and what the first look said."""

    url: str
    passages: Sequence[Passage]
    first: list[PassageVerdict] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    """What the record of the check follows from."""


@dataclass(frozen=True, slots=True)
class _Where:
    """What was looked at, and when."""

    axis: str
    at: str
    capture: Draft | None


class _Queue(Iterator[Task]):
    """Tasks that may grow while they are worked through: where it is empty it has ended for now."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = deque(tasks)

    def __next__(self) -> Task:
        if not self._tasks:
            raise StopIteration
        return self._tasks.popleft()

    def add(self, task: Task) -> None:
        self._tasks.append(task)


class LiveCheck:
    """Looks at pages, and keeps what it finds in one turn."""

    def __init__(
        self,
        desk: Desk,
        turn: TurnWriter,
        settings: Settings,
        archives: Archives[_Job] | None = None,
        progress: Listener = lambda _: None,
    ) -> None:
        """archives: asked about what is gone or changed; None asks nobody."""
        self._desk, self._turn, self._archives, self._progress = desk, turn, archives, progress
        self._settings = replace(settings, cache_max_age_s=0)

    def run(self, pages: Mapping[str, Sequence[Passage]]) -> Iterator[list[PassageVerdict]]:
        """Yield the verdicts on one page after the other, live and of archives, each kept when it is yielded.

        Raises StoreError when this machine cannot keep them.
        """
        jobs = [_Job(url, passages) for url, passages in pages.items()]
        tasks = [Task(job.url) for job in jobs]
        by_task = {id(task): job for task, job in zip(tasks, jobs, strict=True)}
        queue, done = _Queue(tasks), 0
        deadline = Deadline(_LONG_S, self._desk.resources.clock)
        for batch in self._desk.reader(self._settings).read(queue, deadline):
            logged = self._desk.log_pages(self._turn, batch, self._turn.begin, self._settings)
            for read, drafts in zip(batch, logged, strict=True):
                job = by_task.pop(id(read.task))
                job.drafts += drafts
                verdicts = self._judged(job, read, drafts)
                if not job.first and any(verdict.state in _SECOND_LOOK for verdict in verdicts):
                    job.first = verdicts
                    again = Task(job.url)
                    tasks.append(again)  # held, so that no other task has its identity
                    by_task[id(again)] = job
                    queue.add(again)
                    continue
                if job.first:
                    verdicts = list(map(_of_both, job.first, verdicts))
                done += 1
                self._keep(job, verdicts)
                self._progress(Progress("check", f"{job.url}: {_said(verdicts)}", done, len(jobs)))
                yield verdicts
                yield from self._archived(job, verdicts)
        if self._archives is not None:
            for job, looked in self._archives.rest():
                yield self._of_archive(job, looked)

    # --- one page

    def _judged(self, job: _Job, read: PageRead, drafts: Sequence[Draft]) -> list[PassageVerdict]:
        capture = drafts[len(read.captures) - 1] if read.captures else drafts[-1]
        page = Page.of(read.conversion) if isinstance(read.conversion, Conversion) else None
        texts: dict[str, Page | None] = {}
        held: list[Suspicion | None] = []
        verdicts = []
        for passage in job.passages:
            drift = None
            try:
                look = _look(read, capture, passage)
                if page is not None and not look.same_bytes:
                    drift = compare(then_of(passage, texts), page)
                told = passage_state(look, drift)
                if told.state in _UNEXPLAINED and read.exchange is not None:
                    held = held or [_held_back(read)]
                    told = passage_state(replace(look, held_back=held[0]), drift)
            except Exception as error:  # a passage that finds a bug of ours must not take the others along
                told, drift = Told("not-checked", _why(error)), None
            verdicts.append(_verdict(passage, told, drift, _Where("live", self._at(read), capture)))
        return verdicts

    def _at(self, read: PageRead) -> str:
        final = read.exchange
        return format_time(final.started_at if final is not None else self._desk.resources.clock.now())

    def _keep(self, job: _Job, verdicts: Sequence[PassageVerdict]) -> None:
        causes = tuple(job.drafts) or (self._turn.begin,)
        self._turn.add([Draft(page_check(job.url, verdicts[0].axis, verdicts), causes)])

    # --- web archives

    def _archived(self, job: _Job, verdicts: Sequence[PassageVerdict]) -> Iterator[list[PassageVerdict]]:
        """Ask the archives about a page that is not what it was; yield what they answered so far, of any page."""
        if self._archives is None:
            return
        if any(verdict.outcome == "failed" or verdict.state in _ARCHIVED for verdict in verdicts):
            self._archives.ask(job, job.url, _first_seen(job.passages, self._desk.resources.clock.now()))
        for ready, looked in self._archives.ready():
            yield self._of_archive(ready, looked)

    def _of_archive(self, job: _Job, looked: Sequence[Looked]) -> list[PassageVerdict]:
        """Record what was asked of archives about one page, and what that says of its passages."""
        job.drafts = []
        at = format_time(self._desk.resources.clock.now())
        last: tuple[Copy, Draft] | None = None
        for one in looked:
            for fetch in one.asked.fetches:
                job.drafts += self._logged(capture_bodies(fetch, "web-archive"))
            for copy in one.copies:
                drafts = self._logged(capture_bodies(copy.fetch, "memento"))
                if copy.conversion is not None and copy.fetch.final is not None:
                    final = copy.fetch.final
                    made = conversion_body(final.url, digest(final.payload), copy.conversion)
                    drafts.append(self._desk.draft(made, drafts[-1]))
                    last = (copy, drafts[-2])
                job.drafts += drafts
        self._turn.add(job.drafts)
        verdicts = self._of_copy(job, looked, last, at)
        self._keep(job, verdicts)
        self._progress(Progress("archive", f"{job.url}: {_said(verdicts)}"))
        return verdicts

    def _of_copy(
        self, job: _Job, looked: Sequence[Looked], last: tuple[Copy, Draft] | None, at: str
    ) -> list[PassageVerdict]:
        if last is None or not isinstance(last[0].conversion, Conversion):
            told = _none(looked, last)
            where = _Where("web-archive", at, last[1] if last else None)
            return [_verdict(passage, told, None, where) for passage in job.passages]
        copy, draft = last
        page, texts = Page.of(last[0].conversion), dict[str, Page | None]()
        verdicts = []
        for passage in job.passages:
            drift = None
            detail = f"{copy.memento.uri} of {format_time(copy.memento.at)}"
            try:
                drift = compare(then_of(passage, texts), page)
                told = Told(drift.state.value, detail)
                if drift.state in _NOT_FOUND and (copy.fetch.outcome != "complete" or _has_cut_text(page.conversion)):
                    told = Told("no-text", f"{detail}, of which a part is here, without the passage")
            except Exception as error:  # as on the live axis
                told, drift = Told("no-text", _why(error)), None
            verdicts.append(_verdict(passage, told, drift, _Where("web-archive", at, draft)))
        return verdicts

    def _logged(self, bodies: Sequence[Stored]) -> list[Draft]:
        """Return the drafts of one fetch, hop after hop."""
        drafts: list[Draft] = []
        for stored in bodies:
            drafts.append(self._desk.draft(stored, *(drafts[-1:] or [self._turn.begin])))
        return drafts


def _first_seen(passages: Sequence[Passage], now: datetime) -> datetime:
    """Return when a page was first fetched for these passages, as their records say where that can be."""
    moments = []
    for passage in passages:
        with suppress(FormatError):  # a record of somebody else may say anything
            moments.append(parse_time(passage.captured_at))
    return min((moment for moment in moments if _WEB_BEGAN <= moment <= now), default=now)


def _why(error: Exception) -> str:
    """Return why a passage could not be looked for."""
    if isinstance(error, StoreError | IntegrityError | FormatError):
        return f"its own record cannot be read: {error}"
    return hide(f"internal-error: {type(error).__name__}: {str(error)[:200]}")


def _none(looked: Sequence[Looked], last: tuple[Copy, Draft] | None) -> Told:
    """Return why no archive says anything of a page."""
    if last is not None or any(one.copies for one in looked):
        return Told("no-text", ", ".join(copy.memento.uri for one in looked for copy in one.copies))
    said = "; ".join(f"{one.archive.name}: {one.asked.detail or one.asked.outcome}" for one in looked)
    return Told("none-near" if any(one.asked.outcome == "none" for one in looked) else "unavailable", said)


def _look(read: PageRead, capture: Draft, passage: Passage) -> Look:
    body, final, conversion = capture.body, read.exchange, read.conversion
    assert isinstance(body, records.Capture)
    return Look(
        outcome=body.outcome,
        reason=body.reason,
        detail=body.detail or "",
        status=final.status if final is not None else None,
        asked=passage.url,
        final=final.url if final is not None else passage.url,
        same_bytes=_same_bytes(read, passage),
        has_text=isinstance(conversion, Conversion),
        text_cut=isinstance(conversion, Conversion) and _has_cut_text(conversion),
        failure=conversion.reason if isinstance(conversion, ConversionFailure) else None,
        suspicion=read.suspicion,
    )


def _same_bytes(read: PageRead, passage: Passage) -> bool:
    """Return whether the decoded payload is that of the capture then; the coding on the way may differ."""
    final = read.exchange
    if final is None or not 200 <= (final.status or 0) < 300 or read.cut or _is_cut(read):
        return False
    then = passage.capture_record()
    decoded = (then.decoded_digest if then is not None else None) or passage.record().payload
    return decoded in (digest(final.decoded.data), digest(final.payload))


def _is_cut(read: PageRead) -> bool:
    """Return whether less arrived than was sent: equal beginnings would be equal bytes otherwise."""
    return read.fetch is None or read.fetch.outcome != "complete"


def _has_cut_text(conversion: Conversion) -> bool:
    """Return whether the text ends before the page does: what is not in it may stand in the rest."""
    return not _CUT.isdisjoint(conversion.warnings)


def _held_back(read: PageRead) -> Suspicion | None:
    fetch, final = read.fetch, read.exchange
    if fetch is None or final is None or not isinstance(read.conversion, Conversion | ConversionFailure):
        return None
    urls = (fetch.url, *(hop.url for hop in fetch.hops))
    return held_back(Arrived(urls, final.status or 0, final.headers, final.decoded.data), read.conversion)


def _verdict(passage: Passage, told: Told, drift: Drift | None, where: _Where) -> PassageVerdict:
    shown = drift if drift is not None and told.state == drift.state.value else None
    return PassageVerdict(
        session=passage.session,
        evidence=passage.id,
        digest=passage.digest,
        axis=where.axis,
        state=told.state,
        url=passage.url,
        checked_at=where.at,
        detail=told.detail,
        start=shown.start if shown else None,
        end=shown.end if shown else None,
        changes=shown.changes if shown else (),
        similarity=shown.similarity if shown else None,
        notes=tuple(dict.fromkeys((*told.notes, *(drift.notes if shown and drift else ())))),
        capture=where.capture.seq if where.capture is not None else None,
    )


def _of_both(first: PassageVerdict, second: PassageVerdict) -> PassageVerdict:
    """Return what two looks in a row say of a passage: where they differ, that the page is not one page."""
    if (first.state, first.changes) == (second.state, second.changes):
        return second
    detail = f"{first.state}, and then {second.state}"
    if first.state == second.state:
        detail = f"{first.state}, each time in other words"
    return replace(second, state="personalised", detail=detail, changes=(), start=None, end=None, similarity=None)


def _said(verdicts: Sequence[PassageVerdict]) -> str:
    """Return the states of a page's passages in a few words."""
    counts: dict[str, int] = {}
    for verdict in verdicts:
        counts[verdict.state] = counts.get(verdict.state, 0) + 1
    return ", ".join(f"{count} {state}" if count > 1 else state for state, count in counts.items())
