"""One session: search, fetch, read back. The front door of the Python API; a search's own order is in `searching`.

search          query ─► … ─► evidence, rendering          searching
fetch           URLs ─► captures, conversions              here
provider_texts  URLs ─► a provider's texts, conversions    here
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from searchlog import recording, records
from searchlog.capture import guard
from searchlog.capture.deadline import Deadline
from searchlog.capture.shown import shown_url
from searchlog.checks import expect
from searchlog.clock import parse_time
from searchlog.desk import Desk, Listener, Progress
from searchlog.errors import FormatError
from searchlog.extract.conversion import Conversion
from searchlog.flow.foreign import check_providers
from searchlog.flow.indexing import index_captures
from searchlog.flow.page import Page, page_of, refused_page
from searchlog.flow.read import Task
from searchlog.flow.resources import Resources
from searchlog.flow.settings import Settings, split_options
from searchlog.flow.texts import Asked, ask_for_texts
from searchlog.keyring import known
from searchlog.ledger import Draft, Ledger, Record
from searchlog.log.checkpoint import Checkpoint
from searchlog.models.load import loaded
from searchlog.reparse import Reparsed
from searchlog.search import registry, whom
from searchlog.search.provider import Provider
from searchlog.search.query import Query
from searchlog.searching import Search, Searching
from searchlog.stored import stored_conversion, stored_exchange
from searchlog.verify.heads import NOBODY, Trust

if TYPE_CHECKING:
    from searchlog.mementos.save import Saved
    from searchlog.mementos.source import WebArchive
    from searchlog.recheck.result import Verification
    from searchlog.verify.heads import Seen

__all__ = ["Page", "Progress", "Search", "Session"]

_SAVE_S = 120.0
"""An archive may take minutes for one page."""
_LONG_S = 7 * 86_400.0
"""A deadline over a list of any length: each page has its own."""


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
        self._desk = Desk(self.ledger, resources)
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
        query: str | Sequence[str] | Query,
        *,
        providers: str | Provider | Iterable[str | Provider] | None = None,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        registry_options: registry.Options | None = None,
        in_turn: bool = False,
        **options: Any,
    ) -> Search:
        """Search, read the pages found, and return the evidence; everything is recorded in this session.

        query: what to ask; a list asks the same in several phrasings, each of them by itself, and fuses what is found.
        `focus="…"` names what to look for on the pages, where that is not what the providers are best asked.
        providers: names or provider objects, all asked at once, or one of either; None: those that the environment
        names or configures, else the keyless ones in turn; an empty list is a mistake. in_turn: ask them one after
        another, until one answers. options: any field of `Query` or `Settings` by name, such as `count=20`,
        `budget_tokens=2000`, or `scorer="static:/path"` for a model of one's own to rank with.

        Raises ProviderError when no provider answered (the attempts are in the log all the same), UsageError,
        StoreError. An answer without results is no error: the outcome is `empty`.
        """
        expect("registry_options", registry_options, registry.Options | None)
        expect("progress", progress, Callable)
        expect("in_turn", in_turn, bool)
        asked, chosen = split_options(query, settings, options)
        # a key that was typed by mistake is sent to nobody, and what is recorded can be searched again
        today = self.resources.clock.now().date().isoformat()
        asked = replace(
            asked.reworded(known().replace_text),
            asked_on=asked.asked_on or (today if asked.freshness else None),
            texts=asked.texts or chosen.provider_text != "never",
        )
        self.resources.standings.limits()  # a wrong setting is told before anybody is asked
        scorer = loaded(chosen.scorer)
        made, choice = self._providers(check_providers(providers), registry_options, in_turn)
        seen_by = whom.who_sees(self.resources.env, choice, registry_options)
        if seen_by is not None:
            progress(Progress("notice", seen_by))
        self.resources.pool.warm()
        with self.ledger.turn("search") as turn:
            return Searching(self._desk, turn, asked, chosen, progress, choice, scorer).run(made)

    def _providers(
        self, wanted: Sequence[str | Provider], options: registry.Options | None, in_turn: bool
    ) -> tuple[list[Provider], whom.Choice]:
        """Return the providers to ask, and the choice among those that have names here."""
        env = self.resources.env
        names = [item for item in wanted if isinstance(item, str)]
        none = whom.Choice((), not in_turn, "named")
        choice = whom.choose(env, names, in_turn=in_turn) if names or not wanted else none
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
        reader = self._desk.reader(chosen)
        with self.ledger.turn("index" if purpose == "index" else "fetch") as turn:
            deadline = Deadline(_LONG_S, self.resources.clock)
            tasks = (Task(url, purpose=purpose) for url in place)
            for batch in reader.read(tasks, deadline):
                self._desk.log_pages(turn, batch, turn.begin, chosen)
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
        An address that holds a credential, or that no page on the web has, is told to nobody.
        Raises UsageError for a provider that gives no texts or lacks its key.
        """
        expect("urls", urls, Iterable)
        expect("provider", provider, str)
        expect("progress", progress, Callable)
        expect("registry_options", registry_options, registry.Options | None)
        wanted = [urls] if isinstance(urls, str) else list(urls)
        for number, url in enumerate(wanted):
            expect(f"urls[{number}]", url, str)
        wanted = list(dict.fromkeys(wanted))
        _, chosen = split_options("texts", settings, options)
        resources = self.resources
        extractor = registry.build_extractor(provider, resources.env, registry_options)
        resources.standings.limits()
        refused = {url: why for url in wanted if (why := _kept_from_others(url, chosen)) is not None}
        pages = {url: refused_page(url, why) for url, why in refused.items()}
        with self.ledger.turn("fetch") as turn:

            def on_asked(asked: Asked) -> None:
                for page in self._desk.log_texts(turn, asked, chosen):
                    pages[page.asked] = page
                    progress(Progress("read", f"{page.asked}: {page.said}", len(pages), len(wanted)))

            def deadline() -> Deadline:
                return Deadline(chosen.deadline_s, resources.clock)

            client, door = resources.client(chosen), resources.standings
            asked_for = [url for url in wanted if url not in refused]
            ask_for_texts(extractor, asked_for, client, deadline=deadline, door=door, on_asked=on_asked)
            good = sum(page.reason is None for page in pages.values())
            outcome = "ok" if good == len(wanted) else "partial" if good else "failed"
            detail = f"{good} of {len(wanted)} texts from {provider}"
            turn.end(lambda _: (None, []), records.Turn(state="end", outcome=outcome, detail=detail))
        return [pages[url] for url in wanted]

    def save_pages(
        self,
        urls: Iterable[str],
        archive: str | WebArchive = "wayback",
        *,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        **options: Any,
    ) -> list[Saved]:
        """Ask a web archive to capture these pages now; return what came of each, in the order of the URLs.

        The archive learns the addresses. What it answers is recorded in this session, and is its word. `deadline_s`
        bounds each page (by default two minutes). Raises UsageError for an archive without such a service.
        """
        from searchlog.mementos.source import parse_source
        from searchlog.saving import save_pages

        expect("urls", urls, Iterable)
        wanted = [urls] if isinstance(urls, str) else list(urls)
        for number, url in enumerate(wanted):
            expect(f"urls[{number}]", url, str)
        _, chosen = split_options("save", settings, {"deadline_s": _SAVE_S, **options} if settings is None else options)
        source = parse_source(archive) if isinstance(archive, str) else archive
        with self.ledger.turn("save") as turn:
            done = list(save_pages(self._desk, turn, source, wanted, settings=chosen, progress=progress))
            saved = sum(one.memento is not None for one in done)
            outcome = "ok" if saved == len(done) else "partial" if saved else "failed"
            detail = f"{saved} of {len(done)} pages captured by {source.name}"
            turn.end(lambda _: (None, []), records.Turn(state="end", outcome=outcome, detail=detail))
        return done

    # --- verifying

    def keep_answer(self, answer: str | bytes, *, role: str = "assistant") -> int:
        """Keep what a model said, byte for byte, to be verified with `kept_answers`; return the seq of its record.

        answer: its text, or the JSON of a vendor's API. Raises FormatError for bytes that are in no form that is known.
        """
        from searchlog.answer.text import parse_answer

        expect("answer", answer, str | bytes)
        expect("role", role, str)
        data = answer if isinstance(answer, bytes) else answer.encode("utf-8")
        data = known().replace(data)
        form = parse_answer(data).form
        self.ledger.blobs.put([data])
        with self.ledger.turn("answer") as turn:
            draft = Draft(records.Message(role=role, form=form, content=recording.blob_ref(data)), (turn.begin,))
            turn.add([draft])
            turn.end(lambda _: (None, []), records.Turn(state="end", outcome="ok"))
        assert draft.seq is not None
        return draft.seq

    def verify(
        self,
        *,
        axes: Iterable[str] = ("store", "derivation"),
        turns: Iterable[int] = (),
        evidence: Iterable[str] = (),
        since: str | None = None,
        sample: int | None = None,
        seed: str | None = None,
        heads: Iterable[str | Checkpoint | Seen] = (),
        trust: Trust = NOBODY,
        max_age_s: int | None = None,
        web_archives: Iterable[str | WebArchive] = (),
        answers: Iterable[str | bytes] = (),
        kept_answers: bool = False,
        keep: bool = True,
        settings: Settings | None = None,
        progress: Listener = lambda _: None,
        **options: Any,
    ) -> Verification:
        """Verify what was found in this session, axis by axis; `findings` of what is returned is typed.

        axes: `store` (is the record intact), `derivation` (does the stored page hold the passage, and do the searches
        come out again), `live` (does the page say it now: it is fetched anew). turns, evidence, since, sample: which
        passages; all when nothing is said. since: a day, a time, or a span such as `7d`. heads: lines, signed notes or
        checkpoints kept elsewhere, which the session must extend; trust: whose signatures of them count. max_age_s: a
        live verdict that is younger counts, so that what was interrupted goes on. web_archives: asked about pages that
        are gone or changed, such as `wayback`; they then learn of the address. answers: final texts of models, as text
        or in the form of a vendor's API; kept_answers: those of `keep_answer` as well. keep: every check is kept, in a
        session of the archive's own. options: any field of `Settings` by name, such as `allow_private`.

        Raises UsageError; StoreError when live checks cannot be kept. What is found is data.
        """
        from searchlog.recheck.campaign import verify
        from searchlog.recheck.subjects import Subject
        from searchlog.recheck.wanted import wanted_of

        expect("progress", progress, Callable)
        _, chosen = split_options("verify", settings, options)
        wanted = wanted_of(
            self.resources.clock.now(),
            axes=axes,
            turns=turns,
            evidence=evidence,
            since=since,
            sample=sample,
            seed=seed,
            heads=heads,
            trust=trust,
            max_age_s=max_age_s,
            web_archives=web_archives,
            answers=answers,
            kept_answers=kept_answers,
            keep=keep,
            settings=chosen,
        )
        return verify([Subject(self.ledger)], self.resources, wanted, f"session {self.id}", progress=progress)

    def keep_runs(self, again: Sequence[Reparsed]) -> int:
        """Append runs that stored answers were parsed to again, as a turn of their own; return its number.

        Each follows from the exchanges that it was parsed from, and stands beside the run recorded then.
        """
        with self.ledger.turn("reparse") as turn:
            drafts = []
            for item in again:
                if item.run is not None:
                    at = item.recorded.answered_at
                    stored = recording.run_body(item.run, parse_time(at) if at else None)
                    drafts.append(self._desk.draft(stored, turn.begin, *item.causes, item.seq))
            turn.add(drafts)
            end = records.Turn(state="end", outcome="ok", detail=f"{len(drafts)} runs parsed again")
            turn.end(lambda _: (None, []), end)
            return turn.number


def _kept_from_others(url: str, settings: Settings) -> str | None:
    """Return why an address is not told to a third party, as a reason code, or None when it may be."""
    why = guard.refusal(url, guard.Allow.parse(settings.allow_private))
    if why is not None:
        return f"refused-{why}"
    return "refused-credentials" if shown_url(url) != url else None
