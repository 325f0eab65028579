"""`searchlog sessions`: what the archive holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

if TYPE_CHECKING:
    from searchlog.archive import SessionInfo


@click.command("sessions", epilog=options.examples("sessions", "sessions --json"))
@options.archive_option
@options.json_option
def sessions_command(archive: str | None, as_json: bool) -> int:
    """List the sessions of the archive, oldest first.

    One of which a record cannot be read is listed with what can be; exit code 7 tells that there is such a one.
    """
    from searchlog.cli import tell
    from searchlog.cli.reading import say_damaged

    with options.open_existing(archive) as opened:
        found = opened.sessions()
        if as_json:
            out.json({"archive": opened.described, "sessions": [asdict(info) for info in found]})
        else:
            rows = []
            for info in found:
                asked = tell.brief("; ".join(info.queries) or (f"({info.title})" if info.title else ""))
                counts = (info.turns, info.record_count, info.evidence_count)
                state = _state(info, opened.snapshot is not None)
                rows.append((info.id, info.began_at[:19], *counts, state, asked))
            out.table(("session", "began", "turns", "records", "evidence", "state", "queries"), rows)
            out.say(f"in {opened.described}")
    damaged = [text for info in found for text in info.damaged]
    say_damaged(damaged)
    return Exit.BYTES if damaged else Exit.OK


def _state(info: SessionInfo, sent: bool) -> str:
    """Return whose it is and what is not as it was written, in a word or two. sent: whether it stands in a snapshot."""
    counts = ((info.erased_count, "left out" if info.imported or sent else "erased"), (len(info.damaged), "damaged"))
    gone = ", ".join(f"{count} {what}" for count, what in counts if count)
    whose = ["imported"] if info.imported else []
    return ", ".join([*whose, *([gone] if gone else [])]) or "whole"
