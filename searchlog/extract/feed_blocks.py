"""From a feed to text and blocks: its title, then each entry under its own heading. Pure.

What an entry holds as HTML goes through the same walk as a page, so hidden text is labelled, and lists and tables are
such. Dates and names stand as the feed writes them. Nothing is added but line feeds, and no text comes twice: a
summary that its content repeats is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape

from searchlog.extract.conversion import Block, Dated, Metadata, bounded
from searchlog.extract.dates import iso_date
from searchlog.extract.feed import Entry, Feed, Rich
from searchlog.extract.html import read_html
from searchlog.extract.text import text_blocks
from searchlog.extract.verbatim import squeezed

__all__ = ["CONVERTER", "FeedText", "feed_links", "feed_metadata", "feed_text"]

CONVERTER = "feed/1"

_TAG = re.compile(r"<(?:/?[a-zA-Z][a-zA-Z0-9]{0,10}(?:\s[^<>]{0,2000}|\s*/)?|!--)[>-]")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_INLINE = re.compile(
    r"</?(a|abbr|b|bdi|br|cite|code|em|i|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]{0,500})?/?>", re.I
)
_VEIL = re.compile(r"<[a-z][a-z0-9]{0,10}\s[^<>]{0,500}?\b(?:style|class|hidden|popover|color)\b", re.I)
"""The start of an element that may hide its text."""
_EMPTY = frozenset(("br", "wbr"))
_HEADING_LEVEL = 2
"""Of an entry's title; headings inside its content stand below it."""
_SPOILED = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FeedText:
    """The text of a feed and the blocks over it."""

    text: str
    blocks: tuple[Block, ...]
    verbatim: bool | None
    warnings: tuple[str, ...]


class _Writer:
    """Pieces of text with their blocks; offsets are those of all pieces joined by line feeds."""

    def __init__(self, chars_max: int, linear: bool, late: Callable[[], bool]) -> None:
        self._texts: list[str] = []
        self._blocks: list[Block] = []
        self._at = 0
        self._groups = 0
        self._chars_max = chars_max
        self._linear = linear
        self._late = late
        self._checks: set[bool | None] = set()
        self.warnings: dict[str, None] = {}

    @property
    def full(self) -> bool:
        return "text-cut" in self.warnings

    def line(self, kind: str, text: str, level: int = 0) -> None:
        """Add one block."""
        if text and not self.full:
            self._put(text, (Block(kind, 0, len(text), level),))

    def rich(self, given: Rich) -> None:
        """Add content of any kind."""
        if self.full or not given:
            return
        if _is_markup(given):
            self._markup(given.text)
            return
        text = _SPOILED.sub("\ufffd", (unescape(given.text) if given.kind == "unsaid" else given.text).strip())
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._put(text, text_blocks(text))

    def _markup(self, markup: str) -> None:
        room = self._chars_max - self._at
        page = read_html(markup, "", max(1, room), linear=self._linear, late=self._late)
        self.warnings.update(dict.fromkeys(page.warnings))
        self._checks.add(page.verbatim)
        blocks = []
        for block in page.built.blocks:
            deeper = min(6, block.level + _HEADING_LEVEL) if block.kind == "heading" else block.level
            group = None if block.group is None else block.group + self._groups
            blocks.append(replace(block, level=deeper, group=group, furniture=None))
        self._groups += max((block.group or 0 for block in page.built.blocks), default=0)
        self._put(page.built.text, tuple(blocks))

    def _put(self, text: str, blocks: Sequence[Block]) -> None:
        if not blocks:
            return
        room = self._chars_max - self._at
        if len(text) > room:
            self.warnings["text-cut"] = None
            text = text[: max(0, room)]
            blocks = [replace(one, end=min(one.end, len(text))) for one in blocks if one.start < len(text)]
        if not blocks:
            return
        self._texts.append(text)
        self._blocks += (replace(one, start=one.start + self._at, end=one.end + self._at) for one in blocks)
        self._at += len(text) + 1

    def finish(self) -> FeedText:
        verbatim = None if None in self._checks else False not in self._checks
        whole = tuple(self._blocks)
        kept = whole if any(block.hidden for block in whole) else bounded(whole)
        if len(kept) < len(whole):
            self.warnings["blocks-joined"] = None
        return FeedText("\n".join(self._texts), kept, verbatim, tuple(self.warnings))


def feed_text(
    feed: Feed, chars_max: int, *, linear: bool = False, late: Callable[[], bool] = lambda: False
) -> FeedText:
    """Return the text of a feed: title and summary, then the entries in the feed's order.

    linear, late: as `read_html` takes them.
    """
    writer = _Writer(chars_max, linear, late)
    writer.line("heading", _title(feed.title), 1)
    writer.rich(feed.summary)
    for entry in feed.entries:
        if writer.full:
            break
        if late():
            writer.warnings.update({"extract-timeout": None, "entries-cut": None})
            break
        _write(entry, writer)
    return writer.finish()


def _write(entry: Entry, writer: _Writer) -> None:
    writer.line("heading", _title(entry.title), _HEADING_LEVEL)
    stated = (entry.published or entry.updated, entry.author)
    writer.line("paragraph", _SPOILED.sub("\ufffd", "\n".join(filter(None, stated))))
    summary, content = _bare(entry.summary), _bare(entry.content)
    if summary and summary.removesuffix("…").removesuffix("[…]").removesuffix("...") not in content:
        writer.rich(entry.summary)
    writer.rich(entry.content)


def _is_markup(given: Rich) -> bool:
    return given.kind == "html" or (given.kind == "unsaid" and _TAG.search(given.text) is not None)


def _bare(given: Rich) -> str:
    """Return the letters of a text without markup, to compare."""
    if not given:
        return ""
    text = re.sub(r"<[^<>]{0,2000}>", "", given.text) if _is_markup(given) else given.text
    return squeezed(unescape(text) if given.kind != "plain" else text)


def _title(given: Rich) -> str:
    """Return a title in one line.

    RSS does not say whether a title is markup: inline elements that end are taken for such, others stay as they stand
    (`Vec<T>`); references are resolved, since few titles are about them. What is hidden in one is left out.
    """
    text = given.text
    if given.kind == "html" or (given.kind == "unsaid" and _VEIL.search(text)):
        page = read_html(text, "", 2_000)
        text = " ".join(page.built.text[one.start : one.end] for one in page.built.blocks if one.hidden is None)
    elif given.kind == "unsaid":
        ended = {name.lower() for name in re.findall(r"</(\w+)>", text)} | _EMPTY
        text = unescape(_INLINE.sub(lambda match: "" if match[1].lower() in ended else match[0], text))
    return _SPOILED.sub("\ufffd", " ".join(text.split()))[:2_000]


def feed_metadata(feed: Feed) -> Metadata:
    """Return what the feed says of itself. Modified is the newest of its entries, else what the feed says."""
    newest: tuple[datetime, Dated] | None = None
    for entry in feed.entries:
        for value, place in ((entry.published, entry.published_in), (entry.updated, entry.updated_in)):
            date = iso_date(value)
            if date and (newest is None or _moment(date) > newest[0]):
                newest = (_moment(date), Dated(date, f"feed:{place}"))
    own = iso_date(feed.updated)
    stated = Dated(own, f"feed:{feed.updated_in}") if own else None
    language = feed.language.strip().replace("_", "-")
    return Metadata(
        title=_title(feed.title)[:500] or None,
        author=_SPOILED.sub("\ufffd", feed.author) or None,
        language=language if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}", language) else None,
        modified=newest[1] if newest else stated,
        canonical=feed.link or None,
    )


def _moment(date: str) -> datetime:
    """Return the moment of an ISO date, as far as it is told; without a zone, in UTC."""
    whole = date if len(date) >= len("2024-05-06") else f"{date}-01-01"[:10]
    moment = datetime.fromisoformat(whole)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_LINKS_MAX = 5_000


def feed_links(feed: Feed) -> tuple[str, ...]:
    """Return the addresses of the entries and of the links in them, absolute, each once, in order."""
    from searchlog.extract.links import links

    found: dict[str, None] = {}
    for entry in feed.entries:
        if entry.link:
            found[entry.link] = None
        for given in (entry.summary, entry.content):
            if _is_markup(given):
                found.update(dict.fromkeys(links(given.text, entry.base)))
        if len(found) >= _LINKS_MAX:
            break
    return tuple(found)[:_LINKS_MAX]
