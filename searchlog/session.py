"""One session: the only place that orders the work. This is a search:

    turn begins                                                          ─┐
      query                  what is asked, with all settings             │ each line appended
      provider-exchange, run one an attempt              flow.gather      │ as it happens: what
      decision parse, fuse, filter                       search.*         │ crossed the wire is
      capture, conversion    one a page, as they come in flow.read        │ not lost with the turn
      decision read          which pages gave text                       ─┘
      decision sources … budget, selection               flow.choose     ─┐ one atomic batch:
      evidence, rendering    what a model is given                        │ all of it or nothing
    turn ends                                                            ─┘

A `fetch` is the same from `capture` on, for URLs that the caller names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlsplit

from searchlog import recording, records
from searchlog.capture.client import Published
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Fetch, Outcome
from searchlog.capture.freshness import fetch_lifetime_s
from searchlog.capture.shown import public_url, shown_url
from searchlog.clock import format_time
from searchlog.digest import Digest, digest
from searchlog.errors import FormatError, IntegrityError, MissingError, ProviderError
from searchlog.evidence.passage import Evidence
from searchlog.extract.conversion import Conversion
from searchlog.flow.checks import expect
from searchlog.flow.choose import Chosen, TextPage, choose
from searchlog.flow.drafts import chosen_drafts, page_drafts, rendering_bytes
from searchlog.flow.foreign import check_providers
from searchlog.flow.gather import Attempt, Patience, gather
from searchlog.flow.given import Given, convert_given, given_by_candidate, given_of
from searchlog.flow.indexing import index_captures
from searchlog.flow.page import Page, page_of, text_page
from searchlog.flow.read import PageRead, Reader, Task, unread_reason
from searchlog.flow.resources import Resources
from searchlog.flow.settings import Settings, split_options
from searchlog.flow.steps import (
    answered,
    notes_of,
    outcome_of,
    page_dates_step,
    read_step,
    shortlist,
    text_pages,
)
from searchlog.flow.texts import Asked, ask_for_texts
from searchlog.keyring import hide, hide_in, known
from searchlog.ledger import Draft, Ledger, Record, State, TurnWriter
from searchlog.log.checkpoint import Checkpoint
from searchlog.reparse import Reparsed
from searchlog.search import registry
from searchlog.search.decision import Step
from searchlog.search.fuse import Candidate
from searchlog.search.provider import Provider
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.stored import stored_conversion, stored_exchange, stored_page

__all__ = ["Page", "Progress", "Search", "Session"]

_LONG_S = 7 * 86_400.0
"""A deadline over a list of any length: each page has its own."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One thing that has just happened, for a person who waits."""

    stage: str
    """`notice` (who will see the query, before anybody is asked), `ask`, `read`, `choose`, `index`."""
    text: str
    """Which provider or page, and how it ended."""
    done: int = 0
    total: int = 0


Listener = Callable[[Progress], None]


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


class Session:
    """One session of an archive: search, fetch, and read back. Made by `Archive.session`."""

    def __init__(self, session_id: str, resources: Resources, *, title: str | None = None) -> None:
        title = known().replace_text(title) if title else title
        from searchlog import __version__

        storage = resources.storage
        self.id = session_id
        self.resources = resources
        self.ledger = Ledger(
            session_id,
            storage.log,
            storage.blobs,
            clock=resources.clock,
            ids=resources.ids,
            leases=storage.leases,
        )
        self.ledger.begin_session(f"searchlog/{__version__}", title)
        self.ledger.discard_cut_turns()

    # --- reading back

    def records(self) -> list[Record]:
        """Return all records of this session."""
        return list(self.ledger.records())

    @property
    def head(self) -> Checkpoint:
        """The session's head now."""
        return self.ledger.checkpoint()

    def conversion(self, page: Page) -> Conversion:
        """Return the stored text of a page with its blocks. Raises FormatError when no text was made of it."""
        expect("page", page, Page)
        if page.converted is None:
            raise FormatError(f"no text was made of {page.asked}: {page.reason}", url=page.asked)
        return stored_conversion(page.converted, self.ledger.blobs)

    def text(self, page: Page) -> str:
        """Return the whole visible text of a page, as stored. Raises FormatError when there is none."""
        return self.conversion(page).text

    def body(self, page: Page) -> bytes:
        """Return the decoded payload of a page: content codings removed. Raises FormatError when nothing arrived."""
        expect("page", page, Page)
        if page.capture is None:
            raise FormatError(f"nothing was stored of {page.asked}: {page.reason}", url=page.asked)
        return stored_exchange(page.capture, self.ledger.blobs, self.ledger.load).decoded.data

    # --- searching

    def search(
        self,
        query: str | Query,
        *,
        providers: str | Provider | Iterable[str | Provider] | None = None,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        registry_options: registry.Options | None = None,
        in_turn: bool = False,
        **options: Any,
    ) -> Search:
        """Search, read the pages found, and return the evidence; everything is recorded in this session.

        providers: names or provider objects, all asked at once, or one of either; None: those that the environment
        names or configures, else the keyless ones in turn; an empty list is a mistake. in_turn: ask them one after
        another, until one answers. options: any field of `Query` or `Settings` by name, such as `count=20` or
        `budget_tokens=2000`.

        Raises ProviderError when no provider answered (the attempts are in the log all the same), UsageError,
        StoreError. An answer without results is no error: the outcome is `empty`.
        """
        expect("registry_options", registry_options, registry.Options | None)
        expect("progress", progress, Callable)
        asked, chosen = split_options(query, settings, options)
        # a key that was typed by mistake is sent to nobody, and what is recorded can be searched again
        today = self.resources.clock.now().date().isoformat()
        asked = replace(
            asked,
            text=known().replace_text(asked.text),
            asked_on=asked.asked_on or (today if asked.freshness else None),
            texts=asked.texts or chosen.provider_text != "never",
        )
        self.resources.standings.limits()  # a wrong setting is told before anybody is asked
        made, choice = self._providers(check_providers(providers), registry_options, in_turn)
        seen_by = registry.who_sees(self.resources.env, choice, registry_options)
        if seen_by is not None:
            progress(Progress("notice", seen_by))
        self.resources.pool.warm()
        with self.ledger.turn("search") as turn:
            return _Flow(self, turn, asked, chosen, progress, choice).run(made)

    def _providers(
        self, wanted: Sequence[str | Provider], options: registry.Options | None, in_turn: bool
    ) -> tuple[list[Provider], registry.Choice]:
        """Return the providers to ask, and the choice among those that have names here."""
        env = self.resources.env
        names = [item for item in wanted if isinstance(item, str)]
        none = registry.Choice((), not in_turn, "named")
        choice = registry.choose(env, names, in_turn=in_turn) if names or not wanted else none
        by_name = list(choice.names)
        options = options or registry.Options()
        if {"archive", "site"} & set(by_name) and options.index is None:
            storage = self.resources.storage
            index_captures(self.resources.index, storage.log, storage.blobs)
            options = registry.Options(options.endpoints, self.resources.index, options.site_prefix)
        built: list[Provider] = [registry.build(name, env, options) for name in by_name]
        built += [item for item in wanted if not isinstance(item, str)]
        return built, choice

    # --- fetching

    def fetch(
        self, url: str, *, settings: Settings | None = None, progress: Listener = lambda _: None, **options: Any
    ) -> Page:
        """Fetch one URL, keep it, and return the page; what went wrong is in its outcome and reason."""
        expect("url", url, str)
        return self.fetch_many([url], settings=settings, progress=progress, **options)[0]

    def fetch_many(
        self,
        urls: Iterable[str],
        *,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        purpose: str = "page",
        **options: Any,
    ) -> list[Page]:
        """Fetch these URLs side by side; return the pages in the order of the URLs. No deadline over all of them."""
        expect("urls", urls, Iterable)
        wanted = [urls] if isinstance(urls, str) else list(urls)
        for number, url in enumerate(wanted):
            expect(f"urls[{number}]", url, str)
        expect("progress", progress, Callable)
        expect("purpose", purpose, str)
        _, chosen = split_options("fetch", settings, options)
        self.resources.pool.warm()
        place = {url: number for number, url in enumerate(wanted)}
        pages: dict[int, Page] = {}
        reader = self._reader(chosen)
        with self.ledger.turn("index" if purpose == "index" else "fetch") as turn:
            deadline = Deadline(_LONG_S, self.resources.clock)
            tasks = (Task(url, purpose=purpose) for url in place)
            for batch in reader.read(tasks, deadline):
                self._log_pages(turn, batch, turn.begin, chosen)
                for read in batch:
                    pages[place[read.task.url]] = page = page_of(read)
                    progress(Progress("read", f"{page.asked}: {page.said}", len(pages), len(place)))
            good = sum(page.reason is None for page in pages.values())
            outcome = "ok" if good == len(place) else "partial" if good else "failed"
            end = records.Turn(state="end", outcome=outcome, detail=f"{good} of {len(place)} pages gave text")
            turn.end(lambda _: (None, []), end)
        return [pages[place[url]] for url in wanted]

    def provider_texts(
        self,
        urls: Iterable[str],
        provider: str,
        *,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        registry_options: registry.Options | None = None,
        **options: Any,
    ) -> list[Page]:
        """Ask a provider for its own texts of these pages, keep them, and return them in the order of the URLs.

        provider: one that gives texts, such as `tavily`. Nothing is fetched from the pages: each text is the
        provider's, is labelled `provider-text`, and is never a capture. What went wrong is in each page's reason.
        Raises UsageError for a provider that gives no texts or lacks its key.
        """
        expect("urls", urls, Iterable)
        wanted = list(dict.fromkeys([urls] if isinstance(urls, str) else urls))
        for number, url in enumerate(wanted):
            expect(f"urls[{number}]", url, str)
        _, chosen = split_options("texts", settings, options)
        resources = self.resources
        extractor = registry.build_extractor(provider, resources.env, registry_options)
        resources.standings.limits()
        pages: dict[str, Page] = {}
        with self.ledger.turn("fetch") as turn:

            def on_asked(asked: Asked) -> None:
                for page in self._log_texts(turn, asked, chosen):
                    pages[page.asked] = page
                    progress(Progress("read", f"{page.asked}: {page.said}", len(pages), len(wanted)))

            def deadline() -> Deadline:
                return Deadline(chosen.deadline_s, resources.clock)

            client, door = resources.client(chosen), resources.standings
            ask_for_texts(extractor, wanted, client, deadline=deadline, door=door, on_asked=on_asked)
            good = sum(page.reason is None for page in pages.values())
            outcome = "ok" if good == len(wanted) else "partial" if good else "failed"
            detail = f"{good} of {len(wanted)} texts from {provider}"
            turn.end(lambda _: (None, []), records.Turn(state="end", outcome=outcome, detail=detail))
        return [pages[url] for url in wanted]

    def _log_texts(self, turn: TurnWriter, asked: Asked, settings: Settings) -> list[Page]:
        """Append one request for texts, its run, and the conversion of each text; return the pages."""
        drafts: list[Draft] = []
        at = None
        if asked.exchange is not None:
            at = asked.exchange.started_at
            urls = [shown_url(url) for url in asked.urls]
            exchange = recording.provider_exchange_body(asked.run.provider, asked.exchange, urls)
            drafts.append(self._draft(exchange, turn.begin))
        drafts.append(self._draft(recording.run_body(asked.run, at), *(drafts or [turn.begin])))
        answered = drafts[-1]
        pool, when = self.resources.pool, format_time(at) if at is not None else ""
        made: dict[str, records.Conversion] = {}
        for result in asked.run.results:
            given = given_of(asked.run.provider, when, result)
            if given is not None and result.url not in made:
                _, stored = convert_given(given, pool, settings.convert, settings.deadline_s)
                drafts.append(self._draft(stored, answered))
                assert isinstance(stored.body, records.Conversion)
                made[result.url] = stored.body
        turn.add(drafts)
        return [text_page(url, asked.run, made.get(url), when) for url in asked.urls]

    def keep_runs(self, again: Sequence[Reparsed]) -> int:
        """Append runs that stored answers were parsed to again, as a turn of their own; return its number.

        Each follows from the exchanges that it was parsed from, and stands beside the run recorded then.
        """
        with self.ledger.turn("reparse") as turn:
            drafts = []
            for item in again:
                if item.run is not None:
                    stored = recording.run_body(item.run)
                    if stored.blobs:
                        self.ledger.blobs.put(stored.blobs)
                    drafts.append(Draft(stored.body, (turn.begin, *item.causes, item.seq)))
            turn.add(drafts)
            end = records.Turn(state="end", outcome="ok", detail=f"{len(drafts)} runs parsed again")
            turn.end(lambda _: (None, []), end)
            return turn.number

    def _draft(self, stored: recording.Stored, *causes: Draft) -> Draft:
        """Return a draft of a record whose blobs are durable."""
        if stored.blobs:
            self.ledger.blobs.put(stored.blobs)
        return Draft(stored.body, causes)

    def _log_pages(
        self,
        turn: TurnWriter,
        batch: Sequence[PageRead],
        cause: Draft,
        settings: Settings,
        *,
        published: bool = False,
    ) -> list[list[Draft]]:
        """Append what pages gave, then let the HTTP cache point to it; return the drafts of each page."""
        made = [page_drafts(read, cause, published=published) for read in batch]
        turn.add([draft for drafts in made for draft in drafts])
        for read, drafts in zip(batch, made, strict=True):
            if read.task.stored is None and read.fetch is not None:
                self._remember(read.fetch, drafts[len(read.captures) - 1], settings)
        return made

    def _remember(self, fetch: Fetch, capture: Draft, settings: Settings) -> None:
        """Put a page into the HTTP cache, when its headers or the caller would have it taken from there again."""
        final, wanted = fetch.final, settings.cache_max_age_s
        if final is None or wanted == 0 or (wanted is None and fetch_lifetime_s(fetch) <= 0):
            return
        pointer = {"session": self.id, "seq": str(capture.seq), "captured_at": format_time(final.started_at)}
        self.resources.later(partial(self.resources.client(settings).remember, fetch, pointer))

    def _reader(self, settings: Settings, *, for_search: bool = False) -> Reader:
        resources = self.resources
        client = resources.client(settings)
        return Reader(
            Published(client) if for_search else client,
            resources.pool,
            resources.storage.blobs,
            resources.clock,
            settings.convert,
            settings.threads,
            settings.cache_max_age_s,
            cut_passages=for_search,
        )


@dataclass(slots=True)
class _Flow:
    """One search under way: each method one stage of the picture above, in its order."""

    session: Session
    turn: TurnWriter
    query: Query
    settings: Settings
    progress: Listener
    choice: registry.Choice
    steps: list[Step] = field(default_factory=list)
    answered_at: dict[str, str] = field(default_factory=dict)
    """When each provider was asked."""
    told: dict[str, Draft] = field(default_factory=dict)
    """The run of each provider."""

    def run(self, providers: Sequence[Provider]) -> Search:
        deadline = Deadline(self.settings.deadline_s, self.session.resources.clock)
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
        )
        draft = Draft(body, (self.turn.begin,))
        self.turn.add([draft])
        return draft

    def _ask(self, providers: Sequence[Provider], deadline: Deadline, query: Draft) -> list[Attempt]:
        done = 0

        def on_attempt(attempt: Attempt) -> None:
            nonlocal done
            done += 1
            text = f"{attempt.provider}: {attempt.run.outcome}, {len(attempt.run.results)} results"
            self.progress(Progress("ask", text, done, len(providers)))
            draft = self.session._draft
            asked: list[Draft] = []
            for exchange in attempt.exchanges:
                stored = recording.provider_exchange_body(attempt.provider, exchange)
                asked.append(draft(stored, asked[-1] if asked else query))
            at = attempt.exchanges[0].started_at if attempt.exchanges else None
            run = draft(recording.run_body(attempt.run, at), *(asked or [query]))
            self.turn.add([*asked, run])
            self.told[attempt.provider] = run
            if at is not None:
                self.answered_at[attempt.provider] = format_time(at)

        # leave to reach one's own server is for asking it, not for pages that link to it
        own = tuple(urlsplit(p.facts.endpoint).netloc.rpartition("@")[2] for p in providers if p.facts.own_server)
        allowed = replace(self.settings, allow_private=(*self.settings.allow_private, *own))
        client = self.session.resources.client(allowed)
        patience = Patience(self.settings.provider_s, self.settings.soft_s)
        return gather(
            providers,
            self.query,
            client,
            deadline,
            fuse=self.choice.together,
            patience=patience,
            door=self.session.resources.standings,
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
        message = hide(registry.nothing_answered_message(runs, self.choice.why))
        outcome = runs[0].outcome if runs else RunOutcome.OFFLINE
        self.turn.end(lambda _: (None, []), records.Turn(state="end", outcome=str(outcome), detail=message))
        attempts = [{"provider": run.provider, "outcome": str(run.outcome), "detail": run.detail} for run in runs]
        raise ProviderError(message, hide_in(attempts, hide), session=self.session.id, turn=self.turn.number)

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
        reader = self.session._reader(self.settings, for_search=True)
        enough = max(1, -(-len(tasks) // 2))
        for batch in reader.read(tasks, deadline, soft_s=self.settings.soft_s, enough=enough):
            made = self.session._log_pages(self.turn, batch, query, self.settings, published=True)
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
        page.conversion, stored = convert_given(given, self.session.resources.pool, self.settings.convert, seconds)
        converted[number] = self.session._draft(stored, self.told[given.provider])
        self.turn.add([converted[number]])
        pages[number] = page
        self.progress(Progress("read", f"{public_url(given.url)}: text by {given.provider}"))

    def _tasks(self, candidates: Sequence[Candidate], given: Mapping[int, Given]) -> tuple[list[Task], dict[str, int]]:
        """Return a task a candidate; one that an index found is read from the archive, and one that a text is given of
        has none."""
        ledger = self.session.ledger
        tasks, order = [], {}
        for number, candidate in enumerate(candidates):
            if number in given:
                continue
            order[candidate.url] = number
            session, seq = candidate.extra.get("capture_session"), candidate.extra.get("capture_seq")
            if session is None or seq is None:
                tasks.append(Task(candidate.url))
                continue
            try:
                stored = stored_page(ledger.log, ledger.blobs, ledger.load, session, int(seq))
                fetch = replace(stored, url=candidate.url)  # it may have been asked for by another name then
                reused = {"via": "archive", "session": session, "seq": int(seq)}
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

        def outcome(made: Chosen) -> RunOutcome:
            return outcome_of(runs, candidates, pages, made.evidence)

        def build(state: State) -> tuple[Chosen, list[Draft]]:
            made = choose(
                self.query.text,
                pages,
                self.settings.policy(),
                known_ids=state.evidence_ids,
                first_number=state.next_evidence,
                notes=notes,
            )
            # storing the same bytes again is no effect
            self.session.ledger.blobs.put([rendering_bytes(made)])
            return made, chosen_drafts(made, causes, self.turn.begin)

        self.progress(Progress("choose", f"{len(pages)} pages"))
        made = self.turn.end(build, lambda made: records.Turn(state="end", outcome=str(outcome(made))))
        text = made.rendering.text
        return Search(
            session=self.session.id,
            turn=self.turn.number,
            query=self.query,
            outcome=outcome(made),
            runs=tuple(runs),
            steps=(*self.steps, *made.selection.steps),
            evidence=made.evidence,
            rendering=text,
            rendering_digest=digest(text.encode("utf-8")),
            head=self.session.head,
        )
