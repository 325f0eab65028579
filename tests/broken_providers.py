"""A small provider that is right, and many that are wrong in one way each: what the suite must find."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.reading import Reader, fit, rows, wanted
from searchlog.search.answers.values import text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Result, Run, RunOutcome
from searchlog.search.service import Service
from searchlog.testing import Sample
from tests.providers.conftest import KEY

__all__ = ["BROKEN", "SAMPLES", "Following", "Tide", "answer", "facts", "is_json", "raises", "says", "when"]

FOUND = {
    "items": [
        {"link": f"https://a.example/{n}", "name": f"Tide {n}", "about": "water", "day": "2026-01-01"} for n in (1, 2)
    ]
}


def answer(value: Any, status: int = 200) -> Response:
    return Response(status, (("Content-Type", "application/json"),), json.dumps(value).encode())


SAMPLES = (
    Sample(answer(FOUND), RunOutcome.OK, 2),
    Sample(answer({"items": []}), RunOutcome.EMPTY, 0),
    Sample(answer({"error": "no such place"}, 404), RunOutcome.BAD_REQUEST),
)


class Tide(Service):
    """Right in every way: what the broken ones below are made of."""

    FACTS = Facts(
        name="tide",
        title="Tide",
        endpoint="https://tide.example/search",
        third_party="Tide (tide.example)",
        terms=Terms("https://tide.example/terms", "2026-11-30", "nothing is known of keeping answers"),
        applies=("count", "page", "language", "freshness", "safe", "include_domains"),
        returns=("snippet", "published"),
        key="required",
        key_env=("TIDE_KEY",),
        count_max=20,
        limits="none are known",
    )
    LANGUAGES = ("en", "de", "fr", "ja")

    def request(self, query: Query) -> Request:
        return self._get(self.fields(query), ("X-Key", self._key or ""))

    def fields(self, query: Query) -> dict[str, str]:
        out = {"q": fit(query.text, 400)[0], "n": str(wanted(query, self.facts)), "p": str(query.page)}
        if query.language in self.LANGUAGES:
            out["lang"] = str(query.language)
        if query.freshness:
            out["age"] = query.freshness
        if query.safe:
            out["safe"] = query.safe
        if query.include_domains:
            out["sites"] = ",".join(query.include_domains[:5])
        return out

    def ignored(self, query: Query) -> tuple[str, ...]:
        out = ["language"] if query.language and query.language not in self.LANGUAGES else []
        out += ["include_domains"] if len(query.include_domains) > 5 else []
        return (*self.facts.ignored(query), *out)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, "tide/1", self.ignored(query))
        refused = reader.refused(response)
        if refused is not None:
            return refused
        found = rows(response, reader, "items")
        if isinstance(found, Run):
            return found
        reader.walk(found[1], self.result)
        return reader.run()

    def result(self, row: dict[str, Any]) -> dict[str, Any]:
        day = text(row.get("day"))
        dated = {"published": day, "published_source": "day"} if day else {}
        return {"url": row.get("link"), "title": text(row.get("name")), "snippet": text(row.get("about")), **dated}


class Following(Tide):
    """Right, and asked twice."""

    def follow(self, query: Query, response: Response) -> Request | None:
        return self._get({"ids": "1"}, ("X-Key", self._key or "")) if response.status == 200 else None


def facts(**changes: Any) -> type[Tide]:
    """A provider whose facts are wrong."""
    return type("Wrong", (Tide,), {"FACTS": replace(Tide.FACTS, **changes)})


def asks(change: Callable[[Tide, Query, dict[str, str]], dict[str, str]]) -> type[Tide]:
    """A provider whose request has other fields."""

    class Wrong(Tide):
        def fields(self, query: Query) -> dict[str, str]:
            return change(self, query, super().fields(query))

    return Wrong


def sends(change: Callable[[Request], Any]) -> type[Tide]:
    """A provider whose request is another one."""

    class Wrong(Tide):
        def request(self, query: Query) -> Any:
            return change(super().request(query))

    return Wrong


def says(change: Callable[[Run, Response], Any]) -> type[Tide]:
    """A provider whose runs are other ones."""

    class Wrong(Tide):
        def parse(self, response: Response, query: Query) -> Any:
            return change(super().parse(response, query), response)

    return Wrong


def follows(change: Callable[[Request, Response], Any]) -> type[Tide]:
    class Wrong(Following):
        def follow(self, query: Query, response: Response) -> Any:
            return change(self._get({"ids": "1"}, ("X-Key", self._key or "")), response)

    return Wrong


def tells(change: Callable[[Query, tuple[str, ...]], tuple[str, ...]]) -> type[Tide]:
    """A provider that tells other options as ignored."""

    class Wrong(Tide):
        def ignored(self, query: Query) -> tuple[str, ...]:
            return change(query, super().ignored(query))

    return Wrong


def when(test: Callable[[Response], bool], outcome: RunOutcome) -> type[Tide]:
    """A provider that takes some answers for something else."""
    rank = (Result(1, "https://a.example/"),) if outcome is RunOutcome.OK else ()
    return says(lambda run, response: Run("tide", outcome, rank, parser="t/1") if test(response) else run)


def is_json(response: Response) -> Any:
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError):
        return None


def first(run: Run, **changes: Any) -> Run:
    return replace(run, results=(replace(run.results[0], **changes), *run.results[1:])) if run.results else run


def cut_rows(response: Response) -> Run | None:
    """Reads what there is of a list without its end."""
    found = response.body.count(b'"link"')
    if response.status != 200 or not found or is_json(response) is not None:
        return None
    return Run("tide", RunOutcome.OK, tuple(Result(n, "https://a.example/") for n in range(1, found + 1)), parser="t/1")


def no_retry(run: Run, response: Response) -> Run:
    return replace(run, retry_after_s=None)


def raises(run: Run, response: Response) -> Run:
    response.body.decode("utf-8")
    return run


def endless(run: Run) -> Run:
    return replace(run, results=tuple(replace(run.results[0], rank=n) for n in range(1, 20_002)))


def indexes(run: Run, response: Response) -> Run:
    value = is_json(response)
    if response.status == 200 and isinstance(value, dict) and value.get("items"):
        value["items"][0]["name"].strip()
    return run


def ranks_from_nought(run: Run, response: Response) -> Run:
    return replace(run, results=tuple(replace(result, rank=n) for n, result in enumerate(run.results)))


class Counting(Tide):
    """Numbers its requests."""

    asked = 0

    def fields(self, query: Query) -> dict[str, str]:
        self.asked += 1
        return super().fields(query) | {"id": str(self.asked)}


class Named(Tide):
    """Has an id of its own in each request."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.id = str(random.random())

    def fields(self, query: Query) -> dict[str, str]:
        return super().fields(query) | {"id": self.id}


class Chatty(Tide):
    def __repr__(self) -> str:
        return f"Chatty(key={self._key!r})"


class Forgetful(Tide):
    """Gives another run the second time."""

    seen = 0

    def parse(self, response: Response, query: Query) -> Run:
        self.seen += 1
        return replace(super().parse(response, query), notes=(str(self.seen),))


class Unsure(Tide):
    """Says it is asked without a key when it has one."""

    FACTS = replace(Tide.FACTS, key="optional")

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.facts = replace(self.facts, keyed=False)


class Renamed(Tide):
    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.facts = replace(self.facts, name="ebb")


EMPTY, OK = RunOutcome.EMPTY, RunOutcome.OK
UNSENT = ("after", "before")
BROKEN: list[tuple[str, type[Tide], str, str]] = [
    # facts
    ("name-in-capitals", facts(name="Tide_1"), "facts", "lower-case words"),
    ("no-third-party", facts(third_party=" "), "facts", "third_party: is empty"),
    ("no-limits", facts(limits=""), "facts", "limits: is empty"),
    ("terms-without-address", facts(terms=Terms("", "2026-11-30", "x")), "facts", "terms.url"),
    ("terms-of-no-day", facts(terms=Terms("https://t.example", "2026-02-30", "x")), "facts", "there is no day"),
    ("terms-of-some-day", facts(terms=Terms("https://t.example", "today", "x")), "facts", "no day of the form"),
    ("terms-silent", facts(terms=Terms("https://t.example", "2026-11-30", "")), "facts", "terms.retention"),
    ("applies-what-is-none", facts(applies=(*Tide.FACTS.applies, "colour")), "facts", "['colour'] is none of"),
    ("applies-twice", facts(applies=(*Tide.FACTS.applies, "page")), "facts", "names something twice"),
    ("returns-what-is-none", facts(returns=("snippet", "published", "smell")), "facts", "['smell'] is none of"),
    ("key-maybe", facts(key="maybe"), "facts", "none of none, optional, required"),
    ("key-without-variable", facts(key_env=()), "facts", "name the variable"),
    ("variable-in-small", facts(key_env=("tide key",)), "facts", "no name of an environment variable"),
    ("count-of-none", facts(count_max=0), "facts", "count_max: 0"),
    ("pause-before-now", facts(pause_s=-1.0), "facts", "pause_s"),
    ("endpoint-with-login", facts(endpoint="https://u:p@tide.example/"), "facts", "endpoint: must be an http(s) URL"),
    ("keyed-without-a-key", facts(key="none", key_env=()), "facts", "must be False of one that takes no key"),
    ("unsure-of-its-key", Unsure, "facts", "must say whether it is asked with a key"),
    ("two-names", Renamed, "facts", "FACTS of its class says 'tide'"),
    # requests
    ("counts-its-requests", Counting, "request is pure", "a second one differs"),
    ("id-of-the-object", Named, "request is pure", "another object"),
    (
        "request-raises",
        asks(lambda s, q, f: f | {"q": q.text.encode("ascii").decode()}),
        "request is sound",
        "raised Unicode",
    ),
    ("request-of-nothing", sends(lambda r: None), "request is sound", "it must be a Request"),
    ("no-http", sends(lambda r: replace(r, url="ftp://tide.example/")), "request is sound", "would not be asked"),
    (
        "raw-url",
        asks(lambda s, q, f: f) and sends(lambda r: replace(r, url=r.url + "&x=é")),
        "request is sound",
        "not ASCII",
    ),
    ("method-in-small", sends(lambda r: replace(r, method="get")), "request is sound", "capital letters"),
    (
        "broken-field",
        sends(lambda r: replace(r, headers=(*r.headers, ("X-A", "a\r\nb: c")))),
        "request is sound",
        "ASCII in print",
    ),
    (
        "no-field-name",
        sends(lambda r: replace(r, headers=(*r.headers, ("X A", "a")))),
        "request is sound",
        "no name of a header",
    ),
    (
        "field-of-the-client",
        sends(lambda r: replace(r, headers=(*r.headers, ("Host", "b")))),
        "request is sound",
        "is written by",
    ),
    ("body-in-words", sends(lambda r: replace(r, body="words")), "request is sound", "must be bytes"),
    # the key
    (
        "key-in-the-url",
        sends(lambda r: replace(r, url=f"{r.url}&key={KEY}", secrets=())),
        "key is",
        "does not declare it",
    ),
    ("key-in-a-field", sends(lambda r: replace(r, secrets=())), "key is", "does not declare it"),
    (
        "key-in-the-body",
        sends(lambda r: replace(r, body=json.dumps({"k": KEY}).encode(), secrets=())),
        "key is",
        "not declare",
    ),
    ("key-not-sent", sends(lambda r: replace(r, headers=(), secrets=())), "key is", "the key is not sent"),
    ("word-as-secret", sends(lambda r: replace(r, secrets=(*r.secrets, "tide"))), "key is", "honest text"),
    ("prints-its-key", Chatty, "key is", "what the object prints"),
    (
        "tells-its-key",
        says(lambda run, r: replace(run, detail=f"tide: {KEY}") if r.status == 401 else run),
        "key is",
        "run of a 401",
    ),
    # options
    (
        "option-in-silence",
        asks(lambda s, q, f: {k: v for k, v in f.items() if k != "age"}),
        "options",
        "freshness: 'day', 'week'",
    ),
    (
        "values-in-silence",
        tells(lambda q, told: tuple(o for o in told if o != "language")),
        "options",
        "language: 'pt-BR', 'zh-Hant', 'qaa'",
    ),
    (
        "domains-in-silence",
        tells(lambda q, told: tuple(o for o in told if o != "include_domains")),
        "options",
        "395 of them are not sent",
    ),
    (
        "option-not-listed",
        asks(lambda s, q, f: f | ({"c": q.country} if q.country else {})),
        "options",
        "`applies` does not list it",
    ),
    (
        "option-not-told",
        tells(lambda q, told: tuple(o for o in told if o not in UNSENT)),
        "options",
        "after='2024-02-29': is not applied",
    ),
    (
        "sent-and-told",
        tells(lambda q, told: (*told, *(["safe"] if q.safe else []))),
        "options",
        "told in `ignored` as well",
    ),
    ("texts-not-listed", asks(lambda s, q, f: f | ({"full": "1"} if q.texts else {})), "options", "does not list text"),
    ("one-page", asks(lambda s, q, f: f | {"p": "1"}), "options", "page: 2, 3 change nothing"),
    (
        "count-over-the-most",
        asks(lambda s, q, f: f | {"n": str(q.count)}),
        "count",
        "50 are asked for, over count_max 20",
    ),
    # any bytes
    ("raises-on-bad-bytes", says(raises), "no bytes", "raised UnicodeDecodeError"),
    ("raises-on-odd-rows", says(indexes), "no bytes", "raised"),
    ("returns-a-list", says(lambda run, r: list(run.results)), "no bytes", "must be a Run"),
    ("ranks-from-nought", says(ranks_from_nought), "no bytes", "results[0].rank must be 1"),
    (
        "ok-without-results",
        says(lambda run, r: replace(run, outcome=OK) if run.outcome is EMPTY else run),
        "no bytes",
        "ok without results",
    ),
    (
        "empty-with-results",
        says(lambda run, r: replace(run, outcome=EMPTY) if run.results else run),
        "no bytes",
        "empty with results",
    ),
    (
        "name-of-another",
        says(lambda run, r: replace(run, provider="brave")),
        "no bytes",
        "provider must be its own name",
    ),
    (
        "detail-without-name",
        says(lambda run, r: replace(run, detail=run.detail.removeprefix("tide: "))),
        "no bytes",
        "does not begin with",
    ),
    ("without-parser", says(lambda run, r: replace(run, parser="")), "no bytes", "parser is empty"),
    (
        "waits-for-ever",
        says(lambda run, r: replace(run, retry_after_s=10**9)),
        "no bytes",
        "retry_after_s must be 0 to",
    ),
    ("half-a-character", says(lambda run, r: first(run, title="\ud800")), "no bytes", "half of a surrogate"),
    ("score-as-a-number", says(lambda run, r: first(run, score=0.5)), "no bytes", "score must be"),
    ("no-address", says(lambda run, r: first(run, url=" ")), "no bytes", "without an address"),
    (
        "dropped-for-nothing",
        says(lambda run, r: replace(run, dropped=(("x", ""),))),
        "no bytes",
        "dropped without a reason",
    ),
    (
        "long-winded",
        says(lambda run, r: replace(run, detail="tide: " + "x" * 9_000)),
        "no bytes",
        "detail must be at most 4000",
    ),
    (
        "endless",
        says(lambda run, r: endless(run) if r == SAMPLES[0].response else run),
        "samples",
        "the number of results must be at most 20000, not 20001",
    ),
    ("forgets", Forgetful, "no bytes", "another run the second time"),
    # what is no answer
    (
        "empty-for-nothing",
        when(lambda r: not r.body.strip() and r.status == 200, EMPTY),
        "what is no answer",
        "empty for an empty body",
    ),
    (
        "empty-for-html",
        when(lambda r: r.body.startswith(b"<!doctype") and r.status == 200, EMPTY),
        "what is no answer",
        "HTML",
    ),
    (
        "empty-for-other-json",
        when(lambda r: is_json(r) == {} and r.status == 200, EMPTY),
        "what is no answer",
        "empty for {}",
    ),
    (
        "empty-for-an-error",
        when(lambda r: r.status == 200 and b'"error"' in r.body[:20], EMPTY),
        "what is no answer",
        '"internal"',
    ),
    (
        "ok-for-html",
        when(lambda r: r.body.startswith(b"<!doctype") and r.status == 200, OK),
        "what is no answer",
        "HTML",
    ),
    (
        "empty-for-odd-rows",
        says(lambda run, r: replace(run, outcome=EMPTY, detail="") if run.dropped else run),
        "what is no answer",
        "items holds [None, 7",
    ),
    (
        "empty-for-no-list",
        when(lambda r: (is_json(r) or {}) == {"items": 7}, EMPTY),
        "what is no answer",
        "items holds 7",
    ),
    # statuses
    *(
        (f"empty-for-{s}", when(lambda r, s=s: r.status == s, EMPTY), "error statuses", f"empty for status {s}")
        for s in (401, 402, 403, 404, 429, 500, 503)
    ),
    ("ok-for-500", when(lambda r: r.status == 500, OK), "error statuses", "ok for status 500"),
    (
        "empty-list-of-a-500",
        when(lambda r: r.status == 500 and (is_json(r) or {}) == {"items": []}, EMPTY),
        "error statuses",
        "empty for status 500",
    ),
    ("forgets-retry-after", says(no_retry), "error statuses", "retry_after_s is None, not 17"),
    (
        "challenge-as-outage",
        says(lambda run, r: replace(run, outcome=RunOutcome.UNAVAILABLE) if r.status == 403 else run),
        "challenges",
        "unavailable, not blocked",
    ),
    ("cut-list-as-whole", says(lambda run, r: cut_rows(r) or run), "cut answers", "the outcome is ok, for the first"),
    (
        "cut-error-as-empty",
        when(lambda r: r.status == 429 and r.body == b"{", EMPTY),
        "transport",
        "status 429 cut is empty",
    ),
    (
        "cut-error-raises",
        says(lambda run, r: json.loads(r.body) and run if r.status == 500 and r.body == b"{" else run),
        "transport",
        "raised JSONDecodeError",
    ),
    (
        "cut-error-without-name",
        says(lambda run, r: replace(run, detail="no") if r.status == 500 and r.body == b"{" else run),
        "transport",
        "does not begin with its name",
    ),
    # second requests
    ("follow-raises", follows(lambda request, r: json.loads(r.body) and None), "second requests", "raised"),
    ("follow-of-words", follows(lambda request, r: "https://tide.example/"), "second requests", "must be a Request"),
    (
        "follow-leaks",
        follows(lambda request, r: replace(request, secrets=())),
        "second requests",
        "does not declare it",
    ),
    (
        "follow-elsewhere",
        follows(lambda request, r: replace(request, url="file:///etc/hostname")),
        "second requests",
        "would not be asked",
    ),
    # samples
    ("reads-one-of-two", says(lambda run, r: replace(run, results=run.results[:1])), "samples", "1 results, not 2"),
    (
        "takes-404-for-a-key",
        says(lambda run, r: replace(run, outcome=RunOutcome.AUTH) if r.status == 404 else run),
        "samples",
        "auth",
    ),
    ("returns-what-is-not-listed", facts(returns=("snippet",)), "samples", "returns: does not list published"),
]
