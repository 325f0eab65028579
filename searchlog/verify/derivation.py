"""The derivation axis: does the stored page really hold the passage? Pages are converted again from stored bytes.

Runs the converter it is given (the worker pool: stored pages are as hostile as live ones). Two things are told apart:
the stored text comes out again, byte for byte; and each passage is found in the visible text of the page, whitespace
aside, in a reading that the converter checked against the page's own text nodes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

from searchlog.capture.exchange import header
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.ledger import Ledger
from searchlog.records import Capture, Evidence
from searchlog.records import Conversion as ConversionRecord
from searchlog.stored import stored_conversion, stored_exchange
from searchlog.verify.finding import Report

__all__ = ["verify_passages"]


class Converter(Protocol):
    """Whatever makes text of a payload."""

    def convert(
        self, data: bytes, content_type: str | None, url: str, options: ConvertOptions, deadline_s: float | None = None
    ) -> Conversion | ConversionFailure:
        """Return the conversion, or why there is none."""


@dataclass(slots=True)
class _Page:
    """One stored page that gave evidence."""

    capture: Capture
    conversion: ConversionRecord
    evidence: list[Evidence]


def verify_passages(
    ledger: Ledger, converter: Converter, progress: Callable[[int, int], None] = lambda done, total: None
) -> Report:
    """Return the report on all evidence of one session.

    A text made by another version of the converter is counted as `not checked`, not as a finding; its passages are
    looked for all the same. Raises StoreError.
    """
    head = ledger.checkpoint()
    report = Report(ledger.session, "derivation", head.size, base64.b64encode(head.root).decode("ascii"))
    pages = _pages(ledger)
    for number, page in enumerate(pages, 1):
        _check(report, ledger, converter, page)
        progress(number, len(pages))
    return report


def _pages(ledger: Ledger) -> Sequence[_Page]:
    """Return the pages that evidence comes from, by the text it is a slice of."""
    captures: dict[str, Capture] = {}
    conversions: dict[str, tuple[Capture, ConversionRecord]] = {}
    pages: dict[str, _Page] = {}
    for record in ledger.records():
        match record.body:
            case Capture() as body if body.payload is not None and body.final:
                captures[body.payload.blob] = body
            case ConversionRecord() as body if body.text is not None and body.payload in captures:
                conversions[body.text.blob] = (captures[body.payload], body)
            case Evidence() as body if body.text in conversions:
                pages.setdefault(body.text, _Page(*conversions[body.text], [])).evidence.append(body)
            case _:
                pass
    return list(pages.values())


def _check(report: Report, ledger: Ledger, converter: Converter, page: _Page) -> None:
    where = page.conversion.url
    try:
        exchange = stored_exchange(page.capture, ledger.blobs, ledger.load)
        stored = stored_conversion(page.conversion, ledger.blobs)
    except (StoreError, IntegrityError, FormatError):
        report.skip("page without its stored bytes")  # the store axis says which
        return
    known = {f.name for f in fields(ConvertOptions)}
    options = ConvertOptions(**{name: value for name, value in stored.options.items() if name in known})
    again = converter.convert(
        exchange.decoded.data, header(exchange.headers, "content-type"), page.conversion.url, options
    )
    if isinstance(again, ConversionFailure):
        report.skip(f"page not converted again: {again.reason}")
        return
    report.count("pages")
    if again.converter != stored.converter or again.options != stored.options:
        report.skip("text made by another version of the converter")
    elif again.text != stored.text:
        report.add("text-differs", where, expected=f"{len(stored.text)} characters", found=len(again.text))
    if again.verbatim is None:
        report.skip("page whose text has no second reading")
        return
    visible = _squeezed(again.text) if again.verbatim else ""
    for item in page.evidence:
        report.count("passages")
        if _squeezed(ledger.load(item.exact)) not in visible:
            report.add("passage-not-visible", f"{item.id} {where}")


def _squeezed(text: str) -> str:
    """Return the text without whitespace: the one declared folding."""
    return "".join(text.split())
