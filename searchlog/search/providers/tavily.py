"""Tavily: a hosted search made for language models, with a key or, within limits per address, without one.

Traps: no paging; 432 and 433 are about money (plan, pay-as-you-go), not about waiting; the keyless limit is an error
object with `retry_after_seconds`; a time filter drops every page whose date Tavily does not know; countries are names.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Header, Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import (
    Reader,
    check_key,
    error_text,
    fit,
    is_challenge,
    retry_after,
    rows,
    wanted,
)
from searchlog.search.answers.values import json_object, number, page_text, published, seconds, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Tavily", "access", "refused_run"]

PARSER = "tavily/3"

_QUERY_MAX = 400
_INCLUDE_MAX, _EXCLUDE_MAX = 300, 150
_COUNTRY = {
    "AR": "argentina", "AT": "austria", "AU": "australia", "BD": "bangladesh", "BE": "belgium", "BG": "bulgaria",
    "BR": "brazil", "CA": "canada", "CH": "switzerland", "CL": "chile", "CN": "china", "CO": "colombia",
    "CZ": "czech republic", "DE": "germany", "DK": "denmark", "EE": "estonia", "EG": "egypt", "ES": "spain",
    "FI": "finland", "FR": "france", "GB": "united kingdom", "GR": "greece", "HR": "croatia", "HU": "hungary",
    "ID": "indonesia", "IE": "ireland", "IL": "israel", "IN": "india", "IS": "iceland", "IT": "italy", "JP": "japan",
    "KE": "kenya", "KR": "south korea", "LT": "lithuania", "LV": "latvia", "MA": "morocco", "MX": "mexico",
    "MY": "malaysia", "NG": "nigeria", "NL": "netherlands", "NO": "norway", "NZ": "new zealand", "PE": "peru",
    "PH": "philippines", "PK": "pakistan", "PL": "poland", "PT": "portugal", "RO": "romania", "RS": "serbia",
    "SA": "saudi arabia", "SE": "sweden", "SG": "singapore", "SI": "slovenia", "SK": "slovakia", "TH": "thailand",
    "TR": "turkey", "TW": "taiwan", "UA": "ukraine", "US": "united states", "VN": "vietnam", "ZA": "south africa",
}  # fmt: skip


class Tavily(Service):
    """Tavily with this key, or keyless without one."""

    FACTS = Facts(
        name="tavily",
        title="Tavily",
        endpoint="https://api.tavily.com/search",
        third_party="Tavily (tavily.com)",
        terms=Terms(
            "https://www.tavily.com/terms",
            "2026-11-29",
            "dated 2026-05-04; what they say of storing answers was not verified: keep answers to yourself",
        ),
        applies=("count", "country", "freshness", "after", "before", "include_domains", "exclude_domains"),
        returns=("snippet", "published", "score", "text"),
        key="optional",
        key_env=("TAVILY_API_KEY",),
        count_max=20,
        limits="1,000 credits a month on the free plan; without a key a limit an address",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {
            "query": fit(query.text, _QUERY_MAX)[0],
            "search_depth": "basic",
            "max_results": wanted(query, self.facts),
            "include_answer": False,
            "include_raw_content": "markdown" if query.texts else False,
        }
        if query.freshness:
            body["time_range"] = query.freshness
        if query.after:
            body["start_date"] = query.after
        if query.before:
            body["end_date"] = query.before
        if query.country in _COUNTRY:
            body["country"] = _COUNTRY[query.country]
        if query.include_domains:
            body["include_domains"] = list(query.include_domains[:_INCLUDE_MAX])
        if query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains[:_EXCLUDE_MAX])
        return self._post(body, access(self._key))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        if query.freshness or query.after or query.before:
            reader.note("the time filter leaves out pages whose date Tavily does not know")
        answer, items = found
        if text(answer.get("answer")):
            reader.drop("answer", "not-a-result")
        reader.walk(items, _result)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = [] if query.country is None or query.country in _COUNTRY else ["country"]
        unsaid += ["include_domains"] if len(query.include_domains) > _INCLUDE_MAX else []
        unsaid += ["exclude_domains"] if len(query.exclude_domains) > _EXCLUDE_MAX else []
        return self.facts.ignored(query) + tuple(unsaid)


def access(key: str | None) -> Header:
    """Return the header that says who asks: the key, or that there is none."""
    return ("Authorization", f"Bearer {key}") if key else ("X-Tavily-Access-Mode", "keyless")


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer of any of Tavily's services, or None."""
    status, said = response.status, error_text(response.body)
    why = f" ({said})" if said else ""
    if status in (432, 433):
        plan = "the plan's credits are" if status == 432 else "the pay-as-you-go limit is"
        return reader.run(RunOutcome.QUOTA, f"status {status}, {plan} used up{why}")
    wait = _wait_in_body(response.body)
    if status == 429 or (wait is not None and status in (200, 402, 403)):
        wait = retry_after(response.headers) if wait is None else wait
        more = "; set TAVILY_API_KEY to have your own limit" if reader.facts.keyless else ""
        return reader.run(RunOutcome.RATE_LIMITED, f"status {status}, too many requests{why}{more}", wait)
    if status in (401, 403) and reader.facts.keyless and not is_challenge(response):
        return reader.run(RunOutcome.AUTH, f"status {status}, no keyless access{why}; {check_key(reader.facts)}")
    return reader.refused(response)


def _wait_in_body(body: bytes) -> int | None:
    """Return `error.retry_after_seconds`, the form of the keyless limit."""
    try:
        error = json_object(body).get("error")
    except FormatError:
        return None
    return seconds(error.get("retry_after_seconds")) if isinstance(error, dict) else None


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("content")),
        "score": number(row.get("score")),
        "text": page_text(row.get("raw_content")),
        "text_type": "text/markdown",
        **published(row, "published_date"),
    }
