"""The checks as a test class, and as functions that return every fault in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from searchlog.checks import find_fault
from searchlog.search.extractor import Extractor
from searchlog.search.provider import Facts, NetworkProvider
from searchlog.testing import answering, asking
from searchlog.testing.subject import Check, Sample, Subject, called, of_extractor, of_provider

__all__ = ["CHECKS", "ExtractorSuite", "ProviderSuite", "check_extractor", "check_provider"]

FAULTS_MAX = 10
"""Faults that one check tells; the rest are counted."""

_COMMON: dict[str, Check] = {
    "facts are complete": asking.facts_are_complete,
    "request is pure": asking.request_is_pure,
    "request is sound": asking.request_is_sound,
    "key is declared a secret": asking.key_is_secret,
    "no bytes break parse": answering.no_bytes_break_it,
    "what is no answer is no result": answering.no_answer_is_no_result,
    "error statuses are typed": answering.error_statuses_are_typed,
    "challenges are blocked": answering.challenges_are_blocked,
    "cut answers have no results": answering.cut_answers_have_no_results,
    "transport failures are typed": answering.transport_failures_are_typed,
    "one sample has results": answering.one_sample_has_results,
    "samples say what they say": answering.samples_say_what_they_say,
}
CHECKS: dict[str, Check] = {
    **_COMMON,
    "options are applied or told": asking.options_are_applied_or_told,
    "count is kept": asking.count_is_kept,
    "second requests are sound": answering.second_requests_are_sound,
}
"""What is checked of a provider, by name; all but the last three of a service for texts too."""


def check_provider(
    provider: NetworkProvider,
    samples: Sequence[Sample] = (),
    key: str | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
) -> list[str]:
    """Return every fault of a provider, each after the name of the check that found it.

    key, values: as of `ProviderSuite`.
    """
    fault = _shape_fault(provider)
    return [fault] if fault else _faults(CHECKS, of_provider(provider, samples, key, values))


def check_extractor(extractor: Extractor, samples: Sequence[Sample] = (), key: str | None = None) -> list[str]:
    """Return every fault of a service for the texts of pages. key: as of `check_provider`."""
    fault = _shape_fault(extractor)
    return [fault] if fault else _faults(_COMMON, of_extractor(extractor, samples, key))


def _shape_fault(made: Any) -> str:
    facts = called("facts", getattr, made, "facts")
    if not isinstance(facts, Facts):
        return "shape: it has no `facts` of the type Facts"
    fault = find_fault(facts, Facts, "facts")
    if fault is not None:
        return f"shape: {fault}"
    missing = [name for name in ("request", "parse") if not callable(getattr(made, name, None))]
    return f"shape: it has no method {' and no method '.join(missing)}" if missing else ""


def _faults(checks: dict[str, Check], subject: Subject) -> list[str]:
    return [f"{name}: {fault}" for name, check in checks.items() for fault in _bounded(check(subject))]


def _bounded(faults: Iterator[str]) -> list[str]:
    """Return the first of each kind of fault, some kinds at most, and how many more there are."""
    kinds: dict[str, str] = {}
    for fault in faults:
        kinds.setdefault(fault.rpartition(", for ")[0] or fault, fault)
    told, more = list(kinds.values()), len(kinds) - FAULTS_MAX
    return told if more <= 0 else [*told[:FAULTS_MAX], f"and {more} more"]


def _method(name: str, check: Check) -> Callable[[_Suite], None]:
    """Return a check as a test method of this name."""

    def test(self: _Suite) -> None:
        faults = _bounded(check(self._subject()))
        assert not faults, "\n".join(faults)

    test.__name__, test.__qualname__, test.__doc__ = name, name, check.__doc__
    return test


class _Suite:
    """Has a test method for each check of its table: `test_facts_are_complete` for `facts are complete`."""

    key: ClassVar[str | None] = None
    """The key that `make` gives it; empty for none, None for that of a `Service`."""
    samples: ClassVar[Sequence[Sample]] = ()
    """Answers of the service, and what each should be read as."""

    def __init_subclass__(cls, checks: Mapping[str, Check] | None = None) -> None:
        super().__init_subclass__()
        for words, check in (checks or {}).items():
            name = f"test_{words.replace(' ', '_')}"
            setattr(cls, name, _method(name, check))

    def _subject(self) -> Subject:
        raise AssertionError("a suite is a class below ProviderSuite or ExtractorSuite")


class ProviderSuite(_Suite, checks=CHECKS):
    """The tests of one provider: a class below this one with `make`, `samples` and, where it takes one, `key`."""

    values: ClassVar[Mapping[str, Sequence[Any]]] = {}
    """Values of options that the service knows where it knows few: `{"include_domains": [("wiki.example",)]}`."""

    def make(self) -> NetworkProvider:
        """Return the provider; called for each test, and twice where two of them are compared."""
        raise NotImplementedError("give the suite a method `make` that returns your provider")

    def _subject(self) -> Subject:
        made = self.make()
        fault = _shape_fault(made)
        assert not fault, fault
        return of_provider(made, self.samples, self.key, self.values, self.make)


class ExtractorSuite(_Suite, checks=_COMMON):
    """The tests of one service for the texts of pages."""

    def make(self) -> Extractor:
        """Return the service; called for each test."""
        raise NotImplementedError("give the suite a method `make` that returns your service")

    def _subject(self) -> Subject:
        made = self.make()
        fault = _shape_fault(made)
        assert not fault, fault
        return of_extractor(made, self.samples, self.key, self.make)
