"""How an answer is laid out: its blocks, the code in it that says nothing, its quotations and its sentences. Pure.

A small reading of Markdown: enough to know where a sentence ends and what is a heading, a list item, a row, a block
quotation or an entry of a list of sources. It never fails; what it does not know is a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Block", "Quoted", "blocks_of", "quoted_in", "sentences_of", "without_code"]

_FENCED = re.compile(r"(?m)^[ \t]{0,8}(`{3,}+|~{3,}+)[^\n]*+\n(?:.*?(?:^[ \t]{0,8}\1[`~]*[ \t]*$|\Z))", re.DOTALL)
_INLINE = re.compile(r"(?<![`\\])(`{1,3})(?!`)([^`\n]{1,2000})\1(?!`)")
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).){0,10000}-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One block at `[start, end)`, without what marks it (`- `, `> `, `## `, `[^1]: `)."""

    kind: str
    """`paragraph`, `item`, `row`, `heading`, `quote`, `source`, `definition`."""
    start: int
    end: int
    label: str = ""
    """Of a source or definition: its number or name."""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Quoted:
    """What stands between quotation marks: `[start, end)` with the marks, `[inner_start, inner_end)` without."""

    start: int
    end: int
    inner_start: int
    inner_end: int
    mark: str


def without_code(text: str) -> str:
    """Return the text with code and comments as blanks; as long as it was."""

    def blank(m: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", m[0])

    if "```" in text or "~~~" in text:
        text = _FENCED.sub(blank, text)
    if "<!--" in text:
        text = _COMMENT.sub(blank, text)
    return _INLINE.sub(blank, text) if "`" in text else text


# --- blocks ----------------------------------------------------------------------------------------------------------

_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+")
_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[:：]?[ \t]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•·][ \t]+|\(?\d{1,3}[.)、．][ \t]*(?!\d)|[（(][一二三四五六七八九十\d]{1,3}[)）][ \t]*|"
    r"[a-z][.)][ \t]+)(?:\[[ xX]\] )?"
)
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?(?:>[ \t]?)*")
_ROW = re.compile(r"[ \t]*\|.*\|?[ \t]*$")
_RULE = re.compile(r"[ \t]*(?:[|:+-][ \t]*){3,}$|[ \t]*(?:[*_=][ \t]*){3,}$")
_DEFINITION = re.compile(r"[ \t]{0,3}\[\^([^\]\s]{1,60})\]:[ \t]*")
_REFERENCE = re.compile(r"[ \t]{0,3}\[([^\]^][^\]]{0,60})\]:[ \t]+(?=<?https?://)")
_SOURCES = re.compile(
    r"[ \t#*_>\-]*(?:\d+[.、]\s*)?(?:sources?|references?|citations?|bibliography|works cited|links?|"
    r"further reading|notes|footnotes|"
    r"quellen|quellenangaben|sources? :|références|fuentes|referencias|fonti|riferimenti|fontes|referências|bronnen|"
    r"источники|ссылки|المصادر|المراجع|स्रोत|संदर्भ|kaynaklar|nguồn|참고 ?자료|출처|参考|出典|參考|"
    r"参考资料|参考文献|參考資料|資料來源|资料来源|来源|引用来源|引用|数据来源|注释|脚注)(?:\s*(?:cited|used|"
    r"list|列表))?[ \t*_:：]*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?:\*\*)?(?:\[(\d{1,3})\]|【(\d{1,3})】|(\d{1,3})[.):、．]|([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})|"
    r"\^(\d{1,3}))(?:\*\*)?[:：]?[ \t]*(?!\()"
)
_POINTS_OUT = re.compile(r"https?://|\be\d{1,6}\b|www\.")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a text (without code) in order."""
    found: list[Block] = []
    in_sources = False
    at = 0
    run: list[tuple[str, int, int]] = []

    def close() -> None:
        if run:
            kind = run[0][0]
            found.append(Block(kind, run[0][1], run[-1][2], level=1 if kind == "item" else 0))
            run.clear()

    for line in text.splitlines(keepends=True):
        start, end = at, at + len(line.rstrip())
        at += len(line)
        body = line.rstrip()
        if not body.strip():
            close()
            continue
        if _SOURCES.match(body) and len(body) < 60:
            close()
            in_sources = True
            found.append(Block("heading", start, end))
            continue
        entry = _entry(body, start, end, in_sources=in_sources)
        if entry:
            close()
            found.append(entry)
            continue
        if heading := _HEADING.match(body) or _BOLD_LINE.match(body):
            close()
            in_sources = False
            is_bold = heading.end() == len(body)
            found.append(Block("heading", start if is_bold else start + heading.end(), end))
        elif _RULE.match(body):
            close()
        elif quote := _QUOTE.match(body):
            if not run or run[0][0] != "quote":
                close()
            run.append(("quote", start + quote.end(), end))
        elif body.lstrip().startswith("|") and _ROW.match(body):
            close()
            found.append(Block("row", start, end))
        elif item := _ITEM.match(body):
            close()
            run.append(("item", start + item.end(), end))
        elif run and run[0][0] != "quote":
            run.append((run[0][0], start, end))
        else:
            close()
            run.append(("paragraph", start, end))
    close()
    return found


def _entry(body: str, start: int, end: int, *, in_sources: bool) -> Block | None:
    """Return the entry of a list of sources, the footnote or the link definition that a line is."""
    if m := _DEFINITION.match(body):
        return Block("definition", start + m.end(), end, "^" + m[1].lower())
    if m := _REFERENCE.match(body):
        return Block("definition", start + m.end(), end, m[1].lower())
    if not in_sources and not _POINTS_OUT.search(body):
        return None
    m = _ENTRY.match(body)
    bracketed = bool(m and (m[1] or m[2] or m[4] or m[5]))
    if m and (in_sources or (bracketed and _is_pointer(body[m.end() :]))):
        label = next(g for g in m.groups() if g).translate(_SUPERSCRIPT)
        return Block("source", start + m.end(), end, label)
    if in_sources and _POINTS_OUT.search(body):
        item = _ITEM.match(body)
        return Block("source", start + (item.end() if item else 0), end)
    return None


def _is_pointer(rest: str) -> bool:
    """Return whether what follows a number points to a page and says little else: `Title - https://…`."""
    url = _POINTS_OUT.search(rest)
    return bool(url) and url is not None and url.start() < 200 and not re.search(r"[.!?。！？]\s", rest[: url.start()])


# --- quotations ------------------------------------------------------------------------------------------------------

_LONGEST = 6_000
_PAIRS = re.compile(
    rf"“[^“”]{{1,{_LONGEST}}}”|„[^„“”\"]{{1,{_LONGEST}}}[“”\"]|«[^«»]{{1,{_LONGEST}}}»|"
    rf"»[^«»]{{1,{_LONGEST}}}«|「[^「」]{{1,{_LONGEST}}}」|"
    rf"『[^『』]{{1,{_LONGEST}}}』|〝[^〝〞〟]{{1,{_LONGEST}}}[〞〟]|"
    rf"(?<!\w)‘[^‘’\n]{{1,{_LONGEST}}}’(?!\w)|(?<!\w)‘(?:[^‘’\n]|’(?=\w)){{1,{_LONGEST}}}’(?!\w)"
)
_CJK = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
_STRAIGHT = re.compile(rf'(?:(?<![^\W{_CJK}])|(?<=_))"(?=\S)')
_SINGLE = re.compile(r"(?<![\w'])'(?=[^\W\d_][^'\n]{1,400}?\s)(?:[^'\n]|(?<=\w)'(?=\w)){10,2000}'(?![\w'])")


def quoted_in(text: str, start: int, end: int) -> list[Quoted]:
    """Return the quotations in a range, the outermost only, in order."""
    found = [Quoted(*m.span(), m.start() + 1, m.end() - 1, m[0][0]) for m in _PAIRS.finditer(text, start, end)]
    found += _straight(text, start, end)
    found += [Quoted(*m.span(), m.start() + 1, m.end() - 1, "'") for m in _SINGLE.finditer(text, start, end)]
    found.sort(key=lambda q: (q.start, -q.end))
    kept: list[Quoted] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _straight(text: str, start: int, end: int) -> list[Quoted]:
    """Pair straight marks: one that opens stands before a word, one that closes stands behind one."""
    found: list[Quoted] = []
    marks = [m.start() for m in re.compile('"').finditer(text, start, end)]
    n = 0
    while n < len(marks) - 1:
        if not _STRAIGHT.match(text, marks[n]) or text[marks[n] - 1 : marks[n]] == "=":
            n += 1
            continue
        closing = next((k for k in range(n + 1, min(n + 8, len(marks))) if _closes(text, marks[k])), None)
        if closing is None or marks[closing] - marks[n] < 2 or marks[closing] - marks[n] > _LONGEST:
            n += 1
            continue
        found.append(Quoted(marks[n], marks[closing] + 1, marks[n] + 1, marks[closing], '"'))
        n = closing + 1
    return found


def _closes(text: str, at: int) -> bool:
    """Return whether a straight mark may close: it stands behind a word, or before none."""
    return not text[at - 1].isspace() or not text[at + 1 : at + 2].isalnum()


# --- sentences -------------------------------------------------------------------------------------------------------

_STOP = re.compile(
    r"(?:[.!?…]{1,6}[\"'”’»)\]*_]{0,4}(?=\s|$|\[|\ue200|【|\(\[|<cite|[¹²³⁴⁵⁶⁷⁸⁹])|"
    r"[؟۔।॥։።]{1,4}[\"'”’»)\]]{0,4}(?=\s|$)|"
    r"[。！？｡][」』”’）】〉》\"*]{0,4}|\n(?=\s*\n))"
)
_SHORT = re.compile(
    r"(?:^|[\s(\[\"“‘'*])(?:[A-Za-z]|[A-Z]\.(?:[A-Z]\.)*[A-Z]?|dr|mr|mrs|ms|prof|st|vs|etc|e\.g|i\.e|cf|al|"
    r"inc|ltd|co|corp|jr|sr|no|nos|fig|"
    r"vol|pp|p|ed|eds|ca|c|approx|gen|sen|rep|gov|rev|hon|lt|col|capt|sgt|mt|ft|jan|feb|mar|apr|jun|jul|aug|"
    r"sept?|oct|nov|"
    r"dec|u\.s|u\.k|u\.n|d\.c|a\.m|p\.m|b\.c|a\.d|ph\.d|bzw|z\.b|d\.h|usw|ca|nr|bd|geb|mio|mrd|г|гг|см|т\.е|"
    r"т\.д|род|ул)\.$",
    re.IGNORECASE,
)


def sentences_of(text: str, start: int, end: int, quotes: Sequence[Quoted]) -> list[tuple[int, int]]:
    """Return the ranges of the sentences in `[start, end)`; no sentence ends inside one of the quotations."""
    out: list[tuple[int, int]] = []
    begin = start
    inside = [q for q in quotes if q.start < end and q.end > start]
    n = 0
    for m in _STOP.finditer(text, start, end):
        while n < len(inside) and inside[n].end < m.end():
            n += 1
        if n < len(inside) and inside[n].start < m.start() and m.end() < inside[n].end:
            continue
        if m[0][0] == "." and not _is_end(text, m.start(), m.end(), end):
            continue
        if m[0][0] in "…." and len(m[0].rstrip("\"'”’»)]")) > 1 and not _begins(text, m.end(), end):
            continue
        out.append((begin, m.end()))
        begin = m.end()
    if text[begin:end].strip():
        out.append((begin, end))
    return out


def _is_end(text: str, stop: int, after: int, end: int) -> bool:
    head = text[max(0, stop - 14) : stop + 1]
    if _SHORT.search(head):
        # "… in the U.S. The …" ends; "Dr. Smith" and "approx. 5" do not: only initials before a common word do
        return bool(re.search(r"(?:[A-Z]\.){2,}$|(?:a\.m|p\.m|etc|Inc|Ltd|Co|Corp|Jr|Sr)\.$", head)) and bool(
            re.match(
                r"\s+(?:The|It|In|He|She|They|This|That|These|A|An|However|But|And|For|As|At|On|By|We|His|Her|"
                r"Its|Their)\b",
                text[after:end][:20],
            )
        )
    return _begins(text, after, end) or not re.match(r"\s*[a-z]", text[after : after + 12])


def _begins(text: str, at: int, end: int) -> bool:
    """Return whether a new sentence may begin here: no small letter follows."""
    rest = text[at : min(end, at + 40)].lstrip(" \t*_\"'“‘(«")
    return not rest or not rest[0].islower()
