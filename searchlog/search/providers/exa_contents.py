"""Exa's contents: texts of pages one names, from its cache or fetched when it has none, with a key.

Trap: status 200 says nothing of a page; what became of each stands in `statuses`, by the address that was asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.asked import Asked, code_of, drop_failed, read_texts, told
from searchlog.search.answers.reading import Reader, rows
from searchlog.search.answers.values import items, page_text, published, text
from searchlog.search.provider import Response
from searchlog.search.providers.exa import Exa, refused_run
from searchlog.search.run import Run
from searchlog.search.service import Service

__all__ = ["ExaContents"]

PARSER = "exa-contents/2"


class ExaContents(Service):
    """Texts of pages by Exa with this key."""

    FACTS = replace(
        Exa.FACTS,
        title="Exa contents",
        endpoint="https://api.exa.ai/contents",
        applies=(),
        returns=("published", "text"),
        count_max=20,
        limits="100 requests a second; each page costs",
        by_name=True,
    )

    def request(self, urls: Sequence[str]) -> Request:
        return self._post({"urls": list(urls), "text": True}, ("x-api-key", self._key or ""))

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        reader = Reader(self.facts, PARSER)
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        answer, results = found
        asked = Asked(urls)
        read_texts(reader, asked, results, ("id", "url"), _page)
        drop_failed(reader, asked, items(answer.get("statuses")), ("id",), _failure)
        return told(reader, urls)


def _page(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": text(row.get("title")),
        "text": page_text(row.get("text")),
        **published(row, "publishedDate"),
        "extra": {"author": text(row.get("author"))[:200]},
    }


def _failure(row: dict[str, Any]) -> tuple[str, str] | None:
    if row.get("status") == "success":
        return None
    error = row.get("error")
    return code_of(error.get("tag")) if isinstance(error, dict) else "failed", ""
