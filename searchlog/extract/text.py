"""Plain text, tables of values, source code and JSON: blocks over the text exactly as it stands. Pure.

Of plain text only what people mark by custom is read: blank lines between paragraphs, underlined, numbered and
capital headings, list items, the page ends of RFCs. JSON is cut where its records end, source code where what stands
at the margin begins; a row of CSV is one even over several lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from urllib.parse import urlsplit

from searchlog.extract.conversion import BLOCKS_MAX, Block

__all__ = ["CONVERTER", "blocks_of", "code_blocks", "json_blocks", "row_blocks", "text_blocks"]

CONVERTER = "text/3"

_CODE_NAME = re.compile(
    r"\.(?:c|cc|cpp|cs|css|cu|d|dart|el|ex|exs|f90|go|h|hpp|hs|ini|ipynb|java|jl|js|jsx|kt|lua|m|mjs|ml|nix|patch|php|pl|"
    r"pm|ps1|py|pyi|r|rb|rs|scala|scm|sh|sql|swift|tcl|toml|ts|tsx|vim|ya?ml|zig)$",
    re.I,
)
_ROWS_NAME = re.compile(r"\.(?:csv|tsv)$", re.I)


def blocks_of(media_type: str, text: str, url: str) -> tuple[Block, ...]:
    """Return the blocks of a text by its type, and by the suffix of its address where the type is plain."""
    if media_type == "application/json":
        return json_blocks(text)
    path = urlsplit(url).path if "[" not in url else ""
    if media_type in ("text/csv", "text/tab-separated-values") or _ROWS_NAME.search(path):
        return row_blocks(text)
    if _CODE_NAME.search(path):
        return code_blocks(text)
    return text_blocks(text)


def _bounded(text: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks; beyond `BLOCKS_MAX` the rest of the text is one."""
    out: list[Block] = []
    for block in blocks:
        if len(out) >= BLOCKS_MAX:
            out.append(Block("other", block.start, len(text.rstrip())))
            break
        out.append(block)
    return tuple(out)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines one by one: a list of two million takes more room than the text."""
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    yield text[at:]


# --- plain text

_UNDERLINE = re.compile(r"[ \t]*([=\-~^*#])\1{2,}[ \t\r]*$")
_LEVELS = {"=": 1, "*": 1, "#": 1, "-": 2, "~": 3, "^": 4}
_SECTION = re.compile(r"(?:(?:Appendix|Chapter|Section|Part) )?(?:\d{1,3}|[A-Z])((?:\.\d{1,3})*)\.?[ \t]{1,4}[^\W\d_]")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)])[ \t]+\S")
_PAGE_END = re.compile(r".*\[Page \d+\]\s*$")
_HEADING_CHARS_MAX = 90
_RUN_LINES_MAX = 5_000
"""Lines without a blank one between them that are looked at together."""


def text_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a plain text: one paragraph for each run of lines between blank ones, unless it is more.

    The text is not changed, long lines stay long. Beyond `BLOCKS_MAX` blocks the rest of the text is one.
    """
    return _bounded(text, _text_blocks(text))


def _text_blocks(text: str) -> Iterator[Block]:
    run: list[tuple[int, str]] = []
    group, kind = 1, ""
    at = 0
    turned = False  # whether a page has just been turned: what follows is its running head
    for line in chain(_lines(text), ("",)):
        ends = not line.strip()
        if ends or len(run) == _RUN_LINES_MAX:
            for block in _of_run(run, group) if run else ():
                group += kind == "list-item" != block.kind  # items go on over blank lines
                kind = block.kind
                yield replace(block, group=group) if block.group else block
            run = []
        if ends:
            turned = turned or "\f" in line
        else:
            turned = turned or line.startswith("\f")
            if turned and not run:
                yield _block("paragraph", [(at, line)], furniture="header")
                turned = False
            else:
                run.append((at, line))
        at += len(line) + 1


def _of_run(run: list[tuple[int, str]], group: int) -> Iterator[Block]:
    """Yield the blocks of lines without a blank one between them."""
    at = 0
    while at < len(run):
        two = run[at : at + 2]
        if at == len(run) - 1 and _PAGE_END.match(two[0][1]):
            yield _block("paragraph", two, furniture="footer")
            return
        level = _heading_level(two)
        if not level:
            break
        underlined = len(two) > 1 and _UNDERLINE.match(two[1][1]) is not None
        yield _block("heading", two[: 1 + underlined], level=level)
        at += 1 + underlined
    run = run[at:]
    if not run:
        return
    items = [index for index, (_, line) in enumerate(run) if _ITEM.match(line)]
    if len(items) < 2 and not (items and items[0] == 0):
        yield _block("paragraph", run)
        return
    if items[0]:
        yield _block("paragraph", run[: items[0]])
    for begin, end in zip(items, [*items[1:], len(run)], strict=True):
        yield _block("list-item", run[begin:end], level=1, group=group)


def _block(kind: str, run: list[tuple[int, str]], **more: object) -> Block:
    first, last = run[0], run[-1]
    start = first[0] + first[1].index(first[1].strip()[0])
    return Block(kind, start, last[0] + len(last[1].rstrip()), **more)  # type: ignore[arg-type]


def _heading_level(run: list[tuple[int, str]]) -> int:
    """Return the level of the heading that a run begins with, 0 when it begins with none."""
    line = run[0][1].rstrip()
    if len(line.strip()) > _HEADING_CHARS_MAX or not any(map(str.isalpha, line)):
        return 0
    if len(run) > 1 and (under := _UNDERLINE.match(run[1][1])):
        return _LEVELS[under[1]] if len(run[1][1].strip()) >= min(3, len(line.strip())) else 0
    if line[0].isspace() or line.endswith((".", ",", ";", ":")):
        return 0
    if len(run) == 1 and (section := _SECTION.match(line)) and not re.search(r"\.{3}|(?: \.){3}", line):
        return min(6, 1 + section[1].count("."))
    alone = len(run) == 1 or run[1][1][0] in " \t"
    return 1 if alone and line.isupper() and len(line) > 3 and sum(map(str.isalpha, line)) * 2 > len(line) else 0


# --- rows of values

_ROW_LINES_MAX = 50


def row_blocks(text: str) -> tuple[Block, ...]:
    """Return a table row for each record of CSV or TSV (RFC 4180).

    The first is the head if no cell of it is a number.
    """
    return _bounded(text, _rows(text))


def _rows(text: str) -> Iterator[Block]:
    at, start, lines, head = 0, 0, 0, True
    quotes = 0
    for line in _lines(text):
        quotes += line.count('"')
        lines += 1
        end = at + len(line)
        at = end + 1
        if quotes % 2 and lines < _ROW_LINES_MAX:
            continue  # a line feed inside quotes
        row = text[start:end]
        bare = row.strip()
        if bare:
            begin = start + row.index(bare[0])
            is_head = head and not any(map(_is_number, re.split(r"[,;\t|]", bare)))
            yield Block("table-row", begin, begin + len(bare), group=1, head=is_head)
            head = False
        start, lines, quotes = at, 0, 0
    row = text[start:]
    if row.strip():
        begin = start + row.index(row.strip()[0])
        yield Block("table-row", begin, len(text.rstrip()), group=1)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\s*\"?[-+]?\d[\d.,:%-]*\"?\s*", cell) is not None


# --- source code

_CODE_CHARS_ENOUGH = 200
_CODE_CHARS_MAX = 1_600


def code_blocks(text: str) -> tuple[Block, ...]:
    """Return code cut at blank lines where the next line stands at the margin: functions and their like stay whole."""
    return _bounded(text, _code(text))


def _code(text: str) -> Iterator[Block]:
    start = end = -1
    at, blank = 0, False
    for line in _lines(text):
        bare = line.strip()
        if bare:
            size = end - start
            margin = not line[0].isspace() and bare[0] not in ")]}"
            if start >= 0 and blank and ((margin and size >= _CODE_CHARS_ENOUGH) or size > _CODE_CHARS_MAX):
                yield Block("code", start, end, group=1)
                start = -1
            if start < 0:
                start = at
            end = at + len(line.rstrip())
        blank = not bare
        at += len(line) + 1
    if start >= 0:
        yield Block("code", start, end, group=1)


# --- JSON

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],\n]', re.S)
_DEPTH_MAX = 40


def json_blocks(text: str) -> tuple[Block, ...]:
    """Return JSON, or lines of it, as code: one block if it is short, else cut between members, the outermost first.

    Members are kept together until a block is worth reading, and cut in their turn where they are long. What is no JSON
    is cut all the same.
    """
    bare = text.strip()
    if not bare:
        return ()
    start = text.index(bare[0])
    end = start + len(bare)
    if len(bare) <= _CODE_CHARS_MAX:
        return (Block("code", start, end, group=1),)
    cuts: list[list[int]] = [[] for _ in range(_DEPTH_MAX + 1)]
    depth = 0
    for match in _TOKEN.finditer(text, start, end):
        char = match[0]
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth = max(0, depth - 1)
        elif (char == "," or (char == "\n" and depth == 0)) and depth <= _DEPTH_MAX:
            cuts[depth].append(match.end())
    return _bounded(text, (_code_block(text, one, two) for one, two in _members(start, end, 0, cuts)))


def _code_block(text: str, start: int, end: int) -> Block:
    part = text[start:end]
    bare = part.strip()
    begin = start + part.index(bare[0])
    return Block("code", begin, begin + len(bare), group=1)


def _members(start: int, end: int, depth: int, cuts: list[list[int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of blocks; each has something other than blanks in it: a cut stands behind a sign."""
    if end - start <= _CODE_CHARS_MAX or depth > _DEPTH_MAX:
        yield start, end
        return
    here = cuts[depth]
    inside = here[bisect_left(here, start + 1) : bisect_left(here, end)]
    at = last = start
    for cut in (*inside, end):
        is_long = cut - last > _CODE_CHARS_MAX
        if at < last and (last - at >= _CODE_CHARS_ENOUGH or (cut - at > _CODE_CHARS_MAX and not is_long)):
            yield at, last
            at = last
        if is_long:
            yield from _members(at, cut, depth + 1, cuts)  # with what little stands before it
            at = cut
        last = cut
    if at < last:
        yield at, last
