"""What a hook is given on stdin: one JSON object. Its values are taken as they stand there, byte for byte. Pure.

Nothing is refused. Of input that is cut off or is no JSON, what can be read is read, and all of it is the result.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["INTERRUPTED", "Event", "Judged", "parse_event", "storable"]

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")
_RESPONSES = ("tool_response", "tool_output", "tool_result")
"""Names of the result; the first is that of today, the others occur in descriptions of the interface."""
INTERRUPTED = "interrupted"
"""In the place of a code, when the user ended the tool."""
_NAME_MAX, _ID_MAX = 200, 2_000


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook, as far as it could be read."""

    name: str
    """Which event: `PostToolUse`; empty when it does not say."""
    session: str
    """The agent's own session id; empty when it does not say."""
    tool: str
    arguments: str
    """The tool's input, JSON text as it stands in the input; empty when there is none."""
    input: Any
    """The same, parsed."""
    result: bytes
    """The tool's response, as it stands in the input; the whole input when no response could be read."""
    response: Any = None
    """The same, parsed."""
    is_read: bool = False
    """Whether a response was found and read."""
    is_failure: bool = False
    """Whether the event says that the tool failed; the response is then its message."""
    is_interrupted: bool = False
    call_id: str | None = None
    model: str | None = None
    worker: str | None = None
    """Which agent below the main one asked, when it was not the main one."""
    transcript: str | None = None
    """Path of the agent's own transcript."""

    @property
    def is_result(self) -> bool:
        """Whether it tells of a tool's result, or cannot be told from one that does: then it is kept."""
        return self.is_read or not self.name or self.name.startswith("PostTool")


@dataclass(frozen=True, slots=True)
class Judged:
    """What a result is, by its content."""

    fidelity: str
    """`verbatim`, `readable-derived`, `pointer`, `sealed`, `withheld`, `unknown`: see FORMAT.md, "tool-result"."""
    urls: tuple[str, ...] = ()
    """The pages that it names."""
    error: str | None = None
    """A code, when the result is an error."""


def parse_event(data: bytes, *, is_cut: bool = False) -> Event:
    """Return what a hook was given. is_cut: whether more of it was sent than is here."""
    text = data.decode("utf-8", "surrogateescape")
    found, is_whole = _members(text)

    def said(name: str, most: int = _NAME_MAX) -> str:
        value = found[name][0] if name in found else None
        return storable(value)[:most] if isinstance(value, str) else ""

    def raw(name: str) -> bytes:
        _, start, end = found[name]
        return text[start:end].encode("utf-8", "surrogateescape")

    name = said("hook_event_name")
    failed = name.endswith("Failure")
    answers = ("error", *_RESPONSES) if failed else _RESPONSES
    answer = next((one for one in answers if one in found), None)
    is_read = answer is not None and is_whole and not is_cut
    worker = "-".join(filter(None, (said("agent_type"), said("agent_id")))) if said("agent_id") else None
    return Event(
        name=name,
        session=said("session_id", _ID_MAX),
        tool=said("tool_name"),
        arguments=raw("tool_input").decode("utf-8", "replace") if "tool_input" in found else "",
        input=found["tool_input"][0] if "tool_input" in found else None,
        result=raw(answer) if answer is not None and is_read else data,
        response=found[answer][0] if answer is not None and is_read else None,
        is_read=is_read,
        is_failure=failed,
        is_interrupted="is_interrupt" in found and found["is_interrupt"][0] is True,
        call_id=said("tool_use_id", _ID_MAX) or None,
        model=said("model") or None,
        worker=worker,
        transcript=said("transcript_path", _ID_MAX) or None,
    )


def storable(text: str) -> str:
    """Return a text as a record can hold it: half a surrogate pair as an escape, no control character."""
    flat = "".join(character if character.isprintable() or character == " " else "\ufffd" for character in text)
    return flat.encode("utf-8", "backslashreplace").decode("utf-8")


def _members(text: str) -> tuple[dict[str, tuple[Any, int, int]], bool]:
    """Return the members of a JSON object, each with its value and where that stands; and whether that is all.

    Of a name that comes twice the last one counts, as in most readers.
    """
    found: dict[str, tuple[Any, int, int]] = {}
    at = _after_blanks(text, 0)
    if text[at : at + 1] != "{":
        return found, False
    try:
        at = _after_blanks(text, at + 1)
        while text[at : at + 1] != "}":
            name, at = _DECODER.raw_decode(text, at)
            at = _after_blanks(text, at)
            if not isinstance(name, str) or text[at : at + 1] != ":":
                return found, False
            start = _after_blanks(text, at + 1)
            value, end = _DECODER.raw_decode(text, start)
            found[name] = (value, start, end)
            at = _after_blanks(text, end)
            if text[at : at + 1] == ",":
                at = _after_blanks(text, at + 1)
            elif text[at : at + 1] != "}":
                return found, False
    except (ValueError, RecursionError):
        return found, False
    return found, _after_blanks(text, at + 1) == len(text)


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()
