"""`searchlog sessions`: what the archive holds."""

from __future__ import annotations

from dataclasses import asdict

import click

from searchlog.cli import options, out


@click.command("sessions", epilog=options.examples("sessions", "sessions --json"))
@options.archive_option
@options.json_option
def sessions_command(archive: str | None, as_json: bool) -> None:
    """List the sessions of the archive, oldest first."""
    from searchlog.cli import tell

    with options.open_existing(archive) as opened:
        found = opened.sessions()
        if as_json:
            out.json({"archive": opened.described, "sessions": [asdict(info) for info in found]})
            return
        rows = []
        for info in found:
            asked = tell.brief("; ".join(info.queries))
            rows.append((info.id, info.began_at[:19], info.turns, info.record_count, info.evidence_count, asked))
        out.table(("session", "began", "turns", "records", "evidence", "queries"), rows)
        out.say(f"in {opened.described}")
