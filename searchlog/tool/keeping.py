"""What is kept of a conversation: each call with its result, and what a model said, with what it cites.

Keys that are known here, and passwords in addresses, are in none of it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from searchlog import records
from searchlog.desk import Listener
from searchlog.keyring import hide, hide_bytes, hide_in, known
from searchlog.ledger import Draft
from searchlog.log.checkpoint import Checkpoint
from searchlog.recording import blob_ref
from searchlog.search.answers.values import without_surrogates
from searchlog.shape import without_passwords
from searchlog.tool.apis.anthropic import index_of
from searchlog.tool.apis.base import Api, json_bytes
from searchlog.tool.arguments import as_text
from searchlog.tool.result import Call, Result
from searchlog.tool.said import model_of, said_of
from searchlog.tool.working import refused, result_of
from searchlog.tool.workplace import Workplace

__all__ = ["Carry", "Way", "answered", "any_fits", "keep_said"]

_NAME_MAX = 200
_TOO_LARGE = "The result is larger than can be sent. Ask for less: a narrower query, another page, fewer ids."

Carry = Callable[[Call, Result], Any]
"""Puts a result into the form in which it is handed back: JSON values."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a call came, and how its result goes back."""

    api: str
    carry: Carry | None
    """None for plain text."""
    client: Mapping[str, Any] | None
    progress: Listener
    fits: Callable[[Any], bool]
    """Whether what a carrier made can be sent."""


def any_fits(_: Any) -> bool:
    """Return that anything can be sent."""
    return True


def answered(work: Workplace, call: Call, way: Way, done: Result | None = None) -> tuple[Result, Any]:
    """Record one call with its result; return that, and what is handed back.

    done: the result of an equal call, for which nothing is done again. Raises StoreError, CancelledError.
    """
    ledger, api = work.session.ledger, _name(way.api)
    # what is worked with is what is recorded: a key that a model wrote goes to nobody, and comes back to nobody;
    # a password in an address is told apart from a bad address, and is recorded nowhere
    arguments = known().replace_text(as_text(call.arguments))
    asked = records.ToolCall(
        name=_name(call.name),
        arguments=without_passwords(arguments),
        api=api,
        call_id=_name(call.id) if call.id is not None else None,
        client={_name(part): _name(said) for part, said in way.client.items()} if way.client else None,
    )
    with ledger.turn("tool") as turn:
        begun = Draft(asked, (turn.begin,))
        turn.add([begun])
        result = done or result_of(work, asked.name, arguments, way.progress)
        carried = way.carry(call, result) if way.carry is not None else None
        if way.carry is not None and not way.fits(carried):
            result = refused(work, asked.name, "too-large", _TOO_LARGE)
            carried = way.carry(call, result)
        # an id or a name goes back as it came, and is kept without a key in it
        content = known().replace(result.text.encode("utf-8") if way.carry is None else json_bytes(carried))
        ledger.blobs.put([content])
        told = records.ToolResult(
            name=asked.name,
            api=api,
            call_id=asked.call_id,
            outcome="error" if result.error else "ok",
            error=result.error,
            form="text" if way.carry is None else api,
            content=blob_ref(content),
            evidence=result.evidence,
            index=index_of(result) if api == "anthropic" and way.carry is not None else None,
            head=_head(result.head),
            reused=result.reused,
        )
        end = records.Turn(state="end", outcome="failed" if result.error else "ok")
        turn.end(lambda _: (None, [Draft(told, (begun,))]), end)
    return result, carried


def keep_said(work: Workplace, form: Api, value: Any, messages: Iterable[Any], model: str | None) -> str | None:
    """Keep what a model said, with what it cites; return which model it says it is.

    value: the response as JSON values. messages: what it answers.
    """
    model, seen = _name(model or model_of(value) or ""), work.seen.refresh()
    data = hide_bytes(json_bytes(value))
    said = said_of(form.name, data, value, dict(seen.evidence), messages=messages, known=seen.given())
    ledger = work.session.ledger
    ledger.blobs.put([data])
    body = records.Message(
        role="assistant",
        form=form.name,
        content=blob_ref(data),
        model=model or None,
        calls=len(form.calls(value)) or None,
        citations=_kept(said.citations),
        index=_kept(said.index),
    )
    with ledger.turn("answer") as turn:
        turn.end(lambda _: (None, [Draft(body, (turn.begin,))]), records.Turn(state="end", outcome="ok"))
    return model


def _name(text: Any) -> str:
    """Return a name or an id as it can be recorded."""
    return known().replace_text(without_surrogates(str(text)))[:_NAME_MAX]


def _kept(citations: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Return citations as they are kept: they name sources in the words of the response and the request."""
    if not citations:
        return citations
    data = json_bytes(citations)
    made: list[dict[str, Any]] = citations if hide_bytes(data) is data else hide_in(citations, hide)
    return made


def _head(head: Checkpoint) -> dict[str, Any]:
    return {"size": head.size, "root": base64.b64encode(head.root).decode("ascii")}
