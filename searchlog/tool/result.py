"""What one call came to, before any API's form. Pure.

The text of every passage here is that of the stored rendering, byte for byte: sanitised, and escaped so that nothing in
it can be taken for a fence or a citation. Every API's form is made of these values alone, so two models are shown equal
evidence however it is wrapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from searchlog.log.checkpoint import Checkpoint, head_line

__all__ = ["Call", "Result", "Shown", "plain"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call as an API's response holds it."""

    name: str
    arguments: Any
    """As the model wrote them: JSON text, or what the API made of that."""
    id: str | None = None
    """What the API calls the call by; None where it has no such thing."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One passage as a model is shown it."""

    id: str
    url: str
    title: str
    text: str
    """Byte for byte as in the rendering."""
    about: tuple[str, ...]
    """The lines that stand between title and text in the rendering: dates, headings, columns, flags."""
    digest: str
    """Of the stored passage."""
    facts: Mapping[str, Any]
    """The passage as an object for programs; see `definition`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a model is told in answer to one call."""

    tool: str
    text: str
    """All of it as plain text, passages between fences, ending with the head line."""
    lead: str
    """What stands above the passages."""
    tail: str
    """What stands below them; it ends with the head line."""
    head: Checkpoint
    """Of the session, as the head line names it."""
    passages: tuple[Shown, ...] = ()
    structured: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs: the shape is `Definition.output`."""
    error: str | None = None
    """A code, when it is an error; the text says what to do."""
    reused: int | None = None
    """Turn of the earlier search whose evidence this is."""

    @property
    def evidence(self) -> list[str]:
        """The ids of the passages, in order."""
        return [passage.id for passage in self.passages]


def plain(tool: str, text: str, head: Checkpoint, *, error: str | None = None, **structured: Any) -> Result:
    """Return a result without passages."""
    tail = f"{text.rstrip()}\n{head_line(head)}\n"
    said = {**structured, "head": head_line(head)}
    if error is not None:
        said["error"] = {"code": error, "message": text.strip()}
    return Result(tool, tail, "", tail, head, structured=said, error=error)
