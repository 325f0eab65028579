"""JSON shapes that several commands share; README documents them field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.session import Search, Session

__all__ = ["search_json"]


def search_json(archive: Archive, session: Session, found: Search) -> dict[str, Any]:
    """Return a search: its turn as `show --json` gives it, and what a model is given."""
    from searchlog.cli.options import turn_of
    from searchlog.log.checkpoint import head_line
    from searchlog.view import turn_views

    view = turn_of(turn_views(session.records()), found.turn, session.id)
    turn = view.to_json(session.ledger.load)
    del turn["calls"], turn["messages"]  # nobody called a tool for it, and nobody answered
    return {
        "archive": archive.described,
        **turn,
        "rendering": found.rendering,
        "rendering_digest": found.rendering_digest,
        "head": head_line(found.head),
    }
