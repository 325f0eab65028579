"""Brave LLM Context: pages that Brave found for a query, with pieces of their text, on the key of `brave`.

Traps: one list in the order of relevance, no pages, no score; the pieces are what Brave found relevant, so a page's
text has gaps; a piece can be a table or an object written as JSON; the date of a page stands apart, under its address,
as the second of three spellings, and may be that of its last change. Domains are said by a goggle, not in the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.brave import KEY_ENV, TERMS, THIRD_PARTY, asked_fields, refused_run, unsaid
from searchlog.search.answers.reading import Reader, fit, rows, wanted
from searchlog.search.answers.values import html_text, items, page_text, published, text
from searchlog.search.provider import Facts, Response
from searchlog.search.query import Query
from searchlog.search.run import Run
from searchlog.search.service import Service

__all__ = ["BraveContext"]

PARSER = "brave-context/1"

_CHARS_MAX, _WORDS_MAX = 400, 50
_DOMAINS_MAX = 100
_PLAIN = re.compile(r"[0-9A-Za-z.-]+")
_PLACES = ("poi", "map")


class BraveContext(Service):
    """Brave's context for language models with this key."""

    FACTS = Facts(
        name="brave-context",
        account="brave",
        title="Brave LLM Context",
        endpoint="https://api.search.brave.com/res/v1/llm/context",
        third_party=THIRD_PARTY,
        terms=TERMS,
        applies=(
            "count",
            "language",
            "country",
            "freshness",
            "after",
            "before",
            "include_domains",
            "exclude_domains",
        ),
        returns=("snippet", "published", "text"),
        key="required",
        key_env=KEY_ENV,
        count_max=50,
        limits="those of the Brave plan; 400 characters, 50 words; about 30,000 tokens of text in one answer",
        paid=True,
        by_name=True,
    )

    def request(self, query: Query) -> Request:
        count = str(wanted(query, self.facts))
        fields = {
            "q": fit(query.text, _CHARS_MAX, _WORDS_MAX)[0],
            "count": count,
            "maximum_number_of_urls": count,
            "enable_local": "false",
            **asked_fields(query),
        }
        if query.texts:
            fields["maximum_number_of_tokens"] = "32768"
            fields["maximum_number_of_snippets"] = "100"
        else:
            fields["maximum_number_of_snippets_per_url"] = "1"
        goggle = _goggle(query)
        if goggle:
            fields["goggles"] = goggle
        return self._get(fields, ("X-Subscription-Token", self._key or ""))

    def parse(self, response: Response, query: Query) -> Run:
        reader = Reader(self.facts, PARSER, (*self.facts.ignored(query), *unsaid(query), *_unsaid_domains(query)))
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "grounding", "generic")
        if isinstance(found, Run):
            return found
        for note in fit(query.text, _CHARS_MAX, _WORDS_MAX)[1]:
            reader.note(note)
        answer, pages = found
        sources = answer.get("sources")
        reader.walk(pages, _result(sources if isinstance(sources, dict) else {}, query.texts))
        for part in _PLACES:
            block = answer["grounding"].get(part)
            places = items(block) or ([block] if isinstance(block, dict) else [])
            for row in places if not reader.is_over(len(places)) else []:
                reader.drop((text(row.get("url")) if isinstance(row, dict) else "") or part, f"not-web:{part}")
        return reader.run()


def _goggle(query: Query) -> str:
    """Return the rules of a goggle that keeps to the query's domains; empty for none."""
    unsaid = _unsaid_domains(query)
    if query.include_domains and "include_domains" not in unsaid:
        return "\n".join(("$discard", *(f"$site={domain}" for domain in query.include_domains)))
    if query.exclude_domains and "exclude_domains" not in unsaid:
        return "\n".join(f"$discard,site={domain}" for domain in query.exclude_domains)
    return ""


def _unsaid_domains(query: Query) -> list[str]:
    """Return the domain rules that no goggle is made of: too many, not plain names, or excluded beside wanted ones."""
    out = [] if _sayable(query.include_domains) else ["include_domains"]
    beside = bool(query.include_domains) and not out and bool(query.exclude_domains)
    return out + (["exclude_domains"] if beside or not _sayable(query.exclude_domains) else [])


def _sayable(domains: tuple[str, ...]) -> bool:
    return len(domains) <= _DOMAINS_MAX and all(_PLAIN.fullmatch(domain) for domain in domains)


def _result(sources: dict[str, Any], with_text: bool) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return the reader of one page: its date stands among the sources, under its address."""

    def read(row: dict[str, Any]) -> dict[str, Any]:
        url = row.get("url")
        source = sources.get(url) if isinstance(url, str) else None
        ages = items(source.get("age")) if isinstance(source, dict) else []
        pieces = [piece for piece in map(page_text, items(row.get("snippets"))) if piece.strip()]
        return {
            "url": url,
            "title": html_text(row.get("title")),
            "snippet": text(pieces[0]) if pieces else "",
            "text": "\n\n".join(pieces) if with_text else "",
            **published({"age": ages[1] if len(ages) > 1 else None}, "age"),
        }

    return read
