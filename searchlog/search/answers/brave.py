"""What Brave's services share: languages, countries, dates, the terms, and how they refuse. Pure.

Traps: a wrong or missing key is 422, not 401; language codes are Brave's own; the rate headers are lists, per second
and per month, so one 429 means "wait" and another "the month is used up".
"""

from __future__ import annotations

from searchlog.capture.exchange import header
from searchlog.errors import FormatError
from searchlog.search.answers.reading import Reader, check_key, code_of_tag, error_text, retry_after
from searchlog.search.answers.values import items, json_object, seconds, text
from searchlog.search.provider import Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome

__all__ = ["KEY_ENV", "TERMS", "THIRD_PARTY", "asked_fields", "refused_run", "unsaid"]

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
THIRD_PARTY = "Brave Software (brave.com), which says it keeps queries up to 90 days"
TERMS = Terms(
    "https://api-dashboard.search.brave.com/terms-of-service",
    "2026-11-30",
    "updated 2026-09-01; storing answers is a right of some plans only: keep them to yourself otherwise",
)
_FIRST_DAY, _LAST_DAY = "1990-01-01", "2099-12-31"


def asked_fields(query: Query) -> dict[str, str]:
    """Return the parameters that say a query's country, language and dates, of those that Brave knows."""
    fields = {}
    if query.country in _COUNTRIES:
        fields["country"] = str(query.country)
    language = _language(query)
    if language:
        fields["search_lang"] = language
    if query.freshness in _FRESHNESS:
        fields["freshness"] = _FRESHNESS[query.freshness]
    elif query.after or query.before:
        fields["freshness"] = f"{query.after or _FIRST_DAY}to{query.before or query.asked_on or _LAST_DAY}"
    return fields


def unsaid(query: Query) -> list[str]:
    """Return which of country and language are set, and are none that Brave knows."""
    out = ["country"] if query.country and query.country not in _COUNTRIES else []
    return out + (["language"] if query.language and not _language(query) else [])


def _language(query: Query) -> str | None:
    return code_of_tag(query.language, _LANGUAGES, _ALIAS)


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    status, said = response.status, error_text(response.body)
    code, places = _error(response.body)
    why = f" ({said})" if said else ""
    if code == "SUBSCRIPTION_TOKEN_INVALID" or "x-subscription-token" in places:
        detail = f"status {status}, the key is missing or wrong{why}; {check_key(reader.facts)}"
        return reader.run(RunOutcome.AUTH, detail)
    if status != 429:
        return reader.refused(response)
    if _last(response, "x-ratelimit-remaining") == 0 or code in ("QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"):
        wait = _last(response, "x-ratelimit-reset")
        return reader.run(RunOutcome.QUOTA, f"status 429, the plan's requests of this month are used up{why}", wait)
    resets = _numbers(response, "x-ratelimit-reset")
    wait = retry_after(response.headers)
    if wait is None and resets:
        wait = resets[0]
    return reader.run(RunOutcome.RATE_LIMITED, f"status 429, too many requests{why}", wait)


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
