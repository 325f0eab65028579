"""Markdown: blocks over the source text, which is not changed: marks stay in the text, and offsets are the file's
own. Pure.

Read: ATX and setext headings, fenced and indented code, lists, block quotes, pipe tables, a front matter at the
top, and of HTML blocks: headings of one line, and comments, which nobody sees. Not read: inline markup, reference
definitions, other HTML; they are paragraphs, those of nothing but badges labelled. Spec: CommonMark 0.31 section 4
and 5, GFM tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from searchlog.extract.conversion import Block, Dated, Metadata
from searchlog.extract.dates import iso_date

__all__ = ["CONVERTER", "markdown_blocks", "metadata"]

CONVERTER = "markdown/3"

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")


@dataclass(slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())

    @property
    def first(self) -> int:
        return self.start + len(self.text) - len(self.text.lstrip())


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown source in order; what follows very many lines is one block."""
    end = -1
    for _ in range(_LINES_MAX):
        end = text.find("\n", end + 1)
        if end < 0:
            return tuple(_Reader(text).blocks())
    blocks = tuple(_Reader(text[:end]).blocks())
    rest = text[end:].strip()
    start = text.index(rest[0], end) if rest else end
    return (*blocks, Block("other", start, start + len(rest))) if rest else blocks


_LINES_MAX = 100_000


_IMAGE = re.compile(r"!\[([^\[\]]{0,300})\](?:\([^()\s]{0,1000}(?:\s[^()]{0,300})?\)|\[[^\[\]]{0,100}\])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\](?:\([^()\s]{0,1000}(?:\s[^()]{0,300})?\)|\[[^\[\]]{0,100}\])")
_HTML_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_HTML_HEADING = re.compile(r"\s*<h([1-6])(?:\s[^<>]{0,300})?>.{1,300}</h\1>\s*$", re.I)


def metadata(text: str, blocks: tuple[Block, ...]) -> Metadata:
    """Return what the front matter says; the title else from the first heading, without its marks."""
    stated = _front_matter(text)
    published, modified = (
        _date(stated, *names) for names in (("date", "published", "pubdate"), ("lastmod", "updated"))
    )
    return Metadata(
        title=stated.get("title") or _first_heading(text, blocks),
        author=stated.get("author"),
        language=stated.get("lang") or stated.get("language"),
        published=published,
        modified=modified,
    )


def _date(stated: dict[str, str], *names: str) -> Dated | None:
    for name in names:
        if found := iso_date(stated.get(name, "")):
            return Dated(found, f"front-matter:{name}")
    return None


_PAIR = re.compile(r"([A-Za-z][\w-]{0,30})\s*[:=]\s*(.*)$")
_VALUE_CHARS_MAX = 500


def _front_matter(text: str) -> dict[str, str]:
    """Return the plain values of a front matter in YAML (`---`) or TOML (`+++`): one line each, nothing nested."""
    lines = text[:20_000].split("\n", 200)
    mark = lines[0].rstrip()
    if mark not in _FRONT_MARKS:
        return {}
    out: dict[str, str] = {}
    for line in lines[1:200]:
        if line.rstrip() in (mark, "..."):
            return out
        match = _PAIR.match(line)
        if match:
            value = match[2].strip().strip("[]").strip().strip("\"'").strip()
            if value and not value.startswith(("|", ">", "{")):
                out.setdefault(match[1].lower(), value[:_VALUE_CHARS_MAX])
    return {}


_FRONT_MARKS = ("---", "+++")


def _first_heading(text: str, blocks: tuple[Block, ...]) -> str | None:
    for block in blocks:
        if block.kind == "heading":
            line = text[block.start : block.end].split("\n", 1)[0].strip().strip("#").strip()
            line = _HTML_TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", line))).replace("`", "").replace("**", "")
            if title := " ".join(line.split())[:_VALUE_CHARS_MAX]:
                return title
    return None


def _is_badges(text: str) -> bool:
    """Return whether a paragraph is pictures, and links around them, only."""
    if "![" not in text and "<img" not in text:
        return False
    bare = _HTML_TAG.sub("", _LINK.sub("", _IMAGE.sub("", text[:20_000])))
    return not any(map(str.isalnum, bare))


class _Reader:
    """Lines of a source and where reading stands."""

    def __init__(self, text: str) -> None:
        self._lines: list[_Line] = []
        at = 0
        for line in text.split("\n"):
            self._lines.append(_Line(at, line))
            at += len(line) + 1
        self._at = 0
        self._groups = 0
        self._list_group: int | None = None
        self._indents: list[int] = []

    def blocks(self) -> Iterator[Block]:
        lines = self._lines
        if lines[0].text.rstrip() in _FRONT_MARKS:
            yield from self._front_matter()
        while self._at < len(lines):
            line = lines[self._at]
            if not line.text.strip():
                self._at += 1
                continue
            item = _ITEM.match(line.text)
            if item is None and not line.text.startswith((" ", "\t")):
                self._list_group, self._indents = None, []
            yield from self._block(line, item)

    def _front_matter(self) -> Iterator[Block]:
        for index, line in enumerate(self._lines[1:200], 1):
            if line.text.rstrip() in (self._lines[0].text.rstrip(), "..."):
                self._at = index + 1
                yield Block("code", self._lines[0].start, line.end, group=self._group(), furniture="header")
                return

    def _block(self, line: _Line, item: re.Match[str] | None) -> Iterator[Block]:
        if line.text.lstrip().startswith("<!--"):
            yield self._comment(line)
        elif heading := _HTML_HEADING.match(line.text):
            self._at += 1
            yield Block("heading", line.first, line.end, level=int(heading[1]))
        elif fence := _FENCE.match(line.text):
            yield self._fenced(fence[1])
        elif atx := _ATX.match(line.text):
            self._at += 1
            yield Block("heading", line.first, line.end, level=len(atx[1]))
        elif _RULE.fullmatch(line.text.rstrip()):
            self._at += 1
        elif item is not None:
            yield self._item(line, item)
        elif self._list_group is None and line.text.startswith(("    ", "\t")):
            yield self._indented()
        elif line.text.lstrip().startswith(">"):
            yield self._run("quote", lambda text: text.lstrip().startswith(">"))
        elif self._is_table():
            yield from self._table()
        else:
            yield self._paragraph(line)

    def _group(self) -> int:
        self._groups += 1
        return self._groups

    def _comment(self, line: _Line) -> Block:
        """Return an HTML comment, to the end of the line where it ends (CommonMark section 4.6, kind 2)."""
        last = line
        while self._at < len(self._lines):
            last = self._lines[self._at]
            self._at += 1
            if "-->" in last.text:
                break
        hidden = None if last.text.rpartition("-->")[2].strip() else "comment"
        return Block("paragraph", line.first, max(line.end, last.end), hidden=hidden)

    def _fenced(self, fence: str) -> Block:
        first = last = self._lines[self._at]
        closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.text.strip():
                last = line
            if closing.match(line.text):
                break
        return Block("code", first.first, last.end, group=self._group())

    def _indented(self) -> Block:
        first = last = self._lines[self._at]
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.text.strip() and not line.text.startswith(("    ", "\t")):
                break
            if line.text.strip():
                last = line
            self._at += 1
        return Block("code", first.start, last.end, group=self._group())

    def _item(self, line: _Line, item: re.Match[str]) -> Block:
        indent = len(item[1].expandtabs(4))
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or indent > self._indents[-1]:
            self._indents.append(indent)
        if self._list_group is None:
            self._list_group = self._group()
        end = self._continue(line)
        return Block("list-item", line.first, end, level=len(self._indents), group=self._list_group)

    def _continue(self, line: _Line) -> int:
        """Take the lines that belong to a paragraph or an item; return the end."""
        end = line.end
        self._at += 1
        while self._at < len(self._lines):
            following = self._lines[self._at]
            text = following.text
            if (
                not text.strip()
                or _ITEM.match(text)
                or _FENCE.match(text)
                or _ATX.match(text)
                or text.lstrip().startswith(">")
            ):
                break
            end = following.end
            self._at += 1
        return end

    def _run(self, kind: str, belongs: Callable[[str], bool]) -> Block:
        first = last = self._lines[self._at]
        while self._at < len(self._lines) and belongs(self._lines[self._at].text):
            last = self._lines[self._at]
            self._at += 1
        return Block(kind, first.first, last.end)

    def _is_table(self) -> bool:
        if self._at + 1 >= len(self._lines):
            return False
        head, rule = self._lines[self._at].text, self._lines[self._at + 1].text
        return "|" in head and "-" in rule and _TABLE_RULE.match(rule) is not None

    def _table(self) -> Iterator[Block]:
        group, row = self._group(), 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.text.strip() or "|" not in line.text:
                break
            if row != 1:
                yield Block("table-row", line.first, line.end, group=group, head=row == 0)
            row += 1
            self._at += 1

    def _paragraph(self, line: _Line) -> Block:
        begin = self._at
        self._at += 1
        end = line.end
        while self._at < len(self._lines):
            following = self._lines[self._at]
            setext = _SETEXT.match(following.text)
            if setext:
                self._at += 1
                return Block("heading", line.first, following.end, level=1 if setext[1][0] == "=" else 2)
            text = following.text
            if (
                not text.strip()
                or _FENCE.match(text)
                or _ATX.match(text)
                or text.lstrip().startswith(">")
                or _ITEM.match(text)
            ):
                break
            end = following.end
            self._at += 1
        assert self._at > begin
        is_badges = _is_badges("\n".join(one.text for one in self._lines[begin : self._at]))
        return Block("paragraph", line.first, end, furniture="boilerplate" if is_badges else None)
