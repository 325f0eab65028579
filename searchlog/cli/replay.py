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

    Exit code 0 means that all came out equal, 6 that something differs, 9 that nothing can be said: the model that
    ranked the passages (`search --scorer`) is not here, or another one is.
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
        verdict, _ = _VERDICTS[again.outcome]
        out.line(f"session {again.session} turn {again.turn}: {verdict}")
        out.line(f"  recorded  {again.expected}")
        out.line(f"  now       {again.found or f'not made: {again.not_checked}'}")
        for text in (*again.differences, *again.notes):
            out.line(f"  {text}")
    return _VERDICTS[again.outcome][1]


_VERDICTS = {
    "verified": ("equal byte for byte", Exit.OK),
    "failed": ("differs", Exit.FINDINGS),
    "not checked": ("not checked", Exit.NOT_CHECKED),
}
"""What is said of each outcome, and the exit code."""
