"""Parallel Extract: texts of pages one names, from its index or fetched, with a key.

Traps: excerpts come whether asked for or not, and are no text of a page; pages without a text stand in `errors`.
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
from searchlog.search.providers.parallel import Parallel, refused_run, warnings_of
from searchlog.search.run import Run
from searchlog.search.service import Service

__all__ = ["ParallelExtract"]

PARSER = "parallel-extract/1"


class ParallelExtract(Service):
    """Texts of pages by Parallel with this key."""

    FACTS = replace(
        Parallel.FACTS,
        title="Parallel Extract",
        endpoint="https://api.parallel.ai/v1/extract",
        applies=(),
        returns=("published", "text"),
        count_max=20,
        limits="600 requests a minute; each page costs",
        by_name=True,
    )

    def request(self, urls: Sequence[str]) -> Request:
        body = {"urls": list(urls), "advanced_settings": {"full_content": True}}
        return self._post(body, ("x-api-key", self._key or ""))

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        reader = Reader(self.facts, PARSER)
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        found = rows(response, reader, "results")
        if isinstance(found, Run):
            return found
        answer, results = found
        for warning in warnings_of(answer):
            reader.note(warning)
        asked = Asked(urls)
        read_texts(reader, asked, results, ("url",), _page)
        drop_failed(reader, asked, items(answer.get("errors")), ("url",), _failure)
        return told(reader, urls)


def _page(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": text(row.get("title")),
        "text": page_text(row.get("full_content")),
        "text_type": "text/markdown",
        **published(row, "publish_date"),
    }


def _failure(row: dict[str, Any]) -> tuple[str, str]:
    status = row.get("http_status_code")
    return code_of(row.get("error_type")), f"status {status}" if type(status) is int and 0 <= status < 1_000 else ""
