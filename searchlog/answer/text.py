"""A model's answer as one text, whatever form it came in, with the citations that came beside it. Pure.

Read are plain text and Markdown, and the JSON of: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini
generateContent and Interactions, Perplexity, Mistral Conversations, Cohere, and results of MCP tools. Streams are not.
Forms are told apart by what stands in them, not by names of files.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searchlog.errors import FormatError

__all__ = ["FORMS", "Answer", "Native", "form_of", "parse_answer"]

_BYTES_MAX = 50_000_000
_CHARS_MAX = 1_000_000
"""Characters of an answer: brackets without end take a minute."""
FORMS = (
    *("text", "anthropic", "openai-responses", "openai-chat", "gemini", "gemini-interactions", "perplexity"),
    *("mistral", "cohere", "mcp"),
)


@dataclass(frozen=True, slots=True)
class Native:
    """One citation that came beside the text."""

    start: int | None = None
    """Range of the answer that it covers, in code points; None when it came without one."""
    end: int | None = None
    cited_text: str | None = None
    """What the model's maker says it quotes; it may be cut short."""
    url: str | None = None
    title: str | None = None
    evidence: str | None = None
    """An evidence id, when the citation has one."""
    form: str = ""
    """As its API calls it: `web_search_result_location`, `url_citation`, `grounding-support`."""
    number: int | None = None
    """For lists that the text refers to as `[1]`: its number."""
    passages: tuple[str, ...] = ()
    """Evidence ids that it was found to stand for when it came, when the request that it counts in was at hand."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's final text."""

    text: str
    form: str = "text"
    """One of `FORMS`."""
    native: tuple[Native, ...] = ()


@dataclass(slots=True)
class _Parts:
    """The text so far, and the citations in it."""

    pieces: list[str] = field(default_factory=list)
    native: list[Native] = field(default_factory=list)
    length: int = 0

    def add(self, text: Any) -> int:
        """Add a piece of text and return where it begins."""
        at = self.length
        if isinstance(text, str):
            self.pieces.append(text)
            self.length += len(text)
        return at

    def answer(self, form: str) -> Answer:
        text = "".join(self.pieces)
        kept = [n for n in self.native if n.start is None or (n.end is not None and 0 <= n.start <= n.end <= len(text))]
        return Answer(text, form, tuple(kept))


def parse_answer(data: bytes, form: str | None = None) -> Answer:
    """Return the answer that these bytes hold.

    form: one of `FORMS`; None to tell it from the bytes. JSON in no form known here is plain text then.
    Raises FormatError for bytes that are no UTF-8, are too many, or are not in the form that was named, and for a text
    longer than any answer.
    """
    answer = _parsed(data, form)
    if len(answer.text) > _CHARS_MAX:
        raise FormatError(f"the answer has {len(answer.text)} characters, more than {_CHARS_MAX}")
    return answer


def _parsed(data: bytes, form: str | None) -> Answer:
    if len(data) > _BYTES_MAX:
        raise FormatError(f"the answer has {len(data)} bytes, more than {_BYTES_MAX}")
    if form is not None and form not in FORMS:
        raise FormatError(f"answer form {form!r} is not known; one of {', '.join(FORMS)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"the answer is not UTF-8 text: {error.reason} at byte {error.start}") from error
    if form != "text" and text.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        told = form_of(value) if form is None else form
        if told and value is not None:
            answer = _READERS[told](value)
            if answer is not None:
                return _sound(answer)
    if form not in (None, "text"):
        raise FormatError(f"the answer is not in the form {form}")
    return Answer(text)


def _sound(answer: Answer) -> Answer:
    """Return the answer without lone surrogates, which JSON can hold and text cannot."""
    if answer.text.isascii() or not any("\ud800" <= char <= "\udfff" for char in answer.text):
        return answer
    return Answer(
        "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in answer.text), answer.form, answer.native
    )


def form_of(value: Any) -> str | None:
    """Return which form a JSON value has; None when it is in none that is known."""
    if isinstance(value, list):
        kinds = {_string(item.get("type")) for item in value if isinstance(item, dict)}
        return "openai-responses" if "message" in kinds else "anthropic" if "text" in kinds else None
    if not isinstance(value, dict):
        return None
    choices = value.get("choices")
    if isinstance(choices, list):
        return "perplexity" if {"citations", "search_results"} & value.keys() else "openai-chat"
    if isinstance(value.get("candidates"), list):
        return "gemini"
    if isinstance(value.get("steps"), list) or value.get("object") == "interaction":
        return "gemini-interactions"
    if isinstance(value.get("outputs"), list):
        return "mistral"
    if isinstance(value.get("output"), list):
        return "openai-responses"
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("content"), list):
        return "cohere"
    if isinstance(value.get("content"), list):
        return "mcp" if {"isError", "structuredContent"} & value.keys() and "role" not in value else "anthropic"
    if value.get("role") == "assistant" and isinstance(value.get("content"), str):
        return "openai-chat"
    if isinstance(value.get("text"), str) and isinstance(value.get("citations"), list):
        return "cohere"
    return None


# --- reading values that anybody may have written --------------------------------------------------------------------


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _get(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


# --- one reader a form -----------------------------------------------------------------------------------------------


def _anthropic(value: Any) -> Answer | None:
    content = value if isinstance(value, list) else _get(value, "content")
    if isinstance(content, str):
        return Answer(content, "anthropic")
    parts = _Parts()
    for block in _dicts(content):
        if block.get("type") != "text":
            continue
        start = parts.add(block.get("text"))
        for cited in _dicts(block.get("citations")):
            url = _string(cited.get("url")) or _string(cited.get("source"))
            parts.native.append(
                Native(
                    start,
                    parts.length,
                    _string(cited.get("cited_text")),
                    url,
                    _string(cited.get("title")) or _string(cited.get("document_title")),
                    form=_string(cited.get("type")) or "citation",
                )
            )
    return parts.answer("anthropic")


def _responses(value: Any) -> Answer | None:
    parts = _Parts()
    items = value if isinstance(value, list) else _get(value, "output")
    messages = [item for item in _dicts(items) if item.get("type") == "message" and item.get("role") != "user"]
    for message in messages:
        for block in _dicts(message.get("content")):
            start = parts.add(block.get("text"))
            parts.native += _annotations(block.get("annotations"), start)
        if message is not messages[-1]:
            parts.add("\n\n")
    return parts.answer("openai-responses")


def _annotations(value: Any, start: int) -> Iterator[Native]:
    for item in _dicts(value):
        inner = item.get("url_citation")
        cited = inner if isinstance(inner, dict) else item
        url = _string(cited.get("url"))
        if url is None:
            continue
        first, last = _count(cited.get("start_index")), _count(cited.get("end_index"))
        placed = first is not None and last is not None and last > first
        yield Native(
            start + first if placed and first is not None else None,
            start + last if placed and last is not None else None,
            _string(cited.get("content")) or _string(cited.get("cited_text")),
            url,
            _string(cited.get("title")),
            form="url_citation",
        )


def _chat(value: Any, form: str = "openai-chat") -> Answer | None:
    parts = _Parts()
    messages = [_get(choice, "message") for choice in _dicts(_get(value, "choices"))][:1] or [value]
    for message in messages:
        content = _get(message, "content")
        if isinstance(content, str):
            parts.native += _annotations(_get(message, "annotations"), parts.add(content))
        for block in _dicts(content):
            parts.native += _annotations(block.get("annotations"), parts.add(block.get("text")))
    return parts.answer(form)


def _perplexity(value: Any) -> Answer | None:
    answer = _chat(value, "perplexity")
    results = list(_dicts(_get(value, "search_results")))
    urls = _get(value, "citations")
    named = [
        Native(url=_string(r.get("url")), title=_string(r.get("title")), number=n) for n, r in enumerate(results, 1)
    ]
    if isinstance(urls, list):
        named = [Native(url=_string(url), form="citations", number=n) for n, url in enumerate(urls, 1)]
    return Answer(answer.text, answer.form, (*answer.native, *named)) if answer else None


def _gemini(value: Any) -> Answer | None:
    parts = _Parts()
    for candidate in list(_dicts(_get(value, "candidates")))[:1]:
        begins, texts = [], []
        for part in _dicts(_get(candidate, "content", "parts")):
            if isinstance(part.get("text"), str) and not part.get("thought"):
                begins.append(parts.add(part["text"]))
                texts.append(part["text"])
        grounding = _get(candidate, "groundingMetadata")
        chunks = _get(grounding, "groundingChunks")
        for support in _dicts(_get(grounding, "groundingSupports")):
            place = _segment(_get(support, "segment"), begins, texts)
            numbers = _get(support, "groundingChunkIndices")
            for number in numbers if isinstance(numbers, list) else ():
                chunk = (
                    chunks[number]
                    if isinstance(chunks, list) and type(number) is int and 0 <= number < len(chunks)
                    else {}
                )
                web = _get(chunk, "web") or _get(chunk, "retrievedContext")
                parts.native.append(
                    Native(
                        *place, None, _string(_get(web, "uri")), _string(_get(web, "title")), form="grounding-support"
                    )
                )
    return parts.answer("gemini")


def _segment(segment: Any, begins: Sequence[int], texts: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the range of a segment, whose offsets count bytes of one part (or of all parts together)."""
    part = _count(_get(segment, "partIndex")) or 0
    first, last = _count(_get(segment, "startIndex")) or 0, _count(_get(segment, "endIndex"))
    if last is None or part >= len(texts):
        return None, None
    whole = "".join(texts) if part == 0 and len(texts) > 1 else texts[part]
    start, end = _points(whole, (first, last))
    said = _string(_get(segment, "text"))
    if said and whole[start:end] != said and whole.count(said) == 1:
        start = whole.index(said)
        end = start + len(said)
    return begins[part] + start, begins[part] + end


def _points(text: str, places: Sequence[int]) -> list[int]:
    """Return byte offsets of a text's UTF-8 as code points; one inside a character is that character's beginning."""
    if text.isascii():
        return [min(place, len(text)) for place in places]
    at, begins = 0, []
    for char in text:
        begins.append(at)
        at += len(char.encode("utf-8", "surrogatepass"))
    return [bisect_left(begins, place) if place < at else len(text) for place in places]


def _interactions(value: Any) -> Answer | None:
    parts = _Parts()
    for step in _dicts(_get(value, "steps") or _get(value, "outputs")):
        blocks = [step] if step.get("type") == "text" else _dicts(step.get("content"))
        if step.get("type") not in ("model_output", "text"):
            continue
        for block in blocks:
            text = block.get("text")
            start = parts.add(text)
            for cited in _annotations(block.get("annotations"), 0):
                if isinstance(text, str) and cited.start is not None and cited.end is not None:
                    first, last = _points(text, (cited.start, cited.end))
                    parts.native.append(
                        Native(start + first, start + last, None, cited.url, cited.title, form="url_citation")
                    )
    return parts.answer("gemini-interactions")


def _mistral(value: Any) -> Answer | None:
    parts = _Parts()
    sentence = 0
    for entry in _dicts(_get(value, "outputs")):
        content = entry.get("content")
        if entry.get("type") not in (None, "message.output"):
            continue
        if isinstance(content, str):
            sentence = parts.add(content)
        for block in _dicts(content):
            if block.get("type") == "text":
                sentence = parts.add(block.get("text"))
            elif block.get("type") in ("tool_reference", "reference"):
                url, title = _string(block.get("url")), _string(block.get("title"))
                parts.native.append(Native(sentence, parts.length, None, url, title, form="tool_reference"))
    return parts.answer("mistral")


def _cohere(value: Any) -> Answer | None:
    message = _get(value, "message")
    parts = _Parts()
    begins: list[int] = []
    if isinstance(message, dict):
        begins = [
            parts.add(block.get("text")) for block in _dicts(message.get("content")) if block.get("type") == "text"
        ]
    else:
        message = value
        begins = [parts.add(_get(value, "text"))]
    documents = {d["id"]: d for d in _dicts(_get(value, "documents")) if isinstance(d.get("id"), str)}
    for cited in _dicts(message.get("citations")):
        first, last = _count(cited.get("start")), _count(cited.get("end"))
        index = _count(cited.get("content_index")) or 0
        if first is None or last is None or index >= len(begins):
            continue
        names = cited.get("document_ids")
        sources = [*_dicts(cited.get("sources")), *({"id": n, "document": documents.get(n)} for n in _strings(names))]
        for source in sources:
            document = source.get("document")
            parts.native.append(
                Native(
                    begins[index] + first,
                    begins[index] + last,
                    None,
                    _string(_get(document, "url")),
                    _string(_get(document, "title")),
                    _string(source.get("id")) if not _get(document, "url") else None,
                    form="cohere",
                )
            )
    return parts.answer("cohere")


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _mcp(value: Any) -> Answer | None:
    parts = _Parts()
    for block in _dicts(_get(value, "content")):
        if block.get("type") == "text":
            parts.add(block.get("text"))
    return parts.answer("mcp")


def _plain(value: Any) -> Answer | None:
    return None


_READERS: Mapping[str, Any] = {
    "text": _plain,
    "anthropic": _anthropic,
    "openai-responses": _responses,
    "openai-chat": _chat,
    "gemini": _gemini,
    "gemini-interactions": _interactions,
    "perplexity": _perplexity,
    "mistral": _mistral,
    "cohere": _cohere,
    "mcp": _mcp,
}
