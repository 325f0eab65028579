"""Keep what a hook was given: the session that belongs to the agent's session, and one turn with its call and result.

One session of the archive for each session of an agent, named after it: `claude-code-ID.xxxxxxxx`. It is found again by
that name; the end is chance, since two archives may each keep a part of one agent's session, and a session is one log.
A turn is one atomic batch, so hooks that run side by side lose nothing and nothing is ever half there.
Effects: reads the environment's secrets, writes to the archive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from searchlog.clock import Clock, Ids
from searchlog.digest import digest
from searchlog.hooks.agents import AGENTS
from searchlog.hooks.alone import alone
from searchlog.hooks.client import client_of
from searchlog.hooks.event import INTERRUPTED, Event, Judged, storable
from searchlog.keyring import hide, hide_bytes, known
from searchlog.ledger import Draft, Ledger, State
from searchlog.records import BlobRef, ToolCall, ToolResult, Turn
from searchlog.storage import Storage

__all__ = ["Keeper", "Kept"]

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,60}")
_AGENT_MAX = _TITLE_MAX = 200
_BUSY_S = 5.0
_UNREAD = "no tool's response could be read in what the hook was given: all of it is kept"


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept of one event."""

    session: str
    turn: int
    seq: int
    """Of the result's record."""
    fidelity: str
    bytes: int
    """Of the result, as kept."""
    urls: tuple[str, ...]
    """The pages that it names, without credentials."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps results of agents in one archive."""

    storage: Storage
    clock: Clock
    ids: Ids

    def keep(self, agent: str, event: Event) -> Kept:
        """Keep one result; return where. Raises StoreError, FormatError or IntegrityError when the archive cannot."""
        judged = AGENTS[agent].judge(event)
        content = hide_bytes(event.result)
        urls = tuple(dict.fromkeys(map(hide, judged.urls)))
        call, result = _bodies(agent, event, judged, content, urls)
        worker = f"main/{known().replace_text(event.worker)}"[:_AGENT_MAX] if event.worker else "main"
        end = Turn(state="end", outcome="failed" if judged.error else "ok", detail=None if event.is_read else _UNREAD)
        ledger = self.ledger_of(agent, event.session)
        ledger.blobs.put([content])

        def build(state: State) -> tuple[Draft, Sequence[Draft]]:
            turn = state.last_turn + 1
            begun = Draft(Turn(state="begin", purpose="hook"), (), turn, worker)
            called = Draft(call, (begun,), turn, worker)
            answered = Draft(result, (called,), turn, worker)
            return answered, [begun, called, answered, Draft(end, (begun,), turn, worker)]

        stored = ledger.append(build)
        assert stored.seq is not None
        assert stored.turn is not None
        return Kept(ledger.session, stored.turn, stored.seq, judged.fidelity, len(content), urls)

    def ledger_of(self, agent: str, session: str) -> Ledger:
        """Return the log that keeps an agent's session, begun when there is none.

        session: the agent's own id; empty for events that do not say it, which then share one log.
        """
        start = f"{agent}-{_slug(session)}."
        found = self._found(start)
        if found is None:
            with alone(self.storage, "hook", _BUSY_S):  # two hooks may begin one session at the same moment
                found = self._found(start) or self._begun(agent, session, start)
        return found

    def _found(self, start: str) -> Ledger | None:
        names = [name for name in self.storage.log.sessions() if name.startswith(start)]
        if names and self.storage.log.has("sharing"):
            from searchlog.sharing import Sharing

            # a second writer of somebody else's log would be a fork
            others = Sharing(self.storage, self.clock, self.ids).imported()
            names = [name for name in names if name not in others]
        return self._ledger(names[0]) if names else None

    def _begun(self, agent: str, session: str, start: str) -> Ledger:
        from searchlog import __version__

        ledger = self._ledger(start + self.ids.session(self.clock.now()).rpartition("-")[2])
        said = known().replace_text(storable(session))[:_TITLE_MAX]
        ledger.begin_session(f"searchlog/{__version__}", f"{agent} {said}" if said else f"{agent}, session not named")
        return ledger

    def _ledger(self, name: str) -> Ledger:
        storage = self.storage
        return Ledger(name, storage.log, storage.blobs, clock=self.clock, ids=self.ids, leases=storage.leases)


def _bodies(
    agent: str, event: Event, judged: Judged, content: bytes, urls: tuple[str, ...]
) -> tuple[ToolCall, ToolResult]:
    """Return the records of a call and its result, without secrets."""
    hidden = known().replace_text
    name = hidden(event.tool) or "unknown"
    call_id = hidden(event.call_id) if event.call_id else None
    client = {part: hidden(value) for part, value in client_of(agent, event).items()}
    outcome: Literal["ok", "error", "interrupted"] = "error" if judged.error else "ok"
    if judged.error == INTERRUPTED:
        outcome = "interrupted"
    call = ToolCall(name=name, arguments=hide(event.arguments), api=agent, call_id=call_id, client=client)
    result = ToolResult(
        name=name,
        api=agent,
        outcome=outcome,
        call_id=call_id,
        error=judged.error if outcome == "error" else None,
        form="json" if event.is_read else "input",
        content=BlobRef(blob=digest(content), bytes=len(content)),
        urls=list(urls) or None,
        fidelity=judged.fidelity,
    )
    return call, result


def _slug(session: str) -> str:
    """Return an agent's session id as it may stand in the name of ours: itself when that can be."""
    if not session:
        return "unnamed"
    is_plain = _PLAIN.fullmatch(session) and known().replace_text(session) == session
    return session if is_plain else "x" + digest(session.encode("utf-8")).removeprefix("sha256:")[:32]
