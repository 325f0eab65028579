"""Where evidence comes from: each passage held against its page, each rendering against its evidence. Store axis.

What an erased or unreadable record may have said cannot be held against anybody: then it is *not checked*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog.digest import text_digest
from searchlog.errors import FormatError
from searchlog.evidence.passage import IMPORTED
from searchlog.evidence.render import RENDERER, RENDERERS, Parsed, parse_rendering
from searchlog.log.envelope import Envelope
from searchlog.records import BlobRef, Capture, Conversion, Evidence, Rendering, Run
from searchlog.spoofing.invisible import bare, sanitise
from searchlog.verify.finding import Report

__all__ = ["Origins"]


_PROVIDER_TEXT = "provider-text"


def _said(provider: str, result: Mapping[str, Any], what: str) -> set[tuple[str | None, str | None]]:
    """Return a date of a result with the words for who says it: and those of older sessions."""
    said, where = result.get(what), result.get(f"{what}_source")
    if not isinstance(said, str):
        return set()
    return {(said, f"{provider}:{where}" if where else provider), (said, "provider")}


@dataclass
class Origins:
    """What of a session evidence may come from, as far as it was read."""

    report: Report
    erased: frozenset[int]
    """Seqs of erased lines."""
    whole: bool = True
    """Whether every record so far could be read."""
    captures: set[tuple[str, str, str | None]] = field(default_factory=set)
    """Payload, URL and time of each capture."""
    imported: set[tuple[str, str, str | None]] = field(default_factory=set)
    """Those that another tool made."""
    texts: dict[str, list[Conversion]] = field(default_factory=dict)
    """The conversions that made each text."""
    titles: set[str] = field(default_factory=lambda: {""})
    """What providers call their results: the title of a page that has none."""
    dates: set[tuple[str | None, str | None]] = field(default_factory=lambda: {(None, None)})
    """When providers say that their results were published, and who says it where."""
    crawls: set[tuple[str | None, str | None]] = field(default_factory=lambda: {(None, None)})
    """When providers say that they read a page themselves, and who says it where."""
    given: set[tuple[str, str, str | None]] = field(default_factory=set)
    """Digest, URL and time of each text of a page that a provider gave."""
    evidence: dict[str, int] = field(default_factory=dict)
    """Seq of the last one of each id."""
    slices: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Which slice of which text each id names."""
    _names: dict[str, str] = field(default_factory=dict)
    """Digests of texts, each held once for all its passages."""
    again: Callable[[int], Evidence | None] = field(default=lambda seq: None)
    """Reads the evidence at a place of the log again: it is not held. None where it cannot be read."""

    def add_run(self, body: Run) -> None:
        """Take in what a provider says of its results."""
        if isinstance(body.results, BlobRef):
            self.whole = False
            return
        for result in body.results:
            title, text = result.get("title"), result.get("text")
            if isinstance(title, str):
                self.titles.add(title)
            self.dates |= _said(body.provider, result, "published")
            self.crawls |= _said(body.provider, result, "crawled")
            if isinstance(text, dict):
                self.given.add((str(text.get("blob")), str(result.get("url")), body.answered_at))

    def add_capture(self, body: Capture) -> None:
        """Take in a capture."""
        if body.payload is not None:
            self.captures.add((body.payload.blob, body.url, body.captured_at))
            if body.is_imported:
                self.imported.add((body.payload.blob, body.url, body.captured_at))

    def add_conversion(self, body: Conversion) -> None:
        """Take in a conversion."""
        if body.text is not None:
            self.texts.setdefault(body.text.blob, []).append(body)

    # --- evidence

    def check_evidence(self, envelope: Envelope, body: Evidence, text: str | None, where: str) -> None:
        """Check one piece of evidence. text: the stored text that it is a slice of, when that is there."""
        report = self.report
        report.count("passages")
        self.evidence[body.id] = envelope.seq if report.reading is None else report.reading
        before = len(report.findings)
        self._origin(envelope, body, where)
        self._slice(body, text, where)
        named = (self._names.setdefault(body.text, body.text), body.start, body.end)
        # a record that was altered is told as that, and does not count as a second passage
        if len(report.findings) == before and self.slices.setdefault(body.id, named) != named:
            report.add("evidence-id-repeated", where, found=body.id)

    def _origin(self, envelope: Envelope, body: Evidence, where: str) -> None:
        """Check that a page of this session has that text, and what is said of the page."""
        made = [item for item in self.texts.get(body.text, []) if item.payload == body.payload]
        if not made:
            if self.erased.isdisjoint(envelope.causes):
                payloads = sorted({item.payload for item in self.texts.get(body.text, [])})
                absent = body.payload if payloads else body.text
                self.report.add("evidence-unrooted", where, expected=", ".join(payloads) or None, found=absent)
            else:
                self.report.skip("passage whose conversion is erased")
            return
        wrong = self._page_differs(body, made)
        if wrong is None:
            return
        if self.erased or not self.whole:
            self.report.skip("passage whose page is not there in full")
            return
        what, expected, found = wrong
        self.report.add(
            "evidence-differs",
            f"{body.id} ({where})",
            f"{what} is not that of its page",
            expected=expected,
            found=found,
        )

    def _page_differs(self, body: Evidence, made: list[Conversion]) -> tuple[str, str | None, str | None] | None:
        """Return what evidence says of its page that no page of this payload bears out: name, expected, found."""
        pages = [item for item in made if item.url == body.url]
        if not pages:
            return "url", made[0].url, body.url
        if not any(self._is_title(body.title, page.title) for page in pages):
            return "title", pages[0].title, body.title
        if not any(self._is_date(body, page) for page in pages):
            return "published", pages[0].published, body.published
        if (body.crawled, body.crawled_source) not in self.crawls:
            return "crawled", None, body.crawled
        if body.source_kind == _PROVIDER_TEXT:
            if (body.payload, body.url, body.captured_at) not in self.given:
                return "text of a provider", None, body.payload
        elif (body.source_kind == IMPORTED) != ((body.payload, body.url, body.captured_at) in self.imported):
            return "kind of source", "page" if body.source_kind == IMPORTED else IMPORTED, body.source_kind
        elif (body.payload, body.url, body.captured_at) not in self.captures:
            times = sorted(
                at for payload, url, at in self.captures if (payload, url) == (body.payload, body.url) and at
            )
            return "captured_at", ", ".join(times) or None, body.captured_at
        if body.link.partition("#")[0] != body.url.partition("#")[0]:
            return "link", body.url, body.link
        return None

    def _is_title(self, said: str, own: str | None) -> bool:
        return said == own if own else said in self.titles

    def _is_date(self, body: Evidence, page: Conversion) -> bool:
        if page.published is not None:
            own = (page.published, page.published_source, page.published_sure)
            return (body.published, body.published_source, body.published_sure) == own
        return body.published_sure is None and (body.published, body.published_source) in self.dates

    def _slice(self, body: Evidence, text: str | None, where: str) -> None:
        """Check that the passage is the slice of the text that its record names, with its surroundings."""
        exact, start, end = body.exact, body.start, body.end
        if text is None or isinstance(exact, BlobRef):
            self.report.skip("passage without its stored text")
            return
        found = text[start:end] if 0 <= start <= end else ""
        around = text[max(0, start - len(body.prefix)) : start], text[end : end + len(body.suffix)]
        if found != exact or text_digest(found) != body.digest:
            self.report.add("passage-differs", f"{body.id} ({where})", expected=body.digest, found=text_digest(found))
        elif around != (body.prefix, body.suffix):
            message = "what stands before and after the passage is not what its record says"
            self.report.add("passage-differs", f"{body.id} ({where})", message)

    # --- renderings

    def check_rendering(self, envelope: Envelope, body: Rendering, text: str | None, where: str) -> None:
        """Check that a rendering names evidence of this session, and shows that and nothing else as evidence."""
        self.report.count("renderings")
        absent = [name for name in body.evidence if name not in self.evidence]
        for name in absent:
            if self.erased.isdisjoint(envelope.causes):
                self.report.add("rendering-unrooted", where, found=name)
            else:
                self.report.skip("rendering of evidence that is erased")
        if text is None:
            self.report.skip("rendering without its stored text")
        elif body.form not in RENDERERS:
            self.report.skip("rendering in another form")
        elif not absent:
            self._blocks(body, text, where)

    def _blocks(self, body: Rendering, text: str, where: str) -> None:
        try:
            blocks = parse_rendering(text, body.form)
        except FormatError as error:
            self.report.add("rendering-differs", where, str(error))
            return
        ids = [block.id for block in blocks]
        if ids != body.evidence:
            self.report.add("rendering-differs", where, expected=" ".join(body.evidence), found=" ".join(ids))
            return
        for block, is_cut in zip(blocks, _cut(blocks, text), strict=True):
            recorded = self.again(self.evidence[block.id])
            what = "record" if recorded is None else _block_differs(block, recorded, is_cut, body.form)
            if what is not None:
                self.report.add("rendering-differs", where, f"the {what} of {block.id} is not that of its record")


def _cut(blocks: Sequence[Parsed], text: str) -> Iterator[bool]:
    """Yield of each block of a rendering whether it is said to be cut: right below its fence, where no page writes.

    blocks: what `parse_rendering` gave, so each has its fence; they are walked in that order.
    """
    at = 0
    for block in blocks:
        opening = re.compile(rf"^<evidence {re.escape(block.id)} ([0-9a-f]+)>$", re.MULTILINE).search(text, at)
        if opening is None:
            raise AssertionError("a block that was parsed has its fence")
        closing = f"\n</evidence {block.id} {opening[1]}>"
        at = text.index(closing, opening.end()) + len(closing)
        yield text.startswith(f"\n[{block.id} is cut: ", at)


def _block_differs(block: Parsed, body: Evidence, may_be_cut: bool, form: str) -> str | None:
    """Return what a block of a rendering shows otherwise than its evidence record says."""
    for name, line, recorded in (("url", block.url, body.url), ("title", block.title, body.title)):
        shown, expected = _compared(line, recorded, form)
        if shown != " ".join(expected.split()):
            return name
    if isinstance(body.exact, BlobRef):
        return None  # its blob is missing or damaged, which is told where it is named
    shown, whole = _compared(block.text, body.exact, form)
    same = whole.startswith(shown) if may_be_cut else whole == shown
    return None if same else "text"


def _compared(shown: str, recorded: str, form: str) -> tuple[str, str]:
    """Return what is compared: all that is shown; in a rendering of an earlier form, what all forms show alike."""
    return (shown, sanitise(recorded)[0]) if form in (RENDERER, "render/3") else (bare(shown), bare(recorded))
