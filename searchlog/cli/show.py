"""`searchlog show`: a session's turns, one of them in full, what a model was given in it, or the records as stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out

if TYPE_CHECKING:
    from searchlog.cli.reading import Reading
    from searchlog.ledger import Ledger
    from searchlog.view import ToolUse, TurnView


@click.command(
    "show", epilog=options.examples("show", "show latest 1", "show latest 1 --rendering", "show latest --records")
)
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.argument("turn", required=False, type=click.IntRange(1), metavar="[TURN]")
@click.option(
    "--rendering",
    "form",
    flag_value="rendering",
    help="Print what a model was given in a turn, or said, byte for byte.",
)
@click.option("--records", "form", flag_value="records", help="Print the records as stored, one a line.")
@options.archive_option
@options.json_option
def show_command(session_id: str | None, turn: int | None, form: str | None, archive: str | None, as_json: bool) -> int:
    """Show a session, or one turn of it: a search with its funnel, a call with what was handed back, an answer.

    SESSION is an id, a beginning of one, or `latest` (the default). A session of one turn is shown in full. What is
    erased or damaged is named on stderr; exit code 7 tells of damage.
    """
    from searchlog.cli.reading import Reading
    from searchlog.view import turn_views

    if form == "rendering" and as_json:
        raise click.UsageError("--rendering prints bytes as they are; its text is `rendering` in `search --json`")
    if turn is None and session_id is not None and session_id.isascii() and session_id.isdecimal():
        turn = int(session_id)  # `searchlog show 2`: no session's id is a number
        session_id = None
    with options.open_existing(archive) as opened:
        ledger = opened.ledger(session_id or (options.newest_search(opened) if form == "rendering" else "latest"))
        reading = Reading(ledger, opened.absence(ledger.session))
        if form == "records":
            if as_json:
                out.json(_records_json(opened.described, reading, turn))
            else:
                _records(ledger, reading, turn)
            return reading.tell(turn)
        views = turn_views(reading.records)
        wanted = options.turn_of(views, turn, ledger.session) if turn is not None else None
        if form == "rendering":
            _rendering(reading, wanted or _last_given(views) or options.last_turn(views, ledger.session))
        elif as_json:
            out.json(_json(opened.described, reading, views, wanted))
        else:
            _people(reading, views, wanted)
        return reading.tell(turn)


def _records(ledger: Ledger, reading: Reading, turn: int | None) -> None:
    """Print the stored lines themselves, of one turn those that can be told to be of it."""
    mine = {record.seq for record in reading.records if record.envelope.turn == turn}
    mine |= {gap.seq for gap in reading.gaps if gap.turn == turn}
    for seq, item in enumerate(ledger.log.get(ledger.session)):
        if item.line is not None and (turn is None or seq in mine):
            out.data(item.line + b"\n")


def _records_json(archive: str, reading: Reading, turn: int | None) -> dict[str, object]:
    """Return the records that can be read, each as the object that its line is."""
    from searchlog import canon
    from searchlog.log.envelope import encode

    kept = [record for record in reading.records if turn is None or record.envelope.turn == turn]
    return {
        **_about(archive, reading, turn),
        "records": [canon.loads(encode(record.envelope)) for record in kept],
    }


def _last_given(views: list[TurnView]) -> TurnView | None:
    """Return the newest search that gave a model something, else the newest turn that did."""
    given = [view for view in views if view.handed is not None]
    return next((view for view in reversed(given) if view.query is not None), given[-1] if given else None)


def _rendering(reading: Reading, view: TurnView) -> None:
    from searchlog.digest import Digest
    from searchlog.errors import FormatError, MissingError

    ledger = reading.ledger
    given = view.handed or (view.messages[-1].message.content if view.messages else None)
    if given is None:
        damaged = reading.damaged(view.number)
        if damaged:
            raise FormatError(damaged[0], session=ledger.session, turn=view.number)
        where = f"turn {view.number} of session {ledger.session}"
        if reading.erased or reading.left_out:
            reading.tell()
            message = f"no rendering of {where} is there to read: records of the session are erased or left out"
        else:
            message = f"{where} gave a model nothing: it is a {view.purpose} that ended as {view.outcome or view.state}"
        raise MissingError(message, session=ledger.session, turn=view.number)
    out.data(ledger.blobs.get(Digest(given.blob)))


def _about(archive: str, reading: Reading, turn: int | None) -> dict[str, object]:
    """Return what the JSON of a session begins with."""
    from searchlog.log.checkpoint import head_line

    head = reading.head
    return {
        "archive": archive,
        "session": reading.ledger.session,
        "record_count": reading.size,
        "head": head_line(head) if head else None,
        "erased": reading.erased,
        "left_out": reading.left_out,
        "damaged": reading.damaged(turn),
    }


def _json(archive: str, reading: Reading, views: list[TurnView], wanted: TurnView | None) -> dict[str, object]:
    turns = [view.to_json(reading.load) for view in ([wanted] if wanted else views)]  # first: it may find damage
    return {**_about(archive, reading, wanted.number if wanted else None), "turns": turns}


def _about_turn(view: TurnView, reading: Reading) -> str:
    """Return what a turn is about, for a line of the table: a query, calls, words, else pages and how it went."""
    from searchlog.cli.content import said_briefly

    query = view.query
    if query is None:
        said = [said_briefly(item, reading) for item in view.messages]
        calls = [_called(item, reading) for item in view.calls]
        return ", ".join([*calls, *said]) or ": ".join(filter(None, (_pages_of(view), view.detail)))
    return query.text + (f" (and {len(query.also)} more)" if query.also else "")


def _pages_of(view: TurnView) -> str:
    """Return the first page that a turn fetched or read, and how many more; of a check, which looks at many, none."""
    asked = [item.asked for item in view.captures if item.final] if view.purpose != "verify" else []
    pages = list(dict.fromkeys([*asked, *(item.url for item in view.evidence)]))
    return pages[0] + (f" (and {len(pages) - 1} more)" if pages[1:] else "") if pages else ""


def _called(item: ToolUse, reading: Reading) -> str:
    from searchlog.cli import tell

    asked = tell.shown(reading.load(item.call.arguments)) if item.call else "[cannot be read]"
    fidelity = f": {item.result.fidelity}" if item.result and item.result.fidelity else ""
    return f"{item.said.name} {asked}{fidelity}"


def _people(reading: Reading, views: list[TurnView], wanted: TurnView | None) -> None:
    from searchlog.cli import tell
    from searchlog.cli.content import content
    from searchlog.log.checkpoint import head_line

    head = reading.head
    mark = reading.mark(wanted.number if wanted else None)
    out.line(f"session {reading.ledger.session}, {reading.size} records{mark}")
    if wanted is None:
        rows = [(v.number, v.purpose, v.ended, len(v.evidence), _about_turn(v, reading)) for v in views]
        out.table(("turn", "purpose", "outcome", "evidence", "about"), rows)
        wanted = views[0] if len(views) == 1 else None
    if wanted is not None:
        out.line()
        tell.turn(wanted, reading.load)
        content(wanted, reading)
    if head is not None:
        out.line()
        out.line(head_line(head))
