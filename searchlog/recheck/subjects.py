"""What is to be verified: sessions, and of them the passages that were handed to models.

A passage is kept as a few words and its places in the log, and read when its turn comes, so that an archive of any
size can be gone through.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog import records
from searchlog.drift.page import Page
from searchlog.drift.then import Then
from searchlog.errors import FormatError, IntegrityError, StoreError, UsageError
from searchlog.evidence.passage import Selectors
from searchlog.ledger import Ledger, Record
from searchlog.stored import stored_conversion
from searchlog.verify.absence import NOTHING_ABSENT, Absence

__all__ = ["Choice", "Passage", "Subject", "by_page", "passages_of", "sampled", "span_of", "then_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One session, and what of it need not be here."""

    ledger: Ledger
    absent: Absence = NOTHING_ABSENT

    @property
    def session(self) -> str:
        return self.ledger.session


@dataclass(frozen=True, slots=True)
class Choice:
    """Which passages of the sessions are looked at; all where nothing is chosen."""

    turns: frozenset[int] = frozenset()
    evidence: frozenset[str] = frozenset()
    since: str | None = None
    """Only pages fetched at this time or later, RFC 3339 UTC."""
    sample: int | None = None
    """So many passages at most, drawn by `seed`."""
    seed: str = ""
    """The same seed draws the same passages of the same sessions."""

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 1:
            raise UsageError(f"a sample of {self.sample} passages; expected 1 or more")


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of evidence, by its places in the log."""

    subject: Subject
    id: str
    seq: int
    """Of its record."""
    turn: int | None
    digest: str
    url: str
    captured_at: str
    capture: int | None = field(default=None, compare=False)
    """Seq of the capture of its page; None when that record is not here."""
    conversion: int | None = field(default=None, compare=False)
    """Seq of the conversion that it is a slice of."""

    @property
    def session(self) -> str:
        return self.subject.session

    def record(self) -> records.Evidence:
        """Return its record. Raises StoreError, FormatError, IntegrityError."""
        body = self._body(self.seq)
        if not isinstance(body, records.Evidence):
            raise FormatError(f"record {self.seq} of session {self.session} is no evidence")
        return body

    def exact(self) -> str:
        """Return its words. Raises as `record` does."""
        ledger = self.subject.ledger
        exact = ledger.load(self.record().exact)
        if not isinstance(exact, str):
            raise FormatError(f"the words of {self.id} are no text")
        return exact

    def page_record(self) -> records.Conversion | None:
        """Return the record of the text that it is a slice of; None when it is not here."""
        body = self._body(self.conversion) if self.conversion is not None else None
        return body if isinstance(body, records.Conversion) else None

    def capture_record(self) -> records.Capture | None:
        """Return the record of its page's capture; None when it is not here."""
        body = self._body(self.capture) if self.capture is not None else None
        return body if isinstance(body, records.Capture) else None

    def _body(self, seq: int) -> records.Body | None:
        found = next(self.subject.ledger.entries(seq, seq + 1), None)
        return found.body if isinstance(found, Record) else None


def passages_of(subject: Subject, choice: Choice) -> Iterator[Passage]:
    """Yield the evidence of a session, each id once, as first recorded within the turns that were chosen.

    Records that cannot be read are passed over: the store axis tells of them.
    """
    seen: set[str] = set()
    captures: dict[str, int] = {}
    conversions: dict[tuple[str, str], int] = {}
    for entry in subject.ledger.entries():
        if not isinstance(entry, Record):
            continue
        match entry.body:
            case records.Capture(final=True, payload=records.BlobRef(blob=payload)):
                captures[payload] = entry.seq
            case records.Conversion(text=records.BlobRef(blob=text), payload=payload):
                conversions[payload, text] = entry.seq
            case records.Evidence() as body:
                if body.id in seen or not _is_chosen(body, entry.envelope.turn, choice):
                    continue
                seen.add(body.id)
                yield Passage(
                    subject,
                    body.id,
                    entry.seq,
                    entry.envelope.turn,
                    body.digest,
                    body.url,
                    body.captured_at,
                    captures.get(body.payload),
                    conversions.get((body.payload, body.text)),
                )
            case _:
                pass


def _is_chosen(body: records.Evidence, turn: int | None, choice: Choice) -> bool:
    return (
        (not choice.turns or turn in choice.turns)
        and (not choice.evidence or body.id in choice.evidence)
        and (choice.since is None or body.captured_at >= choice.since)
    )


def sampled(passages: Iterable[Passage], choice: Choice) -> list[Passage]:
    """Return the passages, of a sample those that its seed draws; in the order they came in.

    Of a sample no more are held than it has, however many there are to draw from.
    """
    if choice.sample is None:
        return list(passages)

    def lot(numbered: tuple[int, Passage]) -> bytes:
        passage = numbered[1]
        return hashlib.sha256(f"{choice.seed}\n{passage.session}\n{passage.id}".encode()).digest()

    drawn = heapq.nsmallest(choice.sample, enumerate(passages), key=lot)
    return [passage for _, passage in sorted(drawn, key=lambda numbered: numbered[0])]


def by_page(passages: Iterable[Passage]) -> dict[str, list[Passage]]:
    """Return the passages by the address of their page, hosts in turn, so that no host keeps the others waiting."""
    from urllib.parse import urlsplit

    pages: dict[str, list[Passage]] = {}
    for passage in passages:
        pages.setdefault(passage.url, []).append(passage)
    hosts: dict[str, list[str]] = {}
    for url in pages:
        try:
            host = urlsplit(url).netloc.lower()
        except ValueError:
            host = ""
        hosts.setdefault(host, []).append(url)
    queues: Sequence[list[str]] = list(hosts.values())
    longest = max(map(len, queues), default=0)
    order = [queue[place] for place in range(longest) for queue in queues if place < len(queue)]
    return {url: pages[url] for url in order}


def then_of(passage: Passage, pages: dict[str, Page | None]) -> Then:
    """Return a passage as it was recorded, with its page's text where that is here.

    pages: texts that were prepared already, by digest. Raises StoreError, FormatError, IntegrityError when the
    passage's own record cannot be read.
    """
    body = passage.record()
    exact = passage.exact()
    if body.text not in pages:
        pages[body.text] = _page_then(passage)
    return Then(
        Selectors(exact, body.prefix, body.suffix, body.start, body.end),
        tuple(body.heading_path),
        span_of(body.table_head),
        span_of(body.lead_in),
        pages[body.text],
    )


def _page_then(passage: Passage) -> Page | None:
    try:
        record = passage.page_record()
        return Page.of(stored_conversion(record, passage.subject.ledger.blobs)) if record is not None else None
    except (StoreError, IntegrityError, FormatError):
        return None


def span_of(value: Any) -> tuple[int, int] | None:
    """Return a range as a record has it; None for what is none."""
    match value:
        case [int(start), int(end)]:
            return start, end
        case _:
            return None


Subjects = Mapping[str, Subject]
