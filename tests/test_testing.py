"""The suite for other packages: it passes for every provider of this one, and finds each way of being wrong."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import searchlog.testing
from searchlog.capture.exchange import Request
from searchlog.search.answers.reading import Reader, rows
from searchlog.search.answers.values import page_text
from searchlog.search.extractor import ended
from searchlog.search.provider import NetworkProvider, Response
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service
from searchlog.testing import ExtractorSuite, ProviderSuite, Sample, answering, check_extractor, check_provider
from searchlog.testing.inputs import answers
from searchlog.testing.suite import CHECKS
from tests.broken_providers import BROKEN, SAMPLES, Following, Tide, answer, facts, is_json, raises, says, when
from tests.example_package import install
from tests.provider_samples import CASES, Case, samples_of
from tests.providers.conftest import KEY

VALUES = {"stackexchange": {"include_domains": [("stackoverflow.com",)]}}
"""What a provider knows that knows few values of an option."""
KEYED = {"none": (False,), "optional": (True, False), "required": (True,)}
EVERY = [
    pytest.param(case, keyed, id=f"{case.name}-{'key' if keyed else 'keyless'}")
    for case in CASES.values()
    for keyed in KEYED[case.known.key]
]


@pytest.mark.parametrize(("case", "keyed"), EVERY)
def test_every_one_of_this_package_keeps_the_contract(case: Case, keyed: bool) -> None:
    made = case.make(keyed)
    samples = samples_of(case.name)
    if not keyed and case.known.key != "none":
        # an error may mean another thing to who has a key, and texts may need one
        samples = tuple(one for one in samples if one.outcome is RunOutcome.OK and not one.query.texts)
    if case.is_extractor:
        assert check_extractor(made, samples) == []
    else:
        assert check_provider(made, samples, values=VALUES.get(case.name)) == []


# --- providers that are wrong, in `broken_providers`


@pytest.mark.parametrize("made", [Tide, Following])
def test_a_provider_that_is_right_has_no_fault(made: type[Tide]) -> None:
    assert check_provider(made(KEY), SAMPLES) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("made", "check", "words"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_each_way_of_being_wrong_is_told(made: type[Tide], check: str, words: str) -> None:
    found = faults_of(made, check)
    assert words in found.get(next(iter(found), ""), ""), found


def faults_of(made: type[Tide], check: str = "") -> dict[str, str]:
    """Return what the test methods tell whose names begin so, by the name of the check."""

    class Suite(ProviderSuite):
        key = KEY
        samples = SAMPLES

        def make(self) -> NetworkProvider:
            return made(KEY)  # type: ignore[return-value]

    found = {}
    for method in dir(Suite):
        name = method.removeprefix("test_").replace("_", " ")
        if method.startswith("test_") and name.startswith(check):
            try:
                getattr(Suite(), method)()
            except AssertionError as error:
                found[name] = str(error)
    return found


@pytest.mark.parametrize(
    "name", ["no-limits", "counts-its-requests", "key-not-sent", "one-page", "cut-list-as-whole", "empty-for-500"]
)
def test_the_function_tells_what_the_class_tells(name: str) -> None:
    made = next(case[1] for case in BROKEN if case[0] == name)
    told = faults_of(made)
    assert told
    found = check_provider(made(KEY), SAMPLES)  # type: ignore[arg-type]
    assert found == [f"{name}: {line}" for name in CHECKS if name in told for line in told[name].split("\n")]


def test_what_is_no_provider_is_told_in_one_sentence() -> None:
    nothing: Any = object()
    assert check_provider(nothing) == ["shape: it has no `facts` of the type Facts"]
    assert check_extractor(nothing) == ["shape: it has no `facts` of the type Facts"]
    wrong: Any = facts(count_max="20")(KEY)
    assert check_provider(wrong) == ["shape: facts.count_max must be a whole number, not '20'"]
    half: Any = type("Half", (), {"facts": Tide.FACTS})()
    assert check_provider(half) == ["shape: it has no method request and no method parse"]


def test_a_key_that_the_suite_cannot_know_must_be_told() -> None:
    class Alone:
        """Not built on `Service`."""

        facts = Tide.FACTS
        request = Tide(KEY).request
        parse = Tide(KEY).parse

    alone: Any = Alone()
    assert "key is declared a secret: key: the suite was not told which key the provider was made with" in (
        check_provider(alone, SAMPLES)
    )
    assert check_provider(alone, SAMPLES, key=KEY) == []


def test_a_sample_outweighs_the_rule_for_its_status_and_bytes() -> None:
    none = answer({}, 404)
    made = when(lambda response: response.status == 404 and is_json(response) == {}, RunOutcome.EMPTY)
    assert "error statuses" in "".join(faults_of(made))
    told = Sample(none, RunOutcome.EMPTY)
    assert check_provider(made(KEY), (*SAMPLES[:2], told)) == []  # type: ignore[arg-type]


def test_a_suite_without_an_answer_that_has_results_says_so() -> None:
    class Suite(ProviderSuite):
        samples = SAMPLES[1:]

        def make(self) -> NetworkProvider:
            return Tide(KEY)  # type: ignore[return-value]

    method: Any = getattr(Suite(), "test_one_sample_has_results")
    with pytest.raises(AssertionError, match="none has the outcome ok"):
        method()
    for samples in (SAMPLES[1:], ()):
        (told,) = check_provider(Tide(KEY), samples)  # type: ignore[arg-type]
        assert told.startswith("one sample has results: samples: none has the outcome ok")


def test_each_check_is_a_method_of_the_class_and_no_method_is_another() -> None:
    """One was a method alone, so that the function found nothing to say of a provider without samples."""
    methods = {name.removeprefix("test_").replace("_", " ") for name in dir(ProviderSuite) if name.startswith("test_")}
    assert methods == set(CHECKS)
    assert set(CHECKS) - {name for name in CHECKS if hasattr(ExtractorSuite, f"test_{name.replace(' ', '_')}")} == {
        "options are applied or told",
        "count is kept",
        "second requests are sound",
    }


def test_faults_are_told_once_a_kind() -> None:
    found = faults_of(says(raises), "no bytes")["no bytes break parse"]
    assert found.count("raised UnicodeDecodeError") == 1


def test_a_parser_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(run: Run, response: Response) -> Run:
        end = time.process_time() + (0.05 if b"<div>" in response.body else 0)
        while time.process_time() < end:
            pass
        return run

    monkeypatch.setattr(answering, "SECONDS_MAX", 0.04)
    found = faults_of(says(slow), "no bytes")["no bytes break parse"]
    assert "parse: takes more than 0.04 s, for status 200" in found


def test_what_is_tried_is_the_same_each_time() -> None:
    bodies = [one.response.body for one in SAMPLES]
    assert list(answers(bodies)) == list(answers(bodies))
    assert len(list(answers(bodies))) > 400


# --- services for the texts of pages

TEXTS = {"pages": [{"at": "https://a.example/tides", "words": "Twice a day."}]}
URLS = ("https://a.example/tides",)
TEXT_SAMPLES = (
    Sample(answer(TEXTS), RunOutcome.OK, 1, urls=URLS),
    Sample(answer({"pages": []}), RunOutcome.DEGRADED, 0, urls=URLS),
)


class Reading(Service):
    """A service for texts that is right."""

    FACTS = replace(Tide.FACTS, name="reading", applies=(), returns=("text",), by_name=True)

    def request(self, urls: Sequence[str]) -> Request:
        return self._post({"urls": list(urls)}, ("X-Key", self._key or ""))

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        reader = Reader(self.facts, "reading/1")
        refused = reader.refused(response)
        if refused is not None:
            return refused
        found = rows(response, reader, "pages")
        if isinstance(found, Run):
            return found
        reader.walk([row for row in found[1] if isinstance(row, dict) and page_text(row.get("words"))], self.result)
        return ended(reader, urls)

    def result(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"url": row.get("at"), "text": page_text(row.get("words"))}


class Wordless(Reading):
    def result(self, row: dict[str, Any]) -> dict[str, Any]:
        return super().result(row) | {"text": ""}


class Untold(Reading):
    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        return super().parse(response, urls[:0])


class Hopeful(Reading):
    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        run = super().parse(response, urls)
        return replace(run, outcome=RunOutcome.EMPTY, detail="") if response.status == 500 else run


class Undeclared(Reading):
    def request(self, urls: Sequence[str]) -> Request:
        return replace(super().request(urls), secrets=())


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Wordless, "a result without a text"),
        (Untold, "nothing is told of 'https://a.example/"),
        (Hopeful, "the outcome is empty for status 500"),
        (Undeclared, "the key stands where `secrets` does not declare it"),
    ],
)
def test_each_way_of_giving_texts_wrong_is_told(made: type[Reading], words: str) -> None:
    right, wrong = Reading(KEY), made(KEY)
    assert check_extractor(right, TEXT_SAMPLES) == []
    assert any(words in fault for fault in check_extractor(wrong, TEXT_SAMPLES))


class TestReading(ExtractorSuite):
    """The class for such services, used as its documentation says."""

    samples = TEXT_SAMPLES

    def make(self) -> Reading:
        return Reading(KEY)


# --- as the package that brings a provider uses it


def test_the_documented_example_runs_in_a_package_of_its_own(tmp_path: Path) -> None:
    install(tmp_path)
    doc = searchlog.testing.__doc__ or ""
    example = textwrap.dedent(doc[doc.index("    # test_example.py") : doc.index("\npytest collects it")])
    (tmp_path / "test_example.py").write_text(example, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{len([name for name in dir(ProviderSuite) if name.startswith('test_')])} passed" in done.stdout


def test_it_needs_neither_pytest_nor_hypothesis() -> None:
    code = (
        "import sys, searchlog.testing; print(sorted({'pytest', 'hypothesis', 'respx', 'trustme'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
