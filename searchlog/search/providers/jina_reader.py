"""Jina's reader: the text of a page one names, with a key or, more slowly, without one.

Traps: failures of a page come as errors of the service, and only their `name` tells them apart; a page that answers
with an error has a text, that of its error page, and a `warning`. One page a request, named in the body: in the path
a fragment would be lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.asked import code_of
from searchlog.search.answers.reading import Reader, error_text
from searchlog.search.answers.values import json_object, page_text, published, text
from searchlog.search.extractor import ended
from searchlog.search.provider import Response
from searchlog.search.providers.jina import Jina, error_name, page_failure, refused_run
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["JinaReader"]

PARSER = "jina-reader/1"

_OF_THE_PAGE = frozenset(
    (
        "AssertionFailureError",
        "ParamValidationError",
        "SecurityCompromiseError",
        "OperationNotAllowedError",
        "TargetFileTooLargeError",
        "ServiceBadAttemptError",
        "ServiceBadApproachError",
        "DataStreamBrokenError",
        "DownstreamServiceFailureError",
        "HarmfulContentError",
    )
)
"""Errors by which the reader says that it has no text of this page, while it reads others."""


class JinaReader(Service):
    """Texts of pages by Jina with this key, or keyless without one."""

    FACTS = replace(
        Jina.FACTS,
        title="Jina reader",
        endpoint="https://r.jina.ai/",
        applies=(),
        returns=("published", "text"),
        key="optional",
        count_max=1,
        limits="20 requests a minute without a key, 500 with one; paid by tokens",
        by_name=True,
    )

    def request(self, urls: Sequence[str]) -> Request:
        headers = (("Authorization", f"Bearer {self._key}"),) if self._key else ()
        return self._post({"url": urls[0]}, *headers)

    def parse(self, response: Response, urls: Sequence[str]) -> Run:
        reader = Reader(self.facts, PARSER)
        url = urls[0] if urls else ""
        name = error_name(response)
        if name in _OF_THE_PAGE:
            reader.drop(url, code_of(name.removesuffix("Error")))
            reader.note(error_text(response.body))
            return ended(reader, urls)
        refused = refused_run(response, reader)
        if refused is not None:
            return refused
        try:
            page = json_object(response.body).get("data")
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        if not isinstance(page, dict):
            said = error_text(response.body)
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no page `data`" + (f" ({said})" if said else ""))
        reader.note(text(page.get("warning"))[:300])
        failure = page_failure(page)
        if failure:
            reader.drop(url, failure)
            return ended(reader, urls)
        final = text(page.get("url"))[:2_000]
        reader.add(
            1,
            url,
            title=text(page.get("title")),
            text=page_text(page.get("content")),
            text_type="text/markdown",
            **published(page, "publishedTime"),
            extra={"final_url": final if final != url else ""},
        )
        return ended(reader, urls)
