"""What an answer is held against: the evidence of its session, and the pages that were opened or only found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from searchlog import records
from searchlog.answer.aliases import aliases
from searchlog.answer.check import AnswerReport, Given, Known, check_answer
from searchlog.answer.text import Answer, parse_answer
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.ledger import Record
from searchlog.recheck.subjects import Subject, span_of
from searchlog.records import BlobRef

__all__ = ["CheckedAnswer", "answers_in", "check_answer_of", "known_of"]

_PAGES_BYTES_MAX = 64_000_000
"""Texts of opened pages that are held at once, to look for quotations beyond the passages."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer, and what was found of it."""

    session: str
    answer: Answer
    report: AnswerReport
    seq: int | None = None
    """Of the record that keeps it; None for one that was handed in."""

    def to_json(self) -> dict[str, object]:
        """Return it as shown."""
        return {
            "session": self.session,
            "seq": self.seq,
            "form": self.answer.form,
            "text": self.answer.text,
            **self.report.to_json(),
        }


def check_answer_of(
    subject: Subject, data: bytes, seq: int | None = None, cited: Sequence[Mapping[str, Any]] = ()
) -> CheckedAnswer:
    """Return what is found of an answer. Raises FormatError when it is in no form that is known.

    cited: what its record says that it cites.
    """
    answer = _with_passages(parse_answer(data), cited)
    return CheckedAnswer(subject.session, answer, check_answer(answer, known_of(subject)), seq)


def _with_passages(answer: Answer, cited: Sequence[Mapping[str, Any]]) -> Answer:
    """Return an answer whose citations by number know their passages: what the numbers meant was found as it came.

    Those of one place and page that cannot be told apart stay as they are.
    """
    places = Counter((one.start, one.end, one.url) for one in answer.native)
    found: dict[tuple[Any, ...], list[str]] = {}
    for one in cited:
        if one.get("state") in ("exact", "moved") and isinstance(name := one.get("evidence"), str):
            found.setdefault((one.get("start"), one.get("end"), one.get("target")), []).append(name)
    each = {
        place: iter([tuple(names)] if places[place] == 1 else [(name,) for name in names])
        for place, names in found.items()
        if places[place] in (1, len(names))
    }
    native = (
        replace(one, passages=next(each.get((one.start, one.end, one.url), iter(())), ())) for one in answer.native
    )
    return replace(answer, native=tuple(native))


def answers_in(subject: Subject) -> Iterator[tuple[int, bytes | None, Sequence[Mapping[str, Any]]]]:
    """Yield the answers that are kept in a session: seq of the record, bytes (None when not here), what they cite.

    What a model says as it calls a tool is no answer.
    """
    for entry in subject.ledger.entries():
        if isinstance(entry, Record) and isinstance(body := entry.body, records.Message) and _is_answer(body):
            try:
                cited = subject.ledger.load(body.citations)
            except (StoreError, IntegrityError, FormatError):
                cited = None
            try:
                yield entry.seq, subject.ledger.blobs.get(Digest(body.content.blob)), cited or ()
            except (StoreError, IntegrityError):
                yield entry.seq, None, ()


def _is_answer(body: records.Message) -> bool:
    """Return whether a model said it in the end, and not on its way to call a tool."""
    return body.role == "assistant" and not body.calls


@dataclass(slots=True)
class _Seen:
    """What a session shows that was found, opened and given."""

    evidence: dict[str, Given] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    """Digest of a text, by address."""
    asked: list[str] = field(default_factory=list)


def known_of(subject: Subject) -> Known:
    """Return what a session has to hold an answer against. What cannot be read is not there."""
    seen, ledger = _Seen(), subject.ledger
    for entry in ledger.entries():
        if isinstance(entry, Record):
            _take(seen, entry.body, subject)
    pages: dict[str, str] = {}
    size = 0
    for url, text in seen.texts.items():
        whole = _text(subject, text)
        size += len(whole or "")
        if whole is not None and size <= _PAGES_BYTES_MAX:
            pages[url] = whole
    return Known(
        evidence=seen.evidence,
        opened=frozenset(seen.opened),
        found=frozenset(seen.found),
        pages=pages,
        asked="\n".join(seen.asked),
        aliases=aliases(seen.evidence),
    )


def _take(seen: _Seen, body: records.Body, subject: Subject) -> None:
    match body:
        case records.Query():
            seen.asked += [*body.phrasings, *([body.focus] if body.focus else [])]
        case records.Run():
            seen.found.update(_addresses(subject, body))
        case records.Capture(final=True, purpose="page", status=int(status)) if 200 <= status < 300:
            seen.opened.update((body.url, body.asked))
        case records.Conversion(text=BlobRef(blob=text)):
            seen.texts[body.url] = text
        case records.Evidence() if body.id not in seen.evidence:
            given = _given(subject, body)
            if given is not None:
                seen.evidence[body.id] = given
                seen.opened.add(body.url)
        case _:
            pass


def _addresses(subject: Subject, body: records.Run) -> list[str]:
    try:
        results = subject.ledger.load(body.results)
    except (StoreError, IntegrityError, FormatError):
        return []
    rows = results if isinstance(results, list) else []
    return [row["url"] for row in rows if isinstance(row, Mapping) and isinstance(row.get("url"), str)]


def _given(subject: Subject, body: records.Evidence) -> Given | None:
    try:
        exact = subject.ledger.load(body.exact)
    except (StoreError, IntegrityError, FormatError):
        return None
    if not isinstance(exact, str):
        return None
    spans = [span for span in (span_of(body.table_head), span_of(body.lead_in)) if span is not None]
    whole = _text(subject, body.text) if spans else None
    return Given(
        id=body.id,
        url=body.url,
        title=body.title,
        text=exact,
        digest=body.digest,
        heading_path=tuple(body.heading_path),
        published=body.published,
        captured_at=body.captured_at,
        around=tuple(whole[slice(*span)] for span in spans) if whole else (),
    )


def _text(subject: Subject, name: str) -> str | None:
    try:
        return subject.ledger.blobs.get(Digest(name)).decode("utf-8")
    except (StoreError, IntegrityError, FormatError, UnicodeDecodeError):
        return None
