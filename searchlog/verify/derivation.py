"""The derivation axis: does the stored page really hold the passage? Pages are converted again from stored bytes.

Runs the converter it is given (the worker pool: stored pages are as hostile as live ones). Two things are told apart:
the stored text comes out again, byte for byte; and each passage is found in the visible text of the page, whitespace
aside, in a reading that the converter checked against the page's own text nodes.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from searchlog.capture.exchange import header
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, StoreError, UsageError
from searchlog.extract.conversion import OF_THE_MOMENT, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.converter import Converter
from searchlog.ledger import Gap, Ledger
from searchlog.records import Capture, Evidence, Run
from searchlog.records import Conversion as ConversionRecord
from searchlog.stored import stored_conversion, stored_exchange
from searchlog.verify.finding import Report

__all__ = ["verify_passages"]


@dataclass(slots=True)
class _Page:
    """One stored page that gave evidence."""

    capture: Capture | None
    """None of a provider's text: its bytes are the payload of the conversion."""
    conversion: ConversionRecord
    evidence: list[Evidence]


def verify_passages(
    ledger: Ledger, converter: Converter, progress: Callable[[int, int], None] = lambda done, total: None
) -> Report:
    """Return the report on all evidence of one session.

    A text made by another version of the converter, or cut for want of time or memory, is counted as `not checked`, not
    as a finding; its passages are looked for all the same. Each piece of evidence is one of the `passages` that were
    checked, or is not checked for a reason that begins with `passage`. Raises StoreError.
    """
    head = ledger.checkpoint()
    report = Report(ledger.session, "derivation", head.size, base64.b64encode(head.root).decode("ascii"))
    pages = _pages(ledger, report)
    for number, page in enumerate(pages, 1):
        _check(report, ledger, converter, page)
        progress(number, len(pages))
    return report


def _pages(ledger: Ledger, report: Report) -> list[_Page]:
    """Return the pages that evidence comes from, by payload and text: two payloads may give one text."""
    captures: dict[str, Capture] = {}
    given: set[str] = set()
    conversions: dict[tuple[str, str], tuple[Capture | None, ConversionRecord]] = {}
    pages: dict[tuple[str, str], _Page] = {}
    for entry in ledger.entries():
        if isinstance(entry, Gap):
            report.skip("record that is erased or cannot be read")  # the store axis says which
            continue
        match entry.body:
            case Capture() as body if body.payload is not None and body.final:
                captures[body.payload.blob] = body
            case Run() as body:
                given.update(ref.blob for ref in body.texts or ())
            case ConversionRecord() as body if body.text is not None and body.payload in {*captures, *given}:
                conversions[body.payload, body.text.blob] = (captures.get(body.payload), body)
            case Evidence() as body if (key := (body.payload, body.text)) in conversions:
                pages.setdefault(key, _Page(*conversions[key], [])).evidence.append(body)
            case Evidence():
                report.skip("passage whose page is not there")
            case _:
                pass
    return list(pages.values())


def _check(report: Report, ledger: Ledger, converter: Converter, page: _Page) -> None:
    where = page.conversion.url
    try:
        data, content_type = _bytes_of(page, ledger)
        stored = stored_conversion(page.conversion, ledger.blobs)
        options = _options(stored.options)
    except (StoreError, IntegrityError, FormatError):
        _skip(report, page, "passage of a page without its stored bytes")  # the store axis says which
        return
    again = converter.convert(data, content_type, page.conversion.url, options)
    if isinstance(again, ConversionFailure):
        _skip(report, page, f"passage of a page not converted again: {again.reason}")
        return
    report.count("pages")
    if again.converter != stored.converter or again.options != stored.options:
        report.skip("text made by another version of the converter")
    elif not OF_THE_MOMENT.isdisjoint((*stored.warnings, *again.warnings)):
        report.skip("text that time or memory had a part in")
    elif again.text != stored.text:
        report.add("text-differs", where, expected=f"{len(stored.text)} characters", found=len(again.text))
    if again.verbatim is None:
        _skip(report, page, "passage of a page whose text has no second reading")
        return
    visible = _squeezed(again.text) if again.verbatim else ""
    for item in page.evidence:
        try:
            exact = ledger.load(item.exact)
        except (StoreError, IntegrityError, FormatError):
            exact = None
        if not isinstance(exact, str):
            report.skip("passage without its stored words")
            continue
        report.count("passages")
        if _squeezed(exact) not in visible:
            report.add("passage-not-visible", f"{item.id} {where}")


def _bytes_of(page: _Page, ledger: Ledger) -> tuple[bytes, str | None]:
    """Return the bytes that a text was made from, and what they were said to be. Raises as the stores do."""
    if page.capture is None:
        data = ledger.blobs.get(Digest(page.conversion.payload))
        return data, f"{page.conversion.media_type or 'text/plain'}; charset=utf-8"
    exchange = stored_exchange(page.capture, ledger.blobs, ledger.load)
    return exchange.decoded.data, header(exchange.headers, "content-type")


def _options(stored: Any) -> ConvertOptions:
    """Return the options of a stored conversion, those that this version knows. Raises FormatError."""
    if not isinstance(stored, dict):
        raise FormatError("the options of a conversion are no object")
    own = ConvertOptions()
    known = {f.name: stored[f.name] for f in fields(ConvertOptions) if f.name in stored}
    try:
        if all(type(value) is type(getattr(own, name)) for name, value in known.items()):
            return ConvertOptions(**known)
    except (UsageError, ValueError) as error:
        raise FormatError(f"options of a conversion: {error}") from None
    raise FormatError("an option of a conversion is of another type than it has")


def _skip(report: Report, page: _Page, why: str) -> None:
    """Note that no passage of this page could be looked at, each one for itself."""
    for _ in page.evidence:
        report.skip(why)


def _squeezed(text: str) -> str:
    """Return the text without whitespace: the one declared folding."""
    return "".join(text.split())
