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
from searchlog.evidence.build import build_evidence
from searchlog.evidence.passage import Passage
from searchlog.evidence.policy import Policy, account, subject
from searchlog.evidence.render import Notes, render, safe_line
from searchlog.evidence.select import Chosen as ChosenPassage
from searchlog.evidence.select import Selection
from searchlog.flow.choose import Chosen, TextPage, source_of
from searchlog.flow.drafts import chosen_drafts, rendering_bytes
from searchlog.flow.page import Page
from searchlog.ledger import Draft, State
from searchlog.search.decision import Decision, Step
from searchlog.tokens import token_count
from searchlog.tool.result import Result, plain
from searchlog.tool.seen import StoredText
from searchlog.tool.shown import shown_result
from searchlog.tool.workplace import Cut, Workplace
from searchlog.wording.folding import fold, folded

__all__ = ["find_in_page", "open_page"]

WINDOW, FIND = "window/1", "find/1"
_PLACES_MAX = 50
"""Places that are listed; all are counted."""
_WORDS_MAX = 1_000


def open_page(work: Workplace, given: Mapping[str, Any], progress: Listener) -> Result:
    """Return the passages of a page from a character on, as many as the budget holds. Raises StoreError."""
    name = given["page"]
    stored, was_stored = _text_of(work, name, progress)
    if isinstance(stored, Result):
        return stored
    cut = work.cut(stored)
    size = len(cut.conversion.text)
    start = _start(work, name, given["start"])
    ahead = [passage for passage in cut.visible if passage.end > start]
    if not ahead:
        said = f"The page has {size} characters of text; nothing stands from character {start} on. Read from 0."
        return plain(
            "open_page",
            said,
            work.session.head,
            error=None if size else "no-text",
            evidence=[],
            start=start,
            chars=size,
        )
    policy = _policy(work, WINDOW)
    shown, used = 0, 0
    for passage in ahead:
        used += token_count(cut.conversion.text[passage.start : passage.end])
        if shown and used > policy.budget_tokens:
            break
        shown += 1
    kept, later = ahead[:shown], ahead[shown:]
    reasons = [(passage, "before-start") for passage in cut.visible if passage.end <= start]
    reasons += [(passage, "over-budget") for passage in later]
    first, last = kept[0].start, kept[-1].end
    rest = f"read on with: open_page start={later[0].start}" if later else "this is the end of the page"
    opening = f"Page: {stored.made.url} · characters {first}-{last} of {size} · {rest}"
    where = {"start": first, "end": last, "chars": size, "next_start": later[0].start if later else None}
    reading = _Reading(stored, cut, kept, reasons, policy, opening)
    return _given(work, reading, "open_page", {"stored": was_stored, **where})


def find_in_page(work: Workplace, given: Mapping[str, Any], progress: Listener) -> Result:
    """Return the passages of a page that hold these words, and where. Raises StoreError."""
    stored, was_stored = _text_of(work, given["page"], progress)
    if isinstance(stored, Result):
        return stored
    cut, words = work.cut(stored), given["words"][:_WORDS_MAX]
    places = _places(cut, words)
    policy = _policy(work, FIND)
    held = [passage for passage in cut.visible if _overlaps((passage.start, passage.end), places)]
    kept: list[Passage] = []
    used = 0
    for passage in held:
        used += token_count(cut.conversion.text[passage.start : passage.end])
        if kept and used > policy.budget_tokens:
            break
        kept.append(passage)
    holding = {passage.start for passage in held}
    reasons = [(passage, "without-the-words") for passage in cut.visible if passage.start not in holding]
    reasons += [(passage, "over-budget") for passage in held[len(kept) :]]
    size = len(cut.conversion.text)
    many = f"{len(places)} places" if len(places) != 1 else "1 place"
    found = f"stand in {many}" if places else "do not stand in its text"
    rest = f" · {len(held) - len(kept)} more passages with them are not shown" if len(held) > len(kept) else ""
    opening = f"Page: {stored.made.url} · the words “{words}” {found} · {size} characters{rest}"
    told = {"stored": was_stored, "words": safe_line(words), "count": len(places), "chars": size}
    result = _given(work, _Reading(stored, cut, kept, reasons, policy, opening), "find_in_page", told)
    by_place = [{"start": start, "end": end, **_at(result, start, end)} for start, end in places[:_PLACES_MAX]]
    return replace(result, structured={**result.structured, "places": by_place})


def _at(result: Result, start: int, end: int) -> dict[str, str]:
    for passage in result.passages:
        if passage.facts["start"] < end and start < passage.facts["end"]:
            return {"evidence": passage.id}
    return {}


# --- the text of a page


def _text_of(work: Workplace, name: str, progress: Listener) -> tuple[StoredText | Result, bool]:
    """Return the stored text of a page and whether it was there; it is fetched when the session has none."""
    stored = work.seen.refresh().page(name)
    if stored is not None:
        return stored, True
    if re.fullmatch(r"\[?[eE]\d+\]?", name.strip()):
        said = f"No evidence is called {name.strip()} in this session. Give the page's URL, or an id you were given."
        return _refused(work, "unknown-evidence", said), False
    page = work.session.fetch(name, settings=work.settings, progress=progress, **work.settings_options())
    stored = work.seen.refresh().page(name)
    if page.reason is not None or stored is None:
        return _refused(work, "no-page", _why(page)), False
    return stored, False


def _refused(work: Workplace, code: str, said: str) -> Result:
    return plain("open_page", said, work.session.head, error=code, evidence=[])


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
    record = work.seen.evidence.get(name.strip().strip("[]").lower())
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

    stored: StoredText
    cut: Cut
    kept: Sequence[Passage]
    dropped: Sequence[tuple[Passage, str]]
    """With the reason why."""
    policy: Policy
    opening: str
    """The first line of the rendering."""


def _given(work: Workplace, reading: _Reading, tool: str, told: Mapping[str, Any]) -> Result:
    """Record these passages as evidence in a turn of their own, and return them as a model is shown them."""
    ledger = work.session.ledger
    stored, text = reading.stored, reading.cut.conversion.text
    sources = (source_of(_page(work, stored, reading.cut)),)
    chosen = tuple(
        ChosenPassage(passage, rank, "0", token_count(text[passage.start : passage.end]))
        for rank, passage in enumerate(reading.kept, 1)
    )
    steps = _steps(reading.cut, reading.dropped, reading.policy.rule)
    selection = Selection((), reading.policy, chosen, steps)

    def build(state: State) -> tuple[Chosen, list[Draft]]:
        evidence = build_evidence(selection, sources, state.next_evidence, state.evidence_ids)
        made = Chosen(sources, selection, evidence, render(evidence, "", Notes(opening=reading.opening)))
        ledger.blobs.put([rendering_bytes(made)])
        return made, chosen_drafts(made, [stored.seq], turn.begin)

    with ledger.turn("read") as turn:
        made = turn.end(build, records.Turn(state="end", outcome="ok", detail=f"{len(chosen)} passages"))
    work.seen.refresh()
    return shown_result(
        tool,
        made.rendering.text,
        made.rendering.renderer,
        work.seen.evidence,
        work.session.head,
        page=safe_line(stored.made.url),
        title=safe_line(stored.made.title or ""),
        **told,
    )


def _page(work: Workplace, stored: StoredText, cut: Cut) -> TextPage:
    """Return the page as a search would have it: where evidence of it says more, as that says."""
    made = stored.made
    assert made.text is not None
    same = (made.text.blob, made.payload, made.url)
    known = next((e for e in work.seen.evidence.values() if (e.text, e.payload, e.url) == same), None)
    own = known is not None and cut.conversion.metadata.published is None
    return TextPage(
        url=made.url,
        conversion=cut.conversion,
        payload_digest=Digest(made.payload),
        captured_at=stored.captured_at,
        title=known.title if known is not None else "",
        published=known.published if own and known is not None else None,
        published_source=known.published_source if own and known is not None else None,
        crawled=known.crawled if known is not None else None,
        crawled_source=known.crawled_source if known is not None else None,
        kind=stored.kind,
    )


def _steps(cut: Cut, dropped: Sequence[tuple[Passage, str]], rule: str) -> tuple[Step, ...]:
    """Return the account of all passages of the page: hidden ones left first, then what was not asked for."""
    hidden = [Decision("visible-text", subject(passage), False, "hidden") for passage in cut.hidden]
    left = [Decision("window", subject(passage), False, reason) for passage, reason in dropped]
    whole = len(cut.visible) + len(cut.hidden)
    return account("visible-text", rule, whole, hidden), account("window", rule, len(cut.visible), left)
