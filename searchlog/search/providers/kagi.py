"""Kagi Search API: results of Kagi, with a key. Asks version 1; reads answers of version 0 as well.

Traps: settings of the account (blocked and raised sites, snippets) shape the answer; version 1 sorts results into
lists, of which `search` alone is the web and is left out when it is empty; version 0 has one list, where `t` 1 is a
related search; `time` may be the date of the last change; a filter by time counts changes too, and whether its days
are inside is nowhere said; errors are a list, and used-up credit can be 400 or 429.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.reading import Reader, check_key, is_challenge, retry_after, wanted
from searchlog.search.answers.values import html_text, items, json_object, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Kagi"]

PARSER = "kagi/2"

_DOMAINS_MAX = 100
_MONEY = ("credit", "billing", "usage limit", "balance")


class Kagi(Service):
    """Kagi with this key."""

    FACTS = Facts(
        name="kagi",
        title="Kagi",
        endpoint="https://kagi.com/api/v1/search",
        third_party="Kagi (kagi.com)",
        terms=Terms(
            "https://kagi.com/terms",
            "2026-11-30",
            "what the terms say of storing answers was not verified: keep answers to yourself",
        ),
        applies=("count", "country", "freshness", "after", "before", "safe", "include_domains", "exclude_domains"),
        returns=("snippet", "published"),
        key="required",
        key_env=("KAGI_API_KEY",),
        count_max=100,
        limits="a price a request, from prepaid credit",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {"query": query.text, "workflow": "search", "limit": wanted(query, self.facts)}
        after, before = query.span()
        filters = {"region": query.country, "after": after, "before": before}
        said = {name: value for name, value in filters.items() if value}
        if said:
            body["filters"] = said
        if query.safe:
            body["safe_search"] = query.safe != "off"
        unsaid = _unsaid(query)
        lens = {
            "sites_included": [] if "include_domains" in unsaid else list(query.include_domains),
            "sites_excluded": [] if "exclude_domains" in unsaid else list(query.exclude_domains),
        }
        if any(lens.values()):
            body["lens"] = {name: sites for name, sites in lens.items() if sites}
        return self._post(body, ("Authorization", f"Bearer {self._key}"))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(_unsaid(query)))
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.refused(response) or reader.run(RunOutcome.PARSE_ERROR, str(error))
        data, meta = answer.get("data"), answer.get("meta")
        refused = _refused(response, answer, reader)
        if refused is not None and (response.status >= 400 or not data):
            return refused
        if isinstance(data, list):
            _read_v0(data, reader)
        elif isinstance(data, dict) and (isinstance(data.get("search"), list) or _has_no_search(data, meta)):
            _read_v1(data, reader)
        else:
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `data.search`")
        reader.note("settings of the Kagi account, such as blocked and raised sites, shape these results")
        if query.span() != (None, None):
            reader.note("Kagi's time filter counts a page's last change too; whether its days are inside is not said")
        if refused is not None and reader.results:
            return reader.run(RunOutcome.DEGRADED, f"it gave results and an error ({refused.detail})")
        return refused or reader.run()


def _unsaid(query: Query) -> list[str]:
    """Return the options of this query that cannot be said: too many domains, a freshness that counts from no day."""
    out = unsaid_freshness(query)
    out += ["include_domains"] if len(query.include_domains) > _DOMAINS_MAX else []
    return out + (["exclude_domains"] if len(query.exclude_domains) > _DOMAINS_MAX else [])


def _has_no_search(data: dict[str, Any], meta: object) -> bool:
    """Say whether this is an answer of version 1 whose list of web results was left out, as each list may be."""
    return "search" not in data and isinstance(meta, dict) and bool(text(meta.get("trace")) or text(meta.get("id")))


def _refused(response: Response, answer: dict[str, Any], reader: Reader) -> Run | None:
    """Return the run of an error answer, or None. Both versions list what went wrong, whatever the status."""
    errors = [error for error in items(answer.get("error")) if isinstance(error, dict)]
    if is_challenge(response) or not errors:
        return reader.refused(response)
    code, detail = errors[0].get("code"), f"status {response.status}"
    said = text(errors[0].get("message")) or text(errors[0].get("msg")) or text(code)
    why = f" ({said[:300]})" if said else ""
    if code in (100, 101) or any(word in f"{text(code)} {said}".lower() for word in _MONEY):
        return reader.run(RunOutcome.QUOTA, f"{detail}, the credit is used up or there is none{why}")
    if code == 2 or response.status in (401, 403):
        return reader.run(RunOutcome.AUTH, f"{detail}, the key is missing or wrong{why}; {check_key(reader.facts)}")
    if response.status == 429:
        return reader.run(RunOutcome.RATE_LIMITED, f"{detail}, too many requests{why}", retry_after(response.headers))
    if response.status >= 500 or code == 0:
        return reader.run(RunOutcome.UNAVAILABLE, f"{detail}, its server failed{why}", retry_after(response.headers))
    return reader.run(RunOutcome.BAD_REQUEST, f"{detail}, it does not accept the request{why}")


def _read_v1(data: dict[str, Any], reader: Reader) -> None:
    reader.walk(items(data.get("search")), _result)
    for part, block in data.items():
        found = items(block) if part != "search" else []
        for row in found if not reader.is_over(len(found)) else []:
            said = text(row.get("url")) or text(row.get("title")) if isinstance(row, dict) else ""
            reader.drop(said or text(part), f"not-web:{text(part)[:40]}")


def _read_v0(data: list[Any], reader: Reader) -> None:
    others = [row for row in data if isinstance(row, dict) and "t" in row and row["t"] != 0]
    reader.walk([row for row in data if not (isinstance(row, dict) and "t" in row and row["t"] != 0)], _result)
    for row in others if not reader.is_over(len(others)) else []:
        terms = items(row.get("list")) or [""]
        for term in terms if not reader.is_over(len(terms)) else []:
            reader.drop(text(term) or "item", "related-search" if row["t"] == 1 else "not-a-result")


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": html_text(row.get("title")),
        "snippet": html_text(row.get("snippet")),
        **published(row, "time", "published"),
    }
