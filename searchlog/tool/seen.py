"""What a session has given so far, read from its log and kept up to date by reading on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from searchlog import canon
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, StoreError
from searchlog.evidence.render import RENDERERS, parse_rendering, safe_line
from searchlog.ledger import Ledger, Record
from searchlog.records import BlobRef, Capture, Conversion, Evidence, Query, Rendering, Run, Turn
from searchlog.search.fuse import comparison_key
from searchlog.wording.folding import folded

__all__ = ["Answered", "Seen", "StoredText", "evidence_id", "question_key"]

_CUT = "text-cut"
"""The warning of a conversion that holds the beginning of a page only."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A search of this session that gave evidence."""

    turn: int
    at: str
    query: str
    outcome: str
    rendering: Rendering


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text of a page that this session holds."""

    seq: int
    """Of the record of its conversion."""
    made: Conversion
    captured_at: str
    kind: str
    """`page`, `imported-page` or `provider-text`."""
    is_cut: bool = False
    """Whether the page goes on behind it."""


@dataclass
class Seen:
    """One reader of one session's log; thread-safe. Who goes through one of its mappings copies it first: they grow."""

    ledger: Ledger
    evidence: dict[str, Evidence] = field(default_factory=dict)
    """By id, the first record of each."""
    places: dict[str, int] = field(default_factory=dict)
    """Seq of that record."""
    turns: dict[str, int] = field(default_factory=dict)
    """Turn of that record."""
    shown: dict[str, Rendering] = field(default_factory=dict)
    """By evidence id: the newest rendering that shows it."""
    texts: dict[tuple[str, str], StoredText] = field(default_factory=dict)
    """By digest of the text and address of the page, newest last."""
    _answered: dict[bytes, Answered] = field(default_factory=dict)
    _pages: dict[str, StoredText] = field(default_factory=dict)
    """By what the page is called: the newest text of it."""
    _queries: dict[int, tuple[Query, str]] = field(default_factory=dict)
    _renderings: dict[int, Rendering] = field(default_factory=dict)
    _captures: dict[int, Capture] = field(default_factory=dict)
    _runs: dict[int, Run] = field(default_factory=dict)
    _given: dict[tuple[str, str], str] = field(default_factory=dict)
    _unread: list[Rendering] = field(default_factory=list)
    _version: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> Seen:
        """Read what was appended since; return itself. What cannot be read is passed over."""
        with self._lock:
            for entry in self.ledger.entries(self._version):
                if isinstance(entry, Record):
                    self._take(entry)
                self._version = entry.seq + 1
        return self

    def answered(self, key: bytes) -> Answered | None:
        """Return the newest search of this session that asked the same and gave evidence."""
        return self._answered.get(key)

    def page(self, name: str) -> StoredText | None:
        """Return the text of a page: by the id of evidence from it, that very text; by address, the newest."""
        record = self.evidence.get(evidence_id(name))
        if record is not None:
            return self.texts.get((record.text, record.url))
        return self._pages.get(_page_key(name))

    def _take(self, record: Record) -> None:
        turn = record.envelope.turn or 0
        match record.body:
            case Query() as body:
                self._queries[turn] = body, record.envelope.at
            case Rendering() as body:
                self._renderings[turn] = body
                self._unread.append(body)
                self.shown.update(dict.fromkeys(body.evidence, body))
            case Turn(state="end") as body if turn in self._queries:
                self._end(turn, body)
            case Capture() as body:
                self._captures[record.seq] = body
            case Run() as body:
                self._runs[record.seq] = body
            case Conversion(text=BlobRef()) as body:
                self._conversion(record, body)
            case Evidence() as body:
                if self.evidence.setdefault(body.id, body) is body:
                    self.places[body.id], self.turns[body.id] = record.seq, turn
            case _:
                pass

    def _end(self, turn: int, body: Turn) -> None:
        query, at = self._queries.pop(turn)
        shown = self._renderings.pop(turn, None)
        if shown is not None and shown.evidence:
            self._answered[question_key(query)] = Answered(turn, at, query.text, body.outcome or "", shown)

    def _conversion(self, record: Record, body: Conversion) -> None:
        if body.suspected is not None or body.text is None:
            return
        for cause in record.envelope.causes:
            capture, run = self._captures.get(cause), self._runs.get(cause)
            if capture is not None:
                kind = "imported-page" if capture.is_imported else "page"
                is_cut = capture.outcome == "truncated" or _CUT in body.warnings
                stored = StoredText(record.seq, body, capture.captured_at or "", kind, is_cut)
                names = [body.url, capture.asked]
            elif run is not None:
                stored = StoredText(record.seq, body, run.answered_at or "", "provider-text", _CUT in body.warnings)
                names = [body.url]
            else:
                continue
            self.texts[body.text.blob, body.url] = stored
            for name in names:
                self._pages[_page_key(name)] = stored

    def given(self) -> Mapping[tuple[str, str], str]:
        """Return the ids of all evidence that was given, by address and text as shown."""
        with self._lock:
            while self._unread:
                rendering = self._unread.pop(0)
                text = self.text_of(rendering) if rendering.form in RENDERERS else None
                with suppress(FormatError):  # altered: what it shows is not what was given
                    for one in parse_rendering(text or ""):
                        self._given.setdefault((safe_line(one.url), one.shown), one.id)
        return self._given

    def text_of(self, rendering: Rendering) -> str | None:
        """Return the text that a model was given; None when it is gone or altered."""
        try:
            return self.ledger.blobs.get(Digest(rendering.text.blob)).decode("utf-8")
        except (StoreError, IntegrityError, FormatError, UnicodeDecodeError):
            return None


def evidence_id(written: str) -> str:
    """Return the id that a model means: `e7` for `[E7]` too."""
    return written.strip().strip("[]").lower()


def _page_key(address: str) -> str:
    """Return what addresses of one page have in common; the part behind the number sign is not sent to any server."""
    return comparison_key(address.strip().partition("#")[0])


_ASKS = ("language", "country", "freshness", "after", "before", "safe", "include_domains", "exclude_domains", "page")
"""Options of a query that make it another question; how many results are wanted does not."""


def question_key(query: Query) -> bytes:
    """Return what two records of queries have in common when they ask the same: words, whatever their case and spaces.

    What counts days back from today is another question tomorrow.
    """
    asked = {name: query.options[name] for name in _ASKS if query.options.get(name) not in (None, [], ())}
    if asked.get("page") == 1:
        del asked["page"]
    if "freshness" in asked:
        asked["asked_on"] = query.options.get("asked_on")
    texts = [folded(text).casefold() for text in query.phrasings]
    return canon.dumps({"texts": texts, "focus": folded(query.focus).casefold() if query.focus else None, **asked})
