"""What a search provider is: its facts, one pure request, one pure parse; and how an exchange becomes a run. Pure.

    query ─► provider.request(query) ─► Request ─► (capture) ─► Exchange ─► run_of(provider, query, exchange) ─► Run

A provider never touches the network. `parse` takes any bytes and never raises: what cannot be read is a run with the
outcome `parse_error`. How a transport can fail is mapped once, in `run_of`; a provider adds only its own traps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from searchlog.capture.exchange import Exchange, Header, Outcome, Request
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = ["OPTIONS", "Facts", "LocalProvider", "NetworkProvider", "Provider", "Response", "Terms", "run_of"]

OPTIONS = (
    "count",
    "page",
    "language",
    "country",
    "freshness",
    "safe",
    "include_domains",
    "exclude_domains",
)
"""The options of a `Query`, all but its text."""


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
    key_env: tuple[str, ...] = ()
    """Environment variables that may hold its key or address; the first one set wins."""
    keyless: bool = False
    """Whether it is asked without a key as things are configured."""
    count_max: int = 10
    """Most results of one request."""
    scope: str = "web"
    """`web`, `encyclopedia`, `archive` or `site`: nothing found in less than the web does not end a search."""
    own_server: bool = False
    """Whether its address is the user's own setting: it may be asked there although that is not a public address."""
    last_resort: bool = False
    """No terms allow automated use, or it blocks soon: asked only when nothing else answered."""

    @property
    def ignores(self) -> tuple[str, ...]:
        """Return the options that it never applies."""
        return tuple(option for option in OPTIONS if option not in self.applies)

    def ignored(self, query: Query) -> tuple[str, ...]:
        """Return the options that this query sets, other than to their default, and that are never applied."""
        return tuple(o for o in self.ignores if getattr(query, o) != Query.__dataclass_fields__[o].default)


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
    transport = _transport_outcome(exchange)
    if transport is not None:
        outcome, detail = transport
        name = provider.facts.name
        return Run(name, outcome, detail=f"{name}: {detail}", ignored=provider.facts.ignored(query))
    assert exchange.status is not None
    return provider.parse(Response(exchange.status, exchange.headers, exchange.decoded.data), query)


def _transport_outcome(exchange: Exchange) -> tuple[RunOutcome, str] | None:
    """Return how the transport failed, or None when there is an answer to parse."""
    said = f" ({exchange.detail})" if exchange.detail else ""
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
