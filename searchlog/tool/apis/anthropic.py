"""Anthropic Messages: calls are `tool_use` blocks, passages stand in `search_result` blocks that its models cite.

    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [
        {"type": "text", "text": "Evidence for: tide mill …"},
        {"type": "search_result", "source": "https://example.org/mill", "title": "The mill",
         "citations": {"enabled": true}, "content": [{"type": "text", "text": "passage e1"}, {"type": "text", …}]},
        {"type": "text", "text": "searchlog head: …"}]}

One passage is one text block, byte for byte as shown: a text block is the smallest thing that can be cited, so every
citation names whole passages. Passages of one page that stand side by side share a block, which keeps their order. A
citation counts all `search_result` blocks of its request, in whichever turn they stand:

    units_of(messages)                    the blocks of a request, numbered as the API numbers them
    cited(response, units, known)         what each citation of its answer stands for, checked against its `cited_text`
    index_of(result)                      evidence ids of each text block of each block that a reply holds
    index_map(units, known)               the same of a whole request, to be kept with the answer

`known` is the id of evidence by address and shown text: `{(shown.url, shown.text): shown.id}`. Pure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from searchlog.digest import text_digest
from searchlog.errors import UsageError
from searchlog.search.answers.values import without_surrogates
from searchlog.tool.apis.base import call_id, call_of, described, dicts, plain_json, unfenced
from searchlog.tool.definition import Definition
from searchlog.tool.result import Call, Result, Shown

__all__ = ["LOCATION", "Anthropic", "Cited", "Unit", "cited", "index_map", "index_of", "units_of"]

LOCATION = "search_result_location"


@dataclass(frozen=True, slots=True)
class Anthropic:
    """The form of Anthropic Messages."""

    name: str = "anthropic"

    def definitions(self, tools: Iterable[Definition], strict: bool | None) -> list[dict[str, Any]]:
        """Return the tools; `strict` stands in them when it is asked for."""
        return [
            {
                "name": tool.name,
                "description": described(tool, ""),
                "input_schema": dict(tool.parameters),
                **({"strict": True} if strict else {}),
            }
            for tool in tools
        ]

    def calls(self, response: Any) -> list[Call]:
        """Return the `tool_use` blocks; those of tools that the API runs itself have other types."""
        content = response.get("content") if isinstance(response, Mapping) else response
        return [
            call_of(block.get("name"), block.get("input"), block.get("id"))
            for block in dicts(content)
            if block.get("type") == "tool_use"
        ]

    def reply(self, call: Call, result: Result) -> dict[str, Any]:
        """Return a `tool_result` block. That of an error holds text alone, as the API asks."""
        if result.error is not None:
            block = {"type": "tool_result", "tool_use_id": call_id(call), "is_error": True}
            return {**block, "content": [_text(result.text)]}
        return {"type": "tool_result", "tool_use_id": call_id(call), "content": _content(result)}

    def messages(self, replies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return one message of the user with all replies: the API wants them together, before any text."""
        return [{"role": "user", "content": list(replies)}] if replies else []

    def briefing(self, result: Result) -> list[dict[str, Any]]:
        """Return one message of the user whose content is the evidence."""
        return [{"role": "user", "content": _content(result)}]


# --- evidence out -----------------------------------------------------------------------------------------------


def _text(text: str) -> dict[str, Any]:
    """Return a text block; the API refuses one without a visible character."""
    return {"type": "text", "text": text if text.strip() else "(nothing)"}


def _groups(result: Result) -> list[list[Shown]]:
    """Return the passages as they share blocks: side by side and of one page."""
    if result.error is not None:
        return []
    citable = [passage for passage in result.passages if passage.text.strip()]
    return [list(group) for _, group in groupby(citable, key=lambda passage: (passage.url, passage.title))]


def _content(result: Result) -> list[dict[str, Any]]:
    groups = _groups(result)
    if not groups:
        return [_text(result.text)]
    lead = unfenced(result.lead, "Each stands in a search result below; about each:").rstrip("\n")
    blocks = [_text("\n".join([lead, *_about(groups)]))]
    for group in groups:
        first = group[0]
        blocks.append(
            {
                "type": "search_result",
                "source": first.url.strip() or first.id,
                "title": first.title.strip() or first.url.strip() or first.id,
                "content": [{"type": "text", "text": passage.text} for passage in group],
                "citations": {"enabled": True},
            }
        )
    return [*blocks, *([_text(result.tail)] if result.tail.strip() else [])]


def _about(groups: Sequence[Sequence[Shown]]) -> Iterator[str]:
    """Yield what helps to read each passage, under its id and where it stands."""
    for number, group in enumerate(groups, 1):
        for place, passage in enumerate(group, 1):
            where = f"search result {number}" + (f", passage {place}" if len(group) > 1 else "")
            yield f"{passage.id} ({where}):"
            yield from (f"  {line}" for line in passage.about)


def index_of(result: Result) -> list[list[str]]:
    """Return the evidence ids of each text block of each `search_result` block that the reply holds."""
    return [[passage.id for passage in group] for group in _groups(result)]


# --- citations in -----------------------------------------------------------------------------------------------


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
    out: list[Cited] = []
    at = 0
    for block in dicts(content):
        if block.get("type") != "text":
            continue
        end = at + len(_string(block.get("text")))
        for one in dicts(block.get("citations")):
            if one.get("type") == LOCATION:
                ids, state = _evidence(one, units, known)
                out.append(Cited(at, end, _string(one.get("source")), _string(one.get("cited_text")), ids, state))
        at = end
    return out


def _evidence(
    citation: Mapping[str, Any], units: Sequence[Unit], known: Mapping[tuple[str, str], str]
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
    of_page = {unit for unit in units if unit.source == source} if said else set()
    places = {ids for unit in of_page for ids in _runs(unit, said, known)}
    if len(places) == 1:
        return places.pop(), "moved"
    return (), "unknown"


def _runs(unit: Unit, said: str, known: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, ...]]:
    """Yield the ids of each run of texts in a block that together are what was said."""
    bare = [_bare(text) for text in unit.texts]
    joined, ends = "".join(bare), list(accumulate(map(len, bare)))
    for first, end in enumerate(ends):
        start = end - len(bare[first])
        if bare[first] and joined.startswith(said, start):
            last = bisect_left(ends, start + len(said))
            ids = [known.get((unit.source, text)) for text in unit.texts[first : last + 1]]
            found = tuple(name for name in ids if name is not None)
            if ends[last] == start + len(said) and len(found) == len(ids):
                yield found


def _bare(text: str) -> str:
    """Return a text without white space: how blocks are joined is the API's own."""
    return "".join(text.split())


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
