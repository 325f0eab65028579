"""Stored answers of providers, parsed again: by the parsers of this version, whichever made the recorded runs.

An answer is parsed by a provider built as it was then: asked with a key or without, at its usual address or at another.
No key is needed for that. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from searchlog import records
from searchlog.errors import SearchlogError, UsageError
from searchlog.flow import foreign
from searchlog.ledger import Gap, Ledger, Record
from searchlog.recording import query_of, run_body
from searchlog.search import registry
from searchlog.search.catalogue import EXTRACTORS
from searchlog.search.extractor import Extractor, run_of_texts
from searchlog.search.provider import Facts, FollowingProvider, NetworkProvider, response_of
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.stored import stored_exchange

__all__ = ["Reparsed", "parsed_again", "reparse"]

_KEY = "key-of-nobody"


@dataclass(frozen=True, slots=True)
class Reparsed:
    """One recorded run beside what its answer is parsed to now."""

    session: str
    turn: int
    seq: int
    """Of the recorded run."""
    causes: tuple[int, ...]
    """Seqs of its exchanges."""
    recorded: records.Run
    run: Run | None
    """As parsed now; None where there is nothing to parse, or nobody to parse it."""
    why: str
    """Why there is none, for people."""
    gained: tuple[str, ...] = ()
    """Addresses that are results now and were none."""
    lost: tuple[str, ...] = ()
    damaged: bool = False
    """Whether stored bytes are gone or altered, so that nothing can be said."""
    equal: bool = True
    """Whether the run comes out as recorded, field for field, the parser's name aside."""

    def to_json(self) -> dict[str, Any]:
        """Return the documented shape of `reparse --json` (README, "JSON")."""
        now = run_body(self.run).body if self.run is not None else None
        assert now is None or isinstance(now, records.Run)
        return {
            "session": self.session,
            "turn": self.turn,
            "seq": self.seq,
            "provider": self.recorded.provider,
            "equal": self.equal,
            "recorded": {"outcome": self.recorded.outcome, "parser": self.recorded.parser},
            "now": {"outcome": now.outcome, "parser": now.parser, "results": now.results} if now else None,
            "gained": list(self.gained),
            "lost": list(self.lost),
            "why": self.why,
        }


def reparse(ledger: Ledger, turn: int | None = None) -> list[Reparsed]:
    """Return each run of a session, or of one turn, beside what its stored answer is parsed to now.

    A run whose answer is gone, altered or of a provider that is not here says so. Raises StoreError.
    """
    out: list[Reparsed] = []
    query = Query("")
    exchanges: dict[str, list[tuple[int, records.ProviderExchange]]] = {}
    for entry in ledger.entries():
        if isinstance(entry, Gap) or (turn is not None and entry.envelope.turn != turn):
            continue
        match entry.body:
            case records.Turn():
                query, exchanges = Query(""), {}
            case records.Query() as body:
                query = query_of(body)
            case records.ProviderExchange() as body:
                exchanges.setdefault(body.provider, []).append((entry.seq, body))
            case records.Run() as body:
                out.append(_reparsed(ledger, entry, body, query, exchanges.pop(body.provider, [])))
            case _:
                pass
    return out


def _reparsed(
    ledger: Ledger,
    record: Record,
    recorded: records.Run,
    query: Query,
    exchanges: Sequence[tuple[int, records.ProviderExchange]],
) -> Reparsed:
    turn, causes = record.envelope.turn or 0, tuple(seq for seq, _ in exchanges)
    run, why = None, "" if exchanges else "no answer is stored: it was not asked over the network"
    was: list[dict[str, Any]] = []
    damaged = False
    try:
        was = ledger.load(recorded.results)
        if exchanges:
            run = parsed_again(ledger, recorded, query, [body for _, body in exchanges])
            is_here = registry.facts_of(recorded.provider) is not None
            why = "it cannot be parsed again here" if is_here else f"there is no provider {recorded.provider} here"
            why = "" if run is not None else why
    except SearchlogError as error:
        why, damaged = str(error), True
    if run is None:
        return Reparsed(ledger.session, turn, record.seq, causes, recorded, None, why, damaged=damaged)
    then = [item.get("url") for item in was]
    now = [result.url for result in run.results]
    gained = tuple(url for url in now if url not in then)
    lost = tuple(url for url in then if isinstance(url, str) and url not in now)
    equal = _told(run_body(run).body, ledger) == _told(recorded, ledger)
    return Reparsed(ledger.session, turn, record.seq, causes, recorded, run, why, gained, lost, equal=equal)


def _told(body: records.Body, ledger: Ledger) -> dict[str, Any]:
    """Return what a run says, without who parsed it and when it was asked."""
    told = {name: value for name, value in body.to_json().items() if name not in ("parser", "answered_at")}
    assert isinstance(body, records.Run)
    return told | {"results": ledger.load(body.results), "dropped": ledger.load(body.dropped)}


def parsed_again(
    ledger: Ledger, recorded: records.Run, query: Query, exchanges: Sequence[records.ProviderExchange]
) -> Run | None:
    """Return the run that stored exchanges of one attempt are parsed to; None where nobody here can parse them.

    recorded: the run that they were parsed to then. query: the whole one, of which it answers one text.
    Raises MissingError or IntegrityError when stored bytes are gone or altered, FormatError.
    """
    number = recorded.query_number or 1
    # the record of the query may be erased, or altered: what it held is then asked of no parser
    alone = dict(enumerate(query.alone(), 1)).get(number) or replace(query, text="", also=(), focus=None)
    run = _parsed_again(ledger, recorded.provider, alone, exchanges)
    return None if run is None else replace(run, query_number=number)


def _parsed_again(ledger: Ledger, name: str, query: Query, exchanges: Sequence[records.ProviderExchange]) -> Run | None:
    if not exchanges:
        return None
    first = stored_exchange(exchanges[0], ledger.blobs, ledger.load)
    keyed = any(departure.startswith("redacted:request:") for departure in first.departures)
    if exchanges[0].urls:
        extractor = _extractor(name, first.url, keyed)
        return run_of_texts(extractor, exchanges[0].urls, first) if extractor is not None else None
    provider = _provider(name, first.url, keyed)
    if provider is None:
        return None
    run = foreign.parsed(provider, query, first)
    if run.results and len(exchanges) == 1 and isinstance(provider, FollowingProvider):
        more = foreign.follow_of(provider, query, response_of(first))
        # a request that was not made then, since HTTP cannot carry it, has no answer to parse
        return more if isinstance(more, Run) else run if more is None else None
    for body in exchanges[1:]:
        run = foreign.parsed_again(provider, query, run, stored_exchange(body, ledger.blobs, ledger.load))
    return run


def _provider(name: str, url: str, keyed: bool) -> NetworkProvider | None:
    """Return a provider as it was when it asked this address."""
    facts = registry.facts_of(name)
    if facts is None or not facts.endpoint:
        return None
    try:
        provider = registry.build(name, _env(facts, url, keyed), _options(facts, url))
    except UsageError:
        return None
    return provider if isinstance(provider, NetworkProvider) else None


def _extractor(name: str, url: str, keyed: bool) -> Extractor | None:
    """Return a service for texts as it was when it asked this address."""
    if name not in EXTRACTORS:
        return None
    facts = EXTRACTORS[name].FACTS
    try:
        return registry.build_extractor(name, _env(facts, url, keyed), _options(facts, url))
    except UsageError:
        return None


def _env(facts: Facts, url: str, keyed: bool) -> dict[str, str]:
    """Return an environment with a key where one was used, or with the address of the user's own server."""
    if facts.own_server:
        return dict.fromkeys(facts.key_env[:1], _base(url))
    return dict.fromkeys(facts.key_env[:1], _KEY) if keyed or facts.key == "required" else {}


def _options(facts: Facts, url: str) -> registry.Options:
    """Return the options that lead to the address that was asked, when it was not the usual one."""
    usual, asked = urlsplit(facts.endpoint).hostname or "", urlsplit(url).hostname or ""
    is_usual = asked == usual or ("{" in usual and asked.endswith(usual.partition("}")[2]))
    return registry.Options() if is_usual or facts.own_server else registry.Options({facts.name: _base(url)})


def _base(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
