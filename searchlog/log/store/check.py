"""What a store checks before it takes a session from elsewhere. Pure."""

from __future__ import annotations

from searchlog.errors import IntegrityError
from searchlog.log.store.base import SessionSnapshot
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["checked_frontier"]


def checked_frontier(snapshot: SessionSnapshot) -> Frontier:
    """Return the frontier of a snapshot's lines; raise IntegrityError where a line or the head does not match."""
    for seq, item in enumerate(snapshot.lines):
        if item.line is not None and leaf_hash(item.line) != item.leaf:
            raise IntegrityError(f"record {seq} of session {snapshot.session} does not match its leaf hash", seq=seq)
    frontier = Frontier().extend(item.leaf for item in snapshot.lines)
    if frontier != snapshot.frontier:
        raise IntegrityError(
            f"the {frontier.size} records of session {snapshot.session} do not give the head that came with them",
            expected=snapshot.frontier.root.hex(),
            found=frontier.root.hex(),
        )
    return frontier
