"""Verifying: what was wanted of which sessions, axis by axis, and each check kept as a record.

    sessions ─► store ─► derivation (pages converted again, searches run again) ─► live ─► web archives ─► answers

The axes are independent: one that fails stops no other, but that nothing is derived from a store with findings. Nothing
is written to the sessions that are verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from searchlog import records
from searchlog.clock import format_time
from searchlog.desk import Desk, Listener, Progress
from searchlog.errors import FormatError, IntegrityError, StoreError, UsageError
from searchlog.flow.resources import Resources
from searchlog.keyring import hide_in, known
from searchlog.ledger import Draft, TurnWriter
from searchlog.recheck import offline
from searchlog.recheck.answers import answers_in, check_answer_of
from searchlog.recheck.archived import Archives
from searchlog.recheck.keep import Checks
from searchlog.recheck.live import LiveCheck
from searchlog.recheck.result import CheckedPassage, Verification
from searchlog.recheck.subjects import Passage, Subject, by_page, passages_of, sampled
from searchlog.recheck.wanted import Wanted
from searchlog.recording import Stored, blob_ref
from searchlog.storage import MEMORY, open_storage
from searchlog.verify.finding import Report
from searchlog.verify.verdict import PassageVerdict

__all__ = ["verify"]

Counting = Callable[[int, int], None]
_AGE_MAX_S = 100 * 366 * 86_400
_ARCHIVE_S = 60.0
"""Seconds that a web archive has for one page, waiting one's turn there included."""


def verify(
    subjects: Sequence[Subject],
    resources: Resources,
    wanted: Wanted,
    subject: str,
    *,
    reports: Sequence[Report] = (),
    progress: Listener = lambda _: None,
) -> Verification:
    """Return what was found of these sessions.

    resources: of the archive that keeps the checks. subject: what is verified, in words. reports: what was found of
    the store already, such as of a snapshot's file; the store axis is then not checked again.
    Raises StoreError when live checks cannot be kept, UsageError.
    """
    if wanted.answers and len(subjects) != 1:
        raise UsageError("an answer is held against the evidence of one session: name it")
    with ExitStack() as stack:
        if not wanted.keep:
            resources = _apart(resources)
            stack.callback(resources.close)
        return _Campaign(subjects, resources, wanted, subject, progress).run(reports)


def _apart(resources: Resources) -> Resources:
    """Return resources whose records are gone when they are closed."""
    return Resources(open_storage(MEMORY), resources.clock, resources.ids, resources.env)


class _Campaign:
    """One run over what was wanted."""

    def __init__(
        self, subjects: Sequence[Subject], resources: Resources, wanted: Wanted, subject: str, progress: Listener
    ) -> None:
        self.subjects, self.resources, self.wanted, self.progress = subjects, resources, wanted, progress
        self.found = Verification(subject, resources.storage.described)
        self.by_key: dict[tuple[str, str], CheckedPassage] = {}
        self.chosen = sampled((p for one in subjects for p in passages_of(one, wanted.choice)), wanted.choice)
        self.places = {(passage.session, passage.id): passage for passage in self.chosen}

    def run(self, reports: Sequence[Report]) -> Verification:
        checks = Checks(self.resources.storage, self.resources.clock, self.resources.ids)
        self.found.began_at = self._now()
        self.found.reports += reports
        earlier = self._earlier(checks)
        with ExitStack() as stack:
            turn = self._turn(checks, stack)
            for subject in self.subjects:
                self._offline(subject, turn, checked=bool(reports))
            if "live" in self.wanted.axes and turn is not None:
                self._live(turn, earlier)
            self._answers(turn)
            self.found.passages = [self.by_key[key] for key in self.places if key in self.by_key]
            if turn is not None:
                self._end(turn)
        self.found.ended_at = self._now()
        return self.found

    def _now(self) -> str:
        return format_time(self.resources.clock.now())

    def _turn(self, checks: Checks, stack: ExitStack) -> TurnWriter | None:
        """Begin the turn that keeps the checks; None, and a word why, where they cannot be kept."""
        try:
            turn = stack.enter_context(checks.turn())
        except (StoreError, FormatError, IntegrityError) as error:
            # a damaged archive is verified all the same
            if "live" in self.wanted.axes:
                said = f"live checks cannot be kept: {error}; --no-keep (keep=False) looks all the same"
                raise StoreError(said, **error.fields) from error
            self.found.not_kept = str(error)
            return None
        if self.wanted.keep:
            self.found.kept_in = f"{turn.ledger.session} turn {turn.number}"
        else:
            self.found.not_kept = "nobody asked for it"
        return turn

    def _end(self, turn: TurnWriter) -> None:
        outcomes = self.found.outcomes
        said = ", ".join(f"{axis} {told}" for axis, told in outcomes.items())
        end = records.Turn(
            state="end", outcome="failed" if "failed" in outcomes.values() else "ok", detail=said or "nothing to check"
        )
        turn.end(lambda _: (None, []), end)

    # --- offline

    def _offline(self, subject: Subject, turn: TurnWriter | None, *, checked: bool) -> None:
        """Check store and derivation of a session. checked: its store was, as a part of the file that it came in."""
        axes, session = self.wanted.axes, subject.session
        at = self._now()
        if "store" in axes and not checked:
            taken = _Taken(self)
            report = offline.check_store(
                subject,
                self.wanted.heads,
                self.wanted.trust,
                at=at,
                told=taken,
                progress=self._counting("store", session),
            )
            self._reported(report, taken, turn)
        if "derivation" not in axes:
            return
        if any(report.findings for report in self.found.reports if report.session == session):
            self.progress(Progress("notice", f"passages of {session} not checked: its store has findings"))
            return
        taken = _Taken(self)
        report = offline.check_derivation(
            subject,
            self.resources.pool,
            self.wanted.choice.turns,
            at=at,
            told=taken,
            keep=lambda stored: self._keep(stored, turn),
            progress=self._counting("derivation", session),
        )
        self._reported(report, taken, turn)

    def _keep(self, stored: Stored, turn: TurnWriter | None) -> None:
        """Keep a new text of a stored page, beside the one that was made then."""
        if turn is not None:
            turn.ledger.blobs.put(stored.blobs)
            turn.add([Draft(stored.body, (turn.begin,))])

    def _counting(self, what: str, session: str) -> Counting:
        return lambda done, total: self.progress(Progress(what, session, done, total))

    def _reported(self, report: Report, taken: _Taken, turn: TurnWriter | None) -> None:
        self.found.reports.append(report)
        if turn is not None:
            turn.add([Draft(report_body(report, taken.verdicts), (turn.begin,))])

    # --- live

    def _earlier(self, checks: Checks) -> Mapping[tuple[str, str, str], PassageVerdict]:
        """Return the live verdicts that still count."""
        age = self.wanted.max_age_s
        if age is None or "live" not in self.wanted.axes:
            return {}
        since = self.resources.clock.now() - timedelta(seconds=min(age, _AGE_MAX_S))
        return checks.latest("live", format_time(since))

    def _live(self, turn: TurnWriter, earlier: Mapping[tuple[str, str, str], PassageVerdict]) -> None:
        left = []
        for passage in self.chosen:
            verdict = earlier.get((passage.session, passage.id, passage.digest))
            if verdict is None:
                left.append(passage)
            else:
                self.put(verdict, earlier=True)
        if len(left) < len(self.chosen):
            self.progress(Progress("notice", f"{len(self.chosen) - len(left)} passages were checked live before"))
        resources, settings = self.resources, self.wanted.settings
        desk = Desk(turn.ledger, resources)
        with ExitStack() as stack:
            archives: Archives[Any] | None = None
            if self.wanted.web_archives:
                archives = stack.enter_context(
                    Archives(
                        self.wanted.web_archives,
                        client=resources.client(settings),
                        converter=resources.pool,
                        options=settings.convert,
                        clock=resources.clock,
                        total_s=_ARCHIVE_S,
                    )
                )
            for verdicts in LiveCheck(desk, turn, settings, archives, self.progress).run(by_page(left)):
                for verdict in verdicts:
                    self.put(verdict)

    # --- passages

    def put(self, verdict: PassageVerdict, *, earlier: bool = False) -> None:
        """Take in what an axis says of a passage."""
        key = verdict.session, verdict.evidence
        if key not in self.by_key:
            self.by_key[key] = _described(self.places[key])
        item = self.by_key[key]
        item.verdicts[verdict.axis] = verdict
        if earlier:
            item.earlier |= {verdict.axis}

    # --- answers

    def _answers(self, turn: TurnWriter | None) -> None:
        """Check the answers that were handed in, and those that are kept where that is wanted."""
        for data in self.wanted.answers:
            self._answer(self.subjects[0], data, None, turn)
        for subject in self.subjects if self.wanted.kept_answers else ():
            for seq, kept, cited in answers_in(subject):
                if kept is not None:
                    self._answer(subject, kept, seq, turn, cited)
                else:
                    told = f"the answer of record {seq} of {subject.session} not checked: its bytes are not here"
                    self.progress(Progress("notice", told))

    def _answer(
        self,
        subject: Subject,
        data: bytes,
        seq: int | None,
        turn: TurnWriter | None,
        cited: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        data = known().replace(data)  # before it is looked at: what is found quotes it
        checked = check_answer_of(subject, data, seq, cited)
        self.found.answers.append(checked)
        if turn is None:
            return
        turn.ledger.blobs.put([data])
        report = checked.report
        body = records.Verification(
            axis="answer",
            scope="answer",
            session=subject.session,
            outcome=report.outcome,
            checked=dict(report.counts),
            not_checked=dict(Counter(item.reason for item in report.unchecked)),
            findings=hide_in([finding.to_json() for finding in report.findings], known().replace_text),
            answer=blob_ref(data),
        )
        turn.add([Draft(body, (turn.begin,))])


class _Taken:
    """Takes the verdicts of one axis on the passages that were chosen."""

    def __init__(self, campaign: _Campaign) -> None:
        self._campaign = campaign
        self.verdicts: list[PassageVerdict] = []

    def __call__(self, verdict: PassageVerdict) -> None:
        if (verdict.session, verdict.evidence) in self._campaign.places:
            self.verdicts.append(verdict)
            self._campaign.put(verdict)


def report_body(report: Report, verdicts: Sequence[PassageVerdict]) -> records.Verification:
    """Return the record of one session's report."""
    return records.Verification(
        axis=report.axis,
        scope="session",
        session=report.session,
        version=report.size,
        root=report.root,
        level=report.level,
        outcome=report.outcome,
        checked=report.checked,
        not_checked=report.not_checked,
        findings=[finding.to_json() for finding in report.findings],
        verdicts=[verdict.to_json() for verdict in verdicts] or None,
    )


def _described(passage: Passage) -> CheckedPassage:
    """Return a passage as it is shown; one whose record cannot be read without its words."""
    item = CheckedPassage(passage.session, passage.id, passage.digest, passage.url, passage.captured_at)
    try:
        body = passage.record()
        item.title, item.prefix, item.suffix, item.link = body.title, body.prefix, body.suffix, body.link
        item.heading_path = tuple(body.heading_path)
        item.exact = passage.exact()
    except (StoreError, IntegrityError, FormatError):
        pass
    return item
