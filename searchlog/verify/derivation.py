"""The derivation axis: does the stored page really hold the passage? Pages are converted again from stored bytes.

Runs the converter it is given (the worker pool: stored pages are as hostile as live ones). Three things are told apart:
the stored text comes out again, byte for byte; each passage stands in the stored text where its record says; and each
is found in the visible text of the page, whitespace aside, in a reading that the converter checked against the page's
own text nodes. Where today's converter makes another text, both are there to be kept, and the passage is looked for in
the new one. Passages are read when their page's turn comes and are not held.
"""

from __future__ import annotations

import base64
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from typing import Any

from searchlog.capture.exchange import header
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, StoreError, UsageError
from searchlog.extract.conversion import Conversion, ConversionFailure
from searchlog.extract.convert import ConvertOptions
from searchlog.extract.converter import Converter
from searchlog.extract.pool import ExtractPool
from searchlog.ledger import Gap, Ledger
from searchlog.records import Capture, Evidence, Run
from searchlog.records import Conversion as ConversionRecord
from searchlog.stored import stored_conversion, stored_exchange
from searchlog.verify.finding import Report
from searchlog.verify.lines import entries_of
from searchlog.verify.texts import Found, Texts
from searchlog.verify.verdict import PassageVerdict

__all__ = ["NewText", "verify_passages"]

NewText = Callable[[ConversionRecord, Conversion], None]
"""Takes the text that today's converter makes of a page, where it is another one: the record of the stored text, which
names the page and its bytes, and the new conversion."""
Told = Callable[[PassageVerdict], None]
_AT_ONCE = 2
"""Pages that worker processes convert at the same time."""


@dataclass(slots=True)
class _Page:
    """One stored page that gave evidence, by the places of its records in the log."""

    capture: int | None
    """None of a provider's text: its bytes are the payload of the conversion."""
    conversion: int
    evidence: array[int] = field(default_factory=lambda: array("q"))


@dataclass(frozen=True, slots=True)
class _Job:
    """What it takes to convert a page again, and what came of it then."""

    record: ConversionRecord
    stored: Conversion
    data: bytes
    content_type: str | None
    options: ConvertOptions


def verify_passages(
    ledger: Ledger,
    converter: Converter,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    told: Told = lambda verdict: None,
    new_text: NewText = lambda record, conversion: None,
    checked_at: str = "",
    at_once: int | None = None,
) -> Report:
    """Return the report on all evidence of one session.

    A text made by another version of the converter, or cut for want of time or memory, is counted as `not checked`, not
    as a finding; its passages are looked for in the new text all the same. Each piece of evidence is one of the
    `passages` that were checked, or is not checked for a reason that begins with `passage`; and each has a verdict.

    told: called with the verdict on each piece, page by page. new_text: called before them, once a page, where the text
    is another one now: the caller keeps it. at_once: pages that are converted at the same time; None: two by worker
    processes, else one. Raises StoreError.
    """
    head = ledger.checkpoint()
    report = Report(ledger.session, "derivation", head.size, base64.b64encode(head.root).decode("ascii"))
    check = _Check(report, ledger, told, new_text, checked_at)
    pages = check.pages(head.size)
    if at_once is None:
        at_once = _AT_ONCE if isinstance(converter, ExtractPool) else 1
    for number, (page, job, again) in enumerate(check.converted(pages, converter, at_once), 1):
        check.page(page, job, again)
        progress(number, len(pages))
    return report


@dataclass
class _Check:
    """One run over a session."""

    report: Report
    ledger: Ledger
    told: Told
    new_text: NewText
    checked_at: str

    def pages(self, size: int) -> list[_Page]:
        """Return the pages that evidence comes from, by payload and text: two payloads may give one text."""
        captures: dict[str, int] = {}
        given: set[str] = set()
        conversions: dict[tuple[str, str], tuple[int | None, int]] = {}
        pages: dict[tuple[str, str], _Page] = {}
        for entry in entries_of(self.ledger, size):
            if isinstance(entry, Gap):
                self.report.skip("record that is erased or cannot be read")  # the store axis says which
                continue
            match entry.body:
                case Capture() as body if body.payload is not None and body.final:
                    captures[body.payload.blob] = entry.seq
                case Run() as body:
                    given.update(ref.blob for ref in body.texts or ())
                case ConversionRecord() as body if body.text is not None and (
                    body.payload in captures or body.payload in given
                ):
                    conversions[body.payload, body.text.blob] = (captures.get(body.payload), entry.seq)
                case Evidence() as body if (key := (body.payload, body.text)) in conversions:
                    pages.setdefault(key, _Page(*conversions[key])).evidence.append(entry.seq)
                case Evidence() as body:
                    self._skip(body, "passage whose page is not there")
                case _:
                    pass
        return list(pages.values())

    # --- pages, several at once, in their order

    def converted(
        self, pages: list[_Page], converter: Converter, at_once: int
    ) -> Iterator[tuple[_Page, _Job | None, Conversion | ConversionFailure | None]]:
        """Yield each page with what it takes to convert it and what came of it; None where its bytes are not here."""
        if at_once <= 1:
            for page in pages:
                job = self._job(page)
                yield page, job, None if job is None else _convert(converter, job)
            return
        waiting: deque[tuple[_Page, _Job | None, Future[Conversion | ConversionFailure] | None]] = deque()
        with ThreadPoolExecutor(at_once) as threads:
            for page in pages:
                job = self._job(page)
                waiting.append((page, job, None if job is None else threads.submit(_convert, converter, job)))
                if len(waiting) > at_once:
                    yield _done(*waiting.popleft())
            while waiting:
                yield _done(*waiting.popleft())

    def _job(self, page: _Page) -> _Job | None:
        """Return what it takes to convert a page again; None where something of it is not here."""
        try:
            record = self._record(page.conversion)
            capture = None if page.capture is None else self._record(page.capture)
            if not isinstance(record, ConversionRecord) or not isinstance(capture, Capture | None):
                raise FormatError("the log has changed while it was read")
            data, content_type = _bytes_of(capture, record, self.ledger)
            stored = stored_conversion(record, self.ledger.blobs)
            return _Job(record, stored, data, content_type, _options(stored.options))
        except (StoreError, IntegrityError, FormatError):
            return None  # the store axis says which

    def _record(self, seq: int) -> Any:
        return next((record.body for record in self.ledger.records(seq, seq + 1)), None)

    # --- passages

    def page(self, page: _Page, job: _Job | None, again: Conversion | ConversionFailure | None) -> None:
        """Look at one page and at its passages."""
        why, texts = None, None
        if job is None or again is None:
            why = "passage of a page without its stored bytes"
        elif isinstance(again, ConversionFailure):
            why = f"passage of a page not converted again: {again.reason}"
        else:
            texts = Texts(job.stored, again)
            self._text(job.record, texts)
            if texts.visible is None:
                why = "passage of a page whose text has no second reading"
        for seq in page.evidence:
            body = self._record(seq)
            if not isinstance(body, Evidence):
                self.report.skip("passage whose record has changed while it was read")
            elif why is not None:
                self._skip(body, why, texts)
            else:
                assert texts is not None
                self._passage(body, texts)

    def _text(self, record: ConversionRecord, texts: Texts) -> None:
        self.report.count("pages")
        if texts.why_other is not None:
            self.report.skip(texts.why_other)
        elif texts.differs:
            expected, found = f"{len(texts.stored.text)} characters", len(texts.again.text)
            self.report.add("text-differs", record.url, expected=expected, found=found)
        if texts.differs:
            self.new_text(record, texts.again)

    def _passage(self, body: Evidence, texts: Texts) -> None:
        try:
            exact = self.ledger.load(body.exact)
        except (StoreError, IntegrityError, FormatError):
            exact = None
        if not isinstance(exact, str):
            self._skip(body, "passage without its stored words")
            return
        self.report.count("passages")
        found = texts.find(body, exact)
        if found.state in ("not-in-page", "not-in-new-text"):
            self.report.add("passage-not-visible", f"{body.id} {body.url}", found.detail)
        self._tell(body, found)

    def _skip(self, body: Evidence, why: str, texts: Texts | None = None) -> None:
        """Note that a passage could not be looked at; of a text without a second reading, whether it came out again."""
        self.report.skip(why)
        exact = body.exact if texts is not None and not texts.differs else None
        if texts is not None and isinstance(exact, str) and texts.stored.text[body.start : body.end] == exact != "":
            self._tell(body, Found("at-offsets", start=body.start, end=body.end, notes=("no-second-reading",)))
        else:
            self._tell(body, Found("not-checked", why))

    def _tell(self, body: Evidence, found: Found) -> None:
        states = self.report.states
        states[found.state] = states.get(found.state, 0) + 1
        self.told(
            PassageVerdict(
                session=self.ledger.session,
                evidence=body.id,
                digest=body.digest,
                axis="derivation",
                state=found.state,
                url=body.url,
                checked_at=self.checked_at,
                detail=found.detail,
                start=found.start,
                end=found.end,
                changes=found.changes,
                similarity=found.similarity,
                notes=found.notes,
            )
        )


def _convert(converter: Converter, job: _Job) -> Conversion | ConversionFailure:
    return converter.convert(job.data, job.content_type, job.record.url, job.options)


def _done(
    page: _Page, job: _Job | None, future: Future[Conversion | ConversionFailure] | None
) -> tuple[_Page, _Job | None, Conversion | ConversionFailure | None]:
    return page, job, None if future is None else future.result()


def _bytes_of(capture: Capture | None, record: ConversionRecord, ledger: Ledger) -> tuple[bytes, str | None]:
    """Return the bytes that a text was made from, and what they were said to be. Raises as the stores do."""
    if capture is None:
        data = ledger.blobs.get(Digest(record.payload))
        return data, f"{record.media_type or 'text/plain'}; charset=utf-8"
    exchange = stored_exchange(capture, ledger.blobs, ledger.load)
    return exchange.decoded.data, header(exchange.headers, "content-type")


def _options(stored: Any) -> ConvertOptions:
    """Return the options of a stored conversion, those that this version knows. Raises FormatError."""
    if not isinstance(stored, Mapping):
        raise FormatError("the options of a conversion are no object")
    own = ConvertOptions()
    known = {f.name: stored[f.name] for f in fields(ConvertOptions) if f.name in stored}
    try:
        if all(type(value) is type(getattr(own, name)) for name, value in known.items()):
            return ConvertOptions(**known)
    except (UsageError, ValueError) as error:
        raise FormatError(f"options of a conversion: {error}") from None
    raise FormatError("an option of a conversion is of another type than it has")
