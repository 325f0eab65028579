"""Messages by stdin and stdout, a line each; stdout carries nothing else.

While it serves, descriptor 1 is that of stderr and descriptor 0 reads nothing, so whatever prints or reads in this
process or a worker meets the wire nowhere. The SDK's own transport drops a line that it cannot read, and its thread
keeps the process from ending as long as stdin is open; here such a line is answered, and the threads hold nobody up.
Spec: MCP 2025-11-25, basic/transports, stdio.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from searchlog.mcp.mending import mended

__all__ = ["LINE_BYTES_MAX", "serve_stdio"]

LINE_BYTES_MAX = 4 << 20
_CHUNK = 1 << 16


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes stdin or the process is told to end."""
    with _claimed() as (wire_in, wire_out):
        anyio.run(_serve, server, wire_in, wire_out)


@contextmanager
def _claimed() -> Iterator[tuple[int, int]]:
    """Yield descriptors of what were stdin and stdout, which nothing else in this process has."""
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield wire_in, wire_out
    finally:
        # 0 stays away: a thread may still wait for it
        os.dup2(wire_out, 1)


async def _serve(server: Server[Any], wire_in: int, wire_out: int) -> None:
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        stop = tasks.cancel_scope.cancel
        _end_with(stop)
        writer = _Writer(wire_out, asyncio.get_running_loop(), stop)
        reader = _Reader(wire_in, asyncio.get_running_loop(), incoming, writer)
        tasks.start_soon(_send_all, outgoing, writer)
        reader.start()
        await server.run(read, write, server.create_initialization_options())
        # what the server still had to say is on the wire: its stream is closed and read to the end
    reader.left = True


def _end_with(stop: Any) -> None:
    """Let the signals that end a process end the server in good order: calls are waited for, that their turns close.

    A second one ends it at once; what is then open is closed by whoever opens the session next.
    """
    loop = asyncio.get_running_loop()
    told: list[int] = []

    def end(name: int) -> None:
        if told:
            os._exit(128 + name)
        told.append(name)
        stop()

    for name in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # elsewhere than on Unix: KeyboardInterrupt does it
            loop.add_signal_handler(name, end, int(name))


async def _send_all(outgoing: MemoryObjectReceiveStream[SessionMessage], writer: _Writer) -> None:
    async with outgoing:
        async for item in outgoing:
            await writer.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8"))


class _Writer(threading.Thread):
    """Writes lines one after another; a client that reads nothing blocks this thread and nobody else."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop, stop: Any) -> None:
        super().__init__(name="searchlog-mcp-writer", daemon=True)
        self._descriptor = descriptor
        self._loop = loop
        self._stop = stop
        self._lines: queue.SimpleQueue[tuple[bytes, asyncio.Event | None]] = queue.SimpleQueue()
        self.start()

    async def write(self, line: bytes) -> None:
        """Write a line, and return when it is on the wire."""
        written = asyncio.Event()
        self._lines.put((line, written))
        await written.wait()

    def answer(self, line: bytes) -> None:
        """Write a line some time soon; for other threads."""
        self._lines.put((line, None))

    def run(self) -> None:
        while True:
            line, written = self._lines.get()
            try:
                _write(self._descriptor, line + b"\n")
            except OSError:  # the client is gone
                _soon(self._loop, self._stop)
                return
            if written is not None:
                _soon(self._loop, written.set)


class _Reader(threading.Thread):
    """Reads lines and hands them over as messages; what is none is answered here."""

    def __init__(
        self,
        descriptor: int,
        loop: asyncio.AbstractEventLoop,
        incoming: MemoryObjectSendStream[SessionMessage | Exception],
        writer: _Writer,
    ) -> None:
        super().__init__(name="searchlog-mcp-reader", daemon=True)
        self._descriptor = descriptor
        self._loop = loop
        self._incoming = incoming
        self._writer = writer
        self.left = False

    def run(self) -> None:
        for line in _lines(self._descriptor):
            if line is None:
                self._writer.answer(_refusal(types.INVALID_REQUEST, f"a line of more than {LINE_BYTES_MAX} bytes"))
                continue
            if not line.strip():
                continue
            message = _parsed(line)
            if isinstance(message, bytes):
                self._writer.answer(message)
            elif not self._hand_over(message):
                return
        _soon(self._loop, self._incoming.close)

    def _hand_over(self, message: SessionMessage) -> bool:
        """Give the server a message, and wait until it takes it. Returns whether it still does."""
        coroutine = self._incoming.send(message)
        try:
            asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        except Exception:  # the server ended: there is nobody to tell
            coroutine.close()
            return False
        return not self.left


def _parsed(line: bytes) -> SessionMessage | bytes:
    """Return a line as a message, or what is to be answered to one that is none."""
    line = mended(line)
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        pass
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(types.PARSE_ERROR, "this line is no JSON")
    given = value.get("id") if isinstance(value, dict) else None
    known = given if isinstance(given, str) or type(given) is int else None
    return _refusal(types.INVALID_REQUEST, "this is no JSON-RPC message of MCP", known)


def _refusal(code: int, said: str, request_id: str | int | None = None) -> bytes:
    error = {"code": code, "message": said}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode("ascii")


def _lines(descriptor: int) -> Iterator[bytes | None]:
    """Yield what stands before each line feed; None for a line that is too long."""
    held, dropped = bytearray(), False
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except OSError:
            return
        if not chunk:
            if held and not dropped:
                yield bytes(held)
            return
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            held += part
            yield None if dropped or len(held) > LINE_BYTES_MAX else bytes(held)
            held, dropped = bytearray(), False
        held += rest
        if len(held) > LINE_BYTES_MAX:
            held, dropped = bytearray(), True


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _soon(loop: asyncio.AbstractEventLoop, call: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(call)
