"""What a model was handed and what it said, for people: the text of it, and what it cites.

A result in a vendor's form is shown member by member, all of it; `show --rendering` prints the bytes themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from searchlog.cli import out, tell

if TYPE_CHECKING:
    from searchlog.cli.reading import Reading
    from searchlog.records import BlobRef
    from searchlog.view import Said, ToolUse, TurnView

__all__ = ["content", "said_briefly"]

_LINES_MAX = 200
"""Lines of one text that are shown. A tab in them would be shown as an escape: blanks stand for it."""


def content(view: TurnView, reading: Reading) -> None:
    """Print what was handed to a model in the calls of a turn, and what it said."""
    for call in view.calls:
        _handed(call, reading)
    for said in view.messages:
        _said(said, reading)


def said_briefly(said: Said, reading: Reading) -> str:
    """Return the beginning of what a model said, or how many tools it calls."""
    called = _called(said.message.calls)
    text = _text_of(said, reading)
    if text is None:
        return called or _absent(said.message.content, reading)
    quoted = f"“{tell.brief(text)}”" if text.strip() else ""
    return " · ".join(part for part in (quoted, called) if part) or "(nothing)"


def _handed(item: ToolUse, reading: Reading) -> None:
    result = item.result
    if result is None or result.content is None:
        return
    out.line()
    out.line(f"What was handed back ({result.form or 'text'})")
    data = reading.content(result.content)
    _lines([_absent(result.content, reading)] if data is None else _readable(data, result.form))


def _said(item: Said, reading: Reading) -> None:
    message = item.message
    about = [message.model or "", message.form, f"record {item.seq}", _called(message.calls)]
    out.line()
    out.line(f"What the {message.role} said ({', '.join(part for part in about if part)})")
    text = _text_of(item, reading)
    if text is None:
        data = reading.content(message.content)
        _lines([_absent(message.content, reading)] if data is None else _readable(data, message.form))
        text = ""
    else:
        _lines(text.rstrip().split("\n") if text.strip() else ["(no text)"])
    citations = _cited(item, reading) if message.citations is None else reading.load(message.citations)
    if isinstance(citations, list) and citations:
        out.line()
        out.line("What it cites")
        rows = [
            (one.get("evidence") or "none given", one.get("target"), _slice(text, one))
            for one in citations
            if isinstance(one, Mapping)
        ]
        out.table(("evidence", "as written", "for"), rows)


def _cited(item: Said, reading: Reading) -> Any:
    """Return what an answer cites that was kept without that being looked at; None when it cannot be read."""
    from searchlog.records import Evidence
    from searchlog.tool.said import said_of

    data = reading.content(item.message.content)
    if data is None or item.message.calls:
        return None
    try:
        response = json.loads(data)
    except (ValueError, RecursionError):
        response = None
    given = {record.body.id: record.body for record in reading.records if isinstance(record.body, Evidence)}
    return said_of(item.message.form, data, response, given, messages=(), known={}).citations


def _called(count: int | None) -> str:
    return f"calls {count} tool{'' if count == 1 else 's'}" if count else ""


def _text_of(item: Said, reading: Reading) -> str | None:
    """Return the text of a message; None when its bytes cannot be read, or are in no form that has one."""
    from searchlog.answer.text import FORMS, parse_answer
    from searchlog.errors import FormatError

    data = reading.content(item.message.content)
    try:
        form = item.message.form
        return None if data is None else parse_answer(data, form if form in FORMS else None).text
    except FormatError:
        return None


def _slice(text: str, citation: Mapping[str, Any]) -> str:
    start, end = citation.get("start"), citation.get("end")
    return tell.brief(text[start:end]) if isinstance(start, int) and isinstance(end, int) else ""


def _absent(ref: BlobRef, reading: Reading) -> str:
    return "[left out by the sender]" if reading.is_left_out(ref.blob) else "[cannot be read]"


def _readable(data: bytes, form: str | None) -> Iterable[str]:
    text = data.decode("utf-8", "backslashreplace")
    if form not in (None, "text"):
        try:
            value = json.loads(text)
            if not isinstance(value, str):
                return list(_outline(value))
            text = value
        except (ValueError, RecursionError):
            pass
    return text.rstrip("\n").split("\n")


def _outline(value: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    """Yield JSON as lines: a member a line, texts of several lines below their names."""
    margin = "  " * depth
    label = f"{margin}{name}: " if name else f"{margin}- "
    if isinstance(value, Mapping | list) and value:
        if name or depth:
            yield label.rstrip()
        inner = depth + 1 if name or depth else 0
        for member, item in value.items() if isinstance(value, Mapping) else (("", item) for item in value):
            yield from _outline(item, str(member), inner)
    elif isinstance(value, str) and "\n" in value.rstrip("\n"):
        yield label.rstrip()
        yield from (f"{margin}  {line}" for line in value.rstrip("\n").split("\n"))
    else:
        yield label + (value.rstrip("\n") if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _lines(lines: Iterable[str]) -> None:
    shown = list(lines)
    for line in shown[:_LINES_MAX]:
        out.line(f"  {line.expandtabs(4)}".rstrip())
    if len(shown) > _LINES_MAX:
        out.line(f"  … {len(shown) - _LINES_MAX} more lines: --rendering prints all of it")
