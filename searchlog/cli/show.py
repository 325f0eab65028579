"""`searchlog show`: a session's turns, one search in full, its rendering, or the records as stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out

if TYPE_CHECKING:
    from searchlog.ledger import Ledger
    from searchlog.view import TurnView


@click.command("show", epilog=options.examples("show", "show latest 1 --rendering", "show latest --records"))
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.argument("turn", required=False, type=click.IntRange(1), metavar="[TURN]")
@click.option("--rendering", "form", flag_value="rendering", help="Print what a model was given, byte for byte.")
@click.option("--records", "form", flag_value="records", help="Print the records as stored, one a line.")
@options.archive_option
@options.json_option
def show_command(
    session_id: str | None, turn: int | None, form: str | None, archive: str | None, as_json: bool
) -> None:
    """Show a session, or one turn of it with its funnel.

    SESSION is an id, a beginning of one, or `latest` (the default). A session of one turn is shown in full.
    """
    from searchlog.view import turn_views

    if form and as_json:
        raise click.UsageError("--json shows a session or a turn; --rendering and --records have their own form")
    if turn is None and session_id is not None and session_id.isascii() and session_id.isdecimal():
        turn = int(session_id)  # `searchlog show 2`: no session's id is a number
        session_id = None
    with options.open_existing(archive) as opened:
        ledger = opened.ledger(session_id or (options.newest_search(opened) if form == "rendering" else "latest"))
        if form == "records":
            _records(ledger, turn)
            return
        views = turn_views(ledger.records())
        wanted = options.turn_of(views, turn, ledger.session) if turn is not None else None
        if form == "rendering":
            _rendering(ledger, wanted or options.last_turn(views, ledger.session))
        elif as_json:
            out.json(_json(opened.described, ledger, views, wanted))
        else:
            _people(ledger, views, wanted)


def _records(ledger: Ledger, turn: int | None) -> None:
    """Print the stored lines themselves; erased ones are counted on stderr."""
    from searchlog.log.envelope import decode

    erased = 0
    for item in ledger.log.get(ledger.session):
        if item.line is None:
            erased += 1
        elif turn is None or decode(item.line).turn == turn:
            out.data(item.line + b"\n")
    if erased:
        out.say(f"{erased} erased records are not shown")


def _rendering(ledger: Ledger, view: TurnView) -> None:
    from searchlog.digest import Digest
    from searchlog.errors import MissingError

    if view.rendering is None:
        raise MissingError(
            f"turn {view.number} of session {ledger.session} gave a model nothing: it is a {view.purpose} that ended "
            f"as {view.outcome or view.state}",
            session=ledger.session,
            turn=view.number,
        )
    out.data(ledger.blobs.get(Digest(view.rendering.text.blob)))


def _json(archive: str, ledger: Ledger, views: list[TurnView], wanted: TurnView | None) -> dict[str, object]:
    from searchlog.log.checkpoint import head_line

    head = ledger.checkpoint()
    return {
        "archive": archive,
        "session": ledger.session,
        "record_count": head.size,
        "head": head_line(head),
        "turns": [view.to_json(ledger.load) for view in ([wanted] if wanted else views)],
    }


def _people(ledger: Ledger, views: list[TurnView], wanted: TurnView | None) -> None:
    from searchlog.cli import tell
    from searchlog.log.checkpoint import head_line

    head = ledger.checkpoint()
    out.line(f"session {ledger.session}, {head.size} records")
    if wanted is None:
        rows = [
            (v.number, v.purpose, v.outcome or v.state, len(v.evidence), v.query.text if v.query else "") for v in views
        ]
        out.table(("turn", "purpose", "outcome", "evidence", "query"), rows)
        wanted = views[0] if len(views) == 1 else None
    if wanted is not None:
        out.line()
        tell.turn(wanted, ledger.load)
    out.line()
    out.line(head_line(head))
