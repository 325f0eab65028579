"""Mojeek Search API: results of a crawler and an index of its own, with a key.

Traps: the key stands in the query string; `s` counts results from 1, and is never sent as 0; an error can be status 200
with a `status` that is not `OK`; a challenge page is HTML with status 200, told by its structure; `before` leaves its
day out; language and country raise pages and filter none; a result has three dates, as numbers of seconds.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import moment
from searchlog.search.answers.reading import Reader, check_key, is_challenge, retry_after, rows
from searchlog.search.answers.values import html_text, json_object, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Mojeek"]

PARSER = "mojeek/1"

_DOMAINS_MAX = 50
_SINCE = {"day": "day", "month": "month", "year": "year"}
_BYTES_MAX, _TAGS_MAX = 1_000_000, 10_000
_CHALLENGE = ".captcha-wrap, altcha-widget, script[src*='altcha'], form[action*='captcha']"


class Mojeek(Service):
    """Mojeek with this key."""

    FACTS = Facts(
        name="mojeek",
        title="Mojeek",
        endpoint="https://api.mojeek.com/search",
        third_party="Mojeek (mojeek.com)",
        terms=Terms(
            "https://www.mojeek.com/services/search/web-search-api/",
            "2026-11-30",
            "answers may be stored with the Business plan, and Enterprise on request; with others for an hour only",
        ),
        applies=(
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
        ),
        returns=("snippet", "published", "crawled"),
        key="required",
        key_env=("MOJEEK_API_KEY",),
        count_max=40,
        limits="requests a day and results a request by plan; language and country raise pages, they filter none",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        fields = {"q": query.text, "fmt": "json", "s": str((query.page - 1) * count + 1), "t": str(count), "cdate": "1"}
        language = _language(query.language)
        if language:
            fields |= {"lb": language, "lbb": "100"}
        if query.country:
            fields |= {"rb": query.country, "rbb": "10"}
        first, last = query.span()
        if query.freshness in _SINCE:
            fields["since"] = _SINCE[query.freshness]
        elif first:
            fields["since"] = _day(first)
        if last:
            fields["before"] = _day(last, 1)
        if query.safe:
            fields["safe"] = "0" if query.safe == "off" else "1"
        unsaid = _unsaid(query)
        if query.include_domains and "include_domains" not in unsaid:
            fields["fi"] = ",".join(query.include_domains)
        if query.exclude_domains and "exclude_domains" not in unsaid:
            fields["fe"] = ",".join(query.exclude_domains)
        return self._get(fields | {"api_key": self._key or ""})

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(_unsaid(query)))
        if is_challenge(response) or _is_captcha(response.body):
            return reader.run(RunOutcome.BLOCKED, f"status {response.status}, a bot challenge; ask another provider")
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "response", "results")
        if isinstance(found, Run):
            return found
        if query.language or query.country:
            reader.note("Mojeek raises pages of the language and the country, and leaves none out")
        reader.walk(found[1], _result)
        return reader.run()


def _unsaid(query: Query) -> list[str]:
    """Return the options of this query that cannot be said."""
    out = ["language"] if query.language and not _language(query.language) else []
    out += ["freshness"] if query.freshness and query.freshness not in _SINCE and query.span()[0] is None else []
    out += ["include_domains"] if len(query.include_domains) > _DOMAINS_MAX else []
    return out + (["exclude_domains"] if len(query.exclude_domains) > _DOMAINS_MAX else [])


def _language(tag: str | None) -> str | None:
    """Return the two letters that a language tag begins with, in capitals; None for a tag that does not."""
    first = (tag or "").replace("_", "-").split("-")[0]
    return first.upper() if len(first) == 2 and first.isascii() and first.isalpha() else None


def _day(iso: str, later: int = 0) -> str:
    return (date.fromisoformat(iso) + timedelta(days=later)).strftime("%Y%m%d")


def _is_captcha(body: bytes) -> bool:
    """Say whether a body is a page of HTML that is built as Mojeek's challenge is."""
    from selectolax.lexbor import LexborHTMLParser

    if not body[:200].lstrip().startswith(b"<") or len(body) > _BYTES_MAX or body.count(b"<") > _TAGS_MAX:
        return False
    return LexborHTMLParser(body.decode("utf-8", "replace")).css_first(_CHALLENGE) is not None


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None. What `response.status` says counts before the HTTP status."""
    try:
        answer = json_object(response.body).get("response")
    except FormatError:
        answer = None
    said = text(answer.get("status"))[:300] if isinstance(answer, dict) else ""
    low, detail = said.lower(), f"status {response.status} ({said})"
    if low in ("", "ok"):
        return reader.refused(response)
    if "daily limit" in low or "monthly limit" in low:
        return reader.run(RunOutcome.QUOTA, f"{detail}, the plan's requests are used up")
    if "limit" in low or response.status == 429:
        return reader.run(RunOutcome.RATE_LIMITED, f"{detail}, too many requests", retry_after(response.headers))
    if "key" in low or "auth" in low or response.status in (401, 403):
        return reader.run(RunOutcome.AUTH, f"{detail}, the key is missing or wrong; {check_key(reader.facts)}")
    if response.status >= 500:
        return reader.run(RunOutcome.UNAVAILABLE, f"{detail}, its server failed", retry_after(response.headers))
    return reader.run(RunOutcome.BAD_REQUEST, f"{detail}, it does not accept the request")


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": html_text(row.get("title")),
        "snippet": html_text(row.get("desc")),
        **_dated("published", row, "pdate"),
        **_dated("crawled", row, "cdatetimestamp", "cdate"),
        "extra": {"modified": moment(row.get("timestamp")) or text(row.get("date"))[:40]},
    }


def _dated(what: str, row: dict[str, Any], *names: str) -> dict[str, str]:
    """Return the date in the first of these fields that has one, and which field that is."""
    for name in names:
        said = moment(row.get(name)) or text(row.get(name))[:60]
        if said:
            return {what: said, f"{what}_source": name}
    return {}
