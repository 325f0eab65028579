"""The pages that a result names, captured anew: exact, and ours. Effects: fetches; may start a process for it.

The agent does not wait: a process of its own, cut off from the agent's terminal, fetches them into the same session.
What comes of it is in the log: a turn `fetch`, and a note that says after which result. That a page says today what the
agent's tool read is not known; the two captures stand side by side.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from searchlog.archive import Archive
from searchlog.clock import format_time
from searchlog.errors import SearchlogError, StoreError, UsageError
from searchlog.hooks.alone import alone
from searchlog.keyring import hide
from searchlog.ledger import Draft
from searchlog.records import Capture, Note, ToolResult
from searchlog.secrecy import MARKER
from searchlog.session import Page, Session

__all__ = ["PAGES_MAX", "later", "recapture"]

PAGES_MAX = 20
"""Pages of one result that are captured."""
_RECENT_S = 3_600
"""A page that was captured within this time is not asked for again: agents come back to a page within minutes."""
_WAIT_S = 900.0
"""How long one recapture waits for another: side by side they would load the machine, and a host twice."""


def recapture(archive: Archive, session_id: str, seq: int, *, allow_private: Sequence[str] = ()) -> int:
    """Capture the pages that the result at this place names; return how many gave text.

    Raises UsageError when there is no result there. What goes wrong with a page is data.
    """
    session = archive.session(session_id)
    result = next((record.body for record in session.ledger.records(seq, seq + 1)), None)
    if not isinstance(result, ToolResult):
        raise UsageError(f"record {seq} of session {session_id} is no tool's result", session=session_id, seq=seq)
    with alone(session.resources.storage, "recapture", _WAIT_S):
        known = _recent(session)
        urls = [url for url in result.urls or () if MARKER not in url and url not in known][:PAGES_MAX]
        earlier = sorted(known[url] for url in result.urls or () if url in known)
        if not urls:
            if earlier:
                _note(session, "recapture: its pages were captured before", (seq, *earlier), [])
            return 0
        try:
            pages = session.fetch_many(urls, allow_private=tuple(allow_private))
        except SearchlogError as error:
            _note(session, f"recapture failed: {hide(str(error))}", (seq,), [])
            raise
    good = sum(page.reason is None for page in pages)
    more = f", {len(earlier)} captured before" if earlier else ""
    _note(session, f"recapture: {good} of {len(pages)} pages gave text{more}", (seq, *earlier), pages)
    return good


def _recent(session: Session) -> dict[str, int]:
    """Return the pages that were captured whole in this session a short while ago, and the seq of each capture."""
    since = format_time(session.resources.clock.now() - timedelta(seconds=_RECENT_S))
    return {
        record.body.asked: record.seq
        for record in session.ledger.records()
        if isinstance(record.body, Capture)
        and record.body.final
        and record.body.outcome == "complete"
        and record.envelope.at >= since
    }


def _note(session: Session, text: str, causes: tuple[int, ...], pages: Sequence[Page]) -> None:
    came = [{"url": page.asked, "said": page.said} for page in pages]
    session.ledger.add([Draft(Note(text=text, fields={"pages": came} if came else {}), causes)])


def later(arguments: Sequence[str]) -> None:
    """Run `searchlog` with these arguments in a process of its own, which outlives this one and its terminal.

    Raises StoreError when this machine cannot start it.
    """
    nowhere = subprocess.DEVNULL
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    # -P: the agent stands in a folder of whoever's project, and a module there must not pass for one of ours
    command = [sys.executable, "-P", "-m", "searchlog", *arguments]
    try:
        child = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, close_fds=True, **apart)
    except OSError as error:
        raise StoreError(f"cannot start the recapture: {error.strerror or error}") from None
    child.returncode = 0  # nobody here waits for it, and that is no leak
