"""Evidence and pages of a session as MCP resources.

    searchlog://evidence/e7             the passage as it was given, and the same as JSON
    searchlog://page/e7?start=0         the whole visible text of the page that e7 is from, a part at a time
    searchlog://page/sha256:…?start=0   the same, of the text with this digest

What stands there was sanitised as in every rendering; hidden text stays where it is. Reading fetches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from searchlog.errors import MissingError
from searchlog.evidence.passage import Passage
from searchlog.evidence.render import parse_rendering, safe_line, safe_text
from searchlog.log.checkpoint import Checkpoint
from searchlog.tool.apis.base import json_bytes
from searchlog.tool.seen import StoredText
from searchlog.tool.shown import shown_result
from searchlog.tool.workplace import Workplace

__all__ = ["PART_CHARS", "TEMPLATES", "Read", "listing", "read"]

PART_CHARS = 100_000
"""Characters of a page's text in one reply."""
_LISTED = 100
"""Entries in one reply."""
_URI = re.compile(r"searchlog://(evidence|page)/([^/?#]{1,100})(?:\?start=(\d{1,12}))?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TEMPLATES: Sequence[Mapping[str, str]] = (
    {
        "uriTemplate": "searchlog://evidence/{id}",
        "name": "evidence",
        "title": "A passage by its id",
        "description": "The passage as it was given, with where it is from; such as searchlog://evidence/e7.",
    },
    {
        "uriTemplate": "searchlog://page/{id}{?start}",
        "name": "page",
        "title": "The text of a page",
        "description": "The stored text of the page that evidence is from (its id), or of the text with a digest "
        f"(sha256:…), {PART_CHARS} characters from start on.",
        "mimeType": "text/plain",
    },
)


@dataclass(frozen=True, slots=True)
class Read:
    """What a resource holds."""

    contents: list[dict[str, Any]]
    evidence: tuple[str, ...] = ()
    """Ids of the passages in it that are fenced."""


def listing(work: Workplace, after: int) -> tuple[list[dict[str, Any]], int | None]:
    """Return evidence of the session as entries of a list, from a place on, and the place of what follows."""
    seen = work.seen.refresh()
    ids = [name for name in seen.evidence if name in seen.shown]
    entries = [
        {
            "uri": f"searchlog://evidence/{name}",
            "name": name,
            "title": f"[{name}] {safe_line(seen.evidence[name].title)[:200]}".rstrip(),
            "description": safe_line(seen.evidence[name].url)[:500],
            "mimeType": "text/plain",
        }
        for name in ids[after : after + _LISTED]
    ]
    return entries, after + _LISTED if len(ids) > after + _LISTED else None


def read(work: Workplace, uri: str, head: Checkpoint) -> Read:
    """Return what stands under an address. Raises MissingError when there is nothing, IntegrityError, FormatError."""
    found = _URI.fullmatch(uri)
    if found is None or (found[1] == "evidence" and found[3] is not None):
        raise MissingError("addresses here are searchlog://evidence/e7 and searchlog://page/e7?start=0")
    name = unquote(found[2])
    return _evidence(work, uri, name, head) if found[1] == "evidence" else _page(work, uri, name, int(found[3] or 0))


def _evidence(work: Workplace, uri: str, name: str, head: Checkpoint) -> Read:
    seen = work.seen.refresh()
    rendering = seen.shown.get(name)
    if rendering is None or name not in seen.evidence:
        raise MissingError(f"no evidence {name[:40]} was given in this session")
    text = seen.text_of(rendering)
    if text is None:
        raise MissingError(f"the rendering that shows {name} is gone or altered", digest=rendering.text.blob)
    block = next((text[one.start : one.end] for one in parse_rendering(text, rendering.form) if one.id == name), "")
    shown = shown_result("evidence", block, rendering.form, seen.evidence, head)
    facts = json_bytes(dict(shown.passages[0].facts)).decode("utf-8")
    contents = [
        {"uri": uri, "mimeType": "text/plain", "text": block.strip("\n") + "\n"},
        {"uri": uri, "mimeType": "application/json", "text": facts},
    ]
    return Read(contents, (name,))


def _page(work: Workplace, uri: str, name: str, start: int) -> Read:
    seen = work.seen.refresh()
    stored = seen.page(name) if name in seen.evidence else _of_digest(seen.texts.values(), name)
    if stored is None:
        raise MissingError(f"no text of a page is known here as {name[:80]}")
    cut = work.cut(stored)
    size = len(cut.conversion.text)
    end = min(start + PART_CHARS, size)
    parts = [
        cut.conversion.text[max(first, start) : min(last, end)]
        for first, last in _runs(cut.conversion.text, cut.visible)
        if first < end and last > start
    ]
    text = safe_text("\n\n".join(parts))
    about: dict[str, Any] = {
        "url": safe_line(stored.made.url),
        "title": safe_line(stored.made.title or ""),
        "captured_at": stored.captured_at,
        "kind": stored.kind,
        "digest": stored.made.text.blob if stored.made.text is not None else "",
        "start": start,
        "end": end,
        "chars": size,
    }
    if end < size:
        about["next"] = f"searchlog://page/{name}?start={end}"
        text += f"\n\n[cut here; the page goes on: {about['next']}]\n"
    meta = {f"searchlog/{key}": value for key, value in about.items()}
    return Read([{"uri": uri, "mimeType": "text/plain", "text": text, "_meta": meta}])


def _of_digest(texts: Iterable[StoredText], name: str) -> StoredText | None:
    if _DIGEST.fullmatch(name) is None:
        return None
    return next((one for one in texts if one.made.text is not None and one.made.text.blob == name), None)


def _runs(text: str, visible: Sequence[Passage]) -> list[tuple[int, int]]:
    """Return the ranges of a text that a reader of the page sees: passages that follow one another, as one."""
    out: list[tuple[int, int]] = []
    for passage in visible:
        if out and passage.start >= out[-1][1] and not text[out[-1][1] : passage.start].strip():
            out[-1] = (out[-1][0], passage.end)
        elif out and passage.start < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], passage.end))
        else:
            out.append((passage.start, passage.end))
    return out
