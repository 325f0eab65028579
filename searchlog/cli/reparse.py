"""`searchlog reparse`: stored answers of providers parsed again, beside what was made of them then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import MissingError

if TYPE_CHECKING:
    from searchlog.reparse import Reparsed


@click.command("reparse", epilog=options.examples("reparse", "reparse latest 1 --json", "reparse all --keep"))
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.argument("turn", required=False, type=click.IntRange(1), metavar="[TURN]")
@click.option("--keep", is_flag=True, help="Append the runs that come out otherwise, as a turn of their own.")
@options.archive_option
@options.json_option
def reparse_command(session_id: str | None, turn: int | None, keep: bool, archive: str | None, as_json: bool) -> int:
    """Parse stored answers of providers again, with the parsers of this version.

    For an answer that no parser could read then, or read wrongly: its bytes were kept. SESSION is an id, a beginning of
    one, `latest` or `all`; by default the newest that holds a search. Nothing is sent; nothing is written without
    --keep, and what is recorded stays in any case. Exit code 6 tells that a run comes out otherwise now.
    """
    from searchlog.archive import open_archive
    from searchlog.reparse import reparse

    opening = open_archive(archive, create=False) if keep else options.open_existing(archive)
    with opening as opened:
        known = opened.resources.storage.log.sessions()
        names = known if session_id == "all" else [opened.find(session_id or options.newest_search(opened))]
        found: list[Reparsed] = []
        for name in names:
            mine = reparse(opened.ledger(name), turn)
            found += mine
            changed = [item for item in mine if not item.equal]
            if keep and changed:
                number = opened.session(name).keep_runs(changed)
                out.say(f"{len(changed)} runs appended to session {name} as turn {number}")
        if turn is not None and not found:
            raise MissingError(f"no provider was asked in a turn {turn} of {session_id or names[0]}", turn=turn)
        described = opened.described
    if as_json:
        out.json({"archive": described, "runs": [item.to_json() for item in found]})
    else:
        shown = [item for item in found if not item.equal or (item.run is None and item.causes)]
        for name in names:
            mine = [item for item in shown if item.session == name]
            if mine:
                out.line(f"session {name}")
                out.table(
                    ("turn", "seq", "provider", "then", "now", "what changed"),
                    [(item.turn, item.seq, item.recorded.provider, *_told(item)) for item in mine],
                )
        out.line(_sum(found))
    for item in found:
        if item.run is None and item.damaged:
            out.error(f"session {item.session} record {item.seq}: {item.why}")
    if any(item.damaged for item in found):
        return Exit.BYTES
    return Exit.FINDINGS if any(not item.equal for item in found) else Exit.OK


def _sum(found: list[Reparsed]) -> str:
    """Return how many runs there are of each kind, in a sentence."""
    parsed = [item for item in found if item.run is not None]
    counts = (
        (len(parsed), "answers parsed again"),
        (sum(not item.equal for item in parsed), "come out otherwise"),
        (sum(item.run is None and bool(item.causes) for item in found), "cannot be parsed here"),
        (sum(not item.causes for item in found), "runs without a stored answer"),
    )
    return ", ".join(f"{count} {what}" for count, what in counts)


def _told(item: Reparsed) -> tuple[str, str, str]:
    """Return how a run was, how it is now, and what that changes, in words."""
    then = f"{item.recorded.outcome} ({item.recorded.parser or 'not parsed'})"
    if item.run is None:
        return then, "not parsed", item.why
    parts = [f"{len(item.gained)} results more" if item.gained else "", f"{len(item.lost)} fewer" if item.lost else ""]
    changed = ", ".join(filter(None, parts)) or ("nothing" if item.equal else "details")
    return then, f"{item.run.outcome} ({item.run.parser})", changed
