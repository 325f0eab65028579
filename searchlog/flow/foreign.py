"""The border to provider objects that somebody else wrote: held to the contract, and never trusted to keep it. Pure.

A provider that raises, returns nothing or returns the wrong thing costs itself and nobody else: its run says so, and
what the wire carried is recorded. A detail names the exception's class and the line of the provider that raised it,
not the exception's own words, which may hold an API key. Faults of this machine (StoreError) are no provider's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from searchlog.capture.exchange import Exchange, Request
from searchlog.capture.guard import Allow
from searchlog.checks import Fault, find_fault, raised_at, shown
from searchlog.errors import StoreError, UsageError
from searchlog.search import providers
from searchlog.search.provider import (
    Facts,
    FollowingProvider,
    LocalProvider,
    NetworkProvider,
    Provider,
    Response,
    run_of,
    run_of_both,
)
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome, count_fault, run_fault

__all__ = ["answer_of", "check_providers", "follow_of", "parsed", "parsed_again", "refused_request", "request_of"]

_NAME_MAX = 60


def check_providers(wanted: object) -> tuple[str | Provider, ...]:
    """Return the providers that a caller names: one name or object, or several.

    None and `()` name nobody, which leaves the choice to the environment; an empty list is a mistake, since the query
    would go to third parties that nobody named. Raises UsageError for that and for what is no provider.
    """
    if wanted is None or wanted == ():
        return ()
    if isinstance(wanted, str) or _has_facts(wanted):
        wanted = (wanted,)
    if not isinstance(wanted, Iterable) or isinstance(wanted, bytes | bytearray):
        raise UsageError(f"providers must be a list of names or provider objects, not {shown(wanted)}")
    named = tuple(wanted)
    if not named:
        raise UsageError("providers is an empty list: name at least one, or leave it out to ask those configured")
    for number, item in enumerate(named):
        if not isinstance(item, str):
            _check_provider(f"providers[{number}]", item)
    names = [item if isinstance(item, str) else item.facts.name for item in named]
    for number, item in enumerate(named):
        # records, cool-downs and dates know a provider by its name: two of one name could not be told apart
        if names[number] in names[:number] and not (isinstance(item, str) and item in named[:number]):
            said = f"providers[{number}] has the name {names[number]!r} of another: give its facts a name of its own"
            raise UsageError(said, argument=f"providers[{number}]")
    return named


def _has_facts(value: object) -> bool:
    try:
        return isinstance(getattr(value, "facts", None), Facts)
    except Exception:  # the property of a stranger's class may raise anything; then it has none
        return False


def _check_provider(path: str, value: object) -> None:
    if isinstance(value, type) or not _has_facts(value):
        raise UsageError(
            f"{path} must be a provider's name, or an object with facts and request and parse (or answer), "
            f"not {shown(value)}"
        )
    facts: Facts = value.facts  # type: ignore[attr-defined]
    fault = find_fault(facts, Facts, f"{path}.facts")
    if fault is None and not (facts.name.strip() and len(facts.name) <= _NAME_MAX):
        fault = Fault(f"{path}.facts.name", "a short name", facts.name)
    if fault is not None:
        raise UsageError(str(fault), argument=fault.path)
    if facts.own_server:
        _check_address(f"{path}.facts.endpoint", facts.endpoint)
    verbs = {name: callable(getattr(value, name, None)) for name in ("request", "parse", "answer")}
    if not (verbs["answer"] or (verbs["request"] and verbs["parse"])):
        raise UsageError(f"{path}: {facts.name} has no method answer, and not both of request and parse")


def _check_address(path: str, endpoint: str) -> None:
    """Raise UsageError on an address of one's own server that cannot be opened for it."""
    try:
        Allow.parse([urlsplit(endpoint).netloc.rpartition("@")[2]])
    except (ValueError, UsageError):
        raise UsageError(f"{path} must be an address with a host, not {shown(endpoint)}", argument=path) from None


def answer_of(provider: LocalProvider, query: Query) -> Run:
    """Return the run of a provider on this machine. Raises StoreError when this machine cannot read what it stores."""
    return _run(provider, query, "answer", lambda: provider.answer(query))


def request_of(provider: NetworkProvider, query: Query) -> Request | Run:
    """Return the request that a provider makes of a query, or the run `bad_request`."""
    made = _called("request", lambda: provider.request(query))
    if isinstance(made, _Raised):
        # what our own providers refuse is said in their words, which hold no key and nothing of the query
        own = type(provider).__module__.startswith(providers.__name__ + ".")
        said = made.words.removeprefix(f"{provider.facts.name}: ") if own and made.words else made.detail
        return _failed(provider, query, RunOutcome.BAD_REQUEST, said)
    fault = find_fault(made, Request)
    if fault is not None:
        return _wrong(provider, query, RunOutcome.BAD_REQUEST, "request", fault)
    assert isinstance(made, Request)
    return made


def follow_of(provider: FollowingProvider, query: Query, response: Response) -> Request | Run | None:
    """Return what a provider asks next after its first answer, None, or the run `parse_error` of one that breaks."""
    made = _called("follow", lambda: provider.follow(query, response))
    if isinstance(made, _Raised):
        return _failed(provider, query, RunOutcome.PARSE_ERROR, made.detail)
    fault = None if made is None else find_fault(made, Request)
    if fault is not None:
        return _wrong(provider, query, RunOutcome.PARSE_ERROR, "follow", fault)
    assert made is None or isinstance(made, Request)
    return made


def refused_request(provider: NetworkProvider, query: Query, error: UsageError) -> Run:
    """Return the run of a provider whose request HTTP cannot carry. error: of the capture client, without values."""
    return _failed(provider, query, RunOutcome.BAD_REQUEST, str(error))


def parsed(provider: NetworkProvider, query: Query, exchange: Exchange) -> Run:
    """Return the run that a provider reads from an exchange, or the run `parse_error`."""
    return _run(provider, query, "parse", lambda: run_of(provider, query, exchange))


def parsed_again(provider: NetworkProvider, query: Query, first: Run, second: Exchange) -> Run:
    """Return the run that a provider reads from its second exchange, given that of its first."""
    return _run(provider, query, "parse", lambda: run_of_both(provider, query, first, second))


def _run(provider: Provider, query: Query, verb: str, call: Callable[[], object]) -> Run:
    made = _called(verb, call)
    if isinstance(made, _Raised):
        return _failed(provider, query, RunOutcome.PARSE_ERROR, made.detail)
    many = count_fault(made) if isinstance(made, Run) else None
    if many is not None:
        return _failed(provider, query, RunOutcome.TOO_LARGE, f"{verb}: {many}")
    fault = find_fault(made, Run) or (run_fault(made, provider.facts.name) if isinstance(made, Run) else None)
    if fault is not None:
        return _wrong(provider, query, RunOutcome.PARSE_ERROR, verb, fault)
    assert isinstance(made, Run)
    return made


@dataclass(frozen=True, slots=True)
class _Raised:
    detail: str
    words: str = ""
    """Those of a UsageError."""


def _called(verb: str, call: Callable[[], object]) -> object:
    """Return what a provider's method returns, or what it raised."""
    try:
        return call()
    except StoreError:
        raise
    # the border: whatever a stranger's code raises, an exit too, is that provider's failure; an interrupt is the user's
    except (Exception, SystemExit) as error:
        words = str(error) if isinstance(error, UsageError) else ""
        return _Raised(f"{verb} raised {type(error).__name__}{raised_at(error)}", words)


def _wrong(provider: Provider, query: Query, outcome: RunOutcome, verb: str, fault: Fault) -> Run:
    # the value found is left out: it may hold an API key
    what = f"{verb} returned {type(fault.found).__name__}"
    where = f"{what} where {fault.path} must be {fault.allowed}" if fault.path else f"{what}, not {fault.allowed}"
    return _failed(provider, query, outcome, where)


def _failed(provider: Provider, query: Query, outcome: RunOutcome, detail: str) -> Run:
    name = provider.facts.name
    return Run(name, outcome, detail=f"{name}: {detail}", ignored=provider.facts.ignored(query))
