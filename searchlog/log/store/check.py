"""What a store checks before it takes a session from elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from searchlog.errors import IntegrityError
from searchlog.log.store.base import SessionSnapshot, StoredLine
from searchlog.log.tree import Frontier, leaf_hash

__all__ = ["checked_frontier", "filled"]


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


def filled(snapshot: SessionSnapshot, stored: Sequence[StoredLine]) -> Iterator[tuple[int, StoredLine]]:
    """Yield place and record of each line that a snapshot has and the store has not, among the records that both have.

    Raises IntegrityError, before it yields anything, when the two part.
    """
    for seq, (theirs, ours) in enumerate(zip(snapshot.lines, stored, strict=False)):
        if theirs.leaf != ours.leaf:
            raise IntegrityError(
                f"record {seq} of session {snapshot.session} is another one than the one stored here: one of the two "
                "logs was rewritten",
                session=snapshot.session,
                fork=seq,
                expected=ours.leaf.hex(),
                found=theirs.leaf.hex(),
            )
    for seq, (theirs, ours) in enumerate(zip(snapshot.lines, stored, strict=False)):
        if ours.line is None and theirs.line is not None:
            yield seq, theirs
