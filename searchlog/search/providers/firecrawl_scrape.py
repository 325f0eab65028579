"""Firecrawl's scrape: the text of a page one names, with a key or, within limits a day, without one.

Traps: a page that answers with an error has a text as well, that of its error page; failures of a page come as
errors of the service, 500 among them, and only their `code` tells them apart; certificates are not checked unless
asked for. One page a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.asked import code_of
from searchlog.search.answers.reading import Reader, error_text
from searchlog.search.answers.values import json_object, page_text, text
from searchlog.search.extractor import ended
from searchlog.search.provider import Response
from searchlog.search.providers.firecrawl import Firecrawl, access, page_failure, refused_run
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["FirecrawlScrape"]

PARSER = "firecrawl-scrape/1"


class FirecrawlScrape(Service):
    """Texts of pages by Firecrawl with this key, or keyless without one."""

    FACTS = replace(
        Firecrawl.FACTS,
        title="Firecrawl scrape",
        endpoint="https://api.firecrawl.dev/v2/scrape",
        applies=(),
        returns=("text",),
        count_max=1,
        limits="a credit a page; without a key a limit a day an address",
        by_name=True,
    )

    def request(self, urls: Sequence[str]) -> Request:
        body = {"url": urls[0], "formats": ["markdown"], "onlyMainContent": True, "skipTlsVerification": False}
        return self._post(body, *access(self._key))

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        reader = Reader(self.facts, PARSER)
        url = urls[0] if urls else ""
        failed = _failure(response)
        if failed:
            reader.drop(url, failed)
            reader.note(error_text(response.body))
            return ended(reader, urls)
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        page = answer.get("data")
        if not isinstance(page, dict) or answer.get("success") is not True:
            said = error_text(response.body)
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no page `data`" + (f" ({said})" if said else ""))
        reader.note(text(page.get("warning"))[:300])
        failure = page_failure(page)
        if failure:
            reader.drop(url, failure)
            return ended(reader, urls)
        metadata = page["metadata"] if isinstance(page.get("metadata"), dict) else {}
        final = text(metadata.get("url"))[:2_000]
        reader.add(
            1,
            url,
            title=text(metadata.get("title")),
            text=page_text(page.get("markdown")),
            text_type="text/markdown",
            extra={"final_url": final if final != url else ""},
        )
        return ended(reader, urls)


def _failure(response: Response) -> str:
    """Return the code of a failure of the page itself, such as `scrape-timeout`; empty when it is none."""
    try:
        answer = json_object(response.body[:100_000])
    except FormatError:
        return ""
    code = answer.get("code")
    if answer.get("success") is False and isinstance(code, str) and code.startswith("SCRAPE_"):
        return code_of(code)
    return "scrape-timeout" if response.status == 408 else ""
