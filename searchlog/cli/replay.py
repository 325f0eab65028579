"""`searchlog replay`: a stored search run again with no network: byte for byte the same, or where it parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import UsageError

if TYPE_CHECKING:
    from searchlog.replay import Replay


@click.command("replay", epilog=options.examples("replay", "replay latest 1 --json", "replay search.wacz"))
@click.argument("session_id", required=False, metavar="[SESSION|FILE]")
@click.argument("turn", required=False, type=click.IntRange(1), metavar="[TURN]")
@options.archive_option
@options.json_option
def replay_command(session_id: str | None, turn: int | None, archive: str | None, as_json: bool) -> int:
    """Run a stored search again from its recorded bytes, and compare what a model would be given.

    SESSION is an id, a beginning of one, or `latest`; by default the newest that holds a search. TURN defaults to its
    newest search. FILE is a snapshot: every search in it is run again, or that of TURN. Nothing is sent and nothing
    written.

    Exit code 0 means that all came out equal, 6 that something differs, 9 that nothing can be said: what it rests on
    was left out of the snapshot, or the model that ranked the passages (`search --scorer`) is not here.
    """
    from searchlog.cli.reading import Reading
    from searchlog.replay import Past, replay
    from searchlog.view import turn_views

    file = session_id if session_id is not None and options.names_file(session_id) else None
    if file is not None and not Path(file).is_file():
        raise UsageError(f"no file {file}", path=file)
    with options.open_existing(file or archive) as opened:
        ledger = opened.ledger("latest" if file else session_id or options.newest_search(opened))
        absent = opened.absence(ledger.session)
        views = turn_views(Reading(ledger).records)
        if not views and absent.lines:
            out.error(f"nothing of session {ledger.session} can be run again: its records were left out")
            return Exit.NOT_CHECKED
        numbers = [turn] if turn else [options.last_turn(views, ledger.session).number]
        if file and not turn:
            numbers = [view.number for view in views if view.rendering is not None and view.state == "end"] or numbers
        past = Past.of(ledger)
        done = [replay(ledger, number, opened.resources.pool, absent=absent, past=past) for number in numbers]
    if as_json:
        shapes = [again.to_json() for again in done]
        out.json({"file": file, "replays": shapes} if file else shapes[0])
    else:
        for again in done:
            _tell(again)
    return max((_VERDICTS[again.outcome] for again in done), key=lambda verdict: _ORDER.index(verdict[1]))[1]


def _tell(again: Replay) -> None:
    verdict, _ = _VERDICTS[again.outcome]
    out.line(f"session {again.session} turn {again.turn}: {verdict}")
    out.line(f"  recorded  {again.expected}")
    out.line(f"  now       {again.found or f'not made: {again.not_checked}'}")
    for text in (*again.differences, *again.notes):
        out.line(f"  {text}")


_VERDICTS = {
    "verified": ("equal byte for byte", Exit.OK),
    "failed": ("differs", Exit.FINDINGS),
    "not checked": ("not checked", Exit.NOT_CHECKED),
}
"""What is said of each outcome, and the exit code."""

_ORDER = (Exit.OK, Exit.NOT_CHECKED, Exit.FINDINGS)
"""Of several replays the code that stands last here counts."""
