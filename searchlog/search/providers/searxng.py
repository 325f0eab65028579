"""SearXNG: a metasearch server that somebody you trust runs, asked in JSON.

Traps: JSON is off by default (403 and an HTML page); engines that failed are named in `unresponsive_engines`, and an
answer without rows then means nothing; an engine may give rows and be named there as well. Engines that cannot page, or
limit by time, are left out without a word: when that is all of them, only the header Server-Timing tells that nobody
was asked. Without a language the server takes it from Accept-Language. Its limiter answers 429 to each program, however
rarely it asks. Words that begin with `!`, `:` or `<` can be commands. The order inside `engines` changes from run to
run. What leaves no trace: an engine that took a challenge for an empty page, and one that has no safe search.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode, urlsplit

from searchlog.capture.exchange import Request, header
from searchlog.capture.guard import Refusal, check_url
from searchlog.errors import FormatError, UsageError
from searchlog.search.answers.reading import Reader, error_text, is_challenge, site_operators
from searchlog.search.answers.values import items, json_object, number, published, text
from searchlog.search.login import split_login
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = ["Searxng"]

PARSER = "searxng/3"

_SAFE = {"off": "0", "moderate": "1", "strict": "2"}
_SCRIPTS = {"hans": ("CN", "SG", "MY"), "hant": ("TW", "HK", "MO")}
"""The regions by which a locale says the script of Chinese; the first where none is wanted."""
_HOW_TO_ENABLE = (
    "this server has its JSON answers switched off; in its settings.yml add `json` to the list `formats` under "
    "`search` (search: formats: [html, json]) and restart it"
)
_HOW_TO_PASS = (
    "the server's limiter keeps programs out, and waiting does not help; if it is yours, add this machine's address to "
    "the list `pass_ip` under `[botdetection.ip_lists]` in its limiter.toml and restart it"
)
_HOW_TO_LOG_IN = (
    "the server, or what stands before it, wants a login; put user name and password into its address, before the host"
)
_OWN_403 = b"permission to access the requested resource"
_LIMITER = re.compile(rb"\s*(Too Many Requests\s*$|IP is on BLOCKLIST)")


class Searxng:
    """One SearXNG server, by its address."""

    FACTS = Facts(
        name="searxng",
        title="SearXNG",
        endpoint="http://your-server/search",
        third_party="your server, and the engines that it asks",
        terms=Terms(
            "https://docs.searxng.org/",
            "2026-11-29",
            "the server keeps no results by default; the terms of the engines behind it apply",
        ),
        applies=("page", "language", "country", "freshness", "safe", "include_domains", "exclude_domains"),
        returns=("snippet", "published", "score"),
        key_env=("SEARCHLOG_SEARXNG_URL", "SEARXNG_URL"),
        count_max=100,
        limits="the server's own",
        own_server=True,
    )

    def __init__(self, base_url: str) -> None:
        refusal = check_url(split_login(base_url)[0] or "")
        if isinstance(refusal, Refusal):
            said = f"not the address of a SearXNG server: {base_url!r:.80}: {refusal.detail}"
            raise UsageError(f"{said}; write it like http://host:8080")
        parts = urlsplit(base_url)
        base = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/").removesuffix("/search")
        self.facts = replace(
            self.FACTS,
            endpoint=base + "/search",
            third_party=f"the SearXNG server at {parts.netloc.rpartition('@')[2]}, and the engines that it asks",
        )

    def request(self, query: Query) -> Request:
        fields = {"q": _asked(query), "format": "json", "pageno": str(query.page)}
        locale, _ = _locale(query)
        if locale:
            fields["language"] = locale
        if query.freshness:
            fields["time_range"] = query.freshness
        if query.safe in _SAFE:
            fields["safesearch"] = _SAFE[query.safe]
        # with a language in this header the server would search in it, as if the user had asked for it
        headers = (("Accept", "application/json"), ("Accept-Language", "*"))
        return Request("GET", self.facts.endpoint + "?" + urlencode(fields), headers)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = _refused(response, query, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, f"{error}; is there a SearXNG server at {self.facts.endpoint}?")
        if not isinstance(answer.get("results"), list):
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `results`")
        reader.walk(answer["results"], _result)
        _side_notes(answer, query, reader)
        failed = sorted(_engine(row) for row in items(answer.get("unresponsive_engines")))
        for engine in failed:
            reader.note(f"unresponsive engine: {engine}")
        if failed:
            partial = (
                "results are partial" if reader.results else "no results because of it: this is not an empty answer"
            )
            count = "1 engine" if len(failed) == 1 else f"{len(failed)} engines"
            return reader.run(RunOutcome.DEGRADED, f"{count} failed ({'; '.join(failed)[:300]}); {partial}")
        if not answer["results"] and _asked_nobody(response):
            said = f"no engine was asked: {_why_nobody(answer, query)}; this is not an empty answer"
            return reader.run(RunOutcome.DEGRADED, said)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        return self.facts.ignored(query) + site_operators(query)[1] + _locale(query)[1]


def _asked(query: Query) -> str:
    return query.text + site_operators(query)[0]


def _locale(query: Query) -> tuple[str | None, tuple[str, ...]]:
    """Return SearXNG's locale, a language with or without a region, and the options that it does not say.

    Any other form of a tag, scripts included, is a bad request there; a region alone cannot be said.
    """
    language, *rest = (query.language or "").lower().replace("_", "-").split("-")
    country = query.country or ""
    if not re.fullmatch("[a-z]{2,3}", language):
        return None, tuple(name for name in ("language", "country") if getattr(query, name))
    # what follows a single letter is an extension, where two letters are no region
    subtags = rest[: next((place for place, tag in enumerate(rest) if len(tag) == 1), len(rest))]
    region = next((tag.upper() for tag in subtags if re.fullmatch("[a-z]{2}", tag)), "")
    fitting = next((_SCRIPTS[tag] for tag in subtags if tag in _SCRIPTS), ()) if language == "zh" else ()
    if not region:
        region = country if not fitting or country in fitting else fitting[0]
    unsaid = ("country",) if country and country != region else ()
    return f"{language}-{region}" if region else language, unsaid


def _refused(response: Response, query: Query, reader: Reader) -> Run | None:
    """Return the run of an answer that is none to the query: statuses as everywhere, and those with a meaning here."""
    status = response.status
    if status == 403 and not is_challenge(response):
        if _is_own(response) or "html" not in (header(response.headers, "content-type") or "").lower():
            return reader.run(RunOutcome.NOT_ENABLED, f"status 403: {_HOW_TO_ENABLE}")
        said = f"not allowed by what stands before the server; if the server itself says so, {_HOW_TO_ENABLE}"
        return reader.run(RunOutcome.BLOCKED, f"status 403, {said}")
    if status == 429 and _LIMITER.match(response.body) and header(response.headers, "retry-after") is None:
        return reader.run(RunOutcome.BLOCKED, f"status 429: {_HOW_TO_PASS}")
    if status == 401:
        said = error_text(response.body)
        return reader.run(RunOutcome.AUTH, f"status 401, {_HOW_TO_LOG_IN}" + (f" ({said})" if said else ""))
    bangs = [word for word in query.text.split() if word.startswith("!!") and len(word) > 2]
    if 300 <= status < 400 and bangs:
        said = f"the word {bangs[0]!r:.40} sends the reader to another site: ask without it"
        return reader.run(RunOutcome.BAD_REQUEST, f"status {status}, {said}")
    run = reader.refused(response)
    place = text(header(response.headers, "location")).partition("?")[0][:200]
    if run is not None and 300 <= status < 400 and place:
        return replace(run, detail=f"{run.detail} (it sends to {place})")
    return run


def _timing(response: Response) -> str:
    """Return what Server-Timing says; a server in front may have added a field of its own."""
    return ", ".join(value for name, value in response.headers if name.lower() == "server-timing")


def _is_own(response: Response) -> bool:
    """Say whether SearXNG itself made this error answer, and no server before it."""
    return "render;dur=" in _timing(response) or _OWN_403 in response.body


def _asked_nobody(response: Response) -> bool:
    """Say whether the server tells how long it took and names no engine that answered.

    Without the header nothing is known: a proxy may leave it out.
    """
    timing = _timing(response)
    return "render;dur=" in timing and not re.search(r"\btotal_[0-9]+_", timing)


def _why_nobody(answer: dict[str, Any], query: Query) -> str:
    answers = [row for row in items(answer.get("answers")) if isinstance(row, dict)]
    if any(text(row.get("engine")).startswith("answerer") for row in answers):
        return "the server answered by itself"
    cannot = [f"give page {query.page}"] if query.page > 1 else []
    cannot += [f"look for what is of the last {query.freshness}"] if query.freshness else []
    if cannot:
        return f"none of those switched on at this server can {' and '.join(cannot)}"
    return "is any switched on at this server, in the category `general`?"


def _result(row: dict[str, Any]) -> dict[str, Any]:
    engines = sorted({text(engine) for engine in items(row.get("engines"))} | {text(row.get("engine"))} - {""})
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("content")),
        "score": number(row.get("score")),
        **published(row, "publishedDate"),
        "extra": {"engines": ", ".join(e for e in engines if e)[:500], "category": text(row.get("category"))[:100]},
    }


def _side_notes(answer: dict[str, Any], query: Query, reader: Reader) -> None:
    """Keep what stands beside the results: the server's own words, never results."""
    sent, searched = _asked(query).split(), text(answer.get("query")).split()
    taken = [word for word in sent if word not in searched and word.startswith(("!", ":", "<"))]
    if taken and [word for word in sent if word not in taken] == searched:
        reader.note(f"searched for without what the server takes for commands: {' '.join(taken)}")
    for row in items(answer.get("answers")):
        reader.note("answer: " + text(row.get("answer") if isinstance(row, dict) else row))
    for row in items(answer.get("infoboxes")):
        if isinstance(row, dict):
            reader.note("infobox: " + text(row.get("infobox")))
    for kind in ("correction", "suggestion"):
        for row in sorted(text(item) for item in items(answer.get(kind + "s"))):
            reader.note(f"{kind}: {row}")


def _engine(row: object) -> str:
    parts = [text(part) for part in items(row)] or [text(row)]
    return ": ".join(part for part in parts[:2] if part) or "unnamed"
