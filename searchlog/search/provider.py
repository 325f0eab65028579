"""What a search provider is: its facts, one pure request, one pure parse; and how an exchange becomes a run. Pure.

    query ─► provider.request(query) ─► Request ─► (capture) ─► Exchange ─► run_of(provider, query, exchange) ─► Run

A provider never touches the network. `parse` takes any bytes and never raises: what cannot be read is a run with the
outcome `parse_error`. How a transport can fail is mapped once, in `run_of`; a provider adds only its own traps.

One that has to be asked twice for an answer (ids first, then what they stand for) has `follow` as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from searchlog.capture.exchange import Exchange, Header, Outcome, Request
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = [
    "APPLIED_HERE",
    "OPTIONS",
    "RETURNS",
    "Facts",
    "FollowingProvider",
    "LocalProvider",
    "NetworkProvider",
    "Provider",
    "Response",
    "Terms",
    "own_servers",
    "response_of",
    "run_of",
    "run_of_both",
    "transport_run",
]

OPTIONS = (
    "count",
    "page",
    "language",
    "country",
    "freshness",
    "after",
    "before",
    "safe",
    "include_domains",
    "exclude_domains",
)
"""The options of a `Query` that narrow what is wanted."""

APPLIED_HERE = frozenset({"page", "freshness", "after", "before", "include_domains", "exclude_domains"})
"""Those that results are held to here where a provider cannot apply them; of dates, where something says one."""

RETURNS = ("snippet", "published", "crawled", "score", "text")
"""What a result may have besides its address and title; `text` only where `Query.texts` asks for it, if not always."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Where a provider's terms stand and what they say of keeping answers; a note for people, not legal advice."""

    url: str
    noted_on: str
    """The day this note was made, ISO 8601; terms change, so read them."""
    retention: str
    """What is known of the right to store and share answers."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to know of a provider before asking it anything."""

    name: str
    """Short and stable: `brave`. Stands in records and on the command line."""
    title: str
    endpoint: str
    """The URL that is asked, without the query; empty for a local provider."""
    third_party: str
    """Who sees the query, in words for people."""
    terms: Terms
    applies: tuple[str, ...] = ()
    """Options of a query that it can apply; the rest of `OPTIONS` it ignores, and says so in each run."""
    returns: tuple[str, ...] = ()
    """What its results have, of `RETURNS`."""
    key: str = "none"
    """Whether it takes a key: `none`, `optional`, `required`."""
    key_env: tuple[str, ...] = ()
    """Environment variables that may hold its key or address; the first one set wins."""
    keyed: bool = False
    """Whether it is asked with a key as things are configured; False in the table of a class."""
    count_max: int = 10
    """Most results of one request."""
    limits: str = ""
    """What is known of how often and how long it may be asked, for people."""
    pause_s: float = 0.0
    """Least time between two requests, seconds, where its terms name one."""
    paid: bool = False
    """Whether requests with a key cost money or credit: then they are counted against a budget a day."""
    account: str = ""
    """Name of the provider whose key it is asked with, and whose budget it shares; empty for one of its own."""
    scope: str = "web"
    """`web`, or what it covers less than the web: `encyclopedia`, `papers`, `discussions`, `code`, `small-web`,
    `captures`, `archive`, `site`. Nothing found in less than the web does not end a search."""
    by_name: bool = False
    """A key that is set does not bring it into a search: it is asked when it is named, or in the keyless order."""
    own_server: bool = False
    """Whether its address is the user's own setting: it may be asked there although that is not a public address."""
    last_resort: bool = False
    """No terms allow automated use, or it blocks soon: asked only when nothing else answered."""

    @property
    def budget(self) -> str:
        """Return the name under which its requests of a day are counted and limited."""
        return self.account or self.name

    @property
    def keyless(self) -> bool:
        """Whether it is asked without a key as things are configured; of a class, whether it could be."""
        return self.key != "required" and not self.keyed

    @property
    def ignores(self) -> tuple[str, ...]:
        """Return the options that it never applies."""
        return tuple(option for option in OPTIONS if option not in self.applies)

    def ignored(self, query: Query) -> tuple[str, ...]:
        """Return the options that this query sets, other than to their default, and that are not applied.

        A count above `count_max` is one: fewer are asked for.
        """
        never = (o for o in self.ignores if getattr(query, o) != Query.__dataclass_fields__[o].default)
        beyond = ("count",) if "count" in self.applies and query.count > self.count_max else ()
        return (*beyond, *never)


def own_servers(known: Iterable[Facts]) -> tuple[str, ...]:
    """Return the hosts, with their ports, of those that are the user's own servers: they may be private."""
    return tuple(urlsplit(facts.endpoint).netloc.rpartition("@")[2] for facts in known if facts.own_server)


@dataclass(frozen=True, slots=True)
class Response:
    """The part of an exchange that a parser sees."""

    status: int
    headers: tuple[Header, ...]
    body: bytes
    """Decoded: content codings removed."""


@runtime_checkable
class NetworkProvider(Protocol):
    """A provider asked over HTTP by one request."""

    @property
    def facts(self) -> Facts: ...

    def request(self, query: Query) -> Request:
        """Return the request that asks this query; keys stand in `Request.secrets` as well."""

    def parse(self, response: Response, query: Query) -> Run:
        """Return the run that these bytes tell. Never raises, whatever the bytes."""


@runtime_checkable
class FollowingProvider(NetworkProvider, Protocol):
    """A network provider whose answer may need a second request."""

    def follow(self, query: Query, response: Response) -> Request | None:
        """Return what to ask next after the first answer, or None when that answer is the whole.

        Never raises, whatever the bytes. The second answer is parsed by `parse` as well, and stands for both.
        """


@runtime_checkable
class LocalProvider(Protocol):
    """A provider on this machine: nobody else sees the query."""

    @property
    def facts(self) -> Facts: ...

    def answer(self, query: Query) -> Run:
        """Return the run from what is stored here."""


Provider = NetworkProvider | LocalProvider

_FAILED = {
    "timeout": (RunOutcome.TIMEOUT, "no answer in time; raise the time limit or ask another provider"),
    "dns": (RunOutcome.OFFLINE, "its name could not be looked up; is this machine online?"),
    "connect": (RunOutcome.OFFLINE, "no connection could be made; is this machine online, and the address right?"),
    "tls": (RunOutcome.OFFLINE, "the TLS handshake failed"),
    "disconnect": (RunOutcome.UNAVAILABLE, "the connection was closed before the answer was whole"),
    "protocol": (RunOutcome.PARSE_ERROR, "the answer is not HTTP"),
    "header-too-large": (RunOutcome.TOO_LARGE, "the answer's head is over the limit"),
}
_TRUNCATED = {
    "length": (RunOutcome.TOO_LARGE, "the answer is over the size limit"),
    "time": (RunOutcome.TIMEOUT, "the answer did not end in time"),
    "disconnect": (RunOutcome.UNAVAILABLE, "the connection was closed before the answer was whole"),
    "coding": (RunOutcome.PARSE_ERROR, "the answer's content coding is cut or corrupt"),
    "unknown-coding": (RunOutcome.PARSE_ERROR, "the answer has a content coding that we did not ask for"),
}


def run_of(provider: NetworkProvider, query: Query, exchange: Exchange) -> Run:
    """Return the run of one exchange with a provider: a typed outcome whatever happened.

    The status of an error answer counts even when its body was cut; a cut answer of status 2xx has no results, since
    a list without its end would look like a whole one.
    """
    failed = transport_run(provider.facts, exchange, provider.facts.ignored(query))
    if failed is not None:
        return failed
    return provider.parse(response_of(exchange), query)


def response_of(exchange: Exchange) -> Response:
    """Return the part of an exchange that a parser sees."""
    return Response(exchange.status or 0, exchange.headers, exchange.decoded.data)


def transport_run(facts: Facts, exchange: Exchange, ignored: tuple[str, ...] = ()) -> Run | None:
    """Return the run of an exchange that brought no answer to parse, or None when it brought one."""
    failed = _transport_outcome(exchange)
    if failed is None:
        return None
    outcome, detail = failed
    return Run(facts.name, outcome, detail=f"{facts.name}: {detail}", ignored=ignored)


def run_of_both(provider: NetworkProvider, query: Query, first: Run, second: Exchange) -> Run:
    """Return the run of an answer that needed a second exchange.

    When that one failed, what the first gave stands, and is `degraded`.
    """
    run = run_of(provider, query, second)
    if run.results or not first.results:
        return run
    detail = f"{run.detail or f'{run.provider}: the second answer is {run.outcome}'}; what the first one gave stands"
    return replace(first, outcome=RunOutcome.DEGRADED, detail=detail, retry_after_s=run.retry_after_s)


def _transport_outcome(exchange: Exchange) -> tuple[RunOutcome, str] | None:
    """Return how the transport failed, or None when there is an answer to parse."""
    said = f" ({exchange.detail})" if exchange.detail else ""
    if exchange.outcome is Outcome.REFUSED and exchange.reason == "rate-limited":
        return RunOutcome.RATE_LIMITED, f"not asked{said}"
    if exchange.outcome is Outcome.REFUSED:
        return RunOutcome.REFUSED, f"not asked: {exchange.reason}{said}"
    if exchange.outcome is Outcome.FAILED or exchange.status is None:
        fallback = (RunOutcome.UNAVAILABLE, f"no usable answer: {exchange.reason}")
        outcome, detail = _FAILED.get(exchange.reason or "", fallback)
        return outcome, detail + said
    if not 200 <= exchange.status < 300:
        return None
    reason = exchange.reason if exchange.outcome is Outcome.TRUNCATED else exchange.decoded.reason
    if exchange.outcome is Outcome.TRUNCATED or reason is not None:
        outcome, detail = _TRUNCATED.get(reason or "", (RunOutcome.PARSE_ERROR, f"the answer is cut: {reason}"))
        return outcome, detail + said
    return None
