"""How a reply goes back by HTTP: one JSON body unless something went before it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from searchlog.mcp.wire import EVENT_BYTES_MAX, Message, Wire, put_wire, wire_of

START: Message = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"mcp-session-id", b"s1"),
        (b"connection", b"x"),
    ],
}
PING = b": ping - 2026\r\n\r\n"
END = b""


def event(value: Any) -> bytes:
    return b"event: message\r\ndata: " + json.dumps(value).encode() + b"\r\n\r\n"


PROGRESS = event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}})
REPLY = event({"jsonrpc": "2.0", "id": 1, "result": {"method": "x"}})


def passed(*bodies: bytes, start: Message = START, **options: Any) -> list[Message]:
    """Return what a client is sent of a stream with these chunks."""
    out: list[Message] = []

    async def send(message: Message) -> None:
        out.append(message)

    async def go() -> None:
        wire = Wire(send, **options)
        await wire.send(start)
        for body in bodies:
            await wire.send({"type": "http.response.body", "body": body, "more_body": True})
        await wire.send({"type": "http.response.body", "body": b"", "more_body": False})

    anyio.run(go)
    return out


def shape(messages: list[Message]) -> tuple[bytes, list[bytes]]:
    """Return the type of an answer and its chunks that are not empty."""
    start, *rest = messages
    return dict(start["headers"])[b"content-type"], [m["body"] for m in rest if m["body"]]


def test_reply_that_comes_first_is_one_json_body() -> None:
    start, body = passed(REPLY)
    headers = dict(start["headers"])
    assert headers == {
        b"content-type": b"application/json",
        b"content-length": str(len(body["body"])).encode(),
        b"mcp-session-id": b"s1",
    }
    assert json.loads(body["body"]) == {"jsonrpc": "2.0", "id": 1, "result": {"method": "x"}}
    assert body["more_body"] is False


def test_what_goes_before_the_reply_makes_a_stream() -> None:
    for first in (PROGRESS, PING):
        kind, chunks = shape(passed(first, REPLY))
        assert kind.startswith(b"text/event-stream")
        assert chunks == [first, REPLY]


def test_what_may_not_stream_sends_the_reply_alone() -> None:
    kind, chunks = shape(passed(PROGRESS, PING, REPLY, may_stream=False))
    assert kind == b"application/json"
    assert len(chunks) == 1


def test_errors_and_answers_of_another_type_pass_as_they_are() -> None:
    start: Message = {"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"application/json")]}
    assert shape(passed(b"{}", start=start)) == (b"application/json", [b"{}"])
    error = event({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}})
    assert shape(passed(error))[0] == b"application/json"


def test_stream_that_ends_without_a_reply_ends() -> None:
    assert [message["type"] for message in passed()] == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize("streams", [True, False])
def test_reply_too_large_for_an_event_fits_only_while_nothing_was_sent(streams: bool) -> None:
    async def send(_: Message) -> None:
        pass

    async def go() -> bool:
        wire = Wire(send)
        await wire.send(START)
        if streams:
            await wire.send({"type": "http.response.body", "body": PROGRESS, "more_body": True})
        assert wire.fits({"text": "x"})
        return wire.fits({"text": "x" * EVENT_BYTES_MAX})

    assert anyio.run(go) is not streams


def test_no_stream_begins_once_the_size_was_asked() -> None:
    """What is sent between the question and the reply would make the answer wrong."""
    out: list[Message] = []

    async def send(message: Message) -> None:
        out.append(message)

    async def go() -> None:
        wire = Wire(send)
        await wire.send(START)
        assert wire.fits({"text": "x" * EVENT_BYTES_MAX})
        for body in (PING, PROGRESS, REPLY):
            await wire.send({"type": "http.response.body", "body": body, "more_body": True})

    anyio.run(go)
    assert shape(out)[0] == b"application/json"


def test_request_finds_its_wire_and_others_have_no_limits() -> None:
    request = SimpleNamespace(scope={})
    wire = Wire()
    put_wire(request.scope, wire)
    assert wire_of(request) is wire
    assert wire_of(None).fits({"text": "x" * (2 << 20)})
