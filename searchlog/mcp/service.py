"""What the server does for its clients: calls, resources and the prompt of one session. Knows no wire and no SDK.

One session a process, whoever connects: over stdin that is one client, and over HTTP all clients hold the same token
and are one person's; the newest protocol has no connections at all that a session could belong to. The session is made
when something is first done in it, so a client that starts the server and never calls it leaves nothing behind.

Blocking and thread-safe: the transports call it in threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from searchlog import records
from searchlog.archive import Archive
from searchlog.desk import Listener
from searchlog.errors import UsageError
from searchlog.evidence.policy import Policy
from searchlog.flow.settings import split_options
from searchlog.keyring import hide, hide_in, known
from searchlog.ledger import Draft
from searchlog.mcp.chatgpt import CHATGPT
from searchlog.mcp.forms import FULL, Offer, reply
from searchlog.mcp.mending import sound_json
from searchlog.mcp.resources import Read, listing, read
from searchlog.recording import blob_ref
from searchlog.search import registry
from searchlog.session import Session
from searchlog.tool.apis.base import json_bytes
from searchlog.tool.face import Tool
from searchlog.tool.result import Call, Result
from searchlog.tool.seen import Seen
from searchlog.tool.workplace import Workplace

__all__ = ["API", "PROFILES", "Service"]

API = "mcp"
PROFILES: Mapping[str, Mapping[str, Offer]] = {"full": FULL, "chatgpt": CHATGPT}
_WIDE_TOKENS = 40_000
"""Of a page that is given whole."""
_TITLE = "mcp"


class Service:
    """The tools of one session of an archive."""

    def __init__(
        self,
        archive: Archive,
        session_id: str | None = None,
        *,
        profile: str = "full",
        providers: tuple[str, ...] = (),
        registry_options: registry.Options | None = None,
        **options: Any,
    ) -> None:
        """Make it. session_id: a session to go on with, which is opened now; None for a new one, at the first call.

        options: as for `Tool`. Raises MissingError for a session that is not there, UsageError for an option that
        cannot be and for an archive that can only be read.
        """
        if archive.snapshot is not None:
            raise UsageError(
                f"{archive.described} is a snapshot: it can only be read, and a server adds to its archive"
            )
        split_options("tool", None, options)
        self.archive = archive
        self.offers = PROFILES[profile]
        self._providers = providers or None
        self._registry_options = registry_options
        self._options = options
        self._lock = threading.Lock()
        self._made: _Made | None = None
        if session_id is not None:
            self._made = self._make(archive.session(session_id))

    @property
    def session(self) -> Session | None:
        """The session, once there is one."""
        return self._made.session if self._made is not None else None

    @property
    def budget_tokens(self) -> int:
        """How large the evidence of one call may become."""
        own = int(self._options.get("budget_tokens") or Policy().budget_tokens)
        return max([own, *(_WIDE_TOKENS for offer in self.offers.values() if offer.wide)])

    def call(
        self,
        name: str,
        arguments: Any,
        *,
        client: Mapping[str, Any],
        call_id: str | None,
        progress: Listener,
        fits: Callable[[dict[str, Any]], bool] = lambda _: True,
    ) -> dict[str, Any]:
        """Do one call and return the reply, which is stored as it is. Raises CancelledError, StoreError.

        fits: whether a reply can be sent; one that cannot gives way to one that says so, and is recorded as an error.
        """
        made = self._begun()
        offer = self.offers.get(name)
        carry = offer.carry if offer is not None else reply
        replies: list[dict[str, Any]] = []

        def carried(call: Call, result: Result) -> dict[str, Any]:
            # a key that a model wrote is neither kept nor said again
            replies.append(hide_in(sound_json(carry(call, result)), known().replace_text))
            return replies[-1]

        if offer is not None and offer.does != name:
            client = {**client, "tool": name}
        (made.wide if offer is not None and offer.wide else made.tool).call(
            offer.does if offer is not None else name,
            offer.asked(arguments) if offer is not None else arguments,
            api=API,
            call_id=call_id,
            client=client,
            progress=progress,
            carry=carried,
            fits=fits,
        )
        return replies[-1]

    def resources(self, after: int) -> tuple[list[dict[str, Any]], int | None]:
        """Return evidence as resources from a place on, and the place of what follows."""
        return listing(self._made.work, after) if self._made is not None else ([], None)

    def read(self, uri: str, *, client: Mapping[str, Any], call_id: str | None) -> list[dict[str, Any]]:
        """Return what a resource holds; that it was handed out is recorded. Raises MissingError, IntegrityError."""
        made = self._begun()
        found = read(made.work, uri, made.session.head)
        contents: list[dict[str, Any]] = sound_json(found.contents)
        made.record_read(uri, Read(contents, found.evidence), client, call_id)
        return contents

    def instructions(self) -> str:
        """Return how to cite."""
        return self._begun().tool.instructions(API)

    def _begun(self) -> _Made:
        with self._lock:
            if self._made is None:
                self._made = self._make(self.archive.session(title=_TITLE))
            return self._made

    def _make(self, session: Session) -> _Made:
        def tool(**options: Any) -> Tool:
            return Tool(session, providers=self._providers, registry_options=self._registry_options, **options)

        return _Made(session, tool(**self._options), tool(**{**self._options, "budget_tokens": self.budget_tokens}))


class _Made:
    """What there is once there is a session."""

    def __init__(self, session: Session, tool: Tool, wide: Tool) -> None:
        self.session = session
        self.tool = tool
        self.wide = wide
        """The same with a budget for whole pages."""
        self.work = Workplace(session, Seen(session.ledger))

    def record_read(self, uri: str, found: Read, client: Mapping[str, Any], call_id: str | None) -> None:
        """Record that a resource was handed out, as a call and its result: it may reach a model."""
        ledger = self.session.ledger
        asked = json_bytes({"uri": uri}).decode("utf-8")
        call = records.ToolCall(
            name="resources/read",
            arguments=known().replace_text(asked),
            api=API,
            call_id=call_id,
            client=hide_in(dict(client), hide),
        )
        content = json_bytes({"contents": found.contents})
        with ledger.turn("tool") as turn:
            begun = Draft(call, (turn.begin,))
            turn.add([begun])
            ledger.blobs.put([content])
            result = records.ToolResult(
                name=call.name,
                api=API,
                call_id=call_id,
                outcome="ok",
                form=API,
                content=blob_ref(content),
                evidence=list(found.evidence),
            )
            turn.end(lambda _: (None, [Draft(result, (begun,))]), records.Turn(state="end", outcome="ok"))
