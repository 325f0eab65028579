"""What services that resell Google's results share: its words for languages, dates and pages, and its other blocks.

Pure. Traps: Google gives ten results a page whatever is asked for, since it dropped `num` in September 2025; so a page
of another size starts inside one of Google's, and the rows before its start are dropped here. Other blocks of the page
(answers, advertisements, places, questions) stand beside the results and are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from searchlog.search.answers.reading import Reader, code_of_tag, fit, site_operators
from searchlog.search.answers.values import items, text
from searchlog.search.query import Query

__all__ = ["PAGE", "asked", "drop_parts", "first_page", "language_code", "results_of_page", "time_filter"]

PAGE = 10
"""Results on a page of Google."""
_QUERY_MAX, _WORDS_MAX = 2_048, 32

_FRESHNESS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
_LANGUAGES_LIST = (
    "af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu hi hr hu hy id is it iw ja ka kk km kn ko "
    "ky lo lt lv mk ml mn mr ms my ne nl no pa pl pt pt-br pt-pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi "
    "zh-cn zh-tw zu"
)
_LANGUAGES = frozenset(_LANGUAGES_LIST.split())
_ALIAS = {"nb": "no", "nn": "no", "he": "iw", "fil": "tl", "zh": "zh-cn", "zh-hans": "zh-cn", "zh-sg": "zh-cn",
          "zh-hant": "zh-tw", "zh-hk": "zh-tw", "zh-mo": "zh-tw"}  # fmt: skip


def asked(query: Query) -> tuple[str, tuple[str, ...]]:
    """Return the query as sent, domain operators included, with a note when its text was cut to make room."""
    operators = site_operators(query)[0]
    words = max(10, _WORDS_MAX - operators.count(" "))
    cut, notes = fit(query.text, _QUERY_MAX - len(operators), words)
    return cut + operators, notes


def language_code(tag: str | None) -> str | None:
    """Return Google's code of a language tag, or None."""
    return code_of_tag(tag, _LANGUAGES, _ALIAS)


def time_filter(query: Query) -> str | None:
    """Return Google's `tbs` of the query's freshness or dates, both days inclusive; None when it sets none."""
    if query.freshness in _FRESHNESS:
        return _FRESHNESS[query.freshness]
    parts = [f"cd_{end}:{_day(day)}" for end, day in (("min", query.after), ("max", query.before)) if day]
    return ",".join(("cdr:1", *parts)) if parts else None


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.month}/{day.day}/{day.year}"


def first_page(query: Query) -> int:
    """Return the page of Google's, from 1, that holds the first wanted result."""
    return (query.page - 1) * query.count // PAGE + 1


def results_of_page(found: list[Any], query: Query, reader: Reader) -> list[Any]:
    """Return the rows from the first wanted one on; those before it are dropped as `before-page`."""
    skipped = (query.page - 1) * query.count % PAGE
    for row in found[:skipped]:
        reader.drop((text(row.get("title")) if isinstance(row, dict) else "") or "row", "before-page")
    return found[skipped:]


def drop_parts(answer: Mapping[str, Any], names: Sequence[str], reader: Reader) -> None:
    """Drop each item of these blocks of an answer, with the name of its block as the reason."""
    for name in names:
        block = answer.get(name)
        if isinstance(block, dict):
            block = items(block.get("places")) or [block]
        rows = items(block)
        for row in rows if not reader.is_over(len(rows)) else []:
            fields = ("link", "title", "question", "query", "source")
            said = next(filter(None, (text(row.get(field)) for field in fields)), "") if isinstance(row, dict) else ""
            reader.drop(said or name, f"not-web:{name}")
