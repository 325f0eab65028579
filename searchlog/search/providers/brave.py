"""Brave Search API: web results of an index of its own, with a key.

Traps: `offset` counts pages, not results; a wrong or missing key is 422, not 401; text comes with HTML unless
`text_decorations` is off (references remain); language codes are Brave's own; the rate headers are lists, per second
and per month, so one 429 means "wait" and another "the month is used up"; there is no score.
"""

from __future__ import annotations

from typing import Any

from searchlog.capture.exchange import Request, header
from searchlog.errors import FormatError
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.reading import (
    Reader,
    crawled,
    error_text,
    fit,
    html_text,
    items,
    json_object,
    published,
    retry_after,
    seconds,
    site_operators,
    status_run,
    text,
)
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Brave"]

PARSER = "brave/2"

_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_COUNTRIES_LIST = (
    "AR AU AT BE BR CA CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE CH TR TW US ZA"
)
_COUNTRIES = frozenset(_COUNTRIES_LIST.split())
_LANGUAGES_LIST = (
    "ar bg bn ca cs da de el en en-gb es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa pl "
    "pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant"
)
_LANGUAGES = frozenset(_LANGUAGES_LIST.split())
_ALIAS = {"ja": "jp", "no": "nb", "nn": "nb", "pt": "pt-pt", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-sg": "zh-hans",
          "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "iw": "he"}  # fmt: skip
KEY_ENV = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
TERMS = Terms(
    "https://api-dashboard.search.brave.com/terms-of-service",
    "2026-11-29",
    "updated 2026-02-11; storing answers is a right of some plans only: keep them to yourself otherwise",
)
_FIRST_DAY, _LAST_DAY = "1990-01-01", "2099-12-31"
_OTHER_PARTS = ("videos", "news", "discussions", "faq", "locations")


class Brave(Service):
    """Brave web search with this key."""

    FACTS = Facts(
        name="brave",
        title="Brave Search API",
        endpoint="https://api.search.brave.com/res/v1/web/search",
        third_party="Brave Software (brave.com), which says it keeps queries up to 90 days",
        terms=TERMS,
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
        key_env=KEY_ENV,
        count_max=20,
        limits="one request a second on the free plan; 400 characters, 50 words, 10 pages",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "q": _asked(query)[0],
            "count": str(min(query.count, self.facts.count_max)),
            "offset": str(query.page - 1),
            "result_filter": "web",
            "text_decorations": "false",
            "include_fetch_metadata": "true",
        }
        if query.country in _COUNTRIES:
            fields["country"] = str(query.country)
        language = _language(query.language)
        if language:
            fields["search_lang"] = language
        if query.freshness in _FRESHNESS:
            fields["freshness"] = _FRESHNESS[query.freshness]
        elif query.after or query.before:
            fields["freshness"] = f"{query.after or _FIRST_DAY}to{query.before or query.asked_on or _LAST_DAY}"
        if query.safe:
            fields["safesearch"] = query.safe
        return self._get(fields, ("X-Subscription-Token", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = self._refused(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        asked, web = answer.get("query"), answer.get("web")
        if not isinstance(asked, dict) and web is None:
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has neither `query` nor `web`")
        if web is not None and not (isinstance(web, dict) and isinstance(web.get("results"), list)):
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `web.results`")
        for note in _asked(query)[1]:
            reader.note(note)
        if isinstance(asked, dict) and text(asked.get("altered")):
            reader.note(f"Brave searched for: {text(asked['altered'])}")
        # an answer without any web result has no `web` at all
        reader.walk(web["results"] if web else [], _result)
        for part in _OTHER_PARTS:
            block = answer.get(part)
            found = items(block.get("results")) if isinstance(block, dict) else []
            for row in found if not reader.is_over(len(found)) else []:
                reader.drop(text(row.get("url")) if isinstance(row, dict) else part, f"not-web:{part}")
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = list(site_operators(query)[1])
        unsaid += ["country"] if query.country and query.country not in _COUNTRIES else []
        unsaid += ["language"] if query.language and not _language(query.language) else []
        return self.facts.ignored(query) + tuple(unsaid)

    def _refused(self, response: Response, reader: Reader) -> Run | None:
        """Return the run of an error answer, or None."""
        status, said = response.status, error_text(response.body)
        code, places = _error(response.body)
        why = f" ({said})" if said else ""
        if code == "SUBSCRIPTION_TOKEN_INVALID" or "x-subscription-token" in places:
            return reader.run(
                RunOutcome.AUTH, f"status {status}, the key is missing or wrong{why}; check BRAVE_API_KEY"
            )
        if status != 429:
            return status_run(self.facts, response, PARSER, reader.ignored)
        if _last(response, "x-ratelimit-remaining") == 0 or code in ("QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"):
            wait = _last(response, "x-ratelimit-reset")
            return reader.run(RunOutcome.QUOTA, f"status 429, the plan's requests of this month are used up{why}", wait)
        resets = _numbers(response, "x-ratelimit-reset")
        wait = retry_after(response.headers)
        if wait is None and resets:
            wait = resets[0]
        return reader.run(RunOutcome.RATE_LIMITED, f"status 429, too many requests{why}", wait)


def _asked(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the query as sent, domain operators included, with a note when its text was cut to make room."""
    operators = site_operators(query)[0]
    cut, notes = fit(query.text, max(50, 400 - len(operators)), max(10, 50 - operators.count(" ")))
    return cut + operators, notes


def _language(tag: str | None) -> str | None:
    """Return Brave's code of a language tag: the whole tag if it has one, else its first part; None if it has none."""
    if not tag:
        return None
    tag = tag.lower().replace("_", "-")
    for name in (tag, "-".join(tag.split("-")[:2]), tag.split("-")[0]):
        code = _ALIAS.get(name, name)
        if code in _LANGUAGES:
            return code
    return None


def _numbers(response: Response, name: str) -> list[int]:
    """Return the numbers of a rate header, such as `1, 15000`: per second first, per month last."""
    found = [seconds(part.strip()) for part in (header(response.headers, name) or "").split(",")]
    return [value for value in found if value is not None]


def _last(response: Response, name: str) -> int | None:
    """Return the monthly number of a rate header; None when there is no second window."""
    found = _numbers(response, name)
    return found[-1] if len(found) > 1 else None


def _error(body: bytes) -> tuple[str, set[str]]:
    """Return the code of an error answer, and the places that it complains about, in lower case."""
    try:
        error = json_object(body).get("error")
    except FormatError:
        return "", set()
    if not isinstance(error, dict):
        return "", set()
    meta = error.get("meta")
    rows = items(meta.get("errors")) if isinstance(meta, dict) else []
    places = {text(p).lower() for row in rows if isinstance(row, dict) for p in items(row.get("loc"))}
    return text(error.get("code")), places


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": row.get("url"),
        "title": html_text(row.get("title")),
        "snippet": html_text(row.get("description")),
        **published(row, "page_age"),
        **crawled(row, "fetched_content_timestamp"),
        "extra": {"age": text(row.get("age"))[:60], "language": text(row.get("language"))[:20]},
    }
