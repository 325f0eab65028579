"""`searchlog verify`: is what is stored intact? Says what was checked, what was found, and how much that proves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlog.cli import options, out
from searchlog.cli.exits import Exit
from searchlog.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlog.archive import Archive
    from searchlog.log.checkpoint import Checkpoint
    from searchlog.snapshot.check import Verdict
    from searchlog.verify.finding import Report

_SELF = "what is stored agrees with itself"


@click.command(
    "verify",
    epilog=options.examples("verify", "verify --all", "verify latest --passages", "verify search.wacz"),
)
@click.argument("session_id", required=False, metavar="[SESSION|FILE]")
@click.option("--all", "everything", is_flag=True, help="Check every session of the archive.")
@click.option("--passages", is_flag=True, help="Convert the stored pages again, and look each passage up in them.")
@click.option(
    "--head",
    "heads",
    multiple=True,
    metavar="LINE",
    help="A head line printed earlier, kept elsewhere; its session must extend it. Repeatable.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="VKEY",
    help="Of a FILE: the verifier key of somebody who must have signed it. Repeatable.",
)
@click.option(
    "--name",
    metavar="DIGEST",
    help="Of a FILE: the name that it must have, as `export` printed it.",
)
@click.option(
    "--tsa-root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="PEM",
    help="Of a FILE: a certificate of the authority that stamped its time. Repeatable.",
)
@options.archive_option
@options.json_option
@options.quiet_option
def verify_command(
    *,
    session_id: str | None,
    everything: bool,
    passages: bool,
    heads: tuple[str, ...],
    keys: tuple[str, ...],
    name: str | None,
    roots: tuple[str, ...],
    archive: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Check that stored bytes, digests, heads and counts agree, offline. Changes nothing.

    SESSION is an id, a beginning of one, or `latest` (the default); with --head, the sessions that the heads name.
    FILE is a snapshot: it is checked whole, and needs no archive. Exit code 0 means that all that was looked at is
    intact, 6 that something was found, 3 that there was nothing to look at.
    """
    if everything and session_id is not None:
        raise click.UsageError("give a session or --all, not both")
    seen = [_head(text) for text in heads]
    if session_id is None and archive is not None and Path(archive).is_file():
        session_id = archive
    if session_id is not None and options.names_file(session_id):
        from searchlog.cli import progress
        from searchlog.snapshot.check import check_snapshot
        from searchlog.snapshot.opened import is_snapshot

        if not is_snapshot(Path(session_id)):
            said = f"{session_id} is no snapshot of searchlog"
            raise FormatError(f"{said}: `searchlog import` takes WARC and WACZ files of other tools", path=session_id)
        certificates = [options.read_file(root) for root in roots]
        with progress.counting(f"checking {session_id}", quiet) as listener:
            verdict = check_snapshot(
                Path(session_id), name=name, heads=seen, keys=keys, roots=certificates, progress=listener
            )
        return _tell_file(verdict, session_id, passages, as_json, quiet)
    if keys or name or roots:
        raise click.UsageError("--key, --name and --tsa-root are about a FILE: give one")
    reports: list[Report] = []
    with options.open_existing(archive) as opened:
        for session in _names(opened, session_id, everything, seen):
            reports += _check(opened, session, seen, passages, quiet)
        if as_json:
            out.json({"archive": opened.described, "reports": [report.to_json() for report in reports]})
        else:
            for report in reports:
                print_report(report)
        if any(report.findings for report in reports):
            return Exit.FINDINGS
        if any(report.outcome == "verified" for report in reports):
            return Exit.OK
        out.error(f"no session in {opened.described} holds a record: nothing was checked")
        return Exit.NOTHING


def _names(archive: Archive, wanted: str | None, everything: bool, seen: Sequence[Checkpoint]) -> list[str]:
    """Return the sessions to check. Every head has its session among them, whether the archive holds it or not.

    Raises a usage error for a head of another session than the one that was asked for.
    """
    named = list(dict.fromkeys(head.session for head in seen))
    if everything:
        return list(dict.fromkeys([*archive.resources.storage.log.sessions(), *named]))
    if wanted is None:
        return named or [archive.find("latest")]
    session = wanted if wanted in named else archive.find(wanted)
    for other in named:
        if other != session:
            raise click.UsageError(
                f"--head is of session {other}, and {session} is to be checked: leave SESSION out to check those that "
                "the heads name"
            )
    return [session]


def _check(archive: Archive, session: str, seen: list[Checkpoint], passages: bool, quiet: bool) -> list[Report]:
    from searchlog.cli import progress
    from searchlog.verify.derivation import verify_passages
    from searchlog.verify.store import verify_session

    storage = archive.resources.storage
    mine = [head for head in seen if head.session == session]
    absent = archive.absence(session)
    with progress.counting(f"checking {session}", quiet) as listener:
        reports = [verify_session(storage.log, storage.blobs, session, heads=mine, absent=absent, progress=listener)]
    if passages and not reports[0].findings:
        with progress.counting(f"converting the pages of {session} again", quiet) as listener:
            reports.append(verify_passages(archive.ledger(session), archive.resources.pool, listener))
    elif passages:
        out.say(f"passages of {session} not checked: the store has findings", quiet)
    return reports


def _tell_file(verdict: Verdict, path: str, passages: bool, as_json: bool, quiet: bool) -> int:
    """Say all that was found in a snapshot; look its passages up when that is wanted, and it is sound."""
    from searchlog.cli import progress

    reports = list(verdict.reports)
    if passages and verdict.outcome != "failed":
        from searchlog.verify.derivation import verify_passages

        with options.open_existing(path) as opened, progress.counting("converting pages", quiet) as listener:
            session = opened.find("latest")
            reports.append(verify_passages(opened.ledger(session), opened.resources.pool, listener))
    if as_json:
        out.json(verdict.to_json() | {"reports": [report.to_json() for report in reports]})
    else:
        _print_verdict(verdict)
        for report in reports:
            print_report(report, level=False)
    return Exit.FINDINGS if any(report.findings for report in reports) else Exit.OK


def _print_verdict(verdict: Verdict) -> None:
    """Print what is to be known of a snapshot as a whole: its name, its head, what is in it, and who says so."""
    out.line(f"snapshot {verdict.name or 'without a name that could be read'}: {verdict.outcome}")
    about, head = verdict.description, verdict.checkpoint
    if about is None or head is None:
        return
    scope = " ".join((about.scope.kind, *map(str, (*about.scope.turns, *about.scope.evidence))))
    out.line(f"  holds    {scope}, profile {about.profile}, of session {about.session}")
    for what, count in about.left_out.counts().items():
        out.line(f"  left out {count} {what}")
    if verdict.outcome != "failed":
        out.line(f"  level    {verdict.level}: {_LEVELS[verdict.level]}")
    for signed in verdict.seals.signed if verdict.seals else ():
        whose = "which was asked for" if signed.trusted else "which came with the file: whose it is, you have to know"
        out.line(f"  signed   by the holder of {signed.key}, {whose}")
    for token in verdict.seals.tokens if verdict.seals else ():
        who = token.authority or "an authority without a name"
        out.line(f"  stamped  {token.time} by {who}; its signature: {token.outcome} {token.detail}".rstrip())


_LEVELS = {
    "none": "no record of it is here; what is shown later can be held against its hash",
    "L0": "it agrees with itself, and whoever made it could have made another",
    "L1": "it agrees with itself, and a holder of a key that was asked for signed its head",
    "L2": "it agrees with itself, and extends a head that was seen elsewhere",
    "L3": "it agrees with itself, and its head existed when a third party stamped it",
}


def _head(text: str) -> Checkpoint:
    """Return the head that a printed line tells. Raises a usage error for any other text."""
    from searchlog.errors import FormatError
    from searchlog.log.checkpoint import ORIGIN_PREFIX, parse_checkpoint

    words = text.strip().removeprefix("searchlog head:").split()
    try:
        if len(words) == 3 and words[0].startswith(ORIGIN_PREFIX):
            return parse_checkpoint("\n".join(words) + "\n")
    except FormatError:
        pass  # told below: that text speaks of the lines of a checkpoint, and this is one line
    raise click.UsageError(
        "--head takes a line as a search and `verify` print it, `searchlog head: searchlog/SESSION SIZE ROOT` with "
        f"ROOT in base64, not {text!r:.200}"
    )


def _level(report: Report) -> str:
    """Return what the level means for this report."""
    if report.level == "L2":
        covered = f"the first {report.seen_size} of {report.size} records"
        return f"L2 for {covered}: {_SELF}, and these extend a head that was seen outside this archive"
    return f"{report.level}: {_SELF}"


def print_report(report: Report, *, level: bool = True) -> None:
    """Print one report for people; below a clean one the head, as the line that somebody else may keep.

    level: whether to say how much it proves, where nothing above says it of the whole.
    """
    from searchlog.log.checkpoint import ORIGIN_PREFIX

    out.line(f"session {report.session}, axis {report.axis}: {report.outcome}")
    if level and not report.findings:
        out.line(f"  level    {_level(report)}")
    root = f", root {report.root}" if report.root else ""
    out.line(f"  head     {report.size} records{root}")
    out.line("  checked  " + (", ".join(f"{count} {what}" for what, count in report.checked.items()) or "nothing"))
    for what, count in report.not_checked.items():
        out.line(f"  not checked: {count} {what}")
    for finding in report.findings:
        out.line(f"  finding {finding.code}: {finding.where}: {finding.message}")
        if finding.expected is not None or finding.found is not None:
            out.line(f"    expected {finding.expected}, found {finding.found}")
    if report.untold:
        out.line(f"  {report.untold} findings more")
    if report.axis == "store" and report.size and not report.findings:
        out.line(f"  searchlog head: {ORIGIN_PREFIX}{report.session} {report.size} {report.root}")
