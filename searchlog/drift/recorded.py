"""How a passage stood in its page, from what its record says: the page itself, or its selectors alone. Pure."""

from __future__ import annotations

from searchlog.drift.page import EDIT, MARK, PERMALINK, Page
from searchlog.drift.standing import Old, Standing
from searchlog.drift.then import Then
from searchlog.extract.conversion import Block, Conversion, Metadata
from searchlog.wording.folding import folded

__all__ = ["known_of", "old_of"]


def old_of(then: Then, now: Page) -> Old | None:
    """Return the passage's standing then; None when it has no words to look for."""
    selectors = then.selectors
    if then.page is not None:
        text = then.page.conversion.text
        if text[selectors.start : selectors.end] == selectors.exact:
            for hidden_too in (False, True):
                page = then.page.with_hidden if hidden_too else then.page
                span = page.folded_range(selectors.start, selectors.end)
                if span is not None and _same_words(page.stream[span[0] : span[1]], selectors.exact):
                    head = folded(text[slice(*then.table_head)]) if then.table_head else ""
                    lead_in = folded(text[slice(*then.lead_in)]) if then.lead_in else ""
                    path = tuple(folded(heading) for heading in then.heading_path)
                    return Old(Standing(page, *span), path, True, head, lead_in)
    prefix, exact, suffix = selectors.prefix, selectors.exact, selectors.suffix
    # in code `[1]` is no reference mark; that it was code is known where it stands so in code now
    page = _page_of_lines(
        prefix + exact + suffix, "code" if MARK.search(exact) and folded(exact) in now.stream else "other"
    )
    span = page.folded_range(len(prefix), len(prefix) + len(exact))
    if span is None:
        return None
    path = tuple(folded(heading) for heading in then.heading_path)
    above = [folded(known_of(then, place) or "") for place in (then.table_head, then.lead_in)]
    return Old(Standing(page, *span), path, False, *above)


def known_of(then: Then, span: tuple[int, int] | None) -> str | None:
    """Return a piece of the text of then, where its selectors hold it."""
    selectors = then.selectors
    known = selectors.prefix + selectors.exact + selectors.suffix
    first = selectors.start - len(selectors.prefix)
    if span is None or not first <= span[0] < span[1] <= first + len(known):
        return None
    return known[span[0] - first : span[1] - first]


def _same_words(stream: str, exact: str) -> bool:
    """Whether a stretch of a stream is all of a passage: a part of it that is hidden is missing there."""
    return _letters(stream) == _letters(folded(exact))


def _letters(text: str) -> str:
    return PERMALINK.sub("", "".join(MARK.sub("", EDIT.sub("", text)).split()))


def _page_of_lines(text: str, kind: str) -> Page:
    blocks: list[Block] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            blocks.append(Block(kind, at, at + len(line)))
        at += len(line) + 1
    return Page.of(Conversion(text, tuple(blocks), Metadata(), "selectors"))
