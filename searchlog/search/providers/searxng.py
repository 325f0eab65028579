"""SearXNG: a metasearch server that somebody you trust runs, asked in JSON.

Traps: JSON is off by default (403 and an HTML page); engines that failed are named in `unresponsive_engines`, and an
answer without rows then means nothing; an engine may give rows and be named there as well; the order inside `engines`
changes from run to run; a challenge page that an engine takes for an empty one leaves no trace at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode, urlsplit

from searchlog.capture.exchange import Request
from searchlog.capture.guard import Refusal, check_url
from searchlog.errors import FormatError, UsageError
from searchlog.search.login import split_login
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.reading import (
    Reader,
    is_challenge,
    items,
    json_object,
    number,
    published,
    site_operators,
    status_run,
    text,
)
from searchlog.search.run import Run, RunOutcome

__all__ = ["Searxng"]

PARSER = "searxng/2"

_SAFE = {"off": "0", "moderate": "1", "strict": "2"}
_LOCALE = {"zh-hans": "zh-CN", "zh-hant": "zh-TW"}
_HOW_TO_ENABLE = (
    "this server has its JSON answers switched off; in its settings.yml add `json` to the list `formats` under "
    "`search` (search: formats: [html, json]) and restart it"
)


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
        keyless=True,
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
        operators, _ = site_operators(query)
        fields = {"q": query.text + operators, "format": "json", "pageno": str(query.page)}
        locale = _locale(query)
        if locale:
            fields["language"] = locale
        if query.freshness:
            fields["time_range"] = query.freshness
        if query.safe in _SAFE:
            fields["safesearch"] = _SAFE[query.safe]
        return Request("GET", self.facts.endpoint + "?" + urlencode(fields), (("Accept", "application/json"),))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        if response.status == 403 and not is_challenge(response):
            return reader.run(RunOutcome.NOT_ENABLED, f"status 403: {_HOW_TO_ENABLE}")
        refused = status_run(self.facts, response, PARSER, reader.ignored)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, f"{error}; is there a SearXNG server at {self.facts.endpoint}?")
        if not isinstance(answer.get("results"), list):
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `results`")
        reader.walk(answer["results"], _result)
        _side_notes(answer, reader)
        failed = sorted(_engine(row) for row in items(answer.get("unresponsive_engines")))
        for engine in failed:
            reader.note(f"unresponsive engine: {engine}")
        if failed:
            partial = (
                "results are partial" if reader.results else "no results because of it: this is not an empty answer"
            )
            return reader.run(
                RunOutcome.DEGRADED, f"{len(failed)} engines failed ({'; '.join(failed)[:300]}); {partial}"
            )
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = site_operators(query)[1]
        country = ("country",) if query.country and not query.language else ()
        return self.facts.ignored(query) + unsaid + country


def _locale(query: Query) -> str | None:
    """Return SearXNG's locale: a language, with a region where both are known; a region alone cannot be said."""
    if not query.language:
        return None
    language = _LOCALE.get(query.language.lower(), query.language)
    if query.country and "-" not in language:
        return f"{language}-{query.country}"
    return language


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


def _side_notes(answer: dict[str, Any], reader: Reader) -> None:
    """Keep what stands beside the results: the server's own words, never results."""
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
