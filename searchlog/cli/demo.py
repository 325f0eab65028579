"""`searchlog demo`: all of it at work, with no key and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.demo.run import Part
    from searchlog.session import Session
    from searchlog.verify.finding import Report


@click.command("demo", epilog=options.examples("demo", "demo --archive ./demo-archive"))
@options.archive_option
@options.json_option
@options.quiet_option
def demo_command(archive: str | None, as_json: bool, quiet: bool) -> int:
    """Search a small site that ships with searchlog, and show what is kept of it.

    A web server is started on this machine for the time of the demo. The searches, the fetches, the log and the
    checks are the same as on the web. Without --archive all is kept in a folder of its own beside the default archive.
    """
    from searchlog.archive import open_archive
    from searchlog.cli import progress
    from searchlog.demo.run import run_demo
    from searchlog.verify.store import verify_session

    with open_archive(archive or _place()) as opened:
        session = opened.session(title="demo")
        with progress.shown(quiet) as listener:
            parts = list(run_demo(session, progress=listener))
        storage = opened.resources.storage
        report = verify_session(storage.log, storage.blobs, session.id)
        if as_json:
            out.json(_json(opened, session, parts, report))
        else:
            for number, part in enumerate(parts, 1):
                _print_part(number, part, session)
            _print_end(opened, session, parts, report)
    return Exit.FINDINGS if report.findings else Exit.OK


def _place() -> str:
    """Return the folder of the demo's archive: never inside somebody's project."""
    from pathlib import Path

    import platformdirs

    return str(Path(platformdirs.user_data_dir("searchlog", appauthor=False)) / "demo")


def _print_part(number: int, part: Part, session: Session) -> None:
    from searchlog.cli import tell
    from searchlog.view import turn_views

    search = part.search
    view = options.turn_of(turn_views(session.records()), search.turn, session.id)
    out.line(f"[{number}] {part.title}")
    out.line(f"    query     {search.query.text}")
    out.line(f"    provider  {part.provider}: {search.outcome}")
    out.line()
    tell.funnel(view)
    out.line()
    out.data(search.rendering)
    out.line()
    found = f"stands in {', '.join(part.answered_by)}" if part.answered_by else "was not found"
    out.line(f"    The answer, “{part.answer}”, {found}.")
    out.line()


def _print_end(archive: Archive, session: Session, parts: list[Part], report: Report) -> None:
    from searchlog.cli.checked import print_report

    print_report(report)
    out.line()
    folder = archive.resources.storage.folder
    out.line(f"All of it is stored in {archive.described}")
    if folder is None:
        return
    out.line("  log.db       the session log: each query, answer, decision, capture and passage as one record")
    out.line(
        "  blobs/       what crossed the wire, the texts, and what a model was given; a file's name is its SHA-256"
    )
    out.line()
    place = f" --archive {_quoted(str(folder))}"
    here = f" --session {session.id}{place}"
    cited = next((ids[0] for ids in (part.answered_by for part in parts) if ids), "e1")
    page = next(item.source.url for part in parts for item in part.search.evidence if item.id == cited)
    out.line("Look closer:")
    for command in (
        f"show {session.id} {parts[0].search.turn}{place}",
        f"evidence {cited}{here}",
        f"why {page}{here}",
        f"replay {session.id} {parts[0].search.turn}{place}",
        f"verify {session.id} --passages{place}",
        f"search {parts[-1].search.query.text} --provider {parts[-1].provider}{place}",
        "search how do tide mills work --provider wikipedia",
    ):
        out.line(f"  searchlog {command}")


def _quoted(path: str) -> str:
    """Return a path as every shell takes it."""
    return f'"{path}"' if " " in path else path


def _json(archive: Archive, session: Session, parts: list[Part], report: Report) -> dict[str, Any]:
    from searchlog.cli.shape import search_json

    searches = [
        {
            "title": part.title,
            "answer": part.answer,
            "answered_by": list(part.answered_by),
            **search_json(archive, session, part.search),
        }
        for part in parts
    ]
    return {"archive": archive.described, "session": session.id, "searches": searches, "report": report.to_json()}
