"""What is checked of answers: no bytes break a parser, no failure looks like an answer, samples say what they say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from time import process_time
from typing import Any

from searchlog.capture.exchange import Decoded, Exchange, Framing, Outcome, Request
from searchlog.search.provider import RETURNS, FollowingProvider, Response
from searchlog.search.run import Run, RunOutcome, run_fault
from searchlog.testing.asking import leak, request_fault
from searchlog.testing.inputs import HTML, NO_ANSWERS, OTHER_SHAPES, answers, json_of, replaced, row_lists, trimmed
from searchlog.testing.subject import Asked, Failed, Subject, shown

__all__ = [
    "challenges_are_blocked",
    "cut_answers_have_no_results",
    "error_statuses_are_typed",
    "no_answer_is_no_result",
    "no_bytes_break_it",
    "one_sample_has_results",
    "own_lists",
    "promise_faults",
    "samples_say_what_they_say",
    "second_requests_are_sound",
    "transport_failures_are_typed",
]

SECONDS_MAX = 2.0
"""Processor time of one parse: HTML and patterns can take minutes for a page that a stranger made."""
_ANSWERED = (RunOutcome.OK, RunOutcome.EMPTY)
_ERRORS = (400, 401, 402, 403, 404, 408, 410, 422, 429, 500, 502, 503, 504)
_TRANSPORT = (
    *((Outcome.FAILED, reason) for reason in ("dns", "connect", "tls", "timeout", "disconnect", "protocol")),
    *((Outcome.FAILED, "header-too-large"), (Outcome.FAILED, "unheard-of")),
    *((Outcome.REFUSED, reason) for reason in ("address", "url", "rate-limited")),
)
_CUT = ("length", "time", "disconnect", "coding", "unspecified")


def no_bytes_break_it(subject: Subject) -> Iterator[str]:
    """Whatever the bytes, `parse` gives a run that keeps every promise, and the same one each time."""
    bodies = list(dict.fromkeys(sample.response.body for sample in subject.samples))
    for number, response in enumerate(answers(bodies)):
        asked = subject.full if number % 2 else subject.plain
        start = process_time()
        run = subject.parse(response, asked)
        if process_time() - start > SECONDS_MAX:
            yield f"parse: takes more than {SECONDS_MAX} s, for {shown(response)}"
        for fault in promise_faults(subject, run, asked):
            yield f"{fault}, for {shown(response)}"
        if number % 4 == 0 and isinstance(run, Run) and subject.parse(response, asked) != run:
            yield f"parse: gives another run the second time, for {shown(response)}"


def promise_faults(subject: Subject, run: Run | Failed, asked: Asked) -> Iterator[str]:
    """Yield what a run breaks of what every run promises. That a record can hold it, its types have shown."""
    if isinstance(run, Failed):
        yield run.words
        return
    name = subject.facts.name
    fault = run_fault(run, name)
    if fault is not None:
        yield f"parse: {fault}"
    if run.outcome is RunOutcome.OK and not run.results:
        yield "parse: the outcome is ok without results"
    if run.outcome is RunOutcome.EMPTY and run.results:
        yield "parse: the outcome is empty with results"
    if run.outcome not in _ANSWERED and not run.detail.startswith(f"{name}: "):
        yield f"parse: the detail of the outcome {run.outcome} does not begin with `{name}: `"
    if not run.parser:
        yield "parse: parser is empty; give its name and version"
    if any(not result.url.strip() for result in run.results):
        yield "parse: a result without an address"
    if any(not reason.strip() for _, reason in run.dropped):
        yield "parse: an item is dropped without a reason"
    if subject.is_extractor:
        yield from _text_faults(run, [str(url) for url in asked] if isinstance(asked, tuple) else [])


def _text_faults(run: Run, urls: Sequence[str]) -> Iterator[str]:
    if any(not result.text for result in run.results):
        yield "parse: a result without a text"
    told = {result.url for result in run.results} | {what for what, _ in run.dropped}
    missing = [url for url in urls if url not in told]
    # an answer may name a page by another address, so what is told is counted as well
    silent = missing and len(run.results) + len(run.dropped) < len(urls)
    if run.outcome in (RunOutcome.OK, RunOutcome.DEGRADED) and silent:
        yield f"parse: nothing is told of {missing[0]!r:.80}, which was asked for"


def no_answer_is_no_result(subject: Subject) -> Iterator[str]:
    """An answer of status 200 that is no list of results is never `ok` and never `empty`."""
    for what, body in {**NO_ANSWERS, **OTHER_SHAPES}.items():
        response = Response(200, (("Content-Type", "application/json"),), body)
        if subject.outcome_told(response) is None:
            yield from _taken(subject, response, f"for {what}")
    for body in subject.bodies(RunOutcome.OK):
        value = json_of(trimmed(body))
        for path in own_lists(subject, value):
            junk: tuple[Any, ...] = (7, "x", True, [None, 7, "x", []])
            for put in junk:
                response = Response(200, (), _json(replaced(value, path, put)))
                yield from _taken(subject, response, f"when {'.'.join(map(str, path))} holds {put!r}")


def own_lists(subject: Subject, value: Any) -> list[tuple[Any, ...]]:
    """Return the lists of a sample that hold its results: those without which nothing is found, not those in them."""
    out: list[tuple[Any, ...]] = []
    for path in row_lists(value):
        if any(path[: len(whole)] == whole for whole in out):
            continue
        run = subject.parse(Response(200, (), _json(replaced(value, path, []))))
        if isinstance(run, Run) and run.outcome is RunOutcome.EMPTY:
            out.append(path)
    return out


def _taken(subject: Subject, response: Response, what: str) -> Iterator[str]:
    run = subject.parse(response)
    if isinstance(run, Failed):
        yield f"{run.words}, {what}"
    elif run.outcome in _ANSWERED:
        yield f"parse: the outcome is {run.outcome} {what}"


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def error_statuses_are_typed(subject: Subject) -> Iterator[str]:
    """An error status is a typed outcome, whatever the body; 429 and 503 keep what Retry-After says."""
    bodies = [b"", b'{"error": "no", "message": "no"}', b"{}", b"[]", HTML, *subject.bodies(RunOutcome.EMPTY)]
    for status in _ERRORS:
        for body in bodies:
            response = Response(status, (("Retry-After", "17"),), body)
            if subject.outcome_told(response) is not None:
                continue
            yield from _taken(subject, response, f"for {shown(response)}")
            run = subject.parse(response)
            if status == 429 and isinstance(run, Run) and run.retry_after_s != 17:
                yield f"parse: retry_after_s is {run.retry_after_s}, not 17, for {shown(response)}"


def challenges_are_blocked(subject: Subject) -> Iterator[str]:
    """An answer that declares itself a bot challenge is `blocked`."""
    for status in (403, 503):
        for name in ("cf-mitigated", "CF-Mitigated"):
            response = Response(status, ((name, "challenge"),), HTML)
            run = subject.parse(response)
            if isinstance(run, Failed):
                yield f"{run.words}, for {shown(response)}"
            elif run.outcome is not RunOutcome.BLOCKED:
                yield f"parse: the outcome is {run.outcome}, not blocked, for {shown(response)}"


def cut_answers_have_no_results(subject: Subject) -> Iterator[str]:
    """An answer of status 200 that did not arrive whole is neither `ok` nor `empty`."""
    for sample in subject.samples:
        body, asked = sample.response.body, subject.asked_of(sample)
        if sample.outcome not in _ANSWERED or sample.response.status != 200:
            continue
        for reason in _CUT:
            run = subject.run(_cut(reason, body), asked)
            if isinstance(run, Failed) or run.outcome in _ANSWERED:
                said = run.words if isinstance(run, Failed) else f"run_of: the outcome is {run.outcome}"
                yield f"{said}, for a sample cut by {reason}"
        if sample.outcome is not RunOutcome.OK:
            continue
        for size in sorted({1, len(body) // 4, len(body) // 2, len(body) * 3 // 4, len(body) - 2} - {0, -1}):
            run = subject.parse(Response(200, sample.response.headers, body[:size]), asked)
            # of JSON a parser can tell for itself that it is cut; of lines and of HTML that something is missing
            wrong = _ANSWERED if json_of(body) is not None else (RunOutcome.EMPTY,)
            if isinstance(run, Failed) or run.outcome in wrong:
                said = run.words if isinstance(run, Failed) else f"parse: the outcome is {run.outcome}"
                yield f"{said}, for the first {size} of {len(body)} bytes of a sample"


def transport_failures_are_typed(subject: Subject) -> Iterator[str]:
    """However the transport fails, and wherever an error answer was cut, there is a typed run of its own name."""
    exchanges = [(f"{outcome} {reason}", _exchange(outcome, reason)) for outcome, reason in _TRANSPORT]
    for status in (403, 429, 500):
        cut = _exchange(Outcome.TRUNCATED, "disconnect", status, b"{")
        exchanges.append((f"status {status} cut", cut))
    for what, exchange in exchanges:
        run = subject.run(exchange)
        if isinstance(run, Failed):
            yield f"{run.words}, for {what}"
        elif run.outcome in _ANSWERED or run.results:
            yield f"run_of: the outcome of {what} is {run.outcome}"
        elif not run.detail.startswith(f"{subject.facts.name}: "):
            yield f"run_of: the detail of {what} does not begin with its name"


def _cut(reason: str, body: bytes) -> Exchange:
    return _exchange(Outcome.TRUNCATED, reason, 200, body)


def _exchange(outcome: Outcome, reason: str, status: int | None = None, body: bytes = b"") -> Exchange:
    return Exchange(
        method="GET",
        url="https://service.example/",
        request_head=b"",
        request_body=b"",
        response_head=b"",
        status=status,
        reason_phrase="",
        headers=(),
        payload=body,
        framing=Framing("none"),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        duration_ms=0,
        peer=None,
        outcome=outcome,
        reason=reason,
        decoded=Decoded(body),
    )


def second_requests_are_sound(subject: Subject) -> Iterator[str]:
    """`follow`, where there is one, gives a request that can be made or None, whatever the first answer was."""
    if subject.is_extractor or not isinstance(subject.made, FollowingProvider):
        return
    bodies = list(dict.fromkeys(sample.response.body for sample in subject.samples))
    for number, response in enumerate(answers(bodies)):
        asked = subject.full if number % 2 else subject.plain
        made = subject.follow(asked, response)
        if made is None:
            continue
        fault = request_fault(made)
        if not fault and isinstance(made, Request) and subject.key:
            fault = leak(made, subject.key)
        if fault:
            yield f"follow: {fault}, for {shown(response)}"


def samples_say_what_they_say(subject: Subject) -> Iterator[str]:
    """Each sample has its outcome and its number of results; `returns` lists what they have."""
    for number, sample in enumerate(subject.samples, 1):
        asked = subject.asked_of(sample)
        run, what = subject.parse(sample.response, asked), f"for sample {number}, {shown(sample.response)}"
        yield from (f"{fault}, {what}" for fault in promise_faults(subject, run, asked))
        if not isinstance(run, Run):
            continue
        if run.outcome != sample.outcome:
            yield f"parse: the outcome is {run.outcome} ({run.detail}), not {sample.outcome}, {what}"
        if sample.results is not None and len(run.results) != sample.results:
            yield f"parse: {len(run.results)} results, not {sample.results}, {what}"
        had = {name for result in run.results for name in RETURNS if getattr(result, name)}
        if had - set(subject.facts.returns):
            yield f"returns: does not list {', '.join(sorted(had - set(subject.facts.returns)))}, {what}"


def one_sample_has_results(subject: Subject) -> Iterator[str]:
    """Without an answer that has results little can be tried."""
    if not any(sample.outcome is RunOutcome.OK for sample in subject.samples):
        yield "samples: none has the outcome ok; give an answer of the service with results"
