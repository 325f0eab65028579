"""One search, from the query to the evidence: the only place that orders its work. This is a search:

turn begins                                                          ─┐
  query                  what is asked, with all settings             │ each line appended
  provider-exchange, run one an attempt              flow.gather      │ as it happens: what
  decision parse, dates, fuse, filter                search.*         │ crossed the wire is
  capture, conversion    one a page, as they come in flow.read        │ not lost with the turn
  decision read, page-dates   which pages gave text  flow.steps      ─┘
  decision sources … budget, selection               flow.choose     ─┐ one atomic batch:
  evidence, rendering    what a model is given                        │ all of it or nothing
turn ends                                                            ─┘
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from searchlog import recording, records
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, Outcome
from searchlog.capture.shown import public_url
from searchlog.clock import format_time
from searchlog.desk import Desk, Listener, Progress
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, IntegrityError, MissingError, ProviderError
from searchlog.evidence.passage import Evidence
from searchlog.evidence.scorer import Scorer
from searchlog.flow.choose import Chosen, TextPage, choose
from searchlog.flow.drafts import chosen_drafts, rendering_bytes
from searchlog.flow.gather import Attempt, Patience, gather
from searchlog.flow.given import Given, convert_given, given_by_candidate
from searchlog.flow.page import page_of
from searchlog.flow.read import PageRead, Task, unread_reason
from searchlog.flow.settings import Settings
from searchlog.flow.steps import (
    answered,
    is_whole,
    notes_of,
    outcome_of,
    page_dates_step,
    read_step,
    shortlist,
    text_pages,
)
from searchlog.keyring import hide, hide_in
from searchlog.ledger import Draft, State, TurnWriter
from searchlog.log.checkpoint import Checkpoint
from searchlog.search import whom
from searchlog.search.decision import Step
from searchlog.search.fuse import Candidate
from searchlog.search.provider import Facts, Provider, own_servers
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.sharing import Sharing
from searchlog.stored import Shelf, stored_page

__all__ = ["Search", "Searching"]


@dataclass(frozen=True, slots=True)
class Search:
    """One search as it ended."""

    session: str
    turn: int
    query: Query
    outcome: RunOutcome
    runs: tuple[Run, ...]
    steps: tuple[Step, ...]
    """The funnel: at each step in = kept + dropped."""
    evidence: tuple[Evidence, ...]
    rendering: str
    """The exact text for a model, as stored."""
    rendering_digest: Digest
    head: Checkpoint
    """The session's head after the turn."""


@dataclass(slots=True)
class Searching:
    """One search under way: each method one stage of the picture above, in its order."""

    desk: Desk
    turn: TurnWriter
    query: Query
    settings: Settings
    progress: Listener
    choice: whom.Choice
    scorer: Scorer | None = None
    """The model that the settings name, loaded before anybody is asked."""
    steps: list[Step] = field(default_factory=list)
    answered_at: dict[tuple[str, int], str] = field(default_factory=dict)
    """When each provider was asked which text of the query."""
    run_drafts: dict[tuple[str, int], Draft] = field(default_factory=dict)
    """The record of each run, by provider and the number of the text."""
    facts: dict[str, Facts] = field(default_factory=dict)
    """Of each provider asked."""
    shelves: dict[str, Shelf] = field(default_factory=dict)
    """Where snapshots that answer have their pages, by name."""

    def run(self, providers: Sequence[Provider]) -> Search:
        deadline = Deadline(self.settings.deadline_s, self.desk.resources.clock)
        self.facts = {provider.facts.name: provider.facts for provider in providers}
        shelves = (getattr(provider, "shelf", None) for provider in providers)
        self.shelves = {shelf.name: shelf for shelf in shelves if isinstance(shelf, Shelf)}
        query = self._record_query(providers)
        attempts = self._ask(providers, deadline, query)
        runs = [attempt.run for attempt in attempts]
        candidates, settled = self._shortlist(runs)
        if not answered(runs):
            self._fail(runs)
        pages, causes = self._read(candidates, settled, deadline, query)
        return self._end(settled, candidates, pages, causes)

    def _record_query(self, providers: Sequence[Provider]) -> Draft:
        body = records.Query(
            text=self.query.text,
            options=recording.query_options(self.query),
            providers=[provider.facts.name for provider in providers],
            mode="fuse" if self.choice.together else "fallback",
            policy=self.settings.to_json(),
            also=list(self.query.also) or None,
            focus=self.query.focus,
        )
        draft = Draft(body, (self.turn.begin,))
        self.turn.add([draft])
        return draft

    def _ask(self, providers: Sequence[Provider], deadline: Deadline, query: Draft) -> list[Attempt]:
        done, texts = 0, self.query.phrasings

        def on_attempt(attempt: Attempt) -> None:
            nonlocal done
            done += 1
            number = attempt.run.query_number
            said = f" for {texts[number - 1]}" if len(texts) > 1 else ""
            text = f"{attempt.provider}: {attempt.run.outcome}, {len(attempt.run.results)} results{said}"
            self.progress(Progress("ask", text, done, len(providers) * len(texts)))
            draft = self.desk.draft
            asked: list[Draft] = []
            for exchange in attempt.exchanges:
                stored = recording.provider_exchange_body(attempt.provider, exchange)
                asked.append(draft(stored, asked[-1] if asked else query))
            at = attempt.exchanges[0].started_at if attempt.exchanges else None
            run = draft(recording.run_body(attempt.run, at), *(asked or [query]))
            self.turn.add([*asked, run])
            self.run_drafts[attempt.provider, number] = run
            if at is not None:
                self.answered_at[attempt.provider, number] = format_time(at)

        # leave to reach one's own server is for asking it, not for pages that link to it
        own = own_servers(provider.facts for provider in providers)
        allowed = replace(self.settings, allow_private=(*self.settings.allow_private, *own))
        client = self.desk.resources.client(allowed)
        patience = Patience(self.settings.provider_s, self.settings.soft_s)
        return gather(
            providers,
            self.query,
            client,
            deadline,
            fuse=self.choice.together,
            patience=patience,
            door=self.desk.resources.standings,
            named=self.choice.why == "named",
            on_attempt=on_attempt,
        )

    def _shortlist(self, runs: Sequence[Run]) -> tuple[Sequence[Candidate], Sequence[Run]]:
        candidates, runs, steps = shortlist(runs, self.query, self.settings)
        self.steps += steps
        self.turn.add([Draft(recording.decision_body(step), (self.turn.begin,)) for step in steps])
        return candidates, runs

    def _fail(self, runs: Sequence[Run]) -> NoReturn:
        """Close the turn and say what to do: no answer is never an empty list."""
        # that several texts failed alike is told once
        alike = {(run.provider, run.outcome): run for run in reversed(runs)}
        message = hide(whom.nothing_answered_message([*reversed(alike.values())], self.choice.why))
        outcome = runs[0].outcome if runs else RunOutcome.OFFLINE
        self.turn.end(lambda _: (None, []), records.Turn(state="end", outcome=str(outcome), detail=message))
        attempts = [{"provider": run.provider, "outcome": str(run.outcome), "detail": run.detail} for run in runs]
        if self.query.also:
            for attempt, run in zip(attempts, runs, strict=True):
                attempt["query"] = self.query.phrasings[run.query_number - 1]
        raise ProviderError(message, hide_in(attempts, hide), session=self.desk.ledger.session, turn=self.turn.number)

    def _read(
        self, candidates: Sequence[Candidate], runs: Sequence[Run], deadline: Deadline, query: Draft
    ) -> tuple[list[TextPage], list[Draft]]:
        given = given_by_candidate(candidates, self.answered_at)
        preferred = given if self.settings.provider_text == "prefer" else {}
        tasks, order = self._tasks(candidates, preferred)
        pages: dict[int, PageRead] = {}
        converted: dict[int, Draft] = {}
        for number, text in preferred.items():
            self._take(number, text, pages, converted, deadline)
        reader = self.desk.reader(self.settings, for_search=True)
        enough = max(1, -(-len(tasks) // 2))
        for batch in reader.read(tasks, deadline, soft_s=self.settings.soft_s, enough=enough):
            made = self.desk.log_pages(self.turn, batch, query, self.settings, published=True)
            for read, drafts in zip(batch, made, strict=True):
                number = order[read.task.url]
                pages[number] = read
                if read.converted is not None:
                    converted[number] = drafts[-1]
                said = f"{public_url(read.task.url)}: {page_of(read).said}"
                self.progress(Progress("read", said, len(pages), len(candidates)))
        if self.settings.provider_text == "fallback":
            for number, text in given.items():
                if unread_reason(pages[number]) is not None:
                    self._take(number, text, pages, converted, deadline)
        step = read_step(candidates, pages)
        self.steps.append(step)
        self.turn.add([Draft(recording.decision_body(step), (query,))])
        good, dated = page_dates_step(text_pages(candidates, pages), candidates, runs, self.query)
        if dated is not None:
            self.steps.append(dated)
            self.turn.add([Draft(recording.decision_body(dated), (query,))])
        return [page for _, page in good], [converted[number] for number, _ in good]

    def _take(
        self, number: int, given: Given, pages: dict[int, PageRead], converted: dict[int, Draft], deadline: Deadline
    ) -> None:
        """Let a provider's text stand in for a page, with its conversion in the log."""
        page = PageRead(Task(given.url), given=given)
        page.instead_of = unread_reason(pages[number]) if number in pages else None
        # work and not waiting: it is done after the deadline too
        seconds = max(deadline.remaining(), 1.0)
        page.conversion, stored = convert_given(given, self.desk.resources.pool, self.settings.convert, seconds)
        converted[number] = self.desk.draft(stored, self.run_drafts[given.provider, given.query_number])
        self.turn.add([converted[number]])
        pages[number] = page
        self.progress(Progress("read", f"{public_url(given.url)}: text by {given.provider}"))

    def _tasks(self, candidates: Sequence[Candidate], given: Mapping[int, Given]) -> tuple[list[Task], dict[str, int]]:
        """Return a task a candidate; one that an index found is read from the archive, and one that a text is given of
        has none."""
        ledger, resources = self.desk.ledger, self.desk.resources
        others = Sharing(resources.storage, resources.clock, resources.ids).imported()
        tasks, order = [], {}
        for number, candidate in enumerate(candidates):
            if number in given:
                continue
            order[candidate.url] = number
            session, seq = candidate.extra.get("capture_session"), candidate.extra.get("capture_seq")
            if session is None or seq is None:
                tasks.append(Task(candidate.url))
                continue
            shelf = self.shelves.get(candidate.extra.get("capture_snapshot", ""))
            try:
                place = shelf or ledger
                stored, imported = stored_page(place.log, place.blobs, place.load, session, int(seq))
                fetch = replace(stored, url=candidate.url)  # it may have been asked for by another name then
                imported = imported or shelf is not None or session in others
                source = {"via": "snapshot", "snapshot": shelf.name} if shelf else {"via": "archive"}
                reused = {**source, "session": session, "seq": int(seq), **({"imported": True} if imported else {})}
                tasks.append(Task(candidate.url, fetch, reused))
            except (MissingError, IntegrityError, FormatError) as error:
                # erased or damaged since it was indexed; whoever asks the archive does not want the web asked instead
                gone = Fetch(candidate.url, (), Outcome.FAILED, "stored-bytes-gone", str(error))
                tasks.append(Task(candidate.url, gone))
        return tasks, order

    def _end(
        self, runs: Sequence[Run], candidates: Sequence[Candidate], pages: Sequence[TextPage], causes: Sequence[Draft]
    ) -> Search:
        notes = notes_of(runs, self.steps)
        whole = is_whole(runs, self.facts, together=self.choice.together)

        def outcome(made: Chosen) -> RunOutcome:
            return outcome_of(runs, candidates, pages, made.evidence, whole=whole)

        def build(state: State) -> tuple[Chosen, list[Draft]]:
            made = choose(
                self.query,
                pages,
                self.settings.policy(),
                known_ids=state.evidence_ids,
                first_number=state.next_evidence,
                notes=notes,
                scorer=self.scorer,
            )
            # storing the same bytes again is no effect
            self.desk.ledger.blobs.put([rendering_bytes(made)])
            return made, chosen_drafts(made, causes, self.turn.begin)

        self.progress(Progress("choose", f"{len(pages)} pages"))
        made = self.turn.end(build, lambda made: records.Turn(state="end", outcome=str(outcome(made))))
        text = made.rendering.text
        return Search(
            session=self.desk.ledger.session,
            turn=self.turn.number,
            query=self.query,
            outcome=outcome(made),
            runs=tuple(runs),
            steps=(*self.steps, *made.selection.steps),
            evidence=made.evidence,
            rendering=text,
            rendering_digest=digest(text.encode("utf-8")),
            head=self.desk.ledger.checkpoint(),
        )
