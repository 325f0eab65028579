"""The SDK's server, with its requests answered by a `Service`; for both generations of the protocol.

The SDK's low-level server hands over what a client sent and checks no arguments against a schema, so whatever a model
wrote becomes a reply that it can act on. Arguments that are no object would be refused before that: they are set aside
and handed over beside the request.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream
from mcp import types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from searchlog import __version__
from searchlog.desk import Listener, Progress
from searchlog.errors import CancelledError, IntegrityError, MissingError, SearchlogError
from searchlog.evidence.render import safe_line
from searchlog.keyring import hide
from searchlog.mcp.forms import INSTRUCTIONS, failure, listed
from searchlog.mcp.resources import TEMPLATES
from searchlog.mcp.service import Service
from searchlog.mcp.wire import wire_of
from searchlog.search.answers.values import without_surrogates

__all__ = ["make_server"]

_AT_ONCE = 8
"""Calls that are worked on side by side; others wait."""
_EVENTS = 64
"""Notifications of progress that wait for a slow client; later ones are left out."""
_DOING = {"ask": "asking", "read": "reading", "choose": "choosing passages", "check": "looking at"}
_NOT_GIVEN = object()
_odd_arguments: ContextVar[Any] = ContextVar("searchlog_odd_arguments", default=_NOT_GIVEN)
_T = TypeVar("_T")
_Context = ServerRequestContext[Any, Any]
_logger = logging.getLogger("searchlog.mcp")


def make_server(service: Service) -> Server[Any]:
    """Return a server of the SDK that gives this service to its clients."""
    handlers = _Handlers(service)
    server: Server[Any] = Server(
        "searchlog",
        version=__version__,
        title="searchlog",
        description="Web search on this machine that keeps every byte a model was shown.",
        instructions=INSTRUCTIONS if "web_search" in service.offers else None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    server.middleware.append(_odd_arguments_aside)
    return server


async def _odd_arguments_aside(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Let a call through whose arguments are no object."""
    params = ctx.params
    if ctx.method != "tools/call" or params is None or isinstance(params.get("arguments"), Mapping | None):
        return await call_next(ctx)
    mark = _odd_arguments.set(params["arguments"])
    try:
        return await call_next(replace(ctx, params={**params, "arguments": {}}))
    finally:
        _odd_arguments.reset(mark)


@dataclass
class _Handlers:
    """One method a request."""

    service: Service
    _limiter: anyio.CapacityLimiter | None = None

    # --- tools

    async def list_tools(self, ctx: _Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        offers = self.service.offers.values()
        return types.ListToolsResult(tools=[types.Tool.model_validate(listed(offer)) for offer in offers])

    async def call_tool(self, ctx: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        odd = _odd_arguments.get()
        arguments = (params.arguments or {}) if odd is _NOT_GIVEN else odd
        wire = wire_of(ctx.request)

        def work(listener: Listener) -> dict[str, Any]:
            try:
                return self.service.call(
                    params.name,
                    arguments,
                    client=_client(ctx),
                    call_id=_call_id(ctx),
                    progress=listener,
                    fits=wire.fits,
                )
            except CancelledError:
                return failure("This call was cancelled.")  # to nobody: the request is over
            except SearchlogError as error:
                said = f"searchlog cannot keep what it finds, so it found nothing: {hide(str(error))}. Tell the user."
                return failure(without_surrogates(said))
            except Exception as error:  # the last stop: a client that waits is told, whatever it was
                _logger.exception("a call failed")
                said = f"a bug in searchlog: {type(error).__name__}: {hide(str(error))}"[:500]
                return failure(without_surrogates(said))

        return types.CallToolResult.model_validate(await self._cancellable(ctx, work))

    async def _cancellable(self, ctx: _Context, work: Callable[[Listener], _T]) -> _T:
        """Do blocking work in a thread, with its progress passed on; ended early when the request is cancelled.

        The request is over when the thread is: by then the log says what became of it.
        """
        loop = asyncio.get_running_loop()
        cancelled = threading.Event()
        send, receive = anyio.create_memory_object_stream[str](_EVENTS)
        wanted = bool(ctx.meta and ctx.meta.get("progress_token") is not None) and wire_of(ctx.request).may_stream

        def listener(event: Progress) -> None:
            if cancelled.is_set():
                raise CancelledError("whoever asked no longer waits")
            if wanted:
                loop.call_soon_threadsafe(_push, send, _said(event))

        async def watch() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                cancelled.set()

        async def pass_on() -> None:
            number = 0
            async for said in receive:
                number += 1
                await ctx.session.report_progress(number, message=said)

        async with receive, anyio.create_task_group() as watching:
            watching.start_soon(watch)
            async with send, anyio.create_task_group() as telling:
                telling.start_soon(pass_on)
                made = await self._in_thread(lambda: work(listener))
                send.close()
            watching.cancel_scope.cancel()
        return made

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    # --- resources

    async def list_resources(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise MCPError(types.INVALID_PARAMS, "this cursor was never given")
        entries, following = await self._told(lambda: self.service.resources(int(cursor or 0)))
        return types.ListResourcesResult(
            resources=[types.Resource.model_validate(entry) for entry in entries],
            next_cursor=None if following is None else str(following),
        )

    async def list_templates(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[types.ResourceTemplate.model_validate(template) for template in TEMPLATES]
        )

    async def read_resource(self, ctx: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        contents = await self._told(lambda: self.service.read(uri, client=_client(ctx), call_id=_call_id(ctx)))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents.model_validate(content) for content in contents]
        )

    async def _told(self, work: Callable[[], _T]) -> _T:
        """Do blocking work in a thread; what goes wrong is told as the protocol's error."""
        try:
            return await self._in_thread(work)
        except (MissingError, IntegrityError) as error:
            code = types.INTERNAL_ERROR if "digest" in error.fields else types.INVALID_PARAMS
            raise MCPError(code, without_surrogates(hide(str(error)))) from None
        except SearchlogError as error:
            raise MCPError(types.INTERNAL_ERROR, without_surrogates(hide(str(error)))) from None

    # --- prompts

    async def list_prompts(self, ctx: _Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        said = "How to answer from what was found, and to cite it"
        return types.ListPromptsResult(prompts=[types.Prompt(name="cite", title="Cite evidence", description=said)])

    async def get_prompt(self, ctx: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != "cite":
            raise MCPError(types.INVALID_PARAMS, "there is no such prompt; there is cite")
        text = await self._told(self.service.instructions)
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


def _push(send: MemoryObjectSendStream[str], said: str) -> None:
    with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
        send.send_nowait(said)


def _said(event: Progress) -> str:
    far = f" ({event.done} of {event.total})" if event.total else ""
    return without_surrogates(f"{_DOING.get(event.stage, event.stage)}: {safe_line(hide(event.text))[:300]}{far}")


def _client(ctx: _Context) -> dict[str, Any]:
    """Return who asks, as far as it says so."""
    params = ctx.session.client_params
    told: dict[str, Any] = {"protocol": ctx.protocol_version}
    if params is not None:
        told["name"] = params.client_info.name[:200]
        told["version"] = params.client_info.version[:200]
    return told


def _call_id(ctx: _Context) -> str | None:
    return None if ctx.request_id is None else str(ctx.request_id)[:200]
