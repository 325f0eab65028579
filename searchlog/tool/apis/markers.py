"""Passages with citation markers, as OpenAI's guide to citation formatting has them. Pure.

    <evidence e7 3f9a0c21b7d4e5f6>
    Citation Marker: \\ue200cite\\ue202turn0block7\\ue201
    Title: The mill
    URL: https://example.org/mill
    page fetched 2026-01-02T03:04:05Z · …

    [L1] The tide mill stores the flood in a pond.
    [L2] Its gate shuts at high water.
    </evidence e7 3f9a0c21b7d4e5f6>

The digest in the fence is that of what stands between the two lines, as in a rendering. The three characters that make
a marker are written out where a page has them (`\\ue200`, with one more backslash for every one before it), so that no
page can write a marker; `parse_markers` puts them back and returns the passages as they were shown, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from searchlog.answer.aliases import BETWEEN, CLOSE, OPEN, marker, marker_name
from searchlog.digest import hex_of, text_digest
from searchlog.errors import FormatError
from searchlog.tool.apis.base import described, unfenced
from searchlog.tool.definition import Definition
from searchlog.tool.result import Result, Shown

__all__ = ["Marked", "marked_text", "parse_markers", "told", "told_of"]

_DIGITS = 16
_FENCE = re.compile(r"^<evidence (e\d+) ([0-9a-f]{16})>$", re.MULTILINE)
_MARK = re.compile(rf"(?<!\\)(\\*+)(?:([{OPEN}{CLOSE}{BETWEEN}])|(ue20[012]))")
_WRITTEN = re.compile(r"(?<!\\)(\\++)(ue20[012])")


@dataclass(frozen=True, slots=True)
class Marked:
    """One passage as it stands in a text with markers."""

    id: str
    url: str
    title: str
    text: str
    """As it was shown."""


def told(result: Result, citations: str) -> str:
    """Return what a model is told: with markers, or the plain text, whose ids are cited."""
    return marked_text(result) if citations == "markers" else result.text


def told_of(tool: Definition, citations: str) -> str:
    """Return the description of a tool."""
    if citations != "markers":
        return tool.description
    return described(tool, "cite it by its citation marker, copied as it is, behind what it supports.")


def marked_text(result: Result) -> str:
    """Return a result as text in which each passage has its citation marker; without passages, the plain text."""
    if not result.passages:
        return result.text
    how = _how([marker_name(passage.id) for passage in result.passages])
    lead = unfenced(_written(result.lead), how)
    return "".join([lead, *map(_unit, result.passages), _written(result.tail)])


def _how(names: Sequence[str]) -> str:
    one, other = names[0], names[1 if len(names) > 1 else 0]
    several = f"several at once like {marker(one, other)}, " if other != one else ""
    return (
        "Each stands between two <evidence> lines with the same digest. Cite a passage by its citation marker, copied "
        f"as it is, behind what it supports: like {marker(one)}, {several}lines of it like {marker(one, 'L1-L2')}."
    )


def _unit(passage: Shown) -> str:
    head = [
        f"Citation Marker: {marker(marker_name(passage.id))}",
        *map(_written, (f"Title: {passage.title}", f"URL: {passage.url}", *filter(None, passage.about))),
    ]
    lines = [f"[L{number}] {line}" for number, line in enumerate(_written(passage.text).split("\n"), 1)]
    inside = "\n".join([*head, "", *lines])
    name = f"{passage.id} {hex_of(text_digest(inside))[:_DIGITS]}"
    return f"\n<evidence {name}>\n{inside}\n</evidence {name}>\n"


def parse_markers(text: str) -> list[Marked]:
    """Return the passages of a text with markers, in order. Text outside of fences is passed over.

    Raises FormatError if a fence is not closed, or if what it encloses is not what its digest names.
    """
    out: list[Marked] = []
    at = 0
    while opening := _FENCE.search(text, at):
        id, digits = opening.groups()
        begin = opening.end() + 1
        end = text.find(f"\n</evidence {id} {digits}>", begin)
        inside = text[begin:end] if end >= 0 else ""
        if end < 0 or hex_of(text_digest(inside))[:_DIGITS] != digits:
            raise FormatError(f"evidence {id} does not match its fence: the text was changed", id=id)
        out.append(_marked(id, inside))
        at = end + 1
    return out


def _marked(id: str, inside: str) -> Marked:
    head, _, numbered = inside.partition("\n\n")
    said = head.split("\n")
    lines = numbered.split("\n")
    prefixes = [f"[L{number}] " for number in range(1, len(lines) + 1)]
    sound = len(said) >= 3 and said[0] == f"Citation Marker: {marker(marker_name(id))}"
    sound = sound and said[1].startswith("Title: ") and said[2].startswith("URL: ")
    if not sound or not all(map(str.startswith, lines, prefixes)):
        raise FormatError(f"evidence {id} is no passage with a citation marker", id=id)
    text = "\n".join(line.removeprefix(prefix) for line, prefix in zip(lines, prefixes, strict=True))
    title, url = said[1].removeprefix("Title: "), said[2].removeprefix("URL: ")
    return Marked(id, _read(url), _read(title), _read(text))


def _written(text: str) -> str:
    """Return a text without the characters of a marker, written out so that `_read` finds them again."""

    def write(match: re.Match[str]) -> str:
        slashes, mark, written = match.groups()
        return slashes * 2 + (written if mark is None else f"\\u{ord(mark):x}")

    return _MARK.sub(write, text)


def _read(text: str) -> str:
    def read(match: re.Match[str]) -> str:
        slashes, written = match.groups()
        kept = "\\" * (len(slashes) // 2)
        return kept + (chr(int(written[1:], 16)) if len(slashes) % 2 else written)

    return _WRITTEN.sub(read, text)
