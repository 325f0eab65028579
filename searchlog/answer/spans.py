"""Which stretch of an answer each marker supports. Pure; knows places only, not what a marker says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from searchlog.answer.layout import Block, Quoted, sentences_of

__all__ = ["Stretch", "claims_of"]

_Marker = tuple[int, int, tuple[tuple[int, int], ...]]
_JOIN = re.compile(r"[\s,，、;；.。()（）&]*(?:and|und|et|y|和|及|与)?[\s,，、;；()（）]*")
_INTRODUCES = re.compile(
    r"(?:^|[\s,，;；(（—–])(?:according to|as per|per|based on|in|from|see|as|by|source|sources|evidence|"
    r"while|whereas|but|and|however|"
    r"selon|d'après|laut|nach|según|secondo|segundo|volgens|"
    r"согласно|по данным)\s*[:：]?\s*[(（]?$|(?:根据|依据|据|按照|正如|如|参见|见|来源|而|但|由)[:：]?\s*$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\s*(?:also |further |similarly |explicitly |directly )?(?:says?|said|states?|stated|reports?|reported|"
    r"notes?|noted|claims?|claimed|shows?|showed|finds?|found|writes?|wrote|describes?|"
    r"described|puts?|gives?|gave|adds?|added|explains?|explained|mentions?|mentioned|confirms?|lists?|reads?|"
    r"defines?|quotes?|observes?|argues?|"
    r"指出|显示|表示|认为|说|称|写道|提到|记载|介绍|报道|提及|给出|也|则|还|中)",
    re.IGNORECASE,
)
_OPENS = re.compile(rf"{_SAYS.pattern}|\s*[:：](?=[ \t]*\S)", re.IGNORECASE)
"""What follows a marker that begins a sentence."""
_NOTHING = re.compile(r"[\s\W_]*")


@dataclass(slots=True)
class Stretch:
    """A stretch `[start, end)` of the text and the numbers of the markers that it rests on."""

    start: int
    end: int
    cited: list[int] = field(default_factory=list)
    inherited: list[int] = field(default_factory=list)
    kind: str = "paragraph"


@dataclass(slots=True)
class _Group:
    """Markers side by side."""

    start: int
    end: int
    numbers: list[int]
    words_from: int
    """Where the words that belong to it end: before the marker, or after the text of a link."""
    is_link: bool = False


def claims_of(
    text: str, blocks: Sequence[Block], markers: Sequence[_Marker], quotes: Sequence[Quoted]
) -> list[Stretch]:
    """Return the stretches of a text in order, each with the markers that it rests on.

    blocks, markers and quotes: in order of their places. Each sentence of each block is in some stretch.
    """
    out: list[Stretch] = []
    begins = [m[0] for m in markers]
    opens = [q.start for q in quotes]
    lead: Stretch | None = None
    for block in blocks:
        if block.kind in ("source", "definition"):
            continue
        first, last = bisect_left(begins, block.start), bisect_left(begins, block.end)
        inside = list(range(first, last))
        near = quotes[max(0, bisect_left(opens, block.start) - 1) : bisect_left(opens, block.end)]
        if block.kind == "quote":
            made = _quote(text, block, inside, markers)
        else:
            made = _block(text, block, inside, markers, near)
        _inherit(made)
        if out and made and block.kind == "quote" and not made[0].cited:
            made[0].inherited = [*made[0].inherited, *out[-1].cited, *out[-1].inherited]
        if lead is not None and block.kind in ("item", "row"):
            for stretch in made:
                if not stretch.cited and not stretch.inherited:
                    stretch.inherited = [*lead.cited, *lead.inherited]
        elif made and block.kind in ("paragraph", "heading"):
            if out and out[-1].kind == "quote" and not out[-1].cited and made[0].cited:
                out[-1].cited = list(made[0].cited)  # "> …" and below it "— [e7]"
            lead = made[-1] if text[made[-1].start : block.end].rstrip("* _")[-1:] in (":", "：") else None
        out += made
    return out


def _quote(text: str, block: Block, inside: Sequence[int], markers: Sequence[_Marker]) -> list[Stretch]:
    return [Stretch(block.start, block.end, list(inside), [], "quote")]


def _inherit(made: Sequence[Stretch]) -> None:
    """Give stretches without a marker those that come next in their block; in a row, all of the row."""
    following: list[int] = []
    for stretch in reversed(made):
        if stretch.cited:
            following = stretch.cited
        else:
            stretch.inherited = list(following)


def _block(
    text: str, block: Block, inside: Sequence[int], markers: Sequence[_Marker], quotes: Sequence[Quoted]
) -> list[Stretch]:
    groups = _groups(text, inside, markers)
    if block.kind == "row":
        return _row(block, groups)
    sentences = sentences_of(
        _hidden(text, block, inside, markers), 0, block.end - block.start, _moved(quotes, block.start)
    )
    ranges = [(block.start + a, block.start + b) for a, b in sentences] or [(block.start, block.end)]
    out: list[Stretch] = []
    n = 0
    for index, (start, end) in enumerate(ranges):
        mine: list[_Group] = []
        begin = start
        while n < len(groups) and (groups[n].start < end or index == len(ranges) - 1):
            group = groups[n]
            bare = _NOTHING.fullmatch(text, begin, group.start) and not group.is_link and not mine
            if bare and out and not _OPENS.match(text, group.end):
                out[-1].cited += group.numbers  # after the full stop: of the sentence before
                begin = group.end
            else:
                mine.append(group)
            n += 1
        if not _NOTHING.fullmatch(text, begin, end):
            out += _sentence(text, begin, max(end, mine[-1].end if mine else end), mine, block.kind)
    return out


def _moved(quotes: Sequence[Quoted], by: int) -> list[Quoted]:
    return [Quoted(q.start - by, q.end - by, q.inner_start - by, q.inner_end - by, q.mark) for q in quotes]


def _hidden(text: str, block: Block, inside: Sequence[int], markers: Sequence[_Marker]) -> str:
    """Return a block's text with its markers as blanks (no full stop of an address ends a sentence), words kept."""
    out, at = [], block.start
    for n in inside:
        start, end, kept = markers[n]
        for a, b in (*kept, (end, end)):
            if a >= at:
                out += [text[at : max(at, start)], " " * (a - max(at, start))] if start >= at else [" " * (a - at)]
                out.append(text[a:b])
                at = b
    return "".join([*out, text[at : block.end]])[: block.end - block.start]


def _groups(text: str, inside: Sequence[int], markers: Sequence[_Marker]) -> list[_Group]:
    groups: list[_Group] = []
    for n in inside:
        start, end, kept = markers[n]
        words = kept[-1][1] if kept else start
        if groups and (groups[-1].start, groups[-1].end) == (start, end):
            groups[-1].numbers.append(n)
        elif groups and not kept and _stands_beside(text, groups[-1].end, start, end):
            groups[-1].numbers.append(n)
            groups[-1].end = end
        else:
            groups.append(_Group(start, end, [n], words, bool(kept)))
    return groups


def _stands_beside(text: str, before: int, start: int, end: int) -> bool:
    """Return whether a marker supports with the one that ends before it: nothing is between, and it does not begin the
    next sentence (`… [e2]. [e3] says …`)."""
    between = _JOIN.fullmatch(text, before, max(start, before))
    return bool(between) and not (re.search("[.。]", between[0]) and _OPENS.match(text, end)) if between else False


def _row(block: Block, groups: Sequence[_Group]) -> list[Stretch]:
    """Return a table's row: one stretch, on all of its markers (a cell says little without its row)."""
    return [Stretch(block.start, block.end, [n for group in groups for n in group.numbers], [], "row")]


def _sentence(text: str, start: int, end: int, groups: Sequence[_Group], kind: str) -> list[Stretch]:
    """Return the stretches of one sentence: what stands before a marker, or behind one that introduces."""
    if not groups:
        return [Stretch(start, end, [], [], kind)]
    out: list[Stretch] = []
    at = start
    leading: list[int] = []
    for n, group in enumerate(groups):
        until = groups[n + 1].start if n + 1 < len(groups) else end
        head = text[at : group.start]
        says = bool(_SAYS.match(text, group.end))
        empty = bool(_NOTHING.fullmatch(head))
        follows = not _NOTHING.fullmatch(text, group.end, until)
        introduces = not group.is_link and follows and (empty or says or bool(_INTRODUCES.search(head[-40:])))
        if introduces:
            if not empty and leading:
                out.append(Stretch(at, group.start, list(leading), [], kind))
            elif not empty:
                out.append(Stretch(at, group.start, list(group.numbers), [], kind))
            leading, at = list(group.numbers), group.end
            continue
        out.append(Stretch(at, max(group.words_from, at), [*leading, *group.numbers], [], kind))
        at = group.end
        leading = []
    if not _NOTHING.fullmatch(text, at, end):
        tail = leading or groups[-1].numbers
        out.append(Stretch(at, end, list(tail), [], kind))
    elif leading:
        out.append(Stretch(groups[-1].start, groups[-1].start, list(leading), [], kind))
    return out
