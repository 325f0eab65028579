"""GitHub: repositories by their names and descriptions. A token is optional.

`published` is when a repository was created, and dates bound just that (`created:`); when it was last pushed to is
`modified`. The parser reads answers about issues and code as well.

Traps: both rate limits are 403 or 429, told by the message, by `x-ratelimit-remaining: 0` or by Retry-After; the reset
is told in seconds since 1970, so it is measured against the answer's own Date; `incomplete_results` says that the
search ran out of time, which is no whole answer.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any

from searchlog.capture.exchange import Request, header
from searchlog.search.answers.moments import unsaid_freshness
from searchlog.search.answers.prose import joined, whole
from searchlog.search.answers.reading import Reader, error_text, fit, is_challenge, retry_after, rows
from searchlog.search.answers.values import items, number, published, seconds, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["GitHub"]

PARSER = "github/1"

_QUERY_MAX = 256
_SECONDARY_WAIT_S = 60
"""What GitHub says to wait when it limits and does not say how long."""


class GitHub(Service):
    """The public repositories of GitHub, and those that a token may read."""

    FACTS = Facts(
        name="github",
        title="GitHub repositories",
        endpoint="https://api.github.com/search/repositories",
        third_party="GitHub (github.com)",
        terms=Terms(
            "https://docs.github.com/en/site-policy/github-terms/github-terms-of-service",
            "2026-11-30",
            "what repositories hold has licences of its own: keep descriptions to yourself unless those say more",
        ),
        applies=("count", "page", "freshness", "after", "before"),
        returns=("snippet", "published", "score"),
        key="optional",
        key_env=("GITHUB_TOKEN", "GH_TOKEN"),
        count_max=100,
        limits="10 searches a minute, 30 with a token; the first 1,000 results of a query; 256 characters",
        scope="code",
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "q": fit(query.text, _QUERY_MAX)[0] + _created(query),
            "per_page": str(min(query.count, self.facts.count_max)),
            "page": str(query.page),
        }
        access = (("Authorization", f"Bearer {self._key}"),) if self._key else ()
        return self._get(fields, ("X-GitHub-Api-Version", "2022-11-28"), *access)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self.facts.ignored(query) + tuple(unsaid_freshness(query)))
        refused = _refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "items")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _QUERY_MAX)[1]:
            reader.note(note)
        if _created(query):
            reader.note("dates bound when a repository was created; when it was last pushed to is `modified`")
        answer, repositories = found
        reader.walk(repositories, _result)
        if answer.get("incomplete_results") is True:
            reader.note("incomplete_results: the search ran out of time")
            return reader.run(RunOutcome.DEGRADED, "its search ran out of time, so results are missing; ask again")
        return reader.run()


def _created(query: Query) -> str:
    first, last = query.span()
    if first and last:
        return f" created:{first}..{last}"
    return f" created:>={first}" if first else f" created:<={last}" if last else ""


def _refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    status, said = response.status, error_text(response.body)
    why = f" ({said})" if said else ""
    hint = "; set GITHUB_TOKEN for a limit of your own" if reader.facts.keyless else ""
    if status in (403, 429) and not is_challenge(response):
        used_up = (header(response.headers, "x-ratelimit-remaining") or "").strip() == "0"
        limited = "rate limit" in said.lower() or "abuse" in said.lower()
        wait = retry_after(response.headers)
        if status == 429 or used_up or limited or wait is not None:
            wait = _until_reset(response) if wait is None and used_up else wait
            wait = _SECONDARY_WAIT_S if wait is None else wait
            return reader.run(RunOutcome.RATE_LIMITED, f"status {status}, too many requests{why}{hint}", wait)
    if status == 401:
        which = "set GITHUB_TOKEN" if reader.facts.keyless else "check GITHUB_TOKEN or GH_TOKEN"
        return reader.run(RunOutcome.AUTH, f"status 401, the token is missing or wrong{why}; {which}")
    return reader.refused(response)


def _until_reset(response: Response) -> int | None:
    """Return the seconds from the answer's own Date to X-RateLimit-Reset; None when either cannot be read."""
    reset, sent = header(response.headers, "x-ratelimit-reset") or "", header(response.headers, "date") or ""
    if not (reset.strip().isascii() and reset.strip().isdecimal() and len(reset.strip()) <= 12):
        return None
    try:
        return seconds(max(0.0, int(reset) - parsedate_to_datetime(sent).timestamp()))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _result(row: dict[str, Any]) -> dict[str, Any]:
    within = row.get("repository")
    home = text(within.get("full_name")) if isinstance(within, dict) else ""
    path = text(row.get("path"))
    found = items(row.get("text_matches"))
    parts = (text(match.get("fragment")) for match in found[:5] if isinstance(match, dict))
    licence = row.get("license")
    return {
        "url": row.get("html_url"),
        "title": text(row.get("title")) or text(row.get("full_name")) or f"{home}: {path}".strip(": "),
        "snippet": text(row.get("description")) or text(row.get("body")) or " … ".join(filter(None, parts)),
        "score": number(row.get("score")),
        **published(row, "created_at"),
        "extra": {
            "modified": (text(row.get("pushed_at")) or text(row.get("updated_at")))[:40],
            "stars": whole(row.get("stargazers_count")),
            "language": text(row.get("language"))[:40],
            "topics": joined(items(row.get("topics"))),
            "licence": text(licence.get("spdx_id"))[:40] if isinstance(licence, dict) else "",
            "state": text(row.get("state"))[:20],
            "archived": "yes" if row.get("archived") is True else "",
        },
    }
