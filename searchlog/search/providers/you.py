"""You.com: web and news results of one request; with a key at one address, without one at another, 100 times a day.

Traps: `count` is of each section, so news come on top; an answer without a section has found nothing there; results are
English ones unless a language is named; wanted and unwanted domains exclude each other; a word such as "today" in the
query widens `freshness`; `knowledge` is no page; compressed answers of the keyless address were seen broken. Its own
lists disagree on the code of Japanese, so that is not sent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import Reader, check_key, code_of_tag, error_text, is_challenge, retry_after
from searchlog.search.answers.values import items, json_object, page_text, published, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service, moved

__all__ = ["You"]

PARSER = "you/2"

_KEYED = "https://ydc-index.io/v1/search"
_DOMAINS = ("include_domains", "exclude_domains")
_DOMAINS_MAX = 500
_COUNTRIES_LIST = (
    "AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA"
)
_COUNTRIES = frozenset(_COUNTRIES_LIST.split())
_LANGUAGES_LIST = (
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr nb "
    "pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
_LANGUAGES = frozenset(_LANGUAGES_LIST.split())
_ALIAS = {"no": "nb", "nn": "nb", "pt": "pt-pt", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-sg": "zh-hans",
          "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "iw": "he"}  # fmt: skip
_FIRST_DAY, _LAST_DAY = "1990-01-01", "2099-12-31"


class You(Service):
    """You.com search with this key, or keyless without one, which takes no domains and gives no texts."""

    FACTS = Facts(
        name="you",
        title="You.com",
        endpoint="https://api.you.com/v1/agents/search",
        third_party="You.com",
        terms=Terms(
            "https://you.com/terms",
            "2026-11-30",
            "of 2024-08-27: 2.4 forbids extracting data or output by programs, and nothing is said of storing; "
            "customers with a contract have another: keep answers to yourself",
        ),
        applies=("count", "page", "language", "country", "freshness", "after", "before", "safe"),
        returns=("snippet", "published"),
        key="optional",
        key_env=("YDC_API_KEY", "YOU_API_KEY", "YOU_API_KEY_AUTH"),
        count_max=100,
        limits="10 pages; without a key about 100 requests a day an address",
        paid=True,
    )

    def __init__(self, key: str | None = None, base_url: str | None = None, contact: str | None = None) -> None:
        super().__init__(key, base_url, contact)
        if self._key:
            self.facts = replace(
                self.facts,
                endpoint=moved(_KEYED, base_url) if base_url else _KEYED,
                applies=(*self.facts.applies, *_DOMAINS),
                returns=(*self.facts.returns, "text"),
            )

    def request(self, query: Query) -> Request:
        body: dict[str, Any] = {
            "query": query.text,
            "count": min(query.count, self.facts.count_max),
            "offset": query.page - 1,
        }
        if query.freshness:
            body["freshness"] = query.freshness
        elif query.after or query.before:
            body["freshness"] = f"{query.after or _FIRST_DAY}to{query.before or query.asked_on or _LAST_DAY}"
        if query.country in _COUNTRIES:
            body["country"] = query.country
        language = _language(query)
        if language:
            body["language"] = language
        if query.safe:
            body["safesearch"] = query.safe
        if not self._key:
            return self._get({name: str(value) for name, value in body.items()}, ("Accept-Encoding", "identity"))
        if query.include_domains:
            body["include_domains"] = list(query.include_domains[:_DOMAINS_MAX])
        elif query.exclude_domains:
            body["exclude_domains"] = list(query.exclude_domains[:_DOMAINS_MAX])
        if query.texts:
            body["extraction"] = {"extraction_mode": "full_page", "full_page": {"extraction_formats": ["markdown"]}}
        return self._post(body, ("X-API-Key", self._key))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        refused = _refused(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        results = answer.get("results")
        parts = [results.get(name) or [] for name in ("web", "news")] if isinstance(results, dict) else []
        if not isinstance(results, dict) or not all(isinstance(part, list) for part in parts):
            said = error_text(response.body)
            detail = "the answer has no lists in `results`" + (f" ({said})" if said else "")
            return reader.run(RunOutcome.PARSE_ERROR, detail)
        for section, part in zip(("web", "news"), parts, strict=True):
            reader.walk(part, lambda row, section=section: _result(row, section))  # type: ignore[misc]
        knowledge = items(results.get("knowledge"))
        for row in knowledge if not reader.is_over(len(knowledge)) else []:
            reader.drop((text(row.get("title")) if isinstance(row, dict) else "") or "knowledge", "not-a-result")
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = ["country"] if query.country and query.country not in _COUNTRIES else []
        unsaid += ["language"] if query.language and not _language(query) else []
        if self._key:
            unsaid += ["include_domains"] if len(query.include_domains) > _DOMAINS_MAX else []
            too_many = len(query.exclude_domains) > _DOMAINS_MAX
            unsaid += ["exclude_domains"] if too_many or (query.include_domains and query.exclude_domains) else []
        return self.facts.ignored(query) + tuple(unsaid)


def _refused(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer, or None."""
    status, said = response.status, error_text(response.body)
    why, keyless = f" ({said})" if said else "", reader.facts.keyless
    if status in (401, 403) and not is_challenge(response):
        meaning = "not allowed" if status == 403 else "the key is missing or wrong"
        return reader.run(RunOutcome.AUTH, f"status {status}, {meaning}{why}; {check_key(reader.facts)}")
    if status == 429 or (status == 402 and keyless):
        # without a key both mean that the address has had its requests of the day
        wait = retry_after(response.headers)
        more = "; set YDC_API_KEY to have your own limit" if keyless else ""
        return reader.run(RunOutcome.RATE_LIMITED, f"status {status}, too many requests{why}{more}", wait)
    return reader.refused(response)


def _language(query: Query) -> str | None:
    return (code_of_tag(query.language, _LANGUAGES, _ALIAS) or "").upper() or None


def _result(row: dict[str, Any], section: str) -> dict[str, Any]:
    snippets = " … ".join(filter(None, map(text, items(row.get("snippets")))))
    contents = row.get("contents")
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": snippets or text(row.get("description")),
        "text": page_text(contents.get("markdown")) if isinstance(contents, dict) else "",
        "text_type": "text/markdown",
        **published(row, "page_age"),
        "extra": {"section": section if section != "web" else ""},
    }
