"""`searchlog replay`: a stored search run again with no network: byte for byte the same, or where it parts."""

from __future__ import annotations

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit


@click.command("replay", epilog=options.examples("replay", "replay latest 1 --json"))
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.argument("turn", required=False, type=click.IntRange(1), metavar="[TURN]")
@options.archive_option
@options.json_option
def replay_command(session_id: str | None, turn: int | None, archive: str | None, as_json: bool) -> int:
    """Run a stored search again from its recorded bytes, and compare what a model would be given.

    SESSION is an id, a beginning of one, or `latest`; by default the newest that holds a search. TURN defaults to its
    newest search. Nothing is sent and nothing written.
    """
    from searchlog.cli.reading import Reading
    from searchlog.replay import replay
    from searchlog.view import turn_views

    with options.open_existing(archive) as opened:
        ledger = opened.ledger(session_id or options.newest_search(opened))
        number = turn or options.last_turn(turn_views(Reading(ledger).records), ledger.session).number
        again = replay(ledger, number, opened.resources.pool)
    if as_json:
        out.json(again.to_json())
    else:
        verdict = "equal byte for byte" if again.equal else "differs"
        out.line(f"session {again.session} turn {again.turn}: {verdict}")
        out.line(f"  recorded  {again.expected}")
        out.line(f"  now       {again.found}")
        for text in (*again.differences, *again.notes):
            out.line(f"  {text}")
    return Exit.OK if again.equal else Exit.FINDINGS
