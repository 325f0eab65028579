"""`searchlog evidence`: the passages that models were given, and where each one lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlog.cli.reading import Reading


@click.command("evidence", epilog=options.examples("evidence", "evidence e1 --json"))
@click.argument("evidence_id", required=False, metavar="[ID]")
@options.session_option(None, "; by default the newest that holds a search")
@options.archive_option
@options.json_option
def evidence_command(evidence_id: str | None, session_id: str | None, archive: str | None, as_json: bool) -> int:
    """List the evidence of a session, or show one piece: its text, selectors, digests, and where its bytes lie."""
    from searchlog.cli.reading import Reading

    with options.open_existing(archive) as opened:
        ledger = opened.ledger(session_id or options.newest_search(opened))
        reading = Reading(ledger, opened.absence(ledger.session))
        found = _pieces(reading)
        code = reading.tell()
        if evidence_id is not None:
            found = [piece for piece in found if piece["id"] == evidence_id]
            if not found:
                raise MissingError(
                    f"no evidence {evidence_id} in session {ledger.session}: `searchlog evidence` lists it",
                    session=ledger.session,
                    evidence=evidence_id,
                )
        elif not found:
            raise MissingError(f"no evidence in session {ledger.session}", session=ledger.session)
        if as_json:
            out.json({"archive": opened.described, "session": ledger.session, "evidence": found})
        elif evidence_id is not None:
            _show(found[0])
        else:
            _list(found)
    return code


def _pieces(reading: Reading) -> list[dict[str, Any]]:
    """Return each piece once, as first recorded: its record's fields, place in the log, and files."""
    from searchlog.records import Evidence
    from searchlog.view import evidence_json

    pieces: dict[str, dict[str, Any]] = {}
    for record in reading.records:
        if isinstance(record.body, Evidence) and record.body.id not in pieces:
            body = record.body
            pieces[body.id] = {
                **evidence_json(body, reading.load),
                "turn": record.envelope.turn,
                "seq": record.seq,
                "files": {"text": _file(reading, body.text), "payload": _file(reading, body.payload)},
            }
    return list(pieces.values())


def _file(reading: Reading, name: str) -> str | None:
    """Return where a blob lies; None for one that was left out, and for what is no digest."""
    from searchlog.digest import Digest
    from searchlog.errors import FormatError

    if reading.is_left_out(name):
        return None
    try:
        return reading.ledger.blobs.where(Digest(name))
    except FormatError:
        return None


def _list(pieces: list[dict[str, Any]]) -> None:
    from searchlog.cli.tell import shown

    rows = [(p["id"], p["turn"], p["tokens"], p["source_kind"], p["url"], shown(p["exact"])) for p in pieces]
    out.table(("id", "turn", "tokens", "kind", "url", "text"), rows)


_KINDS = {
    "page": "",
    "imported-page": "imported-page: captured by another tool or person, whose word its bytes and time are",
    "provider-text": "provider-text: a provider's text, not the page itself",
}


def _show(piece: dict[str, Any]) -> None:
    rows = [
        ("id", piece["id"]),
        ("kind", _KINDS.get(piece["source_kind"], piece["source_kind"])),
        ("title", piece["title"]),
        ("url", piece["url"]),
        ("link", piece["link"]),
        ({"page": "fetched", "imported-page": "archived"}.get(piece["source_kind"], "asked for"), piece["captured_at"]),
        ("published", _dated(piece, "published")),
        ("crawled", _dated(piece, "crawled")),
        ("under", " > ".join(piece["heading_path"])),
        ("columns", _place(piece.get("table_head"))),
        ("lead-in", _place(piece.get("lead_in"))),
        ("page", piece.get("page")),
        ("labels", ", ".join(piece["labels"])),
        ("flags", ", ".join(piece["flags"])),
        ("tokens", piece["tokens"]),
        ("score", piece["score"]),
        ("characters", _place((piece["start"], piece["end"]))),
        ("before it", piece["prefix"]),
        ("after it", piece["suffix"]),
        ("digest", piece["digest"]),
        ("text", piece["text"]),
        ("", piece["files"]["text"] or "left out, or not to be found"),
        ("payload", piece["payload"]),
        ("", piece["files"]["payload"] or "left out, or not to be found"),
        ("record", f"{piece['seq']} (turn {piece['turn']})"),
    ]
    for name, value in rows:
        if value not in (None, ""):
            out.line(f"{name:<10}  {value}")
    out.line()
    out.data((piece["exact"] if isinstance(piece["exact"], str) else "[its text cannot be read]") + "\n")


def _place(span: Sequence[int] | None) -> str:
    return f"[{span[0]}, {span[1]}) of the stored text" if span else ""


def _dated(piece: dict[str, Any], what: str) -> str:
    if not piece.get(what):
        return ""
    source = piece.get(f"{what}_source")
    return str(piece[what]) + (f" (says {source})" if source else "")
