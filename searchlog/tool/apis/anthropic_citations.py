"""What the citations of an answer of Anthropic's API stand for. Pure.

    {"type": "search_result_location", "search_result_index": 2, "start_block_index": 0, "end_block_index": 1,
     "source": "https://example.org/mill", "title": "The mill", "cited_text": "The tide mill stores the flood."}

The number counts all `search_result` blocks of the request, in whichever turn they stand:

    units_of(messages)                    the blocks of a request, numbered as the API numbers them
    cited(response, units, known)         what each citation of its answer stands for, checked against its `cited_text`
    index_map(units, known)               evidence ids of each text of each block, to be kept with the answer

`known` is the id of evidence by address and shown text: `{(shown.url, shown.text): shown.id}`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from searchlog.digest import text_digest
from searchlog.errors import UsageError
from searchlog.search.answers.values import without_surrogates
from searchlog.tool.apis.base import dicts, plain_json

__all__ = ["LOCATION", "Cited", "Unit", "cited", "index_map", "units_of"]

LOCATION = "search_result_location"
_BEGIN_CHARS = 24
"""Of a text, by which it is found; shorter words are looked for in all of a page."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One `search_result` block of a request."""

    source: str
    title: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """What one citation of an answer stands for."""

    start: int
    """Range of the answer's text that it stands with, in code points."""
    end: int
    source: str
    """Address, as the citation names it."""
    cited_text: str
    evidence: tuple[str, ...]
    """Ids in order; none when it names nothing that was given."""
    state: str
    """`exact`: the numbers name passages whose text is the cited one. `moved`: other passages of that page have it, and
    only they. `elsewhere`: the numbers and the text agree, on a block that is no evidence of this session, wholly or in
    part. `unknown`: nothing has that text, or several places do."""


def units_of(messages: Iterable[Any]) -> list[Unit]:
    """Return all `search_result` blocks of a request in order: in messages of users and in results of tools.

    messages: as they were sent, of JSON or of objects of the SDK; what is neither is passed over.
    """
    return [unit for message in messages for unit in _units(message)]


def _units(message: Any) -> Iterator[Unit]:
    try:
        plain = plain_json(message)
    except UsageError:
        return
    if isinstance(plain, Mapping):
        for block in dicts(plain.get("content")):
            inner = dicts(block.get("content")) if block.get("type") == "tool_result" else [block]
            for one in inner:
                if one.get("type") == "search_result":
                    texts = tuple(_string(part.get("text")) for part in dicts(one.get("content")))
                    yield Unit(_string(one.get("source")), _string(one.get("title")), texts)


def index_map(units: Sequence[Unit], known: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    """Return what the numbers of a request's blocks mean: of each block its source, and of each text its evidence id,
    or None with the text's digest where it is no evidence."""
    return [
        {
            "source": unit.source,
            "blocks": [
                {"evidence": known.get((unit.source, text)), "digest": text_digest(without_surrogates(text))}
                for text in unit.texts
            ],
        }
        for unit in units
    ]


def cited(response: Any, units: Sequence[Unit], known: Mapping[tuple[str, str], str]) -> list[Cited]:
    """Return what each `search_result_location` of a response stands for, in the order of the answer.

    response: plain JSON. units: of the messages that it answers. Never raises for what stands in them.
    """
    content = response.get("content") if isinstance(response, Mapping) else response
    places = _Places(units, known)
    out: list[Cited] = []
    at = 0
    for block in dicts(content):
        if block.get("type") != "text":
            continue
        end = at + len(_string(block.get("text")))
        for one in dicts(block.get("citations")):
            if one.get("type") == LOCATION:
                ids, state = _evidence(one, units, known, places)
                out.append(Cited(at, end, _string(one.get("source")), _string(one.get("cited_text")), ids, state))
        at = end
    return out


def _evidence(
    citation: Mapping[str, Any], units: Sequence[Unit], known: Mapping[tuple[str, str], str], places: _Places
) -> tuple[tuple[str, ...], str]:
    """Return the ids that a citation stands for, and how that was found."""
    said, source = _bare(_string(citation.get("cited_text"))), _string(citation.get("source"))
    number, first, last = (citation.get(f"{name}_index") for name in ("search_result", "start_block", "end_block"))
    if type(number) is int and type(first) is int and type(last) is int and 0 <= number < len(units):
        unit = units[number]
        texts = unit.texts[first:last] if 0 <= first < last <= len(unit.texts) else ()
        if texts and unit.source == source and _bare("".join(texts)) == said:
            ids = [known.get((unit.source, text)) for text in texts]
            found = tuple(name for name in ids if name is not None)
            return found, "exact" if len(found) == len(ids) else "elsewhere"
    found_at = places.of(source, said) if said else set()
    if len(found_at) == 1:
        return next(iter(found_at)), "moved"
    return (), "unknown"


class _Places:
    """Finds words in the blocks of a request, which are gone through once, when a number is first wrong."""

    def __init__(self, units: Sequence[Unit], known: Mapping[tuple[str, str], str]) -> None:
        self._units, self._known = units, known
        self._blocks: dict[str, list[_Block]] = {}
        self._starts: dict[tuple[str, str], list[tuple[_Block, int]]] = {}
        """Texts of blocks by the address of their page and how they begin."""
        self._found: dict[tuple[str, str], set[tuple[str, ...]]] = {}

    def of(self, source: str, said: str) -> set[tuple[str, ...]]:
        """Return the ids of each run of texts in a block of this page that together are what was said."""
        if not self._blocks:
            self._read()
        if (source, said) not in self._found:
            self._found[source, said] = set(self._runs(source, said))
        return self._found[source, said]

    def _read(self) -> None:
        for unit in dict.fromkeys(self._units):
            bare = [_bare(text) for text in unit.texts]
            block = _Block(unit, "".join(bare), list(accumulate(map(len, bare), initial=0)))
            self._blocks.setdefault(unit.source, []).append(block)
            for first, start in enumerate(block.bounds[:-1]):
                begin = block.joined[start : start + _BEGIN_CHARS]
                self._starts.setdefault((unit.source, begin), []).append((block, first))

    def _runs(self, source: str, said: str) -> Iterator[tuple[str, ...]]:
        starts: Iterable[tuple[_Block, int]] = self._starts.get((source, said[:_BEGIN_CHARS]), ())
        if len(said) < _BEGIN_CHARS:
            starts = ((one, first) for one in self._blocks.get(source, ()) for first in range(len(one.unit.texts)))
        for block, first in starts:
            start, bounds = block.bounds[first], block.bounds
            if start < bounds[first + 1] and block.joined.startswith(said, start):
                after = bisect_left(bounds, start + len(said))
                ids = [self._known.get((source, text)) for text in block.unit.texts[first:after]]
                found = tuple(name for name in ids if name is not None)
                if bounds[after] == start + len(said) and len(found) == len(ids):
                    yield found


@dataclass(frozen=True, slots=True)
class _Block:
    """A block with its texts joined, without white space."""

    unit: Unit
    joined: str
    bounds: list[int]
    """Where each text begins, and where the last one ends."""


def _bare(text: str) -> str:
    """Return a text without white space: how blocks are joined is the API's own."""
    return "".join(text.split())


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
