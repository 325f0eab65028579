"""Jina search: search results of others, with the texts of their pages on request; with a key.

Traps: nothing found is status 422 with a sentence that says so, and 422 is other failures too; texts cost tokens by
their length, so `no-content` is asked for unless texts are wanted; a page that answers with an error has a text, that
of its error page, and a `warning`; its languages are Google's codes.
"""

from __future__ import annotations

import re
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import (
    Reader,
    check_key,
    code_of_tag,
    error_text,
    is_challenge,
    retry_after,
    rows,
    site_operators,
)
from searchlog.search.answers.values import json_object, page_text, published, seconds, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Jina", "error_name", "page_failure", "refused_run"]

PARSER = "jina/1"

_LANGUAGES_LIST = (
    "af ak sq am ar hy az eu be bem bn bs br bg km ca chr ny zh-cn zh-tw co hr cs da nl en eo et ee fo tl fi fr "
    "fy gaa gl ka de el gn gu ht ha haw iw hi hu is ig id ia ga it ja jw kn kk rw rn kg ko kri ku ckb ky lo la lv "
    "ln lt loz lg ach mk mg ms ml mt mi mr mfe mn ne pcm nso no nn oc or om ps fa pl pt pt-br pt-pt pa qu ro rm "
    "nyn ru gd sr sh st tn crs sn sd si sk sl so es es-419 su sw sv tg ta tt te th ti to lua tum tr tk tw ug uk "
    "ur uz vi cy wo xh yi yo zu"
)
_LANGUAGES = frozenset(_LANGUAGES_LIST.split())
_ALIAS = {"he": "iw", "jv": "jw", "fil": "tl", "nb": "no", "zh": "zh-cn", "zh-hans": "zh-cn", "zh-sg": "zh-cn",
          "zh-hant": "zh-tw", "zh-hk": "zh-tw", "zh-mo": "zh-tw"}  # fmt: skip
_NOTHING_FOUND = "no search results available for query"
_ERROR_PAGE = re.compile(r"target url returned error ([45][0-9]{2})", re.IGNORECASE)


class Jina(Service):
    """Jina search with this key."""

    FACTS = Facts(
        name="jina",
        title="Jina search",
        endpoint="https://s.jina.ai/",
        third_party="Jina AI, a part of Elastic (jina.ai), and the search services that it asks",
        terms=Terms(
            "https://jina.ai/legal/",
            "2026-11-30",
            "dated 2022-09-08; what they say of storing answers was not verified: keep answers to yourself",
        ),
        applies=("count", "page", "language", "country", "include_domains", "exclude_domains"),
        returns=("snippet", "published", "text"),
        key="required",
        key_env=("JINA_API_KEY",),
        count_max=20,
        limits="paid by tokens, 10,000 or more a search",
        paid=True,
    )

    def request(self, query: Query) -> Request:
        fields = {
            "q": query.text + site_operators(query)[0],
            "num": str(min(query.count, self.facts.count_max)),
            "page": str(query.page),
        }
        if query.country:
            fields["gl"] = query.country.lower()
        language = _language(query)
        if language:
            fields["hl"] = language
        form = () if query.texts else (("X-Respond-With", "no-content"),)
        return self._get(fields, ("Authorization", f"Bearer {self._key}"), *form)

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, self._ignored(query))
        if response.status == 422 and error_text(response.body).lower().startswith(_NOTHING_FOUND):
            return reader.run()
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "data")
        if isinstance(found, Run):
            return found
        reader.walk(found[1], _result)
        return reader.run()

    def _ignored(self, query: Query) -> tuple[str, ...]:
        unsaid = list(site_operators(query)[1])
        unsaid += ["language"] if query.language and not _language(query) else []
        return self.facts.ignored(query) + tuple(unsaid)


def refused_run(response: Response, reader: Reader) -> Run | None:
    """Return the run of an error answer of any of Jina's services, or None."""
    status, said = response.status, error_text(response.body)
    why, keyless = f" ({said})" if said else "", reader.facts.keyless
    if status in (401, 403) and not is_challenge(response):
        meaning = "not allowed" if status == 403 else "the key is missing or wrong"
        return reader.run(RunOutcome.AUTH, f"status {status}, {meaning}{why}; {check_key(reader.facts)}")
    if status == 429:
        wait = retry_after(response.headers)
        wait = seconds(_answer(response.body).get("retryAfter")) if wait is None else wait
        more = "; set JINA_API_KEY to have your own limit" if keyless else ""
        return reader.run(RunOutcome.RATE_LIMITED, f"status 429, too many requests{why}{more}", wait)
    return reader.refused(response)


def error_name(response: Response) -> str:
    """Return the name of the error that an answer tells, such as `AssertionFailureError`; empty for none."""
    return text(_answer(response.body).get("name"))[:100] if response.status >= 400 else ""


def page_failure(page: dict[str, Any]) -> str | None:
    """Return the code of why what was read of a page is no text of it, or None when it is."""
    warned = _ERROR_PAGE.search(text(page.get("warning")))
    if warned:
        return f"http-{warned[1]}"
    return None if page_text(page.get("content")).strip() else "no-text"


def _answer(body: bytes) -> dict[str, Any]:
    try:
        return json_object(body[:100_000])
    except FormatError:
        return {}


def _language(query: Query) -> str | None:
    return code_of_tag(query.language, _LANGUAGES, _ALIAS)


def _result(row: dict[str, Any]) -> dict[str, Any]:
    failure = page_failure(row)
    return {
        "url": row.get("url"),
        "title": text(row.get("title")),
        "snippet": text(row.get("description")),
        "text": page_text(row.get("content")) if failure is None else "",
        "text_type": "text/markdown",
        **published(row, "publishedTime", "date"),
        "extra": {"page": failure if failure not in (None, "no-text") else ""},
    }
