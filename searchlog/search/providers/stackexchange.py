"""Stack Exchange: questions of Stack Overflow, or of the one site of its network that a query names. A key is optional.

Traps: titles are HTML-escaped; answers are compressed whether asked for or not; `backoff` in a good answer says how
long to wait before the next; errors are a number in the body (`error_id`), 502 being the throttle with status 400;
`score` is votes, not relevance; the key stands in the query string.
"""

from __future__ import annotations

import re
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.moments import first_second, last_second, moment, unsaid_freshness
from searchlog.search.answers.prose import joined, prose, unescaped, whole
from searchlog.search.answers.reading import Reader, fit, retry_after, rows
from searchlog.search.answers.values import items, json_object, seconds, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["StackExchange"]

PARSER = "stackexchange/1"

_QUERY_MAX = 500
_SITE = "stackoverflow"
_OWN_DOMAINS = frozenset(
    {"stackoverflow.com", "superuser.com", "serverfault.com", "askubuntu.com", "mathoverflow.net", "stackapps.com"}
)
_ERRORS = {
    401: RunOutcome.AUTH,
    402: RunOutcome.AUTH,
    403: RunOutcome.AUTH,
    405: RunOutcome.AUTH,
    406: RunOutcome.AUTH,
    500: RunOutcome.UNAVAILABLE,
    502: RunOutcome.RATE_LIMITED,
    503: RunOutcome.UNAVAILABLE,
}
_WAIT = re.compile(r"\bin ([0-9]{1,9}) second")


class StackExchange(Service):
    """The questions of one site of Stack Exchange."""

    FACTS = Facts(
        name="stackexchange",
        title="Stack Exchange",
        endpoint="https://api.stackexchange.com/2.3/search/advanced",
        third_party="Stack Exchange (stackexchange.com)",
        terms=Terms(
            "https://stackoverflow.com/legal/api-terms-of-use",
            "2026-11-30",
            "posts are CC BY-SA: they may be kept and shared with attribution and a link to the source",
        ),
        applies=("count", "page", "freshness", "after", "before", "include_domains"),
        returns=("snippet", "published"),
        key="optional",
        key_env=("STACK_EXCHANGE_KEY",),
        count_max=100,
        limits="300 requests a day and address, 10,000 with a key; under 30 a second",
        scope="discussions",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "q": fit(query.text, _QUERY_MAX)[0],
            "site": _site(query) or _SITE,
            "page": str(query.page),
            "pagesize": str(min(query.count, self.facts.count_max)),
            "order": "desc",
            "sort": "relevance",
            "filter": "withbody",
        }
        first, last = query.span()
        if first:
            fields["fromdate"] = str(first_second(first))
        if last:
            fields["todate"] = str(last_second(last))
        if self._key:
            fields["key"] = self._key
        return self._get(fields)

    def parse(self, response: Response, query: Query) -> Run:
        unsaid = unsaid_freshness(query) + (["include_domains"] if query.include_domains and not _site(query) else [])
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid))
        refused = _error_run(response, reader) or reader.refused(response)
        if refused is not None:
            return refused
        found = rows(response, reader, "items")
        if isinstance(found, Run):
            return found
        answer, questions = found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        reader.note(f"searched {_site(query) or _SITE}")
        if answer.get("quota_remaining") == 0:
            reader.note("this was the last request of the day's quota")
        reader.walk(questions, _result)
        return reader.run(retry_after_s=seconds(answer.get("backoff")) or None)


def _site(query: Query) -> str | None:
    """Return the site of the network that a query's domains name, or None."""
    if len(query.include_domains) != 1:
        return None
    domain = query.include_domains[0].lower().removeprefix("www.")
    return domain if domain in _OWN_DOMAINS or re.fullmatch(r"[a-z.-]{1,40}\.stackexchange\.com", domain) else None


def _error_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an answer that holds an error's number, whatever its status, or None."""
    try:
        answer = json_object(response.body)
    except FormatError:
        return None
    code = answer.get("error_id")
    if type(code) is not int:
        return None
    name, said = text(answer.get("error_name"))[:60], text(answer.get("error_message"))[:300]
    outcome = _ERRORS.get(code, RunOutcome.BAD_REQUEST)
    detail = f"status {response.status}, error {whole(code)} {name} ({said})"
    if outcome is RunOutcome.BAD_REQUEST and answer.get("quota_remaining") == 0:
        outcome = RunOutcome.RATE_LIMITED
    if outcome is RunOutcome.BAD_REQUEST and "`key`" in said:
        outcome = RunOutcome.AUTH
    if outcome is RunOutcome.AUTH:
        return reader.run(outcome, f"{detail}; check STACK_EXCHANGE_KEY")
    if outcome is RunOutcome.BAD_REQUEST:
        return reader.run(outcome, detail)
    told = _WAIT.search(said)
    waits = (seconds(answer.get("backoff")), seconds(told[1]) if told else None, retry_after(response.headers))
    hint = "; set STACK_EXCHANGE_KEY for a limit of your own" if reader.facts.keyless and code == 502 else ""
    return reader.run(outcome, detail + hint, next((wait for wait in waits if wait), None))


def _result(row: dict[str, Any]) -> dict[str, Any]:
    asked_at = moment(row.get("creation_date"))
    votes = row.get("score")
    return {
        "url": row.get("link"),
        "title": text(unescaped(row.get("title"))),
        "snippet": prose(row.get("body")),
        **({"published": asked_at, "published_source": "creation_date"} if asked_at else {}),
        "extra": {
            "modified": moment(row.get("last_activity_date")),
            "votes": str(votes) if type(votes) is int and abs(votes) < 2**53 else "",
            "answers": whole(row.get("answer_count")),
            "answered": "yes" if row.get("is_answered") is True else "",
            "tags": joined(items(row.get("tags"))),
            "licence": text(row.get("content_license"))[:40],
        },
    }
