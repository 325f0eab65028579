"""`open_page` and `find_in_page`: passages of a page as it is stored, fetched only when the session has no text of it.

page name ─► stored text (by evidence id or address; else fetched once) ─► visible passages ─► from a character on, or
those that hold words ─► evidence with ids, rendered as in a search. Passages are the same spans that a search cuts, so
what was evidence before keeps its id.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from searchlog import records
from searchlog.desk import Listener
from searchlog.digest import Digest
from searchlog.errors import FormatError, IntegrityError, MissingError
from searchlog.evidence.build import build_evidence
from searchlog.evidence.passage import Passage
from searchlog.evidence.policy import Policy, account, subject, why_hidden
from searchlog.evidence.render import Notes, bare_url, render, safe_line
from searchlog.evidence.select import Chosen as ChosenPassage
from searchlog.evidence.select import Selection
from searchlog.flow.choose import Chosen, TextPage, source_of
from searchlog.flow.drafts import chosen_drafts, rendering_bytes
from searchlog.flow.page import Page
from searchlog.ledger import Draft, State
from searchlog.search.decision import Decision, Step
from searchlog.tokens import token_count
from searchlog.tool.result import Result, plain
from searchlog.tool.seen import StoredText, evidence_id
from searchlog.tool.shown import shown_result
from searchlog.tool.workplace import Cut, Workplace
from searchlog.wording.folding import fold, folded

__all__ = ["find_in_page", "open_page"]

WINDOW, FIND = "window/1", "find/1"
_PLACES_MAX = 50
"""Places that are listed; all are counted."""
_PASSAGE_TOKENS_MIN = 40
"""What a passage counts at least: so much is around each."""
_ABOVE_TOKENS = 100
"""Of address, title, headings and table head, that are not counted."""
_ABOVE_CHARS_MAX = 500


def open_page(work: Workplace, given: Mapping[str, Any], progress: Listener) -> Result:
    """Return the passages of a page from a character on, as many as the budget holds. Raises StoreError."""
    page = _opened(work, given["page"], progress)
    if isinstance(page, _Unread):
        return page.told(work, "open_page")
    start, size = _start(work, given["page"], given["start"]), len(page.text)
    ahead = [passage for passage in page.cut.visible if passage.end > start]
    if not ahead:
        said = f"The page has {size} characters of text; nothing stands from character {start} on. Read from 0."
        error = None if page.cut.visible else "no-text"
        return plain("open_page", said, work.session.head, error=error, evidence=[], start=start, chars=size)
    policy = _policy(work, WINDOW)
    kept, later = _within(page, ahead, policy.budget_tokens)
    dropped = [(passage, "before-start") for passage in page.cut.visible if passage.end <= start]
    dropped += [(passage, "over-budget") for passage in later]
    first, last, on = kept[0].start, kept[-1].end, later[0].start if later else None
    end = "this is the end of what was kept of the page" if page.stored.is_cut else "this is the end of the page"
    rest = f"read on with: open_page start={on}" if later else end
    opening = f"Page: {bare_url(page.stored.made.url)} · characters {first}-{last} of {size} · {rest}"
    told = {"stored": page.was_stored, "start": first, "end": last, "chars": size, "next_start": on}
    told["cut"] = page.stored.is_cut or None
    return _given(work, page, _Reading("open_page", policy, kept, dropped, opening), told)


def find_in_page(work: Workplace, given: Mapping[str, Any], progress: Listener) -> Result:
    """Return the passages of a page that hold these words, and where. Raises StoreError."""
    page = _opened(work, given["page"], progress)
    if isinstance(page, _Unread):
        return page.told(work, "find_in_page")
    words, size, policy = given["words"], len(page.text), _policy(work, FIND)
    places = _places(page.cut, words)
    held = [passage for passage in page.cut.visible if _overlaps((passage.start, passage.end), places)]
    holding = {passage.start for passage in held}
    kept, later = _within(page, held, policy.budget_tokens)
    dropped = [(passage, "without-the-words") for passage in page.cut.visible if passage.start not in holding]
    dropped += [(passage, "over-budget") for passage in later]
    found = f"stand in {len(places)} place{'' if len(places) == 1 else 's'}" if places else "do not stand in its text"
    rest = f" · {len(later)} more passages with them are not shown" if later else ""
    rest += " · only the beginning of the page was kept" if page.stored.is_cut else ""
    opening = f"Page: {bare_url(page.stored.made.url)} · the words “{words}” {found} · {size} characters{rest}"
    told = {"stored": page.was_stored, "words": safe_line(words), "count": len(places), "chars": size}
    told["cut"] = page.stored.is_cut or None
    result = _given(work, page, _Reading("find_in_page", policy, kept, dropped, opening), told)
    by_place = [{"start": start, "end": end, **_at(result, start, end)} for start, end in places[:_PLACES_MAX]]
    return replace(result, structured={**result.structured, "places": by_place})


def _within(page: _Opened, passages: Sequence[Passage], budget: int) -> tuple[Sequence[Passage], Sequence[Passage]]:
    """Return the first passages, as many as fit into a budget of tokens and one at least, and the others.

    A passage counts by its text, as in a search; what stands above it, and how short it is, counts as far as it is out
    of the ordinary: an address of 7,000 characters above each of a hundred passages is a megabyte.
    """
    text, made = page.text, page.stored.made
    source = token_count(made.url) + token_count((made.title or "")[:_ABOVE_CHARS_MAX])
    used = 0
    for number, passage in enumerate(passages):
        spans = [*passage.headings, *filter(None, (passage.table_head, passage.lead_in))]
        above = source + sum(token_count(text[start : min(end, start + _ABOVE_CHARS_MAX)]) for start, end in spans)
        used += max(token_count(text[passage.start : passage.end]), _PASSAGE_TOKENS_MIN)
        used += max(above - _ABOVE_TOKENS, 0)
        if number and used > budget:
            return passages[:number], passages[number:]
    return passages, ()


def _at(result: Result, start: int, end: int) -> dict[str, str]:
    for passage in result.passages:
        if passage.facts["start"] < end and start < passage.facts["end"]:
            return {"evidence": passage.id}
    return {}


# --- the text of a page


@dataclass(frozen=True, slots=True)
class _Opened:
    """A page with its stored text."""

    stored: StoredText
    cut: Cut
    was_stored: bool
    """Before it was asked for."""

    @property
    def text(self) -> str:
        return self.cut.conversion.text


@dataclass(frozen=True, slots=True)
class _Unread:
    """Why there is no text to read."""

    code: str
    said: str

    def told(self, work: Workplace, tool: str) -> Result:
        """Return what a model is told."""
        return plain(tool, self.said, work.session.head, error=self.code, evidence=[])


def _opened(work: Workplace, name: str, progress: Listener) -> _Opened | _Unread:
    """Return a page by evidence id or address; it is fetched when the session has no text of it."""
    stored = work.seen.refresh().page(name)
    if stored is None and re.fullmatch(r"e\d+", evidence_id(name)):
        said = f"No evidence is called {name.strip()} in this session. Give the page's URL, or an id you were given."
        return _Unread("unknown-evidence", said)
    was_stored = stored is not None
    if stored is None:
        page = work.session.fetch(name, settings=work.settings, progress=progress, **work.settings_options())
        stored = work.seen.refresh().page(name)
        if page.reason is not None or stored is None:
            return _Unread("no-page", _why(page))
    try:
        return _Opened(stored, work.cut(stored), was_stored)
    except (MissingError, IntegrityError, FormatError):
        return _Unread("text-gone", "The stored text of this page is gone or altered; its evidence cannot be read on.")


def _why(page: Page) -> str:
    """Return why there is no text of a page, for a model."""
    detail = f": {safe_line(page.detail)}" if page.detail else ""
    status = f" (HTTP {page.status})" if page.status else ""
    return (
        f"The page {safe_line(page.asked)} gave no text to read: {page.reason}{status}{detail}. Try another page, or "
        "search for another source; do not guess what it says."
    )


def _start(work: Workplace, name: str, start: int) -> int:
    """Return where to read from: -1 with an evidence id is where that stands."""
    record = work.seen.evidence.get(evidence_id(name))
    if start < 0:
        return record.start if record is not None else 0
    return start


def _places(cut: Cut, words: str) -> list[tuple[int, int]]:
    """Return where the words stand in what is visible: ranges of the text, whatever case, spaces and quote marks."""
    wanted = folded(words).lower()
    text = fold(cut.conversion.text)
    looked = text.text.lower()
    if not wanted or len(looked) != len(text.text):  # a letter whose small form is longer: no way back
        looked, wanted = text.text, folded(words)
    if not wanted:
        return []
    out: list[tuple[int, int]] = []
    at = looked.find(wanted)
    while at >= 0:
        out.append(text.span(at, at + len(wanted)))
        at = looked.find(wanted, at + len(wanted))
    visible = [(passage.start, passage.end) for passage in cut.visible]
    return [place for place in out if _overlaps(place, visible)]


def _overlaps(place: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (place[1] - 1, 1 << 62)) - 1
    return at >= 0 and spans[at][1] > place[0]


# --- passages as evidence


def _policy(work: Workplace, rule: str) -> Policy:
    budget = work.options.get("budget_tokens") or (work.settings.budget_tokens if work.settings else None)
    return Policy(budget_tokens=budget or Policy().budget_tokens, rule=rule)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read of a page, before it has ids."""

    tool: str
    policy: Policy
    kept: Sequence[Passage]
    dropped: Sequence[tuple[Passage, str]]
    """With the reason why."""
    opening: str
    """The first line of the rendering."""


def _given(work: Workplace, page: _Opened, reading: _Reading, told: Mapping[str, Any]) -> Result:
    """Record these passages as evidence in a turn of their own, and return them as a model is shown them."""
    ledger, made_of = work.session.ledger, page.stored.made
    sources = (source_of(_page(work, page)),)
    chosen = tuple(
        ChosenPassage(passage, rank, "0", token_count(page.text[passage.start : passage.end]))
        for rank, passage in enumerate(reading.kept, 1)
    )
    steps = _steps(page.cut, reading.dropped, reading.policy.rule)
    selection = Selection((), reading.policy, chosen, steps)

    def build(state: State) -> tuple[Chosen, list[Draft]]:
        evidence = build_evidence(selection, sources, state.next_evidence, state.evidence_ids)
        made = Chosen(sources, selection, evidence, render(evidence, "", Notes(opening=reading.opening)))
        ledger.blobs.put([rendering_bytes(made)])
        return made, chosen_drafts(made, [page.stored.seq], turn.begin)

    with ledger.turn("read") as turn:
        detail = f"{len(chosen)} passage{'' if len(chosen) == 1 else 's'}"
        made = turn.end(build, records.Turn(state="end", outcome="ok", detail=detail))
    return shown_result(
        reading.tool,
        made.rendering.text,
        made.rendering.renderer,
        work.seen.refresh().evidence,
        work.session.head,
        page=safe_line(made_of.url),
        title=safe_line(made_of.title or ""),
        **told,
    )


def _page(work: Workplace, page: _Opened) -> TextPage:
    """Return the page as a search would have it: where evidence of it says more, as that says."""
    made = page.stored.made
    assert made.text is not None
    same = (made.text.blob, made.payload, made.url)
    known = next((e for e in list(work.seen.evidence.values()) if (e.text, e.payload, e.url) == same), None)
    own = known is not None and page.cut.conversion.metadata.published is None
    return TextPage(
        url=made.url,
        conversion=page.cut.conversion,
        payload_digest=Digest(made.payload),
        captured_at=page.stored.captured_at,
        title=known.title if known is not None else "",
        published=known.published if own and known is not None else None,
        published_source=known.published_source if own and known is not None else None,
        crawled=known.crawled if known is not None else None,
        crawled_source=known.crawled_source if known is not None else None,
        kind=page.stored.kind,
    )


def _steps(cut: Cut, dropped: Sequence[tuple[Passage, str]], rule: str) -> tuple[Step, ...]:
    """Return the account of all passages of the page: hidden ones left first, then what was not asked for."""
    hidden = [Decision("visible", subject(passage), False, "hidden", why_hidden(passage)) for passage in cut.hidden]
    left = [Decision("window", subject(passage), False, reason) for passage, reason in dropped]
    whole = len(cut.visible) + len(cut.hidden)
    return account("visible", rule, whole, hidden), account("window", rule, len(cut.visible), left)
