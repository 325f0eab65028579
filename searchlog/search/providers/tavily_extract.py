"""Tavily's extract: texts of pages one names, with a key or, within limits per address, without one.

Trap: pages without a text stand in `failed_results`, with a reason in words only; the status is 200 all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from searchlog.capture.exchange import Request
from searchlog.search.answers.asked import Asked, drop_failed, read_texts, told
from searchlog.search.answers.reading import Reader, rows
from searchlog.search.answers.values import items, page_text, text
from searchlog.search.provider import Response
from searchlog.search.providers.tavily import Tavily, access, refused_run
from searchlog.search.run import Run
from searchlog.search.service import Service

__all__ = ["TavilyExtract"]

PARSER = "tavily-extract/2"


class TavilyExtract(Service):
    """Texts of pages by Tavily with this key, or keyless without one."""

    FACTS = replace(
        Tavily.FACTS,
        title="Tavily extract",
        endpoint="https://api.tavily.com/extract",
        applies=(),
        returns=("text",),
        count_max=20,
        limits="a credit for five pages; without a key a limit an address",
        by_name=True,
    )

    def request(self, urls: Sequence[str]) -> Request:
        body = {"urls": list(urls), "extract_depth": "basic", "format": "markdown", "include_images": False}
        return self._post(body, access(self._key))

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
        read_texts(reader, asked, results, ("url",), _page)
        drop_failed(reader, asked, items(answer.get("failed_results")), ("url",), _failure)
        return told(reader, urls)


def _page(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": text(row.get("title")),
        "text": page_text(row.get("raw_content")),
        "text_type": "text/markdown",
    }


def _failure(row: dict[str, Any]) -> tuple[str, str]:
    return "failed", text(row.get("error"))[:200]
