"""What is checked: a provider or an extractor, how it is asked, and samples of its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from searchlog.capture.exchange import Exchange, Request
from searchlog.checks import find_fault, raised_at
from searchlog.search.extractor import run_of_texts
from searchlog.search.provider import Facts, Response, run_of
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Asked", "Check", "Failed", "Sample", "Subject", "called", "of_extractor", "of_provider", "shown"]

_T = TypeVar("_T", Request, Run)
Asked = Query | tuple[str, ...]
"""What is asked: a query, or of an extractor the addresses of pages."""

PLAIN = Query("tide table", asked_on="2026-03-15")
FULL = Query(
    "潮汐 tide & table",
    count=50,
    page=3,
    language="zh-Hant",
    country="TW",
    freshness="week",
    safe="strict",
    include_domains=("a.example",),
    exclude_domains=("b.example",),
    texts=True,
    asked_on="2026-03-15",
)

_ADDRESS = "https://a.example/tide"
"""What an index of captures is asked for: it knows addresses, not words."""
_TEXTS = {
    "a query of other scripts": "潮汐表 مناره \U0001f30a é",
    "a query of marks": "a&b=c #d ?e %41 \"f\" 'g' <h> \\i +j\r\nK: l\x00\t\u2028",
    "a long query": "ebb tide " * 800,
    "one long word": "潮" * 4_000,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer of the service, and what a parser should make of it."""

    response: Response
    outcome: RunOutcome
    results: int | None = None
    """How many results it has; None when that is not to be checked."""
    query: Query = PLAIN
    """What was asked."""
    urls: tuple[str, ...] = ()
    """For an extractor: the pages that were asked for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What a call raised, in words."""

    words: str
    error: type[Exception] | None = None
    """The class of what was raised; None when what was returned is wrong."""


@dataclass(frozen=True)
class Subject:
    """One provider or extractor under test."""

    made: Any
    """The object itself: nothing that it gives is trusted."""
    facts: Facts
    key: str
    samples: Sequence[Sample]
    plain: Asked
    full: Asked
    asks: Mapping[str, Asked]
    """What its requests are tried with, by a name for people."""
    values: Mapping[str, Sequence[Any]]
    """Values of options that the service knows, besides those that are tried anyway."""
    run_of: Callable[[Exchange, Asked], Run] = field(repr=False)
    again: Callable[[], Any] = field(repr=False)
    """Makes another one of the same."""

    @property
    def is_extractor(self) -> bool:
        return not isinstance(self.plain, Query)

    @property
    def query(self) -> Query:
        """The plain query of a provider."""
        assert isinstance(self.plain, Query)
        return self.plain

    def asked_of(self, sample: Sample) -> Asked:
        """Return what a sample answers."""
        return (sample.urls or self.plain) if self.is_extractor else sample.query

    def request(self, asked: Asked) -> Request | Failed:
        """Return the request, or what went wrong."""
        return _of_type(Request, "request", called("request", self.made.request, asked))

    def follow(self, asked: Asked, response: Response) -> Request | Failed | None:
        """Return the second request, None for none, or what went wrong."""
        made = called("follow", self.made.follow, asked, response)
        return None if made is None else _of_type(Request, "follow", made)

    def parse(self, response: Response, asked: Asked | None = None) -> Run | Failed:
        """Return the run, or what went wrong."""
        asked = self.plain if asked is None else asked
        return _of_type(Run, "parse", called("parse", self.made.parse, response, asked))

    def run(self, exchange: Exchange, asked: Asked | None = None) -> Run | Failed:
        """Return the run of an exchange, or what went wrong."""
        asked = self.plain if asked is None else asked
        return _of_type(Run, "run_of", called("run_of", self.run_of, exchange, asked))

    def outcome_told(self, response: Response) -> RunOutcome | None:
        """Return what a sample of the same status and bytes says; None when there is none."""
        for sample in self.samples:
            if (sample.response.status, sample.response.body.strip()) == (response.status, response.body.strip()):
                return sample.outcome
        return None

    def bodies(self, outcome: RunOutcome) -> list[bytes]:
        """Return the bodies of the samples of status 200 with this outcome."""
        return [s.response.body for s in self.samples if s.outcome is outcome and s.response.status == 200]


Check = Callable[[Subject], Iterator[str]]
"""Yields every fault that it finds, in words."""


def of_provider(
    provider: Any,
    samples: Sequence[Sample],
    key: str | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    again: Callable[[], Any] | None = None,
) -> Subject:
    """Return a provider as something to check. key: None takes that of a `Service`."""
    of_address = provider.facts.scope == "captures"
    plain = replace(PLAIN, text=_ADDRESS) if of_address else PLAIN
    full = replace(FULL, text=_ADDRESS) if of_address else FULL
    asks: dict[str, Asked] = {
        "a plain query": plain,
        "a query with every option": full,
        "a query with dates": replace(plain, after="2024-02-29", before="2025-12-31"),
    }
    if not of_address:
        asks |= {words: replace(plain, text=text) for words, text in _TEXTS.items()}
    return Subject(
        provider,
        provider.facts,
        _key(provider) if key is None else key,
        tuple(samples),
        plain,
        full,
        asks,
        values or {},
        lambda exchange, asked: run_of(provider, asked, exchange),  # type: ignore[arg-type]
        again or (lambda: provider),
    )


def of_extractor(
    extractor: Any, samples: Sequence[Sample], key: str | None = None, again: Callable[[], Any] | None = None
) -> Subject:
    """Return a service for the texts of pages as something to check. key: None takes that of a `Service`."""
    most = min(max(extractor.facts.count_max, 1), 20)
    plain = ("https://a.example/tides",)
    full = tuple(f"https://a.example/{n}?a=b&c=%41#d" for n in range(most))
    odd = ("https://a.example/" + "x" * 2_000, "http://xn--bcher-kva.example:8080/?q=%E6%BD%AE&r=[1]")[:most]
    return Subject(
        extractor,
        extractor.facts,
        _key(extractor) if key is None else key,
        tuple(samples),
        plain,
        full,
        {"one page": plain, "as many pages as it takes": full, "odd addresses": odd},
        {},
        lambda exchange, asked: run_of_texts(extractor, asked, exchange),  # type: ignore[arg-type]
        again or (lambda: extractor),
    )


def _key(made: Any) -> str:
    return (made._key or "") if isinstance(made, Service) else ""


def called(verb: str, call: Callable[..., Any], *args: Any) -> Any:
    """Return what a stranger's method returns, or `Failed` with what it raised and where."""
    try:
        return call(*args)
    # the border: whatever it raises is the fault that is looked for
    except Exception as error:
        return Failed(f"{verb} raised {type(error).__name__}{raised_at(error)}", type(error))


def _of_type(kind: type[_T], verb: str, made: object) -> _T | Failed:
    """Return what was made, or what is wrong with its type; the value itself is left out, it may hold the key."""
    if isinstance(made, Failed):
        return made
    fault = find_fault(made, kind)
    if fault is None:
        assert isinstance(made, kind)
        return made
    where = f"{fault.path} must be {fault.allowed}" if fault.path else f"it must be {fault.allowed}"
    return Failed(f"{verb} returned {type(made).__name__}: {where}, not {type(fault.found).__name__}")


def shown(response: Response) -> str:
    """Return a response in a few words."""
    fields = "".join(f", {name}: {value[:40]!r}" for name, value in response.headers[:3])
    return f"status {response.status}{fields}, {len(response.body)} bytes {response.body[:60]!r}"
