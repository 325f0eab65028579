"""Replay: the same core on recorded exchanges, with no network. Equal bytes in, equal bytes out, or where they part.

Answers of the network providers that this version has are parsed again, pages converted again, those that gave no text
as well, and everything from fusion to rendering is run again. What cannot be run again is taken as recorded, and an
equal replay says nothing of it: runs of providers on this machine, of providers that are not ours, and runs without a
stored answer; pages that were cut by a deadline; and conversions that ended in a timeout, for want of memory, in a
crash or in a bug of ours, since those outcomes depend on the machine and the moment. A search that was ranked with a
model of the user's is run again with the same model: where that is not here, the verdict is `not checked`. Writes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from heapq import merge
from typing import Any

from searchlog import records
from searchlog.capture.exchange import Fetch, header
from searchlog.capture.guard import safe_url
from searchlog.capture.shown import public_url
from searchlog.checks import checked
from searchlog.digest import Digest, digest, text_digest
from searchlog.errors import FormatError, MissingError, UsageError
from searchlog.evidence.passage import Evidence
from searchlog.evidence.scorer import Scorer
from searchlog.extract.conversion import OF_THE_MOMENT, Conversion, ConversionFailure
from searchlog.extract.converter import Converter
from searchlog.flow.choose import Chosen, choose
from searchlog.flow.given import Given, convert_given, given_by_candidate
from searchlog.flow.read import CUT, FAULT, PageRead, Task, suspicion_of, unread_reason
from searchlog.flow.settings import Settings, split_options
from searchlog.flow.steps import notes_of, page_dates_step, read_step, shortlist, text_pages
from searchlog.ledger import Gap, Ledger, Record, State, number_runs
from searchlog.models.load import loaded
from searchlog.recording import decision_body, evidence_body, query_of, run_body
from searchlog.reparse import parsed_again
from searchlog.search.decision import Step
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.stored import stored_conversion, stored_fetch
from searchlog.verify.absence import NOTHING_ABSENT, Absence
from searchlog.verify.contents import blob_refs

__all__ = ["Past", "Replay", "replay"]


@dataclass(slots=True)
class Replay:
    """What a search gave when it was run again."""

    session: str
    turn: int
    expected: str
    """Digest of the recorded rendering."""
    found: str | None
    """Digest of the rendering now; None when it could not be made."""
    rendering: str
    evidence: tuple[Evidence, ...]
    differences: list[str] = field(default_factory=list)
    """Where it differs from what is recorded, in the order of the work; empty when all is equal."""
    notes: list[str] = field(default_factory=list)
    """What has to be known of the verdict: lines of the session that could not be read."""
    same_evidence: bool = True
    """Whether the recorded evidence is what was made now: ids, sources, slices and digests."""
    not_checked: str | None = None
    """Why nothing is said of selection and rendering; None when they were made again. `differences` holds what was
    found up to there."""

    @property
    def equal(self) -> bool:
        """Whether the rendering came out byte for byte, of the very evidence that is recorded."""
        return self.expected == self.found and self.same_evidence

    @property
    def outcome(self) -> str:
        """`verified` when equal, `not checked` when it could not be made again, else `failed`."""
        if self.not_checked is not None:
            return "not checked"
        return "verified" if self.equal else "failed"

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `replay --json`."""
        return {
            "session": self.session,
            "turn": self.turn,
            "outcome": self.outcome,
            "not_checked": self.not_checked,
            "equal": None if self.not_checked is not None else self.equal,
            "expected": self.expected,
            "found": self.found,
            "differences": self.differences,
            "notes": self.notes,
        }


@dataclass(slots=True)
class Past:
    """What all turns of a log rest on, read once: reading all of it for each turn costs their number squared."""

    ledger: Ledger
    places: dict[int, list[int]] = field(default_factory=dict)
    """Where the records of each turn stand."""
    ids: list[Record] = field(default_factory=list)
    """Records that give ids to evidence or name them, without the rest of what they hold."""
    gaps: list[Gap] = field(default_factory=list)

    @classmethod
    def of(cls, ledger: Ledger) -> Past:
        """Read a log."""
        past = cls(ledger)
        for entry in ledger.entries():
            if isinstance(entry, Gap):
                past.gaps.append(entry)
                continue
            if entry.envelope.turn is not None:
                past.places.setdefault(entry.envelope.turn, []).append(entry.seq)
            if isinstance(entry.body, records.Evidence | records.Rendering):
                names = {name: entry.envelope.body.get(name) for name in ("text", "start", "end", "id", "evidence")}
                past.ids.append(replace(entry, envelope=replace(entry.envelope, body=names), body=_NOTHING))
        return past

    def of_turn(self, turn: int) -> Iterator[Record]:
        """Yield the records of a turn."""
        for first, last in number_runs(self.places.get(turn, ())):
            for entry in self.ledger.entries(first, last + 1):
                if isinstance(entry, Record):
                    yield entry

    def around(self, turn: int) -> Iterator[Record | Gap]:
        """Yield the records of a turn, and of the others what gives ids, in the order of the log."""
        others = (record for record in self.ids if record.envelope.turn != turn)
        parts: tuple[Iterable[Record | Gap], ...] = (self.of_turn(turn), others, self.gaps)
        yield from merge(*parts, key=lambda entry: entry.seq)


_NOTHING = records.Note(text="")


def replay(
    ledger: Ledger,
    turn: int,
    converter: Converter,
    *,
    absent: Absence = NOTHING_ABSENT,
    past: Past | None = None,
) -> Replay:
    """Run the search of this turn again from what is stored.

    absent: what whoever sent the session left out; where the turn does not come out equal without it, nothing is said.
    past: of this log, for whoever runs several of its searches again.
    Raises UsageError when the turn is no finished search, MissingError or IntegrityError when stored bytes are gone
    or altered, FormatError for a record of the turn that cannot be read.
    """
    past = past or Past.of(ledger)
    lacking = _lacks(past, turn, absent)
    try:
        made = _replayed(past, turn, converter)
    except (UsageError, MissingError) as error:
        if not lacking:
            raise
        return Replay(ledger.session, turn, "", None, "", (), not_checked=f"it was left out in part: {error}")
    if lacking and not made.equal and made.not_checked is None:
        made.not_checked = "whoever sent it left out records or pages that it rests on"
        made.found, made.differences = None, []
    return made


def _lacks(past: Past, turn: int, absent: Absence) -> bool:
    """Return whether something of a turn was left out: a line among its records, or a blob that they name."""
    if not absent.lines and not absent.blobs:
        return False
    seqs = past.places.get(turn, ())
    for record in past.of_turn(turn):
        if any(ref["blob"] in absent.blobs for ref in blob_refs(record.envelope.body)):
            return True
    return not seqs or not absent.lines.isdisjoint(range(seqs[0], seqs[-1] + 1))


def _replayed(past: Past, turn: int, converter: Converter) -> Replay:
    ledger = past.ledger
    recorded = _Recorded(past, turn)
    query, settings = recorded.query_and_settings()
    differences: list[str] = []
    runs = [_run(ledger, query, attempt, differences) for attempt in recorded.attempts]
    candidates, settled, steps = shortlist(runs, query, settings)
    given = given_by_candidate(candidates, recorded.answered_at)
    pages: dict[int, PageRead] = {}
    for number, candidate in enumerate(candidates):
        text = given.get(number)
        if text is None or settings.provider_text != "prefer":
            pages[number] = _page(recorded, candidate.url, converter, settings, differences)
            if text is None or settings.provider_text != "fallback" or unread_reason(pages[number]) is None:
                continue
        pages[number] = _text(recorded, text, pages.get(number), converter, settings)
    steps = (*steps, read_step(candidates, pages))
    dated, page_dates = page_dates_step(text_pages(candidates, pages), candidates, settled, query)
    steps = (*steps, page_dates) if page_dates is not None else steps
    good = [page for _, page in dated]
    state = recorded.state
    scorer, missing = _scorer(recorded, settings)
    if missing is not None:
        expected = recorded.rendering.text.blob
        return Replay(
            ledger.session, turn, expected, None, "", (), differences, recorded.notes, False, not_checked=missing
        )
    made = choose(
        query,
        good,
        settings.policy(),
        known_ids=state.evidence_ids,
        first_number=state.next_evidence,
        notes=notes_of(settled, steps),
        scorer=scorer,
    )
    _compare_steps(recorded, (*steps, *made.selection.steps), made, differences)
    changed = _compare_evidence(recorded, made)
    found = text_digest(made.rendering.text)
    expected = recorded.rendering.text.blob
    differences += changed
    forms = recorded.rendering.form, made.rendering.renderer
    if found != expected and forms[0] != forms[1]:
        differences.append(f"rendering: {forms[0]} then, {forms[1]} now")
    if found != expected and not differences:
        differences.append("the rendering differs although every step is equal")
    return Replay(
        ledger.session,
        turn,
        expected,
        found,
        made.rendering.text,
        made.evidence,
        differences,
        recorded.notes,
        same_evidence=not changed,
    )


def _scorer(recorded: _Recorded, settings: Settings) -> tuple[Scorer | None, str | None]:
    """Return the model that the passages were ranked with, and why it cannot be asked again when it cannot.

    Without it nothing can be said of the selection, and a search that cannot be run again has not been altered.
    """
    if settings.scorer is None:
        return None, None
    rules = [step.rule for step in recorded.steps if "scorer=" in step.rule]
    then = rules[0].partition("scorer=")[2].partition(" ")[0] if rules else settings.scorer
    try:
        scorer = loaded(settings.scorer)
    except UsageError as error:
        return None, f"the passages were ranked with {then}: {error}"
    if scorer is not None and rules and not any(f"scorer={scorer.name} " in rule for rule in rules):
        return None, f"the passages were ranked with {then}, and {scorer.name} is here now"
    return scorer, None


@dataclass(slots=True)
class _Attempt:
    seq: int
    """Where the run stands in the log."""
    run: records.Run
    exchanges: list[records.ProviderExchange]


class _Recorded:
    """One search as its records tell it."""

    def __init__(self, past: Past, turn: int) -> None:
        self.ledger = past.ledger
        self.turn = turn
        self.state = State()
        self.attempts: list[_Attempt] = []
        self.steps: list[records.Decision] = []
        self.hops: dict[str, list[records.Capture]] = {}
        self.conversions: dict[tuple[str, str], records.Conversion] = {}
        self._query: records.Query | None = None
        self._query_seq = 0
        self._rendering: records.Rendering | None = None
        self.evidence: list[records.Evidence] = []
        self.notes: list[str] = []
        self._exchanges: dict[str, list[records.ProviderExchange]] = {}
        self._ended = False
        self._gone: list[int] = []
        """Seqs of the lines that are not here, up to the turn's end."""
        for entry in past.around(turn):
            if isinstance(entry, Gap):
                self._gap(entry)
            elif entry.envelope.turn == turn:
                self._add(entry)
            elif self._rendering is None:
                self._earlier(entry)
        self._without_gone()
        names = self._finished()[0].providers
        # they stand in the log as they came in; fusion takes them in the order they were asked
        order = {name: number for number, name in enumerate(reversed(names))}
        self.attempts.sort(
            key=lambda attempt: (-order.get(attempt.run.provider, -1), attempt.run.query_number or 1),
        )

    def _gap(self, gap: Gap) -> None:
        """Note a line that is not there to read. Raises FormatError when this turn cannot be told without it."""
        if gap.error is None and not self._ended:
            self._gone.append(gap.seq)
        elif gap.error is None:
            pass  # no record of a turn stands after its end
        elif gap.turn == self.turn or (gap.turn is None and not self._ended):
            raise gap.error
        elif not self._ended:
            self.notes.append(f"{gap.error}; ids of evidence may depend on it")

    def _without_gone(self) -> None:
        """Note the lines that are not here; take the ids of evidence as recorded, since earlier ones may be there."""
        runs = [str(first) if first == last else f"{first} to {last}" for first, last in number_runs(self._gone)]
        if runs:
            which = f"record {runs[0]} is" if len(self._gone) == 1 else f"records {', '.join(runs)} are"
            self.notes.append(
                f"{which} erased or left out: this turn may rest on it, and ids of evidence are taken as recorded"
            )
            for item in self.evidence:
                self.state.know(item)

    def _earlier(self, record: Record) -> None:
        """Take in a record of another turn: what it gave an id keeps it."""
        try:
            self.state.add(record.envelope)
        except FormatError as error:
            self.notes.append(f"record {record.seq} of another turn cannot be read: {error}")

    def _add(self, record: Record) -> None:
        match record.body:
            case records.Query() as body:
                self._query, self._query_seq = body, record.seq
            case records.ProviderExchange() as body:
                self._exchanges.setdefault(body.provider, []).append(body)
            case records.Run() as body:
                self.attempts.append(_Attempt(record.seq, body, self._exchanges.pop(body.provider, [])))
            case records.Decision() as body:
                self.steps.append(body)
            case records.Capture() as body if body.purpose != "robots":
                self.hops.setdefault(body.asked, []).append(body)
            case records.Conversion() as body:
                self.conversions[body.url, body.payload] = body
            case records.Evidence() as body:
                self.evidence.append(body)
            case records.Rendering() as body:
                self._rendering = body
            case records.Turn() as body if body.state == "end":
                self._ended = True
            case _:
                pass

    def _finished(self) -> tuple[records.Query, records.Rendering]:
        where = f"turn {self.turn} of {self.ledger.session}"
        gone = f"; {'; '.join(self.notes)}" if self.notes else ""
        if self._query is None or self._rendering is None:
            raise UsageError(f"{where} is no finished search: `searchlog show` lists the turns{gone}")
        if not self._ended:
            # what was not ended was given to no model, and its batch was one: the end is missing, or was taken away
            raise UsageError(f"{where} has no end, so nothing says that a model was given it{gone}")
        return self._query, self._rendering

    @property
    def answered_at(self) -> dict[tuple[str, int], str]:
        """When each provider was asked which text of the query."""
        runs = [attempt.run for attempt in self.attempts]
        return {(run.provider, run.query_number or 1): run.answered_at or "" for run in runs}

    @property
    def rendering(self) -> records.Rendering:
        return self._finished()[1]

    def query_and_settings(self) -> tuple[Query, Settings]:
        """Return what was asked, and how; options that this version does not know are left aside.

        Raises FormatError, naming the record, for a value that nobody could have searched with.
        """
        body = self._finished()[0]
        try:
            return split_options(query_of(body), Settings.from_json(body.policy), {})
        except (UsageError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(self.ledger, self._query_seq, error) from None


def _unreadable(ledger: Ledger, seq: int, error: Exception) -> FormatError:
    """Return the error with the record that it is about."""
    where = f"record {seq} of session {ledger.session}"
    return FormatError(f"{where} cannot be replayed: {error}", session=ledger.session, seq=seq)


def _run(ledger: Ledger, query: Query, attempt: _Attempt, differences: list[str]) -> Run:
    """Return the run as parsed now, or as recorded where there is nothing to parse or nobody to parse it."""
    recorded = attempt.run
    run = parsed_again(ledger, recorded, query, attempt.exchanges)
    if run is None:
        return _recorded_run(attempt, ledger)
    lists = {"results": ledger.load(recorded.results), "dropped": ledger.load(recorded.dropped)}
    told = {name: value for name, value in recorded.to_json().items() if name != "answered_at"}
    if run_body(run).body.to_json() != {**told, **lists}:
        differences.append(f"run {run.provider}: parsed to another run ({recorded.parser} then, {run.parser} now)")
    return run


def _recorded_run(attempt: _Attempt, ledger: Ledger) -> Run:
    """Return a run as recorded. Raises FormatError, naming the record, when this version cannot take it for one."""
    body = attempt.run
    results, dropped = ledger.load(body.results), ledger.load(body.dropped)
    try:
        return Run(
            provider=body.provider,
            outcome=RunOutcome(body.outcome),
            results=tuple(_result(item, ledger) for item in results),
            detail=body.detail or "",
            retry_after_s=body.retry_after_s,
            ignored=tuple(body.ignored),
            dropped=tuple((what, reason) for what, reason in dropped),
            notes=tuple(body.notes),
            parser=body.parser or "",
            query_number=body.query_number or 1,
        )
    except (UsageError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise _unreadable(ledger, attempt.seq, error) from None


def _result(item: dict[str, Any], ledger: Ledger) -> Result:
    """Return a recorded result; members that this version does not know are left aside. Raises as `checked` does."""
    known = {f.name: item[f.name] for f in fields(Result) if item.get(f.name) is not None}
    if isinstance(known.get("text"), dict):
        known["text"] = ledger.blobs.get(Digest(known["text"]["blob"])).decode("utf-8")
    return checked(Result(**known), {})


def _text(
    recorded: _Recorded, given: Given, page: PageRead | None, converter: Converter, settings: Settings
) -> PageRead:
    """Return a provider's text of a page, converted again unless its converter was stopped then."""
    was = recorded.conversions.get((public_url(given.url), digest(given.data)))
    out = PageRead(Task(given.url), given=given)
    out.instead_of = unread_reason(page) if page is not None else None
    if was is not None and was.failure in _OF_THE_MOMENT:
        out.conversion = ConversionFailure(was.failure, was.detail or "")
    else:
        out.conversion, _ = convert_given(given, converter, settings.convert, settings.deadline_s)
    return out


def _page(recorded: _Recorded, url: str, converter: Converter, settings: Settings, differences: list[str]) -> PageRead:
    """Return one page from its recorded hops, converted again unless it, or its converter, was stopped then."""
    hops = recorded.hops.get(url) or recorded.hops.get(safe_url(url))
    if hops is None:
        raise MissingError(f"no capture of {url} in turn {recorded.turn}: it cannot be replayed", url=url)
    if hops[-1].reason == CUT:
        return PageRead(Task(url), cut=True)
    if hops[-1].reason == FAULT:
        return PageRead(Task(url), fault=hops[-1].detail)
    fetch = stored_fetch(hops, recorded.ledger.blobs, recorded.ledger.load)
    page = PageRead(Task(url, reused=hops[-1].reused), fetch, cut=bool(hops[-1].cut))
    final = fetch.final
    was = recorded.conversions.get((final.url, digest(final.payload))) if final else None
    if final is None or was is None or page.cut:
        page.suspicion = suspicion_of(fetch, None)
        return page
    page.conversion = made = _converted(recorded, was, fetch, converter, settings)
    page.suspicion = suspicion_of(fetch, made)
    if isinstance(made, ConversionFailure):
        if made.reason != was.failure:
            differences.append(f"text of {url}: {was.failure or 'there was one'} then, {made.reason} now")
    elif was.failure is not None:
        differences.append(f"text of {url}: {was.failure} then, there is one now")
    elif was.text is None or text_digest(made.text) != was.text.blob:
        differences.append(f"text of {url}: another one than {was.converter} made then")
    return page


_OF_THE_MOMENT = ("timeout", "memory", "crash", "secret", FAULT)
"""Why a conversion failed that may well succeed at another time or on another machine."""


def _converted(
    recorded: _Recorded, was: records.Conversion, fetch: Fetch, converter: Converter, settings: Settings
) -> Conversion | ConversionFailure:
    """Return a page converted again; as it was recorded where time, memory or a machine's keys have a part in it."""
    if was.failure in _OF_THE_MOMENT or not OF_THE_MOMENT.isdisjoint(was.warnings):
        return _as_recorded(recorded, was)
    final = fetch.final
    if final is None:
        raise AssertionError("the caller saw that there is an answer")
    made = converter.convert(final.decoded.data, header(final.headers, "content-type"), final.url, settings.convert)
    if isinstance(made, ConversionFailure):
        why = made.reason if made.reason in ("timeout", "memory") else None
    else:
        why = next((code for code in made.warnings if code in OF_THE_MOMENT), None)
    if why is None or (was.failure is None and was.text is None):
        return made
    recorded.notes.append(f"text of {final.url}: taken as it was recorded, since converting it again ended in {why}")
    return _as_recorded(recorded, was)


def _as_recorded(recorded: _Recorded, was: records.Conversion) -> Conversion | ConversionFailure:
    if was.failure is not None:
        return ConversionFailure(was.failure, was.detail or "", was.media_type or "", was.converter or "")
    return stored_conversion(was, recorded.ledger.blobs)


def _compare_steps(recorded: _Recorded, steps: Sequence[Step], made: Chosen, differences: list[str]) -> None:
    load = recorded.ledger.load
    for was, now in zip(recorded.steps, steps, strict=False):
        sources = made.sources if was.sources is not None else ()
        body = decision_body(now, sources)
        if (was.step, was.rule) != (body.step, body.rule):
            differences.append(f"step {was.step}: the rule was {was.rule}, now {body.step} {body.rule}")
        elif load(was.items) != body.to_json()["items"] or was.in_count != body.in_count:
            then, now_kept = f"{was.kept_count} of {was.in_count}", f"{body.kept_count} of {body.in_count}"
            differences.append(f"step {was.step}: kept {then} then, {now_kept} now")
    if len(recorded.steps) != len(steps):
        differences.append(f"{len(recorded.steps)} steps then, {len(steps)} now")


_SAME = ("id", "url", "title", "captured_at", "payload", "text", "start", "end", "digest")
"""What of evidence must come out again; the rest of a record may follow newer rules, such as those for links."""


def _compare_evidence(recorded: _Recorded, made: Chosen) -> list[str]:
    """Return how the recorded evidence differs from that made now, piece by piece."""
    then = [{name: getattr(body, name) for name in _SAME} for body in recorded.evidence]
    now = [{name: getattr(evidence_body(item), name) for name in _SAME} for item in made.evidence]
    found = []
    for one, other in zip(then, now, strict=False):
        wrong = [name for name in _SAME if one[name] != other[name]]
        if wrong:
            told = ", ".join(f"{name} {one[name]!s:.80} then, {other[name]!s:.80} now" for name in wrong)
            found.append(f"evidence {one['id']!s:.20}: {told}")
    if len(then) != len(now):
        found.append(f"{len(then)} pieces of evidence then, {len(now)} now")
    return found
