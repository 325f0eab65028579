"""`searchlog import`: snapshots of other people's sessions, and pages that other tools archived."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit, exit_of
from searchlog.errors import IntegrityError, SearchlogError

if TYPE_CHECKING:
    from searchlog.archive import Archive
    from searchlog.foreign_captures import ForeignImport
    from searchlog.importing import TakenIn

_SHOWN_MAX = 20


@click.command(
    "import", epilog=options.examples("import search.wacz", "import crawl.wacz pages.warc.gz", "import a.wacz --json")
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.session_option("new", ", or `new`; for pages of other tools")
@options.archive_option
@options.json_option
@options.quiet_option
def import_command(*, files: tuple[str, ...], session_id: str, archive: str | None, as_json: bool, quiet: bool) -> int:
    """Take in snapshots that `export` wrote, and the pages of WARC and WACZ files that other tools wrote.

    A snapshot is checked whole first; when anything is found, nothing of it is stored. Its session can then be read,
    verified and replayed here under its own id, and stays its sender's: nothing is added to it. The head that came
    with it is remembered, and a snapshot that contradicts it is refused. Importing again changes nothing.

    Pages of other tools become captures of a session of yours, so that `search --provider archive` finds them and
    they can be evidence. What is unsound in such a file is left out and listed; exit code 6 tells that there was some,
    7 that a file was refused. Of several files each is looked at.
    """
    from searchlog.archive import open_archive
    from searchlog.snapshot.opened import is_snapshot

    told: list[dict[str, Any]] = []
    codes = {Exit.OK}
    with open_archive(archive) as opened:
        for path in map(Path, files):
            try:
                if is_snapshot(path):
                    told.append(_snapshot(opened, path, quiet or as_json))
                    continue
                done, session = _foreign(opened, path, session_id, quiet)
            except SearchlogError as error:
                if len(files) == 1:
                    raise
                # the others are looked at all the same
                out.error(str(error))
                told.append({"file": str(path), "kind": "refused", "code": error.code, "message": str(error)})
                codes.add(exit_of(error))
                continue
            if done.fault_count:
                codes.add(Exit.FINDINGS)
            told.append(_foreign_json(done, session))
            if not as_json:
                _tell_foreign(done, session, quiet)
        if as_json:
            out.json({"archive": opened.described, "files": told})
    return max(codes)


def _snapshot(archive: Archive, path: Path, quiet: bool) -> dict[str, Any]:
    """Import one snapshot, and say what came of it. Raises IntegrityError, after the findings were told."""
    from searchlog.cli import progress

    try:
        with progress.counting(f"checking {path.name}", quiet) as listener:
            done = archive.take_in(path, progress=listener)
    except IntegrityError as error:
        for finding in error.fields.get("findings", [])[:_SHOWN_MAX]:
            out.say(f"{finding['code']}: {finding['where']}: {finding['message']}")
        out.say(f"nothing of {path.name} was stored")
        raise
    if not quiet:
        _tell(done, path)
    return {
        "file": str(path),
        "kind": "snapshot",
        "snapshot": done.snapshot,
        "session": done.session,
        "records": done.records,
        "blobs": done.blobs,
        "known": done.known,
        "left_out": done.left_out,
        "level": done.verdict.level,
        "warnings": list(done.warnings),
    }


def _tell(done: TakenIn, path: Path) -> None:
    from searchlog.log.checkpoint import head_line

    new = "nothing of it was new" if done.known else f"{done.records} records and {done.blobs} blobs were new"
    out.line(f"session {done.session} from {path.name}: {new}")
    for what, count in done.left_out.items():
        out.say(f"  not here: {count} {what}")
    for text in done.warnings:
        out.say(f"warning: {text}")
    out.say(f"snapshot {done.snapshot}, {done.verdict.level}")
    if done.verdict.checkpoint is not None:
        out.say(head_line(done.verdict.checkpoint))


def _foreign(archive: Archive, path: Path, session_id: str, quiet: bool) -> tuple[ForeignImport, str | None]:
    """Import the pages of a file; return what came of it, and the session that holds what was new."""
    from searchlog.cli import progress
    from searchlog.foreign_captures import import_captures, known_whole, open_foreign

    with open_foreign(path, archive.resources.clock) as file, progress.shown(quiet) as listener:
        known = known_whole(archive.resources, file)
        if known is not None:
            return known, None
        title = f"pages of {file.name}"
        session = archive.session(title=title) if session_id == "new" else archive.session(session_id)
        return import_captures(session, file, progress=listener), session.id


def _foreign_json(done: ForeignImport, session: str | None) -> dict[str, Any]:
    return {
        "file": done.name,
        "kind": "pages",
        "digest": done.digest,
        "session": session,
        "turn": done.turn,
        "imported": done.imported,
        "texts": done.texts,
        "already": done.already,
        "left_aside": done.aside,
        "without_digest": done.unchecked,
        "faults": [
            {"member": fault.member, "offset": fault.offset, "code": fault.code, "message": fault.message}
            for fault in done.faults
        ],
        "fault_count": done.fault_count,
    }


def _tell_foreign(done: ForeignImport, session: str | None, quiet: bool) -> None:
    if session is None:
        out.line(f"{done.name}: nothing of it was new")
    else:
        out.line(f"session {session}: {done.imported} captures of {done.name}, {done.texts} of them with text")
    if done.already:
        out.say(f"  {done.already} were here already", quiet)
    for why, count in done.aside.items():
        out.say(f"  left aside: {count} {why}", quiet)
    if done.unchecked:
        out.say(f"  {done.unchecked} records came without a digest: nothing says that they are what they were", quiet)
    for fault in done.faults[:_SHOWN_MAX]:
        at = None if fault.offset is None else f"byte {fault.offset}"
        place = ", ".join(filter(None, (done.name, fault.member, at)))
        out.error(f"{place}: {fault.code}: {fault.message}")
    if done.fault_count > _SHOWN_MAX:
        out.error(f"{done.fault_count - _SHOWN_MAX} more: --json has them")
